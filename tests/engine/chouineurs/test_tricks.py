"""How a trick is played, who takes it and who chouines (CR-1 to CR-6)."""

import numpy as np
import pytest

from engine.actions import UNKNOWN_ACT
from engine.chouineurs.kernel import OVER, RESIGNED, UNKNOWN_ACTION, step
from tests.engine.chouineurs.table import Table

THREE = ("b11 b3", "b29 k40", "y11 r21")


@pytest.mark.parametrize(("players", "reserve"), [(2, 30), (3, 23), (4, 16), (5, 9)])
def test_cr1_seven_cards_each_and_the_rest_is_the_reserve(players, reserve):
    hands = [
        "b3 b4 b5 b6 b7 b8 b9",
        "r3 r4 r5 r6 r7 r8 r9",
        "b10 b11 b12 b13 b14 b15 b16",
        "r10 r11 r12 r13 r14 r15 r16",
        "b17 b18 b19 b20 b21 b22 b23",
    ]
    assert Table(*hands[:players])["reserve"] == reserve


def test_cr1_a_hand_turns_as_a_whole_before_the_manche_so_it_comes_as_chosen():
    assert Table("b3 y11", "r26 b25").hand(1) == {"b3", "y11"}


def test_cr3_the_leader_plays_any_card():
    assert Table("b3 r20 y11 k40", "b4 b5 b6 b7").legal(1) == {"b3", "r20", "y11", "k40"}


def test_cr3_follow_the_active_colour_or_play_black():
    table = Table("b11 b3 b4 b5", "b29 k40 y10 r3")("1 b11")
    assert table.legal(2) == {"b29", "k40"}
    assert table.would("2 r3") == ["must-follow"]
    assert table.would("2 k40") == []


def test_cr3_with_none_of_the_colour_any_card():
    table = Table("b11 b3 b4 b5", "r29 k40 y10 r3")("1 b11")
    assert table.legal(2) == {"r29", "k40", "y10", "r3"}


def test_cr3_only_the_active_face_counts_for_following():
    # y30 is the back of b3: it is yellow that must follow yellow, not blue
    table = Table("b11 y11", "y30 r21")("1 b11")
    assert table.legal(2) == {"y30", "r21"}


def test_cr3_black_asked_must_be_followed_with_black():
    assert Table("k40 b3", "k39 y11")("1 k40").legal(2) == {"k39"}


def test_cr3_a_play_against_the_colour_stands_and_is_reported():
    table = Table("b11 b3", "b29 r21")("1 b11")
    assert table.faults("2 r21") == ["must-follow"]
    assert table["trick_winners"][0] == 0


@pytest.mark.parametrize(
    ("lead", "reply", "trick_winner"),
    [
        ("b11", "b29", 2),
        ("b29", "b11", 1),
        ("b11", "r29", 1),  # neither asked nor strong
        ("b29", "y9", 2),
        ("y30", "y9", 1),
        ("y30", "k29", 2),
        ("k40", "k29", 1),
        ("k29", "k40", 2),
    ],
)
def test_cr4_black_then_yellow_then_the_colour_asked(lead, reply, trick_winner):
    table = Table(f"{lead} b4", f"{reply} r4")(f"1 {lead}", f"2 {reply}")
    assert table["trick_winners"][0] + 1 == trick_winner


def test_cr4_of_equal_faces_the_first_played_takes():
    table = Table("b11 b4", "b12 r4")
    table.rules["value"][:] = np.where(table.rules["value"] == 12, 11, table.rules["value"])
    table("1 b11", "2 b12")
    assert table["trick_winners"][0] == 0
    assert table.owed() == [1, 2]


def test_s1_yellow_takes_the_trick_and_both_elevens_chouine():
    table = Table(*THREE)("1 b11", "2 b29", "3 y11")
    assert table["trick_winners"][0] + 1 == 3
    assert table.owed() == [1, 3]
    table("1 turn b3", "3 point")
    assert table.hand(1) == {"y30"}
    assert table.points == [0, 0, 1]
    assert table.owed() == []


def test_cr5_the_lowest_value_of_any_colour_chouines():
    table = Table("b29 b4", "k40 r4", "r3 r5")("1 b29", "2 k40", "3 r3")
    assert table.owed() == [3]


def test_cr5_chouineurs_act_in_any_order_before_the_next_lead():
    table = Table(*THREE)("1 b11", "2 b29", "3 y11")
    assert table.legal(1) == {"turn b3", "point"}
    assert table.legal(2) == set()
    assert table.legal(3) == {"turn r21", "point"}  # and does not lead yet
    table("3 turn r21", "1 point")
    assert table.legal(3) == {"b28"}  # the back of r21


def test_cr5_a_lead_before_the_bonus_loses_it():
    table = Table(*THREE)("1 b11", "2 b29", "3 y11", "3 point")
    assert table.faults("3 r21") == ["bonus-missing"]
    assert table["lost"].tolist() == [1, 0, 0, 0, 0]
    assert table.would("1 point") == ["point-not-allowed"]


def test_cr5_with_no_card_in_hand_only_the_point():
    table = Table("b11", "b29")("1 b11", "2 b29")
    assert table.legal(1) == {"point"}
    assert table["over"] != OVER
    table("1 point")
    assert table["over"] == OVER


def last_reserve_cards(taken):
    """Five players with eight cards each: four in the reserve, of which some are taken."""
    table = Table(
        "b3 b4 b5 b6 b7 b8 b9 b10",
        "b11 b12 b13 b14 b15 b16 b17 b18",
        "r3 r4 r5 r6 r7 r8 r9 r10",
        "r11 r12 r13 r14 r15 r16 r17 r18",
        "b19 r19 b20 b21 b22 b23 b24 b25",
    )
    assert table["reserve"] == 4
    table.state["reserve"] -= taken
    return table


def test_cr5_with_no_reserve_left_only_the_turn():
    table = last_reserve_cards(4)("1 b3", "2 b11", "3 r4", "4 r11", "5 b19")
    assert "point" not in table.legal(1)
    assert len(table.legal(1)) == 7
    assert table.would("1 point") == ["reserve-empty"]


def test_cr5_two_chouineurs_and_one_card_in_the_reserve():
    table = last_reserve_cards(3)("1 b3", "2 b11", "3 r3", "4 r11", "5 b19")
    assert table.owed() == [1, 3]
    table("3 point")
    assert table.would("1 point") == ["reserve-empty"]
    assert table.owed() == [1]


@pytest.mark.parametrize("who", [1, 2])
def test_cr5_the_last_card_of_the_reserve_leaves_nothing_to_who_has_no_card(who):
    table = Table("b3", "r3", "b19")
    table.state["reserve"] = 1
    table("1 b3", "2 r3", "3 b19")
    assert table.owed() == [1, 2]
    table(f"{who} point")
    assert table.owed() == []
    assert table["over"] == OVER


def test_cr5_with_neither_card_nor_reserve_there_is_nothing_to_do():
    table = last_reserve_cards(4)
    while table["over"] != OVER:
        seat = int(table["turn"]) + 1
        if table.owed():
            seat = table.owed()[0]
        result = sorted(table.legal(seat))[0]
        table(f"{seat} {result}")
        if table["trick"] < 8:
            assert table["over"] != OVER
    assert table["trick"] == 8
    assert sum(table["turned"]) > 0
    assert table.actions() == []


def test_cr5_a_point_without_a_right_to_it_is_reported():
    table = Table("b11 b3", "b29 k40")
    assert table.faults("2 point") == ["point-not-allowed"]
    assert table.points == [0, 1]


def test_cr6_a_card_turned_without_a_right_to_it_is_reported_and_stays_turned():
    table = Table("b11 b3", "b29 k40")
    assert table.faults("1 turn b3") == ["turn-not-allowed"]
    assert table.hand(1) == {"b11", "y30"}


def test_cr6_a_card_played_on_its_other_side_is_reported_and_counts_as_played():
    table = Table("b3 b11", "b29 k40")
    assert table.faults("1 y30") == ["wrong-side"]
    assert table["table"][0] >= 0
    assert table.would("2 b29") == []  # yellow is asked, seat 2 has none


def test_cr6_the_turn_names_the_face_that_was_up():
    table = Table("b3 b11", "b29 k40")("1 b3", "2 b29")
    assert table.faults("1 turn k34") == ["wrong-side"]
    assert table.hand(1) == {"k34"}


@pytest.mark.parametrize(
    ("wording", "fault"),
    [
        ("2 b29", "wrong-turn"),
        ("1 b29", "card-not-held"),
        ("1 turn b29", "card-not-held"),
        ("3 b11", "no-such-seat"),
    ],
)
def test_cr3_what_cannot_have_happened_changes_nothing(wording, fault):
    table = Table("b11 b3", "b29 k40")
    before = table.state.tobytes()
    assert table.faults(wording) == [fault]
    assert table.state.tobytes() == before


def test_cr3_an_act_nobody_knows():
    table = Table("b11 b3", "b29 k40")
    assert step(table.state, table.rules, UNKNOWN_ACT) == UNKNOWN_ACTION


def test_cr1_nothing_follows_the_end():
    table = Table("b11", "b29")("1 b11", "2 b29", "1 point")
    assert table.would("1 point") == ["after-end"]
    assert table.would("2 resign") == ["after-end"]


def test_a_resignation_gives_the_others_what_their_bids_can_still_reach():
    hands = ("b11 b3 b4", "b29 k40 r21")
    table = Table(*hands, bids=["0-1", "2-3-4"])("1 b11", "2 b29", "1 point", "1 resign")
    assert table["outcome"] == RESIGNED
    assert table.points == [1, 9]  # one trick won, two left: three at best
    assert table["made"].tolist()[:2] == [0, 1]
    assert table["winner"] + 1 == 2
