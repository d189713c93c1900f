"""Simulated deals as somebody types them in: the head of a draft, and a deal's steps."""

from itertools import islice
from typing import Any

from dashboard.draft_match import DraftMatch
from engine.games import game
from ingest.recorder import Recorder
from schemas.simulated import simulate_season

TABLES = (
    ("chouine", "lavardin", 2),
    ("coinche", "tournoi-2018", 4),
    ("chouineurs", "blam", 3),
    ("belote", "classique", 4),
)


def match_of(name: str, rules: str, players: int, seed: int = 5) -> dict[str, Any]:
    """A simulated match."""
    [match] = islice(simulate_season(name, 1, seed, rules, players), 1)
    return match


def head_of(match: dict[str, Any]) -> dict[str, Any]:
    """What its draft begins with."""
    keys = ("game", "rules", "players", "deck")
    first = match["deals"][0]
    opener = first.get("dealer") or first.get("leader")
    return {key: match[key] for key in keys if key in match} | {"opener": opener}


def steps_of(match: dict[str, Any], deal: int = 0) -> list[str]:
    """The steps of a deal, no hand recorded: what is asked first, then each act."""
    result = match["deals"][deal]
    steps = [f":bid {seat} {bid}" for seat, bid in enumerate(result.get("bids", ()), 1)]
    if turned := turned_up(match, result):
        steps.append(turned)
    for action in result["actions"]:
        word = action.partition(" ")[2]
        steps.append(action if word in ("coinche", "surcoinche") else word)
    return steps


def turned_up(match: dict[str, Any], written: dict[str, Any]) -> str | None:
    """The card that lies face up, where one does."""
    requested = DraftMatch(head_of(match)).question
    if requested is None or requested.keys != ("retourne",):
        return None
    dealt = match | {"deals": [{key: written[key] for key in ("dealer", "deck")}]}
    [replay] = Recorder.of(dealt).explained.replays
    assert replay is not None
    return game(match["game"]).pack.names[int(replay[0].state["retourne"])]


def plays(steps: list[str]) -> int:
    """How many of the steps are cards played."""
    return sum(len(one) <= 3 and not one.startswith(":") for one in steps) - 1
