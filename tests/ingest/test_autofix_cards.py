"""Edits of the cards of a deal: what the pack leaves, or the play of a whole deal tells."""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.autofix.text_edit import apply_all_edits, apply_edit
from ingest.findings.edit_texts import describe_edit
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests.ingest.test_autofix import FAUTES, Log, played_out, repaired


@cache
def _manche() -> str:
    log = copy.deepcopy(next(simulate_season("chouineurs", 1, 5, players=3)))
    log["deals"] = log["deals"][:1]
    del log["result"]
    return json.dumps(log)


def manche() -> Log:
    """The first manche of a legal match of Chouineurs, played to its end."""
    log: Log = json.loads(_manche())
    return log


def hand(change: Callable[[list[str]], Any]) -> Log:
    """The same with the first hand written otherwise; its third card is y9/r19."""
    log = manche()
    hands = log["deals"][0]["hands"]
    cards = hands[0].split(" ")
    change(cards)
    hands[0] = " ".join(cards)
    return log


def write(card: str) -> Callable[[list[str]], None]:
    return lambda cards: cards.__setitem__(2, card)


IN_HAND = "Gaston (seat 1), hand. "
INSTEAD = IN_HAND + "Card 3: write yellow 9/red 19 instead of "
TYPOS: dict[str, tuple[Callable[[list[str]], Any], str, str]] = {
    "another back": (write("y9/r18"), "hand-card", INSTEAD + "yellow 9/red 18."),
    "another front": (write("y8/r19"), "hand-card", INSTEAD + "yellow 8/red 19."),
    "no card at all": (write("zz"), "hand-card", INSTEAD + "zz."),
    "of another hand": (write("b29/r20"), "duplicate-hand-card", INSTEAD + "blue 29/red 20."),
    "of this hand": (write("r10/k35"), "duplicate-hand-card", INSTEAD + "red 10/black 35."),
    "of another hand, turned": (write("r20/b29"), "duplicate-hand-card", INSTEAD + "red 20/blue 29."),
    "skipped": (lambda cards: cards.pop(2), "hand-size", IN_HAND + "Card 7: add yellow 9/red 19."),
    "too many": (
        lambda cards: cards.append("b3/y30"),
        "hand-size",
        IN_HAND + "Card 8: remove blue 3/yellow 30.",
    ),
}


@pytest.mark.parametrize(("change", "code", "wording"), TYPOS.values(), ids=TYPOS)
def test_cr_1_the_play_of_a_manche_tells_the_card_that_was_dealt(
    change: Callable[[list[str]], Any], code: str, wording: str
) -> None:
    log = hand(change)
    (finding,) = repaired(log).findings
    assert finding.code == code
    assert describe_edit(translator("en"), finding) == wording
    assert finding.edit is not None
    text = apply_edit(json.dumps(log).encode(), finding.edit)
    assert validate(text).findings == []
    hands = json.loads(text)["deals"][0]["hands"]
    right = manche()["deals"][0]["hands"]
    assert [sorted(one.split(" ")) for one in hands] == [sorted(one.split(" ")) for one in right]
    assert apply_all_edits(json.dumps(log).encode()).text == text


def test_cr_1_of_the_reserve_any_card_may_be_one_that_was_never_played() -> None:
    log = hand(write("zz"))
    log["deals"][0] |= {"actions": [], "void": "maldonne"}
    del log["deals"][0]["points"], log["deals"][0]["winner"]
    assert [finding.edit for finding in repaired(log).findings] == [None]


def test_cr_1_a_card_with_one_face_right_is_that_card_if_the_play_agrees() -> None:
    (finding,) = repaired((FAUTES / "chouineurs" / "hand-card.json").read_bytes()).findings
    assert finding.found == "b11/y30"
    assert finding.edit is not None
    assert finding.edit.value.split(" ")[0] == "b11/k34"  # y30 is in the hand beside it


def test_cr_6_a_face_the_play_needs_shows_that_the_card_was_dealt_the_other_way_up() -> None:
    """Black 34 takes a trick that blue 11 would not, so the card was not played as blue 11.

    It may have been played so against the rule, and stood: the edit is for the table to choose.
    """
    log: Log = json.loads((FAUTES / "chouineurs" / "hand-size.json").read_bytes())
    deal = log["deals"][0]
    deal["hands"] = ["b11/k34 b3/y30", "b29/r20 b8/k40", "y11/r18 r21/b28"]
    deal["actions"] = ["1 k34", "2 b29", "3 y11", "3 point", "1 b3", "2 b8", "3 r21", "1 point"]
    (finding,) = repaired(log).findings
    assert finding.code == "wrong-side"
    assert finding.edit is None
    edit = finding.candidates[0].edit
    assert edit.path == "/deals/0/hands/0"
    assert edit.value == "k34/b11 b3/y30"
    assert validate(apply_edit(json.dumps(log).encode(), edit)).findings == []


def test_cr_6_a_card_written_or_dealt_the_wrong_way_up_is_two_edits_so_none_is_offered() -> None:
    (finding,) = repaired((FAUTES / "chouineurs" / "wrong-side.json").read_bytes()).findings
    assert finding.edit is None


def test_a_card_that_a_pack_lacks_is_added_where_the_play_agrees() -> None:
    log = played_out()
    right = log["deals"][0]["deck"]
    cards = right.split(" ")
    lost = cards.pop(3)
    log["deals"][0]["deck"] = " ".join(cards)
    (finding,) = repaired(log).findings
    assert finding.code == "deck-size"
    assert finding.edit is not None
    assert finding.edit.value == right
    assert finding.edit.cards == (4, "", lost)


def test_a_pack_without_a_card_that_nobody_played_is_left() -> None:
    log = json.loads((FAUTES / "chouine" / "deck-size.json").read_bytes())
    assert [finding.edit for finding in repaired(log).findings] == [None]


def test_two_cards_of_a_pack_in_each_others_place_are_exchanged() -> None:
    right = played_out()
    log = copy.deepcopy(right)
    cards = log["deals"][0]["deck"].split(" ")
    cards[0], cards[1] = cards[1], cards[0]  # the first card of each hand
    log["deals"][0]["deck"] = " ".join(cards)
    text = json.dumps(log).encode()
    finding = repaired(text).findings[0]
    assert finding.code == "card-not-held"
    assert finding.edit is not None
    assert json.loads(apply_edit(text, finding.edit)) == right
    assert json.loads(apply_all_edits(text).text) == right
    message = "Exchange 10♥ and J♠ in the cards as dealt."
    assert describe_edit(translator("en"), finding) == message


def test_two_cards_of_two_hands_are_exchanged_by_one_edit() -> None:
    log = manche()
    hands = [hand.split(" ") for hand in log["deals"][0]["hands"]]
    hands[0][2], hands[1][3] = hands[1][3], hands[0][2]
    log["deals"][0]["hands"] = [" ".join(hand) for hand in hands]
    text = json.dumps(log).encode()
    edit = repaired(text).findings[0].edit
    assert edit is not None
    assert [one.path for one in (edit, *edit.also)] == ["/deals/0/hands/0", "/deals/0/hands/1"]
    assert json.loads(apply_edit(text, edit)) == manche()


def test_two_cards_of_a_pack_that_would_do_equally_well_are_left() -> None:
    """No play follows that would tell which card of the hand it was exchanged with."""
    finding = repaired((FAUTES / "chouine" / "card-not-held.json").read_bytes()).findings[0]
    assert finding.edit is None


def test_cr_1_a_card_of_the_reserve_was_played_or_written_so_none_is_offered() -> None:
    """Either the play of the card not dealt is wrong, or the card of the hand that is left."""
    (finding,) = repaired(hand(write("b3/y30"))).findings
    assert (finding.code, finding.found) == ("card-not-held", "1 y9")
    assert finding.edit is None


def test_cr_1_a_card_of_the_reserve_that_the_play_rules_out_was_another_one() -> None:
    """Yellow 30 would have taken the trick that yellow 9 lost."""
    log = hand(write("y30/b3"))
    text = json.dumps(log).encode()
    (finding,) = repaired(text).findings
    assert (finding.code, finding.found) == ("card-not-held", "1 y9")
    assert finding.edit is not None
    assert json.loads(apply_edit(text, finding.edit)) == manche()


@pytest.mark.slow
@given(st.data())
@settings(max_examples=40)
def test_cr_1_a_card_that_is_none_is_restored_or_left(data: st.DataObject) -> None:
    log = manche()
    hands = log["deals"][0]["hands"]
    seat = data.draw(st.integers(0, len(hands) - 1))
    cards = hands[seat].split(" ")
    n = data.draw(st.integers(0, len(cards) - 1))
    cards[n] = data.draw(st.text("bryk/0123456789", min_size=1, max_size=7))
    hands[seat] = " ".join(cards)
    text = json.dumps(log).encode()
    found = repaired(text).findings
    assume([finding.code for finding in found] == ["hand-card"])
    assert found[0].edit is not None
    assert json.loads(apply_edit(text, found[0].edit)) == manche()
