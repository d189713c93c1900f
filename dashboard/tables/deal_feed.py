"""Writes the deals that a saved search finds as an Atom feed (RFC 4287)."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

import duckdb

from dashboard.games import game_titles
from dashboard.tables.find_result import run_search
from dashboard.tables.saved_searches import ListedSearch
from dashboard.text.labels import opponents_text, score_text
from dashboard.text.numbers import date_text
from ingest.i18n import Translate

ENTRIES = 50
"""Deals of a feed: those added last."""
ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""


def atom_feed(
    cursor: duckdb.DuckDBPyConnection, saved: ListedSearch, address: str, base_url: str, t: Translate
) -> bytes:
    """Return the feed of a saved search at an address. BadSearch: the search cannot be run."""
    rows = run_search(cursor, saved.search or "", ENTRIES, count=False, added_last=True).deals.to_dicts()
    added = _added_at(cursor, [row["match_id"] for row in rows])
    times = [added[row["match_id"]] for row in rows]
    last = max(times, default=datetime.fromisoformat(saved.saved_at))
    feed = ElementTree.Element("feed", xmlns=ATOM)
    _head(feed, f"search {saved.number} {saved.saved_at}", saved.name, last)
    ElementTree.SubElement(feed, "link", rel="self", href=_plain(address))
    _text(ElementTree.SubElement(feed, "author"), "name", "Retourne")
    for row, when in zip(rows, times, strict=True):
        entry = ElementTree.SubElement(feed, "entry")
        title = opponents_text(row["names"], row["game"])
        _head(entry, f"deal {row['match_id']} {row['deal_number']}", title, when)
        link = f"{base_url}/r/{row['match_id']}/{row['deal_number']}/{row['action_number'] or 0}"
        ElementTree.SubElement(entry, "link", href=_plain(link))
        _text(entry, "summary", _about(row, t))
    return bytes(ElementTree.tostring(feed, "utf-8", xml_declaration=True))


def _head(element: ElementTree.Element, key: str, title: str, when: datetime) -> None:
    _text(element, "id", uuid5(NAMESPACE_URL, f"retourne {key}").urn)
    _text(element, "title", title)
    _text(element, "updated", when.astimezone(UTC).isoformat(timespec="seconds"))


def _text(element: ElementTree.Element, tag: str, text: str) -> None:
    ElementTree.SubElement(element, tag).text = _plain(text)


def _plain(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _about(row: dict[str, Any], t: Translate) -> str:
    """Return game, day, deal, action and points."""
    parts = (
        game_titles().get(row["game"], ""),
        date_text(row["played_on"], t),
        t("deal {n}", n=row["deal_number"]),
        t("action {n}", n=row["action_number"]) if row["action_number"] else "",
        score_text(row["points"], row["game"], t),
    )
    return " · ".join(filter(None, parts))


def _added_at(cursor: duckdb.DuckDBPyConnection, match_ids: Sequence[str]) -> dict[str, datetime]:
    """Return when each match was added."""
    query = """SELECT match_id, added_at FROM matches JOIN files USING (file_no)
        WHERE list_contains(?::VARCHAR[], match_id)"""
    return dict(cursor.execute(query, [match_ids]).fetchall())
