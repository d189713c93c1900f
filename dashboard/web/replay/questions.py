"""Positions where the winner turned, as questions: which card holds it, with all hands open."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from dashboard.api.problems import Problem
from dashboard.queries import matches, people
from dashboard.queries.matches import Filter
from dashboard.queries.turned import unturned
from dashboard.store import Newest, store
from dashboard.web.replay.matches import Found, explained, find
from dashboard.web.replay.own_line import replay_of
from engine import onward
from engine.acts import action
from engine.games import game, names
from engine.onward import Way
from engine.replay import Replay
from engine.solved import Solved
from engine.solving import solve
from ingest.i18n import N_
from ingest.judge.explain import Explained

NO_QUESTION = N_("There is no question at this position: no card decides here who wins.")
NO_CARD = N_("{card} is no card that may be played here.")
NO_PLAYER = N_("The store has no such player.")
PAGE, MOST, SECONDS = 50, 100, 2.0
"""Matches that are listed at once; that are solved for one request; how long that may take."""
LONGEST = 200
"""Signs of what is asked for."""

_compiled = set[str]()
"""Games of which a match was looked at in this process."""
_asked: Newest[tuple[int, ...]] = Newest(4000)


class Question(NamedTuple):
    """A position with a card that holds it, and one that does not."""

    log: Explained
    deal: int
    """From 1."""
    ply: int
    before: Replay
    """The deal up to here."""
    played: Replay
    ways: tuple[Way, ...]
    """Every card, by its number."""

    @property
    def seat(self) -> int:
        return self.before.last.turn

    @property
    def best(self) -> Way:
        """Of the cards by which nothing is lost, the first."""
        return max(self.ways, key=lambda way: way.margin * self.sign)

    @property
    def sign(self) -> int:
        """1 where side 1 has the turn, -1 where side 2 has."""
        return onward.sign(self.before.game, self.seat)

    def holds(self, way: Way) -> bool:
        """Whether who wins is the same after a card as it could be."""
        return way.winner == self.best.winner

    @property
    def laid(self) -> Way | None:
        """What was played in the log; None: no card."""
        done = self.played.done
        act = action(int(done[self.ply])).act if self.ply < len(done) else -1
        return next((way for way in self.ways if way.card == act), None)

    def way(self, card: str) -> Way:
        """What a card leads to. Problem: it may not be played."""
        pack = self.before.game.pack
        for way in self.ways:
            if pack.names[way.card] == card:
                return way
        raise Problem(404, NO_CARD, card=card[:LONGEST])


def question(found: Found, number: int, ply: int) -> Question:
    """The question at a position. Problem: there is none."""
    log, replay = replay_of(found, number)
    asked = _at(log, number, replay, ply) if ply < len(replay) else None
    if asked is None:
        raise Problem(404, NO_QUESTION)
    return asked


def _at(log: Explained, number: int, replay: Replay, ply: int) -> Question | None:
    before = replay.otherwise(ply, ())
    ways = onward.ways(before)
    if not ways:
        return None
    asked = Question(log, number, ply, before, replay, tuple(ways))
    return asked if {asked.holds(way) for way in ways} == {True, False} else None


def questions(found: Found) -> tuple[int, ...]:
    """By deal the position where the winner turned by a card, -1 where there is none."""
    return _asked.get(found.digest, lambda: tuple(_turned(found)))


def _turned(found: Found) -> Iterator[int]:
    log = explained(found)
    for number, replay in enumerate(log.replays, 1):
        at = -1
        if replay is not None and onward.can_go_on(replay):
            solved = solve(replay)
            turning = solved.turning if isinstance(solved, Solved) else None
            asked = None if turning is None else _at(log, number, replay, turning)
            if asked is not None and asked.laid is not None and not asked.holds(asked.laid):
                at = asked.ply
        yield at


class Wanted(NamedTuple):
    """Whose games, and behind which question, as an address says it."""

    player: str = ""
    event: str = ""
    game: str = ""
    after: str = ""
    """A match, or a deal of it: `3dc2….5`."""

    @classmethod
    def of(cls, query: QueryParams) -> "Wanted":
        return cls(*(query.get(key, "")[:LONGEST] for key in cls._fields))

    @property
    def filters(self) -> dict[str, str]:
        """What an address keeps from question to question."""
        return {key: one for key, one in self._asdict().items() if one and key != "after"}

    def which(self) -> Filter:
        """The matches. Problem: there is no such player."""
        players: tuple[int, ...] = ()
        if self.player:
            known = people.known(store().cursor(), self.player)
            if known is None:
                raise Problem(404, NO_PLAYER)
            players = (known[0],)
        return Filter(players=players, event=self.event or None, game=self.game or None)


class Next(NamedTuple):
    """The next question, or how far was looked for one."""

    match: str
    """Its id, or that of the last match looked at; empty where there is no further one."""
    deal: int = 0
    ply: int = 0
    seen: int = 0
    """Matches that were looked at."""

    @property
    def found(self) -> bool:
        return self.deal > 0


def following(wanted: Wanted) -> Next:
    """The next question in the matches played last, as far as one request may look."""
    which, cursor, end = wanted.which(), store().cursor(), time.monotonic() + SECONDS
    match, _, deal = wanted.after.partition(".")
    number, behind = store().find(match) if match else None, int(deal) if deal.isdecimal() else 0
    place = None if number is None else matches.place(cursor, number)
    if place is not None and behind:
        asked = _next_in(match, behind)
        if asked.found:
            return asked
    seen = solved = 0
    while True:
        frame = matches.page(cursor, which, PAGE, after=place)
        quiet = unturned(cursor, frame["match_no"].to_list())
        for row in frame.iter_rows(named=True):
            seen += 1
            if row["match_no"] not in quiet and _is_solved(row):
                solved += 1
                asked = _next_in(row["match_id"], 0)
                if row["game"] not in _compiled:  # that may have taken longer than all the rest
                    _compiled.add(row["game"])
                    end = time.monotonic() + SECONDS
                if asked.found:
                    return asked
            if solved >= MOST or time.monotonic() > end:
                return Next(row["match_id"], seen=seen)
        if frame.height < PAGE:
            return Next("", seen=seen)
        place = matches.place(cursor, frame["match_no"][-1])


def _is_solved(row: dict[str, Any]) -> bool:
    """Whether some deals of a match's game are solved at all."""
    return row["game"] in names() and game(row["game"]).solver is not None and not row["sheet"]


def _next_in(match: str, behind: int) -> Next:
    """The first question of a match behind a deal."""
    try:
        found = find(match)
        asked = questions(found)
    except Problem:  # deleted meanwhile, or nothing that a board could show
        return Next("")
    for number, ply in enumerate(asked, 1):
        if number > behind and ply >= 0:
            return Next(found.id, number, ply)
    return Next("")
