"""The form for a result without deals: the players and the final score of each side."""

from collections.abc import Callable

import streamlit as st

from dashboard import games
from dashboard.text.labels import opponents_text, seats_by_side
from dashboard.text.numbers import escape_markdown
from dashboard.views.entry import score_sheet, sheet_draft
from dashboard.views.entry.sheet_draft import SheetDraft, keep_input
from dashboard.views.upload import show_upload_result
from dashboard.widgets import filters
from engine.games import game
from ingest.findings.finding import NOTE
from ingest.i18n import Translate
from ingest.importers.headings import RESULT, SheetField
from schemas.games import schemas_of


def show_result_entry(show_drafts: Callable[[SheetDraft, str], None], t: Translate) -> None:
    """Show the inputs of a result, what is wrong with it, and the button that adds it.

    They are those of a score sheet, so that the browser keeps them as it keeps a sheet.
    """
    draft = sheet_draft.open_draft()
    if upload := st.session_state.get("sheet-added"):
        show_upload_result(upload, t, "check-typed")
    above = st.container()
    st.caption(
        t(
            "On the ladder and in head to head, a result counts if “With score sheets” is on there (shown if "
            "any match can be ranked so). It never counts in the statistics of cards."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = score_sheet.game_input("sheet", t, filters.FILTER_PIXELS)
        rules = score_sheet.rules_input(chosen, "sheet", t)
        day = st.date_input(t("Played on"), None, key="sheet-day", format=filters.date_input_format(t))
        event = st.text_input(t("Event"), key="sheet-event", on_change=keep_input)
    count, *more = counts = game(chosen).players
    if more:
        count = st.selectbox(t("How many players"), counts, key=f"sheet-count-{chosen}")
    typed = score_sheet.player_inputs(count, "sheet", t)
    names = [one or t("Seat {n}", n=seat) for seat, one in enumerate(typed, 1)]
    with st.container(horizontal=True):
        scores = [
            st.text_input(
                t("Score: {who}", who=escape_markdown(" + ".join(names[seat] for seat in seats))),
                key=f"sheet-score-{side}",
                on_change=keep_input,
                width=240,
            )
            for side, seats in enumerate(seats_by_side(count, chosen), 1)
        ]
    sheet_draft.read_fields(draft)
    with above:
        show_drafts(draft, event or opponents_text(names, chosen) or games.game_titles()[chosen])
    if not all(typed) or not all(one.strip() for one in scores):
        st.info(t("Type the players and the final score of each side."), icon=":material/scoreboard:")
        return
    head = {"rules": rules, "name": event, "played_at": day.isoformat() if day else ""}
    head |= {**schemas_of(chosen).MATCH_DEFAULTS, **score_sheet.player_cells(typed)}
    line = {SheetField(RESULT, side).key: score for side, score in enumerate(scores)}
    result = score_sheet.read_lines(chosen, {key: one for key, one in head.items() if one}, [line])
    problems = [one.message(t) for _, _, one in result.questions]
    problems += [one.message(t) for log in result.explained for one in log.findings if one.severity != NOTE]
    if problems:
        st.warning("\n".join(f"- {escape_markdown(one)}" for one in problems), icon=":material/help:")
    if result.logs and not result.questions:
        with st.container(horizontal=True):
            score_sheet.show_finish(result.logs, t)
