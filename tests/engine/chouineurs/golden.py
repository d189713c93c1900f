"""Golden playthroughs: a match written line by line, and written again from its own actions.

Written once by `python -m tests.engine.chouineurs.golden`; a change of a line is a change
of the rules.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine import simulate
from engine.chouineurs import GAME
from engine.chouineurs import match as flow
from engine.chouineurs.deck import BidCards, bids_in_row, hands_in_row, read_row, sorted_hand
from engine.replay import Replay
from tests.engine.chouineurs.table import DECK, WORDS, rules, word

FOLDER = Path(__file__).with_name("golden")
BIDS = BidCards()


def match_text(players: int, deals: Sequence[tuple[int, np.ndarray, Sequence[int]]]) -> str:
    """The text of a match; a deal is (first leader from 0, row, codes)."""
    own = rules()
    match = np.zeros(1, flow.Match)[0]
    flow.open_match(match, own, players, -1, -1, -1)
    lines = [f"chouineurs blam retourne, {players} players"]
    for leader, row, codes in deals:
        replay = Replay(GAME, own, players, leader, row, codes)
        assert replay.faults == []
        assert flow.open_deal(match, leader) == 0
        lines += ["", f"manche {match['manche'] + 1}, {leader + 1} leads"]
        for seat, bid in enumerate(bids_in_row(row, players)):
            hand = " ".join(sorted_hand(replay[0].state, DECK, seat))
            lines.append(f"hand {seat + 1} {BIDS.names[bid]}: {hand}")
        for ply in list(replay)[1:]:
            state = ply.state
            owed = [str(seat + 1) for seat in range(players) if state["owed"] >> seat & 1]
            message = f"{word(ply.action.code) if ply.action else '':12}"
            text = f"turn {ply.turn + 1} tricks {state['won'][:players]} points {ply.points}"
            lines.append(
                f"{message}{text} reserve {state['reserve']} owed {'+'.join(owed) or '-'}"
                f" legal {len(ply.legal)}"
            )
        flow.close_deal(match, own, replay.last.state, False)
        spent = [
            ",".join(BIDS.names[bid] for bid in flow.spent_bids(match, seat)) or "-"
            for seat in range(players)
        ]
        lines.append(f"total {flow.score(match)} spent {' '.join(spent)}")
        lines.append(f"next {flow.next_openers(match)}")
    lines += ["", f"winner {match['winner'] + 1 if match['over'] else '?'}"]
    return "\n".join(lines) + "\n"


def retell(text: str) -> str:
    """Read a golden text's hands, bids and actions, and tell the match again."""
    head, *blocks = text.split("\n\n")
    players = int(head.split()[-2])
    deals = []
    for block in blocks[:-1]:
        first, *lines = block.split("\n")
        hands = [line for line in lines if line.startswith("hand ")]
        row, problems = read_row(
            [line.split(": ")[1] for line in hands],
            [line.split(":")[0].split()[2] for line in hands],
            DECK,
            BIDS,
            players,
            7,
        )
        assert row is not None, problems
        actions = [line[:12].strip() for line in lines[players:-2]]
        deals.append((int(first.split()[-2]) - 1, row, [WORDS[item] for item in actions]))
    return match_text(players, deals)


def main() -> None:
    """Write the texts anew, from simulated matches."""
    FOLDER.mkdir(exist_ok=True)
    for players in GAME.players:
        match = next(simulate.simulate_matches(GAME, rules(), players, 1, 18 + players))
        deals = [(deal.dealer, deal.deck, list(deal.codes)) for deal in match.deals]
        assert all(len(hand) == 7 for hand in hands_in_row(deals[0][1], players))
        (FOLDER / f"blam-{players}.txt").write_text(match_text(players, deals), encoding="utf-8")


if __name__ == "__main__":
    main()
