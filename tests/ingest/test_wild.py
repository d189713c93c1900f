"""Logs nobody would write: whatever stands in them is told, nothing is raised."""

import copy
import io
import json
from functools import cache
from typing import Any

import pytest

from engine.games import NAMES
from ingest.check import check
from ingest.explain import explain
from ingest.i18n import translator
from schemas.simulated import season

SEATS = {"chouine": 2, "coinche": 4, "chouineurs": 3}


@cache
def _sample(game: str) -> dict[str, Any]:
    return next(season(game, 1, 5, players=SEATS[game]))


def sample(game: str) -> dict[str, Any]:
    """A legal match of one's own to spoil."""
    return copy.deepcopy(_sample(game))


def both(log: Any) -> tuple[str, set[str]]:
    """Status and codes, the same from the explanation and from the check, every sentence said."""
    text = json.dumps(log).encode()
    explained = explain(text)
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
    "chouineurs": ({"cuts"}, {"dealer", "deck", "talon", "manche"}),
}
"""Keys of other games: those of a match, those of a deal."""


@pytest.mark.parametrize("game", NAMES)
def test_a_key_of_another_game_is_kept_and_not_read(game: str) -> None:
    of_match, of_deal = STRANGE[game]
    log = sample(game) | dict.fromkeys(of_match, "?")
    log["deals"][0] |= dict.fromkeys(of_deal, "?")
    assert both(log) == ("legal", {"unknown-key"})


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize(
    "word", ["² pass", "1" * 5000 + " pass", "٣ pass", "", " ", "1", "-1 pass"]
)
def test_an_action_with_a_seat_that_is_none_is_unknown(game: str, word: str) -> None:
    log = sample(game)
    log["deals"] = log["deals"][:1]
    log["deals"][0]["actions"].insert(0, word)
    del log["result"]
    assert both(log) == ("broken", {"unknown-action"})


def test_a_null_among_lists_of_actions_is_told() -> None:
    log = sample("coinche")
    log["deals"].insert(0, log["deals"][0] | {"void": "maldonne", "actions": None})
    assert both(log) == ("unreadable", {"schema"})


def test_a_seat_no_table_has_is_told_apart_from_a_word_nobody_knows() -> None:
    for game in NAMES:
        log = sample(game)
        log["deals"] = log["deals"][:1]
        log["deals"][0]["actions"].append("7 resign")
        del log["result"]
        assert both(log) == ("broken", {"no-such-seat"})


def test_co_1_the_sides_are_told_by_their_players() -> None:
    log = sample("coinche")
    names = [player["name"] for player in log["players"]]
    log["result"]["winner"] = 3 - log["result"]["winner"]
    (finding,) = explain(json.dumps(log).encode()).findings
    sides = [" + ".join(names[side::2]) for side in range(2)]
    told = sides if log["result"]["winner"] == 1 else sides[::-1]
    message = finding.message(translator("en"))
    assert message == f"The sheet gives the match to {told[0]}; it goes to {told[1]}."
