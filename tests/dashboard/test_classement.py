"""The ladder's page: rated when it is opened, searched, at a date, one player's way."""

import json
from io import BytesIO
from pathlib import Path

from dashboard.queries import ladder as queries
from ingest import ladder
from ingest.road import ingest
from ingest.store import Store
from tests.dashboard.conftest import HOSTILE, LONG, NAMES, Open, documents


def values(app, column):
    return app.dataframe[0].value[column].to_list()


def test_an_empty_store_says_what_a_ladder_takes(open_page):
    app = open_page("classement")
    assert "terminée et datée" in app.info[0].value
    assert "Déposer" in [link.label for link in app.get("page_link")]


def test_every_player_stands_on_the_ladder_under_the_name_as_it_is(
    games: Path, open_page: Open
) -> None:
    app = open_page("classement")
    assert set(values(app, "Nom")) == set(NAMES)
    assert values(app, "Rang") == sorted(values(app, "Rang"))
    assert set(values(app, "Statut")) == {"provisoire"}
    assert app.selectbox[0].value == "Chouine · lavardin"
    assert "non régulières" in app.caption[0].value


def test_ladder_in_english(games: Path, open_page: Open) -> None:
    app = open_page("classement", lang="en")
    assert app.title[0].value == "Ladder"
    assert set(values(app, "Standing")) == {"provisional"}


def test_ladder_as_it_stood_on_a_day(games: Path, open_page: Open) -> None:
    app = open_page("classement", until="2026-03-01")
    assert set(values(app, "Nom")) == set(NAMES[:2])  # those of the first match alone


def test_a_name_that_is_code_is_found_and_nobody_is_told(games: Path, open_page: Open) -> None:
    for name in (HOSTILE, LONG):
        assert values(open_page("classement", name=name), "Nom") == [name]
    assert "Personne" in open_page("classement", name="nobody").info[0].value


def test_an_address_nobody_wrote_is_no_traceback(games: Path, open_page: Open) -> None:
    open_page("classement", ladder="Bridge · acol", until="yesterday")


def test_standings_are_worked_out_from_the_last_rating(games: Path) -> None:
    with Store(games) as store:
        ladder.refresh(store)
        ask = store.cursor()
        frame = queries.standings(ask, "chouine", "lavardin")
        first = frame.row(0, named=True)
        way = queries.history(ask, first["player_no"], "chouine", "lavardin")
        assert way.height == first["n"]
        assert way["mu"][-1] == first["mu"]
        assert first["value"] == first["mu"] - 3 * first["sigma"]
        assert queries.left_out(ask, "chouine", "lavardin")["faulty"] == 2
        assert queries.count(ask, "chouine", "lavardin") == frame.height


def test_a_late_upload_is_on_the_ladder_when_the_page_is_opened_again(
    games: Path, open_page: Open
) -> None:
    app = open_page("classement")
    before = sum(values(app, "Rencontres"))
    late = dict(documents()[0], id="late", played_at="2026-02-01T14:00:00Z")
    from dashboard import resources

    resources.close()
    with Store(games) as store:
        list(ingest(store, [("late.jsonl", BytesIO(json.dumps(late).encode()))]))
    assert sum(values(open_page("classement"), "Rencontres")) == before + 2
