"""The first page: the ways in, what a search finds, the reader's matches, what the store holds."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches, player_search
from dashboard.queries.matches import Filter
from dashboard.queries.scope import Scope
from dashboard.text.columns import Column, counted
from dashboard.text.labels import RESULTS, STATUSES
from dashboard.text.numbers import count_of, day, markdown
from dashboard.views.replay import old_notice
from dashboard.views.upload import Made, add_files
from dashboard.widgets import filters, link_table
from dashboard.widgets.current_store import allowed, answer, hide, may, readable, store
from dashboard.widgets.demo_progress import feed
from dashboard.widgets.lists import Metric, be, gone, matches_table, me, me_button, metrics, names
from ingest.i18n import N_, Translate, games_of
from ingest.store.tokens import Role

GAMES = (
    Column(  # logs without a game are those nobody can read
        N_("Game"), lambda row, t: titles().get(row["game"] or "", t(STATUSES["unreadable"]))
    ),
    counted(N_("Matches"), "matches", "match"),
    counted(N_("Legal"), "legal", "legal"),
    counted(N_("Deals"), "deals", "deal"),
    Column(N_("Players"), lambda row, t: row["players"] or 0, "player"),
    Column(N_("Played last on"), lambda row, t: day(row["last"], t)),
)
"""A row of `queries.matches.by_game`."""
FILES = (
    Column(N_("File"), lambda row, t: row["name"]),
    Column(N_("Added on"), lambda row, t: day(row["added_at"], t)),
    counted(N_("Matches"), "matches", "match"),
    counted(N_("Already there"), "duplicates"),
    counted(N_("In the store"), "kept"),
)
"""A row of `queries.matches.files`."""
FOUND, MINE, LATEST = 5, 5, 8
"""Matches shown of a search, of one's own and of the latest."""


def page(t: Translate) -> None:
    """The search, the main way in, which is to add where one may, and others; then the store."""
    played = games_of(list(titles().values()), t)
    st.markdown(t("Check, replay and count games of {games} from their logs.", games=played))
    adds = may(Role.CONTRIBUTOR)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = filters.search_box(t("Find a player or a match"), t).strip()
        add = "deposer", t("Add games"), "upload_file"
        every = link_table.MATCHES, t("All matches"), "table_rows"
        with st.container(key="main-way", width="content"):
            link_table.page_link(*(add if adds else every))
    with st.container(horizontal=True, vertical_alignment="center"):
        link_table.page_link(link_table.CHECK, t("Check a log"), "rule")
        if adds:
            link_table.page_link(*every)
        link_table.find_link(t, among_links=True)
    if words:
        _found(words, t)
        return
    _mine(t)
    (_coming if feed().coming else _contents)(t)


def _mine(t: Translate) -> None:
    """What the reader who said who they are plays, and how well; that they are shown no longer."""
    known = me()
    if known is None:
        if gone():
            said = t("The player you said you are is no longer shown here.")
            with st.container(horizontal=True, vertical_alignment="center"):
                st.info(said, icon=":material/person_off:")
                _not_me(t)
        return
    number, player_id, name = known
    st.header(t("My matches"))
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            link_table.page_link(
                link_table.PLAYERS, f"**{markdown(name)}**", "person", player=player_id
            )
            if form := answer(player_search.form, number):
                letters = " ".join(t(RESULTS[won]) for won in reversed(form))
                st.caption(t("Form: {letters} · {won}", letters=letters, won=won_of(form, t)))
            _not_me(t)
        which = Filter(players=(number,))
        matches_table(answer(matches.page, which, MINE), t, "open-mine", number)
        total = count_of(answer(matches.count, which), t)
        link_table.page_link(
            link_table.MATCHES, t("All of them: {n}", n=total), "table_rows", player=name
        )


def _not_me(t: Translate) -> None:
    st.button(t("That is not me"), key="not-me", on_click=be, args=("",), type="tertiary")


def won_of(form: Sequence[bool | None], t: Translate) -> str:
    """How many of the last matches were won, as it is said of none, of one and of several."""
    k, n = form.count(True), len(form)
    if n == 1:
        return t("the last one won") if k else t("the last one not won")
    if k == 0:
        return t("none won of the last {n}", n=n)
    return t("one won of the last {n}", n=n) if k == 1 else t("{k} won of the last {n}", k=k, n=n)


@st.fragment(run_every=2)
def _coming(t: Translate) -> None:
    """What the store holds while games are still coming, drawn again as they come."""
    now = feed()
    if not now.coming:
        st.rerun()
    done, total = count_of(now.done, t), count_of(now.total, t)
    said = t("Simulated matches are being added: {done} of {total}.", done=done, total=total)
    st.progress(now.done / now.total if now.total else 0.0, text=said)
    _contents(t)


def _contents(t: Translate) -> None:
    """What the store holds, each row opening its matches; of an empty one, how to fill it."""
    if feed().broken:
        said = t("The demo stopped before all its matches had come: start it again and it goes on.")
        st.warning(said, icon=":material/hourglass_disabled:")
    totals = answer(matches.totals)
    if not totals["matches"]:
        said = t("The store is empty. Begin by adding a file of games, or look at the samples.")
        st.info(said, icon=":material/inbox:")
        _samples(t)
        return
    old_notice(t)
    st.header(t("Latest matches"))
    matches_table(answer(matches.page, limit=LATEST), t, "open-latest")
    if me() is None and not gone():
        said = t("Search for your name and say *That is me*: your matches will stand here first.")
        st.caption(said)
    st.header(t("In the store"))
    _counts(totals, t)
    st.header(t("By game"))
    frame, alt = answer(matches.by_game), t("What is in the store, by game")
    chosen = link_table.frame_grid(frame, GAMES, "by-game", alt, t, "Matches", None)
    if chosen is not None:
        name = frame["game"][chosen]
        _matches(Filter(game=name) if name else Filter(statuses=("unreadable",)), "of-game", t)
    st.header(t("Files added last"))
    told, alt = readable(answer(matches.files), "name"), t("Files added last")
    chosen = link_table.frame_grid(told, FILES, "files", alt, t, "In the store", None)
    if chosen is not None:
        _matches(Filter(files=(told["file_no"][chosen],)), "of-file", t)


def _counts(totals: Mapping[str, int], t: Translate) -> None:
    """How much there is, and the list of it: of players those who sat at most tables first."""
    shown = {
        "matches": Metric(t("Matches"), count_of(totals["matches"], t), "match"),
        "deals": Metric(t("Deals"), count_of(totals["deals"], t), "deal"),
        "players": Metric(t("Players"), count_of(totals["players"], t), "player"),
        "legal": Metric(t("Legal"), count_of(totals.get("legal", 0), t), "legal"),
    }
    asked = metrics(shown, "counts", t)
    if asked is not None and asked != "players":
        which = Filter(statuses=("legal",)) if asked == "legal" else Filter()
        _matches(which, asked, t, "deals" if asked == "deals" else "played")
    if asked != "players":
        return
    with st.container(border=True):
        st.caption(t("Players: {n}", n=count_of(totals["players"], t)))
        with link_table.numbered(totals["players"], "behind-players") as offset:
            frame = answer(player_search.everybody, link_table.PAGE, offset)
            told = zip(names(frame, None), frame["matches"], frame["last"], strict=True)
            rows = [
                {t("Name"): name, t("Matches"): n, t("Played last on"): day(last, t)}
                for name, n, last in told
            ]
            link_table.linked(rows, "everybody", t("Players"), t)


def _matches(which: Filter, key: str, t: Translate, sort: str = "played") -> None:
    """The matches behind a figure, a page of them."""
    total = answer(matches.count, which)
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=count_of(total, t)))
        with link_table.numbered(total, f"behind-{key}") as offset:
            matches_table(
                answer(matches.page, which, link_table.PAGE, offset, sort), t, f"open-{key}"
            )


def _samples(t: Translate) -> None:
    """A button that adds the games that ship with the program."""
    label, icon = t("Load the sample matches"), ":material/playing_cards:"
    if allowed(Role.CONTRIBUTOR, t) and st.button(label, icon=icon, key="samples"):
        shipped = sorted(files("data").iterdir(), key=lambda entry: entry.name)
        some = (entry for entry in shipped if entry.name.endswith(".json"))
        logs = [Made(entry.name, entry.read_bytes()) for entry in some]
        if add_files(store(), logs, t) is not None:
            st.rerun()


def _found(words: str, t: Translate) -> None:
    """Players, exact names first, then matches; that there is neither."""
    some, which = answer(player_search.search, words), Filter(words, hide=hide())
    total = answer(matches.count, which)
    if some.height:
        st.header(t("Players"))
        _listed(some, answer(player_search.tables, *some["player_no"]), t)
    if total:
        st.header(t("Matches"))
        matches_table(answer(matches.page, which, FOUND), t, "open-found")
        label = t("All of them: {n}", n=count_of(total, t))
        link_table.page_link(link_table.MATCHES, label, "table_rows", q=words)
    if not some.height and not total:
        st.info(t("No player and no match has these words."), icon=":material/search_off:")


def elsewhere(words: str, here: Scope, total: int, t: Translate) -> None:
    """Who has such a name and plays at other tables alone; `total` play at this one."""
    some = answer(player_search.search, words)
    where = answer(player_search.tables, *some["player_no"])
    at_table = (pl.col("game") == here.game) & (pl.col("players") == here.players)
    known = where.filter(at_table)["player_no"] if total else pl.Series(dtype=pl.Int64)
    others = some.filter(~pl.col("player_no").is_in(known.implode()))
    if others.height:
        said = N_("At other tables:") if total else N_("None among these deals; elsewhere:")
        st.info(t(said), icon=":material/groups:")
        _listed(others, where, t)
    elif not total:
        st.info(t("No player of that name."), icon=":material/search_off:")


def _listed(some: pl.DataFrame, where: pl.DataFrame, t: Translate) -> None:
    """Players, with the tables each plays at, which lead to the figures there."""
    known = titles()
    for row in some.iter_rows(named=True):
        with st.container(border=True, gap="xxsmall"):
            player_id = row["player_id"]
            with st.container(horizontal=True, vertical_alignment="center"):
                label = f"**{markdown(row['name'])}**"
                link_table.page_link(link_table.PLAYERS, label, "person", player=player_id)
                me_button(player_id, t)
            tables = where.filter(pl.col("player_no") == row["player_no"])
            with st.container(horizontal=True, gap="small"):
                for table in tables.iter_rows(named=True):
                    game, players = known.get(table["game"], table["game"]), table["players"]
                    told = {"game": game, "players": players, "n": count_of(table["matches"], t)}
                    label = t("{game}, {players} at the table: {n}", **told)
                    at = {f"table-{table['game']}": str(players)}
                    link_table.page_link(
                        link_table.PLAYERS, label, player=player_id, game=game, **at
                    )
            if row["last"] is not None:
                st.caption(t("Played last on {day}", day=day(row["last"], t)))
