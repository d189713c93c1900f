"""Logs with unknown cards: what hiding cards may change, what it may not, and how it is worded."""

import io
import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.autofix.search import find_edits
from ingest.i18n import LANGUAGES, translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.match_checks import NOT_CHECKABLE
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season

DATA = Path(__file__).parents[2] / "data"
TABLES = (("chouine", 2), ("chouine", 4), ("coinche", 4), ("belote", 4))


@cache
def logs(name: str, players: int) -> tuple[dict[str, Any], ...]:
    return tuple(simulate_season(name, 6, 3, None, players))


def one_deal(name: str, players: int, number: int, rng: Random, swap: bool) -> dict[str, Any]:
    """A log of one deal, two cards of a seat swapped in it where that is asked for."""
    log = json.loads(json.dumps(logs(name, players)[number % 6]))
    deal = log["deals"][number % len(log["deals"])]
    log["deals"] = [deal]
    del log["result"]
    log.pop("cuts", None)
    acts = deal["actions"]
    own = [at for at, act in enumerate(acts) if act[0] == acts[-1][0] and len(act) == 4]
    if swap and len(own) > 1:
        one, other = rng.sample(own, 2)
        acts[one], acts[other] = acts[other], acts[one]
    return log


def read(log: dict[str, Any]) -> ValidationResult:
    return validate(json.dumps(log).encode())


def errors(found: ValidationResult) -> set[tuple[str, str]]:
    return {(one.code, one.path) for one in found.findings if one.severity == "error"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=8, deadline=None)
@given(
    number=st.integers(0, 40),
    swap=st.booleans(),
    share=st.sampled_from([0.1, 0.5, 1.0]),
    rng=st.randoms(use_true_random=False),
)
def test_hiding_cards_turns_verdicts_into_not_checkable_and_flips_none(
    name: str, players: int, number: int, swap: bool, share: float, rng: Random
) -> None:
    log = one_deal(name, players, number, rng, swap)
    whole = read(log)
    if whole.status == "broken":
        return  # what hid that it cannot have happened may be hidden itself
    deal = log["deals"][0]
    deal["deck"] = " ".join("??" if rng.random() < share else c for c in deal["deck"].split(" "))
    part = read(log)
    assert errors(part) <= errors(whole)
    items = {finding.rule for finding in part.findings if finding.code == NOT_CHECKABLE}
    missed = errors(whole) - errors(part)
    rules = {one.rule for one in whole.findings if (one.code, one.path) in missed}
    assert rules <= items
    if part.status == "legal":
        assert whole.status == "legal"
    if whole.status == "legal":
        assert part.status in ("legal", "unverified")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=8, deadline=None)
@given(
    number=st.integers(0, 40), share=st.sampled_from([0.1, 0.5, 1.0]), rng=st.randoms(use_true_random=False)
)
def test_a_total_is_corrected_only_to_what_the_whole_deal_makes(
    name: str, players: int, number: int, share: float, rng: Random
) -> None:
    log = one_deal(name, players, number, rng, swap=False)
    (deal,) = log["deals"]
    right = deal["points"]
    deal["deck"] = " ".join("??" if rng.random() < share else c for c in deal["deck"].split(" "))
    deal["points"] = [points + rng.choice([0, 1, 10]) for points in right]
    part = read(log)
    find_edits(part)
    edits = [one.edit for one in part.findings if one.edit is not None]
    if any(one.code == "points-differ" and "?" not in one.legal for one in part.findings):
        (edit,) = edits
        assert (edit.path, edit.value) == ("/deals/0/points", right)
        deal["points"] = right
        assert not errors(read(log))
    else:
        assert edits == []


def test_a_total_of_which_a_part_hangs_on_hidden_cards_is_left() -> None:
    log = sheet()
    log["deals"] = json.loads((DATA / "feuille-partielle.json").read_bytes())["deals"][1:2]
    log["deals"][0] |= {"points": [113, 56], "winner": 2}
    found = read(log)
    find_edits(found)
    edits = {one.code: one.edit and one.edit.value for one in found.findings}
    # a mariage nobody saw counts or not, but either way the deal is hers
    assert edits == {NOT_CHECKABLE: None, "points-differ": None, "winner-differs": 1}


@pytest.mark.parametrize("code", ["must-follow", "must-ruff", "must-follow-or-ruff"])
def test_a_revoke_is_found_from_plays_alone(code: str) -> None:
    text = (DATA / "fautes" / "partielle" / f"{code}.json").read_bytes()
    assert not {"deck", "hands", "talon"} & set(json.loads(text)["deals"][0])
    (finding,) = validate(text).findings
    assert finding.code == code
    assert finding.legal
    assert "??" not in (finding.hand or ())


def test_a_card_out_of_turn_is_reported_with_whose_turn_it_was() -> None:
    (finding,) = validate((DATA / "fautes" / "partielle" / "wrong-turn.json").read_bytes()).findings
    assert (finding.seat, finding.legal) == (2, [])
    assert finding.message(translator("en")).endswith("but it is Lucie (seat 1)’s turn.")
    assert finding.message(translator("fr")).endswith("mais c’est à Lucie (place 1) de jouer.")


def test_whose_turn_it_was_is_reported_beside_what_is_known_of_the_hand() -> None:
    hands = ["Ad Kd Qd Jd Kh", "??"]
    (finding,) = read(sheet(hands=hands, actions=["1 Kh", "2 8h", "2 9c"])).findings
    result = finding.message(translator("en"))
    assert "it is Lucie (seat 1)’s turn. Possible: J♦, Q♦, K♦, A♦." in result


@pytest.mark.parametrize(
    ("second", "wording"),
    [
        ("9h", "it is Lucie (seat 1)’s turn."),
        ("9c", "turn. Possible: –."),  # he took the trick if clubs were trump
    ],
)
def test_whose_turn_it_was_is_reported_only_where_no_trump_can_make_it_another_s(
    second: str, wording: str
) -> None:
    log = sheet(actions=["1 Kh", f"2 {second}", "3 8h", "3 8s"], dealer=3)
    log["rules"] = {"manches": 1}
    log["players"] = [*log["players"], {"id": "odile"}]
    (finding,) = read(log).findings
    assert (finding.code, finding.action_index) == ("wrong-turn", 3)
    assert finding.message(translator("en")).endswith(wording)


def sheet(**deal: Any) -> dict[str, Any]:
    log: dict[str, Any] = json.loads((DATA / "feuille-partielle.json").read_bytes())
    remaining = {key: log[key] for key in ("format", "game", "rules", "players")}
    return remaining | {"deals": [{"dealer": 2, "void": "abandoned", **deal}]}


def codes(log: dict[str, Any]) -> list[str]:
    return [finding.code for finding in read(log).findings]


@pytest.mark.slow
def test_a_card_played_twice_cannot_have_happened_in_any_hand() -> None:
    assert codes(sheet(actions=["1 Kh", "2 9c", "1 Kh"])) == ["card-not-held"]
    assert codes(sheet(actions=["1 Kh", "2 Kh"])) == ["card-not-held"]


@pytest.mark.slow
def test_a_hand_is_filled_by_what_is_played_from_it_and_no_more() -> None:
    hands = ["Kh Qh Jd 9s ??", "??"]
    assert codes(sheet(hands=hands, actions=["1 mariage-h", "1 Kh", "2 9c"])) == []
    assert codes(sheet(hands=hands, actions=["1 tierce-h", "1 Kh", "2 9c"])) == [NOT_CHECKABLE]
    assert codes(sheet(hands=hands, actions=["1 tierce-c", "1 Kh", "2 9c"])) == ["announce-not-held"]


@pytest.mark.slow
def test_a_draw_without_its_card_is_a_draw() -> None:
    acts = ["1 Kh", "2 9c", "1 draw ??", "2 draw 8s", "1 Ah", "2 8s"]
    assert codes(sheet(actions=acts)) == []
    # he leads, so he took the trick: clubs were trump, and it was for him to draw first
    assert codes(sheet(actions=[*acts[:4], "2 8s"])) == ["draw-turn"]


def test_a_pack_recorded_twice_over_is_still_a_fault() -> None:
    assert codes(sheet(hands=["Kh Kh ?? ?? ??", "??"], actions=[])) == ["duplicate-card"]
    assert codes(sheet(hands=["Kh ??", "??"], actions=[])) == ["deck-size"]
    assert codes(sheet(hands=["Kx ?? ?? ?? ??", "??"], actions=[])) == ["deck-card"]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_note_says_what_and_why(language: str) -> None:
    t = translator(language)
    found = validate((DATA / "feuille-partielle.json").read_bytes())
    assert found.findings
    for finding in found.findings:
        result = finding.message(t)
        assert finding.severity == "note"
        assert "{" not in result
        assert t("Not checkable: {problem}", problem="") in result


@pytest.mark.slow
def test_the_store_keeps_no_guessed_card(tmp_path: Path) -> None:
    text = (DATA / "feuille-partielle.json").read_bytes()
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("sheet.json", io.BytesIO(text))]))
        cursor = store.cursor()
        deals = cursor.execute("SELECT status::VARCHAR, winning_side, deck FROM deals").fetchall()
        seats = cursor.execute("SELECT deal_index, points FROM deal_seats ORDER BY ALL").fetchall()
    assert [status for status, _, _ in deals] == ["legal", "unverified", "legal"]
    by_acts_alone, unseen, own_hand = (deck for _, _, deck in deals)
    assert by_acts_alone == [None] * 32
    assert unseen is None
    assert sum(card is not None for card in own_hand) == 6
    assert seats == [(0, 61), (0, 69), (2, 62), (2, 88)]
