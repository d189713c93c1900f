"""Announcements against chance: a run of simulated deals, made once and kept."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.figures import announcements as figures
from dashboard.games import about, rules_named
from dashboard.queries import chance, left_out
from dashboard.queries.announcements import MOMENTS
from dashboard.queries.scope import Scope
from dashboard.tables import announcements as columns
from dashboard.tables.profile import reasons_line
from dashboard.text.numbers import count_of
from dashboard.views.announcements.rows import NARROW, chart, no_announcement, rows
from dashboard.widgets import filters
from dashboard.widgets.access import Refused, acting, may
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer, cursor, store
from engine.options import UnknownRule
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate
from ingest.store import baseline
from ingest.store.store import StoreError
from ingest.store.tokens import Role

HABITS = {
    "mixed": N_("Mixed"),
    "random": N_("Play any card"),
    "greedy": N_("Announce at once"),
    "careful": N_("Wait for more"),
}
"""What the habits of simulated players are called; the first is a mixture of the others."""
KEYS = {key: columns.KEYS[key] for key in ("kind", *MOMENTS)}


def against_chance(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Frequencies beside those of simulated deals under the same rules."""
    which = answer(chance.under, which)
    with line:
        habits = {one: HABITS.get(one, one) for one in ("mixed", *baseline.habits(which.game))}
        chosen = filters.one_of(t("Simulated players"), habits, "habit", t, NARROW)
        key = filters.one_of(t("By"), KEYS, "by", t, NARROW)
        fact = filters.one_of(t("Fact"), columns.WORDS, "fact", t, NARROW)
        by = None if key == "kind" else key
        kind = by and filters.one_of(t("Announcement"), KINDS, "kind", t, NARROW)
    habit = None if chosen == "mixed" else chosen
    run = chance.run(cursor(), which, habit)
    if run is None:
        return _offer_to_simulate(which, habit, t)
    frame = answer(chance.against, which, run["event"], by).filter(fact=fact)
    frame = frame if kind is None else frame.filter(kind=kind)
    if not frame.height:
        return no_announcement(t)
    st.caption(
        t(
            "Beside {deals} simulated deals, rules {preset}, seed {seed}; of the store {n} hands, "
            "left out: {out}. Grey: fewer than 20.",
            deals=count_of(run["deals"], t),
            preset=rules_named(which.preset, t),
            seed=run["seed"],
            n=count_of(frame["n"].to_list()[0], t),
            out=reasons_line(answer(left_out.reasons, which), t),
        ),
        help=about("chance", t),
    )
    figure = figures.chance(frame, t, by)
    chart(figure, t("Frequencies seen, beside those of chance"), frame, which, t, fact, by)
    leaves_out(which, t)
    rows(frame, columns.by_key(columns.CHANCE, by), which, t, fact, "Count", by)


def _offer_to_simulate(which: Scope, habit: str | None, t: Translate) -> None:
    """Simulate deals where none were yet."""
    st.info(
        t(
            "No deals were simulated yet under these rules with these players. "
            "They are made once and kept apart from the matches: {deals} deals, a "
            "few seconds.",
            deals=count_of(baseline.DEALS, t),
        ),
        icon=":material/casino:",
    )
    if not may(Role.CONTRIBUTOR):
        st.caption(t("Somebody who may add games can have them simulated."))
        return
    if not st.button(t("Simulate"), icon=":material/casino:", type="primary", key="simulate"):
        return
    bar = st.progress(0.0, text=t("Simulating deals…"))

    def advance(done: int) -> None:
        bar.progress(min(1.0, done / baseline.DEALS), text=t("Simulating deals…"))

    try:
        with acting(Role.CONTRIBUTOR):
            baseline.simulate(
                store(), which.game, str(which.preset), which.players, habit, progress=advance
            )
    except (StoreError, Refused, UnknownRule) as error:
        st.error(t("These deals cannot be simulated."), icon=":material/error:")
        st.text(str(error) if isinstance(error, UnknownRule) else error.say(t))
        return
    st.rerun()
