"""Announcements against chance, which is exact of hands dealt, and beside simulated players."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.figures import announcements as figures
from dashboard.games import about, rules_named
from dashboard.queries import chance, dealt, left_out
from dashboard.queries.announcements import MOMENTS
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables import announcements as columns
from dashboard.tables.profile import reasons_line
from dashboard.text.columns import table_rows
from dashboard.text.numbers import count_of
from dashboard.views.announcements.rows import NARROW, chart, no_announcement, rows
from dashboard.widgets import filters
from dashboard.widgets.access import Refused, acting, may
from dashboard.widgets.chart import chart as draw
from dashboard.widgets.grid import grid
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer, cursor, store
from engine.options import UnknownRule
from ingest.finding.words import KINDS
from ingest.i18n import Translate
from ingest.store import baseline
from ingest.store.store import StoreError
from ingest.store.tokens import Role

KEYS = {key: columns.KEYS[key] for key in ("kind", *MOMENTS)}


def against_chance(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """What hands were dealt beside chance; what became of it beside simulated players."""
    which = answer(chance.under, which)
    with line:
        fact = filters.one_of(t("Fact"), columns.BESIDE, "fact", t, NARROW)
    if fact == "dealt":
        return _dealt(which, t)
    with line:
        key = filters.one_of(t("By"), KEYS, "by", t, NARROW)
        by = None if key == "kind" else key
        kind = by and filters.one_of(t("Announcement"), KINDS, "kind", t, NARROW)
    habits = baseline.habits(which.game)
    runs = {habit: chance.run(cursor(), which, habit) for habit in habits}
    known = {habit: run for habit, run in runs.items() if run is not None}
    if len(known) < len(habits):
        return _offer_to_simulate(which, [habit for habit in habits if habit not in known], t)
    events = {habit: run["event"] for habit, run in known.items()}
    frame = answer(chance.against, which, events, by).filter(fact=fact)
    frame = frame if kind is None else frame.filter(kind=kind)
    if not frame.height:
        return no_announcement(t)
    st.caption(
        t(
            "Beside {deals} simulated deals, rules {preset}, {habits} habits, seeds {seeds}; of "
            "the store {n} hands, left out: {out}. Grey: fewer than 20.",
            deals=count_of(sum(run["deals"] for run in known.values()), t),
            preset=rules_named(which.preset, t),
            habits=len(known),
            seeds=", ".join(map(str, sorted({run["seed"] for run in known.values()}))),
            n=count_of(frame["n"].to_list()[0], t),
            out=reasons_line(answer(left_out.reasons, which), t),
        ),
        help=about("habits", t),
    )
    alt = t("Frequencies seen, beside those of simulated players")
    chart(figures.habits(frame, t, by), alt, frame, which, t, fact, by)
    leaves_out(which, t)
    rows(frame, columns.by_key(columns.HELD, by), which, t, fact, "Count", by)


def _dealt(which: Scope, t: Translate) -> None:
    """Hands as they were dealt, beside their exact probability."""
    frame = answer(dealt.dealt, which)
    if not frame.height:
        return no_announcement(t)
    st.caption(
        t(
            "Hands as dealt, rules {preset}: {n}, of the decks that Shuffles looks at. Before "
            "anybody has played, chance alone decides. Grey: fewer than 20.",
            preset=rules_named(which.preset, t),
            n=count_of(frame["n"].to_list()[0], t),
        ),
        help=about("chance", t),
    )
    draw(figures.chance(frame, t), t("Hands dealt, beside their probability"), "drawn-dealt", 0, t)
    grey = (frame["n"] < FEW).to_list()
    lines = table_rows(columns.DEALT, frame, t)
    grid(lines, columns.DEALT, grey, "announced-dealt", t("Announcements by kind"), t)


def _offer_to_simulate(which: Scope, habits: list[str], t: Translate) -> None:
    """Simulate deals where none were yet."""
    st.info(
        t(
            "No deals were simulated yet under these rules with these players. "
            "They are made once and kept apart from the matches: {deals} deals, some "
            "seconds.",
            deals=count_of(len(habits) * baseline.DEALS, t),
        ),
        icon=":material/casino:",
    )
    if not may(Role.CONTRIBUTOR):
        st.caption(t("Somebody who may add games can have them simulated."))
        return
    if not st.button(t("Simulate"), icon=":material/casino:", type="primary", key="simulate"):
        return
    bar = st.progress(0.0, text=t("Simulating deals…"))

    def advance(before: int, done: int) -> None:
        part = (before + done) / baseline.DEALS / len(habits)
        bar.progress(min(1.0, part), text=t("Simulating deals…"))

    table = (which.game, str(which.preset), which.players)
    try:
        with acting(Role.CONTRIBUTOR):
            for place, habit in enumerate(habits):
                own = partial(advance, place * baseline.DEALS)
                baseline.simulate(store(), baseline.Run(*table, habit, baseline.DEALS), own)
    except (StoreError, Refused, UnknownRule) as error:
        st.error(t("These deals cannot be simulated."), icon=":material/error:")
        st.text(str(error) if isinstance(error, UnknownRule) else error.say(t))
        return
    st.rerun()
