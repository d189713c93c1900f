"""What the store has of the log at hand: links to it, or the way in."""

from io import BytesIO
from urllib.parse import urlencode

import streamlit as st

from dashboard.views.verify.desk import Desk
from dashboard.widgets.access import may
from dashboard.widgets.store import store
from dashboard.widgets.upload import add_files
from ingest.finding.finding import Finding
from ingest.i18n import Translate
from ingest.judge.explain import Explained
from ingest.store.tokens import Role


class _Named(BytesIO):
    """A text as the road takes files."""

    def __init__(self, name: str, text: bytes) -> None:
        super().__init__(text)
        self.name, self.size = name, len(text)


def store_links(at: Desk, found: Explained, chosen: int | None, t: Translate) -> None:
    """Links to the stored match at its finding, or a button that stores it."""
    if found.match is None:
        return
    opened = store()
    if opened.find(found.match_id) is None:
        add = t("Add to the store")
        if may(Role.CONTRIBUTOR) and st.button(add, icon=":material/database:"):
            name = at.log.file.rpartition("/")[2] if at.log else ""
            if add_files(opened, [_Named(name or "retourne.json", at.text)], t):
                at.linked = st.query_params["match"] = found.match_id
                st.rerun()
        return
    with st.container(border=True):
        st.caption(t("This match is in the store. Links to keep or to send:"))
        replay = {"match": found.match_id}
        check = {"match": found.match_id}
        if chosen is not None:
            replay |= _where(found, found.findings[chosen])
            check["finding"] = str(chosen + 1)
        for name, label, query in (
            ("relecture", t("Replay"), replay),
            ("verificateur", t("This check"), check),
        ):
            st.page_link(f"app_pages/{name}.py", label=label, query_params=query)
            st.code(f"{_base()}/{name}?{urlencode(query)}", language=None, wrap_lines=True)


def _where(found: Explained, finding: Finding) -> dict[str, str]:
    """Where the replay tells of a finding: after its action, or at the deal's end."""
    if finding.deal is None:
        return {}
    replay = found.replays[finding.deal]
    if replay is None:
        return {"deal": str(finding.deal + 1)}
    last = len(replay) - 1 + (replay.stop is not None)
    ply = last if finding.action is None else min(finding.action + 1, last)
    return {"deal": str(finding.deal + 1), "ply": str(ply)}


def _base() -> str:
    """The address the pages lie below."""
    return str(st.context.url or "").split("?")[0].rpartition("/")[0]
