"""Every statistic of simulated matches against a plain count of their documents."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from dashboard.games import game_view
from dashboard.queries import contracts, exclusions, fairness, ladder, luck, player_deals, players, results
from dashboard.queries.scope import Scope
from tests.dashboard.plain_counts import (
    SCOPES,
    Counted,
    every,
    hands_of,
    in_belote,
    in_chouineurs,
    in_teams,
    key_of,
    matches_of,
    name_of,
    regulars,
    same,
)
from tests.reference import belote, chouine, coinche
from tests.reference.statistics import STRAINS, Match, Row, deviation, mean, runs

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def share(hits: Any, of: int) -> float | None:
    return sum(hits) / of if of else None


# who played, and what came of it


@every
@pytest.mark.parametrize("against", [False, True], ids=["", "against"])
def test_the_table_of_players(counted: Counted, scope: Scope, against: bool) -> None:
    if against:
        scope = replace(scope, opponent=counted.numbers[regulars(counted, scope)[0]])
    rows = counted.rows(scope)
    frame = players.players_table(counted.cursor, scope, limit=100_000)
    assert players.count_players(counted.cursor, scope) == frame.height

    def wanted(own: list[Row]) -> dict[str, Any]:
        hands, result = hands_of(own), scope.game in ("chouine", "belote")
        mine = [deal for _, deal, hand in own if deal.declarer == hand.seat]
        counts = [one for hand in hands for one in hand.wording.values() if one.counted]
        return {
            "matches": matches_of(own),
            "decided_deals": len(own),
            "wins": sum(hand.won is True for hand in hands),
            "share": share([hand.won for hand in hands], len(own)),
            "points": mean([hand.points for hand in hands]),
            "deviation": deviation([hand.points for hand in hands]),
            "card_points": mean([hand.card_points for hand in hands if hand.card_points is not None]),
            "bonus": mean([hand.bonus for hand in hands if hand.bonus is not None]),
            "contracts": len(mine),
            "contracts_made": sum(deal.made is True for deal in mine),
            "bids_met": sum(hand.met is True for hand in hands),
            "announced": len(counts) / len(own) if result else 0.0,
        }

    same(frame, ["player_id"], wanted, key_of(lambda row: row[2].player, rows))


@every
def test_deals_left_out(counted: Counted, scope: Scope) -> None:
    rows = counted.rows(scope)
    every = sum(len(match.deals) for match in counted.of(scope))
    decided = len({(match.id, deal.number) for match, deal, _ in rows})
    out = exclusions.exclusion_counts(counted.cursor, scope, decided=True)
    assert out["deals"].sum() == every - decided
    for player in regulars(counted, scope):
        reasons: Counter[str] = Counter()
        for match in counted.of(scope):
            if player not in match.ids:
                continue
            for deal in match.deals:
                if deal.void:
                    reasons["void"] += 1
                elif deal.status not in scope.statuses:
                    reasons[deal.status] += 1
                elif deal.winner == 0:
                    reasons["null"] += 1
                elif deal.winner is None:
                    reasons["unknown"] += 1
        frame = exclusions.undecided_deals(counted.cursor, scope, counted.numbers[player])
        assert dict(frame.iter_rows()) == reasons


@every
def test_results_by_rules_seat_and_dealer(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        rows = counted.rows(scope, player)
        groups = key_of(lambda row: ("all", None), rows)
        groups |= key_of(lambda row: ("preset", row[0].preset), rows)
        groups |= key_of(lambda row: ("seat", str(row[2].seat)), rows)
        groups |= key_of(lambda row: ("dealer", str(row[2].dealt).lower()), rows)

        def wanted(own: list[Row]) -> dict[str, Any]:
            hands = hands_of(own)
            return {
                "matches": matches_of(own),
                "n": len(own),
                "wins": sum(hand.won is True for hand in hands),
                "points": mean([hand.points for hand in hands]),
                "deviation": deviation([hand.points for hand in hands]),
            }

        frame = results.win_results(counted.cursor, scope, counted.numbers[player])
        same(frame, ["by", "value"], wanted, groups)


def test_results_at_every_table(counted: Counted) -> None:
    for player in regulars(counted, Scope()):
        rows: list[Row] = []
        tables = {"chouine": (2, 3, 4), "coinche": (4,), "chouineurs": (2, 3, 4, 5), "belote": (4,)}
        for game, sizes in tables.items():
            for size in sizes:
                rows += counted.rows(Scope(game, size), player)
        frame = results.results_by_table(counted.cursor, Scope("coinche", 4), counted.numbers[player])

        def wanted(own: list[Row]) -> dict[str, Any]:
            return {
                "matches": matches_of(own),
                "n": len(own),
                "wins": sum(hand.won is True for hand in hands_of(own)),
                "fair": 1 / own[0][0].sides,
            }

        groups = key_of(lambda row: (row[0].game, row[0].players, row[0].preset), rows)
        same(frame, ["game", "player_count", "preset"], wanted, groups)


@every
def test_matches_manches_and_sous_la_table(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        count: Counter[str] = Counter()
        for match in counted.of(scope):
            if player not in match.ids or match.status not in scope.statuses:
                continue
            seat = match.ids.index(player)
            count["unfinished"] += match.winner is None
            count["match n"] += match.winner is not None
            count["match"] += match.winner == match.side(seat + 1)
            if scope.game == "chouine":
                count["manche"] += match.manches[seat]
                count["manche n"] += sum(match.manches)
                count["given"] += match.under[seat]
                count["taken"] += sum(match.under) - match.under[seat]
        number = counted.numbers[player]
        assert results.count_unfinished(counted.cursor, scope, number)[0] == count["unfinished"]
        wanted = {"match": (count["match"], count["match n"])}
        if scope.game == "chouine":
            won = count["manche"]
            wanted |= {
                "manche": (won, count["manche n"]),
                "shutouts_given": (count["given"], won),
                "shutouts_taken": (count["taken"], count["manche n"] - won),
            }
        frame = results.match_results(counted.cursor, scope, number)
        assert {row[0]: row[1:3] for row in frame.select("figure", "k", "n").iter_rows()} == wanted
        behind = results.matches_behind(counted.cursor, scope, number, "match")
        assert (behind.height, behind["won"].sum()) == (count["match n"], count["match"])
        for what, column in (("shutouts_given", "given"), ("shutouts_taken", "taken")):
            if what in wanted:
                behind = results.matches_behind(counted.cursor, scope, number, what)
                assert behind[column].sum() == count[column]
                assert behind.filter(pl.col(column) == 0).is_empty()


@in_teams
def test_partners(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        rows = counted.rows(scope, player)

        def wanted(own: list[Row]) -> dict[str, Any]:
            return {
                "matches": matches_of(own),
                "n": len(own),
                "wins": sum(hand.won is True for hand in hands_of(own)),
                "points": mean([hand.points for hand in hands_of(own)]),
            }

        frame = results.results_by_partner(counted.cursor, scope, counted.numbers[player])
        groups = key_of(lambda row: row[0].ids[(row[2].seat + 1) % 4], rows)
        same(frame, ["player_id"], wanted, groups)


# points and tricks


@every
def test_averages_and_how_they_spread(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        hands = hands_of(counted.rows(scope, player))
        frame = results.average_measures(counted.cursor, scope, counted.numbers[player])
        groups = {(name,): [getattr(hand, name) for hand in hands] for name in frame["measure"]}
        assert set(game_view(scope.game).STATISTICS.averages) == set(frame["measure"])

        def wanted(values: list[int]) -> dict[str, Any]:
            rank = sorted(values)
            quarter = [rank[math.ceil(len(rank) * part / 4) - 1] for part in (1, 2, 3)]
            return {
                "n": len(values),
                "mean": mean(values),
                "deviation": deviation(values),
                "least": rank[0],
                "most": rank[-1],
                **dict(zip(("quarter", "median", "three_quarters"), quarter, strict=True)),
            }

        if hands:
            same(frame, ["measure"], wanted, groups)


@every
def test_how_many_deals_ended_with_such_points(counted: Counted, scope: Scope) -> None:
    width = {"chouine": 10, "coinche": 50, "belote": 50, "chouineurs": 1}[scope.game]
    for player in regulars(counted, scope):

        def wanted(own: list[Row]) -> dict[str, Any]:
            return {"n": len(own), "wins": sum(hand.won is True for hand in hands_of(own))}

        def bar(row: Row) -> tuple[int, int]:
            least = row[2].points - row[2].points % width
            return least, least + width - 1

        frame = results.points_distribution(counted.cursor, scope, counted.numbers[player])
        same(frame, ["least", "most"], wanted, key_of(bar, counted.rows(scope, player)))


@every
def test_the_last_trick_and_the_7(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        hands = hands_of(counted.rows(scope, player))
        wanted: list[tuple[Any, ...]] = [("der", None, sum(hand.der for hand in hands), len(hands))]
        if scope.game == "chouine":
            when = [hand.sept for hand in hands if hand.sept is not None]
            wanted.append(("exchanged", None, len(when), len(hands)))
            for trick in sorted(set(when)):
                wanted.append(("sept", trick, sum(one <= trick for one in when), len(when)))
        frame = results.deal_events(counted.cursor, scope, counted.numbers[player])
        found = list(frame.select("figure", "trick", "k", "n").iter_rows())
        assert found == [row for row in wanted if row[3]]


@every
def test_the_trend(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        rows = counted.in_order([row for row in counted.rows(scope, player) if row[0].played_at])
        days: dict[Any, dict[str, Any]] = {}
        for place, (match, _, _) in enumerate(rows, start=1):
            last = hands_of(rows[max(0, place - results.ROLLING_DEALS) : place])
            days[(match.played_on,)] = {
                "played": place,
                "n": len(last),
                "wins": sum(hand.won is True for hand in last),
                "points": mean([hand.points for hand in last]),
            }
        frame = results.win_trend(counted.cursor, scope, counted.numbers[player])
        same(frame, ["day"], lambda day: day, days)


@every
def test_records_and_streaks(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        rows = counted.in_order(counted.rows(scope, player))
        wanted = {}
        if rows:
            best = max(rows, key=lambda row: row[2].points)  # the first of equals
            wanted["points"] = (best[2].points, best[0].id, best[1].number)
        margins = [
            (hand.points - max(other.points for other in others), match.id, deal.number)
            for match, deal, hand in rows
            if hand.won
            and (others := [one for one in deal.hands if match.side(one.seat) != match.side(hand.seat)])
        ]
        if margins:
            wanted["margin"] = max(margins, key=lambda one: one[0])
        length, start = runs([hand.won is True for hand in hands_of(rows)])
        if length:
            wanted["deals"] = (length, rows[start][0].id, rows[start][1].number)
        finished = sorted(
            (
                match
                for match in counted.of(scope)
                if player in match.ids and match.status in scope.statuses and match.winner is not None
            ),
            key=counted.when,
        )
        won = [match.winner == match.side(match.ids.index(player) + 1) for match in finished]
        length, start = runs(won)
        if length:
            wanted["matches"] = (length, finished[start].id, 1)
        ids = dict(counted.cursor.execute("SELECT match_id, log_id FROM matches").fetchall())
        frame = results.player_records(counted.cursor, scope, counted.numbers[player])
        found = {
            row["record"]: (row["value"], ids[row["match_id"]], row["deal_number"])
            for row in frame.iter_rows(named=True)
        }
        assert found == wanted


@pytest.mark.parametrize(
    "scope", [scope for scope in SCOPES if len(fairness.card_points(scope.game))], ids=name_of
)
def test_cards_received(counted: Counted, scope: Scope) -> None:
    own = {"chouine": (chouine.POINTS, chouine.PACK), "coinche": (coinche.PLAIN, coinche.PACK)}
    worth, pack = own.get(scope.game, (belote.PLAIN, belote.PACK))
    for player in regulars(counted, scope):
        hands = hands_of(counted.rows(scope, player, decided=False))
        cards = sum(hand.received_cards or 0 for hand in hands)
        received = sum(hand.received or 0 for hand in hands)
        ((found),) = luck.card_luck(counted.cursor, scope, counted.numbers[player]).iter_rows(named=True)
        values = (found["n"], found["unknown"], found["received_cards"], found["received"])
        assert values == (len(hands), 0, cards, received)
        assert found["expected"] == pytest.approx(cards * 4 * sum(worth.values()) / len(pack))


# contracts and bids


def outcomes(own: list[Row]) -> dict[str, Any]:
    deals = [deal for _, deal, _ in own]
    return {
        "taken": len(deals),
        "contracts_coinched": sum(deal.coinched > 0 for deal in deals),
        "made": sum(deal.made is True for deal in deals),
        "decided": sum(deal.made is not None for deal in deals),
    }


@in_teams
def test_contracts_by_height_and_suit(counted: Counted, scope: Scope) -> None:
    rows = counted.rows(scope, decided=False)
    bid = [row for row in rows if row[1].declarer == row[2].seat]
    n = len(rows) // 4
    frame = contracts.contracts(counted.cursor, scope)
    heights = key_of(lambda row: row[1].contract, bid)
    same(frame, ["level"], lambda own: outcomes(own) | {"n": n}, heights)
    for (level,), own in heights.items():
        requested = (counted.cursor, contracts.hands_at_level(scope, level))
        listed = player_deals.list_hands(*requested, limit=1_000_000).select(
            "log_id", "deal_number", "points"
        )
        hands = sorted((row[0].id, row[1].number, row[2].points) for row in own)
        assert sorted(listed.iter_rows()) == hands
        assert player_deals.count_hands(*requested) == len(hands)
    for player in regulars(counted, scope):
        rows = counted.rows(scope, player, decided=False)
        own = [row for row in rows if row[1].declarer == row[2].seat]
        others = [row for row in rows if row[1].declarer and (row[1].declarer - row[2].seat) % 2]
        n = len(rows)

        def suit(row: Row) -> int:
            assert row[1].trump is not None
            return STRAINS.index(row[1].trump)

        def wanted(own: list[Row], n: int = n) -> dict[str, Any]:
            result = outcomes(own)
            return result | {"n": n, "failed": result["decided"] - result["made"]}

        for query, chosen, won in (
            (results.bid_contracts, own, "made"),
            (results.defended_contracts, others, "failed"),
        ):
            groups = key_of(lambda row: ("all", None, None, None), chosen)
            groups |= key_of(lambda row: ("level", row[1].contract, None, None), chosen)
            groups |= key_of(lambda row: ("suit", None, suit(row), None), chosen)
            groups |= key_of(lambda row: ("both", row[1].contract, suit(row), None), chosen)
            groups |= key_of(lambda row: ("coinched", None, None, row[1].coinched > 0), chosen)
            frame = query(counted.cursor, scope, counted.numbers[player])
            same(frame, ["by", "level", "suit", "is_coinched"], wanted, groups)
            frame = frame.filter(pl.col("decided") > 0)
            shares = [row[won] / row["decided"] for row in frame.rows(named=True)]
            assert frame["share"].to_list() == pytest.approx(shares)


@in_belote
def test_capots_and_litiges(counted: Counted, scope: Scope) -> None:
    found = Counter[str]()
    for player in regulars(counted, scope, 24):
        number, count = counted.numbers[player], Counter[str]()
        for _, deal, hand in counted.rows(scope, player, decided=False):
            if deal.declarer is None or deal.winner is None:
                continue
            count["n"] += 1
            own = sum(one.tricks for one in deal.hands if (one.seat - hand.seat) % 2 == 0)
            count["capot"] += own == 8
            count["swept"] += sum(one.tricks for one in deal.hands) == 8 and own == 0
            count["litige"] += deal.winner == 0
        frame = results.capots_and_litiges(counted.cursor, scope, number)
        wanted = [(what, count[what], count["n"]) for what in ("capot", "swept", "litige")]
        assert frame.select("figure", "k", "n").rows() == (wanted if count["n"] else [])
        for what, k, _ in wanted:
            behind = player_deals.count_deals(counted.cursor, scope, number, {what: True}, decided=False)
            assert behind == k
        found += count
    if scope.preset is None:
        assert min(found["capot"], found["swept"], found["litige"]) > 0


@in_chouineurs
def test_bid_cards_and_points_from_the_reserve(counted: Counted, scope: Scope) -> None:
    for player in regulars(counted, scope):
        rows = counted.rows(scope, player, decided=False)

        def wanted(own: list[Row]) -> dict[str, Any]:
            hands = hands_of(own)
            return {
                "n": len(own),
                "bids_met": sum(hand.met is True for hand in hands),
                "points": mean([hand.points for hand in hands]),
                "reserve": mean([hand.bonus or 0 for hand in hands]),
            }

        number = counted.numbers[player]
        frame = results.chosen_bid_cards(counted.cursor, scope, number)
        same(frame, ["bid"], wanted, key_of(lambda row: row[2].bid, rows))
        hands = hands_of(rows)
        ((n, reserve, total),) = (
            results.reserve_share(counted.cursor, scope, number).select("n", "reserve", "points").iter_rows()
        )
        assert n == len(hands)
        assert reserve == sum(hand.bonus or 0 for hand in hands)
        assert total == sum(hand.points for hand in hands)


# the ladder


@pytest.mark.parametrize(
    ("game", "preset"),
    [("chouine", "lavardin"), ("coinche", "tournoi-2018"), ("chouineurs", "blam"), ("belote", "classique")],
)
def test_who_stands_on_the_ladder(counted: Counted, game: str, preset: str) -> None:
    own = [match for match in counted.matches if (match.game, match.preset) == (game, preset)]
    finished = [match for match in own if match.status == "legal" and match.winner is not None]
    rated = [match for match in finished if match.played_at is not None]
    which = Scope(game, 0, preset)
    frame = ladder.ladder_standings(counted.cursor, which, limit=100_000)
    assert ladder.count_standings(counted.cursor, which) == frame.height
    groups: dict[tuple[Any, ...], list[Match]] = {}
    for match in rated:
        for player in match.ids:
            groups.setdefault((counted.numbers[player],), []).append(match)
    names = {number: player for player, number in counted.numbers.items()}

    for (number,), some in groups.items():
        row = frame.row(by_predicate=pl.col("player_no") == number, named=True)
        player = names[number]
        assert row["n"] == len(some)
        won = [match.winner == match.side(match.ids.index(player) + 1) for match in some]
        assert row["wins"] == sum(won)
        assert row["last"] == max(match.played_on for match in some if match.played_on)
    assert len(groups) == frame.height
    assert all(a >= b for a, b in pairwise(frame["value"]))
    assert ladder.unrated_counts(counted.cursor, which) == {
        "faulty": sum(match.status != "legal" for match in own),
        "unfinished": sum(match.status == "legal" and match.winner is None for match in own),
        "undated": len(finished) - len(rated),
    }
