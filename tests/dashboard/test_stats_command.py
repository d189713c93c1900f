"""`retourne stats`: what the pages show, in the terminal, from the same queries."""

import csv
import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dashboard.queries import announcements, ladder, player_search, players, scope, simulated_baseline
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables import profile
from dashboard.tables.profile import section_heading
from ingest.escaping import escape_csv_cell
from ingest.i18n import translator
from ingest.store import baseline
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.conftest import HOSTILE, NAMES, simulated
from tests.ingest.conftest import Command, retourne

DATA = Path(__file__).parents[2] / "data"

pytestmark = pytest.mark.slow

__all__ = ["retourne"]  # the fixture

FRENCH = translator("fr", "dashboard")
CUP = "Championnat *du* <i>monde</i>"
"""The event of the club's matches."""


def test_players_are_those_of_the_query(games: Path, retourne: Command) -> None:
    done = retourne("stats", "--store", games, "--format", "jsonl")
    assert done.code == 0
    with Store(games, read_only=True) as store:
        frame = players.players_table(store.cursor(), Scope())
    assert done.objects == [json.loads(line) for line in frame.write_ndjson().splitlines()]


def test_announcements_have_a_row_per_kind_and_trump_or_plain(games: Path, retourne: Command) -> None:
    done = retourne("stats", "--announcements", "--store", games, "--format", "jsonl")
    assert all({"kind", "trump", "held", "announced", "counted", "deals"} <= set(row) for row in done.objects)
    with Store(games, read_only=True) as store:
        frame = announcements.announcement_frequencies(store.cursor(), Scope())
    keys = [(row["kind"], row["trump"], row["counted"]) for row in done.objects]
    assert keys == frame.select("kind", "trump", "counted").rows()
    assert {row["n"] for row in done.objects} == {2 * frame["deals"][0]}  # two hands a deal


@pytest.mark.parametrize("key", announcements.GROUP_KEYS)
def test_announcements_are_split_by_a_key(games: Path, retourne: Command, key: str) -> None:
    done = retourne("stats", "--announcements", "--by", key, "--store", games, "--format", "jsonl")
    with Store(games, read_only=True) as store:
        frame = announcements.frequencies_by(store.cursor(), Scope(), key)
    assert done.objects == [json.loads(line) for line in frame.write_ndjson().splitlines()]
    assert {"kind", "trump", key, "held", "announced", "counted", "deals"} <= set(done.objects[0])
    assert retourne("stats", "--by", key, "--store", games).out  # the same for people


def test_announcements_beside_chance_are_simulated_once(games: Path, retourne: Command) -> None:
    words = ("stats", "--baseline", "--habit", "careful", "--store", games, "--format", "jsonl")
    first, again = retourne(*words), retourne(*words)
    assert first.objects == again.objects
    dealt, held = ([row for row in first.objects if row["fact"] == one] for one in ("dealt", "held"))
    assert dealt[0]["chance"] == dealt[0]["ways"] / dealt[0]["possible"]
    assert dealt[0]["least"] is None
    assert (held[0]["least_habit"], held[0]["most_habit"]) == ("careful", "careful")
    assert held[0]["least"] == held[0]["most"]
    assert held[0]["chance"] is None
    with Store(games, read_only=True) as store:
        runs = store.cursor().execute("SELECT habit, preset FROM baseline.runs").fetchall()
    assert runs == [("careful", "lavardin")]


def test_chance_is_split_as_on_the_page(games: Path, retourne: Command) -> None:
    words = ("stats", "--baseline", "--by", "phase", "--store", games)
    result = retourne(*words, "--format", "jsonl").objects
    assert {row["phase"] for row in result} == {"open", "closed"}
    with Store(games, read_only=True) as store:
        cursor = store.cursor()
        same = simulated_baseline.with_one_preset(cursor, Scope())
        found = {
            habit: simulated_baseline.latest_run(cursor, same, habit)
            for habit in baseline.bot_habits("chouine")
        }
        runs = {habit: run["event"] for habit, run in found.items() if run is not None}
        assert len(runs) == 3
        frame = simulated_baseline.observed_vs_simulated(cursor, same, runs, "phase")
    assert result == [json.loads(line) for line in frame.write_ndjson().splitlines()]
    assert retourne(*words).code == 0


QUERIES: dict[str, Any] = {
    "missed": announcements.missed_announcements,
    "winning": announcements.wins_with_announcements,
}


@pytest.mark.parametrize("view", QUERIES)
def test_views_of_announcements_are_those_of_the_page(games: Path, retourne: Command, view: str) -> None:
    words = ("stats", f"--{view}", "--store", games)
    with Store(games, read_only=True) as store:
        frame = QUERIES[view](store.cursor(), Scope())
    done = retourne(*words, "--format", "jsonl")
    assert done.objects == [json.loads(line) for line in frame.write_ndjson().splitlines()]
    for lang in ("en", "fr"):
        done = retourne(*words, "--lang", lang)
        assert len(done.out.splitlines()) > frame.height


def test_a_table_says_which_game_it_counts_and_what_else_there_is(tmp_path: Path, retourne: Command) -> None:
    stored_text = tmp_path / "two.duckdb"
    with Store(stored_text) as store:
        list(ingest(store, [DATA / "match-coinche.json", DATA / "match-lavardin.json"]))
    english = retourne("stats", "--store", stored_text, "--game", "coinche", "--lang", "en").err
    assert english.startswith("Coinche with 4 players. Also: Chouine with 2 players. Deals counted")
    french = retourne("stats", "--store", stored_text, "--game", "coinche", "--lang", "fr").err
    assert french.startswith("Coinche à 4. Aussi\u00a0: Chouine à 2. Donnes")


def test_a_table_says_which_deals_are_left_out_and_why(games: Path, retourne: Command) -> None:
    with Store(games, read_only=True) as store:
        every, _ = scope.count_deals(store.cursor(), Scope())
        won = store.cursor().execute(
            "SELECT count(*) FROM deals WHERE status = 'legal' AND void IS NULL AND winning_side > 0"
        )
        [(decided,)] = won.fetchall()
    for words, n in ((["--announcements"], every), ([], decided), (["--winning"], decided)):
        result = retourne("stats", *words, "--store", games, "--lang", "en").err
        assert f"Deals counted: {n}; excluded: " in result
        assert "broken 1" in result
        assert ("without a winner" in result) == (n < every)
        assert result.startswith("Chouine with 2 players. Deals counted")
    dated = retourne("stats", "--since", "2026-03-02", "--store", games, "--lang", "en").err
    assert "without a date 2" in dated  # the faulty sheets have none


def test_each_source_s_shuffle_is_tested(tmp_path: Path, retourne: Command) -> None:
    path = tmp_path / "club.duckdb"
    retourne("simulate", "--game", "chouine", "--matches", "20", "--output", "club.jsonl")
    retourne("ingest", "club.jsonl", "--store", path)
    done = retourne("stats", "--fairness", "--store", path, "--format", "jsonl")
    assert [row["test"] for row in done.objects] == ["cards", "points", "repeats"]
    assert all(row["fair"] and row["corrected"] >= row["p"] for row in done.objects)


def test_the_ladder_is_printed_as_it_is(games: Path, retourne: Command) -> None:
    done = retourne("stats", "--ladder", "--store", games, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    with Store(games, read_only=True) as store:
        frame = ladder.ladder_standings(store.cursor(), Scope("chouine", 0, "lavardin"))
    assert [row["name"] for row in rows] == [escape_csv_cell(name) for name in frame["name"]]
    assert [float(row["mu"]) for row in rows] == frame["mu"].to_list()


@pytest.mark.parametrize(
    ("words", "reported", "n"),
    [
        # six matches, each of four players against the next: twelve seats
        (["--since", "2026-03-05"], {"since": date(2026, 3, 5)}, 4),
        (["--until", "2026-03-02"], {"until": date(2026, 3, 2)}, 4),
        (["--event", CUP], {"event": CUP}, 12),
        (["--event", "nowhere"], {"event": "nowhere"}, 0),
        (["--source", "nobody's"], {"source": "nobody's"}, 0),
        (["--opponent", "Jean"], {"opponent": "Jean"}, 3),
        (["--player-count", "2"], {"player_count": 2}, 12),
        (["--preset", "lavardin", "--status", "legal"], {}, 12),
    ],
)
def test_the_ladder_takes_the_filters_of_the_others(
    games: Path, retourne: Command, words: list[str], reported: dict[str, Any], n: int
) -> None:
    done = retourne("stats", "--ladder", *words, "--store", games, "--format", "jsonl")
    assert done.code == 0
    with Store(games, read_only=True) as store:
        cursor = store.cursor()
        if "opponent" in reported:
            reported = reported | {"opponent": player_search.find_player(cursor, reported["opponent"])}
        which = replace(Scope("chouine", 0, "lavardin"), **reported)
        frame = ladder.ladder_standings(cursor, which)
        whole = ladder.ladder_standings(cursor, ladder.whole_ladder(which))
    assert done.objects == [json.loads(line) for line in frame.write_ndjson().splitlines()]
    assert frame["n"].sum() == n
    remaining = whole.filter(pl.col("player_no").is_in(frame["player_no"].to_list()))
    assert frame.select("rank", "mu").equals(remaining.select("rank", "mu"))


def test_one_player_against_another_and_since_a_day(games: Path, retourne: Command) -> None:
    words = ("stats", "Jean", "--store", games, "--format", "jsonl")
    everything, late, against = (
        next(one for one in retourne(*words, *more).objects if one["section"] == "player")
        for more in ((), ("--since", "2026-03-03"), ("--opponent", "ZOE  D’orléans"))
    )
    assert everything["name"] == "Jean"
    assert late["matches"] < everything["matches"]
    assert against["matches"] < everything["matches"]


def test_one_player_has_the_sections_of_the_page(games: Path, retourne: Command) -> None:
    with Store(games, read_only=True) as store:
        cursor = store.cursor()
        number = player_search.find_player(cursor, "Jean")
        assert number is not None
        found = profile.player_sections(cursor, Scope(), number)
    words = ("stats", "Jean", "--store", games)
    result = retourne(*words, "--format", "jsonl").objects
    rows = [
        {"section": name} | json.loads(line)
        for name, frame in found.items()
        for line in frame.write_ndjson().splitlines()
    ]
    assert result == rows
    lines = list(csv.DictReader(io.StringIO(retourne(*words, "--format", "csv").out)))
    assert [line["section"] for line in lines] == [row["section"] for row in rows]
    assert [float(one["k"]) for one in lines if one["section"] == "events"] == (
        found["events"]["k"].to_list()
    )
    shown = retourne(*words, "--lang", "fr").out
    at = [shown.index(f"\n{section_heading(name, 'chouine', FRENCH)}\n") for name in list(found)[1:]]
    assert at == sorted(at)


def test_a_players_figures_are_those_of_the_table_played_most(every_game: Path, retourne: Command) -> None:
    someone = simulated("coinche", "tournoi-2018", 4)[0]["players"][0]["id"]
    with Store(every_game, read_only=True) as store:
        cursor = store.cursor()
        scopes = available_scopes(cursor, player_search.find_player(cursor, someone) or 0)
        first = scopes.row(0, named=True)
        of_table = scopes.filter(game=first["game"], player_count=first["player_count"])["deals"].sum()
    done = retourne("stats", someone, "--store", every_game, "--format", "jsonl")
    counted = next(one for one in done.objects if one["section"] == "results")
    assert 0 < counted["n"] <= of_table  # under all its rules
    done = retourne("stats", someone, "--store", every_game, "--game", "coinche")
    assert done.code == 0
    assert "Partners" in done.out


def test_a_table_for_people_says_names_as_they_are(games: Path, retourne: Command) -> None:
    done = retourne("stats", "--store", games)
    assert done.code == 0
    *heads, first, second, third, fourth = done.out.splitlines()
    assert "Name" in heads[-1]
    # a name as long as it likes takes one line
    items = sorted(line[:4] for line in (first, second, third, fourth))
    assert items == sorted(name[:4] for name in NAMES)
    assert sum(line.startswith(HOSTILE[:8]) for line in (first, second, third, fourth)) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["Nobody At All"], "No player of that name"),
        (["Jean", "--ladder"], "Choose one: "),
        (["--by", "trick", "--fairness"], "Choose one: "),
        (["--habit", "lucky"], "careful"),
        (["--fairness"], "No source has 100 deals"),
        (["--preset", "bridge"], "No such preset: bridge."),
        (["--missed", "--winning"], "Choose one: "),
        (["--ladder", "--status", "irregular"], "--status cannot be combined with --ladder"),
        (["--ladder", "--opponent", "Nobody At All"], "No player of that name"),
        (["--fairness", "--status", "irregular"], "--status cannot be combined with --fairness"),
        (["--missed", "--by", "month"], "--by month cannot be combined with --missed"),
        (["--baseline", "--by", "month"], "--by month cannot be combined with --baseline"),
    ],
)
def test_what_cannot_be_counted_is_one_sentence(
    games: Path, retourne: Command, words: list[str], sentence: str
) -> None:
    done = retourne("stats", *words, "--store", games)
    assert done.code == 2
    assert sentence in done.err


@pytest.mark.parametrize("words", [["--game", "coinche"], ["--ladder", "--player-count", "3"]])
@pytest.mark.parametrize("format", ["table", "jsonl", "csv"])
@pytest.mark.sample("table-words0", "jsonl-words1")
def test_where_nothing_is_to_be_counted_that_is_shown_and_all_is_well(
    games: Path, retourne: Command, words: list[str], format: str
) -> None:
    done = retourne("stats", *words, "--format", format, "--store", games)
    assert (done.code, done.out) == (0, "")
    assert done.err == "The store has no deals of that game and number of players to count.\n"


def test_a_piece_of_a_name_answers_for_nobody(games: Path, retourne: Command) -> None:
    done = retourne("stats", "orleans", "--store", games)
    assert (done.code, done.out) == (2, "")
    assert "No player of that name: orleans. Did you mean Zoé d’Orléans?" in done.err
    assert "Vouliez-vous dire" in retourne("stats", "Jaen", "--store", games, "--lang", "fr").err


def test_sentences_are_in_the_terminal_s_language(games: Path, retourne: Command) -> None:
    done = retourne("stats", "Personne du tout", "--store", games, "--lang", "fr")
    assert "Aucun joueur de ce nom" in done.err


@pytest.mark.parametrize("words", [["--ladder"], ["--baseline"], ["Jean"]])
def test_a_store_that_is_not_there_is_reported_and_not_made(
    tmp_path: Path, retourne: Command, words: list[str]
) -> None:
    path = tmp_path / "none.duckdb"
    done = retourne("stats", *words, "--store", path)
    assert done.code == 2
    assert str(path) in done.err
    assert not path.exists()


def test_a_store_without_deals_says_that_it_has_none(tmp_path: Path, retourne: Command) -> None:
    with Store(tmp_path / "empty.duckdb"):
        pass
    done = retourne("stats", "--store", tmp_path / "empty.duckdb")
    assert (done.code, done.out) == (0, "")
    assert "No deals to count." in done.err
    french = retourne("stats", "--store", tmp_path / "empty.duckdb", "--lang", "fr")
    assert "Aucune donne à compter." in french.err


@pytest.mark.parametrize(
    "words", [[], ["--announcements"], ["--missed"], ["--winning"], ["--ladder"], ["Lucie"]], ids=" ".join
)
def test_where_nothing_is_left_to_count_that_is_shown(
    games: Path, retourne: Command, words: list[str]
) -> None:
    requested = ["stats", *words, "--store", games, "--event", "Nowhere"]
    done = retourne(*requested)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("None of these deals is counted.\n")
    assert retourne(*requested, "--format", "jsonl").code == 0
