"""Finds the samples of each game among simulated matches.

`data.build_samples` writes them, together with the samples of Chouine.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.belote.actions import FIRST_CARRE
from engine.belote.kernel import LITIGE, PASSED
from engine.cards import HIDDEN_WORD
from engine.chouine.actions import COMBINATION_COUNT, combination_kind
from engine.chouineurs.actions import POINT
from engine.chouineurs.actions import TURN as TURNS
from engine.coinche.actions import BID, CLAIM, PASS, SURCOINCHE, WON
from engine.replay import Replay
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.games.chouineurs import MATCH_MODEL, shipped_deck
from schemas.match_models import match_setup
from schemas.match_setup import MatchSetup
from schemas.simulated import match_document, simulate_matches, simulated_setup

MAX_SIMULATED = 200_000
"""Matches to try before a search fails."""

Predicate = Callable[[MatchSetup, SimulatedMatch], bool]


def find_sample(setup: MatchSetup, habits: Sequence[str], is_good: Predicate) -> SimulatedMatch:
    """Return the first simulated match that is good. LookupError: none in MAX_SIMULATED."""
    for match in simulate_matches(setup, MAX_SIMULATED, 2026, habits):
        if is_good(setup, match):
            return match
    raise LookupError(f"no such match among {MAX_SIMULATED}")


def replay_deal(setup: MatchSetup, deal: SimulatedDeal) -> Replay:
    """Return the replay of a simulated deal."""
    return Replay(setup.game, setup.rules, setup.players, deal.dealer, deal.deck, deal.codes)


def actions_of(deal: SimulatedDeal) -> list[int]:
    """Return the actions of a deal without their seats."""
    return [int(code) & ACT_MASK for code in deal.codes]


def player_entries(*names: str) -> list[dict[str, str]]:
    """Return players with these names, for a log."""
    return [{"id": name.lower(), "name": name} for name in names]


def sample_head(name: str, date: str) -> dict[str, Any]:
    """Return id, date, event and source of a sample."""
    return {
        "id": name,
        "played_at": f"{date}T20:00:00+01:00",
        "event": {"name": "Soirées d’exemple", "place": "Lavardin"},
        "source": {"name": "data/build_games.py"},
    }


# Coinche


def is_race_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether contracts were made and failed, with surcoinche, claim and stop."""
    done = [actions_of(deal) for deal in match.deals]
    flat = {act for deal in done for act in deal}
    if not {SURCOINCHE, CLAIM} <= flat or WON not in done[-1] or len(match.deals) > 10:
        return False
    if not any(sum(BID <= act < PASS for act in deal) > 3 for deal in done):
        return False
    last = [replay_deal(setup, deal).last.state for deal in match.deals]
    made = {int(state["made"]) for state in last if state["coinched"]}
    return made == {0, 1} and match.winner == int(last[-1]["stopper"]) & 1


def coinche_sample() -> dict[str, Any]:
    """Return a race to 2000 that begins with a null deal and contains a misdeal (CO-16)."""
    rules = "tournoi-2018"
    played = simulated_setup("coinche", rules, 4)
    match = find_sample(played, ("careful", "random", "careful", "greedy"), is_race_sample)
    others = (
        deal
        for other in simulate_matches(played, MAX_SIMULATED, 2026, ("random",) * 4)
        for deal in other.deals
    )
    null = next(deal for deal in others if actions_of(deal) == [PASS] * 4)  # all four pass (CO-4)
    first = match.deals[0].dealer
    turned = (first - 1 - null.dealer) % 4  # dealt by the seat before the first dealer
    seats = [(int(code) >> SEAT_SHIFT) + turned & 3 for code in null.codes]
    codes = np.array([seat << SEAT_SHIFT | PASS for seat in seats], np.uint16)
    null = SimulatedDeal((first - 1) % 4, null.deck, codes)
    match = match._replace(deals=[null, *match.deals])
    players = player_entries("Lucie", "Gaston", "Odile", "Marcel")
    about = sample_head("match-coinche", "2026-03-22")
    document = match_document(played, match, rules, players, as_hands=True, **about)
    deals = document["deals"]
    deals.insert(3, {"dealer": deals[3]["dealer"], "void": "maldonne"})
    return document


# Belote


def is_taken_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has a litige, a failed contract, a capot and a belote of each side (BE-20)."""
    last = [replay_deal(setup, deal).last.state for deal in match.deals]
    belotes = {seat & 1 for state in last for seat in range(4) if state["belotes"][seat]}
    outcomes = {int(state["outcome"]) for state in last}
    swept = any(int(state["sweeper"]) >= 0 for state in last)
    return {PASSED, LITIGE} <= outcomes and belotes == {0, 1} and swept and len(match.deals) < 13


def is_announced_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has announcements, a contre made and one failed (BE-16, BE-19)."""
    last = [replay_deal(setup, deal).last.state for deal in match.deals]
    made = {int(state["made"]) for state in last if state["coinched"]}
    kinds = {int(one) for state in last for one in state["announcements"].ravel() if one >= 0}
    carre = any(one >= FIRST_CARRE for one in kinds)
    return made == {0, 1} and carre and len(kinds) > 3 and len(match.deals) < 13


def belote_samples() -> Iterator[dict[str, Any]]:
    """Yield a match that is taken, and one that is bid with announcements."""
    players = player_entries("Lucie", "Gaston", "Odile", "Marcel")
    habits = ("careful", "greedy", "careful", "greedy")
    for rules, is_good, name, date in (
        ("classique", is_taken_sample, "match-belote", "2026-03-28"),
        ("coinchee", is_announced_sample, "match-belote-coinchee", "2026-03-29"),
    ):
        played = simulated_setup("belote", rules, 4)
        match = find_sample(played, habits, is_good)
        yield match_document(played, match, rules, players, as_hands=True, **sample_head(name, date))


# Chouineurs


def is_manches_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has turns, points, tied lowest cards and a chosen leader (CR-8)."""
    done = {act for deal in match.deals for act in actions_of(deal)}
    if POINT not in done or not any(TURNS <= act < POINT for act in done):
        return False
    plies = (ply for deal in match.deals for ply in replay_deal(setup, deal))
    tied = any(int(ply.state["owed"]).bit_count() > 1 for ply in plies)
    points, shared = np.zeros(setup.players, np.int64), False
    for deal in match.deals[:-1]:
        points += [int(total) for total in replay_deal(setup, deal).last.points]
        shared = shared or int((points == points.max()).sum()) > 1
    return tied and shared and match.winner >= 0


def chouineurs_sample() -> dict[str, Any]:
    """Return a match of three players with the shipped deck, by its name."""
    played = simulated_setup("chouineurs", "blam", 3)
    match = find_sample(played, ("careful", "greedy", "careful"), is_manches_sample)
    players = player_entries("Lucie", "Gaston", "Odile")
    return match_document(played, match, "blam", players, **sample_head("match-chouineurs", "2026-03-23"))


OWN_BIDS = {
    "0": {"0": 9},
    "1-2": {"1": 6, "2": 6},
    "2-3": {"2": 5, "3": 7},
    "3-5": {"3": 4, "4": 6, "5": 8},
    "5+": {"5+": 10},
}
"""Five bid cards made for this sample (CR-2)."""


def chouineurs_own_deck_sample() -> dict[str, Any]:
    """Return a match of two players whose log contains its deck and bid cards."""
    faces = [card.split("/") for card in shipped_deck("retourne")]
    backs = [back for _, back in faces[1:]] + [faces[0][1]]  # each back moves to the card before
    deck = [f"{face}/{back}" for (face, _), back in zip(faces, backs, strict=True)]
    equipment: dict[str, Any] = {"deck": deck, "bid_cards": OWN_BIDS}
    sheet: dict[str, Any] = {"game": "chouineurs", "rules": "blam", "players": [None] * 2}
    played = match_setup(MATCH_MODEL.model_construct(**sheet, **equipment))
    match = find_sample(played, ("careful", "careful"), lambda _, match: match.winner >= 0)
    players = player_entries("Gaston", "Odile")
    about = sample_head("match-chouineurs-cartes", "2026-03-24")
    value = match_document(played, match, "blam", players, **about)
    deals, result = value.pop("deals"), value.pop("result")
    return value | equipment | {"deals": deals, "result": result}


# partial sheet


def hidden_cards_sample() -> dict[str, Any]:
    """Return a club's log with all actions, but only the cards that the scorer saw.

    It has three parties, with announcements only after the first. The first party has no cards; the
    others have the scorer's own hand and the card turned up.
    """
    rules = {"preset": "lavardin", "parties": 2, "manches": 1}
    kinds = {combination_kind(combination) for combination in range(COMBINATION_COUNT)}
    played, players = simulated_setup("chouine", rules, 2), player_entries("Lucie", "Marcel")
    more = sample_head("feuille-partielle", "2026-03-28")
    for seed in range(100):
        match = next(simulate_matches(played, 1, seed, ("careful", "careful")))
        document = match_document(played, match, rules, players, as_hands=True, **more)
        items = [
            any(word[2:].split("-")[0] in kinds for word in deal["actions"]) for deal in document["deals"]
        ]
        if len(items) == 3 and not items[0] and any(items):
            break
    deals = list[dict[str, Any]]()
    for deal in document["deals"]:
        talon = deal["talon"].split(" ")
        hidden = [HIDDEN_WORD] * (len(talon) - 1)
        seen = {"hands": [deal["hands"][0], HIDDEN_WORD], "talon": " ".join([*hidden, talon[-1]])}
        rest = {key: deal[key] for key in ("actions", "points", "winner")}
        deals.append({"dealer": deal["dealer"]} | (seen if deals else {}) | rest)
    return document | {"deals": deals}


def samples() -> Iterator[dict[str, Any]]:
    """Yield the samples of this module; a sample's id is its file's name."""
    yield coinche_sample()
    yield from belote_samples()
    yield chouineurs_sample()
    yield chouineurs_own_deck_sample()
    yield hidden_cards_sample()
