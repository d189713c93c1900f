"""A deal recorded in part on the board: unknown cards lie face down, and nothing guessed is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from dashboard.board.states import board_states
from engine.replay import Replay
from ingest.i18n import translator
from ingest.validate.slow_path import validate

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"


def board(name: str, deal: int = 0, language: str = "en") -> tuple[dict[str, Any], Replay]:
    return board_of((DATA / f"{name}.json").read_bytes(), deal, language)


def board_of(text: bytes, deal: int = 0, language: str = "en") -> tuple[dict[str, Any], Replay]:
    found = validate(text)
    replay, played = found.replays[deal], found.setup
    assert replay is not None
    assert played is not None
    names = [f"player {seat + 1}" for seat in range(replay.players)]
    return board_states(
        replay, played, names, translator(language, "dashboard"), found.findings, deal
    ), replay


def hands(data: dict[str, Any], ply: int) -> list[list[str]]:
    return [seat["hand"] for seat in data["plies"][ply]["seats"]]


def test_cards_nobody_wrote_down_lie_face_down() -> None:
    data, _ = board("feuille-partielle", 2)
    own, other = hands(data, 0)
    assert sorted(own) == ["7d", "8h", "Jh", "Kc", "Qc"]
    assert other == ["9s", "??", "??", "??", "??"]  # the card led was in the hand
    assert data["faces"]["??"] == {"src": data["back"], "label": "unknown card"}


def test_in_the_closed_phase_every_card_is_known_by_what_was_played() -> None:
    data, replay = board("feuille-partielle", 0)
    closed = next(ply.index for ply in replay if int(ply.state["drawn"]) == 22)
    assert all("??" not in hand for ply in range(closed, len(replay)) for hand in hands(data, ply))
    assert "??" in hands(data, 0)[0]


def test_a_card_turned_up_that_nobody_wrote_down_is_not_shown() -> None:
    result, _ = board("feuille-partielle", 1)
    hidden, _ = board("feuille-partielle", 0)
    assert next(pile["card"] for pile in result["plies"][0]["piles"]) == "8h"
    assert all(pile["card"] is None for ply in hidden["plies"] for pile in ply["piles"])


def test_points_that_hang_on_unknown_cards_are_not_given() -> None:
    data, _ = board("feuille-partielle", 1)
    last = data["plies"][-1]["seats"]
    assert [seat["points"] for seat in last] == ["?", 57]


def teams(game: str, rules: str, hand: str, *actions: str) -> dict[str, Any]:
    """The last state of a deal of which only cards of the first hand were written down."""
    deal = {"dealer": 4, "hands": [hand, "??", "??", "??"], "actions": ["1 bid 80h", *actions]}
    log = {"format": "retourne/1", "game": game, "rules": rules, "deals": [deal]}
    players = [{"id": str(seat)} for seat in range(1, 5)]
    data, _ = board_of(json.dumps(log | {"players": players}).encode())
    found: dict[str, Any] = data["plies"][-1]
    return found


@pytest.mark.parametrize(
    ("hand", "lines"),
    [
        # who does not hold it brings its points to the others
        ("??", [["Tricks: 0", "Announcements: ?"], ["Tricks: 0", "Announcements: ?"]]),
        ("7s 8s 9s ?? ?? ?? ?? ??", [["Tricks: 0", "Announcements: 20"], ["Tricks: 0"]]),
    ],
)
def test_an_announcement_counts_for_a_team_if_every_possible_deal_has_it(
    hand: str, lines: list[list[str]]
) -> None:
    last = teams("belote", "coinchee", hand, "2 pass", "3 pass", "4 pass", "1 tierce-9s", "1 7s")
    assert [side["lines"] for side in last["sides"]] == lines
    assert [[note["counts"] for note in seat["notes"]] for seat in last["seats"]] == [[True] * 2, [], [], []]


def test_a_result_that_hangs_on_unknown_cards_is_not_given() -> None:
    last = teams("coinche", "tournoi-2018", "??", "2 pass", "3 pass", "4 pass", "1 claim")
    assert last["also"] == ["The result depends on cards that were not recorded."]
    assert [(side["points"], side["lines"][-1]) for side in last["sides"]] == [("?", "Score: ?")] * 2
    assert "Result" not in [fact["label"] for fact in last["facts"]]


def test_a_deal_recorded_whole_has_no_unknown_card() -> None:
    data, _ = board("match-lavardin")
    assert "??" not in data["faces"]


def test_every_game_shows_what_is_known() -> None:
    coinche, _ = board("fautes/coinche/not-checkable")
    assert hands(coinche, 0)[0] == ["Ah", *["??"] * 8]
    chouineurs, _ = board("fautes/chouineurs/not-checkable", language="fr")
    assert hands(chouineurs, 0)[1] == ["r20/b29", "??"]
    assert chouineurs["faces"]["??"]["label"] == "carte inconnue"
