"""What the owner of a store does with it: export, delete and undo, mask, purge, make a backup."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import duckdb
import streamlit as st

from dashboard import downloads
from dashboard.queries import matches, player_search
from dashboard.queries.matches import Filter
from dashboard.store import path, rewritten, which, why_not
from dashboard.text.numbers import count_of, day, markdown
from dashboard.widgets import filters
from dashboard.widgets.current_store import (
    Refused,
    acting,
    allowed,
    answer,
    cursor,
    me,
    readable,
    require,
    store,
)
from dashboard.widgets.link_table import nothing_yet
from ingest.findings.os_errors import reason
from ingest.i18n import N_, Translate
from ingest.store import audit, other_copies, pseudonyms, trash
from ingest.store import backup as copies
from ingest.store import purge as purging
from ingest.store.audit import deletions_of
from ingest.store.errors import NO_COPY
from ingest.store.export import EVERYTHING, Chosen, Format, Table, write_logs, write_table
from ingest.store.factory import REPLACED, Store, StoreError
from ingest.store.other_copies import Elsewhere
from ingest.store.tokens import Role
from ingest.store.tombstones import is_gone

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


def page(t: Translate) -> None:
    """Take games out of the store, delete them and bring them back, mask players, make a backup."""
    if not answer(matches.count) and not trash.deletions(cursor()):
        nothing_yet(t("Nothing to export or delete yet. Add a file first."), t)
    which = _chosen_file(filters.matches_filter(t), t)
    total = answer(matches.count, which)
    st.caption(t("Matches chosen: {n}", n=count_of(total, t)))
    st.header(t("Export"))
    if total:
        _export(which, t)
    else:
        said = t("No match fits. Search for less, or clear a filter.")
        st.info(said, icon=":material/search_off:")
    if not allowed(Role.ADMIN, t):
        return
    st.header(t("Delete"))
    if total:
        label = t("Delete these matches: {n}", n=count_of(total, t))
        if st.button(label, icon=":material/delete:", key="delete"):
            said = t(
                "They leave every list and figure: {n}. They can be brought back from this page.",
                n=count_of(total, t),
            )
            act = partial(change_store, lambda: trash.delete(store(), match_numbers(which)), t)
            confirm(t("Delete these matches?"), said, t("Delete"), "delete-sure", act)
    deleted(t)
    st.header(t("Mask players"))
    _mask(t)
    st.header(t("Purge"))
    _purge(which, total, t)
    st.header(t("Backup"))
    backup(t)


def _chosen_file(which: Filter, t: Translate) -> Filter:
    """The filter, and one of the last files when it is chosen."""
    found = answer(matches.files, 100)
    names = {
        row["file_no"]: f"{row['name']} · {day(row['added_at'], t)} · {count_of(row['kept'], t)}"
        for row in readable(found, "name").iter_rows(named=True)
        if row["kept"]
    }
    number = filters.any_of(
        t("File"), names, t("Any file"), "file", names, address=False, width="stretch"
    )
    return which if number is None else replace(which, files=(number,))


def _export(which: Filter, t: Translate) -> None:
    """Choose a table or the logs of some matches and a format, and have the file made."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox(
            t("What"), list(TABLES), format_func=lambda one: t(TABLES[one]), key="what", width=260
        )
        format, first = Format.JSONL, Format.PARQUET
        if what != LOGS:
            how: dict[str, Any] = {"format_func": FORMATS.__getitem__, "required": True}
            label = t("Format")
            format = st.segmented_control(label, list(FORMATS), default=first, key="format", **how)
    about = t(
        "The same player has the same pseudonym in every export of this store, and only this "
        "store can tell whose it is. Comments, events, sources and ids are left out."
    )
    anonymous = st.toggle(t("Pseudonyms for all players"), key="anonymous", help=about)
    name = f"retourne-{what}.{format}"

    def prepared() -> downloads.Download:
        chosen = EVERYTHING if which == Filter() else Chosen(*which.chosen(cursor()))

        def write(path: Path) -> int:
            if what != LOGS:
                return write_table(store(), Table(what), format, path, chosen, anonymous)
            with path.open("wb") as file:
                return write_logs(store(), file, chosen, anonymous)[0]

        return downloads.prepare(name, write, me().token_no)

    if st.button(t("Prepare the file"), icon=":material/file_save:", key="prepare"):
        with st.spinner(t("Writing {name}…", name=name)):
            st.session_state["download"] = tried(prepared, t)
    _fetch("download", N_("Download {name} · rows: {n}"), t)


def _fetch(key: str, label: str, t: Translate) -> None:
    """The way to a file that was made for whoever looks, as long as it is ready."""
    ready = st.session_state.get(key)
    if ready is not None and downloads.is_ready(ready):
        said = t(label, name=ready.name, n=count_of(ready.rows, t))
        st.link_button(said, ready.address, icon=":material/download:", type="primary")


def deleted(t: Translate) -> None:
    """What lies in the trash, to bring back or to forget."""
    known = trash.deletions(cursor())
    if not known:
        st.caption(t("The trash is empty."))
        return
    st.caption(t("What was deleted comes back until the trash is emptied."))
    for one in known:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            files = markdown(", ".join(one.files[:3]) + (" …" if one.files[3:] else ""))
            when, n = day(one.at, t), count_of(one.matches, t)
            st.markdown(t("Matches deleted on {day}: {n}, of {files}", n=n, day=when, files=files))
            undo_button(one.number, t)
    if st.button(t("Empty the trash"), icon=":material/delete_forever:", key="empty"):
        said = t("Matches forgotten for good: {n}.", n=count_of(sum(n.matches for n in known), t))
        act = partial(change_store, lambda: trash.empty(store()), t)
        confirm(t("Empty the trash?"), said, t("Forget them"), "empty-sure", act)


def confirm(
    title: str, said: str | Callable[[], None], label: str, key: str, act: Callable[[], Any]
) -> None:
    """Ask in a dialog whether to act; `said`: a text, or what writes more than one."""

    @st.dialog(title)
    def ask() -> None:
        if isinstance(said, str):
            st.write(said)
        else:
            said()
        if st.button(label, type="primary", key=key, on_click=act):
            st.rerun()

    ask()


def undo_button(number: int, t: Translate) -> None:
    """A button that brings the matches of a deletion back, for the admin and whoever made it."""

    def undo() -> tuple[int, int]:
        theirs = deletions_of(cursor(), me().token_no)
        require(Role.CONTRIBUTOR if number in theirs else Role.ADMIN)
        return trash.undelete(store(), number)

    change_button(t("Undo"), "undo", f"undo-{number}", undo, t, Role.CONTRIBUTOR)


def match_numbers(which: Filter) -> Any:
    """The numbers of the matches chosen, as the trash takes them."""
    return trash.numbers(cursor(), *which.chosen(cursor()))


def _mask(t: Translate) -> None:
    """Show a player under a pseudonym everywhere, or by name again."""
    said = t(
        "A masked player has a pseudonym on every page, in replays, exports and addresses. "
        "Only this store knows who it is. Comments of their matches are left out meanwhile."
    )
    st.caption(said)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.one_player(t("Player"), t("Choose a player"), "mask", t)
        if chosen is not None:
            number, _ = chosen
            hidden = pseudonyms.is_masked(cursor(), number)
            act = pseudonyms.unmask if hidden else pseudonyms.mask

            def change() -> None:
                st.session_state["mask"] = None  # the name chosen is no more, or is again
                change_store(lambda: act(store(), number), t)

            label = t("Show the name") if hidden else t("Mask")
            icon = ":material/visibility:" if hidden else ":material/visibility_off:"
            st.button(label, icon=icon, key="mask-player", on_click=change)
    found = answer(player_search.masked)
    if found.height:
        labels = {"told": t("Pseudonym"), "name": t("Name"), "player_id": t("Id")}
        rows = found.select(*labels).rename(labels).rows(named=True)
        with st.expander(t("Masked players: {n}", n=found.height), icon=":material/key:"):
            st.dataframe(rows, hide_index=True, height="content", alt=t("Masked players"))


def change_button(
    label: str, icon: str, key: str, act: Callable[[], Any], t: Translate, role: Role = Role.ADMIN
) -> None:
    """A button that changes the store, as `change_store`."""
    icon, args = f":material/{icon}:", (act, t, role)
    st.button(label, icon=icon, key=key, on_click=change_store, args=args)


def change_store(act: Callable[[], Any], t: Translate, role: Role = Role.ADMIN) -> Any:
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


def backup(t: Translate) -> None:
    """A button that has one made, and then the way to it; of a lake how that is done."""
    if not store().in_a_file:
        st.info(t(NO_COPY), icon=":material/database:")
        return
    said = t(
        "The whole store in one file, trash and masked names included, read again once it is "
        "written. To put it back:"
    )
    st.caption(said)
    st.text(f"retourne restore {t('FILE')} --store {quote(str(path()))}")

    def made() -> downloads.Download:
        """A backup, whole and ready to fetch."""
        with acting(Role.ADMIN), store().adding():  # whoever has it can read every name
            audit.note(store().connection, "backup")
        said = t("Writing the backup…")
        bar = st.progress(0.0, text=said)

        def write(part: Path) -> int:
            return copies.backup(store(), part, lambda done: bar.progress(done, text=said))

        try:
            name = copies.dated(path(), datetime.now())
            return downloads.prepare(name, write, me().token_no, "backup", Role.ADMIN)
        finally:
            bar.empty()

    if st.button(t("Make a backup"), icon=":material/backup:", key="backup"):
        st.session_state["backup-ready"] = tried(made, t)
    _fetch("backup-ready", N_("Download {name} · matches: {n}"), t)


def _purge(which: Filter, total: int, t: Translate) -> None:
    """Buttons for a player and for the matches chosen, each with a question."""
    about = t(
        "What is purged leaves every byte of the store, trash included, and cannot come back; "
        "what others have of a name stays, and you are told. A player’s matches stay under a "
        "pseudonym that the store cannot trace."
    )
    st.caption(about)
    if (said := st.session_state.pop("purged", None)) is not None:
        st.success(said, icon=":material/delete_forever:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.one_player(t("Player"), t("Choose a player"), "purge", t)
        if chosen is not None:
            number, name = chosen[0], markdown(chosen[1])
            both = st.toggle(t("Remove the matches too"), key="purge-matches-too")
            label = t("Purge this player")
            if st.button(label, icon=":material/person_remove:", key="purge-player"):
                said = (
                    t("Player purged, and every match with them: {name}.", name=name)
                    if both
                    else t("Player purged; the matches stay under a pseudonym: {name}.", name=name)
                )
                _ask_to_purge(
                    said,
                    other_copies.of(store(), number),
                    lambda one: purging.purge_player(one, number, both),
                    t,
                    purging.expected(store(), number, both),
                )
    if total:
        label = t("Purge the matches chosen above: {n}", n=count_of(total, t))
        if st.button(label, icon=":material/delete_forever:", key="purge-matches"):
            numbers = match_numbers(which).tolist()
            said = t("Matches purged for good: {n}.", n=count_of(len(numbers), t))
            if total == answer(matches.count):
                said += " " + t("These are all that the store has.")
            others = other_copies.of(store(), chosen=numbers)
            _ask_to_purge(said, others, lambda one: purging.purge_matches(one, numbers), t)


def _ask_to_purge(
    said: str,
    others: Elsewhere,
    act: Callable[[Store], purging.Purged],
    t: Translate,
    expected: purging.Expected | None = None,
) -> None:
    """Ask, with where else it still is, then purge and say what came of it."""
    before, files = which(), ""
    if others.files:
        names = ", ".join(markdown(str(one)) for one in others.files)
        files = t(
            "Files copied to the watched folder that still have it, to remove: {files}", files=names
        )

    def tell() -> None:
        st.write(f"**{said}**")
        if expected is not None:
            st.write(expected.say(t))
        text = N_(
            "This cannot be undone. Backups made before still have it: remove them, and make a "
            "new one."
        )
        st.write(t(text))
        if store().in_a_file:
            folder, n = path().parent, count_of(len(others.copies), t)
            text = N_("Copies of the store in {folder} and in the folders there: {n}")
            st.write(t(text, folder=markdown(str(folder)), n=n))
            for one in others.copies:
                st.write(markdown(str(one.relative_to(folder))))
        if files:
            st.write(files)

    def purged(one: Store) -> purging.Purged:
        if (one, one.opened) != before:  # whose numbers were others
            raise StoreError(REPLACED, path=one.path)
        return act(one)

    def purge() -> None:
        st.session_state["purge"] = None  # nobody has that name any more
        done = change_store(lambda: rewritten(purged), t)
        if done is None:
            return
        gone, anew = count_of(done.gone, t), count_of(done.rewritten, t)
        text, names = N_("Purged. Matches gone: {n} · rewritten: {rewritten}"), done.tokens
        told = [said, t(text, n=gone, rewritten=anew)]
        told += [t(purging.TOKENS, names=markdown(", ".join(names)))] if names else []
        paragraphs = [" ".join([*told, files]), *map(markdown, done.left.say(t))]
        st.session_state["purged"] = "\n\n".join(paragraphs)

    confirm(t("Purge for good?"), tell, t("Purge"), "purge-sure", purge)


MATCH = (
    N_("This match is gone: it was purged, or told anew without a name."),
    N_("The store has no match of that id."),
)
PLAYER = N_("This player is gone: purged."), N_("The store has no player of that id.")


def not_there(asked: str, t: Translate, what: tuple[str, str] = MATCH) -> None:
    """Why the store has no match, or none of what else an address names."""
    gone = is_gone(store(), asked)
    icon = ":material/delete_forever:" if gone else ":material/search_off:"
    st.warning(t(what[0] if gone else what[1]), icon=icon)
