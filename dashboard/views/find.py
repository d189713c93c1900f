"""The page Find deals: finds deals by a search, which widgets help to write."""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from time import perf_counter
from typing import Any

import polars as pl
import streamlit as st

from dashboard.base_path import browser_path
from dashboard.games import game_titles, game_view, games_with_bids
from dashboard.games.find_word import BadSearch
from dashboard.queries import find, matches, player_search
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.scope import Cursor
from dashboard.tables import find_result
from dashboard.text.labels import seats_by_side
from dashboard.text.numbers import date_text, decimal_text, escape_markdown, format_count
from dashboard.views import saved_searches
from dashboard.widgets import browser, filters, link_table
from dashboard.widgets.current_store import cached_query
from engine.cards import SUITS, SYMBOLS, card_label
from engine.games import game, game_names
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate

ROWS = 10
"""Deals of a page."""
COUNT_SECONDS = 1.0, 30.0
"""How long the page counts deals found by a word about a play: at first, and after *Count on*."""
FOUND = N_("Deals found: {n} · {seconds} s")
FOUND_MORE = N_("Deals found: {n} in the {read} matches played last, perhaps more in others · {seconds} s")
NOT_FOUND = N_("No deal of the store matches this search.")
NOT_FOUND_AMONG_LAST = N_(
    "No deal found in the {n} matches played last that the other words leave. Add words, or a date."
)
EXAMPLES = (
    (
        ("player:{player} lost>=20", "joueur:{player} perdu>=20"),
        N_("deals that {player} lost by 20 points or more"),
    ),
    (("contract>=120 made", "contrat>=120 fait"), N_("contracts of 120 or more that were made")),
    (("held:tierce not announced", "tenu:tierce sans annonce"), N_("a tierce held and not announced")),
    (
        ("led:brisque phase:open holding:7t", "entame:brisque phase:ouverte en-main:7t"),
        N_("a brisque led in the open phase with the 7 of trump in hand"),
    ),
    (("played:Jt took:no", "joue:Vt ramasse:non"), N_("a jack of trump that did not take its trick")),
    (("finding", "anomalie"), N_("deals with a finding")),
)
"""Searches that a reader may begin with, in English and in French, and the deals they find."""
FLAGS = ("won", "lost", "declarer", "made", "failed", "doubled", "turned", "led", "took", "not", "or")
"""Words without a value that the page offers."""
CONNECTIVES = {
    "not": ("sans", N_("not the next word")),
    "or": ("ou", N_("the words before it, or those after it")),
}
"""Words that combine others: in French, and their meaning."""
POSITION = re.compile(r"(?:^|\s+)-?position:[^\s()]+", re.IGNORECASE)
"""A position as a search writes it."""
FILES = files("dashboard.views")
_mount = st.components.v2.component(
    "retourne.found",
    html='<div class="found" role="group" data-empty></div>',
    css=FILES.joinpath("find.css").read_text(encoding="utf-8"),
    js=link_table.FOLLOW_LINK + FILES.joinpath("find.js").read_text(encoding="utf-8"),
)


def page(t: Translate) -> None:
    """Find deals by a search in the address, and help to write it."""
    if not cached_query(matches.count_matches):
        link_table.stop_with_nothing(t("No match yet. Add a file of matches to search in them."), t)
    with st.container(horizontal=browser.is_low(), gap="xsmall"):
        search = st.text_input(
            t("Search"),
            placeholder=t("player:Lucie lost>=20"),
            icon=":material/search:",
            key="q",
            bind="query-params",
            label_visibility="collapsed",
        ).strip()
        _show_builder(t)
    if not search:
        saved_searches.show_list(t)
        _show_examples(t)
        return
    started = perf_counter()
    try:
        with st.spinner(t("Searching…")):
            place = st.container()
            counts_on = st.session_state.get("count-on") == search
            found = cached_query(find_result.run_search, search, 0, seconds=COUNT_SECONDS[counts_on])
            total = found.total or 0
    except BadSearch as error:
        st.warning(escape_markdown(error.message(t)), icon=":material/search_off:")
        _show_words(t)
        return
    if not total:
        text = NOT_FOUND if found.is_counted else NOT_FOUND_AMONG_LAST
        st.info(t(text, n=format_count(found.read or 0, t)), icon=":material/search_off:")
        _show_count_on(found, search, t)
        _show_words(t)
        return
    with link_table.paginate(total, "page", in_url=True, reset_key=search, rows=ROWS) as offset:
        deals = cached_query(
            find_result.run_search, search, min(ROWS, total - offset), offset, count=False
        ).deals
        took = decimal_text(perf_counter() - started, t, 2)
        with place.container(horizontal=True, vertical_alignment="center"):
            count = format_count(total, t)
            text = FOUND if found.is_counted else FOUND_MORE
            read = format_count(found.read or 0, t)
            st.caption(t(text, n=count, read=read, seconds=took), width="content")
            _show_count_on(found, search, t)
            saved_searches.show_save(search, t)
            by_month = st.toggle(t("By month"), key="by-month")
        if by_month:
            with place:
                saved_searches.show_months(search, t)
        if found.played is not None:
            with place:
                _show_played(found.played, t)
        _mount(key="found", data=_cards(deals, t))
    _show_words(t)


def _show_count_on(found: find.FoundDeals, search: str, t: Translate) -> None:
    """Let the reader continue a count that was not finished."""
    if found.is_counted or st.session_state.get("count-on") == search:
        return
    st.button(
        t("Count on"),
        icon=":material/more_time:",
        key="count-on-button",
        help=t("Reads older matches too, for at most {n} seconds.", n=round(COUNT_SECONDS[True])),
        on_click=_count_on,
        args=(search,),
    )


def _count_on(search: str) -> None:
    st.session_state["count-on"] = search


def _show_played(played: pl.DataFrame, t: Translate) -> None:
    """Show the cards played in the position of the search and the deals won, and a button to leave it."""
    st.button(
        t("Search without the position"),
        icon=":material/close:",
        key="no-position",
        on_click=_remove_position,
    )
    rows = played.to_dicts()
    sparse = [[t("Deals won"), t("95% interval of it")] if row["known"] < MIN_SAMPLE else [] for row in rows]
    cells = [find_result.played_cells(row, t) for row in rows]
    link_table.link_table(cells, "played", t("Played in this position"), t, greyed=sparse)


def _cards(deals: pl.DataFrame, t: Translate) -> dict[str, Any]:
    """Return the link, the picture and the texts of each deal that the page shows."""
    language = st.query_params.get("lang")
    rows, titles = deals.to_dicts(), game_titles()
    every = ".".join(f"{row['match_id'][:8]}-{row['deal_number']}" for row in rows)
    cards = []
    for row in rows:
        ply = str(row["action_number"] or 0)
        query = {"match": row["match_id"], "deal": str(row["deal_number"]), "ply": ply}
        query |= {"list": every} if len(rows) > 1 else {}
        link = link_table.PageLink(link_table.REPLAY_PAGE, query)
        picture = f"/r/{row['match_id']}/{row['deal_number']}/{ply}.png?lang={t.language}"
        cards.append(
            {
                "href": link.href({"lang": language} if language else {}),
                "picture": browser_path(picture),
                "names": _names(row),
                "about": " · ".join(
                    filter(
                        None,
                        (
                            titles.get(row["game"], ""),
                            date_text(row["played_on"], t),
                            t("deal {n}", n=row["deal_number"]),
                            t("action {n}", n=row["action_number"]) if row["action_number"] else "",
                            _points(row),
                        ),
                    )
                ),
            }
        )
    return {"label": t("Deals"), "deals": cards}


def _names(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the players by side; `found`: those for whom the search is true."""
    parts = list[dict[str, Any]]()
    for side in seats_by_side(len(row["names"]), row["game"]):
        for place in side:
            sign = (" – " if place == side[0] else " + ") if parts else ""
            parts += [{"text": sign, "found": False}] * bool(sign)
            parts.append({"text": row["names"][place], "found": place + 1 in (row["seats"] or ())})
    return parts


def _points(row: Mapping[str, Any]) -> str:
    sides = game(row["game"]).side_count(len(row["names"]))
    return " – ".join("?" if one is None else str(one) for one in (row["points"] or ())[:sides])


def _word(name: str, t: Translate) -> str:
    """Return a word of searches as the page's language writes it."""
    if name in CONNECTIVES:
        return CONNECTIVES[name][0] if t.language == "fr" else name
    names = find.words()[name].names
    return names[1] if t.language == "fr" and len(names) > 1 else names[0]


def _add(text: str, *keys: str) -> None:
    """Add a word to the search, and clear the widgets it came from."""
    st.session_state["q"] = f"{st.session_state.get('q') or ''} {text}".strip()
    for key in keys:
        st.session_state[key] = [] if isinstance(st.session_state.get(key), list) else None


def _remove_position() -> None:
    """Remove the position from the search."""
    st.session_state["q"] = POSITION.sub("", st.session_state.get("q") or "").strip()


def _word_button(text: str, meaning: str, key: str) -> None:
    """Show a button that adds a text to the search."""
    label = f"**{escape_markdown(text)}** – {escape_markdown(meaning)}"
    st.button(label, key=key, type="tertiary", on_click=_add, args=(text,))


def _quoted(value: str) -> str:
    """Return a value as a search writes it."""
    if '"' in value:
        return f"«{value}»"
    return f'"{value}"' if set(value) & set(" ,()«»") else value


def _add_chosen(name: str, sign: str, key: str) -> None:
    """Add a word with the value that a widget has."""
    if (value := st.session_state[key]) is not None:
        _add(f"{name}{sign}{_quoted(str(value))}", key)


def _show_builder(t: Translate) -> None:
    """Show widgets that each add a word to the search."""
    if browser.has_folded_filters():
        with st.popover(t("Add words"), icon=":material/add:", key="add"):
            _show_selects(t)
        return
    with st.container(horizontal=True, gap="xsmall", key="words-to-add"):
        _show_selects(t)


def _show_selects(t: Translate) -> None:
    played = cached_query(_used, "game", "matches")

    def offer(
        name: str, sign: str, label: str, values: Sequence[str], shown: Callable[[str], str] = str
    ) -> None:
        key = f"add-{name}"
        st.selectbox(
            label,
            values,
            index=None,
            format_func=shown,
            placeholder=label,
            key=key,
            label_visibility="collapsed",
            on_change=_add_chosen,
            args=(_word(name, t), sign, key),
        )

    offer("player", ":", t("Player"), _players())
    if bids := [one for name in games_with_bids() if name in played for one in game_view(name).HEIGHTS]:
        heights = [text for one in bids if (text := t(one.text)).isdecimal() or one.text == "capot"]
        offer("contract", ">=", t("Contract from"), list(dict.fromkeys(heights)))
    kinds = announcement_kinds()
    offer("announced", ":", t("Announced"), list(kinds), lambda kind: t(kinds[kind]))
    offer("finding", ":", t("Finding"), cached_query(_used, "code", "findings"))
    st.date_input(
        t("Played from"),
        None,
        format=filters.date_input_format(t),
        key="add-date",
        label_visibility="collapsed",
        on_change=_add_chosen,
        args=(_word("date", t), ">=", "add-date"),
    )
    with st.popover(t("Cards"), icon=":material/playing_cards:", key="add-cards"):
        _show_cards(t)
    with st.popover(t("More"), icon=":material/add:", key="add-more"):
        offer("event", ":", t("Event"), filters.offered_names("event"))
        offer("source", ":", t("Source"), filters.offered_names("source"))
        for name in FLAGS:
            meaning = t(CONNECTIVES[name][1] if name in CONNECTIVES else find.words()[name].meaning)
            text = _word(name, t)
            _word_button(text, meaning, f"flag-{name}")


def _players() -> list[str]:
    """Return the names of frequent players, or the id where several have one name; of no masked one."""
    offered = cached_query(player_search.frequent_players)
    ids = cached_query(player_search.linkable_ids, *offered["player_no"].to_list())
    named = [(number, label) for number, label in offered.rows() if number in ids]
    found = cached_query(player_search.ids_and_names, *(number for number, _ in named))
    return [name if name == label else one for (_, label), (one, name) in zip(named, found, strict=True)]


def _used(cursor: Cursor, column: str, table: str) -> list[str]:
    """Return the values of a column, most frequent first."""
    query = f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC, 1"
    return [value for (value,) in cursor.execute(query).fetchall()]


def _show_cards(t: Translate) -> None:
    """Offer every card, by suit and as trump, for a hand or for a card that is played."""
    ranks = "".join(dict.fromkeys(rank for name in game_names() for rank in reversed(game(name).pack.ranks)))
    keys, chosen = list[str](), list[str]()
    for suit in ("t", *SUITS):
        key = f"cards-{suit}"
        keys.append(key)

        def shown(card: str) -> str:
            label = card_label(f"{card[:-1]}s", t.language)[:-1]
            return label + (f" {t('trump')}" if card[-1] == "t" else SYMBOLS[card[-1]])

        label = t("Trumps") if suit == "t" else SYMBOLS[suit]
        cards = [f"{rank}{suit}" for rank in ranks]
        chosen += st.pills(label, cards, selection_mode="multi", format_func=shown, key=key) or []
    text = ",".join(chosen)
    with st.container(horizontal=True):
        for name, label in (
            ("hand", N_("Dealt this hand")),
            ("holding", N_("In hand at a play")),
            ("played", N_("Played one of these")),
            ("led", N_("Led one of these")),
        ):
            words = f"{_word(name, t)}:{text}"
            st.button(t(label), key=f"cards-{name}", disabled=not chosen, on_click=_add, args=(words, *keys))


def _show_examples(t: Translate) -> None:
    """Show searches that a reader may begin with."""
    names = _players()
    st.caption(t("A search finds deals, and opens each where it was found. For example:"))
    fields = {"player": names[0] if names else "Lucie"}
    with st.container(gap=None, key="examples"):
        for place, (texts, meaning) in enumerate(EXAMPLES):
            text = texts[t.language == "fr"].format(player=_quoted(fields["player"]))
            _word_button(text, t(meaning, **fields), f"example-{place}")
    _show_words(t)


def _show_words(t: Translate) -> None:
    """Show every word, folded."""
    with st.expander(t("All words"), icon=":material/help:"):
        rows = [
            {
                t("Word"): " · ".join(word.names),
                t("Finds"): t(word.meaning),
                t("Example"): " · ".join(find.examples(word, t.language)),
            }
            for word in find.word_list()
        ]
        link_table.link_table(rows, "find-words", t("All words"), t)
        st.caption(
            t(
                "Combine words with “and” (optional), “or” and “not”, and group them with brackets. Words"
                " in a row about a played card are about the same card: trick:3 led:brisque."
            )
        )
