"""The page Data: export, delete, undo, mask, purge, backup."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import downloads
from dashboard.board.header import when_and_where
from dashboard.queries import matches, player_search
from dashboard.queries.matches import MatchFilter
from dashboard.store import replace_store, restore_backup, store_generation, store_path
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import date_text, escape_markdown, format_count
from dashboard.widgets import filters
from dashboard.widgets.current_store import (
    acting_with_role,
    cached_query,
    current_principal,
    open_store,
    page_cursor,
    redacted,
    show_if_not_allowed,
)
from dashboard.widgets.link_table import stop_with_nothing
from dashboard.widgets.store_changes import (
    MAX_NAMED_MATCHES,
    confirm_delete,
    confirm_dialog,
    first_match_names,
    run_change,
    run_reporting_errors,
    selected_matches,
    show_match_names,
    undo_button,
)
from ingest.i18n import N_, Translate
from ingest.store import audit, pseudonyms, trash, unpurged_copies
from ingest.store import backup as copies
from ingest.store import purge as purging
from ingest.store.errors import LAKE_NOT_COPYABLE, show_path_as
from ingest.store.export import (
    ALL_MATCHES,
    SPREADSHEET_FORMATS,
    Format,
    MatchSelection,
    Table,
    write_logs,
    write_table,
)
from ingest.store.factory import STORE_REPLACED, Store, StoreError
from ingest.store.temporary_files import temporary_folder
from ingest.store.tokens import Role
from ingest.store.unpurged_copies import UnpurgedCopies
from ingest.validate.slow_path import validate

CHOOSE_FIRST = N_("Choose matches with the filters above first.")
LOGS_KEY = "logs"
TABLE_LABELS = {
    LOGS_KEY: N_("Logs, one per line"),
    Table.MATCHES: N_("Matches"),
    Table.PLAYERS: N_("Players"),
    Table.SEATS: N_("Results by player and match"),
    Table.DEALS: N_("Deals"),
    Table.DEAL_SEATS: N_("Seats of deals"),
    Table.ANNOUNCEMENTS: N_("Announcements"),
    Table.TRICKS: N_("Tricks"),
    Table.FINDINGS: N_("Findings"),
}
FORMAT_LABELS = {Format.PARQUET: "Parquet", Format.CSV: "CSV", Format.JSONL: "JSONL"}


def page(t: Translate) -> None:
    """Export, delete and restore games, mask players, purge, make a backup."""
    if not cached_query(matches.count_matches) and not trash.list_deletions(page_cursor()):
        stop_with_nothing(t("Nothing to export or delete yet. Add a file first."), t)
    which = filters.matches_filter(t, partial(_file_filter, t))
    total = cached_query(matches.count_matches, which)
    chosen = total and which != MatchFilter()  # deleting everything by one click is no choice
    label = N_("Matches chosen: {n}") if chosen else N_("All matches: {n}")
    st.caption(t(label, n=format_count(total, t)))
    st.header(t("Export"))
    if total:
        _show_export(which, t)
    else:
        message = t("No matches found. Try fewer words or clear a filter.")
        st.info(message, icon=":material/search_off:")
    if not show_if_not_allowed(Role.ADMIN, t):
        return
    st.header(t("Delete"))
    if chosen:
        label = t("Delete these matches: {n}", n=format_count(total, t))
        if st.button(label, icon=":material/delete:", key="delete"):
            confirm_delete(which, t)
    else:
        st.caption(t(CHOOSE_FIRST))
    show_trash(t)
    st.header(t("Mask players"))
    _show_masking(t)
    st.header(t("Delete permanently"))
    _show_purge(which, total if chosen else 0, t)
    st.header(t("Backup"))
    show_backup(t)


def _file_filter(t: Translate) -> tuple[int, ...] | None:
    """Return the number of a recently added file, or None if none is chosen."""
    found = cached_query(matches.recent_files, 100)
    names = {
        row["file_no"]: f"{row['name']} · {date_text(row['added_at'], t)} · {format_count(row['stored'], t)}"
        for row in redacted(found, "name").iter_rows(named=True)
        if row["stored"]
    }
    label = filters.row_label()
    number = filters.select_or_any(
        t("File"), names, t("All files"), "file", names, in_url=False, label_visibility=label
    )
    return None if number is None else (number,)


def _show_export(which: MatchFilter, t: Translate) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox(
            t("What"), list(TABLE_LABELS), format_func=lambda one: t(TABLE_LABELS[one]), key="what", width=260
        )
        format, first = Format.JSONL, Format.PARQUET
        if what != LOGS_KEY:
            how: dict[str, Any] = {"format_func": FORMAT_LABELS.__getitem__, "required": True}
            label = t("Format")
            format = st.segmented_control(label, list(FORMAT_LABELS), default=first, key="format", **how)
    about = t(
        "A player has the same pseudonym in every export of this store, and only this store "
        "knows whose it is. Comments, events, sources and ids are omitted."
    )
    anonymous = st.toggle(t("Pseudonyms for all players"), key="anonymous", help=about)
    if format is Format.CSV:
        format = SPREADSHEET_FORMATS[t.language]
    name = f"retourne-{what}.{format.rpartition('.')[2]}"

    def prepared() -> downloads.Download:
        chosen = ALL_MATCHES if which == MatchFilter() else MatchSelection(*which.where(page_cursor()))

        def write(path: Path) -> int:
            if what != LOGS_KEY:
                return write_table(open_store(), Table(what), format, path, chosen, anonymous)
            with path.open("wb") as file:
                return write_logs(open_store(), file, chosen, anonymous)[0]

        return downloads.make_download(name, write, current_principal().token_no)

    if st.button(t("Prepare the file"), icon=":material/file_save:", key="prepare"):
        with st.spinner(t("Writing {name}…", name=name)):
            st.session_state["download"] = run_reporting_errors(prepared, t)
    _show_download("download", N_("Download {name} · rows: {n}"), t)


def _show_download(key: str, label: str, t: Translate) -> None:
    """Show the link to a file made for the user, while it is ready."""
    ready = st.session_state.get(key)
    if ready is not None and downloads.is_ready(ready):
        message = t(label, name=ready.name, n=format_count(ready.rows, t))
        st.link_button(message, ready.address, icon=":material/download:", type="primary")


def show_trash(t: Translate) -> None:
    """Show the deletions in the trash, each with a button that restores it."""
    known = trash.list_deletions(page_cursor())
    if not known:
        st.caption(t("The trash is empty."))
        return
    st.caption(t("Deleted matches can be restored until you empty the trash."))
    for one in known:
        with st.container(border=True):
            with st.container(horizontal=True, vertical_alignment="center"):
                files = escape_markdown(", ".join(one.files[:3]) + (" …" if one.files[3:] else ""))
                when, n = date_text(one.at, t), format_count(one.matches, t)
                st.markdown(t("Matches deleted on {day}: {n}, of {files}", n=n, day=when, files=files))
                undo_button(one.number, t)
            show_match_names(_deleted_names(one, MAX_NAMED_MATCHES, t), one.matches, t)
    if st.button(t("Empty the trash"), icon=":material/delete_forever:", key="empty"):
        act = partial(run_change, lambda: trash.empty_trash(open_store()), t)
        ask = partial(_show_what_goes, known, t)
        confirm_dialog(t("Empty the trash?"), ask, t("Forget them"), "empty-sure", act, t, is_final=True)


def _deleted_names(deletion: trash.Deletion, limit: int, t: Translate) -> list[str]:
    """Return a line for each of the first matches of a deletion: who played, and when."""
    lines = list[str]()
    for text in trash.first_texts(page_cursor(), deletion.number, limit):
        log = validate(text)
        if log.match is not None:
            names = [player.display_name for player in log.match.players]
            lines.append(" · ".join([opponents_text(names, log.match.game), *when_and_where(log, t)[:1]]))
    return lines


def _show_what_goes(known: Sequence[trash.Deletion], t: Translate) -> None:
    """Count the matches in the trash, and name the first."""
    total, names = sum(one.matches for one in known), list[str]()
    for one in known:
        if len(names) < MAX_NAMED_MATCHES:
            names += _deleted_names(one, MAX_NAMED_MATCHES - len(names), t)
    st.write(t("Matches forgotten for good: {n}.", n=format_count(total, t)))
    show_match_names(names, total, t)


def _show_masking(t: Translate) -> None:
    message = t(
        "A masked player has a pseudonym on every page, in replays, exports and the addresses of pages. "
        "Only this store knows who it is. Comments of their matches are hidden."
    )
    st.caption(message)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.exact_player_input(t("Player"), t("Choose a player"), "mask", t)
        if chosen is not None:
            number, _ = chosen
            hidden = pseudonyms.is_masked(page_cursor(), number)
            act = pseudonyms.unmask_player if hidden else pseudonyms.mask_player

            def change() -> None:
                st.session_state["mask"] = None  # the chosen name changes
                run_change(lambda: act(open_store(), number), t)

            label = t("Show the name") if hidden else t("Mask")
            icon = ":material/visibility:" if hidden else ":material/visibility_off:"
            st.button(label, icon=icon, key="mask-player", on_click=change)
    found = cached_query(player_search.masked_players)
    if found.height:
        labels = {"pseudonym": t("Pseudonym"), "name": t("Name"), "player_id": t("Id")}
        rows = found.select(*labels).rename(labels).rows(named=True)
        with st.expander(t("Masked players: {n}", n=found.height), icon=":material/key:"):
            st.dataframe(rows, hide_index=True, height="content", alt=t("Masked players"))


def show_backup(t: Translate) -> None:
    """Show the button for a backup, then its download; for a lake, how to copy it."""
    if not open_store().is_single_file:
        st.info(t(LAKE_NOT_COPYABLE), icon=":material/database:")
        return
    st.caption(
        t("The whole store in one file, with trash and real names of masked players: keep it to yourself.")
    )

    def made() -> downloads.Download:
        """Make a backup ready to download."""
        with acting_with_role(Role.ADMIN), open_store().transaction():  # a backup contains every name
            audit.log_action(open_store().connection, "backup")
        message = t("Writing the backup…")
        bar = st.progress(0.0, text=message)

        def write(part: Path) -> int:
            return copies.backup(open_store(), part, lambda done: bar.progress(done, text=message))

        try:
            name = copies.dated_name(store_path(), datetime.now())
            who = current_principal().token_no
            return downloads.make_download(name, write, who, "backup", Role.ADMIN, needs_name=True)
        finally:
            bar.empty()

    if st.button(t("Make a backup"), icon=":material/backup:", key="backup"):
        st.session_state["backup-ready"] = run_reporting_errors(made, t)
    _show_download("backup-ready", N_("Download {name} · matches: {n}"), t)
    if (message := st.session_state.pop("restored", None)) is not None:
        st.success(message, icon=":material/settings_backup_restore:")
    with st.expander(t("Restore a backup"), icon=":material/settings_backup_restore:"):
        _show_restore(t)


def _show_restore(t: Translate) -> None:
    """Show the upload of a backup that takes the store's place, after a question."""
    sent = st.file_uploader(t("The backup (.duckdb)"), type="duckdb", key="restore-file")
    if sent is None or not st.button(t("Restore this backup"), key="restore"):
        return
    name = escape_markdown(sent.name)
    question = t(
        "“{name}” replaces the store and its {n} matches. Matches added after the backup are lost. "
        "Tokens and masked players stay those of today. The old store stays next to the new one on "
        "the server.",
        name=name,
        n=format_count(cached_query(matches.count_matches), t),
    )

    def restored() -> copies.Restored:
        with temporary_folder() as folder:
            (file := folder / "backup.duckdb").write_bytes(sent.getbuffer())
            with show_path_as(file, sent.name):
                return restore_backup(file)

    def restore() -> None:
        if (done := run_change(restored, t)) is not None:
            text = t("The store is that of “{name}” now.", name=name)
            if done.old_store is not None:
                old = escape_markdown(done.old_store.name)
                text += " " + t("The old store is next to it: {old}", old=old)
            if done.carry_over is not None and done.carry_over.matches:
                n = format_count(done.carry_over.matches, t)
                text += " " + t("Matches back that were deleted permanently: {n}.", n=n)
            st.session_state["restored"] = text

    confirm_dialog(
        t("Restore this backup?"), question, t("Restore"), "restore-sure", restore, t, is_final=True
    )


def _show_purge(which: MatchFilter, total: int, t: Translate) -> None:
    """Show the purge of a player and of the matches chosen, each with a confirmation."""
    about = t(
        "Retourne erases the player’s data from the store and its trash; this cannot be undone. It "
        "lists where other records still have the name. The matches stay under a "
        "pseudonym that cannot be traced."
    )
    st.caption(about)
    if (message := st.session_state.pop("purged", None)) is not None:
        st.success(message, icon=":material/delete_forever:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.exact_player_input(t("Player"), t("Choose a player"), "purge", t)
        if chosen is not None:
            number, name = chosen[0], escape_markdown(chosen[1])
            both = st.toggle(t("Remove the matches too"), key="purge-matches-too")
            label = t("Delete this player permanently")
            if st.button(label, icon=":material/person_remove:", key="purge-player"):
                message = (
                    t("Player deleted permanently, with all their matches: {name}.", name=name)
                    if both
                    else t(
                        "Player deleted permanently; the matches stay under a pseudonym: {name}.", name=name
                    )
                )
                _confirm_purge(
                    message,
                    unpurged_copies.find_unpurged_copies(open_store(), number),
                    lambda one: purging.purge_player(one, number, both),
                    t,
                    partial(st.write, purging.preview_purge(open_store(), number, both).message(t)),
                )
    if total:
        label = t("Delete the chosen matches permanently: {n}", n=format_count(total, t))
        if st.button(label, icon=":material/delete_forever:", key="purge-matches"):
            numbers = selected_matches(which).tolist()
            message = t("Matches deleted permanently: {n}.", n=format_count(len(numbers), t))
            if total == cached_query(matches.count_matches):
                message += " " + t("These are all matches of the store.")
            others = unpurged_copies.find_unpurged_copies(open_store(), match_numbers=numbers)
            _confirm_purge(
                message,
                others,
                lambda one: purging.purge_matches(one, numbers),
                t,
                lambda: show_match_names(first_match_names(which, t), total, t),
            )


def _confirm_purge(
    question: str,
    others: UnpurgedCopies,
    action: Callable[[Store], purging.PurgeResult],
    t: Translate,
    show_affected: Callable[[], None],
) -> None:
    """Have the user confirm, listing what goes and other copies, then purge and show the result."""
    before, files = store_generation(), ""
    if others.files:
        names = ", ".join(escape_markdown(str(one)) for one in others.files)
        files = t("Files copied to the watched folder that still have it, to remove: {files}", files=names)

    def notify() -> None:
        st.write(f"**{question}**")
        show_affected()
        text = N_(
            "This cannot be undone. Backups made before still have it: remove them, and make a new one."
        )
        st.write(t(text))
        if open_store().is_single_file:
            folder, n = store_path().parent, format_count(len(others.copies), t)
            text = N_("Copies of the store in {folder} and in the folders there: {n}")
            st.write(t(text, folder=escape_markdown(str(folder)), n=n))
            for one in others.copies:
                st.write(escape_markdown(str(one.relative_to(folder))))
        if files:
            st.write(files)

    def purged(one: Store) -> purging.PurgeResult:
        if (one, one.file_generation) != before:  # numbers differ in a replaced store
            raise StoreError(STORE_REPLACED, path=one.path)
        return action(one)

    def purge() -> None:
        st.session_state["purge"] = None  # no player has that name any more
        done = run_change(lambda: replace_store(purged), t)
        if done is None:
            return
        removed, anew = format_count(done.deleted_matches, t), format_count(done.rewritten_matches, t)
        text, names = N_("Deleted permanently. Matches deleted: {n} · rewritten: {rewritten}"), done.tokens
        items = [question, t(text, n=removed, rewritten=anew)]
        if versions := done.deleted_versions:
            items.append(t(purging.VERSIONS_DELETED, n=format_count(versions, t)))
        items += [t(purging.TOKENS_RENAMED, names=escape_markdown(", ".join(names)))] if names else []
        paragraphs = [" ".join([*items, files]), *map(escape_markdown, done.remaining.message(t))]
        st.session_state["purged"] = "\n\n".join(paragraphs)

    confirm_dialog(
        t("Delete permanently?"), notify, t("Delete permanently"), "purge-sure", purge, t, is_final=True
    )
