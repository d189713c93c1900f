"""A match recorded step by step gives the same log and findings as a check of the whole."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import InvalidMatchError, Recorder, check_text
from ingest.i18n import translator
from ingest.recorder import StepResult
from schemas.games import schemas_of
from schemas.notation import act_codes
from schemas.simulated import simulate_season
from tests.newgame import registered

ENGLISH = translator("en")
DATA = Path(__file__).parents[2] / "data"
FAULTS = sorted(path for path in DATA.glob("fautes/*/*.json") if not path.name.endswith(".expected.json"))
LUCIE, MARCEL = PLAYERS = [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}]
HANDS = ["9h Jd Qc 8d 7c", "Ks Qs Ah 9d 8c"]
TALON = "Th 7d Kc Jh 8h Ad Ts 9s Qh Jc Kd As 8s Td Kh 7h Js Qd 9c Ac Tc 7s"
SHEET = ("points", "winner", "void")
CARDS = ("deck", "hands", "talon")

Verdict = tuple[str, list[tuple[str, str, str]]]


def again(log: dict[str, Any], *left_out: str) -> Recorder:
    """A log typed action by action, its sheet at the end of each deal, some keys left out."""
    recorder = Recorder(**{key: log[key] for key in log if key not in ("format", "deals")})
    for deal in log["deals"]:
        keys = {key: value for key, value in deal.items() if key not in left_out}
        actions = keys.pop("actions", [])
        sheet = {key: keys.pop(key) for key in SHEET if key in keys}
        recorder.deal(**keys)
        for action in actions:
            recorder.act(action)
        recorder.end(**sheet)
    return recorder


def checked(log: dict[str, Any]) -> Verdict:
    """What a check makes of a log: its status, and each finding's code, place and sentence."""
    report = check_text(json.dumps(log))
    found = [(one.code, one.path, one.message(ENGLISH)) for one in report.findings]
    return report.status, sorted(found)


def recorded(recorder: Recorder) -> Verdict:
    """The same, as the recorder has it."""
    explained = recorder.explained
    found = [(one.code, one.path, one.message(ENGLISH)) for one in explained.findings]
    return explained.status, sorted(found)


def all_of(state: StepResult) -> tuple[Any, ...]:
    """Everything the engine says, but for what was new."""
    return state.points, state.turn, state.legal, state.over, state.winner, state.hands, state.match


@cache
def season_of(name: str, players: int, seed: int) -> dict[str, Any]:
    """A simulated match with its cards as hands."""
    return next(simulate_season(name, 1, seed, players=players))


TABLES = [("chouine", 2), ("chouine", 3), ("chouine", 4), ("coinche", 4), ("belote", 4), ("chouineurs", 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_match_typed_action_by_action_is_the_same_log_with_the_same_verdict(
    name: str, players: int
) -> None:
    log = season_of(name, players, 7)
    recorder = again(log)
    assert recorder.log() == log
    assert recorded(recorder) == checked(log)
    assert recorder.state.match.over
    assert recorder.state.match.score == log["result"]["score"]


@pytest.mark.slow
def test_a_game_nobody_has_heard_of_is_recorded_too() -> None:
    with registered() as name:
        log = next(simulate_season(name, 1, 3))
        recorder = again(log)
        assert recorder.log() == log
        assert recorded(recorder) == checked(log)
        assert again(log, *CARDS).explained.status in ("legal", "unverified")


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_faulty_log_is_taken_up_as_it_is_checked_or_refused_for_the_same(path: Path) -> None:
    try:
        log = json.loads(path.read_bytes())
    except ValueError:
        return  # no JSON, so nothing to take up
    status, found = checked(log)
    try:
        recorder = Recorder.of(log)
    except InvalidMatchError as error:
        assert status in ("broken", "unreadable")
        codes = {one.code for one in error.findings}
        assert codes <= {code for code, _, _ in found}
        return
    except TypeError:
        assert status == "unreadable"  # no object
        return
    # a key that stands twice is seen in a text alone
    assert recorded(recorder) == (status, [one for one in found if one[0] != "duplicate-key"])
    assert recorder.log() == log


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    recorder = Recorder("chouine", PLAYERS)
    recorder.deal(dealer=1, hands=HANDS, talon=TALON)
    before, result = recorder.log(), all_of(recorder.state)
    with pytest.raises(InvalidMatchError, match="9♥") as refused:
        recorder.act("2 9h")
    assert [one.code for one in refused.value.findings] == ["card-not-held"]
    assert [one.code for one in recorder.check("1 9h")] == ["wrong-turn"]
    assert [one.code for one in recorder.check("2 dance")] == ["unknown-action"]
    assert recorder.check("2 9d") == []
    assert recorder.log() == before
    assert all_of(recorder.state) == result


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"dealer": 3}, "deal-seat"),
        ({"dealer": "Lucie"}, "schema"),
        ({}, "deal-seat"),
        ({"dealer": 1, "hands": [HANDS[0], HANDS[0]], "talon": TALON}, "duplicate-card"),
        ({"dealer": 1, "hands": HANDS[:1], "talon": TALON}, "deck-size"),
    ],
)
def test_a_deal_that_cannot_be_dealt_is_refused(keys: dict[str, Any], code: str) -> None:
    recorder = Recorder("chouine", PLAYERS)
    with pytest.raises(InvalidMatchError) as refused:
        recorder.deal(**keys)
    assert code in {one.code for one in refused.value.findings}
    assert recorder.log()["deals"] == []


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"game": "bridge", "players": PLAYERS}, "unknown-game"),
        ({"game": "chouine", "players": [LUCIE, LUCIE]}, "duplicate-player"),
        ({"game": "chouine", "players": PLAYERS[:1]}, "players-count"),
        ({"game": "chouine", "players": PLAYERS, "rules": "vendôme"}, "unknown-rule"),
        ({"game": "chouineurs", "players": PLAYERS, "deck": "mine"}, "deck-unknown"),
    ],
)
def test_a_match_nobody_can_play_is_refused(keys: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidMatchError) as refused:
        Recorder(**keys)
    assert code in {one.code for one in refused.value.findings}


def test_an_act_needs_a_deal_and_undo_a_step() -> None:
    recorder = Recorder("chouine", PLAYERS)
    with pytest.raises(ValueError, match="no deal"):
        recorder.act("2 9d")
    with pytest.raises(ValueError, match="0 steps, not 1"):
        recorder.undo()
    assert recorder.state.match.openers == []


def test_ch_8_a_revoke_is_noted_and_play_goes_on() -> None:
    log = json.loads((DATA / "fautes" / "chouine" / "must-follow.json").read_bytes())
    (expected,) = check_text(json.dumps(log)).findings
    (deal,) = log["deals"]
    recorder = Recorder("chouine", log["players"], rules=log.get("rules"))
    recorder.deal(**{key: deal[key] for key in deal if key not in ("actions", *SHEET)})
    items = [recorder.act(action).findings for action in deal["actions"]]
    assert expected.action_index is not None
    (finding,) = items[expected.action_index]
    assert finding.message(ENGLISH) == expected.message(ENGLISH)
    assert sum(map(len, items)) == 1


@pytest.mark.slow
def test_ch_8_a_revoke_comes_to_light_with_the_card_that_proves_it() -> None:
    log = json.loads((DATA / "fautes" / "partielle" / "must-follow.json").read_bytes())
    (expected,) = [one for one in check_text(json.dumps(log)).findings if one.severity == "error"]
    index, revoke = expected.deal_index, expected.action_index
    assert index is not None
    assert revoke is not None
    recorder = Recorder.of(log | {"deals": log["deals"][:index]})
    deal = log["deals"][index]
    actions = deal["actions"]
    recorder.deal(**{key: deal[key] for key in deal if key not in ("actions", *SHEET)})
    proved = {}
    for at, action in enumerate(actions):
        for finding in recorder.act(action).findings:
            if finding.severity == "error":
                proved[finding.action_index] = at, finding.message(ENGLISH)
    assert list(proved) == [revoke]
    at, message = proved[revoke]
    assert at > revoke  # when it was played nobody could know
    assert message == expected.message(ENGLISH)


def test_ch_7_the_engine_draws_and_draws_may_be_recorded_all_the_same() -> None:
    recorder = Recorder("chouine", PLAYERS)
    recorder.deal(dealer=1, hands=HANDS, talon=TALON)
    recorder.act("2 9d")
    result = recorder.act("1 Jd")
    assert result.hands[0].count("Th") == 1
    assert recorder.act("1 draw Th").findings == []
    assert "2 draw 7d" in recorder.state.legal
    assert "draw-missing" in {one.code for one in recorder.check("1 Th")}


def test_ch_22_a_deal_that_a_chouine_ended_still_takes_the_card_owed() -> None:
    log = json.loads((DATA / "chouine-atout.json").read_bytes())
    deal = next(one for one in log["deals"] if "chouine" in " ".join(one["actions"]))
    at = max(i for i, one in enumerate(deal["actions"]) if " chouine-" in one)
    recorder = Recorder(log["game"], log["players"], rules=log.get("rules"))
    keys = {key: deal[key] for key in deal if key not in SHEET}
    result = recorder.deal(**keys | {"actions": deal["actions"][: at + 1]})
    assert result.over
    assert result.winner == deal["winner"]
    seat = deal["actions"][at].split(" ")[0]
    cards = [one for one in result.legal if one.startswith(seat)]
    assert recorder.end(points=deal["points"], winner=deal["winner"]).findings == []
    assert recorder.act(cards[0]).findings == []
    assert recorder.state.legal == []


def test_declared_values_are_checked_and_a_deal_left_open_is_reported() -> None:
    recorder = Recorder("chouine", PLAYERS)
    assert recorder.deal(dealer=1, hands=HANDS, talon=TALON).findings == []
    recorder.act("2 9d")
    result = recorder.act("2 resign")
    assert (result.over, result.points, result.winner) == (True, [0, 0], 1)
    (finding,) = recorder.end(points=[2, 61], winner=1).findings
    assert (finding.code, finding.legal) == ("points-differ", [0, 0])
    assert recorder.end(points=[0, 0]).findings == []
    (finding,) = recorder.update(result={"score": [0, 1]}).findings
    assert (finding.code, finding.legal) == ("score-differs", [1, 0])
    recorder.undo()
    recorder.deal(dealer=2)
    assert [one.code for one in recorder.deal(dealer=1).findings] == ["incomplete"]
    assert [one.code for one in recorder.end().findings] == ["incomplete"]
    assert recorder.end(void="abandoned").over


def test_the_next_deal_is_dealt_by_the_next_dealer() -> None:
    log = season_of("chouine", 2, 7)
    recorder = Recorder("chouine", log["players"], cuts=log["cuts"][:1])
    for deal in log["deals"]:
        if len(recorder.state.match.openers) == 0:
            recorder.update(cuts=log["cuts"])  # the belle is cut for once it is due (CH-25)
        assert recorder.state.match.openers == [deal["dealer"]]
        recorder.deal(deck=deal["deck"], actions=deal["actions"])
    assert [one["dealer"] for one in recorder.log()["deals"]] == [one["dealer"] for one in log["deals"]]


def test_a_deal_that_hangs_on_the_end_of_the_running_one_is_refused_for_that() -> None:
    for keys in ({}, {"hands": HANDS, "talon": TALON}):
        recorder = Recorder("chouine", PLAYERS)
        recorder.deal(dealer=1, **keys)
        recorder.act("2 9d")
        with pytest.raises(InvalidMatchError, match="stops before its end") as refused:
            recorder.deal()
        assert [one.path for one in refused.value.findings] == ["/deals/0/actions"]
        assert recorder.deal(dealer=2).findings  # who names the dealer may leave it open
    with pytest.raises(InvalidMatchError, match="names neither a dealer nor a leader"):
        Recorder("chouine", PLAYERS).deal()


def test_a_card_played_twice_is_refused_for_that() -> None:
    recorder = Recorder("chouine", PLAYERS)
    recorder.deal(dealer=1)
    recorder.act("2 9d")
    with pytest.raises(InvalidMatchError, match="plays 9♦, but it was played already"):
        recorder.act("1 9d")
    recorder.act("1 7d")
    with pytest.raises(InvalidMatchError, match="plays 7♦, but it was played already"):
        recorder.act("2 7d")


def test_cr_5_the_next_leader_of_chouineurs_is_known() -> None:
    log = season_of("chouineurs", 3, 5)
    recorder = Recorder("chouineurs", log["players"], deck=log["deck"])
    first, second = log["deals"][:2]
    recorder.deal(**first)
    openers = recorder.state.match.openers
    assert second["leader"] in openers


def test_a_log_taken_up_can_be_undone_to_its_first_deal() -> None:
    log = season_of("coinche", 4, 3)
    log = log | {"deals": log["deals"][:2]}
    typed, taken = again(log), Recorder.of(log)
    assert taken.log() == typed.log()
    actions = len(log["deals"][1]["actions"])
    taken.undo(actions + 1)
    assert [len(deal["actions"]) for deal in taken.log()["deals"]] == [len(log["deals"][0]["actions"])]
    taken.undo(len(log["deals"][0]["actions"]) + 1)
    assert taken.log()["deals"] == []


def hidden(deal: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The cards of a deal with unknown cards: each hand whole, in part or not at all, the talon too."""

    def part(cards: str) -> str:
        some = [card if rng.random() < 0.5 else "??" for card in cards.split(" ")]
        return rng.choice([cards, "??", " ".join(some)])

    keys: dict[str, Any] = {"hands": [part(hand) for hand in deal["hands"]]}
    if "talon" in deal:
        *rest, retourne = deal["talon"].split(" ")
        keys["talon"] = " ".join([*("??" for _ in rest), retourne])
    return keys


@cache
def one_deal(name: str, players: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """(a match without deals, its first deal with cards played, with hands), simulated."""
    log = next(simulate_season(name, 1, seed, players=players))
    deal = next(one for one in log["deals"] if len(one["actions"]) > 8)
    if "deck" in deal:  # the same as hands, which a table tells
        explained = Recorder.of(log | {"deals": [deal]}).explained
        row, dealer = np.array(explained.decoded[0].deck), deal["dealer"] - 1
        setup, actions = explained.setup, deal["actions"]
        assert setup is not None
        hands = schemas_of(name).write_row(setup, dealer, row, True, actions)
        deal = {key: deal[key] for key in deal if key != "deck"} | hands
    return {key: log[key] for key in log if key not in ("format", "deals", "result")}, deal


ORDERS = ("before", "after", "between", "never", "in part", "in part, then all")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=3)
@given(seed=st.integers(0, 20), order=st.sampled_from(ORDERS), rng=st.randoms(use_true_random=False))
def test_any_deal_is_recorded_whatever_the_order_in_which_cards_become_known(
    name: str, players: int, seed: int, order: str, rng: Random
) -> None:
    head, deal = one_deal(name, players, seed)
    cards = {key: deal[key] for key in CARDS if key in deal}
    sheet = {key: deal[key] for key in SHEET if key in deal}
    rest = {key: deal[key] for key in deal if key not in (*CARDS, *SHEET, "actions")}
    first = cards if order == "before" else hidden(deal, rng) if "part" in order else {}
    recorder = Recorder(**head)
    recorder.deal(**rest, **first)
    between = rng.randrange(len(deal["actions"]))
    for at, action in enumerate(deal["actions"]):
        if order == "between" and at == between:
            recorder.update(**cards)
        assert at % 5 or action in recorder.state.legal  # a long list with hidden cards
        result = recorder.act(action)
        assert not [one for one in result.findings if one.severity == "error"]
    last = cards if order in ("after", "in part, then all") else {}
    found = recorder.end(**sheet, **last).findings
    assert not [one for one in found if one.severity == "error"]
    assert recorded(recorder) == checked(recorder.log())
    if order not in ("never", "in part"):
        assert recorder.log()["deals"] == [deal]
        assert not [one for one in recorder.explained.findings if one.severity != "warning"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=3)
@given(seed=st.integers(0, 20), open_hands=st.booleans(), rng=st.randoms(use_true_random=False))
def test_undo_goes_back_a_step_and_a_refusal_changes_nothing(
    name: str, players: int, seed: int, open_hands: bool, rng: Random
) -> None:
    head, deal = one_deal(name, players, seed)
    keys = {key: deal[key] for key in deal if key not in (*SHEET, "actions")}
    if not open_hands:
        keys |= hidden(deal, rng)
    recorder = Recorder(**head)
    stood = [(recorder.log(), all_of(recorder.state))]
    recorder.deal(**keys)
    words = [*act_codes(name, recorder.explained.setup.faces if recorder.explained.setup else ())]
    for action in deal["actions"][: rng.randrange(1, 14)]:
        stood.append((recorder.log(), all_of(recorder.state)))
        any_word = f"{rng.randint(1, players)} {rng.choice(words)}"
        why = recorder.check(any_word)
        if any_word in recorder.state.legal:
            assert not [one for one in why if one.severity == "error"]
        try:
            found = recorder.act(any_word).findings
            recorder.undo()
        except InvalidMatchError as error:
            found = error.findings
        assert [one.code for one in found] == [one.code for one in why]
        assert (recorder.log(), all_of(recorder.state)) == stood[-1]
        recorder.act(action)
    steps = rng.randint(1, len(stood))
    recorder.undo(steps)
    assert (recorder.log(), all_of(recorder.state)) == stood[-steps]


def test_a_line_of_a_score_sheet_is_a_deal_like_any_other() -> None:
    recorder = Recorder("chouine", PLAYERS)
    result = recorder.deal(dealer=1, points=[57, 113], winner=2)
    assert (result.over, result.points, result.winner) == (True, [57, 113], 2)
    assert result.match.score == [0, 1]
    assert recorder.deal(dealer=2).turn == 1
    result = recorder.end(points=[120, 40])
    assert (result.over, result.winner) == (True, 1)
    assert recorder.state.match.score == [1, 1]
    assert [one.code for one in recorder.end(points=[301, 10]).findings] == ["points-impossible"]
    assert recorded(recorder) == checked(recorder.log())


FIRST_CARDS = ["7s 8s 9s Ts Js", "Qs Ks As 7h 8h", "9h Th Jh Qh Kh", "Ah 7d 8d 9d Td"]


def test_be_4_hands_before_the_taking_have_five_cards() -> None:
    recorder = Recorder("belote", [{"id": name} for name in ("a", "b", "c", "d")], rules="classique")
    recorder.deal(dealer=4, hands=FIRST_CARDS)
    assert [set(hand) for hand in recorder.state.hands] == [set(hand.split()) for hand in FIRST_CARDS]
    for seat in (1, 2, 3, 4, 1, 2, 3, 4):
        assert f"{seat} pass" in recorder.state.legal
        recorder.act(f"{seat} pass")
    assert recorder.state.over
    assert recorder.state.points == [0, 0]
    assert recorder.end(points=[0, 0], winner=0).findings == []
    assert recorded(recorder) == checked(recorder.log())
    with pytest.raises(InvalidMatchError, match="8"):
        recorder.deal(dealer=1, hands=[*FIRST_CARDS[:3], "Ah 7d 8d 9d"])


def test_be_4_hands_after_the_taking_are_believed_though_the_taking_comes_later() -> None:
    log = next(simulate_season("belote", 1, 0, rules="classique"))
    taken = next(one for one in log["deals"] if any(" take " in act for act in one["actions"]))
    _, deal = one_deal("belote", 4, 0)
    assert deal["actions"] == taken["actions"]
    recorder = Recorder("belote", log["players"], rules="classique")
    recorder.deal(dealer=deal["dealer"], hands=deal["hands"])
    taking = next(act for act in deal["actions"] if " take " in act)
    for act in deal["actions"][: deal["actions"].index(taking) + 1]:
        assert act in recorder.state.legal
        recorder.act(act)
    assert [set(hand) for hand in recorder.state.hands] == [set(hand.split()) for hand in deal["hands"]]
