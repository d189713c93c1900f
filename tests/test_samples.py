"""What ships in `data/` is legal and shows what it is there for."""

import json
from pathlib import Path
from typing import Any

import pytest

from data.build_samples import must_beat
from data.layout import format_match
from engine.chouine.kernel import BY_CHOUINE, REPLAYED, RESIGNED
from engine.chouineurs.deck import PUBLISHED_BID_CARDS
from ingest import check
from ingest.validate.slow_path import ValidationResult, validate

DATA = Path(__file__).parents[1] / "data"
SAMPLES = sorted(path.stem for path in DATA.glob("*.json"))
WHOLE = [name for name in SAMPLES if not name.startswith("feuille")]


def load(name: str) -> dict[str, Any]:
    return json.loads((DATA / f"{name}.json").read_bytes())


def explained(name: str) -> ValidationResult:
    return validate((DATA / f"{name}.json").read_bytes())


def words(name: str) -> set[str]:
    """Kinds of actions of a match, without seat and suit."""
    return {
        action.split(" ", 1)[1].split("-")[0] + ("~" if action.endswith("~") else "")
        for deal in load(name)["deals"]
        for action in deal.get("actions", [])
        if len(action.split(" ", 1)[1]) > 2
    }


def outcomes(name: str) -> list[int]:
    return [int(replay.last.state["outcome"]) for replay in explained(name).replays if replay]


@pytest.mark.parametrize("name", WHOLE)
def test_sample_is_legal_without_a_finding(name: str) -> None:
    found = explained(name)
    assert found.findings == []
    assert found.status == "legal"


def test_the_bulk_check_says_the_same_of_every_sample() -> None:
    reports = list(check(*(DATA / f"{name}.json" for name in WHOLE)))
    assert [report.log_id for report in reports] == WHOLE
    assert {report.status for report in reports} == {"legal"}
    assert all(report.findings == [] for report in reports)


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_says_its_points_and_winners(name: str) -> None:
    match = load(name)
    assert match["id"] == name
    for deal in match["deals"]:
        assert {"points", "winner"} <= set(deal) or "void" in deal
    if name.startswith("match-"):
        assert match["result"]["winner"]


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_laid_out_as_the_others(name: str) -> None:
    assert format_match(load(name)) == (DATA / f"{name}.json").read_text(encoding="utf-8")


def test_match_lavardin_shows_everything_two_players_can_announce() -> None:
    match = load("match-lavardin")
    first = match["cuts"][0]
    assert len(first) == 2
    assert first[0][0] == first[0][3]  # equal ranks: cut again
    result = words("match-lavardin")
    assert {"mariage", "tierce", "quarteron", "quinte", "sept", "au"} <= result
    assert any(word.endswith("~") for word in result)
    winners = [deal["winner"] for deal in match["deals"]]
    null = winners.index(0)
    assert match["deals"][null]["dealer"] == match["deals"][null + 1]["dealer"]
    flow = explained("match-lavardin").match_record
    assert flow is not None
    assert flow["over"]


@pytest.mark.slow
def test_a_sheet_with_unknown_cards_is_legal_where_they_can_be_worked_out() -> None:
    by_acts_alone, unseen, own_hand = load("feuille-partielle")["deals"]
    assert not {"deck", "hands", "talon"} & set(by_acts_alone)
    assert any("mariage" in word for word in own_hand["actions"])
    found = explained("feuille-partielle")
    assert found.deal_status == ["legal", "unverified", "legal"]
    assert found.status == "unverified"
    items = [(finding.code, finding.rule, finding.deal_index) for finding in found.findings]
    assert items == [
        ("not-checkable", "CH-15", 1),  # the mariage: her other cards were not written down
        ("not-checkable", "CH-23", 1),  # so neither are the points
    ]
    assert found.match_record is not None
    assert found.match_record["over"]  # she has won that partie with it or without
    assert unseen["points"] == [113, 57]


def test_a_partie_ended_by_a_chouine() -> None:
    assert outcomes("chouine") == [BY_CHOUINE]


def test_ch_22_a_leaders_plain_chouine_beaten_in_trump() -> None:
    items = [word for word in load("chouine-atout")["deals"][0]["actions"] if "chouine" in word]
    assert items == ["1 chouine-h", "2 chouine-s"]
    assert load("chouine-atout")["deals"][0]["winner"] == 2


def test_complete_rules_count_a_quinte_100() -> None:
    assert "quinte" in words("match-regles-completes")
    match = load("match-regles-completes")
    at_lavardin = {**match["rules"]} if isinstance(match["rules"], dict) else {}
    match["rules"] = {"preset": "regles-completes", **at_lavardin, "quinte": 50}
    codes = {finding.code for finding in validate(json.dumps(match).encode()).findings}
    assert "points-differ" in codes


def test_ch_27_a_partie_replayed_and_one_resigned() -> None:
    assert {REPLAYED, RESIGNED} <= set(outcomes("match-irregularites"))


@pytest.mark.parametrize(("name", "players"), [("match-a-trois", 3), ("match-a-quatre", 4)])
def test_ch_19_more_than_two_players(name: str, players: int) -> None:
    assert len(load(name)["players"]) == players


@pytest.mark.parametrize("name", ["match-a-trois", "match-a-quatre"])
def test_ch_9_ch_19_three_and_four_announce_a_trente_and_climb_over_a_trump(name: str) -> None:
    assert "trente" in words(name)
    assert any(must_beat(ply) for replay in explained(name).replays if replay for ply in replay)


def last_states(name: str) -> list[Any]:
    return [replay.last.state for replay in explained(name).replays if replay]


def test_co_13_contracts_coinched_made_and_failed_and_one_surcoinched() -> None:
    items = {
        (int(state["coinched"]), int(state["made"]))
        for state in last_states("match-coinche")
        if state["coinched"]
    }
    assert items == {(1, 0), (2, 1)}
    points = [deal["points"] for deal in load("match-coinche")["deals"] if "points" in deal]
    assert [2 * 250 + 160, 0] in points  # match coinched and failed
    assert [4 * 90 + 160, 0] in points


def test_co_4_co_16_a_null_deal_and_a_misdeal() -> None:
    deals = load("match-coinche")["deals"]
    assert deals[0]["actions"] == [f"{seat} pass" for seat in (1, 2, 3, 4)]
    void = next(place for place, deal in enumerate(deals) if "void" in deal)
    assert deals[void] == {"dealer": deals[void + 1]["dealer"], "void": "maldonne"}


def test_co_9_co_15_a_claim_and_a_game_stopped_by_the_side_that_won_it() -> None:
    match = load("match-coinche")
    actions = [action for deal in match["deals"] for action in deal.get("actions", [])]
    assert any(action.endswith(" claim") for action in actions)
    assert actions[-1] == "1 won"
    assert last_states("match-coinche")[-1]["stop_good"] == 1
    assert match["result"] == {"score": [2030, 830], "winner": 1}


def test_cr_5_cr_8_chouineurs_who_tie_who_turn_and_who_take_a_point() -> None:
    assert load("match-chouineurs")["deck"] == "retourne"
    assert len(load("match-chouineurs")["deals"]) == 4
    items = {word.split(" ")[0] for word in words("match-chouineurs")}
    assert {"turn", "point"} <= items
    replays = [replay for replay in explained("match-chouineurs").replays if replay]
    assert any(int(ply.state["owed"]).bit_count() > 1 for replay in replays for ply in replay)


def test_cr_1_cr_2_a_deck_and_bid_cards_of_a_logs_own() -> None:
    match = load("match-chouineurs-cartes")
    assert len(match["deck"]) == 44
    assert match["deck"] != load("match-chouineurs")["deck"]
    bids = {bid for deal in match["deals"] for bid in deal["bids"]}
    assert bids <= set(match["bid_cards"])
    assert not bids & set(PUBLISHED_BID_CARDS)


def test_ch_28_mondoubleau_with_and_without_trump() -> None:
    trumps = [int(replay.last.state["trump"]) for replay in explained("match-mondoubleau").replays if replay]
    assert -1 in trumps
    assert max(trumps) >= 0
