"""The same number of games through other libraries' readers, on games of their own."""

import io
import random
from collections.abc import Callable

import chess
import chess.pgn
import numpy as np
from jass.game.game_sim import GameSim
from jass.game.game_util import deal_random_hand
from jass.game.rule_schieber import RuleSchieber
from pokerkit import HandHistory

PLIES = 33
"""Moves of a chess game, as many as a deal of Chouine has actions."""


def python_chess(games: int) -> Callable[[], None]:
    """`read_game` on random legal games."""
    rng = random.Random(1)
    texts = []
    for _ in range(games):
        board = chess.Board()
        while len(board.move_stack) < PLIES and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        texts.append(str(chess.pgn.Game.from_board(board)))
    text = "\n\n".join(texts)

    def read() -> None:
        file = io.StringIO(text)
        count = 0
        while chess.pgn.read_game(file) is not None:
            count += 1
        assert count == games

    return read


def pokerkit(games: int) -> Callable[[], None]:
    """Replay of hold'em hands checked to the showdown."""
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

    def replay() -> None:
        for hand in hands:
            *_, last = hand
            assert not last.status

    return replay


def jass_kit(games: int) -> Callable[[], None]:
    """Replay of random legal deals of Schieber, 36 cards as in Coinche."""
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

    return replay
