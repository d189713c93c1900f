"""A finding's code is one record: what it says, how it speaks, what it rests on.

A game brings the records of the codes it alone has, and what is reported of a code asks no other place.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from engine.faults import FaultTable
from engine.games import Game, game, game_names, register, unregister
from ingest.findings.codes import DOCUMENT_GAME, SHARED_CODES, code_entries, code_info, code_infos
from ingest.findings.finding import ERROR, NOTE, WARNING, Finding, mark_root_causes
from ingest.games import game_support
from ingest.games.finding_code import CodeInfo, DependsOn, UnderlinedPart, ValueKind
from ingest.i18n import translator

ENGLISH = translator("en")


def finding(code: str, game: str = "", **values: Any) -> Finding:
    detail = {"names": ["Jean", "Anna"], "sides": ["Jean", "Anna"]}
    return Finding(code, "CH-1", ERROR, "", game=game, detail=detail, **values)


def test_a_code_has_one_record() -> None:
    every = [*SHARED_CODES, *(code for name in game_names() for code in game_support(name).FINDING_CODES)]
    assert len(every) == len(code_infos())


def test_a_document_s_code_says_its_severity_and_a_game_s_leaves_that_to_the_engine() -> None:
    faults = {one.code for one in code_entries() if one.game != DOCUMENT_GAME}
    for code, one in code_infos().items():
        assert (one.severity in (ERROR, WARNING)) is (code not in faults)
    severities = {one.severity for one in code_entries() if one.game != DOCUMENT_GAME}
    assert severities == {ERROR, WARNING, NOTE}


def test_a_code_only_one_game_has_stands_in_that_game_s_file() -> None:
    having = Counter(one.code for one in code_entries() if one.game != DOCUMENT_GAME)
    shared = {code for code, one in SHARED_CODES.items() if not one.severity}
    assert shared == {code for code, games in having.items() if games > 1}


def test_values_are_spoken_as_the_record_says() -> None:
    result = finding("draw-card", found="1 draw Kd", legal=["1 draw 9s"], seat=1).message(ENGLISH)
    assert result == "Jean (seat 1): draws K♦, but the talon gives 9♠."
    result = finding("winner-differs", found=1, legal=2).message(ENGLISH)
    assert result == "Recorded winner of the deal: Jean (seat 1). Winner by the rules: Anna (seat 2)."
    result = finding("unknown-action", found="Kd", legal=[]).message(ENGLISH)
    assert result == "Unknown action: Kd."  # a text of the log is never taken for a card
    result = finding("cannot-read", found="Permission denied").message(ENGLISH)
    assert result == "The file cannot be read: permission denied."


def test_where_the_sentence_does_not_fit_another_is_used() -> None:
    assert finding("unknown-game", found="", legal=["x"]).message(ENGLISH) == (
        "The match has no game. Use one of: x."
    )
    open_ = finding("result-differs", found=7, legal=None)
    open_.detail["open"] = True
    assert open_.message(ENGLISH) == ("Recorded winner of the match: seat 7, which does not exist.")


def test_a_finding_says_what_to_do_and_an_unknown_code_says_nothing() -> None:
    assert finding("not-json").advice(ENGLISH).startswith("Look at the place for a comma")
    assert finding("no-such-code").advice(ENGLISH) == ""
    with pytest.raises(KeyError):
        code_info("no-such-code")


def test_an_error_follows_from_what_its_record_says_it_rests_on() -> None:
    def at(code: str, deal: int | None, action: int | None = None) -> Finding:
        return finding(code, deal_index=deal, action_index=action)

    found = [
        at("cut-undecided", None),
        at("must-beat", 0, 3),
        at("must-beat", 0, 9),  # of the play before it
        at("points-differ", 0),  # of all the play
        at("wrong-dealer", 1),  # of how the deal before came out
        at("score-differs", None),  # of all the deals
    ]
    mark_root_causes(found, harmless=(), settled_deals=())
    assert [one.follows for one in found] == [None, None, 1, 1, 1, 1]
    rests = [code_info(one.code).depends_on for one in found]
    assert rests == [
        DependsOn.CUT,
        DependsOn.EARLIER_PLAY,
        DependsOn.EARLIER_PLAY,
        DependsOn.DEAL,
        DependsOn.DEAL_BEFORE,
        DependsOn.DEALS,
    ]


@pytest.fixture
def fourth() -> Iterator[str]:
    """A game nobody knows: it is played and spoken like Chouine, with a fault of its own."""
    engine, rows = ModuleType("tests_fourth_engine"), ModuleType("tests_fourth_ingest")
    known: Game = game("chouine")
    own = FaultTable(("must-sing", "FO-1", ERROR), ("wrong-turn", "FO-2", ERROR))
    engine.GAME = known._replace(name="fourth", faults=own, match_faults=FaultTable())  # type: ignore[attr-defined]

    class Sung(type(game_support("chouine"))):  # type: ignore[misc]
        FINDING_CODES: Mapping[str, CodeInfo] = {
            "must-sing": CodeInfo("{who} does not sing {found}.", "Sing.", ValueKind.ACTS)
        }

    rows.GAME = Sung()  # type: ignore[attr-defined]
    for module in (engine, rows):
        sys.modules[module.__name__] = module
    register("fourth", engine=engine.__name__, schemas="none", ingest=rows.__name__, dashboard="none")
    yield "fourth"
    unregister("fourth")
    for module in (engine, rows):
        del sys.modules[module.__name__]


def test_a_game_registered_at_run_time_has_its_codes(fourth: str) -> None:
    fields = {one.code: one for one in code_entries() if one.game == fourth}
    assert list(fields) == ["must-sing", "wrong-turn"]
    assert fields["must-sing"].rule == "FO-1"
    assert fields["must-sing"].message(ENGLISH) == "… does not sing …"
    assert fields["wrong-turn"].message(ENGLISH) == next(
        one.message(ENGLISH) for one in code_entries() if one.code == "wrong-turn"
    )
    result = finding("must-sing", fourth, found="Kd", seat=2).message(ENGLISH)
    assert result == "Anna (seat 2) does not sing K♦."


@pytest.mark.slow
def test_a_game_that_is_forgotten_takes_its_codes_with_it() -> None:
    assert "fourth" not in game_names()
    with pytest.raises(KeyError):
        code_info("must-sing")
    assert code_info("must-follow").underlined is UnderlinedPart.WHOLE
