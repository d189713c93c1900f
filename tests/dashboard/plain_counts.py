"""Simulated matches in a store, and the same counted plainly from their documents."""

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from dashboard.queries.scope import Scope
from engine.options import resolve_options
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.ratings import refresh_ratings
from schemas.simulated import Rules, simulate_season
from tests.reference.statistics import Hand, Match, Row, by, read

SHORT = {"parties": 3, "manches": 1}
SHARES: tuple[tuple[str, Rules, int, int], ...] = (
    ("chouine", "lavardin", 2, 400),
    ("chouine", {"preset": "lavardin", **SHORT}, 2, 1900),
    ("chouine", {"preset": "lavardin", "parties": 2}, 2, 500),
    ("chouine", "lavardin", 3, 600),
    ("chouine", "lavardin", 4, 500),
    ("chouine", "mondoubleau", 2, 100),
    ("chouine", {"preset": "mondoubleau", **SHORT}, 2, 1000),
    ("chouine", "mondoubleau", 3, 250),
    ("chouine", "mondoubleau", 4, 150),
    ("chouine", "regles-completes", 2, 400),
    ("coinche", "tournoi-2018", 4, 300),
    ("coinche", {"preset": "tournoi-2018", "target": 500}, 4, 1700),
    *(("chouineurs", "blam", players, 450) for players in (2, 3, 4, 5)),
    ("belote", "classique", 4, 150),
    ("belote", {"preset": "contree", "target": 500, "litige": "next"}, 4, 100),
    ("belote", {"preset": "coinchee", "target": 500, "sans_tout": True, "dealing": "2-3-3"}, 4, 150),
)
"""Game, rules, players and how many matches; short ones where many are wanted."""


def documents(share: float = 1) -> Iterator[dict[str, Any]]:
    """The matches: some undated, some of other events and sources, some faulty or unfinished."""
    number = 0
    for seed, (game, rules, players, matches) in enumerate(SHARES):
        for document in simulate_season(game, int(matches * share), seed, rules, players):
            document["id"] = f"{seed}-{number}"
            yield _varied(document, number)
            number += 1


def _varied(document: dict[str, Any], number: int) -> dict[str, Any]:
    if number % 11 == 3:
        del document["played_at"]
    if number % 5 == 1:
        del document["event"]
    elif number % 5 == 2:
        document["event"] = {"name": "Tournoi d’été"}
    document["source"] = {"name": ("retourne simulate", "feuille", "site")[number % 3]}
    if number % 7 == 4:
        del document["source"]
    last = document["deals"][-1]
    fault = FAULTS.get(number % 97)
    if fault:
        del document["result"]
    if fault == "irregular" and "points" in last:
        last["points"][0] += 1
    elif fault in ("incomplete", "broken"):
        for key in ("points", "winner", "void"):
            last.pop(key, None)
        del last["actions"][len(last["actions"]) // 2 :]
        if fault == "broken":
            last["actions"] += ["1 9z"]
    elif fault == "unfinished":
        document["deals"].pop()
    return document


FAULTS = {5: "irregular", 6: "incomplete", 7: "unfinished", 8: "broken"}
"""Of a match's number by 97: what is wrong with its last deal."""


CHOUINE = [
    Scope("chouine", 2),
    Scope("chouine", 2, "lavardin"),
    Scope("chouine", 2, "mondoubleau"),
    Scope("chouine", 2, "regles-completes", statuses=("legal", "irregular")),
    Scope("chouine", 3),
    Scope("chouine", 4, "lavardin"),
    Scope("chouine", 4, "mondoubleau"),
]
COINCHE = [Scope("coinche", 4), Scope("coinche", 4, event="Tournoi d’été")]
CHOUINEURS = [Scope("chouineurs", players) for players in (2, 3, 4, 5)]
BELOTE = [Scope("belote", 4), *(Scope("belote", 4, preset) for preset in ("classique", "coinchee"))]
SCOPES = [*CHOUINE, *COINCHE, *CHOUINEURS, *BELOTE]


def name_of(scope: Scope) -> str:
    return f"{scope.game}-{scope.player_count}-{scope.preset or scope.event or 'any'}"


every = pytest.mark.parametrize("scope", SCOPES, ids=name_of)
in_chouine = pytest.mark.parametrize("scope", CHOUINE, ids=name_of)
in_announcing = pytest.mark.parametrize("scope", [*CHOUINE, *BELOTE], ids=name_of)
in_teams = pytest.mark.parametrize("scope", [*COINCHE, *BELOTE], ids=name_of)
in_belote = pytest.mark.parametrize("scope", BELOTE, ids=name_of)
in_chouineurs = pytest.mark.parametrize("scope", CHOUINEURS, ids=name_of)


@dataclass(eq=False)
class Counted:
    """The store and the plain count of the same matches."""

    store: Store
    matches: list[Match]
    numbers: dict[str, int]
    """A player's id → number in the store."""
    places: dict[str, int]
    """A match's own id → its number in the store."""

    @property
    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self.store.cursor()

    def rows(self, scope: Scope, player: str | None = None, decided: bool = True) -> list[Row]:
        """Hands of a scope in the order of the store: of a player, of deals somebody won."""
        return [
            row
            for row in self._every(scope)
            if player in (None, row[2].player) and not (decided and row[2].won is None)
        ]

    @lru_cache(maxsize=32)  # noqa: B019  there is one of these a run
    def _every(self, scope: Scope) -> list[Row]:
        return [
            (match, deal, hand)
            for match in self.of(scope)
            for deal in match.deals
            if not deal.void and deal.status in scope.statuses
            for hand in deal.hands
            if self.faces(scope, match, hand.seat)
        ]

    @cached_property
    def tables(self) -> dict[tuple[str, int], list[Match]]:
        """The matches by game and number of players."""
        found: dict[tuple[str, int], list[Match]] = {}
        for match in self.matches:
            found.setdefault((match.game, match.players), []).append(match)
        return found

    @lru_cache(maxsize=32)  # noqa: B019
    def of(self, scope: Scope) -> list[Match]:
        """The matches that pass all filters but those of deals and of the opponent's side."""
        at_table = self.tables.get((scope.game, scope.player_count), [])
        return [match for match in at_table if self.passes(scope, match)]

    def passes(self, scope: Scope, match: Match) -> bool:
        day = match.played_on
        return (
            (match.game, match.players) == (scope.game, scope.player_count)
            and scope.preset in (None, match.preset)
            and scope.event in (None, match.event)
            and scope.source in (None, match.source)
            and (scope.since is None or (day is not None and day >= scope.since))
            and (scope.until is None or (day is not None and day <= scope.until))
            and (scope.opponent is None or scope.opponent in [self.numbers[one] for one in match.ids])
        )

    def faces(self, scope: Scope, match: Match, seat: int) -> bool:
        """Whether the opponent asked for sits on another side than this seat."""
        return scope.opponent is None or any(
            self.numbers[one] == scope.opponent and match.side(other) != match.side(seat)
            for other, one in enumerate(match.ids, start=1)
        )

    def in_order(self, counted: list[Row]) -> list[Row]:
        """As they were played; what has no date last, as it was added."""
        return sorted(counted, key=lambda row: (*self.when(row[0]), row[1].number))

    def when(self, match: Match) -> tuple[bool, float, int]:
        result = match.played_at
        return result is None, result.timestamp() if result else 0.0, self.places[match.id]


def build(path: Path, share: float = 1) -> Counted:
    """Store the matches over the road, and count them plainly."""
    with _all_stays():
        return _build(path, share)


@contextmanager
def _all_stays() -> Iterator[None]:
    """What is made meanwhile is not looked through for garbage, now or later.

    Millions of small things stay to the end: looking for others among them took a third longer.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _build(path: Path, share: float) -> Counted:
    matches, source = [], path.with_suffix(".jsonl")
    with source.open("w") as file:
        for number, document in enumerate(documents(share)):
            file.write(json.dumps(document) + "\n")
            matches.append(_read(document, FAULTS.get(number % 97)))
    store = Store(path)
    (report,) = ingest(store, [source])
    assert report.added == len(matches)
    refresh_ratings(store)
    # what is so small takes longer to share out among threads than to do
    store.connection.execute("SET threads = 1")
    numbers = dict(store.connection.execute("SELECT player_id, player_no FROM players").fetchall())
    places = dict(store.connection.execute("SELECT log_id, match_no FROM matches").fetchall())
    return Counted(store, matches, numbers, places)


def _read(document: dict[str, Any], fault: str | None) -> Match:
    """The plain reading, with the verdicts that the faults put in must get."""
    if fault == "broken":
        document["deals"][-1]["actions"].pop()
    players = len(document["players"])
    match = read(document, resolve_options(document["game"], document["rules"], players))
    if fault in ("irregular", "incomplete", "broken"):
        if fault == "irregular" and "points" not in document["deals"][-1]:
            return match
        match.status = match.deals[-1].status = fault
    return match


def same(frame: pl.DataFrame, keys: Iterable[str], wanted: Callable[[Any], dict[str, Any]], of: Any) -> None:
    """A frame has a row for each key of `of` and no other, with the columns `wanted` of it."""
    names = tuple(keys)
    found = {tuple(row[name] for name in names): row for row in frame.iter_rows(named=True)}
    assert len(found) == frame.height
    assert set(found) == set(of)
    for key, rows in of.items():
        for name, value in wanted(rows).items():
            result = found[key][name]
            if isinstance(value, float):
                value = pytest.approx(value, rel=1e-9, abs=1e-12)
            assert result == value, f"{key}: {name} is {result}, counted {value}"


def key_of(key: Callable[[Row], Any], rows: list[Row]) -> dict[tuple[Any, ...], list[Row]]:
    """Rows in groups whose key is a tuple, as `same` asks for."""
    return {key if isinstance(key, tuple) else (key,): group for key, group in by(rows, key).items()}


def matches_of(rows: list[Row]) -> int:
    return len({match.id for match, _, _ in rows})


def hands_of(rows: list[Row]) -> list[Hand]:
    return [hand for _, _, hand in rows]


@cache
def regulars(counted: Counted, scope: Scope, count: int = 3) -> list[str]:
    """Who played most at these tables, and one who came once."""
    often = Counter(one for match in counted.of(scope) for one in match.ids)
    ranked = [one for one, _ in often.most_common()]
    return [*ranked[:count], ranked[-1]]
