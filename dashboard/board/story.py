"""What the board tells beyond a state: what may be done, why a trick was won, what others know.

Nothing here decides: the kernel says what is legal, who took a trick and which cards an
announcement is made of.
"""

from collections.abc import Iterator
from typing import Any

from dashboard.games.coinche import HEIGHTS
from dashboard.games.deal import Deal
from engine.cards import SUITS, pretty
from engine.chouine import acts as chouine_acts
from engine.chouine import kernel as chouine
from engine.chouineurs import acts as chouineurs_acts
from engine.chouineurs.deck import BLACK, YELLOW
from engine.coinche import acts as coinche_acts
from engine.replay import Ply
from ingest.finding.words import speak_word
from ingest.i18n import N_
from schemas.words import act_word

RECALL = {"chouine": "own", "coinche": "last", "chouineurs": "last"}
"""The tricks a player may look at again: the `own` and the last of each opponent, or the `last`
of all, as the texts of Chouine and of Coinche say; that of Chouineurs turns tricks face down."""

Additions = dict[str, Any]


def tell(deal: Deal) -> list[Additions]:
    """For each state `legal`, `may`, `why`, `veiled` and, seat by seat, `seen` (see `states`)."""
    known = _seen(deal)
    told = []
    for now in deal.replay:
        before = deal.replay[now.index - 1] if now.index else None
        cards, words = _allowed(deal, now)
        told.append(
            {
                "legal": cards,
                "may": words,
                "why": _why(deal, now, before) if before is not None else "",
                "veiled": _veiled(deal, now, known[now.index]),
                "seen": known[now.index],
            }
        )
    return told


def _card_names(deal: Deal) -> tuple[str, ...]:
    """The card of each code a play may have; of Chouineurs the face up comes first."""
    if deal.table.deck is not None:
        deck = deal.table.deck
        return tuple(deck.card(face) for face in range(len(deck.names)))
    return deal.replay.game.pack.names


# what may be done


def _allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The cards that may be played (or turned) now, and in words what else may be done."""
    if now.over:
        return [], []
    names, words = _card_names(deal), list[str]()
    game, t = deal.replay.game.name, deal.t
    cards = []
    bids = 0
    for seat, act in now.legal:
        if act < len(names):
            cards.append(names[act])
        elif game == "chouineurs" and chouineurs_acts.TURN <= act < chouineurs_acts.POINT:
            cards.append(names[act - chouineurs_acts.TURN])
        elif game == "chouineurs" and act == chouineurs_acts.POINT:
            words.append(t("take a card of the reserve"))
        elif game == "chouine" and _worth_saying(act):
            words.append(speak_word(t, act_word(game, act)))
        elif game == "coinche" and coinche_acts.BID <= act < coinche_acts.PASS:
            bids += 1
            if bids == 1:
                height = coinche_acts.LEVELS[coinche_acts.level_of(act)]
                words.append(t("bid from {height} up", height=t(HEIGHTS.get(height, height))))
        elif game == "coinche" and act != coinche_acts.RESIGN and act != coinche_acts.WON:
            who = "" if seat == now.turn else f"{deal.names[seat]} "
            words.append(who + speak_word(t, act_word(game, act)))
    return list(dict.fromkeys(cards)), list(dict.fromkeys(words))


def _worth_saying(act: int) -> bool:
    shown = chouine_acts.ANNOUNCE <= act < chouine_acts.UNSHOWN
    return shown or act in (chouine_acts.SEPT, chouine_acts.AU_SEPT)


# why a trick was won

COLOUR_ASKED = N_("The highest of the colour asked, {card}, takes it")
CHOUINEURS = {
    BLACK: N_("The highest black, {card}, takes it"),
    YELLOW: N_("The highest yellow, {card}, takes it"),
}


def _why(deal: Deal, now: Ply, before: Ply) -> str:
    """By what the trick just completed was won; empty when none was."""
    if now.trick == before.trick:
        return ""
    state, t = now.state, deal.t
    taker = int(state["takers"][before.trick])
    laid = [int(card) for card in state["last"][: deal.replay.players]]
    best, led = laid[taker], laid[int(state["leads"][before.trick])]
    if best < 0 or led < 0:
        return ""
    if deal.table.deck is not None:
        deck = deal.table.deck
        text = CHOUINEURS.get(int(deck.colour[best]), COLOUR_ASKED)
        return t(text, card=speak_word(t, deck.names[best]))
    names = deal.replay.game.pack.names
    trump = _trump(now)
    trumps = [card for card in laid if card >= 0 and names[card][1] == trump]
    card = pretty(names[best], t.language)
    if names[best][1] != trump:
        return t("The highest of the suit led, {card}, takes it", card=card)
    if len(trumps) == 1:
        return t("The only trump, {card}, takes it", card=card)
    return t("The highest trump, {card}, takes it", card=card)


def _trump(ply: Ply) -> str:
    """The suit of trump, empty while there is none."""
    trump = int(ply.state["trump"])
    return SUITS[trump] if trump >= 0 else ""


# what the others know


def _veiled(deal: Deal, now: Ply, seen: list[list[str]]) -> dict[str, Any] | None:
    """What those hear who may not see the card: None where everybody sees what happens."""
    if now.action is None:
        return None
    seat, act = now.action
    who, t = deal.names[seat], deal.t
    if deal.replay.game.name == "chouine" and act >= chouine_acts.DRAW:
        if _card_names(deal)[act - chouine_acts.DRAW] in seen[seat]:
            return None
        return {"text": t("{who} draws a card", who=who), "also": []}
    turns = chouineurs_acts.TURN <= act < chouineurs_acts.POINT
    if deal.replay.game.name == "chouineurs" and turns:
        return {"text": t("{who} turns a card of the hand", who=who), "also": []}
    return None


def _seen(deal: Deal) -> list[list[list[str]]]:
    """State by state and seat by seat, the cards of a hand that every player has seen.

    Chouine: those of a shown announcement, and the card that lay face up in the talon. Coinche:
    the hand of a player who claims. Nothing else is shown before it is played.
    """
    game, players = deal.replay.game.name, deal.replay.players
    nothing: list[list[str]] = [[] for _ in range(players)]
    if game == "chouineurs":
        return [nothing for _ in deal.replay]
    shown, known = [0] * players, []
    pack = deal.replay.game.pack
    for now in deal.replay:
        before = deal.replay[now.index - 1] if now.index else now
        for seat in range(players):
            if game == "chouine":
                shown[seat] |= _shown(now, before, seat)
            elif int(now.state["claimer"]) == seat:
                shown[seat] = int(now.state["hand"][seat])
            shown[seat] &= now.known(seat)
        known.append([list(pack.show(mask)) for mask in shown])
    return known


def _shown(now: Ply, before: Ply, seat: int) -> int:
    """The cards of a hand of Chouine that this action laid open."""
    hand = int(now.state["hand"][seat])
    fresh = int(now.state["shown"][seat]) & ~int(before.state["shown"][seat])
    # while it is still to be played with, the card is in the hand as the announcement is made
    cards = 0
    for combination in range(chouine_acts.COMBINATIONS):
        if fresh >> combination & 1:
            cards |= int(chouine.cards_of(before.state, seat, combination))
    if int(before.state["retourne"]) >= 0:
        face_up = int(before.state["talon"][int(before.state["talon_size"]) - 1])
        drawn = hand & ~int(before.state["hand"][seat])
        if face_up >= 0 and drawn >> face_up & 1:
            cards |= 1 << face_up
    return cards


# where to look


def tricks(deal: Deal) -> list[dict[str, Any]]:
    """Each complete trick: the `ply` that ended it, its `taker` and its `cards` by seat."""
    names, found = _card_names(deal), []
    for now, before in _steps(deal):
        if now.trick > before.trick:
            laid = [int(card) for card in now.state["last"][: deal.replay.players]]
            cards = [names[card] if card >= 0 else None for card in laid]
            taker = int(now.state["takers"][before.trick])
            found.append({"ply": now.index, "taker": taker, "cards": cards})
    return found


def marks(deal: Deal, plies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the timeline shows, each its `ply`, `kind` (see `KINDS`) and `text`."""
    found = []
    for now, before in _steps(deal):
        ply = plies[now.index]
        for kind, text in _remarkable(deal, now, before):
            found.append({"ply": now.index, "kind": kind, "text": text or ply["text"]})
        if now.over and not before.over:
            text = ply["also"][-1] if ply["also"] else ply["text"]
            found.append({"ply": now.index, "kind": "end", "text": text})
    return found


KINDS = {
    "announce": N_("announcement"),
    "exchange": N_("exchange"),
    "brisque": N_("brisque taken"),
    "ruff": N_("ruff"),
    "call": N_("call"),
    "chouine": N_("chouine"),
    "comment": N_("comment"),
    "finding": N_("finding"),
    "end": N_("end"),
}
"""The marks of a timeline; `states` adds those of comments, the board itself those of findings."""


def _remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """(kind, text or nothing where the event says it) of what an action is worth a mark for."""
    assert now.action is not None
    act, t = now.action.act, deal.t
    game, names = deal.replay.game.name, _card_names(deal)
    if game == "chouineurs":
        if chouineurs_acts.TURN <= act <= chouineurs_acts.POINT:
            yield "chouine", t("{who} chouines", who=deal.names[now.action.seat])
        return
    if act < len(names):
        led = int(before.state["table"][int(before.state["leader"])])
        if led >= 0 and names[act][1] == _trump(before) != names[led][1]:
            yield "ruff", ""
    elif game == "coinche" and (act < coinche_acts.PASS or act in COINCHES):
        yield "call", ""
    elif game == "chouine" and chouine_acts.combination_of(act) >= 0:
        yield "announce", ""
    elif game == "chouine" and act == chouine_acts.SEPT:
        yield "exchange", ""
    if game == "chouine" and now.trick > before.trick:
        taken = sum(
            1 << int(card) for card in now.state["last"][: deal.replay.players] if card >= 0
        )
        brisques = (taken & int(chouine.BRISQUES)).bit_count()
        if brisques:
            yield "brisque", t("Brisques taken: {n}", n=brisques)


COINCHES = (coinche_acts.COINCHE, coinche_acts.SURCOINCHE)


def _steps(deal: Deal) -> Iterator[tuple[Ply, Ply]]:
    """Each state with the one before."""
    for index in range(1, len(deal.replay)):
        yield deal.replay[index], deal.replay[index - 1]
