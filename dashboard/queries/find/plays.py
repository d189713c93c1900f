"""Reads the cards that were played in stored deals, a few thousand deals at a time.

The kernels replay the deals from their columns; a deal that these do not hold whole is validated
from its match's text.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import orjson
import polars as pl
from numpy.typing import NDArray

from dashboard.games.find_play import Plays
from dashboard.queries.scope import Cursor
from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT
from engine.games import Game, game, game_names
from engine.hidden import HiddenReplay
from engine.options import UnknownRule, encode_rules, resolve_options
from engine.replay import Replay
from ingest.store.raw_texts import read_texts
from ingest.validate.parse_document import match_of_json, read_json
from ingest.validate.slow_path import validate
from schemas.match_models import match_setup
from schemas.migrations import with_tables

DEALS_AT_A_TIME = 2000
"""Deals replayed at a time: 30 MB of states."""
NOT_KNOWN = -2
"""A trump and the like that a log leaves open; -1 is none."""
OTHER_CARDS = 1 << 62
"""The bit of a hand with cards that a log leaves open."""


def plays_of_deals(cursor: Cursor, deals: pl.DataFrame) -> Iterator[tuple[NDArray[np.int64], Plays]]:
    """Yield the plays of deals (`match_no`, `deal_index`) in parts: the rows of `deals`, and their plays.

    A deal without a known play may be in no part.
    """
    query = """
        SELECT row, o.match_no, o.deal_index, m.game, m.player_count, m.preset, m.options, d.dealer,
            d.deck, d.actions
        FROM replayed_deals o JOIN matches m ON m.match_no = o.match_no
            JOIN deals d ON d.match_no = o.match_no AND d.deal_index = o.deal_index
        WHERE m.game IS NOT NULL AND m.player_count IS NOT NULL AND NOT d.is_score_line
        ORDER BY row
    """
    numbered = deals.select("match_no", "deal_index", pl.int_range(pl.len(), dtype=pl.Int64).alias("row"))
    with with_tables(cursor, replayed_deals=numbered.to_arrow()):
        found = cursor.execute(query).pl().filter(pl.col("game").is_in(game_names()))
    left = list[pl.DataFrame]()
    for (name, players), own in found.group_by("game", "player_count", maintain_order=True):
        whole = own.filter(_is_whole(game(str(name))))
        left.append(own.join(whole, on="row", how="anti"))
        yield from _replayed(cursor, game(str(name)), int(str(players)), whole)
    yield from _validated(cursor, pl.concat(left) if left else found)


def _is_whole(of: Game) -> pl.Expr:
    """Return whether the columns hold all that was dealt and done."""
    acts = pl.col("actions").list.eval(pl.element() & ACT_MASK)
    return (
        pl.col("dealer").is_not_null()
        & (pl.col("deck").list.len() == len(of.example_deck))
        & (pl.col("deck").list.drop_nulls().list.len() == len(of.example_deck))
        & (acts.list.max().fill_null(0) < DRAW_HIDDEN)
        & pl.col("actions").is_not_null()
    ).fill_null(False)


def _replayed(
    cursor: Cursor, of: Game, players: int, deals: pl.DataFrame
) -> Iterator[tuple[NDArray[np.int64], Plays]]:
    for part in deals.iter_slices(DEALS_AT_A_TIME):
        rules, rule_of = _rules(cursor, of, players, part)
        part, rule_of = part.filter(rule_of >= 0), rule_of[rule_of >= 0]
        if not len(part):
            continue
        n, counts = len(part), part["actions"].list.len().to_numpy().astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        codes = part["actions"].explode().drop_nulls().to_numpy().astype(np.uint16)
        decks = np.ascontiguousarray(part["deck"].explode().to_numpy().reshape(n, -1), np.uint8)
        states, faults = np.zeros(len(codes) + n, of.kernel.State), np.zeros(len(codes), np.int64)
        applied, first_draw = np.zeros(n, np.int64), of.acts.FIRST_DRAW
        drawn = np.concatenate([[0], np.cumsum((codes & ACT_MASK) >= first_draw)])[offsets]
        explicit = (np.diff(drawn) > 0) & (first_draw >= 0)
        of.kernel.trace_deals(
            *(states, faults, applied, rules, rule_of, np.full(n, players)),
            *(part["dealer"].to_numpy().astype(np.int64) - 1, decks, explicit.astype(np.int64)),
            *(codes, offsets),
        )
        yield part["row"].to_numpy(), _plays(of, states, codes, offsets, applied)


def _rules(
    cursor: Cursor, of: Game, players: int, deals: pl.DataFrame
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return rules records, and which of them each deal has; -1: they cannot be read."""
    if of.dealing_rules is None:  # each match brings its own deck
        key = ["match_no"]
        texts = dict(read_texts(cursor, deals["match_no"].unique().to_list()))
    else:
        key, texts = ["preset", "options"], {}
    known = list[np.void]()
    place = dict[tuple[object, ...], int]()
    for row in deals.select(key).unique(maintain_order=True).rows():
        record = (
            _rules_of_text(texts.get(row[0], b""))
            if texts or len(key) == 1
            else rules_of_names(of.name, *row, players)
        )
        place[row] = -1 if record is None else len(known)
        known += [] if record is None else [record]
    rule_of = np.array([place[row] for row in deals.select(key).rows()], np.int64)
    return np.array(known), rule_of


@cache
def rules_of_names(name: str, preset: str | None, options: str | None, players: int) -> np.void | None:
    """Return the record of the rules that a match names; None: they cannot be read."""
    try:
        chosen = {"preset": preset} | (orjson.loads(options) if options else {})
        return encode_rules(name, resolve_options(name, chosen, players))
    except (UnknownRule, TypeError):
        return None


def _rules_of_text(text: bytes) -> np.void | None:
    value, problems = read_json(text)
    match = None if problems else match_of_json(value)[0]
    return None if match is None else match_setup(match).rules


def _validated(cursor: Cursor, deals: pl.DataFrame) -> Iterator[tuple[NDArray[np.int64], Plays]]:
    for number, text in read_texts(cursor, deals["match_no"].unique().to_list()):
        replays = validate(text).replays
        for row, deal in deals.filter(pl.col("match_no") == number).select("row", "deal_index").rows():
            replay = replays[deal] if deal < len(replays) else None
            if replay is not None:
                yield np.array([row]), plays_of_replay(replay)


def plays_of_replay(replay: Replay) -> Plays:
    """Return the plays of one replayed deal; facts that its log leaves open are unknown in them."""
    states, codes = replay.states.copy(), replay.applied_codes
    offsets = np.array([0, len(codes)], np.int64)
    if not isinstance(replay, HiddenReplay):
        return _plays(replay.game, states, codes, offsets, offsets[1:])
    for index, ply in enumerate(replay):
        for seat in range(replay.players):
            known = ply.known_hand(seat)
            states["hand"][index, seat] = known if known == ply.state["hand"][seat] else known | OTHER_CARDS
        for name in {"trump", "strain", "table"}.intersection(states.dtype.names or ()):
            if not ply.is_known(name):
                states[name][index] = NOT_KNOWN
    plays = _plays(replay.game, states, codes, offsets, offsets[1:])
    if replay.last.is_known("trick_winners"):
        return plays
    return plays._replace(winner=np.full(len(plays.deal), -1))


def _plays(
    of: Game,
    states: NDArray[np.void],
    codes: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    applied: NDArray[np.int64],
) -> Plays:
    """Return the plays of deals whose states are as `Kernel.trace_deals` fills them."""
    counts = np.diff(offsets)
    deal = np.repeat(np.arange(len(counts)), counts)
    action = np.arange(len(codes)) - offsets[deal]
    before = np.arange(len(codes)) + deal
    # an action that is impossible or counts nothing changes none; the card of a chouine ends the deal
    changed = [states[name][before] != states[name][before + 1] for name in ("trick", "on_table", "over")]
    moved = np.logical_or.reduce(changed)
    played = np.flatnonzero(_is_play(of.name)[codes & ACT_MASK] & (action < applied[deal]) & moved)
    deal, action, before, done = deal[played], action[played], before[played], codes[played].astype(np.int64)
    last = states[offsets[:-1] + np.arange(len(counts)) + applied]
    trick = states["trick"][before].astype(np.int64)
    winner = np.where(trick < last["trick"][deal], last["trick_winners"][deal, trick], -1).astype(np.int64)
    return Plays(of, deal, action + 1, done >> SEAT_SHIFT, done & ACT_MASK, winner, states, before)


@cache
def _is_play(name: str) -> NDArray[np.bool_]:
    """Return whether each act of a game plays a card."""
    acts = game(name).acts
    return np.array([at < acts.ACT_COUNT and acts.kind_of_act(at) == "play" for at in range(ACT_MASK + 1)])
