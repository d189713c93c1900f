"""Comments on the board: where they stand, who says them, and that masked names have none."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from dashboard.board.offline_replay import mask_names, offline_page
from dashboard.board.states import deal_states
from ingest.i18n import translator
from ingest.validate.slow_path import validate

DATA = Path(__file__).parents[2] / "data"
ENGLISH, FRENCH = (translator(language, "dashboard") for language in ("en", "fr"))


def commented(comments: Any, name: str = "chouine-atout.json") -> bytes:
    match = orjson.loads((DATA / name).read_bytes())
    match["deals"][0]["comments"] = comments
    return orjson.dumps(match)


def board(text: bytes) -> dict[str, Any]:
    shown = deal_states(validate(text), 0, ENGLISH)
    assert shown is not None
    return shown


def test_comments_come_in_the_order_of_the_play():
    items = [{"after": after, "text": f"{after}{more}"} for after, more in ((8, ""), (0, ""), (3, ""))]
    shown = board(commented([*items, {"after": 3, "text": "3 again"}]))
    assert [(one["ply"], one["text"]) for one in shown["comments"]] == [
        (0, "0"),
        (3, "3"),
        (3, "3 again"),
        (8, "8"),
    ]
    assert len(shown["plies"]) == 9


def test_the_timeline_has_one_mark_for_each_ply_with_comments():
    items = [{"after": after, "text": "Ah!"} for after in (3, 5, 3)]
    marks = [mark for mark in board(commented(items))["marks"] if mark["kind"] == "comment"]
    assert marks == [{"ply": ply, "kind": "comment", "text": ""} for ply in (3, 5)]


@pytest.mark.parametrize(
    ("by", "who", "seat"),
    [
        ("lucie", "Lucie comments:", 0),
        ("Marcel", "Marcel comments:", 1),
        ("<b>Zoé</b>", "<b>Zoé</b> comments:", None),
        ("", "Comment:", None),
        (None, "Comment:", None),
    ],
)
def test_a_player_speaks_by_id_or_name_and_anybody_may(by, who, seat):
    (one,) = board(commented([{"after": 1, "text": "Ah!", "by": by}]))["comments"]
    assert (one["who"], one["seat"]) == (who, seat)


def test_an_id_is_its_player_before_a_name_is():
    match = json.loads(commented([{"after": 1, "text": "Ah!", "by": "lucie"}]))
    match["players"][0]["id"], match["players"][1]["id"] = "marcel", "lucie"
    (one,) = board(json.dumps(match).encode())["comments"]
    assert one["seat"] == 1


def test_nobody_without_a_name_is_taken_for_a_player_without_one():
    match = json.loads(commented([{"after": 1, "text": "Ah!"}]))
    for player in match["players"]:
        del player["name"]
    (one,) = board(json.dumps(match).encode())["comments"]
    assert (one["who"], one["seat"]) == ("Comment:", None)


def test_a_comment_outside_of_the_deal_is_shown_at_the_nearest_end():
    items = [{"after": -1, "text": "early"}, {"after": 99, "text": "late"}]
    shown = board(commented(items))
    assert [one["ply"] for one in shown["comments"]] == [0, 8]
    stopped = board(commented([{"after": 99, "text": "late"}], "fautes/chouine/wrong-turn.json"))
    assert [one["ply"] for one in stopped["comments"]] == [len(stopped["plies"]) - 1]


def test_a_page_alone_has_the_comments_and_one_with_masked_names_has_none():
    text = commented([{"after": 1, "text": "Mine </script><b>bold", "by": "Zozo"}])
    result = offline_page(validate(text), FRENCH)
    assert "Mine \\u003c/script>\\u003cb>bold" in result
    assert "Mine </script>" not in result
    nameless = offline_page(validate(mask_names(text, FRENCH)), FRENCH)
    assert "Zozo" not in nameless
    assert "Mine" not in nameless


@pytest.mark.parametrize("name", ["chouine-atout.json", "exemple-lavardin.json"])
def test_samples_that_are_commented_say_who_and_where(name):
    comments = board((DATA / name).read_bytes())["comments"]
    assert {one["seat"] for one in comments} == {0, 1, None}
    assert len({one["ply"] for one in comments}) == len(comments)
