"""The page Type a match in: choose game and players, type the match, store it."""

from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import streamlit as st

from dashboard import draft_editor as editor
from dashboard import games
from dashboard.draft_match import DraftMatch, deal_model
from dashboard.queries.matches import MatchFilter
from dashboard.store import retry_on_reopen
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import escape_markdown
from dashboard.views.entry import score_sheet, typed_result
from dashboard.views.entry.sheet_draft import SheetDraft
from dashboard.views.match_pages import BOARD_PAGE_CSS
from dashboard.views.upload import delete_chosen, show_upload_result, store_uploads, visitor_zone
from dashboard.views.upload_files import ImportedLogs
from dashboard.widgets.address import site_link
from dashboard.widgets.current_store import NotAllowed as NoRole
from dashboard.widgets.current_store import acting_with_role, open_store, page_cursor, show_if_not_allowed
from dashboard.widgets.filters import date_input_format, segmented_select
from dashboard.widgets.link_table import download_button, page_link
from dashboard.widgets.store_changes import run_change
from engine.games import game
from ingest.i18n import N_, Translate
from ingest.importers.written_dates import parse_date
from ingest.recorder import InvalidMatchError
from ingest.store import drafts, trash
from ingest.store.drafts import AddedMatch, Draft
from ingest.store.known_names import use_known_ids
from ingest.store.tokens import Role
from schemas.games import schemas_of
from schemas.player_key import player_id_of

ALREADY_ADDED = N_(
    "This draft was added to the store before and has changed since. The match added then goes to "
    "the trash when this one is added."
)


_mount = st.components.v2.component(
    "retourne.entry", html=editor.editor_html(), css=editor.editor_style(), js=editor.editor_script("mount")
)

_drafts_component = st.components.v2.component(
    "retourne.drafts",
    html="<p></p><ul></ul>",
    css=editor.read_entry_file("draft-list.css"),
    js=editor.read_entry_file("js/draft-list.js") + "export default showDrafts;\n",
)

HEAD_PIXELS = 240
"""Width of the lists that begin a match."""
ENTRY_MODES = {"cards": N_("Card by card"), "sheet": N_("Score sheet"), "result": N_("Result")}


def page(t: Translate) -> None:
    """Record a match, card by card or as the lines of a score sheet."""
    open_store()
    if not show_if_not_allowed(Role.CONTRIBUTOR, t):
        return
    if secret := st.query_params.get("draft"):
        _show_draft(secret, t)
        return
    mode = segmented_select(t("How it is typed in"), ENTRY_MODES, "cards", "mode", t)
    if mode == "cards":
        _show_new_match(t)
    else:
        show = score_sheet.show_sheet_entry if mode == "sheet" else typed_result.show_result_entry
        show(partial(_show_sheet_drafts, t=t), t)


def _show_draft(secret: str, t: Translate) -> None:
    """Show the draft of a secret for typing, or that there is none."""
    opened = open_store()
    draft = retry_on_reopen(lambda: drafts.read_draft(opened, secret))
    if draft is None:
        st.info(t(editor.DRAFT_NOT_FOUND, days=drafts.DRAFT_LIFETIME.days), icon=":material/edit_off:")
        page_link("saisir", t("Type another match in"))
        return
    if st.session_state.get("finishing") == secret:
        _show_finish(secret, draft, t)
        return
    st.html(BOARD_PAGE_CSS)
    st.html(Path(__file__).parent / "page.css")
    # the link for another device has this page's address as the reader's browser sees it
    data = editor.editor_data(draft.head, secret, site_link(f"/saisir?{urlencode({'draft': secret})}"), t)
    done = _mount(key="editor", data=data, on_finish_change=lambda: None)
    if done.get("finish"):
        st.session_state["finishing"] = secret
        st.rerun()


def _show_sheet_drafts(sheet: SheetDraft, title: str, t: Translate) -> None:
    """Have the browser keep a sheet, and show the others that it keeps."""
    data = editor.draft_list_data(editor.SHEET_DRAFTS, t("lines {n}"), t)
    data |= {"draft": sheet.content(title), "added": sheet.added, "current": sheet.id}
    done = _drafts_component(key="sheets", data=data, on_resume_change=lambda: None)
    if resumed := done.get("resume"):
        st.session_state["sheet-resumed"] = dict(resumed)
        st.rerun()


def _show_new_match(t: Translate) -> None:
    """Show the stored drafts, and the form for a new match: game, rules, players, opener."""
    _drafts_component(key="drafts", data=editor.draft_list_data(editor.MATCH_DRAFTS, t("entries {n}"), t))
    with st.container(horizontal=True):
        chosen = score_sheet.game_input("entry", t, HEAD_PIXELS)
        count, *more = counts = game(chosen).players
        rules = score_sheet.rules_input(chosen, "entry", t, HEAD_PIXELS)
        if more:
            label, key = t("How many players"), "entry-count"
            requested = st.segmented_control(label, counts, default=count, required=True, key=key)
            count = requested if requested in counts else count
    players = score_sheet.player_inputs(count, "entry", t)
    seats = dict(enumerate([one or t("seat {n}", n=n) for n, one in enumerate(players, 1)], 1))
    first = st.segmented_control(
        t(score_sheet.OPENER_QUESTIONS[deal_model(chosen).OPENS]),
        list(seats),
        format_func=lambda seat: escape_markdown(seats[seat]),
        default=1,
        required=True,
        key=f"entry-first-{count}",
    )
    cut = ""  # the cut decides who deals: attempts separated by commas
    if "cuts" in schemas_of(chosen).MATCH_MODEL.model_fields:
        cut = st.text_input(
            t("Or the cards drawn for deal"),
            placeholder=t("Kd 7h"),
            help=t(
                "Each player draws a card: write them in seat order. "
                "After a tie, add a comma and the cards drawn next: 7d 7h, 9s 8h."
            ),
            key=f"entry-cut-{chosen}",
            width=2 * HEAD_PIXELS,
        ).strip()
    st.session_state.setdefault("entry-day", datetime.now().astimezone(visitor_zone()).date())
    how: Any = {"format": date_input_format(t), "help": t("Leave it empty if the day is not known.")}
    played = st.date_input(t("Played on"), None, key="entry-day", width=240, **how)
    if st.button(t("Begin"), type="primary", icon=":material/edit_note:", key="entry-begin"):
        head = _match_head(chosen, rules, players, None if cut else first, t)
        _create_draft(head, cut, played, t)


def _create_draft(head: dict[str, Any], cut: str, played: date | None, t: Translate) -> None:
    if len({one["id"] for one in head["players"]}) < len(head["players"]):
        st.warning(t("Two seats have the same player."), icon=":material/group:")
        return
    if played is not None:
        now, day = datetime.now().astimezone(visitor_zone()), played.isoformat()
        today = now.isoformat(timespec="seconds") if played == now.date() else None
        head["played_at"] = today or parse_date(day, visitor_zone())
    try:
        if cut:
            keys = games.game_view(head["game"]).key_bindings(DraftMatch(head).table, t)  # typed as cards are
            tries = [one.split() for one in cut.lower().split(",")]
            head["cuts"] = [[" ".join(keys[card] for card in cards) for cards in tries]]
        DraftMatch(head)
        with acting_with_role(Role.CONTRIBUTOR):
            secret = drafts.create_draft(open_store(), head)
    except InvalidMatchError as error:
        st.error(escape_markdown(" ".join(one.message(t) for one in error.findings)))
    except KeyError as unknown:
        st.error(escape_markdown(t("Not recognised: {typed}", typed=unknown.args[0])))
    except NoRole as error:
        st.error(error.message(t), icon=":material/lock:")
    else:
        st.query_params["draft"] = secret
        st.rerun()


def _match_head(
    chosen: str, rules: str, players: list[str], first: int | None, t: Translate
) -> dict[str, Any]:
    """Return the head of a new match; a seat without a name is named by its number."""
    players = [one or t("Seat {n}", n=seat) for seat, one in enumerate(players, 1)]
    stored = score_sheet.known_players()
    # a player who is not in the store gets an id made from the name
    seated = [stored.get(one) or {"id": player_id_of(one), "name": one} for one in players]
    use_known_ids(open_store().cursor(), [{"players": seated}])
    fields = {"game": chosen, "rules": rules, **schemas_of(chosen).MATCH_DEFAULTS}
    return {**fields, "players": seated, "opener": first}


def _show_finish(secret: str, draft: Draft, t: Translate) -> None:
    """Show the finished match: add it to the store, download it, or return to the editor."""
    written = DraftMatch(draft.head)
    written.apply_steps(draft.steps)
    log = orjson.dumps(written.recorder.log())
    st.subheader(escape_markdown(opponents_text(written.names, draft.head["game"])))
    if written.rejected is not None:
        st.warning(
            escape_markdown(t("Not recorded, because it is impossible: {why}", why=written.rejection_text(t)))
        )
    if upload := st.session_state.get(f"added-{secret}"):
        show_upload_result(upload, t, "check-typed")
    before = draft.added if draft.added and open_store().find_match(draft.added.match) is not None else None
    same = before is not None and before.version == draft.version
    if before is not None and not same:
        st.info(t(ALREADY_ADDED), icon=":material/published_with_changes:")
    label = t("Add to the store")
    if before is not None:
        label = t("Added to the store") if same else t("Replace the match added before")
    with st.container(horizontal=True):
        if st.button(label, type="primary", disabled=same, key="entry-add"):
            _add_match(secret, draft, before, log, t)
        download_button(t("The log (JSON)"), log, "retourne-saisie.json", "entry-log", None)
        if st.button(t("Back to the desk"), icon=":material/undo:", key="entry-back"):
            del st.session_state["finishing"]
            st.session_state.pop(f"added-{secret}", None)
            st.rerun()


def _add_match(secret: str, draft: Draft, before: AddedMatch | None, log: bytes, t: Translate) -> None:
    """Add the match as an upload, in place of the version added before."""
    deletion = None
    if before is not None:
        deletion = run_change(partial(delete_chosen, MatchFilter(ids=(before.match,))), t, Role.CONTRIBUTOR)
        if deletion is None:
            return  # the page shows the reason; adding would duplicate the match
    upload = store_uploads(open_store(), [ImportedLogs("saisie.json", log)], t)
    came = "SELECT match_id FROM matches WHERE file_no IN (SELECT unnest(?::BIGINT[]))"
    if match := page_cursor().execute(came, [list(upload.files) if upload else []]).fetchone():
        now = AddedMatch(match[0], draft.version)
        run_change(partial(drafts.mark_added, open_store(), secret, now), t, Role.CONTRIBUTOR)
    elif deletion is not None:
        run_change(partial(trash.undelete_matches, open_store(), deletion), t, Role.CONTRIBUTOR)
    if upload is not None:
        st.session_state[f"added-{secret}"] = upload
        st.rerun()
