"""The data of a deal for the board: states, texts, hidden cards."""

import json
from functools import cache
from pathlib import Path

import pytest

from dashboard.board.states import board_states, deal_findings
from dashboard.text.numbers import MAX_NAME_CHARS, short_name
from engine.cards import PIQUET
from ingest.i18n import translator
from ingest.validate.slow_path import ValidationResult, validate

DATA = Path(__file__).parents[2] / "data"
FRENCH, ENGLISH = (translator(language, "dashboard") for language in ("fr", "en"))
NAMES = ["Jean", "Charles"]


@cache
def read(name: str) -> ValidationResult:
    return validate((DATA / name).read_bytes())


def shown(name, t=FRENCH, deal=0):
    log = read(name)
    replay = log.replays[deal]
    assert replay is not None
    assert log.setup is not None
    return board_states(replay, log.setup, NAMES, t, log.findings, deal), replay


def test_one_state_for_the_deal_and_one_for_each_action():
    board, replay = shown("exemple-lavardin.json")
    match = json.loads((DATA / "exemple-lavardin.json").read_text())
    assert len(board["plies"]) == len(replay) == len(match["deals"][0]["actions"]) + 1


def test_the_last_state_has_the_totals_of_the_worked_example():
    board, _ = shown("exemple-lavardin.json")
    assert sorted(seat["points"] for seat in board["plies"][-1]["seats"]) == [87, 103]
    assert "gagne la partie, " in board["plies"][-1]["also"][-1]


@pytest.mark.parametrize("name", ["exemple-lavardin.json", "chouine-atout.json"])
def test_no_card_is_ever_lost(name):
    """Hands, table, piles and talon together are the whole pack in every state."""
    board, replay = shown(name)
    for ply, state in zip(board["plies"], replay, strict=True):
        hands = [card for seat in ply["seats"] for card in seat["hand"]]
        now = [card for card in ply["table"] if card] if ply["table_of"] == "now" else []
        taken = sum(int(state.state["pile"][seat]).bit_count() for seat in range(2))
        left = sum(1 if pile["card"] else pile["count"] for pile in ply["piles"])
        cards = hands + now
        assert len(cards) == len(set(cards))
        assert set(cards) <= set(PIQUET.names)
        assert len(cards) + taken + left == 32


def test_a_play_moves_its_card_to_the_table():
    board, _replay = shown("exemple-lavardin.json")
    for before, after in zip(board["plies"], board["plies"][1:], strict=False):
        if card := after["card"]:
            assert card in before["seats"][after["actor"]]["hand"]
            assert after["table"][after["actor"]] == card
    assert board["plies"][1]["short"] == "Jean\N{NO-BREAK SPACE}: 7♦"
    assert {ply["short"] for ply in board["plies"] if not ply["card"]} == {""}


def test_tricks_begin_where_the_keys_jump_to():
    board, replay = shown("exemple-lavardin.json")
    assert [replay[at].trick for at in board["jumps"]] == list(range(17))
    assert [at == 0 or replay[at - 1].trick < replay[at].trick for at in board["jumps"]]


def test_the_same_deal_in_both_languages():
    french, _ = shown("exemple-lavardin.json")
    english, _ = shown("exemple-lavardin.json", ENGLISH)
    assert "donne" in french["plies"][0]["text"]
    assert "deals" in english["plies"][0]["text"]
    assert french["faces"]["Kh"]["label"] == "roi de cœur"
    assert english["faces"]["Kh"]["label"] == "king of hearts"
    assert "/fr/" in french["faces"]["Kh"]["src"]
    assert [ply["table"] for ply in french["plies"]] == [ply["table"] for ply in english["plies"]]


def test_an_announcement_is_shown_with_what_it_brought():
    board, _replay = shown("exemple-lavardin.json")
    texts = [ply["text"] for ply in board["plies"]]
    assert any("mariage" in text and "40 points" in text for text in texts)
    notes = [note for seat in board["plies"][-1]["seats"] for note in seat["notes"]]
    assert {note["counts"] for note in notes} == {True}


def test_a_fault_is_shown_in_the_state_it_led_to():
    board, replay = shown("fautes/chouine/must-follow.json")
    [finding] = [one for one in board["findings"] if one["severity"] == "error"]
    [(action, fault)] = [(at, fault) for at, fault in replay.faults if fault.severity == "error"]
    assert finding["rule"] == fault.rule == "CH-8"
    assert finding["ply"] == action + 1


def test_what_cannot_have_happened_ends_the_replay():
    board, replay = shown("fautes/chouine/wrong-turn.json")
    assert len(board["plies"]) == len(replay) + 1
    assert board["findings"][-1]["ply"] == len(replay)
    assert board["plies"][-1]["seats"] == board["plies"][-2]["seats"]


def test_findings_of_another_deal_are_not_shown():
    log = read("fautes/chouine/must-follow.json")
    assert log.findings
    assert deal_findings(log.findings, 7, 10, ENGLISH) == []


def test_a_long_name_leaves_room_for_the_sentence():
    assert short_name("Jean") == "Jean"
    assert len(short_name("x" * 300)) == MAX_NAME_CHARS


def test_the_board_gets_plain_json():
    board, _ = shown("fautes/chouine/wrong-turn.json")
    assert json.loads(json.dumps(board)) == board
