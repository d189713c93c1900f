"""The home page while games are still coming: how far that is, and what is there already."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.widgets import demo_progress as feeding
from dashboard.widgets.demo_progress import FeedProgress
from ingest.store.demo_feed import FeedFile, send_file, target_count_path
from tests.dashboard.conftest import lines

OpenPage = Callable[..., AppTest]


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> FeedProgress:
    """The feed of this process, which 700 of 3,000 matches came by."""
    result = FeedProgress(matches_done=700, matches_total=3000, is_active=True)
    monkeypatch.setattr(feeding, "_progress", result)
    return result


def progress(app: AppTest) -> list[str]:
    return [one.proto.text for one in app.get("progress")]


@pytest.mark.parametrize(
    ("lang", "wording"),
    [
        ("en", "Simulated matches are being added: 700 of 3,000."),
        ("fr", "Retourne simule des rencontres pour la démonstration\u00a0: 700 sur 3\u202f000."),
    ],
)
def test_the_home_page_says_how_many_games_have_come(
    games: Path, open_page: OpenPage, feed: FeedProgress, lang: str, wording: str
) -> None:
    app = open_page(lang=lang)
    assert progress(app) == [wording]
    assert app.header  # and what is there is shown meanwhile


def test_when_all_have_come_nothing_is_reported(games: Path, open_page: OpenPage, feed: FeedProgress) -> None:
    feed.is_active = False
    app = open_page(lang="en")
    assert progress(app) == []
    assert not app.warning


def test_a_feed_that_broke_off_is_reported(games: Path, open_page: OpenPage, feed: FeedProgress) -> None:
    feed.is_active, feed.has_failed = False, True
    assert "start it again" in open_page(lang="en").warning[0].value


def test_files_are_stored_as_they_come_and_a_half_one_is_not(
    path: Path, open_page: OpenPage, feed: FeedProgress
) -> None:
    target_count_path(path).write_text("12")
    pipe = io.BytesIO()
    send_file(pipe, FeedFile("first.jsonl", lines(), 6, 12))
    pipe.write(b'{"name": "second.jsonl", "size": 900, "done": 12, "total": 12}\n{"format"')
    pipe.seek(0)
    feeding._store_files(pipe)
    assert (feed.matches_done, feed.is_active, feed.has_failed) == (6, False, True)
    assert target_count_path(path).exists()  # so that the next start goes on
    assert open_page(lang="en").header
