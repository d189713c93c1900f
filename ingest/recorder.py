"""Records a match act by act and reports what is illegal.

The recorder has no rules of its own. Its record is a log document at all times; after each
step the validator of `check` validates the last deal from the state the earlier deals left.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

import orjson

from engine.games import game as game_of
from engine.match import winner_in_log
from ingest.findings.finding import ERROR, Finding
from ingest.i18n import translator
from ingest.reader.json_text import json_pointer
from ingest.validate.match_checks import NOT_CHECKABLE, deal_winner
from ingest.validate.parse_document import match_of_json
from ingest.validate.slow_path import MatchValidator, ValidationResult, visible_hand
from schemas.match_models import deal_model
from schemas.models import FORMAT
from schemas.notation import action_notation

Keys = Mapping[str, Any]


class InvalidMatchError(ValueError):
    """Raised for an impossible step, which is not recorded; `findings` explain it."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        t = translator("en")
        super().__init__(" ".join(finding.message(t) for finding in findings))
        self.findings = list(findings)


class MatchStanding(NamedTuple):
    """The standing of a match; a deal counts once it is over."""

    score: list[int] | None  # as in a log's result; None if it depends on unrecorded facts
    manche: int | None  # of the current or next deal, from 1; None if the game has no manches
    partie: int | None  # likewise
    openers: list[int]  # seats that may deal or lead the next deal; empty if unknown
    over: bool
    winner: int | None  # seat or side, from 1


class StepResult:
    """The state of a match after a step; properties compute the rest on access."""

    def __init__(self, findings: list[Finding], validators: Sequence[MatchValidator]) -> None:
        self.findings = findings  # new with this step
        self._before, self._now = validators[max(len(validators) - 2, 0)], validators[-1]
        now = self._now
        self._deals: list[Any] = now.match.deals
        # the last deal; None before the first, and for a deal without cards or actions
        self._replay = replay = now.result.replays[-1] if now.result.replays else None
        # the state it ended in; None also if too ambiguous to replay
        self._last = None if replay is None or replay.is_too_ambiguous else replay.last
        self._line = len(self._deals) - 1 in now.result.score_line_ends

    @property
    def points(self) -> list[int | str]:
        """The points of the deal so far, by seat or side; `?` if they depend on hidden cards."""
        if self._line:
            return list(self._deals[-1].points or ())
        return [] if self._last is None else list(self._last.points)

    @property
    def turn(self) -> int | None:
        """The seat to move, from 1; None if the deal is over or it depends on hidden cards."""
        last = self._last
        return None if last is None or last.is_over or not last.is_known("turn") else last.turn + 1

    @cached_property
    def legal(self) -> list[str]:
        """All legal actions; with hidden cards, all actions that may be legal."""
        name, faces = self._now.game.name, self._now.setup.faces
        may = () if self._last is None else self._last.possible
        return [action_notation(name, one.code, faces) for one in may]

    @property
    def over(self) -> bool:
        """Whether the deal is over; a chouine may still await a card or an answer."""
        if not self._deals or self._deals[-1].void or self._line:
            return bool(self._deals)
        if self._replay is None or self._replay.is_too_ambiguous:
            return False
        running = self._replay.game.kernel.RUNNING  # over only if so in every state
        return all(int(state["outcome"]) != running for state in self._replay.final_states)

    @property
    def winner(self) -> int | str | None:
        """The deal's winner from 1, 0: none; None if it runs, `?` if hidden cards decide."""
        if self._line:
            count: int | None = self._deals[-1].winner
            end = self._now.result.score_line_ends[len(self._deals) - 1]
            return count if end is None else winner_in_log(end.state)
        return None if self._replay is None else deal_winner(self._replay)

    @property
    def hands(self) -> list[list[str]]:
        """The cards each player holds, `??` for each unrecorded card."""
        last, table = self._last, self._now.setup
        if last is None:
            return []
        return [visible_hand(table, last.state, seat, last.known_hand(seat)) for seat in range(table.players)]

    @property
    def match(self) -> MatchStanding:
        ended, replay = self.over, self._replay
        counted = self._now if ended else self._before
        flow, rules = counted.match_record, counted.game.match
        over = bool(flow["over"])
        openers = [] if over else rules.next_openers(flow)
        if not (over or openers) and ended and replay is not None and not self._deals[-1].void:
            found = []  # the openers after each possible end of the deal
            for state in replay.final_states:
                after = self._before.match_record.copy()
                rules.close_deal(after, replay.rules, state.copy(), 0)
                found.append(rules.next_openers(after))
            openers = found[0] if all(one == found[0] for one in found) else []
        score = None if flow["unknown"] else rules.score(flow)
        won = int(flow["winner"]) + 1 if over else None
        return MatchStanding(score, *counted.next_position(), openers, over, won)


class _RecordedDeal(NamedTuple):
    """A deal as recorded so far; immutable, each step replaces it."""

    keys: dict[str, Any]
    """Keys in log order; `actions` only marks a position (see `acts`), None if not recorded."""
    acts: tuple[str, ...] = ()
    ended: bool = False  # by `end`: only then is what the deal lacks reported

    @property
    def document(self) -> dict[str, Any]:
        if self.acts or self.keys["actions"] is not None:
            return {**self.keys, "actions": list(self.acts)}
        return {key: value for key, value in self.keys.items() if key != "actions"}

    def with_keys(self, keys: Keys) -> "_RecordedDeal":
        """Return a copy with keys added or replaced."""
        own = {**self.keys, **keys}
        own.setdefault("actions", None)
        acts = self.acts if keys.get("actions") is None else tuple(keys["actions"])
        return self._replace(keys=own, acts=acts)


RecordedDeals = tuple[_RecordedDeal, ...]


class Recorder:
    """One match, recorded step by step: `deal`, `act`, `update` and `end` are the steps.

    Pass keys of the match to the constructor, keys of a deal to `deal`, `update` or `end`, all as in
    a log. A step returns a `StepResult`. InvalidMatchError: the step is impossible and was not recorded.
    """

    def __init__(self, game: str, players: Sequence[Any], **keys: Any) -> None:
        self._start({"format": FORMAT, "game": game, **keys, "players": players})

    @classmethod
    def of(cls, log: Mapping[str, Any]) -> "Recorder":
        """Continue a log where it ends; `undo` works as if the log had been recorded here."""
        head = _json_copy(log)
        match, findings = match_of_json(head)
        if match is None:
            raise InvalidMatchError(findings)
        deals = head.pop("deals", [])
        made = cls.__new__(cls)
        made._start(head)
        made._omits_deals = "deals" not in log
        whole = tuple(_RecordedDeal({}).with_keys(keys) for keys in deals)
        for index, deal in enumerate(whole):
            made._past.append((made._head, whole[:index]))
            part = (deal._replace(acts=deal.acts[:count]) for count in range(len(deal.acts)))
            made._past += [(made._head, (*whole[:index], one)) for one in part]
        made._states = made._validate_deals(made._head, whole)
        made._deals = whole
        return made

    def _start(self, head: Keys) -> None:
        self._head = _json_copy(head)
        self._deals: RecordedDeals = ()
        self._past: list[tuple[dict[str, Any], RecordedDeals]] = []
        self._states = [_validator_of_head(self._head)]
        self._omits_deals = False

    @property
    def state(self) -> StepResult:
        """The current state, with all findings so far."""
        return StepResult(_visible_findings(self._states, self._deals), self._states)

    @property
    def explained(self) -> ValidationResult:
        """The full validation result of the match so far, as a check of its log returns it."""
        return self._states[-1].copy().finish()

    def log(self) -> dict[str, Any]:
        """Return the match as a log document, complete or not; the caller may change it."""
        deals = [deal.document for deal in self._deals]
        return _json_copy(self._head | ({} if self._omits_deals and not deals else {"deals": deals}))

    def deal(self, **keys: Any) -> StepResult:
        """Begin a deal; `dealer` (or `leader`) defaults to the seat that opens by the rules."""
        opens, now = deal_model(self._head["game"]).OPENS, self._states[-1]
        seats = now.game.match.next_openers(now.match_record)
        if opens not in keys and len(seats) == 1:
            keys = {opens: seats[0], **keys}
        elif opens not in keys and (open_ends := _findings_of_open_deal(now, self._deals)):
            raise InvalidMatchError(open_ends)  # the next opener depends on this deal's end
        return self._take_step(self._head, (*self._deals, _RecordedDeal({}).with_keys(_json_copy(keys))))

    def act(self, action: str) -> StepResult:
        """Record an action in log notation, such as `2 9h`, even one against the rules."""
        return self._take_step(self._head, self._with_action(action))

    def check(self, action: str) -> list[Finding]:
        """Return the findings an action would cause now, without recording it."""
        deals = self._with_action(action)
        try:
            states = self._validate_deals(self._head, deals)
        except InvalidMatchError as error:
            return error.findings
        return self._new_findings(states, deals)

    def update(self, **keys: Any) -> StepResult:
        """Record facts learned later: keys of the deal, such as `hands`, or of the match."""
        return self._record_keys(keys, self._deals[-1].ended if self._deals else False)

    def end(self, **keys: Any) -> StepResult:
        """End the deal, with keys from its score sheet; also if it ended by the rules."""
        return self._record_keys(keys, True)

    def undo(self, steps: int = 1) -> StepResult:
        """Undo the last steps, across deals too. ValueError: fewer steps were recorded."""
        if not 0 <= steps <= len(self._past):
            raise ValueError(f"{len(self._past)} steps, not {steps}")
        if steps:
            head, deals = self._past[-steps]
            self._states = self._validate_deals(head, deals)
            self._head, self._deals = head, deals
            del self._past[-steps:]
        return StepResult([], self._states)

    def _with_action(self, action: str) -> RecordedDeals:
        last = _last_deal(self._deals)
        return (*self._deals[:-1], last._replace(acts=(*last.acts, action)))

    def _record_keys(self, keys: Keys, ended: bool) -> StepResult:
        """Record keys of the last deal; keys that only a match has go to the match."""
        known = deal_model(self._head["game"]).model_fields
        match = type(self._states[-1].match).model_fields
        keys = _json_copy(keys)
        heads = {key: value for key, value in keys.items() if key in match and key not in known}
        head = {**self._head, **heads} if heads else self._head
        own = {key: value for key, value in keys.items() if key not in heads}
        deals = self._deals
        if own or ended:
            deals = (*deals[:-1], _last_deal(deals).with_keys(own)._replace(ended=ended))
        return self._take_step(head, deals)

    def _take_step(self, head: dict[str, Any], deals: RecordedDeals) -> StepResult:
        """Validate and record a step. InvalidMatchError: it is impossible."""
        states = self._validate_deals(head, deals)
        result = StepResult(self._new_findings(states, deals), states)
        self._past.append((self._head, self._deals))
        self._head, self._deals, self._states = head, deals, states
        return result

    def _validate_deals(self, head: dict[str, Any], deals: RecordedDeals) -> list[MatchValidator]:
        """Return the states before the first deal and after each. InvalidMatchError: a deal is impossible."""
        states, unchanged = [], 0
        if head is self._head:
            same = takewhile(lambda both: both[0] is both[1], zip(deals, self._deals, strict=False))
            unchanged = len(list(same))
            states = self._states[: unchanged + 1]
        states = states or [_validator_of_head(head)]
        for index in range(unchanged, len(deals)):
            match, findings = match_of_json({**head, "deals": [deals[index].document]})
            found = [one for one in findings if one.deal_index is not None]
            for one in found:
                one.deal_index = index
                one.path = one.path.replace(json_pointer("deals", 0), json_pointer("deals", index), 1)
                if one.detail.get("where"):
                    one.detail["where"] = one.path
            if match is None:
                raise InvalidMatchError([one for one in found or findings if one.severity == ERROR])
            last = index + 1 < len(self._states)  # often only an action is new
            so_far = self._states[index + 1].result.replays[index] if last else None
            before, after = states[-1], states[-1].copy()
            after.result.findings += found
            after.match.deals.append(match.deals[0])
            after.add_deal(index, match.deals[0], so_far)
            own = after.result.findings[len(before.result.findings) :]
            if impossible := [one for one in own if after.is_impossible(one.code)]:
                raise InvalidMatchError(impossible)
            states.append(after)
        return states

    def _new_findings(self, states: list[MatchValidator], deals: RecordedDeals) -> list[Finding]:
        """Return the findings of new states that the current states do not have."""

        def key(one: Finding) -> tuple[object, ...]:  # details may change while a deal goes on
            return one.code, one.rule, one.path, one.seat, str(one.found)

        known = set(map(key, _visible_findings(self._states, self._deals)))
        return [one for one in _visible_findings(states, deals) if key(one) not in known]


def _json_copy(keys: Keys) -> dict[str, Any]:
    """Return a deep copy of keys as plain JSON values. TypeError: a value is not JSON."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(dict(keys)))
    return plain


def _last_deal(deals: RecordedDeals) -> _RecordedDeal:
    if not deals:
        raise ValueError("no deal was begun")
    return deals[-1]


def _validator_of_head(head: Keys) -> MatchValidator:
    """Return the validator of a match without deals. InvalidMatchError: its keys allow no deal."""
    match, findings = match_of_json({**head, "deals": []})
    if match is None:
        raise InvalidMatchError([one for one in findings if one.severity == ERROR])
    opened = MatchValidator(match, "", findings)
    if opened.setup.problems:
        raise InvalidMatchError([one for one in opened.result.findings if opened.is_impossible(one.code)])
    return opened


def _findings_of_open_deal(now: MatchValidator, deals: RecordedDeals) -> list[Finding]:
    """Return the findings of a running deal that arise only because it is unfinished."""
    if not deals or deals[-1].ended or StepResult([], [now]).over:
        return []
    path = json_pointer("deals", len(deals) - 1)
    ends = {(path + "/actions", "incomplete"), (path + "/actions", NOT_CHECKABLE)}
    ends.add((path, NOT_CHECKABLE))
    return [one for one in now.result.findings if (one.path, one.code) in ends]


def _visible_findings(states: list[MatchValidator], deals: RecordedDeals) -> list[Finding]:
    """Return the findings, without those that arise only because a deal is unfinished."""
    now = states[-1]
    found = now.result.findings if now.match.result is None else now.copy().finish().findings
    open_ends = {(one.path, one.code) for one in _findings_of_open_deal(now, deals)}
    return [one for one in found if (one.path, one.code) not in open_ends]


class OpenerTracker:
    """Finds who opens each deal of a growing log, for deals that do not record it."""

    def __init__(self, log: Mapping[str, Any]) -> None:
        self.log, self._count = log, 0
        self._recorder: Recorder | None = None

    def next_opener(self) -> int | None:
        """Return the seat, from 1, that opens after the deals so far; None if unknown."""
        try:
            self._recorder = self._recorder or Recorder.of({**self.log, "deals": []})
            for deal in self.log["deals"][self._count :]:
                self._recorder.deal(**deal)
                self._count += 1
        except InvalidMatchError:
            return None
        flow = self._recorder.explained.match_record
        over = flow is None or flow["over"]
        seats = [] if over else game_of(self.log["game"]).match.next_openers(flow)
        return seats[0] if len(seats) == 1 else None
