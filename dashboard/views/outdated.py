"""Stored verdicts of an older version of the rules: a notice, and a button that refreshes them."""

from contextlib import closing

import streamlit as st

from dashboard.queries import matches
from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of
from dashboard.widgets.access import Refused, acting, may
from dashboard.widgets.store import cursor, store
from engine import RULES_VERSION
from ingest.i18n import Translate
from ingest.store.revalidate import refresh
from ingest.store.store import StoreError
from ingest.store.tokens import Role


def old_notice(t: Translate) -> None:
    """How many verdicts are old, with the button that refreshes them; nothing when none is."""
    moved = st.session_state.pop("revalidated", None)
    if moved is not None:
        text = t("Verdicts refreshed. Matches that moved: {n}", n=count_of(moved, t))
        st.success(text, icon=":material/update:")
    count = matches.old(cursor())
    if not count:
        return
    text = t("Verdicts of an older version of the rules: {n}.", n=count_of(count, t))
    st.warning(text, icon=":material/update:")
    if may(Role.STEWARD) and st.button(
        t("Revalidate"), icon=":material/refresh:", key="revalidate"
    ):
        moved = _refresh(count, t)
        if moved is not None:
            st.session_state["revalidated"] = moved
            st.rerun()


def _refresh(count: int, t: Translate) -> int | None:
    """How many matches moved, None when the store does not take it."""
    moved = 0
    bar = st.progress(0.0, text=t("Judging…"))
    try:
        with acting(Role.STEWARD), closing(refresh(store())) as batches:
            for judged in batches:
                moved += len(judged.moved)
                done, total = count_of(judged.done, t), count_of(judged.total, t)
                text = t("{done} of {total} judged", done=done, total=total)
                bar.progress(judged.done / max(judged.total, 1), text=text)
    except (StoreError, Refused) as error:
        st.error(markdown(error.say(t)), icon=":material/database_off:")
        return None
    bar.empty()
    return moved


def old_verdict(number: int, t: Translate) -> None:
    """Warn where the lists have a match's verdict by an older version of the rules."""
    found = matches.old_verdict(cursor(), number)
    if found is not None:
        status, version = found
        text = t(
            "The lists have this match as {status}, by version {old} of the rules. "
            "What is shown here is judged by version {now}.",
            status=t(STATUSES[status]),
            old=version,
            now=RULES_VERSION,
        )
        st.warning(text, icon=":material/update:")
