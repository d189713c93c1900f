"""Lists of matches and of deals, each with its replay: what every page opens games with."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches
from dashboard.text.columns import Column
from dashboard.text.labels import REASONS, STATUSES, against, score
from dashboard.text.numbers import count_of, day, yes_or_no
from dashboard.widgets.fold import first_columns
from dashboard.widgets.frames import table
from dashboard.widgets.grid import column_helps
from dashboard.widgets.links import CHECK, REPLAY
from dashboard.widgets.pager import PAGE, numbered
from dashboard.widgets.store import answer
from ingest.i18n import Translate

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

Row = dict[str, Any]
Address = Mapping[str, str]
"""What the address of a page says, such as the match a replay opens at."""
ROW_HEIGHT = 35


def replay_table(
    rows: "list[Row] | Styler",
    replays: Sequence[Address],
    key: str,
    alt: str,
    t: Translate,
    columns: Sequence[Column] = (),
    checks: Sequence[Address] = (),
) -> None:
    """A table whose column `open` has buttons: `replays` is the address each one leads to.

    `columns`: terms explained on hover. `checks`: the same for buttons in a column `check`.
    """
    config: dict[str, Any] = {
        "open": _button(t("Open"), key, REPLAY, replays),
        t("Players"): st.column_config.TextColumn(width="medium"),
        **column_helps(columns, t),
    }
    if checks:
        config["check"] = check_button(f"{key}-check", checks, t)
    scrolls = len(replays) > PAGE
    names = (rows[0] if rows else ()) if isinstance(rows, list) else rows.columns
    place, shown = first_columns(names, key, t)
    with place:
        st.dataframe(
            rows,
            hide_index=True,
            column_order=shown,
            column_config=config,
            height=ROW_HEIGHT * (PAGE + 1) if scrolls else "content",
            alt=alt,
        )


def check_button(key: str, links: Sequence[Address], t: Translate) -> Any:
    """A column of buttons, each to the validator: `links` has what its address says, by row."""
    return _button(t("Check"), key, CHECK, links)


def _button(label: str, key: str, page: str, links: Sequence[Address]) -> Any:
    return st.column_config.ButtonColumn(
        label, on_click=_follow, args=(key, page, links), key=key, width="small"
    )


def _follow(key: str, page: str, links: Sequence[Address]) -> None:
    st.switch_page(page, query_params=dict(links[st.session_state[key].row]))


# matches


def matches_table(frame: pl.DataFrame, t: Translate, key: str) -> None:
    """A page of `queries.matches.page`: each match opens its replay, and its check if it needs one.

    No text is read as markup.
    """
    known = titles()
    links = [{"match": one} for one in frame["match_id"]]
    faulty = frame["status"].ne("legal").to_list()
    rows: list[Row] = [
        {
            "open": t("Replay"),
            **({"check": t("Check") if wrong else None} if any(faulty) else {}),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], row["game"]),
            t("Score"): score(row["score"], row["game"]),
            t("Game"): known.get(row["game"] or "", ""),
            t("Deals"): row["deals"],
            t("Status"): t(STATUSES[row["status"]]),
            t("Event"): row["event"] or "",
            t("Rules"): row["preset"] or "",
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row, wrong in zip(frame.iter_rows(named=True), faulty, strict=True)
    ]
    replay_table(rows, links, key, t("Matches"), t, checks=links)


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
        st.switch_page(REPLAY, query_params={"match": ids[row]})


def matches_of_game(
    shown: pl.DataFrame, game: str, own: Sequence[Column], key: str, t: Translate
) -> None:
    """Matches (`match_no`, `match_id`, `played_at`) of one game, each with its replay.

    `own`: its columns besides who played and the score.
    """
    details = answer(matches.told, tuple(shown["match_no"].to_list()))
    each = shown.join(details, on="match_no", how="left", maintain_order="left")
    rows = [
        {
            "open": t("Replay"),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], game),
            t("Score"): score(row["score"], game),
            **{t(column.label): column.tell(row, t) for column in own},
        }
        for row in each.iter_rows(named=True)
    ]
    links = [{"match": match_id, "deal": "1"} for match_id in shown["match_id"]]
    replay_table(table(rows, t), links, key, t("Matches"), t, own)


def matches_behind(
    found: pl.DataFrame, game: str, own: Sequence[Column], key: str, t: Translate
) -> None:
    """The matches behind a row, found in the order of play: a page of them, last played first."""
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=count_of(found.height, t)))
        place, offset = st.container(), numbered(found.height, f"behind-{key}")
        with place:
            matches_of_game(last_first(found).slice(offset, PAGE), game, own, f"open-{key}", t)


def last_first(found: pl.DataFrame) -> pl.DataFrame:
    """Matches in the order of play reversed; those without a date stay last."""
    dated = pl.col("played_at").is_not_null()
    return pl.concat([found.filter(dated).reverse(), found.filter(~dated).reverse()])


# deals


def deal_links(frame: pl.DataFrame) -> list[Address]:
    """Where the replays of deals (`match_id`, `number` from 1) begin."""
    return [
        {"match": match_id, "deal": str(number)}
        for match_id, number in frame.select("match_id", "number").rows()
    ]


def deals_behind(
    total: int, page: Callable[[int, int], pl.DataFrame], key: str, t: Translate
) -> None:
    """The deals behind a row, a page of them; `page` finds some by a limit and an offset."""
    with st.container(border=True):
        st.caption(t("Deals found: {n}", n=count_of(total, t)))
        place, offset = st.container(), numbered(total, f"behind-{key}")
        with place:
            deals_table(page(PAGE, offset), f"open-{key}", t)


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
            **_outcome(row, t),
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in frame.iter_rows(named=True)
    ]
    replay_table(table(rows, t), deal_links(frame), key, t("Deals"), t)


def _outcome(row: Mapping[str, Any], t: Translate) -> dict[str, Any]:
    """Why a deal is left out, or its points and who won; empty: the deal was only dealt."""
    if "reason" in row:
        return {t("Reason"): t(REASONS[row["reason"]])}
    if "points" not in row:
        return {}
    return {t("Points"): row["points"], t("Won"): yes_or_no(row["won"], t)}
