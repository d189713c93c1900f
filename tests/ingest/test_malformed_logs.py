"""Logs nobody would write: whatever stands in them is reported, nothing is raised."""

import copy
import io
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chouineurs.deck import PUBLISHED_BID_CARDS
from engine.games import game_names
from ingest import check
from ingest.autofix.search import find_edits
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from schemas.games.chouineurs import shipped_deck
from schemas.simulated import simulate_season
from tests.ingest.mutate import WILD, holder, places

SEATS = {"chouine": 2, "coinche": 4, "chouineurs": 3, "belote": 4}


@cache
def _sample(game: str) -> dict[str, Any]:
    return next(simulate_season(game, 1, 5, players=SEATS[game]))


def sample(game: str) -> dict[str, Any]:
    """A legal match of one's own to spoil."""
    return copy.deepcopy(_sample(game))


def both(log: Any) -> tuple[str, set[str]]:
    """Status and codes, the same from the explanation and from the check, every sentence said."""
    text = json.dumps(log).encode()
    explained = validate(text)
    find_edits(explained)
    (report,) = check(("a log", io.BytesIO(text)))
    assert report.status == explained.status
    assert report.findings == explained.findings
    for finding in explained.findings:
        for language in ("fr", "en"):
            assert finding.message(translator(language))
    return explained.status, {finding.code for finding in explained.findings}


STRANGE = {
    "chouine": ({"deck", "bid_cards"}, {"leader", "bids"}),
    "coinche": ({"cuts", "deck", "bid_cards"}, {"leader", "bids", "talon", "manche"}),
    "belote": ({"cuts", "bid_cards"}, {"leader", "bids", "talon", "manche"}),
    "chouineurs": ({"cuts"}, {"dealer", "deck", "talon", "manche"}),
}
"""Keys of other games: those of a match, those of a deal."""


@pytest.mark.parametrize("game", game_names())
def test_a_key_of_another_game_is_kept_and_not_read(game: str) -> None:
    of_match, of_deal = STRANGE[game]
    log = sample(game) | dict.fromkeys(of_match, "?")
    log["deals"][0] |= dict.fromkeys(of_deal, "?")
    assert both(log) == ("legal", {"unknown-key"})


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("word", ["² pass", "1" * 5000 + " pass", "٣ pass", "", " ", "1", "-1 pass"])
def test_an_action_with_a_seat_that_is_none_is_unknown(game: str, word: str) -> None:
    log = sample(game)
    log["deals"] = log["deals"][:1]
    log["deals"][0]["actions"].insert(0, word)
    del log["result"]
    assert both(log) == ("broken", {"unknown-action"})


def test_a_null_among_lists_of_actions_is_reported() -> None:
    log = sample("coinche")
    log["deals"].insert(0, log["deals"][0] | {"void": "maldonne", "actions": None})
    assert both(log) == ("unreadable", {"schema"})


def test_a_seat_no_table_has_is_distinguished_from_a_word_nobody_knows() -> None:
    for game in game_names():
        log = sample(game)
        log["deals"] = log["deals"][:1]
        log["deals"][0]["actions"].append("7 renonce" if game == "belote" else "7 resign")
        del log["result"]
        assert both(log) == ("broken", {"no-such-seat"})


def test_co_1_the_sides_are_named_by_their_players() -> None:
    log = sample("coinche")
    names = [player["name"] for player in log["players"]]
    log["result"]["winner"] = 3 - log["result"]["winner"]
    (finding,) = validate(json.dumps(log).encode()).findings
    sides = [" + ".join(names[side::2]) for side in range(2)]
    result = sides if log["result"]["winner"] == 1 else sides[::-1]
    message = finding.message(translator("en"))
    assert message == f"Recorded winner of the match: {result[0]}. Winner by the rules: {result[1]}."


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seats", [0, 1, 6, 200])
def test_no_kernel_is_asked_for_seats_it_does_not_have(game: str, seats: int) -> None:
    log = sample(game) | {"players": [{"id": str(seat)} for seat in range(seats)]}
    assert both(log) == ("unreadable", {"players-count"})
    del log["players"]
    assert both(log) == ("unreadable", {"schema"})


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seat", [-(2**63), -1, 0, 6, 2**63])
def test_a_seat_that_is_none_deals_nothing(game: str, seat: int) -> None:
    log = sample(game)
    log["deals"][0]["leader" if game == "chouineurs" else "dealer"] = seat
    del log["result"]
    status, codes = both(log)
    assert (status, codes) in [("broken", {"deal-seat"}), ("unreadable", {"schema"})]


def test_the_lowest_number_there_is_is_no_manche() -> None:
    log = sample("chouine")
    log["deals"][0]["manche"] = -(2**63)
    assert both(log) == ("irregular", {"manche-differs"})


@cache
def short(game: str) -> dict[str, Any]:
    """The first two deals of a match, with every key the format has."""
    log = sample(game) | {"_note": 1}
    log["deals"] = log["deals"][:2]
    actions = log["deals"][0]["actions"]
    log["deals"][0] |= {"times": [float(i) for i in range(len(actions))], "void": None}
    log["result"] = {"score": log["result"]["score"], "winner": None}
    if game == "chouine":
        log["deals"][0]["manche"] = 1
    if game == "chouineurs":
        log |= {"deck": list(shipped_deck("retourne")), "bid_cards": {**PUBLISHED_BID_CARDS}}
    return log


@pytest.mark.parametrize("game", game_names())
def test_the_document_that_is_spoilt_is_legal(game: str) -> None:
    assert both(short(game)) == ("legal", set())


@pytest.mark.parametrize("game", game_names())
@given(data=st.data())
@settings(max_examples=40)
@pytest.mark.slow
def test_wild_values_are_reported_and_both_sides_agree(game: str, data: st.DataObject) -> None:
    log = copy.deepcopy(short(game))
    for _ in range(data.draw(st.integers(1, 2))):
        ways = places(log)
        # places deep down are many, those at the top few: each depth as likely
        depth = data.draw(st.sampled_from(sorted({len(way) for way in ways})))
        place = data.draw(st.sampled_from([way for way in ways if len(way) == depth]))
        inside, key = holder(log, place), place[-1]
        change = data.draw(st.sampled_from(["set", "drop", "twin"]))
        if change == "set":
            inside[key] = copy.deepcopy(data.draw(st.sampled_from(WILD)))
        elif change == "drop":
            del inside[key]
        elif isinstance(inside, list):
            inside.insert(key, copy.deepcopy(inside[key]))
        else:
            inside[data.draw(st.sampled_from(["manche", "x", "cuts", "void"]))] = inside[key]
    both(log)


def swapped(words: list[str], data: st.DataObject) -> None:
    """Spoil a deal's play as a scorer would."""
    at = data.draw(st.integers(0, len(words) - 1))
    other = data.draw(st.integers(0, len(words) - 1))
    change = data.draw(st.sampled_from(["swap", "drop", "twin", "seat", "cut", "word"]))
    if change == "swap":
        words[at], words[other] = words[other], words[at]
    elif change == "drop":
        del words[at]
    elif change == "twin":
        words.insert(other, words[at])
    elif change == "seat":
        words[at] = f"{data.draw(st.integers(1, 9))}{words[at][1:]}"
    elif change == "cut":
        del words[at:]
    else:
        items = ["pass", "coinche", "surcoinche", "claim", "won", "resign", "point", "sept", "accept"]
        seat = data.draw(st.integers(1, 4))
        words.insert(at, f"{seat} {data.draw(st.sampled_from(items))}")


@pytest.mark.parametrize("game", game_names())
@given(data=st.data())
@settings(max_examples=25)
@pytest.mark.slow
def test_spoilt_play_is_reported_the_same_by_both_sides(game: str, data: st.DataObject) -> None:
    log = sample(game)
    deal = data.draw(st.sampled_from(log["deals"]))
    for _ in range(data.draw(st.integers(1, 3))):
        if deal["actions"]:
            swapped(deal["actions"], data)
    result = data.draw(st.sampled_from(["all", "no points", "void"]))
    if result != "all":
        for key in ("points", "winner"):
            deal.pop(key, None)
        log.pop("result", None)
    if result == "void":
        deal["void"] = data.draw(st.sampled_from(["maldonne", "replay", "abandoned"]))
    both(log)
