"""What a line of a score sheet can say: every deal that is played, and no figure no deal makes."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import pytest

from data.build_samples import sheet_of
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import PIQUET
from engine.chouine import score_sheet_line as chouine
from engine.chouine.actions import ANNOUNCE
from engine.chouine.kernel import CARD_POINTS, PLAYED_OUT, combination_cards
from engine.chouineurs.deck import CARD_COUNT, PUBLISHED_BID_CARDS, BidCards
from engine.games import game
from engine.match import winner_in_log
from engine.score_sheet_line import PossibleEnds, ScoreLine
from schemas.deal_decoder import decode_score_line
from schemas.match_models import match_models
from schemas.match_setup import DealProblem, MatchSetup
from schemas.simulated import deal_documents, simulate_matches, simulated_setup

TABLES = [
    ("chouine", "lavardin", 2),
    ("chouine", "lavardin", 3),
    ("chouine", "lavardin", 4),
    ("chouine", "mondoubleau", 2),
    ("chouine", "mondoubleau", 3),
    ("chouine", {"preset": "mondoubleau", "trump_maker": "plain", "one_per_suit": False}, 2),
    ("chouine", "regles-completes", 2),
    ("coinche", "tournoi-2018", 4),
    ("coinche", {"coinche_score": "sum"}, 4),
    ("belote", "classique", 4),
    ("belote", "contree", 4),
    ("belote", "coinchee", 4),
    ("chouineurs", "blam", 2),
    ("chouineurs", "blam", 3),
    ("chouineurs", "blam", 5),
    ("chouineurs", {"tricks": 8}, 5),
]


def sheet(arranged: MatchSetup, *lines: dict[str, Any]) -> Any:
    """The model of a match with some lines, whose deals can be read at a table."""
    this = arranged.game.name
    players = [{"id": str(seat)} for seat in range(arranged.players)]
    match = {"format": "retourne/1", "game": this, "players": players, "deals": list(lines)}
    return match_models()[this].model_validate(match)


def ends(arranged: MatchSetup, reported: dict[str, Any]) -> PossibleEnds:
    """How the deal of a line may have ended."""
    problems: list[DealProblem] = []
    numbers = decode_score_line(sheet(arranged, reported).deals[0], arranged, problems)
    assert not problems
    return arranged.game.score_line_rules.possible_ends(numbers, arranged.players, arranged.rules)


def wrong(arranged: MatchSetup, reported: dict[str, Any]) -> list[str]:
    return [one.code for one in ends(arranged, reported).problems]


def lines_played(arranged: MatchSetup, matches: int) -> Iterator[dict[str, Any]]:
    """The lines of simulated matches, as a scorer would write them."""
    for match in simulate_matches(arranged, matches, seed=11):
        log = {"game": arranged.game.name, "deals": deal_documents(arranged, match.deals, as_hands=True)}
        yield from (item for item in sheet_of(log)["deals"] if "void" not in item)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules", "players"), TABLES, ids=str)
def test_every_deal_that_is_played_can_be_written_as_a_line(name: str, rules: Any, players: int) -> None:
    played = simulated_setup(name, rules, players)
    for item in lines_played(played, 4):
        found = ends(played, item)
        assert not found.problems
        assert {winner_in_log(state) for state in found.states} == {item["winner"]}
        totals = [
            [int(played.game.kernel.total(state, side)) for side in range(played.game.side_count(players))]
            for state in found.states
        ]
        # in classique, points of a litige before may be among those of a deal (BE-20)
        waited = rules == "classique" and all(sum(one) < sum(item["points"]) for one in totals)
        assert waited or all(one == item["points"] for one in totals)
        # nor does it become wrong by what nobody wrote down
        early = "end" in item["score_line"] or "chouine" in str(item["score_line"])
        for left_out in ("points", "winner", *(() if early else ("score_line",))):
            less = {key: value for key, value in item.items() if key != left_out}
            assert not wrong(played, less), less


@pytest.mark.parametrize(("name", "rules", "players"), TABLES[:-4], ids=str)
def test_a_figure_that_is_one_off_is_refused(name: str, rules: Any, players: int) -> None:
    """Everything counts in tens but the cards, and they are all somebody's."""
    played = simulated_setup(name, rules, players)
    for item in lines_played(played, 1):
        if "end" in item["score_line"] or "chouine" in str(item["score_line"]):
            continue  # what was left to play is nobody's
        for seat in range(len(item["points"])):
            points = [one + (place == seat) for place, one in enumerate(item["points"])]
            spoilt = {key: value for key, value in item.items() if key != "winner"}
            refused = wrong(played, spoilt | {"points": points}) == ["points-impossible"]
            # of three players two cards are left over, so another sum may be right
            assert refused or (name, players) == ("chouine", 3)


# Chouine


LAVARDIN = simulated_setup("chouine", "lavardin", 2)
AT_THREE, AT_FOUR = (simulated_setup("chouine", "lavardin", 3), simulated_setup("chouine", "lavardin", 4))


def on_sheet(*words: str) -> dict[str, Any]:
    return {"announcements": list(words)}


def test_ch_23_the_worked_example_of_the_rules() -> None:
    """57 and 63 of cards: a plain mariage and the last trick make 87, a mariage in trump 103."""
    fields = {"dealer": 1, "points": [87, 103], "score_line": on_sheet("1 mariage-h", "2 mariage-s")}
    assert not wrong(LAVARDIN, fields)
    assert wrong(LAVARDIN, fields | {"points": [87, 93]}) == ["points-impossible"]
    assert wrong(LAVARDIN, fields | {"winner": 1}) == ["winner-differs"]


def test_ch_1_no_cards_make_one_point() -> None:
    every = {sum(some) for n in range(21) for some in _some_cards(n)}
    assert {*range(121)} - every == {1, 119}
    for cards in range(121):
        fields = {"dealer": 1, "points": [cards, 130 - cards], "score_line": on_sheet()}
        assert bool(wrong(LAVARDIN, fields)) == (not {cards, cards - 10} & every)


def _some_cards(count: int) -> Iterator[tuple[int, ...]]:
    values = sorted({int(points) for points in CARD_POINTS if points})
    for some in combinations_with_replacement(values, count):
        if all(some.count(value) <= 4 for value in values):
            yield some


@pytest.mark.slow
@pytest.mark.parametrize(("piles", "distinct"), [(2, 0), (3, 0), (2, 2), (3, 2)])
@pytest.mark.sample("2-2", "3-0")
def test_piles_are_those_that_can_be_dealt_out_card_by_card(piles: int, distinct: int) -> None:
    """The kings, queens and jacks, which are few enough to deal them in every way."""
    at = len(chouine.CARD_VALUE_COUNTS) - 2
    cards = [value for value, count in chouine.CARD_VALUE_COUNTS[at:] for _ in range(count)]
    made = set()
    for owners in product(range(piles + (distinct > 0)), repeat=len(cards)):
        if owners.count(piles) <= distinct:
            made.add(
                tuple(
                    sum(card for card, owner in zip(cards, owners, strict=True) if owner == pile)
                    for pile in range(piles)
                )
            )
    for points in product(range(sum(cards) + 1), repeat=piles):
        assert chouine._can_fill_piles(tuple(sorted(points)), distinct, False, at) == (points in made)


@pytest.mark.slow
def test_ch_7_of_three_players_two_cards_are_left_over() -> None:
    sums = {total for total in range(100, 132) if _at_three(total)}
    left = {a + b for a, b in product({0, 2, 3, 4, 10, 11}, repeat=2)}
    assert sums == {130 - one for one in left}


def _at_three(total: int) -> bool:
    fields = {"dealer": 1, "points": [40, 30, total - 70], "score_line": on_sheet()}
    return not wrong(AT_THREE, fields)


@pytest.mark.parametrize(
    ("arranged", "words"),
    [
        (LAVARDIN, ["1 mariage-h", "2 tierce-h"]),  # one king of hearts
        (LAVARDIN, ["1 mariage-h", "1 tierce-h"]),  # CH-20
        (LAVARDIN, ["1 trente"]),  # CH-18
        (LAVARDIN, ["1 quinte", "2 quinte"]),  # eight brisques
        (LAVARDIN, ["1 quarteron-s", "1 quarteron-h", "1 quarteron-d", "1 quarteron-c", "1 quinte"]),
        (AT_THREE, ["1 tierce-h"]),  # CH-19
        (AT_THREE, ["1 quinte"]),
        (AT_THREE, ["1 trente", "2 trente", "3 trente"]),
        (AT_FOUR, ["1 mariage-h", "1 mariage-s", "1 mariage-d", "1 trente"]),  # eight cards come
    ],
)
def test_ch_18_ch_19_ch_20_what_cannot_be_announced_together(arranged: MatchSetup, words: list[str]) -> None:
    found = ends(arranged, {"dealer": 1, "winner": 1, "score_line": on_sheet(*words)}).problems
    assert [one.code for one in found] == ["announcements-impossible"]
    assert found[0].path == f"/score_line/announcements/{len(words) - 1}"
    assert not wrong(arranged, {"dealer": 1, "winner": 1, "score_line": on_sheet(*words[:-1])})


def test_ch_17_what_was_never_shown_counts_nothing() -> None:
    fields = {"dealer": 1, "points": [57, 73]}
    assert not wrong(LAVARDIN, fields | {"score_line": on_sheet("1 tierce-h~")})
    assert wrong(LAVARDIN, fields | {"score_line": on_sheet("1 tierce-h")}) == ["points-impossible"]


def test_ch_22_a_chouine_wins_with_whatever_points() -> None:
    fields = {"dealer": 1, "points": [12, 45], "score_line": on_sheet("1 chouine-h")}
    assert not wrong(LAVARDIN, fields | {"winner": 1})
    assert wrong(LAVARDIN, fields | {"winner": 2}) == ["winner-differs"]
    assert wrong(LAVARDIN, fields | {"score_line": on_sheet()}) == ["points-impossible"]


def test_ch_24_equal_totals_are_nobodys() -> None:
    fields = {"dealer": 1, "points": [65, 65], "score_line": on_sheet()}
    assert not wrong(LAVARDIN, fields | {"winner": 0})
    assert wrong(LAVARDIN, fields | {"winner": 1}) == ["winner-differs"]


def test_ch_23_announcements_alone_may_decide_who_wins() -> None:
    """80, 40, 40 and 40: more than all the cards and the last trick."""
    suits = [f"1 quarteron-{suit}" for suit in "shdc"]
    assert not wrong(LAVARDIN, {"dealer": 1, "winner": 1, "score_line": on_sheet(*suits)})
    assert wrong(LAVARDIN, {"dealer": 1, "winner": 2, "score_line": on_sheet(*suits)}) == ["winner-differs"]
    assert wrong(LAVARDIN, {"dealer": 1, "winner": 0, "score_line": on_sheet(*suits)}) == ["winner-differs"]


def test_ch_27_who_gave_up_or_drew_wrong_twice_has_lost() -> None:
    for end in ("2 resign", "2 fault peek"):
        fields = {"dealer": 1, "points": [2, 61], "score_line": {"end": end}}
        assert not wrong(LAVARDIN, fields | {"winner": 1})
        assert wrong(LAVARDIN, fields | {"winner": 2}) == ["winner-differs"]
    assert wrong(LAVARDIN, {"dealer": 1, "score_line": {"end": "2 sept"}}) == ["end-impossible"]


@pytest.mark.parametrize("maker", ["trump", "plain"])
def test_ch_28_ch_29_at_mondoubleau_an_announcement_may_make_trump_or_not(maker: str) -> None:
    played = simulated_setup("chouine", {"preset": "mondoubleau", "trump_maker": maker}, 2)
    bonus = {
        extra
        for extra in range(0, 100, 10)
        if not wrong(played, {"dealer": 1, "points": [60 + extra, 70], "score_line": on_sheet("1 mariage-h")})
    }
    assert bonus == ({20, 40} if maker == "trump" else {20})


@pytest.mark.parametrize("preset", ["lavardin", "mondoubleau"])
def test_ch_15_a_chouine_is_in_hand_and_not_in_the_piles(preset: str) -> None:
    """30 points of 120 are held; at three the king, queen and jack, which are 9."""
    played = simulated_setup("chouine", preset, 2)
    fields = {"dealer": 1, "winner": 1, "score_line": on_sheet("1 chouine-h")}
    for points in ([90, 0], [50, 40], [0, 90]):
        assert not wrong(played, fields | {"points": points}), points
    for points in ([102, 0], [110, 0], [120, 0], [60, 60]):
        assert wrong(played, fields | {"points": points}) == ["points-impossible"], points
    # led in a plain suit it is answered, and the card played with it goes to a pile
    for points in ([91, 0], [95, 0], [101, 0], [50, 45]):
        assert bool(wrong(played, fields | {"points": points})) == (preset == "mondoubleau"), points
    three = simulated_setup("chouine", preset, 3)
    assert wrong(three, fields | {"points": [120, 0, 0]}) == ["points-impossible"]
    assert not wrong(three, fields | {"points": [111, 0, 0]})


@pytest.mark.parametrize("preset", ["lavardin", "mondoubleau"])
def test_ch_12_who_announced_high_trumps_has_a_trick(preset: str) -> None:
    """Of ace, king, queen and jack the ten beats one; of king, queen and jack one is left."""
    played = simulated_setup("chouine", preset, 2)
    for word, bonus, least in (("quarteron", 80, 11 + 3 + 2), ("tierce", 60, 2)):
        for cards in range(20):
            own, other = bonus + cards, 130 - cards
            fields = {"dealer": 1, "points": [own, other], "score_line": on_sheet(f"1 {word}-h")}
            assert bool(wrong(played, fields)) == (cards < least), (word, cards)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["lavardin", "mondoubleau"])
@pytest.mark.parametrize("combination", [4, 8, 12], ids=["tierce", "quarteron", "chouine"])
def test_what_is_held_for_an_announcement_never_makes_a_partie_impossible(
    preset: str, combination: int
) -> None:
    """The first seat saves its cards and then loses what it can; the kernel counts."""
    played = simulated_setup("chouine", preset, 2)
    rng = np.random.default_rng(5)
    announced = 0
    for _ in range(150):
        state, words = saved(played, combination, rng)
        announced += bool(words)
        points = tuple(int(played.game.kernel.total(state, seat)) for seat in range(2))
        numbers = ScoreLine(0, points, None, {"announcements": words})
        assert not played.game.score_line_rules.possible_ends(numbers, 2, played.rules).problems, (
            points,
            words,
        )
    assert announced > 30


def saved(arranged: MatchSetup, combination: int, rng: np.random.Generator) -> tuple[Any, list[int]]:
    """A partie in which the first seat keeps the cards of an announcement until it is made."""
    kernel = arranged.game.kernel
    state = np.zeros(1, kernel.State)[0]
    state["players"] = 2
    stored_count = int(combination_cards(state, 0, combination))
    deck = rng.permutation(32).astype(np.uint8)
    # most of them are dealt to the first seat, others are to be drawn
    deck = deck[np.argsort(~(stored_count >> deck.astype(np.int64) & 1).astype(bool), kind="stable")]
    places = [0, 2, 4, 6, 8, *range(10, 32), 1, 3, 5, 7, 9]
    order = np.array(places)[np.argsort(rng.random(32) * 9 + np.arange(32))]
    dealt = np.empty(32, np.uint8)
    dealt[order] = deck
    kernel.start(state, arranged.rules, 2, 1, dealt, 0)
    codes, words = np.zeros(256, np.int64), list[int]()
    while not state["over"]:
        seat = int(state["turn"])
        if (
            seat == 0
            and not words
            and int(state["hand"][0]) & stored_count == stored_count
            and rng.random() < 0.7
        ):
            words.append(ANNOUNCE + combination)
            assert not kernel.step(state, arranged.rules, words[0])
            continue
        own = [int(code) for code in codes[: kernel.legal(state, arranged.rules, codes)]]
        cards = [one for one in own if one >> SEAT_SHIFT == seat and one & ACT_MASK < len(PIQUET)]
        if seat == 0 and not words:
            cards = [one for one in cards if not stored_count >> (one & ACT_MASK) & 1] or cards
        kernel.step(state, arranged.rules, int(rng.choice(cards)))
    return state, words


# Coinche

TOURNAMENT = simulated_setup("coinche", None, 4)
LEVELS = [*map(str, range(60, 160, 10)), "match-", "generale-"]


def contract(level: str, coinche: int = 0, **more: Any) -> dict[str, Any]:
    return {"dealer": 1, "score_line": {"contract": {"bid": f"1 bid {level}h", "coinche": coinche}} | more}


def by_the_rules(level: str, coinche: int) -> set[tuple[int, int]]:
    """The marks of CO-10 to CO-13, in words of the rules: no kernel."""
    value = {"match-": 250, "generale-": 500}.get(level) or int(level)

    def rounded(points: int) -> int:
        return (points + 5) // 10 * 10

    stake = 2 * coinche * value + 160
    fallen = (0, stake if coinche else value + 160)
    made = {(value + 250, 0), (value + 500, 0)}
    if level == "generale-":
        made = {(value + 500, 0)}
    elif level != "match-":
        # no cards make one point, so that 1 and 156 are nobody's
        some = set(range(value, 158)) - {156}
        made |= {(value + rounded(points), rounded(157 - points)) for points in some}
    return {fallen, *({(stake, 0)} if coinche else made)}


@pytest.mark.parametrize("coinche", range(3))
@pytest.mark.parametrize("level", LEVELS)
def test_co_12_co_13_the_marks_of_every_contract(level: str, coinche: int) -> None:
    result = contract(level, coinche)
    if level == "generale-" and coinche:
        assert wrong(TOURNAMENT, result) == ["contract-impossible"]  # CO-5
        return
    found = {tuple(map(int, state["marks"])) for state in ends(TOURNAMENT, result).states}
    assert found == by_the_rules(level, coinche)
    for marks in found:
        assert not wrong(TOURNAMENT, result | {"points": list(marks)})
        without = {"dealer": 1, "points": list(marks)}
        assert not wrong(TOURNAMENT, without)
        assert not wrong(TOURNAMENT, {"dealer": 1, "points": list(marks[::-1])})


@pytest.mark.slow
def test_co_12_marks_that_no_contract_brings() -> None:
    every = {marks for level in LEVELS for times in range(3) for marks in by_the_rules(level, times)}
    every |= {marks[::-1] for marks in every} | {(0, 0)}
    for points in product(range(0, 420, 5), repeat=2):
        refused = wrong(TOURNAMENT, {"dealer": 1, "points": list(points)})
        assert refused == ([] if points in every else ["points-impossible"])


def test_co_4_four_passes_bring_nothing() -> None:
    fields = {"dealer": 2, "score_line": {"end": "2 pass"}}
    assert not wrong(TOURNAMENT, fields | {"points": [0, 0], "winner": 0})
    assert wrong(TOURNAMENT, fields | {"points": [0, 10]}) == ["points-impossible"]
    assert wrong(TOURNAMENT, contract("90", end="2 pass")) == ["end-impossible"]
    for seat in (1, 3, 4):  # CO-3: the dealer is the last to speak
        last = {"dealer": 2, "score_line": {"end": f"{seat} pass"}}
        assert wrong(TOURNAMENT, last) == ["end-impossible"]


def test_co_11_the_winner_follows_from_the_marks() -> None:
    fields = contract("90") | {"points": [180, 70]}
    assert not wrong(TOURNAMENT, fields | {"winner": 1})
    assert wrong(TOURNAMENT, fields | {"winner": 2}) == ["winner-differs"]
    assert wrong(TOURNAMENT, contract("90") | {"winner": 0}) == ["winner-differs"]


def test_co_15_a_side_that_stops_the_game_has_its_marks_or_none() -> None:
    result = contract("90", end="1 won")
    for points in ([190, 60], [190, 0], [0, 30], [0, 60]):
        assert not wrong(TOURNAMENT, result | {"points": points}), points
    assert wrong(TOURNAMENT, result | {"points": [100, 60]}) == ["points-impossible"]


def test_who_gives_up_leaves_the_contract_to_the_others() -> None:
    assert not wrong(TOURNAMENT, contract("90", end="1 resign") | {"points": [0, 250]})
    assert not wrong(TOURNAMENT, contract("90", end="2 resign") | {"points": [340, 0]})
    assert wrong(TOURNAMENT, contract("90", end="2 resign") | {"points": [0, 250]}) == ["points-impossible"]


# Chouineurs


@pytest.mark.slow
@pytest.mark.parametrize("reserve", [False, True])
@pytest.mark.parametrize("tricks", [1, 2, 3])
@pytest.mark.sample("1-False", "2-True", "2-False")
def test_cr_7_the_points_of_every_small_manche(tricks: int, reserve: bool) -> None:
    """All ways to share tricks and to take points, two players, each bid against each."""
    played = simulated_setup("chouineurs", {"tricks": tricks}, 2)
    points = BidCards(PUBLISHED_BID_CARDS).points
    for bids in permutations(range(3), 2):
        made = set()
        for won, taken in product(range(tricks + 1), product(range(tricks + 1), repeat=2)):
            if 1 <= sum(taken) <= CARD_COUNT - 2 * tricks:
                scored = (max(points[bids[0], won], 0), max(points[bids[1], tricks - won], 0))
                made.add((int(scored[0] + taken[0]), int(scored[1] + taken[1]), *taken))
        names = [list(PUBLISHED_BID_CARDS)[bid] for bid in bids]
        for own, other, one, two in product(range(12), range(12), range(2), range(2)):
            fields = {"bids": names} | ({"reserve": [one, two]} if reserve else {})
            values = {"leader": 1, "points": [own, other], "score_line": fields}
            there = any(way[:2] == (own, other) and (not reserve or way[2:] == (one, two)) for way in made)
            assert bool(wrong(played, values)) != there, values


def test_cr_5_somebody_takes_a_point_at_the_end_of_a_manche() -> None:
    played = simulated_setup("chouineurs", None, 3)
    fields = {"leader": 1, "score_line": {"reserve": [0, 0, 0]}}
    assert wrong(played, fields) == ["reserve-impossible"]
    assert wrong(played, {"leader": 1, "points": [0, 0, 0]}) == ["points-impossible"]
    removed = {"leader": 1, "points": [0, 0, 0], "score_line": {"end": "1 resign"}}
    assert not wrong(played, removed)


def test_cr_7_a_bid_is_spent_where_it_was_met_for_certain() -> None:
    played = simulated_setup("chouineurs", None, 3)
    line: dict[str, Any] = {"bids": ["2-3-4", "0-1", "3-4+"]}
    fields: dict[str, Any] = {"leader": 1, "points": [9, 3, 6], "score_line": line}
    (state,) = ends(played, fields).states
    # three points may be the bid's, or come from the reserve
    assert state["made"][:2].tolist() == [True, False]
    fields["score_line"] |= {"reserve": [0, 0, 1]}
    (state,) = ends(played, fields).states
    assert state["made"][:3].tolist() == [True, True, True]


def test_a_line_says_nothing_of_play() -> None:
    for name in ("chouine", "coinche", "chouineurs"):
        played = simulated_setup(name, None, game(name).players[0])
        for item in lines_played(played, 1):
            for state in ends(played, item).states:
                assert not np.any(state["hand"])
                assert state["outcome"] >= PLAYED_OUT
