"""The replay page around its board, the list of matches that leads there, old verdicts."""

from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st

from dashboard.board.component import asked_deal, board
from dashboard.board.header import head, player_page, when_and_where
from dashboard.board.offline import masked
from dashboard.board.offline import page as page_of
from dashboard.board.solver_thread import value
from dashboard.board.states import deal_states, hollow, said
from dashboard.queries import matches
from dashboard.store import explained
from dashboard.text.labels import STATUSES, against
from dashboard.text.numbers import count_of, markdown, number_in, short
from dashboard.views.data import not_there
from dashboard.widgets import link_table
from dashboard.widgets.current_store import Refused, acting, answer, cursor, may, store
from dashboard.widgets.filters import matches_filter, one_of
from dashboard.widgets.lists import matches_table
from engine import RULES_VERSION
from engine.games import names
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.store.errors import StoreError
from ingest.store.revalidate import refresh
from ingest.store.tokens import Role
from ingest.validate.slow_path import Explained, explain

BOARD_PAGE = Path(__file__).parents[1] / "board" / "page.css"
LONGEST_LINE = 999
"""Steps into a line of best play that an address may ask for."""


SORTS = {
    "played": N_("Last played first"),
    "oldest": N_("First played first"),
    "added": N_("Last added first"),
    "event": N_("By event"),
    "deals": N_("Most deals first"),
    "status": N_("Most wrong first"),
}
"""What each order of `queries.matches.SORTS` is called."""


def matches_page(t: Translate) -> None:
    """Find a match and open its replay."""
    if not answer(matches.count):
        link_table.nothing_yet(t("No match yet. Add a file of games to see them here."), t)
    which = matches_filter(t)
    total = answer(matches.count, which)
    if not total:
        said = t("No match fits. Search for less, or clear a filter.")
        st.info(said, icon=":material/search_off:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sort = one_of(t("Order"), SORTS, "sort", t)
        st.caption(t("Matches found: {n}", n=count_of(total, t)))
        link_table.page_link("donnees", t("Export these"), "download")
    with link_table.numbered(total, "page", address=True, of=(which, sort)) as offset:
        shown = answer(matches.page, which, link_table.PAGE, offset, sort)
        player = which.players[0] if len(which.players) == 1 else None
        matches_table(shown, t, "open-match", player)


def page(t: Translate) -> None:
    """Step through a deal. The board writes the address itself, so nothing here may."""
    asked = st.query_params.get("match", "")
    number = store().find(asked) if asked else None
    if number is None:
        if asked:
            not_there(asked, t)
        if not answer(matches.count):
            link_table.nothing_yet(t("No match yet. Add a file of games to replay one."), t)
        st.caption(t("Choose a match; more of them are on the page of matches."))
        matches_table(answer(matches.page, limit=10), t, "open-replay")
        link_table.page_link(link_table.MATCHES, t("Find a match"))
        return
    log = explained(number)
    if log.match is None or not log.match.deals or log.match.game not in names():
        heading(log, t)
        _no_board(t("There is no deal in this log that the board can show."), log, -1, t)
        return
    replay_board(log, t)
    with st.container(horizontal=True, vertical_alignment="bottom", key="about"):
        heading(log, t)
        _share_match(log, store().text(number), t)
    if (found := matches.old_verdict(cursor(), number)) is not None:
        status, version = found
        text = N_(
            "The lists have this match as {status}, by version {old} of the rules. "
            "What is shown here is judged by version {now}."
        )
        told = t(text, status=t(STATUSES[status]), old=version, now=RULES_VERSION)
        st.warning(told, icon=":material/update:")


def heading(log: Explained, t: Translate) -> None:
    """Who played, when and where, in plain text."""
    if log.match is None:
        return
    names = [player.called for player in log.match.players]
    details = [*when_and_where(log, t), t(STATUSES[log.status])]
    with st.container(width="stretch", gap="xsmall"):
        st.text(plain(against(names, log.match.game)), wrap=False, width="stretch")
        st.caption(markdown(" · ".join(details)))


@st.fragment  # another deal is told without a run of the whole page
def replay_board(log: Explained, t: Translate) -> None:
    """The board at the deal and the ply of the address, or at the deal the reader asked for."""
    assert log.match is not None
    st.html(BOARD_PAGE)
    count = len(log.match.deals)
    addressed = number_in(st.query_params.get("deal"), 1, count)
    asked = asked_deal(log.match_id)
    if asked and store().find(named := st.query_params.get("match", "")) is None:
        not_there(named, t)  # deleted while it was looked at
        return
    told = st.query_params.get("deal", "").strip()
    if not asked and told and told.lstrip("0") != str(addressed):
        text = N_(
            "This match has no deal {told}: its deals are 1 to {count}. Shown is deal {shown}."
        )
        there_is_none = t(text, told=short(told), count=count, shown=addressed)
        st.warning(markdown(there_is_none), icon=":material/playing_cards:")
    deal = number_in(asked, 1, count) if asked else addressed
    states = deal_states(log, deal - 1, t)
    if states is None:
        if deal - 1 not in log.lines:  # what a sheet tells stands on the board
            _no_board(t("This deal cannot be replayed."), log, deal - 1, t)
        states = hollow(log, deal - 1, t)
    last = len(states["plies"]) - 1
    at = number_in(st.query_params.get("ply"), 0, last) if deal == addressed else 0
    near = _beside(st.query_params.get("list", ""), log.match_id, addressed)
    above = head(log, t, page_of=partial(player_page, log.match.game), near=near)
    query = st.query_params
    board(
        states | {"value": value(log, deal - 1, t)},
        match=log.match_id,
        deal=deal,
        ply=at,
        line=number_in(query["line"], 0, LONGEST_LINE) if "line" in query else None,
        view=query.get("view", ""),
        head=above,
        t=t,
    )


def _beside(listed: str, match_id: str, deal: int) -> dict[str, str]:
    """The addresses of the matches before and after one in the list it was opened from.

    `listed` is what the address keeps of that list (`widgets.lists`).
    """
    places = [one.partition("-") for one in listed.split(".") if one]
    here = [at for at, (known, _, _) in enumerate(places) if match_id.startswith(known)]
    exact = [at for at in here if places[at][2] == str(deal)]
    if not here:
        return {}
    at, found = (exact or here)[0], dict[str, str]()
    for name, step in (("before", -1), ("after", 1)):
        if 0 <= at + step < len(places):
            match, _, number = places[at + step]
            query = {"match": match} | ({"deal": number} if number else {}) | {"list": listed}
            found[name] = "relecture?" + urlencode(query)
    return found


def _no_board(text: str, log: Explained, deal: int, t: Translate) -> None:
    """Why a deal (from 0; -1 for none) has no board, and what was found of it."""
    st.warning(text, icon=":material/playing_cards:")
    findings = said(log.findings, deal, 0, t)
    rows = [{t("Rule"): one["rule"], t("Reason"): one["text"]} for one in findings]
    if rows:
        st.dataframe(rows, hide_index=True, height="content", alt=t("Findings"))


def _share_match(log: Explained, text: bytes, t: Translate) -> None:
    """Ways to the findings, to where anyone opens the replay, to files made when asked for."""
    if log.findings:
        link_table.page_link(link_table.CHECK, t("Check this log"), "rule", match=log.match_id)
    here = urlsplit(st.context.url or "")
    site = f"{here.scheme}://{here.netloc}" if here.netloc else ""
    link = f"{site}/r/{log.match_id}"
    frame = f'<iframe src="{link}?embed" width="900" height="640" style="border:0"></iframe>'
    with st.popover(t("Share this match"), icon=":material/share:"):
        st.caption(t("Opens without this site’s pages, for whoever may read this store."))
        st.code(link, language=None)
        st.caption(t("On your own site:"))
        st.code(frame, language=None, wrap_lines=True)
    name = f"retourne-{log.match_id[:8]}"
    with st.popover(t("Download"), icon=":material/download:"):
        link_table.download(t("The log (JSON)"), text, f"{name}.json", "share-json", None)
        about = t("Event, ids and comments are left out too: they may name people.")
        mask = st.checkbox(t("Mask the names"), key="share-mask", help=about)

        def replay() -> bytes:
            return page_of(explain(masked(text, t)) if mask else log, t).encode()

        label = t("The replay in one file (HTML)")
        about = t("Opens in any browser, without this site and without a network.")
        # another button: who clicks before the page has run again is not given the other file
        key = "share-html-masked" if mask else "share-html"
        link_table.download(label, replay, f"{name}.html", key, None, help=about)


def old_notice(t: Translate) -> None:
    """How many verdicts are old, with the button that refreshes them; nothing when none is."""
    moved = st.session_state.pop("revalidated", None)
    if moved is not None:
        text = t("Verdicts refreshed. Matches that moved: {n}", n=count_of(moved, t))
        st.success(text, icon=":material/update:")
    count = matches.old(cursor())
    if not count:
        return
    text = t("Verdicts of an older version of the rules: {n}.", n=count_of(count, t))
    st.warning(text, icon=":material/update:")
    label, icon = t("Revalidate"), ":material/refresh:"
    if not may(Role.ADMIN) or not st.button(label, icon=icon, key="revalidate"):
        return
    moved, bar = 0, st.progress(0.0, text=t("Judging…"))
    try:
        with acting(Role.ADMIN), closing(refresh(store())) as batches:
            for judged in batches:
                moved += len(judged.moved)
                done, total = count_of(judged.done, t), count_of(judged.total, t)
                text = t("{done} of {total} judged", done=done, total=total)
                bar.progress(judged.done / max(judged.total, 1), text=text)
    except (StoreError, Refused) as error:
        st.error(markdown(error.say(t)), icon=":material/database_off:")
        return
    bar.empty()
    st.session_state["revalidated"] = moved
    st.rerun()
