"""The first page: upload, search, recent matches."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

import polars as pl
import streamlit as st

from dashboard.board.component import mount_board
from dashboard.board.states import deal_states
from dashboard.games import game_titles
from dashboard.queries import matches, player_search
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.text.columns import Column, count_column
from dashboard.text.labels import RESULT_LETTERS, STATUS_LABELS
from dashboard.text.numbers import date_text, escape_markdown, format_count
from dashboard.views.match_pages import show_outdated_notice
from dashboard.views.upload import store_uploads
from dashboard.views.upload_files import ImportedLogs
from dashboard.widgets import current_store, filters, link_table, lists
from dashboard.widgets.demo_progress import feed_progress
from ingest.i18n import N_, Translate, join_game_titles
from ingest.store.tokens import Role
from ingest.validate.slow_path import validate

GAME_COLUMNS = (
    Column(  # a log without a game is unreadable
        N_("Game"), lambda row, t: game_titles().get(row["game"] or "", t(STATUS_LABELS["unreadable"]))
    ),
    count_column(N_("Matches"), "matches", "match"),
    count_column(N_("Legal"), "legal", "legal"),
    count_column(N_("Deals"), "deals", "deal"),
    Column(N_("Players"), lambda row, t: row["players"] or 0, "player"),
    Column(N_("Last match"), lambda row, t: date_text(row["last"], t)),
)
"""A row of `queries.matches.count_by_game`."""
FILE_COLUMNS = (
    Column(N_("File"), lambda row, t: row["name"]),
    Column(N_("Added on"), lambda row, t: date_text(row["added_at"], t)),
    count_column(N_("Matches"), "matches", "match"),
    count_column(N_("Already there"), "already_stored"),
    count_column(N_("In the store"), "stored"),
)
"""A row of `queries.matches.recent_files`."""
SAMPLE = "match-lavardin.json"
"""The sample on the board of an empty store."""
MAX_FOUND, MAX_OWN, MAX_LATEST = 5, 5, 8
"""Matches shown of a search, of the reader's own, and of the latest."""


def page(t: Translate) -> None:
    """Show the search, the main button (upload if the user may add), links, and the store."""
    played = join_game_titles(list(game_titles().values()), t)
    text = t(
        "A log records a match, most often card by card. Retourne checks, replays and counts it, for "
        "{games}. It also takes Excel sheets, notes, and matches you type in.",
        games=played,
    )
    st.markdown(text)
    adds = current_store.has_role(Role.CONTRIBUTOR)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = filters.search_box(t("Find a player or a match"), t).strip()
        add = "deposer", t("Add matches"), "upload_file"
        every = link_table.MATCHES_PAGE, t("All matches"), "table_rows"
        with st.container(key="main-way", width="content"):
            link_table.page_link(*(add if adds else every))
    with st.container(horizontal=True, vertical_alignment="center"):
        link_table.page_link(link_table.CHECK_PAGE, t("Check a log"), "rule")
        if adds:
            link_table.page_link(*every)
        link_table.puzzle_link(t, in_link_row=True)
    if words:
        _show_search_results(words, t)
        return
    _show_own_matches(t)
    (_show_incoming if feed_progress().is_active else _show_contents)(t)


def _show_own_matches(t: Translate) -> None:
    """Show the matches and form of the reader's own player, or that it is no longer shown."""
    known = lists.current_player()
    if known is None:
        if lists.is_player_missing():
            message = t("Your player profile is no longer visible here.")
            with st.container(horizontal=True, vertical_alignment="center"):
                st.info(message, icon=":material/person_off:")
                _forget_player(t)
        return
    number, player_id, name = known
    st.header(t("My matches"))
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            link_table.page_link(
                link_table.PLAYERS_PAGE, f"**{escape_markdown(name)}**", "person", player=player_id
            )
            if form := current_store.cached_query(player_search.recent_results, number):
                letters = " ".join(t(RESULT_LETTERS[won]) for won in reversed(form))
                st.caption(t("Form: {letters} · {won}", letters=letters, won=recent_wins_text(form, t)))
            _forget_player(t)
        which = MatchFilter(players=(number,))
        lists.show_matches(
            current_store.cached_query(matches.match_page, which, MAX_OWN), t, "open-mine", number
        )
        total = format_count(current_store.cached_query(matches.count_matches, which), t)
        link_table.page_link(
            link_table.MATCHES_PAGE, t("All of them: {n}", n=total), "table_rows", player=name
        )


def _forget_player(t: Translate) -> None:
    st.button(
        t("That is not me"), key="not-me", on_click=lists.set_current_player, args=("",), type="tertiary"
    )


def recent_wins_text(form: Sequence[bool | None], t: Translate) -> str:
    """Return how many of the last matches were won, worded for none, one or several."""
    k, n = form.count(True), len(form)
    if n == 1:
        return t("the last one won") if k else t("the last one not won")
    if k == 0:
        return t("none won of the last {n}", n=n)
    return t("one won of the last {n}", n=n) if k == 1 else t("{k} won of the last {n}", k=k, n=n)


@st.fragment(run_every=2)
def _show_incoming(t: Translate) -> None:
    """Show the store's contents while games arrive, redrawn as they do."""
    now = feed_progress()
    if not now.is_active:
        st.rerun()
    done, total = format_count(now.matches_done, t), format_count(now.matches_total, t)
    message = t("Simulated matches are being added: {done} of {total}.", done=done, total=total)
    st.progress(now.matches_done / now.matches_total if now.matches_total else 0.0, text=message)
    _show_contents(t)


def _show_contents(t: Translate) -> None:
    if feed_progress().has_failed:
        message = t("The demo stopped before all its matches had come: start it again and it goes on.")
        st.warning(message, icon=":material/hourglass_disabled:")
    totals = current_store.cached_query(matches.store_totals)
    if not totals["matches"]:
        message = t("The store is empty. Begin by adding a file of matches, or look at the samples.")
        st.info(message, icon=":material/inbox:")
        _show_add_samples(t)
        _show_sample_board(t)
        return
    show_outdated_notice(t)
    st.header(t("Latest matches"))
    lists.show_matches(current_store.cached_query(matches.match_page, limit=MAX_LATEST), t, "open-latest")
    if lists.current_player() is None and not lists.is_player_missing():
        message = t("Find your profile and click “That is me”: this page then shows your matches first.")
        link_table.page_link(link_table.PLAYERS_PAGE, message, "person_search")
    st.header(t("In the store"))
    _show_counts(totals, t)
    st.header(t("By game"))
    frame, alt = current_store.cached_query(matches.count_by_game), t("The store by game")
    chosen = link_table.frame_table(frame, GAME_COLUMNS, "by-game", alt, t, "Matches", None)
    if chosen is not None:
        name = frame["game"][chosen]
        _show_matches(MatchFilter(game=name) if name else MatchFilter(statuses=("unreadable",)), "of-game", t)
    st.header(t("Files added last"))
    result, alt = (
        current_store.redacted(current_store.cached_query(matches.recent_files), "name"),
        t("Files added last"),
    )
    chosen = link_table.frame_table(result, FILE_COLUMNS, "files", alt, t, "In the store", None)
    if chosen is not None:
        _show_matches(MatchFilter(files=(result["file_no"][chosen],)), "of-file", t)


def _show_counts(totals: Mapping[str, int], t: Translate) -> None:
    """Show the store's totals and the list chosen; players are sorted by matches."""
    shown = {
        "matches": lists.Metric(t("Matches"), format_count(totals["matches"], t), "match"),
        "deals": lists.Metric(t("Deals"), format_count(totals["deals"], t), "deal"),
        "players": lists.Metric(t("Players"), format_count(totals["players"], t), "player"),
        "legal": lists.Metric(t("Legal"), format_count(totals.get("legal", 0), t), "legal"),
    }
    requested = lists.metric_buttons(shown, "counts", t)
    if requested is not None and requested != "players":
        which = MatchFilter(statuses=("legal",)) if requested == "legal" else MatchFilter()
        _show_matches(which, requested, t, "deals" if requested == "deals" else "played")
    if requested != "players":
        return
    with st.container(border=True):
        st.caption(t("Players: {n}", n=format_count(totals["players"], t)))
        with link_table.paginate(totals["players"], "behind-players") as offset:
            frame = current_store.cached_query(player_search.all_players, link_table.ROWS_PER_PAGE, offset)
            items = zip(lists.player_links(frame, None), frame["matches"], frame["last"], strict=True)
            rows = [
                {t("Name"): name, t("Matches"): n, t("Last match"): date_text(last, t)}
                for name, n, last in items
            ]
            link_table.link_table(rows, "everybody", t("Players"), t)


def _show_matches(which: MatchFilter, key: str, t: Translate, sort: str = "played") -> None:
    total = current_store.cached_query(matches.count_matches, which)
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=format_count(total, t)))
        with link_table.paginate(total, f"behind-{key}") as offset:
            lists.show_matches(
                current_store.cached_query(matches.match_page, which, link_table.ROWS_PER_PAGE, offset, sort),
                t,
                f"open-{key}",
            )


def _show_add_samples(t: Translate) -> None:
    label, icon = t("Load the sample matches"), ":material/playing_cards:"
    if current_store.show_if_not_allowed(Role.CONTRIBUTOR, t) and st.button(label, icon=icon, key="samples"):
        shipped = sorted(files("data").iterdir(), key=lambda entry: entry.name)
        some = (entry for entry in shipped if entry.name.endswith(".json"))
        logs = [ImportedLogs(entry.name, entry.read_bytes()) for entry in some]
        if store_uploads(current_store.open_store(), logs, t) is not None:
            st.rerun()


def _show_sample_board(t: Translate) -> None:
    """Show a deal of a sample on the board: how a match looks once it is here."""
    log = validate(files("data").joinpath(SAMPLE).read_bytes())
    states = deal_states(log, 0, t)
    assert states is not None
    mount_board(states, t=t, ply=len(states["plies"]) // 2)


def _show_search_results(words: str, t: Translate) -> None:
    some, which = (
        current_store.cached_query(player_search.search_players, words),
        MatchFilter(words, redactor=current_store.current_redactor()),
    )
    total = current_store.cached_query(matches.count_matches, which)
    if some.height:
        st.header(t("Players"))
        _show_players(some, current_store.cached_query(player_search.player_tables, *some["player_no"]), t)
    if total:
        st.header(t("Matches"))
        lists.show_matches(current_store.cached_query(matches.match_page, which, MAX_FOUND), t, "open-found")
        label = t("All of them: {n}", n=format_count(total, t))
        link_table.page_link(link_table.MATCHES_PAGE, label, "table_rows", q=words)
    if not some.height and not total:
        st.info(t("No player and no match has these words."), icon=":material/search_off:")


def show_other_tables(words: str, scope: Scope, total: int, t: Translate) -> None:
    """Show players of such a name at other tables; `total` players have it at this one."""
    some = current_store.cached_query(player_search.search_players, words)
    where = current_store.cached_query(player_search.player_tables, *some["player_no"])
    at_table = (pl.col("game") == scope.game) & (pl.col("player_count") == scope.player_count)
    known = where.filter(at_table)["player_no"] if total else pl.Series(dtype=pl.Int64)
    others = some.filter(~pl.col("player_no").is_in(known.implode()))
    if others.height:
        message = N_("At other tables:") if total else N_("None among these deals; elsewhere:")
        st.info(t(message), icon=":material/groups:")
        _show_players(others, where, t)
    elif not total:
        st.info(t("No player of that name."), icon=":material/search_off:")


def _show_players(found: pl.DataFrame, where: pl.DataFrame, t: Translate) -> None:
    known = game_titles()
    for row in found.iter_rows(named=True):
        with st.container(border=True, gap="xxsmall"):
            player_id = row["player_id"]
            with st.container(horizontal=True, vertical_alignment="center"):
                label = f"**{escape_markdown(row['name'])}**"
                link_table.page_link(link_table.PLAYERS_PAGE, label, "person", player=player_id)
                lists.current_player_button(player_id, t)
            tables = where.filter(pl.col("player_no") == row["player_no"])
            with st.container(horizontal=True, gap="small"):
                for table in tables.iter_rows(named=True):
                    game, players = known.get(table["game"], table["game"]), table["player_count"]
                    fields = {"game": game, "players": players, "n": format_count(table["matches"], t)}
                    label = t("{game}, {players} at the table: {n}", **fields)
                    at = {f"player_count-{table['game']}": str(players)}
                    link_table.page_link(link_table.PLAYERS_PAGE, label, player=player_id, game=game, **at)
            if row["last"] is not None:
                st.caption(t("Last match: {day}", day=date_text(row["last"], t)))
