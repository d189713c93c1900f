"""Rows as a table that is sorted by its numbers and read in the page's language."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard.text.numbers import NONE, Figure, count_of
from ingest.i18n import Translate

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler


def table(rows: Sequence[Mapping[str, Any]], t: Translate) -> "Styler":
    """Rows as a table whose columns of numbers are sorted and aligned by number, not by text.

    A column is one of numbers if it has whole numbers, `Figure`s, dashes and blanks alone: as
    texts, 9 % would stand above 80 %. One where a number is written in two ways stays text.
    """
    columns, shown = {}, {}
    for label in rows[0] if rows else ():
        told = [None if row[label] in (NONE, "") else row[label] for row in rows]
        numbers = [_number(one) for one in told]
        empty = [one is None for one in numbers]
        if all(empty) or empty != [one is None for one in told]:
            columns[label] = [row[label] for row in rows]
            continue
        texts = {
            (number, str(one) if isinstance(one, Figure) else count_of(one, t))
            for number, one in zip(numbers, told, strict=True)
            if one is not None
        }
        if len(texts) > len({number for number, _ in texts}):
            columns[label] = [row[label] for row in rows]
            continue
        columns[label], shown[label] = numbers, dict(texts).get
    return pd.DataFrame(columns).style.format(shown, na_rep=NONE)


def _number(cell: Any) -> float | date | None:
    if isinstance(cell, Figure):
        return cell.number
    return cell if isinstance(cell, int) and not isinstance(cell, bool) else None
