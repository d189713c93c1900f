"""A match recorded as it is played: begin, act, end; what cannot be is refused, the rest is told.

Nothing is judged here. What is recorded is a log at every moment, and after each step its last deal
is explained as a check explains it, from where the deals before it left the match.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

import orjson

from engine.games import game as game_of
from engine.match import winner_word
from ingest.findings.finding import ERROR, Finding
from ingest.i18n import translator
from ingest.reader.json_text import pointer
from ingest.validate.match_checks import NOT_CHECKABLE, winner
from ingest.validate.parse_document import model
from ingest.validate.slow_path import Explained, Explanation, hand_of
from schemas.match_models import deal_model
from schemas.models import FORMAT
from schemas.notation import decode

Keys = Mapping[str, Any]


class Refused(ValueError):
    """What cannot be: nothing was recorded. `findings` say why, as of a log that has it."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        t = translator("en")
        super().__init__(" ".join(finding.message(t) for finding in findings))
        self.findings = list(findings)


class Standing(NamedTuple):
    """What a match stands at; a deal counts in it once it is over."""

    score: list[int] | None  # as a result; None once it depends on what nobody wrote down
    manche: int | None  # of the deal that runs or comes next, from 1; None: the game counts none
    partie: int | None  # likewise
    openers: list[int]  # the seats that may deal it, or lead; empty when nothing says
    over: bool
    winner: int | None  # seat or side, from 1


class Said:
    """What the engine says of a match after a step; what takes time is found when asked for."""

    def __init__(self, findings: list[Finding], states: Sequence[Explanation]) -> None:
        self.findings = findings  # what was not found before this step
        self._before, self._now = states[max(len(states) - 2, 0)], states[-1]
        now = self._now
        self._deals: list[Any] = now.match.deals
        # the last deal; None before the first, and of one without cards that was not played
        self._replay = replay = now.result.replays[-1] if now.result.replays else None
        # the state it was left in; None also past what can be followed
        self._last = None if replay is None or replay.unread else replay.last
        self._line = len(self._deals) - 1 in now.result.lines

    @property
    def points(self) -> list[int | str]:
        """The points of the deal so far, by seat or side; `?` where hidden cards decide."""
        if self._line:
            return list(self._deals[-1].points or ())
        return [] if self._last is None else list(self._last.points)

    @property
    def turn(self) -> int | None:
        """Whose turn it is, from 1; None where it is nobody's, or hidden cards decide."""
        last = self._last
        return None if last is None or last.over or not last.sure("turn") else last.turn + 1

    @cached_property
    def legal(self) -> list[str]:
        """All that may be done now. Where cards are hidden, all that may be so."""
        name, faces = self._now.game.name, self._now.table.faces
        may = () if self._last is None else self._last.may
        return [decode(name, one.code, faces) for one in may]

    @property
    def over(self) -> bool:
        """Whether the deal is at its end; a chouine may still be owed a card, or be answered."""
        if not self._deals or self._deals[-1].void or self._line:
            return bool(self._deals)
        if self._replay is None or self._replay.unread:
            return False
        running = self._replay.game.kernel.RUNNING  # in any way it may have gone
        return all(int(state["outcome"]) != running for state in self._replay.lasts)

    @property
    def winner(self) -> int | str | None:
        """Who won the deal, from 1, 0 for nobody; None while it runs, `?` by hidden cards."""
        if self._line:
            told: int | None = self._deals[-1].winner
            end = self._now.result.lines[len(self._deals) - 1]
            return told if end is None else winner_word(end.state)
        return None if self._replay is None else winner(self._replay)

    @property
    def hands(self) -> list[list[str]]:
        """The cards each player holds, `??` for each that nobody wrote down."""
        last, table = self._last, self._now.table
        if last is None:
            return []
        return [hand_of(table, last.state, seat, last.known(seat)) for seat in range(table.players)]

    @property
    def match(self) -> Standing:
        ended, replay = self.over, self._replay
        counted = self._now if ended else self._before
        flow, rules = counted.flow, counted.game.match
        over = bool(flow["over"])
        openers = [] if over else rules.leaders(flow)
        if not (over or openers) and ended and replay is not None and not self._deals[-1].void:
            found = []  # what every way the deal may have gone says
            for state in replay.lasts:
                after = self._before.flow.copy()
                rules.close_deal(after, replay.rules, state.copy(), 0)
                found.append(rules.leaders(after))
            openers = found[0] if all(one == found[0] for one in found) else []
        score = None if flow["unknown"] else rules.score(flow)
        won = int(flow["winner"]) + 1 if over else None
        return Standing(score, *counted.numbers(), openers, over, won)


class _Deal(NamedTuple):
    """A deal as far as it was told. Never changed: another takes its place."""

    keys: dict[str, Any]
    """Its actions are `acts`; here they only keep their place among the keys, None if not told."""
    acts: tuple[str, ...] = ()
    ended: bool = False  # somebody said so: what it lacks is told from then on

    @property
    def document(self) -> dict[str, Any]:
        if self.acts or self.keys["actions"] is not None:
            return {**self.keys, "actions": list(self.acts)}
        return {key: value for key, value in self.keys.items() if key != "actions"}

    def told(self, keys: Keys) -> "_Deal":
        """The same with more keys, or others in their place."""
        own = {**self.keys, **keys}
        own.setdefault("actions", None)
        acts = self.acts if keys.get("actions") is None else tuple(keys["actions"])
        return self._replace(keys=own, acts=acts)


Deals = tuple[_Deal, ...]


class Recorder:
    """One match, recorded step by step: `deal`, `act`, `know` and `end` are the steps.

    Every key of a match is a keyword here, every key of a deal one of `deal`, `know` or `end`, each
    as in a log. A step gives what the engine says then. Refused: it cannot be, and nothing was
    recorded.
    """

    def __init__(self, game: str, players: Sequence[Any], **keys: Any) -> None:
        self._begin({"format": FORMAT, "game": game, **keys, "players": players})

    @classmethod
    def of(cls, log: Mapping[str, Any]) -> "Recorder":
        """Take a log up where it ends; `undo` goes back in it as if it had been recorded here."""
        head = _plain(log)
        match, findings = model(head)
        if match is None:
            raise Refused(findings)
        deals = head.pop("deals")
        made = cls.__new__(cls)
        made._begin(head)
        whole = tuple(_Deal({}).told(keys) for keys in deals)
        for index, deal in enumerate(whole):
            made._past.append((made._head, whole[:index]))
            part = (deal._replace(acts=deal.acts[:count]) for count in range(len(deal.acts)))
            made._past += [(made._head, (*whole[:index], one)) for one in part]
        made._states = made._judged(made._head, whole)
        made._deals = whole
        return made

    def _begin(self, head: Keys) -> None:
        self._head = _plain(head)
        self._deals: Deals = ()
        self._past: list[tuple[dict[str, Any], Deals]] = []
        self._states = [_opened(self._head)]

    @property
    def said(self) -> Said:
        """What the engine says now, with everything that was found so far."""
        return Said(_shown(self._states, self._deals), self._states)

    @property
    def explained(self) -> Explained:
        """All there is to know of the match so far, as a check of its log finds it."""
        return self._states[-1].copy().finish()

    def log(self) -> dict[str, Any]:
        """The match as a document of the format, complete or not; it is the caller's own."""
        return _plain({**self._head, "deals": [deal.document for deal in self._deals]})

    def deal(self, **keys: Any) -> Said:
        """Begin a deal; without its `dealer` (or `leader`), whoever is to open it by the rules."""
        opens, now = deal_model(self._head["game"]).OPENS, self._states[-1]
        seats = now.game.match.leaders(now.flow)
        if opens not in keys and len(seats) == 1:
            keys = {opens: seats[0], **keys}
        elif opens not in keys and (open_ends := _open_ends(now, self._deals)):
            raise Refused(open_ends)  # who opens the next deal hangs on the end of this one
        return self._record(self._head, (*self._deals, _Deal({}).told(_plain(keys))))

    def act(self, action: str) -> Said:
        """Record an action as a log writes it, such as `2 9h`: legal, or against the rules."""
        return self._record(self._head, self._after(action))

    def why(self, action: str) -> list[Finding]:
        """What would be found if this were done now; nothing is recorded."""
        deals = self._after(action)
        try:
            states = self._judged(self._head, deals)
        except Refused as refused:
            return refused.findings
        return self._fresh(states, deals)

    def know(self, **keys: Any) -> Said:
        """Tell what came to be known since: keys of the deal, such as `hands`, or of the match."""
        return self._tell(keys, self._deals[-1].ended if self._deals else False)

    def end(self, **keys: Any) -> Said:
        """The deal is at its end, with what its sheet says; also where it ended by itself."""
        return self._tell(keys, True)

    def undo(self, steps: int = 1) -> Said:
        """Take back the last steps, over deals too. ValueError: there are not so many."""
        if not 0 <= steps <= len(self._past):
            raise ValueError(f"{len(self._past)} steps, not {steps}")
        if steps:
            head, deals = self._past[-steps]
            self._states = self._judged(head, deals)
            self._head, self._deals = head, deals
            del self._past[-steps:]
        return Said([], self._states)

    def _after(self, action: str) -> Deals:
        last = _last(self._deals)
        return (*self._deals[:-1], last._replace(acts=(*last.acts, action)))

    def _tell(self, keys: Keys, ended: bool) -> Said:
        """Keys of the last deal, and of the match where no deal has one of that name."""
        known = deal_model(self._head["game"]).model_fields
        match = type(self._states[-1].match).model_fields
        keys = _plain(keys)
        heads = {key: value for key, value in keys.items() if key in match and key not in known}
        head = {**self._head, **heads} if heads else self._head
        own = {key: value for key, value in keys.items() if key not in heads}
        deals = self._deals
        if own or ended:
            deals = (*deals[:-1], _last(deals).told(own)._replace(ended=ended))
        return self._record(head, deals)

    def _record(self, head: dict[str, Any], deals: Deals) -> Said:
        """Take a step, if what comes of it can be."""
        states = self._judged(head, deals)
        said = Said(self._fresh(states, deals), states)
        self._past.append((self._head, self._deals))
        self._head, self._deals, self._states = head, deals, states
        return said

    def _judged(self, head: dict[str, Any], deals: Deals) -> list[Explanation]:
        """The match before its first deal and after each, kept if alike. Refused: one cannot be."""
        states, kept = [], 0
        if head is self._head:
            same = takewhile(lambda both: both[0] is both[1], zip(deals, self._deals, strict=False))
            kept = len(list(same))
            states = self._states[: kept + 1]
        states = states or [_opened(head)]
        for index in range(kept, len(deals)):
            match, findings = model({**head, "deals": [deals[index].document]})
            found = [one for one in findings if one.deal is not None]
            for one in found:
                one.deal = index
                one.path = one.path.replace(pointer("deals", 0), pointer("deals", index), 1)
                if one.detail.get("where"):
                    one.detail["where"] = one.path
            if match is None:
                raise Refused([one for one in found or findings if one.severity == ERROR])
            last = index + 1 < len(self._states)  # as it was so far: an act may have come to it
            so_far = self._states[index + 1].result.replays[index] if last else None
            before, after = states[-1], states[-1].copy()
            after.result.findings += found
            after.match.deals.append(match.deals[0])
            after.deal(index, match.deals[0], so_far)
            own = after.result.findings[len(before.result.findings) :]
            if impossible := [one for one in own if after.impossible(one.code)]:
                raise Refused(impossible)
            states.append(after)
        return states

    def _fresh(self, states: list[Explanation], deals: Deals) -> list[Finding]:
        """What is found in these states and was not in those before."""

        def key(one: Finding) -> tuple[object, ...]:  # however much more is known of it
            return one.code, one.rule, one.path, one.seat, str(one.found)

        known = set(map(key, _shown(self._states, self._deals)))
        return [one for one in _shown(states, deals) if key(one) not in known]


def _plain(keys: Keys) -> dict[str, Any]:
    """Keys with their values as JSON has them, and nobody else's. TypeError: it has none."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(dict(keys)))
    return plain


def _last(deals: Deals) -> _Deal:
    if not deals:
        raise ValueError("no deal was begun")
    return deals[-1]


def _opened(head: Keys) -> Explanation:
    """A match before its first deal. Refused: no deal can be played with such keys."""
    match, findings = model({**head, "deals": []})
    if match is None:
        raise Refused([one for one in findings if one.severity == ERROR])
    opened = Explanation(match, "", findings)
    if opened.table.problems:
        raise Refused([one for one in opened.result.findings if opened.impossible(one.code)])
    return opened


def _open_ends(now: Explanation, deals: Deals) -> list[Finding]:
    """What was found of a deal that runs only because it goes on."""
    if not deals or deals[-1].ended or Said([], [now]).over:
        return []
    path = pointer("deals", len(deals) - 1)
    ends = {(path + "/actions", "incomplete"), (path + "/actions", NOT_CHECKABLE)}
    ends.add((path, NOT_CHECKABLE))
    return [one for one in now.result.findings if (one.path, one.code) in ends]


def _shown(states: list[Explanation], deals: Deals) -> list[Finding]:
    """What was found, without what a deal lacks only because it goes on."""
    now = states[-1]
    found = now.result.findings if now.match.result is None else now.copy().finish().findings
    open_ends = {(one.path, one.code) for one in _open_ends(now, deals)}
    return [one for one in found if (one.path, one.code) not in open_ends]


class Openers:
    """Who opens each deal of a log that grows: asked for where a deal does not tell."""

    def __init__(self, log: Mapping[str, Any]) -> None:
        self.log, self._count = log, 0
        self._recorder: Recorder | None = None

    def next(self) -> int | None:
        """The seat, from 1, that opens after the deals so far; None: nothing says."""
        try:
            self._recorder = self._recorder or Recorder.of({**self.log, "deals": []})
            for deal in self.log["deals"][self._count :]:
                self._recorder.deal(**deal)
                self._count += 1
        except Refused:
            return None
        flow = self._recorder.explained.flow
        over = flow is None or flow["over"]
        seats = [] if over else game_of(self.log["game"]).match.leaders(flow)
        return seats[0] if len(seats) == 1 else None
