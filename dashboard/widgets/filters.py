"""Filters of lists and statistics, kept in the page's address."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Any, Literal, TypeVar, cast

import polars as pl
import streamlit as st

from dashboard.games import game_titles, preset_label, preset_names
from dashboard.queries import matches, player_search
from dashboard.queries import scope as scoping
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables.redacted import SINGLE_WORD_COLUMNS, searchable_text
from dashboard.text.labels import STATUS_LABELS
from dashboard.text.numbers import escape_markdown, short_name
from dashboard.widgets import browser
from dashboard.widgets.current_store import cached_query, current_redactor
from engine.games import game, game_names
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import LANGUAGES, N_, Translate, translator


@contextmanager
def collapsible_filters(t: Translate, keys: Sequence[str], first: str = "") -> Iterator[None]:
    """Filters side by side; on a telephone in one button, which says what is set.

    `keys`: how those of the address begin that are filters here. `first`: what the first of them
    is where the address does not say.
    """

    def set_now() -> list[str]:
        """Those of the address; one that was just cleared the address still says."""
        known = [key for key in st.query_params if key.partition("-")[0] in keys]
        return [key for key in known if st.session_state.get(key, key) not in (None, [])]

    def clear(some: Sequence[str]) -> None:
        for key in some:
            st.session_state[key] = [] if isinstance(st.session_state.get(key), list) else None

    asked = set_now()
    told = [short_name(one) for key in asked for one in st.query_params.get_all(key)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if browser.is_narrow():
            said = [first] * (bool(first) and keys[0] not in asked) + told
            label = escape_markdown(" · ".join([t("Filters"), *said]))
            with st.popover(label, icon=":material/tune:", key="filters"):
                yield
        else:
            with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
                yield
        if asked := set_now():  # a filter knows by now whether what the address says is one
            st.button(
                t("Clear"),
                icon=":material/filter_alt_off:",
                type="tertiary",
                help=t("Clear the filters"),
                key="clear-filters",
                on_click=clear,
                args=(asked,),
            )


FILTER_PIXELS = 190
FILTER_KEYS = (
    *("game", "table", "rules", "event", "source", "against"),
    *("since", "until", "counted", "sheets"),
)
"""How the keys of an address begin that are filters of figures."""

T = TypeVar("T")


def scope_filters(
    t: Translate,
    *seated: int,
    games: Container[str] | None = None,
    any_game: bool = False,
    sheets: bool = False,
) -> Scope | None:
    """The deals a page counts: game, size of table and rules, then the filters seldom needed.

    A question with one answer is not asked; of several the one of most deals comes first.
    `seated`: numbers of players who all sat at the table; of two or more no opponent is asked for.
    `any_game`: deals count whatever their verdict. `sheets`: score sheets may count too. None: the
    store has no deal of these `games`.
    """
    some = [one for one in game_names() if games is None or one in games]
    found = cached_query(available_scopes, *seated).filter(pl.col("game").is_in(some))
    if not found.height:
        return None

    def most_dealt(column: str) -> list[Any]:
        """The values of a column, those of most deals first."""
        counted = found.group_by(column, maintain_order=True).agg(pl.col("deals").sum())
        return counted.sort("deals", descending=True, maintain_order=True)[column].to_list()

    def one_of_several(label: str, column: str, key: str, called: Mapping[Any, str] = {}) -> Any:
        """The value to go on with, asked for where there are several; others count no more."""
        nonlocal found
        chosen, *others = values = most_dealt(column)
        if others:
            if st.session_state.get(key, "") is None:  # it was cleared
                st.session_state[key] = chosen
            chosen = st.selectbox(
                label,
                values,
                format_func=lambda value: called.get(value, str(value)),
                key=key,
                bind="query-params",
                width=FILTER_PIXELS,
            )
        found = found.filter(pl.col(column) == chosen)
        return chosen

    with collapsible_filters(t, FILTER_KEYS, game_titles()[most_dealt("game")[0]]):
        name = one_of_several(t("Game"), "game", "game", game_titles())
        players = one_of_several(t("Players at the table"), "players", f"table-{name}")
        presets = most_dealt("preset")
        preset = rules_filter(presets, f"rules-{name}", t) if len(presets) > 1 else None
        which = Scope(name, players, preset)
        # asked where there are sheets, which count at first if there is nothing else
        if sheets and found["sheets"].sum():
            first = not found["deals"].sum()
            which = replace(which, sheets=sheets_toggle(first, f"{name}-{players}", t))
        with more_filters(t):
            since, until = date_filters(t)
            which = replace(which, since=since, until=until)
            which = _more_scope_filters(which, t, len(seated) < 2)
            if any_game:
                return which
            none = t("Legal ones alone")
            counted = {one: said for one, said in STATUS_LABELS.items() if one != "unreadable"}
            statuses = multi_select(t("Deals counted"), counted, none, "counted", t)
        return replace(which, statuses=statuses or Scope.statuses)


def sheets_toggle(default: bool, key_suffix: str, t: Translate) -> bool:
    """Whether score sheets count; `default`: so they do until somebody says otherwise."""
    about = t("What sheets tell is told, not proven; figures of cards never count them.")
    key = f"sheets-{key_suffix}"
    return bool(
        st.toggle(t("With score sheets"), default, key=key, bind="query-params", help=about)
    )


def ladder_scope(name: str, preset: str, rated: Mapping[str, int], t: Translate) -> Scope:
    """The matches of a ladder to look at: legal ones, at tables of any size if none is chosen.

    `rated`: how many `matches` are rated on it, and how many more with `sheets`.
    """
    with collapsible_filters(t, FILTER_KEYS):
        sheets = bool(rated["sheets"]) and sheets_toggle(not rated["matches"], name, t)
        until = date_filter(t("As it stood on"), "until", t)
        with more_filters(t):
            since = date_filter(t("From"), "since", t)
            sizes = game(name).players
            size = None
            if len(sizes) > 1:
                size = select_or_any(
                    t("Players at the table"), sizes, t("Any number"), f"table-{name}"
                )
            which = Scope(name, size or 0, preset, since, until, sheets=sheets)
            return _more_scope_filters(which, t)


def more_filters(t: Translate) -> Any:
    """A popover for the filters that are seldom needed; on a telephone they are folded anyway."""
    if browser.is_narrow():
        return st.container()
    return st.popover(t("More filters"), icon=":material/tune:")


def _more_scope_filters(which: Scope, t: Translate, with_opponent: bool = True) -> Scope:
    """The scope with event, source and opponent (`with_opponent`)."""
    event = name_filter(t("Event"), t("Any event"), "event", which)
    source = name_filter(t("Source"), t("Any source"), "source", which)
    opponent = player_filter(t("Against"), t("Anybody"), "against", t) if with_opponent else None
    return replace(which, event=event, source=source, opponent=opponent)


def details_toggle(t: Translate) -> bool:
    """Whether intervals and what else figures rest on are asked for."""
    return bool(st.toggle(t("Details"), key="details", bind="query-params"))


def name_search(width: int, t: Translate) -> tuple[str, bool]:
    """The words of a name, and whether details are asked for."""
    icon = ":material/search:"
    words = st.text_input(t("Name"), icon=icon, key="name", bind="query-params", width=width)
    return words, details_toggle(t)


def fair_share(which: Scope) -> float:
    """The share of deals won if all played alike: 1 / the number of sides."""
    return 1 / game(which.game).side_count(which.players)


def select_or_any(
    label: str,
    values: Iterable[T],
    any_word: str,
    key: str,
    labels: Mapping[T, str] = {},
    accepts_new: bool = False,
    in_url: bool = True,
    width: int | Literal["stretch"] = FILTER_PIXELS,
) -> T | None:
    """One of some values, or None for any; `accepts_new`: or other words; `in_url`: it has them
    too.
    """
    chosen: Any = st.selectbox(
        label,
        list(values),
        index=None,
        format_func=lambda value: labels.get(value, str(value)),
        placeholder=any_word,
        accept_new_options=accepts_new,
        key=key,
        bind="query-params" if in_url else None,
        width=width,
    )
    return cast("T | None", chosen)


def rules_filter(presets: Sequence[str], key: str, t: Translate) -> str | None:
    """One of some presets by its name, None for any; an address may also have its own word."""
    _translate_query(key, preset_names(), t)
    named = {one: preset_label(one, t) for one in presets}
    return select_or_any(t("Rules"), presets, t("Any rules"), key, named)


def multi_select(
    label: str, words: Mapping[str, str], any_word: str, key: str, t: Translate
) -> tuple[str, ...]:
    """Some of a few words, in the page's language.

    An address may say them in either language or by their code.
    """
    return tuple(
        _select_word(st.multiselect, label, words, key, t, placeholder=any_word, width=220)
    )


def _select_word(
    widget: Callable[..., Any],
    label: str,
    words: Mapping[str, str],
    key: str,
    t: Translate,
    **how: Any,
) -> Any:
    """What is chosen of a few words, which the address keeps."""
    _translate_query(key, words, t)
    how |= {"format_func": lambda word: t(words[word]), "bind": "query-params"}
    return widget(label, list(words), key=key, **how)


def _translate_query(key: str, words: Mapping[str, str], t: Translate) -> None:
    """Put the words of an address into the page's language, and begin the page again with them.

    The widget itself knows only the labels of the page's language, and drops any other.
    """
    if key in st.session_state or not (told := st.query_params.get_all(key)):
        return
    languages = (one for one in LANGUAGES if one != t.language)
    known = {word: word for word in words}
    for say in (*(translator(one, "dashboard") for one in languages), t):
        known |= {say(text): word for word, text in words.items()}
    here = [t(words[known[one]]) for one in told if one in known]
    if here and here != told:
        st.query_params[key] = here
        st.rerun()


def select_one(
    label: str, words: Mapping[str, str], key: str, t: Translate, width: int = 230
) -> str:
    """One of a few words in a list, the first if none is chosen; in an address as in
    `multi_select`.
    """
    chosen: str = _select_word(st.selectbox, label, words, key, t, width=width)
    return chosen


def segmented_select(
    label: str, words: Mapping[str, str], default: str, key: str, t: Translate
) -> str:
    """One of a few words, side by side; in an address as in `multi_select`."""
    how = {"default": default, "required": True, "label_visibility": "collapsed"}
    return str(_select_word(st.segmented_control, label, words, key, t, **how))


def date_filters(t: Translate) -> tuple[date | None, date | None]:
    """The first and the last day, None where there is no bound."""
    with st.container(horizontal=True):
        return date_filter(t("From"), "since", t), date_filter(t("To"), "until", t)


def date_input_format(t: Translate) -> str:
    """How a field writes a day, as `text.numbers.day` does."""
    return "DD/MM/YYYY" if t.language == "fr" else "YYYY-MM-DD"


def date_filter(label: str, key: str, t: Translate) -> date | None:
    """A day, None where there is no bound."""
    return st.date_input(
        label, None, format=date_input_format(t), key=key, bind="query-params", width=170
    )


def name_filter(label: str, any_word: str, column: str, which: Scope | None = None) -> str | None:
    """An event or a source: 500 are offered, those with most matches first; any may be typed.

    One that names a masked player is not offered, and finds nothing where it is typed.
    """
    say = current_redactor()
    offered = [
        one for one in cached_query(scoping.used_names, column, which) if not say or say(one) == one
    ]
    typed = select_or_any(label, offered, any_word, column, accepts_new=True)
    return searchable_text(typed or None, say, SINGLE_WORD_COLUMNS[column])


def player_filter(label: str, any_word: str, key: str, t: Translate) -> int | None:
    """A player's number; those who play most are offered, any name or id may be typed."""
    by_label = _players_by_label()
    typed = select_or_any(label, by_label, any_word, key, accepts_new=True)
    return _typed_player_number(typed, by_label, t) if typed else None


def exact_player_input(label: str, any_word: str, key: str, t: Translate) -> tuple[int, str] | None:
    """(number, name with id) of a player of whom something is done: exactly this one, or nobody.

    No address fills it: what is done by it should not begin with a link.
    """
    by_label = _players_by_label()
    typed = select_or_any(label, by_label, any_word, key, accepts_new=True, in_url=False)
    found = cached_query(player_search.find_exact, typed, by_label.get(typed)) if typed else []
    if len(found) > 1:
        ids = ", ".join(label for _, label in found)
        st.caption(
            escape_markdown(t("Several players have this name: {names}. Type the id.", names=ids))
        )
    elif typed and not found:
        st.caption(t("No player has exactly this name or id."))
    return found[0] if len(found) == 1 else None


def players_filter(label: str, any_word: str, key: str, t: Translate) -> tuple[int, ...]:
    """The numbers of several players, offered and typed as by `player_filter`; -1 for one
    unknown.
    """
    by_label = _players_by_label()
    chosen = st.multiselect(
        label,
        list(by_label),
        placeholder=any_word,
        accept_new_options=True,
        key=key,
        bind="query-params",
        width=300,
    )
    return tuple(_typed_player_number(one, by_label, t) for one in chosen)


def _typed_player_number(typed: str, by_label: Mapping[str, int], t: Translate) -> int:
    found = by_label[typed] if typed in by_label else cached_query(player_search.find_player, typed)
    if found is None:
        st.caption(t("No player of that name."))
    return -1 if found is None else int(found)


def _players_by_label() -> dict[str, int]:
    """The players that are offered, by what they are called."""
    offered = cached_query(player_search.frequent_players)
    return dict(zip(offered["label"], offered["player_no"], strict=True))


TURNED_KEY = "turned"
ENDING_LABELS: Mapping[str, str] = {"any": N_("Any end"), TURNED_KEY: N_("The winner turned")}
LIST_FILTER_KEYS = ("game", "rules", "status", "player", "event", "since", "until", "kind", "end")
"""The keys of an address that are filters of lists."""


def matches_filter(t: Translate) -> MatchFilter:
    """Words, game, rules, status, and in a popover players, event, dates and announcements."""
    games = game_titles()
    words = search_box(t("Search"), t)
    with collapsible_filters(t, LIST_FILTER_KEYS):
        game = select_or_any(t("Game"), games, t("Any game"), "game", games)
        preset = rules_filter(cached_query(matches.used_presets, game), "rules", t)
        statuses = multi_select(t("Verdict"), STATUS_LABELS, t("Any verdict"), "status", t)
        with more_filters(t):
            seated = players_filter(t("Players"), t("Anybody"), "player", t)
            event = name_filter(t("Event"), t("Any event"), "event")
            since, until = date_filters(t)
            said = {kind: t(text) for kind, text in announcement_kinds().items()}
            kind = select_or_any(t("Announced"), said, t("Anything"), "kind", said)
            end = select_one(t("End of the deal"), ENDING_LABELS, "end", t, FILTER_PIXELS)
    found = MatchFilter(
        words, statuses, preset, game, seated, event=event, kind=kind, redactor=current_redactor()
    )
    return replace(found, since=since, until=until, has_turning_point=end == TURNED_KEY)


def search_box(label: str, t: Translate) -> str:
    """The words of a search, which the address keeps."""
    hint, icon = t("Player, event or id"), ":material/search:"
    return st.text_input(label, placeholder=hint, icon=icon, key="q", bind="query-params")
