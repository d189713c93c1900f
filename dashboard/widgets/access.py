"""Who looks at this page, and what they may do: asked by what writes, not by what shows a button.

A page that is open asks anew at each act, so a token that is revoked or over lets nobody do more.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from typing import Never

import streamlit as st

from dashboard import access
from dashboard.access import COOKIE, Who
from dashboard.compat import get_script_run_ctx
from dashboard.store import store
from dashboard.text.numbers import markdown
from ingest.i18n import N_, Translate
from ingest.store import audit, tokens
from ingest.store.errors import StoreError
from ingest.store.tokens import Role

MAY_NOT = {
    Role.READER: N_("Reading these pages needs a token. Ask the steward of this store for one."),
    Role.CONTRIBUTOR: N_("Adding games needs a token. Ask the steward of this store for one."),
    Role.STEWARD: N_(
        "Deleting, masking, purging, judging again, backups and tokens are for the steward of this "
        "store."
    ),
}

ROLES = {
    Role.READER: N_("reader"),
    Role.CONTRIBUTOR: N_("contributor"),
    Role.STEWARD: N_("steward"),
}


class Refused(Exception):
    """Whoever asks may not do what needs a role."""

    def __init__(self, role: Role) -> None:
        super().__init__(role)
        self.role = role

    def say(self, t: Translate) -> str:
        return t(MAY_NOT[self.role])


def me() -> Who:
    """Whoever looks at this page, as it is now. StoreError: the store cannot be opened."""
    return access.who(_bearer(), _session())


def _bearer() -> str | None:
    return access.bearer(st.context.headers.get("Authorization", ""))


def _session() -> str | None:
    kept = st.context.cookies.get(COOKIE)
    return kept if isinstance(kept, str) else None  # a page that no browser asked for has none


def may(role: Role) -> bool:
    """Whether they may do what needs a role; where the store cannot be opened, nobody may."""
    try:
        return me().may(role)
    except StoreError:
        return False


def require(role: Role) -> Who:
    """Whoever asks. Refused: they may not do what needs a role."""
    asking = me()
    if not asking.may(role):
        raise Refused(role)
    return asking


@contextmanager
def acting(role: Role) -> Iterator[Who]:
    """The store is changed by somebody who may, in whose name. Refused: they may not."""
    asking = require(role)
    with audit.by(asking.token_no):
        yield asking


def allowed(role: Role, t: Translate) -> bool:
    """Whether whoever looks may do what comes next; else the page says who may."""
    if may(role):
        return True
    st.info(t(MAY_NOT[role]), icon=":material/lock:")
    return False


def may_not_read(t: Translate) -> Never:
    """Say that reading needs a token, with the way to sign in, and end the page."""
    allowed(Role.READER, t)
    _way_in(t)
    st.stop()


def _way_in(t: Translate) -> None:
    """A link to where one signs in, in the same tab: Streamlit's own open another."""
    st.html(f'<a href="/in" target="_self" style="color: inherit">{escape(t("Sign in"))}</a>')


def sign_out() -> None:
    """End this browser's session, on all its pages."""
    if session := _session():
        tokens.sign_out(store(), session)


def signed_in(t: Translate) -> None:
    """Who is signed in, and the way out, or in; nothing where nobody has to."""
    try:
        asking = me()
    except StoreError:
        return  # the page says so
    if asking.token_no is not None and asking.role is not None:
        said = t("{name}, {role}", name=asking.name, role=t(ROLES[asking.role]))
        st.caption(markdown(said))
        if _bearer() is None:
            st.button(t("Sign out"), icon=":material/logout:", key="sign-out", on_click=sign_out)
    elif not asking.may(Role.STEWARD):
        _way_in(t)


def closed() -> bool:
    """Whether whoever looks may not even read, as far as the store can be asked."""
    try:
        return not me().may(Role.READER)
    except StoreError:
        return False


def remember() -> None:
    """Note whose this session of Streamlit's is, so that nobody else puts files into it."""
    context = get_script_run_ctx()
    with suppress(StoreError):
        if context is not None:
            access.remember(context.session_id, me().token_no)
