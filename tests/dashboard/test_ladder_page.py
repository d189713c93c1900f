"""The page Ladder: rated when opened, searched, at a date, a player's rating over time."""

import json
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dashboard.queries import ladder as queries
from dashboard.queries import player_search
from dashboard.queries.scope import Scope
from dashboard.tables.player_tables import LADDER_COLUMNS, players_columns
from dashboard.views.players import FILTERED_NOTE
from engine.games import game_names
from ingest.i18n import translator
from ingest.store import ratings as ladder
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from tests.dashboard.conftest import HOSTILE, LONG, NAMES, Open, Stored, documents
from tests.dashboard.tables import charts_of, open_row, tables_of
from tests.dashboard.test_head_to_head import add, fill, sheet, won_by

LADDER = Scope("chouine", 0, "lavardin")


def values(app, column):
    return tables_of(app)[0][column].to_list()


def test_an_empty_store_says_what_a_ladder_takes(open_page):
    app = open_page("classement")
    assert "terminée et datée" in app.info[0].value
    assert "Déposer" in [link.label for link in app.get("page_link")]


def test_every_player_stands_on_the_ladder_under_the_name_as_it_is(games: Path, open_page: Open) -> None:
    app = open_page("classement")
    assert set(values(app, "Nom")) == set(NAMES)
    assert values(app, "Rang") == sorted(values(app, "Rang"))
    assert set(values(app, "Fiabilité")) == {"provisoire"}
    assert app.selectbox[0].value == "Chouine · lavardin"
    assert "non régulières" in app.caption[0].value


def test_ladder_in_english(games: Path, open_page: Open) -> None:
    app = open_page("classement", lang="en")
    assert app.title[0].value == "Ladder"
    assert set(values(app, "Standing")) == {"provisional"}
    low = values(app, "Level (μ ± 3σ)")
    assert low == sorted(low, reverse=True)


def test_ladder_as_it_stood_on_a_day(games: Path, open_page: Open) -> None:
    app = open_page("classement", until="2026-03-01")
    assert set(values(app, "Nom")) == set(NAMES[:2])  # those of the first match alone


def test_a_name_that_is_code_is_found_and_not_run(games: Path, open_page: Open) -> None:
    for name in (HOSTILE, LONG):
        assert values(open_page("classement", name=name), "Nom") == [name]
    assert "Aucun joueur" in open_page("classement", name="nobody").info[0].value


def test_an_address_nobody_wrote_is_no_traceback(games: Path, open_page: Open) -> None:
    open_page("classement", ladder="Bridge · acol", until="yesterday")


def test_standings_are_worked_out_from_the_last_rating(games: Path) -> None:
    with Store(games) as store:
        ladder.refresh_ratings(store)
        cursor = store.cursor()
        frame = queries.ladder_standings(cursor, LADDER)
        first = frame.row(0, named=True)
        way = queries.rating_history(cursor, first["player_no"], LADDER)
        assert way.height == first["n"]
        assert way["mu"][-1] == first["mu"]
        assert first["value"] == first["mu"] - 3 * first["sigma"]
        assert queries.unrated_counts(cursor, LADDER)["faulty"] == 2
        assert queries.count_standings(cursor, LADDER) == frame.height


def test_a_late_upload_is_on_the_ladder_once_it_is_rated(games: Path, open_page: Open) -> None:
    app = open_page("classement")
    before = sum(values(app, "Rencontres classées"))
    late = dict(documents()[0], id="late", played_at="2026-02-01T14:00:00Z")
    from dashboard import store as resources

    resources.close_store()
    with Store(games) as store:
        list(ingest(store, [("late.jsonl", BytesIO(json.dumps(late).encode()))], on_conflict=OnConflict.BOTH))
    assert sum(values(open_page("classement"), "Rencontres classées")) == before
    ladder.refresh_ratings(resources.open_store())
    assert sum(values(open_page("classement"), "Rencontres classées")) == before + 2


def test_a_players_way_lists_the_matches_rated(path: Path, open_page: Open) -> None:
    # Lucie won on the 1st and the 3rd of March, Marcel on the 2nd
    fill(path, won_by(1, 1), won_by(2, 2), won_by(1, 3))
    for lang, until, won in (("en", "", ["W", "L", "W"]), ("fr", "2026-03-02", ["D", "V"])):
        app = open_page("classement", lang=lang, until=until, details="true")
        table = tables_of(app)[0]
        name, worth = ("Name", "At least (μ − 3σ)") if lang == "en" else ("Nom", "Au moins (μ − 3σ)")
        row = table[name].to_list().index("Lucie")
        open_row(app, "standings", row)
        [listed] = [one for one in tables_of(app) if "open" in one]
        assert listed["Result" if lang == "en" else "Résultat"].to_list() == won
        place = [1 if one in ("W", "V") else 2 for one in won]
        assert listed["Rank" if lang == "en" else "Rang"].to_list() == place
        for column in (worth, "μ", "σ"):  # after the last match, where the player stands
            assert listed[column][0] == table[column][row]
        assert set(listed["open"]) == {"Replay" if lang == "en" else "Relecture"}
        days = listed["Played on" if lang == "en" else "Jouée le"].to_list()
        assert days[-1] == ("2026-03-01" if lang == "en" else "01/03/2026")


@pytest.mark.slow
def test_a_way_ends_on_a_day_and_knows_who_won(path: Path) -> None:
    fill(path, won_by(1, 1), won_by(2, 2), won_by(1, 3))
    with Store(path) as store:
        ladder.refresh_ratings(store)
        cursor = store.cursor()
        found = player_search.player_by_id(cursor, "lucie")
        assert found is not None
        whole = queries.rating_history(cursor, found[0], LADDER)
        assert whole.select("rank", "won").rows() == [(1, True), (2, False), (1, True)]
        until = replace(LADDER, until=date(2026, 3, 2))
        assert queries.rating_history(cursor, found[0], until).equals(whole[:2])
        for player in queries.ladder_standings(cursor, LADDER).iter_rows(named=True):
            way = queries.rating_history(cursor, player["player_no"], LADDER)
            assert (way.height, way["won"].sum()) == (player["n"], player["wins"])


# filters: of the one ladder, the players and matches looked at


def between(
    winner: str, loser: str, day: int, event: str | None = None, source: str | None = None
) -> dict[str, Any]:
    """A match in March of two players, by their names."""
    match = won_by(1, day) | {"players": [{"id": name.lower(), "name": name} for name in (winner, loser)]}
    fields = {"event": event, "source": source}
    return match | {key: {"name": name} for key, name in fields.items() if name}


@pytest.fixture
def club(stored: Stored) -> Path:
    """Four matches of two on the first days of March, and on the 20th one of three.

    That one was Odile's, against Lucie and Gaston.
    """
    matches = [
        between("Lucie", "Marcel", 1, event="Coupe", source="club"),
        between("Marcel", "Lucie", 2, event="Ligue", source="club"),
        between("Lucie", "Ana", 3, event="Coupe", source="site"),
        between("Ana", "Marcel", 4),
        sheet("match-a-trois"),
    ]
    # a partie that was not played to its end, and one nobody dated
    odd = [between("Lucie", "Marcel", 5, event="Coupe"), between("Ana", "Marcel", 6, source="site")]
    begun = {key: value for key, value in odd[0]["deals"][0].items() if key not in ("points", "winner")}
    odd[0]["deals"] = [begun | {"actions": begun["actions"][:3]}]
    del odd[1]["played_at"]

    def fill(store: Store) -> None:
        add(store, *matches)
        text = "\n".join(map(json.dumps, odd)).encode()
        [report] = list(ingest(store, [("odd.jsonl", BytesIO(text))], on_conflict=OnConflict.BOTH))
        assert (report.by_status["incomplete"], report.by_status["legal"]) == (1, 1)
        ladder.refresh_ratings(store)

    return stored("rivals", fill)


FILTERS: dict[str, tuple[dict[str, Any], dict[str, tuple[int, int, int]], tuple[int, int]]] = {
    "nothing": (
        {},
        {
            "Lucie": (4, 2, 20),
            "Marcel": (3, 1, 4),
            "Ana": (2, 1, 4),
            "Odile": (1, 1, 20),
            "Gaston": (1, 0, 20),
        },
        (1, 1),
    ),
    "since": (
        {"since": date(2026, 3, 4)},
        {"Ana": (1, 1, 4), "Marcel": (1, 0, 4), **dict.fromkeys(("Lucie", "Gaston"), (1, 0, 20))}
        | {"Odile": (1, 1, 20)},
        (1, 1),  # one without a date may be of any day
    ),
    "until": ({"until": date(2026, 3, 2)}, {"Lucie": (2, 1, 2), "Marcel": (2, 1, 2)}, (0, 1)),
    "event": ({"event": "Coupe"}, {"Lucie": (2, 2, 3), "Marcel": (1, 0, 1), "Ana": (1, 0, 3)}, (1, 0)),
    "source": ({"source": "site"}, {"Lucie": (1, 1, 3), "Ana": (1, 0, 3)}, (0, 1)),
    "opponent": ({"opponent": "ana"}, {"Lucie": (1, 1, 3), "Marcel": (1, 0, 4)}, (0, 1)),
    "table": (
        {"player_count": 3},
        {"Odile": (1, 1, 20), **dict.fromkeys(("Lucie", "Gaston"), (1, 0, 20))},
        (0, 0),
    ),
    "two of them": ({"event": "Coupe", "opponent": "marcel"}, {"Lucie": (1, 1, 1)}, (1, 0)),
    "nobody": ({"opponent": -1}, {}, (0, 0)),
}
"""Filters → of each player listed the matches, those won and the last day; left out: faulty and
undated ones."""


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_chooses_players_and_matches_and_moves_no_rating(club: Path, name: str) -> None:
    fields, listed, (faulty, undated) = FILTERS[name]
    with Store(club, read_only=True) as store:
        cursor = store.cursor()
        opponent = fields.get("opponent")
        if isinstance(opponent, str):
            found = player_search.player_by_id(cursor, opponent)
            assert found is not None
            fields = fields | {"opponent": found[0]}
        which = replace(LADDER, **fields)
        frame = queries.ladder_standings(cursor, which)
        rows = {row["name"]: row for row in frame.iter_rows(named=True)}
        counted = {one: (row["n"], row["wins"], row["last"].day) for one, row in rows.items()}
        assert counted == listed
        assert queries.count_standings(cursor, which) == len(listed)
        whole = queries.ladder_standings(cursor, replace(LADDER, until=which.until))
        same = ["rank", "player_no", "mu", "sigma", "value", "provisional"]
        assert frame.select(same).equals(whole.filter(pl.col("name").is_in(list(listed))).select(same))
        for row in rows.values():
            way = queries.rating_history(cursor, row["player_no"], which)
            assert (way.height, way["won"].sum()) == (row["n"], row["wins"])
        out = {"faulty": faulty, "unfinished": 0, "undated": undated}
        assert queries.unrated_counts(cursor, which) == out
        assert queries.unrated_matches(cursor, which).height == faulty + undated


@pytest.mark.slow
def test_a_partner_is_no_opponent_on_the_ladder(path: Path) -> None:
    # Lucie and Odile against Gaston and Marcel
    fill(path, sheet("match-coinche"))
    with Store(path) as store:
        ladder.refresh_ratings(store)
        cursor = store.cursor()
        found = player_search.player_by_id(cursor, "lucie")
        assert found is not None
        which = Scope("coinche", 0, "tournoi-2018", opponent=found[0])
        assert set(queries.ladder_standings(cursor, which)["name"]) == {"Gaston", "Marcel"}


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize(
    ("query", "n"),
    [
        ({"since": "2026-03-04"}, {"Ana": 1, "Marcel": 1, "Lucie": 1, "Gaston": 1, "Odile": 1}),
        ({"event": "Coupe"}, {"Lucie": 2, "Marcel": 1, "Ana": 1}),
        ({"source": "site"}, {"Lucie": 1, "Ana": 1}),
        ({"opponent": "Ana"}, {"Lucie": 1, "Marcel": 1}),
        ({"player_count-chouine": "3"}, {"Lucie": 1, "Gaston": 1, "Odile": 1}),
    ],
)
@pytest.mark.sample("query0-n0-fr", "query1-n1-en", "query2-n2-fr", "query3-n3-en", "query4-n4-fr")
def test_filters_of_the_ladder_stand_in_the_address(
    club: Path, open_page: Open, lang: str, query: dict[str, str], n: dict[str, int]
) -> None:
    t = translator(lang, "dashboard")
    whole, app = open_page("classement", lang=lang), open_page("classement", lang=lang, **query)
    name, rank, rated = t("Name"), t("Rank"), t("Matches rated")
    assert dict(zip(values(app, name), values(app, rated), strict=True)) == n
    ranks = dict(zip(values(whole, name), values(whole, rank), strict=True))
    assert values(app, rank) == [ranks[one] for one in values(app, name)]
    message = t(FILTERED_NOTE)
    assert message in [one.value for one in app.caption]
    assert message not in [one.value for one in whole.caption]


def test_filters_that_nothing_fits_say_what_is_left_out(club: Path, open_page: Open) -> None:
    app = open_page("classement", lang="en", event="Coupe", since="2026-04-01")
    assert not tables_of(app)
    assert app.info[0].value == "No rated match fits. Excluded: 0."
    app = open_page("classement", lang="en", opponent="Nobody At All")
    assert "No rated match fits" in app.info[0].value
    app = open_page("classement", lang="en", source="site", until="2026-03-02")
    assert app.info[0].value == "No rated match fits. Excluded: without a date 1."
    # an address nobody wrote asks for nothing
    app = open_page("classement", **{"player_count-chouine": "nine", "since": "yesterday"})
    assert len(values(app, "Nom")) == 5


def test_a_way_lists_the_matches_looked_at_under_the_whole_curve(club: Path, open_page: Open) -> None:
    app = open_page("classement", lang="en", event="Coupe")
    row = values(app, "Name").index("Lucie")
    open_row(app, "standings", row)
    [listed] = [one for one in tables_of(app) if "open" in one]
    assert listed["Result"].to_list() == ["W", "W"]
    curve = charts_of(app)[0]["data"][-1]
    assert len(curve["x"]) == 4


@pytest.mark.parametrize("name", game_names())
def test_a_heading_that_players_and_ladder_share_is_of_one_figure(name: str) -> None:
    ladder_figures = {column.label: column.definition for column in LADDER_COLUMNS}
    shared = [column for column in players_columns(name) if column.label in ladder_figures]
    assert (
        {column.label: column.definition for column in shared}
        == {"Rank": "rank", "Name": None, "Form": "form"}
        == {column.label: ladder_figures[column.label] for column in shared}
    )
