"""`retourne match`: which results are one match, answered and undone."""

import json
from pathlib import Path
from typing import Any

from schemas.simulated import simulate_season
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.test_likely_duplicate_matches import PAIR, result


def ids(done: Any) -> set[str]:
    return {one[key] for one in done.objects for key in ("match_id", "other_match_id")}


def test_results_are_answered_to_be_one_or_two_and_that_is_undone(tmp_path: Path, retourne: Command) -> None:
    store = ("--store", str(tmp_path / "s.duckdb"))
    for name, log in (("a", result(PAIR, (3, 1))), ("b", result(PAIR[::-1], (1, 3)))):
        (file := tmp_path / f"{name}.json").write_text(json.dumps(log))
        retourne("ingest", file, *store)
    listed = ("match", "duplicates", "--format", "jsonl", *store)
    proposed = retourne(*listed)
    one, other = ids(proposed)
    assert proposed.objects[0]["players"] == [*PAIR]
    for answer in ("same", "different"):
        assert retourne("match", answer, one[:8], other, *store).code == 0
        assert retourne(*listed).objects == []
        [known] = retourne("match", "undo", "--list", "--format", "jsonl", *store).objects
        assert (known["answer"], {*known["matches"]}) == (answer, {one, other})
        assert retourne("match", "undo", *store).code == 0
        assert ids(retourne(*listed)) == {one, other}


def test_two_logs_that_have_some_same_deals_are_answered_to_be_one(tmp_path: Path, retourne: Command) -> None:
    store = ("--store", str(tmp_path / "s.duckdb"))
    log = json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3)))))
    for name, some in (("first", log["deals"][:3]), ("last", log["deals"][2:4])):
        part = {key: value for key, value in log.items() if key != "result"} | {"id": name, "deals": some}
        (file := tmp_path / f"{name}.json").write_text(json.dumps(part))
        retourne("ingest", file, *store)
    listed = retourne("match", "duplicates", *store, "--lang", "en").out
    assert "They have deals in common." in listed
    assert retourne("match", "same", "first", "last", *store).code == 0
    assert retourne("match", "same", "first", "last", *store).code == 2
    assert retourne("match", "duplicates", *store, "--lang", "en").out == "No two matches look like one.\n"


def test_what_cannot_be_answered_is_refused(tmp_path: Path, retourne: Command) -> None:
    store = ("--store", str(tmp_path / "s.duckdb"))
    retourne("ingest", FAUTES / "must-follow.json", *store)
    unknown = retourne("match", "same", "nothing", "nothing", *store)
    assert (unknown.code, "Traceback" in unknown.err) == (2, False)
    assert retourne("match", "undo", *store).code == 2
