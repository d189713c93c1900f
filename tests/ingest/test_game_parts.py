"""What ingest asks of a game: every game's module has all of it, and a new one is asked too."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ingest.games.chouine
import ingest.games.chouineurs
import ingest.games.coinche
from engine import games
from engine.actions import ACT_MASK
from engine.cards import PIQUET
from engine.chouine.actions import MARIAGE, TIERCE
from engine.chouine.deal_stats import announcements
from engine.chouine.kernel import State
from engine.games import game, names
from engine.simulate import SimulatedMatch
from ingest.cli.app import run
from ingest.findings.finding import STATUSES
from ingest.findings.rulebook import rule_text
from ingest.findings.spoken_notation import kinds, speak_action, speak_value, speak_word
from ingest.games import Game, every, of
from ingest.i18n import translator
from ingest.store.baseline import of_simulated
from ingest.store.derived_rows import Players, rows_of
from ingest.validate.fast_path.deal_arrays import judge
from ingest.validate.fast_path.decode import Head
from ingest.validate.match_checks import deal_status
from schemas.match_setup import Table
from schemas.notation import acts as words_of
from schemas.simulated import deal_documents, lay, play

PARTS: dict[str, Game] = {
    "chouine": ingest.games.chouine.GAME,
    "coinche": ingest.games.coinche.GAME,
    "chouineurs": ingest.games.chouineurs.GAME,
}
ENGLISH, FRENCH = translator("en"), translator("fr")


def test_every_game_that_is_registered_has_its_part() -> None:
    assert every() == PARTS


@pytest.mark.parametrize("name", list(PARTS))
def test_kinds_of_acts_that_are_forgotten_are_kinds_the_game_has(name: str) -> None:
    """How often each is done is said of a kind, or of what a word of the game begins with."""
    acts = game(name).acts
    kinds = {acts.kind_of_act(act & ACT_MASK) for act in range(acts.ACTS)}
    words = tuple(words_of(name))
    for often, share in of(name).OFTEN.items():
        assert often in kinds or any(word.startswith(often) for word in words)
        assert 0 < share <= 1


@pytest.mark.parametrize("name", list(PARTS))
def test_the_rules_of_a_game_begin_with_its_own_letters(name: str) -> None:
    tables = game(name).faults, game(name).match_faults
    rules = {fault.rule for table in tables for fault in table.rows} - {"format"}
    assert all(rule.startswith(of(name).RULES + "-") for rule in rules)


@pytest.mark.parametrize("name", list(PARTS))
def test_a_card_is_written_in_the_ways_its_game_says(name: str) -> None:
    laid = lay(name, None, game(name).players[0])
    ways = of(name).cards(laid)
    written = [way for card in ways for way in card]
    assert len(set(written)) == len(written)
    assert {of(name).speak(ENGLISH, way) for way in written}.isdisjoint({None})


def test_the_bids_of_a_deal_are_where_the_kernel_reads_them() -> None:
    laid = lay("chouineurs", None, 4)
    bids = PARTS["chouineurs"].bids(laid)
    assert laid.bids is not None
    deals = next(play(laid, 1, 1)).deals
    row = deals[0].deck
    told = deal_documents(laid, deals)[0]["bids"]
    assert [laid.bids.names[row[place]] for place, _ in bids] == told
    assert [list(values) for _, values in bids] == [list(range(5))] * 4
    assert not PARTS["chouine"].bids(lay("chouine", None, 2))


def test_a_bid_is_shortened_by_its_own_game_alone() -> None:
    bids = [f"1 bid {points}{suit}" for points in (90, 100) for suit in "sh"]
    assert PARTS["coinche"].shorten(ENGLISH, bids) == ["bids 90–100 ♠♥"]
    assert PARTS["chouine"].shorten(ENGLISH, bids) == bids
    assert speak_value(FRENCH, bids, spoken=True) == speak_value(FRENCH, bids, True, "coinche")


# a game nobody wrote


@pytest.fixture
def bataille(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A game with a card, an act and an announcement of its own, known to this floor only."""
    module: Any = ModuleType("tests.ingest.bataille")
    module.GAME = SimpleNamespace(
        KINDS={"pair": "pair"},
        speak=lambda t, word: {"Z1": "the fool", "flip": "flips a card"}.get(word),
        shorten=lambda t, words: [word for word in words if word != "1 flip"],
        RULES="BA",
        MEANINGS=(),
        DECK_CHECK=None,
    )
    part = games.part
    monkeypatch.setattr(
        "ingest.games.part",
        lambda name, floor: module if name == "bataille" else part(name, floor),
    )
    games.register("bataille", engine="", schemas="", ingest=module.__name__, dashboard="")
    yield
    games.forget("bataille")


@pytest.mark.usefixtures("bataille")
def test_a_new_game_says_its_own_words() -> None:
    assert speak_word(ENGLISH, "Z1") == "the fool"
    assert speak_word(ENGLISH, "flip", "chouine") == "flips a card"  # a word nobody else knows
    assert speak_action(ENGLISH, "2 flip", "bataille") == "flips a card"
    assert speak_word(FRENCH, "Kh", "bataille") == "R♥"
    assert speak_value(ENGLISH, ["1 flip", "2 Z1"], True) == "the fool"
    assert kinds()["pair"] == "pair"


@pytest.mark.usefixtures("bataille")
def test_a_rule_of_a_game_that_is_not_in_the_book_is_its_id() -> None:
    found = rule_text("BA-3", ENGLISH)
    assert (found.id, found.game, found.text) == ("BA-3", "bataille", "")
    assert rule_text("CH-9", ENGLISH).game == "chouine"
    with pytest.raises(KeyError):
        rule_text("CH-99", ENGLISH)


@pytest.mark.usefixtures("bataille")
def test_a_new_game_is_among_those_that_can_be_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert run(["simulate", "--game", "poker", "--lang", "en"]) == 2
    assert "must be one of chouine, coinche, chouineurs, bataille." in capsys.readouterr().err


def test_a_new_game_brings_its_own_french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = tmp_path / "bataille_texts" / "locale" / "fr.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text('msgid "the fool"\nmsgstr "l’excuse"\n', encoding="utf-8")
    (catalogue.parents[1] / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    nowhere: dict[str, Any] = dict.fromkeys(("engine", "schemas", "ingest", "dashboard"), "")
    games.register("bataille", **nowhere, texts=("bataille_texts",))
    try:
        assert translator("fr")("the fool") == "l’excuse"
        assert translator("fr")("passes") == "passe"
    finally:
        games.forget("bataille")
    assert translator("fr")("the fool") == "the fool"


def test_a_game_that_was_forgotten_says_nothing_more() -> None:
    assert "bataille" not in names()
    assert speak_word(ENGLISH, "flip") == "flip"
    assert "pair" not in kinds()


# rows


def rows_at(laid: Table, played: list[SimulatedMatch]) -> dict[str, pa.Table]:
    """The rows of simulated matches at a table, by the store's table they are for."""
    matches, numbers = len(played), of_simulated(laid, played)
    base = {"match_no": np.arange(matches)}
    names = [list(match.habits) for match in played]
    none, nowhere = np.full(matches, None, np.object_), pa.nulls(matches, pa.string())
    head = Head(
        game=np.full(matches, laid.game.name, np.object_),
        log_id=nowhere,
        played_at=pa.nulls(matches, pa.timestamp("us", tz="UTC")),
        players=np.full(matches, laid.players),
        ids=names,
        names=names,
        **dict.fromkeys(("preset", "options", "event", "details", "source"), none),
    )
    verdicts = judge(numbers)
    nobody: Players = lambda ids, _: np.zeros(len(ids), np.int64)  # noqa: E731
    return dict(rows_of(base, head, numbers, verdicts, nobody, np.arange(matches)))


@pytest.mark.parametrize("name", list(PARTS))
def test_a_game_registered_later_has_its_rows_by_its_own_module(name: str) -> None:
    laid = lay(name, None, game(name).players[-1])
    played = list(play(laid, 5, seed=4))
    games.register("neuve", **games.floors(name)._asdict())
    try:
        twin = laid._replace(game=laid.game._replace(name="neuve"))
        own, other = rows_at(laid, played), rows_at(twin, played)
    finally:
        games.forget("neuve")
    assert other["matches"]["game"].unique().to_pylist() == ["neuve"]
    assert ("announcements" in own) == bool(of(name).KINDS)
    for table in own.keys() - {"matches"}:
        kept = [column for column in own[table].column_names if column != "game"]
        assert own[table].select(kept).equals(other[table].select(kept)), table


def test_a_deal_is_as_bad_as_its_gravest_fault() -> None:
    gravest = [deal_status(True, True, True), deal_status(False, True, True)]
    assert [STATUSES[int(status)] for status in gravest] == ["broken", "incomplete"]
    wrong = np.array([False, True])
    told = deal_status(np.zeros(2, np.bool_), np.zeros(2, np.bool_), wrong)
    assert [STATUSES[status] for status in told] == ["legal", "irregular"]


# facts the rows ask of the kernel


def test_ch_20_an_announcement_that_a_better_one_stands_for_is_not_missed() -> None:
    laid = lay("chouine", None, 2)
    states = np.zeros(2, State)
    states["players"], states["drawable"], states["trump"] = 2, 22, 3
    states["when"] = -1
    held = sum(1 << 4 * kind for kind in (MARIAGE, TIERCE))  # of one suit
    states["held"][:, 0] = held
    states["announced"][1, 0] = 1 << 4 * MARIAGE
    rules, rule_of = np.array([laid.rules]), np.zeros(2, np.int64)
    found = announcements(states, rules, rule_of, np.zeros(2, np.bool_))
    told = [tuple(map(int, row)) for row in found[["deal", "combination", "worth", "missed"]]]
    assert told == [
        (0, 4 * MARIAGE, 20, 0),
        (0, 4 * TIERCE, 30, 1),  # the better one was never said
        (1, 4 * MARIAGE, 20, 0),
        (1, 4 * TIERCE, 30, 0),  # the suit was used up
    ]


def test_ch_13_the_seven_and_the_retourne_count_for_each_other_once_exchanged() -> None:
    states = np.zeros(2, State)
    states["trump"], states["retourne"] = 1, PIQUET.codes["Ah"]
    states["sept"] = [-1, 0]
    points = PARTS["chouine"].card_points(states)
    assert points is not None
    both = [PIQUET.codes["7h"], PIQUET.codes["Ah"]]
    assert points[:, both].tolist() == [[0, 11], [11, 0]]


def test_no_card_counts_by_itself_where_tricks_are_worth_what_is_bid() -> None:
    assert PARTS["chouineurs"].card_points(np.zeros(1, State)) is None
