"""Positions where the winner turned, as questions: which card holds it, with all hands open."""

import time
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.responses import Response

from dashboard.api.problems import Problem
from dashboard.board import text_of
from dashboard.board.states import states
from dashboard.pages import PRODUCT
from dashboard.queries import matches, player_search
from dashboard.queries.endgame_losses import unturned
from dashboard.queries.matches import Filter
from dashboard.store import Newest, store
from dashboard.text.numbers import short
from dashboard.web.replay.matches import Found, around, explained, find, pictured
from dashboard.web.replay.page import (
    HIDDEN,
    cards_of,
    colon,
    document,
    facts_of,
    languages,
    listed,
    on_table,
)
from dashboard.web.replay.variation import OWN, ahead, lines_named, replay_of, side_names, spoken
from dashboard.web.static_pages import home
from dashboard.web.static_pages import page as plain_page
from engine import continuation
from engine.actions import action
from engine.cards import pretty
from engine.continuation import Way
from engine.games import game, names
from engine.replay import Replay
from engine.solver import line, solve
from engine.solver_results import Solved
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.validate.slow_path import Explained

NO_QUESTION = N_("There is no question at this position: no card decides here who wins.")
NO_CARD = N_("{card} is no card that may be played here.")
NO_PLAYER = N_("The store has no such player.")
WINS = N_("Your turn as {who}: which card still wins?")
DRAWS = N_("Your turn as {who}: which card keeps it level?")
OPEN = N_("All hands lie open, as they never do at the table.")
HELD = N_("{card} holds it.")
BEST = N_("Nothing is lost with it.")
LESS = N_("The gap is {n} points less than with the best card.")
LOST = N_("{card} does not hold it.")
HOLDING = N_("What holds it")
NO_QUESTIONS = N_("There are none yet: in no match here did a card at the end change who wins.")
NONE_OF_LAST = N_("None was found in the last {n} matches looked at.")
SCORE = N_("Right so far: {right} of {asked}")
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
    def names(self) -> list[str]:
        """The players, as they are called."""
        assert self.log.match is not None
        return [plain(one.called) for one in self.log.match.players]

    @property
    def best(self) -> Way:
        """Of the cards by which nothing is lost, the first."""
        return max(self.ways, key=lambda way: way.margin * self.sign)

    @property
    def sign(self) -> int:
        """1 where side 1 has the turn, -1 where side 2 has."""
        return continuation.sign(self.before.game, self.seat)

    def holds(self, way: Way) -> bool:
        """Whether who wins is the same after a card as it could be."""
        return way.winner == self.best.winner

    @property
    def laid(self) -> Way | None:
        """What was played in the log; None: no card."""
        done = self.played.done
        act = action(int(done[self.ply])).act if self.ply < len(done) else -1
        return next((way for way in self.ways if way.card == act), None)

    def card(self, way: Way) -> str:
        """The card of a way, as the engine names it."""
        return self.before.game.pack.names[way.card]


def question(found: Found, number: int, ply: int) -> Question:
    """The question at a position. Problem: there is none."""
    log, replay = replay_of(found, number)
    asked = _at(log, number, replay, ply) if ply < len(replay) else None
    if asked is None:
        raise Problem(404, NO_QUESTION)
    return asked


def _at(log: Explained, number: int, replay: Replay, ply: int) -> Question | None:
    before = replay.otherwise(ply, ())
    ways = continuation.ways(before)
    if not ways:
        return None
    asked = Question(log, number, ply, before, replay, tuple(ways))
    return asked if {asked.holds(way) for way in ways} == {True, False} else None


def questions(found: Found) -> tuple[int, ...]:
    """By deal the position where the winner turned by a card, -1 where there is none."""

    def turned() -> Iterator[int]:
        log = explained(found)
        for number, replay in enumerate(log.replays, 1):
            at = -1
            if replay is not None and continuation.can_go_on(replay):
                solved = solve(replay)
                turning = solved.turning if isinstance(solved, Solved) else None
                asked = None if turning is None else _at(log, number, replay, turning)
                if asked is not None and asked.laid is not None and not asked.holds(asked.laid):
                    at = asked.ply
            yield at

    return _asked.get(found.digest, lambda: tuple(turned()))


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
        known = player_search.known(store().cursor(), self.player) if self.player else None
        if self.player and known is None:
            raise Problem(404, NO_PLAYER)
        players = (known[0],) if known else ()
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
    if place is not None and behind and (asked := _next_in(match, behind)).found:
        return asked
    seen = solved = 0
    while True:
        frame = matches.page(cursor, which, PAGE, after=place)
        quiet = unturned(cursor, frame["match_no"].to_list())
        for row in frame.iter_rows(named=True):
            seen += 1
            own = row["game"] in names() and game(row["game"]).solver is not None
            if own and not row["sheet"] and row["match_no"] not in quiet:
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


def _next_in(match: str, behind: int) -> Next:
    """The first question of a match behind a deal."""
    try:
        found = find(match)
        asked = questions(found)
    except Problem:  # deleted meanwhile, or nothing that a board could show
        return Next("")
    further = (at for at in enumerate(asked, 1) if at[0] > behind and at[1] >= 0)
    return next((Next(found.id, *at) for at in further), Next(""))


def page(found: Found, asked: Question, card: str, wanted: Wanted, t: Translate) -> str:
    """The page as HTML. Problem: the card may not be played."""
    chosen = next((way for way in asked.ways if asked.card(way) == card), None)
    if card and chosen is None:
        raise Problem(404, NO_CARD, card=card[:LONGEST])
    at = f"/r/{found.id}/{asked.deal}/{asked.ply}"
    lines = lines_named(HOLDING, t) if chosen else [{"number": OWN, "name": "", "told": ""}]
    board = _board(asked, chosen, t)
    text = WINS if asked.best.winner == asked.sign else DRAWS
    title = t(text, who=short(asked.names[asked.seat]))
    about = around(found, t, linked=False)
    about["head"] |= {"deals": lines, "sheet": None, "state": ""}
    data = board | about | {
        "share": None,
        "light": True,
        "ply": asked.ply,
        "logged": f"/r/{found.id}/{asked.deal}.json?lang={t.language}",
        "key": f"{found.id}/{asked.deal}/{asked.ply}",
        "answered": chosen is not None,
        "right": chosen is not None and asked.holds(chosen),
        "at": asked.ply,
        "seat": asked.seat,
        "say": {"score": t(SCORE, right="{right}", asked="{asked}")},
    }  # fmt: skip
    if chosen is None:
        said, table = _cards(asked, at, wanted, t), ""
    else:
        said = _answer(asked, chosen, found.id, wanted, t)
        table = _table(asked, chosen, t)
    state = board["plies"][asked.ply]
    rows = [  # the position without a script
        name + colon(t) + " · ".join(cards_of(seat["hand"], board))
        for name, seat in zip(asked.names, state["seats"], strict=True)
    ]
    listing = listed(map(escape, [*rows, *on_table(state, board, t), *facts_of(state, t)]))
    query = urlencode(wanted.filters | ({"card": card} if card else {}))
    body = f"""<main class="with-own"><h1>{escape(title)}</h1>{text_of("board.html")}
<section class="own-line question" aria-label="{escape(title)}">
<div class="doing"><p class="asks">{escape(title)}</p>{said}</div>
{table}<noscript>{listing}</noscript></section></main>
<nav class="onward"><a class="product" href="/">{PRODUCT}</a>
<span class="score" role="status"></span>
{languages(f"{at}/trouver", query, t)}</nav>"""
    return document(title, "question.js", HIDDEN, body, data, t)


def _board(asked: Question, chosen: Way | None, t: Translate) -> dict[str, Any]:
    """The deal up to the question; once it is answered, what holds it to the end."""
    replay = asked.before
    if chosen is not None:
        way = chosen if asked.holds(chosen) else asked.best
        after = asked.before.otherwise(asked.ply, way.codes)
        _, replay = line(after, len(after) - 1)
    assert asked.log.table is not None
    return pictured(states(replay, asked.log.table, asked.names, t)) | {"deal": OWN}


def _cards(asked: Question, at: str, wanted: Wanted, t: Translate) -> str:
    """The cards as links, which do without a script too."""
    links = ""
    for number, way in enumerate(asked.ways, 1):
        card = asked.card(way)
        query = urlencode({"card": card, **wanted.filters, "lang": t.language})
        links += (
            f'<a class="chip" data-card-of="{card}" data-number="{number}"'
            f' href="{at}/trouver?{escape(query)}">'
            f"<kbd>{number}</kbd>{escape(pretty(card, t.language))}</a>"
        )
    return f'<p class="by">{escape(t(OPEN))}</p><div class="acts">{links}</div>'


def _answer(asked: Question, chosen: Way, match: str, wanted: Wanted, t: Translate) -> str:
    """Right or not, the lines, and where to go on: behind this question, or from its position."""
    at, after = f"/r/{match}/{asked.deal}/{asked.ply}", f"{match}.{asked.deal}"
    card, holds = pretty(asked.card(chosen), t.language), asked.holds(chosen)
    lost = (asked.best.margin - chosen.margin) * asked.sign
    said = [t(HELD if holds else LOST, card=card)]
    said += [t(LESS, n=lost) if lost else t(BEST)] * holds
    further = urlencode({**wanted.filters, "after": after, "lang": t.language})
    lang = f"?lang={t.language}"
    buttons = "".join(
        f'<button type="button" class="chip" data-line="{one["number"]}">{escape(one["name"])}'
        "</button>"
        for one in reversed(lines_named(HOLDING, t))
    )
    return (
        f'<p class="by {"right" if holds else "wrong"}" role="status">'
        f"<b>{escape(' '.join(said))}</b></p>"
        f'<div class="acts"><a class="chip main" data-number="1"'
        f' href="/r/trouver?{escape(further)}">'
        f"<kbd>1</kbd>{escape(t('Next question'))}</a>{buttons}"
        f'<a class="chip" href="{at}{lang}">{escape(t("The replay"))}</a>'
        f'<a class="chip" href="{at}/suite{lang}">{escape(t("Play on from here"))}</a></div>'
    )


def _table(asked: Question, chosen: Way, t: Translate) -> str:
    """What each card leads to, the best first."""
    table = asked.log.table
    assert table is not None
    sides, rows = side_names(asked.names, table), ""
    for way in sorted(asked.ways, key=lambda way: -way.margin * asked.sign):
        holds = asked.holds(way)
        named = " ".join(["holds"] * holds + ["chosen"] * (way is chosen))
        notes = [t("holds it")] * holds + [t("your card")] * (way is chosen)
        notes += [t("played in this deal")] * (way == asked.laid)
        cells = (
            ", ".join(spoken(table, code, t) for code in way.codes[:-1]),
            ahead(sides, way.margin, way.winner, t),
            " · ".join(notes),
        )
        card = escape(pretty(asked.card(way), t.language))
        rows += f'<tr class="{named}">' if named else "<tr>"
        rows += f'<th scope="row">{card}</th>'
        rows += "".join(f"<td>{escape(one)}</td>" for one in cells) + "</tr>"
    columns = (t("Card"), t("Said before it"), t("At the end, with best play of all"), "")
    heads = "".join(f'<th scope="col">{escape(one)}</th>' for one in columns)
    return f'<table class="both"><tr>{heads}</tr>{rows}</table>'


def none(found: Next, wanted: Wanted, t: Translate) -> Response:
    """The page where there is no question, or none so far."""
    title = t("Find the card")
    if not found.match:
        return plain_page(t, 200, title, t(NO_QUESTIONS), more=home(t))
    further = urlencode({**wanted.filters, "after": found.match, "lang": t.language})
    more = f'<p><a href="/r/trouver?{escape(further)}">{escape(t("Look further"))}</a></p>'
    return plain_page(t, 200, title, t(NONE_OF_LAST, n=found.seen), more=more + home(t))
