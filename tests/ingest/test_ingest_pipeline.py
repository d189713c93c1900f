"""From files to the store: whole files, no game twice, every text kept, bulk as the explanation."""

import gc
import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import frozen_objects
from ingest.api import check
from ingest.findings.finding import STATUSES
from ingest.reader.files import stream_batches
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests import shared
from tests.ingest.logs import FORMS, documents, lines, texts, zipped

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FAUTES = ROOT / "data" / "fautes"
FAULTY = sorted(path for path in FAUTES.glob("*/*.json") if "expected" not in path.name)[::3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "club.duckdb"


def add(path: Path, data: bytes, name: str = "club.jsonl") -> FileReport:
    with Store(path) as store:
        (report,) = ingest(store, [(name, io.BytesIO(data))], on_conflict=OnConflict.BOTH)
    return report


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with Store(path, read_only=True) as store:
        return store.cursor().execute(sql).fetchall()


def stored(path: Path) -> list[bytes]:
    """Every text in the store, as it came."""
    with Store(path, read_only=True) as store:
        numbers = store.cursor().execute("SELECT match_no FROM matches ORDER BY match_no")
        return [store.read_match_text(number) for (number,) in numbers.fetchall()]


TABLES = ("matches", "seats", "deals", "deal_seats", "announcements", "findings", "raw", "players")


def sizes(path: Path) -> dict[str, int]:
    return {name: rows(path, f"SELECT count(*) FROM {name}")[0][0] for name in TABLES}


# what is stored


def test_a_legal_match_is_stored_with_all_its_rows(path: Path) -> None:
    report = add(path, lines())
    assert (report.matches, report.added, report.duplicates) == (6, 6, 0)
    assert dict(report.by_status) == {"legal": 6}
    deals = sum(len(document["deals"]) for document in documents())
    players = {player["id"] for document in documents() for player in document["players"]}
    found = sizes(path)
    assert found["matches"] == found["raw"] == 6
    assert found["seats"] == 12
    assert found["deals"] == deals
    assert found["deal_seats"] == 2 * deals
    assert found["players"] == len(players)
    assert found["findings"] == 0
    declared = [
        (number, deal, seat + 1, points)
        for number, document in enumerate(documents())
        for deal, result in enumerate(document["deals"])
        for seat, points in enumerate(result.get("points", ()))
    ]
    assert set(declared) <= set(rows(path, "SELECT match_no, deal_index, seat, points FROM deal_seats"))


@pytest.mark.parametrize(("name", "data"), FORMS.items(), ids=FORMS)
def test_every_kind_of_file_is_stored_alike(name: str, data: Callable[[], bytes], path: Path) -> None:
    assert add(path, data(), name).added == 6
    # the very same games, as lines
    again = add(path, lines())
    assert (again.added, again.duplicates) == (0, 6)


def test_nothing_is_dropped_whatever_its_status(path: Path) -> None:
    members = {f"{number:03}.json": fault.read_bytes() for number, fault in enumerate(FAULTY)}
    assert add(path, zipped(**members), "fautes.zip").added == len(FAULTY)
    status = dict(rows(path, "SELECT status::VARCHAR, count(*) FROM matches GROUP BY 1"))
    assert set(status) == set(STATUSES)
    found = rows(path, "SELECT match_no, code, path FROM findings ORDER BY match_no, finding_index")
    reported = [[one[1:] for one in some] for _, some in groupby(found, key=lambda one: one[0])]
    explained = (validate(fault.read_bytes()).findings for fault in FAULTY)
    assert sorted(reported) == sorted([(one.code, one.path) for one in some] for some in explained)


def test_reports_of_a_zip_name_each_file_in_order(path: Path) -> None:
    members = {f"{number:03}.json": fault.read_bytes() for number, fault in enumerate(FAULTY[:9])}
    members |= {"004.json": b"\0", "005.json": texts()[0]}
    packed = zipped(**members)
    reported = [(one.file, one.line, one.status) for one in add(path, packed, "fautes.zip").reports]
    every = check(("fautes.zip", io.BytesIO(packed)))
    assert reported == [(one.file, one.line, one.status) for one in every if one.findings]


AWKWARD = [  # lines that begin no match would go together if they followed one another
    b"\xff\xfe not a text",
    b'{"format": "retourne/1", "game": "chouine", "players": [], "deals": []}\r',
    b'"\\u0000"',
    b"  \t " + texts()[0] + b"  ",
    b"\0",
    json.dumps(documents()[1], ensure_ascii=True).encode(),
    "🂡 é ﷽".encode(),
    texts()[2][:-1] + b', "event": ' + b"[" * 900 + b"]" * 900 + b"}",
    b"nul\0l",
]


def test_every_text_comes_back_byte_for_byte(path: Path) -> None:
    report = add(path, b"\n".join(AWKWARD))
    assert report.added == len(AWKWARD)
    assert sorted(stored(path)) == sorted(AWKWARD)


def test_an_array_gives_each_text_back_as_it_stood_there(path: Path) -> None:
    one = json.dumps(documents()[0], indent=3)
    two = json.dumps(documents()[1], separators=(",", ":"))
    add(path, f"[ {one}\n,{two}]".encode(), "club.json")
    assert stored(path) == [one.encode(), two.encode()]


# no game twice


def rewritten(document: dict[str, Any]) -> list[bytes]:
    """The same match as other programs would write it."""
    return [
        json.dumps(document, indent=2).encode(),
        json.dumps(dict(reversed(document.items()))).encode(),
        json.dumps(document, ensure_ascii=False, separators=(", ", " : ")).encode(),
        json.dumps(document | {"_note": "seen"}).encode(),
    ]


def test_the_same_file_twice_adds_nothing_and_says_so(path: Path) -> None:
    data = lines(4) + b"not json\n" + FAULTY[0].read_bytes().replace(b"\n", b" ")
    first = add(path, data)
    assert (first.added, first.duplicates) == (6, 0)
    before = sizes(path)
    again = add(path, data)
    assert (again.added, again.duplicates) == (0, 6)
    assert sum(again.by_status.values()) == 0
    assert [report.duplicate for report in again.reports] == [True] * 6
    assert sizes(path) == before


def test_objects_that_a_server_has_frozen_stay_frozen(path: Path) -> None:
    frozen_objects.freeze()
    before = gc.get_freeze_count()
    add(path, lines(1))
    assert gc.get_freeze_count() >= before * 0.9  # some of them are released, as any object


def test_the_same_game_written_otherwise_is_a_duplicate(path: Path) -> None:
    add(path, lines(1))
    for text in rewritten(documents()[0]):
        report = add(path, text, "again.json")
        assert (report.added, report.duplicates) == (0, 1)
    assert stored(path) == [texts()[0]]


def test_the_same_game_twice_in_one_file_is_stored_once(path: Path) -> None:
    report = add(path, b"\n".join([texts()[0], texts()[1], texts()[0]]))
    assert (report.matches, report.added, report.duplicates) == (3, 2, 1)
    assert [(item.line, item.duplicate) for item in report.reports] == [(3, True)]


def test_another_game_of_the_same_players_is_no_duplicate(path: Path) -> None:
    other = documents()[0] | {"played_at": "2020-01-01T10:00:00Z"}
    assert add(path, texts()[0] + b"\n" + json.dumps(other).encode()).added == 2


# whole files


class Stopped(Exception):
    pass


@pytest.mark.parametrize("after", range(6))
@pytest.mark.sample("1", "4")
def test_a_file_that_is_stopped_leaves_nothing_whenever_it_is(
    after: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(path, lines(2))
    before = sizes(path)
    insert, calls = Store.insert_rows, 0

    def stop(store: Store, table: str, data: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise Stopped
        insert(store, table, data)

    monkeypatch.setattr(Store, "insert_rows", stop)
    with pytest.raises(Stopped):
        add(path, lines(6))
    monkeypatch.undo()
    assert sizes(path) == before
    assert add(path, lines(6)).added == 4


KILLED = """
import os, signal, sys
from pathlib import Path
from ingest.store.ingest_files import ingest
from ingest.store.factory import Store
path, signal_no, after, *files = sys.argv[1:]
insert, commit, calls = Store.insert_rows, None, 0
def stop(store, table, data):
    global calls
    calls += 1
    insert(store, table, data)
    if calls > int(after):
        os.kill(os.getpid(), int(signal_no))
Store.insert_rows = stop
with Store(path) as store:
    for report in ingest(store, map(Path, files)):
        print(report.added, flush=True)
"""


@pytest.mark.parametrize("after", [3, 13, 18])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.sample("9-13")
def test_a_kill_in_mid_ingest_leaves_whole_files_or_none(
    sent: signal.Signals, after: int, path: Path, tmp_path: Path
) -> None:
    """A file takes ten inserts, or eleven with new players."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_bytes(lines(2))
    second.write_bytes(lines(6))
    arguments = [shared.address(path), str(int(sent)), str(after), str(first), str(second)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == -sent, done.stderr.decode()
    whole = done.stdout.split()
    assert bool(whole) == (after > 3)
    with Store(path) as store:
        found = store.cursor().execute("SELECT count(*) FROM matches").fetchall()
        assert found == [(2,) if whole else (0,)]
        reports = list(ingest(store, [first, second]))
    assert [report.added for report in reports] == ([0, 4] if whole else [2, 4])


FULL = """
import resource, signal, sys
from ingest.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (7 << 18, resource.RLIM_INFINITY))
main()
"""


def test_a_disk_that_fills_up_leaves_what_was_stored_before(path: Path, tmp_path: Path) -> None:
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes(lines(2))
    named = (texts()[3].replace(b'"id": "', b'"id": "%d-' % i) + b"\n" for i in range(300))
    large.write_bytes(b"".join(named))
    command = [sys.executable, "-c", FULL, "ingest", str(small), str(large), "--lang", "en"]
    done = subprocess.run(
        [*command, "--store", shared.address(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "The disk is full. Nothing of this file was stored." in done.stderr
    assert "Traceback" not in done.stderr
    assert len(stored(path)) == 2
    assert add(path, texts()[4]).added == 1


# bulk as the explanation


def same(data: bytes) -> None:
    """Bulk and explanation say the same of a text, whichever of the two was asked."""
    explained = validate(data)
    (batch,) = stream_batches("a.jsonl", io.BytesIO(data))
    (report,) = check_batch(batch).reports()
    assert (report.status, report.findings) == (explained.status, explained.findings)
    assert report.match_id == explained.match_id


def test_a_key_named_twice_is_never_vouched_for_in_bulk() -> None:
    """JSON leaves open which of two holds, and readers differ."""
    for old, new in (
        (b'"game"', b'"format": "retourne/9", "game"'),
        (b'"format"', b'"format": "retourne/9", "format"'),
        (b'"dealer": 1', b'"dealer": 2, "dealer": 1'),
        (b'"dealer": 1', b'"dealer": 1, "dealer": 2'),
        (b'"winner"', b'"winner": 2, "winner": 1, "winner"'),
        (b'"players"', b'"event": {"name": "a\\\\u003a"}, "id": "x", "players"'),
    ):
        assert old in texts()[0]
        same(texts()[0].replace(old, new))


@given(data=st.data())
@settings(max_examples=50)
def test_a_text_spoilt_anywhere_is_reported_the_same_by_both_sides(data: st.DataObject) -> None:
    text = bytearray(short())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        sign = data.draw(st.sampled_from(b'{}[],:"\\ 0129.eE+-tfnATKQJ987shdcr~\0\xc3\xff'))
        change = data.draw(st.sampled_from(["put", "insert", "drop", "twin"]))
        if change == "put":
            text[at] = sign
        elif change == "insert":
            text.insert(at, sign)
        elif change == "drop":
            del text[at]
        else:
            end = data.draw(st.integers(at, min(len(text), at + 60)))
            text[at:at] = text[at:end]
    if text.strip() and b"\n" not in text:
        same(bytes(text))


def short() -> bytes:
    """A match of one deal, so that every byte of it matters."""
    document = next(simulate_season("chouine", 1, 5, {"preset": "lavardin", "parties": 1, "manches": 1}))
    return json.dumps(document).encode()


def test_the_text_that_is_spoilt_is_legal() -> None:
    (report,) = check(("a.jsonl", io.BytesIO(short())))
    assert report.status == "legal"


@given(data=st.data())
@settings(max_examples=80)
def test_spoilt_cards_seats_and_totals_are_reported_the_same_by_both_sides(data: st.DataObject) -> None:
    document = json.loads(short())
    deal = document["deals"][0]
    for _ in range(data.draw(st.integers(1, 2))):
        cards = deal["deck"].split(" ")
        one, other = (data.draw(st.integers(0, len(cards) - 1)) for _ in range(2))
        spoil = data.draw(st.sampled_from(["swap", "twin", "drop", "more", "dealer", "points", "score"]))
        if spoil == "swap":
            cards[one], cards[other] = cards[other], cards[one]
        elif spoil == "twin":
            cards[one] = cards[other]
        elif spoil == "drop":
            del cards[one]
        elif spoil == "more":
            cards.insert(one, data.draw(st.sampled_from(["As", "6s", "as", "10s", ""])))
        elif spoil == "dealer":
            deal["dealer"] = data.draw(st.sampled_from([0, 1, 2, 3, -1, 2.0, "1", None, True]))
        elif spoil == "points":
            deal["points"] = data.draw(st.lists(st.integers(-5, 200), max_size=4))
            deal["winner"] = data.draw(st.sampled_from([0, 1, 2, 3, None, 1.0]))
        else:
            document["result"] = {
                "score": data.draw(st.lists(st.integers(-1, 3), max_size=3)),
                "winner": data.draw(st.sampled_from([0, 1, 2, 3, None])),
            }
        deal["deck"] = " ".join(cards)
    same(json.dumps(document).encode())
