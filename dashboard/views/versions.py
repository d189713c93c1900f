"""Shows the earlier versions of a match that later logs replaced."""

import streamlit as st

from dashboard.text.numbers import NO_VALUE, date_text, escape_markdown
from dashboard.widgets.current_store import has_role, open_store, page_cursor
from dashboard.widgets.link_table import CHECK_PAGE, page_link
from dashboard.widgets.store_changes import change_button, require_owner_or_admin
from ingest.i18n import Translate
from ingest.store import match_versions, trash
from ingest.store.match_comparison import DIFFERENCE_TEXTS, differences
from ingest.store.match_versions import Version
from ingest.store.tokens import Role


def show_versions(match_no: int, t: Translate) -> None:
    """Show the earlier versions of a stored match, to check, compare or put back; nothing without."""
    # not the id of the log as it is shown, which masked names make another
    row = page_cursor().execute("SELECT match_id FROM matches WHERE match_no = ?", [match_no]).fetchone()
    match_id = row[0] if row else ""
    known = match_versions.masked_versions(page_cursor(), match_id)
    if not known:
        return
    stored = open_store().read_match_text(match_no)
    with st.popover(t("Earlier versions: {n}", n=len(known)), icon=":material/history:"):
        for one in known:
            with st.container(border=True):
                when = date_text(one.at, t)
                st.markdown(
                    escape_markdown(
                        t("Replaced on {day}, came with {file}", day=when, file=one.file or NO_VALUE)
                    )
                )
                keys = differences(one.text, stored)
                differing = ", ".join(t(DIFFERENCE_TEXTS.get(key, key)) for key in keys)
                if differing:
                    st.caption(escape_markdown(t("It differs in: {keys}", keys=differing)))
                page_link(CHECK_PAGE, t("Check and compare"), "difference", match=match_id, version=one.place)

                def restore_version(version: Version = one) -> list[str]:
                    require_owner_or_admin([match_no])
                    return trash.restore_version(open_store(), version.change, version.match_no)

                if has_role(Role.CONTRIBUTOR):
                    change_button(
                        t("Put it back"), "undo", f"back-{one.place}", restore_version, t, Role.CONTRIBUTOR
                    )
