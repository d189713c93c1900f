"""What tables and pages ask of a game: those that ship say all of it, and another may be added."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.games import (
    chouine,
    chouineurs,
    coinche,
    is_suitless,
    of,
    titles,
    with_sections,
)
from dashboard.queries import results
from dashboard.tables.players import players_columns
from dashboard.tables.profile import SECTIONS, Section, heading, measure, on_page
from dashboard.text.columns import Column, N
from dashboard.views.profile import offered
from dashboard.views.verify.session import example, small_logs
from engine.games import names
from ingest.findings.spoken_notation import kinds
from ingest.i18n import games_of, translator
from tests.dashboard.conftest import Open
from tests.dashboard.tables import tables_of
from tests.ingest.conftest import Command, retourne
from tests.newgame import registered

__all__ = ["retourne"]  # the fixture

EN, FR = translator("en", "dashboard"), translator("fr", "dashboard")
SHIPPED = (chouine.GAME, coinche.GAME, chouineurs.GAME)


@pytest.fixture
def added() -> Iterator[str]:
    """A game that ships with nobody."""
    with registered() as name:
        yield name


def test_each_game_that_ships_is_asked_by_its_name() -> None:
    assert [of(name) for name in names()] == [*SHIPPED]
    assert titles() == {name: name.capitalize() for name in names()}


def test_sections_a_game_names_are_sections_there_are() -> None:
    for name in names():
        own_sections = {one for one in of(name).SECTIONS if not SECTIONS[one].everywhere}
        assert own_sections == set(of(name).SECTIONS)
        assert set(of(name).SECTION_HEADINGS) <= set(SECTIONS)
    assert set(with_sections("announcements", "contracts")) == {"chouine", "coinche"}


def test_every_section_but_the_head_stands_in_one_view() -> None:
    every = [
        section for name in names() for view in offered(name) for section in on_page(view, name)
    ]
    assert set(every) == {name for name, one in SECTIONS.items() if one.page is not None}
    assert set(SECTIONS) - set(every) == {"player", "left-out"}
    for name in names():
        shown = [section for view in offered(name) for section in on_page(view, name)]
        assert len(shown) == len(set(shown))


def test_only_quintes_and_trentes_have_no_suit() -> None:
    assert {kind for kind in kinds() if is_suitless(kind)} == {"quinte", "trente"}


def test_another_game_has_what_every_game_has(added: str) -> None:
    assert titles()[added] == "Brelin"
    assert {"results", "points", "records"} < set(offered(added))
    assert "luck" not in offered(added)
    assert heading("contracts", added, EN) == "Tricks bid"
    assert heading("results", added, EN) == "By seat and deal"
    assert measure({"measure": "bonus", "game": added}, EN) == "Points of pairs"
    assert measure({"measure": "tricks", "game": added}, EN) == "Tricks taken"
    labels = [column.label for column in players_columns(added)]
    assert labels[:3] == ["Rank", "Name", "Share won"]
    assert "Average points" in labels
    assert not is_suitless("pair")
    assert added in with_sections("announcements", "contracts")


def test_another_game_is_named_on_the_pages(added: str, games: Path, open_page: Open) -> None:
    home = open_page(lang="en")
    assert "of Chouine, Coinche, Chouineurs and Brelin from" in home.markdown[0].value
    assert open_page("parties", lang="en").selectbox(key="game").options[-1] == "Brelin"


def test_another_game_may_be_asked_for_in_the_terminal(
    added: str, games: Path, retourne: Command
) -> None:
    words = ("stats", "--store", games, "--lang", "en", "--game")
    assert "no deal of that game" in retourne(*words, added).err
    assert "--game must be one of chouine, coinche, chouineurs, brelin." in (
        retourne(*words, "tarot").err
    )


def test_games_are_listed_as_each_language_lists_them() -> None:
    assert games_of(["Chouine"], FR) == "Chouine"
    assert games_of(["Chouine", "Coinche"], EN) == "Chouine and Coinche"
    assert games_of([*titles().values()], FR) == "Chouine, de Coinche et de Chouineurs"


def test_examples_are_the_games_own_and_one_of_no_game() -> None:
    assert small_logs() == ("coinche/under-ruff", "chouineurs/must-follow", "document/schema")
    assert example(len(small_logs()) + 1) == example(0)


@pytest.fixture
def card_points(monkeypatch: pytest.MonkeyPatch) -> str:
    """A section nobody has heard of, in the view of points; its heading."""
    column = Column("Group", lambda row, t: row["what"])
    section = Section("Card points", results.manches, (column, N), page=("points", 9))
    monkeypatch.setitem(SECTIONS, "card-points", section)
    return section.heading


def test_a_new_section_is_one_record_on_the_page(
    card_points: str, games: Path, open_page: Open
) -> None:
    app = open_page("joueurs", player="jean", game="Chouine", view="points", lang="en")
    assert app.header[-1].value == card_points
    assert list(tables_of(app)[-1]) == ["Group", "n"]


@pytest.mark.slow
def test_a_new_section_is_one_record_in_the_terminal(
    card_points: str, games: Path, retourne: Command
) -> None:
    told = retourne("stats", "Jean", "--store", games, "--lang", "en").out
    assert told.index("Records") < told.index(card_points)
