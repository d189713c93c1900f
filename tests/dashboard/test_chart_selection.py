"""A point or a bar of a figure that is chosen lists the games it counts."""

from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.figures import announcement_charts as announced
from dashboard.figures import announcement_charts as contracted
from dashboard.figures import player_charts as drawing
from dashboard.figures import player_charts as ranked
from dashboard.queries import announcements, contracts, ladder, player_deals, player_search, results
from dashboard.queries.scope import Scope
from dashboard.widgets import current_store as resources
from dashboard.widgets.chart import ChartPoint, find_point
from ingest.i18n import translator
from ingest.store.ratings import refresh_ratings
from tests.dashboard.conftest import Open
from tests.dashboard.tables import open_row, tables_of

EN = translator("en", "dashboard")


def selection(row: int, trace: int = 0) -> dict[str, Any]:
    """The state of a chart whose point was clicked."""
    return {"point": {"row": row, "trace": trace}}


def click(app: Any, key: str, row: int, trace: int = 0) -> Any:
    app.session_state[key] = selection(row, trace)
    app.run()
    assert not app.exception
    return app


def found(app: Any, n: int, what: str = "Deals") -> bool:
    return f"{what} found: {n}" in [one.value for one in app.caption]


def jean() -> int:
    number = player_search.find_player(resources.page_cursor(), "Jean")
    assert number is not None
    return number


def test_a_point_counts_while_its_row_exists() -> None:
    assert find_point({"row": 3, "trace": 1}, 4) == ChartPoint(3, 1)
    assert find_point({"row": 4, "trace": 1}, 4) is None  # other filters leave fewer rows
    assert find_point(None, 4) is None
    assert find_point({"row": "3", "trace": 1}, 4) is None
    assert find_point({"trace": 1}, 4) is None


def rows(figure: go.Figure) -> list[tuple[Any, int]]:
    """Of each point or bar: where it stands, and the row of the frame that it tells."""
    return [
        (place, data[-1])
        for trace in figure.data
        if trace.customdata is not None
        for place, data in zip(trace.x, trace.customdata, strict=True)
    ]


def test_each_point_tells_its_own_row(every_game: Path, open_page: Open) -> None:
    open_page("accueil")
    cursor, scope, coinche = resources.page_cursor(), Scope(), Scope("coinche", 4)
    kinds = announcements.announcement_frequencies(cursor, scope)
    assert sorted(rows(announced.frequency_figure(kinds))) == sorted(
        (kind, row) for row, kind in enumerate(kinds["kind"])
    )
    trend = results.win_trend(cursor, scope, jean())
    assert rows(drawing.trend_figure(trend)) == [(day, row) for row, day in enumerate(trend["day"])]
    heights = contracts.contracts(cursor, coinche)
    items = [contracted.bid_label(level) for level in heights["level"]]
    assert {(items[row], row) for _, row in rows(contracted.contracts_figure(heights))} == {
        (str(place), row) for place, row in rows(contracted.contracts_figure(heights))
    }
    refresh_ratings(resources.open_store())
    way = ladder.rating_history(cursor, jean(), Scope("chouine", 0, "lavardin"))
    assert [row for _, row in rows(ranked.rating_figure(way))] == list(range(way.height))


def test_a_point_of_the_trend_lists_the_last_deals_up_to_its_day(games: Path, open_page: Open) -> None:
    app = open_page("joueurs", player="jean", game="Chouine", lang="en")
    cursor = resources.page_cursor()
    trend = results.win_trend(cursor, Scope(), jean())
    every = player_deals.list_deals(cursor, Scope(), jean(), limit=1000)
    assert trend.height > 1
    for row, (day, n) in enumerate(trend.select("day", "n").rows()):
        until = [one for one in every.iter_rows(named=True) if one["played_on"] <= day]
        click(app, "drawn-trend", row, trace=2)
        assert found(app, n)
        shown = next(one for one in tables_of(app) if "open" in one)
        assert shown["Deal"].to_list() == [one["deal_number"] for one in until[:n]][:25]
        assert shown["Played on"].to_list()[0] == f"{day:%Y-%m-%d}"


def test_a_bar_lists_the_deals_of_its_points_won_or_lost(games: Path, open_page: Open) -> None:
    app = open_page("joueurs", player="jean", game="Chouine", view="points", lang="en")
    spread = results.points_distribution(resources.page_cursor(), Scope(), jean())
    both = [
        (row, trace, n)
        for row, (n, wins) in enumerate(spread.select("n", "wins").rows())
        for trace, n in ((0, wins), (1, n - wins))
        if n
    ]
    for row, trace, n in (both[0], both[-1]):
        assert found(click(app, "drawn-points", row, trace), n)
        shown = next(one for one in tables_of(app) if "open" in one)
        least, most = spread.select("least", "most").row(row)
        assert all(least <= one <= most for one in shown["Points"])
        assert set(shown["Result"]) == {"W" if trace == 0 else "L"}


@pytest.mark.parametrize("view", ["frequency", "missed", "winning"])
def test_a_point_of_announcements_lists_what_its_row_of_the_table_does(
    games: Path, open_page: Open, view: str
) -> None:
    app = open_page("annonces", view=view, game="Chouine", lang="en")
    fact = "missed" if view == "missed" else "counted"
    column = {"frequency": "Counted", "missed": "Unannounced", "winning": "Hands with it"}[view]
    table = next(one for one in tables_of(app) if column in one)
    row = table[column].to_list().index(max(table[column]))
    assert found(click(app, f"drawn-{fact}-None", row), table[column][row])


def test_a_point_of_the_ladder_lists_its_match(games: Path, open_page: Open) -> None:
    app = open_page("classement", ladder="Chouine · lavardin", lang="en")
    number = jean()
    way = ladder.rating_history(resources.page_cursor(), number, Scope("chouine", 0, "lavardin"))
    place = tables_of(app)[0]["Name"].to_list().index("Jean")
    open_row(app, "standings", place)
    click(app, f"drawn-{number}", 1, trace=2)
    assert found(app, 1, "Matches")
    shown = next(one for one in tables_of(app) if "open" in one)
    assert shown["Played on"].to_list() == [f"{way['played_on'][1]:%Y-%m-%d}"]
