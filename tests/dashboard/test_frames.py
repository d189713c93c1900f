"""Tables are sorted by their numbers and read as the language writes them."""

import copy
from datetime import date, datetime

import pytest

from dashboard.figures import percent_text
from dashboard.figures.announcement_charts import bid_label, value_label
from dashboard.tables.announcement_tables import contract_text, p_value_text
from dashboard.tables.profile import SECTIONS
from dashboard.text.numbers import SortableText, date_text, decimal_text, fine_percent_text
from dashboard.widgets.link_table import _cell_json, _is_numeric_column, link_table
from engine.coinche.actions import LEVELS
from ingest.i18n import translator

FR, EN = (translator(one, "dashboard") for one in ("fr", "en"))

MONTHS = [date(2025, 12, 1), date(2026, 1, 1)]


def column_of(cells, t):
    """A column of these cells as a table of links tells it: its texts, and what sorts them."""
    each = [_cell_json(cell, {}, t) for cell in cells]
    return [one["text"] for one in each], [one.get("number") for one in each]


def test_shares_are_sorted_as_numbers() -> None:
    shares = (0.8, 0.09, 0.125)
    texts, numbers = column_of([percent_text(one, FR) for one in shares], FR)
    assert numbers == list(shares)
    assert texts[1] == "9,0\N{NARROW NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("share", "wording"),
    [(0, "0.000%"), (0.25, "25.000%"), (0.00012, "0.012%"), (2.19e-6, "0.00022%"), (1e-7, "0.000010%")],
)
def test_what_is_rare_is_never_shown_as_nothing(share, wording) -> None:
    assert fine_percent_text(share, EN, 3) == wording


@pytest.mark.parametrize(("t", "wording"), [(FR, "30\N{NARROW NO-BREAK SPACE}388"), (EN, "30,388")])
def test_whole_numbers_have_the_language_s_thousands(t, wording) -> None:
    assert column_of([30388, 5], t) == ([wording, "5"], [30388, 5])


def test_thousands_of_a_number_with_decimals_are_separated_as_those_of_a_count() -> None:
    assert decimal_text(-28196.25, FR) == "−28\u202f196,2"
    assert decimal_text(28196.25, EN, 2) == "28,196.25"


def test_a_dash_among_numbers_stands_below_them_all() -> None:
    cells = [decimal_text(None, FR), decimal_text(-1.25, FR)]
    assert column_of(cells, FR) == (["–", "−1,2"], [None, -1.25])
    assert _is_numeric_column(cells)


def test_a_text_among_numbers_keeps_a_column_text() -> None:
    assert not _is_numeric_column([1, "dernier"])
    assert not _is_numeric_column(["12", "Zoé"])
    assert not _is_numeric_column(["–", ""])


@pytest.mark.parametrize(("t", "wording"), [(FR, "05/12/2025"), (EN, "2025-12-05")])
def test_days_are_sorted_as_days(t, wording) -> None:
    days = (date(2026, 3, 1), datetime(2025, 12, 5, 14), None)
    texts, numbers = column_of([date_text(one, t) for one in days], t)
    assert numbers == [date(2026, 3, 1).toordinal(), date(2025, 12, 5).toordinal(), None]
    assert texts[1:] == [wording, ""]


def test_heights_of_contracts_are_sorted_by_what_they_are_worth() -> None:
    texts, numbers = column_of([bid_label(level, FR) for level in range(len(LEVELS))], FR)
    assert numbers == [*range(60, 160, 10), 250, 500]  # CO-11
    assert texts == [*map(str, range(60, 160, 10)), "match", "générale"]


def test_heights_beside_suits_are_padded_so_that_texts_stand_in_their_order() -> None:
    rows = [{"by": "level", "level": level, "suit": 0} for level in range(10)]
    items = [contract_text(row, EN).replace("\N{FIGURE SPACE}", " ") for row in rows]
    assert items[:5] == [" 60 ♠", " 70 ♠", " 80 ♠", " 90 ♠", "100 ♠"]
    assert sorted(items) == items


def test_tricks_months_points_and_small_chances_are_sorted_as_numbers() -> None:
    spread = SECTIONS["distribution"].columns[0]
    for cells, numbers in (
        ([value_label("trick", one, FR) for one in (2, 10)], [2, 10]),
        ([value_label("month", one, FR) for one in MONTHS], MONTHS),
        ([spread.cell({"least": one, "most": one + 9}, FR) for one in (90, 100)], [90, 100]),
        ([p_value_text(p, FR) for p in (0.0002, 0.5)], [0.0002, 0.5]),
    ):
        ordered = [one.toordinal() if isinstance(one, date) else one for one in numbers]
        assert column_of(cells, FR)[1] == ordered


def test_a_number_written_in_two_ways_keeps_a_column_text() -> None:
    cells = [SortableText(one, date(2026, 3, 1)) for one in ("01/03/2026", "01/03 – 02/03")]
    assert not _is_numeric_column(cells)
    assert column_of(cells, FR)[0] == ["01/03/2026", "01/03 – 02/03"]


def test_no_row_is_no_column() -> None:
    assert link_table([], "none", "None", FR) is None


def test_a_figure_is_copied_with_its_number() -> None:
    again = copy.deepcopy(percent_text(0.5, FR))
    assert (again, again.number) == (percent_text(0.5, FR), 0.5)


def test_nothing_is_not_less_than_nothing() -> None:
    assert (percent_text(-0.00001, FR, 2), decimal_text(-0.01, EN)) == (
        "0,00\N{NARROW NO-BREAK SPACE}%",
        "0.0",
    )
