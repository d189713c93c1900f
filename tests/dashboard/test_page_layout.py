"""What a page shows is in sight: few controls above the figure, each day of its axis once."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.figures import date_axis
from dashboard.tables.announcement_tables import SHUFFLE_COLUMNS as COLUMNS
from tests.dashboard.conftest import Open

FORM = "%Y-%m-%d"


def order(app: AppTest, *kinds: str) -> list[str]:
    """The elements of a page of some kinds, in their order."""
    elements = [cast("Any", one) for one in app.main]
    names = [
        "chart" if one.type == "bidi_component" and one.proto.component_name == "retourne.chart" else one.type
        for one in elements
    ]
    return [name for name in names if name in kinds]


@pytest.mark.parametrize(
    "query", [{}, {"view": "missed"}, {"view": "winning"}, {"game": "Coinche", "view": "contracts"}]
)
def test_a_figure_of_announcements_has_one_sentence_above_it(
    every_game: Path, open_page: Open, query: dict[str, str]
) -> None:
    app = open_page("annonces", lang="en", **query)
    shown = order(app, "chart", "caption", "button_group", "bidi_component")
    above = shown[: shown.index("chart")]
    assert above[-1] == "caption"
    assert above.count("caption") == 1
    assert above.count("button_group") <= 1  # the choice of views; what is left out is below


@pytest.mark.parametrize("days", [1, 2, 6])
def test_a_day_of_an_axis_is_labelled_once_however_few_there_are(days: int) -> None:
    some = [date(2026, 3, 1) + timedelta(days=one) for one in range(days)]
    axis = date_axis(some, FORM)
    assert axis["dtick"] == 24 * 60 * 60 * 1000
    low, high = axis["range"]
    assert low < some[0]
    assert high > some[-1]


def test_many_days_are_labelled_as_there_is_room() -> None:
    axis = date_axis([date(2026, 3, 1), date(2026, 9, 1)], FORM)
    assert "dtick" not in axis
    assert axis["nticks"] == 6
    assert "range" not in date_axis([], FORM)


def test_a_test_of_a_shuffle_is_named_beside_its_source_where_a_telephone_shows_it() -> None:
    assert [column.label for column in COLUMNS[:3]] == ["Source", "Test", "Verdict"]
