"""The dashboard shows a registered game: its board, its marks, its columns in tables."""

import json
from typing import Any

import pytest

from dashboard import games
from dashboard.board import board_texts
from dashboard.board.states import board_states, deal_states
from dashboard.games import game_titles, games_with_sections, is_suitless
from dashboard.tables.player_tables import players_columns
from dashboard.tables.profile import SECTIONS, measure_text, section_heading, sections_in_view
from dashboard.views.profile import views_of
from engine.games import game
from engine.replay import Replay
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_matches, simulated_setup
from tests.newgame import NAME, dashboard, log, registered

EN, FR = translator("en", "dashboard"), translator("fr", "dashboard")


def shown(language: str, *actions: str) -> dict[str, Any]:
    """The board's data of the one deal of `log`."""
    board = deal_states(validate(json.dumps(log(*actions)).encode()), 0, translator(language, "dashboard"))
    assert board is not None
    return board


def test_it_is_asked_as_every_game_is_while_it_is_registered() -> None:
    with registered() as name:
        assert games.game_view(name) is dashboard.GAME
        assert game_titles()[name] == "Brelin"
        assert name in games.games_with_bids()
        assert name in games_with_sections("announcements")
        assert announcement_kinds()["pair"] == "pair"
        assert not is_suitless("pair")
    assert NAME not in game_titles()
    assert "pair" not in announcement_kinds()


def test_every_state_of_simulated_deals_is_on_the_board(brelin: str) -> None:
    placed = simulated_setup(brelin, None, 2)
    names = set(game(brelin).pack.names)
    for played in simulate_matches(placed, 3, 1):
        for deal in played.deals:
            replay = Replay(game(brelin), placed.rules, 2, deal.dealer, deal.deck, deal.codes)
            board = board_states(replay, placed, ["Zoé", "Ali"], EN)
            assert len(board["plies"]) == len(replay)
            assert len(board["tricks"]) == 6
            assert all(board["plies"][trick["ply"]]["trick_reason"] for trick in board["tricks"])
            assert set(board["faces"]) == names
            for now, ply in zip(replay, board["plies"], strict=True):
                assert ply["turns"] == ([] if now.is_over else [now.turn])
                assert bool(ply["legal"]) == any(act.act < len(names) for act in now.legal)
                for seat, view in enumerate(ply["seats"]):
                    assert len(view["hand"]) == int(now.state["hand"][seat]).bit_count()
                    assert set(view["seen"]) <= set(view["hand"])


def test_br_2_before_the_bid_the_legal_bids_are_shown(brelin: str) -> None:
    board = shown("en", "2 bid 4h")
    first, then = board["plies"]
    assert (first["due"], first["legal"]) == ("to bid", [])
    assert first["may"][:2] == ["bids 3 tricks in ♠", "bids 3 tricks in ♥"]
    assert [fact["text"] for fact in first["facts"]] == ["nobody has bid", "0"]
    assert then["text"] == "Zoé bids 4 tricks in ♥"
    assert [fact["text"] for fact in then["facts"]][:2] == ["4 tricks by Zoé", "♥ hearts"]
    assert then["facts"][1]["suit"] == "h"


def test_br_4_a_pair_is_shown_and_marked_and_seen_by_all(brelin: str) -> None:
    actions = ("2 bid 3s", "2 Qs", "1 Ks", "1 pair-c", "1 Kc")
    board = shown("fr", *actions)
    result = board["plies"][4]
    assert result["text"] == "Jean annonce paire ♣"
    assert result["seats"][0]["notes"] == [{"text": "paire ♣", "counts": True}]
    assert set(result["seats"][0]["seen"]) == {"Kc", "Qc"}
    assert board["plies"][5]["seats"][0]["seen"] == ["Qc"]
    assert [mark["kind"] for mark in board["marks"]] == ["pair"]


def test_br_3_a_trump_on_another_suit_is_marked_as_a_ruff(brelin: str) -> None:
    board = shown("en", "2 bid 3c", "2 As", "1 Ks", "2 Ah", "1 Kh", "2 Qs", "1 Qc")
    assert [mark["kind"] for mark in board["marks"]] == ["ruff"]
    assert "only trump" in board["plies"][-1]["trick_reason"]


@pytest.mark.parametrize(
    ("first", "sentence"),
    [(("2 As", "1 Ks", "2 Qs", "1 Kc"), "made"), (("2 Qs", "1 Ks", "1 Kc", "2 As"), "failed")],
    ids=["six tricks", "five"],
)
def test_br_5_the_end_says_whether_the_bid_was_made(
    brelin: str, first: tuple[str, ...], sentence: str
) -> None:
    rest = ("2 Ah", "1 Kh", "2 Qh", "1 Qc", "2 Ad", "1 Kd", "2 Qd", "1 Ac")
    board = shown("en", "2 bid 6s", *first, *rest)
    assert board["plies"][-1]["also"][-1] == f"Zoé {sentence} the bid"
    assert board["marks"][-1]["text"] == f"Zoé {sentence} the bid"


def test_a_fault_and_what_cannot_have_happened_are_on_the_board(brelin: str) -> None:
    board = shown("en", "2 bid 3s", "2 Qs", "1 As")
    assert board["findings"][-1]["rule"] == "BR-1"
    assert "replay stops here" in board["plies"][-1]["also"][0]


def test_what_the_board_says_of_it_goes_with_it() -> None:
    with registered():
        assert board_texts(translator("fr", "dashboard"))["kinds"]["pair"]["text"] == "paire"
    assert "pair" not in board_texts(FR)["kinds"]


@pytest.mark.slow
def test_its_tables_have_its_sections_and_its_words(brelin: str) -> None:
    fr = translator("fr", "dashboard")
    assert section_heading("contracts", brelin, EN) == "Tricks bid"
    assert section_heading("contracts", brelin, fr) == "Plis annoncés"
    assert measure_text({"measure": "bonus", "game": brelin}, fr) == "Points de paires"
    assert measure_text({"measure": "tricks", "game": brelin}, EN) == "Tricks taken"
    assert {"announcements", "contracts"} <= set(views_of(brelin))
    everywhere = {name for name, one in SECTIONS.items() if one.in_every_game and one.page_position}
    items = {section for view in views_of(brelin) for section in sections_in_view(view, brelin)}
    assert items == everywhere | {"announcements", "contracts"}
    labels = [column.label for column in players_columns(brelin)]
    assert labels[-3:] == ["of which pairs", "Tricks were bid", "Bids made"]
