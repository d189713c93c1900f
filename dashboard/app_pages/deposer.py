"""Add files: what a log is, what was added, what was known, what is wrong and why."""

import streamlit as st

from dashboard.views import upload as views
from dashboard.widgets.access import allowed
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import check_link
from dashboard.widgets.store import store
from dashboard.widgets.upload import add_files, uploader_words
from ingest.entry.reading import enters
from ingest.store.tokens import Role

t = texts()
opened = store()
views.what_a_log_is(t)
if not allowed(Role.CONTRIBUTOR, t):
    views.ways_to_make_one(t)
    st.stop()

uploader_words("files", t)
with st.form("upload-form", clear_on_submit=True):
    chosen = st.file_uploader(t("Files"), accept_multiple_files=True, key="files")
    sent = st.form_submit_button(t("Check and add"), type="primary", icon=":material/fact_check:")

if sent and not chosen:
    st.warning(t("Choose one or more files first."), icon=":material/upload_file:")
elif sent:
    st.session_state["imports"] = views.taken(chosen, t)
    logs = [file for file in chosen if not enters(file.name)]
    st.session_state.update({"upload": add_files(opened, logs, t), "added-page": 0})

if added := views.imports(st.session_state.setdefault("imports", []), t):
    st.session_state.update({"upload": added, "added-page": 0})
    st.rerun()

if upload := st.session_state.get("upload"):
    views.summary(upload, t)
    if found := views.reasons(upload.reports):
        st.header(t("Reasons"))
        faulty = [report.match_id for report, _ in found if report.match_id]
        if faulty and upload.deletion is None:
            check_link(t("Check the first match with a finding"), {"match": faulty[0]})
        views.reasons_table(found, t, "check-added")
    views.known_already(upload, t)
    views.uploaded(upload, t)
elif not st.session_state["imports"]:
    views.own_files(t)
    views.ways_to_make_one(t)
