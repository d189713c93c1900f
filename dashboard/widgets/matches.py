"""Pieces that several pages show, from frames and reports."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import duckdb
import polars as pl
import streamlit as st

from dashboard.board.states import said
from dashboard.text.numbers import against, count_of, day, decimal
from dashboard.widgets.filters import GAMES, STATUSES
from dashboard.widgets.language import markdown
from engine.games import game
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.report import MatchReport
from ingest.store.add import FileReport

REFUSED = ("broken", "unreadable")
PAGE = 25


def size_of(octets: int, t: Translate) -> str:
    """Bytes as people say them."""
    size, units = float(octets), [t("B"), t("kB"), t("MB"), t("GB")]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return (
        f"{decimal(size, t, 0 if size >= 100 or size == octets else 1)}\N{NO-BREAK SPACE}{units[0]}"
    )


def score(points: Sequence[int | None] | None, known: str | None) -> str:
    """The score of each seat or side: `5 – 3`; `known` is the match's game."""
    if not points or all(one is None for one in points):
        return ""
    if known is not None:
        points = points[: game(known).sides(len(points))]
    return " – ".join("?" if one is None else str(one) for one in points)


# matches


def matches_table(frame: pl.DataFrame, t: Translate, key: str) -> None:
    """A page of `queries.matches.page`: each match opens its replay, and its check if it needs one.

    No text is read as markup.
    """
    ids = frame["match_id"].to_list()
    faulty = frame["status"].ne("legal").to_list()
    rows = [
        {
            "open": t("Replay"),
            **({"check": t("Check") if wrong else None} if any(faulty) else {}),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], row["game"]),
            t("Score"): score(row["score"], row["game"]),
            t("Game"): GAMES.get(row["game"] or "", ""),
            t("Deals"): row["deals"],
            t("Status"): t(STATUSES[row["status"]]),
            t("Event"): row["event"] or "",
            t("Rules"): row["preset"] or "",
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row, wrong in zip(frame.iter_rows(named=True), faulty, strict=True)
    ]
    button = st.column_config.ButtonColumn(
        t("Open"), on_click=_open_clicked, args=(key, ids), key=key, width="small"
    )
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            "open": button,
            "check": check_button(f"{key}-check", [{"match": one} for one in ids], t),
            t("Players"): st.column_config.TextColumn(width="medium"),
        },
        height="content",
        alt=t("Matches"),
    )


def matches_named(frame: pl.DataFrame, t: Translate, key: str) -> None:
    """The same matches by name: a table's buttons do not answer to the keyboard."""
    names = [
        " · ".join(filter(None, (day(row["played_at"], t), against(row["names"], row["game"]))))
        for row in frame.iter_rows(named=True)
    ]
    st.selectbox(
        t("Replay one of this list"),
        range(len(names)),
        index=None,
        format_func=lambda row: names[row],
        placeholder=t("Choose a match"),
        key=key,
        on_change=_open_named,
        args=(key, frame["match_id"].to_list()),
    )


def _open_named(key: str, ids: list[str]) -> None:
    if (row := st.session_state[key]) is not None:
        st.switch_page("app_pages/relecture.py", query_params={"match": ids[row]})


def _open_clicked(key: str, ids: list[str]) -> None:
    st.switch_page("app_pages/relecture.py", query_params={"match": ids[st.session_state[key].row]})


def check_button(key: str, links: Sequence[dict[str, str]], t: Translate) -> Any:
    """A column of buttons, each to the Vérificateur: `links` has what its address says, by row."""
    return st.column_config.ButtonColumn(
        t("Check"), on_click=_check_clicked, args=(key, links), key=key, width="small"
    )


def _check_clicked(key: str, links: Sequence[dict[str, str]]) -> None:
    query = links[st.session_state[key].row]
    st.switch_page("app_pages/verificateur.py", query_params=query)


def pager(total: int, key: str, t: Translate) -> int:
    """Previous and next below a list; returns the offset of the page asked for."""
    pages = max(1, -(-total // PAGE))
    current: int = min(st.session_state.get(key, 0), pages - 1)
    st.session_state[key] = current
    if pages > 1:
        with st.container(horizontal=True, vertical_alignment="center"):
            for step, label, icon in (
                (-1, t("Previous page"), ":material/chevron_left:"),
                (1, t("Next page"), ":material/chevron_right:"),
            ):
                st.button(
                    label,
                    icon=icon,
                    disabled=not 0 <= current + step < pages,
                    key=f"{key}{step}",
                    on_click=st.session_state.__setitem__,
                    args=(key, current + step),
                )
            st.caption(t("Page {page} of {pages}", page=current + 1, pages=pages))
    return current * PAGE


# what an upload came to


def uploader_words(key: str, t: Translate, many: bool = True) -> None:
    """Say the uploader's own words, which Streamlit has in English only, in the page's language."""
    choose = t("Choose files") if many else t("Choose a file")
    drop = t("or drop them here") if many else t("or drop it here")
    st.html(
        f"""<style>
        .st-key-{key} button p, .st-key-{key} section > div span {{ font-size: 0; }}
        .st-key-{key} button p::after {{ font-size: 0.875rem; content: "{choose}"; }}
        .st-key-{key} section > div span::after {{
            font-size: 0.875rem; content: "{drop}";
        }}
        </style>"""
    )


def newest_file(cursor: duckdb.DuckDBPyConnection) -> int:
    """The number of the file added last, -1 when there is none."""
    row = cursor.execute("SELECT coalesce(max(file_no), -1) FROM files").fetchone()
    return int(row[0]) if row else -1


def summary(reports: Iterable[FileReport], t: Translate) -> None:
    """Four figures: added, known already, irregular (added all the same), refused."""
    reports = list(reports)
    refused = sum(report.by_status.get(s, 0) for report in reports for s in REFUSED)
    odd = sum(report.by_status.get(s, 0) for report in reports for s in ("irregular", "incomplete"))
    added = sum(report.added for report in reports) - refused
    known = sum(report.duplicates for report in reports)
    with st.container(horizontal=True):
        for label, number, help in (
            (t("Added"), added, t("Matches now in the store, to replay and to count.")),
            (t("Duplicates"), known, t("Matches the store already had: nothing was added.")),
            (
                t("Irregular"),
                odd,
                t(
                    "Among those added: a play against the rules, or a deal without its end. "
                    "They can be replayed; the statistics leave their deals out."
                ),
            ),
            (
                t("Refused"),
                refused,
                t(
                    "Logs that cannot be read or replayed to the end. Their text and the reasons "
                    "are kept; the statistics leave them out."
                ),
            ),
        ):
            st.metric(label, count_of(number, t), help=help, border=True)


Reason = tuple[MatchReport, int | None]
"""A match and the place of one of its findings, from 0; None of a match the store already had."""


def reasons(reports: Iterable[FileReport]) -> list[Reason]:
    """Each finding of each match that is not clean, and each duplicate."""
    found: list[Reason] = []
    for report in (one for file in reports for one in file.reports):
        places = [None] if report.duplicate else range(len(report.findings))
        found += [(report, place) for place in places]
    return found


def reasons_table(found: Sequence[Reason], t: Translate, key: str) -> None:
    """What was found, with room for a sentence; a stored match is checked at its finding."""
    links = [
        {"match": report.match_id, "finding": str(place + 1)} if place is not None else {}
        for report, place in found
    ]
    st.dataframe(
        [_reason(report, place, t) for report, place in found],
        hide_index=True,
        column_config={
            "check": check_button(key, links, t),
            t("Reason"): st.column_config.TextColumn(width=560),
        },
        alt=t("What was found in the files"),
    )


def _reason(report: MatchReport, place: int | None, t: Translate) -> dict[str, Any]:
    if place is None:
        known, rule, reason, deal = t("duplicate"), "", t("The store already has this match."), None
    else:
        finding = report.findings[place]
        known, rule = t(STATUSES[report.status]), finding.rule
        reason, deal = finding.message(t), finding.deal
    return {
        "check": t("Check") if place is not None and report.match_id else None,
        t("Rule"): rule,
        t("Reason"): reason,
        t("Status"): known,
        t("File"): report.file,
        t("Line"): report.line,
        t("Deal"): None if deal is None else deal + 1,
        t("Match"): report.id or report.match_id[:8],
    }


# one match


def number_in(text: str | None, low: int, high: int) -> int:
    """The whole number an address gives, kept within bounds; `low` when it gives none."""
    try:
        return max(low, min(high, int(text or "")))
    except ValueError:
        return low


EVENT = {"name": "", "place": "", "round": N_("round {n}"), "table": N_("table {n}")}
"""What a heading says of an event, in this order; a bare number says nothing alone."""


def heading(log: Explained, t: Translate) -> None:
    """Who played, when and where, in plain text."""
    if log.match is None:
        return
    names = [player.name or player.id for player in log.match.players]
    event = log.match.event or {}
    known = ((text, str(event[key])) for key, text in EVENT.items() if event.get(key) is not None)
    told = [t(text, n=one) if text and one.isdecimal() else one for text, one in known]
    details = [_played(log.match.played_at, t), *told, t(STATUSES[log.status])]
    with st.container(width="stretch", gap="xsmall"):
        st.text(against(names, log.match.game), wrap=False, width="stretch")
        st.caption(markdown(" · ".join(part for part in details if part)))


def _played(moment: str | None, t: Translate) -> str:
    """The day of a log's `played_at`, as it stands where it is no date."""
    try:
        return day(date.fromisoformat((moment or "")[:10]), t)
    except ValueError:
        return (moment or "")[:10]


def deal_name(log: Explained, index: int, t: Translate, score: bool = True) -> str:
    """`3 · 87 – 103 · irregular`: what a list of deals says of one, counted from 0."""
    parts = [t("Deal {n}", n=index + 1)]
    if score and (replay := log.replays[index]) is not None:
        parts.append(" – ".join(map(str, replay.last.points)))
    if log.deal_status[index] != "legal":
        parts.append(t(STATUSES[log.deal_status[index]]))
    if log.match is not None and log.match.deals[index].void:
        parts.append(t("void"))
    return " · ".join(parts)


def no_board(text: str, log: Explained, deal: int, t: Translate) -> None:
    """Why a deal (from 0; -1 for none) has no board, and what was found of it."""
    st.warning(text, icon=":material/playing_cards:")
    told = said(log.findings, deal, 0, t)
    rows = [{t("Rule"): one["rule"], t("Reason"): one["text"]} for one in told]
    if rows:
        st.dataframe(rows, hide_index=True, height="content", alt=t("Findings"))
