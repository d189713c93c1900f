"""Announcements of simulated matches against a plain count of their documents."""

from collections import Counter
from typing import Any

import pytest

from dashboard.queries import announcements
from dashboard.queries.scope import Scope
from tests.dashboard.plain_counts import Counted, hands_of, in_announcing, in_chouine, regulars, same
from tests.reference.statistics import Row, Text, by, mean

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def text_of(rows: list[Row]) -> list[tuple[Row, Text]]:
    return [(row, item) for row in rows for item in row[2].wording.values()]


FACTS = ("held", "announced", "shown", "counted")


def facts(wording: list[tuple[Row, Text]]) -> dict[str, Any]:
    """The four facts, a hand counted once however many suits it has them in; and all said."""

    def hands(fact: str) -> int:
        return len({id(row[2]) for row, one in wording if getattr(one, fact)})

    per_hand: Counter[int] = Counter()
    for row, one in wording:
        if one.counted:
            per_hand[id(row[2])] += one.points
    made = sum(one.announced for _, one in wording)
    points = mean(list(per_hand.values()))
    return {fact: hands(fact) for fact in FACTS} | {"announcements_made": made, "points": points}


def kinds(wording: list[tuple[Row, Text]]) -> dict[tuple[Any, ...], list[tuple[Row, Text]]]:
    groups: dict[tuple[Any, ...], list[tuple[Row, Text]]] = {}
    for row, one in wording:
        groups.setdefault((one.kind, one.trump), []).append((row, one))
    return groups


@in_announcing
def test_how_often_each_announcement_comes(counted: Counted, scope: Scope) -> None:
    for player in (None, *regulars(counted, scope)):
        rows = counted.rows(scope, player, decided=False)
        deals = len({(match.id, deal.number) for match, deal, _ in rows})
        number = None if player is None else counted.numbers[player]
        frame = announcements.announcement_frequencies(counted.cursor, scope, number)

        def wanted(own: list[tuple[Row, Text]], n: int = len(rows), deals: int = deals) -> dict[str, Any]:
            return facts(own) | {"n": n, "deals": deals}

        same(frame, ["kind", "trump"], wanted, kinds(text_of(rows)))


@in_chouine
def test_announcements_by_trick_phase_and_lead(counted: Counted, scope: Scope) -> None:
    rows = counted.rows(scope, decided=False)
    items = [(row, one) for row, one in text_of(rows) if one.announced]
    values = {
        "trick": lambda one: one.trick,
        "phase": lambda one: "closed" if one.closed else "open",
        "lead": lambda one: one.lead,
    }
    for key, value in values.items():
        groups: dict[tuple[Any, ...], list[tuple[Row, Text]]] = {
            (kind, trump, item): []
            for kind, trump in kinds(items)
            for item in {value(one) for _, one in items}
        }
        for row, one in items:
            groups[one.kind, one.trump, value(one)].append((row, one))
        frame = announcements.frequencies_by(counted.cursor, scope, key)
        same(frame, ["kind", "trump", key], lambda own: facts(own) | {"n": len(rows)}, groups)


@in_chouine
def test_announcements_by_player_event_and_month(counted: Counted, scope: Scope) -> None:
    rows = counted.rows(scope, decided=False)
    values = {
        "player_no": lambda row: counted.numbers[row[2].player],
        "event": lambda row: row[0].event,
        "month": lambda row: row[0].played_on and row[0].played_on.replace(day=1),
    }
    known = kinds(text_of(rows))
    for column, value in values.items():
        of = by(rows, value)
        groups = {
            (kind, trump, result): (own, item.get((kind, trump), []))
            for result, own in of.items()
            for item in [kinds(text_of(own))]
            for kind, trump in known
        }
        key = "player" if column == "player_no" else column
        frame = announcements.frequencies_by(counted.cursor, scope, key)

        def wanted(own: tuple[list[Row], list[tuple[Row, Text]]]) -> dict[str, Any]:
            return facts(own[1]) | {"n": len(own[0])}

        same(frame, ["kind", "trump", column], wanted, groups)


@in_chouine
def test_announcements_missed(counted: Counted, scope: Scope) -> None:
    for player in (None, *regulars(counted, scope)):
        rows = counted.rows(scope, player, decided=False)
        chances = [(row, one) for row, one in text_of(rows) if one.held]
        chances = [(row, one) for row, one in chances if one.missed or one.announced]

        def wanted(own: list[tuple[Row, Text]]) -> dict[str, Any]:
            missed = [(row, one) for row, one in own if one.missed]
            lost = [(row, one) for row, one in missed if row[2].won is False]
            worth = [one.worth for _, one in missed if one.kind != "chouine"]
            return {
                "n": len(own),
                "missed": len(missed),
                "points": sum(worth) if worth else None,
                "lost": len(lost),
                "would_have_won": sum(turned(row, one) for row, one in lost),
            }

        number = None if player is None else counted.numbers[player]
        frame = announcements.missed_announcements(counted.cursor, scope, number)
        same(frame, ["kind", "trump"], wanted, kinds(chances))


def turned(row: Row, wording: Text) -> bool:
    """Whether the partie would have been won with it, all else as it was played."""
    _, deal, hand = row
    assert deal.winner
    winner = deal.hands[deal.winner - 1]
    to_the_end = any(one.der for one in deal.hands)
    return wording.kind == "chouine" or (to_the_end and hand.points + wording.worth > winner.points)


@in_chouine
@pytest.mark.parametrize("fact", FACTS)
def test_deals_won_with_and_without(counted: Counted, scope: Scope, fact: str) -> None:
    rows = counted.rows(scope)
    wins = sum(hand.won is True for hand in hands_of(rows))

    def wanted(own: list[tuple[Row, Text]]) -> dict[str, Any]:
        hands = {id(row[2]): row[2] for row, _ in own}.values()
        won = sum(hand.won is True for hand in hands)
        return {"n": len(hands), "k": won, "n_without": len(rows) - len(hands), "k_without": wins - won}

    frame = announcements.wins_with_announcements(counted.cursor, scope, fact)
    same(
        frame,
        ["kind", "trump"],
        wanted,
        kinds([(row, one) for row, one in text_of(rows) if getattr(one, fact)]),
    )


@in_chouine
def test_the_deals_behind_a_row(counted: Counted, scope: Scope) -> None:
    rows = counted.rows(scope, decided=False)
    for fact in ("counted", "missed"):
        items = [(row, one) for row, one in text_of(rows) if getattr(one, fact)]
        for (kind, trump), own in kinds(items).items():
            hands = {(row[0].id, row[1].number, row[2].seat): row[2].points for row, _ in own}
            wanted = sorted((*at[:2], points) for at, points in hands.items())
            requested = (counted.cursor, scope, announcements.RowHands(kind, trump, fact))
            frame = announcements.deals_behind(*requested, limit=1_000_000)
            assert sorted(frame.select("log_id", "deal_number", "points").iter_rows()) == wanted
            assert announcements.count_deals_behind(*requested) == len(wanted)
