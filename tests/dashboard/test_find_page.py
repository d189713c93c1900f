"""The page that finds deals: its line, the widgets that write into it, what it shows."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.queries import find, player_search
from dashboard.queries.find import single_play
from dashboard.store import open_store
from dashboard.tables import saved_searches
from dashboard.views import find as views_find
from dashboard.views.find import EXAMPLES
from ingest.store import pseudonyms
from ingest.store.factory import Store
from tests.dashboard.conftest import Open
from tests.dashboard.tables import tables_of


def deals_of(app: AppTest) -> list[dict[str, Any]]:
    """The deals that a page shows."""
    found = [one for one in app.get("bidi_component") if one.proto.component_name == "retourne.found"]
    return list(json.loads(found[0].proto.json)["deals"]) if found else []


def line_of(app: AppTest) -> str:
    return str(app.text_input(key="q").value)


def test_a_link_shows_the_deals_that_a_search_finds(games: Path, open_page: Open) -> None:
    app = open_page("chercher", q="game:chouine trick:2 led", lang="en")
    wanted = find.find_deals(open_store().cursor(), find.read_search("game:chouine trick:2 led"))
    assert wanted.total
    assert f"Deals found: {wanted.total} · " in app.main.caption[0].value
    shown = deals_of(app)
    rows = wanted.deals.to_dicts()
    assert len(shown) == len(rows) == min(wanted.total, 10)
    for deal, row in zip(shown, rows, strict=True):
        query = parse_qs(urlsplit(deal["href"]).query)
        assert (query["match"], query["deal"]) == ([row["match_id"]], [str(row["deal_number"])])
        assert query["ply"] == [str(row["action_number"])]
        at = f"/r/{row['match_id']}/{row['deal_number']}/{row['action_number']}.png"
        assert urlsplit(deal["picture"]).path == at
        names = [one["text"] for one in deal["names"] if one["found"]]
        assert names == [row["names"][seat - 1] for seat in row["seats"]]


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_example_can_be_read_and_is_put_into_the_line(games: Path, open_page: Open, lang: str) -> None:
    for place in range(len(EXAMPLES)):
        app = open_page("chercher", lang=lang)
        app.button(key=f"example-{place}").click().run()
        assert not app.exception
        assert not app.warning
        assert line_of(app)


def test_widgets_add_words_in_the_language_of_the_page(games: Path, open_page: Open) -> None:
    app = open_page("chercher", lang="fr", q="perdu")
    app.selectbox(key="add-player").select("Jean").run()
    assert line_of(app) == "perdu joueur:Jean"
    assert app.selectbox(key="add-player").value is None
    app.selectbox(key="add-announced").select("tierce").run()
    assert line_of(app) == "perdu joueur:Jean annonce:tierce"
    app.button(key="flag-took").click().run()
    assert line_of(app) == "perdu joueur:Jean annonce:tierce ramasse"
    app.button(key="flag-or").click().run()
    app.selectbox(key="add-event").select_index(0).run()
    event = app.selectbox(key="add-event").options[0]
    assert line_of(app) == f'perdu joueur:Jean annonce:tierce ramasse ou evenement:"{event}"'
    assert not app.exception
    assert not app.warning


def test_cards_are_clicked_for_a_hand(games: Path, open_page: Open) -> None:
    app = open_page("chercher", lang="en")
    assert app.button(key="cards-hand").disabled
    app.button_group(key="cards-t").select("7t").run()
    app.button_group(key="cards-h").select("Ah").run()
    app.button(key="cards-hand").click().run()
    assert line_of(app) == "hand:7t,Ah"
    assert not app.warning
    assert app.button(key="cards-hand").disabled


@pytest.mark.parametrize(
    ("search", "answer"),
    [
        ("wonn", "No word of a search is called “wonn” (character 1). Did you mean won?"),
        ("player:Jeam", "No player is called “Jeam” (character 8). Did you mean Jean?"),
        ("won (lost", "The bracket at character 5 is not closed."),
    ],
)
def test_a_search_that_cannot_be_read_is_answered(
    games: Path, open_page: Open, search: str, answer: str
) -> None:
    app = open_page("chercher", q=search, lang="en")
    assert app.warning[0].value.replace("\\", "") == answer
    assert not deals_of(app)


def test_a_search_that_finds_nothing_shows_so(games: Path, open_page: Open) -> None:
    app = open_page("chercher", q="date:1900", lang="en")
    assert app.info[0].value == "No deal of the store matches this search."
    assert not deals_of(app)


def test_a_masked_player_is_neither_offered_nor_shown(games: Path, open_page: Open) -> None:
    with Store(games) as store:
        [(number, _)] = player_search.find_exact(store.cursor(), "Jean")
        pseudonyms.mask_player(store, number)
    app = open_page("chercher", q="won or lost", lang="en")
    assert "Jean" not in app.selectbox(key="add-player").options
    assert deals_of(app)
    assert "Jean" not in json.dumps(deals_of(app))
    app = open_page("chercher", q="player:Jean", lang="en")
    assert "No player is called “Jean”" in app.warning[0].value.replace("\\", "")


def test_a_search_is_saved_listed_removed_and_restored(games: Path, open_page: Open) -> None:
    app = open_page("chercher", q="trick:2 led", lang="en")
    app.text_input(key="search-name").set_value("Second *trick*").run()
    app.button(key="save-this-search").click().run()
    assert not app.exception
    app = open_page("chercher", lang="en")
    [row] = [one for one in app.markdown if "deals.atom" in one.value]
    assert row.value == (
        "[Atom feed](/api/v1/searches/1/deals.atom?lang=en) · [CSV](/api/v1/searches/1/deals.csv)"
    )
    app.button(key="remove-search-1").click().run()
    assert saved_searches.list_searches(open_store().cursor()) == []
    assert not [one for one in app.markdown if "deals.atom" in one.value]
    app.button(key="restore-search-1").click().run()
    [one] = saved_searches.list_searches(open_store().cursor())
    assert (one.name, one.search) == ("Second *trick*", "trick:2 led")
    assert [one for one in app.markdown if "deals.atom" in one.value]


def test_a_count_that_was_not_finished_is_shown_as_such(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views_find, "COUNT_SECONDS", (0, 600))  # the first part is read whole
    monkeypatch.setattr(single_play, "FIRST_PART", 5)
    cursor = open_store().cursor()
    every = find.find_deals(cursor, find.read_search("trick:2 led"), 500)
    some = find.find_deals(cursor, find.read_search("trick:2 led"), 500, seconds=0)
    assert every.is_counted
    assert not some.is_counted
    assert some.deals.equals(every.deals.head(some.total or 0))
    app = open_page("chercher", q="trick:2 led", lang="en")
    text = f"Deals found: {some.total} in the {some.read} matches played last, perhaps more in others · "
    assert text in app.main.caption[0].value
    assert len(deals_of(app)) == min(10, some.total or 0)
    app = open_page("chercher", q="trick:2 led played:6t holding:6t,7t,8t,9t,Jt", lang="en")
    assert app.info[0].value.startswith(f"No deal found in the {some.read} matches played last")
    app.button(key="count-on-button").click().run()
    assert app.info[0].value.startswith("No deal of the store matches")


def test_what_was_played_in_a_position_is_shown(games: Path, open_page: Open) -> None:
    text = "game:chouine player_count:2 position:At"
    found = find.find_deals(open_store().cursor(), find.read_search(text))
    assert found.played is not None
    [row] = found.played.to_dicts()
    app = open_page("chercher", q=text, lang="en")
    [table, _] = tables_of(app)
    assert table.iloc[0].tolist()[:3] == ["A trump", row["n"], 1.0]
    app.button(key="no-position").click().run()
    assert line_of(app) == "game:chouine player_count:2"


def test_the_deals_found_are_drawn_by_month(games: Path, open_page: Open) -> None:
    app = open_page("chercher", q="player:Jean won", lang="en")
    app.toggle(key="by-month").set_value(True).run()
    assert not app.exception
    months = find.count_by_month(open_store().cursor(), find.read_search("player:Jean won"))
    [chart] = [one for one in app.get("bidi_component") if one.proto.component_name == "retourne.chart"]
    [drawn] = json.loads(chart.proto.json)["figure"]["data"]
    assert drawn["customdata"] == months["deals"].to_list()
