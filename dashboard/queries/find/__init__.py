"""Finds deals by a search: `held:quinte not announced`.

A search is about each seat of each deal: a deal is found if all of the search is true for one of its
seats. `docs/find.md` lists the words.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import polars as pl

from dashboard.games import game_view
from dashboard.games.find_word import BadSearch, Condition, FindTerm, FindWord, require_equal
from dashboard.queries.find import hands
from dashboard.queries.find.language import Group, Node, Not, parse, terms
from dashboard.queries.find.words import WORDS
from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import Cursor
from dashboard.queries.scope import number as query_number
from engine.games import game_names
from ingest.i18n import N_, Translate
from ingest.reader.did_you_mean import did_you_mean
from ingest.store import pseudonyms

NO_SUCH_WORD = N_("No word of a search is called “{word}” (character {place}).")
NO_SUCH_PLAYER = N_("No player is called “{value}” (character {place}).")
PLAYER_WORDS = ("player", "with")
TEXT_WORDS = ("event", "source")
"""Words with a text of logs, named as its column."""


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
def words() -> dict[str, FindWord]:
    """Return each way to write a word → the word; a game's words after those of all games."""
    return {name: word for word in word_list()[::-1] for name in word.names}


def read_search(text: str) -> Search:
    """Return a search. BadSearch: it cannot be read; UnknownWord: it has a word that is not known."""
    node = parse(text)
    for term in terms(node):
        if term.word not in words():
            near = tuple(words())
            raise UnknownWord(NO_SUCH_WORD, word=term.word, place=term.place, tried=term.word, near=near)
    return Search(text, _with_kinds(node, [])[0])


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


def word_list() -> list[FindWord]:
    """Return every word of a search once, those of one game last."""
    own = [word for name in game_names() for word in game_view(name).FIND_WORDS]
    return list(dict.fromkeys([*WORDS, HAND, *own]))


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
                raise UnknownWord(NO_SUCH_PLAYER, value=value, place=term.place, tried=value, near=near)


def find_deals(cursor: Cursor, search: Search, limit: int = 10, offset: int = 0) -> pl.DataFrame:
    """Return the deals that a search finds, last played first.

    `match_id`, `log_id`, `game`, `preset`, `played_on`, `number` (of the deal, from 1), `status`,
    `names` and `ids` as in `seated_query`; `seats`: those for which the search is true, from 1, null
    if it is not about a seat; `points` of all seats, `winner` of the deal.
    """
    chosen, values = _found(cursor, search)
    query = f"""
        WITH page AS MATERIALIZED (
            SELECT m.match_no, m.match_id, m.log_id, m.game, m.preset, m.played_at, m.played_on,
                f.deal, f.seats
            FROM ({chosen}) f JOIN matches m USING (match_no)
            ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC, f.deal LIMIT ? OFFSET ?
        ), {seated_query("page")}
        SELECT match_id, log_id, game, preset, played_on, page.deal::INTEGER + 1 AS number,
            d.status::VARCHAR AS status, names, ids, page.seats, d.winner,
            (SELECT list(points ORDER BY seat) FROM deal_seats o
             WHERE o.match_no = page.match_no AND o.deal = page.deal) AS points
        FROM page JOIN seated USING (match_no) JOIN deals d USING (match_no, deal)
        ORDER BY played_at DESC NULLS LAST, match_no DESC, page.deal
    """
    return cursor.execute(query, [*values, limit, offset]).pl()


def count_deals(cursor: Cursor, search: Search) -> int:
    """Count the deals that a search finds."""
    chosen, values = _found(cursor, search)
    return query_number(cursor, f"SELECT count(*) FROM ({chosen})", values)


def _found(cursor: Cursor, search: Search) -> Condition:
    """Return SQL of the deals found: `match_no`, `deal`, `seats`."""
    used = [words()[term.word] for term in terms(search.node)]
    layouts = hands.layouts(cursor) if HAND in used else []
    where, values = _condition(search.node, layouts)
    # a sheet whose match is there as a log is the same deals once more
    once = "(NOT m.sheet OR m.match_no NOT IN (SELECT match_no FROM sheet_with_log))"
    deals = "deals d JOIN matches m USING (match_no)"
    if not any(word.about_seat for word in used):
        return f"SELECT match_no, d.deal, NULL AS seats FROM {deals} WHERE {once} AND {where}", values
    return (
        "SELECT d.match_no, d.deal, list(s.seat ORDER BY s.seat) AS seats"
        f" FROM {deals} JOIN deal_seats s ON s.match_no = d.match_no AND s.deal = d.deal"
        f" WHERE {once} AND {where} GROUP BY d.match_no, d.deal"
    ), values


def _condition(node: Node, layouts: list[hands.Layout]) -> Condition:
    """Return the SQL of a search; an unknown fact of a deal is false, and true after `not`."""
    match node:
        case FindTerm():
            word = words()[node.word]
            sql, values = hands.hand_condition(node, layouts) if word is HAND else word.condition(node)
            return f"coalesce({sql}, false)", values
        case Not(one):
            sql, values = _condition(one, layouts)
            return f"(NOT {sql})", values
        case Group(connective, nodes):
            parts = [_condition(one, layouts) for one in nodes]
            joined = f" {connective.upper()} ".join(sql for sql, _ in parts)
            return f"({joined})", [value for _, some in parts for value in some]


def _hand(term: FindTerm) -> Condition:
    """Check the cards; which seat was dealt them depends on the store (`hands.layouts`)."""
    require_equal(term, "hand:As,7t")
    return hands.hand_condition(term, [])


HAND = FindWord(
    ("hand", "main"),
    N_("cards that the player was dealt, t for the trump suit"),
    ("hand:As,7t", "hand:J♥"),
    _hand,
    True,
)
