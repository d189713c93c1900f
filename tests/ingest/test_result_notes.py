"""Results that notes say in a sentence, a match a line: « Anne a battu Bob 3-1 »."""

from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.notes import answer, is_notes, read_notes

EN = translator("en")
HEAD = "Chouine du 12 avril 2026\n"
COINCHE = "Concours de coinche du 12 avril 2026\n"


def results(text: str) -> list[tuple[str, Any]]:
    """The players in seat order and the result of each match of notes without deals."""
    logs = read_notes(text).logs
    assert [log["deals"] for log in logs] == [[]] * len(logs)
    return [(", ".join(one["name"] for one in log["players"]), log["result"]) for log in logs]


def questions(text: str) -> list[str]:
    return [f"{one.where} {one.message(EN)}" for one in read_notes(text).questions]


@pytest.mark.parametrize(
    "line",
    [
        "Anne a battu Bob 3-1",
        "Anne bat Bob 3 à 1.",
        "Anne bat Bob par 3 manches à 1",
        "- Anne l’emporte sur Bob (3-1)",
        "Anne gagne 3 à 1 contre Bob",
        "Match 2 : Anne s'impose contre Bob, 3-1",
        "Anne gagne 3 – 1 contre Bob",
        "Anne a encore gagné le match contre Bob, 3 manches à 1",
        "Victoire d’Anne sur Bob 3‑1",
        "1 à 3 pour Anne contre Bob",
        "Pas de chance pour Bob, Anne le bat 3-1",
        "Anne contre Bob : Anne gagne 3 à 1",
        "Anne affronte Bob et l’emporte 3-1",
        "3-1 en faveur d’Anne contre Bob",
        "Anne remporte la revanche 3 à 1 contre Bob",
        "Anne vient à bout de Bob 3-1",
        "Anne est vainqueure contre Bob 3-1",
        "Victoire d'Anne contre Bob (3 − 1)",
        "Anne bat Bob trois manches à une",
        "Anne beat Bob 3-1",
        "Anne beat Bob 3–1.",
        "Anne wins 3 to 1 against Bob",
        "Anne has easily beaten Bob three to one",
        "Win for Anne over Bob, 3—1",
        "12/04/2026 : Anne bat Bob 3-1",
        "Dimanche 12 avril 2026, Anne bat Bob 3-1",
    ],
)
def test_a_line_about_who_beat_whom_is_a_match(line: str) -> None:
    assert questions(HEAD + line) == []
    assert results(HEAD + line) == [("Anne, Bob", {"score": [3, 1], "winner": 1})]


@pytest.mark.parametrize(
    "line",
    [
        "Bob perd contre Anne 3-1",
        "Bob a perdu 1 à 3 contre Anne",
        "Bob lost to Anne 1-3",
        "Bob a été battu par Anne 3 à 1",
        "Bob was beaten by Anne 3–1",
        "Défaite de Bob contre Anne, 1 à 3",
        "Bob battu par Anne 3-1",
        "Bob se fait battre par Anne 3-1",
    ],
)
def test_a_line_about_who_lost_is_a_match(line: str) -> None:
    assert results(HEAD + line) == [("Bob, Anne", {"score": [1, 3], "winner": 2})]


@pytest.mark.parametrize("line", ["Bob a perdu contre Anne", "Bob lost to Anne", "Bob s’incline face à Anne"])
def test_a_line_without_a_score_says_who_won(line: str) -> None:
    assert results(HEAD + line) == [("Bob, Anne", {"winner": 2})]


@pytest.mark.parametrize(
    ("line", "players"),
    [
        ("Lucie a battu Paul (invité) 3 à 2", "Lucie, Paul (invité)"),
        ("Jean (le père) a battu Anne (Lyon) 3 à 2", "Jean (le père), Anne (Lyon)"),
        ("O’Brien bat Marie‑Hélène 3-2", "O’Brien, Marie‑Hélène"),
        ("D’Artagnan bat Guy de La Tour 3-2", "D’Artagnan, Guy de La Tour"),
        ("Victoire de L’Hermite sur Jean-Luc 3 à 2", "L’Hermite, Jean-Luc"),
    ],
)
def test_a_name_of_a_result_stays_as_it_is_written(line: str, players: str) -> None:
    assert questions(HEAD + line) == []
    assert results(HEAD + line) == [(players, {"score": [3, 2], "winner": 1})]


def test_a_line_may_have_several_results() -> None:
    assert results(HEAD + "Anne bat Bob 3-1, Zoé bat Luc 3-0 ; puis Anne a perdu contre Zoé 2-3") == [
        ("Anne, Bob", {"score": [3, 1], "winner": 1}),
        ("Zoé, Luc", {"score": [3, 0], "winner": 1}),
        ("Anne, Zoé", {"score": [2, 3], "winner": 2}),
    ]


def test_a_result_may_follow_the_game_and_the_day_in_their_line() -> None:
    assert results("Chouine, 12 avril 2026 : Anne a battu Bob") == [("Anne, Bob", {"winner": 1})]


def test_rounds_and_tables_are_those_of_the_lines_below_and_behind_them() -> None:
    found = read_notes(
        HEAD + "1er tour\nTable 2 : Anne bat Bob 3-1\nRound 2\nAnne bat Zoé\nFinale : Anne bat Luc 3-2"
    )
    assert [log["event"] for log in found.logs] == [
        {"round": "1", "table": "2"},
        {"round": "2"},
        {"round": "Finale"},
    ]


def test_the_first_line_may_name_the_game_among_other_words() -> None:
    found = read_notes("Tournoi de chouine de Lavardin – 15 novembre 2026\nAnne bat Bob 3-1")
    assert [(log["game"], log["played_at"][:10]) for log in found.logs] == [("chouine", "2026-11-15")]


def test_a_day_before_a_result_holds_for_it() -> None:
    found = read_notes("Chouine\n12 avril 2026 : Anne bat Bob\nLe 19/04/2026, Anne bat Bob")
    assert [log["played_at"][:10] for log in found.logs] == ["2026-04-12", "2026-04-19"]


@pytest.mark.parametrize(
    "line", ["Anne - Bob : 3-1", "Anne contre Bob 3-1", "Anne 3 – 1 Bob", "Anne 3, Bob 1"]
)
def test_a_score_between_two_names_is_a_match(line: str) -> None:
    assert results(HEAD + line) == [("Anne, Bob", {"score": [3, 1]})]


@pytest.mark.parametrize(
    "line",
    [
        "Anne & Bob gagnent 1010 à 640 contre Zoé & Luc",
        "Anne et Bob ont battu Zoé et Luc 1010-640",
        "Anne / Bob battent Zoé / Luc 1010 points à 640",
    ],
)
def test_pairs_are_read_as_the_sides_of_a_match(line: str) -> None:
    assert results(COINCHE + line) == [("Anne, Zoé, Bob, Luc", {"score": [1010, 640], "winner": 1})]


def test_who_sits_is_taken_from_the_first_lines() -> None:
    assert results(HEAD + "Joueurs : Anne, Bob\n\nBob gagne 3 à 1") == [
        ("Anne, Bob", {"score": [1, 3], "winner": 2})
    ]
    assert results("Coinche, Anne et Bob contre Zoé et Luc\nZoé et Luc gagnent 1010 à 640") == [
        ("Anne, Zoé, Bob, Luc", {"score": [640, 1010], "winner": 2})
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "Marcel et René gagnent 1010 à 640",
        "Marcel et René les battent 1010 à 640.",
        "Lucie donne\nMarcel et René gagnent 1010 à 640",
        "Lucie donne\nMarcel et René remportent la partie 520 à 310",
        "Lucie donne\nMarcel et René gagnent le match, 1010 à 640",
    ],
)
@pytest.mark.parametrize(
    "head", ["Joueurs : Lucie, Marcel, Denise, René\n", "Lucie et Denise contre Marcel et René\n"]
)
def test_points_that_no_deal_has_are_the_result_of_the_match(head: str, lines: str) -> None:
    score = [310, 520] if "520" in lines else [640, 1010]
    assert questions(f"Coinche\n{head}\n{lines}") == []
    assert results(f"Coinche\n{head}\n{lines}") == [
        ("Lucie, Marcel, Denise, René", {"score": score, "winner": 2})
    ]


@pytest.mark.parametrize(
    "lines",
    ["520 à 310", "Score final : 520 – 310", "Lucie donne, Marcel prend à cœur, 90 à 72\nTotal : 520 à 310"],
)
def test_points_that_no_deal_has_are_proposed_as_the_result_of_the_match(lines: str) -> None:
    text = "Belote du 14 novembre 2026\nJoueurs : Lucie, Marcel, Denise, René\n" + lines
    [question] = read_notes(text).questions
    assert question.readings(EN) == [
        "Lucie et Denise gagnent la partie 520 à 310",
        "Marcel et René gagnent la partie 520 à 310",
    ]
    answered = read_notes(answer(text, question, question.readings(EN)[1]))
    assert (answered.questions, answered.logs[0]["result"]) == ([], {"score": [310, 520], "winner": 2})


def test_a_typo_in_the_points_of_a_deal_makes_no_result() -> None:
    note = "Coinche\nJoueurs : Lucie, Marcel, Denise, René\n\nLucie donne\nLucie gagne 92 à 71"
    [log] = read_notes(note).logs
    assert (log["deals"], "result" in log) == ([{"dealer": 1, "points": [92, 71], "winner": 1}], False)


def test_whom_a_pronoun_means_is_a_question_where_it_may_be_two() -> None:
    note = HEAD + "Anne bat Zoé 3-1, Paul la bat 3-2"
    [question] = read_notes(note).questions
    assert question.message(EN) == "“la bat”: whom? Write the name, as in: bat Anne or bat Zoé."
    assert results(answer(note, question, question.readings(EN)[1])) == [
        ("Anne, Zoé", {"score": [3, 1], "winner": 1}),
        ("Paul, Zoé", {"score": [3, 2], "winner": 1}),
    ]


def test_a_day_between_results_holds_for_those_below_it() -> None:
    found = read_notes("Chouine\n12 avril 2026\nAnne bat Bob 3-1\n19 avril 2026\nAnne bat Bob 3-2")
    assert [log["played_at"][:10] for log in found.logs] == ["2026-04-12", "2026-04-19"]


def test_what_else_stands_among_results_is_left_out_with_a_remark() -> None:
    found = read_notes(HEAD + "Anne bat Bob 3-1\nBelle soirée !")
    assert [one.message(EN) for one in found.unread] == [
        "Line 3 was not read and is not stored: “Belle soirée !”"
    ]
    assert len(found.logs) == 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (HEAD + "Anne bat Bob 1-3", "2:14 The winner has not most of “1-3”. Is 3-1 meant?"),
        (HEAD + "Anne gagne 1 à 3 contre Bob", "2:12 The winner has not most of “1 à 3”. Is 3-1 meant?"),
        (
            HEAD + "Anne bat Bob 2-2",
            "2:14 “2-2” is the same for both, and the line names a winner. Correct one of the two.",
        ),
        (
            HEAD + "Anne bat Bob 3-1\nAnne bat Luc (de justesse)",
            "3:1 “Anne bat Luc (de justesse)” is not understood.",
        ),
        (HEAD + "Anne bat Bob 3-1\nZoé aussi, 3-0", "3:1 “Zoé aussi, 3-0” is not understood."),
        (
            COINCHE + "Anne a battu Bob 3-1",
            "2:1 Which players are “Anne”? Write their names, as in: Lucie et Marcel.",
        ),
        (
            HEAD + "Anne et Bob ont battu Zoé et Luc 3-1",
            "2:1 Which players are “Anne et Bob”? Write their names, as in: Lucie.",
        ),
        (
            "Anne bat Bob 3-1\nBob bat Zoé 3-2",
            "1:1 Which game is it? Write it in the first lines, as in: Jeu : Chouine / Jeu : Chouineurs.",
        ),
        (HEAD + "Anne bat Bob 98 à 72", "2:1 Who deals? Write it in a line, as in: Donneur : Anne."),
    ],
)
def test_what_a_result_leaves_open_is_one_question(text: str, question: str) -> None:
    assert questions(text) == [question]


def test_the_one_question_about_the_game_is_answered_once() -> None:
    note = "Anne bat Bob 3-1\nBob bat Zoé 3-2"
    [question] = read_notes(note).questions
    answered = answer(note, question, question.readings(EN)[0])
    assert questions(answered) == []
    assert len(results(answered)) == 2


@pytest.mark.parametrize(
    "text", ["Chouine a battu Bob 3-1", HEAD + "Chouine a battu Bob 3-1", "Nous battons Bob"]
)
def test_no_game_and_no_team_is_offered_as_a_player(text: str) -> None:
    [question] = read_notes(text).questions
    assert not [one for one in question.readings(EN) if one.startswith("Joueurs")]


def test_a_result_alone_looks_like_notes() -> None:
    assert is_notes("Anne beat Bob 3-1")
    assert not is_notes("une page sans rien")


def test_a_result_that_two_people_send_is_one_question() -> None:
    sent = "15/03/2026, 21:01 - Luc: {one}\n15/03/2026, 21:02 - Zoé: {two}\n"
    text = "15/03/2026, 21:00 - Luc: Chouine\n" + sent.format(
        one="Zoé bat Luc 3-1", two="Luc a perdu contre Zoé 1-3"
    )
    found = read_notes(text)
    [question] = found.questions
    assert [log["result"] for log in found.logs] == [{"score": [3, 1], "winner": 1}]
    counts = [len(read_notes(answer(text, question, one)).logs) for one in question.readings(EN)]
    assert counts == [1, 2]


@pytest.mark.parametrize(
    ("line", "result", "event"),
    [
        ("Luc contre Zoé, 3-1 pour Zoé", {"score": [1, 3], "winner": 2}, None),
        ("Bravo Luc bat Zoé 3-1", {"score": [3, 1], "winner": 1}, None),
        ("Tour 2 - Luc bat Zoé 3-1", {"score": [3, 1], "winner": 1}, {"round": "2"}),
    ],
)
def test_a_line_names_the_winner_behind_the_score_or_its_round(
    line: str, result: dict[str, Any], event: dict[str, str] | None
) -> None:
    [log] = read_notes(f"Jeu : Chouine\n{line}").logs
    assert ([one["name"] for one in log["players"]], log["result"], log.get("event")) == (
        ["Luc", "Zoé"],
        result,
        event,
    )


def test_results_wait_for_the_year_of_their_day() -> None:
    found = read_notes("Chouine, 5 mars\nLuc bat Zoé 3-1\n\n12 mars 2026\nAna bat Bob 3-1")
    assert [log["players"][0]["name"] for log in found.logs] == ["Ana"]
    assert [one.read for one in found.questions] == ["5 mars"]


def test_a_total_below_deals_is_no_deal() -> None:
    text = (
        "Chouine, 12 mars 2026, Lucie contre Marcel\n\nLucie donne. Marcel gagne 101 à 49.\n\nTotal : 49-101"
    )
    found = read_notes(text)
    assert [log["deals"][0]["points"] for log in found.logs] == [[49, 101]]
    assert len(found.logs[0]["deals"]) == 1
