"""A phone shows data first: filters behind one button, set filters as chips, a table's rest
on a tap.
"""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.widgets import browser
from tests.dashboard.conftest import Open
from tests.dashboard.tables import given_of, tables_of


@pytest.fixture
def telephone(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """As `open_page`, in a window as narrow as a telephone's."""
    monkeypatch.setattr(browser, "is_narrow", lambda: True)
    return open_page


def folds(app: AppTest) -> list[str]:
    """What the buttons that open filters say, of which nothing is read as markup."""
    return [re.sub(r"\\(.)", r"\1", one.proto.popover.label) for one in app.main.get("popover")]


def chips(app: AppTest) -> list[str]:
    """The filters that the page shows as set, of which nothing is read as markup."""
    return [re.sub(r"\\(.)", r"\1", one.label) for one in app.button if (one.key or "").startswith("chip-")]


@pytest.mark.parametrize(
    ("page", "query", "label", "set_now"),
    [
        ("rencontres", {}, "Filters", []),
        ("rencontres", {"game": "Coinche", "status": "legal"}, "Filters", ["Coinche", "legal"]),
        ("rencontres", {"event": "<b>*Cup*"}, "Filters", ["<b>*Cup*"]),
        ("donnees", {"game": "Coinche"}, "Filters", ["Coinche"]),
        ("joueurs", {}, "Filters · Chouine", []),
        ("joueurs", {"game": "Coinche"}, "Filters", ["Coinche"]),
        ("annonces", {"since": "2026-03-01"}, "Filters · Chouine", ["from 2026-03-01"]),
        ("melange", {}, "Filters · Chouine", []),
        ("classement", {"until": "2026-03-01"}, "Filters", ["up to 2026-03-01"]),
    ],
)
def test_filters_fold_into_one_button_and_those_set_are_chips(
    every_game: Path, telephone: Open, page: str, query: dict[str, str], label: str, set_now: list[str]
) -> None:
    app = telephone(page, lang="en", **query)
    assert folds(app) == [label]
    assert chips(app) == set_now


def test_a_chip_takes_back_its_own_value_alone(every_game: Path, open_page: Open) -> None:
    app = open_page("rencontres", lang="en", game="Chouine", player=["jean", "marcel"], since="2026-01-01")
    assert chips(app) == ["Jean", "Marcel", "from 2026-01-01"]  # a wide page shows the game
    app.button(key="chip-player-0").click().run()
    assert chips(app) == ["Marcel", "from 2026-01-01"]
    app.button(key="chip-since-0").click().run()
    assert chips(app) == ["Marcel"]
    assert {"since", "game"} & set(app.query_params) == {"game"}


def test_filters_are_taken_back_by_one_button(every_game: Path, telephone: Open) -> None:
    app = telephone("rencontres", lang="en", game="Coinche", preset="tournoi-2018", q="a", page="1")
    app.button(key="clear-filters").click().run()
    assert folds(app) == ["Filters"]
    assert set(app.query_params) >= {"q"}
    assert not {"game", "preset"} & set(app.query_params)
    assert len(set(tables_of(app)[0]["Game"])) > 1
    assert not [one for one in app.button if one.key == "clear-filters"]
    app = telephone("annonces", lang="en", game="Chouineurs", since="2026-03-01")
    app.button(key="clear-filters").click().run()
    assert folds(app) == ["Filters · Chouine"]


def test_a_telephone_shows_the_first_columns_and_the_rest_on_a_tap(every_game: Path, telephone: Open) -> None:
    """The browser hides the later ones where there is no room, and has a button for them."""
    [(_, result)] = given_of(telephone("rencontres"))
    assert result["all"] == "Toutes les colonnes"
    assert [one["later"] for one in result["columns"]] == [
        place >= 4 for place in range(len(result["columns"]))
    ]
    assert len(result["columns"]) > 4


def test_a_wide_window_shows_filters_and_columns_at_once(every_game: Path, open_page: Open) -> None:
    app = open_page("rencontres", lang="en")
    assert folds(app) == ["More filters"]
    assert not given_of(app)[0][1]["columns"][3]["later"]
