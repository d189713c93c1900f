"""The first page: the ways in, what a search finds, the reader's matches, what the store holds."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

import polars as pl
import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches, people
from dashboard.queries.matches import Filter
from dashboard.queries.scope import Scope
from dashboard.text.columns import Column, Row, counted
from dashboard.text.labels import RESULTS, STATUSES
from dashboard.text.numbers import count_of, day, markdown
from dashboard.views.replay import old_notice
from dashboard.widgets import filters
from dashboard.widgets.access import allowed, may
from dashboard.widgets.feed import feed
from dashboard.widgets.linked import CHECK, PAGE, PLAYERS, find_link, frame_grid, linked, numbered
from dashboard.widgets.matches import matches_table
from dashboard.widgets.metrics import Metric, metrics
from dashboard.widgets.people import be, gone, me, me_button, names
from dashboard.widgets.store import answer, hide, readable, store
from dashboard.widgets.upload import Made, add_files
from ingest.i18n import N_, Translate
from ingest.store.tokens import Role


def _title(row: Row, t: Translate) -> str:
    """The game's title; logs without a game are those nobody can read."""
    return titles().get(row["game"] or "", t(STATUSES["unreadable"]))


GAMES = (
    Column(N_("Game"), _title),
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


def ways_in(t: Translate) -> str:
    """The search, the main way in, which is to add where one may, and others; the words."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = filters.search_box(t("Find a player or a match"), t)
        adds = may(Role.CONTRIBUTOR)
        with st.container(key="main-way", width="content"):
            (_add if adds else _all)(t)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(CHECK, icon=":material/rule:", label=t("Check a log"))
        if adds:
            _all(t)
        find_link(t, among_links=True)
    return words.strip()


def _add(t: Translate) -> None:
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))


def _all(t: Translate) -> None:
    st.page_link("app_pages/parties.py", icon=":material/table_rows:", label=t("All matches"))


def mine(t: Translate) -> None:
    """What the reader who said who they are plays, and how well; that they are shown no longer."""
    known = me()
    if known is None:
        _shown_no_longer(t)
        return
    number, player_id, name = known
    st.header(t("My matches"))
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                PLAYERS,
                label=f"**{markdown(name)}**",
                icon=":material/person:",
                query_params={"player": player_id},
            )
            form = answer(people.form, number)
            if form:
                letters = " ".join(t(RESULTS[won]) for won in reversed(form))
                st.caption(t("Form: {letters} · {won}", letters=letters, won=won_of(form, t)))
            st.button(t("That is not me"), key="not-me", on_click=be, args=("",), type="tertiary")
        which = Filter(players=(number,))
        matches_table(answer(matches.page, which, 5), t, "open-mine", number)
        total = count_of(answer(matches.count, which), t)
        st.page_link(
            "app_pages/parties.py",
            label=t("All of them: {n}", n=total),
            icon=":material/table_rows:",
            query_params={"player": name},
        )


def _shown_no_longer(t: Translate) -> None:
    """Say so of the player the reader said they are, and how to take it back."""
    if not gone():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            t("The player you said you are is no longer shown here."), icon=":material/person_off:"
        )
        st.button(t("That is not me"), key="not-me", on_click=be, args=("",), type="tertiary")


def won_of(form: Sequence[bool | None], t: Translate) -> str:
    """How many of the last matches were won, as it is said of none, of one and of several."""
    k, n = form.count(True), len(form)
    if n == 1:
        return t("the last one won") if k else t("the last one not won")
    if k == 0:
        return t("none won of the last {n}", n=n)
    return t("one won of the last {n}", n=n) if k == 1 else t("{k} won of the last {n}", k=k, n=n)


def latest(t: Translate) -> None:
    """The matches played last."""
    st.header(t("Latest matches"))
    matches_table(answer(matches.page, limit=LATEST), t, "open-latest")
    if me() is None and not gone():
        st.caption(
            t("Search for your name and say *That is me*: your matches will stand here first.")
        )


LATEST = 8


@st.fragment(run_every=2)
def coming(t: Translate) -> None:
    """What the store holds while games are still coming, drawn again as they come."""
    now = feed()
    if not now.coming:
        st.rerun()
    done, total = count_of(now.done, t), count_of(now.total, t)
    said = t("Simulated matches are being added: {done} of {total}.", done=done, total=total)
    st.progress(now.done / now.total if now.total else 0.0, text=said)
    contents(t)


def contents(t: Translate) -> None:
    """What the store holds; of an empty one, how to fill it."""
    if feed().broken:
        said = t("The demo stopped before all its matches had come: start it again and it goes on.")
        st.warning(said, icon=":material/hourglass_disabled:")
    totals = answer(matches.totals)
    if not totals["matches"]:
        st.info(
            t("The store is empty. Begin by adding a file of games, or look at the samples."),
            icon=":material/inbox:",
        )
        samples(t)
        return
    old_notice(t)
    latest(t)
    st.header(t("In the store"))
    counts(totals, t)
    st.header(t("By game"))
    games_table(answer(matches.by_game), t)
    st.header(t("Files added last"))
    files_table(answer(matches.files), t)


def counts(totals: Mapping[str, int], t: Translate) -> None:
    """How much there is, and the list of it."""
    shown = {
        "matches": Metric(t("Matches"), count_of(totals["matches"], t), "match"),
        "deals": Metric(t("Deals"), count_of(totals["deals"], t), "deal"),
        "players": Metric(t("Players"), count_of(totals["players"], t), "player"),
        "legal": Metric(t("Legal"), count_of(totals.get("legal", 0), t), "legal"),
    }
    asked = metrics(shown, "counts", t)
    if asked == "players":
        _players(totals["players"], t)
    elif asked is not None:
        which = Filter(statuses=("legal",)) if asked == "legal" else Filter()
        _matches(which, asked, t, "deals" if asked == "deals" else "played")


def _players(total: int, t: Translate) -> None:
    """Everybody who sat at a table, those who did most often first."""
    with st.container(border=True):
        st.caption(t("Players: {n}", n=count_of(total, t)))
        place, offset = st.container(), numbered(total, "behind-players")
        frame = answer(people.everybody, PAGE, offset)
        rows = [
            {
                t("Name"): name,
                t("Matches"): row["matches"],
                t("Played last on"): day(row["last"], t),
            }
            for name, row in zip(names(frame, None), frame.iter_rows(named=True), strict=True)
        ]
        with place:
            linked(rows, "everybody", t("Players"), t)


def _matches(which: Filter, key: str, t: Translate, sort: str = "played") -> None:
    """The matches behind a figure, a page of them."""
    total = answer(matches.count, which)
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=count_of(total, t)))
        place, offset = st.container(), numbered(total, f"behind-{key}")
        with place:
            matches_table(answer(matches.page, which, PAGE, offset, sort), t, f"open-{key}")


def games_table(frame: pl.DataFrame, t: Translate) -> None:
    """What `queries.matches.by_game` found; a row that is open lists the game's matches."""
    alt = t("What is in the store, by game")
    chosen = frame_grid(frame, GAMES, "by-game", alt, t, "Matches", None)
    if chosen is not None:
        name = frame["game"][chosen]
        _matches(Filter(game=name) if name else Filter(statuses=("unreadable",)), "of-game", t)


def files_table(frame: pl.DataFrame, t: Translate) -> None:
    """What `queries.matches.files` found; a row that is open lists what is kept of the file."""
    told, alt = readable(frame, "name"), t("Files added last")
    chosen = frame_grid(told, FILES, "files", alt, t, "In the store", None)
    if chosen is not None:
        number = frame["file_no"][chosen]
        _matches(Filter(files=(number,)), "of-file", t)


def samples(t: Translate) -> None:
    """A button that adds the games that ship with the program."""
    if allowed(Role.CONTRIBUTOR, t) and st.button(
        t("Load the sample matches"), icon=":material/playing_cards:", key="samples"
    ):
        shipped = sorted(files("data").iterdir(), key=lambda entry: entry.name)
        logs = [
            Made(entry.name, entry.read_bytes())
            for entry in shipped
            if entry.name.endswith(".json")
        ]
        if add_files(store(), logs, t) is not None:
            st.rerun()


MATCHES = 5


def found(words: str, t: Translate) -> None:
    """Players, exact names first, then matches; that there is neither."""
    some, which = answer(people.search, words), Filter(words, hide=hide())
    total = answer(matches.count, which)
    if some.height:
        st.header(t("Players"))
        _listed(some, answer(people.tables, *some["player_no"]), t)
    if total:
        st.header(t("Matches"))
        matches_table(answer(matches.page, which, MATCHES), t, "open-found")
        st.page_link(
            "app_pages/parties.py",
            label=t("All of them: {n}", n=count_of(total, t)),
            icon=":material/table_rows:",
            query_params={"q": words},
        )
    if not some.height and not total:
        st.info(t("No player and no match has these words."), icon=":material/search_off:")


def elsewhere(words: str, here: Scope, total: int, t: Translate) -> None:
    """Who has such a name and plays at other tables alone; `total` play at this one."""
    some = answer(people.search, words)
    where = answer(people.tables, *some["player_no"])
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
    for row in some.iter_rows(named=True):
        with st.container(border=True, gap="xxsmall"):
            tables = where.filter(pl.col("player_no") == row["player_no"])
            _player(row["player_id"], row["name"], t)
            _where(row["player_id"], tables, t)
            if row["last"] is not None:
                st.caption(t("Played last on {day}", day=day(row["last"], t)))


def _player(player_id: str, name: str, t: Translate) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            PLAYERS,
            label=f"**{markdown(name)}**",
            icon=":material/person:",
            query_params={"player": player_id},
        )
        me_button(player_id, t)


def _where(player_id: str, tables: pl.DataFrame, t: Translate) -> None:
    """The tables somebody plays at, each a link to the figures there."""
    known = titles()
    with st.container(horizontal=True, gap="small"):
        for row in tables.iter_rows(named=True):
            title = known.get(row["game"], row["game"])
            table = {"game": title, f"table-{row['game']}": str(row["players"])}
            n = count_of(row["matches"], t)
            st.page_link(
                PLAYERS,
                label=t(
                    "{game}, {players} at the table: {n}", game=title, players=row["players"], n=n
                ),
                query_params={"player": player_id} | table,
            )
