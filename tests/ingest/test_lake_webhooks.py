"""Programs notified of new matches of a lake, whose files come in any order and in parts."""

from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest

from ingest.store import webhooks
from ingest.store.ingest_files import ingest
from ingest.store.lake.store import LakeStore
from ingest.store.webhooks import Webhook
from tests.ingest import postgres
from tests.ingest.logs import texts

pytestmark = pytest.mark.slow


@pytest.fixture
def store(server: postgres.Server, tmp_path: Path) -> Iterator[LakeStore]:
    with LakeStore(server.empty_lake(tmp_path / "lake")) as made:
        yield made


def add(store: LakeStore, match: int) -> int:
    """Store a file of one match; its number."""
    [report] = ingest(store, [(f"{match}.json", BytesIO(texts()[match]))])
    return report.number


def heard(store: LakeStore) -> list[int]:
    """The files of which a program is notified now, and which are noted as sent."""
    [one] = webhooks.webhooks(store.cursor())
    items = [file_no for file_no, matches in webhooks.undelivered(store, one, 100) if matches]
    webhooks.mark_delivered(store, one.number, items)
    return items


def webhook(store: LakeStore) -> Webhook:
    [one] = webhooks.webhooks(store.cursor())
    return one


@pytest.mark.soak
def test_a_file_that_is_stored_after_one_that_began_later_is_reported_all_the_same(
    store: LakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = store.next_file_number()  # of a program that is not done yet
    there = add(store, 0)
    webhooks.add_webhook(store, "https://club.example/told")
    assert heard(store) == []
    later = [add(store, 1), add(store, 2)]
    assert heard(store) == later
    with monkeypatch.context() as patched:
        patched.setattr(LakeStore, "next_file_number", lambda self: slow)
        assert add(store, 3) == slow < there
    assert heard(store) == [slow]
    assert heard(store) == []
    # nothing is missing any more: one number says what was sent
    assert (webhook(store).delivered, webhook(store).delivered_ranges) == (later[-1], [])


@pytest.mark.soak
def test_a_number_that_never_comes_is_waited_for_no_longer_than_a_while(
    store: LakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks.add_webhook(store, "https://club.example/told")
    never = store.next_file_number()
    first = add(store, 0)
    assert heard(store) == [first]
    assert (webhook(store).delivered, webhook(store).delivered_ranges) == (never - 1, [(first, first)])
    monkeypatch.setattr(webhooks, "MAX_AGE", timedelta(0))
    second = add(store, 1)
    assert heard(store) == [second]
    assert (webhook(store).delivered, webhook(store).delivered_ranges) == (second, [])


@pytest.mark.soak
def test_a_file_that_comes_in_parts_is_sent_when_it_is_whole(
    store: LakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks.add_webhook(store, "https://club.example/told")
    number = add(store, 0)

    def count(matches: int) -> None:
        with store.transaction():
            store.connection.execute("UPDATE files SET matches = ?", [matches])

    count(0)  # as it stands while workers store its parts
    assert heard(store) == []
    count(1)
    assert heard(store) == [number]
    count(0)
    other = add(store, 1)
    count(0)
    monkeypatch.setattr(webhooks, "MAX_AGE", timedelta(0))  # nobody goes on with it
    assert heard(store) == [other]
