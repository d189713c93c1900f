"""The page of announcements: how often, what was missed, what it wins, what chance gives."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.figures import announcements as figures
from dashboard.games import about
from dashboard.queries import announcements, left_out
from dashboard.queries.intervals import with_interval
from dashboard.queries.scope import Scope
from dashboard.tables import announcements as columns
from dashboard.tables.profile import SECTIONS, has_section, reasons_line
from dashboard.text.numbers import count_of
from dashboard.views.announcements.chance import against_chance
from dashboard.views.announcements.rows import NARROW, chart, no_announcement, rows
from dashboard.views.contracts import contracts_page
from dashboard.widgets import filters, screen
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.readable import readable
from dashboard.widgets.store import answer
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate

MOST = 20
"""Players and events shown; `retourne stats --by` prints them all."""


def frequencies(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Per hand: by kind, or one kind told apart by something else."""
    with line:
        key = filters.one_of(t("By"), columns.KEYS, "by", t, NARROW)
        fact = filters.one_of(t("Fact"), columns.WORDS, "fact", t, NARROW)
        frame = answer(announcements.frequencies, which)
        found = {kind: name for kind, name in KINDS.items() if kind in set(frame["kind"])}
        if not found:
            return no_announcement(t)
        kind = (
            None if key == "kind" else filters.one_of(t("Announcement"), found, "kind", t, NARROW)
        )
    _rests_on(frame, which, t)
    by = None if kind is None else key
    if by is not None:
        frame = _most_hands(answer(announcements.by, which, by).filter(kind=kind), by, t)
    frame = with_interval(frame, fact, "n")
    figure = figures.frequencies(readable(frame), t, fact, by)
    chart(figure, t("Frequency of each announcement"), frame, which, t, fact, by)
    leaves_out(which, t)
    rows(frame, columns.by_key(columns.FREQUENCIES, by), which, t, fact, columns.WORDS[fact], by)


def _most_hands(frame: pl.DataFrame, key: str, t: Translate) -> pl.DataFrame:
    """Of players and events those with most hands."""
    if key not in figures.NAMED:
        return frame
    name = "player_no" if key == "player" else key
    first = frame[name].unique(maintain_order=True)
    if len(first) > MOST:
        st.caption(t("Those with most hands: {n} of {all}.", n=MOST, all=count_of(len(first), t)))
    return frame.filter(pl.col(name).is_in(first.head(MOST).implode(), nulls_equal=True))


def _rests_on(frame: pl.DataFrame, which: Scope, t: Translate) -> None:
    """On how many hands and deals a frame rests, and what is left out of it."""
    n, deals = (frame["n"][0], frame["deals"][0]) if frame.height else (0, 0)
    st.caption(
        t(
            "Per hand played, that is one player in one deal. Hands: {n}; deals that count: "
            "{deals}; left out: {out}. Grey: fewer than 20.",
            n=count_of(n, t),
            deals=count_of(deals, t),
            out=reasons_line(answer(left_out.reasons, which), t),
        ),
        help=about("frequency", t),
    )


def missed(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Held, the best of the suit, and never said: points and parties that went with it."""
    frame = answer(announcements.missed, which)
    if not frame.height:
        return no_announcement(t)
    total = frame.select(pl.col("missed", "n", "points", "lost", "turned").sum()).row(0, named=True)
    counts = {name: count_of(number or 0, t) for name, number in total.items()}
    st.caption(
        t(
            "Held and never announced: {missed} of {n}; points they were worth: {points}. Their "
            "player lost {lost} of these parties and would have won {turned} of them; left out: "
            "{out}. Grey: fewer than 20.",
            **counts,
            out=reasons_line(answer(left_out.reasons, which), t),
        ),
        help=about("missed", t),
    )
    figure = figures.frequencies(frame, t, "missed")
    chart(figure, t("Share left unannounced"), frame, which, t, "missed")
    leaves_out(which, t)
    rows(frame, columns.MISSED, which, t, "missed", "Unannounced")


def winning(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Deals won with each announcement and without."""
    with line:
        fact = filters.one_of(t("Fact"), columns.WORDS, "fact", t, NARROW)
    frame = answer(announcements.winning, which, fact)
    if not frame.height:
        return no_announcement(t)
    st.caption(
        t(
            "Hands of deals that somebody won: {n}; left out: {out}. "
            "Grey: fewer than 20. Good cards bring announcements and win besides: the difference "
            "is not what the announcement alone does.",
            n=count_of(int(frame["n"][0] + frame["other_n"][0]), t),
            out=reasons_line(answer(left_out.reasons, which, decided=True), t),
        ),
        help=about("with", t),
    )
    alt = t("Deals won with each announcement, less those won without")
    chart(figures.winning(frame, t), alt, frame, which, t, fact, decided=True)
    leaves_out(which, t, decided=True)
    rows(frame, columns.WINNING, which, t, fact, "Hands with it", decided=True)


View = Callable[[Scope, DeltaGenerator, Translate], Any]
"""What shows a view; it asks what it needs beside the choice of views, in one line."""
VIEWS: Mapping[str, tuple[str, View]] = {
    "frequency": (N_("Frequency"), frequencies),
    "missed": (N_("Unannounced"), missed),
    "winning": (N_("Deals won"), winning),
    "chance": (N_("Against chance"), against_chance),
}


def announcements_page(which: Scope, t: Translate) -> None:
    """One view of several, which the address names; where a game has bids, these are one more."""
    views = dict(VIEWS)
    if has_section("contracts", which.game):
        views["contracts"] = (
            SECTIONS["contracts"].heading,
            lambda which, _, t: contracts_page(which, t),
        )
    words = {view: label for view, (label, _) in views.items()}
    line = st.container(horizontal=not screen.narrow(), vertical_alignment="bottom")
    with line:
        chosen = filters.side_by_side(t("Announcements"), words, "frequency", "view", t)
    views[chosen][1](which, line, t)
