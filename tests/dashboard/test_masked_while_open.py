"""A page that is open while a player is masked shows the name no more."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionManager
from streamlit.testing.v1 import AppTest

from dashboard.queries import player_search
from dashboard.server import lifecycle
from dashboard.store import open_store
from ingest.store import pseudonyms

pytestmark = pytest.mark.slow


def board() -> None:
    """A board as its fragment runs: the match it was drawn for is what it was at first."""
    import streamlit as st

    from dashboard.store import validated_match
    from dashboard.views.match_pages import show_board
    from dashboard.widgets.current_store import open_store
    from ingest.i18n import translator

    if "shown" not in st.session_state:
        number = open_store().find_match(st.query_params["match"]) or 0
        log = validated_match(number)
        st.session_state["shown"] = number, log.match_id
        st.session_state["name"] = log.known_match.players[0].display_name
    number, match_id = st.session_state["shown"]
    show_board(number, match_id, translator("en", "dashboard"))


def masked(name: str) -> None:
    [(number, _)] = player_search.find_exact(open_store().cursor(), name)
    pseudonyms.mask_player(open_store(), number)


def test_the_next_deal_of_an_open_board_is_without_a_name_masked_since(games: Path) -> None:
    app = AppTest.from_function(board, default_timeout=60)
    app.query_params["match"] = "m0"
    app.run()
    name = app.session_state["name"]
    [shown] = app.get("bidi_component")
    assert name in str(shown.proto)
    masked(name)
    app.session_state["board"] = {"deal": f"{app.session_state['shown'][1]} 2"}
    app.run()
    assert not app.exception
    [shown] = app.get("bidi_component")
    assert name not in str(shown.proto)
    assert "Joueur " in str(shown.proto)


def test_open_pages_are_drawn_again_once_a_player_is_masked(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def watched() -> list[bool]:
        drawn, looked, now = list[bool](), asyncio.Queue[int](), lifecycle._names_version

        def version() -> tuple[str, tuple[int, int]]:
            loop.call_soon_threadsafe(looked.put_nowait, 1)
            return now()

        monkeypatch.setattr(lifecycle, "_names_version", version)
        monkeypatch.setattr(lifecycle, "count_open_pages", lambda: 1)
        monkeypatch.setattr(lifecycle, "rerun_open_pages", lambda: drawn.append(True))
        monkeypatch.setattr(lifecycle, "REDRAW_SECONDS", 0)
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(lifecycle.redraw_pages())
        for _ in range(3):
            await looked.get()
        before = [*drawn]
        masked("Jean")
        for _ in range(looked.qsize() + 3):
            await looked.get()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return [*before, *drawn]

    assert asyncio.run(watched()) == [True]


def test_the_store_is_not_queried_while_no_page_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    async def watched() -> int:
        queries, counted = list[int](), asyncio.Queue[int]()

        def version() -> tuple[str, tuple[int, int]]:
            queries.append(1)
            return "", (0, 0)

        def count() -> int:
            counted.put_nowait(1)
            return 0

        monkeypatch.setattr(lifecycle, "_names_version", version)
        monkeypatch.setattr(lifecycle, "count_open_pages", count)
        monkeypatch.setattr(lifecycle, "REDRAW_SECONDS", 0)
        task = asyncio.create_task(lifecycle.redraw_pages())
        for _ in range(3):
            await counted.get()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return len(queries)

    assert asyncio.run(watched()) == 1  # as the server starts


def test_streamlit_runs_a_page_again_with_its_address_and_fields() -> None:
    """What `rerun_open_pages` and `count_open_pages` of `dashboard.compat` use."""
    assert callable(SessionManager.num_active_sessions)
    assert "_client_state" in AppSession.__init__.__code__.co_names
    assert callable(AppSession.request_rerun)
