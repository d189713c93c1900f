"""Players at one game as a table, and the ladder with one player's way on it."""

import streamlit as st

from dashboard.figures import players as figures
from dashboard.games import of, rules_named
from dashboard.queries import exclusions, player_search, players
from dashboard.queries import ladder as queries
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.players import LADDER, RATED, UNRATED, UNRATED_REASONS, players_columns
from dashboard.tables.profile import reasons_line
from dashboard.text.columns import asked_for, with_sheets
from dashboard.text.numbers import count_of
from dashboard.views.data import PLAYER, not_there
from dashboard.views.home import elsewhere
from dashboard.views.profile import player_profile
from dashboard.widgets import filters, lists
from dashboard.widgets.current_store import answer
from dashboard.widgets.link_table import grid, nothing_yet, numbered
from ingest.i18n import N_, Translate

FILTERED = N_(
    "Filters choose the players listed and the matches counted. Ranks and ratings stay those of "
    "the whole ladder, and so does a player’s curve."
)


def page(t: Translate) -> None:
    """Who plays and wins at one game; at a player’s address, all there is of that player."""
    asked = st.query_params.get("player", "")
    if asked and (who := answer(player_search.known, asked)):
        player_profile(*who, t)
        return
    if asked:
        not_there(asked, t, PLAYER)
    which = filters.scope(t, sheets=True)
    if which is None:
        nothing_yet(t("No legal deal yet to count. Add a file of games first."), t)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words, details = filters.name_search(300, t)
    total = answer(players.count, which, words)
    out = reasons_line(answer(exclusions.reasons, which, decided=True), t)
    if not total and not words.strip():
        said = t("None of these deals counts; left out: {out}.", out=out)
        st.info(said, icon=":material/inbox:")
        lists.leaves_out(which, t, decided=True)
        return
    if not total:
        elsewhere(words, which, total, t)
        return
    n = count_of(total, t)
    said = t("Players: {n}. Only deals with a winner count; left out: {out}.", n=n, out=out)
    st.caption(said)
    with numbered(total, "joueurs-page", of=(which, words)) as offset:
        frame = answer(players.table, which, words, limit=25, offset=offset, ranked=True)
        told = lists.with_form(frame, which)
        columns = with_sheets(asked_for(players_columns(which.game), details), frame)
        grey = (frame["parties"] < FEW).to_list()
        rows = lists.named_rows(columns, told, which.game, t)
        grid(rows, columns, grey, "players", t("Players"), t)
        said = t(
            "Rank: on the ladder, of the rules chosen or of those most played. Form: the last "
            "matches, the latest last."
        )
        st.caption(said)
    elsewhere(words, which, total, t)
    lists.leaves_out(which, t, decided=True)
    if details:
        st.header(t("Deals won, with 95% intervals"))
        figure = figures.wins(frame, t, filters.fair_share(which))
        st.plotly_chart(figure, alt=t("Share of deals won by player"))


def ladder_page(t: Translate) -> None:
    """Who plays best, and how sure that is: one ladder per game and rules."""
    found = answer(queries.ladders)
    if not found.height:
        none_yet = t(
            "No ladder yet: it takes a legal, finished match that has a date, and the server needs "
            "a moment to rate new ones."
        )
        nothing_yet(none_yet, t, "leaderboard")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # the most played, or the one the address names by its game and preset
        known, called = dict[str, tuple[str, str]](), dict[str, str]()
        for game, preset, *_ in found.rows():
            label = f"{of(game).TITLE} · {preset}"
            known[label] = game, preset
            called[label] = f"{of(game).TITLE} · {rules_named(preset, t)}"
        name, preset = known[filters.one_of(t("Ladder"), called, "ladder", t, width=300)]
        rated = found.filter(game=name, preset=preset).row(0, named=True)
        which = filters.ladder_scope(name, preset, rated, t)
        words, details = filters.name_search(200, t)
    total = answer(queries.count, which, words)
    reasons = {reason: n for reason, n in answer(queries.left_out, which).items() if n}
    parts = (f"{t(UNRATED_REASONS[reason])} {count_of(n, t)}" for reason, n in reasons.items())
    out = ", ".join(parts) or "0"
    if not total and not words.strip():
        st.info(t("No rated match fits; left out: {out}.", out=out), icon=":material/search_off:")
        _unrated(which, sum(reasons.values()), t)
        return
    if not total:
        st.info(t("Nobody of that name on this ladder by then."), icon=":material/search_off:")
        return
    st.caption(
        t(
            "Players: {n}. Plackett–Luce ratings, a match at a time in the order played; whoever "
            "is not surely better stands lower. Matches left out: {out}.",
            n=count_of(total, t),
            out=out,
        )
    )
    if which != queries.whole(which):
        st.caption(t(FILTERED))
    with numbered(total, "classement-page", of=(which, words)) as offset:
        frame = answer(queries.standings, which, words, limit=25, offset=offset)
        columns = with_sheets(asked_for(LADDER, details), frame)
        grey = (frame["n"] < FEW).to_list()
        rows = lists.named_rows(columns, lists.with_form(frame, which), which.game, t)
        hint = t("A number of matches opens one player’s way. Form: the latest match last.")
        chosen = grid(rows, columns, grey, "standings", t("Ladder"), t, opens="Matches", hint=hint)
    _unrated(which, sum(reasons.values()), t)
    if chosen is not None:
        _player_way(frame["player_no"][chosen], frame["name"][chosen], which, t)
    elif details:
        st.plotly_chart(figures.standings(frame, t), alt=t("Ratings and how sure they are"))


def _unrated(which: Scope, n: int, t: Translate) -> None:
    """The `n` matches that are not rated, each with its reason, when they are asked for."""
    if lists.behind(lists.left_out_button(n, t), "unrated", t):
        lists.matches_behind(answer(queries.unrated, which), which.game, UNRATED, "unrated", t)


def _player_way(number: int, name: str, which: Scope, t: Translate) -> None:
    """One player's ratings over time, all of them, and the matches looked at."""
    st.header(t("Over time"))
    st.text(name)
    every = answer(queries.history, number, queries.whole(which))
    key, alt = f"drawn-{number}", t("Rating of this player over time")
    point = lists.chart(figures.history(every, t), alt, key, len(every), t)
    if point is not None:
        lists.matches_behind(every[point.row : point.row + 1], which.game, RATED, key, t)
    found = answer(queries.history, number, which)
    lists.matches_behind(found, which.game, RATED, f"rated-{number}", t)
