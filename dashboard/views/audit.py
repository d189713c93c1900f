"""Who did what to the store, and when: a table of acts, numbers and never names of players."""

import streamlit as st

from dashboard.queries import audit
from dashboard.text.numbers import NONE, count_of
from dashboard.widgets.pager import PAGE, stepped
from dashboard.widgets.store import cursor
from ingest.i18n import N_, Translate

ACTS = {
    "add": N_("added a file"),
    "delete": N_("deleted matches"),
    "undelete": N_("brought matches back"),
    "empty": N_("emptied the trash"),
    "mask": N_("masked a player"),
    "unmask": N_("showed a player’s name again"),
    "purge": N_("purged"),
    "revalidate": N_("judged matches again"),
    "reckon": N_("had values reckoned anew"),
    "copy": N_("copied matches from another store"),
    "backup": N_("had a backup made"),
    "token": N_("made a token"),
    "revoke": N_("revoked a token"),
    "hook": N_("had a program told of new matches"),
    "unhook": N_("had a program told no more"),
    "close reading": N_("closed reading"),
    "open reading": N_("opened reading"),
}


def acts(t: Translate) -> None:
    """Every act, the last first."""
    total = audit.count(cursor())
    if not total:
        st.info(t("Nothing was done yet since this is written down."), icon=":material/history:")
        return
    place = st.container()
    frame = audit.acts(cursor(), PAGE, stepped(total, "acts-page", t))
    rows = [
        {
            t("When"): row["done_at"],
            t("Who"): row["name"] or t("without a token"),
            t("What"): t(ACTS.get(row["what"], row["what"])),
            t("Count"): NONE if row["n"] is None else count_of(row["n"], t),
            t("Number"): NONE if row["about"] is None else str(row["about"]),
        }
        for row in frame.iter_rows(named=True)
    ]
    with place:
        st.dataframe(
            rows,
            hide_index=True,
            height="content",
            alt=t("What was done"),
            column_config={t("When"): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
        )
