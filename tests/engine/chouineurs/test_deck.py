"""The deck as data: our own one, and the findings of one that is not good (CR-1)."""

import json

import pytest

from data.decks import build
from engine.actions import UNKNOWN_ACT
from engine.chouineurs import deck as decks
from engine.chouineurs.deck import BidCards, bids_in_row, hands_in_row, read_row, write_row
from schemas.notation import act_codes, action_codes, action_notation, encode_action
from tests.engine.chouineurs.table import DECK, FILE, whole

CARDS = build.deck_cards()


def codes_of(cards):
    return [(problem.code, problem.path) for problem in decks.deck_problems(cards)]


def test_our_deck_is_what_its_script_writes():
    assert FILE.read_text(encoding="utf-8") == build.deck_json()


def test_our_deck_has_44_cards_of_two_colours_and_88_faces():
    assert codes_of(CARDS) == []
    assert len(set(DECK.names)) == 88
    assert all(card.split("/")[0][0] != card.split("/")[1][0] for card in CARDS)
    assert set(DECK.cards) == set(CARDS)


def test_our_deck_says_that_it_is_ours():
    shipped = json.loads(FILE.read_text(encoding="utf-8"))
    assert shipped["name"] == "retourne"
    assert "not the deck of the published game" in shipped["about"]


def test_s1_the_faces_of_the_examples_can_be_dealt():
    hands = [whole("r13 r26 b25 b29 y9 y13 k40"), whole("b11 b3"), whole("y11")]
    cards = [card for hand in hands for card in hand.split()]
    assert len({frozenset(card.split("/")) for card in cards}) == 10
    assert "b3/y30" in cards


def test_a_deck_with_a_card_missing():
    assert codes_of(CARDS[1:]) == [("deck-size", "")]


@pytest.mark.parametrize(
    "card", ["b3", "b3/", "b3/y30/k1", "B3/y30", "g3/y30", "b03/y30", "b3 /y30", "b3/y1000", 3, None]
)
def test_a_card_nobody_can_read(card):
    assert codes_of([card, *CARDS[1:]]) == [("card-syntax", "/0")]


def test_a_duplicate_face_says_which_card_has_it():
    cards = [*CARDS[:43], "b3/y99"]
    assert codes_of(cards) == [("duplicate-face", "/43")]
    assert decks.deck_problems(cards)[0].allowed == ("1",)
    assert codes_of(["b3/b3", *CARDS[1:]]) == [("duplicate-face", "/0")]


def test_a_bad_deck_says_everything_at_once():
    with pytest.raises(decks.InvalidDeckError) as caught:
        decks.Deck(["b3/b4", "x", "b4/y1"])
    assert str(caught.value) == (
        "3 cards instead of 44; card 2: 'x' is not written like b3/y30; "
        "card 3: the face b4 is already on card 1"
    )


def test_the_order_and_the_sides_of_a_list_change_no_number():
    other = decks.Deck("/".join(reversed(card.split("/"))) for card in reversed(CARDS))
    assert other.names == DECK.names


def test_words_are_a_function_of_the_deck():
    words = act_codes("chouineurs", DECK.names)
    assert len(words) == 178
    assert words["b3"] ^ 1 == words["y30"]
    assert words["turn b3"] == words["b3"] + 88
    assert encode_action("chouineurs", "1 b99", DECK.names) == UNKNOWN_ACT
    every = action_codes("chouineurs", DECK.names)
    assert all(action_notation("chouineurs", code, DECK.names) == word for word, code in every.items())
    assert set(act_codes("chouineurs")) == {"point", "resign"}


GOOD = ["b3/y30 r26/b23", "y28/b4 k40/b8"]


def read_deal(hands=GOOD, bids=("0-1", "3-4+"), players=2):
    row, problems = read_row(hands, bids, DECK, BidCards(), players, 2)
    return row, [(problem.code, problem.path, problem.found) for problem in problems]


def test_hands_come_with_the_face_up_first():
    row, problems = read_deal()
    assert problems == []
    faces = [[DECK.names[up] for up in hand] for hand in hands_in_row(row, 2)]
    assert faces == [["b3", "r26"], ["y28", "k40"]]
    assert bids_in_row(row, 2) == [0, 4]
    assert write_row(row, DECK, BidCards(), 2) == (GOOD, ["0-1", "3-4+"])


@pytest.mark.parametrize(
    ("hands", "bids", "problem"),
    [
        (["b3/y30", GOOD[1]], ("0-1", "0-1"), ("hand-size", "/hands/0", 1)),
        (GOOD[:1], ("0-1", "0-1"), ("hand-size", "/hands", 1)),
        (["b3/y30 b4/y27", GOOD[1]], ("0-1", "0-1"), ("hand-card", "/hands/0", "b4/y27")),
        (["b3/y30 b4/y28", GOOD[1]], ("0-1", "0-1"), ("duplicate-hand-card", "/hands/1", "y28/b4")),
        (GOOD, ("0-1",), ("bid-count", "/bids", 1)),
        (GOOD, ("0-1", "5"), ("bid-unknown", "/bids/1", "5")),
    ],
)
def test_a_deal_as_written_that_is_none(hands, bids, problem):
    assert read_deal(hands, bids) == (None, [problem])
