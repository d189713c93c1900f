"""What a log came to: the rules it is checked under, what was found, one finding with its board."""

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.board.component import board
from dashboard.board.states import deal_states
from dashboard.board.values import value
from dashboard.games import rules_named
from dashboard.text.labels import STATUSES, VALUES
from dashboard.text.numbers import count_of, markdown, number_in
from dashboard.views.rules import rule_apart
from dashboard.views.verify.desk import OWN, Desk, Rules
from dashboard.views.verify.sources import leave_address
from dashboard.widgets.access import may
from dashboard.widgets.linked import PAGE, stepped
from dashboard.widgets.store import store
from dashboard.widgets.upload import Made, add_files
from engine.games import names
from engine.options import Option, UnknownRule, options, presets, settings
from ingest.finding.edits import UNSEARCHED, speak_candidates, speak_edit
from ingest.finding.finding import ERROR, NOTE, WARNING, Edit, Finding
from ingest.finding.rulebook import rule_text
from ingest.finding.words import speak_action, speak_seat, speak_winner
from ingest.i18n import N_, Translate
from ingest.judge.document import read
from ingest.judge.explain import Explained
from ingest.judge.otherwise import changes, speak_change
from ingest.judge.report import Sheet, sheet
from ingest.mend.text_edit import patched
from ingest.store.tokens import Role

WIDTH = 72
"""Characters of a line shown around the place; a bulk log is one line of thousands."""
BEFORE, AFTER = 2, 1
"""Lines shown before and after."""
CUT = "…"


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
        shown.append(f"{row + 1:>{margin}} │ {_window(lines[row], first)}".rstrip())
        if row == here:
            at = start - first + (1 if first else 0)
            carets = "^" * max(1, min(end - start, first + WIDTH - start))
            shown.append(f"{'':>{margin}} │ {' ' * at}{carets}")
    return "\n".join(shown)


def _window(line: bytes, first: int) -> str:
    """A part of a line as signs of one column each, marked where it is cut."""
    decoded = line.decode(errors="replace").rstrip("\r")
    part = decoded[first : first + WIDTH]
    part = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in part)
    before = CUT if first and decoded else ""
    return before + part + (CUT if len(decoded) > first + WIDTH else "")


def chosen_rules(desk: Desk, t: Translate) -> Rules:
    """The rules the reader chooses; widgets only for a log whose game can be told."""
    document = read(desk.text)[0]
    game = document.get("game") if isinstance(document, dict) else None
    if not isinstance(game, str) or game not in names():
        return OWN
    with st.expander(t("Check under other rules"), icon=":material/gavel:"):
        own = document.get("rules")
        preset = st.selectbox(
            t("Rules"),
            list(presets(game)),
            index=None,
            format_func=lambda one: rules_named(one, t),
            placeholder=t("those of the log"),
            key=f"preset-{game}",
            width=300,
        )
        players = document.get("players")
        values = _values(game, own, preset, len(players) if isinstance(players, list) else 2)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = [(one.name, _ask(one, values[one.name], game, t)) for one in options(game)]
    return preset, tuple((name, value) for name, value in chosen if value is not None)


def _values(game: str, own: Any, preset: str | None, players: int) -> dict[str, Any]:
    """What each option is when nothing is chosen for it; a log's wrong rules count for nothing."""
    try:
        return settings(game, own if preset is None else preset, players)
    except (UnknownRule, TypeError, ValueError):
        return settings(game, preset, players)


def _ask(option: Option, value: Any, game: str, t: Translate) -> Any:
    """One option's widget; None when it stays as it is."""
    label = t(option.doc)
    label = label[:1].upper() + label[1:]
    key, help = f"option-{game}-{option.name}", f"{option.rule} · `{option.name}`"
    if option.values is None:
        return st.number_input(
            label,
            min_value=option.low,
            max_value=option.high,
            value=None,
            placeholder=str(value),
            key=key,
            help=help,
            width=300,
        )
    return st.selectbox(
        label,
        option.values,
        index=None,
        format_func=lambda one: t(VALUES.get(one, str(one))),
        placeholder=t(VALUES.get(value, str(value))),
        key=key,
        help=help,
        width=300,
    )


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


SHOWN = 200
"""Deals shown of a sheet."""


def sheet_table(found: Explained, t: Translate) -> None:
    """A row a deal, from the first that differs; nothing when none does."""
    should = sheet(found)
    if should is None:
        return
    with st.expander(t("What the sheet should read"), icon=":material/table_rows:"):
        rows = [
            {
                t("Deal"): row.place(t),
                t("On the sheet"): _deal_line(should, row.written_points, row.written_winner, t),
                t("As played"): _deal_line(should, row.points, row.winner, t),
                t("Score"): _points(row.score),
            }
            for row in should.rows[:SHOWN]
        ]
        st.dataframe(rows, hide_index=True, height="content", alt=t("What the sheet should read"))
        if more := len(should.rows) - len(rows):
            st.caption(t("Not in this list: {n}.", n=count_of(more, t)))


def _deal_line(should: Sheet, points: list[int] | None, winner: int | None, t: Translate) -> str:
    """`87 – 103 · Marcel`."""
    who = "" if winner is None else speak_winner(t, winner, should.detail)
    return " · ".join(part for part in (_points(points), who) if part)


def _points(points: list[int] | None) -> str:
    return "" if points is None else " – ".join(map(str, points))


def store_links(at: Desk, found: Explained, chosen: int | None, t: Translate) -> None:
    """Links to the stored match at its finding, or a button that stores it."""
    if found.match is None:
        return
    opened = store()
    if opened.find(found.match_id) is None:
        add = t("Add to the store")
        if may(Role.CONTRIBUTOR) and st.button(add, icon=":material/database:"):
            name = at.log.file.rpartition("/")[2] if at.log else ""
            if add_files(opened, [Made(name or "retourne.json", at.text)], t):
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
