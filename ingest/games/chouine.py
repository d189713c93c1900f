"""Chouine from files to the store: its rows, how its acts are spoken, what its scribes forget."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import PIQUET, SUITS, SYMBOLS, UNTOLD, pretty
from engine.chouine.acts import COMBINATIONS, QUINTE, kind_of
from engine.chouine.facts import announcements, points_dealt, totals
from engine.chouine.kernel import BRISQUES, POINTS
from engine.replay import Ply
from ingest.games import Announced, Columns, DeckCheck
from ingest.games.columns import small, taken, unless
from ingest.i18n import N_, Translate
from schemas.table import Table

# rows of the store

_KIND_OF = np.array([kind_of(combination) for combination in range(COMBINATIONS)])

SCORE: str = "won"


def deal(states: NDArray[np.void]) -> Columns:
    """Columns of `deals`."""
    return {"trump": small(states["trump"]), "first_lead": small(states["first_lead"])}


def seat(states: NDArray[np.void], deal: NDArray[np.int64], seat: NDArray[np.int64]) -> Columns:
    """Columns of `deal_seats`."""
    at = deal, seat
    points = np.zeros(len(deal), np.int16)
    totals(states, deal, seat, points)
    winner = states["winner"][deal]
    return {
        "points": points,
        "cards": states["cards"][at].astype(np.int16),
        "bonus": states["bonus"][at].astype(np.int16),
        "tricks": taken(states["takers"])[at],
        "brisques": np.bitwise_count(states["pile"][at] & BRISQUES).astype(np.uint8),
        "der": states["der"][deal] == seat,
        "sept": unless(
            states["sept"][deal] != seat, (states["sept_trick"][deal] + 1).astype(np.uint8)
        ),
        "won": unless(winner < 0, winner == seat),
    }


def card_points(states: NDArray[np.void]) -> NDArray[np.int32]:
    """What each of 32 cards counted for whoever was dealt it or drew it, a row a deal."""
    points = np.zeros((len(states), len(POINTS)), np.int32)
    points_dealt(states, points)
    return points


def announced(
    states: NDArray[np.void],
    rules: NDArray[np.void],
    rule_of: NDArray[np.int64],
    part: NDArray[np.bool_],
) -> Announced:
    """Every combination held or announced."""
    found = announcements(states, rules, rule_of, part)
    combination, never = found["combination"], found["trick"] < 0
    flags = ("trump", "held", "announced", "shown", "counted", "missed")
    return Announced(
        found["deal"],
        found["seat"].astype(np.int64),
        {
            "kind": _KIND_OF[combination],
            "suit": unless(combination >= QUINTE, (combination & 3).astype(np.uint8)),
            **{name: found[name] for name in flags},
            "trick": small(found["trick"], 1),
            "lead": unless(never, found["lead"]),
            "closed": unless(never, found["closed"]),
            "points": (found["worth"] * found["counted"]).astype(np.int16),
            "worth": found["worth"].astype(np.int16),
        },
    )


# speech

KINDS: Mapping[str, str] = {
    "mariage": N_("mariage"),
    "tierce": N_("tierce"),
    "quarteron": N_("quarteron"),
    "chouine": N_("chouine"),
    "quinte": N_("quinte"),
    "trente": N_("trente"),
}
ACTS = {
    "sept": N_("exchanges the 7"),
    "au-sept": N_("says “au sept”"),
    "accept": N_("lets play go on"),
    "replay": N_("has the partie replayed"),
    "resign": N_("resigns"),
    "fault draw": N_("draws another’s card"),
    "fault peek": N_("sees another’s card"),
    "fault double": N_("draws two cards"),
}
DRAWS = N_("draws {card}")
UNSHOWN = N_("{announcement}, not shown")


def speak(t: Translate, word: str) -> str | None:
    """A card, an announcement, a draw or another act as a player says it."""
    if word in PIQUET.codes:
        return pretty(word, t.language)
    if word in ACTS:
        return t(ACTS[word])
    if word.startswith("draw "):
        card = word[5:]
        written = card == UNTOLD or (len(card) == 2 and card[1] in SYMBOLS)
        return t(DRAWS, card=pretty(card, t.language)) if written else None
    kind, _, suit = word.removesuffix("~").partition("-")
    if kind not in KINDS or (suit and suit not in SYMBOLS):
        return None
    said = t(KINDS[kind]) + (f" {SYMBOLS[suit]}" if suit else "")
    return t(UNSHOWN, announcement=said) if word.endswith("~") else said


def shorten(t: Translate, words: Sequence[Any]) -> list[Any]:
    """The actions as they are: a hand has few of them."""
    return list(words)


# the board of the terminal

OPENING: str = N_("{who} deals")
BETWEEN_CARDS: str = " "


def beside(t: Translate, ply: Ply, table: Table, names: Sequence[str]) -> list[str]:
    """Trump, the retourne as long as it lies there, and how much is left to draw."""
    state = ply.state
    trump, left = int(state["trump"]), int(state["talon_size"]) - int(state["drawn"])
    suit = SYMBOLS[SUITS[trump]] if trump >= 0 else t("none yet")
    suit = suit if ply.sure("trump") else "?"
    told = [t("trump {suit}", suit=suit)]
    if int(state["retourne"]) >= 0 and left and ply.sure("retourne"):
        card = int(state["talon"][int(state["talon_size"]) - 1])
        told.append(t("retourne {card}", card=pretty(PIQUET.names[card], t.language)))
    return [*told, t("talon {n}", n=left)]


def settled(before: np.void, now: np.void) -> bool:
    """Whether an announcement made trump, where no card was turned up (CH-28)."""
    return bool(before["trump"] != now["trump"])


# slips of a scribe

ADDABLE: Sequence[str] = ("play", "draw", "sept")
PREVENTING: Mapping[str, str] = {}
TURNING: Mapping[str, str] = {}
ALL_DEALT: bool = True


def cards(table: Table) -> Sequence[tuple[str, ...]]:
    """The pack, each card by its name."""
    return [(name,) for name in table.game.pack.names]


def same_card(table: Table, one: int, other: int) -> bool:
    """Never: a card has one face."""
    return False


# what is said of the game

RULES: str = "CH"
MEANINGS: Sequence[str] = (
    N_("parties to win for a manche"),
    N_("manches to win for the match"),
    N_("a card is turned up and makes trump"),
    N_("points of a quinte"),
    N_("the card an announcement goes with"),
    N_("one announcement per player and suit"),
    N_("one announcement per card played"),
    N_("a ruff must beat an earlier ruff"),
    N_("worth of the announcement making trump"),
    N_("what leaving out au sept brings"),
)
DECK_CHECK: DeckCheck | None = None
