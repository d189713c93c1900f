"""What a search finds: players of any table, with where they play, and matches."""

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches, people
from dashboard.queries.matches import Filter
from dashboard.queries.scope import Scope
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of, day
from dashboard.widgets.links import PLAYERS
from dashboard.widgets.matches import matches_table
from dashboard.widgets.me import me_button
from dashboard.widgets.readable import hide
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate

MATCHES = 5


def found(words: str, t: Translate) -> None:
    """Players, exact names first, then matches; that there is neither."""
    some, which = answer(people.search, words), Filter(words, hide=hide())
    total = answer(matches.count, which)
    if some.height:
        st.header(t("Players"))
        _listed(some, answer(people.tables, *some["player_no"]), t)
    if total:
        st.header(t("Matches"))
        matches_table(answer(matches.page, which, MATCHES), t, "open-found")
        st.page_link(
            "app_pages/parties.py",
            label=t("All of them: {n}", n=count_of(total, t)),
            icon=":material/table_rows:",
            query_params={"q": words},
        )
    if not some.height and not total:
        st.info(t("No player and no match has these words."), icon=":material/search_off:")


def elsewhere(words: str, here: Scope, total: int, t: Translate) -> None:
    """Who has such a name and plays at other tables alone; `total` play at this one."""
    some = answer(people.search, words)
    where = answer(people.tables, *some["player_no"])
    at_table = (pl.col("game") == here.game) & (pl.col("players") == here.players)
    known = where.filter(at_table)["player_no"] if total else pl.Series(dtype=pl.Int64)
    others = some.filter(~pl.col("player_no").is_in(known.implode()))
    if others.height:
        said = N_("At other tables:") if total else N_("None among these deals; elsewhere:")
        st.info(t(said), icon=":material/groups:")
        _listed(others, where, t)
    elif not total:
        st.info(t("No player of that name."), icon=":material/search_off:")


def _listed(some: pl.DataFrame, where: pl.DataFrame, t: Translate) -> None:
    for row in some.iter_rows(named=True):
        with st.container(border=True, gap="xxsmall"):
            tables = where.filter(pl.col("player_no") == row["player_no"])
            _player(row["player_id"], row["name"], t)
            _where(row["player_id"], tables, t)
            if row["last"] is not None:
                st.caption(t("Played last on {day}", day=day(row["last"], t)))


def _player(player_id: str, name: str, t: Translate) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            PLAYERS,
            label=f"**{markdown(name)}**",
            icon=":material/person:",
            query_params={"player": player_id},
        )
        me_button(player_id, t)


def _where(player_id: str, tables: pl.DataFrame, t: Translate) -> None:
    """The tables somebody plays at, each a link to the figures there."""
    known = titles()
    with st.container(horizontal=True, gap="small"):
        for row in tables.iter_rows(named=True):
            title = known.get(row["game"], row["game"])
            table = {"game": title, f"table-{row['game']}": str(row["players"])}
            n = count_of(row["matches"], t)
            st.page_link(
                PLAYERS,
                label=t(
                    "{game}, {players} at the table: {n}", game=title, players=row["players"], n=n
                ),
                query_params={"player": player_id} | table,
            )
