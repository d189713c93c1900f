"""The word `hand`, cards that a seat was dealt, and how cards and suits are typed."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import orjson

from dashboard.games.find_word import BadSearch, Condition, FindTerm, FindWord, TermCondition, require_equal
from dashboard.queries.scope import Cursor
from engine.cards import FRENCH_RANKS, SUITS, SYMBOLS, Pack
from engine.games import game, game_names
from engine.options import UnknownRule, encode_rules, resolve_options
from ingest.i18n import N_

NOT_A_CARD = N_(
    "“{value}” at character {place} is not a card: write a rank and a suit, like As, 10h or 7t;"
    " t is the trump suit."
)
TRUMP = "t"
SUIT_NAMES: Mapping[str, tuple[str, ...]] = {
    "s": ("spades", "pique"),
    "h": ("hearts", "coeur"),
    "d": ("diamonds", "carreau"),
    "c": ("clubs", "trefle"),
}
RULES_SQL = "concat_ws(' ', m.player_count, m.preset, m.options)"
"""The key to how a match is dealt: its players, preset and options as logged."""


class Layout(NamedTuple):
    """How cards are dealt from the deck, in matches that deal them alike."""

    game: str
    receivers: tuple[int, ...]
    """For each place in the deck, the seat that is dealt its card by dealer 0; -1: play decides."""
    rules: tuple[str, ...]
    """Those matches, by `RULES_SQL`."""


def layouts(cursor: Cursor) -> list[Layout]:
    """Return how the matches of a store deal, for the games that all use one pack."""
    found = dict[tuple[str, tuple[int, ...]], list[str]]()
    query = f"""SELECT DISTINCT game, preset, options, player_count, {RULES_SQL} FROM matches m
        WHERE game IS NOT NULL AND player_count IS NOT NULL ORDER BY ALL"""
    for name, preset, options, players, rules_text in cursor.execute(query).fetchall():
        if name not in game_names() or game(name).dealing_rules is None:
            continue
        chosen = {"preset": preset} | (orjson.loads(options) if options else {})
        try:
            rules = encode_rules(name, resolve_options(name, chosen, players))
        except (UnknownRule, TypeError):
            continue  # no deal of such a match was read
        dealing, places = game(name).dealing_rules, len(game(name).pack)
        assert dealing is not None
        dealt = dealing.hand_size(players) * players
        receivers = tuple(
            int(dealing.receiver(rules, players, 0, place)) if place < dealt else -1
            for place in range(places)
        )
        found.setdefault((name, receivers), []).append(rules_text)
    return [Layout(name, receivers, tuple(rules)) for (name, receivers), rules in found.items()]


def hand_condition(term: FindTerm, of: list[Layout]) -> Condition:
    """Return the condition that a seat was dealt all cards of a term, as `hand:As,7t`."""
    require_equal(term, "hand:As,7t")
    clauses, values = list[str](), list[object]()
    cards = [rank_and_suit(value, term) for value in term.values]
    for layout in of:
        pack = game(layout.game).pack
        if any(rank not in pack.ranks for rank, _ in cards):
            continue
        has = list[str]()
        mine = list[object]()
        for rank, suit in cards:
            code, size = pack.ranks.index(rank), len(pack.ranks)
            card = f"(d.trump * {size} + {code})" if suit == TRUMP else f"{SUITS.index(suit) * size + code}"
            # NULL where the deck is not known, or no trump
            dealt = f"(?::INTEGER[])[list_position(d.deck, ({card})::UTINYINT)]"
            has.append(f"{dealt} >= 0 AND ({dealt} + d.dealer - 1) % m.player_count = s.seat - 1")
            mine += [[*layout.receivers], [*layout.receivers]]
        clauses.append(f"(m.game = ? AND list_contains(?, {RULES_SQL}) AND {' AND '.join(has)})")
        values += [layout.game, [*layout.rules], *mine]
    return f"({' OR '.join(clauses) or 'false'})", values


@cache
def suits() -> Mapping[str, int]:
    """Return each way to write a suit → its number."""
    return {
        name: code for code, suit in enumerate(SUITS) for name in (suit, SYMBOLS[suit], *SUIT_NAMES[suit])
    }


def rank_and_suit(value: str, term: FindTerm) -> tuple[str, str]:
    """Return a card's rank and suit as the format writes them. BadSearch: it is none."""
    rank, suit = value[:-1].upper(), value[-1:].lower()
    suits: Mapping[str, str] = {sign: one for one, sign in SYMBOLS.items()}
    ranks: Mapping[str, str] = {spoken: one for one, spoken in FRENCH_RANKS.items()}
    suit, rank = suits.get(suit, suit), ranks.get(rank, rank)
    if len(rank) != 1 or suit not in (*SUITS, TRUMP) or not any(rank in pack.ranks for pack in _packs()):
        raise BadSearch(NOT_A_CARD, value=value, place=term.place_of(value))
    return rank, suit


def _packs() -> list[Pack]:
    return [game(name).pack for name in game_names() if len(game(name).pack)]


def _in_store(cursor: Cursor) -> TermCondition:
    """Return the condition of `hand` in a store, by how its matches deal."""
    found = layouts(cursor)
    return lambda term: hand_condition(term, found)


HAND = FindWord(
    ("hand", "main"),
    N_("cards that the player was dealt, t for the trump suit"),
    ("hand:A♠,7t", "hand:J♥"),
    lambda term: hand_condition(term, []),
    about_seat=True,
    for_store=_in_store,
)
