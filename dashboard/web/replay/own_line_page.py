"""The page of a reader's own line: the board, what may be done, both lines side by side."""

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from dashboard.api.written import finite
from dashboard.board import text_of
from dashboard.pages import PRODUCT
from dashboard.text.labels import against
from dashboard.text.numbers import NONE, short
from dashboard.web.replay.matches import Found, around, deal_of
from dashboard.web.replay.own_line import IN_LINE, Line, acts, chosen_by, shown
from dashboard.web.replay.page import HIDDEN, cards_of, document, languages
from engine.onward import EXACT, HABIT, SAMPLED
from engine.replay import Replay
from engine.sampling import PLAYED
from engine.solving import judged
from ingest.i18n import N_, Translate
from ingest.text.signs import as_json
from schemas.table import Table

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
{_panel(line, t)}
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


def colon(t: Translate) -> str:
    """A colon as the language writes it."""
    return "\N{NO-BREAK SPACE}: " if t.language == "fr" else ": "


def _panel(line: Line, t: Translate) -> str:
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
    laid = " · ".join(cards_of(filter(None, state["table"]), board))
    rows += [escape(t("On the table") + colon(t) + laid)] if laid else []
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
    return "<ul>" + "".join(f"<li>{row}</li>" for row in rows) + "</ul>"
