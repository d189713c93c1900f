"""Regular expressions of cards and actions for the JSON Schema."""

import re
from collections.abc import Iterable

from engine.cards import UNTOLD, Pack


def cards(pack: Pack, count: int) -> str:
    """Exactly `count` cards separated by spaces, `??` for one or for all of them."""
    ranks, suits = pack.ranks, "".join(dict.fromkeys(card[1] for card in pack.names))
    untold = re.escape(UNTOLD)
    card = f"([{ranks}][{suits}]|{untold})"
    return f"^({card}( {card}){{{count - 1}}}|{untold})$"


def action(words: Iterable[str], seats: int) -> str:
    """One action, seat and word."""
    known = sorted(words, key=lambda word: (len(word), word))
    return f"^[1-{seats}] ({'|'.join(map(re.escape, known))})$"
