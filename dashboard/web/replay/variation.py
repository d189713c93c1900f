"""A line of the reader's own: a stored deal up to a position, then what is played on from there.

All of it is in the address: `?a=1.8s,2.Jd` are actions as a log has them, a dot for each blank,
`seat` whose seat the reader plays (`0`: everybody's). What the others do is added to it here.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.datastructures import QueryParams

from dashboard import games
from dashboard.api.json_encoding import finite
from dashboard.api.params import NO_DEAL
from dashboard.api.problems import Problem
from dashboard.board import text_of
from dashboard.board.states import deal_states, hollow, states
from dashboard.games.base import Deal
from dashboard.pages import PRODUCT
from dashboard.text.labels import against
from dashboard.text.numbers import NONE, short
from dashboard.web.replay.matches import NO_STATE, Found, around, explained, pictured
from dashboard.web.replay.page import HIDDEN, cards_of, colon, document, languages, listed, on_table
from engine.actions import UNKNOWN, Action, action
from engine.continuation import EXACT, HABIT, SAMPLED, can_go_on, turn
from engine.replay import Replay
from engine.sampling import PLAYED
from engine.solver import judged
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.reader.escaping import as_json, plain
from ingest.validate.slow_path import Explained
from schemas.match_setup import Table
from schemas.notation import act_word, decode, encode

NOT_WHOLE = N_("Cards of this deal are not written down: it cannot be played on.")
NO_ACTION = N_("This line cannot be read: {found} is no action of this game.")
NOTHING = N_("This line cannot be read: an action is missing beside a comma.")
NOT_LEGAL = N_("This line is not within the rules: {found} may not be done there.")
NO_SEAT = N_("There is no such seat: seats are 1 to {count}, or 0 for everybody.")
TOO_LONG = N_("This line is longer than a deal can be.")
LONGEST = 4000
"""Signs of a line in an address."""
IN_LINE = "line"
"""Who chose what nobody who plays for others would have done: the line has it."""
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
    def address(self) -> str:
        """What was done since as an address has it: as a log writes it, a dot for each blank."""
        game, faces = self.table.game.name, self.table.faces
        done = (decode(game, int(code), faces) for code in self.now.done[self.start :])
        return ",".join(one.replace(" ", ".") for one in done)

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
    """What an address asks for, the others' answers after it. Problem: it cannot be played.

    The others play until the reader has the turn, or could say something out of turn.
    """
    log, played = replay_of(found, number)
    last = len(played) - (played.stop is None)
    if ply > last:
        raise Problem(404, NO_STATE, count=last)
    table = log.table
    assert table is not None
    start = min(ply, len(played) - 1)  # before what cannot have happened
    now = _followed(played.otherwise(start, ()), table, asked.actions)
    seat: int | None = max(played[start].turn, 0)
    if asked.seat:
        if asked.seat not in map(str, range(table.players + 1)):
            raise Problem(404, NO_SEAT, count=table.players)
        seat = int(asked.seat) - 1 if asked.seat != "0" else None
    told, on = Line(log, table, number - 1, start, seat, played, now, False), asked.on
    game = games.of(table.game.name)
    while seat is not None and not now.last.over:
        due = seat in turns(told, now)
        if due and not any(_kind(now, one) == "draw" for one in now.last.legal):
            break
        out_of_turn = [_word(told, one) for one in now.last.legal if one.seat == seat]
        if not on and not due and not all(game.is_seldom(one, False) for one in out_of_turn):
            return told._replace(now=now, waits=True)
        on = False
        now = now.otherwise(len(now) - 1, turn(now).codes)
    return told._replace(now=now)


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


def _word(told: Line, one: Action) -> str:
    return act_word(told.table.game.name, one.act, told.table.faces)


def _kind(replay: Replay, one: Action) -> str:
    return replay.game.acts.kind_of_act(one.act)


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
    for one in told.now.last.legal:  # all that the rules let the reader do now
        if told.seat not in (None, one.seat):
            continue
        word = _word(told, one)
        token = word.rpartition(" ")[2]  # the card it plays or turns, if any
        hand = seats[one.seat]["hand"]
        card = next((own for own in hand if token in (own, own.partition("/")[0])), None)
        another = told.seat is None and one.seat not in due
        whose = f"{short(told.names[one.seat])} " if another else ""
        found.append(
            {
                "word": f"{one.seat + 1} {word}".replace(" ", "."),
                "text": whose + game.called(word, t),
            }
            | {"card": card, "seldom": game.is_seldom(word, one.seat in due)}
        )
    lies = {card: place for seat in seats for place, card in enumerate(seat["hand"])}
    of_cards = (one for one in found if one["card"])
    cards = iter(sorted(of_cards, key=lambda one: lies[one["card"]]))
    return [next(cards) if one["card"] else one for one in found]


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


def told(line: Line, t: Translate) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line as the board is told a deal, and what else the page says of it."""
    found = states(line.now, line.table, line.names, t)
    board = pictured(found) | {"deal": OWN, "ply": len(line.now) - 1}
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
    number = line.deal + 1
    called = against([short(name) for name in line.names], line.table.game.name)
    title = f"{called} · {t('Deal {n}', n=number)} · {t(YOUR_LINE)}"
    about = around(found, t, linked=True)
    about["head"] |= {"deals": lines_named(YOUR_LINE, t), "sheet": None}
    at = f"/r/{found.id}/{number}/{line.start}"
    say: dict[str, Any] = {key: t(text) for key, text in SAID.items()}
    say |= {"players": {key: t(text, n=PLAYED) for key, text in PLAYERS.items()}}
    data = board | about | {
        "share": None,
        "light": True,
        "path": f"{at}/suite",
        "logged": f"/r/{found.id}/{number}.json?lang={t.language}",
        "own": own,
        "say": say | {"colon": colon(t)},
    }  # fmt: skip
    body = f"""<main class="with-own"><h1>{escape(title)}</h1>{text_of("board.html")}
<section class="own-line" aria-label="{escape(t(YOUR_LINE))}">
<div class="doing"><div class="whose"></div><p class="by" role="status"></p>
<div class="acts" role="group" aria-label="{escape(t(SAID["acts"]))}"></div></div>
<table class="both"></table></section>
<noscript>{_listed(line, at, board, own, t)}</noscript></main>
<nav class="onward"><a class="product" href="/">{PRODUCT}</a>
<a href="{at}?lang={t.language}">{escape(t("Back to the replay"))}</a>
{languages(f"{at}/suite", _query(line), t)}</nav>"""
    return document(title, "own-line.js", HIDDEN, body, data, t)


def lines_named(other: str, t: Translate) -> list[dict[str, Any]]:
    """The deal as played and another line, as the board's head lists them."""
    both = ((LOGGED, t(AS_PLAYED)), (OWN, t(other)))
    return [{"number": number, "name": name, "told": name} for number, name in both]


def _query(line: Line) -> str:
    seat = 0 if line.seat is None else line.seat + 1
    return f"a={quote(line.address, safe=',~')}&seat={seat}"


def _compared(line: Line, board: dict[str, Any], t: Translate) -> list[dict[str, Any]]:
    """The lines side by side: what was played, the reader's, and what is best where it is solved.

    Each has the points it came to so far, and how the deal ended, or what it comes to with best
    play. Where nothing is known of any end, `end` is empty.
    """
    logged = deal_states(line.log, line.deal, t) or hollow(line.log, line.deal, t)
    found = list[dict[str, Any]]()
    both = ((LOGGED, t(AS_PLAYED), line.played, logged), (OWN, t(YOUR_LINE), line.now, board))
    for number, name, replay, shown in both:
        last = shown["plies"][-1]
        points = " – ".join(str(one["points"]) for one in last["sides"] or last["seats"])
        if replay.last.over:
            also: list[str] = shown["plies"][len(replay) - 1]["also"]
            end = also[-1] if also else NONE
        elif (end := _best(line, replay, t)) != NONE:
            end = t("{ahead}, with best play of all", ahead=end)
        found.append({"number": number, "name": name, "points": points, "end": end})
    best = _best(line, line.played.otherwise(line.start, ()), t)
    if best != NONE:
        name = t("Best play of all from position {n}", n=line.start)
        found.append({"number": None, "name": name, "points": "", "end": best})
    known = any(one["end"] != NONE for one in found)
    return found if known else [one | {"end": ""} for one in found]


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
    rows = [escape(state["text"])]
    for seat in range(len(line.names)) if line.seat is None else [line.seat]:
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
    lines = ((one["name"], one["points"], one["end"]) for one in own["lines"])
    return listed([*rows, *(escape(" · ".join(filter(None, one))) for one in lines)])
