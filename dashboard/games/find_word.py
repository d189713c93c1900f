"""The words of a search inside games that a game adds to `dashboard.queries.find.words`.

A search looks at each seat of each deal. A word is a condition in SQL on `m`, the match, `d`, the
deal, and, if it is about a seat, `s`, the seat's row of `deal_seats`.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import duckdb

from ingest.i18n import N_
from ingest.operations import OperationRefused

Condition = tuple[str, list[Any]]
"""SQL and the values of its `?`, in order."""


class FindTerm(NamedTuple):
    """A word of a search as it was typed: `contract>=130` is `contract`, `>=`, (`130`,)."""

    word: str
    operator: str
    """One of `:`, `<`, `<=`, `>`, `>=`; empty for a word without a value."""
    values: tuple[str, ...]
    """Separated by commas as typed."""
    place: int
    """The place of its first character in the search, from 1."""
    places: tuple[int, ...] = ()
    """Those of its values, without quotes."""

    def place_of(self, value: str) -> int:
        """Return the place in the search of one of the values, or of a part of one."""
        folded, keys = value.casefold(), [one.casefold() for one in self.values]
        places = list(zip(keys, self.places, strict=False))
        whole = (place for key, place in places if key == folded)
        parts = (place + key.index(folded) for key, place in places if folded in key)
        return next(whole, next(parts, self.place))


TermCondition = Callable[[FindTerm], Condition]
"""Returns the condition of a term. BadSearch: the term cannot be read."""


class FindWord(NamedTuple):
    """A word of the search language."""

    names: tuple[str, ...]
    """How it may be written, without accents: first in English, then in French."""
    meaning: str
    """The deals it finds (`N_`)."""
    examples: tuple[str, ...]
    condition: TermCondition
    about_seat: bool = False
    """Whether it is about one seat, so that it needs `s`."""
    for_store: Callable[[duckdb.DuckDBPyConnection], TermCondition] | None = None
    """Reads the facts of the store that its condition needs, once a search; None: it needs none."""


class BadSearch(OperationRefused):
    """A search that cannot be read: names the text, its place and a text that is possible."""


NEEDS_NUMBER = N_("“{word}” at character {place}: after it comes a number, as in {example}.")
TAKES_NO_VALUE = N_("“{word}” at character {place}: nothing comes after this word.")
ONLY_EQUAL = N_("“{word}” at character {place}: only “:” can follow, as in {example}.")
UNKNOWN_VALUE = N_("“{value}” at character {place} is not known after {word}: use one of {known}.")


def flag(sql: str) -> TermCondition:
    """Return the condition of a word without a value: `sql` is true."""

    def condition(term: FindTerm) -> Condition:
        if term.operator:
            raise BadSearch(TAKES_NO_VALUE, word=term.word, place=term.place)
        return sql, []

    return condition


def number(sql: str, example: str, without: str | None = None) -> TermCondition:
    """Return the condition of a word with a number, compared with `sql`.

    `without`: the condition of the word without a number, if it may have none.
    """

    def condition(term: FindTerm) -> Condition:
        if not term.operator and without is not None:
            return without, []
        return compare(sql, term, example)

    return condition


def compare(sql: str, term: FindTerm, example: str) -> Condition:
    """Return the comparison of a number with `sql`. BadSearch: the term has no number."""
    try:
        values = [int(one) for one in term.values]
    except ValueError:
        values = []
    if not values or any(abs(one) > 10**6 for one in values) or (len(values) > 1 and term.operator != ":"):
        raise BadSearch(NEEDS_NUMBER, word=term.word, place=term.place, example=example)
    operator = "=" if term.operator == ":" else term.operator
    return f"({' OR '.join(f'{sql} {operator} ?' for _ in values)})", values


def choice(
    sql: str, known: Callable[[], Mapping[str, Any]], example: str, without: str | None = None
) -> TermCondition:
    """Return the condition of a word with one of the `known` values: as typed → as in `sql`."""

    def condition(term: FindTerm) -> Condition:
        if not term.operator and without is not None:
            return without, []
        require_equal(term, example)
        return f"list_contains(?, {sql})", [[*chosen(term, known())]]

    return condition


def require_equal(term: FindTerm, example: str) -> None:
    """Raise BadSearch unless the term has `:` and a value."""
    if term.operator != ":" or not term.values:
        raise BadSearch(ONLY_EQUAL, word=term.word, place=term.place, example=example)


def chosen(term: FindTerm, known: Mapping[str, Any]) -> list[Any]:
    """Return the meanings of a term's values, by `known`. BadSearch: one is not among them."""
    found = []
    for value in term.values:
        if value.casefold() not in known:
            raise BadSearch(
                UNKNOWN_VALUE, value=value, place=term.place_of(value), word=term.word, known=", ".join(known)
            )
        found.append(known[value.casefold()])
    return found
