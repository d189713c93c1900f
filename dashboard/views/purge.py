"""Purging from a page: a player, or the matches of a filter, out of every byte of the store."""

from collections.abc import Callable

import streamlit as st

from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.store import path, rewritten, which
from dashboard.text.language import markdown
from dashboard.text.numbers import count_of
from dashboard.views.data import change_store, match_numbers
from dashboard.widgets import filters
from dashboard.widgets.store import answer, store
from ingest.i18n import Translate
from ingest.store import elsewhere
from ingest.store import purge as purging
from ingest.store.elsewhere import Elsewhere
from ingest.store.gone import is_gone
from ingest.store.store import REPLACED, Store, StoreError

DONE = "purged"


def purge(which: Filter, total: int, t: Translate) -> None:
    """Buttons for a player and for the matches chosen, each with a question."""
    st.caption(
        t(
            "What is purged leaves every byte of the store, trash included, and cannot come back; "
            "what others have of a name stays, and you are told. A player’s matches stay under a "
            "pseudonym that the store cannot trace."
        )
    )
    if (said := st.session_state.pop(DONE, None)) is not None:
        st.success(said, icon=":material/delete_forever:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = filters.one_player(t("Player"), t("Choose a player"), "purge", t)
        if chosen is not None:
            _player(chosen[0], markdown(chosen[1]), t)
    if total:
        label = t("Purge the matches chosen above: {n}", n=count_of(total, t))
        if st.button(label, icon=":material/delete_forever:", key="purge-matches"):
            numbers = match_numbers(which).tolist()
            said = t("Matches purged for good: {n}.", n=count_of(len(numbers), t))
            if total == answer(matches.count):
                said += " " + t("These are all that the store has.")
            _ask(
                said,
                lambda: elsewhere.of(store(), chosen=numbers),
                lambda one: purging.purge_matches(one, numbers),
                t,
            )


def _player(number: int, name: str, t: Translate) -> None:
    """A button for one player."""
    matches_too = st.toggle(t("Remove the matches too"), key="purge-matches-too")
    if st.button(t("Purge this player"), icon=":material/person_remove:", key="purge-player"):
        said = (
            t("Player purged, and every match with them: {name}.", name=name)
            if matches_too
            else t("Player purged; the matches stay under a pseudonym: {name}.", name=name)
        )
        expected = purging.expected(store(), number, matches_too)
        _ask(
            said,
            lambda: elsewhere.of(store(), number),
            lambda one: purging.purge_player(one, number, matches_too),
            t,
            expected,
        )


def _ask(
    said: str,
    find: Callable[[], Elsewhere],
    act: Callable[[Store], purging.Purged],
    t: Translate,
    expected: purging.Expected | None = None,
) -> None:
    before = which()

    @st.dialog(t("Purge for good?"))
    def ask() -> None:
        st.write(f"**{said}**")
        if expected is not None:
            st.write(expected.say(t))
        st.write(
            t(
                "This cannot be undone. Backups made before still have it: remove them, and make a "
                "new one."
            )
        )
        others = find()
        if store().in_a_file:
            folder = path().parent
            st.write(
                t(
                    "Copies of the store in {folder} and in the folders there: {n}",
                    folder=markdown(str(folder)),
                    n=count_of(len(others.copies), t),
                )
            )
            for one in others.copies:
                st.write(markdown(str(one.relative_to(folder))))
        files = _files(others, t)
        if files:
            st.write(files)
        told = (said, files, act, before, t)
        if st.button(t("Purge"), type="primary", key="purge-sure", on_click=_purge, args=told):
            st.rerun()

    ask()


def _files(others: Elsewhere, t: Translate) -> str:
    """Which files of a watched folder still have it; nothing where none has."""
    if not others.files:
        return ""
    names = ", ".join(markdown(str(one)) for one in others.files)
    return t(
        "Files copied to the watched folder that still have it, to remove: {files}", files=names
    )


def _purge(
    said: str,
    files: str,
    act: Callable[[Store], purging.Purged],
    before: tuple[Store, int],
    t: Translate,
) -> None:
    def checked(one: Store) -> purging.Purged:
        if (one, one.opened) != before:  # whose numbers were others
            raise StoreError(REPLACED, path=one.path)
        return act(one)

    st.session_state["purge"] = None  # nobody has that name any more
    done = change_store(lambda: rewritten(checked), t)
    if done is not None:
        told = [
            said,
            t(
                "Purged. Matches gone: {n} · rewritten: {rewritten}",
                n=count_of(done.gone, t),
                rewritten=count_of(done.rewritten, t),
            ),
        ]
        if done.tokens:
            told.append(t(purging.TOKENS, names=markdown(", ".join(done.tokens))))
        told_of_it = [" ".join([*told, files]), *map(markdown, done.left.say(t))]
        st.session_state[DONE] = "\n\n".join(told_of_it)


def not_there(asked: str, t: Translate) -> None:
    """Why the store has no match of an address."""
    if is_gone(store(), asked):
        st.warning(
            t("This match is gone: it was purged, or told anew without a name."),
            icon=":material/delete_forever:",
        )
    else:
        st.warning(t("The store has no match of that id."), icon=":material/search_off:")


def nobody_there(asked: str, t: Translate) -> None:
    """Why the store has no player of an address."""
    if is_gone(store(), asked):
        st.warning(t("This player is gone: purged."), icon=":material/delete_forever:")
    else:
        st.warning(t("The store has no player of that id."), icon=":material/search_off:")
