"""What was played has one id, however its log is written."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine.games import game_names
from ingest.reader.files import Batch, MatchText
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season
from tests.ingest.test_fast_path import in_other_words

Log = dict[str, Any]


def log_of(name: str = "chouine") -> Log:
    return json.loads(json.dumps(next(iter(simulate_season(name, 1, 3)))))


def read(log: Log) -> ValidationResult:
    """By the slow path; the fast path gives the same ids."""
    text = json.dumps(log).encode()
    found = validate(text)
    checked = check_batch(Batch("", [MatchText(1, text)], []))
    assert (checked.ids, checked.content_ids) == ([found.match_id], [found.content_id])
    assert checked.start_ids == [found.start_id]
    return found


SAME_PLAY: dict[str, Callable[[Log], Any]] = {
    "comment": lambda log: log["deals"][0].update(comments=[{"after": 1, "text": "!"}]),
    "source": lambda log: log.update(source={"name": "elsewhere"}),
    "event": lambda log: log.update(event={"name": "Tuesday"}),
    "zone": lambda log: log.update(played_at="2026-05-02T20:30:00+02:00"),
    "name": lambda log: log["players"][0].update(name="Other name"),
    "case of an id": lambda log: log["players"][0].update(id=log["players"][0]["id"].upper()),
    "log id": lambda log: log.update(id="another"),
    "times": lambda log: log["deals"][0].update(times=[1.5] * len(log["deals"][0]["actions"])),
    "points": lambda log: log["deals"][0].pop("points", None),
    "result": lambda log: log.pop("result", None),
    "rules": lambda log: log.update(rules={"preset": "mondoubleau"}),
}


@pytest.mark.parametrize("change", SAME_PLAY.values(), ids=SAME_PLAY)
def test_what_else_a_log_says_leaves_the_id_of_its_play(change: Callable[[Log], Any]) -> None:
    log = log_of()
    before = read(log)
    change(log)
    after = read(log)
    assert (after.match_id, after.start_id) == (before.match_id, before.start_id)
    assert after.content_id != before.content_id


@pytest.mark.parametrize("name", game_names())
def test_hands_and_a_deck_are_the_same_deal(name: str) -> None:
    log = log_of(name)
    before = read(log)
    assert read(in_other_words(log)).match_id == before.match_id


def test_the_order_of_cards_within_a_hand_does_not_matter() -> None:
    log = log_of("coinche")
    before = read(log)
    log = in_other_words(log)
    hands = log["deals"][0]["hands"]
    hands[0] = " ".join(reversed(hands[0].split()))
    assert read(log).match_id == before.match_id


OTHER_PLAY: dict[str, Callable[[Log], Any]] = {
    "an act less": lambda log: log["deals"][-1]["actions"].pop(),
    "a deal less": lambda log: log["deals"].pop(),
    "another player": lambda log: log["players"][0].update(id="another"),
    "other seats": lambda log: log["players"].reverse(),
    "an unknown word": lambda log: log["deals"][-1]["actions"].append("1 bow"),
}


@pytest.mark.parametrize("change", OTHER_PLAY.values(), ids=OTHER_PLAY)
def test_another_play_has_another_id(change: Callable[[Log], Any]) -> None:
    log = log_of()
    before = read(log)
    change(log)
    assert read(log).match_id != before.match_id


def test_a_match_that_goes_on_begins_with_the_same_cards() -> None:
    log = log_of()
    before = read(log)
    log["deals"] = log["deals"][:1]
    log["deals"][0]["actions"] = []
    assert read(log).start_id == before.start_id is not None


def test_recorded_draws_are_the_draws_of_the_talon() -> None:
    deal = {"dealer": 1, "deck": log_of()["deals"][0]["deck"], "actions": []}
    head = {"format": "retourne/1", "game": "chouine", "players": [{"id": "a"}, {"id": "b"}]}
    bare = read({**head, "deals": [{**deal, "actions": ["2 7s"]}]})
    drawn = read({**head, "deals": [{**deal, "actions": ["2 7s", "1 draw 8s"]}]})
    assert bare.match_id == drawn.match_id


@pytest.mark.parametrize(
    "deals",
    [[], [{"dealer": 1, "void": "maldonne"}], [{"dealer": 1, "points": [3, 1], "winner": 1}]],
    ids=["no deal", "void", "score line"],
)
def test_a_match_without_cards_is_known_by_all_it_says(deals: list[Any]) -> None:
    head = {"format": "retourne/1", "game": "chouine", "players": [{"id": "a"}, {"id": "b"}]}
    found = read({**head, "deals": deals})
    assert (found.match_id, found.start_id) == (found.content_id, None)


def test_hidden_cards_are_hashed_as_hidden() -> None:
    head = {"format": "retourne/1", "game": "chouine", "players": [{"id": "a"}, {"id": "b"}]}
    deal = {"dealer": 1, "hands": ["As Ks Qs Js Ts", "??"], "actions": ["2 7h", "1 As"]}
    seen = read({**head, "deals": [deal]})
    other = read({**head, "deals": [{**deal, "hands": ["??", "??"]}]})
    assert seen.match_id not in (other.match_id, seen.content_id)
    assert seen.start_id is not None
    assert other.start_id is None
