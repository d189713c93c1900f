"""A registered game goes through the whole pipeline, in one process.

Simulated, checked in bulk and explained with one verdict, stored, counted, replayed, exported,
looked at on every page.
"""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from dashboard import pages
from dashboard.board.offline_replay import offline_page
from dashboard.queries import (
    announcements,
    contracts,
    exclusions,
    fairness,
    head_to_head,
    ladder,
    luck,
    matches,
    players,
    results,
)
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables.profile import player_sections
from engine.games import game_names, module_of
from ingest import check
from ingest.i18n import translator
from ingest.reader.files import stream_batches
from ingest.reader.sources import Source
from ingest.store import ratings, revalidate
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests.dashboard.conftest import Open, Stored, components, open_page, path, stored
from tests.dashboard.tables import tables_of
from tests.dashboard.test_pages import board
from tests.ingest.conftest import Command, retourne
from tests.ingest.mutate import MUTATIONS
from tests.newgame import MODULES, NAME, log, registered

__all__ = ["components", "open_page", "path", "retourne", "stored"]  # fixtures

SCOPE = Scope(NAME, 2)


@cache
def lines(count: int, seed: int = 1) -> list[bytes]:
    """Simulated matches, a line each."""
    return [json.dumps(match).encode() for match in simulate_season(NAME, count, seed)]


# without a module


@pytest.mark.parametrize("floor", ["engine", "schemas", "ingest", "dashboard"])
def test_a_floor_whose_module_is_missing_says_which(floor: str) -> None:
    with registered(**{floor: "tests.newgame.forgotten"}):
        with pytest.raises(ModuleNotFoundError, match=r"tests\.newgame\.forgotten"):
            module_of(NAME, floor)
        others = {name for name in ("engine", "schemas", "ingest", "dashboard") if name != floor}
        assert all(module_of(NAME, other).__name__ == MODULES[other] for other in others)


@pytest.mark.parametrize("floor", ["engine", "schemas", "ingest", "dashboard"])
def test_there_is_one_module_a_floor_and_a_test_of_it(floor: str) -> None:
    assert find_spec(MODULES[floor])
    assert Path(__file__).with_name(f"test_{floor}.py").exists()


# simulated and checked


@pytest.mark.slow
def test_it_is_simulated_and_checked_in_the_terminal(brelin: str, retourne: Command) -> None:
    words = ("simulate", "--game", brelin, "-n", 20, "--seed", 3, "--output", "season.jsonl")
    assert retourne(*words).code == 0
    assert len(Path("season.jsonl").read_text().splitlines()) == 20
    done = retourne("check", "season.jsonl", "--format", "jsonl")
    assert (done.code, {one["status"] for one in done.objects}) == (0, {"legal"})
    refused = retourne("simulate", "--game", brelin, "--player-count", 3, "--lang", "en")
    assert "brelin takes 2 players, not 3." in refused.err


def test_nothing_legal_is_explained(brelin: str) -> None:
    """The bulk side says yes to every match."""
    (batch,) = stream_batches("season", io.BytesIO(b"\n".join(lines(40))))
    checked = check_batch(batch)
    assert checked.results == {}
    assert sum(len(group.valid_indices) for group in checked.fast_path_groups) == 40


def spoilt(count: int, seed: int) -> Iterator[bytes]:
    """Matches as a tired scorer might write them: one to three recording errors each."""
    rng, legal = Random(seed), list(simulate_season(NAME, 40, seed))
    typos = [typo for name, typo in MUTATIONS.items() if name != "change the rules"]  # of its own
    for _ in range(count):
        match = json.loads(json.dumps(rng.choice(legal)))
        if rng.random() < 0.1:
            match["rules"] = rng.choice([{"pair": 5}, {"target": 40}, {"pair": -1}, "unheard of"])
        for typo in rng.choices(typos, k=rng.randint(1, 3)):
            typo(match, rng)
        yield json.dumps(match).encode()


@pytest.mark.slow
def test_bulk_and_explanation_have_one_verdict_and_every_fault_comes(brelin: str) -> None:
    texts = [*spoilt(500, 4), *lines(20, 5)]
    reports = list(check(("spoilt", io.BytesIO(b"\n".join(texts)))))
    seen: Counter[str] = Counter()
    for text, report in zip(texts, reports, strict=True):
        alone = validate(text)
        assert report.status == alone.status
        assert [one.code for one in report.findings] == [one.code for one in alone.findings]
        seen.update([alone.status, *(one.code for one in alone.findings)])
    assert {"legal", "irregular", "incomplete", "broken", "unreadable"} <= set(seen)
    own = {fault.code for fault in module_of(NAME, "engine").DEAL_FAULTS.rows}
    assert own <= set(seen)


# stored and counted


@pytest.fixture
def club(brelin: str, stored: Stored) -> Path:
    """The store the dashboard opens: sixty legal matches, an irregular, a broken one."""
    whole = [
        *("2 bid 4s", "2 As", "1 Qc", "2 Qs", "1 Kc", "2 Ah", "1 Kh", "2 Qh", "1 Ac", "2 Ad"),
        *("1 Kd", "2 Qd", "1 Ks"),
    ]
    faulty = [
        log(*whole) | {"id": "irregular"},  # the king of spades comes too late
        log("2 bid 3s", "2 Qs", "1 As") | {"id": "broken"},
    ]
    texts = [*lines(60), *(json.dumps(one).encode() for one in faulty)]

    def fill(store: Store) -> None:
        (report,) = ingest(store, [("club.jsonl", io.BytesIO(b"\n".join(texts)))])
        assert (report.added, report.by_status["legal"]) == (62, 60)
        assert (report.by_status["irregular"], report.by_status["broken"]) == (1, 1)

    return stored(NAME, fill)


@pytest.fixture
def cursor(club: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with Store(club, read_only=True) as store:
        yield store.cursor()


def first_of(cursor: duckdb.DuckDBPyConnection) -> int:
    """The number of the player with most deals."""
    found = players.players_table(cursor, SCOPE).sort("decided_deals", descending=True)
    return int(found["player_no"][0])


def test_it_is_counted_as_every_game_is(cursor: duckdb.DuckDBPyConnection) -> None:
    assert set(available_scopes(cursor)["game"]) == {NAME}
    assert matches.count_by_game(cursor)["game"].to_list() == [NAME]
    everybody = players.players_table(cursor, SCOPE)
    documents = list(simulate_season(NAME, 60, 1))
    won = [deal["winner"] for match in documents for deal in match["deals"] if deal["winner"]]
    assert everybody["decided_deals"].sum() == 2 * len(won)
    assert everybody["wins"].sum() == len(won)
    points = [sum(deal["points"]) for match in documents for deal in match["deals"]]
    result = cursor.execute(
        "SELECT sum(points) FROM deal_seats JOIN deals USING (match_no, deal_index)"
        " WHERE status = 'legal' AND match_no < 60"
    )
    assert result.fetchall() == [(sum(points),)]


def test_br_4_its_announcements_are_counted(cursor: duckdb.DuckDBPyConnection) -> None:
    frame = announcements.announcement_frequencies(cursor, SCOPE)
    assert frame["kind"].unique().to_list() == ["pair"]
    items = {  # hands with a pair in trump and hands with one in plain suits
        (number, place, action[0], action[-1] == deal["actions"][0][-1])
        for number, match in enumerate(simulate_season(NAME, 60, 1))
        for place, deal in enumerate(match["deals"])
        for action in deal["actions"]
        if "pair-" in action
    }
    assert frame["counted"].sum() == len(items)
    assert (frame["held"] >= frame["announced"]).all()
    assert announcements.missed_announcements(cursor, SCOPE).height
    assert announcements.wins_with_announcements(cursor, SCOPE).height
    for key in announcements.GROUP_KEYS:
        assert announcements.frequencies_by(cursor, SCOPE, key).columns


@pytest.mark.slow
def test_br_2_its_bids_are_counted(cursor: duckdb.DuckDBPyConnection) -> None:
    deals = [deal for match in simulate_season(NAME, 60, 1) for deal in match["deals"]]
    levels = Counter(deal["actions"][0][6] for deal in deals)
    frame = contracts.contracts(cursor, SCOPE)
    assert frame["taken"].to_list() == [levels[level] for level in "3456"]
    assert (frame["made"] <= frame["decided"]).all()
    assert frame["contracts_coinched"].sum() == 0
    mine = results.bid_contracts(cursor, SCOPE, first_of(cursor))
    assert {"all", "level", "suit"} <= set(mine["by"])
    assert results.chosen_bid_cards(cursor, SCOPE, first_of(cursor)).height == 0
    assert luck.card_luck(cursor, SCOPE, first_of(cursor)).height == 0


def test_a_player_has_the_sections_of_the_game(cursor: duckdb.DuckDBPyConnection) -> None:
    found = player_sections(cursor, SCOPE, first_of(cursor))
    assert {"tables", "results", "averages", "announcements", "contracts", "records"} <= set(found)
    assert found["averages"]["measure"].to_list() == ["points", "bonus", "tricks"]
    assert "luck" not in found
    one, other = players.players_table(cursor, SCOPE)["player_no"].to_list()[:2]
    assert head_to_head.score_table(cursor, SCOPE, (one,), (other,)).height == 2
    assert exclusions.exclusion_counts(cursor, SCOPE)["deals"].sum()


def test_its_ladder_and_its_shuffle(club: Path) -> None:
    with Store(club) as store:
        ratings.refresh_ratings(store)
        _ladder_and_shuffle(store.cursor())


def _ladder_and_shuffle(cursor: duckdb.DuckDBPyConnection) -> None:
    assert ladder.list_ladders(cursor)["game"].to_list() == [NAME]
    standings = ladder.ladder_standings(cursor, Scope(NAME, 0, "plain"))
    assert standings.height > 2
    assert NAME in fairness.testable_games()
    tested = fairness.fairness_tests(cursor, SCOPE)
    assert tested.height
    assert tested["fair"].all()
    assert fairness.exclusion_counts(cursor, SCOPE).columns


@pytest.mark.slow
def test_a_store_is_checked_anew(club: Path) -> None:
    with Store(club) as store:
        before = store.cursor().execute("FROM announcements ORDER BY ALL").fetchall()
        store.connection.execute("UPDATE matches SET rules_version = 0")
        list(revalidate.revalidate_matches(store))
        assert store.cursor().execute("FROM announcements ORDER BY ALL").fetchall() == before


# in the terminal


STATS: list[tuple[str, ...]] = [
    (),
    ("--announcements",),
    ("--announcements", "--by", "month"),
    ("--missed",),
    ("--winning",),
    ("--fairness",),
    ("--ladder",),
    ("--baseline", "--habit", "announcing"),
]


@pytest.mark.slow
@pytest.mark.parametrize("words", STATS, ids=" ".join)
@pytest.mark.sample("", "--missed", "--fairness", "--baseline --habit announcing")
def test_its_figures_are_reported_in_the_terminal(
    club: Path, retourne: Command, words: tuple[str, ...]
) -> None:
    requested = ("stats", *words, "--game", NAME, "--store", club)
    done = retourne(*requested, "--format", "jsonl")
    assert (done.code, bool(done.objects)) == (0, True), done.err
    for lang in ("fr", "en"):
        result = retourne(*requested, "--lang", lang)
        assert result.code == 0, result.err
        assert result.out


@pytest.mark.slow
def test_a_players_dossier_is_reported_in_the_terminal(club: Path, retourne: Command) -> None:
    with Store(club, read_only=True) as store:
        name = players.players_table(store.cursor(), SCOPE)["name"][0]
    words = ("stats", name, "--game", NAME, "--store", club, "--lang")
    french, english = retourne(*words, "fr").out, retourne(*words, "en").out
    assert "Plis annoncés" in french
    assert "paire" in french
    assert "Tricks bid" in english
    assert "Points of pairs" in english


def test_it_is_replayed_in_the_terminal(brelin: str, retourne: Command) -> None:
    Path("log.json").write_text(json.dumps(log("2 bid 3s", "2 Qs", "1 Ks", "1 pair-c", "1 Kc")))
    result = retourne("replay", "log.json", "--lang", "en").out
    assert "Jean deals" in result
    assert "nobody has bid" in result
    assert "Zoé bid 3 tricks, trump ♠" in result
    assert "pair ♣" in result
    result = retourne("replay", "log.json", "--lang", "fr").out
    assert "Zoé a annoncé 3 plis, atout ♠" in result
    assert "paire ♣" in result


def test_a_fault_is_reported_in_the_terminal_and_to_programs(brelin: str, retourne: Command) -> None:
    Path("log.json").write_text(json.dumps(log("2 bid 3s", "2 Qs", "1 Qc")))
    result = retourne("check", "log.json", "--lang", "fr")
    assert result.code == 1
    assert "BR-3" in result.out
    assert "D♣" in result.out
    sarif = json.loads(retourne("check", "log.json", "--format", "sarif").out)
    [run] = sarif["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert "Suit must be followed" in rules["BR-3/must-follow"]["help"]["text"]


@pytest.mark.slow
def test_it_is_exported(club: Path, retourne: Command) -> None:
    for table in ("matches", "deals", "deal_seats", "announcements", "findings"):
        done = retourne("export", "--store", club, "--table", table)
        assert len(done.out.splitlines()) > 1, table
    logs = retourne("export", "--store", club, "--logs")
    assert [json.loads(line) for line in logs.raw.splitlines()][:60] == list(simulate_season(NAME, 60, 1))
    assert len(retourne("export", "--store", club, "--list").out.splitlines()) == 62


def test_its_replay_is_one_page_that_stands_alone(brelin: str) -> None:
    """As `replay --html` has another process write it, to which nobody has told the game."""
    [text] = lines(1)
    result = offline_page(validate(text), translator("fr", "dashboard"))
    assert "default-src 'none'" in result
    assert "personne n’a enchéri" in result


# on the pages


def shown(app: Any) -> str:
    """Everything a page says in words."""
    texts = (*app.markdown, *app.caption, *app.text, *app.header, *app.subheader, *app.info)
    return "\n".join([str(one.value) for one in texts])


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("name", pages.PAGE_NAMES)
@pytest.mark.sample(*map("{}-{}".format, pages.PAGE_NAMES, cycle(["fr", "en"])))
def test_every_page_opens_for_it(club: Path, open_page: Open, name: str, lang: str) -> None:
    app = open_page(name, game="Brelin", lang=lang)
    assert not app.error


def test_home_and_the_list_name_it(club: Path, open_page: Open) -> None:
    app = open_page(lang="en")
    assert "and Brelin" in app.markdown[0].value
    [row] = tables_of(app)[1].to_dict("records")
    assert (row["Game"], row["Matches"]) == ("Brelin", 62)
    app = open_page("rencontres", game="Brelin", lang="fr")
    assert set(tables_of(app)[0]["Jeu"]) == {"Brelin"}
    assert app.selectbox(key="preset").options == ["plain"]
    assert len(tables_of(open_page("rencontres", status="broken", lang="en"))[0]) == 1
    found = open_page("rencontres", kind="pair", lang="en")
    assert len(tables_of(found)[0])
    assert "pair" in found.selectbox(key="kind").options


def test_the_list_is_narrowed_to_it(brelin: str, path: Path, open_page: Open) -> None:
    other = [json.dumps(match).encode() for match in simulate_season(game_names()[0], 2, 1)]
    file: Source = ("both.jsonl", io.BytesIO(b"\n".join([*lines(3), *other])))
    with Store(path) as store:
        list(ingest(store, [file]))
    assert len(tables_of(open_page("rencontres", lang="en"))[0]) == 5
    assert len(tables_of(open_page("rencontres", game="Brelin", lang="en"))[0]) == 3
    app = open_page("joueurs", lang="en")
    app.selectbox(key="game").select(NAME).run()
    assert not app.exception
    assert "of which pairs" in tables_of(app)[0]


def test_a_deal_is_on_the_board_of_its_page(club: Path, open_page: Open) -> None:
    data = board(open_page("relecture", match="brelin-plain-2-1-1", deal="1", lang="fr"))
    assert data["plies"][0]["facts"][0]["text"] == "personne n’a enchéri"
    assert "annonce" in data["plies"][1]["text"]
    data = board(open_page("relecture", match="broken", ply="999", lang="en"))
    assert data["findings"][-1]["rule"] == "BR-1"


def test_its_players_have_their_figures(club: Path, open_page: Open) -> None:
    rows = tables_of(open_page("joueurs", game="Brelin", lang="en"))[0]
    assert {"Average points", "of which pairs", "Tricks were bid", "Bids made"} <= set(rows)
    name = rows["Name"][0].lower()
    for view, heading in (
        ("results", "By seat and deal"),
        ("points", "Averages"),
        ("contracts", "Tricks bid"),
        ("announcements", ""),
        ("records", "Records"),
    ):
        app = open_page("joueurs", player=name, game="Brelin", view=view, lang="en")
        assert not heading or heading in [one.value for one in app.header], view
        assert tables_of(app), view


def test_its_announcements_and_its_bids_are_on_their_page(club: Path, open_page: Open) -> None:
    app = open_page("annonces", game="Brelin", lang="en")
    assert "Announcement" in tables_of(app)[0]
    assert set(tables_of(app)[0]["Announcement"]) == {"pair"}
    app = open_page("annonces", game="Brelin", view="contracts", lang="en")
    assert tables_of(app)[0].iloc[:, 0].to_list() == [3, 4, 5, 6]
    assert tables_of(open_page("annonces", game="Brelin", view="missed", lang="fr"))
    found = open_page("annonces", game="Brelin", by="month", kind="pair", lang="fr")
    assert tables_of(found)


def test_a_log_is_verified_on_its_page(brelin: str, open_page: Open) -> None:
    app = open_page("verificateur", lang="fr")
    app.text_area[0].set_value(json.dumps(log("2 bid 3s", "2 Qs", "1 Qc"))).run()
    assert not app.exception
    assert "BR-3" in shown(app)
    assert "On doit fournir" in shown(app)
    assert board(app)["plies"]


def test_its_rules_are_on_their_page(club: Path, open_page: Open) -> None:
    app = open_page("regles", book=NAME, lang="fr")
    assert "BR-1 · Les cartes et la donne" in shown(app)
    assert "BR-3" in shown(open_page("regles", rule="BR-3", lang="en"))


def test_a_game_without_a_book_has_a_page_of_rules(open_page: Open) -> None:
    with registered(texts=()):
        assert open_page("regles", book=NAME, lang="en").header


@pytest.mark.parametrize(
    "query",
    [{"since": "2025-10-01"}, {"until": "2025-10-01"}, {"rules": "plain"}, {"counted": "broken"}],
    ids=str,
)
@pytest.mark.sample("{'until': '2025-10-01'}", "{'counted': 'broken'}")
def test_figures_are_narrowed(club: Path, open_page: Open, query: dict[str, str]) -> None:
    for name in ("joueurs", "annonces", "melange"):
        open_page(name, game="Brelin", **query)


def test_figures_of_a_day(cursor: duckdb.DuckDBPyConnection) -> None:
    some = players.players_table(cursor, Scope(NAME, 2, since=date(2025, 10, 1)))
    assert 0 < some["decided_deals"].sum() < players.players_table(cursor, SCOPE)["decided_deals"].sum()


# and gone again


def test_what_was_stored_stays_readable_once_it_is_forgotten(
    path: Path, open_page: Callable[..., Any]
) -> None:
    with registered():
        file: Source = ("club.jsonl", io.BytesIO(b"\n".join(lines(3))))
        with Store(path) as store:
            list(ingest(store, [file]))
            ratings.refresh_ratings(store)
    for name in pages.PAGE_NAMES:
        open_page(name)
    open_page("relecture", match="brelin-plain-2-1-1")
