"""Check one log: the rules it is checked under, what was found, one finding with its board."""

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.board.component import board
from dashboard.board.solver_thread import value
from dashboard.board.states import deal_states
from dashboard.games import rules_named
from dashboard.text.labels import STATUSES, VALUES
from dashboard.text.numbers import capital, count_of, markdown, number_in
from dashboard.views.replay import heading
from dashboard.views.rules import rule_apart
from dashboard.views.upload import Made, add_files
from dashboard.views.verify.session import OWN, Desk, Rules, begin_again, desk_of
from dashboard.widgets.current_store import may, store
from dashboard.widgets.filters import any_of
from dashboard.widgets.link_table import CHECK, PAGE, REPLAY, numbered, page_link
from engine.games import names
from engine.options import Option, UnknownRule, options, presets, settings
from ingest.autofix.text_edit import patched
from ingest.findings.finding import ERROR, NOTE, WARNING, Edit, Finding
from ingest.findings.fix_text import UNSEARCHED, speak_candidates, speak_edit
from ingest.findings.rulebook import rule_text
from ingest.findings.spoken_notation import speak_action, speak_seat, speak_winner
from ingest.i18n import N_, Translate
from ingest.store.tokens import Role
from ingest.validate.parse_document import read
from ingest.validate.report import sheet
from ingest.validate.slow_path import Explained
from ingest.validate.what_if import changes, speak_change

HERE = Path(__file__).parent
WIDTH = 72
"""Characters of a line shown around the place; a bulk log is one line of thousands."""
BEFORE, AFTER = 2, 1
"""Lines shown before and after."""
CUT = "…"


def page(t: Translate) -> None:
    """Check one log: what is wrong, where, by which rule, what was legal, and how to mend it."""
    at = desk_of(t)
    if not at.text:
        if at.opened is None and not at.notes:
            said = t(
                "Paste a log or notes, drop a file, or try an example: every fault is shown with "
                "its rule, on the board, with what was legal."
            )
            st.info(said, icon=":material/fact_check:")
        return
    rules = _chosen_rules(at, t)
    with st.spinner(t("Checking…"), show_time=True):
        found = at.explained(rules)
    chosen = None
    st.html(HERE / "checked.css")
    room = st.container(key="checked")  # findings beside the board
    with st.container(key="in-view"):  # each text comes into view once
        script = (HERE / "in_view.js").read_text(encoding="utf-8")
        # one that is the same does not run again
        st.html(f"<script>{script}// {at.digest}</script>", unsafe_allow_javascript=True)
    with room:
        with st.container(key="told"):
            heading(found, t)
            _verdict(at, rules, found, t)
            if found.findings:
                chosen = _chosen_finding(at, rules, found, t)
        if chosen is not None:
            finding = found.findings[chosen]
            with st.container(key="shown"):
                faces = _board(at, found, chosen, t)
                _cards(finding, faces, t)
                if lines := excerpt(at.text, finding):
                    with st.expander(t("In the text"), expanded=not faces, icon=":material/code:"):
                        st.code(lines, language=None)
            with st.container(key="detail"):
                _detail(at, finding, chosen, t)
    _sheet_table(found, t)
    _store_links(at, found, chosen, t)


def excerpt(text: bytes, finding: Finding) -> str:
    """A few lines, numbered, and carets under the place; empty for a finding without one."""
    if finding.line is None or finding.column is None:
        return ""
    lines = text.split(b"\n")
    here = min(finding.line, len(lines)) - 1
    start = finding.column - 1
    end = max(start + 1, (finding.end or 0) - 1)
    first = 0 if end <= WIDTH else max(0, start - WIDTH // 3)
    rows = range(max(0, here - BEFORE), min(len(lines), here + AFTER + 1))
    margin = len(str(rows[-1] + 1))
    shown = []
    for row in rows:
        line = lines[row].decode(errors="replace").rstrip("\r")
        # a part of it as signs of one column each, marked where it is cut
        part = line[first : first + WIDTH]
        part = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in part)
        part = (CUT if first and line else "") + part + (CUT if len(line) > first + WIDTH else "")
        shown.append(f"{row + 1:>{margin}} │ {part}".rstrip())
        if row == here:
            at = start - first + (1 if first else 0)
            carets = "^" * max(1, min(end - start, first + WIDTH - start))
            shown.append(f"{'':>{margin}} │ {' ' * at}{carets}")
    return "\n".join(shown)


def _chosen_rules(desk: Desk, t: Translate) -> Rules:
    """The rules the reader chooses; widgets only for a log whose game can be told."""
    document = read(desk.text)[0]
    game = document.get("game") if isinstance(document, dict) else None
    if not isinstance(game, str) or game not in names():
        return OWN
    with st.expander(t("Check under other rules"), icon=":material/gavel:"):
        called = {one: rules_named(one, t) for one in presets(game)}
        any_word, key = t("those of the log"), f"preset-{game}"
        preset = any_of(t("Rules"), called, any_word, key, called, address=False, width=300)
        # what each option is when nothing is chosen for it; wrong rules of a log count for nothing
        seated = document.get("players")
        players = len(seated) if isinstance(seated, list) else 2
        try:
            own = document.get("rules") if preset is None else preset
            values = settings(game, own, players)
        except (UnknownRule, TypeError, ValueError):
            values = settings(game, preset, players)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = [(one.name, _ask(one, values[one.name], game, t)) for one in options(game)]
    return preset, tuple((name, value) for name, value in chosen if value is not None)


def _ask(option: Option, value: Any, game: str, t: Translate) -> Any:
    """One option's widget; None when it stays as it is."""
    label, key = capital(t(option.doc)), f"option-{game}-{option.name}"
    help = f"{option.rule} · `{option.name}`"
    how: Any = {"key": key, "help": help, "width": 300}
    if option.values is None:
        return st.number_input(label, option.low, option.high, None, placeholder=str(value), **how)

    def word(one: Any) -> str:
        return t(VALUES.get(one, str(one)))

    how |= {"format_func": word, "placeholder": word(value)}
    return st.selectbox(label, option.values, index=None, **how)


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


def _verdict(at: Desk, rules: Rules, found: Explained, t: Translate) -> None:
    """The status and the counts, and what rules that were chosen change."""
    alert, icon = ALERTS[found.status]
    errors = [one for one in found.findings if one.severity == ERROR]
    follow = sum(one.follows is not None for one in errors)
    notes = len(found.findings) - len(errors)
    counts = [
        t("Faults: {n}", n=len(errors)) if errors else "",
        t("of which may come of another: {n}", n=follow) if follow else "",
        t("Notes: {n}", n=notes) if notes else "",
    ]
    text = "\n\n".join(filter(None, (t(VERDICTS[found.status]), " · ".join(filter(None, counts)))))
    alert(text, title=capital(t(STATUSES[found.status])), icon=icon)
    if rules != OWN:
        own = at.explained()
        said = [f"- {markdown(speak_change(t, one, own, found))}" for one in changes(own, found)]
        title = t("Under the chosen rules, against the log’s own")
        text = "\n".join(said) or t("These rules change nothing.")
        st.info(text, title=title, icon=":material/compare_arrows:")


def _chosen_finding(at: Desk, rules: Rules, found: Explained, t: Translate) -> int:
    """The list of findings; returns the place of the one chosen, which the address keeps."""
    key = "-".join(at.key(rules))
    last = len(found.findings)
    asked = number_in(st.query_params.get("finding"), 1, last) - 1
    st.session_state.setdefault(f"page-{key}", asked // PAGE + 1)

    def label(place: int) -> str:
        finding = found.findings[place]
        icon, colour = SIGNS[finding.severity]
        said = markdown(finding.message(t))
        rule = t("format") if finding.rule == "format" else finding.rule
        if finding.follows is not None:
            return f":gray[:material/subdirectory_arrow_right: {rule} {said}]"
        return f":{colour}[:material/{icon}:] **{rule}** {said}"

    def caption(finding: Finding) -> str:
        """Where it is, in the match or else in the text, and what it may come of."""
        line, follows = finding.line, finding.follows
        place = finding.place(t) or ("" if line is None else t("line {n}", n=line))
        comes = "" if follows is None else t("may come of finding {n}", n=follows + 1)
        return markdown(" · ".join(part for part in (place, comes) if part))

    with numbered(last, f"page-{key}") as offset:
        shown = range(offset, min(offset + PAGE, last))
        chosen = st.radio(
            t("Findings"),
            shown,
            index=asked - offset if asked in shown else 0,
            format_func=label,
            captions=[caption(found.findings[one]) for one in shown],
            key=f"finding-{key}-{offset}",
            width="stretch",
        )
    if at.linked:
        st.query_params["finding"] = str(chosen + 1)
    return int(chosen)


def _detail(at: Desk, finding: Finding, chosen: int, t: Translate) -> None:
    """What was found, what mends it, each edit with a button that does it, and the rule."""

    def mend(edit: Edit, said: str, key: str = "apply") -> None:
        st.markdown(said)
        try:
            text = patched(at.text, edit)
        except KeyError:  # what the log leaves out has no place in its text
            return
        if st.button(t("Apply"), icon=":material/edit:", key=key):
            at.edit(text)
            begin_again()

    with st.container(border=True):
        st.markdown(f"## {chosen + 1}. {markdown(finding.place(t) or t('the whole log'))}")
        st.markdown(markdown(finding.message(t)))
        if said := speak_edit(t, finding):
            assert finding.edit is not None
            mend(finding.edit, f"**{t('To fix it:')}** {markdown(said)}")
        if finding.candidates:  # of which nobody but a referee can say which it was
            st.markdown(f"**{t('One of these, the likeliest first:')}**")
        several = zip(finding.candidates, speak_candidates(t, finding), strict=True)
        for n, (one, said) in enumerate(several, 1):
            mend(one.edit, f"{n}. {markdown(said)}", f"apply-{n}")
        if not finding.searched:
            st.caption(t(UNSEARCHED))
        if advice := finding.advice(t):
            st.markdown(f"**{t('What to do:')}** {advice}")
    rule_apart(rule_text(finding.rule, t))
    page_link("regles", t("All the rules"), "menu_book", rule=finding.rule)


def _board(at: Desk, found: Explained, chosen: int, t: Translate) -> dict[str, Any]:
    """The deal before the action, legal cards lit; returns its faces, none without a board."""
    finding = found.findings[chosen]
    told = None if finding.deal is None else deal_states(found, finding.deal, t, [finding])
    if finding.deal is None or told is None:
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
    tried = str(finding.found).partition(" ")[2]
    legal = [word for word in finding.legal or [] if isinstance(word, str)]
    playable = {word.partition(" ")[2] for word in legal}
    drawn = []
    for card in finding.hand:
        if card not in faces:
            continue
        named, face = {card, card.split("/")[0]}, faces[card]
        look = "tried" if tried in named else "lit" if named & playable else "dim"
        meaning = {"tried": t("played"), "lit": t("allowed"), "dim": ""}[look]
        said = escape(f"{face['label']}, {meaning}" if meaning else face["label"], quote=True)
        source = escape(face["src"], quote=True)
        drawn.append(f'<img class="{look}" src="{source}" alt="{said}" title="{said}">')
    if drawn:
        turn = finding.detail.get("turn")
        who = speak_seat(t, turn, finding.detail.get("names", []))
        lit = t("The hand of {who}, legal cards lit", who=who)
        st.caption(lit if turn else t("The hand, legal cards lit"))
        st.html(f'<div class="finding-hand">{"".join(drawn)}</div>{_STYLE}')
    words = [speak_action(t, word, finding.game or None) for word in legal]
    if words:
        st.markdown(f"**{t('Legal then:')}** {markdown(', '.join(words))}")


_STYLE = """<style>
.finding-hand { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.finding-hand img { width: 3.25rem; border-radius: 0.3rem; }
.finding-hand .dim { opacity: 0.4; }
.finding-hand .lit { outline: 3px solid #2c9167; }
.finding-hand .tried { outline: 3px solid #b3372f; }
</style>"""


SHOWN = 200
"""Deals shown of a sheet."""


def _sheet_table(found: Explained, t: Translate) -> None:
    """A row a deal, from the first that differs; nothing when none does."""
    should = sheet(found)
    if should is None:
        return

    def joined(points: list[int] | None) -> str:
        return "" if points is None else " – ".join(map(str, points))

    def told(points: list[int] | None, winner: int | None) -> str:
        """`87 – 103 · Marcel`."""
        who = "" if winner is None else speak_winner(t, winner, should.detail)
        return " · ".join(part for part in (joined(points), who) if part)

    with st.expander(t("What the sheet should read"), icon=":material/table_rows:"):
        rows = [
            {
                t("Deal"): row.place(t),
                t("On the sheet"): told(row.written_points, row.written_winner),
                t("As played"): told(row.points, row.winner),
                t("Score"): joined(row.score),
            }
            for row in should.rows[:SHOWN]
        ]
        st.dataframe(rows, hide_index=True, height="content", alt=t("What the sheet should read"))
        if more := len(should.rows) - len(rows):
            st.caption(t("Not in this list: {n}.", n=count_of(more, t)))


def _store_links(at: Desk, found: Explained, chosen: int | None, t: Translate) -> None:
    """Links to the stored match at its finding, or a button that stores it."""
    if found.match is None:
        return
    opened, add = store(), t("Add to the store")
    if opened.find(found.match_id) is None:
        if may(Role.CONTRIBUTOR) and st.button(add, icon=":material/database:"):
            name = at.log.file.rpartition("/")[2] if at.log else ""
            if add_files(opened, [Made(name or "retourne.json", at.text)], t):
                at.linked = st.query_params["match"] = found.match_id
                st.rerun()
        return
    replay, check = {"match": found.match_id}, {"match": found.match_id}
    if chosen is not None:
        check["finding"] = str(chosen + 1)
        finding = found.findings[chosen]
        if finding.deal is not None:  # after its action, or at the deal's end
            replay["deal"] = str(finding.deal + 1)
            states = found.replays[finding.deal]
            if states is not None:
                last = len(states) - 1 + (states.stop is not None)
                ply = last if finding.action is None else min(finding.action + 1, last)
                replay["ply"] = str(ply)
    below = str(st.context.url or "").split("?")[0].rpartition("/")[0]
    with st.container(border=True):
        st.caption(t("This match is in the store. Links to keep or to send:"))
        links = ((REPLAY, t("Replay"), replay), (CHECK, t("This check"), check))
        for name, label, query in links:
            page_link(name, label, **query)
            st.code(f"{below}/{name}?{urlencode(query)}", language=None, wrap_lines=True)
