"""Measure the kernels, alone and against other libraries: `python -m benchmarks.competitors`.

Every round runs each library once, on random legal games of its own, then Retourne on the most
comparable game: storing a file, checking it, and replaying its deals only. Times are processor time
of the process with all its threads; ratios compare within one round.
"""

import io
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn
import numpy as np
import pyspiel
from jass.game.game_sim import GameSim
from jass.game.game_util import deal_random_hand
from jass.game.rule_schieber import RuleSchieber
from pokerkit import HandHistory

from benchmarks import MOST, PARTNERS, RULES, Section, arguments, spread, took, write
from benchmarks.ingest import stored
from ingest.api import check
from ingest.reader.canonical import canonicalize
from ingest.reader.sources import source_batches
from ingest.validate.fast_path.deal_arrays import DealArrays, replay_and_count
from ingest.validate.fast_path.decode import decode_matches

WITH_PARTNERS = ("jass-kit", "OpenSpiel")
"""Libraries compared with Retourne's game of partners and bids."""
PLIES = 33
"""Moves of a chess game: as many as a deal of Chouine has actions."""


class Peer(NamedTuple):
    """A library's benchmark of `deals` deals with `actions` actions of players."""

    name: str
    does: str
    deals: int
    actions: int
    run: Callable[[], None]


def peers(deals: int) -> Iterator[Peer]:
    """Yield all libraries' benchmarks; slower libraries get fewer deals."""
    yield from _python_chess(deals // 10)
    yield from _pokerkit(deals // 20)
    yield _jass_kit(deals // 100)
    yield _open_spiel("skat", deals)
    yield _open_spiel("euchre", deals)


def _python_chess(games: int) -> Iterator[Peer]:
    rng = random.Random(1)
    boards = []
    for _ in range(games):
        board = chess.Board()
        while len(board.move_stack) < PLIES and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        boards.append(board)
    text = "\n\n".join(str(chess.pgn.Game.from_board(board)) for board in boards)
    moves = [list(board.move_stack) for board in boards]
    plies = sum(map(len, moves))

    def read() -> None:
        file = io.StringIO(text)
        count = 0
        while (found := chess.pgn.read_game(file)) is not None:
            count += not found.errors
        assert count == games

    def replay() -> None:
        for some in moves:
            board = chess.Board()
            for move in some:
                assert board.is_legal(move)
                board.push(move)

    yield Peer("python-chess", "`read_game`: PGN parsed, each move legal", games, plies, read)
    yield Peer("python-chess", "`is_legal`, `push`", games, plies, replay)


def _pokerkit(games: int) -> Iterator[Peer]:
    """Yield benchmarks of hold'em for two, checked to the showdown."""
    rng = random.Random(1)
    pack = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    hands = []
    for _ in range(games):
        cards = rng.sample(pack, 9)
        hole = ["".join(cards[:2]), "".join(cards[2:4])]
        actions = [f"d dh p1 {hole[0]}", f"d dh p2 {hole[1]}", "p2 cc", "p1 cc"]
        for street in ("".join(cards[4:7]), cards[7], cards[8]):
            actions += [f"d db {street}", "p1 cc", "p2 cc"]
        actions += [f"p1 sm {hole[0]}", f"p2 sm {hole[1]}"]
        hands.append(
            HandHistory(
                variant="FT",
                antes=[0, 0],
                blinds_or_straddles=[1, 2],
                small_bet=2,
                big_bet=4,
                starting_stacks=[200, 200],
                actions=actions,
            )
        )
    texts = [hand.dumps() for hand in hands]
    acts = sum(one.startswith("p") for hand in hands for one in hand.actions)

    def replayed(hand: HandHistory) -> None:
        *_, last = hand
        assert not last.status

    def read() -> None:
        for text in texts:
            replayed(HandHistory.loads(text))

    def replay() -> None:
        for hand in hands:
            replayed(hand)

    yield Peer("pokerkit", "`.phh` read and replayed", games, acts, read)
    yield Peer("pokerkit", "replayed", games, acts, replay)


def _jass_kit(games: int) -> Peer:
    """Return a benchmark of Schieber, 36 cards for four players."""
    np.random.seed(1)
    rule = RuleSchieber()
    deals = []
    for _ in range(games):
        hands, cards = deal_random_hand(), []
        sim = GameSim(rule)
        sim.init_from_cards(hands=hands, dealer=0)
        sim.action_trump(0)
        while not sim.is_done():
            legal = np.flatnonzero(rule.get_valid_cards_from_state(sim.state))
            cards.append(int(np.random.choice(legal)))
            sim.action_play_card(cards[-1])
        deals.append((hands, cards))

    def replay() -> None:
        for hands, cards in deals:
            sim = GameSim(rule)
            sim.init_from_cards(hands=hands, dealer=0)
            sim.action_trump(0)
            for card in cards:
                assert rule.get_valid_cards_from_state(sim.state)[card]
                sim.action_play_card(card)

    acts = sum(1 + len(cards) for _, cards in deals)
    return Peer("jass-kit", "Schieber replayed, each card legal", games, acts, replay)


def _open_spiel(name: str, games: int) -> Peer:
    """Return a benchmark of an OpenSpiel game (C++): one call per card dealt and per action."""
    rng = random.Random(1)
    game = pyspiel.load_game(name)
    histories, acts = [], 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            acts += not state.is_chance_node()
            state.apply_action(rng.choice(state.legal_actions()))
        histories.append(state.history())

    def replay() -> None:
        for history in histories:
            state = game.new_initial_state()
            for action in history:
                state.apply_action_with_legality_check(action)
            assert state.is_terminal()

    does = f"{name} replayed: `apply_action_with_legality_check`"
    return Peer("OpenSpiel", does, games, acts, replay)


class Ours(NamedTuple):
    """Retourne's benchmarks for one game: `ways` are functions that process all its deals."""

    game: str
    deals: int
    numbers: list[DealArrays]
    ways: Mapping[str, Callable[[], None]]

    @property
    def actions(self) -> float:
        """Mean number of actions per deal."""
        return sum(len(part.codes) for part in self.numbers) / self.deals


def ours(game: str, deals: int, folder: Path) -> Ours:
    source, target = folder / f"{game}.jsonl", folder / f"{game}.duckdb"
    count = write(source, game, deals)
    parts = [
        decode_matches(game, canonicalize([one.text for one in batch.texts]), np.arange(len(batch.texts)))
        for batch in source_batches([source])
    ]
    numbers = [part.deal_arrays for part in parts]
    ways = {
        "stored": partial(stored, source, target),
        "checked": partial(checked, source),
        "replayed": partial(replayed, numbers),
    }
    return Ours(game, count, numbers, ways)


def checked(source: Path) -> None:
    """Check a JSON Lines file: a verdict per match."""
    for report in check(source):
        assert report.status == "legal"


def replayed(parts: list[DealArrays]) -> None:
    """Replay deal arrays: a verdict per deal."""
    for part in parts:
        verdicts = replay_and_count(part)
        assert not verdicts.faults.any()


def row(peer: Peer, own: Ours, rounds: int) -> list[str]:
    """Return a row of the table: a library and Retourne's three ways in turn."""
    peer.run()  # warm-up
    spent: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in own.ways}
    for _ in range(rounds):
        spent.append(took(peer.run).processor / peer.deals)
        for name, way in own.ways.items():
            found[name].append(spent[-1] / (took(way).processor / own.deals))
    actions = peer.actions / peer.deals
    cells = [peer.name, peer.does, f"{1e6 * statistics.median(spent):,.1f}", f"{actions:.0f}"]
    cells.append(f"{own.game}, {own.actions:.0f}")
    for ratios in found.values():
        each = statistics.median(ratios) * own.actions / actions
        cells.append(f"{spread(ratios)}, {each:,.1f}")
    return cells


def by_steps(numbers: DealArrays, deals: int) -> float:
    """Return the steps per second when Python calls the kernel for each one."""
    kernel = numbers.game.kernel
    state = np.zeros(1, kernel.State)[0]
    steps, start = 0, time.perf_counter()
    for d in range(min(deals, len(numbers.dealers))):
        rules = numbers.rules[numbers.rule_of[d]]
        kernel.start(state, rules, numbers.players[d], numbers.dealers[d], numbers.decks[d], 0)
        for code in numbers.codes[numbers.offsets[d] : numbers.offsets[d + 1]].tolist():
            kernel.step(state, rules, code)
            steps += 1
    return steps / (time.perf_counter() - start)


def kernels(games: list[Ours], rounds: int) -> Section:
    """Compare each game's bulk kernel with the same kernel called step by step."""
    section = Section(
        *("Kernels", "competitors"),
        "one core, the best round: million steps a second, compiled and called from Python",
    )
    for own in games:
        (numbers, *_) = own.numbers
        best = min(took(partial(replay_and_count, numbers)).processor for _ in range(3 + rounds))
        steps, one = len(numbers.codes) / best / 1e6, by_steps(numbers, 200) / 1e6
        section.item(own.game.capitalize(), f"{steps:.0f}, and {one:.2f} from Python")
    return section


def main() -> None:
    args = arguments("competitors", __doc__, deals=50_000, rounds=5)
    section = Section(
        "Beside other libraries",
        "competitors",
        f"{args.deals:,} distinct deals a game of ours in matches of ten, median of {args.rounds} "
        "rounds with the least and the greatest",
    )
    section.table(
        *("library", "what it does", ">µs a deal", ">actions", "ours, actions", "stored"),
        *("checked", "replayed"),
    )
    with tempfile.TemporaryDirectory() as name:
        games = {game: ours(game, args.deals, Path(name)) for game in RULES}
        kernels([*games.values()], args.rounds).write(args.output)
        for game in (MOST, PARTNERS):
            for way in games[game].ways.values():
                way()  # warm-up
        for peer in peers(args.deals // 5):
            own = games[PARTNERS if peer.name in WITH_PARTNERS else MOST]
            section.row(*row(peer, own, args.rounds))
    section.write(args.output)


if __name__ == "__main__":
    main()
