"""Tables of figures: greyed where little is behind a row, each term explained on hover."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import GREY
from dashboard.queries import matches
from dashboard.tables.profile import REASONS, Column
from dashboard.text.definitions import about
from dashboard.text.numbers import against, count_of, day, yes_or_no
from dashboard.widgets.frames import table
from dashboard.widgets.matches import PAGE, score
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def grid(
    rows: Sequence[dict[str, str | int]],
    columns: Sequence[Column],
    grey: Sequence[bool],
    key: str,
    alt: str,
    t: Translate,
    opens: bool = False,
    parts: Mapping[str, Sequence[bool]] = MappingProxyType({}),
    hint: str = "",
) -> int | None:
    """Rows under their columns' headings, some of them greyed; `opens`: which one is chosen.

    `parts`: label of a column that rests on less than its row → which of its cells are grey too;
    `hint`: what choosing a row does where it does not list games.
    """
    styled = table(rows, t)

    def style(row: Any) -> list[str]:
        place = int(row.name)
        few = (grey[place] or (name in parts and parts[name][place]) for name in row.index)
        return [f"color: {GREY}" if one else "" for one in few]

    if any(map(any, (grey, *parts.values()))):
        styled = styled.apply(style, axis=1)
    event: Any = st.dataframe(
        styled,
        hide_index=True,
        column_config=_helps(columns, t),
        height="content",
        on_select="rerun" if opens else "ignore",
        selection_mode="single-row",
        key=key,
        alt=alt,
    )
    if not opens:
        return None
    st.caption(hint or t("Choose a row to see the games behind it."))
    chosen = event.selection.rows
    return chosen[0] if chosen and chosen[0] < len(rows) else None


def _helps(columns: Sequence[Column], t: Translate) -> dict[str, Any]:
    return {
        t(column.label): st.column_config.Column(help=about(column.about, t))
        for column in columns
        if column.about
    }


def deals_behind(
    total: int, page: Callable[[int, int], pl.DataFrame], key: str, t: Translate
) -> None:
    """All deals behind a row, a page of them; `page` finds some by its limit and offset."""
    with st.container(border=True):
        st.caption(t("Deals found: {n}", n=count_of(total, t)))
        place, offset = st.container(), offset_in(total, key)
        with place:
            deals_table(page(PAGE, offset), f"open-{key}", t)


def matches_behind(
    found: pl.DataFrame, game: str, own: Sequence[Column], key: str, t: Translate
) -> None:
    """All matches behind a row, given in the order of play: the last ones first, a page of them."""
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=count_of(found.height, t)))
        place, offset = st.container(), offset_in(found.height, key)
        with place:
            matches_list(last_first(found).slice(offset, PAGE), game, own, f"open-{key}", t)


def last_first(found: pl.DataFrame) -> pl.DataFrame:
    """Matches given in the order of play the other way round; those without a date stay last."""
    dated = pl.col("played_at").is_not_null()
    return pl.concat([found.filter(dated).reverse(), found.filter(~dated).reverse()])


def offset_in(total: int, key: str) -> int:
    """Of the page chosen below a list; a list that fits one page has no choice."""
    pages = max(1, -(-total // PAGE))
    page: int = st.pagination(pages, key=f"behind-{key}") if pages > 1 else 1
    return (page - 1) * PAGE


def deals_table(frame: pl.DataFrame, key: str, t: Translate) -> None:
    """Deals with a button that opens each at its replay, as `queries.played.deals` finds them.

    Where a row has a `player`, the points and who won are that player's; one that is left out
    has a `reason` instead.
    """
    rows = [
        {
            "open": t("Replay"),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], row["game"]),
            t("Deal"): row["number"],
            **({t("Player"): row["player"]} if "player" in row else {}),
            **_came_to(row, t),
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in frame.iter_rows(named=True)
    ]
    links = frame.select("match_id", "number").rows()
    replay_table(rows, links, key, t("Deals"), t)


def _came_to(row: Mapping[str, Any], t: Translate) -> dict[str, Any]:
    """Why a deal is left out, or what it came to; nothing of one that only was dealt."""
    if "reason" in row:
        return {t("Reason"): t(REASONS[row["reason"]])}
    if "points" not in row:
        return {}
    return {t("Points"): row["points"], t("Won"): yes_or_no(row["won"], t)}


def matches_list(
    shown: pl.DataFrame, game: str, own: Sequence[Column], key: str, t: Translate
) -> None:
    """Matches (`match_no`, `match_id`, `played_at`) of a game, each with its replay.

    `own`: what is told of each besides who played and the score.
    """
    told = answer(matches.told, tuple(shown["match_no"].to_list()))
    rows = [
        {
            "open": t("Replay"),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], game),
            t("Score"): score(row["score"], game),
            **{t(column.label): column.tell(row, t) for column in own},
        }
        for row in shown.join(told, on="match_no", how="left", maintain_order="left").iter_rows(
            named=True
        )
    ]
    links = [(match_id, 1) for match_id in shown["match_id"]]
    replay_table(rows, links, key, t("Matches"), t, own)


def replay_table(
    rows: list[dict[str, Any]],
    links: list[tuple[str, int]],
    key: str,
    alt: str,
    t: Translate,
    columns: Sequence[Column] = (),
) -> None:
    """Rows whose `open` is a button: `links` has the match and the deal each one opens.

    `columns`: those whose terms are explained on hover.
    """
    button = st.column_config.ButtonColumn(
        t("Open"), on_click=_open, args=(key, links), key=key, width="small"
    )
    st.dataframe(
        table(rows, t),
        hide_index=True,
        column_config={
            "open": button,
            t("Players"): st.column_config.TextColumn(width="medium"),
            **_helps(columns, t),
        },
        height="content" if len(rows) <= PAGE else 35 * (PAGE + 1),  # more of them scroll
        alt=alt,
    )


def _open(key: str, links: list[tuple[str, int]]) -> None:
    match, deal = links[st.session_state[key].row]
    query = {"match": match, "deal": str(deal)}
    st.switch_page("app_pages/relecture.py", query_params=query)
