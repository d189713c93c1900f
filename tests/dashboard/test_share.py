"""Sharing a replay: the link, its preview, and embedding in other sites."""

from pathlib import Path

import pytest
import streamlit as st

from dashboard.store import open_store
from dashboard.widgets.address import site_link
from tests.dashboard.conftest import Open

pytestmark = pytest.mark.page

FIRST = "SELECT match_id FROM matches WHERE log_id = 'm0'"


def codes(open_page: Open, lang: str = "fr") -> list[str]:
    page = open_page("relecture", match="m0", lang=lang)
    assert {"fr": "Partager", "en": "Share this match"}[lang] in labels(page.main)
    return [one.value for one in page.code]


def labels(block: object) -> set[str]:
    """Labels of all popovers within."""
    found = set[str]()
    for child in getattr(block, "children", {}).values():
        proto = getattr(child, "proto", None)
        if proto is not None and hasattr(proto, "popover"):
            found.add(proto.popover.label)
        found |= labels(child)
    return found


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_partager_has_the_address_of_the_page_anyone_opens(
    games: Path, open_page: Open, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        type(st.context), "url", property(lambda self: "https://club.example/relecture?match=m0")
    )
    link, frame = codes(open_page, lang)
    [(match,)] = open_store().cursor().execute(FIRST).fetchall()
    assert link == f"https://club.example/r/{match}"
    assert f'src="{link}?embed"' in frame


def test_without_an_address_the_link_is_of_this_site(games: Path, open_page: Open) -> None:
    link, _ = codes(open_page)
    assert link.endswith(f"/r/{open_store().cursor().execute(FIRST).fetchall()[0][0]}")


def test_links_of_the_site_begin_with_its_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.base_path._base_path", "/club")
    assert site_link("/saisir?draft=x") == "/club/saisir?draft=x"
