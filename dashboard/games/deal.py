"""One deal as the games' modules get it, and what those of French cards share."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dashboard.games.records import Mark
from engine.cards import SUITS, SYMBOLS, UNTOLD, Pack, pretty
from engine.replay import Ply, Replay
from ingest.i18n import N_, Translate
from schemas.table import Table

SUIT_NAMES = {"s": N_("spades"), "h": N_("hearts"), "d": N_("diamonds"), "c": N_("clubs")}
RANK_NAMES = {"A": N_("ace"), "K": N_("king"), "Q": N_("queen"), "J": N_("jack"), "T": "10"}


class Deal(NamedTuple):
    """A deal to draw: `names` are short, in seat order, `t` says its texts in one language."""

    replay: Replay
    table: Table
    names: Sequence[str]
    t: Translate


def french_faces(pack: Pack, t: Translate) -> dict[str, dict[str, str]]:
    """Each card's picture, French or English by the language, and its spoken name."""
    return {
        name: {
            "src": f"./app/static/cards/{t.language}/{name}.svg",
            # clubs and diamonds have pictures of their own where each suit has its colour
            "four": f"./app/static/cards/{t.language}{'/four' * (name[1] in 'cd')}/{name}.svg",
            "label": t(
                "{rank} of {suit}",
                rank=t(RANK_NAMES.get(name[0], name[0])),
                suit=t(SUIT_NAMES[name[1]]),
            ),
        }
        for name in pack.names
    }


BACK = "./app/static/cards/back.svg"
CORNER = 0.13
"""What of a card's width must be seen to read its rank and suit."""


def fact(label: str, text: str, suit: str = "") -> dict[str, str]:
    """A line beside the table; `suit` colours it."""
    return {"label": label, "text": text, "suit": suit}


def suit_named(suit: int, t: Translate) -> str:
    """`♥ hearts`; a suit as the engine numbers them."""
    return f"{SYMBOLS[SUITS[suit]]} {t(SUIT_NAMES[SUITS[suit]])}"


PLAYS = {
    "": N_("{who} plays {card}"),
    "A": N_("{who} plays {ace}"),
    "Q": N_("{who} plays {queen}"),
}
"""By rank; an ace and a queen have another article than most, in languages that have some."""


def plays(who: str, card: str, t: Translate) -> str:
    """`Jean plays 9♠`; `card` as the engine names it."""
    return with_article(PLAYS, who, card, t)


def with_article(texts: Mapping[str, str], who: str, card: str, t: Translate) -> str:
    """One of the texts of a card, as `PLAYS` has them."""
    said = pretty(card, t.language)
    return t(texts.get(card[0], texts[""]), who=who, card=said, queen=said, ace=said)


def takes(who: str, points: int, t: Translate) -> str:
    """Who takes a trick, and what it counts."""
    one = points == 1 or (points == 0 and t.language == "fr")
    counted = t("{n} point", n=points) if one else t("{n} points", n=points)
    return t("{who} takes the trick ({points})", who=who, points=counted)


def trump_of(ply: Ply) -> str:
    """The letter of the suit that is trump, empty while there is none."""
    trump = int(ply.state["trump"])
    return SUITS[trump] if trump >= 0 else ""


def won_by_suit(deal: Deal, now: Ply, best: int, laid: Sequence[int]) -> str:
    """By what a trick of French cards was won (a game's hook `why`)."""
    names, trump, t = deal.replay.game.pack.names, trump_of(now), deal.t
    card = pretty(names[best], t.language)
    if names[best][1] != trump:
        return t("The highest of the suit led, {card}, takes it", card=card)
    if sum(names[one][1] == trump for one in laid if one >= 0) == 1:
        return t("The only trump, {card}, takes it", card=card)
    return t("The highest trump, {card}, takes it", card=card)


RUFF = {"ruff": Mark(N_("ruff"), "M0 10L5 0L10 10Z", "violet")}
"""The mark of a trump laid on another suit."""


def ruffs(deal: Deal, act: int, before: Ply) -> bool:
    """Whether an act is a trump laid on another suit than trump."""
    names = deal.replay.game.pack.names
    if act >= len(names):
        return False
    led = int(before.state["table"][int(before.state["leader"])])
    return led >= 0 and names[act][1] == trump_of(before) != names[led][1]


def untold(ply: Ply, seat: int) -> list[str]:
    """The cards of a hand that nobody wrote down, face down."""
    return [UNTOLD] * (int(ply.state["hand"][seat]) & ~ply.known(seat)).bit_count()


def seat_or_none(number: Any) -> int | None:
    """A seat of a state, None for nobody."""
    return int(number) if number >= 0 else None


def on_table(state: np.void, players: int) -> tuple[str, list[int]]:
    """(`now` or `last`, what lies there by seat): the trick, between tricks the last one."""
    which = "table" if int(state["on_table"]) else "last"
    return "now" if which == "table" else "last", [int(card) for card in state[which][:players]]


def holder(state: np.void, trick_over: bool) -> int | None:
    """The seat whose card takes the trick on the table, or took the last one."""
    if trick_over or int(state["on_table"]) == 0:
        return int(state["leader"])
    return seat_or_none(state["taker"])
