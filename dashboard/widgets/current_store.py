"""The open store on a page, and what whoever looks at it may do there.

A page says why and stops where the store cannot be opened or read. A page that is open asks anew at
each act, so a token that is revoked or over lets nobody do more.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from html import escape
from typing import Concatenate, Never, ParamSpec, TypeVar

import polars as pl
import streamlit as st

from dashboard import access
from dashboard import store as opened
from dashboard.access import COOKIE, Who
from dashboard.compat import get_script_run_ctx
from dashboard.queries import player_search
from dashboard.queries.scope import Cursor
from dashboard.tables import redacted as tables
from dashboard.text.numbers import markdown
from dashboard.widgets.browser import texts
from ingest.i18n import N_, Translate
from ingest.redact.log_text import Hide
from ingest.store import audit, tokens
from ingest.store.errors import Away, Gone, StoreError
from ingest.store.factory import Store
from ingest.store.tokens import ROLES, Role

P = ParamSpec("P")
T = TypeVar("T")

MAY_NOT = {
    Role.READER: N_("Reading these pages needs a token. Ask the admin of this store for one."),
    Role.CONTRIBUTOR: N_("Adding games needs a token. Ask the admin of this store for one."),
    Role.ADMIN: N_(
        "Deleting, masking, purging, judging again, backups and tokens are for the admin of this "
        "store."
    ),
}


class Refused(Exception):
    """Whoever asks may not do what needs a role."""

    def __init__(self, role: Role) -> None:
        super().__init__(role)
        self.role = role

    def say(self, t: Translate) -> str:
        return t(MAY_NOT[self.role])


# who looks


def _bearer() -> str | None:
    return access.bearer(st.context.headers.get("Authorization", ""))


def _session() -> str | None:
    kept = st.context.cookies.get(COOKIE)
    return kept if isinstance(kept, str) else None  # a page that no browser asked for has none


def me() -> Who:
    """Whoever looks at this page, as it is now. StoreError: the store cannot be opened."""
    return access.who(_bearer(), _session())


def may(role: Role, unknown: bool = False) -> bool:
    """Whether they may do what needs a role; `unknown`: where the store cannot be opened."""
    try:
        return me().may(role)
    except StoreError:
        return unknown


def closed() -> bool:
    """Whether whoever looks may not even read, as far as the store can be asked."""
    return not may(Role.READER, unknown=True)


def require(role: Role) -> Who:
    """Whoever asks. Refused: they may not do what needs a role."""
    asking = me()
    if not asking.may(role):
        raise Refused(role)
    return asking


def acting(role: Role) -> AbstractContextManager[None]:
    """The store is changed by somebody who may, in whose name. Refused: they may not."""
    return audit.by(require(role).token_no)


def allowed(role: Role, t: Translate) -> bool:
    """Whether whoever looks may do what comes next; else the page says who may."""
    if may(role):
        return True
    st.info(t(MAY_NOT[role]), icon=":material/lock:")
    return False


def _way_in(t: Translate) -> None:
    """A link to where one signs in, in the same tab: Streamlit's own open another."""
    st.html(f'<a href="/in" target="_self" style="color: inherit">{escape(t("Sign in"))}</a>')


def may_not_read(t: Translate) -> Never:
    """Say that reading needs a token, with the way to sign in, and end the page."""
    allowed(Role.READER, t)
    _way_in(t)
    st.stop()


def signed_in(t: Translate) -> None:
    """Who is signed in, and the way out, or in; nothing where nobody has to."""
    try:
        asking = me()
    except StoreError:
        return  # the page says so

    def sign_out() -> None:
        if session := _session():
            tokens.sign_out(opened.store(), session)

    if asking.token_no is not None and asking.role is not None:
        st.caption(markdown(t("{name}, {role}", name=asking.name, role=t(ROLES[asking.role]))))
        if _bearer() is None:
            st.button(t("Sign out"), icon=":material/logout:", key="sign-out", on_click=sign_out)
    elif not asking.may(Role.ADMIN):
        _way_in(t)


def remember() -> None:
    """Note whose this session of Streamlit's is, so that nobody else puts files into it."""
    context = get_script_run_ctx()
    with suppress(StoreError):
        if context is not None:
            access.remember(context.session_id, me().token_no)


# the store


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

    @st.fragment(run_every=opened.AGAIN)
    def until_it_answers() -> None:
        with suppress(StoreError):
            me()
            st.rerun()

    t = texts()
    st.warning(t(opened.NO_ANSWER), icon=":material/database_off:")
    st.caption(t("This page comes by itself as soon as it can."))
    until_it_answers()
    st.stop()


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


def hide() -> Hide | None:
    """What hides the names of masked players; None: nobody is masked."""
    return tables.hide_of(answer(player_search.hidden))


def readable(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """A frame to be shown; `files`: columns with names of files."""
    return tables.readable(frame, hide(), *files)
