"""From partie to partie: the cut, who deals, manches, the belle, the end: CH-2, CH-24 to CH-26."""

import numpy as np
import pytest

from engine import cut
from engine.chouine import GAME
from engine.chouine.faults import MATCH_FAULTS
from engine.chouine.kernel import NOBODY
from engine.chouine.match import Match, close_deal, open_deal, open_match, score, skip_unknown_deal
from engine.options import encode_rules, resolve_options
from tests.engine.chouine.positions import PACK, Table, deal


def cards(attempt: str) -> list[int]:
    return [PACK.code_entries[card] for card in attempt.split()]


class Flow:
    """A match whose parties end at once: the others resign, or a null partie, or a void deal."""

    def __init__(self, players: int = 2, cut: tuple[int, int, int] = (NOBODY,) * 3, **options):
        self.players = players
        rules = {"preset": "lavardin", **options}
        self.rules = encode_rules("chouine", resolve_options("chouine", rules, players))
        self.record = np.zeros(1, Match)[0]
        open_match(self.record, self.rules, players, *cut)

    def partie(self, dealer: int, winner: int = 0, void: bool = False) -> list[str]:
        """A deal from seat `dealer` that seat `winner` wins, 0 for a null one; its faults."""
        play = Table(list(range(32)), self.players, dealer=dealer)
        if winner == 0:
            play = Table(NULL_DEAL, 3)("1 resign")
            play.state["dealer"] = dealer - 1
        elif self.players == 2:
            play(f"{3 - winner} resign")
        else:
            play.state["bonus"][winner - 1] = 20
            play(f"{winner % self.players + 1} resign")
        faults = [fault.code for fault in MATCH_FAULTS.in_mask(int(open_deal(self.record, dealer - 1)))]
        close_deal(self.record, self.rules, play.state, void)
        return faults

    @property
    def dealer(self) -> int:
        return int(self.record["dealer"]) + 1

    @property
    def winner(self) -> int:
        return int(self.record["winner"]) + 1


NULL_DEAL = deal(["Kh Qh 7d", "9d 8d 9h", "7c 8c 9c"])


def test_ch_2_the_lowest_card_deals_and_the_highest_is_kept_for_later() -> None:
    assert cut.dealers_by_cut(GAME, [[cards("Kh 9c")]]) == (1, 0, NOBODY)
    assert cut.dealers_by_cut(GAME, [[cards("Kh 9c As 7d")]])[:2] == (3, 2)


def test_ch_2_equal_lowest_cards_are_cut_again() -> None:
    assert not cut.is_decisive(cards("8h 8s"), PACK)
    assert not cut.is_decisive(cards("Kh 8h 8s"), PACK)
    assert cut.is_decisive(cards("Kh Ks 8s"), PACK)  # the two kings are not lowest
    assert cut.dealers_by_cut(GAME, [[cards("8h 8s"), cards("7d Kc")]]) == (0, 1, NOBODY)


def test_ch_2_suits_do_not_rank() -> None:
    for first in "shdc":
        for second in "shdc":
            if first != second:
                assert not cut.is_decisive(cards(f"7{first} 7{second}"), PACK)


def test_ch_2_an_undecided_cut_names_nobody() -> None:
    assert cut.dealers_by_cut(GAME, [[cards("8h 8s")]]) == (NOBODY, NOBODY, NOBODY)


def test_ch_2_who_the_cut_names_deals_first() -> None:
    match = Flow(cut=(1, 0, NOBODY))
    assert match.partie(1, winner=1) == ["wrong-dealer"]
    assert Flow(cut=(1, 0, NOBODY)).partie(2, winner=1) == []


def test_ch_25_without_a_cut_the_first_dealer_is_taken_as_recorded() -> None:
    assert Flow().partie(1, winner=1) == []
    assert Flow().partie(2, winner=1) == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ch_25_the_deal_passes_on_to_the_next_dealer_after_any_result(players: int) -> None:
    match = Flow(players)
    for k in range(players + 1):
        assert match.partie(k % players + 1, winner=1 + k % 2) == []
    assert match.partie((players + 2) % players + 1, winner=1) == ["wrong-dealer"]


def test_ch_24_after_a_null_partie_the_same_player_deals() -> None:
    match = Flow(3)
    match.partie(2, winner=0)
    assert match.dealer == 2
    assert score(match.record) == [0, 0, 0]


def test_ch_26_after_a_void_deal_too() -> None:
    match = Flow()
    match.partie(2, winner=1, void=True)
    assert match.dealer == 2
    assert score(match.record) == [0, 0]


def test_ch_27_and_after_a_partie_replayed() -> None:
    match = Flow()
    play = Table(deal(["Kh Qh 7s 9c 8d", "Ah Th Jc 9d 7c"], "Js"))
    play("1 Qh", "2 7c", "1 fault draw", "2 replay")
    open_deal(match.record, 1)
    close_deal(match.record, match.rules, play.state, False)
    assert match.dealer == 2
    assert score(match.record) == [0, 0]


def play_manche(match: Flow, dealer: int, winner: int, parties: int = 5) -> int:
    """`winner` takes a manche without conceding a partie; who would deal next."""
    for k in range(parties):
        assert match.partie((dealer + k - 1) % match.players + 1, winner) == []
    return match.dealer


def test_ch_25_two_manches_make_the_match() -> None:
    match = Flow(cut=(1, 0, NOBODY))
    play_manche(match, 2, winner=1)
    assert list(match.record["manches"][:2]) == [1, 0]
    assert not match.record["over"]
    play_manche(match, 1, winner=1)
    assert match.winner == 1
    assert score(match.record) == [10, 0]


def test_ch_25_who_cut_highest_deals_the_second_manche() -> None:
    for highest in (0, 1):
        match = Flow(cut=(1, highest, NOBODY))
        assert play_manche(match, 2, winner=1) == highest + 1


def test_ch_25_without_a_cut_the_other_deals_the_second_manche() -> None:
    match = Flow()
    assert play_manche(match, 2, winner=1) == 1


def test_ch_25_the_belle_has_a_cut_of_its_own() -> None:
    match = Flow(cut=(1, 0, 1))
    play_manche(match, 2, winner=1)
    assert play_manche(match, 1, winner=2) == 2
    assert play_manche(match, 2, winner=2) == 1
    assert match.winner == 2
    assert list(match.record["manches"][:2]) == [1, 2]


def test_ch_25_without_one_its_first_dealer_is_taken_as_recorded() -> None:
    match = Flow(cut=(1, 0, NOBODY))
    play_manche(match, 2, winner=1)
    play_manche(match, 1, winner=2)
    assert match.dealer == 0
    assert match.partie(1, winner=1) == []


@pytest.mark.parametrize("players", [3, 4])
def test_ch_25_three_and_four_play_one_manche(players: int) -> None:
    match = Flow(players)
    play_manche(match, 1, winner=3)
    assert match.winner == 3


@pytest.mark.parametrize("parties", [1, 3, 7])
def test_ch_25_parties_of_a_manche(parties: int) -> None:
    match = Flow(parties=parties, manches=1)
    play_manche(match, 1, winner=2, parties=parties)
    assert match.winner == 2


def test_ch_25_nothing_is_dealt_after_the_match() -> None:
    match = Flow(parties=1, manches=1)
    match.partie(1, winner=2)
    assert match.partie(2, winner=1) == ["deal-after-match"]
    assert score(match.record) == [0, 1]  # and nothing counted


def test_ch_25_a_deal_without_a_result_ends_the_count() -> None:
    match = Flow(parties=2, manches=1)
    play = Table(list(range(32)), dealer=1)
    open_deal(match.record, 0)
    close_deal(match.record, match.rules, play.state, False)
    assert match.partie(1, winner=1) == []  # who should deal is not known any more
    assert match.partie(2, winner=1) == []
    assert not match.record["over"]


def test_ch_30_a_manche_without_conceding_a_partie() -> None:
    match = Flow(cut=(1, 0, NOBODY))
    play_manche(match, 2, winner=1)
    assert list(match.record["under"][:2]) == [1, 0]
    assert match.partie(1, winner=2) == []
    for k in range(5):
        assert match.partie(2 - k % 2, winner=1) == []
    assert match.winner == 1
    assert list(match.record["under"][:2]) == [1, 0]  # the second manche cost one


def test_ch_25_after_an_uncounted_deal_nobody_knows_who_deals_when_a_manche_may_have_ended() -> None:
    flow = Flow(parties=2)
    assert flow.partie(1, winner=1) == []
    skip_unknown_deal(flow.record)  # dealt by 2 for any winner, and is not in the count
    assert flow.partie(1, winner=2) == []
    # seat 2 may have won its second: then a manche begins, dealt by the player who cut highest
    assert flow.dealer == 0
    assert flow.partie(1, winner=2) == []
    assert not flow.record["over"]
    sure = Flow(parties=5)
    skip_unknown_deal(sure.record)
    assert sure.partie(1, winner=1) == []
    assert sure.partie(1, winner=1) == ["wrong-dealer"]  # two parties and one: no manche yet
