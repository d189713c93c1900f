"""Documentation of every table and column, written into the store and docs/tables.md.

The texts are COMMENT statements in `schemas/sql/comments.sql`. The meaning of codes that depend on
the game is in each game's `CODE_DOCS`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from itertools import groupby

Rows = Sequence[tuple[str, str]]
"""The codes of an integer column: (`3` or `0–31`, their meaning), with words of the log format in
backquotes."""
_COMMENT = re.compile(r"^COMMENT ON (TABLE|VIEW|COLUMN) ([\w.]+) IS '((?:[^']|'')*)';$", re.MULTILINE)


class TableDocs:
    """The description of a table or view (`about`), and of each column, in column order."""

    def __init__(self, about: str) -> None:
        self.about, self.columns = about, dict[str, str]()


def _read_docs(sql: str) -> tuple[dict[str, TableDocs], list[str]]:
    """Parse COMMENT statements into docs by table or view name, and the names of the views."""
    found, views = dict[str, TableDocs](), list[str]()
    for kind, name, quoted in _COMMENT.findall(sql):
        text = quoted.replace("''", "'")
        if kind == "COLUMN":
            table, _, column = name.rpartition(".")
            found[table].columns[column] = text
        else:
            found[name] = TableDocs(text)
            views += [name] * (kind == "VIEW")
    return found, views


COMMENTS_SQL = files("schemas").joinpath("sql/comments.sql").read_text(encoding="utf-8")
TABLE_DOCS, DOCUMENTED_VIEWS = _read_docs(COMMENTS_SQL)


def numbered_row(names: Sequence[str], first: int = 0) -> tuple[str, str]:
    """Return the documentation row of names numbered consecutively from `first`."""
    last = first + len(names) - 1
    numbers = f"{first}" if last == first else f"{first}–{last}"
    return numbers, " ".join(f"`{name}`" for name in names)


def rows_by_kind(words: Mapping[str, int], kind: Callable[[int], str]) -> Rows:
    """Return a row per run of consecutive numbers whose words are of the same `kind`."""
    numbered = sorted((number, word) for word, number in words.items())
    runs = groupby(enumerate(numbered), lambda one: (kind(one[1][0]), one[1][0] - one[0]))
    found = [[one for _, one in run] for _, run in runs]
    return [numbered_row([word for _, word in run], run[0][0]) for run in found]
