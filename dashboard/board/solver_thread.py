"""Solves matches in the background of the pages that show them.

A game's solver is compiled once per machine, which takes seconds, and a long match takes a while to
solve. Until then callers get no result, and call again.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from dashboard.board.states import states_since
from dashboard.games import find_definition
from dashboard.store import LruCache
from dashboard.text.numbers import short_name
from engine.games import Game, game, game_names
from engine.replay import Replay
from engine.solver import best_line
from engine.solver_results import BidRegretReport, EndgameReport, PlayedCard
from ingest.escaping import escape_line
from ingest.findings.spoken_notation import describe_action, describe_word
from ingest.i18n import N_, Translate
from ingest.validate.slow_path import ValidationResult
from ingest.validate.solver_report import SolvedDeal, solved_deals, warm_up_jit

T = TypeVar("T")

WAIT_SECONDS = 0.1
"""Seconds a caller waits for the result."""
MAX_SOLVED_MATCHES = 64
"""Solved matches that are cached."""
MAX_WORST_CARDS = 3
"""Cards listed as the most costly of a match."""
POINTS_LOST = N_("lost: {n}")
BY_ANNOUNCEMENT = N_("depending on the announcement made with it")
ONLY_GOOD_CARD = N_("the only card that loses nothing")
ANALYSIS_PENDING = N_("Retourne is computing the losses: they appear here in a few seconds.")


EndgameValue = dict[str, Any]
_solved_cache: LruCache[Future[Sequence[SolvedDeal]]] = LruCache(MAX_SOLVED_MATCHES)
_compile_lock = threading.Lock()
loaded_code = set[str]()
"""Names of the compiled code that this process has loaded."""


def compile_solvers() -> None:
    """Compile all solvers in the background."""

    def work() -> None:
        for name in game_names():
            _compile_solver(game(name))

    _run_in_thread(work)


def _run_in_thread(work: Callable[[], T]) -> Future[T]:
    """Run `work` in a daemon thread, which does not delay the end of the process."""
    found = Future[T]()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # callers treat a failure like a missing result
            found.set_exception(error)
            raise

    threading.Thread(target=run, daemon=True, name="solver").start()
    return found


def _compile_solver(own: Game) -> None:
    with _compile_lock:
        warm_up_jit(own)
        loaded_code.add(f"solver of {own.name}")


def solve_match(log: ValidationResult, wait_seconds: float = WAIT_SECONDS) -> Sequence[SolvedDeal] | None:
    """Return the match's solved deals; None: not yet."""
    table = log.setup
    if log.match is None or table is None:
        return ()

    def work() -> Sequence[SolvedDeal]:
        _compile_solver(table.game)
        return tuple(solved_deals(log, "", 1))

    match = _solved_cache.get((log.match_id, table.rules.tobytes()), lambda: _run_in_thread(work))
    wait([match], wait_seconds)
    return match.result() if match.done() and match.exception() is None else None


def deal_value(
    log: ValidationResult, deal: int, t: Translate, deals: Sequence[SolvedDeal] | None = None
) -> EndgameValue | None:
    """Return the values of a deal, from 0, for the board; None: no deal of the match can be solved.

    `deals` are the match's solved deals; by default they are solved in the background.
    """
    if log.match is None or log.setup is None:
        return None
    deals = solve_match(log) if deals is None else deals
    nothing: EndgameValue = {"from": None, "margins": [], "turning": None, "plays": {}, "lines": []}
    fields = nothing | {"waiting": "", "reason": "", "bids": "", "worst": []}
    term = "bid-lost" if log.setup.game.bid_regret else "points-lost"
    fields |= {"about": find_definition(term).text_in(t), "term": term}
    if deals is None:
        return fields | {"waiting": t(ANALYSIS_PENDING)}
    own, replay = deals[deal].solved, log.replays[deal]
    fields["worst"] = _worst_cards(log, deals, t)
    names = [escape_line(player.display_name) for player in log.match.players]
    if isinstance(own, BidRegretReport):
        bids = deals[deal].bid_lines(t, [short_name(name) for name in names])
        return fields | {"bids": " · ".join(bids)}
    if not isinstance(own, EndgameReport) or replay is None:
        return fields | {"reason": deals[deal].reason(t)}
    return fields | {
        "from": own.first_action,
        "margins": _best_margins(own, replay),
        "turning": None if own.turning_action is None else own.turning_action + 1,
        "plays": {play.action + 1: _card_value(replay, play, t) for play in own.plays},
        "lines": [
            # the line of best play, from the turn of a costly card
            {"from": start, "at": play.action + 1, **states_since(best, log.setup, names, t, start)}
            for play in own.plays
            if play.lost
            for start, best in [best_line(replay, play.action)]
        ],
    }


def _best_margins(own: EndgameReport, replay: Replay) -> list[int]:
    """Return the margin with best play from each state on; a costly turn changes it at its card."""
    game, margin = replay.game, own.points_lead + own.margin
    lost = {play.action + 1: play for play in own.plays}
    margins = []
    for ply in range(own.first_action, len(replay)):
        if play := lost.get(ply):
            side = play.seat % 2 if game.partners else play.seat
            margin -= play.lost * (1 - 2 * side)
        margins.append(margin)
    return margins


def _card_value(replay: Replay, play: PlayedCard, t: Translate) -> EndgameValue:
    """Return the loss and the comment of a card; a forced card has no comment."""
    game = replay.game
    done, before = replay[play.action + 1].action, replay[play.action]
    assert done is not None
    kinds = [game.acts.kind_of_act(one.act) for one in before.legal]
    if kinds.count("play") < 2 and not play.lost:
        return {"lost": 0, "text": ""}
    others = [card for card in play.best_cards if card != done.act]
    cards = ", ".join(describe_word(t, game.pack.names[card], game.name) for card in others)
    if not play.lost:
        return {"lost": 0, "text": t("equally good: {cards}", cards=cards) if cards else t(ONLY_GOOD_CARD)}
    held = t(BY_ANNOUNCEMENT) if done.act in play.best_cards else t("no loss with {cards}", cards=cards)
    return {"lost": play.lost, "text": f"{t(POINTS_LOST, n=play.lost)} – {held}"}


def _worst_cards(log: ValidationResult, deals: Sequence[SolvedDeal], t: Translate) -> list[EndgameValue]:
    """Return the cards that lost the most, the first of equal ones, as `Deal 3 · Jean R♦`."""
    found = [
        (play, one.deal_index)
        for one in deals
        if isinstance(one.solved, EndgameReport)
        for play in one.solved.plays
        if play.lost
    ]
    found.sort(key=lambda one: -one[0].lost)
    worst = []
    for play, deal in found[:MAX_WORST_CARDS]:
        result = log.known_match.deals[deal].actions[play.action]
        who = short_name(escape_line(log.known_match.players[int(result.partition(" ")[0]) - 1].display_name))
        message = f"{t('Deal {n}', n=deal + 1)} · {who} {describe_action(t, result, log.known_match.game)}"
        at = {"deal": deal + 1, "ply": play.action + 1}
        worst.append(at | {"text": message, "lost": t(POINTS_LOST, n=play.lost)})
    return worst
