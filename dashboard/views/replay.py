"""What stands around a board: the list and the head of a match, ways to share it, old verdicts."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st

from dashboard.board.component import asked_deal, board
from dashboard.board.head import head, player_page, when_and_where
from dashboard.board.offline import masked, page
from dashboard.board.states import deal_states, hollow, said
from dashboard.board.values import value
from dashboard.queries import matches
from dashboard.text.labels import STATUSES, against
from dashboard.text.numbers import count_of, markdown, number_in, short
from dashboard.views.data import not_there
from dashboard.widgets.access import Refused, acting, may
from dashboard.widgets.linked import check_link, download, nothing_yet
from dashboard.widgets.matches import matches_table
from dashboard.widgets.store import answer, cursor, store
from engine import RULES_VERSION
from ingest.i18n import Translate
from ingest.judge.explain import Explained, explain
from ingest.store.revalidate import refresh
from ingest.store.store import StoreError
from ingest.store.tokens import Role
from ingest.text.signs import plain

PAGE = Path(__file__).parents[1] / "board" / "page.css"
LONGEST_LINE = 999
"""Steps into a line of best play that an address may ask for."""


def match_list(t: Translate) -> None:
    """The matches played last, each with its replay; ends the page where the store has none."""
    if not answer(matches.count):
        nothing_yet(t("No match yet. Add a file of games to replay one."), ":material/inbox:", t)
    st.caption(t("Choose a match; more of them are on the page of matches."))
    latest = answer(matches.page, limit=10)
    matches_table(latest, t, "open-replay")
    st.page_link("app_pages/parties.py", label=t("Find a match"))


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
    st.html(PAGE)
    count = len(log.match.deals)
    linked = number_in(st.query_params.get("deal"), 1, count)
    asked = asked_deal(log.match_id)
    if asked and store().find(named := st.query_params.get("match", "")) is None:
        not_there(named, t)  # deleted while it was looked at
        return
    if not asked:
        _other_deal(linked, count, t)
    deal = number_in(asked, 1, count) if asked else linked
    told = deal_states(log, deal - 1, t)
    if told is None:
        if deal - 1 not in log.lines:  # what a sheet tells stands on the board
            no_board(t("This deal cannot be replayed."), log, deal - 1, t)
        told = hollow(log, deal - 1, t)
    last = len(told["plies"]) - 1
    at = number_in(st.query_params.get("ply"), 0, last) if deal == linked else 0
    near = beside(st.query_params.get("list", ""), log.match_id, linked)
    above = head(log, t, page_of=partial(player_page, log.match.game), near=near)
    query = st.query_params
    board(
        told | {"value": value(log, deal - 1, t)},
        match=log.match_id,
        deal=deal,
        ply=at,
        line=number_in(query["line"], 0, LONGEST_LINE) if "line" in query else None,
        view=query.get("view", ""),
        head=above,
        t=t,
    )


def _other_deal(shown: int, count: int, t: Translate) -> None:
    """Say that the match has no such deal where the address has another than is shown."""
    told = st.query_params.get("deal", "").strip()
    if told and told.lstrip("0") != str(shown):
        said = t(
            "This match has no deal {told}: its deals are 1 to {count}. Shown is deal {shown}.",
            told=short(told),
            count=count,
            shown=shown,
        )
        st.warning(markdown(said), icon=":material/playing_cards:")


def beside(listed: str, match_id: str, deal: int) -> dict[str, str]:
    """The addresses of the matches before and after one in the list it was opened from.

    `listed` is what the address keeps of that list (`widgets.matches.listed`).
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


def no_board(text: str, log: Explained, deal: int, t: Translate) -> None:
    """Why a deal (from 0; -1 for none) has no board, and what was found of it."""
    st.warning(text, icon=":material/playing_cards:")
    findings = said(log.findings, deal, 0, t)
    rows = [{t("Rule"): one["rule"], t("Reason"): one["text"]} for one in findings]
    if rows:
        st.dataframe(rows, hide_index=True, height="content", alt=t("Findings"))


def share_match(log: Explained, text: bytes, t: Translate) -> None:
    """A link to the findings where there are any, and downloads, made when they are asked for."""
    if log.findings:
        check_link(t("Check this log"), {"match": log.match_id})
    _link(log, t)
    name = f"retourne-{log.match_id[:8]}"
    with st.popover(t("Download"), icon=":material/download:"):
        download(t("The log (JSON)"), text, f"{name}.json", "share-json", None)
        mask = st.checkbox(
            t("Mask the names"),
            key="share-mask",
            help=t("Event, ids and comments are left out too: they may name people."),
        )
        download(
            t("The replay in one file (HTML)"),
            _replay(log, text, mask, t),
            f"{name}.html",
            "share-html",
            None,
            help=t("Opens in any browser, without this site and without a network."),
        )


def _link(log: Explained, t: Translate) -> None:
    """The address of the replay that anyone opens, and what shows it on another site."""
    here = urlsplit(st.context.url or "")
    link = (
        f"{here.scheme}://{here.netloc}/r/{log.match_id}" if here.netloc else f"/r/{log.match_id}"
    )
    frame = f'<iframe src="{link}?embed" width="900" height="640" style="border:0"></iframe>'
    with st.popover(t("Share this match"), icon=":material/share:"):
        st.caption(t("Opens without this site’s pages, for whoever may read this store."))
        st.code(link, language=None)
        st.caption(t("On your own site:"))
        st.code(frame, language=None, wrap_lines=True)


def _replay(log: Explained, text: bytes, mask: bool, t: Translate) -> Callable[[], bytes]:
    return lambda: page(explain(masked(text, t)) if mask else log, t).encode()


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
    if may(Role.STEWARD) and st.button(
        t("Revalidate"), icon=":material/refresh:", key="revalidate"
    ):
        moved = _refresh(t)
        if moved is not None:
            st.session_state["revalidated"] = moved
            st.rerun()


def _refresh(t: Translate) -> int | None:
    """How many matches moved, None when the store does not take it."""
    moved = 0
    bar = st.progress(0.0, text=t("Judging…"))
    try:
        with acting(Role.STEWARD), closing(refresh(store())) as batches:
            for judged in batches:
                moved += len(judged.moved)
                done, total = count_of(judged.done, t), count_of(judged.total, t)
                text = t("{done} of {total} judged", done=done, total=total)
                bar.progress(judged.done / max(judged.total, 1), text=text)
    except (StoreError, Refused) as error:
        st.error(markdown(error.say(t)), icon=":material/database_off:")
        return None
    bar.empty()
    return moved


def old_verdict(number: int, t: Translate) -> None:
    """Warn where the lists have a match's verdict by an older version of the rules."""
    found = matches.old_verdict(cursor(), number)
    if found is not None:
        status, version = found
        text = t(
            "The lists have this match as {status}, by version {old} of the rules. "
            "What is shown here is judged by version {now}.",
            status=t(STATUSES[status]),
            old=version,
            now=RULES_VERSION,
        )
        st.warning(text, icon=":material/update:")
