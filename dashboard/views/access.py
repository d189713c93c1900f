"""The page Access: tokens, sessions, who may read, the audit log."""

from functools import partial
from urllib.parse import urljoin

import streamlit as st

from dashboard.base_path import browser_path
from dashboard.text.numbers import NO_VALUE, date_text, escape_markdown, format_count
from dashboard.views import data
from dashboard.widgets.current_store import (
    current_principal,
    is_current_session,
    open_store,
    page_cursor,
    show_if_not_allowed,
)
from dashboard.widgets.filters import date_input_format, select_or_any
from dashboard.widgets.link_table import ROWS_PER_PAGE, paginate
from dashboard.widgets.store_changes import change_button, confirm_dialog, run_change
from ingest.i18n import N_, Translate
from ingest.store import sessions, tokens
from ingest.store.errors import StoreError
from ingest.store.tokens import ROLES, Role, Token
from schemas.migrations import number

FIRST_TOKEN_NOTE = N_("The first token must be an admin’s, to manage this page: choose the role admin.")
LAST_ADMIN_NOTE = N_("This is the last admin’s token, and these pages need one. Create another first.")


def page(t: Translate) -> None:
    """Show the admin's page: access, tokens, sessions, the audit log, the trash, backups.

    Others see the sessions of their own token.
    """
    if not show_if_not_allowed(Role.ADMIN, t):
        if current_principal().token_no is not None:
            _show_sessions(t)
        return
    st.header(t("Reading"))
    private = tokens.is_private(open_store())
    st.caption(
        t("Reading needs a token.")
        if private
        else t("Everyone who opens these pages can read them; only writing needs a token.")
    )
    label = t("Open reading to everybody") if private else t("Close reading")
    icon = "lock_open" if private else "lock"
    change_button(label, icon, "reading", lambda: tokens.set_access(open_store(), not private), t)
    st.header(t("Tokens"))
    _show_new_token(t)
    _show_tokens(t)
    _show_sessions(t)
    st.header(t("Activity"))
    _show_audit_log(t)
    st.header(t("Trash"))
    data.show_trash(t)
    st.header(t("Backup"))
    data.show_backup(t)


def _show_new_token(t: Translate) -> None:
    with st.form("token-form", clear_on_submit=True, border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input(t("Person or program"), key="token-name", width=260)
            role = st.selectbox(
                t("Role"),
                list(Role),
                format_func=lambda one: t(ROLES[one]),
                index=2 if not _admins() else 1,
                key="token-role",
                width=200,
                help=t(
                    "A reader reads. A contributor adds matches too, and undoes their own "
                    "uploads. An admin does everything."
                ),
            )
            last = st.date_input(
                t("Last day"),
                None,
                format=date_input_format(t),
                min_value="today",
                key="token-last",
                width=200,
                help=t("Without one it works until it is revoked."),
            )
        sent = st.form_submit_button(t("Make a token"), icon=":material/key:")
    if not sent:
        return

    def made() -> str:
        if role is not Role.ADMIN and not _admins():
            raise StoreError(FIRST_TOKEN_NOTE)
        return tokens.add_token(open_store(), name, role, last)

    secret = run_change(made, t)
    if secret is not None:
        message = t(
            "Save this link to sign in now: it is shown only once. Do not share it: "
            "anyone who has it gets these rights."
        )
        st.success(message, icon=":material/key:")
        link = f"{urljoin(st.context.url or '', browser_path('/in'))}#{secret}"
        st.code(link, language=None, wrap_lines=True)
        st.caption(t("For a program, only the token:"))
        st.code(secret, language=None, wrap_lines=True)


def _time_format(t: Translate) -> str:
    """Return the format of a day and a time, for Streamlit's tables."""
    return "DD/MM/YYYY HH:mm" if t.language == "fr" else "YYYY-MM-DD HH:mm"


def _admins() -> list[Token]:
    known = tokens.read_tokens(open_store())
    return [one for one in known if one.is_valid and one.role is Role.ADMIN]


def _show_tokens(t: Translate) -> None:
    known = tokens.read_tokens(open_store())
    if not known:
        message = t(
            "No token yet: anyone at this computer has all rights. If only you use it, you need "
            "none. Once you create the first one (admin), every change needs a token. Save its "
            "link: it is shown once."
        )
        st.info(message, icon=":material/key_off:")
        return

    def state(one: Token) -> str:
        return t("revoked") if one.revoked_at else t("expired") if one.is_expired else t("works")

    rows = [
        {
            t("Person or program"): one.name,
            t("Role"): t(ROLES[one.role]),
            t("State"): state(one),
            t("Made on"): date_text(one.made_at, t),
            t("Last day"): date_text(one.last_day, t) if one.last_day else NO_VALUE,
        }
        for one in reversed(known)
    ]
    st.dataframe(rows, hide_index=True, height="content", alt=t("Tokens"))
    working = {one.number: one.name for one in known if one.revoked_at is None}
    if not working:
        return

    def revoke(number: int) -> None:
        if [one.number for one in _admins()] == [number]:
            raise StoreError(LAST_ADMIN_NOTE)
        tokens.revoke_token(open_store(), number)

    def revoked(number: int) -> None:
        st.session_state["token-chosen"] = None
        run_change(lambda: revoke(number), t)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        any_word, key = t("Choose a token"), "token-chosen"
        number = select_or_any(t("Token"), working, any_word, key, working, in_url=False, width=260)
        if number is not None and st.button(t("Revoke"), icon=":material/key_off:", key="revoke"):
            text = N_(
                "{name}: everyone signed in with it is signed out at once. This cannot be "
                "undone; you can create another token."
            )
            message, title = t(text, name=escape_markdown(working[number])), t("Revoke this token?")
            confirm_dialog(title, message, t("Revoke"), "revoke-sure", partial(revoked, number), t)


def _show_sessions(t: Translate) -> None:
    def may_see(token: Token) -> bool:
        principal = current_principal()
        return principal.has_role(Role.ADMIN) or token.number == principal.token_no

    st.header(t("Signed in"))
    st.caption(t("A browser is signed out after twelve hours without use, or when its token ends."))
    found = [one for one in sessions.open_sessions(open_store()) if may_see(one[1])]
    if not found:
        st.info(t("No browser is signed in."), icon=":material/devices_off:")
        return
    rows = [
        {
            t("Session"): session.id,
            t("Token"): token.name,
            t("Signed in at"): session.opened_at,
            t("Last used at"): session.used_at,
            t("Browser"): t("this one") if is_current_session(session) else NO_VALUE,
        }
        for session, token in found
    ]
    times = st.column_config.DatetimeColumn(format=_time_format(t))
    how = dict.fromkeys((t("Signed in at"), t("Last used at")), times)
    st.dataframe(rows, hide_index=True, height="content", alt=t("Signed in"), column_config=how)
    named = {session.id: f"{session.id} · {token.name}" for session, token in found}

    def end(session_id: str) -> None:
        st.session_state["session-chosen"] = None
        run_change(lambda: sessions.end_session(open_store(), session_id, may_see), t, Role.READER)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        any_word, key = t("Choose a session"), "session-chosen"
        chosen = select_or_any(t("Session"), named, any_word, key, named, in_url=False, width=260)
        if chosen is not None:
            label, icon = t("End this session"), ":material/logout:"
            st.button(label, icon=icon, key="session-end", on_click=end, args=(chosen,))


ACTION_LABELS = {
    "add": N_("added a file"),
    "delete": N_("deleted matches"),
    "undelete": N_("brought matches back"),
    "replace": N_("replaced matches by later logs"),
    "empty": N_("emptied the trash"),
    "mask": N_("masked a player"),
    "unmask": N_("showed a player’s name again"),
    "player-merge": N_("merged players"),
    "player-rename": N_("renamed a player"),
    "player-split": N_("split a player"),
    "player-undo": N_("undid a change of players"),
    "player-part": N_("undid a merge of two players who sat at one table"),
    "player-different": N_("declared two players different"),
    "match-different": N_("declared two matches different"),
    "match-answer-undo": N_("undid an answer about matches"),
    "purge": N_("deleted permanently"),
    "revalidate": N_("checked matches again"),
    "solve": N_("recomputed endgame values"),
    "copy": N_("copied matches from another store"),
    "backup": N_("had a backup made"),
    "token": N_("made a token"),
    "revoke": N_("revoked a token"),
    "end-session": N_("signed a browser out"),
    "webhook": N_("added a webhook"),
    "remove-webhook": N_("removed a webhook"),
    "search": N_("saved a search"),
    "remove-search": N_("removed a saved search"),
    "restore-search": N_("restored a saved search"),
    "private": N_("made reading need a token"),
    "public": N_("opened reading to everybody"),
}


def _show_audit_log(t: Translate) -> None:
    total = number(page_cursor(), "SELECT count(*) FROM audit")
    if not total:
        st.info(t("No activity yet."), icon=":material/history:")
        return
    with paginate(total, "acts-page") as offset:
        found = page_cursor().execute(
            "SELECT done_at, name, action, about, n FROM audit LEFT JOIN tokens USING (token_no)"
            " ORDER BY done_at DESC, about DESC, action LIMIT ? OFFSET ?",
            [ROWS_PER_PAGE, offset],
        )
        rows = [
            {
                t("When"): done_at,
                t("Who"): name or t("without a token"),
                t("What"): t(ACTION_LABELS.get(action, action)),
                t("Count"): NO_VALUE if n is None else format_count(n, t),
                t("Number"): NO_VALUE if about is None else str(about),
            }
            for done_at, name, action, about, n in found.fetchall()
        ]
        how = {t("When"): st.column_config.DatetimeColumn(format=_time_format(t))}
        st.dataframe(rows, hide_index=True, height="content", alt=t("Activity"), column_config=how)
