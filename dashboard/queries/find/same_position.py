"""The word `position`: a player's cards and those of the trick, with suits relabelled.

`position:7t,As/9h` is a player who has the 7 of trump and an ace of a plain suit, after a 9 of
another plain suit. If a suit is trump, plain suits are interchangeable. If none is, the code
ends with the strain: `position:As,9h//sa`.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games.find_play import Plays, PlayTest, PlayWord
from dashboard.games.find_word import BadSearch, FindTerm, require_equal
from dashboard.queries.find.hands import TRUMP, rank_and_suit
from dashboard.queries.find.language import OnePlay, terms
from dashboard.queries.find.plays import plays_of_replay
from dashboard.queries.find.single_play import PlaySearch, plays_found
from dashboard.queries.find.stored_position import PositionCards, deals_that_may_have
from dashboard.queries.intervals import with_share_interval
from dashboard.queries.scope import Cursor
from engine.cards import SUITS, card_label
from engine.games import Game, game, game_names
from engine.replay import Replay
from ingest.i18n import N_
from schemas.migrations import with_tables

EXAMPLE = "position:7t,As,9h/10s"
NOT_A_POSITION = N_(
    "“{value}” at character {place} is not a position: write the cards of a hand, then / and those of the"
    " trick, as in {example}."
)
NO_TRUMP = "-"
"""The strain without a trump suit, in a game that has only one."""
ELSEWHERE = -1
"""The place of a card that is played in another position."""
Card = tuple[str, str]
"""Rank and suit, as the format writes them; the suit of trump is `TRUMP`."""


class Position(NamedTuple):
    """The cards of a player who plays one, and those of the trick in order."""

    hand: tuple[Card, ...]
    table: tuple[Card, ...]
    strain: str = ""
    """The strain if no suit is trump, as the game writes it."""


def read_position(term: FindTerm) -> Position:
    """Return the position that a term names. BadSearch: it names none."""
    require_equal(term, EXAMPLE)
    text = ",".join(term.values)
    hand, table, strain, *more = [*text.split("/"), "", ""]
    cards = [[rank_and_suit(one, term) for one in some.split(",") if one] for some in (hand, table)]
    every = cards[0] + cards[1]
    plain = {suit for _, suit in every} - {TRUMP}
    strains = {one for name in game_names() for one in _strains(game(name))} - {*SUITS}
    is_possible = TRUMP not in {suit for _, suit in every} if strain else len(plain) < len(SUITS)
    known = strain.casefold() in strains if strain else True
    if not cards[0] or any(more) or len({*every}) < len(every) or not (known and is_possible):
        raise BadSearch(NOT_A_POSITION, value=text, place=term.place_of(term.values[0]), example=EXAMPLE)
    return Position(tuple(cards[0]), tuple(cards[1]), strain.casefold())


def _strains(of: Game) -> tuple[str, ...]:
    """Return the strains of a game by number: the suits, and those without a trump suit."""
    return getattr(of.acts, "STRAINS", (*SUITS, NO_TRUMP))


def places_in_hand(position: Position) -> Callable[[Plays], NDArray[np.int64]]:
    """Return, for each play in the position, the place of its card in the position's hand.

    ELSEWHERE for a play in another position; the size of the hand for a card that is not in it; the
    first place if relabelling exchanges cards.
    """

    def places(plays: Plays) -> NDArray[np.int64]:
        found = np.full(len(plays.card), ELSEWHERE, np.int64)
        ranks = plays.game.pack.ranks if len(plays.game.pack) else ()
        if any(rank not in ranks for rank, _ in position.hand + position.table):
            return found
        hands, trump, count = plays.hand(), plays.field("trump"), len(position.table)
        rows = np.flatnonzero(
            (plays.field("on_table") == count) & (np.bitwise_count(hands) == len(position.hand))
        )
        if position.strain:
            strains = _strains(plays.game)
            if position.strain not in strains:
                return found
            rows = rows[_strain(plays)[rows] == strains.index(position.strain)]
        seats = plays.seat[rows, None] - count + np.arange(count)
        table = plays.field("table")[rows[:, None], seats % plays.field("players")[rows, None]]
        hands, trump, cards, at = hands[rows], trump[rows], plays.card[rows], found[rows]
        for trump_suit, suits in _relabelled(position):
            own, on_table = (
                [suits[suit] * len(ranks) + ranks.index(rank) for rank, suit in some]
                for some in (position.hand, position.table)
            )
            fits = (trump == trump_suit) & (hands == sum(1 << code for code in own))
            fits &= (table == on_table).all(1)
            place = np.full(len(rows), len(own))
            for number, code in enumerate(own):
                place[cards == code] = number
            at = np.where(fits & ((at == ELSEWHERE) | (place < at)), place, at)
        found[rows] = at
        return found

    return places


def _strain(plays: Plays) -> NDArray[np.int64]:
    """Return the strain of each play by its number in `_strains`; -1: not known."""
    if "strain" in (plays.states.dtype.names or ()):
        return plays.field("strain")
    trump = plays.field("trump")
    return np.where(trump == -1, len(SUITS), np.maximum(trump, -1))


def _relabelled(position: Position) -> Iterator[tuple[int, Mapping[str, int]]]:
    """Yield the suits of trump (-1: none), each with every way to read the suits of a position."""
    if position.strain:
        yield -1, {suit: code for code, suit in enumerate(SUITS)}
        return
    plain = sorted({suit for _, suit in position.hand + position.table} - {TRUMP})
    for trump in range(len(SUITS)):
        others = [code for code in range(len(SUITS)) if code != trump]
        for suits in permutations(others, len(plain)):
            yield trump, {TRUMP: trump, **dict(zip(plain, suits, strict=True))}


def _narrow(term: FindTerm) -> Callable[[Cursor, pl.DataFrame], pl.DataFrame]:
    position = read_position(term)
    positions = [(name, _in_cards_of(position, game(name))) for name in _games_of(position)]
    return lambda cursor, matches: deals_that_may_have(cursor, matches, positions)


def _games_of(position: Position) -> Iterator[str]:
    """Yield the games that have the cards of a position, and its strain."""
    for name in game_names():
        pack = game(name).pack
        if all(rank in pack.ranks for rank, _ in position.hand + position.table) and len(pack):
            if not position.strain or position.strain in _strains(game(name)):
                yield name


def _in_cards_of(position: Position, of: Game) -> PositionCards:
    """Return the ways to read a position in the cards of a game."""
    ranks, ways = of.pack.ranks, [*_relabelled(position)]
    codes = np.array(
        [
            [suits[suit] * len(ranks) + ranks.index(rank) for rank, suit in position.hand + position.table]
            for _, suits in ways
        ],
        np.int64,
    )
    count = len(position.hand)
    hands = np.bitwise_or.reduce(np.int64(1) << codes[:, :count], axis=1)
    trumps = np.array([trump for trump, _ in ways], np.int64)
    return PositionCards(hands, np.ascontiguousarray(codes[:, count:]), trumps)


def _test(term: FindTerm) -> PlayTest:
    places = places_in_hand(read_position(term))
    return lambda plays: places(plays) != ELSEWHERE


POSITION = PlayWord(
    ("position",),
    N_("a card played with exactly these in hand, after / the trick’s; plain suits are interchangeable"),
    (EXAMPLE, "position:Jt,9t"),
    _test,
    narrow=_narrow,
)


def position_search(replay: Replay, ply: int, language: str) -> str | None:
    """Return the search for deals like the position before the first card played after a ply.

    At the end of a deal it is its last card. None: no card is played, or its hand is not known.
    """
    plays = plays_of_replay(replay)
    if not len(plays.card) or not len(replay.game.pack):
        return None
    at = min(int(np.searchsorted(plays.action, ply, "right")), len(plays.card) - 1)
    trump, hand = int(plays.field("trump")[at]), int(plays.hand()[at])
    count, seat = int(plays.field("on_table")[at]), int(plays.seat[at])
    table = plays.field("table")[at][(seat - count + np.arange(count)) % replay.players]
    strain = int(_strain(plays)[at])
    is_known = strain >= 0 and 0 < hand < 1 << len(replay.game.pack) and (table >= 0).all()
    if not is_known:
        return None

    def written(code: int) -> str:
        suit = code // len(replay.game.pack.ranks)
        label = card_label(replay.game.pack.names[code], language)
        return f"{label[:-1]}{TRUMP}" if suit == trump else label

    codes = [code for code in range(len(replay.game.pack)) if hand >> code & 1]
    codes.sort(key=lambda code: (code // len(replay.game.pack.ranks) != trump, -code))
    parts = [",".join(map(written, some)) for some in (codes, table.tolist())]
    played = "" if trump >= 0 else _strains(replay.game)[strain]
    text = "/".join([*parts, played]).rstrip("/")
    words = ("jeu", "joueurs") if language == "fr" else ("game", "player_count")
    return f"{words[0]}:{replay.game.name} {words[1]}:{replay.players} position:{text}"


def played_there(cursor: Cursor, search: PlaySearch, deals: pl.DataFrame) -> pl.DataFrame | None:
    """Count the cards played in the first position of a search, in deals it finds; None: it has none.

    `card`, as the search writes it with a suit of trump `t` (null: one that the hand does not have);
    `n`, how often; `part` of all; `known`: those in a deal with a winner, `won` of them, their
    `share` and its interval, `low` to `high`.
    """

    def of_position(one: OnePlay) -> list[FindTerm]:
        return [term for term in terms(one) if search.words[term.word] is POSITION]

    found = plays_found(cursor, search, deals, of_position, lambda term: places_in_hand(read_position(term)))
    if found is None:
        return None
    term, plays = found
    cards = [f"{rank}{suit}" for rank, suit in read_position(term).hand]
    query = """
        SELECT place, count(*) AS n, count(won) AS known, count(*) FILTER (won) AS won
        FROM counted_plays JOIN deal_seats USING (match_no, deal_index, seat)
        GROUP BY place ORDER BY n DESC, place
    """
    with with_tables(cursor, counted_plays=plays.to_arrow()):
        counts = cursor.execute(query).pl()
    named = [cards[place] if place < len(cards) else None for place in counts["place"]]
    part = (pl.col("n") / pl.col("n").sum()).alias("part")
    frame = counts.select(pl.Series("card", named, pl.String), "n", part, "known", "won")
    return with_share_interval(frame, "won", "known")
