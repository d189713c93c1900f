"""Verdicts from columns: what stays is not read again, and what is told is what the texts tell."""

import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine import RULES_VERSION
from engine.games import game
from engine.options import presets
from ingest.games import chouine, of
from ingest.judge import decode
from ingest.judge.numbers import Numbers, Verdicts
from ingest.judge.numbers import judge as judge_numbers
from ingest.store import from_columns, revalidate, rows
from ingest.store.add import ingest
from ingest.store.moved import Moved
from ingest.store.revalidate import Judged, refresh, would_move
from ingest.store.store import Store
from ingest.store.under import Under
from ingest.store.verify import verify
from tests.ingest.mutate import Log, copied, legal, mutated

pytestmark = pytest.mark.slow

SPOILT = 200
OTHER: tuple[tuple[str | None, dict[str, Any]], ...] = (
    ("lavardin", {}),
    ("regles-completes", {}),
    ("mondoubleau", {}),
    (None, {"quinte": 100}),
    (None, {"parties": 1}),
    (None, {"overruff": True}),
    (None, {"turn_up": False}),
    ("tournoi-2018", {}),
    (None, {"target": 300}),
    (None, {"coinche_score": "sum"}),
    (None, {"tricks": 5}),
    (None, {"manches": 1}),
)


def kept(store: Store, logs: list[Log]) -> None:
    """Store logs, one a line."""
    lines = b"\n".join(json.dumps(log).encode() for log in logs)
    list(ingest(store, [("club.jsonl", io.BytesIO(lines))]))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Legal logs of every table, and as many spoilt ones; to be copied."""
    path = tmp_path_factory.mktemp("stores") / "club.duckdb"
    every, rng = list(legal()), Random(16)
    spoilt = [mutated(copied(rng.choice(every)), rng, rng.randint(1, 2))[0] for _ in range(SPOILT)]
    with Store(path) as store:
        kept(store, every + spoilt)
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(shutil.copy(filled, tmp_path)) as opened:
        yield opened


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version of the rules."""
    for module in (rows, revalidate):
        monkeypatch.setattr(module, "RULES_VERSION", RULES_VERSION + 1)


@pytest.fixture
def texts_alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """`texts_alone(run)`: what comes of it where no column is asked."""

    def run(asked: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(from_columns, "read", lambda *asked: iter(()))
            return asked()

    return run


def ask(store: Store, sql: str) -> list[Any]:
    return store.cursor().execute(sql).fetchall()


def told(judged: Iterator[Judged] | Under) -> list[Moved]:
    """What moves, in the order of the matches: columns settle some of a window before others."""
    return sorted((one for batch in judged for one in batch.moved), key=lambda one: one.match_no)


def read_texts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the matches whose texts are read from now on."""
    seen: list[int] = []
    read = revalidate.read_stored

    def noted(store: Store, numbers: Any, size: int | None = None) -> Any:
        seen.extend(numbers.tolist())
        return read(store, numbers, size)

    monkeypatch.setattr(revalidate, "read_stored", noted)
    return seen


# which matches can be asked


def test_every_clean_log_of_every_table_can_be_judged_from_its_columns(store: Store) -> None:
    count = len(ask(store, "FROM matches WHERE status = 'legal' AND findings = 0"))
    asked = ask(store, "SELECT game, players FROM matches WHERE by_columns")
    assert len(asked) >= count - 20 > 100
    assert {(name, players) for name, players in asked} == {
        (log["game"], len(log["players"])) for log in legal()
    }
    assert ask(store, "FROM matches WHERE by_columns AND (status <> 'legal' OR findings > 0)") == []


def test_what_a_match_is_judged_by_besides_stands_in_it_as_the_log_has_it(tmp_path: Path) -> None:
    log = next(one for one in legal() if one["game"] == "chouine" and one.get("cuts"))
    log = copied(log) | {"result": None}
    with Store(tmp_path / "one.duckdb") as store:
        kept(store, [log])
        [(cuts, result, start, by_columns)] = ask(
            store, "SELECT cuts, result, start, by_columns FROM matches"
        )
    assert json.loads(cuts) == log["cuts"]
    assert (result, start, by_columns) == (None, None, True)


def test_a_void_deal_that_declares_other_points_is_left_to_its_text(tmp_path: Path) -> None:
    """No kernel looks at what is declared of a void deal: by other rules one might."""
    log = next(one for one in legal() if one["game"] == "chouine" and len(one["deals"]) > 1)
    log = copied(log)
    log.pop("result", None)
    void = copied(log["deals"][0]) | {"void": "abandoned"}
    other = copied(log) | {"deals": [void | {"points": [1, 1]}, *log["deals"]], "id": "other"}
    with Store(tmp_path / "two.duckdb") as store:
        kept(store, [log | {"deals": [void, *log["deals"]], "id": "same"}, other])
        found = ask(store, "SELECT log_id, status::VARCHAR, by_columns FROM matches ORDER BY ALL")
    assert found == [("other", "legal", False), ("same", "legal", True)]


# nothing moves


def test_where_nothing_moves_no_text_of_a_clean_match_is_read(
    store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = read_texts(monkeypatch)
    assert told(would_move(store)) == []
    left = ask(store, "SELECT match_no FROM matches WHERE NOT by_columns ORDER BY match_no")
    assert [(number,) for number in seen] == left
    seen.clear()
    assert told(refresh(store)) == []
    assert [(number,) for number in seen] == left
    assert ask(store, "SELECT DISTINCT rules_version FROM matches") == [(RULES_VERSION + 1,)]


def test_all_texts_are_read_where_everything_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = read_texts(monkeypatch)
    assert told(would_move(store, everything=True)) == []
    assert len(seen) == ask(store, "SELECT count(*) FROM matches")[0][0]


def test_what_was_read_otherwise_than_today_is_judged_from_its_text(
    store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revalidate, "READ_ALIKE_SINCE", RULES_VERSION + 1)
    seen = read_texts(monkeypatch)
    assert told(would_move(store)) == []
    assert len(seen) == ask(store, "SELECT count(*) FROM matches")[0][0]


# other rules


@pytest.mark.parametrize(("preset", "options"), OTHER, ids=str)
def test_under_other_rules_both_roads_tell_the_same(
    preset: str | None,
    options: dict[str, Any],
    store: Store,
    texts_alone: Callable[[Callable[[], Any]], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = texts_alone(lambda: told(Under(store, preset, options)))
    seen = read_texts(monkeypatch)
    under = Under(store, preset, options)
    assert told(under) == texts
    moved = {one.match_no for one in texts}
    assert moved <= set(seen)
    if len(moved) < len(under.chosen) / 2:
        assert len(seen) < len(under.chosen)  # there was something that columns settled


# newer rules


def test_a_newer_rule_is_found_from_columns_and_the_text_has_the_word(
    store: Store,
    newer: None,
    texts_alone: Callable[[Callable[[], Any]], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quinte counts 100 at Lavardin from now on: every match it counted in moves."""
    monkeypatch.setitem(
        presets("chouine"), "lavardin", {**presets("chouine")["lavardin"], "quinte": 100}
    )
    decode.laid_by.cache_clear()
    try:
        texts = texts_alone(lambda: told(would_move(store)))
        assert len(texts) > 5
        assert told(would_move(store)) == texts
        assert told(refresh(store)) == texts
        assert not [wrong for batch in verify(store) for wrong in batch.wrong]
    finally:
        decode.laid_by.cache_clear()


@pytest.mark.parametrize("what", ["winner", "outcome", "over", "fault"])
def test_whatever_the_kernel_makes_otherwise_sends_the_match_to_its_text(
    what: str, store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule changed in one deal of each game's first match, made up here."""

    def changed(numbers: Numbers) -> Verdicts:
        verdicts = judge_numbers(numbers)
        if what == "fault":
            verdicts.match_faults[0] = 1
        elif what == "over":
            verdicts.matches["over"][0] ^= 1
        elif what == "winner":
            verdicts.states["winner"][0] ^= 1
        else:
            verdicts.states[what][0] += 1
        return verdicts

    monkeypatch.setattr(from_columns, "judge", changed)
    firsts = ask(store, "SELECT min(match_no) FROM matches WHERE by_columns GROUP BY game")
    seen = read_texts(monkeypatch)
    assert told(would_move(store)) == []  # the text says that nothing is another
    assert {number for (number,) in firsts} <= set(seen)


def test_rows_that_another_rule_makes_otherwise_are_replaced_though_no_verdict_moves(
    store: Store, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an announcement left unsaid would have counted is in no verdict."""
    announced = chouine.announced

    def worth_more(*given: Any) -> Any:
        found: Any = announced(*given)
        found.columns["worth"][~found.columns["counted"]] += 1
        return found

    monkeypatch.setattr(chouine, "announced", worth_more)
    uncounted = "SELECT sum(worth), count(*) FROM announcements WHERE NOT counted"
    [(before, count)] = ask(store, uncounted)
    assert told(would_move(store)) == []
    assert told(refresh(store)) == []
    assert ask(store, uncounted) == [(before + count, count)]
    assert not [wrong for batch in verify(store) for wrong in batch.wrong]


# columns that somebody else changed


FIRST = "(SELECT min(match_no) FROM matches WHERE by_columns AND game = '{}')"
TAMPERED = {
    "points": "UPDATE deal_seats SET points = points + 1 WHERE deal = 0 AND match_no = {}",
    "no points": "UPDATE deal_seats SET points = NULL WHERE deal = 0 AND match_no = {}",
    "winner": "UPDATE deals SET winner = 3 - winner WHERE deal = 0 AND match_no = {}",
    "no winner": "UPDATE deals SET winner = NULL WHERE deal = 0 AND match_no = {}",
    "status": "UPDATE deals SET status = 'irregular' WHERE deal = 0 AND match_no = {}",
    "match": "UPDATE matches SET status = 'irregular' WHERE match_no = {}",
    "match won": "UPDATE matches SET winner = coalesce(winner, 0) + 1 WHERE match_no = {}",
    "a deal gone": "DELETE FROM deals WHERE deal = 0 AND match_no = {}",
    "a deal twice": "INSERT INTO deals FROM deals WHERE deal = 0 AND match_no = {}",
    "a seat gone": "DELETE FROM deal_seats WHERE seat = 1 AND deal = 0 AND match_no = {}",
    "dealer": "UPDATE deals SET dealer = 9 WHERE deal = 0 AND match_no = {}",
    "void": "UPDATE deals SET void = 'maldonne' WHERE deal = 0 AND match_no = {}",
    "an unknown void": "UPDATE deals SET void = 'lost' WHERE deal = 0 AND match_no = {}",
    "a card twice": "UPDATE deals SET deck = deck[2:2] || deck[2:] WHERE deal = 0"
    " AND match_no = {}",
    "no card": "UPDATE deals SET deck = [200] || deck[2:] WHERE deal = 0 AND match_no = {}",
    "a card hidden": "UPDATE deals SET deck = [NULL] || deck[2:] WHERE deal = 0 AND match_no = {}",
    "cards": "UPDATE deals SET deck = list_reverse(deck) WHERE deal = 0 AND match_no = {}",
    "no deck": "UPDATE deals SET deck = NULL WHERE deal = 0 AND match_no = {}",
    "half a deck": "UPDATE deals SET deck = deck[:9] WHERE deal = 0 AND match_no = {}",
    "no act": "UPDATE deals SET actions = [65535] || actions WHERE deal = 0 AND match_no = {}",
    "an act left": "UPDATE deals SET actions = actions[2:] WHERE deal = 0 AND match_no = {}",
    "no actions": "UPDATE deals SET actions = NULL WHERE deal = 0 AND match_no = {}",
    "rules": "UPDATE matches SET preset = 'poker' WHERE match_no = {}",
    "options": """UPDATE matches SET options = '{{"parties":0}}' WHERE match_no = {}""",
    "cuts": """UPDATE matches SET cuts = '[["7h"]]' WHERE match_no = {}""",
    "no start": "UPDATE matches SET start = '{{' WHERE match_no = {}",
    "no result": "UPDATE matches SET result = '[]' WHERE match_no = {}",
    "no options": "UPDATE matches SET options = '}}' WHERE match_no = {}",
    "no equipment": "UPDATE matches SET equipment = '}}' WHERE match_no = {}",
    "other equipment": """UPDATE matches SET equipment = '{{"deal":1}}' WHERE match_no = {}""",
    "start": """UPDATE matches SET start = '{{"score":[99,99],"manche":7}}' WHERE match_no = {}""",
    "result": """UPDATE matches SET result = '{{"score":[9,9]}}' WHERE match_no = {}""",
    "seats": "UPDATE matches SET players = 7 WHERE match_no = {}",
    "how many": "UPDATE matches SET deals = deals + 1 WHERE match_no = {}",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_column_that_was_changed_is_told_as_it_is_from_texts(
    what: str, store: Store, newer: None, texts_alone: Callable[[Callable[[], Any]], Any]
) -> None:
    for name in ("chouine", "coinche", "chouineurs"):
        store.connection.execute(TAMPERED[what].format(FIRST.format(name)))
    texts = texts_alone(lambda: told(would_move(store)))
    assert told(would_move(store)) == texts
    if what in ("points", "winner", "status", "match", "match won"):
        assert len(texts) == 3
    assert told(refresh(store)) == texts
    after = ask(store, "SELECT DISTINCT rules_version FROM matches")
    assert after == [(RULES_VERSION + 1,)]


def test_whatever_row_of_play_was_changed_is_made_anew_by_a_refresh(
    store: Store, newer: None
) -> None:
    for table, column in (
        *(("deals", "trump"), ("deal_seats", "tricks"), ("seats", "score")),
        ("announcements", "worth"),
    ):
        store.connection.execute(
            f"UPDATE {table} SET {column} = {column} + 1 WHERE match_no = {FIRST.format('chouine')}"
        )
    assert told(would_move(store)) == []  # of these it tells nothing, as it never did
    assert told(refresh(store)) == []
    assert not [wrong for batch in verify(store) for wrong in batch.wrong]


def test_what_a_kernel_counts_on_is_looked_at_before_it_deals() -> None:
    """A card that is not there would be a place in memory that is not there."""
    this = game("chouine")
    deck = np.arange(32, dtype=np.uint8)
    twice, none, few = deck.copy(), deck.copy(), deck.copy()
    twice[0], none[0], few[0] = 1, 32, 255
    decks = np.stack([deck, twice, none, few, deck, deck])
    codes = np.array([0, 0, 0, 0, this.acts.ACTS, 9 << 8], np.uint16)
    good, explicit = np.ones(6, np.bool_), np.zeros(6, np.int64)
    drawn = np.zeros(256, np.bool_)
    drawn[0] = True
    from_columns.sound(
        decks,
        codes,
        np.arange(7),
        drawn,
        np.array([[32, 0]]),
        np.zeros(6, np.int64),
        np.int64(1) << np.arange(32),
        (32, 255, this.acts.ACTS),
        good,
        explicit,
    )
    assert good.tolist() == [True, False, False, False, False, False]
    assert explicit.tolist() == [1, 1, 1, 1, 0, 1]


def test_points_alone_are_those_of_the_rows(store: Store) -> None:
    for name in ("chouine", "coinche", "chouineurs"):
        numbers = revalidate.numbers_of(store, "game = ? AND by_columns", [name])
        (stored,) = from_columns.read(store.cursor(), numbers, 0)
        again = from_columns.again(stored)
        assert again is not None
        states = again.verdicts.states
        deal = np.arange(len(states))
        for seat in (deal * 0, deal * 0 + 1):
            one = of(name).points(states, deal, seat)
            assert (one == of(name).seat(states, deal, seat)["points"]).all()
