"""A board that is open in Chromium while one of its players is masked."""

from io import BytesIO
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.tokens import Role
from tests.dashboard.browser import Server, drawn, reading
from tests.dashboard.conftest import documents, lines

pytestmark = pytest.mark.browser


def test_an_open_board_is_drawn_again_without_the_name(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path, player = tmp_path / "club.duckdb", documents()[0]["players"][0]
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        secret = tokens.add_token(store, "zoe", Role.ADMIN)
        [(match,)] = store.cursor().execute("SELECT match_id FROM matches WHERE log_id = 'm0'").fetchall()
    with server.showing(path) as address, reading(browser, address) as page:
        page.goto(f"{address}/relecture?match={match}&deal=2")
        drawn(page)
        name = page.get_by_text(player["name"]).filter(visible=True)
        expect(name).not_to_have_count(0)
        server.knows_names(path)
        answer = httpx.post(
            f"{address}/api/v1/commands/mask",
            json={"players": [player["id"]]},
            headers={"Authorization": f"Bearer {secret}"},
        )
        [shown] = answer.json()["players"]
        expect(page.get_by_text(shown["pseudonym"]).filter(visible=True)).not_to_have_count(0)
        assert player["name"] not in page.content()
        assert player["name"] not in page.title()
        assert "deal=2" in page.url
