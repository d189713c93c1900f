"""Chouineurs on the board, in figures and on pages.

Two-faced cards, bids, the reserve.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dashboard.games import plain, two_faced
from dashboard.games.deal import Deal, fact, untold
from dashboard.games.plain import dealt as dealt
from dashboard.games.plain import dealt_worth as dealt_worth
from dashboard.games.plain import shown as shown
from dashboard.games.plain import turned as turned
from dashboard.games.records import Ask, Height, Mark, Statistics, Tile
from dashboard.games.typing import GIVE_UP
from dashboard.games.typing import is_seldom as is_seldom
from dashboard.text.columns import POINTS, averaged, between, shared, wilson
from dashboard.text.definitions import Definition
from dashboard.text.labels import OF_RESERVE, RESERVE
from engine.chouineurs import acts
from engine.chouineurs.bids import MOST_TRICKS, PUBLISHED, BidCards
from engine.chouineurs.deal import show_hand
from engine.chouineurs.deck import BLACK, COLOURS, YELLOW, Deck, face
from engine.games import title
from engine.replay import Ply
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from schemas.table import Table
from schemas.words import act_word

TITLE = title("chouineurs")
RECALL: Literal["own", "last"] = "last"
MARKS: Mapping[str, Mark] = {
    "chouine": Mark(N_("chouine"), "M5 0C8 4 9 5 9 7A4 3 0 0 1 1 7C1 5 2 4 5 0Z", "blue")
}
ASKED = {"b": N_("blue"), "r": N_("red"), "y": N_("yellow"), "k": N_("black")}


def _deck(deal: Deal) -> Deck:
    assert isinstance(deal.table.deck, Deck)  # without one there is nothing to replay
    return deal.table.deck


def faces(deal: Deal) -> dict[str, dict[str, str]]:
    """Every card of the deal either way up: its picture, its two faces in words."""
    deck, state = _deck(deal), deal.replay[0].state
    dealt = int(np.bitwise_or.reduce(state["hand"]))
    shown = [deck.card(up) for up in range(len(deck.names)) if dealt >> (up >> 1) & 1]
    return {card: _picture(deal, card) for card in shown}


def _picture(deal: Deal, card: str) -> dict[str, str]:
    t = deal.t
    up, back = (speak_word(t, side) for side in card.split("/"))
    label = t("{face}, on the other side {back}", face=up, back=back)
    return {"src": picture(card, t), "label": label}


def picture(card: str, t: Translate) -> str:
    """The picture of `b3/y30`, the face up first, as a data URI. ValueError: not such a card."""
    up, below = (_face(name) for name in card.split("/"))
    return two_faced.picture(up, below, t)


def _face(name: str) -> tuple[int, int]:
    found = face(name)
    if found is None:
        raise ValueError(f"no face: {name!r}")
    return found


def frame(deal: Deal) -> dict[str, Any]:
    """What holds for the whole manche."""
    own = {"back": two_faced.back(), "corner": two_faced.CORNER, "opener": deal.t("opener")}
    return plain.frame(deal) | own


def ply(deal: Deal, index: int) -> dict[str, Any]:
    """One state, with what led to it from the state before."""
    replay, t = deal.replay, deal.t
    now = replay[index]
    before = replay[index - 1] if index else None
    state = now.state
    owed = _seats(int(state["owed"]))
    return plain.common(deal, index, card_names(deal)) | {
        "text": _opening(deal, now) if before is None else _event(deal, now),
        "also": [] if before is None else _outcome(deal, now, before),
        "turns": [] if now.over else owed or [now.turn],
        "due": t("to chouine") if owed else "",
        "piles": [_reserve(deal, state)],
        "facts": _facts(deal, now),
        "seats": [_seat_view(deal, now, before, seat) for seat in range(replay.players)],
    }


def _seats(bits: int) -> list[int]:
    return [seat for seat in range(5) if bits >> seat & 1]


# board: sentences


def _opening(deal: Deal, now: Ply) -> str:
    t = deal.t
    return t("The bids are shown; {who} leads", who=deal.names[now.turn])


def _event(deal: Deal, now: Ply) -> str:
    """What the actor did."""
    assert now.action is not None
    seat, act = now.action
    t = deal.t
    said = speak_word(t, act_word("chouineurs", act, _deck(deal).names))
    if act < acts.TURN:
        return t("{who} plays {card}", who=deal.names[seat], card=said)
    return f"{deal.names[seat]} {said}"


def _outcome(deal: Deal, now: Ply, before: Ply) -> list[str]:
    """What came of it: a card turned, a trick taken, who chouines, the end."""
    assert now.action is not None
    names, t, state = deal.names, deal.t, now.state
    found = []
    act = now.action.act
    if acts.TURN <= act < acts.POINT:
        shown = _deck(deal).names[(act - acts.TURN) ^ 1]
        found.append(t("The card now shows {face}", face=speak_word(t, shown)))
    if now.trick > before.trick:
        found.append(t("{who} takes the trick", who=names[int(state["leader"])]))
        low = int(state["low"])
        lowest = [names[seat] for seat in _seats(low)]
        value = int(state["lowest"])
        if owed := [seat for seat in _seats(low) if _gained(now, before, "chouined", seat)]:
            who = ", ".join(names[seat] for seat in owed)
            text = N_("{who} chouine with {value}, the lowest")
            alone = N_("{who} chouines with {value}, the lowest")
            found.append(t(text if len(owed) > 1 else alone, who=who, value=value))
        else:
            found.append(t("Nothing is left to chouine for: {who}", who=", ".join(lowest)))
    late = [seat for seat in range(len(names)) if _gained(now, before, "lost", seat)]
    if late:
        who = ", ".join(names[seat] for seat in late)
        found.append(t("The bonus is lost: {who}", who=who))
    if now.over and not before.over:
        found += _ending(deal, now)
    return found


def _gained(now: Ply, before: Ply, field: str, seat: int) -> bool:
    return int(now.state[field][seat]) > int(before.state[field][seat])


def _ending(deal: Deal, now: Ply) -> list[str]:
    """Whose bids are met, and who scored most."""
    names, t, state = deal.names, deal.t, now.state
    met = ", ".join(who for seat, who in enumerate(names) if state["made"][seat])
    found = [t("Bids met: {who}", who=met) if met else t("No bid is met")]
    winner = int(state["winner"])
    if winner >= 0:
        who, points = names[winner], now.points[winner]
        told = t("{who} scores most in this manche · points: {points}", who=who, points=points)
        found.append(told)
    else:
        found.append(t("The most points of this manche are shared"))
    return found


# board: what may be done, who saw what, what is marked


def card_names(deal: Deal) -> tuple[str, ...]:
    """The card of each face of the match's deck, the face up first."""
    deck = _deck(deal)
    return tuple(deck.card(up) for up in range(len(deck.names)))


def allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The cards that may be played or turned, and the reserve."""
    names, t = card_names(deal), deal.t
    cards, words = list[str](), list[str]()
    for _, act in now.legal:
        if act < len(names):
            cards.append(names[act])
        elif acts.TURN <= act < acts.POINT:
            cards.append(names[act - acts.TURN])
        elif act == acts.POINT:
            words.append(t("take a card of the reserve"))
    return cards, words


WON = {
    BLACK: N_("The highest black, {card}, takes it"),
    YELLOW: N_("The highest yellow, {card}, takes it"),
}
COLOUR_ASKED = N_("The highest of the colour asked, {card}, takes it")


def why(deal: Deal, now: Ply, best: int, laid: Sequence[int]) -> str:
    """By what colour a trick was won."""
    deck, t = _deck(deal), deal.t
    text = WON.get(int(deck.colour[best]), COLOUR_ASKED)
    return t(text, card=speak_word(t, deck.names[best]))


def veiled(deal: Deal, now: Ply, seen: Sequence[Sequence[str]]) -> str:
    """A card turned in the hand: nobody else sees which."""
    if now.action is None or not acts.TURN <= now.action.act < acts.POINT:
        return ""
    t = deal.t
    return t("{who} turns a card of the hand", who=deal.names[now.action.seat])


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """A card turned or a point taken: what is owed after a trick."""
    assert now.action is not None
    t = deal.t
    if acts.TURN <= now.action.act <= acts.POINT:
        yield "chouine", t("{who} chouines", who=deal.names[now.action.seat])


# board: the table


def _reserve(deal: Deal, state: Any) -> dict[str, Any]:
    t, left = deal.t, int(state["reserve"])
    note = "" if left else t("empty")
    return {"label": t("Reserve"), "card": None, "count": left, "note": note}


def _facts(deal: Deal, now: Ply) -> list[dict[str, str]]:
    state, t, deck = now.state, deal.t, _deck(deal)
    asked = t("any colour") if not now.over else "–"
    if int(state["on_table"]):
        led = int(state["table"][int(state["leader"])])
        asked = t(ASKED[COLOURS[int(deck.colour[led])]])
    found = [
        fact(t("Asked"), asked),
        fact(t("Tricks"), f"{now.trick} / {int(state['tricks'])}"),
    ]
    if state["owed"]:
        who = ", ".join(deal.names[seat] for seat in _seats(int(state["owed"])))
        found.append(fact(t("Chouine"), who))
    return found


def _bids(deal: Deal) -> BidCards:
    assert isinstance(deal.table.bids, BidCards)  # without them there is nothing to replay
    return deal.table.bids


def _up(ply: Ply, deck: Deck, seat: int) -> list[str]:
    """The cards a seat is known to hold, the face up first."""
    state = ply.state.copy()
    state["hand"][seat] = ply.known(seat)
    return show_hand(state, deck, seat)


def _seat_view(deal: Deal, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
    state, t, deck = now.state, deal.t, _deck(deal)
    hand = _up(now, deck, seat)
    fresh: list[str] = []
    if before is not None:
        had = _up(before, deck, seat)
        fresh = [card for card in hand if card not in had]
    taken, turned = int(state["taken"][seat]), int(state["turned"][seat])
    return {
        "hand": [*hand, *untold(now, seat)],
        "fresh": fresh,
        "points": now.points[seat],
        "notes": [],
        "lines": [
            t("Tricks: {n}", n=int(state["won"][seat])),
            t("Reserve cards: {n}", n=taken),
            t("Turned: {n}", n=turned),
        ],
        "bid": _bid(deal, now, seat),
    }


def _bid(deal: Deal, now: Ply, seat: int) -> dict[str, Any]:
    """The bid card as its table, with the step its player has reached."""
    bids, state, t = _bids(deal), now.state, deal.t
    bid, won = int(state["bid"][seat]), int(state["won"][seat])
    label = t("Bid {bid}", bid=bids.names[bid])
    if now.over:
        label = " · ".join([label, t("met") if state["made"][seat] else t("not met")])
    steps = _steps(bids, bid)
    here = next((at for at, (low, high, _) in enumerate(steps) if low <= won <= high), None)
    return {
        "label": label,
        "steps": [
            {"tricks": f"{low}+" if high == MOST_TRICKS > low else str(low), "points": points}
            for low, high, points in steps
        ],
        "here": here,
    }


def _steps(bids: BidCards, bid: int) -> list[tuple[int, int, int]]:
    """(fewest tricks, most tricks, points) of a bid card; only its last step may be open."""
    row = [int(points) for points in bids.points[bid]]
    steps = [(tricks, tricks, points) for tricks, points in enumerate(row) if points >= 0]
    while len(steps) > 1 and steps[-1][1] == MOST_TRICKS and steps[-2][2] == steps[-1][2]:
        if steps[-2][1] + 1 != steps[-1][0]:
            break
        (low, _, points), (_, high, _) = steps[-2:]
        steps[-2:] = [(low, high, points)]
    return steps


# typing a manche in

COLOUR_KEYS = {"b": ("b",), "r": ("r",), "y": ("y", "j"), "k": ("k", "n")}
"""How a colour is typed, in English and in French."""
TAUGHT: tuple[str, ...] = ("b3", "b11", "y30", "k40", "turn b3", "point", "resign")


def _deck_of(table: Table) -> Deck:
    assert isinstance(table.deck, Deck)  # without one there is nothing to type
    return table.deck


def grid(table: Table) -> list[list[str]]:
    """A row a colour, low faces first."""
    rows: dict[str, list[str]] = {colour: [] for colour in COLOURS}
    for name in _deck_of(table).names:
        rows[name[0]].append(name)
    return [sorted(row, key=lambda name: int(name[1:])) for row in rows.values()]


def tile(table: Table, card: str, t: Translate) -> Tile:
    """A face: its colour's letter and its value, in its colour."""
    colour = two_faced.COLOURS[_face(card)[0]]
    return Tile(colour.letters[t.language] + card[1:], "", colour.paper, colour.ink)


def keys(table: Table, t: Translate) -> dict[str, str]:
    """Faces, cards turned (after `t`), a point of the reserve, giving up."""
    found = {}
    for name in _deck_of(table).names:
        colours = COLOUR_KEYS[name[0]]
        for colour in reversed(colours) if t.language == "fr" else colours:
            found[colour + name[1:]] = name
    turns = {f"t{typed}": f"turn {name}" for typed, name in found.items()}
    return {**found, **turns, "p": "point", **dict.fromkeys(GIVE_UP, "resign")}


def called(word: str, t: Translate) -> str:
    """A word as a player says it; `turn` alone is what a tap on a card means then."""
    return t("Tap the card that is turned") if word == "turn" else speak_word(t, word)


def asks(table: Table, told: Mapping[str, Any], t: Translate) -> Ask | None:
    """Each seat’s bid card, one after the other: they are shown before the first card."""
    known = len(told.get("bids") or ())
    if known >= table.players or not isinstance(table.bids, BidCards):
        return None
    options = tuple((name, name) for name in table.bids.names)
    return Ask(("bid", str(known + 1)), t("Which bid for {who}?"), options, known + 1)


def answered(
    table: Table, told: Mapping[str, Any], about: Sequence[str], answer: str
) -> dict[str, Any]:
    """The deal's keys with one more bid card."""
    bids = list(told.get("bids") or ())
    assert isinstance(table.bids, BidCards)
    if tuple(about) != ("bid", str(len(bids) + 1)) or answer not in table.bids.codes:
        raise ValueError(answer)
    return {**told, "bids": [*bids, answer]}


def hand_size(table: Table) -> int:
    """As many cards as tricks."""
    return int(table.settings["tricks"])


def held(table: Table, card: str) -> str:
    """The card that shows a face, with both."""
    deck = _deck_of(table)
    return deck.card(deck.codes[card])


# figures: what is counted

HEIGHTS: tuple[Height, ...] = ()
STATISTICS = Statistics(
    averages=("points", "bonus", "tricks"),
    width=1,
    fairness=False,  # hands are chosen: each card may be turned before play
)


# pages: what tables and pages call things

COUNTED_DEALS = N_("Manches")
SECTIONS = ("bid-cards", "reserve", "bid-choice")
SECTION_HEADINGS = dict[str, str]()
ROW_NAMES = {
    ("measure", "bonus"): RESERVE,
    ("dealer", "true"): N_("Leading the first trick"),
    ("dealer", "false"): N_("Not leading it"),
}
PLAYER_COLUMNS = (
    *POINTS,
    averaged(N_("of which reserve"), "bonus", "reserve"),
    between("bonus_low", "bonus_high", label=OF_RESERVE),
    shared(N_("Bids met"), "met_share", "met"),
    wilson(N_("95% interval of bids met"), "met_"),
)
MATCH_COLUMNS = ()
SUITLESS: tuple[str, ...] = ()
BID_CARDS = tuple(PUBLISHED)
EXAMPLES = ("chouineurs/must-follow",)
RULES: Mapping[str, str] = {"blam": "Blam"}


# pages: terms

DEFINITIONS: Mapping[str, Definition] = {
    "reserve-cards": Definition(
        N_("Reserve"),
        N_("The cards left over by the deal, to be taken for a point."),
        "CR-1",
        after="hand",
    ),
    "turning": Definition(
        N_("Turn a card"),
        N_("To have its other face count: of a hand before play, or of one card after chouiner."),
        "CR-5",
        after="reserve-cards",
        never=("retournement",),
    ),
    "met": Definition(
        N_("Bid met"),
        N_("The tricks taken are among those the bid card has points for."),
        "CR-7",
        after="taken",
    ),
    "bid-card": Definition(
        N_("Bid card"),
        N_(
            "The card chosen in a manche, told by its place among the five; a match with cards of "
            "its own counts by the place too."
        ),
        "CR-2",
        after="per-deal",
        never=("carte de pari", "cartes de pari"),
    ),
    "bid-lost": Definition(
        N_("Points lost by the bid"),
        N_(
            "The most points that a bid card still in the player’s hands gives for the tricks won, "
            "less those scored: 0 where none gives more. It is told afterwards: nobody knows the "
            "tricks when bidding, other bids are played for otherwise, and a card that is kept may "
            "be worth more later."
        ),
        "CR-7",
        after="bid-card",
    ),
    "bid-best": Definition(
        N_("Best card bid"),
        N_(
            "Deals in which no card left would have scored more for the tricks won, of those in "
            "which the player had more than one card left."
        ),
        "CR-7",
        after="bid-lost",
    ),
    "reserve": Definition(
        N_("Points from chouiner"),
        N_("One point for each card taken from the reserve by whoever chouined."),
        "CR-7",
        after="bid-card",
    ),
}
IN_DEFINITIONS: Mapping[str, str] = {
    "points": N_("in Chouineurs the bid and the reserve"),
}
