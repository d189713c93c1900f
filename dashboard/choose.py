"""The filter that keeps figures of one game and one size of table together."""

from collections.abc import Container, Mapping
from typing import Any, TypeVar

import duckdb
import polars as pl
import streamlit as st

from dashboard.queries.scope import Scope, scopes
from engine.games import NAMES, game
from ingest.i18n import Translate

GAMES = {"chouine": "Chouine", "coinche": "Coinche", "chouineurs": "Chouineurs"}
"""What each game is called, in both languages."""

T = TypeVar("T", str, int)


def scope(
    ask: duckdb.DuckDBPyConnection, t: Translate, games: Container[str] = NAMES
) -> Scope | None:
    """Game, players at the table and rules, each asked where there is a choice.

    The first offered has most deals. None: no deal of these games is in the store.
    """
    found = scopes(ask)
    found = found.filter(pl.col("game").is_in([one for one in NAMES if one in games]))
    if not found.height:
        return None
    with st.container(horizontal=True):
        name = _one(t("Game"), _most(found, "game"), "game", GAMES)
        found = found.filter(pl.col("game") == name)
        players = _one(t("Players at the table"), _most(found, "players"), f"table-{name}")
        found = found.filter(pl.col("players") == players)
        preset, presets = None, _most(found, "preset")
        if len(presets) > 1:
            preset = any_of(t("Rules"), presets, t("Any rules"), f"rules-{name}")
    return Scope(name, players, preset)


def fair_share(which: Scope) -> float:
    """What a player wins who plays like everybody: one deal in as many as there are sides."""
    return 1 / game(which.game).sides(which.players)


def any_of(
    label: str, values: list[str], any_word: str, key: str, names: Mapping[str, str] | None = None
) -> str | None:
    """One of some values, or None for any of them."""
    return st.selectbox(
        label,
        values,
        index=None,
        format_func=lambda value: (names or {}).get(value, value),
        placeholder=any_word,
        key=key,
        bind="query-params",
        width=220,
    )


def _most(found: pl.DataFrame, column: str) -> list[Any]:
    """The values of a column, those of most deals first."""
    counted = found.group_by(column, maintain_order=True).agg(pl.col("deals").sum())
    return counted.sort("deals", descending=True, maintain_order=True)[column].to_list()


def _one(label: str, values: list[T], key: str, names: Mapping[T, str] | None = None) -> T:
    if len(values) == 1:
        return values[0]
    return st.selectbox(
        label,
        values,
        format_func=lambda value: (names or {}).get(value, str(value)),
        key=key,
        bind="query-params",
        width=220,
    )
