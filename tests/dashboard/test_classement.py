"""The ladder's page: rated when it is opened, searched, at a date, one player's way."""

import json
from datetime import date
from io import BytesIO
from pathlib import Path

from dashboard.queries import ladder as queries
from dashboard.queries import people
from ingest import ladder
from ingest.road import ingest
from ingest.store import Store
from tests.dashboard.conftest import HOSTILE, LONG, NAMES, Open, documents
from tests.dashboard.test_duels import fill, won_by


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


def test_a_players_way_lists_the_matches_rated(path: Path, open_page: Open) -> None:
    # Lucie won on the 1st and the 3rd of March, Marcel on the 2nd
    fill(path, won_by(1, 1), won_by(2, 2), won_by(1, 3))
    for lang, until, won in (
        ("en", "", ["yes", "no", "yes"]),
        ("fr", "2026-03-02", ["non", "oui"]),
    ):
        app = open_page("classement", lang=lang, until=until)
        table = app.dataframe[0].value
        name, worth = (
            ("Name", "At least (μ − 3σ)") if lang == "en" else ("Nom", "Au moins (μ − 3σ)")
        )
        row = table[name].to_list().index("Lucie")
        app.session_state["standings"] = {"selection": {"rows": [row], "columns": []}}
        app.run()
        assert not app.exception
        [listed] = [one.value for one in app.dataframe if "open" in one.value]
        assert listed["Won" if lang == "en" else "Gagnées"].to_list() == won
        place = [1 if one in ("yes", "oui") else 2 for one in won]
        assert listed["Place"].to_list() == place
        for column in (worth, "μ", "σ"):  # after the last match, where the player stands
            assert listed[column][0] == table[column][row]
        assert set(listed["open"]) == {"Replay" if lang == "en" else "Relecture"}
        days = listed["Played on" if lang == "en" else "Jouée le"].to_list()
        assert days[-1] == ("2026-03-01" if lang == "en" else "01/03/2026")


def test_a_way_ends_on_a_day_and_knows_who_won(path: Path) -> None:
    fill(path, won_by(1, 1), won_by(2, 2), won_by(1, 3))
    with Store(path) as store:
        ladder.refresh(store)
        ask = store.cursor()
        found = people.known(ask, "lucie")
        assert found is not None
        asked = (ask, found[0], "chouine", "lavardin")
        whole = queries.history(*asked)
        assert whole.select("rank", "won").rows() == [(1, True), (2, False), (1, True)]
        assert queries.history(*asked, date(2026, 3, 2)).equals(whole[:2])
        for player in queries.standings(*asked[:1], *asked[2:]).iter_rows(named=True):
            way = queries.history(ask, player["player_no"], *asked[2:])
            assert (way.height, way["won"].sum()) == (player["n"], player["wins"])
