"""One finding: the board as the action met it, what was legal, the rule, the place in the text."""

from html import escape
from typing import Any

import streamlit as st

from dashboard.board.component import board
from dashboard.board.states import deal_states
from dashboard.board.values import value
from dashboard.text.language import markdown
from dashboard.views.rules import rule_apart
from dashboard.views.verify.desk import Desk
from dashboard.views.verify.excerpt import excerpt
from dashboard.views.verify.sources import leave_address
from ingest.finding.edits import UNSEARCHED, speak_candidates, speak_edit
from ingest.finding.finding import Edit, Finding
from ingest.finding.rulebook import rule_text
from ingest.finding.words import speak_action, speak_seat
from ingest.i18n import Translate
from ingest.judge.explain import Explained
from ingest.mend.patch import patched


def finding_detail(at: Desk, found: Explained, chosen: int, t: Translate) -> None:
    """What was found, what was legal, what mends it, and the rule."""
    finding = found.findings[chosen]
    with st.container(border=True):
        st.markdown(f"## {chosen + 1}. {markdown(finding.place(t) or t('the whole log'))}")
        st.markdown(markdown(finding.message(t)))
        if said := speak_edit(t, finding):
            assert finding.edit is not None
            _edit(at, finding.edit, f"**{t('To fix it:')}** {markdown(said)}", t)
        _candidates(at, finding, t)
        if advice := finding.advice(t):
            st.markdown(f"**{t('What to do:')}** {advice}")
    rule_apart(rule_text(finding.rule, t))
    st.page_link(
        "app_pages/regles.py",
        label=t("All the rules"),
        icon=":material/menu_book:",
        query_params={"rule": finding.rule},
    )


def finding_board(at: Desk, found: Explained, chosen: int, t: Translate) -> None:
    """The board as the action met it, the hand, and the place in the text."""
    finding = found.findings[chosen]
    faces = _board(at, found, chosen, t)
    _cards(finding, faces, t)
    if lines := excerpt(at.text, finding):
        with st.expander(t("In the text"), expanded=not faces, icon=":material/code:"):
            st.code(lines, language=None)


def _candidates(at: Desk, finding: Finding, t: Translate) -> None:
    """The edits of which nobody but a referee can say which it was, each with its button."""
    if finding.candidates:
        st.markdown(f"**{t('One of these, the likeliest first:')}**")
    several = zip(finding.candidates, speak_candidates(t, finding), strict=True)
    for n, (one, said) in enumerate(several, 1):
        _edit(at, one.edit, f"{n}. {markdown(said)}", t, f"apply-{n}")
    if not finding.searched:
        st.caption(t(UNSEARCHED))


def _edit(at: Desk, edit: Edit, said: str, t: Translate, key: str = "apply") -> None:
    """An edit in words, and a button that does it in the box."""
    st.markdown(said)
    try:
        text = patched(at.text, edit)
    except KeyError:  # what the log leaves out has no place in its text
        return
    if st.button(t("Apply"), icon=":material/edit:", key=key):
        at.edit(text)
        leave_address()
        st.rerun()


def _board(at: Desk, found: Explained, chosen: int, t: Translate) -> dict[str, Any]:
    """The deal before the action, legal cards lit; returns its faces, none without a board."""
    finding = found.findings[chosen]
    if finding.deal is None:
        return {}
    told = deal_states(found, finding.deal, t, [finding])
    if told is None:
        return {}
    last = len(told["plies"]) - 1
    ply = last if finding.action is None else min(finding.action, last)
    seek = f"{at.digest}-{chosen}-{finding.code}"
    told["value"] = value(found, finding.deal, t)
    board(told, deal=finding.deal + 1, ply=ply, seek=seek, legal=True, t=t)
    faces: dict[str, Any] = told["faces"]
    return faces


def _cards(finding: Finding, faces: dict[str, Any], t: Translate) -> None:
    """The hand as it stood, what was tried marked and what was legal lit; the rest in words."""
    if not faces or finding.hand is None:
        return
    tried = _word(finding.found)
    legal = [word for word in finding.legal or [] if isinstance(word, str)]
    playable = {_word(word) for word in legal}
    hand = [card for card in finding.hand if card in faces]
    if hand:
        turn = finding.detail.get("turn")
        who = speak_seat(t, turn, finding.detail.get("names", []))
        lit = t("The hand of {who}, legal cards lit", who=who)
        st.caption(lit if turn else t("The hand, legal cards lit"))
        drawn = (
            _face(faces[card], _state({card, card.split("/")[0]}, tried, playable, t), t)
            for card in hand
        )
        st.html(f'<div class="finding-hand">{"".join(drawn)}</div>{_STYLE}')
    words = [speak_action(t, word, finding.game or None) for word in legal]
    if words:
        st.markdown(f"**{t('Legal then:')}** {markdown(', '.join(words))}")


def _word(action: Any) -> str:
    """An action without its seat."""
    return str(action).partition(" ")[2]


def _state(names: set[str], tried: str, playable: set[str], t: Translate) -> tuple[str, str]:
    """A card's look, and what it means in words."""
    if tried in names:
        return "tried", t("played")
    if names & playable:
        return "lit", t("allowed")
    return "dim", ""


def _face(face: dict[str, str], state: tuple[str, str], t: Translate) -> str:
    look, meaning = state
    label = f"{face['label']}, {meaning}" if meaning else face["label"]
    source, said = escape(face["src"], quote=True), escape(label, quote=True)
    return f'<img class="{look}" src="{source}" alt="{said}" title="{said}">'


_STYLE = """<style>
.finding-hand { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.finding-hand img { width: 3.25rem; border-radius: 0.3rem; }
.finding-hand .dim { opacity: 0.4; }
.finding-hand .lit { outline: 3px solid #2c9167; }
.finding-hand .tried { outline: 3px solid #b3372f; }
</style>"""
