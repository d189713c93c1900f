"""The one open store of this process, and cursors on it."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import duckdb
import streamlit as st

from dashboard.queries.version import version
from dashboard.widgets.language import texts
from ingest.judge.explain import Explained, explain
from ingest.store.store import DEFAULT, Store, StoreError

P = ParamSpec("P")
T = TypeVar("T")

writing = threading.Lock()
"""Held while files are added: one upload after another."""


def path() -> Path:
    """The store's file, from RETOURNE_STORE."""
    return Path(os.environ.get("RETOURNE_STORE", DEFAULT)).resolve()


_stores: list[Store] = []


@st.cache_resource(show_spinner=False)
def _open(name: str) -> Store:
    store = Store(Path(name))
    _stores.append(store)
    return store


def forget() -> None:
    """Ask every query anew; the store stays open."""
    _answer.clear()


def close() -> None:
    """Let go of the store; the next page opens it again."""
    st.cache_resource.clear()
    forget()
    while _stores:
        _stores.pop().close()


def store() -> Store:
    """The open store; says why and stops the page when it cannot be opened."""
    try:
        return _open(str(path()))
    except StoreError as error:
        t = texts()
        st.error(t("The store cannot be opened."), icon=":material/database_off:")
        st.text(error.say(t))
        st.stop()


def opened() -> Store:
    """The open store, for what runs beside the pages. StoreError: it cannot be opened."""
    return _open(str(path()))


def cursor() -> duckdb.DuckDBPyConnection:
    """A cursor of its own for each page run, for `dashboard.queries`."""
    return store().cursor()


def answer(
    query: Callable[Concatenate[duckdb.DuckDBPyConnection, P], T], *args: P.args, **named: P.kwargs
) -> T:
    """What a query of `dashboard.queries` says; kept until the store changes.

    Its arguments are told apart by their `repr`: numbers, texts, dates, `Scope`, `Filter`.
    """
    ask = cursor()
    asked = f"{query.__module__}.{query.__qualname__} {args!r} {named!r}"
    found: T = _answer((str(path()), version(ask), asked), lambda: query(ask, *args, **named))
    return found


@st.cache_data(max_entries=1000, show_spinner=False)
def _answer(key: tuple[Any, ...], _ask: Callable[[], Any]) -> Any:
    return _ask()


def explained(name: str, match_no: int) -> Explained:
    """The match, replayed; kept because stepping through its deals asks for it again."""
    return _explained(name, match_no, version(_open(name).cursor()))


@st.cache_resource(max_entries=64, show_spinner=False)
def _explained(name: str, match_no: int, told: tuple[int, int]) -> Explained:
    """`told` is the store's version: players may have been masked since."""
    return explain(_open(name).text(match_no))
