"""Lists of matches and of deals, each with its replay: what every page opens games with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from dashboard.games import rules_named, score, titles
from dashboard.queries import matches, values
from dashboard.text.columns import Column
from dashboard.text.labels import REASONS, RESULTS, STATUSES, lost, result
from dashboard.text.numbers import NONE, count_of, day
from dashboard.widgets.linked import (
    OPEN,
    PAGE,
    Address,
    Part,
    To,
    at_table,
    linked,
    numbered,
    player_at,
)
from dashboard.widgets.store import answer, readable
from ingest.i18n import N_, Translate

REPLAYS, CHECKS = "relecture", "verificateur"
LOST = Column(N_("Points lost"), lambda row, t: lost(row, row["player"], t), "end-lost")
PLAYED = Column(N_("Played on"), lambda row, t: day(row["played_at"], t), "order")


def replay(label: str, match_id: str, deal: int | None = None) -> Part:
    """A link to a match's replay, or to that of one of its deals, counted from 1."""
    query = {"match": match_id} | ({} if deal is None else {"deal": str(deal)})
    return Part(label, To(REPLAYS, query))


def listed(links: Sequence[Address]) -> dict[str, str]:
    """What the address of a replay keeps of the list it is opened from, for the ones beside it.

    The first digits of each match, with a deal's number where the list is one of deals.
    """
    if len(links) < 2:
        return {}
    ids = ("-".join(filter(None, (one["match"][:8], one.get("deal")))) for one in links)
    return {"list": ".".join(ids)}


def _in_list(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same rows, where each replay knows the list it is opened from."""
    every = listed([row[OPEN].to.query for row in rows])
    return [
        {**row, OPEN: row[OPEN]._replace(to=To(REPLAYS, {**row[OPEN].to.query, **every}))}
        for row in rows
    ]


# matches


def matches_table(frame: pl.DataFrame, t: Translate, key: str, player: int | None = None) -> None:
    """A page of `queries.matches.page`: each match opens its replay, and its check if it needs one.

    `player`: the number of whom the list is about. No text is read as markup.
    """
    known, frame = titles(), readable(frame)
    faulty = frame["status"].ne("legal").to_list()
    worth = answer(values.of_matches, tuple(frame["match_no"].to_list()))
    worth = worth.select("match_no", "lost", pl.col("deals").alias("looked"))
    frame = frame.join(worth, on="match_no", how="left", maintain_order="left")
    frame = frame.with_columns(player=pl.lit(player, pl.Int64))
    rows = [
        {
            OPEN: replay(t("Replay"), row["match_id"]),
            t(PLAYED.label): PLAYED.tell(row, t),
            t("Players"): at_table(row),
            t("Score"): score(row, t),
            **({} if player is None else {t("Result"): result(row, player, t)}),
            t("Game"): known.get(row["game"] or "", ""),
            t("Deals"): row["deals"],
            t(LOST.label): LOST.tell(row, t),
            t("Verdict"): _status(row, wrong, t),
            t("Event"): row["event"] or "",
            t("Rules"): rules_named(row["preset"], t),
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row, wrong in zip(frame.iter_rows(named=True), faulty, strict=True)
    ]
    told = (PLAYED, LOST)
    linked(_in_list(rows), key, t("Matches"), t, told, first=4 + (player is not None))


def _status(row: Mapping[str, Any], faulty: bool, t: Translate) -> Part:
    """A verdict, which leads to what is wrong where something is."""
    label = t(STATUSES[row["status"]])
    if row["sheet"]:
        label = t("score sheet; its log counts") if row["doubled"] else t("score sheet")
    return Part(label, To(CHECKS, {"match": row["match_id"]}) if faulty else None)


def matches_of_game(
    shown: pl.DataFrame,
    game: str,
    own: Sequence[Column],
    key: str,
    t: Translate,
    player: int | None = None,
) -> None:
    """Matches (`match_no`, `match_id`, `played_at`) of one game, each with its replay.

    `own`: its columns besides who played and the score; `player`: of whom the list is.
    """
    details = answer(matches.told, tuple(shown["match_no"].to_list()))
    each = shown.join(details, on="match_no", how="left", maintain_order="left")
    rows = [
        {
            OPEN: replay(t("Replay"), row["match_id"], 1),
            t(PLAYED.label): PLAYED.tell(row, t),
            t("Players"): at_table(row),
            t("Score"): score(row, t),
            **({} if player is None else {t("Result"): result(row, player, t)}),
            **{t(column.label): column.tell(row, t) for column in own},
        }
        for row in each.with_columns(game=pl.lit(game)).iter_rows(named=True)
    ]
    linked(_in_list(rows), key, t("Matches"), t, (PLAYED, *own), first=4 + (player is not None))


def matches_behind(
    found: pl.DataFrame,
    game: str,
    own: Sequence[Column],
    key: str,
    t: Translate,
    player: int | None = None,
) -> None:
    """The matches behind a row, found in the order of play: a page of them, last played first."""
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=count_of(found.height, t)))
        place, offset = st.container(), numbered(found.height, f"behind-{key}")
        with place:
            shown = last_first(found).slice(offset, PAGE)
            matches_of_game(shown, game, own, f"open-{key}", t, player)


def last_first(found: pl.DataFrame) -> pl.DataFrame:
    """Matches in the order of play reversed; those without a date stay last."""
    dated = pl.col("played_at").is_not_null()
    return pl.concat([found.filter(dated).reverse(), found.filter(~dated).reverse()])


# deals


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
    """Deals, each with a link to its replay, as `queries.played.deals` finds them.

    Where a row has a `player`, the points and who won are that player's; one that is left out
    has a `reason` instead.
    """
    rows = [
        {
            OPEN: replay(t("Replay"), row["match_id"], row["number"]),
            t(PLAYED.label): PLAYED.tell(row, t),
            t("Players"): at_table(row),
            t("Deal"): row["number"],
            **({t("Player"): _whose(row)} if "player" in row else {}),
            **_outcome(row, t),
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in readable(frame).iter_rows(named=True)
    ]
    linked(_in_list(rows), key, t("Deals"), t, (PLAYED,))


def _whose(row: Mapping[str, Any]) -> Part:
    return Part(row["player"], player_at(row["player_id"], row["game"]))


def _outcome(row: Mapping[str, Any], t: Translate) -> dict[str, Any]:
    """Why a deal is left out, or its points and who won; empty: the deal was only dealt."""
    if "reason" in row:
        return {t("Reason"): t(REASONS[row["reason"]])}
    if "points" not in row:
        return {}
    won = NONE if row["won"] is None else t(RESULTS[row["won"]])
    return {t("Points"): row["points"], t("Result"): won}
