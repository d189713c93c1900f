"""A checked log's match in the store: links to it, replacing it, its earlier versions."""

from difflib import unified_diff
from itertools import islice
from urllib.parse import urlencode

import orjson
import streamlit as st

from dashboard.queries.matches import matches_of_file
from dashboard.text.numbers import escape_markdown
from dashboard.views.upload import store_uploads
from dashboard.views.upload_files import ImportedLogs
from dashboard.views.validator.check_session import CheckSession, survey_text
from dashboard.widgets.current_store import has_role, open_store, page_cursor
from dashboard.widgets.link_table import CHECK_PAGE, REPLAY_PAGE, page_link
from dashboard.widgets.lists import match_names
from dashboard.widgets.store_changes import require_owner_or_admin, run_change
from ingest.i18n import Translate
from ingest.store import raw_texts
from ingest.store.ingest_files import FileReport, replace_match
from ingest.store.ingest_summary import related_sentence
from ingest.store.tokens import Role
from ingest.validate.slow_path import ValidationResult

DEFAULT_NAME = "retourne.json"
MAX_DIFF_LINES = 2000


def show_stored_match(
    session: CheckSession, result: ValidationResult, chosen: int | None, t: Translate
) -> None:
    """Show what the store has of a checked log: links to it, or buttons that add or replace it."""
    if result.match is None:
        return
    opened = open_store()
    replaced = opened.find_match(session.origin_match_id) if session.origin_match_id else None
    if replaced is not None:
        stored = opened.read_match_text(replaced)
        if _lines(stored) != _lines(session.text):
            _show_replacing(session, replaced, stored, t)
            return
    name = session.log.file.rpartition("/")[2] if session.log else ""
    if opened.find_match(result.match_id) is None:
        add = t("Add to the store")
        if has_role(Role.CONTRIBUTOR) and st.button(add, icon=":material/database:"):
            if store_uploads(opened, [ImportedLogs(name or DEFAULT_NAME, session.text)], t):
                session.linked_match_id = st.query_params["match"] = result.match_id
                session.origin_match_id = result.match_id
                st.rerun()
        return
    replay, check = {"match": result.match_id}, {"match": result.match_id}
    if chosen is not None:
        check["finding"] = str(chosen + 1)
        finding = result.findings[chosen]
        if finding.deal_index is not None:  # after its action, or at the deal's end
            replay["deal"] = str(finding.deal_index + 1)
            states = result.replays[finding.deal_index]
            if states is not None:
                last = len(states) - 1 + (states.stop is not None)
                ply = last if finding.action_index is None else min(finding.action_index + 1, last)
                replay["ply"] = str(ply)
    below = str(st.context.url or "").split("?")[0].rpartition("/")[0]
    with st.container(border=True):
        st.caption(t("This match is in the store. Links to keep or to send:"))
        links = ((REPLAY_PAGE, t("Replay"), replay), (CHECK_PAGE, t("This check"), check))
        for name, label, query in links:
            page_link(name, label, **query)
            st.code(f"{below}/{name}?{urlencode(query)}", language=None, wrap_lines=True)


def _show_replacing(session: CheckSession, match_no: int, stored: bytes, t: Translate) -> None:
    """Show how an edited text differs from the stored match, and the button that replaces that."""
    with st.container(border=True):
        st.caption(
            t(
                "This text differs from the match in the store. Replacing keeps the stored one as an "
                "earlier version, which can be put back."
            )
        )
        with st.expander(t("Compare with the stored match"), icon=":material/difference:"):
            st.code(log_diff(stored, session.text), language="diff", height=320)

        if raw_texts.read_text_list(page_cursor(), [match_no])[0] != stored:
            st.caption(t("A player of this match is masked, so it cannot be replaced from this page."))
            return

        def replace() -> FileReport:
            require_owner_or_admin([match_no])
            return replace_match(open_store(), match_no, DEFAULT_NAME, session.text)

        if has_role(Role.CONTRIBUTOR) and st.button(
            t("Replace"), type="primary", icon=":material/published_with_changes:"
        ):
            report = run_change(replace, t, Role.CONTRIBUTOR)
            if report is not None and not report.added:
                names = match_names([one.duplicate.other_id for one in report.related], t)
                for one in report.related:
                    sentence = related_sentence(t, one, names.get(one.duplicate.other_id, ""))
                    st.warning(escape_markdown(sentence), icon=":material/content_copy:")
            elif report is not None:
                [(match_id, *_)] = matches_of_file(page_cursor(), report.number, 1)
                session.open(survey_text(session.text), linked=match_id)
                st.query_params["match"] = match_id
                st.rerun()


def log_diff(stored: bytes, text: bytes) -> str:
    """Return the lines in which two logs differ, each log written out with one value a line."""
    was, now = map(_lines, (stored, text))
    return "\n".join(islice(unified_diff(was, now, lineterm="", n=2), 2, MAX_DIFF_LINES))


def _lines(log: bytes) -> list[str]:
    try:
        return orjson.dumps(orjson.loads(log), option=orjson.OPT_INDENT_2).decode().split("\n")
    except ValueError:
        return log.decode(errors="replace").split("\n")
