"""A backup of the whole store, made while it is served, to fetch."""

from datetime import datetime
from shlex import quote

import streamlit as st

from dashboard.store import path
from dashboard.text.numbers import count_of
from dashboard.views.data import tried
from dashboard.widgets import downloads
from dashboard.widgets.access import acting
from dashboard.widgets.store import store
from ingest.i18n import Translate
from ingest.store import audit
from ingest.store import backup as copies
from ingest.store.errors import NO_COPY
from ingest.store.tokens import Role

READY = "backup-ready"


def backup(t: Translate) -> None:
    """A button that has one made, with how far that is, and then the way to it.

    Of a lake the sentence that says how it is done.
    """
    if not store().in_a_file:
        st.info(t(NO_COPY), icon=":material/database:")
        return
    st.caption(
        t(
            "The whole store in one file, trash and masked names included, read again once it is "
            "written. To put it back:"
        )
    )
    st.text(f"retourne restore {t('FILE')} --store {quote(str(path()))}")
    if st.button(t("Make a backup"), icon=":material/backup:", key="backup"):
        st.session_state[READY] = tried(lambda: _made(t), t)
    ready = st.session_state.get(READY)
    if ready is not None and downloads.is_ready(ready):
        st.link_button(
            t("Download {name} · matches: {n}", name=ready.name, n=count_of(ready.rows, t)),
            ready.address,
            icon=":material/download:",
            type="primary",
        )


def _made(t: Translate) -> downloads.Download:
    """A backup, whole and ready to fetch."""
    with acting(Role.STEWARD), store().adding():  # whoever has it can read every name
        audit.note(store().connection, "backup")
    said = t("Writing the backup…")
    bar = st.progress(0.0, text=said)
    try:
        return downloads.prepare(
            copies.dated(path(), datetime.now()),
            lambda part: copies.backup(store(), part, lambda done: bar.progress(done, text=said)),
            alone="backup",
            role=Role.STEWARD,
        )
    finally:
        bar.empty()
