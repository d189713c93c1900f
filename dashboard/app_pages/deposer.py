"""Add files: what was added, what was known, what is wrong and why."""

import streamlit as st

from dashboard.views.upload import own_files, reasons, reasons_table, summary, uploaded
from dashboard.widgets.access import allowed
from dashboard.widgets.language import texts
from dashboard.widgets.links import check_link
from dashboard.widgets.store import store
from dashboard.widgets.upload import add_files, uploader_words
from ingest.store.tokens import Role
from ingest.text.sources import LOGS

t = texts()
opened = store()
st.markdown(t("Logs in `.json` or `.jsonl`, alone, compressed (gzip, zstd) or in a zip."))
if not allowed(Role.CONTRIBUTOR, t):
    st.stop()

uploader_words("files", t)
with st.form("upload-form", clear_on_submit=True):
    chosen = st.file_uploader(
        t("Files"),
        type=[suffix[1:] for suffix in LOGS],
        accept_multiple_files=True,
        key="files",
    )
    sent = st.form_submit_button(t("Check and add"), type="primary", icon=":material/fact_check:")

if sent and not chosen:
    st.warning(t("Choose one or more files first."), icon=":material/upload_file:")
elif sent:
    st.session_state["upload"] = add_files(opened, chosen, t)
    st.session_state["added-page"] = 0

if upload := st.session_state.get("upload"):
    summary(upload.reports, t)
    if found := reasons(upload.reports):
        st.header(t("Reasons"))
        faulty = [one.match_id for one, place in found if place is not None and one.match_id]
        if faulty and upload.deletion is None:
            check_link(t("Check the first match with a finding"), {"match": faulty[0]})
        reasons_table(found, t, "check-added")
    uploaded(upload, t)
else:
    own_files(t)
