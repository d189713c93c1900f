"""One recording error, of every kind: what is offered to be done makes the match what it was."""

import copy
import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.edit_precision import makes, plain, verdict
from ingest.autofix.card_words import action_spelled
from ingest.autofix.error_model import RecordingError, declaration_weight
from ingest.autofix.search import find_edits
from ingest.autofix.text_edit import apply_all_edits
from ingest.findings.edit_texts import describe_candidates, describe_edit
from ingest.i18n import translator
from ingest.validate.slow_path import ValidationResult, validate
from tests.ingest.recording_errors import CARD, TYPOS, Log, matches, mistyped, word_of

EACH, SEED = 3, 11
"""Matches of a table, and which."""
ENGLISH, FRENCH = translator("en"), translator("fr")


def repaired(log: Log) -> ValidationResult:
    explained = validate(json.dumps(log, ensure_ascii=False).encode())
    find_edits(explained)
    return explained


def a_match(game: str, seed: int = SEED) -> Log:
    """A legal match of a game, with which nothing is wrong."""
    return copy.deepcopy(next(table[0] for table in matches(EACH, seed) if table[0]["game"] == game))


SEEN = {
    "the cards of two neighbouring plays exchanged": "two cards exchanged",
    "a bid card mistaken": "another bid card",
    "the suit of a contract mistaken": "another suit of a bid",
    "an announcement forgotten": "an announcement missing",
    "the height of a bid mistaken": "another height",
    "a coinche forgotten": "a coinche missing",
    "the 7 not noted": "the 7 missing",
    "a card as people write it": "a card as people write it",
    "a wrong card that shows where it is truly played": "another card",
    "a play left out": "a card missing",
    "a bonus left out": "a bonus missing",
    "a turn written as a point": "another bonus",
}
"""What was seen to be mended falsely, and the kind of recording error it is."""


@pytest.mark.parametrize("kind", SEEN.values(), ids=SEEN)
def test_a_recording_error_once_corrected_falsely_is_corrected_truly_or_named(kind: str) -> None:
    fields: Counter[str] = Counter()
    for right, wrong in islice(mistyped(kind, Random(kind), EACH, SEED), 12):
        fields[verdict(right, wrong, [])] += 1
    assert not fields["false"]
    assert fields["true"] + fields["named"] >= (12 - fields["undetected"]) * 0.8


@pytest.mark.slow
def test_of_all_kinds_of_slips_hardly_any_edit_is_false_and_most_are_true() -> None:
    """Small, so that everybody runs it; `python -m benchmarks.edit_precision` has the figures."""
    fields: Counter[str] = Counter()
    for kind in TYPOS:
        for right, wrong in islice(mistyped(kind, Random(f"all {kind}"), EACH, SEED), 5):
            fields[verdict(right, wrong, [])] += 1
    seen = fields.total() - fields["undetected"]
    assert fields["false"] <= 1
    assert fields["true"] >= 0.78 * seen


@pytest.mark.parametrize("kind", ["another rank", "an action missing", "points", "a space"])
def test_applied_all_edits_bring_no_error_and_a_second_run_offers_nothing(kind: str) -> None:
    for _, wrong in islice(mistyped(kind, Random(f"again {kind}"), EACH, SEED), 4):
        text = json.dumps(wrong).encode()
        once = apply_all_edits(text)
        codes = Counter(one.code for one in once.before.findings)
        assert not Counter(one.code for one in once.after.findings) - codes
        again = apply_all_edits(once.text)
        assert again.fixed == []
        assert again.text == once.text


def first_card(log: Log, *beginnings: str) -> tuple[int, int]:
    """Where in a log a card is first played that begins so: (deal, action)."""
    return next(
        (d, a)
        for d, deal in enumerate(log["deals"])
        for a, action in enumerate(deal["actions"])
        if CARD.fullmatch(word_of(action)) and word_of(action).startswith(beginnings)
    )


@pytest.mark.parametrize("game", ["chouine", "coinche"])
@pytest.mark.parametrize(
    ("begins", "write"),
    [
        ("T", "{seat} 10{suit}"),
        ("T", "{seat} 10{symbol}"),
        ("T", "{seat} {suit}T"),
        ("J", "{seat} V{symbol}"),
        ("Q", "{seat} D{suit}"),
        ("K", "{seat} k{suit}"),
        ("A", "{seat}  A{suit}"),
        ("A", " {seat} A{suit}"),
        ("A", "{seat}A{suit}"),
        ("A", "{seat} A{suit} "),
    ],
)
def test_a_card_as_people_write_it_is_the_formats(game: str, begins: str, write: str) -> None:
    log = a_match(game)
    right = copy.deepcopy(log)
    deal, at = first_card(log, begins)
    seat, suit = log["deals"][deal]["actions"][at][0], log["deals"][deal]["actions"][at][-1]
    symbol = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}[suit]
    log["deals"][deal]["actions"][at] = write.format(seat=seat, suit=suit, symbol=symbol)
    finding = repaired(log).findings[0]
    assert finding.code == "unknown-action"
    assert finding.edit is not None
    assert makes(json.dumps(log, ensure_ascii=False).encode(), finding.edit, right)


@pytest.mark.parametrize(
    ("game", "text", "meant"),
    [
        ("coinche", "1 PASS", "1 pass"),
        ("coinche", "1 bid c90", "1 bid 90c"),
        ("coinche", "2 Bid 90C", "2 bid 90c"),
        ("coinche", "1 bid 90♥", "1 bid 90h"),
        ("coinche", "1 coinch", "1 coinche"),
        ("coinche", "1 10s", "1 Ts"),
        ("chouine", "1 Sept", "1 sept"),
        ("chouine", "1 au sept", "1 au-sept"),
        ("chouine", "2 marriage-h", "2 mariage-h"),
        ("chouine", "2 Mariage ♥", "2 mariage-h"),
        ("chouine", "1 hT", "1 Th"),
        ("chouine", "1 V♠", "1 Js"),
        ("chouine", "1 Xx", None),
        ("chouine", "As", None),
        ("chouine", "", None),
    ],
)
def test_a_word_is_read_as_a_scorer_spells_it(game: str, text: str, meant: str | None) -> None:
    assert action_spelled(game, text, ()) == meant


def test_an_announcement_that_was_forgotten_is_named_beside_the_total() -> None:
    """The total is evidence: several places of the announcement explain it, and so does itself."""
    for _, wrong in mistyped("an announcement missing", Random(5), EACH, SEED):
        finding = repaired(wrong).findings[0]
        if finding.code == "points-differ" and len(finding.candidates) > 2:
            break
    output = describe_candidates(ENGLISH, finding)
    assert finding.edit is None
    assert any(one.startswith("Add as action") for one in output)
    assert any("Ajouter comme action" in one for one in describe_candidates(FRENCH, finding))
    result = finding.as_dict(ENGLISH)["candidates"]
    assert all({"op", "path", "points", "winner"} <= one.keys() for one in result)
    assert len(result) <= 5


def test_a_total_that_nothing_in_the_play_explains_is_corrected() -> None:
    log = a_match("chouine")
    log["deals"][1]["points"][0] += 3
    (finding, *_) = repaired(log).findings
    assert finding.edit is not None
    assert finding.edit.path == "/deals/1/points"


def test_a_wrong_turn_says_whose_it_was_and_shows_that_hand() -> None:
    log = a_match("chouine")
    actions = log["deals"][0]["actions"]
    at = next(n for n in range(4, 20) if actions[n][0] != actions[n + 1][0])
    turn = int(actions[at][0])
    del actions[at]
    finding = next(one for one in repaired(log).findings if one.code == "wrong-turn")
    assert finding.detail["turn"] == turn
    name = log["players"][turn - 1]["name"]
    assert f"it is {name} (seat {turn})’s turn" in finding.message(ENGLISH)
    assert finding.hand is not None
    assert {word_of(one) for one in finding.legal} <= set(finding.hand)


def test_a_card_dealt_twice_names_the_one_that_was_played_and_not_dealt() -> None:
    log = a_match("chouineurs")
    hands = log["deals"][0]["hands"]
    cards = hands[0].split(" ")
    lost, cards[1] = cards[1], cards[0]
    hands[0] = " ".join(cards)
    (finding,) = [one for one in repaired(log).findings if one.code == "duplicate-hand-card"]
    assert set(finding.legal[0].split("/")) == set(lost.split("/"))
    assert "Played, not dealt" in finding.message(ENGLISH)
    assert "Jouée, mais non distribuée" in finding.message(FRENCH)


def two_typos() -> tuple[Log, Log]:
    """A deal with a card nobody holds, and later an action left out."""
    right = a_match("coinche")
    log = copy.deepcopy(right)
    deal = next(deal for deal in log["deals"] if len(deal["actions"]) > 40)
    plays = [at for at, one in enumerate(deal["actions"]) if CARD.fullmatch(word_of(one))]
    deal["actions"][plays[4]] = f"{deal['actions'][plays[4]][0]} {word_of(deal['actions'][plays[0]])}"
    del deal["actions"][plays[-3]]
    return right, log


@pytest.mark.slow
def test_of_two_slips_in_a_deal_the_first_is_mended_while_the_second_shows() -> None:
    right, log = two_typos()
    text = json.dumps(log).encode()
    made = apply_all_edits(text)
    assert plain(json.loads(made.text)) == plain(right)
    assert len(made.fixed) == 2
    assert all(describe_edit(ENGLISH, one) for one in made.fixed)


def test_every_kind_of_recording_error_is_documented_with_its_weight() -> None:
    page = (Path(__file__).parents[2] / "docs" / "edits.md").read_text(encoding="utf-8")
    rows = re.findall(r"^- (0|-[\d.]+): ([a-z_, ]+)$", page, re.MULTILINE)
    documented = {name: float(weight) for weight, names in rows for name in names.split(", ")}
    assert documented == {error.name.lower(): error.log_weight for error in RecordingError}
    assert all(error.value[1] for error in RecordingError)


def test_where_the_search_ended_early_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.autofix.evaluate.MAX_STEPS", 10)
    log: dict[str, Any] = a_match("chouine")
    log["deals"][0]["actions"][4:5] = []
    finding = repaired(log).findings[0]
    assert (finding.edit, finding.candidates, finding.searched) == (None, (), False)
    assert finding.as_dict(ENGLISH)["searched"] is False


def test_points_of_the_sides_exchanged_are_likelier_than_two_wrong_numbers() -> None:
    exchanged = declaration_weight([87, 63], [63, 87])
    assert declaration_weight([87, 63], [61, 88]) < exchanged < 0
