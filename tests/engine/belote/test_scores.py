"""What a deal brings: BE-14, BE-15 and BE-17 to BE-21, BE-23, BE-25, by hand."""

import pytest

from engine.belote import GAME
from engine.belote.kernel import LITIGE, MUST_FOLLOW, PLAYED_OUT, RENONCE_UNFOUNDED, RENOUNCED, beats
from engine.belote.tables import CARD_VALUES, SCALED
from engine.cards import HIDDEN_CARD, PIQUET
from engine.hidden import HiddenDeal
from engine.options import encode_rules, resolve_options
from tests.engine.belote.table import WORDS, Table, auction, scored

CLASSIQUE = "classique"
COINCHEE = "coinchee"


def hidden(words):
    """A deal of contrée of which no card was written down but those played."""
    rules = encode_rules("belote", resolve_options("belote", "contree", 4))
    return HiddenDeal(GAME, rules, 4, 3, [HIDDEN_CARD] * 32, [WORDS[word] for word in words])


def with_options(preset, **options):
    return {"preset": preset, **options}


# the cards (BE-1, BE-14, BE-23)


def test_be1_each_card_of_a_suit_has_its_worth_as_trump_and_plain():
    trump = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
    plain = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
    for strain in range(4):
        for suit in range(4):
            cards = CARD_VALUES[strain].reshape(4, 8)[suit].tolist()
            assert dict(zip(PIQUET.ranks, cards, strict=True)) == (trump if suit == strain else plain)


@pytest.mark.parametrize("strain", range(4))
@pytest.mark.parametrize("suit", range(4))
def test_be1_trump_ranks_j_9_a_t_k_q_8_7_and_a_plain_suit_a_t_k_q_j_9_8_7(strain, suit):
    order = "J9ATKQ87" if suit == strain else "ATKQJ987"
    cards = [8 * suit + PIQUET.ranks.index(rank) for rank in order]
    for place, best in enumerate(cards):
        assert [bool(beats(card, best, strain)) for card in cards] == [at < place for at in range(8)]


def test_be1_the_cards_of_every_suit_contract_make_152():
    for strain in range(4):
        assert CARD_VALUES[strain].sum() == 152


def test_be23_sans_atout_and_tout_atout_make_152_and_258_with_the_der_is_scaled():
    assert CARD_VALUES[4].sum() == CARD_VALUES[5].sum() == 152
    assert CARD_VALUES[4].reshape(4, 8).sum(axis=1).tolist() == [38] * 4
    assert CARD_VALUES[5].reshape(4, 8).sum(axis=1).tolist() == [38] * 4
    assert CARD_VALUES[SCALED].sum() + 10 == 258


def test_be14_the_last_trick_is_worth_10_and_all_tricks_252():
    assert scored("bid 80s", (90, 62), 2).points == [90, 72]
    assert scored("bid 80s", (152, 0), 1, sweep=True).points == [252, 0]


@pytest.mark.parametrize(
    ("cards", "der", "points"),
    [
        ((248, 0), 2, [156, 6]),  # 248 × 162 / 258 = 155.7
        ((121, 127), 1, [82, 80]),  # 131 → 82.26
        ((125, 123), 2, [78, 84]),  # 125 → 78.49
        ((129, 119), 2, [81, 81]),  # 129 → 81 exactly
    ],
)
def test_be23_classique_tout_atout_scales_the_declarers_points_and_the_defence_has_the_rest(
    cards, der, points
):
    rules = with_options(CLASSIQUE, sans_tout=True)
    assert scored("take ta", cards, der, rules=rules).points == points


# classique (BE-17, BE-20)


def test_be17_made_each_team_scores_its_own():
    table = scored("take s", (83, 69), 2, rules=CLASSIQUE)
    assert table.points == [83, 79]
    assert (table.marks, table.winner, table["made"]) == ([83, 79], 1, 1)


def test_be17_failed_the_defence_scores_162_and_the_declarers_nothing():
    table = scored("take s", (80, 72), 2, rules=CLASSIQUE)
    assert (table.marks, table.winner, table["made"]) == ([0, 162], 2, 0)


def test_be17_the_belote_counts_for_the_contract_and_is_never_lost():
    # 71 + 20 are more than 91 less one
    assert scored("take s", (72, 80), 2, rules=CLASSIQUE, belotes=(1, 0)).marks == [92, 90]
    assert scored("take s", (70, 82), 2, rules=CLASSIQUE, belotes=(1, 0)).marks == [20, 162]
    assert scored("take s", (90, 62), 2, rules=CLASSIQUE, belotes=(0, 1)).marks == [0, 182]
    assert scored("take s", (92, 60), 2, rules=CLASSIQUE, belotes=(0, 1)).marks == [92, 90]


def test_be17_failed_with_a_capot_brings_252():
    assert scored("take s", (0, 152), 2, rules=CLASSIQUE, sweep=True).marks == [0, 252]
    assert scored("take s", (152, 0), 1, rules=CLASSIQUE, sweep=True).marks == [252, 0]


def test_be20_litige_the_defence_scores_and_the_declarers_points_wait():
    table = scored("take s", (81, 71), 2, rules=CLASSIQUE)
    assert table.points == [81, 81]
    assert (table.marks, table["waiting"], table.winner) == ([0, 81], 81, -1)
    assert (table["outcome"], table["made"]) == (LITIGE, -1)


def test_be20_litige_at_91_leaves_each_belote_with_its_team():
    trick_winners = scored("take s", (71, 81), 2, rules=CLASSIQUE, belotes=(1, 0))
    assert (trick_winners.marks, trick_winners["waiting"]) == ([20, 91], 71)
    defence = scored("take s", (91, 61), 2, rules=CLASSIQUE, belotes=(0, 1))
    assert (defence.marks, defence["waiting"]) == ([0, 91], 91)


def test_be20_equal_totals_may_make_or_fail_the_contract():
    made = scored("take s", (81, 71), 2, rules=with_options(CLASSIQUE, litige="made"))
    assert (made.marks, made["made"], made["outcome"]) == ([81, 81], 1, PLAYED_OUT)
    failed = scored("take s", (81, 71), 2, rules=with_options(CLASSIQUE, litige="failed"))
    assert (failed.marks, failed["made"]) == ([0, 162], 0)


# contrée and coinchée (BE-18, BE-19, BE-21)


def test_be18_bid_90_made_with_75_and_the_belote():
    table = scored("bid 90h", (75, 77), 2, belotes=(1, 0))
    assert table.points == [75, 87]
    assert (table.marks, table.winner) == ([190, 90], 1)


def test_be18_bid_100_failed_with_98():
    assert scored("bid 100s", (98, 54), 2).marks == [0, 260]
    assert scored("bid 110s", (88, 64), 2, belotes=(1, 0)).marks == [20, 270]
    assert scored("bid 100s", (98, 54), 2, belotes=(0, 1)).marks == [0, 280]


def test_be18_the_bid_is_reached_before_rounding():
    assert scored("bid 100s", (99, 53), 2).marks == [0, 260]
    assert scored("bid 100s", (100, 52), 2).marks == [200, 60]


def test_be18_the_declarers_must_also_have_more_than_the_defence():
    # 80 are reached, but 82 with a belote are 102
    assert scored("bid 80s", (80, 72), 2, belotes=(0, 1)).marks == [0, 160 + 80 + 20]
    assert scored("bid 80s", (81, 71), 2).marks == [0, 240]  # BE-20: equality fails it first


def test_be20_litige_in_contree_where_the_option_says_so():
    table = scored("bid 80s", (81, 71), 2, rules=with_options("contree", litige="next"))
    assert (table.marks, table["waiting"]) == ([0, 80], 160)
    table = scored("bid 80s", (81, 71), 2, rules=with_options("contree", litige="made"))
    assert table.marks == [160, 80]
    # a bid that was not reached is no litige
    table = scored("bid 90s", (81, 71), 2, rules=with_options("contree", litige="next"))
    assert (table.marks, table["waiting"]) == ([0, 250], 0)


def test_be18_capot():
    assert scored("bid capot-s", (152, 0), 1, sweep=True).marks == [500, 0]
    assert scored("bid capot-s", (140, 12), 1).marks == [0, 160 + 250]
    assert scored("bid 100s", (152, 0), 1, sweep=True).marks == [350, 0]


def test_be18_a_capot_of_the_defence_brings_no_more_than_a_failed_contract():
    assert scored("bid 80s", (0, 152), 2, sweep=True).marks == [0, 240]


@pytest.mark.parametrize(
    ("times", "made", "failed"),
    [(1, [480, 0], [0, 480]), (2, [960, 0], [0, 960])],
    ids=["contre", "surcontre"],
)
def test_be19_only_the_winner_scores(times, made, failed):
    assert scored("bid 80s", (90, 62), 1, times=times).marks == made
    assert scored("bid 80s", (70, 82), 2, times=times).marks == failed


def test_be19_the_belote_is_multiplied_unless_the_option_says_no():
    assert scored("bid 80s", (90, 62), 1, times=1, belotes=(1, 0)).marks == [520, 0]
    rules = with_options("contree", belote_doubled=False)
    assert scored("bid 80s", (90, 62), 1, times=1, belotes=(1, 0), rules=rules).marks == [500, 0]
    # the loser's is its own, and never multiplied
    assert scored("bid 80s", (90, 62), 1, times=1, belotes=(0, 1)).marks == [480, 20]


def test_be19_a_contre_of_a_capot():
    assert scored("bid capot-s", (152, 0), 1, times=1, sweep=True).marks == [1000, 0]
    assert scored("bid capot-s", (140, 12), 1, times=1).marks == [0, (160 + 250) * 2]


def test_be19_a_defence_that_takes_every_trick_of_a_contre_scores_250_instead_of_160():
    assert scored("bid 80s", (0, 152), 2, times=1, sweep=True).marks == [0, (250 + 80) * 2]
    assert scored("bid 80s", (0, 152), 2, times=2, sweep=True).marks == [0, (250 + 80) * 4]
    assert scored("bid capot-s", (0, 152), 2, times=1, sweep=True).marks == [0, (250 + 250) * 2]
    marks = scored("bid 80s", (0, 152), 2, rules=COINCHEE, times=1, announced=(50, 0), sweep=True).marks
    assert marks == [0, (250 + 80 + 50) * 2]


def test_be21_scores_are_rounded_5_up_and_classique_is_exact():
    assert scored("bid 80s", (85, 67), 2).marks == [170, 80]  # 165 and 77
    assert scored("bid 80s", (84, 68), 2).marks == [160, 80]  # 164 and 78
    assert scored("bid 80s", (84, 68), 2, rules=with_options("contree", round=False)).marks == [164, 78]
    assert scored("take s", (84, 68), 2, rules=with_options(CLASSIQUE, round=True)).marks == [80, 80]


# announcements in the score (BE-16, BE-18, BE-19)


def test_be18_announcements_count_for_the_contract_and_go_to_the_defence_if_it_fails():
    assert scored("bid 120s", (80, 72), 2, rules=COINCHEE, announced=(50, 0)).marks == [250, 80]
    assert scored("bid 140s", (80, 72), 2, rules=COINCHEE, announced=(50, 0)).marks == [0, 160 + 140 + 50]
    assert scored("bid 80s", (90, 62), 1, rules=COINCHEE, announced=(0, 20)).marks == [180, 80]
    assert scored("bid 80s", (90, 62), 1, rules=COINCHEE, announced=(20, 50)).marks == [0, 290]


def test_be19_a_capot_of_the_declarers_moves_the_defenders_announcements_to_them():
    # 252 + 50 + 100 are 402
    table = scored("bid 100s", (152, 0), 1, rules=COINCHEE, announced=(0, 50), sweep=True)
    assert table.marks == [400, 0]
    assert scored("bid 300s", (152, 0), 1, rules=COINCHEE, announced=(0, 50), sweep=True).marks == [600, 0]


def test_be16_an_announcement_that_was_not_held_never_pays_its_own_team():
    lied = scored("bid 80s", (152, 0), 1, rules=COINCHEE, forfeited=(200, 0), sweep=True)
    assert lied.marks == [252 + 80 - 2, 200]
    # the declarers’ 60 and 100 are fewer than 180: the defence scores 160 and 180, the declarers nothing
    assert scored("bid 180s", (60, 92), 2, rules=COINCHEE, forfeited=(0, 100)).marks == [0, 340]
    assert scored("bid 180s", (60, 92), 2, rules=COINCHEE, times=1, forfeited=(0, 100)).marks == [0, 680]
    # the declarers’ own goes to the defence as before
    assert scored("bid 180s", (60, 92), 2, rules=COINCHEE, forfeited=(100, 0)).marks == [0, 440]


def test_be19_announcements_are_multiplied():
    assert scored("bid 120s", (80, 72), 1, rules=COINCHEE, times=1, announced=(50, 0)).marks == [660, 0]
    assert scored("bid 140s", (70, 82), 2, rules=COINCHEE, times=1, announced=(50, 0)).marks == [0, 700]


# renonce (BE-25)


@pytest.mark.parametrize(("offender", "marks"), [(1, [0, 250]), (3, [0, 250]), (2, [250, 0])])
def test_be25_a_renonce_fails_the_deal_for_the_team(offender, marks):
    hands = ("As Ks", "7s 8s", "9s Ts", "Js Qs")
    table = Table(hands)(*auction("90h"), "1 As", "2 7s")
    table.state["revoked"] = 1 << offender - 1
    table(f"{offender} renonce")
    assert table["outcome"] == RENOUNCED
    assert (table.marks, table["offender"]) == (marks, offender - 1)


def test_be25_a_renonce_needs_a_card_on_the_table():
    table = Table()
    assert table.faults("1 renonce") == ["renonce-misplaced"]
    assert table(*auction("90h")).faults("1 renonce") == ["renonce-misplaced"]
    assert not table.over


def test_be25_a_renonce_of_a_player_who_did_not_revoke_is_reported_and_stands():
    hands = ("As Ks", "7s 8s Th", "9s Ts", "Js Qs")
    table = Table(hands)(*auction("90h"), "1 As")
    assert table.faults("2 Th") == ["must-follow"]
    assert table.would("2 renonce") == []
    assert table.would("4 renonce") == ["renonce-unfounded"]
    assert table.faults("1 renonce") == ["renonce-unfounded"]
    assert (table["outcome"], table.marks) == (RENOUNCED, [0, 250])


@pytest.mark.parametrize(
    ("acts", "found"),
    [
        (("2 renonce",), {0, RENONCE_UNFOUNDED}),  # they may have had a spade or a trump
        (("1 Ts", "2 Ks", "2 renonce"), {0}),  # they had the king
        (("1 Ts", "2 Ks", "3 renonce"), {RENONCE_UNFOUNDED}),  # seat 3 followed suit
    ],
)
def test_be25_a_renonce_with_hidden_cards_is_decided_by_all_possible_deals(acts, found):
    words = [*auction("90c"), "1 As", "2 Kd", "3 7s", "4 8s", *acts]
    assert hidden(words).possible_faults(len(words) - 1) == found


def test_be15_belote_with_a_king_that_revokes_is_one_fault_with_hidden_cards():
    words = [*auction("90c"), "1 As", "2 Ks", "3 7s", "4 belote", "4 Kc", "4 Qs"]
    assert hidden(words).possible_faults(words.index("4 Kc")) == {MUST_FOLLOW}
