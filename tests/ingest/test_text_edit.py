"""An edit of a log's text changes nothing else, to the last space."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.autofix.search import find_edits
from ingest.autofix.text_edit import apply_edit
from ingest.findings.finding import NOTE, Edit
from ingest.validate.slow_path import validate

ROOT = Path(__file__).parents[2]
LOGS = [path for path in sorted(ROOT.glob("data/fautes/*/*.json")) if ".expected" not in path.name]
TEXT = b"""{"a": [1,  "two, [3]",
 {"b~/c": [ ]}], "d": {"e": [[1, 2], 3]}}"""


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit("replace", "/a/0", "x"), TEXT.replace(b"1,  ", b'"x",  ')),
        (Edit("replace", "/d/e/0", [5]), TEXT.replace(b"[1, 2]", b"[5]")),
        (Edit("replace", "/d/e", None), TEXT.replace(b"[[1, 2], 3]", b"null")),
        (Edit("remove", "/a/0"), TEXT.replace(b"1,  ", b"")),
        (Edit("remove", "/d/e/1"), TEXT.replace(b", 3", b"")),
        (Edit("remove", "/d/e/0"), TEXT.replace(b"[1, 2], ", b"")),
        (Edit("add", "/d/e/0", "é"), TEXT.replace(b"[[1", '["é", [1'.encode())),
        (Edit("add", "/d/e/2", 4), TEXT.replace(b", 3", b", 3, 4")),
        (Edit("add", "/a/2/b~0~1c/0", 4), TEXT.replace(b"[ ]", b"[4 ]")),
    ],
)
def test_an_edit_changes_its_place_alone(edit: Edit, after: bytes) -> None:
    assert apply_edit(TEXT, edit) == after
    json.loads(after)


def test_the_only_part_of_a_list_leaves_it_empty() -> None:
    assert apply_edit(b"[ 1 ]", Edit("remove", "/0")) == b"[  ]"


@pytest.mark.parametrize("path", ["/a/7", "/x", "/d/e/0/5"])
def test_a_place_that_is_not_there_is_a_key_error(path: str) -> None:
    with pytest.raises(KeyError):
        apply_edit(TEXT, Edit("replace", path, 1))


def applied(value: Any, edit: Edit) -> Any:
    """The edit done on the JSON value (RFC 6902), and what goes with it."""
    for one in (edit, *edit.also):
        operation(value, one)
    return value


def operation(value: Any, edit: Edit) -> None:
    *parts, last = [part.replace("~1", "/").replace("~0", "~") for part in edit.path.split("/")[1:]]
    place = value
    for part in parts:
        place = place[int(part) if isinstance(place, list) else part]
    if isinstance(place, list):
        here = slice(int(last), int(last) + (edit.op != "add"))
        place[here] = [] if edit.op == "remove" else [edit.value]
    else:
        place[last] = edit.value


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_log_that_has_an_edit_is_mended_by_it(path: Path) -> None:
    text = path.read_bytes()
    explained = validate(text)
    find_edits(explained)
    for finding in explained.findings:
        if finding.edit is None:
            continue
        after = apply_edit(text, finding.edit)
        assert json.loads(after) == applied(json.loads(text), finding.edit)
        left = {one.code for one in validate(after).findings}
        assert finding.code not in left
        assert left <= {"incomplete"}


@pytest.mark.slow
def test_most_faults_that_have_a_small_log_have_an_edit() -> None:
    """Or several: of a deal that breaks off at its fault nothing tells which it was."""
    repaired = wrong = 0
    for path in LOGS:
        explained = validate(path.read_bytes())
        find_edits(explained)
        wrong += any(finding.severity != NOTE for finding in explained.findings)
        repaired += any(finding.edit or finding.candidates for finding in explained.findings)
    assert repaired > wrong // 2
