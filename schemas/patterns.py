"""Regular expressions of cards and actions for the JSON Schema, from the one table of words."""

import re

from engine.cards import UNTOLD
from engine.games import game
from schemas.words import acts


def cards(name: str, count: int) -> str:
    """Exactly `count` cards separated by spaces, `??` for one or for all of them."""
    pack = game(name).pack
    ranks, suits = pack.ranks, "".join(dict.fromkeys(card[1] for card in pack.names))
    untold = re.escape(UNTOLD)
    card = f"([{ranks}][{suits}]|{untold})"
    return f"^({card}( {card}){{{count - 1}}}|{untold})$"


def action(name: str) -> str:
    """One action, seat and word."""
    words = sorted(acts(name), key=lambda word: (len(word), word))
    return f"^[1-{max(game(name).players)}] ({'|'.join(map(re.escape, words))})$"
