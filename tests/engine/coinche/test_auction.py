"""The deal and the auction: CO-1, CO-3 to CO-5."""

import pytest

from engine.coinche.kernel import OVER, PASSED, receiver
from schemas.notation import act_codes
from tests.engine.coinche.table import PACK, PASS_OUT, SPADES, Table, auction


def test_co1_nine_cards_each_three_by_three_from_the_dealers_next():
    table = Table(dealer=2)
    assert len(PACK) == 36
    assert [len(table.hand(seat)) for seat in (1, 2, 3, 4)] == [9, 9, 9, 9]
    assert table.turn == 3
    packets = [receiver(None, 4, 1, place) + 1 for place in range(0, 36, 3)]
    assert packets == [3, 4, 1, 2] * 3


def test_co3_forty_eight_bids_and_no_fewer_points_than_sixty():
    bids = [word for word in act_codes("coinche") if word.startswith("bid ")]
    assert len(bids) == 48
    assert {"bid 60c", "bid 150s", "bid match-h", "bid generale-d"} <= set(bids)
    assert "bid 50s" not in bids
    assert "bid 160s" not in bids


def test_co3_a_bid_must_be_higher_and_suits_do_not_rank():
    table = Table()("1 bid 80s")
    assert table.would("2 bid 80h") == ["bid-too-low"]
    assert table.would("2 bid 70s") == ["bid-too-low"]
    assert table.would("2 bid 90c") == []
    table("2 bid match-c")
    assert table.would("3 bid 150s") == ["bid-too-low"]
    assert table.would("3 bid generale-s") == []


def test_co3_a_bid_too_low_that_the_table_let_stand_is_the_contract():
    table = Table()("1 bid 80s")
    assert table.faults("2 bid 80h") == ["bid-too-low"]
    table("3 pass", "4 pass", "1 pass")
    assert (table["contract"], table["trump"], table["declarer"]) == (2, 1, 1)
    assert not table["bidding"]


def test_co3_who_passed_may_bid_again_and_everybody_speaks_in_turn():
    table = Table()("1 pass")
    assert table.faults("3 bid 60s") == ["wrong-turn"]
    assert table.faults("1 pass") == ["wrong-turn"]
    table("2 bid 60s", "3 pass", "4 pass", "1 bid 70h")
    assert table["declarer"] == 0


def test_co4_three_passes_after_a_bid_end_the_auction():
    table = Table()("1 pass", "2 pass", "3 bid 60d", "4 pass", "1 pass")
    assert table["bidding"]
    table("2 pass")
    assert not table["bidding"]
    assert table.turn == 1


def test_co4_four_passes_are_a_null_deal():
    table = Table()(*PASS_OUT)
    assert table["over"] == OVER
    assert table["outcome"] == PASSED
    assert table.winner == -1
    assert table.marks == [0, 0]
    assert table.faults("1 pass") == ["after-end"]


def test_co4_three_passes_first_leave_the_fourth_player_a_bid():
    table = Table()("1 pass", "2 pass", "3 pass", "4 bid 60s")
    assert table["bidding"]


def test_co4_a_generale_ends_the_auction_at_once():
    table = Table(dealer=3)("4 pass", "1 bid generale-s")
    assert not table["bidding"]
    assert table.turn == 4


@pytest.mark.parametrize("word", ["2 bid 90h", "1 pass", "4 pass"])
def test_co4_words_after_the_auction_count_for_nothing(word):
    table = Table()("1 bid 80s", "2 coinche")
    before = table.state.copy()
    assert table.faults(word) == ["auction-over"]
    assert table.state == before


def test_co4_no_card_before_there_is_a_contract():
    table = Table(SPADES)
    assert table.faults("1 Js") == ["card-before-contract"]
    table("1 bid 80s", "2 pass", "3 pass")
    assert table.faults("1 Js") == ["card-before-contract"]
    table("4 pass", "1 Js")


def test_co5_an_opponent_coinches_in_turn_or_not():
    for seat in (2, 4):
        table = Table()("1 bid 80s", f"{seat} coinche")
        assert not table["bidding"]
        assert table["coincher"] == seat - 1
        assert table.turn == 1


def test_co5_nobody_coinches_nothing_or_their_own_side():
    table = Table()
    assert table.faults("2 coinche") == ["coinche-no-bid"]
    table("1 bid 80s")
    assert table.would("1 coinche") == ["coinche-side"]
    assert table.faults("3 coinche") == ["coinche-side"]
    table("2 bid 90h")
    assert table.would("4 coinche") == ["coinche-side"]
    assert table.would("3 coinche") == []


def test_co5_until_the_first_card_even_after_three_passes():
    table = Table(SPADES)(*auction("80s"))
    assert table.would("4 coinche") == []
    table("1 Js")
    assert table.faults("4 coinche") == ["coinche-late"]
    assert not table["coinched"]
    assert Table(SPADES)(*auction("80s"), "2 coinche")["coinched"] == 1


def test_co5_a_coinche_once_and_a_surcoinche_once_by_any_of_the_declarers():
    table = Table(SPADES)("1 bid 80s")
    assert table.faults("3 surcoinche") == ["surcoinche-no-coinche"]
    table("2 coinche")
    assert table.would("4 coinche") == ["coinche-again"]
    assert table.would("2 surcoinche") == ["surcoinche-side"]
    assert table.would("1 surcoinche") == []
    table("3 surcoinche")
    assert table["surcoincher"] == 2
    assert table.would("1 surcoinche") == ["coinche-again"]
    table("1 Js")
    assert set(table.would("1 surcoinche")) == {"coinche-again", "coinche-late"}


def test_co5_a_surcoinche_comes_before_the_first_card():
    table = Table(SPADES)("1 bid 80s", "2 coinche", "1 Js")
    assert table.faults("3 surcoinche") == ["coinche-late"]
    assert table["coinched"] == 1


def test_co5_a_generale_cannot_be_coinched():
    table = Table()("1 bid generale-s")
    assert table.faults("2 coinche") == ["coinche-generale"]
    assert not table["coinched"]


def test_co5_all_that_is_legal_before_the_first_card_of_a_coinched_contract():
    table = Table(SPADES)("1 bid 80s", "4 coinche")
    items = {word for word in table.words() if word[2:] not in PACK.code_entries}
    always = {f"{seat} {word}" for seat in (1, 2, 3, 4) for word in ("won", "resign")}
    assert items == always | {"1 surcoinche", "3 surcoinche", "1 claim"}
    assert table.plays() == set(SPADES[0].split())
