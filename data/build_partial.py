"""The sheet of a club that writes down the play, and of the cards only what it saw."""

from collections.abc import Iterator
from typing import Any

from data.build_games import head
from data.layout import match_document
from engine.cards import UNTOLD
from engine.chouine.acts import COMBINATIONS, kind_of
from schemas.simulated import lay, play

KINDS = {kind_of(combination) for combination in range(COMBINATIONS)}


def told(deal: dict[str, Any], number: int) -> dict[str, Any]:
    """A deal as such a sheet tells it: the first by its acts alone, others with what was seen."""
    hands, talon = deal["hands"], deal["talon"].split(" ")
    seen: dict[str, Any] = {}
    if number:
        hidden = [UNTOLD] * (len(talon) - 1)
        # the scorer's own hand, and the card turned up
        seen = {"hands": [hands[0], UNTOLD], "talon": " ".join([*hidden, talon[-1]])}
    rest = {key: deal[key] for key in ("actions", "points", "winner")}
    return {"dealer": deal["dealer"]} | seen | rest


def announced(deal: dict[str, Any]) -> bool:
    """Whether anybody announced anything."""
    return any(word[2:].split("-")[0] in KINDS for word in deal["actions"])


def samples() -> Iterator[dict[str, Any]]:
    """A match of three parties at most, in which somebody announces after the first."""
    rules = {"preset": "lavardin", "parties": 2, "manches": 1}
    for seed in range(100):
        match = next(play(lay("chouine", rules, 2), 1, seed, ("careful", "careful")))
        document = match_document(
            match, rules, ("Lucie", "Marcel"), **head("feuille-partielle", "2026-03-28")
        )
        said = [announced(deal) for deal in document["deals"]]
        if len(said) == 3 and not said[0] and any(said):
            deals = [told(deal, number) for number, deal in enumerate(document["deals"])]
            yield document | {"deals": deals}
            return
