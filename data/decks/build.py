"""Builds `retourne.json`, the project's own 44-card deck for Chouineurs.

The list of the published deck is unknown to the project, so this is another one. The cards in the
rules' examples exist in it: blue and red 3 to 29, yellow 9 to 30, black 29 to 40, no duplicate
face, two colours on every card.

The two faces of a card balance each other, so that turning a hand is a choice:

- the ten lowest blue and red faces have the ten highest yellow ones on their back,
- the next twelve have the black ones,
- the twelve after them the lower yellow ones,
- blue and red from 20 to 29 back each other, high with low.
"""

import json
from pathlib import Path

DECK_FILE = Path(__file__).with_name("retourne.json")
DECK_NOTE = "Made for this project. It is not the deck of the published game, which is not known to us."


def deck_cards() -> list[str]:
    """Return the 44 cards, such as `b3/y30`, sorted by colour."""
    plain = [colour + str(value) for value in range(3, 20) for colour in "br"]
    yellow = [f"y{value}" for value in range(30, 8, -1)]
    black = [f"k{value}" for value in range(40, 28, -1)]
    backs = yellow[:10] + black + yellow[10:]
    pairs = list(zip(plain, backs, strict=True))
    pairs += [(f"b{value}", f"r{49 - value}") for value in range(20, 30)]
    pairs.sort(key=lambda pair: (pair[0][0], int(pair[0][1:])))
    return [f"{front}/{back}" for front, back in pairs]


def deck_json() -> str:
    """Return the text of the file."""
    deck = {"name": "retourne", "about": DECK_NOTE, "cards": deck_cards()}
    return json.dumps(deck, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DECK_FILE.write_text(deck_json(), encoding="utf-8")
