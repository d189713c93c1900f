"""Statistics of nearly empty stores, and of masked players."""

import json
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from dashboard.pages import SECTIONS
from dashboard.queries import exclusions, head_to_head, player_deals, player_search, players, results
from dashboard.queries.exclusions import undecided_deals
from dashboard.queries.scope import Scope
from dashboard.tables import profile
from engine.games import game
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.pseudonyms import mask_player
from ingest.store.ratings import refresh_ratings
from schemas.simulated import simulate_season
from tests.dashboard.conftest import Open, Stored, simulated
from tests.dashboard.tables import charts_of, tables_of
from tests.ingest.conftest import Command, retourne

pytestmark = pytest.mark.slow

__all__ = ["retourne"]  # the fixture

DATA = Path(__file__).parents[2] / "data"
FILES = ("lavardin", "mondoubleau", "a-trois", "a-quatre", "coinche", "chouineurs")


def put(path: Path, *documents: dict[str, Any]) -> None:
    text = "".join(json.dumps(one) + "\n" for one in documents)
    with Store(path) as store:
        list(ingest(store, [("some.jsonl", BytesIO(text.encode()))]))


def shown(app: Any) -> str:
    """Everything a page says: texts, tables, options, links."""
    parts = [one.value for kind in ("text", "caption", "markdown") for one in getattr(app, kind)]
    parts += [one.to_string(max_colwidth=None) for one in tables_of(app)]
    parts += [str(one.options) for one in [*app.selectbox, *app.multiselect]]
    links = app.get("page_link")
    parts += [f"{one.proto.label} {one.proto.query_string}" for one in links]
    parts += [json.dumps(one, ensure_ascii=False) for one in charts_of(app)]
    return "\n".join(map(str, parts))


@pytest.fixture
def masked(stored: Stored) -> str:
    """Lucie sits in every match that ships, and is masked; her pseudonym."""

    def fill(store: Store) -> None:
        list(ingest(store, [DATA / f"match-{name}.json" for name in FILES]))
        refresh_ratings(store)

    with Store(stored("rated", fill)) as store:
        found = player_search.player_by_id(store.cursor(), "lucie")
        assert found is not None
        return mask_player(store, found[0])


@pytest.mark.parametrize("view", ["results", "points", "announcements", "luck", "records"])
@pytest.mark.sample("announcements", "records")
def test_a_masked_player_s_page_has_no_name(masked: str, open_page: Open, view: str) -> None:
    app = open_page("joueurs", player=masked, view=view, game="Chouine")
    for one in ("matches", "deals", "out"):
        app.pills(key="figures").set_value(one).run()
        assert not app.exception
        assert "lucie" not in shown(app).lower()
    assert masked in shown(app)


def test_no_page_of_statistics_names_a_masked_player(masked: str, open_page: Open) -> None:
    [statistics] = [pages for name, pages in SECTIONS.items() if name == "Statistics"]
    assert len(statistics) == 7
    for page in statistics:
        for game_ in ("Chouine", "Coinche", "Chouineurs"):
            app = open_page(page.name, game=game_, first=masked, second="marcel", by="player")
            assert "lucie" not in shown(app).lower(), page.name
    assert masked in shown(open_page("face_a_face", first=masked, second="marcel"))
    assert "have not met" not in shown(open_page("face_a_face", first=masked, second="marcel"))
    assert masked in shown(open_page("cote_a_cote", player=[masked, "marcel"]))
    home = open_page()
    home.pills(key="counts").set_value("players").run()
    assert masked in shown(home)
    assert "lucie" not in shown(home).lower()
    old = open_page("joueurs", player="lucie")  # an address from before the mask
    assert old.warning
    assert "Lucie" not in shown(old)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [[], ["--announcements", "--by", "player"], ["--ladder", "--game", "coinche"], ["--game", "chouineurs"]],
)
def test_the_terminal_does_not_name_a_masked_player(
    masked: str, path: Path, retourne: Command, words: list[str]
) -> None:
    for format in ("table", "jsonl", "csv"):
        done = retourne("stats", *words, "--store", path, "--format", format)
        assert done.code == 0
        assert masked[:12] in done.out  # in a table a name may be cut
        assert "lucie" not in (done.out + done.err).lower()


def test_the_terminal_finds_a_masked_player_by_the_pseudonym_alone(
    masked: str, path: Path, retourne: Command
) -> None:
    for name in ("Lucie", "lucie"):
        for words in ([name], ["--opponent", name]):
            assert retourne("stats", *words, "--store", path).code == 2
    for format in ("table", "jsonl", "csv"):
        done = retourne("stats", masked, "--store", path, "--format", format)
        assert done.code == 0
        assert "lucie" not in done.out.lower()


def test_one_partie_alone_is_a_player_with_intervals_wide_open(path: Path) -> None:
    with Store(path) as store:
        list(ingest(store, [DATA / "exemple-lavardin.json"]))
        cursor = store.cursor()
        for row in players.players_table(cursor, Scope()).iter_rows(named=True):
            assert row["decided_deals"] == row["matches"] == 1
            assert row["high"] - row["low"] > 0.7
            assert row["points_low"] is row["points_high"] is None
            found = profile.player_sections(cursor, Scope(), row["player_no"])
            assert set(found["manches"]["n"]) <= {0, 1}


def test_two_who_never_finished_a_match_have_no_share(path: Path, open_page: Open) -> None:
    document = json.loads((DATA / "match-lavardin.json").read_text("utf-8"))
    del document["result"]
    document["deals"] = document["deals"][:1]
    put(path, document)
    app = open_page("face_a_face", first="Lucie", second="Marcel", lang="en", details="true")
    assert tables_of(app)[0]["n"].to_list() == [0, 1]
    assert tables_of(app)[0]["% won by Lucie"].isna().to_list() == [True, False]
    app.pills(key="duel-totals").set_value("out").run()
    assert not app.exception
    listed = next(one for one in tables_of(app) if "Reason" in one)
    assert listed["Reason"].to_list() == ["unfinished"]
    app = open_page("joueurs", player="lucie", lang="en")
    assert "Matches excluded: unfinished 1." in shown(app)


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4])
def test_null_parties_of_three_and_four_are_named_and_count_for_nobody(path: Path, size: int) -> None:
    put(path, *simulate_season("chouine", 40, 3, "lavardin", size))
    scope = Scope("chouine", size)
    with Store(path) as store:
        cursor = store.cursor()
        null = cursor.execute("SELECT count(*) FROM deals WHERE winning_side = 0 AND void IS NULL")
        [(n,)] = null.fetchall()
        assert n
        assert ("null", n) in exclusions.exclusion_counts(cursor, scope, decided=True).rows()
        for row in players.players_table(cursor, scope, limit=500).iter_rows(named=True):
            own = undecided_deals(cursor, scope, row["player_no"])
            every = player_deals.count_deals(cursor, scope, row["player_no"], decided=False)
            nulls = own.filter(reason="null")["deals"].sum()
            assert row["decided_deals"] + nulls == every


def test_five_at_chouineurs_share_what_there_is_to_win(path: Path) -> None:
    put(path, *simulate_season("chouineurs", 30, 3, "blam", 5))
    scope = Scope("chouineurs", 5)
    with Store(path) as store:
        cursor = store.cursor()
        table = players.players_table(cursor, scope, limit=500)
        [(won,)] = cursor.execute("SELECT count(*) FROM deals WHERE winning_side > 0").fetchall()
        assert table["decided_deals"].sum() == 5 * won
        assert table["wins"].sum() == won
        one = table["player_no"][0]
        [fair] = results.results_by_table(cursor, scope, one).filter(player_count=5)["fair"]
        assert fair == pytest.approx(1 / game("chouineurs").side_count(5))
        found = profile.player_sections(cursor, scope, one)
        assert found["bid-cards"]["n"].sum() == found["reserve"]["n"][0]


def test_each_partner_of_coinche_shares_every_deal_and_its_points(path: Path) -> None:
    put(path, *simulated("coinche", "tournoi-2018", 4))
    scope = Scope("coinche", 4)
    with Store(path) as store:
        cursor = store.cursor()
        for row in players.players_table(cursor, scope).iter_rows(named=True):
            with_whom = results.results_by_partner(cursor, scope, row["player_no"])
            assert with_whom["n"].sum() == row["decided_deals"]
            assert with_whom["wins"].sum() == row["wins"]
            for partner in with_whom.iter_rows(named=True):
                other = results.results_by_partner(cursor, scope, partner["player_no"])
                back = other.filter(player_no=row["player_no"]).row(0, named=True)
                assert (back["n"], back["wins"], back["points"]) == (
                    partner["n"],
                    partner["wins"],
                    partner["points"],
                )
                pair = ((row["player_no"],), (partner["player_no"],))
                assert head_to_head.series_counts(cursor, scope, *pair)["partners"] == partner["matches"]


def test_undated_matches_count_until_a_day_is_asked_for(path: Path) -> None:
    some = list(simulate_season("chouine", 6, 3, "lavardin", 2))
    for document in some[:2]:
        del document["played_at"]
    put(path, *some)
    ever, since = Scope(), Scope(since=date(2000, 1, 1))
    with Store(path) as store:
        cursor = store.cursor()
        undated = sum(len(document["deals"]) for document in some[:2])
        assert ("undated", undated) in exclusions.exclusion_counts(cursor, since).rows()
        assert "undated" not in exclusions.exclusion_counts(cursor, ever)["reason"].to_list()
        both = [players.players_table(cursor, one)["decided_deals"].sum() for one in (ever, since)]
        assert both[0] > both[1]
