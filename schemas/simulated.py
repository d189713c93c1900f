"""Writes simulated matches as documents."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

import numpy as np

from engine import games, simulate
from engine.match import winner_in_log
from engine.options import default_preset
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.games import schemas_of
from schemas.match_models import match_setup
from schemas.match_setup import MatchSetup
from schemas.models import FORMAT
from schemas.notation import action_notation

Rules = str | Mapping[str, Any]


def simulated_setup(game: str, rules: Rules | None, players: int) -> MatchSetup:
    """Return the setup of simulated matches. UnknownRule: the game has no such rules."""
    rules = rules if rules is None or isinstance(rules, str) else dict(rules)
    sheet: dict[str, Any] = {"game": game, "rules": rules, "players": [None] * players}
    return match_setup(
        schemas_of(game).MATCH_MODEL.model_construct(**sheet, **schemas_of(game).MATCH_DEFAULTS)
    )


def simulate_matches(
    setup: MatchSetup, matches: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Simulate matches; the same arguments always give the same matches."""
    return simulate.simulate_matches(setup.game, setup.rules, setup.players, matches, seed, habits)


def deal_documents(
    setup: MatchSetup, deals: Sequence[SimulatedDeal], as_hands: bool = False
) -> list[dict[str, Any]]:
    """Return a match's deals as documents, with the points and winners the kernel computes.

    `as_hands`: write hands and talon, easier to read than a deck in dealing order.
    """
    this, size = setup.game, len(deals)
    states = np.zeros(size, this.kernel.State)  # final states, filled in by `replay_deals`
    faults, stops = np.zeros((2, size), np.int64)
    this.kernel.replay_deals(
        *(states, faults, stops, np.array([setup.rules]), np.zeros(size, np.int64)),
        *(np.full(size, setup.players), np.array([deal.dealer for deal in deals])),
        *(np.array([deal.deck for deal in deals], np.uint8), np.zeros(size, np.int64)),
        np.concatenate([deal.codes for deal in deals]),
        np.cumsum([0, *(len(deal.codes) for deal in deals)]),
    )
    flow = np.zeros(1, this.match.Match)[0]
    this.match.open_match(flow, setup.rules, setup.players, -1, -1, -1)
    documents = []
    for deal, state in zip(deals, states, strict=True):
        this.match.open_deal(flow, deal.dealer)
        this.match.close_deal(flow, setup.rules, state, False)
        document = schemas_of(this.name).write_row(setup, deal.dealer, deal.deck, as_hands)
        document["actions"] = [action_notation(this.name, int(code), setup.faces) for code in deal.codes]
        winner = winner_in_log(state)
        if winner is None:
            document["void"] = "replay"  # after an irregularity (CH-27)
        else:
            document |= {"points": this.points(state, setup.players), "winner": winner}
        documents.append(document)
    return documents


def match_document(
    setup: MatchSetup,
    match: SimulatedMatch,
    rules: Rules,
    players: Sequence[Mapping[str, str]],
    as_hands: bool = False,
    **head_keys: Any,
) -> dict[str, Any]:
    """Return a simulated match as a document with its result; `head_keys` precede `players`."""
    document = {
        "format": FORMAT,
        "game": setup.game.name,
        "rules": rules,
        **head_keys,
        "players": [dict(player) for player in players],
    }
    if match.cuts:
        names = setup.game.pack.names
        document["cuts"] = [
            [" ".join(names[card] for card in attempt) for attempt in attempts] for attempts in match.cuts
        ]
    document |= schemas_of(setup.game.name).MATCH_DEFAULTS
    document["deals"] = deal_documents(setup, match.deals, as_hands)
    winner = match.winner + 1 if match.winner >= 0 else None
    document["result"] = {"score": list(match.won), "winner": winner}
    return document


PLAYER_NAMES = (
    *("Jean", "Charles", "Odile", "Marcel", "Lucie", "Gaston", "Renée", "Armand", "Colette"),
    *("Fernand", "Yvette", "Lucien", "Zoé", "Émile", "Simone", "Raymond", "Huguette", "André"),
    *("Paulette", "Roger", "Denise", "Maurice", "Ginette", "Henri"),
)
"""The regulars of a simulated club, divided evenly among the game's habits."""
NEWCOMER_SHARE = 0.1  # share of seats taken by one-time visitors
SEASON_START = datetime(2025, 9, 5, 14, tzinfo=timezone(timedelta(hours=2)))
"""The first match of a season, which lasts SEASON_DAYS however many matches it has."""
SEASON_DAYS = 280
TABLE_COUNT = 8


def simulate_season(
    game: str, matches: int, seed: int, rules: Rules | None = None, players: int | None = None
) -> Iterator[dict[str, Any]]:
    """Simulate a club's season as documents; the same arguments always give the same.

    UnknownRule: the game has no such rules.
    """
    rules = rules or default_preset(game)
    this = games.game(game)
    seats = players or this.players[0]
    placed = simulated_setup(game, rules, seats)
    preset = rules if isinstance(rules, str) else default_preset(game)
    # each regular always plays by one habit, so that players' statistics differ
    habits, rng, visitors = this.bots.HABITS, np.random.default_rng([seed, 1]), count(1)
    regulars = {habit: PLAYER_NAMES[place :: len(habits)] for place, habit in enumerate(habits)}

    def seat(habits: Sequence[str]) -> list[dict[str, str]]:
        """Choose a different player for each habit of a match."""
        seated: list[dict[str, str]] = []
        for habit in habits:
            taken = {player["name"] for player in seated}
            free = [name for name in regulars[habit] if name not in taken]
            name = free[int(rng.integers(len(free)))]
            own = name.lower()
            if rng.random() < NEWCOMER_SHARE:
                number = next(visitors)
                own, name = f"{own}-{number}", f"{name} {number}"
            seated.append({"id": own, "name": name})
        return seated

    for number, match in enumerate(simulate_matches(placed, matches, seed)):
        day = number * SEASON_DAYS // matches
        at = (number - -(-day * matches // SEASON_DAYS)) // TABLE_COUNT  # its round within the day
        played = SEASON_START + timedelta(days=day, minutes=25 * (at % 24))
        yield match_document(
            placed,
            match,
            rules,
            seat(match.habits),
            id=f"{game}-{preset}-{seats}-{seed}-{number + 1}",
            played_at=played.isoformat(),
            event={
                "name": f"Saison simulée {played.year}",
                "place": "Lavardin",
                "round": str(day + 1),
                "table": str(number % TABLE_COUNT + 1),
            },
            source={"name": "retourne simulate", "seed": seed},
        )
