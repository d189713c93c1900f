"""Logs sent to the HTTP API: checked as the command checks them, stored once."""

import gzip
import json
import threading
import zipfile
from collections.abc import Callable
from contextvars import copy_context
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard
from anyio import Event

from dashboard.api import check_worker, logs, rate_limits, uploads
from dashboard.api.problems import Problem
from dashboard.queries import matches
from dashboard.store import command_gate, open_store
from ingest import cancellation
from ingest.api import check
from ingest.i18n import translator
from ingest.reader.files import Batch
from ingest.store import ingest_files
from ingest.store.ingest_files import FileReport
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND
from tests.dashboard.api import Client, clients, is_problem
from tests.dashboard.conftest import FAUTES, documents, lines
from tests.ingest.logs import another_match
from tests.waiting import comes

Clients = dict[str, Client]
FAULTY = (FAUTES / "points-differ.json").read_bytes()
EVENT = documents()[0]["event"]["name"]
NO_FILE = b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--'


def test_check_says_what_the_command_says_and_keeps_nothing(api: Clients) -> None:
    before = matches.count_matches(open_store().cursor())
    body = lines() + json.dumps(json.loads(FAULTY)).encode() + b"\n{\n"
    result = api["reader"].post("/check", body, params={"name": "club.jsonl"})
    expected = [
        report.as_dict(translator("en", "dashboard")) for report in check(("club.jsonl", BytesIO(body)))
    ]
    assert [json.loads(line) for line in result.text.splitlines()] == json.loads(json.dumps(expected))
    assert expected[-1]["status"] == "unreadable"
    assert expected[-2]["findings"][0]["edit"]
    listed = api["reader"].post(
        "/check", body, params={"name": "club.jsonl"}, headers={"Accept": "application/json"}
    )
    assert listed.json() == json.loads(json.dumps(expected))
    assert matches.count_matches(open_store().cursor()) == before


def test_no_upload_is_answered_as_stored_once_the_store_s_file_is_removed(api: Clients, path: Path) -> None:
    body = json.dumps(another_match()).encode()
    assert api["contributor"].get("/matches").status_code == 200  # it is open
    path.rename(path.with_name("elsewhere"))
    refused = api["contributor"].post("/logs", body, "application/json")
    assert is_problem(refused, 503)
    assert "was removed or replaced while it was open" in refused.json()["detail"]
    streamed = api["contributor"].post("/logs", body, headers={"Accept": "application/x-ndjson"})
    assert json.loads(streamed.text.splitlines()[-1])["problem"]["status"] == 503
    path.with_name("elsewhere").rename(path)
    assert api["contributor"].post("/logs", body, "application/json").status_code == 201


@pytest.mark.parametrize("torn", [b"", b"{", b"\xff\xfe", b'{"a": "\\ud800"}', b"[1e999, NaN]"])
def test_a_torn_log_is_a_finding_in_a_200(api: Clients, torn: bytes) -> None:
    answer = api["nobody"].post("/check", torn, "application/json")
    assert answer.status_code == 200
    assert json.loads(answer.text.splitlines()[0])["status"] == "unreadable"


@pytest.mark.slow
def test_findings_speak_the_language_that_is_asked_for(api: Clients) -> None:
    for how, word in (
        ({"params": {"lang": "fr"}}, "Points notés"),
        ({"headers": {"Accept-Language": "fr-FR,fr;q=0.9"}}, "Points notés"),
        ({}, "Recorded points"),
    ):
        fields = api["nobody"].post("/check", FAULTY, **how).json()  # type: ignore[arg-type]
        assert word in fields["findings"][0]["message"]


PACKED: dict[str, Any] = {
    "plain": (FAULTY, {}),
    "gzip": (gzip.compress(FAULTY), {"Content-Encoding": "gzip"}),
    "zstd": (zstandard.compress(FAULTY), {"Content-Encoding": "zstd"}),
    "a gzip file": (gzip.compress(FAULTY), {"Content-Type": "application/gzip"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("packed", PACKED)
def test_logs_come_packed_or_not_and_once(api: Clients, packed: str) -> None:
    body, headers = PACKED[packed]
    for status, remaining, known in ((201, 1, 0), (200, 0, 1)):
        answer = api["contributor"].post("/logs", body, headers=headers)
        fields = answer.json()
        assert (
            answer.status_code,
            sum(fields["stored_with_findings"].values()),
            fields["already_stored"],
        ) == (status, remaining, known)
    [one] = fields["files"][0]["matches"]
    assert api["reader"].get(f"/matches/{one['match_id']}").json()["status"] == one["status"]
    assert api["reader"].get(f"/matches/{one['match_id']}/log").content == FAULTY.strip()


@pytest.mark.slow
def test_many_files_come_as_parts_of_a_form(api: Clients) -> None:
    fresh = {**json.loads(FAULTY), "id": "another"}
    parts = [
        ("file", ("known.jsonl", lines())),
        ("file", ("../../etc/new.json.gz", gzip.compress(json.dumps(fresh).encode()))),
        ("more", ("none.json", b"")),
    ]
    answer = api["contributor"].ask("POST", "/logs", files=parts)
    fields = answer.json()
    assert answer.status_code == 201
    assert (fields["added"], fields["already_stored"], fields["rejected"]) == (0, 6, 1)
    assert fields["stored_with_findings"] == {"irregular": 1}
    assert [one["file"] for one in fields["files"]] == ["known.jsonl", "../../etc/new.json.gz", "none.json"]
    assert fields["files"][1]["matches"][0]["log_id"] == "another"
    assert fields["files"][1]["matches"][0]["findings"]
    assert fields["files"][2]["rejected_texts"][0]["findings"][0]["code"] == "empty-file"


@pytest.mark.slow
def test_what_is_no_log_at_all_is_a_problem_with_the_report(api: Clients) -> None:
    refused = api["contributor"].post("/logs", b"")
    assert is_problem(refused, 422)
    assert refused.json()["report"]["rejected"] == 1


SECOND = {**json.loads(FAULTY), "id": "another"}
FORM = [("file", ("first.json", FAULTY)), ("file", ("second.json", json.dumps(SECOND).encode()))]


def test_who_asks_for_lines_hears_how_far_it_is_before_the_same_answer(api: Clients) -> None:
    def sent(body: bytes, accept: str) -> httpx.Response:
        return api["contributor"].post("/logs?name=x", body, headers={"Accept": accept})

    body = lines() + FAULTY.replace(b"\n", b"") + b"\n"
    assert sent(body, "application/json").status_code == 201
    expected = sent(body, "application/json").json()
    *meanwhile, last = map(json.loads, sent(body, "application/x-ndjson").text.splitlines())
    for one in (last["result"], expected):  # each upload is a file of its own
        del one["files"][0]["file_no"]
    assert last == {"result": expected}
    assert {one["file"] for one in meanwhile} == {"x"}
    assert meanwhile[-1]["done"] == len(body)
    refused = sent(b"null", "application/json")
    *_, last = map(json.loads, sent(b"null", "application/x-ndjson").text.splitlines())
    assert last["problem"].keys() == {"status", "title", "detail", "report"}
    assert last["problem"]["status"] == refused.status_code == 422


def test_who_leaves_has_the_files_that_were_done_and_no_other(
    there: str, api_tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, done, left = (matches.count_matches(open_store().cursor()), threading.Event(), list[bool]())

    def wait(report: FileReport) -> None:  # once the first file is stored
        done.set()
        comes(cancellation.is_cancelled.get(), "the end of the connection")
        left.append(True)

    monkeypatch.setattr(ingest_files, "file_stored_listeners", [wait])
    token = {"Authorization": f"Bearer {api_tokens['contributor']}"}
    request = httpx.Request("POST", there, files=FORM)
    site = HTTPConnection(there.removeprefix("http://"))
    site.request("POST", "/api/v1/logs", request.read(), {**token, **request.headers})
    assert done.wait(60)
    site.close()
    comes(lambda: left)
    comes(lambda: not ingest_files.running_ingests)
    assert matches.count_matches(open_store().cursor()) == before + 1


def test_a_server_that_ends_answers_which_files_it_has_stored(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = matches.count_matches(open_store().cursor())
    monkeypatch.setattr(command_gate, "is_cancelled", False)
    monkeypatch.setattr(
        ingest_files, "file_stored_listeners", [lambda report: setattr(command_gate, "is_cancelled", True)]
    )
    refused = api["contributor"].ask("POST", "/logs", files=FORM)
    assert is_problem(refused, 503)
    assert [one["file"] for one in refused.json()["report"]["files"]] == ["first.json"]
    assert matches.count_matches(open_store().cursor()) == before + 1


@pytest.mark.slow
@pytest.mark.parametrize("junk", [b"<p>Club</p>", b"[1, 2, 3]", b"null", b"1", b"[[]]"])
def test_what_is_no_game_is_kept_and_called_no_game(api: Clients, junk: bytes) -> None:
    for item in (True, False):
        refused = api["contributor"].post("/logs", junk, "application/json")
        assert is_problem(refused, 422)
        report = refused.json()["report"]
        assert (report["added"], report["stored_with_findings"].keys()) == (
            0,
            {"unreadable"} if item else set(),
        )
    other = api["contributor"].post("/logs", FAULTY.replace(b"\n", b" ") + b"\n" + junk)
    assert other.status_code == 201


@pytest.mark.slow
def test_a_faulty_match_sent_again_has_its_findings_still(api: Clients) -> None:
    sent = [api["contributor"].post("/logs", FAULTY).json()["files"][0] for _ in range(2)]
    first, again = (one["matches"][0] for one in sent)
    assert (first.pop("new"), again.pop("new")) == (True, False)
    assert first == again
    assert first["findings"]


WHOLE = (
    b'--a\r\nContent-Disposition: form-data; name="file"; filename="1.json"\r\n\r\n'
    + FAULTY
    + b'\r\n--a\r\nContent-Disposition: form-data; name="file"; filename="2.jsonl"\r\n\r\n'
    + lines()
    + b"\r\n--a--"
)


@pytest.mark.parametrize("missing", [1, 2, 3, 100, len(WHOLE) - 100])
def test_of_a_form_that_breaks_off_nothing_is_added(api: Clients, missing: int) -> None:
    before = matches.count_matches(open_store().cursor())
    for path in ("/check", "/logs"):
        refused = api["contributor"].post(path, WHOLE[:-missing], "multipart/form-data; boundary=a")
        assert is_problem(refused, 400)
        assert "broke off" in refused.json()["detail"]
    assert matches.count_matches(open_store().cursor()) == before


def zipped(text: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", text)
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, zipped])
def test_what_readers_have_checked_is_counted_unpacked(
    api: Clients, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    body = pack(b" " * 100_000 + FAULTY)
    sent = {"kind": "application/octet-stream"}
    assert api["reader"].post("/check", body, **sent).status_code == 200
    monkeypatch.setattr("dashboard.api.logs.MAX_CHECK_BYTES", 50_000)
    assert is_problem(api["reader"].post("/check", body, **sent), 413)
    assert api["contributor"].post("/check", body, **sent).status_code == 200


@pytest.mark.slow
def test_readers_have_so_many_matches_and_findings_checked_at_a_time(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "MAX_MATCHES", 3)
    body = b"\n".join([FAULTY.replace(b"\n", b" ")] * 4)
    refused = api["reader"].post("/check", body)
    assert is_problem(refused, 413)
    assert "3 matches" in refused.json()["detail"]
    assert len(api["contributor"].post("/check", body).text.splitlines()) == 4
    assert api["reader"].post("/check", FAULTY).status_code == 200
    monkeypatch.setattr(rate_limits, "MAX_FINDINGS", 0)
    assert is_problem(api["reader"].post("/check", FAULTY), 413)


@pytest.mark.slow
def test_of_a_small_body_of_many_things_a_thousand_are_reported_and_a_million_counted(api: Clients) -> None:
    body = gzip.compress(b"[" + b"1," * 3_000_000 + b"1]")
    answer = api["nobody"].post("/check", body, "application/json")
    *texts, too_many, others = [json.loads(line)["findings"][0] for line in answer.text.splitlines()]
    assert [one["code"] for one in (too_many, others)] == ["too-many-matches", "more-texts"]
    assert len(texts) + others["found"] == too_many["legal"] == 1_000_000


def test_a_check_that_nobody_waits_for_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = list[Batch]()

    def check_lines(language: str, piece: Batch) -> tuple[int, list[bytes]]:
        pieces.append(piece)
        return 0, []

    monkeypatch.setattr(check_worker, "check_lines", check_lines)
    body = b"\n".join([FAULTY.replace(b"\n", b" ")] * 5)
    monkeypatch.setattr(logs, "CHECK_BATCH_BYTES", 1)
    with pytest.raises(Problem):
        copy_context().run(
            logs._check_files, [("a.jsonl", BytesIO(body))], None, "en", False, lambda: len(pieces) < 2
        )
    assert len(pieces) == 2


def test_a_visitor_checks_two_logs_at_a_time_and_another_need_not_wait() -> None:
    def held(address: str) -> Any:
        scope = {"type": "http", "client": (address, 1), "state": {}}
        return rate_limits.client_limiter(scope, work, rate_limits.MAX_CHECKS_PER_CLIENT)

    work = rate_limits.check_limiter
    assert held("192.0.2.1") is not held("192.0.2.2")
    first = held("192.0.2.1")
    assert held("192.0.2.1") is first
    assert first.total_tokens == rate_limits.MAX_CHECKS_PER_CLIENT < work.total_tokens


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (FAULTY, "text/html", 415),
        (FAULTY, "application/x-www-form-urlencoded", 415),
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=a", 400),
        (
            b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--',
            "multipart/form-data; boundary=a",
            400,
        ),
    ],
)
def test_a_body_of_another_kind_is_a_problem(api: Clients, body: bytes, kind: str, status: int) -> None:
    for path in ("/check", "/logs"):
        assert is_problem(api["contributor"].post(path, body, kind), status)
    coded = api["contributor"].post("/logs", FAULTY, headers={"Content-Encoding": "br"})
    assert is_problem(coded, 415)


def test_what_is_too_large_is_refused_declared_or_not(api: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.api.logs.MAX_CHECK_BYTES", 100)
    assert is_problem(api["reader"].post("/check", FAULTY), 413)

    async def blocks() -> Any:
        yield FAULTY[:50]
        yield FAULTY[50:]

    unsaid = api["reader"].ask(
        "POST", "/check", content=blocks(), headers={"Content-Type": "application/json"}
    )
    assert is_problem(unsaid, 413)
    form = api["reader"].ask("POST", "/check", files={"file": ("a.json", FAULTY)})
    assert is_problem(form, 413)
    assert api["contributor"].post("/check", FAULTY).status_code == 200


@pytest.mark.parametrize(
    ("slots", "full", "other"), [("upload_slots", "/logs", "/check"), ("check_slots", "/check", "/logs")]
)
def test_past_so_many_uploads_of_a_visitor_another_is_to_come_later(
    api: Clients, monkeypatch: pytest.MonkeyPatch, slots: str, full: str, other: str
) -> None:
    monkeypatch.setattr(rate_limits, slots, rate_limits.ClientSlots(0, 1, rate_limits.TOO_MANY_UPLOADS))
    refused = api["contributor"].post(full, FAULTY)
    assert is_problem(refused, 429)
    assert int(refused.headers["retry-after"]) > 0
    assert api["contributor"].post(other, FAULTY).is_success


def test_an_upload_frees_its_slot_also_when_it_fails(api: Clients) -> None:
    before = rate_limits.uploads_in_progress()
    ndjson = {"Accept": "application/x-ndjson"}
    assert api["contributor"].ask("POST", "/logs", content=FAULTY, headers=ndjson).is_success
    api["contributor"].ask("POST", "/logs", content=b"PK\3\4")
    api["reader"].ask("POST", "/check", content=b"PK\3\4")
    assert rate_limits.uploads_in_progress() == before


def test_a_body_that_does_not_go_on_is_given_up(api: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "READ_TIMEOUT_SECONDS", 0.05)

    async def slow() -> Any:
        yield b"{"
        await Event().wait()  # for ever
        yield b"}"

    result = api["reader"].ask("POST", "/check", content=slow(), headers={"Content-Type": "application/json"})
    assert is_problem(result, 408)


@pytest.mark.slow
def test_past_twenty_requests_a_second_a_client_waits(api_tokens: dict[str, str]) -> None:
    with clients(api_tokens, rate=DEFAULT_REQUESTS_PER_SECOND) as api:
        statuses = [api["nobody"].get("/nothing").status_code for _ in range(60)]
        assert statuses[:20] == [404] * 20
        assert 429 in statuses
        refused = next(one for _ in range(60) if (one := api["nobody"].get("/nothing")).status_code == 429)
        assert is_problem(refused, 429)
        assert refused.headers["retry-after"] == "1"
        assert api["reader"].get("/nothing").status_code == 404  # another client


@pytest.mark.slow
def test_without_a_rate_a_client_may_ask_as_often_as_it_likes(api_tokens: dict[str, str]) -> None:
    with clients(api_tokens, rate=0) as api:
        assert {api["nobody"].get("/nothing").status_code for _ in range(60)} == {404}


@pytest.mark.slow
def test_a_match_put_by_its_source_and_id_is_the_newest_log_of_it(api: Clients) -> None:
    at, contributor = "/sources/a%20site/matches/evening-1", api["contributor"]
    log = {**another_match(), "id": "evening-1", "source": {"name": "a site"}}

    def put(log: dict[str, Any]) -> tuple[int, bool, int]:
        answer = contributor.ask("PUT", at, content=json.dumps(log).encode(), headers=JSON_BODY)
        return answer.status_code, answer.json()["new"], answer.json()["replaced"]

    begun = {**log, "deals": log["deals"][:1]}
    begun.pop("result", None)
    later = {**log, "event": {"name": "Tuesday"}}
    assert [put(one) for one in (begun, log, log, later, begun, begun)] == [
        *((201, True, 0), (201, True, 1)),
        *((200, False, 0), (201, True, 1)),
        *((201, True, 1), (200, False, 0)),
    ]
    other = contributor.ask("PUT", f"{at}-2", content=json.dumps(log).encode(), headers=JSON_BODY)
    assert is_problem(other, 422)

    def put_if(log: dict[str, Any], **condition: str) -> httpx.Response:
        headers = JSON_BODY | {name.replace("_", "-"): value for name, value in condition.items()}
        return contributor.ask("PUT", at, content=json.dumps(log).encode(), headers=headers)

    assert is_problem(put_if(log, If_None_Match="*"), 412)
    assert is_problem(put_if(log, If_Match='"another"'), 412)
    stored = put_if(log, If_Match="*")
    assert (stored.status_code, stored.json()["new"]) == (201, True)
    assert put_if(later, If_Match=f'"another", {stored.headers["etag"]}').status_code == 201
    assert is_problem(put_if(log, If_Match=stored.headers["etag"]), 412)


@pytest.mark.slow
def test_a_match_put_under_a_new_id_never_replaces_one_of_another_id(api: Clients) -> None:
    contributor, at = api["contributor"], "/sources/a%20site/matches"
    log = {**another_match(), "source": {"name": "a site"}}
    begun = {**log, "id": "1", "deals": log["deals"][:1]}
    begun.pop("result", None)
    first = contributor.ask("PUT", f"{at}/1", content=json.dumps(begun).encode(), headers=JSON_BODY)
    body = json.dumps({**log, "id": "2"}).encode()
    refused = contributor.ask("PUT", f"{at}/2", content=body, headers=JSON_BODY)
    assert is_problem(refused, 409)
    assert refused.json()["ids"] == [first.json()["match_id"]]
    assert contributor.get(f"/matches/{first.json()['match_id']}").status_code == 200
    body = json.dumps({**log, "id": "1"}).encode()
    again = contributor.ask("PUT", f"{at}/1", content=body, headers=JSON_BODY)
    assert (again.status_code, again.json()["relation"]) == (201, "continued")


JSON_BODY = {"Content-Type": "application/json"}
