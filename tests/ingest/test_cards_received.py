"""The stored cards of each hand, and which of them are unknown."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season

pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as opened:
        yield opened


def add(store: Store, *documents: Any) -> None:
    text = "".join(json.dumps(document) + "\n" for document in documents)
    (report,) = ingest(store, [("club.jsonl", io.BytesIO(text.encode()))])
    assert not report.reports


def test_all_120_points_come_to_somebody_s_hand_at_two_and_at_four(store: Store) -> None:
    add(store, *simulate_season("chouine", 20, 1, players=2), *simulate_season("chouine", 20, 2, players=4))
    rows = store.connection.execute(
        """SELECT DISTINCT sum(received), sum(received_cards) FROM deal_seats
           GROUP BY match_no, deal_index HAVING sum(received_cards) = 32"""
    ).fetchall()
    assert rows == [(120, 32)]


def test_coinche_deals_nine_cards_each_and_counts_them_as_if_nothing_were_trump(store: Store) -> None:
    add(store, *simulate_season("coinche", 3, 1))
    rows = store.connection.execute(
        "SELECT DISTINCT sum(received), list(DISTINCT received_cards) FROM deal_seats"
        " GROUP BY match_no, deal_index"
    ).fetchall()
    assert rows == [(120, [9])]


def test_belote_counts_the_cards_that_no_taking_decides(store: Store) -> None:
    """Eight each where all are dealt at once; five where the taking decides about the others."""
    seasons = [list(simulate_season("belote", 3, 1, rules=rules)) for rules in ("contree", "classique")]
    add(store, *seasons[0], *seasons[1])
    rows = store.connection.execute(
        """SELECT preset, list(DISTINCT received_cards), max(received) FROM deal_seats
           JOIN matches USING (match_no) GROUP BY preset ORDER BY preset"""
    ).fetchall()
    assert [row[:2] for row in rows] == [("classique", [5]), ("contree", [8])]
    [deal, *_] = seasons[1][0]["deals"]
    came = [0, 0, 0, 0]
    for place, card in enumerate(deal["deck"].split()[:20]):  # by three and two
        packet = place // 3 if place < 12 else (place - 12) // 2
        came[(deal["dealer"] + packet) % 4] += WORTH[card[0]]
    found = store.connection.execute(
        """SELECT received FROM deal_seats JOIN matches USING (match_no)
           WHERE log_id = ? AND deal_index = 0 ORDER BY seat""",
        [seasons[1][0]["id"]],
    ).fetchall()
    assert [points for (points,) in found] == came


def test_hands_do_not_show_which_cards_were_dealt_before_the_taking(store: Store) -> None:
    """Written as hands, a deal has its cards, but neither a deck nor cards received (BE-4)."""
    for rules, known in (("classique", 0), ("contree", 1)):
        document = next(simulate_season("belote", 1, 2, rules=rules))
        taken = [deal for deal in document["deals"] if any(" " in one[2:] for one in deal["actions"])]
        deal = taken[0]
        hands: list[list[str]] = [[], [], [], []]
        for action in deal["actions"]:
            seat, _, word = action.partition(" ")
            if len(word) == 2:
                hands[int(seat) - 1].append(word)
        del deal["deck"]
        deal["hands"] = [" ".join(sorted(hand)) for hand in hands]
        document |= {"deals": [deal], "start": {"score": [0, 0]}}
        del document["result"]
        add(store, document)
        row = store.connection.execute(
            """SELECT count(deck), count(actions), (SELECT count(received) FROM deal_seats s
                   WHERE s.match_no = deals.match_no)
               FROM deals JOIN matches USING (match_no) WHERE preset = ? GROUP BY match_no""",
            [rules],
        ).fetchone()
        assert row == (known, 1, 4 * known)


WORTH = dict(zip("ATKQJ987", (11, 10, 4, 3, 2, 0, 0, 0), strict=True))


def test_the_7_and_the_retourne_count_for_the_player_dealt_them(store: Store) -> None:
    (document,) = simulate_season("chouine", 1, 3, players=2)
    add(store, document)
    exchanges = 0
    for number, deal in enumerate(document["deals"]):
        exchanged = any(action.endswith(" sept") for action in deal["actions"])
        exchanges += exchanged
        retourne = deal["deck"].split()[10]
        seven = "7" + retourne[1]
        other = {retourne: seven, seven: retourne} if exchanged else {}
        came = [0, 0]
        for action in deal["actions"]:
            seat, _, word = action.partition(" ")
            if len(word) == 2:  # a card: all sixteen of each hand are played
                came[int(seat) - 1] += WORTH[other.get(word, word)[0]]
        rows = store.connection.execute(
            "SELECT received FROM deal_seats WHERE deal_index = ? ORDER BY seat", [number]
        ).fetchall()
        assert [points for (points,) in rows] == came
    assert exchanges


def held(deal: str, *actions: str) -> Any:
    """One deal of Chouine, all of whose cards follow one another in the order of `deal`."""
    return {
        "format": "retourne/1",
        "game": "chouine",
        "players": [{"id": "a"}, {"id": "b"}],
        "deals": [{"dealer": 2, "deck": deal, "actions": list(actions), "void": "abandoned"}],
    }


# seat 1 holds K Q J of hearts and is dealt the ace of clubs and the 7 of spades; trump is diamonds
DECK = "Kh 8s Qh 9s Jh 8c Ac 9c 7s 8h Td Js Qs Ks Ts As 7h 9h Th Ah 7c Tc Jc Qc Kc 7d 8d 9d Jd Qd Kd Ad"


@pytest.mark.parametrize(
    ("actions", "missed"),
    [
        (["1 7s", "2 8s"], [("tierce", 30)]),  # the mariage in it is not told again
        (["1 tierce-h", "1 Kh", "2 8h"], []),
        (["1 mariage-h", "1 Kh", "2 8h"], []),  # CH-20: nothing more of that suit may count
    ],
)
def test_only_the_best_combination_of_a_suit_left_unsaid_is_missed(
    store: Store, actions: list[str], missed: list[tuple[str, int]]
) -> None:
    add(store, held(DECK, *actions))
    rows = store.connection.execute(
        "SELECT kind::VARCHAR, worth FROM announcements WHERE missed AND seat = 1"
    ).fetchall()
    assert rows == missed


def test_what_counts_is_worth_its_points_and_the_talon_tells_its_phase(store: Store) -> None:
    add(store, *simulate_season("chouine", 40, 3, players=2))
    wrong = store.connection.execute(
        """SELECT count(*) FROM announcements WHERE counted AND points <> worth
           OR announced AND closed <> (trick > 11) OR NOT announced AND closed IS NOT NULL"""
    ).fetchone()
    assert wrong == (0,)
    seen = store.connection.execute("SELECT DISTINCT closed FROM announcements ORDER BY ALL").fetchall()
    assert seen == [(False,), (True,), (None,)]
