"""Comments of a deal: stored as written, checked against its actions, alike on the fast and the slow path."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.autofix.text_edit import apply_edit
from ingest.findings.finding import Edit
from ingest.i18n import translator
from ingest.reader.files import stream_batches
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import validate

DATA = Path(__file__).parents[2] / "data"
END = 8
"""Actions of the deal that is commented."""


def commented(comments: Any) -> bytes:
    match = json.loads((DATA / "chouine-atout.json").read_bytes())
    (deal,) = match["deals"]
    assert len(deal["actions"]) == END
    deal["comments"] = comments
    return json.dumps(match).encode()


def comment(after: Any, text: Any = "Ah !", **more: Any) -> dict[str, Any]:
    return {"after": after, "text": text, **more}


RIGHT = [
    None,
    [],
    [comment(0), comment(END), comment(3)],
    [comment(1, "<b>bold</b> \N{LINE SEPARATOR}\0 " + "long " * 99, by="Lucie"), comment(1)],
    [comment(1, by=None, _mood={"of": ["mine"]}), comment(2, by="")],
]
"""Any number of them, in any order, by anybody."""
WARNED = [
    ([comment(END + 1)], "comment-place", "/after"),
    ([comment(2), comment(-1)], "comment-place", "/after"),
    ([comment(2, to="Lucie")], "unknown-key", "/to"),
]
"""What is found, and where in the last comment; the match stays legal."""
WRONG = [
    ("Ah !", ""),
    (comment(1), ""),
    (["Ah !"], "/0"),
    ([[]], "/0"),
    ([comment(1), None], "/1"),
    ([comment(1), {"after": 1}], "/1/text"),
    ([comment(1), {"text": "Ah !"}], "/1/after"),
    ([comment(1, "")], "/0/text"),
    ([comment(1, None)], "/0/text"),
    ([comment(1, 7)], "/0/text"),
    ([comment(None)], "/0/after"),
    ([comment("1")], "/0/after"),
    ([comment(True)], "/0/after"),
    ([comment(1), comment(1.0)], "/1/after"),
    ([comment(2**70)], "/0/after"),
    ([comment(1, by=1)], "/0/by"),
    ([comment(1), comment(1, by={})], "/1/by"),
]
"""What no comment is, and the part that is pointed at."""


@pytest.mark.parametrize("comments", RIGHT)
def test_a_match_with_comments_is_legal(comments: Any) -> None:
    explained = validate(commented(comments))
    assert (explained.status, explained.findings) == ("legal", [])


@pytest.mark.parametrize(("comments", "code", "where"), WARNED)
def test_a_comment_in_no_place_of_the_deal_is_only_warned_of(
    comments: list[Any], code: str, where: str
) -> None:
    explained = validate(commented(comments))
    (finding,) = explained.findings
    assert (finding.code, finding.severity, finding.rule) == (code, "warning", "format")
    assert finding.path == f"/deals/0/comments/{len(comments) - 1}{where}"
    assert explained.status == "legal"


def test_a_comment_written_otherwise_is_reported_how_one_looks() -> None:
    (finding,) = validate(commented(["Ah !"])).findings
    assert finding.message(translator("en")) == (
        '/deals/0/comments/0 must be an object, such as {"after": 3, "text": "Ah !"}.'
    )
    (finding,) = validate(commented([]).replace(b'"comments"', b'"commentaires"')).findings
    assert (finding.code, finding.legal) == ("unknown-key", "comments")


@pytest.mark.parametrize(("comments", "where"), WRONG)
def test_what_is_no_comment_is_reported_with_its_place(comments: Any, where: str) -> None:
    explained = validate(commented(comments))
    assert {finding.code for finding in explained.findings} == {"schema"}
    assert [finding.path for finding in explained.findings] == ["/deals/0/comments" + where]
    assert explained.status == "unreadable"


def test_the_bulk_side_takes_comments_that_are_right_and_no_others() -> None:
    items = [*RIGHT, *(comments for comments, *_ in (*WARNED, *WRONG))]
    file = b"\n".join(map(commented, items))
    (batch,) = stream_batches("club.jsonl", io.BytesIO(file))
    checked = check_batch(batch)
    assert sorted(checked.results) == list(range(len(RIGHT), len(items)))


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit("remove", "/deals/0/actions/2"), [0, 2, 2, 7]),
        (Edit("add", "/deals/0/actions/2", "1 draw 7h"), [0, 2, 4, 9]),
        (Edit("replace", "/deals/0/actions/2", "1 As"), [0, 2, 3, 8]),
        (Edit("replace", "/deals/0/points", [0, 1]), [0, 2, 3, 8]),
    ],
)
def test_an_edit_of_the_actions_leaves_comments_by_what_they_are_about(edit: Edit, after: list[int]) -> None:
    fields = json.loads(apply_edit(commented([comment(0), comment(2), comment(3), comment(8)]), edit))
    assert [one["after"] for one in fields["deals"][0]["comments"]] == after
    assert {one["text"] for one in fields["deals"][0]["comments"]} == {"Ah !"}
