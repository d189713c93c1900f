"""Writes the golden playthrough anew: python -m tests.engine.coinche.golden."""

from collections.abc import Iterator
from pathlib import Path

from engine.coinche.actions import LEVELS
from engine.coinche.kernel import BY_CLAIM, PASSED, PLAYED_OUT, RESIGNED, STOPPED
from tests.engine.coinche.table import PACK, SPADES, SWEEP, Race, Table, auction, played

PATH = Path(__file__).parent / "golden" / "tournoi-2018-4.txt"
ENDS = {
    PLAYED_OUT: "played out",
    BY_CLAIM: "claimed",
    RESIGNED: "resigned",
    STOPPED: "stopped",
    PASSED: "passed",
}

SURCOINCHED = "1 pass, 2 bid 60c, 3 pass, 4 bid 70c, 1 bid 120s, 2 pass, 3 pass, 4 pass"
OUT_OF_TURN = "4 coinche, 3 surcoinche"
ALL_TRICKS = "3 bid 60s, 4 pass, 1 bid match-s, 2 pass, 3 pass, 4 pass"
CLAIMED = "3 6s, 4 9c, 1 Js, 2 7h, 1 6h, 2 8h, 3 Ah, 4 Jh, 3 Ad, 4 Tc, 1 7s, 2 6d, 1 claim"

GAME = (
    (SPADES, ", ".join([SURCOINCHED, OUT_OF_TURN, *played()])),
    (("", "", "", ""), "2 pass, 3 pass, 4 pass, 1 pass"),
    (SWEEP, f"{ALL_TRICKS}, {CLAIMED}"),
    # a générale, which nobody may coinche, given up
    (SPADES, "4 pass, 1 bid 80s, 2 bid generale-d, 4 resign"),
    # stopped in the middle of a deal, for nothing
    (SPADES, ", ".join([*auction("60s"), *played(tricks=4), "3 won"])),
)
"""Deals of one game in the tournament's rules, seat 4 dealing first."""


def lines() -> Iterator[str]:
    """One game, move by move: what was done, what it made, what each seat may do next."""
    yield "coinche, tournoi-2018, 4 players"
    race = Race()
    for number, (hands, actions) in enumerate(GAME):
        dealer = (3 + number) % 4 + 1
        table = Table(hands, dealer=dealer)
        yield ""
        yield f"deal {number + 1}, dealer {dealer}"
        for seat in range(1, 5):
            yield f"  {seat}: {' '.join(PACK.names_in(table.state['hand'][seat - 1]))}"
        yield from may(table)
        for action in actions.split(", "):
            table(action)
            yield f"{action:<17}{situation(table)}"
            if not table.over:
                yield from may(table)
        race.add(table)
        yield f"  {ENDS[int(table['outcome'])]}, {table.points} points, {table.marks} marks"
        yield f"  score {race.marks}, dealer {race.dealer}, winner {race.winner}"


def situation(table: Table) -> str:
    """Contract, table and what each side has taken."""
    level = int(table["contract"])
    message = "no bid"
    if level >= 0:
        suit = "shdc"[int(table["trump"])]
        message = f"{LEVELS[level]} {suit} by {int(table['declarer']) + 1}" + "!" * table["coinched"]
    cards = [PACK.names[card] if card >= 0 else "--" for card in table["table"]]
    return f"{message} | {' '.join(cards)} | {table['cards'].tolist()} {table.marks}"


def may(table: Table) -> Iterator[str]:
    """What may be done, bids of one height together."""
    fields: dict[str, list[str]] = {}
    for word in sorted(table.words()):
        seat, _, act = word.partition(" ")
        if act.startswith("bid "):
            act = act.rstrip("shdc").rstrip("-") + "…"
        if act not in ("won", "resign") and act not in fields.setdefault(seat, []):
            fields[seat].append(act)
    for seat, words in fields.items():
        if words:
            yield f"    {seat} may {' '.join(words)}"


if __name__ == "__main__":
    PATH.write_text("\n".join(lines()) + "\n")
