"""What the owner of a store does with its games: export, delete and undo, mask players."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import streamlit as st

from dashboard.queries import matches, people
from dashboard.queries.matches import Filter
from dashboard.store import why_not
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of, day
from dashboard.widgets import downloads, filters
from dashboard.widgets.access import Refused, acting, may, me, require
from dashboard.widgets.readable import readable
from dashboard.widgets.store import answer, cursor, store
from ingest.finding.system import reason
from ingest.i18n import N_, Translate
from ingest.store import pseudonyms, trash
from ingest.store.audit import deletions_of
from ingest.store.export import EVERYTHING, Chosen, Format, Table, write_logs, write_table
from ingest.store.store import StoreError
from ingest.store.tokens import Role

LOGS = "logs"
TABLES = {
    LOGS: N_("Logs, one a line"),
    Table.MATCHES: N_("Matches"),
    Table.PLAYERS: N_("Players"),
    Table.SEATS: N_("Seats of matches"),
    Table.DEALS: N_("Deals"),
    Table.DEAL_SEATS: N_("Seats of deals"),
    Table.ANNOUNCEMENTS: N_("Announcements"),
    Table.TRICKS: N_("Tricks"),
    Table.FINDINGS: N_("Findings"),
}
FORMATS = {Format.PARQUET: "Parquet", Format.CSV: "CSV", Format.JSONL: "JSONL"}


def export(which: Filter, t: Translate) -> None:
    """Choose a table or the logs of some matches and a format, and have the file made."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox(
            t("What"), list(TABLES), format_func=lambda one: t(TABLES[one]), key="what", width=260
        )
        format = Format.JSONL
        if what != LOGS:
            format = st.segmented_control(
                t("Format"),
                list(FORMATS),
                format_func=lambda one: FORMATS[one],
                default=Format.PARQUET,
                required=True,
                key="format",
            )
    anonymous = st.toggle(
        t("Pseudonyms for all players"),
        key="anonymous",
        help=t(
            "The same player has the same pseudonym in every export of this store, and only this "
            "store can tell whose it is. Comments, events, sources and ids are left out."
        ),
    )
    if st.button(t("Prepare the file"), icon=":material/file_save:", key="prepare"):
        name = f"retourne-{what}.{format}"
        with st.spinner(t("Writing {name}…", name=name)):
            st.session_state["download"] = tried(
                lambda: downloads.prepare(name, _writer(which, what, format, anonymous)), t
            )
    ready = st.session_state.get("download")
    if ready is not None and downloads.is_ready(ready):
        st.link_button(
            t("Download {name} · rows: {n}", name=ready.name, n=count_of(ready.rows, t)),
            ready.address,
            icon=":material/download:",
            type="primary",
        )


def _writer(which: Filter, what: str, format: Format, anonymous: bool) -> Callable[[Path], int]:
    """A function that writes the matches chosen to a path and returns how many rows it wrote."""
    chosen = EVERYTHING if which == Filter() else Chosen(*which.chosen(cursor()))

    def write(path: Path) -> int:
        if what != LOGS:
            return write_table(store(), Table(what), format, path, chosen, anonymous)
        with path.open("wb") as file:
            return write_logs(store(), file, chosen, anonymous)[0]

    return write


def delete(which: Filter, total: int, t: Translate) -> None:
    """Delete the matches of a filter after a question, and undo what was deleted."""
    if total:
        label = t("Delete these matches: {n}", n=count_of(total, t))
        if st.button(label, icon=":material/delete:", key="delete"):
            _ask_to_delete(which, total, t)
    deleted(t)


def deleted(t: Translate) -> None:
    """What lies in the trash, to bring back or to forget."""
    known = trash.deletions(cursor())
    if not known:
        st.caption(t("The trash is empty."))
        return
    st.caption(t("What was deleted comes back until the trash is emptied."))
    for one in known:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(
                t(
                    "Matches deleted on {day}: {n}, of {files}",
                    n=count_of(one.matches, t),
                    day=day(one.at, t),
                    files=markdown(", ".join(one.files[:3]) + (" …" if one.files[3:] else "")),
                )
            )
            undo_button(one.number, t)
    if st.button(t("Empty the trash"), icon=":material/delete_forever:", key="empty"):
        _ask_to_empty(sum(one.matches for one in known), t)


def undo_button(number: int, t: Translate) -> None:
    """A button that brings the matches of a deletion back, for the steward and whoever made it."""
    st.button(
        t("Undo"),
        icon=":material/undo:",
        key=f"undo-{number}",
        on_click=change_store,
        args=(lambda: _undo(number), t, Role.CONTRIBUTOR),
    )


def _undo(number: int) -> tuple[int, int]:
    theirs = deletions_of(cursor(), me().token_no)
    require(Role.CONTRIBUTOR if number in theirs else Role.STEWARD)
    return trash.undelete(store(), number)


def _ask_to_delete(which: Filter, total: int, t: Translate) -> None:
    @st.dialog(t("Delete these matches?"))
    def ask() -> None:
        st.write(
            t(
                "They leave every list and figure: {n}. They can be brought back from this page.",
                n=count_of(total, t),
            )
        )
        act = (lambda: trash.delete(store(), match_numbers(which)), t)
        if st.button(
            t("Delete"), type="primary", key="delete-sure", on_click=change_store, args=act
        ):
            st.rerun()

    ask()


def _ask_to_empty(total: int, t: Translate) -> None:
    @st.dialog(t("Empty the trash?"))
    def ask() -> None:
        st.write(t("Matches forgotten for good: {n}.", n=count_of(total, t)))
        act = (lambda: trash.empty(store()), t)
        if st.button(
            t("Forget them"), type="primary", key="empty-sure", on_click=change_store, args=act
        ):
            st.rerun()

    ask()


def match_numbers(which: Filter) -> Any:
    """The numbers of the matches chosen, as the trash takes them."""
    return trash.numbers(cursor(), *which.chosen(cursor()))


def mask(t: Translate) -> None:
    """Show a player under a pseudonym everywhere, or by name again."""
    st.caption(
        t(
            "A masked player has a pseudonym on every page, in replays, exports and addresses. "
            "Only this store knows who it is. Comments of their matches are left out meanwhile."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.one_player(t("Player"), t("Choose a player"), "mask", t)
        if chosen is not None:
            number, _ = chosen
            hidden = pseudonyms.is_masked(cursor(), number)
            act = pseudonyms.unmask if hidden else pseudonyms.mask
            st.button(
                t("Show the name") if hidden else t("Mask"),
                icon=":material/visibility:" if hidden else ":material/visibility_off:",
                key="mask-player",
                on_click=_mask_changed,
                args=(lambda: act(store(), number), t),
            )
    if not may(Role.STEWARD):
        return
    found = answer(people.masked)
    if found.height:
        rows = [
            {t("Pseudonym"): row["told"], t("Name"): row["name"], t("Id"): row["player_id"]}
            for row in found.iter_rows(named=True)
        ]
        with st.expander(t("Masked players: {n}", n=found.height), icon=":material/key:"):
            st.dataframe(rows, hide_index=True, height="content", alt=t("Masked players"))


def _mask_changed(act: Callable[[], Any], t: Translate) -> None:
    st.session_state["mask"] = None  # the name chosen is no more, or is again
    change_store(act, t)


def change_store(act: Callable[[], Any], t: Translate, role: Role = Role.STEWARD) -> Any:
    """What an act returns that changes the store, as `tried`, by somebody who has the role."""
    st.session_state.pop("download", None)  # of a store that was another

    def allowed() -> Any:
        with acting(role):
            return act()

    return tried(allowed, t)


def tried(act: Callable[[], Any], t: Translate) -> Any:
    """What an act returns; None, with the reason on the page, when it cannot be done."""
    try:
        return act()
    except Refused as refused:
        st.error(refused.say(t), icon=":material/lock:")
    except (StoreError, duckdb.Error) as error:
        told = error if isinstance(error, StoreError) else store().explained(error)
        st.error(markdown(why_not(told, t)), icon=":material/database_off:")
    except OSError as error:
        text = t("It cannot be done: {reason}.", reason=reason(t, error))
        st.error(markdown(text), icon=":material/database_off:")
    except KeyError:
        st.warning(t("That was done already."), icon=":material/undo:")
    return None


def chosen_file(which: Filter, t: Translate) -> Filter:
    """The filter, and one of the last files when it is chosen."""
    found = answer(matches.files, 100)
    names = {
        row["file_no"]: f"{row['name']} · {day(row['added_at'], t)} · {count_of(row['kept'], t)}"
        for row in readable(found, "name").iter_rows(named=True)
        if row["kept"]
    }
    number = st.selectbox(
        t("File"),
        list(names),
        index=None,
        format_func=lambda one: names[one],
        placeholder=t("Any file"),
        key="file",
    )
    if number is None:
        return which
    return Filter(**(vars(which) | {"files": (number,)}))
