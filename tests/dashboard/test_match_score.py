"""The score of a match in lists: first what decides it, then the points within it."""

from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from dashboard.games import match_score
from dashboard.queries import matches
from dashboard.text.definitions import SHARED_DEFINITIONS
from dashboard.text.labels import result_letter
from ingest.i18n import translator
from tests.dashboard.tables import tables_of

EN = translator("en", "dashboard")


def row(
    points: Sequence[int], manches: Sequence[int] | None, winner: int | None, game: str = "chouine"
) -> dict[str, Any]:
    return {"score": points, "manches_won": manches, "winning_side": winner, "game": game}


@pytest.mark.parametrize(
    ("points", "manches", "winner", "sentence"),
    [
        ([12, 11], [1, 2], 2, "1 – 2 (12 – 11)"),  # who won fewer parties won the match
        ([10, 2], [2, 0], 1, "2 – 0 (10 – 2)"),
        ([5, 3], [1, 0], 1, "5 – 3"),  # a match of one manche
        ([5, 3], [1, 0], None, "1 – 0 (5 – 3)"),  # unfinished: there are more manches to come
        ([3, 2], [0, 0], None, "3 – 2"),
        ([11, 12], [1, 1], 1, "11 – 12"),  # a log that begins after a manche Jean won
    ],
)
def test_ch_25_manches_decide_a_match_so_they_come_first(
    points: list[int], manches: list[int], winner: int | None, sentence: str
) -> None:
    assert match_score(row(points, manches, winner), EN) == sentence


def test_a_game_without_manches_tells_what_it_counts() -> None:
    points = row([1010, 840, 1010, 840], None, 1, "coinche")
    assert match_score(points, EN) == "1,010 – 840"
    assert match_score(points, translator("fr", "dashboard")) == "1\N{NARROW NO-BREAK SPACE}010 – 840"
    assert match_score(row([], None, None, "nobody knows"), EN) == ""


@pytest.mark.slow
def test_the_winner_is_ahead_in_every_score_of_a_list(cursor: duckdb.DuckDBPyConnection) -> None:
    found = matches.match_page(cursor).filter(winning_side=1, status="legal")
    assert found.height
    for one in [*found.iter_rows(named=True)]:
        ours, theirs = match_score(one, EN).split(" (")[0].split(" – ")
        assert int(ours) > int(theirs)


def test_the_page_of_matches_shows_manches(games, open_page) -> None:
    scores = tables_of(open_page("rencontres", lang="en"))[0]["Score"]
    assert any(" (" in one for one in scores)


def test_the_result_of_a_match_that_is_not_legal_stands_in_brackets_as_its_definition_says() -> None:
    match = {"winning_side": 1, "seats": [7, 8], "game": "chouine", "status": "legal"}
    assert [result_letter(match, player, EN) for player in (7, 8, 9)] == ["W", "L", "–"]
    for status in ("unverified", "irregular"):
        assert result_letter({**match, "status": status}, 7, EN) == "(W)"
    assert "in brackets" in SHARED_DEFINITIONS["form"].text


def test_a_result_in_brackets_is_not_in_the_form_of_a_profile(games, open_page) -> None:
    app = open_page("rencontres", player="Jean", lang="en")
    [table] = tables_of(app)
    legal = table["Verdict"] == "legal"
    assert not table["Result"][legal].str.startswith("(").any()
    assert not (~legal & table["Result"].isin(["W", "L", "D"])).any()
