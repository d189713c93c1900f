"""A line of the reader's own: a stored deal up to a position, then what is played on from there.

All of it is in the address: `?a=1.8s,2.Jd` are actions as a log has them, a dot for each blank,
`seat` whose seat the reader plays (`0`: everybody's). What the others do is added to it here.
"""

from collections.abc import Sequence
from html import escape
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.datastructures import QueryParams

from dashboard import games
from dashboard.api.problems import Problem
from dashboard.api.written import finite
from dashboard.board import text_of
from dashboard.board.offline import seen_in
from dashboard.board.states import states
from dashboard.games.base import Deal
from dashboard.pages import PRODUCT
from dashboard.text.labels import against
from dashboard.text.numbers import NONE, short
from dashboard.web.replay.assets import pictured
from dashboard.web.replay.matches import NO_DEAL, NO_STATE, Found, around, deal_of, explained
from dashboard.web.replay.page import HIDDEN, cards_of, colon, document, languages, listed, on_table
from engine.acts import UNKNOWN, Action, action
from engine.onward import EXACT, HABIT, SAMPLED, can_go_on, turn
from engine.replay import Ply, Replay
from engine.sampling import PLAYED
from engine.solving import judged
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.judge.explain import Explained
from ingest.text.signs import as_json, plain
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


PLAYERS = {
    EXACT: N_("played exactly, by who knows all hands and what each card leads to."),
    SAMPLED: N_(
        "played by sampling: over {n} deals drawn from all that fit what they see, played on by a "
        "simple player, this card won most often."
    ),
    HABIT: N_("played by the simulated player “careful”, who sees one hand alone."),
    IN_LINE: N_("chosen in this line."),
}
"""Who chose what another did in the line."""
LOGGED, OWN = 1, 2
"""The two lines, as the board numbers them."""


def told(line: Line, t: Translate) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line as the board is told a deal, and what else the page says of it."""
    board = shown(line, t)
    own = {
        "address": line.address,
        "seat": 0 if line.seat is None else line.seat + 1,
        "start": line.start,
        "acts": acts(line, board, t),
        "waits": line.waits,
        "over": line.now.last.over,
        "by": chosen_by(line),
        "lines": _compared(line, board, t),
    }
    return board, own


def answer(line: Line, t: Translate) -> bytes:
    """Both as JSON."""
    board, own = told(line, t)
    return as_json(finite({"board": board, "own": own})).encode()


def page(found: Found, line: Line, t: Translate) -> str:
    """The page as HTML."""
    board, own = told(line, t)
    log, number = line.log, line.deal + 1
    assert log.match is not None
    called = against([short(name) for name in line.names], log.match.game)
    title = f"{called} · {t('Deal {n}', n=number)} · {t(YOUR_LINE)}"
    about = around(found, t, linked=True)
    about["head"] |= {
        "deals": [
            {"number": LOGGED, "name": t(AS_PLAYED), "told": t(AS_PLAYED)},
            {"number": OWN, "name": t(YOUR_LINE), "told": t(YOUR_LINE)},
        ],
        "sheet": None,
    }
    at = f"/r/{found.id}/{number}/{line.start}"
    data = (
        board
        | about
        | {
            "share": None,
            "light": True,
            "path": f"{at}/suite",
            "logged": f"/r/{found.id}/{number}.json?lang={t.language}",
            "own": own,
            "say": {**{key: t(text) for key, text in SAID.items()}, "players": _players(t)}
            | {"colon": colon(t)},
        }
    )
    body = f"""<main class="with-own"><h1>{escape(title)}</h1>{text_of("board.html")}
{_panel(t)}
<noscript>{_listed(line, at, board, own, t)}</noscript></main>
<nav class="onward"><a class="product" href="/">{PRODUCT}</a>
<a href="{at}?lang={t.language}">{escape(t("Back to the replay"))}</a>
{languages(f"{at}/suite", _query(line), t)}</nav>"""
    return document(title, "own-line.js", HIDDEN, body, data, t)


YOUR_LINE, AS_PLAYED = N_("Your line"), N_("The deal as played")
SAID = {
    "you-play": N_("You play"),
    "everybody": N_("everybody"),
    "open": N_("All hands open"),
    "acts": N_("What you may do"),
    "more": N_("More"),
    "on": N_("Let the others go on"),
    "undo": N_("Take it back (U)"),
    "from-here": N_("Play on from this position"),
    "to-line": N_("Back to your line"),
    "over": N_("The deal is over."),
    "wait": N_("One moment …"),
    "failed": N_("No answer came: try again."),
    "line": N_("Line of play"),
    "points": N_("Points"),
    "end": N_("At the end"),
}


def _players(t: Translate) -> dict[str, str]:
    return {key: t(text, n=PLAYED) for key, text in PLAYERS.items()}


def _panel(t: Translate) -> str:
    """What stands below the board; the script fills it."""
    return f"""<section class="own-line" aria-label="{escape(t(YOUR_LINE))}">
<div class="doing"><div class="whose"></div><p class="by" role="status"></p>
<div class="acts" role="group" aria-label="{escape(t(SAID["acts"]))}"></div></div>
<table class="both"></table></section>"""


def _query(line: Line) -> str:
    seat = 0 if line.seat is None else line.seat + 1
    return f"a={quote(line.address, safe=',~')}&seat={seat}"


def _compared(line: Line, board: dict[str, Any], t: Translate) -> list[dict[str, Any]]:
    """The lines side by side: what was played, the reader's, and what is best where it is solved.

    Where nothing is known of any end, `end` is empty.
    """
    logged = deal_of(line.log, line.deal, t)
    best = _best(line, line.played.otherwise(line.start, ()), t)
    found: list[dict[str, Any]] = [
        {"number": LOGGED, "name": t(AS_PLAYED), "points": _points(logged)}
        | {"end": _end(line, line.played, logged, t)},
        {"number": OWN, "name": t(YOUR_LINE), "points": _points(board)}
        | {"end": _end(line, line.now, board, t)},
    ]
    if best != NONE:
        name = t("Best play of all from position {n}", n=line.start)
        found.append({"number": None, "name": name, "points": "", "end": best})
    known = any(one["end"] != NONE for one in found)
    return found if known else [one | {"end": ""} for one in found]


def _points(board: dict[str, Any]) -> str:
    """The points a line came to so far."""
    return " – ".join(str(one["points"]) for one in board["plies"][-1]["sides"] or _seats(board))


def _seats(board: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = board["plies"][-1]["seats"]
    return found


def _end(line: Line, replay: Replay, board: dict[str, Any], t: Translate) -> str:
    """How a deal ended, or what it comes to with best play."""
    if replay.last.over:
        also: list[str] = board["plies"][len(replay) - 1]["also"]
        return also[-1] if also else NONE
    best = _best(line, replay, t)
    return best if best == NONE else t("{ahead}, with best play of all", ahead=best)


def _best(line: Line, replay: Replay, t: Translate) -> str:
    """Who is ahead by how much at the end with best play of all; a dash where it is not solved."""
    found = judged(replay)
    if found is None:
        return NONE
    names = side_names(line.names, line.table)
    return ahead(names, int(found.margins[0]), int(found.winners[0]), t)


def ahead(names: Sequence[str], margin: int, winner: int, t: Translate) -> str:
    """Who has how much more at the end, and who wins where that is not who has more."""
    if not margin and not winner:
        return t("as many points each")
    said = t("{who} ahead by {n}", who=names[margin < 0], n=abs(margin))
    if margin * winner > 0:
        return said
    if not winner:
        return t("{ahead}; nobody wins", ahead=said)
    return t("{ahead}; {who} wins", ahead=said, who=names[winner < 0])


def side_names(names: Sequence[str], table: Table) -> list[str]:
    """Seats, or the partners of each side, as they are called."""
    called, count = [short(name) for name in names], table.game.sides(len(names))
    return [" + ".join(called[side::count]) for side in range(count)]


def _listed(line: Line, at: str, board: dict[str, Any], own: dict[str, Any], t: Translate) -> str:
    """The same without a script: what lies there, and what may be done as links."""
    state, query = board["plies"][-1], _query(line)
    seats = [line.seat] if line.seat is not None else range(len(line.names))
    rows = [escape(state["text"])]
    for seat in seats:
        cards = " · ".join(cards_of(state["seats"][seat]["hand"], board))
        rows.append(escape(line.names[seat] + colon(t) + cards))
    rows += map(escape, on_table(state, board, t))
    sep = "," if line.address else ""
    link = f"{at}/suite?{{}}&amp;lang={t.language}"
    for one in own["acts"]:
        added = quote(line.address + sep + one["word"], safe=",~")
        href = link.format(f"a={added}&amp;seat={own['seat']}")
        rows.append(f'<a href="{href}">{escape(one["text"])}</a>')
    if own["waits"]:
        href = link.format(f"{query.replace('&', '&amp;')}&amp;go")
        rows.append(f'<a href="{href}">{escape(t(SAID["on"]))}</a>')
    rows += [
        escape(" · ".join(filter(None, (one["name"], one["points"], one["end"]))))
        for one in own["lines"]
    ]
    return listed(rows)
