"""The open store on a page, which says why and stops where it cannot be opened or read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Concatenate, Never, ParamSpec, TypeVar

import polars as pl
import streamlit as st

from dashboard import store as opened
from dashboard.queries import people
from dashboard.queries.scope import Cursor
from dashboard.store import close, forget
from dashboard.tables import readable as tables
from dashboard.widgets.access import may_not_read, me
from dashboard.widgets.browser import texts
from ingest.i18n import N_
from ingest.judge.explain import Explained
from ingest.store.errors import Away, Gone
from ingest.store.store import Store, StoreError
from ingest.store.tokens import Role
from ingest.text.names import Hide

__all__ = ["answer", "close", "cursor", "explained", "forget", "store"]

P = ParamSpec("P")
T = TypeVar("T")


def store() -> Store:
    """The open store; says why and stops the page when it cannot be opened, or may not be read."""
    try:
        found = opened.store()
        reads = me().may(Role.READER)
    except Away:
        _no_answer()
    except StoreError as error:
        _why(error, N_("The store cannot be opened."))
    if not reads:
        may_not_read(texts())
    return found


def _why(error: StoreError, text: str) -> Never:
    """Say what cannot be done with the store, and why; end the page."""
    t = texts()
    st.error(t(text), icon=":material/database_off:")
    st.text(opened.why_not(error, t))
    st.stop()


def _no_answer() -> Never:
    """Say that the store does not answer, end the page, and begin it again once it does."""
    t = texts()
    st.warning(t(opened.NO_ANSWER), icon=":material/database_off:")
    st.caption(t("This page comes by itself as soon as it can."))
    _until_it_answers()
    st.stop()


@st.fragment(run_every=opened.AGAIN)
def _until_it_answers() -> None:
    with suppress(StoreError):
        me()
        st.rerun()


def _which() -> tuple[Store, int] | None:
    try:
        return opened.which()
    except StoreError:
        return None  # the page says so


@contextmanager
def drawn_anew() -> Iterator[None]:
    """Have a page begin again that raised because the store was replaced while it was drawn.

    One that is away, before or meanwhile, is told as such, and one that lacks a file.
    """
    before = _which()
    try:
        with opened.answering():
            if opened.at_hand() is not None:
                opened.reached()
            yield
    except Away:
        _no_answer()
    except Gone as gone:
        _why(gone, N_("The store cannot be read."))
    except Exception:
        if _which() != before:
            st.rerun()
        raise


def cursor() -> Cursor:
    """A cursor of its own for each page run, for `dashboard.queries`."""
    return store().cursor()


def answer(query: Callable[Concatenate[Cursor, P], T], *args: P.args, **named: P.kwargs) -> T:
    """What a query of `dashboard.queries` says, as `dashboard.store.answer` keeps it."""
    store()
    return opened.answer(query, *args, **named)


def explained(match_no: int) -> Explained:
    """A match of the store, replayed, as `dashboard.store.explained` keeps it."""
    store()
    return opened.explained(match_no)


def readable(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """A frame to be shown; `files`: columns with names of files."""
    return tables.readable(frame, hide(), *files)


def hide() -> Hide | None:
    """What hides the names of masked players; None: nobody is masked."""
    return tables.hide_of(answer(people.hidden))


def reader() -> Callable[[str], str]:
    """What makes a text one that may be read."""
    return hide() or str
