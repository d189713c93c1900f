"""Health check and metrics of a server."""

import re
from pathlib import Path
from threading import Event
from typing import Never

import anyio
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from dashboard.api import matches, rate_limits
from dashboard.server import lifecycle, monitoring
from dashboard.store import close_store
from dashboard.web.replay import routes
from ingest.store import errors, file_errors, ingest_files, tokens
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from tests.dashboard.api import Client, clients, first, is_problem
from tests.dashboard.conftest import FAUTES, NAMES, documents, lines

Clients = dict[str, Client]


@pytest.fixture(autouse=True)
def _requested_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "HEALTH_CACHE_SECONDS", 0.0)
    monkeypatch.setattr(monitoring, "_health_check", None)


def test_health_needs_no_token_and_says_nothing_else(api: Clients) -> None:
    for method in ("GET", "HEAD"):
        found = api["nobody"].ask(method, "//healthz", headers={"Accept": "text/html"})
        assert found.status_code == 200
        assert found.headers["content-type"] == "application/json"
        assert found.headers["cache-control"] == "no-store"
    assert api["nobody"].get("//healthz").json() == {"status": "ok", "store": "answers"}


def test_where_reading_is_closed_health_is_open(path: Path) -> None:
    with Store(path) as opened:
        tokens.add_token(opened, "zoe", tokens.Role.ADMIN)
        tokens.set_access(opened, True)
    with clients({}, at="192.0.2.7") as api:
        assert api["nobody"].get("//healthz").status_code == 200
        assert is_problem(api["nobody"].get("//metrics"), 401)


def test_a_store_that_cannot_be_opened_is_a_503_without_its_path(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("not a store")
    with clients({}) as api:
        found = api["nobody"].get("//healthz")
    assert found.status_code == 503
    assert found.json() == {"status": "unavailable", "store": "cannot be opened"}


@pytest.mark.parametrize("text", [errors.STORE_REPLACED, errors.STORE_FAILED, file_errors.WAL_DAMAGED])
def test_no_answer_of_a_store_that_fails_has_the_path_of_its_folder(
    api: Clients, path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    reason = f'IO Error: Could not read from file "{path}.wal"'

    def failing(*any: object) -> Never:
        raise StoreError(text, path=path, reason=reason, left="")

    monkeypatch.setattr(matches, "cached_query", failing)
    monkeypatch.setattr(routes, "open_store", failing)
    for at, accepted in (("/matches", "*/*"), ("//r/m0", "*/*"), ("//r/m0", "text/html")):
        answer = api["nobody"].ask("GET", at, headers={"Accept": accepted})
        assert (answer.status_code, str(path.parent) in answer.text) == (503, False), answer.text
        assert path.name in answer.text


def test_a_store_that_is_busy_is_reported_after_a_while(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Event()
    monkeypatch.setattr(monitoring, "STORE_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(monitoring, "_query_store", lambda: held.wait(10))
    found = api["nobody"].get("//healthz")
    held.set()
    assert (found.status_code, found.json()["store"]) == (503, "is busy")


def test_health_does_not_wait_for_a_store_that_answered_before(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert api["nobody"].get("//healthz").status_code == 200
    held = Event()
    monkeypatch.setattr(monitoring, "_query_store", lambda: held.wait(60))
    monkeypatch.setattr(monitoring, "ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(monitoring, "STORE_TIMEOUT_SECONDS", 60.0)
    for _ in range(2):
        assert api["nobody"].get("//healthz").json() == {"status": "ok", "store": "answers"}
    held.set()


def test_a_server_that_is_being_stopped_says_so_and_takes_nothing_more(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "_stop_time", 0.0)
    assert api["nobody"].get("//healthz").json() == {"status": "stopping"}
    refused = api["contributor"].post("/logs", lines())
    assert is_problem(refused, 503)
    assert int(refused.headers["retry-after"]) > 0


def test_metrics_are_for_this_computer_and_for_admins(api_tokens: dict[str, str]) -> None:
    with clients(api_tokens) as here:
        assert here["nobody"].get("//metrics").status_code == 200
        for header in ("X-Forwarded-For", "Forwarded"):  # a proxy of this computer asks for another
            passed_on = here["nobody"].ask("GET", "//metrics", headers={header: "192.0.2.7"})
            assert is_problem(passed_on, 401)
    with clients(api_tokens, at="192.0.2.7") as there:
        for name in ("nobody", "reader", "contributor"):
            assert is_problem(there[name].get("//metrics"), 401 if name == "nobody" else 403)
        assert there["admin"].get("//metrics").status_code == 200
        evil = {"Host": "evil.example"}
        assert is_problem(there["nobody"].ask("GET", "//metrics", headers=evil), 421)


@pytest.mark.slow
def test_what_is_asked_is_counted_by_the_pattern_of_its_route(reading: Clients) -> None:
    match = first(reading)["match_id"]
    before = _counted(reading)
    reading["reader"].get(f"/matches/{match}")
    reading["reader"].get("/matches/unknown-one")
    reading["reader"].get("/nothing", q="Zoé")
    reading["reader"].ask("BREW", "/matches")
    after = _counted(reading)
    new = {key: value - before.get(key, 0) for key, value in after.items()}
    assert new["/api/v1/matches/{id}", "GET", "200"] == 1
    assert new["/api/v1/matches/{id}", "GET", "404"] == 1
    assert new["/api/v1/matches", "other", "405"] == 1
    assert new["/api/v1/*", "GET", "404"] == 1
    assert not any("unknown-one" in route or "nothing" in route for route, _, _ in after)


def _counted(api: Clients) -> dict[tuple[str, str, str], float]:
    """Requests by route, method and status."""
    text = api["admin"].get("//metrics").text
    return {
        (one.labels["route"], one.labels["method"], one.labels["status"]): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
        if one.name == "retourne_requests_total"
    }


@pytest.mark.slow
def test_no_name_and_no_id_is_in_what_is_counted(api: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_files, "file_stored_listeners", [monitoring.count_file])
    found = first(api)
    taken = (lines(), (FAUTES / "must-follow.json").read_bytes(), b"{torn")
    for body in taken:
        api["contributor"].post("/logs", body, params={"name": "secret.jsonl"})
    api["reader"].get("/matches", q=NAMES[0], player=NAMES[1])
    api["reader"].get(f"/matches/{found['match_id']}/deals/1")
    api["reader"].get(f"/players/{NAMES[0]}")
    result = api["admin"].get("//metrics").text
    hidden = [found["match_id"], "secret", *NAMES[:2], *(one["id"] for one in documents())]
    assert [one for one in hidden if re.search(rf"\b{re.escape(one)}\b", result)] == []
    assert 'retourne_logs_total{status="already_stored"}' in result
    assert 'retourne_logs_total{status="unreadable"}' in result
    assert float(re.findall(r"^retourne_store_bytes (\S+)", result, re.MULTILINE)[0]) > 0
    legal = re.findall(r'^retourne_matches{status="legal"} (\S+)', result, re.MULTILINE)
    assert [float(one) for one in legal] == [len(api_legal(api))]


def api_legal(api: Clients) -> list[object]:
    """The legal matches as they are listed."""
    found: list[object] = api["reader"].get("/matches", status="legal", limit=500).json()["matches"]
    return found


def test_metrics_of_a_store_that_does_not_answer_say_so(path: Path) -> None:
    path.write_text("not a store")
    close_store()
    registry = CollectorRegistry()
    registry.register(monitoring.StoreCollector())
    assert registry.get_sample_value("retourne_store_up") == 0


def test_health_is_not_limited_and_the_store_is_asked_once_a_while(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[int] = []
    monkeypatch.setattr(monitoring, "HEALTH_CACHE_SECONDS", 60.0)
    monkeypatch.setattr(monitoring, "_query_store", lambda: requested.append(1))
    assert {api["nobody"].get("//healthz").status_code for _ in range(50)} == {200}
    assert requested == [1]


def test_a_check_under_way_is_counted() -> None:
    async def checks_meanwhile() -> float | None:
        async with rate_limits.check_limiter:
            return monitoring.registry.get_sample_value("retourne_checks_under_way")

    assert anyio.run(checks_meanwhile) == 1
