"""Other libraries' readers and replays, on random legal games of their own."""

import io
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import chess
import chess.pgn
import numpy as np
import pyspiel
from jass.game.game_sim import GameSim
from jass.game.game_util import deal_random_hand
from jass.game.rule_schieber import RuleSchieber
from pokerkit import HandHistory

PLIES = 33
"""Moves of a chess game, as many as a deal of Chouine has actions."""


class Peer(NamedTuple):
    """What a library does with `deals` of its own, in which players act `actions` times."""

    name: str
    does: str
    deals: int
    actions: int
    run: Callable[[], None]


def peers(deals: int) -> Iterator[Peer]:
    """All of them; the slower a library, the fewer deals it has."""
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
    """Hold'em at two, checked to the showdown."""
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
    """Schieber, 36 cards to four players."""
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
    """A game of OpenSpiel, which is C++ within: a call for each card dealt and each act."""
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
