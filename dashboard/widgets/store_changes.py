"""Buttons and questions for changes of the store: the role they need, a confirmation, the way back."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import duckdb
import streamlit as st

from dashboard.queries import matches
from dashboard.queries.matches import MatchFilter
from dashboard.store import unavailable_reason
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import date_text, escape_markdown, format_count
from dashboard.widgets.current_store import (
    NotAllowed,
    acting_with_role,
    cached_query,
    current_principal,
    has_role,
    open_store,
    page_cursor,
    require_role,
)
from ingest.findings.os_errors import translate_reason
from ingest.i18n import N_, Translate
from ingest.store import trash
from ingest.store.audit import deletions_by_token, has_added_all
from ingest.store.errors import StoreError
from ingest.store.tokens import Role
from ingest.store.tombstones import is_purged

MAX_NAMED_MATCHES = 5
"""Matches that a question names; the others it counts."""

MATCH_MISSING_TEXTS = (
    N_("This match is no longer here: it was deleted permanently, or rewritten without a name."),
    N_("No match with that id in the store. Search for it on the page Matches."),
)

PLAYER_MISSING_TEXTS = (
    N_("This player was deleted permanently."),
    N_("No player with that id in the store. Search on the page Players."),
)


def role_to_change(numbers: Sequence[int]) -> Role:
    """Return the role that the user needs to change matches: one's own need no admin."""
    own = has_added_all(page_cursor(), current_principal().token_no, numbers)
    return Role.CONTRIBUTOR if own else Role.ADMIN


def require_owner_or_admin(numbers: Sequence[int]) -> None:
    """Raise NotAllowed unless the user is an admin or added all of these matches."""
    require_role(role_to_change(numbers))


def run_change(action: Callable[[], Any], t: Translate, role: Role = Role.ADMIN) -> Any:
    """Run an action that changes the store, if the user has the role, and report errors."""
    st.session_state.pop("download", None)  # it predates this change

    def allowed() -> Any:
        with acting_with_role(role):
            return action()

    return run_reporting_errors(allowed, t)


def run_reporting_errors(action: Callable[[], Any], t: Translate) -> Any:
    """Run an action and return its result; None, with the reason on the page, if it fails."""
    try:
        return action()
    except NotAllowed as error:
        st.error(error.message(t), icon=":material/lock:")
    except (StoreError, duckdb.Error) as error:
        result = error if isinstance(error, StoreError) else open_store().store_error(error)
        st.error(escape_markdown(unavailable_reason(result, t)), icon=":material/database_off:")
    except OSError as error:
        text = t("Not possible: {reason}.", reason=translate_reason(t, error))
        st.error(escape_markdown(text), icon=":material/database_off:")
    except KeyError:
        st.warning(t("Already done."), icon=":material/undo:")
    return None


def change_button(
    label: str, icon: str, key: str, action: Callable[[], Any], t: Translate, role: Role = Role.ADMIN
) -> None:
    """Show a button that changes the store through `run_change`."""
    icon, args = f":material/{icon}:", (action, t, role)
    st.button(label, icon=icon, key=key, on_click=run_change, args=args)


def confirm_dialog(
    title: str,
    body: str | Callable[[], None],
    label: str,
    key: str,
    action: Callable[[], Any],
    t: Translate,
    is_final: bool = False,
) -> None:
    """Have the user confirm an action in a dialog; `body`: a text, or a function that writes it.

    `is_final`: the user also types a word, since the action cannot be undone.
    """

    def is_confirmed() -> bool:
        typed = st.session_state.get(f"{key}-word") or ""
        return not is_final or typed.strip().upper() == t("DELETE")

    def confirmed() -> None:
        if is_confirmed():
            action()

    @st.dialog(title)
    def ask() -> None:
        if isinstance(body, str):
            st.write(body)
        else:
            body()
        if is_final:
            st.text_input(t("Type {word} to confirm", word=t("DELETE")), key=f"{key}-word")
        if st.button(label, type="primary", key=key, on_click=confirmed):
            if is_confirmed():
                st.rerun()
            st.warning(t("Type {word} to confirm", word=t("DELETE")), icon=":material/edit:")

    ask()


def selected_matches(which: MatchFilter) -> Any:
    """Return the numbers of the matches chosen, for the trash."""
    return trash.select_matches(page_cursor(), *which.where(page_cursor()))


def first_match_names(which: MatchFilter, t: Translate) -> list[str]:
    """Return a line for each of the first matches chosen: who played, and when."""
    shown = cached_query(matches.match_page, which, MAX_NAMED_MATCHES)
    return [
        " · ".join(filter(None, [opponents_text(row["names"], row["game"]), date_text(row["played_on"], t)]))
        for row in shown.iter_rows(named=True)
    ]


def show_match_names(found: Sequence[str], total: int, t: Translate) -> None:
    """Show lines for the first of some matches, and how many more there are."""
    lines = [escape_markdown(line) for line in found]
    if total > len(lines):
        lines.append(t("and {n} more", n=format_count(total - len(lines), t)))
    st.markdown("\n".join(f"- {line}" for line in lines))


def confirm_delete(which: MatchFilter, t: Translate, place: str = "") -> None:
    """Name the matches chosen, and delete them once the user confirms.

    `place` is where `show_deleted` has the way back: the match in the address, or a name for a list.
    """
    total = cached_query(matches.count_matches, which)

    def question() -> None:
        show_match_names(first_match_names(which, t), total, t)
        st.write(t("No list and no figure has them any more. You can restore them on the page Data."))

    numbers = selected_matches(which)
    role = role_to_change(numbers.tolist())

    def delete() -> None:
        at, names = place or st.query_params.get("match", ""), first_match_names(which, t)
        st.session_state["deleted"] = at, trash.delete_matches(open_store(), numbers), names

    act = partial(run_change, delete, t, role)
    confirm_dialog(t("Delete these matches?"), question, t("Delete"), "delete-sure", act, t)


def delete_button(number: int, match_id: str, t: Translate) -> None:
    """Show a button that deletes one match, for admins and who added it."""
    if has_role(role_to_change([number])) and st.button(
        t("Delete"), icon=":material/delete:", key="delete-match"
    ):
        confirm_delete(MatchFilter(ids=(match_id,)), t)


def undo_button(number: int, t: Translate) -> None:
    """Show a button that restores a deletion, for admins and who deleted; none once it is restored."""
    known = {one.number: one.matches for one in trash.list_deletions(page_cursor())}
    if number not in known:
        return

    def undo() -> tuple[int, int]:
        theirs = deletions_by_token(page_cursor(), current_principal().token_no)
        require_role(Role.CONTRIBUTOR if number in theirs else Role.ADMIN)
        return trash.undelete_matches(open_store(), number)

    label = t("Restore these matches: {n}", n=format_count(known[number], t))
    change_button(label, "undo", f"undo-{number}", undo, t, Role.CONTRIBUTOR)


def show_deleted(place: str, t: Translate) -> bool:
    """Show which match was just deleted at this place, with a way back; return whether one was."""
    at, number, names = st.session_state.get("deleted", (None, 0, []))
    if at != place or number not in {one.number for one in trash.list_deletions(page_cursor())}:
        return False
    with st.container(horizontal=True, vertical_alignment="center"):
        text = t("Match deleted: {names}", names=escape_markdown(" / ".join(names)))
        st.info(text, icon=":material/delete:")
        undo_button(number, t)
    return True


def show_missing(id_text: str, t: Translate, texts: tuple[str, str] = MATCH_MISSING_TEXTS) -> None:
    """Show why the store has no match, or no other object that the address names."""
    removed = is_purged(open_store(), id_text)
    icon = ":material/delete_forever:" if removed else ":material/search_off:"
    st.warning(t(texts[0] if removed else texts[1]), icon=icon)
