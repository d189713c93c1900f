"""What ingest needs of a game: every game's module has all of it."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ingest.games.belote
import ingest.games.chouine
import ingest.games.chouineurs
import ingest.games.coinche
from engine import games
from engine.actions import ACT_MASK
from engine.cards import PIQUET
from engine.chouine.actions import MARIAGE, TIERCE
from engine.chouine.deal_stats import announcements
from engine.chouine.kernel import State
from engine.games import game, game_names
from engine.simulate import SimulatedMatch
from ingest.cli.app import run
from ingest.findings.finding import STATUSES
from ingest.findings.rulebook import find_rule
from ingest.findings.spoken_notation import announcement_kinds, describe_action, describe_value, describe_word
from ingest.games import GameSupport, all_games, game_support
from ingest.i18n import translator
from ingest.store.aliases import NumberPlayers
from ingest.store.baseline import deal_arrays_of_simulated
from ingest.store.derived_rows import LocalPlayerNumbers, group_rows
from ingest.validate.fast_path.deal_arrays import replay_and_count
from ingest.validate.fast_path.decode import MatchColumns
from ingest.validate.match_checks import deal_status_codes
from schemas.match_setup import MatchSetup
from schemas.notation import act_codes as words_of
from schemas.simulated import deal_documents, simulate_matches, simulated_setup

PARTS: dict[str, GameSupport] = {
    "chouine": ingest.games.chouine.GAME,
    "coinche": ingest.games.coinche.GAME,
    "chouineurs": ingest.games.chouineurs.GAME,
    "belote": ingest.games.belote.GAME,
}
ENGLISH, FRENCH = translator("en"), translator("fr")


def test_every_game_that_is_registered_has_its_part() -> None:
    assert all_games() == PARTS


@pytest.mark.parametrize("name", list(PARTS))
def test_kinds_of_acts_that_are_forgotten_are_kinds_the_game_has(name: str) -> None:
    """How often each is done is stated of a kind, or of what a word of the game begins with."""
    acts = game(name).acts
    kinds = {acts.kind_of_act(act & ACT_MASK) for act in range(acts.ACT_COUNT)}
    words = tuple(words_of(name))
    for often, share in game_support(name).ACT_FREQUENCIES.items():
        assert often in kinds or any(word.startswith(often) for word in words)
        assert 0 < share <= 1


@pytest.mark.parametrize("name", list(PARTS))
def test_the_rules_of_a_game_begin_with_its_own_letters(name: str) -> None:
    tables = game(name).faults, game(name).match_faults
    rules = {fault.rule for table in tables for fault in table.rows} - {"format"}
    assert all(rule.startswith(game_support(name).RULE_PREFIX + "-") for rule in rules)


@pytest.mark.parametrize("name", list(PARTS))
def test_a_card_is_written_in_the_ways_its_game_says(name: str) -> None:
    played = simulated_setup(name, None, game(name).players[0])
    ways = game_support(name).card_spellings(played)
    written = [way for card in ways for way in card]
    assert len(set(written)) == len(written)
    assert {game_support(name).describe_word(ENGLISH, way) for way in written}.isdisjoint({None})


def test_the_bids_of_a_deal_are_where_the_kernel_reads_them() -> None:
    played = simulated_setup("chouineurs", None, 4)
    bids = PARTS["chouineurs"].bid_slots(played)
    assert played.bid_cards is not None
    deals = next(simulate_matches(played, 1, 1)).deals
    row = deals[0].deck
    result = deal_documents(played, deals)[0]["bids"]
    assert [played.bid_cards.names[row[place]] for place, _ in bids] == result
    assert [list(values) for _, values in bids] == [list(range(5))] * 4
    assert not PARTS["chouine"].bid_slots(simulated_setup("chouine", None, 2))


def test_a_bid_is_shortened_by_its_own_game_alone() -> None:
    bids = [f"1 bid {points}{suit}" for points in (90, 100) for suit in "sh"]
    assert PARTS["coinche"].summarize_actions(ENGLISH, bids) == ["bids 90–100 ♠♥"]
    assert PARTS["chouine"].summarize_actions(ENGLISH, bids) == bids
    assert describe_value(FRENCH, bids, as_cards=True) == describe_value(FRENCH, bids, True, "coinche")


# a game nobody wrote


@pytest.fixture
def bataille(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A game with a card, an act and an announcement of its own, known to this floor only."""
    module: Any = ModuleType("tests.ingest.bataille")
    module.GAME = SimpleNamespace(
        ANNOUNCEMENT_NAMES={"pair": "pair"},
        describe_word=lambda t, word: {"Z1": "the fool", "flip": "flips a card"}.get(word),
        summarize_actions=lambda t, words: [word for word in words if word != "1 flip"],
        RULE_PREFIX="BA",
        DECK_CHECKER=None,
    )
    part = games.module_of
    monkeypatch.setattr(
        "ingest.games.module_of", lambda name, floor: module if name == "bataille" else part(name, floor)
    )
    games.register("bataille", engine="", schemas="", ingest=module.__name__, dashboard="")
    yield
    games.unregister("bataille")


@pytest.mark.usefixtures("bataille")
def test_a_new_game_says_its_own_words() -> None:
    assert describe_word(ENGLISH, "Z1") == "the fool"
    assert describe_word(ENGLISH, "flip", "chouine") == "flips a card"  # a word nobody else knows
    assert describe_action(ENGLISH, "2 flip", "bataille") == "flips a card"
    assert describe_word(FRENCH, "Kh", "bataille") == "R♥"
    assert describe_value(ENGLISH, ["1 flip", "2 Z1"], True) == "the fool"
    assert announcement_kinds()["pair"] == "pair"


@pytest.mark.usefixtures("bataille")
def test_a_rule_of_a_game_that_is_not_in_the_book_is_its_id() -> None:
    found = find_rule("BA-3", ENGLISH)
    assert (found.id, found.game, found.text) == ("BA-3", "bataille", "")
    assert find_rule("CH-9", ENGLISH).game == "chouine"
    with pytest.raises(KeyError):
        find_rule("CH-99", ENGLISH)


@pytest.mark.usefixtures("bataille")
def test_a_new_game_is_among_those_that_can_be_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert run(["simulate", "--game", "poker", "--lang", "en"]) == 2
    assert "must be one of chouine, coinche, chouineurs, belote, bataille." in capsys.readouterr().err


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
        games.unregister("bataille")
    assert translator("fr")("the fool") == "the fool"


def test_a_game_that_was_forgotten_says_nothing_more() -> None:
    assert "bataille" not in game_names()
    assert describe_word(ENGLISH, "flip") == "flip"
    assert "pair" not in announcement_kinds()


# rows


def rows_at(arranged: MatchSetup, played: list[SimulatedMatch]) -> dict[str, pa.Table]:
    """The rows of simulated matches at a table, by the store's table they are for."""
    matches, numbers = len(played), deal_arrays_of_simulated(arranged, played)
    base = {"match_no": np.arange(matches)}
    names = [list(match.habits) for match in played]
    none, nowhere = np.full(matches, None, np.object_), pa.nulls(matches, pa.string())
    head = MatchColumns(
        game=np.full(matches, arranged.game.name, np.object_),
        log_id=nowhere,
        played_at=pa.nulls(matches, pa.timestamp("us", tz="UTC")),
        played_on=pa.nulls(matches, pa.date32()),
        players=np.full(matches, arranged.players),
        ids=names,
        names=names,
        **dict.fromkeys(("preset", "options", "event", "details", "source"), none),
    )
    verdicts = replay_and_count(numbers)
    nobody: NumberPlayers = LocalPlayerNumbers()
    return dict(group_rows(base, head, numbers, verdicts, nobody, np.arange(matches)))


@pytest.mark.parametrize("name", list(PARTS))
def test_a_game_registered_later_has_its_rows_by_its_own_module(name: str) -> None:
    placed = simulated_setup(name, None, game(name).players[-1])
    played = list(simulate_matches(placed, 5, seed=4))
    games.register("neuve", **games.game_modules(name)._asdict())
    try:
        twin = placed._replace(game=placed.game._replace(name="neuve"))
        own, other = rows_at(placed, played), rows_at(twin, played)
    finally:
        games.unregister("neuve")
    assert other["matches"]["game"].unique().to_pylist() == ["neuve"]
    assert ("announcements" in own) == bool(game_support(name).ANNOUNCEMENT_NAMES)
    for table in own.keys() - {"matches"}:
        remaining = [column for column in own[table].column_names if column != "game"]
        assert own[table].select(remaining).equals(other[table].select(remaining)), table


def test_a_deal_is_as_bad_as_its_gravest_fault() -> None:
    gravest = [deal_status_codes(True, True, True), deal_status_codes(False, True, True)]
    assert [STATUSES[int(status)] for status in gravest] == ["broken", "incomplete"]
    wrong = np.array([False, True])
    result = deal_status_codes(np.zeros(2, np.bool_), np.zeros(2, np.bool_), wrong)
    assert [STATUSES[status] for status in result] == ["legal", "irregular"]


# facts the rows ask of the kernel


def test_ch_20_an_announcement_that_a_better_one_stands_for_is_not_missed() -> None:
    played = simulated_setup("chouine", None, 2)
    states = np.zeros(2, State)
    states["players"], states["drawable"], states["trump"] = 2, 22, 3
    states["when"] = -1
    held = sum(1 << 4 * kind for kind in (MARIAGE, TIERCE))  # of one suit
    states["held"][:, 0] = held
    states["announced"][1, 0] = 1 << 4 * MARIAGE
    rules, rule_of = np.array([played.rules]), np.zeros(2, np.int64)
    found = announcements(states, rules, rule_of, np.zeros(2, np.bool_))
    items = [tuple(map(int, row)) for row in found[["deal", "combination", "worth", "missed"]]]
    assert items == [
        (0, 4 * MARIAGE, 20, 0),
        (0, 4 * TIERCE, 30, 1),  # the better one was never said
        (1, 4 * MARIAGE, 20, 0),
        (1, 4 * TIERCE, 30, 0),  # the suit was used up
    ]


def test_ch_13_the_seven_and_the_retourne_count_for_each_other_once_exchanged() -> None:
    states = np.zeros(2, State)
    states["trump"], states["retourne"] = 1, PIQUET.code_entries["Ah"]
    states["sept"] = [-1, 0]
    points = PARTS["chouine"].dealt_card_points(states)
    assert points is not None
    both = [PIQUET.code_entries["7h"], PIQUET.code_entries["Ah"]]
    assert points[:, both].tolist() == [[0, 11], [11, 0]]


def test_no_card_counts_by_itself_where_tricks_are_worth_what_is_bid() -> None:
    assert PARTS["chouineurs"].dealt_card_points(np.zeros(1, State)) is None
