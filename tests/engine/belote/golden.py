"""Writes the golden playthroughs anew: python -m tests.engine.belote.golden."""

from collections.abc import Iterator
from pathlib import Path

from engine.belote.actions import LEVELS, STRAINS
from engine.belote.kernel import LITIGE, PASSED, PLAYED_OUT, RENOUNCED
from tests.engine.belote.table import PACK, Race, Table

FOLDER = Path(__file__).parent / "golden"
ENDS = {PLAYED_OUT: "played out", PASSED: "passed", RENOUNCED: "renonce", LITIGE: "litige"}

TAKING = "7s 8s 9s 7h 8h 9h 7d 8d 9d 7c 8c 9c Js Qs Jh Qh Jd Qd Jc Qc Kh Ks Ts As Kd Td Ad Th Ah Kc Tc Ac"
"""Hearts turned up; seat 2 is dealt their king, queen, jack and nine."""
HANDS = (
    "Jh 9h Ah Kh Qh As 7d 8d",
    "Th 8h 7h Ks Qs Ad Td 9d",
    "Js Ts 9s 8s Jd Qd 7c 8c",
    "7s Kd Ac Tc Kc Qc Jc 9c",
)
"""Seat 1 has five trumps with the belote, seat 4 a long suit of clubs."""
PLAY = (
    *("1 Jh", "2 7h", "3 8s", "4 7s", "1 9h", "2 8h", "3 9s", "4 9c", "1 Ah", "2 Th", "3 Ts", "4 Jc"),
    *("1 belote", "1 Kh", "2 Qs", "3 Js", "4 Qc", "1 rebelote", "1 Qh", "2 Ks", "3 7c", "4 Kc"),
    *("1 As", "2 9d", "3 8c", "4 Tc", "1 8d", "2 Td", "3 Jd", "4 Kd", "2 Ad", "3 Qd", "4 Ac", "1 7d"),
)
PASSED_OUT = {"classique": (1, 2, 3, 4, 1, 2, 3, 4), "contree": (1, 2, 3, 4), "coinchee": (1, 2, 3, 4)}
CLOSED = ("4 pass", "1 pass", "2 pass")
CONTRED = ("1 bid 100h", "2 contre", "3 pass", "4 pass", "1 surcontre")

GAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "classique": (
        # taken in the first round, played to the end with the lowest legal card
        ("1 pass", "2 take h", "…"),
        ("2 pass", "3 pass", "4 pass", "1 pass", "2 take d", "…"),
    ),
    "contree": (
        (*CONTRED, *PLAY),
        (
            "2 pass",
            "3 bid 80c",
            "4 pass",
            "1 bid 90h",
            "2 pass",
            "3 bid capot-h",
            "4 pass",
            "1 pass",
            "2 pass",
            "…",
        ),
        ("3 bid 80s", "4 pass", "1 pass", "2 pass", "3 Js", "4 7s", "1 As", "2 Ad!", "2 renonce"),
    ),
    "coinchee": (
        ("1 bid 110h", "2 pass", "3 pass", "4 pass", "1 tierce-Ah", *PLAY),
        ("2 pass", "3 pass", "4 bid 160c", "1 contre", "2 pass", "3 pass", "4 pass", "…"),
    ),
}
"""Deals of one game under each preset, seat 4 dealing first; `…`: the rest by the lowest legal card."""


def lines(preset: str) -> Iterator[str]:
    """One game, move by move: what was done, what it made, what the next seat may do."""
    yield f"belote, {preset}, 4 players"
    race = Race(rules=preset)
    all_passed = tuple(f"{seat} pass" for seat in PASSED_OUT[preset])
    for number, words in enumerate((*GAMES[preset], all_passed)):
        dealer = (3 + number) % 4 + 1
        if number == len(GAMES[preset]):
            words = tuple(f"{(int(word[0]) - 1 + number) % 4 + 1} pass" for word in words)
        by_pack = preset == "classique"
        table = Table(rules=preset, dealer=dealer, pack=TAKING if by_pack else "", hands=HANDS)
        yield ""
        yield f"deal {number + 1}, dealer {dealer}"
        yield from hands(table)
        yield from may(table)
        for word in played(table, words):
            yield f"{word:<15}{situation(table)}"
            if " take " in word:
                yield from hands(table)
            if not table.over:
                yield from may(table)
        race.add(table)
        yield f"  {ENDS[int(table['outcome'])]}, {table.points} points, {table.marks} scored"
        yield f"  score {race.score}, waiting {race.waiting}, dealer {race.dealer}, winner {race.winner}"


def played(table: Table, words: tuple[str, ...]) -> Iterator[str]:
    """Do what is written, and after `…` the lowest legal card of each turn to the end."""
    for word in words:
        if word.endswith("!"):  # against the rules
            assert table.faults(word[:-1])
        elif word != "…":
            table(word)
        if word != "…":
            yield word
            continue
        while not table.over:
            word = f"{table.turn} {min(table.plays(), key=PACK.names.index)}"
            table(word)
            yield word


def hands(table: Table) -> Iterator[str]:
    for seat in range(1, 5):
        yield f"  {seat}: {' '.join(PACK.names_in(table.state['hand'][seat - 1]))}"


def situation(table: Table) -> str:
    """Contract, table and what each side has taken."""
    level = int(table["contract"])
    message = "no bid"
    if level >= 0:
        strain = STRAINS[int(table["strain"])]
        message = f"{LEVELS[level]} {strain} by {int(table['declarer']) + 1}" + "!" * table["coinched"]
    cards = [PACK.names[card] if card >= 0 else "--" for card in table["table"]]
    return f"{message} | {' '.join(cards)} | {table['cards'].tolist()} {table.marks}"


def may(table: Table) -> Iterator[str]:
    """What the seats may do, bids of one height together."""
    fields: dict[str, list[str]] = {}
    for word in sorted(table.words()):
        seat, _, act = word.partition(" ")
        if act.startswith("bid "):
            act = "bid capot-…" if "capot" in act else act.rstrip("shdcta") + "…"
        if act != "renonce" and act not in fields.setdefault(seat, []):
            fields[seat].append(act)
    for seat, words in fields.items():
        bids = [act for act in words if act.startswith("bid ") and "capot" not in act]
        others = [act for act in words if act not in bids]
        numbers = sorted(int(act[4:-1]) for act in bids)
        span = [f"bid {numbers[0]}–{numbers[-1]}"] if numbers else []
        if others or span:
            yield f"    {seat} may {' '.join(span + others)}"


if __name__ == "__main__":
    for name in GAMES:
        (FOLDER / f"{name}-4.txt").write_text("\n".join(lines(name)) + "\n")
