"""What tables and pages need of a game: each that ships has it, and another can be registered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.games import (
    belote,
    chouine,
    chouineurs,
    coinche,
    game_titles,
    game_view,
    games_with_sections,
    is_suitless,
)
from dashboard.queries import results
from dashboard.tables.player_tables import players_columns
from dashboard.tables.profile import SECTIONS, Section, measure_text, section_heading, sections_in_view
from dashboard.text.columns import N_COLUMN, Column
from dashboard.views.profile import views_of
from dashboard.views.validator.check_session import example_log, faulty_samples
from engine.games import game_names
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import join_game_titles, translator
from tests.dashboard.conftest import Open
from tests.dashboard.tables import tables_of
from tests.ingest.conftest import Command, retourne
from tests.newgame import registered

__all__ = ["retourne"]  # the fixture

EN, FR = translator("en", "dashboard"), translator("fr", "dashboard")
SHIPPED = (chouine.GAME, coinche.GAME, chouineurs.GAME, belote.GAME)


@pytest.fixture
def added() -> Iterator[str]:
    """A game that ships with nobody."""
    with registered() as name:
        yield name


def test_each_game_that_ships_is_asked_by_its_name() -> None:
    assert [game_view(name) for name in game_names()] == [*SHIPPED]
    assert game_titles() == {name: name.capitalize() for name in game_names()}


def test_sections_a_game_names_are_sections_there_are() -> None:
    for name in game_names():
        own_sections = {one for one in game_view(name).SECTIONS if not SECTIONS[one].in_every_game}
        assert own_sections == set(game_view(name).SECTIONS)
        assert set(game_view(name).SECTION_HEADINGS) <= set(SECTIONS)
    assert set(games_with_sections("announcements", "contracts")) == {"chouine", "coinche", "belote"}


def test_every_section_but_the_head_stands_in_one_view() -> None:
    every = [
        section
        for name in game_names()
        for view in views_of(name)
        for section in sections_in_view(view, name)
    ]
    assert set(every) == {name for name, one in SECTIONS.items() if one.page_position is not None}
    assert set(SECTIONS) - set(every) == {"player", "left-out"}
    for name in game_names():
        shown = [section for view in views_of(name) for section in sections_in_view(view, name)]
        assert len(shown) == len(set(shown))


def test_only_quintes_trentes_and_carres_have_no_suit() -> None:
    assert {kind for kind in announcement_kinds() if is_suitless(kind)} == {"quinte", "trente", "carre"}


def test_another_game_has_what_every_game_has(added: str) -> None:
    assert game_titles()[added] == "Brelin"
    assert {"results", "points", "records"} < set(views_of(added))
    assert "luck" not in views_of(added)
    assert section_heading("contracts", added, EN) == "Tricks bid"
    assert section_heading("results", added, EN) == "By seat and deal"
    assert measure_text({"measure": "bonus", "game": added}, EN) == "Points of pairs"
    assert measure_text({"measure": "tricks", "game": added}, EN) == "Tricks taken"
    labels = [column.label for column in players_columns(added)]
    assert labels[:3] == ["Rank", "Name", "Deals won"]
    assert "Average points" in labels
    assert not is_suitless("pair")
    assert added in games_with_sections("announcements", "contracts")


def test_another_game_is_named_on_the_pages(added: str, games: Path, open_page: Open) -> None:
    home = open_page(lang="en")
    assert "for Chouine, Coinche, Chouineurs, Belote and Brelin." in home.markdown[0].value
    assert open_page("rencontres", lang="en").selectbox(key="game").options[-1] == "Brelin"


def test_another_game_may_be_asked_for_in_the_terminal(added: str, games: Path, retourne: Command) -> None:
    words = ("stats", "--store", games, "--lang", "en", "--game")
    assert "no deals of that game" in retourne(*words, added).err
    assert "--game must be one of chouine, coinche, chouineurs, belote, brelin." in (
        retourne(*words, "tarot").err
    )


def test_games_are_listed_as_each_language_lists_them() -> None:
    assert join_game_titles(["Chouine"], FR) == "Chouine"
    assert join_game_titles(["Chouine", "Coinche"], EN) == "Chouine and Coinche"
    assert (
        join_game_titles([*game_titles().values()], FR) == "Chouine, de Coinche, de Chouineurs et de Belote"
    )


def test_examples_are_the_games_own_and_one_of_no_game() -> None:
    assert faulty_samples() == (
        "coinche/under-ruff",
        "chouineurs/must-follow",
        "belote/must-beat",
        "document/schema",
    )
    assert example_log(len(faulty_samples()) + 1) == example_log(0)


@pytest.fixture
def card_points(monkeypatch: pytest.MonkeyPatch) -> str:
    """A section nobody has heard of, in the view of points; its heading."""
    column = Column("Group", lambda row, t: row["figure"])
    section = Section("Card points", results.match_results, (column, N_COLUMN), page_position=("points", 9))
    monkeypatch.setitem(SECTIONS, "card-points", section)
    return section.heading


def test_a_new_section_is_one_record_on_the_page(card_points: str, games: Path, open_page: Open) -> None:
    app = open_page("joueurs", player="jean", game="Chouine", view="points", lang="en")
    assert app.header[-1].value == card_points
    assert list(tables_of(app)[-1]) == ["Group", "n"]


@pytest.mark.slow
def test_a_new_section_is_one_record_in_the_terminal(
    card_points: str, games: Path, retourne: Command
) -> None:
    result = retourne("stats", "Jean", "--store", games, "--lang", "en").out
    assert result.index("Records") < result.index(card_points)
