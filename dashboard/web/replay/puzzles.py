"""Puzzles: endgame positions where one card decides the winner."""

import time
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.responses import Response

from dashboard.api.problems import Problem
from dashboard.base_path import browser_path
from dashboard.board import read_file
from dashboard.board.states import board_states
from dashboard.queries import matches, player_search
from dashboard.queries.endgame_losses import matches_without_turning_point
from dashboard.queries.matches import MatchFilter
from dashboard.store import LruCache, open_store
from dashboard.text.numbers import short_name
from dashboard.web.html_pages import home_link
from dashboard.web.html_pages import html_page as plain_page
from dashboard.web.replay import replay_page
from dashboard.web.replay.replay_urls import (
    StoredMatch,
    board_context,
    find_match,
    validated_match,
    with_card_images,
)
from dashboard.web.replay.variation import (
    OWN_LINE,
    action_text,
    lead_text,
    line_names,
    replayable_deal,
    side_names,
)
from engine import continuation
from engine.actions import decode_action
from engine.cards import card_label
from engine.continuation import CardOption
from engine.games import game, game_names
from engine.replay import Replay
from engine.solver import best_line, solve_deal
from engine.solver_results import EndgameReport
from ingest.escaping import escape_line
from ingest.i18n import N_, Translate
from ingest.validate.slow_path import ValidationResult

UNKNOWN_PLAYER = N_("The store has no such player.")
WIN_QUESTION = N_("Your turn as {who}: which card still wins?")
DRAW_QUESTION = N_("Your turn as {who}: which card keeps it level?")
OPEN_HANDS_NOTE = N_("All hands are open, unlike at the table.")
NOTHING_LOST = N_("Nothing is lost with it.")
POINTS_LESS = N_("The gap is {n} points less than with the best card.")
SOLUTION_HEADING = N_("Best move")
NO_PUZZLES = N_("There are none yet: in no match here did a card at the end change who wins.")
NO_PUZZLE_IN_LAST = N_("None was found in the last {n} matches looked at.")
MATCHES_PER_QUERY, MAX_MATCHES, MAX_SECONDS = 50, 100, 2.0
"""Matches listed per query; matches solved per request; seconds per request."""
MAX_PARAMETER_CHARS = 200
"""Characters of a query parameter."""

_compiled_games = set[str]()
"""Games of which a match was solved in this process."""
_puzzle_cache: LruCache[tuple[int, ...]] = LruCache(4000)


class Puzzle(NamedTuple):
    """A position where some cards keep the winning result and others do not."""

    log: ValidationResult
    deal: int
    """Number from 1."""
    ply: int
    before: Replay
    """The deal up to the position."""
    played: Replay
    moves: tuple[CardOption, ...]
    """All cards that may be played, by number."""

    @property
    def seat(self) -> int:
        return self.before.last.turn

    @property
    def names(self) -> list[str]:
        return [escape_line(one.display_name) for one in self.log.known_match.players]

    @property
    def best_move(self) -> CardOption:
        """Return the first card that loses nothing."""
        return max(self.moves, key=lambda way: way.margin * self.side_sign)

    @property
    def side_sign(self) -> int:
        """Return 1 if side 1 is to act, -1 if side 2 is."""
        return continuation.side_sign(self.before.game, self.seat)

    def holds_result(self, move: CardOption) -> bool:
        """Return whether a card leads to the same winner as the best card."""
        return move.winner == self.best_move.winner

    @property
    def played_move(self) -> CardOption | None:
        """Return the card played in the log, None if none was."""
        done = self.played.applied_codes
        act = decode_action(int(done[self.ply])).act if self.ply < len(done) else -1
        return next((way for way in self.moves if way.card == act), None)

    def card_name(self, move: CardOption) -> str:
        return self.before.game.pack.names[move.card]


def find_puzzle(match: StoredMatch, number: int, ply: int) -> Puzzle:
    """Return the puzzle at a position. Problem: there is none."""
    log, replay = replayable_deal(match, number)
    requested = _puzzle_at(log, number, replay, ply) if ply < len(replay) else None
    if requested is None:
        raise Problem(404, N_("No question at this position: no card here decides the winner."))
    return requested


def _puzzle_at(log: ValidationResult, number: int, replay: Replay, ply: int) -> Puzzle | None:
    before = replay.branch(ply, ())
    ways = continuation.card_options(before)
    if not ways:
        return None
    requested = Puzzle(log, number, ply, before, replay, tuple(ways))
    return requested if {requested.holds_result(way) for way in ways} == {True, False} else None


def puzzle_positions(match: StoredMatch) -> tuple[int, ...]:
    """Return by deal the position where a card changed the winner, -1 if there is none."""

    def turned() -> Iterator[int]:
        log = validated_match(match)
        for number, replay in enumerate(log.replays, 1):
            at = -1
            if replay is not None and continuation.can_continue(replay):
                solved = solve_deal(replay)
                turning = solved.turning_action if isinstance(solved, EndgameReport) else None
                requested = None if turning is None else _puzzle_at(log, number, replay, turning)
                if (
                    requested is not None
                    and requested.played_move is not None
                    and not requested.holds_result(requested.played_move)
                ):
                    at = requested.ply
            yield at

    return _puzzle_cache.get(match.digest, lambda: tuple(turned()))


class PuzzleFilter(NamedTuple):
    """Filters of puzzles, and the one to continue after, from an address."""

    player: str = ""
    event: str = ""
    game: str = ""
    after: str = ""
    """A match, or a deal of it: `3dc2….5`."""

    @classmethod
    def from_query(cls, query: QueryParams) -> "PuzzleFilter":
        return cls(*(query.get(key, "")[:MAX_PARAMETER_CHARS] for key in cls._fields))

    @property
    def filters(self) -> dict[str, str]:
        """Return the parameters that stay the same from puzzle to puzzle."""
        return {key: one for key, one in self._asdict().items() if one and key != "after"}

    def match_filter(self) -> MatchFilter:
        """Return the filter of matches. Problem: unknown player."""
        known = player_search.player_by_id(open_store().cursor(), self.player) if self.player else None
        if self.player and known is None:
            raise Problem(404, UNKNOWN_PLAYER)
        players = (known[0],) if known else ()
        return MatchFilter(players=players, event=self.event or None, game=self.game or None)


class NextPuzzle(NamedTuple):
    """The next puzzle, or how far the search came."""

    match: str
    """Match id of the puzzle, or of the last match searched; empty after the last match."""
    deal: int = 0
    ply: int = 0
    matches_searched: int = 0
    """Matches that were searched."""

    @property
    def is_found(self) -> bool:
        return self.deal > 0


def next_puzzle(puzzle_filter: PuzzleFilter) -> NextPuzzle:
    """Search the latest matches for the next puzzle, within the limits of one request."""
    which, cursor, end = (puzzle_filter.match_filter(), open_store().cursor(), time.monotonic() + MAX_SECONDS)
    match, _, deal = puzzle_filter.after.partition(".")
    number, behind = (open_store().find_match(match) if match else None, int(deal) if deal.isdecimal() else 0)
    place = None if number is None else matches.sort_position(cursor, number)
    if place is not None and behind and (requested := _next_in_match(match, behind)).is_found:
        return requested
    seen = solved = 0
    while True:
        frame = matches.match_page(cursor, which, MATCHES_PER_QUERY, after=place)
        quiet = matches_without_turning_point(cursor, frame["match_no"].to_list())
        for row in frame.iter_rows(named=True):
            seen += 1
            own = row["game"] in game_names() and game(row["game"]).solver is not None
            if own and not row["is_score_sheet"] and row["match_no"] not in quiet:
                solved += 1
                requested = _next_in_match(row["match_id"], 0)
                if row["game"] not in _compiled_games:  # compiling the game may have used up the time limit
                    _compiled_games.add(row["game"])
                    end = time.monotonic() + MAX_SECONDS
                if requested.is_found:
                    return requested
            if solved >= MAX_MATCHES or time.monotonic() > end:
                return NextPuzzle(row["match_id"], matches_searched=seen)
        if frame.height < MATCHES_PER_QUERY:
            return NextPuzzle("", matches_searched=seen)
        place = matches.sort_position(cursor, frame["match_no"][-1])


def _next_in_match(match: str, behind: int) -> NextPuzzle:
    try:
        found = find_match(match)
        requested = puzzle_positions(found)
    except Problem:  # deleted meanwhile, or no deal can be shown
        return NextPuzzle("")
    further = (at for at in enumerate(requested, 1) if at[0] > behind and at[1] >= 0)
    return next((NextPuzzle(found.id, *at) for at in further), NextPuzzle(""))


def puzzle_page(
    match: StoredMatch, puzzle: Puzzle, card: str, puzzle_filter: PuzzleFilter, t: Translate
) -> str:
    """Return the page as HTML. Problem: the card may not be played."""
    chosen = next((way for way in puzzle.moves if puzzle.card_name(way) == card), None)
    if card and chosen is None:
        raise Problem(404, N_("{card} cannot be played here."), card=card[:MAX_PARAMETER_CHARS])
    replay = browser_path(f"/r/{match.id}/{puzzle.deal}")
    at = f"{replay}/{puzzle.ply}"
    lines = line_names(SOLUTION_HEADING, t) if chosen else [{"number": OWN_LINE, "name": "", "label": ""}]
    board = _board_data(puzzle, chosen, t)
    text = WIN_QUESTION if puzzle.best_move.winner == puzzle.side_sign else DRAW_QUESTION
    title = t(text, who=short_name(puzzle.names[puzzle.seat]))
    about = board_context(match, t, with_player_links=False)
    about["head"] |= {"deals": lines, "sheet": None, "state": ""}
    data = board | about | {
        "share": None,
        "light": True,
        "ply": puzzle.ply,
        "logged": f"{replay}.json?lang={t.language}",
        "key": f"{match.id}/{puzzle.deal}/{puzzle.ply}",
        "answered": chosen is not None,
        "right": chosen is not None and puzzle.holds_result(chosen),
        "at": puzzle.ply,
        "seat": puzzle.seat,
        "labels": {"score": t("Right so far: {right} of {total}", right="{right}", total="{total}")},
    }  # fmt: skip
    if chosen is None:
        result, table = _card_links(puzzle, at, puzzle_filter, t), ""
    else:
        result = _answer_html(puzzle, chosen, match.id, puzzle_filter, t)
        table = _moves_table(puzzle, chosen, t)
    state = board["plies"][puzzle.ply]
    rows = [  # for readers without scripts
        name + replay_page.colon_text(t) + " · ".join(replay_page.spoken_cards(seat["hand"], board))
        for name, seat in zip(puzzle.names, state["seats"], strict=True)
    ]
    listing = replay_page.html_list(
        map(
            escape,
            [*rows, *replay_page.table_cards_text(state, board, t), *replay_page.deal_facts_text(state, t)],
        )
    )
    query = urlencode(puzzle_filter.filters | ({"card": card} if card else {}))
    body = f"""<main class="with-own"><h1>{escape(title)}</h1>{read_file("board.html")}
<section class="own-line question" aria-label="{escape(title)}">
<div class="doing"><p class="prompt">{escape(title)}</p>{result}</div>
{table}<noscript>{listing}</noscript></section></main>
<nav class="onward">{replay_page.product_link()}
<span class="score" role="status"></span>
{replay_page.language_link(f"{at}/trouver", query, t)}</nav>"""
    return replay_page.board_document(title, "puzzle-page.js", replay_page.NOINDEX_META, body, data, t)


def _board_data(puzzle: Puzzle, chosen: CardOption | None, t: Translate) -> dict[str, Any]:
    """Return the deal up to the puzzle; once answered, also the line that keeps the result."""
    replay = puzzle.before
    if chosen is not None:
        way = chosen if puzzle.holds_result(chosen) else puzzle.best_move
        after = puzzle.before.branch(puzzle.ply, way.codes)
        _, replay = best_line(after, len(after) - 1)
    return with_card_images(board_states(replay, puzzle.log.known_setup, puzzle.names, t)) | {
        "deal": OWN_LINE
    }


def _card_links(puzzle: Puzzle, at: str, puzzle_filter: PuzzleFilter, t: Translate) -> str:
    """Return the cards as links, which work without scripts."""
    links = ""
    for number, way in enumerate(puzzle.moves, 1):
        card = puzzle.card_name(way)
        query = urlencode({"card": card, **puzzle_filter.filters, "lang": t.language})
        links += (
            f'<a class="chip" data-card-of="{card}" data-number="{number}"'
            f' href="{at}/trouver?{escape(query)}">'
            f"<kbd>{number}</kbd>{escape(card_label(card, t.language))}</a>"
        )
    return f'<p class="by">{escape(t(OPEN_HANDS_NOTE))}</p><div class="acts">{links}</div>'


def _answer_html(
    puzzle: Puzzle, chosen: CardOption, match: str, puzzle_filter: PuzzleFilter, t: Translate
) -> str:
    """Return whether the card is right, the lines, and links to the next puzzle and to play on."""
    at, after = browser_path(f"/r/{match}/{puzzle.deal}/{puzzle.ply}"), f"{match}.{puzzle.deal}"
    card, holds = card_label(puzzle.card_name(chosen), t.language), puzzle.holds_result(chosen)
    lost = (puzzle.best_move.margin - chosen.margin) * puzzle.side_sign
    items = [t(N_("{card}: best move.") if holds else N_("{card} gives the win away."), card=card)]
    items += [t(POINTS_LESS, n=lost) if lost else t(NOTHING_LOST)] * holds
    further = urlencode({**puzzle_filter.filters, "after": after, "lang": t.language})
    lang = f"?lang={t.language}"
    buttons = "".join(
        f'<button type="button" class="chip" data-line="{one["number"]}">{escape(one["name"])}</button>'
        for one in reversed(line_names(SOLUTION_HEADING, t))
    )
    return (
        f'<p class="by {"right" if holds else "wrong"}" role="status">'
        f"<b>{escape(' '.join(items))}</b></p>"
        f'<div class="acts"><a class="chip main" data-number="1"'
        f' href="{browser_path("/r/trouver")}?{escape(further)}">'
        f"<kbd>1</kbd>{escape(t('Next question'))}</a>{buttons}"
        f'<a class="chip" href="{at}{lang}">{escape(t("The replay"))}</a>'
        f'<a class="chip" href="{at}/suite{lang}">{escape(t("Play on from here"))}</a></div>'
    )


def _moves_table(puzzle: Puzzle, chosen: CardOption, t: Translate) -> str:
    table = puzzle.log.known_setup
    sides, rows = side_names(puzzle.names, table), ""
    for way in sorted(puzzle.moves, key=lambda way: -way.margin * puzzle.side_sign):
        holds = puzzle.holds_result(way)
        named = " ".join(["holds"] * holds + ["chosen"] * (way is chosen))
        notes = [t("holds it")] * holds + [t("your card")] * (way is chosen)
        notes += [t("played in this deal")] * (way == puzzle.played_move)
        cells = (
            ", ".join(action_text(table, code, t) for code in way.codes[:-1]),
            lead_text(sides, way.margin, way.winner, t),
            " · ".join(notes),
        )
        card = escape(card_label(puzzle.card_name(way), t.language))
        rows += f'<tr class="{named}">' if named else "<tr>"
        rows += f'<th scope="row">{card}</th>'
        rows += "".join(f"<td>{escape(one)}</td>" for one in cells) + "</tr>"
    columns = (t("Card"), t("Announced first"), t("At the end, with best play of all"), "")
    heads = "".join(f'<th scope="col">{escape(one)}</th>' for one in columns)
    return f'<table class="both"><tr>{heads}</tr>{rows}</table>'


def no_puzzle_page(found: NextPuzzle, puzzle_filter: PuzzleFilter, t: Translate) -> Response:
    """Return the page that reports no (further) puzzle, or none so far."""
    title = t("Find the card")
    if not found.match:
        return plain_page(t, 200, title, t(NO_PUZZLES), markup=home_link(t))
    further = urlencode({**puzzle_filter.filters, "after": found.match, "lang": t.language})
    more = f'<p><a href="{browser_path("/r/trouver")}?{escape(further)}">{escape(t("Look further"))}</a></p>'
    return plain_page(
        t, 200, title, t(NO_PUZZLE_IN_LAST, n=found.matches_searched), markup=more + home_link(t)
    )
