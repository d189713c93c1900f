"""Finds deals by a search: `held:quinte not announced`.

A search is about each seat of each deal: a deal is found if all of the search is true for one of its
seats. `docs/find.md` lists the words.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import polars as pl

from dashboard.games import game_view
from dashboard.games.find_play import PlayWord
from dashboard.games.find_word import BadSearch, Condition, FindTerm, FindWord, TermCondition
from dashboard.queries.find.language import Group, Node, Not, OnePlay, bind_plays, parse, terms
from dashboard.queries.find.play_words import PLAY_WORDS
from dashboard.queries.find.same_position import POSITION, played_there
from dashboard.queries.find.single_play import PlaySearch, deals_with_plays, first_plays, matches_in_order
from dashboard.queries.find.words import WORDS
from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import Cursor
from engine.games import game_names
from ingest.i18n import N_, Translate
from ingest.reader.did_you_mean import did_you_mean
from ingest.store import pseudonyms
from schemas.migrations import with_tables

NO_SUCH_WORD = N_("No word of a search is called “{word}” (character {place}).")
NO_SUCH_PLAYER = N_("No player is called “{value}” (character {place}).")
# a sheet whose match is there as a log is the same deals once more
ONCE = "(NOT m.is_score_sheet OR m.match_no NOT IN (SELECT match_no FROM sheet_with_log))"
PLAYER_WORDS = ("player", "with")
TEXT_WORDS = ("event", "source")
"""Words with a text of logs, named as its column."""
SCOPE_WORDS = (*PLAYER_WORDS, *TEXT_WORDS, "game", "player_count", "preset", "date")
"""Words about which deals are searched, not about their play."""
FIRST_MATCHES = 2000
"""Matches in which a page of deals is looked for first."""
LAST_PLAYED = "m.played_at DESC NULLS LAST, m.match_no DESC"
_BY_MONTH = """
    WITH every AS (
        SELECT date_trunc('month', played_on)::DATE AS month, count(*) AS deals FROM ({every}) GROUP BY ALL
    ), hits AS (
        SELECT date_trunc('month', played_on)::DATE AS month, count(*) AS found FROM ({found}) GROUP BY ALL
    )
    SELECT month, coalesce(found, 0) AS found, deals FROM every LEFT JOIN hits USING (month)
    WHERE month IS NOT NULL ORDER BY month
"""


class UnknownWord(BadSearch):
    """A word or a name that Retourne does not know; suggests similar ones."""

    def message(self, t: Translate) -> str:
        near: tuple[str, ...] = self.values["near"]
        return did_you_mean(t, super().message(t), self.values["tried"], near)


class Search(NamedTuple):
    """A search that was read."""

    text: str
    node: Node


@cache
def words() -> dict[str, FindWord | PlayWord]:
    """Return each way to write a word → the word; a game's words after those of all games."""
    return {name: word for word in word_list()[::-1] for name in word.names}


def read_search(text: str) -> Search:
    """Return a search. BadSearch: it cannot be read; UnknownWord: it has a word that is not known."""
    node = parse(text)
    for term in terms(node):
        if term.word not in words():
            near = tuple(words())
            raise UnknownWord(NO_SUCH_WORD, word=term.word, place=term.place, tried=term.word, near=near)
    bound = bind_plays(node, lambda term: isinstance(words()[term.word], PlayWord))
    return Search(text, _with_kinds(bound, [])[0])


def _with_kinds(node: Node, held: list[tuple[str, ...]]) -> tuple[Node, list[tuple[str, ...]]]:
    """Give `announced` and `counted` without a kind the kinds of the `held` before them.

    `held:quinte not announced` finds those who held a quinte and did not announce that.
    """
    match node:
        case FindTerm():
            name = words()[node.word].names[0]
            if name == "held" and node.values:
                return node, [node.values]
            if name in ("announced", "counted") and not node.operator and held:
                return node._replace(operator=":", values=held[-1]), held
            return node, held
        case OnePlay():
            return node, held
        case Not(one):
            return Not(_with_kinds(one, held)[0]), held
        case Group(connective, nodes):
            found = list[Node]()
            before = held
            for one in nodes:
                made, after = _with_kinds(one, before)
                found.append(made)
                before = after if connective == "and" else held
            return Group(connective, tuple(found)), before if connective == "and" else held


def word_list() -> list[FindWord | PlayWord]:
    """Return every word of a search once, those of one game last."""
    own = [word for name in game_names() for word in game_view(name).FIND_WORDS]
    return list(dict.fromkeys([*WORDS, *PLAY_WORDS, POSITION, *own]))


FRENCH_FORMS = {":no": ":non", "Jt": "Vt", "J♥": "V♥", ":open": ":ouverte"}
"""Parts of the examples that a French search writes another way."""


def examples(word: FindWord | PlayWord, language: str) -> list[str]:
    """Return a word's examples as a language writes the word."""
    own = word.names[1] if language == "fr" and len(word.names) > 1 else word.names[0]
    whole = [re.sub(rf"\b{word.names[0]}\b", own, one) for one in word.examples]
    if language != "fr":
        return whole
    return [re.sub("|".join(FRENCH_FORMS), lambda found: FRENCH_FORMS[found[0]], one) for one in whole]


def with_texts(search: Search, change: Callable[[str, str], str]) -> Search:
    """Return the search with each text of logs that it names changed by its column and value.

    So that a search finds no masked name.
    """

    def changed(node: Node) -> Node:
        match node:
            case FindTerm():
                name = words()[node.word].names[0]
                if name not in TEXT_WORDS:
                    return node
                return node._replace(values=tuple(change(name, one) for one in node.values))
            case OnePlay():
                return node
            case Not(one):
                return Not(changed(one))
            case Group(connective, nodes):
                return Group(connective, tuple(map(changed, nodes)))

    return search._replace(node=changed(search.node))


def require_known_players(cursor: Cursor, search: Search) -> None:
    """Raise UnknownWord if the search names a player whom the store does not have."""
    for term in terms(search.node):
        if words()[term.word].names[0] not in PLAYER_WORDS:
            continue
        for value in term.values:
            if not pseudonyms.find_exact(cursor, value) and not pseudonyms.find_by_name(cursor, value):
                near = tuple(one.name for one in pseudonyms.find_similar(cursor, value))
                raise UnknownWord(
                    NO_SUCH_PLAYER, value=value, place=term.place_of(value), tried=value, near=near
                )


class FoundDeals(NamedTuple):
    """The deals that a search finds."""

    total: int | None
    """How many they are in all; None: they were not counted."""
    deals: pl.DataFrame
    """Some of them, last played first.

    `match_id`, `log_id`, `game`, `preset`, `played_on`, `deal_number`, `status`,
    `names` and `ids` as in `seated_query`; `seats`: those for which the search is true, from 1, null
    if it is not about a seat; `points` of all seats, `winning_side` of the deal; `action_number` and
    `trick_number` of the first card by which it is found, null if the search is not about plays.
    """
    is_counted: bool
    """Whether the count is complete; else there may be more than `total`."""
    played: pl.DataFrame | None = None
    """The cards played in the position of the search, as in `played_there`; None: not counted."""
    read: int | None = None
    """The matches, last played first, whose plays were read; None: the search is not about plays."""


def find_deals(
    cursor: Cursor,
    search: Search,
    limit: int = 10,
    offset: int = 0,
    count: bool = True,
    added_last: bool = False,
    file_no: int | None = None,
    seconds: float | None = None,
) -> FoundDeals:
    """Return how many deals a search finds, and `limit` of them after the first `offset`.

    `count` false: stops at these, which can be much faster. `added_last`: those first that were added
    last, instead of played last. `file_no`: only deals that came with this file. `seconds`: a count
    of single plays ends after so long.
    """
    order = "m.match_no DESC" if added_last else LAST_PLAYED
    within = ONCE if file_no is None else f"{ONCE} AND m.file_no = {int(file_no)}"
    conditions, plays = _read_conditions(cursor, search, within)
    plays = plays._replace(order=order)
    if not plays.has_plays:
        if not count and (page := _first_page(cursor, plays, conditions, limit, offset)) is not None:
            return FoundDeals(
                None, _described(cursor, page.with_columns(action_number=None, trick_number=None)), False
            )
        query, values = _found_sql(search.node, conditions, within)
        total, page = _page_of(cursor, query, values, order, limit, offset, count)
        return FoundDeals(
            total, _described(cursor, page.with_columns(action_number=None, trick_number=None)), count
        )
    wanted = None if count else offset + limit
    found, read, is_counted = deals_with_plays(cursor, plays, wanted, seconds)
    page = found.slice(offset, limit)
    page = page.with_columns(first_plays(cursor, plays, page))
    shown = _described(cursor, page)
    if not count:
        return FoundDeals(None, shown, False)
    return FoundDeals(len(found), shown, is_counted, played_there(cursor, plays, found), read)


def count_by_month(cursor: Cursor, search: Search) -> pl.DataFrame:
    """Return for each `month` (its first day) how many deals of how many the search finds.

    `found` of `deals`: those with the players, games, rules, dates, events and sources that the search
    names outside brackets, and of which the store has what the search is about: who sat where, and the
    cards. Deals without a date are in no month.
    """
    conditions, plays = _read_conditions(cursor, search)
    scope = _scope(search.node)
    seated = plays.has_plays or any(word.about_seat for word in conditions)
    once = f"{ONCE} AND NOT m.is_score_sheet" if plays.has_plays else ONCE
    every, values = _found_sql(scope, conditions, once, seated)
    if not plays.has_plays:
        query, more = _found_sql(search.node, conditions, ONCE)
        return cursor.execute(_BY_MONTH.format(every=every, found=query), [*values, *more]).pl()
    found = deals_with_plays(cursor, plays._replace(once=once), None).deals
    with with_tables(cursor, found_matches=found.select("match_no").to_arrow()):
        query = "SELECT played_on FROM found_matches JOIN matches USING (match_no)"
        return cursor.execute(_BY_MONTH.format(every=every, found=query), values).pl()


def _scope(node: Node) -> Node:
    """Return the part of a search that is about which deals are searched: `game`, `player` and the like."""
    nodes = node.nodes if isinstance(node, Group) and node.connective == "and" else (node,)
    return Group(
        "and",
        tuple(
            one
            for one in nodes
            if isinstance(term := one.node if isinstance(one, Not) else one, FindTerm)
            and words()[term.word].names[0] in SCOPE_WORDS
        ),
    )


def _read_conditions(
    cursor: Cursor, search: Search, within: str = ONCE
) -> tuple[dict[FindWord, TermCondition], PlaySearch]:
    """Return the conditions of a search's words, and the search as one that may be about plays."""
    used = {words()[term.word] for term in terms(search.node)}
    conditions = {
        word: word.for_store(cursor) if word.for_store else word.condition
        for word in used
        if isinstance(word, FindWord)
    }
    about_plays = {name: word for name, word in words().items() if isinstance(word, PlayWord)}

    def match_condition(term: FindTerm, if_true: bool) -> Condition | None:
        """Return SQL of matches; a player's is true for every seat, so that `not` cannot use it."""
        word = words()[term.word]
        if word.names[0] == "player" and if_true:
            at_table = words()["with"]
            assert isinstance(at_table, FindWord)
            parts = [at_table.condition(term._replace(values=(one,))) for one in term.values]
            return f"({' OR '.join(sql for sql, _ in parts)})", [one for _, some in parts for one in some]
        is_known = word.names[0] in SCOPE_WORDS and not word.about_seat
        return _condition(term, conditions) if is_known else None

    about_seat = any(word.about_seat for word in conditions)
    return conditions, PlaySearch(
        search.node,
        within,
        lambda node: _condition(node, conditions),
        match_condition,
        about_seat,
        about_plays,
        LAST_PLAYED,
    )


def _first_page(
    cursor: Cursor, search: PlaySearch, conditions: Mapping[FindWord, TermCondition], limit: int, offset: int
) -> pl.DataFrame | None:
    """Return the deals of `_page_of` among the first matches; None: these have too few.

    A search that finds often need not read a large store.
    """
    first = matches_in_order(cursor, search, FIRST_MATCHES)
    with with_tables(cursor, first_matches=first.to_arrow()):
        query, values = _found_sql(search.node, conditions, "m.match_no IN (FROM first_matches)")
        _, page = _page_of(cursor, query, values, search.order, limit, offset, count=False)
    return page if len(page) == limit else None


def _found_sql(
    node: Node, conditions: Mapping[FindWord, TermCondition], within: str, seated: bool = False
) -> Condition:
    """Return a query of the deals found: `match_no`, `deal_index`, `seats` (bits), `played_at`, `played_on`.

    `seated`: only deals that have seats, even if no word is about one.
    """
    where, values = _condition(node, conditions)
    deals = "deals d JOIN matches m USING (match_no)"
    if seated or any(word.about_seat for word in conditions):
        deals += " JOIN deal_seats s ON s.match_no = d.match_no AND s.deal_index = d.deal_index"
        seats, group = (
            "bit_or(1 << (s.seat - 1))::BIGINT",
            "GROUP BY d.match_no, d.deal_index, m.played_at, m.played_on",
        )
    else:
        seats, group = "NULL::BIGINT", ""
    return (
        f"SELECT d.match_no, d.deal_index, {seats} AS seats, m.played_at, m.played_on FROM {deals}"
        f" WHERE {within} AND {where} {group}",
        values,
    )


def _page_of(
    cursor: Cursor, found: str, values: list[object], order: str, limit: int, offset: int, count: bool
) -> tuple[int | None, pl.DataFrame]:
    """Return how many deals are found, and some of them: `match_no`, `deal_index`, `seats` (bits)."""
    total = "(SELECT count(*) FROM found)" if count else "NULL"
    query = f"""
        WITH found AS {"MATERIALIZED" if count else "NOT MATERIALIZED"} ({found}),
            page AS (FROM found m ORDER BY {order}, deal_index LIMIT ? OFFSET ?)
        SELECT total, m.* FROM (SELECT {total} AS total) LEFT JOIN page m ON true ORDER BY {order}, deal_index
    """
    rows = cursor.execute(query, [*values, limit, offset]).pl()
    return rows["total"][0], rows.drop_nulls("match_no").select("match_no", "deal_index", "seats")


def _described(cursor: Cursor, page: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of `FoundDeals` for deals that have those of `types` below."""
    query = f"""
        WITH {seated_query("described_deals")}, pointed AS (
            SELECT o.match_no, o.deal_index, list(o.points ORDER BY o.seat) AS points
            FROM deal_seats o SEMI JOIN described_deals p
                ON o.match_no = p.match_no AND o.deal_index = p.deal_index
            GROUP BY o.match_no, o.deal_index
        )
        SELECT m.match_id, m.log_id, m.game, m.preset, m.played_on, p.deal_index::INTEGER + 1 AS deal_number,
            d.status::VARCHAR AS status, names, ids,
            CASE WHEN p.seats IS NOT NULL THEN
                list_filter(
                    range(1, m.player_count + 1), lambda seat: p.seats >> (seat - 1) & 1 = 1
                )::UTINYINT[]
            END AS seats, d.winning_side, points, p.action_number, p.trick_number
        FROM described_deals p JOIN matches m ON m.match_no = p.match_no
            JOIN seated ON seated.match_no = p.match_no
            JOIN deals d ON d.match_no = p.match_no AND d.deal_index = p.deal_index
            LEFT JOIN pointed o ON o.match_no = p.match_no AND o.deal_index = p.deal_index
        ORDER BY place
    """
    types = {
        "match_no": pl.Int64,
        "deal_index": pl.UInt16,
        "seats": pl.Int64,
        "action_number": pl.Int32,
        "trick_number": pl.Int32,
    }
    # a table of which DuckDB knows the size: it then reads only these rows of the others
    rows = page.select(pl.col(name).cast(kind) for name, kind in types.items()).with_row_index("place")
    with with_tables(cursor, described_deals=rows.to_arrow()):
        return cursor.execute(query).pl()


def _condition(node: Node, conditions: Mapping[FindWord, TermCondition]) -> Condition:
    """Return the SQL of a search; an unknown fact of a deal is false, and true after `not`."""
    match node:
        case Group(_, ()):
            return "true", []
        case FindTerm():
            word = words()[node.word]
            assert isinstance(word, FindWord)
            sql, values = conditions[word](node)
            return f"coalesce({sql}, false)", values
        case Not(one):
            sql, values = _condition(one, conditions)
            return f"(NOT {sql})", values
        case Group(connective, nodes):
            parts = [_condition(one, conditions) for one in nodes]
            joined = f" {connective.upper()} ".join(sql for sql, _ in parts)
            return f"({joined})", [value for _, some in parts for value in some]
    raise TypeError(node)  # a play is not in SQL
