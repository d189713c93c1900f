"""What a log came to, in a word and a colour, and the list of what was found."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.text.labels import STATUSES
from dashboard.text.language import markdown
from dashboard.text.numbers import number_in
from dashboard.views.verify.desk import OWN, Desk, Rules
from dashboard.widgets.pager import PAGE, stepped
from ingest.finding.finding import ERROR, NOTE, WARNING, Finding
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.otherwise import changes, speak_change

HERE = Path(__file__).parent
VERDICTS = {
    "legal": N_(
        "Everything was checked: every action, and every point and result that is written."
    ),
    "unproven": N_(
        "Nothing is against the rules as far as the log tells; it does not tell all of the cards."
    ),
    "irregular": N_("Something is against the rules, but it could be played: it can be replayed."),
    "incomplete": N_("What is there is in order, but a deal stops before its end."),
    "broken": N_(
        "Something cannot have happened as it is written: the replay of that deal stops there."
    ),
    "unreadable": N_("This is not a log that can be replayed."),
}
ALERTS = {
    "legal": (st.success, ":material/verified:"),
    "unproven": (st.info, ":material/help:"),
    "irregular": (st.warning, ":material/gavel:"),
    "incomplete": (st.warning, ":material/hourglass_bottom:"),
    "broken": (st.error, ":material/block:"),
    "unreadable": (st.error, ":material/draft:"),
}
SIGNS = {ERROR: ("error", "red"), WARNING: ("warning", "orange"), NOTE: ("help", "blue")}
"""Icon and colour by severity."""


def checked(at: Desk) -> DeltaGenerator:
    """Room for what a check says, findings beside the board; each text comes into view once."""
    st.html(HERE / "checked.css")
    room = st.container(key="checked")
    with st.container(key="in-view"):
        script = (HERE / "in_view.js").read_text(encoding="utf-8")
        # one that is the same does not run again
        st.html(f"<script>{script}// {at.digest}</script>", unsafe_allow_javascript=True)
    return room


def verdict(found: Explained, t: Translate) -> None:
    """The status and the counts."""
    alert, icon = ALERTS[found.status]
    errors = [one for one in found.findings if one.severity == ERROR]
    follow = sum(one.follows is not None for one in errors)
    counts = [
        t("Faults: {n}", n=len(errors)) if errors else "",
        t("of which may come of another: {n}", n=follow) if follow else "",
        t("Notes: {n}", n=len(found.findings) - len(errors))
        if len(found.findings) > len(errors)
        else "",
    ]
    text = t(VERDICTS[found.status])
    if any(counts):
        text += "\n\n" + " · ".join(part for part in counts if part)
    alert(text, title=_capital(t(STATUSES[found.status])), icon=icon)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def compared(at: Desk, rules: Rules, found: Explained, t: Translate) -> None:
    """What the chosen rules change."""
    if rules == OWN:
        return
    own = at.explained()
    changed = changes(own, found)
    said = [markdown(speak_change(t, change, own, found)) for change in changed]
    title = t("Under the chosen rules, against the log’s own")
    text = "\n".join(f"- {one}" for one in said) or t("These rules change nothing.")
    st.info(text, title=title, icon=":material/compare_arrows:")


def chosen_finding(at: Desk, rules: Rules, found: Explained, t: Translate) -> int:
    """The list of findings; returns the place of the one chosen, which the address keeps."""
    key = "-".join(at.key(rules))
    last = len(found.findings)
    asked = number_in(st.query_params.get("finding"), 1, last) - 1
    st.session_state.setdefault(f"page-{key}", asked // PAGE)
    place = st.container()
    offset = stepped(last, f"page-{key}", t)
    shown = range(offset, min(offset + PAGE, last))
    with place:
        chosen = st.radio(
            t("Findings"),
            shown,
            index=asked - offset if asked in shown else 0,
            format_func=lambda one: _label(found.findings[one], t),
            captions=[_caption(found.findings[one], t) for one in shown],
            key=f"finding-{key}-{offset}",
            width="stretch",
        )
    if at.linked:
        st.query_params["finding"] = str(chosen + 1)
    return int(chosen)


def _label(finding: Finding, t: Translate) -> str:
    icon, colour = SIGNS[finding.severity]
    said = markdown(finding.message(t))
    if finding.follows is not None:
        return f":gray[:material/subdirectory_arrow_right: {_rule(finding, t)} {said}]"
    return f":{colour}[:material/{icon}:] **{_rule(finding, t)}** {said}"


def _rule(finding: Finding, t: Translate) -> str:
    return t("format") if finding.rule == "format" else finding.rule


def _caption(finding: Finding, t: Translate) -> str:
    """Where it is, in the match or else in the text, and what it may come of."""
    parts = [finding.place(t)]
    if not parts[0] and finding.line is not None:
        parts = [t("line {n}", n=finding.line)]
    if finding.follows is not None:
        parts.append(t("may come of finding {n}", n=finding.follows + 1))
    return markdown(" · ".join(part for part in parts if part))
