"""The page Duplicates: players who may be one person, answered as a list; and the last answers."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.games import game_view
from dashboard.queries import player_search
from dashboard.queries.matches import count_matches
from dashboard.text.numbers import date_range_text, date_text, escape_markdown, format_count
from dashboard.views.access import ACTION_LABELS
from dashboard.views.match_duplicates import show_likely_matches
from dashboard.widgets import filters
from dashboard.widgets.current_store import cached_query, open_store, page_cursor, show_if_not_allowed
from dashboard.widgets.link_table import stop_with_nothing
from dashboard.widgets.store_changes import change_button, run_change
from ingest.i18n import N_, Translate
from ingest.operations.players import LATER_CHANGE
from ingest.store import player_merges
from ingest.store.errors import StoreError
from ingest.store.merged_matches import list_joined
from ingest.store.player_duplicates import RELATION_LABELS, LikelyPair, differing_names, likely_pairs
from ingest.store.tokens import Role
from schemas.player_key import search_key

ONE_PERSON, TWO_PEOPLE = N_("One person"), N_("Two people")
MAX_PAIRS_SHOWN = 50
MAX_CHANGES_SHOWN = 10
_MERGED_KEY = "merged-last"


def page(t: Translate) -> None:
    """Show pairs of players who may be one person; the admin answers them, some or all at once."""
    if not show_if_not_allowed(Role.ADMIN, t):
        return
    st.caption(
        t(
            "Retourne merges no players automatically: names that differ by accents, initials "
            "or order may belong to one person or two. You can undo every answer below."
        )
    )
    if not cached_query(count_matches):
        stop_with_nothing(t("No players yet. Add a file of matches first."), t)
    _show_differing_names(t)
    pairs = likely_pairs(page_cursor())
    st.header(t("Possibly one person"))
    if pairs:
        _show_pairs(pairs, t)
    else:
        st.info(t("No two players look like one person."), icon=":material/how_to_reg:")
    _show_any_two(t)
    show_likely_matches(t)
    _show_changes(t)


def player_questions(files: Sequence[int], t: Translate) -> list[str]:
    """Return a question for each player new with some files who may be another, and for names of one id."""
    lines = [
        t(
            "One id, and names of two people: {names}. They count as one player until you answer.",
            names=" · ".join(f"**{escape_markdown(name)}**" for name in names),
        )
        for names in differing_names(page_cursor(), files).values()
    ]
    lines += [
        t(
            "Is **{other}** the person who is here already as **{name}**?",
            other=escape_markdown(one.other_name),
            name=escape_markdown(one.name),
        )
        for one in likely_pairs(page_cursor(), files)
    ]
    return [*dict.fromkeys(lines)]


def _pair_key(pair: LikelyPair) -> str:
    return f"pair-{pair.player_no}-{pair.other_no}"


def _show_pairs(pairs: Sequence[LikelyPair], t: Translate) -> None:
    shown = pairs[:MAX_PAIRS_SHOWN]
    if len(pairs) > len(shown):
        st.caption(t("The {n} most likely of {total}.", n=len(shown), total=format_count(len(pairs), t)))

    def answer_all() -> None:
        for one in shown:
            st.session_state[_pair_key(one)] = ONE_PERSON

    st.button(t("All are one person"), icon=":material/done_all:", key="all-one", on_click=answer_all)
    numbers = [number for one in shown for number in (one.player_no, one.other_no)]
    ids = cached_query(player_search.linkable_ids, *numbers)
    texts = Counter((one.name, one.other_name) for one in shown)
    with st.form("pairs", border=False):
        for one in shown:
            with st.container(border=True, horizontal=True, vertical_alignment="center"):
                parts, pair = [t(RELATION_LABELS[one.relation])], (one.player_no, one.other_no)
                both = [one.name, one.other_name]
                if one.name == one.other_name or texts[one.name, one.other_name] > 1:
                    both = [f"{name} ({ids[number]})" for name, number in zip(both, pair, strict=True)]
                names = " · ".join(f"**{escape_markdown(name)}**" for name in both)
                if shown_name := cached_query(player_merges.name_after_merge, *pair):
                    parts.append(t("name shown if they are one person: {name}", name=shown_name))
                st.markdown(f"{names}  \n{escape_markdown(' · '.join(parts))}")
                st.segmented_control(
                    t("Answer"),
                    [ONE_PERSON, TWO_PEOPLE],
                    format_func=t,
                    key=_pair_key(one),
                    label_visibility="collapsed",
                )
        st.form_submit_button(
            t("Apply the answers"), type="primary", icon=":material/check:", on_click=_answer, args=(shown, t)
        )


def _answer(pairs: Sequence[LikelyPair], t: Translate) -> None:
    """Merge the pairs answered as one person, and remember those that are two people."""
    answers = {one: st.session_state.get(_pair_key(one)) for one in pairs}
    for one, answer in answers.items():
        if answer == TWO_PEOPLE:
            run_change(partial(player_merges.declare_different, open_store(), one.player_no, one.other_no), t)
    person = dict[int, list[int]]()  # each player of a person → the players, in order
    for one, answer in answers.items():
        if answer == ONE_PERSON:
            both = [*person.get(one.player_no, [one.player_no]), *person.get(one.other_no, [one.other_no])]
            both = [*dict.fromkeys(both)]
            person |= dict.fromkeys(both, both)
    # all of a person or none, so that no pair leaves the list unanswered
    for first, *others in dict.fromkeys(map(tuple, person.values())):
        run_change(partial(player_merges.merge_players, open_store(), first, others), t)


def _show_any_two(t: Translate) -> None:
    """Let the admin choose any two players and merge them, and show before it what changes."""
    st.header(t("Merge two players, or rename one"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = filters.exact_player_input(t("Player"), t("Choose a player"), "player", t, in_url=True)
        second = filters.exact_player_input(t("Same person as"), t("Choose a player"), "other", t)
    for one in (first, second):
        if one:
            _show_player(one, t)
    if first and second and first[0] != second[0]:
        _show_merge(first, second, t)
    elif first:
        _show_rename(first[0], t)
    last = next(iter(player_merges.list_changes(page_cursor())), None)
    if last and last.number == st.session_state.get(_MERGED_KEY):
        with st.container(horizontal=True, vertical_alignment="center"):
            names = escape_markdown(" · ".join(last.names))
            merged = t("Merged: {names}", names=names)
            texts = filter(None, [merged, _joined_text(last.number, t)])
            st.success(" · ".join(texts), icon=":material/how_to_reg:")
            change_button(t("Undo"), "undo", "undo-merged", _undo(last.number), t)


def _show_rename(player_no: int, t: Translate) -> None:
    """Show the button that gives a player another name; the former names still find the player."""

    def rename() -> int:
        return player_merges.rename_player(open_store(), player_no, st.session_state["new-name"])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(t("New name"), key="new-name", width=280)
        change_button(t("Rename"), "edit", "rename", rename, t)


def _joined_text(change: int, t: Translate) -> str:
    """Return how many matches a merge joined; empty if none."""
    count = len(list_joined(page_cursor(), change))
    return t("matches stored twice that count once now: {n}", n=format_count(count, t)) if count else ""


def _show_player(player: tuple[int, str], t: Translate) -> None:
    """Show a player's names, games and days: others may have that name."""
    number, label = player
    games = cached_query(player_search.player_summary, number).rows()
    names = sorted(games[0][-1], key=search_key) if games else []
    others = [name for name in names if name != label and not label.startswith(f"{name} (")]
    played = [f"{game_view(name).TITLE if name else '–'} {format_count(n, t)}" for name, n, *_ in games]
    days = [day for _, _, *both, _ in games for day in both if day]
    period = date_range_text(min(days), max(days), t) if days else ""
    st.markdown(escape_markdown(" · ".join(filter(None, [label, *others, *played, period]))))


def _show_merge(first: tuple[int, str], second: tuple[int, str], t: Translate) -> None:
    cursor, pair = page_cursor(), (first[0], second[0])
    if together := player_merges.matches_together(cursor, pair):
        names = player_merges.names_together(cursor, pair)
        st.error(player_merges.SatTogether(names, together).message(t), icon=":material/group:")
        return
    moved = sum(n for _, n, *_ in cached_query(player_search.player_summary, second[0]).rows())
    name = player_merges.name_after_merge(cursor, *pair)
    texts = [
        t("The person is masked, and stays so.")
        if name is None
        else t("The name shown will be {name}; every other name still finds the player.", name=name),
        t(
            "Retourne counts {n} matches of {other} for {player} from then on, and rates the ladder again.",
            n=format_count(moved, t),
            other=second[1],
            player=first[1],
        ),
    ]
    st.info(escape_markdown(" ".join(texts)), icon=":material/info:")

    def merge() -> None:
        change = run_change(partial(player_merges.merge_players, open_store(), pair[0], [pair[1]]), t)
        if change is not None:
            st.session_state[_MERGED_KEY] = change
            st.session_state["player"] = st.session_state["other"] = None

    st.button(t("Merge"), type="primary", icon=":material/merge:", key="merge-two", on_click=merge)


def _show_differing_names(t: Translate) -> None:
    """Show players whose one id came with names that read as two people's."""
    found = differing_names(page_cursor())
    if not found:
        return
    st.header(t("One id, several names"))
    st.caption(t("These are counted as one player each, since their logs have one id."))
    for player_no, names in found.items():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(" · ".join(f"**{escape_markdown(name)}**" for name in names))

            def same(player_no: int = player_no, name: str = names[-1]) -> int:
                return player_merges.rename_player(open_store(), player_no, name)

            change_button(t(ONE_PERSON), "person", f"same-{player_no}", same, t)

            def split(player_no: int = player_no, name: str = names[-1]) -> Any:
                return player_merges.split_player(open_store(), player_no, [name])

            change_button(t(TWO_PEOPLE), "group", f"split-{player_no}", split, t)


def _show_changes(t: Translate) -> None:
    """Show the last changes of players, each with a button that undoes it."""
    known = player_merges.list_changes(page_cursor())
    if not known:
        return
    st.header(t("Your answers"))
    for one in known[:MAX_CHANGES_SHOWN]:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            parts = [date_text(one.at, t), t(ACTION_LABELS[one.action]), ", ".join(one.names)]
            parts += filter(None, [_joined_text(one.number, t)])
            st.markdown(escape_markdown(" · ".join(parts)))
            change_button(t("Undo"), "undo", f"undo-{one.number}", _undo(one.number), t)


def _undo(number: int) -> Callable[[], list[int]]:
    def undo() -> list[int]:
        try:
            return player_merges.undo_change(open_store(), number)
        except player_merges.LaterChange as error:
            raise StoreError(LATER_CHANGE, n=error.args[0]) from None

    return undo
