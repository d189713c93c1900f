"""Filters of lists and statistics, stored in the page's address."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
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
from dashboard.text.labels import NO_DEAL_STATUSES, STATUS_LABELS
from dashboard.text.numbers import date_text, escape_markdown, short_name
from dashboard.widgets import browser
from dashboard.widgets.current_store import cached_query, current_redactor
from engine.games import game, game_names
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import LANGUAGES, N_, Translate, translator


@contextmanager
def collapsible_filters(
    t: Translate,
    keys: Sequence[str],
    first: str = "",
    in_row: Collection[str] = ("game", "player_count", "preset", "score_sheets", "status"),
) -> Iterator[None]:
    """Show filters side by side; on a phone under one button. Those set are chips that take them back.

    `keys`: prefixes of the query keys that are filters here. `first`: the default of the first
    filter, shown if the address has none. `in_row`: those which a wide page shows, so that they need no chip.
    """

    def set_now() -> list[str]:
        """Return the filters in the address, which may lag behind a filter just cleared."""
        known = [key for key in st.query_params if key.partition("-")[0] in keys]
        return [key for key in known if st.session_state.get(key, key) not in (None, [])]

    def clear(some: Sequence[str]) -> None:
        for key in some:
            st.session_state[key] = [] if isinstance(st.session_state.get(key), list) else None

    folded = browser.has_folded_filters()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        if folded:
            entries = [first] * (bool(first) and keys[0] not in set_now())
            label = escape_markdown(" · ".join([t("Filters"), *entries]))
            with st.popover(label, icon=":material/tune:", key="filters"):
                yield
        else:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content"):
                yield
        if requested := set_now():  # by now each filter has validated its value in the address
            for key in requested:
                if folded or key.partition("-")[0] not in in_row:
                    _show_chips(key, t)
            st.button(
                t("Clear"),
                icon=":material/filter_alt_off:",
                type="tertiary",
                help=t("Clear the filters"),
                key="clear-filters",
                on_click=clear,
                args=(requested,),
            )


def _show_chips(key: str, t: Translate) -> None:
    """Show each value of a filter in the address as a button that takes it back."""

    def take_back(place: int) -> None:
        now = st.session_state.get(key)
        st.session_state[key] = now[:place] + now[place + 1 :] if isinstance(now, list) else None

    for place, value in enumerate(st.query_params.get_all(key)):
        st.button(
            escape_markdown(_chip_text(key.partition("-")[0], value, t)),
            icon=":material/close:",
            icon_position="right",
            help=t("Remove this filter"),
            key=f"chip-{key}-{place}",
            on_click=take_back,
            args=(place,),
        )


def _chip_text(kind: str, value: str, t: Translate) -> str:
    """Return the text of a chip: the value, and its filter if the value does not show it."""
    match kind:
        case "score_sheets":
            return t("With score sheets")
        case "player_count":
            return t("{n} at the table", n=value)
        case "since" | "until":
            day = date_text(date.fromisoformat(value), t)
            return t("from {day}", day=day) if kind == "since" else t("up to {day}", day=day)
        case "opponent":
            return t("against {name}", name=short_name(value))
    return short_name(value)


def row_label() -> Literal["visible", "collapsed"]:
    """Return whether filters in a row show their labels: their values explain themselves.

    Screen readers read the labels either way. On a phone filters are one below another.
    """
    return "visible" if browser.has_folded_filters() else "collapsed"


FILTER_PIXELS = 150
SHORT_FILTER_PIXELS = 130
SEARCH_PIXELS = 200
"""Widths of filters: at 1280 pixels those of a page fit in one line."""
FILTER_KEYS = (
    *("game", "player_count", "preset", "event", "source", "opponent"),
    *("since", "until", "status", "score_sheets"),
)
"""Prefixes of the query keys that filter figures."""

T = TypeVar("T")


def scope_filters(
    t: Translate,
    *seated: int,
    games: Container[str] | None = None,
    any_game: bool = False,
    sheets: Collection[str] = (),
) -> Scope | None:
    """Show the filters of the deals a page counts: game, table size, rules, then rare ones.

    A filter with a single choice is not shown; of several, the one with most deals is the default.
    `seated`: numbers of players who all sat at the table; with two or more, the opponent filter is
    hidden. `any_game`: deals count whatever their verdict. `sheets`: columns of `available_scopes` that
    the page may count too, such as `results`; without any in the store the switch is hidden. None: the
    store has no deal of these `games`.
    """
    some = [one for one in game_names() if games is None or one in games]
    found = cached_query(available_scopes, *seated).filter(pl.col("game").is_in(some))
    if not found.height:
        return None

    def most_dealt(column: str) -> list[Any]:
        """Return the values of a column, those with most deals first."""
        counted = found.group_by(column, maintain_order=True).agg(pl.col("deals").sum())
        return counted.sort("deals", descending=True, maintain_order=True)[column].to_list()

    def one_of_several(label: str, column: str, key: str, called: Mapping[Any, str] = {}) -> Any:
        """Return the value chosen if there are several, and drop the rows of the others."""
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
                width=SHORT_FILTER_PIXELS,
                label_visibility=row_label(),
            )
        found = found.filter(pl.col(column) == chosen)
        return chosen

    with collapsible_filters(t, FILTER_KEYS, game_titles()[most_dealt("game")[0]]):
        name = one_of_several(t("Game"), "game", "game", game_titles())
        players = one_of_several(t("Players at the table"), "player_count", f"player_count-{name}")
        presets = most_dealt("preset")
        preset = preset_filter(presets, f"preset-{name}", t) if len(presets) > 1 else None
        which = Scope(name, players, preset)
        # on by default if there is nothing else
        if any(found[column].sum() for column in sheets):
            first = not found["deals"].sum()
            which = replace(which, score_sheets=sheets_toggle(first, f"{name}-{players}", t))
        with more_filters(t):
            since, until = date_filters(t)
            which = replace(which, since=since, until=until)
            which = _more_scope_filters(which, t, len(seated) < 2)
            if any_game:
                return which
            none = t("Only legal ones")
            counted = {one: result for one, result in STATUS_LABELS.items() if one not in NO_DEAL_STATUSES}
            statuses = multi_select(t("Deals counted"), counted, none, "status", t)
        return replace(which, statuses=statuses or Scope.statuses)


def sheets_toggle(default: bool, key_suffix: str, t: Translate, off: str = "") -> bool:
    """Return whether score sheets count; `default` applies until the reader chooses.

    `off`: why there is nothing to switch on; the help of a grey switch.
    """
    about = t(
        "Also count matches without cards: score sheets and, as whole matches, mere results. "
        "Retourne cannot check their play; card statistics never count them."
    )
    key, label = f"score_sheets-{key_suffix}", t("With score sheets")
    chosen = st.toggle(label, default, key=key, bind="query-params", help=off or about, disabled=bool(off))
    return bool(chosen) and not off


def ladder_scope(name: str, preset: str, rated: Mapping[str, int], t: Translate) -> Scope:
    """Show the filters of a ladder and return its matches; any table size by default.

    `rated`: the number of rated `matches`, and of further ones from `sheets`.
    """
    with collapsible_filters(t, FILTER_KEYS, in_row=("score_sheets",)):
        none = t("No match without cards can be ranked here: it needs a date and a winner.")
        off = "" if rated["sheets"] else none
        sheets = sheets_toggle(bool(rated["sheets"]) and not rated["matches"], name, t, off)
        with more_filters(t):
            until = date_filter(t("Ladder on"), "until", t)
            since = date_filter(t("From"), "since", t)
            sizes = game(name).players
            size = None
            if len(sizes) > 1:
                label, key = t("Players at the table"), f"player_count-{name}"
                size = select_or_any(label, sizes, t("Any number"), key)
            return _more_scope_filters(Scope(name, size or 0, preset, since, until, score_sheets=sheets), t)


def more_filters(t: Translate) -> Any:
    """Return a popover for rare filters; on a phone a container, as all filters are folded."""
    if browser.has_folded_filters():
        return st.container()
    return st.popover(t("More filters"), icon=":material/tune:")


def _more_scope_filters(which: Scope, t: Translate, with_opponent: bool = True) -> Scope:
    """Add the filters for event, source and opponent (`with_opponent`) to a scope."""
    event = name_filter(t("Event"), t("All events"), "event", which)
    source = name_filter(t("Source"), t("All sources"), "source", which)
    opponent = player_filter(t("Against"), t("All opponents"), "opponent", t) if with_opponent else None
    return replace(which, event=event, source=source, opponent=opponent)


def details_toggle(t: Translate) -> bool:
    """Return whether the reader wants intervals and other details of figures."""
    return bool(st.toggle(t("Details"), key="details", bind="query-params"))


def name_search(width: int, t: Translate) -> str:
    """Return the words of a name search."""
    how: Any = {"icon": ":material/search:", "key": "name", "bind": "query-params", "width": width}
    return str(st.text_input(t("Name"), placeholder=t("Name"), label_visibility="collapsed", **how))


def fair_share(which: Scope) -> float:
    """Return the share of deals won if all played alike: 1 / the number of sides."""
    return 1 / game(which.game).side_count(which.player_count)


def select_or_any(
    label: str,
    values: Iterable[T],
    any_word: str,
    key: str,
    labels: Mapping[T, str] = {},
    accepts_new: bool = False,
    in_url: bool = True,
    width: int | Literal["stretch"] = FILTER_PIXELS,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> T | None:
    """Return one of some values, or None for any.

    `accepts_new` allows other text; `in_url` binds the choice to the address.
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
        label_visibility=label_visibility,
    )
    return cast("T | None", chosen)


def preset_filter(presets: Sequence[str], key: str, t: Translate) -> str | None:
    """Return one of some presets, None for any; the address may have its name or its key."""
    _translate_query(key, preset_names(), t)
    named = {one: preset_label(one, t) for one in presets}
    return select_or_any(t("Rules"), presets, t("All rules"), key, named, label_visibility=row_label())


def multi_select(
    label: str,
    words: Mapping[str, str],
    any_word: str,
    key: str,
    t: Translate,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> tuple[str, ...]:
    """Return some of a few words, shown in the page's language.

    The address may have them in either language or by their key.
    """
    how = {"placeholder": any_word, "width": 160, "label_visibility": label_visibility, "select_all": False}
    return tuple(_select_word(st.multiselect, label, words, key, t, **how))


def _select_word(
    widget: Callable[..., Any], label: str, words: Mapping[str, str], key: str, t: Translate, **how: Any
) -> Any:
    """Return the choice of a few words, bound to the address."""
    _translate_query(key, words, t)
    how |= {"format_func": lambda word: t(words[word]), "bind": "query-params"}
    return widget(label, list(words), key=key, **how)


def _translate_query(key: str, words: Mapping[str, str], t: Translate) -> None:
    """Translate the words in the address to the page's language, and rerun the page.

    The widget knows only the labels of the page's language, and drops any other.
    """
    if key in st.session_state or not (result := st.query_params.get_all(key)):
        return
    languages = (one for one in LANGUAGES if one != t.language)
    known = {word: word for word in words}
    for translate in (*(translator(one, "dashboard") for one in languages), t):
        known |= {translate(text): word for word, text in words.items()}
    here = [t(words[known[one]]) for one in result if one in known]
    if here and here != result:
        st.query_params[key] = here
        st.rerun()


def select_one(
    label: str,
    words: Mapping[str, str],
    key: str,
    t: Translate,
    width: int = 230,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> str:
    """Return one of a few words from a list, the first by default; bound as `multi_select`."""
    how = {"width": width, "label_visibility": label_visibility}
    return str(_select_word(st.selectbox, label, words, key, t, **how))


def segmented_select(label: str, words: Mapping[str, str], default: str, key: str, t: Translate) -> str:
    """Return one of a few words side by side; bound to the address as `multi_select`."""
    how = {"default": default, "required": True, "label_visibility": "collapsed"}
    return str(_select_word(st.segmented_control, label, words, key, t, **how))


def date_filters(t: Translate) -> tuple[date | None, date | None]:
    """Return the first and the last day, None for no bound."""
    with st.container(horizontal=True):
        return date_filter(t("From"), "since", t), date_filter(t("To"), "until", t)


def date_input_format(t: Translate) -> str:
    """Return the format of a day in an input, matching `text.numbers.date_text`."""
    return "DD/MM/YYYY" if t.language == "fr" else "YYYY-MM-DD"


def date_filter(label: str, key: str, t: Translate) -> date | None:
    """Return a day, None for no bound."""
    return st.date_input(label, None, format=date_input_format(t), key=key, bind="query-params", width=170)


def offered_names(column: str, which: Scope | None = None) -> list[str]:
    """Return events or sources, most matches first, without those that have a masked player's name."""
    redact = current_redactor()
    used = cached_query(scoping.used_names, column, which)
    return [one for one in used if not redact or redact(one, SINGLE_WORD_COLUMNS[column]) == one]


def name_filter(label: str, any_word: str, column: str, which: Scope | None = None) -> str | None:
    """Return an event or a source: it offers 500, most matches first, and any may be typed.

    A name of a masked player is not offered, and finds nothing if it is typed.
    """
    redact = current_redactor()
    typed = select_or_any(label, offered_names(column, which), any_word, column, accepts_new=True)
    return searchable_text(typed or None, redact, SINGLE_WORD_COLUMNS[column])


def player_filter(label: str, any_word: str, key: str, t: Translate) -> int | None:
    """Return a player's number; frequent players are offered, any name or id may be typed."""
    by_label = _players_by_label()
    _show_names(key, by_label)
    typed = select_or_any(label, by_label, any_word, key, accepts_new=True)
    return _typed_player_number(typed, by_label, t) if typed else None


def exact_player_input(
    label: str, any_word: str, key: str, t: Translate, in_url: bool = False
) -> tuple[int, str] | None:
    """Return (number, name with id) of the player an action is for, by an exact match, or None.

    `in_url`: the address fills it; it may not where a link would prepare a whole action.
    """
    by_label = _players_by_label()
    typed = select_or_any(label, by_label, any_word, key, accepts_new=True, in_url=in_url)
    found = cached_query(player_search.find_exact, typed, by_label.get(typed)) if typed else []
    if len(found) > 1:
        ids = ", ".join(label for _, label in found)
        st.caption(escape_markdown(t("Several players have this name: {names}. Type the id.", names=ids)))
    elif typed and not found:
        st.caption(t("No player has exactly this name or id."))
    return found[0] if len(found) == 1 else None


def players_filter(label: str, any_word: str, key: str, t: Translate) -> tuple[int, ...]:
    """Return the numbers of several players, chosen as in `player_filter`; -1 if unknown."""
    by_label = _players_by_label()
    _show_names(key, by_label)
    chosen = st.multiselect(
        label,
        list(by_label),
        placeholder=any_word,
        accept_new_options=True,
        key=key,
        bind="query-params",
        select_all=False,  # Enter chooses the first name, not all of them
        width=300,
    )
    return tuple(_typed_player_number(one, by_label, t) for one in chosen)


def _show_names(key: str, by_label: Mapping[str, int]) -> None:
    """Have a field and the address show names for ids and parts of names.

    A name leaves both when its player is masked, renamed or purged.
    """
    is_first = key not in st.session_state
    stored = st.query_params.get_all(key) if is_first else st.session_state[key]
    typed = [stored] if isinstance(stored, str) else stored or []
    known: dict[str, int] = st.session_state.setdefault(f"{key}-numbers", {})
    labels, shown = {number: label for label, number in by_label.items()}, list[str]()
    for one in typed:
        found = by_label.get(one)
        found = cached_query(player_search.find_player, one) if found is None else found
        if found is None and one in known:
            shown += [labels[known[one]]] if known[one] in labels else []
        else:
            shown.append(one if found is None else labels.get(found, one))
        if found is not None:
            known[shown[-1]] = found
    shown = [*dict.fromkeys(shown)]
    if shown == typed:
        return
    if is_first:
        st.query_params[key] = shown
        st.rerun()
    st.session_state[key] = shown if isinstance(stored, list) else next(iter(shown), None)


def _typed_player_number(typed: str, by_label: Mapping[str, int], t: Translate) -> int:
    found = by_label[typed] if typed in by_label else cached_query(player_search.find_player, typed)
    if found is None:
        st.caption(t("No player of that name."))
    return -1 if found is None else int(found)


def _players_by_label() -> dict[str, int]:
    offered = cached_query(player_search.frequent_players)
    return dict(zip(offered["label"], offered["player_no"], strict=True))


ENDING_LABELS: Mapping[str, str] = {"any": N_("Any end"), "true": N_("Result flipped")}
LIST_FILTER_KEYS = (
    *("game", "preset", "status", "player", "event", "since", "until"),
    *("kind", "has_turning_point"),
)
"""Query keys that filter lists."""


def matches_filter(
    t: Translate, file_filter: Callable[[], tuple[int, ...] | None] | None = None
) -> MatchFilter:
    """Return the filter of words, game, rules, verdict and, in a popover, the others.

    `file_filter` shows one of files after that of verdicts, and returns their numbers, None for all.
    """
    games = game_titles()
    row = st.container(horizontal=not browser.is_narrow(), vertical_alignment="top", gap="xsmall")
    with row:
        words = search_box(t("Search"), t, "stretch" if browser.is_narrow() else SEARCH_PIXELS)
    with row, collapsible_filters(t, LIST_FILTER_KEYS):
        label = row_label()
        how: Any = {"width": SHORT_FILTER_PIXELS, "label_visibility": label}
        game = select_or_any(t("Game"), games, t("All games"), "game", games, **how)
        preset = preset_filter(cached_query(matches.used_presets, game), "preset", t)
        statuses = multi_select(t("Verdict"), STATUS_LABELS, t("All verdicts"), "status", t, label)
        files = file_filter() if file_filter else None
        with more_filters(t):
            seated = players_filter(t("Players"), t("All opponents"), "player", t)
            event = name_filter(t("Event"), t("All events"), "event")
            since, until = date_filters(t)
            fields = {kind: t(text) for kind, text in announcement_kinds().items()}
            kind = select_or_any(t("Announcements made"), fields, t("Anything"), "kind", fields)
            end = select_one(t("End of the deal"), ENDING_LABELS, "has_turning_point", t)
    found = MatchFilter(
        words, statuses, preset, game, seated, event=event, kind=kind, redactor=current_redactor()
    )
    return replace(found, since=since, until=until, files=files, has_turning_point=end == "true")


def search_box(label: str, t: Translate, width: int | Literal["stretch"] = "stretch") -> str:
    """Return the words of a search, bound to the address."""
    hint, icon = t("Player, event or id"), ":material/search:"
    how: Any = {"icon": icon, "key": "q", "bind": "query-params", "label_visibility": "collapsed"}
    return str(st.text_input(label, placeholder=hint, width=width, **how))
