"""Another file in the place of the store, while a page or a request is asking the old one."""

from functools import wraps
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pytest

from dashboard import store as opened
from dashboard.queries import matches
from ingest.store import purge
from ingest.store.factory import Store
from tests.dashboard.conftest import Open


def purge_one() -> None:
    """Purge a match, as another visitor does who is there at the same time."""

    def act() -> None:
        opened.replace_store(lambda store: purge.purge_matches(store, [0]))

    other = Thread(target=act)
    other.start()
    other.join()


def test_a_page_drawn_while_the_store_is_replaced_is_drawn_again(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = list[dict[str, int]]()
    totals = matches.store_totals

    @wraps(totals)
    def late(cursor: duckdb.DuckDBPyConnection) -> Any:
        if not counted:
            counted.append(totals(cursor))
            purge_one()
        counted.append(totals(cursor))
        return counted[-1]

    monkeypatch.setattr(matches, "store_totals", late)
    app = open_page()
    assert [one["matches"] for one in counted] == [9, 8]
    assert not app.error


def test_what_goes_wrong_on_a_page_for_another_reason_is_shown(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(cursor: duckdb.DuckDBPyConnection) -> Any:
        return cursor.execute("SELECT nothing")

    monkeypatch.setattr(matches, "store_totals", wrong)
    with pytest.raises(AssertionError):
        open_page()


@pytest.mark.slow
def test_a_request_that_asks_meanwhile_asks_again(games: Path) -> None:
    requested = []

    def count() -> Any:
        cursor = opened.cursor()
        requested.append(cursor)
        if len(requested) == 1:
            purge_one()
        return cursor.execute("SELECT count(*) FROM matches").fetchone()

    assert opened.retry_on_reopen(count) == (8,)
    assert len(requested) == 2
    with pytest.raises(duckdb.BinderException):
        opened.retry_on_reopen(lambda: opened.cursor().execute("SELECT nothing"))
    opened.close_store()


@pytest.mark.slow
def test_who_asks_for_a_cursor_waits_for_the_new_file(games: Path) -> None:
    with Store(games, is_shared=True) as store:
        found: list[duckdb.DuckDBPyConnection] = []
        other = Thread(target=lambda: found.append(store.cursor()))
        with store.replacing_file():
            store.close()
            other.start()
            other.join(0.1)
            assert not found
        other.join()
        assert found[0].execute("SELECT count(*) FROM matches").fetchone() == (9,)
    with pytest.raises(duckdb.ConnectionException):  # closed for good
        store.cursor()
