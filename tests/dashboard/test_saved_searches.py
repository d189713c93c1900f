"""Searches that have a name: who may save and remove them, what they show and to whom."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from dashboard.queries import find
from dashboard.queries.intervals import wilson_interval
from dashboard.store import open_store
from dashboard.tables import find_result
from ingest.escaping import escape_csv_cell
from ingest.store.factory import Store
from tests.ingest.conftest import Command, retourne

if TYPE_CHECKING:
    from tests.dashboard.api import Client

__all__ = ["retourne"]  # the fixture
Clients = dict[str, "Client"]
ATOM = "{http://www.w3.org/2005/Atom}"


def command(api: Clients, role: str, name: str, /, **given: Any) -> Any:
    return api[role].ask("POST", f"/commands/{name}", json=given)


def save(api: Clients, name: str, search: str, role: str = "contributor") -> int:
    return int(
        command(api, role, "save-search", name=name, search=search).raise_for_status().json()["number"]
    )


def listed(api: Clients) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = api["reader"].get("/searches").raise_for_status().json()["rows"]
    return rows


def test_a_contributor_saves_and_removes_their_own_and_an_admin_any(api: Clients) -> None:
    assert command(api, "reader", "save-search", name="mine", search="won").status_code == 403
    assert [save(api, " mine ", "won"), save(api, "the admin’s", "lost", "admin")] == [1, 2]
    assert [(one["number"], one["name"], one["search"]) for one in listed(api)] == [
        (1, "mine", "won"),
        (2, "the admin’s", "lost"),
    ]
    assert command(api, "contributor", "remove-search", number=2).status_code == 403
    assert command(api, "contributor", "remove-search", number=1).status_code == 200
    assert command(api, "contributor", "remove-search", number=1).status_code == 404
    assert [one["number"] for one in listed(api)] == [2]
    assert api["reader"].get("/searches/1/deals.csv").status_code == 404
    assert command(api, "contributor", "restore-search", number=1).status_code == 200
    assert command(api, "admin", "remove-search", number=1).status_code == 200
    assert save(api, "mine", "won") == 3
    acts = (
        open_store()
        .cursor()
        .execute("SELECT action, about FROM audit WHERE action LIKE '%search' ORDER BY 1, 2")
    )
    assert acts.fetchall() == [
        *(("remove-search", 1), ("remove-search", 1), ("restore-search", 1)),
        *(("search", 1), ("search", 2), ("search", 3)),
    ]


@pytest.mark.parametrize(
    ("name", "search", "status"),
    [
        ("ok", "wonn", 422),
        ("ok", "player:Nemo", 422),
        ("ok", "won>=x", 422),
        ("", "won", 409),
        ("a\nb", "won", 409),
    ],
)
def test_what_cannot_be_run_or_named_is_not_saved(api: Clients, name: str, search: str, status: int) -> None:
    assert command(api, "contributor", "save-search", name=name, search=search).status_code == status
    assert listed(api) == []


def test_a_feed_and_a_table_have_the_deals_that_the_search_finds(api: Clients) -> None:
    number = save(api, "won <b>", "trick:2 led")
    wanted = find.find_deals(open_store().cursor(), find.read_search("trick:2 led"), 500)
    answer = api["reader"].get(f"/searches/{number}/deals.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["match_id"], row["deal_number"], row["action_number"]) for row in rows] == [
        (one["match_id"], str(one["deal_number"]), str(one["action_number"]))
        for one in wanted.deals.to_dicts()
    ]
    assert [row["names"] for row in rows] == [
        escape_csv_cell(" – ".join(names)) for names in wanted.deals["names"]
    ]
    answer = api["reader"].get(f"/searches/{number}/deals.atom", lang="en")
    feed = ElementTree.fromstring(answer.content)
    assert answer.headers["content-type"] == "application/atom+xml"
    assert feed.findtext(f"{ATOM}title") == "won <b>"
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == min(50, len(rows))
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    links = [str(entry.find(f"{ATOM}link").attrib["href"]) for entry in entries]  # type: ignore[union-attr]
    known = {
        f"http://localhost:8501/r/{row['match_id']}/{row['deal_number']}/{row['action_number']}"
        for row in rows
    }
    assert set(links) <= known
    assert api["reader"].ask("GET", "/" + links[0].removeprefix("http://localhost:8501")).status_code == 200
    order = [open_store().find_match(link.split("/")[4]) for link in links]
    assert order == sorted(order, key=lambda one: -int(one or 0))  # what was added last is first


def test_a_masked_player_is_in_no_list_feed_or_table(api: Clients) -> None:
    assert [save(api, "Jean’s losses", "player:Jean lost"), save(api, "all", "won or lost")] == [1, 2]
    command(api, "admin", "mask", players=["jean"]).raise_for_status()
    first, second = listed(api)
    assert first["search"] is None
    assert second["search"] == "won or lost"
    for path in ("", "/1/deals.atom", "/1/deals.csv", "/2/deals.atom", "/2/deals.csv"):
        answer = api["reader"].get(f"/searches{path}")
        assert "jean" not in answer.text.casefold(), path
        assert answer.status_code == (422 if path.startswith("/1") else 200)
    assert command(api, "contributor", "save-search", name="x", search="player:Jean").status_code == 422


MONTHS = ("won or lost", "player:Jean won", "game:chouine trick:2 led took", "not won")


@pytest.mark.parametrize("text", MONTHS)
def test_months_are_counted_as_a_walk_over_the_deals_does(games: Path, text: str) -> None:
    with Store(games) as store:
        cursor = store.cursor()
        counts = find.count_by_month(cursor, find.read_search(text)).to_dicts()
        found = find.find_deals(cursor, find.read_search(text), 500).deals
    wanted = Counter(day.replace(day=1) for day in found["played_on"] if day)
    assert wanted == {row["month"]: row["found"] for row in counts if row["found"]}
    assert all(row["found"] <= row["deals"] for row in counts)


def test_a_share_of_months_is_of_the_deals_of_the_players_games_and_rules_named(games: Path) -> None:
    with Store(games) as store:
        cursor = store.cursor()
        every = find.count_by_month(cursor, find.read_search("player:Jean"))
        won = find_result.search_by_month(cursor, "player:Jean won").to_dicts()
    assert every["deals"].to_list() == every["found"].to_list() == [row["deals"] for row in won]
    for row in won:
        assert (row["low"], row["high"]) == pytest.approx(wilson_interval(row["found"], row["deals"]))


def test_the_command_saves_lists_runs_and_removes(games: Path, retourne: Command) -> None:
    at = ("--store", str(games), "--lang", "en")
    assert retourne("search", "add", "Won", "game:chouine won", *at)[:2] == (0, b"1\n")
    assert retourne("search", "list", *at)[:2] == (0, b"1\tWon\tgame:chouine won\n")
    _, text, _ = retourne("find", "--saved", "1", "--format", "csv", "-n", "500", *at)
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert {row["game"] for row in rows} == {"chouine"}
    _, text, _ = retourne("find", "--saved", "1", "--months", "--format", "jsonl", *at)
    months = [json.loads(line) for line in text.splitlines()]
    assert sum(row["found"] for row in months) == len(rows)
    _, text, _ = retourne("find", "--saved", "1", "--months", *at)
    assert f"{months[0]['found']}" in text.decode()
    assert retourne("search", "remove", "1", *at)[0] == 0
    assert retourne("find", "--saved", "1", *at)[0] == 2
    assert retourne("search", "restore", "1", *at)[0] == 0
    assert retourne("search", "list", *at)[:2] == (0, b"1\tWon\tgame:chouine won\n")
