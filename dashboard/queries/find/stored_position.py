"""Narrows a search for a position to the deals that may have it, from their stored actions.

A hand has the cards that its player plays later and has by then, and cards that are not played. A deal
of which this is not certain, as one that is not legal, may have the position: its replay decides.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.queries.find.plays import rules_of_names
from dashboard.queries.scope import Cursor
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.games import Game, game
from engine.jit import compiled
from schemas.migrations import with_tables

PLAY, NEUTRAL, MOVES_CARDS = 0, 1, 2
"""Acts: a card that is played; one that leaves hands as they are; one that may exchange a card."""
MOST_PLAYS = 64
"""Cards played in a deal, at most."""
NO_TRUMP = 255


class PositionCards(NamedTuple):
    """A position in the cards of a game: each row is one way to read its suits."""

    hands: NDArray[np.int64]
    """Bit masks."""
    tables: NDArray[np.int64]
    """The cards of the trick, in order."""
    trumps: NDArray[np.int64]
    """The suit of trump; -1: any or none."""


def deals_that_may_have(
    cursor: Cursor, matches: pl.DataFrame, positions: Iterable[tuple[str, PositionCards]]
) -> pl.DataFrame:
    """Return deals (`match_no`, `deal_index`) of some matches, among them all that have a position.

    `positions`: the position in the cards of each game that has it.
    """
    found = [pl.DataFrame(schema={"match_no": pl.Int64, "deal_index": pl.UInt16})]
    ends = matches["match_no"].min(), matches["match_no"].max()
    with with_tables(cursor, narrowed_matches=matches.select("match_no").to_arrow()):
        for name, cards in positions:
            groups = cursor.execute(
                "SELECT player_count, list(DISTINCT (preset, options)) FROM matches"
                " SEMI JOIN narrowed_matches USING (match_no)"
                " WHERE game = ? AND player_count IS NOT NULL GROUP BY player_count",
                [name],
            ).fetchall()
            for players, rules in groups:
                query = f"""
                    SELECT d.match_no, d.deal_index, coalesce(d.trump, {NO_TRUMP}) AS trump, d.actions,
                        coalesce(d.status = 'legal' AND d.actions IS NOT NULL, false) AS is_sure
                        {", d.deck" if game(name).acts.FIRST_DRAW >= 0 else ""}
                    FROM deals d JOIN matches m USING (match_no) SEMI JOIN narrowed_matches USING (match_no)
                    WHERE m.game = ? AND m.player_count = ? AND NOT d.is_score_line
                        AND d.match_no BETWEEN ? AND ?
                """
                rows = cursor.execute(query, [name, players, *ends]).pl()
                may = _may_have(game(name), players, rules, rows, cards)
                found.append(rows.select("match_no", "deal_index").filter(may))
    return pl.concat(found)


def _may_have(
    of: Game,
    players: int,
    rules: list[tuple[str | None, str | None]],
    rows: pl.DataFrame,
    cards: PositionCards,
) -> NDArray[np.bool_]:
    """Return for each deal whether it may have a position."""
    found, dealing = ~rows["is_sure"].to_numpy(), of.dealing_rules
    assert dealing is not None
    size = dealing.hand_size(players)
    is_drawn = "deck" in rows.columns
    actions, offsets = _lists(rows["actions"])
    decks, places = _lists(rows["deck"]) if is_drawn else (np.zeros(0, np.uint8), np.zeros(0, np.int64))
    first = np.zeros(len(of.pack), np.int64)
    if is_drawn:
        dealt = size * players
        first[dealt:] = _first_tricks(of, players, rules, len(of.pack) - dealt)
    find_hands(
        *(actions, offsets, rows["trump"].to_numpy(), decks, places, first, players, _effects(of.name)),
        *(cards.hands, cards.tables, cards.trumps, size if is_drawn else MOST_PLAYS, found),
    )
    return found


def _lists(column: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the elements of lists, and where each list begins in them."""
    array = column.rechunk().to_arrow()
    values = array.values.fill_null(NO_TRUMP) if array.values.null_count else array.values
    return values.to_numpy(), array.offsets.to_numpy()


def _first_tricks(
    of: Game, players: int, rules: list[tuple[str | None, str | None]], left: int
) -> NDArray[np.int64]:
    """Return from which trick, from 0, a hand may have each card left after dealing, under some rules."""
    assert of.dealing_rules is not None
    tricks = np.full(left, MOST_PLAYS)
    for preset, options in rules:
        record = rules_of_names(of.name, preset, options, players)
        for turn in range(left):
            place = turn if record is None else int(of.dealing_rules.talon_place(record, left, turn))
            tricks[place] = min(tricks[place], 0 if record is None else turn // players + 1)
    return tricks


@cache
def _effects(name: str) -> NDArray[np.int8]:
    """Return what each act of a game does to hands."""
    acts = game(name).acts
    kinds = {"play": PLAY, "draw": NEUTRAL, "announce": NEUTRAL}
    effects = np.full(ACT_MASK + 1, NEUTRAL, np.int8)
    for act in range(acts.ACT_COUNT):
        effects[act] = kinds.get(acts.kind_of_act(act), MOVES_CARDS)
    return effects


@compiled
def find_hands(  # type: ignore[no-untyped-def]
    codes, offsets, trumps, decks, places, first, players, effects, hands, tables, of_trump, refilled, found
):
    """Set `found` for each deal that may have one of the hands after one of the tables.

    `first`: from which trick a hand may have the card at each place of the deck. `refilled`: the size up
    to which drawing fills a hand.
    """
    played, seats = np.zeros(MOST_PLAYS, np.int64), np.zeros(MOST_PLAYS, np.int64)
    moved = np.zeros(MOST_PLAYS, np.int64)
    later, moves = np.zeros(16, np.int64), np.zeros(16, np.int64)
    ways, count, bit = len(hands), tables.shape[1], np.int64(1)
    size, mask = 0, hands[0]
    while mask:
        mask &= mask - bit
        size += 1
    for i in range(len(trumps)):
        if found[i]:
            continue
        n = 0
        every = np.int64(0)
        moves[:] = 0
        for k in range(offsets[i], offsets[i + 1]):
            act = np.int64(codes[k]) & ACT_MASK
            effect = effects[act]
            if effect == PLAY:
                if n == MOST_PLAYS:
                    found[i] = True
                    break
                played[n] = act
                seats[n] = np.int64(codes[k]) >> SEAT_SHIFT
                moved[n] = moves[seats[n]]
                every |= bit << act
                n += 1
            elif effect == MOVES_CARDS:
                moves[np.int64(codes[k]) >> SEAT_SHIFT] += 1
        later[:] = 0
        in_trick = n % players
        while n > 0 and not found[i]:
            n -= 1
            in_trick = in_trick - 1 if in_trick > 0 else players - 1
            act = played[n]
            seat = seats[n]
            later[seat] |= bit << act
            if in_trick != count:
                continue
            exchanged = moves[seat] - moved[n]
            for way in range(ways):
                hand = hands[way]
                if not hand >> act & bit or (
                    of_trump[way] >= 0 and trumps[i] != NO_TRUMP and of_trump[way] != trumps[i]
                ):
                    continue
                missing = hand & every & ~later[seat]
                more = later[seat] & ~hand if size < refilled else np.int64(0)
                for _ in range(exchanged):
                    missing &= missing - bit
                    more &= more - bit
                if missing or more:
                    continue
                fits = True
                for j in range(count):
                    fits = fits and tables[way, j] == played[n - count + j]
                if not fits:
                    continue
                late = 0
                if len(places) and places[i + 1] - places[i] == len(first):
                    for place in range(len(first)):
                        card = decks[places[i] + place]
                        if card != NO_TRUMP and hand >> np.int64(card) & bit and first[place] > n // players:
                            late += 1
                if late <= moved[n]:
                    found[i] = True
                    break
