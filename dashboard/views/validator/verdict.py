"""Shows the findings of a checked log, one of them on its board."""

from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.board.component import mount_board
from dashboard.board.solver_thread import deal_value
from dashboard.board.states import deal_states
from dashboard.games import preset_label
from dashboard.text.labels import STATUS_LABELS, VALUE_LABELS
from dashboard.text.numbers import bounded_int, capitalized, escape_markdown, format_count
from dashboard.views.match_pages import show_heading
from dashboard.views.rules import show_rule
from dashboard.views.validator.check_session import (
    OWN_RULES,
    CheckSession,
    RulesChoice,
    current_session,
    restart_page,
    shows_notes,
)
from dashboard.views.validator.stored_match import show_stored_match
from dashboard.widgets.filters import select_or_any
from dashboard.widgets.link_table import ROWS_PER_PAGE, page_link, paginate
from engine.games import game_names
from engine.options import Option, UnknownRule, game_options, game_presets, resolve_options
from ingest.autofix.text_edit import apply_edit
from ingest.findings.edit_texts import (
    SEARCH_STOPPED_TEXT,
    candidates_heading,
    describe_candidates,
    describe_edit,
)
from ingest.findings.finding import ERROR, NOTE, WARNING, Edit, Finding
from ingest.findings.rulebook import find_rule
from ingest.findings.spoken_notation import describe_action, describe_seat, describe_winner
from ingest.i18n import N_, Translate
from ingest.validate.parse_document import read_json
from ingest.validate.report import corrected_sheet
from ingest.validate.slow_path import ValidationResult
from ingest.validate.what_if import describe_change, result_changes

PAGE_FOLDER = Path(__file__).parent
EXCERPT_CHARS = 72
"""Characters shown around the place: a line of a bulk log may have thousands."""
LINES_BEFORE, LINES_AFTER = 2, 1
"""Lines shown before and after."""
ELLIPSIS = "…"


def page(t: Translate) -> None:
    """Check one log and show each fault with its place, rule, legal alternatives and edits."""
    text_place = result_place = st.container()
    if shows_notes():  # the text next to the board of what it became
        with st.container(key="notes-and-board"):
            text_place, result_place = st.columns([2, 3])
    with text_place:
        at = current_session(t)
    with result_place:
        _show_checked(at, t)


def _show_checked(at: CheckSession, t: Translate) -> None:
    """Show the verdict of the text, its findings, and the board of the chosen one."""
    if not at.text:
        if at.survey is None and not at.notes:
            message = t(
                "Paste a log or notes, drop a file, or try an example: Retourne shows every "
                "fault on the board, with its rule and the legal cards."
            )
            st.info(message, icon=":material/fact_check:")
        return
    rules = _choose_rules(at, t)
    with st.spinner(t("Checking…"), show_time=True):
        found = at.validate(rules)
    chosen = None
    st.html(PAGE_FOLDER / "verdict.css")
    room = st.container(key="checked")  # findings next to the board
    if not at.shows_notes:
        with st.container(key="in-view"):  # scrolls each text into view once
            script = (PAGE_FOLDER / "scroll_to_verdict.js").read_text(encoding="utf-8")
            # the digest makes the script differ: Streamlit does not rerun an identical one
            st.html(f"<script>{script}// {at.digest}</script>", unsafe_allow_javascript=True)
    with room:
        with st.container(key="summary"):
            show_heading(found, t)
            _show_verdict(at, rules, found, t)
            if found.findings:
                chosen = _choose_finding(at, rules, found, t)
        if chosen is not None:
            finding = found.findings[chosen]
            with st.container(key="shown"):
                faces = _show_board(at, found, chosen, t)
                _show_cards(finding, faces, t)
                if lines := source_snippet(at.text, finding):
                    with st.expander(t("In the text"), expanded=not faces, icon=":material/code:"):
                        st.code(lines, language=None)
            with st.container(key="detail"):
                _show_finding(at, finding, chosen, t)
    _show_sheet(found, t)
    show_stored_match(at, found, chosen, t)


def source_snippet(text: bytes, finding: Finding) -> str:
    """Return some numbered lines with carets under the place; empty without a place."""
    if finding.line is None or finding.column is None:
        return ""
    lines = text.split(b"\n")
    here = min(finding.line, len(lines)) - 1
    start = finding.column - 1
    end = max(start + 1, (finding.end or 0) - 1)
    first = 0 if end <= EXCERPT_CHARS else max(0, start - EXCERPT_CHARS // 3)
    rows = range(max(0, here - LINES_BEFORE), min(len(lines), here + LINES_AFTER + 1))
    margin = len(str(rows[-1] + 1))
    shown = []
    for row in rows:
        line = lines[row].decode(errors="replace").rstrip("\r")
        # an excerpt in characters of one column each, with ellipses where it is cut
        part = line[first : first + EXCERPT_CHARS]
        part = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in part)
        part = (
            (ELLIPSIS if first and line else "")
            + part
            + (ELLIPSIS if len(line) > first + EXCERPT_CHARS else "")
        )
        shown.append(f"{row + 1:>{margin}} │ {part}".rstrip())
        if row == here:
            at = start - first + (1 if first else 0)
            carets = "^" * max(1, min(end - start, first + EXCERPT_CHARS - start))
            shown.append(f"{'':>{margin}} │ {' ' * at}{carets}")
    return "\n".join(shown)


def _choose_rules(session: CheckSession, t: Translate) -> RulesChoice:
    """Return the rules the reader chooses; show widgets only if the log's game is known."""
    document = read_json(session.text)[0]
    game = document.get("game") if isinstance(document, dict) else None
    if not isinstance(game, str) or game not in game_names():
        return OWN_RULES
    with st.expander(t("Check under other rules"), icon=":material/gavel:"):
        called = {one: preset_label(one, t) for one in game_presets(game)}
        any_word, key = t("those of the log"), f"preset-{game}"
        preset = select_or_any(t("Rules"), called, any_word, key, called, in_url=False, width=300)
        # defaults of the options; invalid rules of the log are ignored
        seated = document.get("players")
        players = len(seated) if isinstance(seated, list) else 2
        try:
            own = document.get("rules") if preset is None else preset
            values = resolve_options(game, own, players)
        except (UnknownRule, TypeError, ValueError):
            values = resolve_options(game, preset, players)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = [
                (one.name, _option_widget(one, values[one.name], game, t)) for one in game_options(game)
            ]
    return preset, tuple((name, value) for name, value in chosen if value is not None)


def _option_widget(option: Option, value: Any, game: str, t: Translate) -> Any:
    """Show an option's input; None: unchanged."""
    label, key = capitalized(t(option.doc)), f"option-{game}-{option.name}"
    help = f"{option.rule} · `{option.name}`"
    how: Any = {"key": key, "help": help, "width": 300}
    if option.values is None:
        return st.number_input(label, option.low, option.high, None, placeholder=str(value), **how)

    def word(one: Any) -> str:
        return t(VALUE_LABELS.get(one, str(one)))

    how |= {"format_func": word, "placeholder": word(value)}
    return st.selectbox(label, option.values, index=None, **how)


VERDICT_TEXTS = {
    "legal": N_("Everything was checked: every action, and every point and result that is written."),
    "unverified": N_("No rule is broken as far as the log goes, but some cards were not recorded."),
    "result-only": N_("The result is possible; no card of the match was written down."),
    "irregular": N_("A rule was broken, but the match could go on and can be replayed."),
    "incomplete": N_("Nothing played breaks a rule, but a deal stops before its end."),
    "broken": N_("An action of the log is impossible: the replay of that deal stops there."),
    "unreadable": N_("This is not a log that can be replayed."),
}
VERDICT_ALERTS = {
    "legal": (st.success, ":material/verified:"),
    "unverified": (st.info, ":material/help:"),
    "result-only": (st.info, ":material/scoreboard:"),
    "irregular": (st.warning, ":material/gavel:"),
    "incomplete": (st.warning, ":material/hourglass_bottom:"),
    "broken": (st.error, ":material/block:"),
    "unreadable": (st.error, ":material/draft:"),
}
SEVERITY_ICONS = {ERROR: ("error", "red"), WARNING: ("warning", "orange"), NOTE: ("help", "blue")}
"""Icon and colour by severity."""


def _show_verdict(session: CheckSession, rules: RulesChoice, result: ValidationResult, t: Translate) -> None:
    alert, icon = VERDICT_ALERTS[result.status]
    errors = [one for one in result.findings if one.severity == ERROR]
    follow = sum(one.follows is not None for one in errors)
    notes = len(result.findings) - len(errors)
    counts = [
        t("Faults: {n}", n=len(errors)) if errors else "",
        t("perhaps caused by another: {n}", n=follow) if follow else "",
        t("Notes: {n}", n=notes) if notes else "",
    ]
    goes_on = t("The match is unfinished.") if result.status == "legal" and result.winner is None else ""
    parts = t(VERDICT_TEXTS[result.status]), goes_on, " · ".join(filter(None, counts))
    text = "\n\n".join(filter(None, parts))
    alert(text, title=capitalized(t(STATUS_LABELS[result.status])), icon=icon)
    if rules != OWN_RULES:
        own = session.validate()
        items = [
            f"- {escape_markdown(describe_change(t, one, own, result))}"
            for one in result_changes(own, result)
        ]
        title = t("Under the chosen rules, against the log’s own")
        text = "\n".join(items) or t("These rules change nothing.")
        st.info(text, title=title, icon=":material/compare_arrows:")


def _choose_finding(session: CheckSession, rules: RulesChoice, result: ValidationResult, t: Translate) -> int:
    """Show the list of findings; return the index of the one chosen, bound to the address."""
    key = "-".join(session.key(rules))
    last = len(result.findings)
    requested = bounded_int(st.query_params.get("finding"), 1, last) - 1
    st.session_state.setdefault(f"page-{key}", requested // ROWS_PER_PAGE + 1)

    def label(place: int) -> str:
        finding = result.findings[place]
        icon, colour = SEVERITY_ICONS[finding.severity]
        output = escape_markdown(finding.message(t))
        rule = t("format") if finding.rule == "format" else finding.rule
        if finding.follows is not None:
            return f":gray[:material/subdirectory_arrow_right: {rule} {output}]"
        return f":{colour}[:material/{icon}:] **{rule}** {output}"

    def caption(finding: Finding) -> str:
        """Return the place in match or text, and the finding it may follow from."""
        line, follows = finding.line, finding.follows
        place = finding.place(t) or ("" if line is None else t("line {n}", n=line))
        comes = "" if follows is None else t("may follow from finding {n}", n=follows + 1)
        return escape_markdown(" · ".join(part for part in (place, comes) if part))

    with paginate(last, f"page-{key}") as offset:
        shown = range(offset, min(offset + ROWS_PER_PAGE, last))
        chosen = st.radio(
            t("Findings"),
            shown,
            index=requested - offset if requested in shown else 0,
            format_func=label,
            captions=[caption(result.findings[one]) for one in shown],
            key=f"finding-{key}-{offset}",
            width="stretch",
        )
    if session.linked_match_id:
        st.query_params["finding"] = str(chosen + 1)
    return int(chosen)


def _show_finding(session: CheckSession, finding: Finding, chosen: int, t: Translate) -> None:
    def show_edit(edit: Edit, label: str, key: str = "apply") -> None:
        st.markdown(label)
        try:
            text = apply_edit(session.text, edit)
        except KeyError:  # a key the log omits has no place in its text
            return
        if st.button(t("Apply"), icon=":material/edit:", key=key):
            session.edit(text)
            restart_page()

    with st.container(border=True):
        st.markdown(f"## {chosen + 1}. {escape_markdown(finding.place(t) or t('the whole log'))}")
        st.markdown(escape_markdown(finding.message(t)))
        if result := describe_edit(t, finding):
            assert finding.edit is not None
            show_edit(finding.edit, f"**{t('To fix it:')}** {escape_markdown(result)}")
        if finding.candidates:  # only a referee can decide between them
            st.markdown(f"**{candidates_heading(t, finding)}**")
        several = zip(finding.candidates, describe_candidates(t, finding), strict=True)
        for n, (one, result) in enumerate(several, 1):
            show_edit(one.edit, f"{n}. {escape_markdown(result)}", f"apply-{n}")
        if not finding.searched:
            st.caption(t(SEARCH_STOPPED_TEXT))
        if advice := finding.advice(t):
            st.markdown(f"**{t('Next step:')}** {advice}")
    show_rule(find_rule(finding.rule, t))
    page_link("regles", t("All the rules"), "menu_book", rule=finding.rule)


def _show_board(session: CheckSession, result: ValidationResult, chosen: int, t: Translate) -> dict[str, Any]:
    """Show the deal before the action, legal cards lit; return its faces, empty if no board."""
    finding = result.findings[chosen]
    value = None if finding.deal_index is None else deal_states(result, finding.deal_index, t, [finding])
    if finding.deal_index is None or value is None:
        return {}
    last = len(value["plies"]) - 1
    ply = last if finding.action_index is None else min(finding.action_index, last)
    seek = f"{session.digest}-{chosen}-{finding.code}"
    value["value"] = deal_value(result, finding.deal_index, t)
    mount_board(value, deal=finding.deal_index + 1, ply=ply, seek=seek, legal=True, t=t)
    faces: dict[str, Any] = value["faces"]
    return faces


def _show_cards(finding: Finding, faces: dict[str, Any], t: Translate) -> None:
    """Show the hand, with the card tried and the legal ones marked; other moves in words."""
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
        message = escape(f"{face['label']}, {meaning}" if meaning else face["label"], quote=True)
        source = escape(face["src"], quote=True)
        drawn.append(f'<img class="{look}" src="{source}" alt="{message}" title="{message}">')
    if drawn:
        turn = finding.detail.get("turn")
        who = describe_seat(t, turn, finding.detail.get("names", []))
        lit = t("The hand of {who}, legal cards lit", who=who)
        st.caption(lit if turn else t("The hand, legal cards lit"))
        st.html(f'<div class="finding-hand">{"".join(drawn)}</div>{_STYLE}')
    words = [describe_action(t, word, finding.game or None) for word in legal]
    if words:
        st.markdown(f"**{t('Legal then:')}** {escape_markdown(', '.join(words))}")


_STYLE = """<style>
.finding-hand { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.finding-hand img { width: 3.25rem; border-radius: 0.3rem; }
.finding-hand .dim { opacity: 0.4; }
.finding-hand .lit { outline: 3px solid #2c9167; }
.finding-hand .tried { outline: 3px solid #b3372f; }
</style>"""


MAX_SHEET_ROWS = 200
"""Deals shown of a sheet."""


def _show_sheet(result: ValidationResult, t: Translate) -> None:
    """Show a row per deal, from the first that differs; nothing if all agree."""
    should = corrected_sheet(result)
    if should is None:
        return

    def joined(points: list[int] | None) -> str:
        return "" if points is None else " – ".join(map(str, points))

    def score_text(points: list[int] | None, winner: int | None) -> str:
        """Return points and winner as text: `87 – 103 · Marcel`."""
        who = "" if winner is None else describe_winner(t, winner, should.detail)
        return " · ".join(part for part in (joined(points), who) if part)

    with st.expander(t("Corrected sheet"), icon=":material/table_rows:"):
        rows = [
            {
                t("Deal"): row.place(t),
                t("On the sheet"): score_text(row.written_points, row.written_winner),
                t("As played"): score_text(row.points, row.winner),
                t("Score"): joined(row.score),
            }
            for row in should.rows[:MAX_SHEET_ROWS]
        ]
        st.dataframe(rows, hide_index=True, height="content", alt=t("Corrected sheet"))
        if more := len(should.rows) - len(rows):
            st.caption(t("Not in this list: {n}.", n=format_count(more, t)))
