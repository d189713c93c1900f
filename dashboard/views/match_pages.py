"""The page Matches: the list of matches, and a match around its replay board."""

from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from dashboard.board.component import mount_board, requested_deal
from dashboard.board.header import board_header, player_page, when_and_where
from dashboard.board.offline_replay import mask_names
from dashboard.board.offline_replay import offline_page as page_of
from dashboard.board.solver_thread import deal_value
from dashboard.board.states import deal_findings, deal_states, unreplayable_state
from dashboard.queries import matches
from dashboard.queries.matches import MatchFilter
from dashboard.store import validated_match
from dashboard.text.labels import STATUS_LABELS, opponents_text, verdict_label
from dashboard.text.numbers import bounded_int, escape_markdown, format_count, short_name
from dashboard.text.qr_code import qr_code
from dashboard.views.versions import show_versions
from dashboard.widgets import current_store, link_table
from dashboard.widgets.address import site_link
from dashboard.widgets.browser import VISIT_KEY
from dashboard.widgets.filters import matches_filter, select_one
from dashboard.widgets.lists import show_matches
from dashboard.widgets.store_changes import confirm_delete, delete_button, show_deleted, show_missing
from engine import RULES_VERSION
from engine.games import game_names
from ingest.escaping import escape_line
from ingest.findings.finding import ERROR
from ingest.findings.spoken_notation import RESULT_ONLY_TEXT, describe_result
from ingest.i18n import N_, Translate
from ingest.store.errors import StoreError
from ingest.store.revalidate import revalidate_matches
from ingest.store.tokens import Role
from ingest.validate.slow_path import ValidationResult, validate
from js.build import made_package

BOARD_PAGE_CSS = Path(__file__).parents[1] / "board" / "page.css"
MAX_LINE_NUMBER = 999
"""Upper limit of the step into a line of best play in the address."""


SORT_LABELS = {
    "played": N_("Newest first"),
    "oldest": N_("Oldest first"),
    "added": N_("Last added first"),
    "event": N_("By event"),
    "deals": N_("Most deals first"),
    "status": N_("Most findings first"),
}
"""Labels of the orders of `queries.matches.SORT_KEYS`."""


def matches_page(t: Translate) -> None:
    """Find a match and open its replay."""
    show_deleted(place := f"list {st.session_state.get(VISIT_KEY)}", t)
    if not current_store.cached_query(matches.count_matches):
        link_table.stop_with_nothing(t("No match yet. Add a file of matches to see them here."), t)
    which = matches_filter(t)
    total = current_store.cached_query(matches.count_matches, which)
    if not total:
        st.info(t("No matches found. Try fewer words or clear a filter."), icon=":material/search_off:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        sort = select_one(t("Order"), SORT_LABELS, "sort", t, label_visibility="collapsed")
        texts = [t("Matches found: {n}", n=format_count(total, t))]
        if sheets := current_store.cached_query(matches.count_sheets_with_log, which):
            text = t("of them on a sheet and in a log, counted once: {n}", n=format_count(sheets, t))
            texts.append(text)
        st.caption(" · ".join(texts))
        link_table.page_link("donnees", t("Export these"), "download")
    with link_table.paginate(total, "page", in_url=True, reset_key=(which, sort)) as offset:
        shown = current_store.cached_query(matches.match_page, which, link_table.ROWS_PER_PAGE, offset, sort)
        player = which.players[0] if len(which.players) == 1 else None

        def delete(match_id: str) -> None:
            confirm_delete(MatchFilter(ids=(match_id,)), t, place)

        action = link_table.RowAction(t("Delete"), shown["match_id"].to_list(), delete)
        is_admin = current_store.has_role(Role.ADMIN)
        show_matches(shown, t, "open-match", player, action if is_admin else None)


def page(t: Translate) -> None:
    """Show the replay of a match. Only the board writes its position to the address."""
    requested = st.query_params.get("match", "")
    number = current_store.open_store().find_match(requested) if requested else None
    if number is None:
        if requested and show_deleted(requested, t):
            return
        if requested:
            show_missing(requested, t)
        if not current_store.cached_query(matches.count_matches):
            link_table.stop_with_nothing(t("No match yet. Add a file of matches to replay one."), t)
        st.caption(t("Choose a match; more of them are on the page of matches."))
        show_matches(current_store.cached_query(matches.match_page, limit=10), t, "open-replay")
        link_table.page_link(link_table.MATCHES_PAGE, t("Find a match"))
        return
    log = validated_match(number)
    if log.match is None or not log.match.deals or log.match.game not in game_names():
        show_heading(log, t)
        if log.is_result_only:
            _show_result(log, t)
            return
        _show_no_board(t("The board cannot show any deal of this log."), log, -1, t)
        return
    show_board(number, log.match_id, t)
    with st.container(horizontal=True, vertical_alignment="bottom", key="about"):
        show_heading(log, t)
        _show_sharing(log, current_store.open_store().read_match_text(number), t)
        show_versions(number, t)
        delete_button(number, log.match_id, t)
    if (found := matches.outdated_verdict(current_store.page_cursor(), number)) is not None:
        status, version = found
        text = N_(
            "The lists show this match as {status}, by version {old} of the rules. This page "
            "uses version {now}."
        )
        message = t(text, status=t(STATUS_LABELS[status]), old=version, now=RULES_VERSION)
        st.warning(message, icon=":material/update:")


def _show_result(log: ValidationResult, t: Translate) -> None:
    """Show the result of a match without deals, in place of a board."""
    assert log.match is not None
    for text in describe_result(t, log.match, log.winner):
        st.text(escape_line(text))
    st.info(t(RESULT_ONLY_TEXT), icon=":material/scoreboard:")
    if any(one.severity == ERROR for one in log.findings):
        _show_findings(log, -1, t)


def show_heading(log: ValidationResult, t: Translate) -> None:
    """Show who played, when and where, in plain text."""
    if log.match is None:
        return
    names = [player.display_name for player in log.match.players]
    details = [*when_and_where(log, t), verdict_label(log.status, log.winner, t)]
    with st.container(width="stretch", gap="xsmall"):
        st.text(escape_line(opponents_text(names, log.match.game)), wrap=False, width="stretch")
        st.caption(escape_markdown(" · ".join(details)))


@st.fragment  # another deal is drawn without rerunning the whole page
def show_board(number: int, match_id: str, t: Translate) -> None:
    """Show the board at the deal and ply of the address, or at the deal the reader chose.

    It reads the match again each time: a player may have been masked while the reader looked at it.
    """
    st.html(BOARD_PAGE_CSS)
    requested = requested_deal(match_id)
    if requested:
        found = current_store.open_store().find_match(named := st.query_params.get("match", ""))
        if found is None:
            show_missing(named, t)  # deleted while the reader looked at it
            return
        number = found
    log = validated_match(number)
    count = len(log.known_match.deals)
    addressed = bounded_int(st.query_params.get("deal"), 1, count)
    message = st.query_params.get("deal", "").strip()
    if not requested and message and message.lstrip("0") != str(addressed):
        text = N_("This match has no deal {given}: its deals are 1 to {count}. This is deal {shown}.")
        there_is_none = t(text, given=short_name(message), count=count, shown=addressed)
        st.warning(escape_markdown(there_is_none), icon=":material/playing_cards:")
    deal = bounded_int(requested, 1, count) if requested else addressed
    states = deal_states(log, deal - 1, t)
    if states is None:
        if deal - 1 not in log.score_line_ends:  # the board shows what a score sheet records
            _show_no_board(t("This deal cannot be replayed."), log, deal - 1, t)
        states = unreplayable_state(log, deal - 1, t)
    last = len(states["plies"]) - 1
    at = bounded_int(st.query_params.get("ply"), 0, last) if deal == addressed else 0
    near = _neighbour_links(st.query_params.get("list", ""), log.match_id, addressed)
    above = board_header(log, t, page_of=partial(player_page, log.known_match.game), neighbours=near)
    query = st.query_params
    mount_board(
        states | {"value": deal_value(log, deal - 1, t)},
        match=log.match_id,
        deal=deal,
        ply=at,
        line=bounded_int(query["line"], 0, MAX_LINE_NUMBER) if "line" in query else None,
        view=query.get("view", ""),
        head=above,
        t=t,
    )


def _neighbour_links(list_name: str, match_id: str, deal: int) -> dict[str, str]:
    """Return the addresses of the matches before and after one in the list it was opened from.

    `list_name` is that list as the address has it (`widgets.lists`).
    """
    places = [one.partition("-") for one in list_name.split(".") if one]
    here = [at for at, (known, _, _) in enumerate(places) if match_id.startswith(known)]
    exact = [at for at in here if places[at][2] == str(deal)]
    if not here:
        return {}
    at, found = (exact or here)[0], dict[str, str]()
    for name, step in (("before", -1), ("after", 1)):
        if 0 <= at + step < len(places):
            match, _, number = places[at + step]
            query = {"match": match} | ({"deal": number} if number else {}) | {"list": list_name}
            found[name] = "relecture?" + urlencode(query)
    return found


def _show_no_board(text: str, log: ValidationResult, deal: int, t: Translate) -> None:
    """Show why a deal (from 0; -1 for none) has no board, and its findings."""
    st.warning(text, icon=":material/playing_cards:")
    _show_findings(log, deal, t)


def _show_findings(log: ValidationResult, deal: int, t: Translate) -> None:
    findings = deal_findings(log.findings, deal, 0, t)
    rows = [{t("Rule"): one["rule"], t("Reason"): one["text"]} for one in findings]
    if rows:
        st.dataframe(rows, hide_index=True, height="content", alt=t("Findings"))


def _show_sharing(log: ValidationResult, text: bytes, t: Translate) -> None:
    """Show links to the findings and the public replay, and downloads made on request."""
    if log.findings:
        link_table.page_link(link_table.CHECK_PAGE, t("Check this log"), "rule", match=log.match_id)
    link = site_link(f"/r/{log.match_id}")
    frame = f'<iframe src="{link}?embed" width="900" height="640" style="border:0"></iframe>'
    with st.popover(t("Share this match"), icon=":material/share:", key="share-match"):
        st.caption(
            t("This link opens only the replay, without the menu, for everyone who may read this store.")
        )
        st.code(link, language=None)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.image(qr_code(link).svg_inline(scale=3, border=2, light="#fff"), width=120)
            with st.container(width="content"):
                st.link_button(t("Open"), link, icon=":material/open_in_new:")
                picture = f"{link}/1/0.png?lang={t.language}"
                st.link_button(t("A picture of the board"), picture, icon=":material/image:")
        st.caption(t("On your own site:"))
        st.code(frame, language=None, wrap_lines=True)
    name = f"retourne-{log.match_id[:8]}"
    with st.popover(t("Download"), icon=":material/download:"):
        link_table.download_button(t("The log (JSON)"), text, f"{name}.json", "share-json", None)
        about = t("Event, ids and comments are omitted too: they may name people.")
        mask = st.checkbox(t("Mask the names"), key="share-mask", help=about)

        def replay() -> bytes:
            shown = mask_names(text, t) if mask else text
            return page_of(validate(shown) if mask else log, t, shown, made_package()).encode()

        label = t("The replay in one file (HTML)")
        about = t("Opens in any browser, without this site and without a network.")
        # with its own key, so that a click before the rerun does not download the other file
        key = "share-html-masked" if mask else "share-html"
        link_table.download_button(label, replay, f"{name}.html", key, None, help=about)


OUTDATED_TEXT = N_(
    "Matches checked with older rules: {n}. “Check again” updates their verdicts and points, and the ladder."
)


def show_outdated_notice(t: Translate) -> None:
    """Show how many verdicts are outdated, with a button that revalidates them."""
    changed = st.session_state.pop("revalidated", None)
    if changed is not None:
        text = t("Verdicts refreshed. Matches that changed: {n}", n=format_count(changed, t))
        st.success(text, icon=":material/update:")
    count = matches.count_outdated(current_store.page_cursor())
    if not count:
        return
    text = t(OUTDATED_TEXT, n=format_count(count, t))
    st.warning(text, icon=":material/update:")
    label, icon = t("Check again"), ":material/refresh:"
    if not current_store.has_role(Role.ADMIN) or not st.button(label, icon=icon, key="revalidate"):
        return
    moved, bar = 0, st.progress(0.0, text=t("Checking…"))
    try:
        with (
            current_store.acting_with_role(Role.ADMIN),
            closing(revalidate_matches(current_store.open_store())) as batches,
        ):
            for batch in batches:
                moved += len(batch.changed_matches)
                done, total = (format_count(batch.matches_done, t), format_count(batch.matches_total, t))
                text = t("{done} of {total} checked", done=done, total=total)
                bar.progress(batch.matches_done / max(batch.matches_total, 1), text=text)
    except (StoreError, current_store.NotAllowed) as error:
        st.error(escape_markdown(error.message(t)), icon=":material/database_off:")
        return
    bar.empty()
    st.session_state["revalidated"] = moved
    st.rerun()
