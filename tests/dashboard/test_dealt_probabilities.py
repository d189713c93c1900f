"""What hands are dealt, beside its exact probability: counted by hand, and hand by hand."""

from fractions import Fraction
from itertools import combinations
from math import comb

import duckdb
import numpy as np
import pytest

from dashboard.queries import simulated_baseline as dealing
from dashboard.queries.scope import Scope
from engine.cards import PIQUET
from tests.reference.chouine import MORE, TWO


def chance(kind: str, trump: bool | None, preset: str = "lavardin", players: int = 2) -> Fraction:
    return Fraction(*dealing.dealt_probabilities("chouine", preset, players)[kind, trump])


def test_a_mariage_in_trump_as_one_counts_it_by_hand() -> None:
    """The card turned up is no king or queen: 24 of 32. Then both of its suit in 5 of 31 cards."""
    assert chance("mariage", True) == Fraction(24, 32) * Fraction(comb(29, 3), comb(31, 5))


def test_a_mariage_where_nothing_is_turned_up_by_inclusion_and_exclusion() -> None:
    """A king and queen of each of four suits, less the hands that have two such couples."""
    hands = 4 * comb(30, 3) - 6 * comb(28, 1)
    assert chance("mariage", None, "mondoubleau") == Fraction(hands, comb(32, 5))
    assert ("mariage", True) not in dealing.dealt_probabilities("chouine", "mondoubleau", 2)


def test_a_chouine_of_five_cards_is_one_hand_a_suit() -> None:
    assert chance("chouine", None, "mondoubleau") == Fraction(4, comb(32, 5))
    # the card turned up is one of three that are left of the suit, or of 24 others
    assert chance("chouine", True) == Fraction(4 * 3, comb(32, 5) * 27)
    assert chance("chouine", False) == Fraction(4 * 24, comb(32, 5) * 27)


def test_a_quinte_is_five_of_eight_cards_and_has_no_suit() -> None:
    assert chance("quinte", False) == Fraction(comb(8, 5), comb(32, 5))
    assert chance("quinte", True) == 0
    assert chance("trente", False, players=3) == Fraction(comb(8, 3), comb(32, 3))


@pytest.mark.parametrize(
    ("players", "preset"),
    [(3, "lavardin"), (4, "lavardin"), pytest.param(2, "lavardin", marks=pytest.mark.slow)],
)
def test_all_are_what_every_hand_with_every_card_turned_up_gives(players: int, preset: str) -> None:
    """In sets and words, without the engine."""
    size, shapes = (5, TWO) if players == 2 else (3, MORE)
    found: dict[tuple[str, bool], int] = {}
    brisques = {card for card in PIQUET.names if card[0] in "TA"}
    for hand in combinations(PIQUET.names, size):
        cards = frozenset(hand)
        suits = {
            kind: {suit for suit in "shdc" if all(rank + suit in cards for rank in ranks)}
            for kind, ranks in shapes.items()
        }
        suits = {kind: some for kind, some in suits.items() if some}
        bare = cards <= brisques
        if not suits and not bare:
            continue
        for suit in "shdc":
            left = 8 - sum(card[1] == suit for card in cards)
            for kind, some in suits.items():
                for trump, has in ((True, suit in some), (False, bool(some - {suit}))):
                    found[kind, trump] = found.get((kind, trump), 0) + left * has
            if bare:
                name = "quinte" if players == 2 else "trente"
                found[name, False] = found.get((name, False), 0) + left
    every = comb(32, size) * (32 - size)
    result = dealing.dealt_probabilities("chouine", preset, players)
    assert {key: ways for key, (ways, _) in result.items() if ways} == {
        key: ways for key, ways in found.items() if ways
    }
    assert {total for _, total in result.values()} == {every}


def test_a_game_whose_hands_announce_nothing_has_no_probability() -> None:
    assert dealing.dealt_probabilities("coinche", "tournoi-2018", 4) == {}
    assert dealing.dealt_probabilities("chouineurs", "blam", 3) == {}


def test_what_was_dealt_is_counted_in_the_decks_of_the_store(every_cursor: duckdb.DuckDBPyConnection) -> None:
    for players, preset in ((2, "lavardin"), (3, "lavardin"), (2, "mondoubleau")):
        frame = dealing.dealt_announcements(every_cursor, Scope("chouine", players, preset))
        decks = every_cursor.execute(
            "SELECT d.deck, d.dealer FROM deals d JOIN matches m USING (match_no)"
            " WHERE m.game = 'chouine' AND m.player_count = ? AND m.preset = ?",
            [players, preset],
        ).fetchall()
        size, shapes = (5, TWO) if players == 2 else (3, MORE)
        counts: dict[tuple[str, bool | None], int] = {}
        for deck, _ in decks:
            cards = [PIQUET.names[card] for card in deck]
            up = cards[size * players][1] if preset != "mondoubleau" else None
            for seat in range(players):
                hand = set(cards[seat : size * players : players])
                for kind, ranks in shapes.items():
                    some = {suit for suit in "shdc" if {rank + suit for rank in ranks} <= hand}
                    sides = (
                        [(None, bool(some))]
                        if up is None
                        else [(True, up in some), (False, bool(some - {up}))]
                    )
                    for trump, has in sides:
                        counts[kind, trump] = counts.get((kind, trump), 0) + has
        rows = {(row["kind"], row["trump"]): row for row in frame.iter_rows(named=True)}
        assert {row["n"] for row in rows.values()} == {players * len(decks)}
        for key, count in counts.items():
            if key in rows:
                assert rows[key]["k"] == count, key
                assert rows[key]["difference"] == pytest.approx(
                    count / rows[key]["n"] - rows[key]["ways"] / rows[key]["possible"]
                )
        assert np.isfinite(frame["low"].to_numpy()).all()
