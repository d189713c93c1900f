"""Simulated matches as documents of the format: who sat where, what was played, what it made."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

import numpy as np

from engine import games, simulate
from engine.match import winner_word
from engine.options import default_preset
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.games import of
from schemas.match_models import table
from schemas.match_setup import Table
from schemas.models import FORMAT
from schemas.notation import decode

Rules = str | Mapping[str, Any]


def lay(game: str, rules: Rules | None, players: int) -> Table:
    """The table of simulated matches. UnknownRule: rules nobody knows."""
    rules = rules if rules is None or isinstance(rules, str) else dict(rules)
    sheet: dict[str, Any] = {"game": game, "rules": rules, "players": [None] * players}
    return table(of(game).MATCH.model_construct(**sheet, **of(game).SHEET))


def play(
    laid: Table, matches: int, seed: int, habits: Sequence[str] | None = None
) -> Iterator[SimulatedMatch]:
    """Simulated matches at a table; the same arguments always give the same matches."""
    return simulate.matches(laid.game, laid.rules, laid.players, matches, seed, habits)


def deal_documents(
    laid: Table, deals: Sequence[SimulatedDeal], hands: bool = False
) -> list[dict[str, Any]]:
    """The deals of one match in order, with the points and winners the kernel computes.

    `hands`: cards as hands and talon, easier to read than a deck in the order dealt.
    """
    this, size = laid.game, len(deals)
    states = np.zeros(size, this.kernel.State)  # that every deal ends in
    faults, stops = np.zeros((2, size), np.int64)
    this.kernel.run(
        *(states, faults, stops, np.array([laid.rules]), np.zeros(size, np.int64)),
        *(np.full(size, laid.players), np.array([deal.dealer for deal in deals])),
        *(np.array([deal.deck for deal in deals], np.uint8), np.zeros(size, np.int64)),
        np.concatenate([deal.codes for deal in deals]),
        np.cumsum([0, *(len(deal.codes) for deal in deals)]),
    )
    flow = np.zeros(1, this.match.Match)[0]
    this.match.open_match(flow, laid.rules, laid.players, -1, -1, -1)
    documents = []
    for deal, state in zip(deals, states, strict=True):
        this.match.open_deal(flow, deal.dealer)
        this.match.close_deal(flow, laid.rules, state, False)
        document = of(this.name).write(laid, deal.dealer, deal.deck, hands)
        document["actions"] = [decode(this.name, int(code), laid.faces) for code in deal.codes]
        winner = winner_word(state)
        if winner is None:
            document["void"] = "replay"  # after an irregularity (CH-27)
        else:
            document |= {"points": this.points(state, laid.players), "winner": winner}
        documents.append(document)
    return documents


def match_document(
    laid: Table,
    match: SimulatedMatch,
    rules: Rules,
    players: Sequence[Mapping[str, str]],
    hands: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """A simulated match as a log writes it, its result declared; `more` is put at the head."""
    document = {
        "format": FORMAT,
        "game": laid.game.name,
        "rules": rules,
        **more,
        "players": [dict(player) for player in players],
    }
    if match.cuts:
        names = laid.game.pack.names
        document["cuts"] = [
            [" ".join(names[card] for card in attempt) for attempt in attempts]
            for attempts in match.cuts
        ]
    document |= of(laid.game.name).SHEET
    document["deals"] = deal_documents(laid, match.deals, hands)
    winner = match.winner + 1 if match.winner >= 0 else None
    document["result"] = {"score": list(match.won), "winner": winner}
    return document


NAMES = (
    *("Jean", "Charles", "Odile", "Marcel", "Lucie", "Gaston", "Renée", "Armand", "Colette"),
    *("Fernand", "Yvette", "Lucien", "Zoé", "Émile", "Simone", "Raymond", "Huguette", "André"),
    *("Paulette", "Roger", "Denise", "Maurice", "Ginette", "Henri"),
)
"""The regulars of a simulated club; a third plays by each habit."""
NEWCOMERS = 0.1  # the share of seats taken by somebody who comes once
OPENING = datetime(2025, 9, 5, 14, tzinfo=timezone(timedelta(hours=2)))
"""The first match of a season; one season lasts SEASON days, however many matches it has."""
SEASON = 280
TABLES = 8


def season(
    game: str, matches: int, seed: int, rules: Rules | None = None, players: int | None = None
) -> Iterator[dict[str, Any]]:
    """A club's simulated season as documents; the same arguments always give the same.

    UnknownRule: rules the game does not have.
    """
    rules = rules or default_preset(game)
    this = games.game(game)
    seats = players or this.players[0]
    laid = lay(game, rules, seats)
    preset = rules if isinstance(rules, str) else default_preset(game)
    # regulars keep their habits, so that they differ
    habits, rng, visitors = this.bots.HABITS, np.random.default_rng([seed, 1]), count(1)
    regulars = {habit: NAMES[place :: len(habits)] for place, habit in enumerate(habits)}

    def seat(habits: Sequence[str]) -> list[dict[str, str]]:
        """Players for the habits of a match, nobody twice."""
        seated: list[dict[str, str]] = []
        for habit in habits:
            taken = {player["name"] for player in seated}
            free = [name for name in regulars[habit] if name not in taken]
            name = free[int(rng.integers(len(free)))]
            own = name.lower()
            if rng.random() < NEWCOMERS:
                number = next(visitors)
                own, name = f"visitor-{number}", f"{name} {number}"
            seated.append({"id": own, "name": name})
        return seated

    for number, match in enumerate(play(laid, matches, seed)):
        day = number * SEASON // matches
        at = (number - -(-day * matches // SEASON)) // TABLES  # how late that day
        played = OPENING + timedelta(days=day, minutes=25 * (at % 24))
        yield match_document(
            laid,
            match,
            rules,
            seat(match.habits),
            id=f"{game}-{preset}-{seats}-{seed}-{number + 1}",
            played_at=played.isoformat(),
            event={
                "name": f"Saison simulée {played.year}",
                "place": "Lavardin",
                "round": str(day + 1),
                "table": str(number % TABLES + 1),
            },
            source={"name": "retourne simulate", "seed": seed},
        )
