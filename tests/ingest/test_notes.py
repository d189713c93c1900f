"""Notes as people write them: read when they are clear, asked about when they are not."""

import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import game, game_names
from ingest.i18n import translator
from ingest.importers import notes_words
from ingest.importers.merge_actions import IN_ORDER
from ingest.importers.notes import answer, is_notes, read_notes
from ingest.importers.written_dates import parse_date
from ingest.validate.slow_path import validate
from schemas.simulated import match_document, simulate_matches, simulated_setup
from tests.ingest.conftest import Command
from tests.ingest.notes_writer import Writer

EN, FR = translator("en"), translator("fr")
HEAD = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\n"
WRITINGS = [(language, signs) for language in ("fr", "en") for signs in (True, False)]
TABLES = [(name, players) for name in game_names() for players in game(name).players]


def deal(text: str, head: str = HEAD) -> dict[str, Any]:
    """The one deal of some notes that are clear."""
    found = read_notes(head + text)
    assert [one.message(EN) for one in found.questions] == []
    [log] = found.logs
    [result] = log["deals"]
    assert isinstance(result, dict)
    return result


def queried(text: str, head: str = HEAD) -> list[tuple[str, str]]:
    """What is asked of some notes, with its place below the head."""
    found = read_notes(head + text)
    above = head.count("\n")
    return [(f"{one.line - above}:{one.column}", one.message(EN)) for one in found.questions]


# what is clear


def test_a_player_is_not_called_by_the_beginning_of_an_id() -> None:
    head = HEAD.replace("Lucie, Marcel", "Lucie (id: 2041),Marcel (id: 1077)")
    assert deal("Donneur : 1077\nV♦ 9♦", head)["dealer"] == 2
    assert queried("Donneur : 1\nV♦ 9♦", head) == [
        ("1:11", "“1” is not a player of this match. Is it Lucie or Marcel?")
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "Lucie : V♦ as de pique mariage ♥ R♥",
        "Lucie: J♦ A♠ marriage ♥ K♥",
        "lucie : valet de carreau, As♠, mariage de cœur, roi de cœur",
        "LUCIE: jack of diamonds, ace of spades, mariage h, Kh",
        "Luc : Vca Ap mariage co Rco",
    ],
    ids=["French", "English", "in words", "English words and letters", "French letters"],
)
@pytest.mark.sample("in words", "English words and letters")
def test_a_players_line_is_read_in_either_language(line: str) -> None:
    result = deal(f"Donneur : Marcel\n{line}\nMarcel : 9♦ 10♠ 9♥\n")
    acts = ["1 Jd", "2 9d", "1 As", "2 Ts", "1 mariage-h", "1 Kh", "2 9h"]
    assert result == {"dealer": 2, "actions": acts}


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    ["V♦ 9♦\nA♠ 10♠", "1. V♦ 9♦\n2. A♠ 10♠", "Pli 1 : Lucie V♦, Marcel 9♦\nPli 2 : A♠ 10♠"],
    ids=["tricks", "numbered", "with names"],
)
def test_a_line_without_a_player_is_read_in_order_and_the_engine_says_whose_turn_it_is(lines: str) -> None:
    result = deal(f"Marcel donne\n{lines}")
    assert result["actions"] == ["1 Jd", "2 9d", "1 As", "2 Ts"]


def test_ch_4_the_card_turned_up_is_the_last_of_the_talon() -> None:
    assert deal("Dealer: Marcel\nRetourne : 7♠\nV♦ 9♦")["talon"].split()[-2:] == ["??", "7s"]


def test_who_deals_next_is_the_engines_to_say() -> None:
    first = "Marcel donne\nPoints : 60 51\nGagnant : Lucie\nLucie : A♠\n"
    again = "Annulée : maldonne\n"
    found = read_notes(f"{HEAD}Donneur : Marcel\n{again}\nAnnulée : maldonne\n")
    assert [item["dealer"] for item in found.logs[0]["deals"]] == [2, 2]
    assert queried(f"{first}\nLucie : R♠") == [
        ("6:1", "Who deals? Write it in a line, as in: Donneur : Lucie.")
    ]


@pytest.mark.slow
def test_a_remark_stays_with_the_act_it_follows() -> None:
    result = deal("Marcel donne\n# la première\nV♦ 9♦\n# le der\nA♠ 10♠")
    assert result["comments"] == [{"after": 0, "text": "la première"}, {"after": 2, "text": "le der"}]


@pytest.mark.slow
def test_a_head_below_deals_begins_another_match_of_the_evening() -> None:
    found = read_notes(
        "Jeu : Chouine\nDate : 2 mai 2026\nTable : 1\n"
        "Joueurs : Lucie, Marcel\n\nMarcel donne\nV♦ 9♦\n\n"
        "Table : 2\nJoueurs : Odile, Jean\n\nJean donne\nA♦ 9♦\n"
    )
    assert [log["event"] for log in found.logs] == [{"table": "1"}, {"table": "2"}]
    assert [log["played_at"][:10] for log in found.logs] == ["2026-05-02", "2026-05-02"]
    assert [log["players"][0]["id"] for log in found.logs] == ["lucie", "odile"]


@pytest.mark.slow
def test_a_word_in_brackets_is_part_of_a_name_unless_it_is_called_an_id() -> None:
    head = "Jeu : Chouine\nJoueurs : Lucie (id: lucie-2), Paul (invité)\n\nPaul (invité) donne\nV♦ 9♦\n"
    seated = read_notes(head).logs[0]["players"]
    assert seated == [{"id": "lucie-2", "name": "Lucie"}, {"id": "paul-(invité)", "name": "Paul (invité)"}]


def test_two_players_are_those_whose_lines_there_are() -> None:
    found = read_notes("Marcel donne\nLucie : V♦ A♠\nMarcel : 9♦ 10♠\n", "chouine")
    assert [one["name"] for one in found.logs[0]["players"]] == ["Lucie", "Marcel"]


# what is not clear is asked


@pytest.mark.parametrize(
    ("cards", "reported"),
    [
        ("9c 8♦", "“9c” may be 9♥, 9♦ or 9♣. Which of them?"),
        ("9c 8p", "“9c” may be 9♥ or 9♦. Which of them?"),
        ("9c 8p 7h", "“9c” may be 9♥, 9♦ or 9♣. Which of them?"),
        ("1h 9d", "“1h” may be A♥ or 10♥. Which of them?"),
        ("1♥ 9d", "“1♥” may be A♥ or 10♥. Which of them?"),
        ("1 de pique 9d", "“1 de pique” may be A♠ or 10♠. Which of them?"),
        ("9♥ mariage c", "“mariage c” may be mariage ♥, mariage ♦ or mariage ♣. Which of them?"),
        ("9♥ mariege ♦", "“mariege ♦” is not understood. Is mariage ♦ meant?"),
        ("9♥ zut", "“zut” is not understood."),
        ("9♥ ??", "“??”: a card that was played has to be known."),
    ],
)
def test_a_letter_or_a_word_that_is_not_clear_is_asked(cards: str, reported: str) -> None:
    place = cards.find("mari") if "mari" in cards else max(cards.find("zut"), cards.find("??"), 0)
    assert queried(f"Marcel donne\nLucie : {cards}") == [(f"2:{9 + place}", reported)]


@pytest.mark.slow
def test_initials_are_not_taken_for_a_card_of_two_languages() -> None:
    assert queried("Marcel donne\n1. JP A♣") == [("2:4", "“JP” is not understood. Is J♠ meant?")]
    assert deal("Marcel donne\n1. Vp A♣")["actions"] == ["1 Js", "2 Ac"]
    assert deal("Marcel donne\n1. Js A♣")["actions"] == ["1 Js", "2 Ac"]


def test_c_is_clubs_where_the_other_letters_are_english() -> None:
    assert deal("Marcel donne\n9c 8h")["actions"] == ["1 9c", "2 8h"]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("V♦ 9♦", ("1:1", "Who deals? Write it in a line, as in: Donneur : Lucie.")),
        ("Marcel donne\nPaul : 9♦", ("2:1", "“Paul” is not a player of this match. Is it Lucie or Marcel?")),
        (
            "Marcel donne\nPoint : 9 3",
            ("2:1", "“Point : 9 3”: no deal ends with such points. Write the points of each deal."),
        ),
        ("Marcel donne\nPoints : 9", ("2:10", "“9” is not one for each of: Lucie, Marcel.")),
        ("Marcel donne\nEntame : Lucie", ("2:1", "“entame” does not apply to a deal of this game.")),
        (
            "Marcel donne\nV♦ Lucie",
            ("2:4", "“Lucie” does nothing here: a card or an action of theirs should follow."),
        ),
        ("Marcel donne\nDonneur : Lucie", ("2:1", "“Donneur : Lucie” is already noted for this deal.")),
        (
            "Marcel donne\nLucie : V♦ A♠\nMarcel : 10♦ 9♠ 8♠",
            ("3:17", "It is Lucie’s turn before “8♠”, and that line has no more."),
        ),
    ],
)
def test_each_question_has_its_place_and_its_sentence(text: str, reported: tuple[str, str]) -> None:
    assert reported in queried(text)


def test_what_the_head_lacks_is_asked() -> None:
    assert [one.message(FR) for one in read_notes("Bonjour").questions] == [
        "De quel jeu s’agit-il\u202f? Écrivez-le dans les premières lignes, par exemple\u00a0: "
        "Jeu : Chouine / Jeu : Coinche / Jeu : Chouineurs / Jeu : Belote."
    ]
    [game] = read_notes("Jeu : Tarot\nJoueurs : A, B").questions
    assert game.message(EN) == ("“Tarot” is not a known game. Is it Chouine, Coinche, Chouineurs or Belote?")
    [date] = read_notes("Jeu : Chouine\nJoueurs : A, B\nDate : hier\n").questions
    assert (date.line, date.column) == (3, 8)


@pytest.mark.slow
def test_a_deal_that_cannot_be_followed_is_asked_with_the_reason() -> None:
    [(place, result)] = queried("Marcel donne\nV♦ 9♦\nV♦ 9♠")
    assert place == "3:1"
    assert "V♦" in result or "J♦" in result


def test_a_deck_that_is_missing_is_asked() -> None:
    text = "Jeu : Chouineurs\nJoueurs : Lucie, Marcel\n{}\nEntame : Lucie\nb3"
    [question] = read_notes(text.format("")).questions
    assert question.message(EN) == (
        "Which deck was it? Write it in the first lines, as in: Jeu de cartes : retourne or Deck: retourne."
    )
    [question] = read_notes(text.format("Deck: tarot\n")).questions
    assert question.where == "3:7"
    assert question.message(EN).startswith("“tarot” is not a known deck.")


CHOUINEURS = (
    "Jeu : Chouineurs\nJeu de cartes : retourne\nJoueurs : Lucie, Gaston, Odile\n\n"
    "Entame : Gaston\nParis : 3-4+, 2-3-4, 1-2-3\n"
)


@pytest.mark.parametrize(
    "reported",
    ["k34 k29 k38", "34 noir, 29 noir, 38 noir", "noir 34 n29 k38", "Gaston black 34 29 black n38"],
)
def test_cr_1_a_face_is_named_by_its_colour_in_either_language(reported: str) -> None:
    result = deal(f"1. {reported}\nOdile tourne bleu 15", CHOUINEURS)
    assert result["actions"] == ["2 k34", "3 k29", "1 k38", "3 turn b15"]


def test_cr_1_a_card_of_a_hand_has_two_faces_in_words_or_letters() -> None:
    hand = "j25/r5 bleu 20/rouge 29 n32/b12 k38/b9 b21/r28 12 jaune/b18 r14/y19"
    result = deal(f"Main de Lucie : {hand}\nn34 k29 k38", CHOUINEURS)["hands"][0]
    assert result == "y25/r5 b20/r29 k32/b12 k38/b9 b21/r28 y12/b18 r14/y19"


def test_co_5_a_coinche_out_of_turn_may_be_recorded_in_order_alone() -> None:
    head = "Jeu : Coinche\nJoueurs : Lucie, Marcel, Denise, René\n\n"
    by_line = "René donne\nLucie : 80♥ 9♥\nMarcel : passe 8♥\nDenise : passe 7♥\nRené : coinche 6♥"
    assert queried(by_line, head) == [
        ("5:8", "When was “coinche”? Write the actions there on one line, in order.")
    ]
    ordered = "René donne\nLucie 80♥, René coinche\n9♥ 8♥ 7♥ 6♥"
    assert deal(ordered, head)["actions"][:3] == ["1 bid 80h", "4 coinche", "1 9h"]


def test_a_result_of_one_side_leaves_open_its_own_line_only() -> None:
    text = (
        "Belote\nPremière partie : Anne et Bob battent Carl et Dora 1010 à 720\n"
        "Carl et Dora gagnent 1050 à 980\nLa belle : Carl et Dora battent Anne et Bob 1010 à 640"
    )
    found = read_notes(text)
    assert [log["result"]["score"] for log in found.logs] == [[1010, 720], [1010, 640]]
    [question] = found.questions
    assert (question.line, question.could) == (3, ("gagnent contre Anne et Bob",))
    answered = read_notes(answer(text, question, question.could[0]))
    assert (len(answered.logs), answered.questions) == (3, [])


def test_a_remark_on_the_last_deal_leaves_the_result_before_it_in() -> None:
    text = (
        "Belote\nAnne et Bob battent Carl et Dora 1010 à 720\nOn a chuté un 120 à la dernière donne\n"
        "La belle : on a gagné 1005 à 640 avec Bob"
    )
    found = read_notes(text)
    assert [log["result"]["score"] for log in found.logs] == [[1010, 720]]
    assert [one.line for one in found.questions] == [3, 4]


# dates


@pytest.mark.parametrize(
    "text", ["2026-05-02", "02/05/2026", "2.5.2026", "2 mai 2026", "samedi 2 mai 2026", "May 2, 2026"]
)
def test_a_day_is_read_as_people_write_it_the_day_first(text: str) -> None:
    assert (parse_date(text, None) or "")[:16] == "2026-05-02T12:00"


def test_a_day_of_the_week_that_is_not_that_of_the_date_is_a_question() -> None:
    found = read_notes("samedi 8 mars 2026\nChouine : Anne bat Bob 3-1")
    assert [(one.read, one.could) for one in found.questions] == [
        ("samedi 8 mars 2026", ("2026-03-08", "2025-03-08"))
    ]
    assert "played_at" not in found.logs[0]


def test_a_time_and_a_zone_stay() -> None:
    assert parse_date("2026-05-02T20:30:00+02:00", None) == "2026-05-02T20:30:00+02:00"
    assert (parse_date("2 mai 2026 à 20h30", None) or "")[11:16] == "20:30"


@pytest.mark.parametrize("text", ["hier", "31/02/2026", "05/13/2026", "2026", "45000", ""])
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text, None) is None


# hands of another game

HANDS_OF_32 = "\n".join(
    f"Main d'{name} : " + " ".join(f"{rank}{suit}" for rank in ("7", "8", "9", "10", "V", "D", "R", "A"))
    for name, suit in zip(("Anne", "Odile", "Émile", "Yvon"), "♠♥♦♣", strict=True)
)
OF_32 = "The log is of coinche, but its hands are the 32 cards of belote."


@pytest.mark.parametrize(
    ("head", "reading", "answered"),
    [
        ("Coinche, 7 mars 2026", "Jeu : Belote", "Coinche, 7 mars 2026\n{}\nJeu : Belote\n"),
        ("Jeu : Coinche", "Belote", "Jeu : Belote\n{}\n"),
    ],
)
def test_hands_of_another_game_are_one_question_that_a_click_answers(
    head: str, reading: str, answered: str
) -> None:
    players, deal = "Joueurs : Anne, Odile, Émile, Yvon", f"\nAnne donne\n{HANDS_OF_32}\n"
    notes = f"{head}\n{players}\n{deal}{deal}"
    found = read_notes(notes, zone=UTC)
    assert [(one.message(EN), one.readings(EN)) for one in found.questions] == [(OF_32, [reading])]
    assert found.logs == []
    after = answer(notes, found.questions[0], reading)
    assert after == answered.format(players) + deal + deal
    assert [log["game"] for log in read_notes(after, zone=UTC).logs] == ["belote"]


# logs, notes, logs


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_a_log_written_as_notes_is_that_log_again(data: st.DataObject) -> None:
    name, players = data.draw(st.sampled_from(TABLES))
    how, by_player = data.draw(st.sampled_from(WRITINGS)), data.draw(st.booleans())
    writer = Writer(*how, by_player)
    # notes have hands, which are those after the taking where one decides: `tests/ingest/test_belote.py`
    preset = "coinchee" if name == "belote" else next(iter(game(name).options.PRESETS))
    played = simulated_setup(name, preset, players)
    [match] = simulate_matches(played, 1, data.draw(st.integers(0, 10_000)))
    seats = [{"id": f"p{seat}", "name": f"Jean {seat}"} for seat in range(players)]
    log = match_document(played, match, preset, seats, as_hands=True, id="x")
    log = {key: value for key, value in log.items() if key not in ("result", "cuts")}
    log["deals"] = log["deals"][: data.draw(st.integers(1, 3))]
    found = read_notes(writer.match(log))
    if by_player and {one.text for one in found.questions} == {IN_ORDER}:
        found = read_notes(Writer(*how, False).match(log))
    assert [one.message(EN) for one in found.questions] == []
    if found.logs != [log]:  # who chouine act in any order, and lines tell none (CR-5)
        assert by_player
        items = [validate(json.dumps(one).encode()).status for one in (*found.logs, log)]
        assert items[0] == items[1]


WORDS = "Lucie Marcel : 9♥ V♦ mariage ♥ c sept ?? 10 donne \n # 1. , Points 87 As main de talon"


@given(st.text(max_size=300))
def test_no_text_makes_it_fall(text: str) -> None:
    is_notes(text)
    assert read_notes(text, "chouine").questions or not text.strip()


EVERYDAY = [word for one in notes_words.WORDS.values() for words in one.values() for word in words.split()]


@pytest.mark.slow
@given(st.lists(st.sampled_from(WORDS.split(" ")) | st.sampled_from(EVERYDAY), max_size=40))
def test_no_words_make_it_fall(words: list[str]) -> None:
    found = read_notes(HEAD + "Marcel donne\n" + " ".join(words))
    assert found.logs or found.questions
    for one in found.questions:
        assert one.message(EN)


# the command


@pytest.mark.slow
def test_import_writes_the_log_and_what_a_check_says(retourne: Command, tmp_path: Any) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{HEAD}Marcel donne\nV♦ 9♦\nAbandon\n".replace("Abandon", "Lucie abandonne"))
    done = retourne("import", path)
    assert done.objects[0]["deals"][0]["actions"][-1] == "1 resign"
    assert done.err == "Matches: 1 · unverified: 1\n"
    assert done.code == 0


def test_import_asks_and_then_writes_nothing(retourne: Command, tmp_path: Any) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{HEAD}Marcel donne\nV♦ 9c\n", encoding="utf-16")
    done = retourne("import", path, "--output", tmp_path / "log.jsonl")
    assert done.code == 1
    assert done.err == (
        f"{path}:5:4 “9c” may be 9♥, 9♦ or 9♣. Which of them?\n"
        f"No log was written. Edit {path} at 5:4, then run the command again.\n"
    )
    assert (tmp_path / "log.jsonl").read_bytes() == b""


def test_import_of_a_folder_names_a_file_that_is_missing_and_reads_the_others(
    retourne: Command, tmp_path: Any
) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "b.txt").write_text(f"{HEAD}Marcel donne\nV♦ 9c\n")
    (tmp_path / "c.jpg").touch()
    done = retourne("import", tmp_path)
    missing, question, _ = done.err.splitlines()
    assert (done.code, missing) == (2, f"Error: {tmp_path}/a.txt: file not found.")
    assert question.startswith(f"{tmp_path}/b.txt:5:4 “9c” may be")


def test_import_asks_fifty_questions_of_a_file_and_counts_the_rest(retourne: Command, tmp_path: Any) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{HEAD}Marcel donne\n" + "zut\n" * 60)
    items = retourne("import", path).err.splitlines()
    assert (len(items), items[-2]) == (52, "… and 10 more.")


def test_import_that_makes_nothing_leaves_an_older_file_as_it_is(retourne: Command, tmp_path: Any) -> None:
    path, log = tmp_path / "soiree.txt", tmp_path / "log.jsonl"
    path.write_text(f"{HEAD}Marcel donne\nV♦ 9c\n")
    log.write_text('{"of": "last week"}\n')
    assert retourne("import", path, "--output", log).code == 1
    assert log.read_text() == '{"of": "last week"}\n'


@pytest.mark.slow
def test_what_is_found_in_notes_stands_at_the_line_of_its_deal(retourne: Command, tmp_path: Any) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{HEAD}Donne 1\n\nMarcel donne\nV♦ 9♦\n\nMarcel donne\nV♦ 9♦\n")
    items = retourne("import", path).err.splitlines()
    assert items[0] == f"{path}:1 incomplete"
    places = [line.split()[1] for line in items if line.startswith(" 1 ") or line.startswith(" 2 ")]
    assert places == [f"{path}:6", f"{path}:9"]
    assert "│" not in "".join(items)  # no excerpt of a log that nobody has


@pytest.mark.slow
def test_import_adds_to_a_store(retourne: Command, tmp_path: Any) -> None:
    path = tmp_path / "soiree.txt"
    path.write_text(f"{HEAD}Marcel donne\nV♦ 9♦\n")
    assert retourne("import", path, "--add", "--store", "club.duckdb").out == ""
    assert retourne("export", "--list", "--store", "club.duckdb").out.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "data", "reported"),
    [
        ("bin.json", bytes(range(256)) * 20, "bin.json : Le fichier n’est ni un texte ni"),
        ("club.jsonl", b'{"format": "retourne/1"}\n', "C’est déjà un relevé"),
        ("club.json", b'[\n {"format": "retourne/1"}]\n', "C’est déjà un relevé"),
    ],
)
def test_import_says_of_a_log_or_of_no_text_what_it_is(
    name: str, data: bytes, reported: str, retourne: Command, tmp_path: Any
) -> None:
    (tmp_path / name).write_bytes(data)
    done = retourne("import", tmp_path / name, "--lang", "fr")
    assert done.code == 1
    assert reported in " ".join(done.err.replace("\u00a0", " ").split())
