"""A line of the reader's own: a stored deal up to a position, then what is played on from there.

All of it is in the address: `?a=1.8s,2.Jd` are actions as a log has them, a dot for each blank,
`seat` whose seat the reader plays (`0`: everybody's). What the others do is added to it here.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from dashboard import games
from dashboard.api.problems import Problem
from dashboard.board.offline import seen_in
from dashboard.board.states import states
from dashboard.games.deal import Deal
from dashboard.text.numbers import short
from dashboard.web.replay.assets import pictured
from dashboard.web.replay.matches import NO_DEAL, NO_STATE, Found, explained
from engine.acts import UNKNOWN, Action, action
from engine.onward import can_go_on, turn
from engine.replay import Ply, Replay
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.judge.explain import Explained
from ingest.text.signs import plain
from schemas.table import Table
from schemas.words import act_word, decode, encode

NOT_WHOLE = N_("Cards of this deal are not written down: it cannot be played on.")
NO_ACTION = N_("This line cannot be read: {found} is no action of this game.")
NOTHING = N_("This line cannot be read: an action is missing beside a comma.")
NOT_LEGAL = N_("This line is not within the rules: {found} may not be done there.")
NO_SEAT = N_("There is no such seat: seats are 1 to {count}, or 0 for everybody.")
TOO_LONG = N_("This line is longer than a deal can be.")
LONGEST = 4000
"""Signs of a line in an address."""
EVERYBODY = 0
IN_LINE = "line"
"""Who chose what nobody who plays for others would have done: the line has it."""


class Asked(NamedTuple):
    """What an address asks to be played, as it is written."""

    actions: str = ""
    seat: str = ""
    on: bool = False
    """Whether the others go on though the reader could say something."""

    @classmethod
    def of(cls, query: QueryParams) -> "Asked":
        return cls(query.get("a", ""), query.get("seat", ""), "go" in query)


class Line(NamedTuple):
    """A deal as it was played up to a position, and otherwise from there."""

    log: Explained
    table: Table
    deal: int
    """From 0."""
    start: int
    """The position, a state of the deal."""
    seat: int | None
    """Whose seat the reader plays, from 0; None: everybody's."""
    played: Replay
    """The deal as the log has it."""
    now: Replay
    waits: bool
    """Whether another has the turn, and the reader could say something before."""

    @property
    def actions(self) -> tuple[str, ...]:
        """What was done since, as a log writes it."""
        codes = self.now.done[self.start :]
        return tuple(decode(self.table.game.name, int(code), self.table.faces) for code in codes)

    @property
    def address(self) -> str:
        """The same as an address has it."""
        return ",".join(one.replace(" ", ".") for one in self.actions)

    @property
    def names(self) -> list[str]:
        """The players, as they are called."""
        assert self.log.match is not None
        return [plain(one.called) for one in self.log.match.players]


def replay_of(found: Found, number: int) -> tuple[Explained, Replay]:
    """A deal, from 1, that can be played on. Problem: there is none, or its cards are not known."""
    log = explained(found)
    if not 1 <= number <= len(log.replays):
        raise Problem(404, NO_DEAL, count=len(log.replays))
    replay = log.replays[number - 1]
    if replay is None or not can_go_on(replay):
        raise Problem(404, NOT_WHOLE)
    return log, replay


def line(found: Found, number: int, ply: int, asked: Asked) -> Line:
    """What an address asks for, the others' answers after it. Problem: it cannot be played."""
    log, played = replay_of(found, number)
    last = len(played) - (played.stop is None)
    if ply > last:
        raise Problem(404, NO_STATE, count=last)
    assert log.table is not None
    start = min(ply, len(played) - 1)  # before what cannot have happened
    now = _followed(played.otherwise(start, ()), log.table, asked.actions)
    seat = _seat(asked.seat, played[start], log.table)
    told = Line(log, log.table, number - 1, start, seat, played, now, False)
    return _answered(told, asked.on)


def _seat(asked: str, at: Ply, table: Table) -> int | None:
    """The seat an address names, else that of whoever has the turn."""
    if not asked:
        return max(at.turn, 0)
    if not (
        asked.isascii() and asked.isdigit() and len(asked) == 1 and int(asked) <= table.players
    ):
        raise Problem(404, NO_SEAT, count=table.players)
    return None if int(asked) == EVERYBODY else int(asked) - 1


def _followed(replay: Replay, table: Table, actions: str) -> Replay:
    """The deal with the actions of an address. Problem: one of them cannot be done."""
    words = actions.split(",") if actions else []
    if len(actions) > LONGEST or len(words) > table.game.bots.LONGEST:
        raise Problem(404, TOO_LONG)
    for word in words:
        said = word.replace(".", " ")
        if not said.strip():
            raise Problem(404, NOTHING)
        code = encode(table.game.name, said, table.faces)
        if not any(one.code == code for one in replay.last.legal):
            text = NO_ACTION if code == UNKNOWN else NOT_LEGAL
            raise Problem(404, text, found=short(plain(said)))
        replay = replay.otherwise(len(replay) - 1, (code,))
    return replay


def turns(told: Line, replay: Replay) -> list[int]:
    """Who may act now, in turn."""
    if replay.last.over:
        return []
    deal = Deal(replay, told.table, told.names, translator(LANGUAGES[0], "dashboard"))
    found: list[int] = games.of(told.table.game.name).ply(deal, len(replay) - 1)["turns"]
    return found


def _answered(told: Line, on: bool) -> Line:
    """The others play until the reader has the turn, or could say something out of turn."""
    replay, seat = told.now, told.seat
    while seat is not None and not replay.last.over:
        due = seat in turns(told, replay)
        draws = any(_kind(replay, one) == "draw" for one in replay.last.legal)
        if due and not draws:
            break
        if not on and not due and could_speak(told, replay):
            return told._replace(now=replay, waits=True)
        on = False
        replay = replay.otherwise(len(replay) - 1, turn(replay).codes)
    return told._replace(now=replay)


def could_speak(told: Line, replay: Replay) -> bool:
    """Whether the reader has something to say out of turn that is not said seldom."""
    game = games.of(told.table.game.name)
    return any(
        not game.is_seldom(_word(told, one), False)
        for one in replay.last.legal
        if one.seat == told.seat
    )


def offered(told: Line) -> list[Action]:
    """All that the rules let the reader do now."""
    return [one for one in told.now.last.legal if told.seat in (None, one.seat)]


def _word(told: Line, one: Action) -> str:
    return act_word(told.table.game.name, one.act, told.table.faces)


def _kind(replay: Replay, one: Action) -> str:
    return replay.game.acts.kind_of_act(one.act)


def shown(told: Line, t: Translate) -> dict[str, Any]:
    """The line as the board is told a deal, its last position open."""
    found = states(told.now, told.table, told.names, t)
    return pictured(found, seen_in(found)) | {"deal": 2, "ply": len(told.now) - 1}


def spoken(table: Table, code: int, t: Translate) -> str:
    """What an action says, without who says it."""
    word = act_word(table.game.name, action(code).act, table.faces)
    return games.of(table.game.name).called(word, t)


def acts(told: Line, board: dict[str, Any], t: Translate) -> list[dict[str, Any]]:
    """A button each: `word` as an address has it, `text`, `card` of the hand, whether `seldom`.

    Cards come in the order in which they lie in the hand.
    """
    game, due = games.of(told.table.game.name), turns(told, told.now)
    seats = board["plies"][-1]["seats"]
    found = []
    for one in offered(told):
        word = _word(told, one)
        card = _card(word, seats[one.seat]["hand"])
        whose = (
            "" if told.seat is not None or one.seat in due else f"{short(told.names[one.seat])} "
        )
        found.append(
            {
                "word": f"{one.seat + 1} {word}".replace(" ", "."),
                "text": whose + game.called(word, t),
                "card": card,
                "seldom": game.is_seldom(word, one.seat in due),
            }
        )
    lies = {card: place for seat in seats for place, card in enumerate(seat["hand"])}
    cards = iter(sorted(filter(_OF_CARD, found), key=lambda one: lies[_OF_CARD(one)]))
    return [next(cards) if _OF_CARD(one) else one for one in found]


_OF_CARD = itemgetter("card")


def _card(word: str, hand: Sequence[str]) -> str | None:
    """The card of a hand that a word plays or turns."""
    token = word.rpartition(" ")[2]
    return next((card for card in hand if token in (card, card.partition("/")[0])), None)


def chosen_by(told: Line) -> list[str]:
    """Of each action since who chose it.

    `you`, who plays for others where that is what they play there, else `line`: whoever made the
    line. Nobody (``) chooses what is drawn from the talon.
    """
    done = told.now.done[told.start :].tolist()
    found: list[str] = []
    while len(found) < len(done):
        at = len(found)
        one = action(done[at])
        if _kind(told.now, one) == "draw":
            found.append("")
        elif told.seat in (None, one.seat):
            found.append("you")
        else:
            codes, who = turn(told.now.otherwise(told.start + at, ()))
            played = done[at : at + len(codes)] == list(codes)
            found += [who] * len(codes) if played else [IN_LINE]
    return found
