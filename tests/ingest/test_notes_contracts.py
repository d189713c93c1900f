"""Contracts in notes and sheets: rules that allow them, the points made, the card turned up."""

import json
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.notes import answer, read_notes
from ingest.importers.rules_text import find_rules, rules_to_choose
from ingest.importers.spoken_numbers import number_of, with_digits
from ingest.validate.slow_path import validate

EN = translator("en")
PLAYERS = "Joueurs : Anne, Chantal, Bruno, Denis\n"
LINES = "Preneur;Contrat;Nous;Eux\nAnne;100 SA;200;60\nChantal;110 TA;40;230\nBruno;90 coeur;180;70\n"
TEAMS = "Nous = Anne + Bruno; Eux = Chantal + Denis\n\n"
SANS_TOUT = {"preset": "coinchee", "sans_tout": True}


def sheet(title: str, lines: str = LINES) -> ImportResult:
    return import_file("jeudi.csv", f"{title}\n{TEAMS}{lines}".encode())


def verdicts(found: ImportResult) -> list[str]:
    return [validate(json.dumps(log).encode()).status for log in found.logs]


def deal(text: str, head: str = "Belote contrée\n" + PLAYERS) -> dict[str, Any]:
    found = read_notes(f"{head}\n{text}\n")
    assert found.questions == []
    [one] = found.logs[0]["deals"]
    return dict(one)


def test_a_sheet_that_names_its_rules_is_read_with_the_contracts_they_lack() -> None:
    found = sheet("Belote coinchée du jeudi")
    assert found.questions == []
    assert [log["rules"] for log in found.logs] == [SANS_TOUT]
    assert verdicts(found) == ["unverified"]


def test_a_sheet_without_rules_asks_once_and_offers_those_its_lines_allow() -> None:
    [question] = sheet("Belote du jeudi").questions
    assert (question.about, question.could) == ("rules", ("contree + sans_tout", "coinchee + sans_tout"))


def test_the_rules_of_a_title_hold_although_a_line_is_wrong() -> None:
    found = sheet("Belote contrée", LINES + "Denis;120 pique;30;290\n")
    assert found.questions == []
    assert [log["rules"] for log in found.logs] == [{"preset": "contree", "sans_tout": True}]
    assert verdicts(found) == ["irregular"]


def test_a_note_that_bids_sans_atout_is_read_by_rules_that_have_it_and_says_so() -> None:
    text = "\nAnne donne. Chantal 100 sans atout, Bruno passe, les autres passent.\nScore : 60 à 200\n"
    found = read_notes(f"Belote coinchée\n{PLAYERS}{text}")
    assert (found.questions, found.logs[0]["rules"]) == ([], SANS_TOUT)
    assert [one.message(EN) for one in found.notices] == [
        "The match from line 1 has bids that only coinchee + sans_tout allows: "
        "Retourne read it by these rules."
    ]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("coinchée", "coinchee"),
        ("Belote coinchée avec SA et TA", SANS_TOUT),
        ("coinchee + sans_tout", SANS_TOUT),
        ("coinchée, sans atout, tout atout", SANS_TOUT),
        ("sans atout et tout atout", {"preset": "classique", "sans_tout": True}),
        ("picarde", None),
    ],
)
def test_rules_are_found_with_their_options(text: str, rules: Any) -> None:
    assert find_rules(text, "belote") == rules


def test_the_grid_offers_each_preset_and_each_with_its_option() -> None:
    assert rules_to_choose("belote") == [
        *("classique", "contree", "coinchee"),
        *("classique + sans_tout", "contree + sans_tout", "coinchee + sans_tout"),
    ]
    assert rules_to_choose(None) == []


@pytest.mark.parametrize(
    "text",
    [
        "Anne donne. Chantal 100 pique, les autres passent. Ils font 120.",
        "Anne donne. Chantal 100 pique, les autres passent. Chantal fait 120.",
        "Anne donne. Chantal 100 pique, les autres passent. On fait cent vingt.",
        "Anne deals. Chantal 100 ♠, the others pass. They made 120.",
    ],
)
def test_what_the_declarer_made_decides_who_won_and_is_no_mark(text: str) -> None:
    """Without the belotes the marks are open: 220 to 40, or 20 more for one of the sides."""
    found = deal(text)
    assert (found["winner"], "points" in found) == (2, False)
    assert found["score_line"] == {"contract": {"bid": "2 bid 100s", "coinche": 0}}


def test_what_the_declarer_made_decides_nothing_where_a_belote_would_make_the_contract() -> None:
    auction = "Anne donne. Chantal 100 pique, les autres passent."
    assert deal(f"{auction} Ils font 70.")["winner"] == 1
    near = deal(f"{auction} Ils font 80.")
    assert ("winner" in near, [one["text"] for one in near["comments"]]) == (False, ["Ils font 80."])


def test_what_the_defence_made_stays_a_remark() -> None:
    text = "Anne donne. Chantal 100 pique, les autres passent. Bruno fait 40."
    found = deal(text)
    assert "winner" not in found
    assert [one["text"] for one in found["comments"]] == ["Bruno fait 40."]


def test_a_raise_without_a_suit_keeps_the_suit() -> None:
    found = deal(
        "Anne donne. Chantal prend à 90 carreau, Bruno passe, Denis monte à 110, les autres passent."
    )
    assert found["actions"] == ["2 bid 90d", "3 pass", "4 bid 110d", "1 pass", "2 pass", "3 pass"]


def test_points_behind_the_names_of_a_pair_are_points_though_they_may_be_bid() -> None:
    found = deal("Anne donne. Chantal 100 pique, les autres passent. Anne et Bruno 260, Chantal et Denis 0.")
    assert found["points"] == [260, 0]


def test_a_paragraph_of_remarks_is_no_deal() -> None:
    text = "Anne donne. Chantal 100 pique, les autres passent.\nScore 60 à 210.\n\nLe match est resté là.\n"
    found = deal(text)
    assert found["points"] == [60, 210]
    assert found["comments"][-1] == {"after": 0, "text": "Le match est resté là."}


def test_a_second_taking_is_of_the_next_deal_though_the_first_one_has_no_result() -> None:
    head = f"Belote\n{PLAYERS}Nous : Chantal et Denis\nAnne a distribué en premier\n"
    lines = "chantal a pris à pique, anne et bruno 64\ndenis a pris trèfle, 252 à 0 pour denis\n"
    found = read_notes(head + lines)
    queried = [(one.line, one.text) for one in found.questions]
    assert (found.logs, queried) == ([], [(5, "“{read}” is not one for each of: {could}.")])
    answered = read_notes(head + lines.replace("anne et bruno 64", "98 à 64 pour denis"))
    deals = [
        (one["dealer"], one["score_line"]["contract"]["bid"], one["points"])
        for one in answered.logs[0]["deals"]
    ]
    assert (deals, answered.questions) == ([(1, "2 take s", [64, 98]), (2, "4 take c", [0, 252])], [])


CLASSIQUE = "Belote classique\n" + PLAYERS
TAKES = "Anne donne. Chantal a pris à pique"


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (f"{TAKES} pour 98 points contre 64", [64, 98]),
        (f"{TAKES}, chute, 0 à 162", [162, 0]),
        (f"{TAKES}, capot, 252 à 0 pour Chantal et Denis", [0, 252]),
        ("Anne donne. Bruno a pris à pique, 98 à 64", [98, 64]),
        (f"{TAKES}. Chute, 0 à 162", [162, 0]),
    ],
)
def test_the_points_of_the_declarer_whom_the_sentence_names_are_first(text: str, points: list[int]) -> None:
    assert deal(text, CLASSIQUE)["points"] == points


def test_the_points_of_the_last_bidder_whom_the_sentence_names_are_first() -> None:
    assert deal("Anne donne. Chantal 100 pique réussi 200 à 60")["points"] == [60, 200]


def test_card_points_after_a_contract_that_failed_show_the_winner() -> None:
    found = deal("Anne donne. Chantal prend à 90 pique. Chute, 20 à 142", f"Belote contrée\n{PLAYERS}")
    assert (found["winner"], found.get("points")) == (1, None)


@pytest.mark.parametrize(
    ("words", "column", "read", "reason"),
    [
        ("chute, 142 à 20", 44, "142 à 20", "the winner has more points than the others."),
        ("youpi, 98 à 64", 44, "98 à 64", "not understood."),
    ],
)
def test_a_score_that_is_not_certain_is_one_question(words: str, column: int, read: str, reason: str) -> None:
    found = read_notes(f"{CLASSIQUE}\n{TAKES}, {words}\n")
    [question] = found.questions
    assert (question.column, question.read) == (column, read)
    assert reason in question.message(EN)
    assert found.logs == []


def test_points_of_nous_wait_for_who_they_are_and_ils_are_the_others() -> None:
    note = f"{CLASSIQUE}\n{TAKES}, ils ont fait 64 et nous 98\nBruno a pris cœur, 90 à 72 pour nous\n"
    [question] = read_notes(note).questions
    assert question.answers == ("nous : Anne et Bruno", "nous : Chantal et Denis")
    found = read_notes(answer(note, question, question.answers[1]))
    assert [one["points"] for one in found.logs[0]["deals"]] == [[64, 98], [72, 90]]


def test_a_litige_leaves_the_points_of_the_declarers_to_wait() -> None:
    lines = f"{TAKES}, 81 à 81, litige\nBruno prend carreau, 0 à 243\n"
    found = read_notes(f"{CLASSIQUE}\n{lines}")
    deals = [(one["dealer"], one["points"]) for one in found.logs[0]["deals"]]
    assert (deals, found.questions) == ([(1, [81, 0]), (2, [0, 243])], [])
    assert verdicts(found) == ["unverified"]


@pytest.mark.parametrize("game", ["Coinche", "Belote classique"])
def test_the_points_of_a_litige_without_a_declarer_are_one_question(game: str) -> None:
    [question] = read_notes(f"{game}\n{PLAYERS}\nAnne donne. Pique, 81 à 81, litige\n").questions
    assert question.read == "81 à 81"


def test_the_players_of_a_team_follow_its_number() -> None:
    note = "Belote contrée, 7 novembre 2026\nÉquipe 1 : Anne et Bruno\nÉquipe 2 : Chantal et Denis\n"
    [question] = read_notes(f"{note}\nAnne donne\nScore : 120 à 42\n").questions
    assert question.readings(EN) == [
        "Joueurs : Anne, Chantal, Bruno, Denis",
        "Joueurs : Anne, Denis, Bruno, Chantal",
    ]


def test_a_contract_made_with_its_belote_is_what_the_declarer_made() -> None:
    auction = "Anne donne. Chantal 100 pique, les autres passent."
    text = "Réussi : ils font 112, belote comprise. Score 60 à 210."
    assert deal(f"{auction}\n{text}")["points"] == [60, 210]


def test_who_plays_against_whom_is_read_of_a_sentence() -> None:
    note = "Belote contrée chez Anne, 7 novembre 2026\nAnne et Bruno jouent contre Chantal et Denis.\n"
    deals = "".join(f"\n{name} donne\nScore : 120 à 42\n" for name in ("Anne", "Chantal", "Bruno"))
    found = read_notes(note + deals)
    assert found.questions == []
    assert [one["name"] for one in found.logs[0]["players"]] == ["Anne", "Chantal", "Bruno", "Denis"]


CLASSIC = "Belote classique\n" + PLAYERS


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("Anne donne. Retourne : valet de cœur\nChantal passe, Bruno prend.", "3 take h"),
        ("Anne donne. Retourne : V♥\nChantal passe, Bruno prend la carte.", "3 take h"),
        ("Anne donne. On retourne le 9 de pique. Chantal prend.", "2 take s"),
        ("Anne deals\nTurned up: 9♠\nChantal takes it.", "2 take s"),
    ],
)
def test_the_card_turned_up_is_taken_by_prend_alone(text: str, bid: str) -> None:
    turned = deal(text, CLASSIC)
    assert turned["actions"][-1] == bid
    cards = turned["deck"].split()
    assert [place for place, card in enumerate(cards) if card != "??"] == [20]
    scored = deal(f"{text}\nScore : 60 à 102", CLASSIC)
    assert scored["score_line"] == {"contract": {"bid": bid, "coinche": 0}}
    assert "deck" not in scored
    assert len(scored["comments"]) == 1


@pytest.mark.parametrize(
    ("words", "number"),
    [
        *(("douze", 12), ("cent vingt", 120), ("quatre-vingt-dix-sept", 97), ("vingt et un", 21)),
        *(("mille dix", 1010), ("deux cent cinquante", 250), ("a hundred and ten", 110), ("forty-two", 42)),
        *(("nonante", 90), ("12", 12), ("trèfle", None), ("", None)),
    ],
)
def test_numbers_in_words_are_numbers(words: str, number: int | None) -> None:
    assert number_of(words) == number


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("Lucie gagne cent vingt à quarante-deux", "Lucie gagne 120        à 42           "),
        ("Ils font cent vingt.", "Ils font 120       ."),
        ("Lucie joue le dix à neuf", "Lucie joue le dix à neuf"),
        ("Lucie fait cent de valets", "Lucie fait cent de valets"),
        ("Bruno fait douze plis", "Bruno fait douze plis"),
    ],
)
def test_scores_in_words_become_digits_in_their_place(text: str, digits: str) -> None:
    assert with_digits(text) == digits


def test_results_and_deals_in_words_are_read() -> None:
    found = read_notes(
        "Chouine, 12 avril 2026\nAnne bat Bob douze à huit\nLucie gagne quinze à onze contre René"
    )
    assert [log["result"]["score"] for log in found.logs] == [[12, 8], [15, 11]]
    note = "Chouine, 12 avril 2026, Odile contre Gérard\n\nGérard donne. Odile gagne cent un à quarante-neuf."
    assert read_notes(note).logs[0]["deals"] == [{"dealer": 2, "points": [101, 49], "winner": 1}]
