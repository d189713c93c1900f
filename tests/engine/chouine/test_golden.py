"""One whole deal for every preset and table, replayed line by line.

`golden/PRESET-PLAYERS.txt` reads as a game does: who does what, then the trump, the hands,
who leads or plays next and the points. After a change of rules that is meant to show:

    python -m tests.engine.chouine.test_golden
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import simulate
from engine.actions import ACT_MASK
from engine.chouine.actions import ANNOUNCE, SEPT, UNSHOWN
from engine.games import game
from engine.options import encode_rules, game_presets, resolve_options
from engine.replay import Ply, Replay
from schemas.notation import action_codes, action_notation

GOLDEN = Path(__file__).parent / "golden"
PACK = game("chouine").pack
TABLES = [
    (preset, players)
    for preset in game_presets("chouine")
    for players in (2, 3, 4)
    if preset != "regles-completes" or players == 2  # a text for two players
]


def place(preset: str, players: int) -> Path:
    return GOLDEN / f"{preset}-{players}.txt"


def replay_of(preset: str, players: int, dealer: int, deck: list[int], words: list[str]) -> Replay:
    rules = encode_rules("chouine", resolve_options("chouine", preset, players))
    played = [action_codes("chouine")[word] for word in words]
    return Replay(game("chouine"), rules, players, dealer, deck, played)


def state_line(ply: Ply, players: int) -> str:
    state = ply.state
    hands = " | ".join(" ".join(PACK.names_in(int(state["hand"][seat]))) or "-" for seat in range(players))
    trump = "-" if state["trump"] < 0 else PACK.names[8 * int(state["trump"])][1]
    points = " ".join(map(str, ply.points))
    left = int(state["talon_size"] - state["drawn"])
    turn = "end" if ply.is_over else f"turn {ply.turn + 1}"
    return f"trump {trump}, talon {left:2}, {turn}, points {points}: {hands}"


def lines(replay: Replay, preset: str, deck: list[int]) -> Iterator[str]:
    players = replay.players
    yield f"rules {preset}, {players} players, dealer {int(replay[0].state['dealer']) + 1}"
    yield "deck " + " ".join(PACK.names[card] for card in deck)
    yield f"{'':14} {state_line(replay[0], players)}"
    for ply in replay[1:]:
        assert ply.action is not None
        marks = "".join(f"  ! {fault.code}" for fault in ply.faults)
        word = action_notation("chouine", ply.action.code)
        yield f"{word:14} {state_line(ply, players)}{marks}"
    last = replay.last.state
    winner = int(last["winner"]) + 1
    how = ("unfinished", "played out", "chouine", "resigned", "penalty", "replayed")
    yield f"{how[int(last['outcome'])]}, winner {winner if winner > 0 else 'nobody'}"


def read(path: Path) -> tuple[int, list[int], list[str], list[str]]:
    """(dealer from 0, deck, actions, every line) of a golden file."""
    rows = path.read_text(encoding="utf-8").splitlines()
    dealer = int(rows[0].rsplit(" ", 1)[1]) - 1
    deck = [PACK.code_entries[card] for card in rows[1].split()[1:]]
    words = [row[:14].rstrip() for row in rows[3:-1]]
    return dealer, deck, words, rows


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_golden_playthrough(preset: str, players: int) -> None:
    dealer, deck, words, rows = read(place(preset, players))
    replay = replay_of(preset, players, dealer, deck, words)
    for expected, got in zip(rows, lines(replay, preset, deck), strict=True):
        assert got == expected


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_golden_playthrough_is_legal_and_shows_something(preset: str, players: int) -> None:
    dealer, deck, words, rows = read(place(preset, players))
    replay = replay_of(preset, players, dealer, deck, words)
    assert replay.faults == []
    assert replay.last.is_over
    assert any("mariage" in word for word in words)
    assert rows[-1].startswith("played out")


def test_every_preset_has_a_playthrough() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {place(*table).name for table in TABLES}
    assert {preset for preset, _ in TABLES} == set(game_presets("chouine"))


def is_rich(deal: simulate.SimulatedDeal, preset: str) -> bool:
    """Three announcements shown, an exchange where there is one, and no table act."""
    acts = [int(code) & ACT_MASK for code in deal.codes]
    shown = [act for act in acts if ANNOUNCE <= act < UNSHOWN]
    return (
        len(shown) >= 3
        and len(set(shown)) >= 3
        and (preset == "mondoubleau" or SEPT in acts)
        and not any(act >= 70 or UNSHOWN <= act < SEPT for act in acts)
    )


def write() -> None:
    """Write every playthrough anew, from simulated deals that show much."""
    GOLDEN.mkdir(exist_ok=True)
    for preset, players in TABLES:
        rules = encode_rules("chouine", resolve_options("chouine", preset, players))
        habits = ["careful", "greedy"] * 2
        found = (
            (deal, replay)
            for match in simulate.simulate_matches(
                game("chouine"), rules, players, 10_000, 1, habits[:players]
            )
            for deal in match.deals
            if is_rich(deal, preset)
            for replay in [
                replay_of(
                    preset,
                    players,
                    deal.dealer,
                    deal.deck.tolist(),
                    [action_notation("chouine", code) for code in deal.codes],
                )
            ]
            if replay.last.state["outcome"] == 1 and replay.last.state["trump"] >= 0
        )
        deal, replay = next(found)
        text = "\n".join(lines(replay, preset, deal.deck.tolist())) + "\n"
        place(preset, players).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
