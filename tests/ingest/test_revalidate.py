"""Stored verdicts: outdated by a new version of the rules, refreshed in bulk, changed by other rules."""

import copy
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from engine import RULES_VERSION
from engine.options import UnknownRule, game_presets
from ingest.games import chouine
from ingest.i18n import translator
from ingest.reader.files import MatchText
from ingest.store import arrow_rows, derived_rows, pseudonyms, revalidate, stored_texts
from ingest.store.factory import Store, StoreError
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.revalidate import OtherRulesRun, count_outdated, revalidate_matches
from ingest.store.verdict_diff import ChangedMatch
from ingest.store.verify import verify_store
from ingest.validate.batch import validate_text
from ingest.validate.fast_path import decode
from ingest.validate.slow_path import ValidationResult
from ingest.validate.what_if import Change, games_with, what_if
from tests.ingest.logs import documents, texts, zipped

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"
SAMPLES = sorted(DATA.glob("*.json"))
FAULTY = sorted(path for path in (DATA / "fautes").glob("*/*.json") if "expected" not in path.name)[::3]
TABLES = (*derived_rows.DERIVED_TABLES, "raw", "players")


WHOLE = stored_texts.BATCH_BYTES
Rows = dict[str, list[Any]]
"""By table."""
Fresh = Callable[[Callable[[Store], Rows]], Rows]


@cache
def read(path: Path) -> bytes:
    return path.read_bytes()


def fill(store: Store) -> None:
    """The samples, a third of what is faulty, and a season with a match twice and a text that is none."""
    samples = {path.name: read(path) for path in SAMPLES}
    faulty = [read(path).replace(b"\n", b" ") for path in FAULTY]
    lines = [*texts(30), texts()[2], b"\xff no text", b"{}"]
    sources = [
        ("samples.zip", io.BytesIO(zipped(**samples))),
        ("fautes.jsonl", io.BytesIO(b"\n".join(faulty))),
        ("club.jsonl", io.BytesIO(b"\n".join(lines))),
    ]
    for _ in ingest(store, sources):
        pass


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that `fill` filled, to be copied."""
    path = tmp_path_factory.mktemp("stores") / "club.duckdb"
    with Store(path) as opened:
        fill(opened)
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(shutil.copy(filled, tmp_path)) as opened:
        yield opened


@pytest.fixture
def fresh(tmp_path: Path) -> Fresh:
    """`fresh(contents)`: the rows the same files give when they are stored today."""

    def rows_of_today(read: Callable[[Store], Rows]) -> Rows:
        with Store(tmp_path / "fresh.duckdb") as other:
            fill(other)
            return read(other)

    return rows_of_today


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version of the rules."""
    for module in (arrow_rows, revalidate):
        monkeypatch.setattr(module, "RULES_VERSION", RULES_VERSION + 1)


@pytest.fixture
def quinte(newer: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The next version of the rules, in which a quinte counts 100 at Lavardin."""
    monkeypatch.setitem(
        game_presets("chouine"), "lavardin", {**game_presets("chouine")["lavardin"], "quinte": 100}
    )
    decode.decoding_setup.cache_clear()
    yield
    decode.decoding_setup.cache_clear()


def contents(store: Store) -> Rows:
    """Every row of the store as it lies there."""
    cursor = store.cursor()
    return {table: cursor.execute(f"FROM {table}").fetchall() for table in TABLES}


def named(store: Store) -> Rows:
    """Every row in the order of its words, matches and players by their ids.

    New matches of a batch are numbered as they are inserted, those that are clean first.
    """
    cursor = store.cursor()
    ids = {
        "match_no": dict(cursor.execute("SELECT match_no, match_id FROM matches").fetchall()),
        "player_no": dict(cursor.execute("SELECT player_no, player_id FROM players").fetchall()),
        "alias_no": dict(cursor.execute("SELECT alias_no, [player_id, name] FROM aliases").fetchall()),
    }
    found = {}
    for table in TABLES:
        columns = [name for name, *_ in cursor.execute(f"FROM {table}").description]
        found[table] = sorted(
            repr(
                [ids[name][value] if name in ids else value for name, value in zip(columns, row, strict=True)]
            )
            for row in cursor.fetchall()
        )
    return found


def ask(store: Store, sql: str) -> list[Any]:
    return store.cursor().execute(sql).fetchall()


def moved(validated: Any) -> list[ChangedMatch]:
    return [one for batch in validated for one in batch.changed_matches]


# newer rules


def test_a_newer_version_of_the_rules_makes_stored_verdicts_old(store: Store, newer: None) -> None:
    count = ask(store, "SELECT count(*) FROM matches")[0][0]
    assert count_outdated(store.cursor()) == {RULES_VERSION: count}
    assert moved(revalidate_matches(store)) == []
    assert count_outdated(store.cursor()) == {}
    assert ask(store, "SELECT DISTINCT rules_version FROM matches") == [(RULES_VERSION + 1,)]


def test_verdicts_of_today_are_left_alone_unless_all_are_asked_for(store: Store) -> None:
    assert count_outdated(store.cursor()) == {}
    assert list(revalidate_matches(store)) == []
    validated = list(revalidate_matches(store, all_matches=True))
    count = ask(store, "SELECT count(*) FROM matches")[0][0]
    assert [(validated[-1].matches_done, validated[-1].matches_total)] == [(count, count)]
    assert moved(validated) == []


@pytest.mark.parametrize(("size", "together"), [(20_000, 1), (20_000, 4), (WHOLE, 1)])
@pytest.mark.sample("20000-4")
def test_refreshed_rows_are_those_of_a_fresh_store_and_lie_in_the_same_order(
    size: int, together: int, store: Store, newer: None, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the size of a batch: numbers, ids, lines, unreadable texts and duplicates too."""
    monkeypatch.setattr(stored_texts, "BATCH_BYTES", size)
    monkeypatch.setattr(revalidate, "BATCHES_PER_TRANSACTION", together)
    files = ask(store, "FROM files")
    batches = len(list(revalidate_matches(store, all_matches=True)))
    assert batches == 1 if size == WHOLE else batches > 5 // together
    assert contents(store) == fresh(contents)
    assert ask(store, "FROM files") == files


def test_new_rules_move_the_verdicts_they_touch_and_no_other(
    store: Store, quinte: None, fresh: Fresh
) -> None:
    touched = ask(
        store,
        "SELECT DISTINCT match_no FROM announcements JOIN matches USING (match_no)"
        " WHERE kind = 'quinte' AND counted AND preset = 'lavardin'"
        " AND NOT contains(coalesce(options, ''), '\"quinte\"') ORDER BY match_no",
    )
    places = "SELECT match_no, match_id, file_no, line FROM matches ORDER BY match_no"
    before = ask(store, places)
    found = moved(revalidate_matches(store))
    assert [(one.match_no,) for one in found] == touched
    assert len(touched) > 5
    for one in found:
        points = [change for change in one.changes if change.field == "points"]
        assert points
        for change in points:
            gained = {new - old for old, new in zip(change.before, change.after, strict=True)}
            assert gained <= {0, 50, 100}
            assert gained != {0}
    # the sheets declare the points of before
    assert {one.changes[-1].after for one in found} == {"irregular"}
    assert ask(store, places) == before
    assert named(store) == fresh(named)


def test_a_refresh_that_is_interrupted_is_right_as_far_as_it_came_and_goes_on(
    store: Store, quinte: None, fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_texts, "BATCH_BYTES", 30_000)
    monkeypatch.setattr(revalidate, "BATCHES_PER_TRANSACTION", 1)
    count = ask(store, "SELECT count(*) FROM matches")[0][0]
    insert, calls = Store.insert_rows, 0

    def stop(self: Store, table: str, data: pa.Table) -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        insert(self, table, data)

    monkeypatch.setattr(Store, "insert_rows", stop)
    done = 0
    validated = revalidate_matches(store)
    with suppress(KeyboardInterrupt):
        while True:
            done = next(validated).matches_done
    monkeypatch.setattr(Store, "insert_rows", insert)
    assert 0 < done < count
    assert count_outdated(store.cursor()) == {RULES_VERSION: count - done}
    today, now = fresh(named), named(store)
    assert len(set(now["matches"]) & set(today["matches"])) == done
    assert list(revalidate_matches(store))[-1].matches_done == count - done
    assert named(store) == today


def test_rows_that_another_rule_makes_otherwise_are_replaced_though_no_verdict_moves(
    store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an announcement left unsaid would have counted is in no verdict."""
    announced = chouine.GAME.announcement_rows

    def worth_more(*given: Any) -> Any:
        found: Any = announced(*given)
        found.columns["worth"][~found.columns["counted"]] += 1
        return found

    monkeypatch.setattr(chouine.GAME, "announcement_rows", worth_more)
    uncounted = """SELECT sum(worth), count(*) FROM announcements JOIN matches USING (match_no)
        WHERE NOT counted AND game = 'chouine'"""
    [(before, count)] = ask(store, uncounted)
    assert moved(revalidate_matches(store)) == []
    assert ask(store, uncounted) == [(before + count, count)]
    assert not [wrong for batch in verify_store(store) for wrong in batch.inconsistencies]


def test_whatever_row_was_changed_is_made_anew_and_no_other_is_written(
    store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = "(SELECT min(match_no) FROM matches WHERE game = 'chouine' AND status = 'legal')"
    for table, column in (
        *(("deals", "trump"), ("deal_seats", "tricks"), ("seats", "score")),
        ("announcements", "worth"),
    ):
        store.connection.execute(f"UPDATE {table} SET {column} = {column} + 1 WHERE match_no = {first}")
    [(number,)] = ask(store, f"SELECT {first}")
    written = set[int]()
    insert = Store.insert_rows

    def noted(self: Store, table: str, data: pa.Table) -> None:
        written.update(data["match_no"].to_pylist())
        insert(self, table, data)

    monkeypatch.setattr(Store, "insert_rows", noted)
    assert moved(revalidate_matches(store)) == []
    assert written == {number}
    assert not [wrong for batch in verify_store(store) for wrong in batch.inconsistencies]


def test_pages_learn_that_verdicts_were_refreshed(store: Store) -> None:
    before = ask(store, "SELECT count(*) FROM change_log")
    list(revalidate_matches(store, all_matches=True))
    assert ask(store, "SELECT count(*) FROM change_log") > before


def test_a_masked_player_stays_masked(store: Store, newer: None) -> None:
    player = ask(store, "SELECT player_no, name FROM players LIMIT 1")[0]
    result = pseudonyms.mask_player(store, player[0])
    players = ask(store, "FROM players")
    list(revalidate_matches(store))
    assert ask(store, "FROM players") == players
    assert ask(store, f"SELECT name FROM players WHERE player_no = {player[0]}") == [(result,)]


def test_texts_are_read_a_bounded_batch_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_texts, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(stored_texts, "MATCHES_PER_QUERY", 7)
    numbers = revalidate.outdated_matches(store, all_matches=True)
    seen: list[int] = []
    for stored in stored_texts.read_stored(store, numbers):
        sizes = [len(text.text) for text in stored.batch.texts]
        assert len(sizes) <= 7
        assert sum(sizes[:-1]) < 20_000
        seen += stored.match_no.tolist()
    assert seen == numbers.tolist()


# other rules


RULES: tuple[tuple[str | None, dict[str, Any]], ...] = (
    ("lavardin", {}),
    ("mondoubleau", {}),
    ("regles-completes", {}),
    ("regles-completes", {"parties": 3}),
    (None, {"quinte": 100}),
    (None, {"turn_up": False}),
    (None, {"overruff": True, "one_per_suit": False}),
    (None, {"announce_with": "combination", "au_sept": "ignore"}),
    (None, {"manches": 1}),
    ("tournoi-2018", {}),
    (None, {"coinche_score": "sum"}),
    (None, {"target": 300}),
    ("blam", {"tricks": 5}),
)


@pytest.fixture(scope="module")
def more(filled: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The store that `fill` filled with spoilt logs besides, 400 in `make soak`; only read."""
    path = Path(shutil.copy(filled, tmp_path_factory.mktemp("more")))
    many = 400 if pytestconfig.getoption("--soak") else 40
    spoilt = b"\n".join(spoil(Random(seed)) for seed in range(many))
    with Store(path) as opened:
        list(ingest(opened, [("spoilt.jsonl", io.BytesIO(spoilt))], on_conflict=OnConflict.BOTH))
    return path


@pytest.fixture(scope="module")
def explain_once() -> Callable[..., ValidationResult]:
    """What a log is by its own rules is explained once, however many others it is held against."""
    own = cache(validate_text)
    return lambda text, rules=None: own(text) if rules is None else validate_text(text, rules)


@pytest.fixture
def spoilt(
    more: Path, explain_once: Callable[..., ValidationResult], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    monkeypatch.setattr("ingest.validate.what_if.validate_text", explain_once)
    with Store(more, read_only=True) as opened:
        yield opened


@pytest.mark.parametrize(("preset", "options"), RULES, ids=str)
@pytest.mark.sample("None-{'quinte': 100}", "None-{'manches': 1}")
def test_what_moves_is_what_two_explanations_differ_in(
    preset: str | None, options: dict[str, Any], spoilt: Store
) -> None:
    """Legal, faulty and spoilt logs: the bulk side counts what the explanation would tell."""
    store = spoilt
    under = OtherRulesRun(store, preset, options)
    found = {one.match_no: one.changes for one in moved(under)}
    for number, name in ask(store, "SELECT match_no, game FROM matches"):
        if name in (*under.games, None):
            before, _, changes = what_if(MatchText(1, store.read_match_text(number)), preset, options)
            partial = any(decoded.is_partially_recorded for decoded in before.decoded)
            items = [one for one in found.get(number, []) if counted(before, one, partial)]
            assert items == [one for one in changes if counted(before, one, partial)]
        else:
            assert number not in found


def counted(explained: ValidationResult, change: Change, partial: bool) -> bool:
    """Whether the store has it: a deal of Coinche that did not end makes no marks, and of a
    match whose cards nobody wrote down it has the verdict alone.
    """
    if partial:
        return change.field == "status"
    if change.field != "points" or change.deal_index is None:
        return True
    replay = explained.replays[change.deal_index]
    assert replay is not None
    unended = int(replay.last.state["outcome"]) == replay.game.kernel.RUNNING
    return not (replay.game.partners and unended)


def spoil(random: Random) -> bytes:
    """A short log with one to three things changed by chance."""
    log: dict[str, Any] = copy.deepcopy(dict(random.choice(BASES)))
    log["id"] = f"spoilt-{random.random()}"
    for _ in range(random.randint(1, 3)):
        deal = random.choice(log["deals"])
        actions = deal.setdefault("actions", [])
        change = random.choice(["drop", "swap", "copy", "points", "winner", "dealer", "result"])
        at = random.randrange(len(actions)) if actions else 0
        if change == "drop":
            del actions[at : None if random.random() < 0.3 else at + 1]
        elif change == "swap" and actions:
            to = random.randrange(len(actions))
            actions[at], actions[to] = actions[to], actions[at]
        elif change == "copy" and actions:
            actions.insert(at, random.choice(actions))
        elif change == "points":
            deal["points"] = [random.randrange(200) for _ in deal.get("points", (0, 0))]
        elif change == "winner":
            deal["winner"] = random.randrange(4)
        elif change == "dealer" and "dealer" in deal:
            deal["dealer"] = 3 - min(deal["dealer"], 2)
        elif change == "result":
            log["result"] = {"score": [random.randrange(4), None], "winner": random.choice([1, None])}
        if "times" in deal:
            del deal["times"]
    return json.dumps(log).encode()


def bases() -> Iterator[dict[str, Any]]:
    for path in SAMPLES:
        log = json.loads(path.read_bytes())
        for one in log if isinstance(log, list) else [log]:
            for first in range(0, len(one["deals"]), 4):
                yield one | {"deals": one["deals"][first : first + 4]}
    yield from documents(10)


BASES = list(bases())


BY_HAND: dict[str, tuple[list[int], str]] = {
    # an announcement with a card that is not of it (CH-16)
    "exemple-lavardin": ([], "irregular"),
    # the same, and three parties do not make a manche of five (CH-25): it is not won yet
    "match-a-quatre": ([], "irregular"),
    "match-a-trois": ([], "irregular"),
    # the quinte of deal 1 counts 100 (CH-18), 184 to 156: another wins it
    "match-irregularites": ([0], "irregular"),
    # a mariage with a card that is not of it; the deal nobody wrote the cards of is as unverified
    "feuille-partielle": ([], "irregular"),
    # one manche ends the match (CH-25), deals follow; and the quinte of deal 13
    "match-lavardin": ([12], "irregular"),
    # nothing was turned up (CH-28): the cards drawn are others, and deals 1 to 3 break off
    "match-mondoubleau": ([0, 1, 2], "broken"),
}
"""Deals whose points move, and the verdict, of each sample that moves under the complete rules."""


def test_what_moves_under_the_complete_rules_is_what_was_worked_out_by_hand(tmp_path: Path) -> None:
    samples = {path.name: path.read_bytes() for path in SAMPLES}
    with Store(tmp_path / "samples.duckdb") as opened:
        list(ingest(opened, [("samples.zip", io.BytesIO(zipped(**samples)))], on_conflict=OnConflict.BOTH))
        under = OtherRulesRun(opened, "regles-completes", {})
        found = {one.log_id: one for one in moved(under)}
    assert under.skipped_matches == 5  # one of Coinche, two of Chouineurs, two of Belote
    assert {
        name: ([one.deal_index for one in result.changes if one.field == "points"], result.changes[-1].after)
        for name, result in found.items()
    } == BY_HAND
    won = [one for one in found["match-irregularites"].changes if one.deal_index == 0]
    assert Change("points", 0, [134, 156], [184, 156]) in won
    assert Change("winner", 0, 2, 1) in won
    assert Change("result", None, 3, None) in found["match-a-trois"].changes


def test_nothing_is_written_under_other_rules(store: Store) -> None:
    path = Path(store.path)
    store.close()
    os.sync()
    before = path.read_bytes()
    with Store(path, read_only=True) as opened:
        assert moved(OtherRulesRun(opened, "regles-completes", {}))
    assert path.read_bytes() == before


def test_matches_of_other_games_are_passed_over_and_counted(store: Store) -> None:
    by_game = dict(ask(store, "SELECT coalesce(game, ''), count(*) FROM matches GROUP BY 1"))
    under = OtherRulesRun(store, "lavardin", {})
    assert under.games == ["chouine"]
    assert under.skipped_matches == by_game["coinche"] + by_game["chouineurs"] + by_game["belote"]
    assert len(under.match_numbers) == by_game["chouine"] + by_game[""]
    # both of these have manches
    both = OtherRulesRun(store, None, {"manches": 1})
    assert both.games == ["chouine", "chouineurs"]
    one = OtherRulesRun(store, None, {"manches": 1}, games=["chouineurs"])
    assert len(one.match_numbers) == by_game["chouineurs"]
    assert {found.game for found in moved(one)} == {"chouineurs"}


def test_a_text_with_rules_nobody_knows_becomes_a_match_under_known_ones(tmp_path: Path) -> None:
    log = json.dumps(documents()[0] | {"rules": "lavardin-1900"}).encode()
    with Store(tmp_path / "one.duckdb") as opened:
        list(ingest(opened, [("one.json", io.BytesIO(log))], on_conflict=OnConflict.BOTH))
        (found,) = moved(OtherRulesRun(opened, "lavardin", {}))
    status = found.changes[-1]
    assert (status.field, status.before, status.after) == ("status", "unreadable", "legal")


def test_other_rules_are_not_held_against_verdicts_that_are_old(store: Store, newer: None) -> None:
    with pytest.raises(StoreError) as caught:
        OtherRulesRun(store, "lavardin", {})
    assert "retourne revalidate --store" in caught.value.message(translator("en"))
    list(revalidate_matches(store))
    assert OtherRulesRun(store, "lavardin", {}).skipped_matches


@pytest.mark.parametrize(
    ("preset", "options", "what", "found"),
    [
        ("poker", {}, "preset", "poker"),
        ("lavardin", {"target": 500}, "option", "target"),
        (None, {"quinte": 100, "target": 500}, "option", "target"),
        (None, {"quinte": 5000}, "quinte", 5000),
        ("regles-completes", {"announce_with": "all"}, "announce_with", "all"),
    ],
)
def test_rules_no_game_has_are_reported(
    preset: str | None, options: dict[str, Any], what: str, found: object
) -> None:
    with pytest.raises(UnknownRule) as caught:
        games_with(preset, options)
    assert (caught.value.subject, caught.value.found) == (what, found)
    assert caught.value.known


def test_under_other_rules_a_draw_untold_is_no_fault_and_a_null_no_action(tmp_path: Path) -> None:
    (log,) = documents(1)
    actions = log["deals"][0]["actions"]
    at = next(place for place, word in enumerate(actions) if len(word) == 4) + 2
    spoilt = [[*actions[:1], None], [*actions[:at], "1 draw ??", *actions[at:]]]
    lines = []
    for name, words in zip(("null", "hidden"), spoilt, strict=True):
        log["deals"][0]["actions"] = words
        lines.append(json.dumps(log | {"id": name}).encode())
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("a.jsonl", io.BytesIO(b"\n".join(lines)))], on_conflict=OnConflict.BOTH))
        before = dict(ask(store, "SELECT log_id, status::VARCHAR FROM matches"))
        changes = moved(OtherRulesRun(store, None, {"au_sept": "ignore"}))
    assert before.get(None) == "unreadable"
    assert [match for match in changes if any(one.field == "status" for one in match.changes)] == []
