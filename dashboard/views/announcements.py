"""The page of announcements: how often, missed ones, what they win, chance; and contracts."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import plotly.graph_objects as go
import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.figures import announcements as figures
from dashboard.games import about, rules_named, with_sections
from dashboard.queries import (
    announcements,
    contracts,
    exclusions,
    player_deals,
    scope,
    simulated_baseline,
)
from dashboard.queries.announcements import MOMENTS
from dashboard.queries.intervals import FEW, with_interval
from dashboard.queries.scope import Scope
from dashboard.tables import announcements as columns
from dashboard.tables.announcements import BY_HEIGHT, KEYS, RESTING
from dashboard.tables.profile import SECTIONS, has_section, reasons_line
from dashboard.text.columns import Column, table_rows
from dashboard.text.numbers import count_of
from dashboard.widgets import browser, filters
from dashboard.widgets.current_store import Refused, acting, answer, cursor, may, readable, store
from dashboard.widgets.link_table import Cell, frame_grid, grid, nothing_yet
from dashboard.widgets.lists import chart, deals_behind, leaves_out, named_rows
from engine.options import UnknownRule
from ingest.findings.spoken_notation import kinds
from ingest.i18n import N_, Translate
from ingest.store import baseline
from ingest.store.errors import StoreError
from ingest.store.tokens import Role


def page(t: Translate) -> None:
    """One view of several, which the address names; where a game has bids, these are one more."""
    which = filters.scope(t, games=with_sections("announcements", "contracts"))
    if which is None:
        nothing_yet(t("Nothing to count yet. Add a file of games first."), t)
    if not has_section("announcements", which.game):
        _contracts(which, st.container(), t)
        return
    views = dict(VIEWS)
    if has_section("contracts", which.game):
        views["contracts"] = (SECTIONS["contracts"].heading, _contracts)
    words = {view: label for view, (label, _) in views.items()}
    line = st.container(horizontal=not browser.narrow(), vertical_alignment="bottom")
    with line:
        chosen = filters.side_by_side(t("Announcements"), words, "frequency", "view", t)
    views[chosen][1](which, line, t)


NARROW = 150
"""How wide what a view asks is, so that it stands beside the choice of views."""


def no_announcement(t: Translate) -> None:
    """Why there is nothing to see."""
    st.info(t("No announcement in these deals."), icon=":material/search_off:")


def _left_out(which: Scope, t: Translate, **more: bool) -> str:
    return reasons_line(answer(exclusions.reasons, which, **more), t)


class Counted(NamedTuple):
    """What a view counts: hands that have the `fact`, told apart by `key` if by anything."""

    which: Scope
    fact: str
    key: str | None = None
    decided: bool = False
    """Only deals that somebody won."""

    def behind(self, row: Mapping[str, Any], place: str, t: Translate) -> None:
        """The deals behind a row of a frame."""
        value = row.get("player_no" if self.key == "player" else self.key or "")
        kind, trump = row["kind"], row["trump"]
        asked = (self.which, kind, trump, self.fact, self.key, value, self.decided)
        total = answer(announcements.behind_count, *asked)
        deals_behind(total, lambda *page: answer(announcements.behind, *asked, *page), place, t)


def rows(
    frame: pl.DataFrame, columns: tuple[Column, ...], of: Counted, t: Translate, opens: str
) -> None:
    """The frame as a table; `opens`: the column whose cells open the deals behind their row."""
    parts = {
        t(label): (frame[n] < FEW).to_list()
        for label, n in RESTING.items()
        if n in frame.columns and label in {one.label for one in columns}
    }
    lines: Sequence[Mapping[str, Cell]] = table_rows(columns, readable(frame), t)
    if of.key == "player" and "player" in frame.columns:
        lines = named_rows(columns, frame, of.which.game, t, KEYS[of.key], "player")
    grey, alt = (frame["n"] < FEW).to_list(), t("Announcements by kind")
    chosen = grid(lines, columns, grey, f"announced-{of.fact}-{of.key}", alt, t, opens, parts)
    if chosen is not None:
        of.behind(frame.row(chosen, named=True), "announced", t)


def _drawn(figure: go.Figure, alt: str, frame: pl.DataFrame, of: Counted, t: Translate) -> None:
    """The frame drawn; the deals of the point that is chosen, and those left out."""
    point = chart(figure, alt, f"drawn-{of.fact}-{of.key}", frame.height, t)
    if point is not None:
        of.behind(frame.row(point.row, named=True), "announced-drawn", t)
    leaves_out(of.which, t, of.decided)


def _against_chance(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """What hands were dealt beside chance; what became of it beside simulated players."""
    which = answer(simulated_baseline.under, which)
    with line:
        fact = filters.one_of(t("Fact"), columns.BESIDE, "fact", t, NARROW)
    if fact == "dealt":  # hands as they were dealt, beside their exact probability
        frame = answer(simulated_baseline.dealt, which)
        if not frame.height:
            return no_announcement(t)
        said = N_(
            "Hands as dealt, rules {preset}: {n}, of the decks that Shuffles looks at. Before "
            "anybody has played, chance alone decides. Grey: fewer than 20."
        )
        preset, n = rules_named(which.preset, t), count_of(frame["n"][0], t)
        st.caption(t(said, preset=preset, n=n), help=about("chance", t))
        alt = t("Hands dealt, beside their probability")
        chart(figures.chance(frame, t), alt, "drawn-dealt", 0, t)
        frame_grid(frame, columns.DEALT, "announced-dealt", t("Announcements by kind"), t)
        return None
    with line:
        keys = {key: columns.KEYS[key] for key in ("kind", *MOMENTS)}
        key = filters.one_of(t("By"), keys, "by", t, NARROW)
        by = None if key == "kind" else key
        kind = by and filters.one_of(t("Announcement"), kinds(), "kind", t, NARROW)
    runs = {
        habit: simulated_baseline.run(cursor(), which, habit)
        for habit in baseline.habits(which.game)
    }
    known = {habit: run for habit, run in runs.items() if run is not None}
    if len(known) < len(runs):
        return _offer_to_simulate(which, [habit for habit in runs if habit not in known], t)
    events = {habit: run["event"] for habit, run in known.items()}
    frame = answer(simulated_baseline.against, which, events, by).filter(fact=fact)
    frame = frame if kind is None else frame.filter(kind=kind)
    if not frame.height:
        return no_announcement(t)
    said = t(
        "Beside {deals} simulated deals, rules {preset}, {habits} habits, seeds {seeds}; of "
        "the store {n} hands, left out: {out}. Grey: fewer than 20.",
        deals=count_of(sum(run["deals"] for run in known.values()), t),
        preset=rules_named(which.preset, t),
        habits=len(known),
        seeds=", ".join(map(str, sorted({run["seed"] for run in known.values()}))),
        n=count_of(frame["n"][0], t),
        out=_left_out(which, t),
    )
    st.caption(said, help=about("habits", t))
    alt = t("Frequencies seen, beside those of simulated players")
    of = Counted(which, fact, by)
    _drawn(figures.habits(frame, t, by), alt, frame, of, t)
    rows(frame, columns.by_key(columns.HELD, by), of, t, "Count")


def _offer_to_simulate(which: Scope, habits: list[str], t: Translate) -> None:
    said = N_(
        "No deals were simulated yet under these rules with these players. "
        "They are made once and kept apart from the matches: {deals} deals, some seconds."
    )
    deals = count_of(len(habits) * baseline.DEALS, t)
    st.info(t(said, deals=deals), icon=":material/casino:")
    if not may(Role.CONTRIBUTOR):
        st.caption(t("Somebody who may add games can have them simulated."))
        return
    if not st.button(t("Simulate"), icon=":material/casino:", type="primary", key="simulate"):
        return
    said = t("Simulating deals…")
    bar = st.progress(0.0, text=said)

    def advance(before: int, done: int) -> None:
        bar.progress(min(1.0, (before + done) / baseline.DEALS / len(habits)), text=said)

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


def _contracts(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Each height that was bid: how often, how often it was made, and its deals once it is open."""
    frame = answer(contracts.contracts, which)
    if not frame.height:
        st.info(t("No contract in these deals."), icon=":material/search_off:")
        return

    def of_height(row: int, key: str) -> None:
        hands = contracts.hands_of(which, frame["level"][row])
        total = answer(player_deals.hands_count, hands)
        deals_behind(total, lambda *page: answer(player_deals.listed, hands, *page), key, t)

    deals = count_of(answer(scope.deals, which)[0], t)
    said = N_("The last bid of each deal; deals that count: {deals}; left out: {out}.")
    st.caption(t(said, deals=deals, out=_left_out(which, t)))
    figure, alt = figures.made(frame, t, which.game), t("Share of contracts made, by height")
    point = chart(figure, alt, "contracts-drawn", frame.height, t)
    if point is not None:
        of_height(point.row, "contracts-drawn")
    leaves_out(which, t)
    alt, game = t("Contracts by height"), {"game": which.game}
    chosen = frame_grid(frame, BY_HEIGHT, "contracts", alt, t, "Taken", "decided", game)
    if chosen is not None:
        of_height(chosen, "contracts")


MOST = 20
"""Players and events shown; `retourne stats --by` prints them all."""


def _frequencies(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Per hand: by kind, or one kind told apart by something else."""
    with line:
        key = filters.one_of(t("By"), columns.KEYS, "by", t, NARROW)
        fact = filters.one_of(t("Fact"), columns.WORDS, "fact", t, NARROW)
        frame = answer(announcements.frequencies, which)
        found = {kind: name for kind, name in kinds().items() if kind in set(frame["kind"])}
        if not found:
            return no_announcement(t)
        by = None if key == "kind" else key
        kind = by and filters.one_of(t("Announcement"), found, "kind", t, NARROW)
    said = N_(
        "Per hand played, that is one player in one deal. Hands: {n}; deals that count: "
        "{deals}; left out: {out}. Grey: fewer than 20."
    )
    n, deals = count_of(frame["n"][0], t), count_of(frame["deals"][0], t)
    st.caption(t(said, n=n, deals=deals, out=_left_out(which, t)), help=about("frequency", t))
    if by is not None:
        frame = answer(announcements.by, which, by).filter(kind=kind)
    if by in figures.NAMED:  # of players and events those with most hands
        name = "player_no" if by == "player" else by
        first = frame[name].unique(maintain_order=True)
        if len(first) > MOST:
            every = count_of(len(first), t)
            st.caption(t("Those with most hands: {n} of {all}.", n=MOST, all=every))
        frame = frame.filter(pl.col(name).is_in(first.head(MOST).implode(), nulls_equal=True))
    frame = with_interval(frame, fact, "n")
    figure = figures.frequencies(readable(frame), t, fact, by)
    of = Counted(which, fact, by)
    _drawn(figure, t("Frequency of each announcement"), frame, of, t)
    rows(frame, columns.by_key(columns.FREQUENCIES, by), of, t, columns.WORDS[fact])


def _missed(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Held, the best of the suit, and never said: points and parties that went with it."""
    frame = answer(announcements.missed, which)
    if not frame.height:
        return no_announcement(t)
    total = frame.select(pl.col("missed", "n", "points", "lost", "turned").sum()).row(0, named=True)
    counts = {name: count_of(number or 0, t) for name, number in total.items()}
    said = N_(
        "Held and never announced: {missed} of {n}; points they were worth: {points}. Their "
        "player lost {lost} of these parties and would have won {turned} of them; left out: "
        "{out}. Grey: fewer than 20."
    )
    st.caption(t(said, **counts, out=_left_out(which, t)), help=about("missed", t))
    figure, of = figures.frequencies(frame, t, "missed"), Counted(which, "missed")
    _drawn(figure, t("Share left unannounced"), frame, of, t)
    rows(frame, columns.MISSED, of, t, "Unannounced")


def _winning(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Deals won with each announcement and without."""
    with line:
        fact = filters.one_of(t("Fact"), columns.WORDS, "fact", t, NARROW)
    frame = answer(announcements.winning, which, fact)
    if not frame.height:
        return no_announcement(t)
    said = N_(
        "Hands of deals that somebody won: {n}; left out: {out}. "
        "Grey: fewer than 20. Good cards bring announcements and win besides: the difference "
        "is not what the announcement alone does."
    )
    n = count_of(int(frame["n"][0] + frame["other_n"][0]), t)
    out = _left_out(which, t, decided=True)
    st.caption(t(said, n=n, out=out), help=about("with", t))
    alt = t("Deals won with each announcement, less those won without")
    of = Counted(which, fact, decided=True)
    _drawn(figures.winning(frame, t), alt, frame, of, t)
    rows(frame, columns.WINNING, of, t, "Hands with it")


View = Callable[[Scope, DeltaGenerator, Translate], Any]
"""What shows a view; it asks what it needs beside the choice of views, in one line."""
VIEWS: Mapping[str, tuple[str, View]] = {
    "frequency": (N_("Frequency"), _frequencies),
    "missed": (N_("Unannounced"), _missed),
    "winning": (N_("Deals won"), _winning),
    "chance": (N_("Against chance"), _against_chance),
}
