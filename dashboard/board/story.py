"""What the board tells beyond a state: what may be done, why a trick was won, what others know.

Nothing here decides: the kernel says what is legal and who took a trick, and the game's own
module (`dashboard.games`) which cards everybody has seen and what is worth a mark.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard import games
from dashboard.games.deal import Deal, on_table
from dashboard.games.records import Mark
from engine.games import names as registered
from engine.replay import Ply
from ingest.i18n import N_

Additions = dict[str, Any]

SHARED = {
    "comment": Mark(
        N_("comment"), "M0 10V5L3 0H4.6L3.2 4.6H4.6V10ZM5.4 10V5L8.4 0H10L8.6 4.6H10V10Z", "text"
    ),
    "finding": Mark(N_("finding"), "M3.5 0H6.5L6 6.5H4ZM3.7 8H6.3V10H3.7Z"),
    "end": Mark(N_("end"), "M1 0H2.4V10H1ZM3 .5H10L8 3L10 5.5H3Z", "text"),
}
"""Marks of every game; `states` adds those of comments, the board itself those of findings."""


def kinds() -> dict[str, Mark]:
    """The marks of a timeline: those that some game has, then those of all."""
    own = {kind: mark for name in registered() for kind, mark in games.of(name).MARKS.items()}
    return own | SHARED


def _game(deal: Deal) -> games.Game:
    return games.of(deal.replay.game.name)


def additions(deal: Deal, since: int = 0) -> list[Additions]:
    """By state, from one on: `legal`, `may`, `why`, `lead`, `veiled`, by seat `seen` (`states`)."""
    known = _seen(deal)
    told = []
    for now in deal.replay[since:]:
        before = deal.replay[now.index - 1] if now.index else None
        cards, words = _allowed(deal, now)
        told.append(
            {
                "legal": cards,
                "may": words,
                "why": _why(deal, now, before) if before is not None else "",
                "lead": _lead(deal, now),
                "veiled": _veiled(deal, now, known[now.index]),
                "seen": known[now.index],
            }
        )
    return told


def _allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The cards that may be played (or turned) now, and in words what else may be done."""
    if now.over:
        return [], []
    cards, words = _game(deal).allowed(deal, now)
    return list(dict.fromkeys(cards)), list(dict.fromkeys(words))


def _why(deal: Deal, now: Ply, before: Ply) -> str:
    """By what the trick just completed was won; empty when none was, or its cards are unknown."""
    if now.trick == before.trick:
        return ""
    taker = int(now.state["takers"][before.trick])
    laid = [int(card) for card in now.state["last"][: deal.replay.players]]
    best, led = laid[taker], laid[int(now.state["leads"][before.trick])]
    return "" if best < 0 or led < 0 else _game(deal).why(deal, now, best, laid)


def _lead(deal: Deal, now: Ply) -> int | None:
    """Who led the trick that lies on the table: this one, or between tricks the last."""
    which, laid = on_table(now.state, deal.replay.players)
    trick = now.trick if which == "now" else now.trick - 1
    return int(now.state["leads"][trick]) if trick >= 0 and max(laid) >= 0 else None


def _veiled(deal: Deal, now: Ply, seen: list[list[str]]) -> Additions | None:
    """What those hear who may not see the card: None where everybody sees what happens."""
    text = _game(deal).veiled(deal, now, seen)
    return {"text": text, "also": []} if text else None


def _seen(deal: Deal) -> list[list[list[str]]]:
    """State by state and seat by seat, the cards of a hand that every player has seen."""
    this, pack = _game(deal), deal.replay.game.pack
    shown, known = [0] * deal.replay.players, []
    for now in deal.replay:
        before = deal.replay[now.index - 1] if now.index else now
        shown = [
            this.shown(now, before, seat, mask) & now.known(seat) for seat, mask in enumerate(shown)
        ]
        known.append([list(pack.show(mask)) for mask in shown])
    return known


# where to look


def tricks(deal: Deal) -> list[dict[str, Any]]:
    """Each complete trick: the `ply` that ended it, its `taker` and its `cards` by seat."""
    names, found = _game(deal).card_names(deal), []
    for now, before in _steps(deal):
        if now.trick > before.trick:
            laid = [int(card) for card in now.state["last"][: deal.replay.players]]
            cards = [names[card] if card >= 0 else None for card in laid]
            taker = int(now.state["takers"][before.trick])
            found.append({"ply": now.index, "taker": taker, "cards": cards})
    return found


def marks(deal: Deal, plies: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the timeline shows of some plies, each its `ply`, `kind` (see `kinds`) and `text`."""
    this, found = _game(deal), []
    for now, before in _steps(deal):
        if now.index not in plies:
            continue
        ply = plies[now.index]
        for kind, text in this.remarkable(deal, now, before):
            found.append({"ply": now.index, "kind": kind, "text": text or ply["text"]})
        if now.over and not before.over:
            text = ply["also"][-1] if ply["also"] else ply["text"]
            found.append({"ply": now.index, "kind": "end", "text": text})
    return found


def _steps(deal: Deal) -> Iterator[tuple[Ply, Ply]]:
    """Each state with the one before."""
    for index in range(1, len(deal.replay)):
        yield deal.replay[index], deal.replay[index - 1]
