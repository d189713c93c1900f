"""The best bid card for the tricks won, against every card that could be bid."""

import json
from collections.abc import Iterator
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from engine.options import resolve_options
from engine.solver_results import BidRegretReport, NotSolved
from ingest import solve
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.solve_job import solve_missing
from ingest.store.verify import verify_store
from ingest.validate.solver_report import NOT_SOLVED_REASONS, SolvedDeal
from schemas.simulated import simulate_season
from tests.engine.chouineurs.table import whole
from tests.ingest.conftest import Command
from tests.reference import chouineurs

DATA = Path(__file__).parents[2] / "data"
PLAY = ["1 b3", "2 b27", "1 point", "2 b28", "1 b4", "1 point", "2 b29", "1 b5", "1 point"]
"""Seat 2 takes all three tricks, seat 1 the reserve."""


def manche(*bids: str, **more: Any) -> dict[str, Any]:
    hands = [whole("b3 b4 b5"), whole("b27 b28 b29")]
    return {"leader": 1, "hands": hands, "bids": list(bids), "actions": PLAY, **more}


def match(*deals: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "format": "retourne/1",
        "game": "chouineurs",
        "rules": {"preset": "blam", "tricks": 3},
        "deck": "retourne",
        "players": [{"id": "anne", "name": "Anne"}, {"id": "luc", "name": "Luc"}],
        "deals": list(deals),
        **more,
    }


def solved(reported: dict[str, Any]) -> list[SolvedDeal]:
    return list(solve(("one.json", BytesIO(json.dumps(reported).encode()))))


def bids_of(one: SolvedDeal) -> list[tuple[str, int, int, list[str]]]:
    """By seat: the card bid, its points, how many more there were, and with which cards."""
    result = one.as_dict(translator("en"))["bids"]
    return [(bid["bid"], bid["points"], bid["lost"], bid["best_bids"]) for bid in result]


def test_cr_7_the_best_card_is_the_one_that_gives_most_for_the_tricks_won() -> None:
    [one] = solved(match(manche("0-1", "0-1-2")))
    assert bids_of(one) == [("0-1", 8, 0, ["0-1"]), ("0-1-2", 0, 9, ["2-3-4"])]


def test_cr_7_a_card_that_was_met_is_there_no_more_and_one_that_was_not_is() -> None:
    _, second, third = solved(
        match(manche("0-1", "0-1-2"), manche("0-1-2", "3-4+"), manche("1-2-3", "2-3-4"))
    )
    # without a trick 0-1 gave 8, and has left; 0-1-2 was not met by seat 2, and is its again
    assert bids_of(second) == [("0-1-2", 2, 0, ["0-1-2"]), ("3-4+", 5, 4, ["2-3-4"])]
    # of the three that seat 1 has left each gives nothing: none would have been better
    assert bids_of(third)[0] == ("1-2-3", 0, 0, ["1-2-3", "2-3-4", "3-4+"])
    assert bids_of(third)[1] == ("2-3-4", 9, 0, ["2-3-4"])


def test_a_manche_that_is_void_takes_no_card_away() -> None:
    _, again = solved(match(manche("0-1", "2-3-4", void="replay"), manche("0-1", "0-1-2")))
    assert bids_of(again) == [("0-1", 8, 0, ["0-1"]), ("0-1-2", 0, 9, ["2-3-4"])]


@pytest.mark.parametrize(
    ("reported", "reason"),
    [
        (match(manche("0-1", "2-3-4"), manche("0-1", "3-4+")), "irregular"),  # bid again (CR-7)
        (match(manche("0-1", "2-3-4"), manche("1-2-3", "3-4+", actions=PLAY[:-2])), "never"),
        (match(manche("0-1", "2-3-4"), manche("1-2-3", "3-4+", actions=["1 b3", "1 b4"])), ""),
        (match(manche("0-1", "2-3-4"), start={"manche": 3, "score": [9, 4]}), "bids-unknown"),
        (match(manche("0-1", "2-3-4", actions=PLAY[:4]), manche("1-2-3", "3-4+")), "bids-unknown"),
        (match(manche("0-1", "2-3-4", hands=["??", "??"])), "partial"),
    ],
    ids=["spent", "running", "stopped", "tail", "after-running", "partial"],
)
def test_unknown_numbers_of_cards_left_or_won_are_reported(reported: dict[str, Any], reason: str) -> None:
    last = solved(reported)[-1]
    assert isinstance(last.solved, NotSolved)
    assert last.solved.reason == reason or (not reason and last.solved.reason == "stopped")
    assert (last.reason(translator("en")) or "").startswith(NOT_SOLVED_REASONS[last.solved.reason])
    assert last.as_dict(translator("en"))["bids"] is None


def test_of_a_match_recorded_from_its_middle_on_later_manches_are_as_unknown() -> None:
    result = match(manche("0-1", "2-3-4"), manche("1-2-3", "3-4+"))
    result |= {"start": {"manche": 2, "score": [9, 4]}}
    assert [one.solved for one in solved(result)] == [NotSolved("bids-unknown")] * 2


# every card there was to bid


def every_way(reported: dict[str, Any]) -> Iterator[list[dict[str, int]]]:
    """Manche by manche and seat by seat: each card that is left, and what it would have scored.

    In sets and words: the manche is followed once more with each card.
    """
    options = resolve_options("chouineurs", reported["rules"], len(reported["players"]))
    left = [set(chouineurs.BIDS) for _ in reported["players"]]
    for sheet in reported["deals"]:
        found = [
            {bid: scored(reported, sheet, options, seat, bid) for bid in left[seat]}
            for seat in range(len(left))
        ]
        for seat, bid in enumerate(sheet["bids"]):
            if found[seat][bid]:
                left[seat].discard(bid)
        yield found


def scored(
    reported: dict[str, Any], sheet: dict[str, Any], options: dict[str, Any], seat: int, bid: str
) -> int:
    """The points of the card alone, without the reserve."""
    other = deepcopy(sheet)
    other["bids"][seat] = bid
    play = chouineurs.deal(reported, other, options)
    assert play is not None
    for action in sheet["actions"]:
        assert play.do(action)
    outcome = play.outcome()
    assert outcome is not None
    return outcome[0][seat] - play.taken[seat]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_best_of_all_cards_left_tried_one_after_the_other(players: int) -> None:
    compared = lost = 0
    for item in simulate_season("chouineurs", 12, 3, None, players):
        for one, ways in zip(solved(item), every_way(item), strict=True):
            assert isinstance(one.solved, BidRegretReport)
            for (bid, points, more, best), cards in zip(bids_of(one), ways, strict=True):
                most = max(cards.values())
                assert (points, more) == (cards[bid], most - cards[bid])
                assert set(best) == {card for card, worth in cards.items() if worth == most}
                compared, lost = compared + 1, lost + (more > 0)
    assert compared == 12 * 4 * players
    assert 0 < lost < compared


# in words


def test_the_terminal_says_each_bid_and_the_best_one_left(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "anne.json"
    path.write_text(json.dumps(match(manche("0-1", "0-1-2"))))
    done = retourne("solve", path, "--lang", "en")
    assert done.code == 0
    assert "Deal 1 – bid cards, for the tricks won" in done.out
    assert "Anne: 0-1, points: 8; no card left gives more" in done.out
    assert "Luc: 0-1-2, points: 0; 9 more with 2-3-4" in done.out
    again = retourne("replay", path, "--lang", "en")
    assert "Luc: 0-1-2, points: 0; 9 more with 2-3-4" in again.out
    (one,) = retourne("solve", path, "--format", "jsonl").objects
    assert (one["unsolved"], one["plays"], one["first_action_index"]) == (None, None, None)
    assert one["bids"][1] == {**{"seat": 2, "bid": "0-1-2", "points": 0, "lost": 9, "best_bids": ["2-3-4"]}}


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_bid_cards_are_the_same_in_whatever_order_a_log_has_them(tmp_path: Path, first: int) -> None:
    """Stored, solved, revalidated: which of two spellings of one match came is not seen."""
    fields = json.loads((DATA / "match-chouineurs-cartes.json").read_text("utf-8"))
    names = dict(zip(fields["bid_cards"], ("rien", "peu", "moyen", "assez", "beaucoup"), strict=True))
    fields["bid_cards"] = {names[name]: points for name, points in fields["bid_cards"].items()}
    for deal in fields["deals"]:
        deal["bids"] = [names[name] for name in deal["bids"]]
    turned = fields | {"bid_cards": dict(reversed(fields["bid_cards"].items()))}
    both = [json.dumps(one).encode() for one in (fields, turned)]
    found = []
    for name, text in (("one", both[first]), ("bulk", b"\n".join([both[first]] * 9))):
        with Store(tmp_path / f"{name}.duckdb") as store:
            list(ingest(store, [("log.jsonl", BytesIO(text))]))
            list(solve_missing(store))
            assert [one for batch in verify_store(store) for one in batch.inconsistencies] == []
            cursor = store.cursor()
            key = "match_no, deal_index, seat"
            rows = "SELECT deal_index, seat, bid, lost FROM deal_seats"
            rows += f" JOIN endgame_seat_values USING ({key})"
            found.append(cursor.execute(f"{rows} ORDER BY ALL").fetchall())
            assert cursor.execute(
                "SELECT count(*) FROM endgame_values WHERE unsolved IS NOT NULL"
            ).fetchall() == [(0,)]
    cards = sorted(fields["bid_cards"])
    bids = [deal["bids"] for deal in fields["deals"]]
    lost_by = {
        (one.deal_index, bid["seat"]): bid["lost"]
        for one in solved(fields)
        for bid in one.as_dict(translator("en"))["bids"]
    }
    for found_rows in found:
        assert found_rows == found[0]
        for deal, seat, bid, lost in found_rows:
            assert cards[bid] == bids[deal][seat - 1]
            assert lost == lost_by[deal, seat]
