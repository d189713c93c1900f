"""What the board adds to a state: why a trick is won, what other players know, marks."""

import json
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from dashboard.board.states import board_states
from dashboard.games.base import PLAY_TEXTS, card_sentence
from dashboard.games.chouine import EXCHANGE_TEXTS
from engine.chouine import actions, kernel
from engine.replay import Replay
from ingest.i18n import translator
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season
from tests.dashboard.conftest import TABLES, documents, simulated

FRENCH, ENGLISH = (translator(language, "dashboard") for language in ("fr", "en"))
TWO = ("chouine", "lavardin", 2)


def read(table: tuple[str, str, int]) -> ValidationResult:
    match = documents()[0] if table == TWO else simulated(*table)[0]
    return validate(json.dumps(match).encode())


@cache
def boards(table: tuple[str, str, int]) -> list[tuple[dict[str, Any], Replay]]:
    """Every deal of a match that can be replayed, with its board in English."""
    log = read(table)
    assert log.match is not None
    assert log.setup is not None
    names = [player.name or player.id for player in log.match.players]
    return [
        (board_states(replay, log.setup, names, ENGLISH, log.findings, deal), replay)
        for deal, replay in enumerate(log.replays)
        if replay is not None
    ]


@pytest.mark.slow
@pytest.mark.parametrize("table", [TWO, *TABLES])
def test_every_trick_says_by_what_it_was_won_and_nothing_else_does(table):
    for board, replay in boards(table):
        for at, ply in enumerate(board["plies"]):
            ended = at > 0 and replay[at].trick > replay[at - 1].trick
            assert bool(ply["trick_reason"]) == ended, ply["text"]


@pytest.mark.slow
def test_ch_12_a_trick_goes_to_the_highest_trump_else_to_the_suit_led():
    items = set[str]()
    for board, replay in boards(TWO):
        pack = replay.game.pack
        for trick in board["tricks"]:
            ply = replay[trick["ply"]]
            played = [card for card in trick["cards"] if card]
            trumps = [card for card in played if pack.code_entries[card] >> 3 == int(ply.state["trump"])]
            why = board["plies"][trick["ply"]]["trick_reason"]
            if not trumps:
                assert "highest of the suit led" in why
            elif len(trumps) == 1:
                assert "only trump" in why
            else:
                assert "highest trump" in why
            items.add(why.partition(",")[0])
    assert len(items) == 3


@pytest.mark.slow
@pytest.mark.parametrize("table", [TWO, *TABLES])
def test_legal_cards_are_in_the_hand_of_who_may_act(table):
    lit = 0
    for board, replay in boards(table):
        for ply, state in zip(board["plies"], replay, strict=False):
            hands = {card for seat in ply["turns"] for card in ply["seats"][seat]["hand"]}
            assert set(ply["legal"]) <= hands
            lit += len(ply["legal"])
            if state.is_over:
                assert not ply["legal"] + ply["may"]
    assert lit > 0


@pytest.mark.slow
def test_what_else_may_be_done_is_shown():
    words = {word for board, _ in boards(TWO) for ply in board["plies"] for word in ply["may"]}
    assert any("mariage" in word for word in words)
    auction = boards(("coinche", "tournoi-2018", 4))[0][0]["plies"][0]
    assert auction["legal"] == []
    assert auction["may"][0] == "bid from 60 up"
    assert "pass" in auction["may"][1]


@pytest.mark.slow
@pytest.mark.parametrize("table", [TWO, *TABLES])
def test_a_card_others_know_is_in_the_hand_and_stays_known(table):
    for board, _ in boards(table):
        for before, ply in zip(board["plies"], board["plies"][1:], strict=False):
            for was, now in zip(before["seats"], ply["seats"], strict=True):
                assert set(now["seen"]) <= set(now["hand"])
                assert set(was["seen"]) & set(now["hand"]) <= set(now["seen"])


def test_an_announcement_shows_its_cards_and_the_exchange_the_card_taken():
    announced = exchanged = drawn = 0
    for board, replay in boards(TWO):
        for before, ply in pairwise(replay):
            assert ply.action is not None
            seat, act = ply.action
            seen = set(board["plies"][ply.index]["seats"][seat]["seen"])
            if actions.ANNOUNCE <= act < actions.UNSHOWN:
                cards = int(kernel.combination_cards(before.state, seat, actions.combination_of(act)))
                held = cards & int(before.state["hand"][seat])
                assert set(replay.game.pack.names_in(held)) <= seen
                announced += 1
            elif act == actions.SEPT:
                face_up = int(before.state["talon"][int(before.state["talon_size"]) - 1])
                assert replay.game.pack.names[face_up] in seen
                exchanged += 1
            elif int(ply.state["drawn"]) == int(ply.state["talon_size"]) > int(before.state["drawn"]):
                # the last draw is of the card that lies face up: everybody sees who has it
                drawn += sum(len(one["seen"]) for one in board["plies"][ply.index]["seats"]) > 0
    assert announced > 0
    assert exchanged > 0
    assert drawn > 0


def test_an_announcement_never_shown_shows_nothing():
    log = json.loads(json.dumps(documents()[0]))
    for deal in log["deals"]:
        deal["actions"] = [f"{action}~" if "mariage" in action else action for action in deal["actions"]]
    explained = validate(json.dumps(log).encode())
    assert explained.setup is not None
    count = 0
    for replay in filter(None, explained.replays):
        board = board_states(replay, explained.setup, ["A", "B"], ENGLISH)
        for before, ply in pairwise(replay):
            assert ply.action is not None
            if actions.UNSHOWN <= ply.action.act < actions.SEPT:
                seen = [seat["seen"] for seat in board["plies"][ply.index]["seats"]]
                assert seen == [seat["seen"] for seat in board["plies"][before.index]["seats"]]
                count += 1
    assert count > 0


def test_a_draw_recorded_by_the_log_is_veiled_for_the_others():
    replay = boards(TWO)[0][1]
    log = json.loads(json.dumps(documents()[0]))
    items = list[str]()
    pack, state = replay.game.pack, replay[0].state
    # write every draw of the first deal out, as a site's server would
    place = 0
    for action, before, ply in zip(log["deals"][0]["actions"], replay, replay[1:], strict=False):
        items.append(action)
        drew = int(ply.state["drawn"]) - int(before.state["drawn"])
        for step in range(drew):
            seat = (int(ply.state["leader"]) + step) % 2
            card = pack.names[int(ply.state["talon"][place])]
            items.append(f"{seat + 1} draw {card}")
            place += 1
    assert int(state["talon_size"]) >= place > 0
    log["deals"][0]["actions"] = items
    explained = validate(json.dumps(log).encode())
    [first, *_] = explained.replays
    assert first is not None
    assert explained.setup is not None
    assert explained.deal_status[0] == "legal"
    board = board_states(first, explained.setup, ["A", "B"], ENGLISH)
    draws = [ply for ply in board["plies"] if " draws " in ply["text"]]
    veiled = [ply["veiled"]["text"] for ply in draws if ply["veiled"]]
    assert len(veiled) in (len(draws), len(draws) - 1)  # but for the card that lay face up
    assert all(text.endswith("draws a card") for text in veiled)


def test_a_turned_card_of_chouineurs_is_hidden_from_the_others():
    turned = 0
    for board, _ in boards(("chouineurs", "blam", 3)):
        for ply in board["plies"]:
            if any("now shows" in text for text in ply["also"]):
                assert ply["veiled"]["also"] == []
                assert not any(sign.isdigit() for sign in ply["veiled"]["text"])
                turned += 1
    assert turned > 0


def test_the_marks_are_what_happened():
    for board, replay in boards(TWO):
        kinds = {kind: [m["ply"] for m in board["marks"] if m["kind"] == kind] for kind in KINDS}
        acted = [(ply.index, ply.action.act) for ply in replay[1:] if ply.action]
        items = [at for at, act in acted if actions.combination_of(act) >= 0]
        assert kinds["announce"] == items
        assert kinds["exchange"] == [at for at, act in acted if act == actions.SEPT]
        assert kinds["end"] == [len(replay) - 1]
        taken = sum(int(mark["text"].split(": ")[1]) for mark in board["marks"] if BRISQUE(mark))
        piles = sum((int(pile) & int(kernel.BRISQUES)).bit_count() for pile in replay.last.state["pile"])
        assert taken == piles


KINDS = ("announce", "exchange", "brisque", "ruff", "end")


def BRISQUE(mark: dict[str, Any]) -> bool:  # noqa: N802
    return bool(mark["kind"] == "brisque")


@pytest.mark.slow
def test_a_ruff_is_a_trump_on_another_suit():
    for board, replay in boards(("coinche", "tournoi-2018", 4)):
        for mark in board["marks"]:
            if mark["kind"] == "ruff":
                before = board["plies"][mark["ply"] - 1]
                ply = board["plies"][mark["ply"]]
                led = before["table"][int(replay[mark["ply"] - 1].state["leader"])]
                assert ply["card"][1] != led[1]
    assert any(mark["kind"] == "call" for mark in boards(("coinche", "tournoi-2018", 4))[0][0]["marks"])


def test_a_claim_lays_the_hand_open():
    for match in simulate_season("coinche", 40, 3):
        log = validate(json.dumps(match).encode())
        for replay in filter(None, log.replays):
            if int(replay.last.state["claimer"]) >= 0:
                assert log.setup is not None
                board = board_states(replay, log.setup, list("ABCD"), ENGLISH)
                seat = board["plies"][-1]["seats"][int(replay.last.state["claimer"])]
                assert seat["seen"] == seat["hand"] != []
                return
    raise AssertionError("nobody claims in these games")


@pytest.mark.parametrize(
    ("card", "spoken"), [("Qs", "la D♠"), ("Js", "le V♠"), ("As", "l’A♠"), ("Ts", "le 10♠")]
)
def test_a_card_keeps_its_article_when_it_is_exchanged(card: str, spoken: str) -> None:
    assert card_sentence(PLAY_TEXTS, "Jean", card, FRENCH) == f"Jean joue {spoken}"
    exchanged = card_sentence(EXCHANGE_TEXTS, "Jean", card, FRENCH)
    assert exchanged == f"Jean échange le 7 contre {spoken}"
