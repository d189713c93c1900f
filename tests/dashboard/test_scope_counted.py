"""The filters of a scope choose exactly the deals a plain count chooses."""

from datetime import date
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from dashboard.queries import player_deals
from dashboard.queries import scope as scopes
from dashboard.queries.scope import Scope
from tests.dashboard.plain_counts import Counted, regulars

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TABLES = (*(("chouine", size) for size in (2, 3, 4)), ("coinche", 4), ("chouineurs", 3), ("belote", 4))
PRESETS = {
    "chouine": ("lavardin", "mondoubleau", "blam"),
    "coinche": ("tournoi-2018",),
    "chouineurs": ("blam",),
    "belote": ("classique", "coinchee"),
}
EVENTS = ("Tournoi d’été", "Saison simulée 2025", "Saison simulée 2026", "nulle part")
SOURCES = ("retourne simulate", "feuille", "site")
STATUSES = ("irregular", "incomplete", "broken")


def seldom(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly nothing: many filters at once leave no deal to compare."""
    return st.one_of(st.none(), st.none(), values)


@st.composite
def queried(draw: st.DrawFn) -> dict[str, Any]:
    game, size = draw(st.sampled_from(TABLES))
    result = draw(st.sets(st.sampled_from(STATUSES)))
    return {
        "game": game,
        "player_count": size,
        "preset": draw(seldom(st.sampled_from(PRESETS[game]))),
        "since": draw(seldom(st.dates(date(2025, 9, 1), date(2026, 3, 1)))),
        "until": draw(seldom(st.dates(date(2025, 12, 1), date(2026, 6, 30)))),
        "event": draw(seldom(st.sampled_from(EVENTS))),
        "source": draw(seldom(st.sampled_from(SOURCES))),
        "statuses": tuple(result if draw(st.integers(0, 4)) == 0 else {"legal", *result}),
        "opponent": draw(seldom(st.integers(0, 3))),
        "player": draw(st.integers(0, 3)),
    }


@given(filters=queried())
@settings(max_examples=50)
def test_a_scope_is_the_deals_that_pass_all_its_filters(counted: Counted, filters: dict[str, Any]) -> None:
    known = regulars(counted, Scope(filters["game"], filters["player_count"]))
    player, place = known[filters.pop("player")], filters.pop("opponent")
    opponent = None if place is None else counted.numbers[known[place]]
    scope = Scope(**filters, opponent=opponent)

    every = [(match, deal) for match in counted.of(scope) for deal in match.deals]
    wanted = {
        (match.id, deal.number) for match, deal in every if not deal.void and deal.status in scope.statuses
    }
    event(f"{'some' if wanted else 'no'} deals")
    where, values = scope.conditions()
    found = counted.cursor.execute(
        "SELECT m.log_id, d.deal_index::INTEGER + 1 FROM deals d JOIN matches m USING (match_no)"
        f" WHERE {where}",
        values,
    ).fetchall()
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert scopes.count_deals(counted.cursor, scope) == (len(wanted), len(every) - len(wanted))

    # of one player, who does not face who sits on the same side
    rows = counted.rows(scope, player, decided=False)
    frame = player_deals.list_deals(
        counted.cursor, scope, counted.numbers[player], decided=False, limit=1_000_000
    )
    mine = list(frame.select("log_id", "deal_number").iter_rows())
    assert len(mine) == len(rows)
    assert set(mine) == {(match.id, deal.number) for match, deal, _ in rows}
