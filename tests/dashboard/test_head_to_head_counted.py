"""Two players, or two pairs, of simulated matches against a plain count."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from dashboard.queries import head_to_head
from dashboard.queries.head_to_head import Side
from dashboard.queries.player_deals import count_hands, list_hands
from dashboard.queries.scope import Scope
from engine.games import game
from tests.dashboard.plain_counts import Counted, regulars, same
from tests.reference.statistics import Match, Row, deviation, mean, runs

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TABLES = [
    Scope("chouine", 2),
    Scope("chouine", 4, statuses=("legal", "irregular")),
    Scope("coinche", 4),
    Scope("chouineurs", 3),
    Scope("chouineurs", 5),
    Scope("belote", 4),
]
each = pytest.mark.parametrize("scope", TABLES, ids=lambda scope: f"{scope.game}-{scope.player_count}")

Met = tuple[Match, int, int]
"""A match and the seats of the two sides, of a pair that of its first."""


def pairs(counted: Counted, scope: Scope) -> Iterator[tuple[Side, Side]]:
    """Who plays much against each other, where partners play two pairs too."""
    numbers = [counted.numbers[player] for player in regulars(counted, scope, 4)]
    for one, other in combinations(numbers, 2):
        yield (one,), (other,)
    if game(scope.game).partners:
        for match in [match for match in counted.of(scope) if match.status == "legal"][:5]:
            a, b, c, d = (counted.numbers[player] for player in match.ids)
            yield (a, c), (b, d)
            yield (c, a), (d,)


def met(counted: Counted, scope: Scope, one: Side, other: Side, together: bool) -> list[Met]:
    """The matches of both, whatever their verdict, in the order of play."""
    found = []
    for match in sorted(counted.of(scope), key=counted.when):
        seats = {counted.numbers[player]: at for at, player in enumerate(match.ids, start=1)}
        if not {*one, *other} <= set(seats):
            continue
        sides = [{match.side(seats[player]) for player in team} for team in (one, other)]
        if len(sides[0]) == len(sides[1]) == 1 and (sides[0] == sides[1]) == together:
            found.append((match, seats[one[0]], seats[other[0]]))
    return found


def winner(scope: Scope, one: Met) -> str:
    match, a, b = one
    if match.winner is None:
        return "unfinished"
    return {0: "nobody", match.side(a): "first", match.side(b): "second"}.get(match.winner, "third")


@each
def test_their_series_and_streaks(counted: Counted, scope: Scope) -> None:
    ids = dict(counted.cursor.execute("SELECT match_id, log_id FROM matches").fetchall())
    for one, other in pairs(counted, scope):
        every = met(counted, scope, one, other, together=False)
        separate = [who for who in every if who[0].status in scope.statuses]
        together = met(counted, scope, one, other, together=True)
        won = [winner(scope, who) for who in separate]
        found = head_to_head.series_counts(counted.cursor, scope, one, other)
        assert found == {
            **{name: won.count(name) for name in ("first", "second", "third", "nobody")},
            "unfinished": won.count("unfinished"),
            "partners": sum(match.status in scope.statuses for match, *_ in together),
            "left_out": len(every) - len(separate),
        }
        ended = [who for who in separate if winner(scope, who) != "unfinished"]
        streaks = head_to_head.streaks(head_to_head.opposed_matches(counted.cursor, scope, one, other))
        longest = {
            row["side"]: (row["length"], ids[row["match_id"]])
            for row in streaks.iter_rows(named=True)
            if not row["now"]
        }
        wanted = {}
        for side in ("first", "second"):
            length, start = runs([winner(scope, who) == side for who in ended])
            if length:
                wanted[side] = length, ended[start][0].id
        assert longest == wanted


def played(scope: Scope, distinct: list[Met]) -> list[tuple[Row, Row]]:
    """The hands of both in each deal that counts, a legal one of a faulty match too."""
    return [
        ((match, deal, deal.hands[a - 1]), (match, deal, deal.hands[b - 1]))
        for match, a, b in distinct
        for deal in match.deals
        if not deal.void and deal.status in scope.statuses
    ]


@each
def test_their_margins(counted: Counted, scope: Scope) -> None:
    for one, other in pairs(counted, scope):
        separate = met(counted, scope, one, other, together=False)
        deals = played(scope, separate)
        deals = [both for both in deals if both[0][2].won is not None]
        margins = [mine[2].points - theirs[2].points for mine, theirs in deals]
        ((found),) = head_to_head.margins(counted.cursor, scope, one, other).iter_rows(named=True)
        assert (found["n"], found["first"], found["second"]) == (
            len(deals),
            sum(mine[2].won is True for mine, _ in deals),
            sum(theirs[2].won is True for _, theirs in deals),
        )
        for name, value in (("margin", mean(margins)), ("deviation", deviation(margins))):
            assert found[name] == (value if value is None else pytest.approx(value, rel=1e-9))
        won = sorted(
            (match.id, deal.number, hand.points) for both in deals for match, deal, hand in both if hand.won
        )
        hands = head_to_head.hands_behind(scope, one, other)
        behind = list_hands(counted.cursor, hands, limit=1_000_000)
        assert sorted(behind.select("log_id", "deal_number", "points").iter_rows()) == won
        widest = {
            side: abs(margin)
            for side, margin in head_to_head.widest_margins(counted.cursor, scope, one, other)
            .select("side", "margin")
            .iter_rows()
        }
        wanted = {
            side: max(sizes)
            for side, at in (("first", 0), ("second", 1))
            if (
                sizes := [abs(margin) for both, margin in zip(deals, margins, strict=True) if both[at][2].won]
            )
        }
        assert widest == wanted


@pytest.mark.parametrize("players", [2, 3, 4])
def test_their_announcements(counted: Counted, players: int) -> None:
    scope = Scope("chouine", players)
    for one, other in pairs(counted, scope):
        separate = met(counted, scope, one, other, together=False)
        deals = played(scope, separate)
        groups: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
        for place, both in enumerate(deals):
            for at, (_, _, hand) in enumerate(both):
                for item in hand.wording.values():
                    if item.counted:
                        groups.setdefault((item.kind, item.trump), []).append((place, at))

        def wanted(own: list[tuple[int, int]], n: int = len(deals)) -> dict[str, Any]:
            hands = set(own)
            mine = sum(at == 0 for _, at in hands)
            return {"k": mine, "second_k": len(hands) - mine, "n": n}

        frame = head_to_head.announcement_counts(counted.cursor, scope, one, other)
        same(frame, ["kind", "trump"], wanted, groups)
        for (kind, trump), own in groups.items():
            hands = head_to_head.hands_behind(scope, one, other, (kind, trump))
            assert count_hands(counted.cursor, hands) == len(set(own))
