"""The board of every game: no card is lost, both languages speak, what each game has is shown."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from dashboard import games
from dashboard.board.states import board_states
from dashboard.games import chouineurs
from dashboard.games.base import DealView
from engine.chouineurs.deck import BidCards
from engine.coinche import kernel as coinche
from engine.replay import Replay
from ingest.i18n import translator
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season
from tests.dashboard.conftest import TABLES, simulated

FRENCH, ENGLISH = (translator(language, "dashboard") for language in ("fr", "en"))


@cache
def read(game: str, rules: str, players: int) -> ValidationResult:
    return validate(json.dumps(simulated(game, rules, players)[0]).encode())


def shown(log: ValidationResult, deal: int = 0, t: Any = FRENCH) -> tuple[dict[str, Any], Replay]:
    replay = log.replays[deal]
    assert replay is not None
    assert log.match is not None
    assert log.setup is not None
    names = [player.name or player.id for player in log.match.players]
    return board_states(replay, log.setup, names, t, log.findings, deal), replay


def every_board(table: tuple[str, str, int]) -> Iterator[tuple[dict[str, Any], Replay, dict[str, Any]]]:
    """The boards of a match with their replays and what the log says of the deal."""
    log = read(*table)
    for deal, written in enumerate(simulated(*table)[0]["deals"]):
        yield *shown(log, deal), written


@pytest.mark.parametrize("table", TABLES)
def test_no_card_is_ever_lost(table):
    pack = {"belote": 32, "chouine": 32, "coinche": 36, "chouineurs": 44}[table[0]]
    for board, replay, _ in every_board(table):
        for ply, state in zip(board["plies"], replay, strict=True):
            hands = [card for seat in ply["seats"] for card in seat["hand"]]
            now = [card for card in ply["table"] if card] if ply["table_of"] == "now" else []
            taken = sum(int(pile).bit_count() for pile in state.state["pile"])
            if table[0] == "chouineurs":  # cards of the reserve, kept for a point each
                taken += int(state.state["taken"].sum())
            left = sum(1 if pile["card"] else pile["count"] for pile in ply["piles"])
            assert len({*hands, *now}) == len(hands) + len(now)
            assert len(hands) + len(now) + taken + left == pack


@pytest.mark.parametrize("table", TABLES)
def test_every_card_that_is_shown_has_a_picture_and_a_name(table):
    for board, _replay, _ in every_board(table):
        for ply in board["plies"]:
            cards = {card for seat in ply["seats"] for card in seat["hand"]}
            cards |= {card for card in ply["table"] if card}
            assert cards <= set(board["faces"])
        assert all(face["src"] and face["label"] for face in board["faces"].values())


@pytest.mark.parametrize("table", TABLES)
def test_a_play_moves_its_card_to_the_table(table):
    for board, _replay, _ in every_board(table):
        for before, after in zip(board["plies"], board["plies"][1:], strict=False):
            if card := after["card"]:
                assert card in before["seats"][after["actor"]]["hand"]
                assert after["table"][after["actor"]] == card


@pytest.mark.parametrize("table", TABLES)
def test_each_language_says_everything_its_own_way(table):
    log = read(*table)
    for deal in range(len(log.replays)):
        french, english = shown(log, deal, FRENCH)[0], shown(log, deal, ENGLISH)[0]
        for one, other in zip(french["plies"], english["plies"], strict=True):
            assert one["text"] != other["text"]
            assert len(one["also"]) == len(other["also"])
            assert all(a != b for a, b in zip(one["also"], other["also"], strict=True))
        assert "{" not in json.dumps([french["plies"], english["plies"]]).replace('{"', "")


@pytest.mark.parametrize("table", TABLES)
def test_the_end_has_the_points_the_log_declares(table):
    for board, _replay, written in every_board(table):
        if "points" not in written:
            continue  # void
        end = board["plies"][-1]
        if board["sides"]:
            marks = [line for side in end["sides"] for line in side["lines"] if line.startswith("Score")]
            assert marks == [f"Score\N{NO-BREAK SPACE}: {points}" for points in written["points"]]
        else:
            assert [seat["points"] for seat in end["seats"]] == written["points"]
        assert end["turns"] == []


# Chouine


def test_ch28_trump_is_nobodys_until_an_announcement_makes_it():
    made = 0
    for board, replay, _ in every_board(("chouine", "mondoubleau", 2)):
        assert [pile["label"] for pile in board["plies"][0]["piles"]] == ["Talon"]
        for ply, state in zip(board["plies"], replay, strict=True):
            known = int(state.state["trump"]) >= 0
            assert (ply["facts"][0]["text"] in ("pas encore", "sans atout")) == (not known)
            assert (ply["facts"][0]["text"] == "sans atout") == (not known and not ply["turns"])
            made += any("L’atout est désormais" in text for text in ply["also"])
    assert made > 0


# Coinche


@cache
def coinche_deals() -> list[tuple[ValidationResult, int]]:
    """Many deals of Coinche, to find rare ends in."""
    logs = [validate(json.dumps(match).encode()) for match in simulate_season("coinche", 40, 3)]
    return [(log, deal) for log in logs for deal in range(len(log.replays))]


def one_that(wanted: Any) -> dict[str, Any]:
    """The board of the first deal whose last state is as wanted."""
    for log, deal in coinche_deals():
        replay = log.replays[deal]
        if replay is not None and wanted(replay.last.state):
            return shown(log, deal)[0]
    raise AssertionError("no simulated deal ends so")


def test_partners_are_of_one_side():
    board, _ = shown(read("coinche", "tournoi-2018", 4))
    assert [seat["side"] for seat in board["seats"]] == [0, 1, 0, 1]
    assert board["sides"] == ["Équipe 1", "Équipe 2"]
    assert all(seat["points"] is None for seat in board["plies"][0]["seats"])


@pytest.mark.slow
def test_the_auction_has_every_call_in_its_players_column_in_order():
    for log, deal in coinche_deals():
        replay = log.replays[deal]
        assert replay is not None
        assert log.setup is not None
        # what the board has of the deal as a whole: to make each ply of so many takes long
        auction = games.game_view("coinche").deal_frame(DealView(replay, log.setup, "ABCD", FRENCH))[
            "auction"
        ]
        calls = [
            (call["ply"], seat)
            for row in auction["rows"]
            for seat, call in zip(auction["seats"], row, strict=True)
            if call
        ]
        items = [
            (ply.index, ply.seat)
            for ply in replay[1:]
            if ply.action is not None and 36 <= ply.action.act <= 86
        ]
        assert calls == items
        assert auction["seats"][0] == replay[0].turn
    board, _ = shown(log, deal)
    assert board["auction"] == auction


def test_the_first_trick_begins_after_the_auction():
    board, replay = shown(read("coinche", "tournoi-2018", 4))
    assert board["jumps"][0] == 0
    start = board["jumps"][1]
    assert not replay[start].state["bidding"]
    assert replay[start - 1].state["bidding"]
    assert board["plies"][start - 1]["due"] == "à parler"
    assert board["plies"][start]["due"] == ""


def test_a_call_that_counts_nothing_is_marked():
    match = json.loads(json.dumps(simulated("coinche", "tournoi-2018", 4)[0]))
    deal = match["deals"][0]
    first = deal["actions"][0]
    seat = int(first.split()[0])
    deal["actions"].insert(0, f"{seat} coinche")  # before any bid
    log = validate(json.dumps(match).encode())
    assert [finding.code for finding in log.findings] == ["coinche-no-bid"]
    board, _ = shown(log)
    column = board["auction"]["seats"].index(seat - 1)
    assert board["auction"]["rows"][0][column]["counts"] is False
    assert board["auction"]["rows"][1][column]["counts"] is True


def test_card_points_of_a_deal_played_out_are_157():
    board = one_that(lambda state: state["outcome"] == coinche.PLAYED_OUT and int(state["sweeper"]) < 0)
    assert sum(side["points"] for side in board["plies"][-1]["sides"]) == 157


def test_a_coinched_contract_says_by_whom_and_for_how_much():
    board = one_that(lambda state: state["coinched"] == 2)
    facts = {fact["label"]: fact["text"] for fact in board["plies"][-1]["facts"]}
    assert {"Contrat", "Pris par", "Coinché par", "Surcoinché par", "Enjeu"} <= set(facts)
    notes = [note["text"] for seat in board["plies"][-1]["seats"] for note in seat["notes"]]
    assert {"coinche", "surcoinche"} <= set(notes)


@pytest.mark.parametrize(
    ("wanted", "wording"),
    [
        (lambda state: state["claimer"] >= 0 and state["claim_good"], "est maître"),
        (lambda state: state["claimer"] >= 0 and not state["claim_good"], "n’est pas maître"),
        (lambda state: state["stop_good"] == 1, "À juste titre"),
        (lambda state: state["stop_good"] == 0, "À tort"),
        (lambda state: state["outcome"] == coinche.PASSED, "Quatre passes"),
        (lambda state: state["outcome"] == coinche.RESIGNED, "marque"),
        (lambda state: state["sweeper"] >= 0, "Tous les plis"),
        (lambda state: state["made"] == 1, "Contrat réussi"),
        (lambda state: state["made"] == 0, "Contrat chuté"),
    ],
)
def test_each_end_of_a_deal_is_reported(wanted, wording):
    assert any(wording in text for text in one_that(wanted)["plies"][-1]["also"])


# Chouineurs

CHOUINEURS = [table for table in TABLES if table[0] == "chouineurs"]


@pytest.mark.parametrize("table", CHOUINEURS)
def test_cr5_those_who_chouine_are_to_act_and_the_reserve_shrinks(table):
    points, turned = 0, 0
    for board, replay, _ in every_board(table):
        plies = board["plies"]
        for before, ply, state in zip(plies, plies[1:], replay[1:], strict=False):
            owed = [seat for seat in range(5) if int(state.state["owed"]) >> seat & 1]
            if owed:
                assert (ply["turns"], ply["due"]) == (owed, "à chouiner")
            if "prend un point" in ply["text"]:
                points += 1
                assert ply["piles"][0]["count"] == before["piles"][0]["count"] - 1
            if "tourne" in ply["text"]:
                turned += 1
                [fresh] = ply["seats"][ply["actor"]]["fresh"]
                was = "/".join(reversed(fresh.split("/")))
                assert was in before["seats"][ply["actor"]]["hand"]
                assert "La carte montre désormais" in ply["also"][0]
    assert points > 0
    assert turned > 0


def test_each_seat_has_its_bid_card_and_the_step_it_reached():
    for board, replay, written in every_board(("chouineurs", "blam", 3)):
        for seat, bid in enumerate(written["bids"]):
            card = board["plies"][-1]["seats"][seat]["bid"]
            assert card["label"].startswith(f"Pari {bid} · ")
            won, met = (int(replay.last.state[field][seat]) for field in ("won", "made"))
            assert card["label"].endswith("tenu" if met else "manqué")
            assert (card["here"] is not None) == bool(met)
            if met:
                assert card["steps"][card["here"]]["tricks"] in (str(won), f"{min(won, 4)}+")


def test_cr2_the_bid_cards_are_shown_as_published():
    bids = BidCards()
    steps = {
        name: [(low, high, points) for low, high, points in chouineurs._bid_steps(bids, code)]
        for code, name in enumerate(bids.names)
    }
    assert steps["2-3-4"] == [(2, 2, 3), (3, 3, 9), (4, 4, 4)]
    assert steps["3-4+"] == [(3, 3, 5), (4, 8, 10)]
    assert steps["0-1"] == [(0, 0, 8), (1, 1, 3)]


def test_a_card_is_drawn_with_both_faces_and_no_colour_is_the_only_sign():
    for t, letters, name in ((FRENCH, "BJ", "bleu"), (ENGLISH, "BY", "blue")):
        picture = chouineurs.card_image("b3/y30", t)
        head, _, text = picture.partition(",")
        assert head == "data:image/svg+xml"
        drawn = ElementTree.fromstring(unquote(text))
        written = [element.text for element in drawn.iter() if element.tag.endswith("}text")]
        assert written == ["3", letters[0], name, "30", letters[1]]


@pytest.mark.parametrize("card", ["<b>/y30", "b3/y30<", "b3/y3000", "z1/b2", 'b3"/y3'])
def test_nothing_but_a_card_is_drawn(card):
    with pytest.raises(ValueError, match="no face"):
        chouineurs.card_image(card, FRENCH)
