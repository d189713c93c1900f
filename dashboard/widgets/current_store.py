"""The open store on a page, and the permissions of its user.

A page shows why and stops if the store cannot be opened or read. An open page checks the role again
at each action, so a revoked or expired token permits nothing more.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from html import escape
from typing import Concatenate, Never, ParamSpec, TypeVar

import polars as pl
import streamlit as st

from dashboard import authentication
from dashboard import store as opened
from dashboard.authentication import SESSION_COOKIE, Principal
from dashboard.base_path import browser_path
from dashboard.compat import get_script_run_ctx
from dashboard.queries import player_search
from dashboard.queries.scope import Cursor
from dashboard.tables import redacted as tables
from dashboard.text.numbers import escape_markdown
from dashboard.widgets.browser import page_texts
from ingest.i18n import N_, Translate
from ingest.redact.anonymize_log import LogRedactor
from ingest.store import audit, sessions
from ingest.store.errors import CatalogUnavailable, FileMissing, StoreError
from ingest.store.factory import Store
from ingest.store.sessions import Session
from ingest.store.tokens import ROLES, Role, hash_secret

P = ParamSpec("P")
T = TypeVar("T")

NOT_ALLOWED_TEXTS = {
    Role.READER: N_("Reading these pages needs a token. Ask the admin of this store for one."),
    Role.CONTRIBUTOR: N_("Adding matches needs a token. Ask the admin of this store for one."),
    Role.ADMIN: N_(
        "Only the admin of this store can delete, mask, check again, make backups and manage tokens."
    ),
}


class NotAllowed(Exception):
    """The user lacks the role that an action needs."""

    def __init__(self, role: Role) -> None:
        super().__init__(role)
        self.role = role

    def message(self, t: Translate) -> str:
        return t(NOT_ALLOWED_TEXTS[self.role])


# the user


def _bearer_header() -> str | None:
    return authentication.bearer_token(st.context.headers.get("Authorization", ""))


def _session_cookie() -> str | None:
    remaining = st.context.cookies.get(SESSION_COOKIE)
    return remaining if isinstance(remaining, str) else None  # a page not requested by a browser has none


def current_principal() -> Principal:
    """Return this page's user, with current rights. StoreError: the store cannot be opened."""
    return authentication.authenticate(_bearer_header(), _session_cookie())


def is_current_session(session: Session) -> bool:
    """Return whether a session is this browser's."""
    return session.hash == hash_secret(_session_cookie() or "")


def has_role(role: Role, unknown: bool = False) -> bool:
    """Return whether the user has a role; `unknown` if the store cannot be opened."""
    try:
        return current_principal().has_role(role)
    except StoreError:
        return unknown


def is_access_denied() -> bool:
    """Return whether the user may not even read; False if the store cannot be opened."""
    return not has_role(Role.READER, unknown=True)


def require_role(role: Role) -> Principal:
    """Return the user. NotAllowed: the user lacks the role."""
    principal = current_principal()
    if not principal.has_role(role):
        raise NotAllowed(role)
    return principal


def acting_with_role(role: Role) -> AbstractContextManager[None]:
    """Return a context that changes the store in the user's name. NotAllowed: no such role."""
    return audit.acting_as(require_role(role).token_no)


def show_if_not_allowed(role: Role, t: Translate) -> bool:
    """Return whether the user has a role; otherwise show which role is needed."""
    if has_role(role):
        return True
    st.info(t(NOT_ALLOWED_TEXTS[role]), icon=":material/lock:")
    return False


def _link(address: str, text: str) -> None:
    """Show a link that opens in the same tab, unlike Streamlit's own links."""
    st.html(f'<a href="{address}" target="_self" style="color: inherit">{escape(text)}</a>')


def _sign_in_link(t: Translate) -> None:
    _link(browser_path("/in"), t("Sign in"))


def _renew_cookie() -> None:
    """Have the browser request the server once an hour in which the reader uses the page.

    Only a response renews the session's cookie, and a page that stays open receives none. A page that
    is drawn again without its reader has the same script, which no browser runs again.
    """
    used_at = authentication.last_use(_session_cookie() or "")
    script = f"fetch('./', {{ method: 'HEAD' }}) /* {str(used_at)[:13]} */"
    with st.container(key="cookie"):
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def stop_without_access(t: Translate) -> Never:
    """Show that reading needs a token, with a sign-in link, and end the page."""
    show_if_not_allowed(Role.READER, t)
    _sign_in_link(t)
    st.stop()


def show_sign_in_state(t: Translate) -> None:
    """Show the signed-in user and a way out, or in; nothing if signing in is not needed."""
    try:
        principal = current_principal()
    except StoreError:
        return  # the page shows it

    def sign_out() -> None:
        if session := _session_cookie():
            sessions.sign_out(opened.open_store(), session)

    if principal.token_no is not None and principal.role is not None:
        st.caption(escape_markdown(t("{name}, {role}", name=principal.name, role=t(ROLES[principal.role]))))
        if _bearer_header() is None:
            st.button(t("Sign out"), icon=":material/logout:", key="sign-out", on_click=sign_out)
            if principal.role is not Role.ADMIN:  # the menu has the page for admins
                _link("acces", t("Browsers you are signed in with"))
            _renew_cookie()
    elif not principal.has_role(Role.ADMIN):
        _sign_in_link(t)


def remember_session() -> None:
    """Record the owner of this Streamlit session, so that no other user puts files into it."""
    context = get_script_run_ctx()
    with suppress(StoreError):
        if context is not None:
            authentication.remember_session(context.session_id, current_principal().token_no)


# the store


def open_store() -> Store:
    """Return the open store; show why and end the page if it cannot be opened or read."""
    try:
        found = opened.open_store()
        reads = current_principal().has_role(Role.READER)
    except CatalogUnavailable:
        _stop_and_retry()
    except StoreError as error:
        _stop_with_error(error, N_("The store cannot be opened."))
    if not reads:
        stop_without_access(page_texts())
    return found


def _stop_with_error(error: StoreError, text: str) -> Never:
    """Show which operation of the store failed, and why; end the page."""
    t = page_texts()
    st.error(t(text), icon=":material/database_off:")
    st.text(opened.unavailable_reason(error, t))
    st.stop()


def _stop_and_retry() -> Never:
    """Show that the store does not answer, end the page, and rerun it once it does."""

    @st.fragment(run_every=opened.RETRY_AFTER_SECONDS)
    def until_it_answers() -> None:
        with suppress(StoreError):
            current_principal()
            st.rerun()

    t = page_texts()
    st.warning(t(opened.STORE_NOT_ANSWERING), icon=":material/database_off:")
    st.caption(t("This page opens automatically as soon as it is ready."))
    until_it_answers()
    st.stop()


def _generation_or_none() -> tuple[Store, int] | None:
    try:
        return opened.store_generation()
    except StoreError:
        return None  # the page shows it


@contextmanager
def rerun_when_replaced() -> Iterator[None]:
    """Rerun a page that raised because the store was replaced while it was drawn.

    If the store is unavailable or lacks a file, the page shows that instead.
    """
    before = _generation_or_none()
    try:
        with opened.translate_duckdb_errors():
            if opened.store_if_open() is not None:
                opened.reachable_store()
            yield
    except CatalogUnavailable:
        _stop_and_retry()
    except FileMissing as missing:
        _stop_with_error(missing, N_("The store cannot be read."))
    except Exception:
        if _generation_or_none() != before:
            st.rerun()
        raise


def page_cursor() -> Cursor:
    """Return a new cursor for this page run, for `dashboard.queries`."""
    return open_store().cursor()


def cached_query(query: Callable[Concatenate[Cursor, P], T], *args: P.args, **named: P.kwargs) -> T:
    """Return a query's result, cached by `dashboard.store.cached_query`."""
    open_store()
    return opened.cached_query(query, *args, **named)


def current_redactor() -> LogRedactor | None:
    """Return a redactor for the names of masked players; None: no player is masked."""
    return tables.redactor_for(cached_query(player_search.masked_player_names))


def redacted(frame: pl.DataFrame, *files: str) -> pl.DataFrame:
    """Return a frame with masked names hidden; `files` are columns with file names."""
    return tables.redact_frame(frame, current_redactor(), *files)
