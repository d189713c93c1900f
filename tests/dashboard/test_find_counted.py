"""The deals that a search finds, against a plain count of the same matches from their documents."""

from collections.abc import Callable
from datetime import date
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.games import game_view
from dashboard.queries import find
from tests.dashboard.plain_counts import Counted
from tests.reference.statistics import Deal, Hand, Match

SUITS = "shdc"


class Seat(NamedTuple):
    """One seat of a deal, of which a search is true or not."""

    match: Match
    deal: Deal
    hand: Hand

    @property
    def margin(self) -> int | None:
        """Points above the best of those who fared otherwise."""
        others = [one.points for one in self.deal.hands if one.won != self.hand.won]
        return self.hand.points - max(others) if others else None

    def has(self, column: str, kind: str = "") -> bool:
        made = self.hand.wording.values()
        return any(getattr(one, column) and kind in ("", one.kind) for one in made)

    @property
    def bid(self) -> str | None:
        """The contract as a player writes it."""
        if self.deal.contract is None:
            return None
        return game_view(self.match.game).HEIGHTS[self.deal.contract].text


def bids_from(seat: Seat, least: int) -> bool:
    """A capot is above every number; the take of Belote has no height."""
    return seat.bid not in (None, "taken") and (not seat.bid.isdecimal() or int(seat.bid) >= least)


Test = Callable[[Seat], bool]
PLAIN: dict[str, Test] = {
    "won": lambda s: s.hand.won is True,
    "lost": lambda s: s.hand.won is False,
    "won>=30": lambda s: s.hand.won is True and s.margin is not None and s.margin >= 30,
    "lost<12": lambda s: s.hand.won is False and s.margin is not None and -s.margin < 12,
    "points>=90": lambda s: s.hand.points >= 90,
    "points:0,3": lambda s: s.hand.points in (0, 3),
    "tricks>4": lambda s: s.hand.tricks > 4,
    "last": lambda s: s.hand.der,
    "dealer": lambda s: s.hand.dealt,
    "declarer": lambda s: s.deal.declarer == s.hand.seat,
    "contract": lambda s: s.deal.contract is not None,
    "contract:90": lambda s: s.bid == "90",
    "contract>=120": lambda s: bids_from(s, 120),
    "contract>=125": lambda s: bids_from(s, 125),
    "contract<80": lambda s: s.bid not in (None, "taken") and not bids_from(s, 80),
    "trump:h": lambda s: s.deal.trump == "h",
    "atout:♠,trefle": lambda s: s.deal.trump in ("s", "c"),
    "made": lambda s: s.deal.made is True,
    "failed": lambda s: s.deal.made is False,
    "coinched": lambda s: s.deal.coinched > 0,
    "surcontre": lambda s: s.deal.coinched == 2,
    "held": lambda s: s.has("held"),
    "held:tierce": lambda s: s.has("held", "tierce"),
    "held:mariage-t": lambda s: any(
        o.held and o.trump and o.kind == "mariage" for o in s.hand.wording.values()
    ),
    "held:mariage-h": lambda s: (
        s.hand.wording.get(("mariage", "h")) is not None and s.hand.wording["mariage", "h"].held
    ),
    "announced": lambda s: s.has("announced"),
    "announced:mariage,tierce": lambda s: s.has("announced", "mariage") or s.has("announced", "tierce"),
    "counted:quinte": lambda s: s.has("counted", "quinte"),
    "missed": lambda s: s.has("missed"),
    "void": lambda s: s.deal.void is not None,
    "status:irregular": lambda s: s.deal.status == "irregular",
    "game:coinche": lambda s: s.match.game == "coinche",
    "preset:mondoubleau": lambda s: s.match.preset == "mondoubleau",
    'event:"TOURNOI d\'ete"': lambda s: s.match.event == "Tournoi d’été",
    "source:site": lambda s: s.match.source == "site",
    "date:2025": lambda s: s.match.played_on is not None and s.match.played_on.year == 2025,
    "date>=2026-04": lambda s: s.match.played_on is not None and s.match.played_on >= date(2026, 4, 1),
    "date<=2025-12": lambda s: s.match.played_on is not None and s.match.played_on <= date(2025, 12, 31),
    "date:2026-05-01": lambda s: s.match.played_on == date(2026, 5, 1),
    "exchanged": lambda s: s.hand.sept is not None,
    "brisques>=5": lambda s: s.hand.brisques is not None and s.hand.brisques >= 5,
    "bid": lambda s: s.hand.bid is not None,
    "met": lambda s: s.hand.met is True,
}
"""Searches of one word, and whether each is true of a seat."""


@cache
def seats(counted: Counted) -> list[Seat]:
    return [
        Seat(match, deal, hand) for match in counted.matches for deal in match.deals for hand in deal.hands
    ]


def plainly(counted: Counted, test: Test) -> set[tuple[str, int]]:
    return {(one.match.id, one.deal.number) for one in seats(counted) if test(one)}


def found(counted: Counted, text: str) -> set[tuple[str, int]]:
    search = find.read_search(text)
    total, deals, *_ = find.find_deals(counted.cursor, search, limit=1_000_000)
    rows = deals.select("log_id", "deal_number").rows()
    assert len(rows) == total
    assert len(set(rows)) == total
    return set(rows)


@pytest.mark.parametrize("text", PLAIN)
def test_a_word_finds_what_a_plain_count_does(counted: Counted, text: str) -> None:
    wanted = plainly(counted, PLAIN[text])
    assert found(counted, text) == wanted
    assert wanted


@pytest.mark.parametrize("name", ["Lucie", "Marcel"])
def test_a_player_is_found_by_name_and_others_of_the_table_by_with(counted: Counted, name: str) -> None:
    def sits(seat: Seat) -> bool:
        return seat.match.names[seat.hand.seat - 1] == name

    assert found(counted, f"player:{name.upper()} won") == plainly(
        counted, lambda s: sits(s) and s.hand.won is True
    )
    assert found(counted, f"with:{name} won") == plainly(
        counted, lambda s: name in s.match.names and s.hand.won is True
    )


class Tree(NamedTuple):
    """A search, and whether it is true of a seat."""

    text: str
    test: Test

    def __repr__(self) -> str:
        return self.text


def joined(trees: list[Tree], word: str) -> Tree:
    every = any if word.strip() == "or" else all
    return Tree(
        f"({word.join(one.text for one in trees)})", lambda seat: every(one.test(seat) for one in trees)
    )


def negated(tree: Tree) -> Tree:
    return Tree(f"not {tree.text}", lambda seat: not tree.test(seat))


def trees() -> st.SearchStrategy[Tree]:
    # alone, `announced` means another thing after `held`
    words = [Tree(text, test) for text, test in PLAIN.items() if text != "announced"]
    return st.recursive(
        st.sampled_from(words),
        lambda part: st.one_of(
            part.map(negated),
            st.builds(
                joined, st.lists(part, min_size=2, max_size=3), st.sampled_from([" ", " and ", " or "])
            ),
        ),
        max_leaves=6,
    )


@given(data=st.data())
def test_any_combination_of_words_finds_what_a_plain_count_does(
    counted: Counted, data: st.DataObject
) -> None:
    tree = data.draw(trees())
    assert found(counted, tree.text) == plainly(counted, tree.test)


def test_announced_after_held_is_about_the_same_kind(counted: Counted) -> None:
    def plain(seat: Seat) -> bool:
        return seat.has("held", "tierce") and not seat.has("announced", "tierce")

    assert found(counted, "held:tierce not announced") == plainly(counted, plain)
    assert found(counted, "held:tierce not (announced or won)") == plainly(
        counted, lambda s: plain(s) and s.hand.won is not True
    )
