"""Chouine on the board, in figures and on pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dashboard.games import plain
from dashboard.games.deal import (
    RUFF,
    Deal,
    fact,
    plays,
    ruffs,
    suit_named,
    takes,
    untold,
    with_article,
    won_by_suit,
)
from dashboard.games.plain import card_names as card_names
from dashboard.games.plain import faces as faces
from dashboard.games.plain import frame as frame
from dashboard.games.records import Ask, Height, Mark, Statistics
from dashboard.games.typing import GIVE_UP, card_keys, with_suits
from dashboard.games.typing import called as called
from dashboard.games.typing import grid as grid
from dashboard.games.typing import hand_size as hand_size
from dashboard.games.typing import held as held
from dashboard.games.typing import is_seldom as seldom
from dashboard.games.typing import tile as tile
from dashboard.text.columns import POINTS, Column, averaged, between, counted
from dashboard.text.definitions import Definition
from engine.cards import SUITS, SYMBOLS, UNTOLD
from engine.chouine import acts, kernel
from engine.chouine import otherwise as played_otherwise
from engine.chouine.acts import kind_of, suit_of
from engine.chouine.dealt import dealt as dealt
from engine.chouine.dealt import dealt_worth as dealt_worth
from engine.games import game, title
from engine.replay import Ply
from ingest.finding.words import KINDS, speak_word
from ingest.i18n import N_, Translate
from schemas.table import Table
from schemas.words import act_word

TITLE = title("chouine")
PACK = game("chouine").pack
RECALL: Literal["own", "last"] = "own"
EXCHANGES = {
    "": N_("{who} exchanges the 7 for {card}"),
    "A": N_("{who} exchanges the 7 for {ace}"),
    "Q": N_("{who} exchanges the 7 for {queen}"),
}
MARKS: Mapping[str, Mark] = {
    "announce": Mark(
        N_("announcement"),
        "M5 0L6.5 3.5L10 3.8L7.3 6.2L8.2 10L5 7.9L1.8 10L2.7 6.2L0 3.8L3.5 3.5Z",
        "primary",
    ),
    "exchange": Mark(N_("exchange"), "M0 2H7V0L10 3L7 6V4H0ZM10 7H3V5L0 8L3 10V9H10Z", "blue"),
    "brisque": Mark(N_("brisque taken"), "M5 0L10 5L5 10L0 5Z"),
    **RUFF,
}


def ply(deal: Deal, index: int) -> dict[str, Any]:
    """One state, with what led to it from the state before."""
    replay, t = deal.replay, deal.t
    now = replay[index]
    before = replay[index - 1] if index else None
    told = before is not None and now.action is not None
    return plain.common(deal, index, PACK.names) | {
        "text": _event(deal, now, before) if told else plain.opening(deal, now),
        "also": _outcome(deal, now, before) if told else [],
        "piles": _piles(now, t),
        "facts": _facts(now, t),
        "seats": [_seat_view(deal, now, before, seat) for seat in range(replay.players)],
    }


def _event(deal: Deal, now: Ply, before: Ply | None) -> str:
    """What the actor did."""
    t = deal.t
    assert now.action is not None
    assert before is not None
    seat, act = now.action
    who = deal.names[seat]
    word = act_word("chouine", act)
    said = speak_word(t, word)
    if act < acts.ANNOUNCE:
        return plays(who, PACK.names[act], t)
    if acts.combination_of(act) >= 0:
        if not (now.sure("bonus") and now.sure("counted")):
            return t("{who} announces {what}", who=who, what=said)
        worth = int(now.state["bonus"][seat]) - int(before.state["bonus"][seat])
        if worth:
            return t("{who} announces {what}: {points} points", who=who, what=said, points=worth)
        if _gained(now, before, "counted", seat):
            return t("{who} announces {what}", who=who, what=said)
        return t("{who} announces {what}: it counts nothing", who=who, what=said)
    if act == acts.SEPT:
        place = int(before.state["talon_size"]) - 1
        card = PACK.names[int(before.state["talon"][place])]
        if not now.sure("retourne"):
            return f"{who} {said}"
        return with_article(EXCHANGES, who, card, t)
    return f"{who} {said}"


def _gained(now: Ply, before: Ply, field: str, seat: int) -> int:
    return int(now.state[field][seat]) & ~int(before.state[field][seat])


def _outcome(deal: Deal, now: Ply, before: Ply | None) -> list[str]:
    """What came of it: a trump made, a trick taken, the end of the partie."""
    assert before is not None
    names, t = deal.names, deal.t
    found = []
    state = now.state
    if int(before.state["trump"]) < 0 <= int(state["trump"]) and now.sure("trump"):
        found.append(t("Trump is now {suit}", suit=suit_named(int(state["trump"]), t)))
    if now.trick > before.trick:
        taker = int(state["leader"])
        won = int(state["cards"][taker]) - int(before.state["cards"][taker])
        found.append(takes(names[taker], won, t))
        if int(state["der"]) == taker:
            found.append(t("Last trick: 10 points"))
    if now.over and not before.over and now.sure("winner") and now.sure("outcome"):
        found.append(_end(state, now.points, names, t))
    return found


ENDS = {
    kernel.BY_CHOUINE: N_("{who} wins the partie by a chouine"),
    kernel.RESIGNED: N_("{who} wins the partie: the other side gave up"),
    kernel.PENALTY: N_("{who} wins the partie: second irregularity"),
    kernel.PLAYED_OUT: N_("{who} wins the partie, {points}"),
}


def _end(state: np.void, points: Sequence[int | str], names: Sequence[str], t: Translate) -> str:
    winner, outcome = int(state["winner"]), int(state["outcome"])
    score = " – ".join(map(str, points))
    if outcome == kernel.REPLAYED:
        return t("The partie is to be replayed")
    if winner < 0:
        return t("Drawn partie, {points}: it is to be replayed", points=score)
    return t(ENDS[outcome], who=names[winner], points=score)


# board: what may be done, who saw what, what is marked

why = won_by_suit


def allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The legal cards, and the announcements and the 7; what is owed after a fault is not said."""
    names, t = card_names(deal), deal.t
    cards = [names[act] for _, act in now.legal if act < len(names)]
    others = [act for _, act in now.legal if _worth_saying(act)]
    return cards, [speak_word(t, act_word("chouine", act)) for act in others]


def _worth_saying(act: int) -> bool:
    shown = acts.ANNOUNCE <= act < acts.UNSHOWN
    return shown or act in (acts.SEPT, acts.AU_SEPT)


def veiled(deal: Deal, now: Ply, seen: Sequence[Sequence[str]]) -> str:
    """A draw that the log tells, unless it is of the card that lay face up."""
    if now.action is None or now.action.act < acts.DRAW:
        return ""
    (seat, act), t = now.action, deal.t
    if card_names(deal)[act - acts.DRAW] in seen[seat]:
        return ""
    return t("{who} draws a card", who=deal.names[seat])


def shown(now: Ply, before: Ply, seat: int, known: int) -> int:
    """The cards of a shown announcement, and the card that lay face up in the talon."""
    hand = int(now.state["hand"][seat])
    fresh = int(now.state["shown"][seat]) & ~int(before.state["shown"][seat])
    # while it is still to be played with, the card is in the hand as the announcement is made
    for combination in range(acts.COMBINATIONS):
        if fresh >> combination & 1:
            known |= int(kernel.cards_of(before.state, seat, combination))
    if int(before.state["retourne"]) >= 0:
        face_up = int(before.state["talon"][int(before.state["talon_size"]) - 1])
        drawn = hand & ~int(before.state["hand"][seat])
        if face_up >= 0 and drawn >> face_up & 1:
            known |= 1 << face_up
    return known


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """Ruffs, announcements, the exchange, and brisques as they are taken."""
    assert now.action is not None
    act, t = now.action.act, deal.t
    if ruffs(deal, act, before):
        yield "ruff", ""
    elif acts.combination_of(act) >= 0:
        yield "announce", ""
    elif act == acts.SEPT:
        yield "exchange", ""
    if now.trick > before.trick:
        taken = sum(
            1 << int(card) for card in now.state["last"][: deal.replay.players] if card >= 0
        )
        brisques = (taken & int(kernel.BRISQUES)).bit_count()
        if brisques:
            yield "brisque", t("Brisques taken: {n}", n=brisques)


# board: beside the table


def _piles(now: Ply, t: Translate) -> list[dict[str, Any]]:
    """The card turned up, while it is there and known, and the talon."""
    state = now.state
    piles: list[dict[str, Any]] = []
    left = int(state["talon_size"]) - int(state["drawn"])
    if int(state["retourne"]) >= 0 and left and now.sure("retourne"):
        bottom = int(state["talon"][int(state["talon_size"]) - 1])
        note = t("exchanged") if int(state["sept"]) >= 0 else ""
        piles.append(
            {
                "label": t("Retourne"),
                "card": PACK.names[bottom] if bottom >= 0 else None,
                "count": None,
                "note": note,
            }
        )
        left -= 1
    if left:
        # at three players two cards stay there for good, so an open phase is no condition
        piles.append({"label": t("Talon"), "card": None, "count": left, "note": ""})
    return piles


def _facts(now: Ply, t: Translate) -> list[dict[str, str]]:
    trump = int(now.state["trump"])
    suit = SUITS[trump] if trump >= 0 and now.sure("trump") else ""
    none = (t("no trump") if now.over else t("none yet")) if now.sure("trump") else "?"
    phase = t("closed") if kernel.closed(now.state) else t("open")
    return [
        fact(t("Trump"), suit_named(trump, t) if suit else none, suit),
        fact(t("Phase"), phase),
        fact(t("Tricks"), f"{now.trick} / {int(now.state['tricks'])}"),
    ]


def _seat_view(deal: Deal, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
    t = deal.t
    state = now.state
    hand = now.known(seat)
    fresh = hand & ~int(before.state["hand"][seat]) if before is not None else 0
    tricks = sum(int(taker) == seat for taker in state["takers"][: now.trick])
    brisques = sum(1 for _ in PACK.members(int(state["pile"][seat]) & int(kernel.BRISQUES)))
    return {
        "hand": [*PACK.show(hand), *untold(now, seat)],
        "fresh": list(PACK.show(fresh)),
        "points": now.points[seat],
        "notes": _announced(deal, now, seat),
        "bid": None,
        "lines": [
            t("Tricks: {n}", n=tricks),
            t("Brisques: {n}", n=brisques),
            t("Cards: {n}", n=int(state["cards"][seat])),
        ],
    }


def _announced(deal: Deal, now: Ply, seat: int) -> list[dict[str, Any]]:
    """The announcements of a seat in the order made, with their cards where they were shown.

    `counts` is false for those worth nothing; where nobody can tell they are shown as they were
    made.
    """
    state, sure, t = now.state, now.sure("counted") and now.sure("doubled"), deal.t
    made = [
        (int(state["when"][seat][combination]), combination)
        for combination in range(acts.COMBINATIONS)
        if int(state["announced"][seat]) >> combination & 1
    ]
    found = []
    for trick, combination in sorted(made):
        suit = suit_of(combination)
        text = t(KINDS[kind_of(combination)]) + (f" {SYMBOLS[SUITS[suit]]}" if suit >= 0 else "")
        counts = not sure or bool(int(state["counted"][seat]) >> combination & 1)
        doubled = sure and bool(int(state["doubled"][seat]) >> combination & 1)
        at, cards = _laid_open(deal, seat, combination, trick)
        note = {"text": text + (" ×2" if doubled else ""), "counts": counts}
        found.append(note | {"cards": cards, "fresh": at == now.index})
    return found


def _laid_open(deal: Deal, seat: int, combination: int, trick: int) -> tuple[int, list[str]]:
    """(the state after an announcement, the cards that were shown for it)."""
    replay, bit = deal.replay, 1 << combination
    at = replay.at_trick(trick).index
    while not int(replay[at].state["announced"][seat]) & bit:
        at += 1
    if not at or not int(replay[at].state["shown"][seat]) & bit:
        return at, []
    before = replay[at - 1]
    cards = int(kernel.cards_of(before.state, seat, combination)) & before.known(seat)
    return at, list(PACK.show(cards))


# typing a deal in

TYPED = {"mariage": "m", "tierce": "ti", "quarteron": "qu", "chouine": "c"}
"""How an announcement is typed before its suit: no card begins so, and no card's key."""
TYPED_ALONE = {"quinte": "qi", "trente": "tr"}
TYPED_ACTS = {
    "x": "sept",
    "7": "sept",
    "au": "au-sept",
    "ok": "accept",
    "rp": "replay",
    "fd": "fault draw",
    "fp": "fault peek",
    "f2": "fault double",
    "+?": f"draw {UNTOLD}",
    **dict.fromkeys(GIVE_UP, "resign"),
}
DECISIONS = ("accept", "replay")
"""What is due after an irregularity, whoever says it."""
TAUGHT: tuple[str, ...] = (
    *("9h", "Th", "Js", "mariage-d", "tierce-d", "quarteron-d", "quinte", "trente", "chouine-d"),
    *("mariage-d~", "sept", "au-sept", "resign", "draw 9h", "fault draw", "accept", "replay"),
)


def keys(table: Table, t: Translate) -> dict[str, str]:
    """Cards, announcements (after `~` never shown), the 7, draws (`+`) and what else is said."""
    cards = card_keys(table, t)
    said = {typed: word for word, typed in TYPED_ALONE.items()}
    for word, typed in TYPED.items():
        said |= with_suits(typed, f"{word}-")
    known = {typed: word for typed, word in said.items() if kind_known(word, table)}
    unshown = {f"~{typed}": f"{word}~" for typed, word in known.items()}
    draws = {f"+{typed}": f"draw {card}" for typed, card in cards.items()}
    return {**cards, **known, **unshown, **TYPED_ACTS, **draws}


def kind_known(word: str, table: Table) -> bool:
    """Whether a word announces what there is in the game at all."""
    return word.partition("-")[0] in table.game.kinds


def is_seldom(word: str, in_turn: bool) -> bool:
    """A draw told, an irregularity, an announcement never shown, and what is so in any game."""
    others = word.startswith(("draw ", "fault ")) or word.endswith("~")
    return others or (word not in DECISIONS and seldom(word, in_turn))


def asks(table: Table, told: Mapping[str, Any], t: Translate) -> Ask | None:
    """The retourne, where one is turned up: without it nobody knows the trump."""
    if not table.settings["turn_up"] or {"deck", "talon"} & told.keys():
        return None
    return Ask(("retourne",), t("Which card is turned up?"))


def answered(
    table: Table, told: Mapping[str, Any], about: Sequence[str], answer: str
) -> dict[str, Any]:
    """The deal's keys with the retourne, the last card of a talon nobody wrote down."""
    if tuple(about) != ("retourne",) or answer not in (*PACK.names, UNTOLD):
        raise ValueError(answer)
    rest = len(PACK) - hand_size(table) * table.players
    return {**told, "talon": " ".join([UNTOLD] * (rest - 1) + [answer])}


# figures: what is counted

HEIGHTS: tuple[Height, ...] = ()
STATISTICS = Statistics(
    averages=("points", "cards", "bonus", "brisques", "tricks"),
    worth=tuple(map(int, kernel.POINTS)),
    manches=True,
    exchange=True,
    winning=(acts.KINDS[acts.CHOUINE],),
)


def turned(
    kind: Sequence[str],
    outcome: NDArray[np.integer],
    points: NDArray[np.integer],
    seat: NDArray[np.integer],
    worth: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Whether each announcement would have won its deal: the kernel counts again."""
    at_once = np.isin(np.asarray(kind, np.str_), STATISTICS.winning)
    return played_otherwise.would_win(at_once, outcome, points, seat, worth)


# pages: what tables and pages call things

COUNTED_DEALS = N_("Parties")
SECTIONS = ("announcements", "luck", "apart", "ends")
SECTION_HEADINGS = {"events": N_("The last trick and the 7")}
ROW_NAMES = dict[tuple[str, str], str]()
PLAYER_COLUMNS = (
    *POINTS,
    averaged(N_("of which announcements"), "bonus", "bonus"),
    between("bonus_low", "bonus_high", label=N_("95% interval of announcements")),
    averaged(N_("Announcements per partie"), "announced", "announced-per", 2),
    between("announced_low", "announced_high", 2, N_("95% interval per partie")),
)
MATCH_COLUMNS = (
    Column(N_("Manches"), lambda row, t: f"{row['manches']} – {row['lost']}"),
    counted(N_("Sous la table, given"), "given", "under"),
    counted(N_("Sous la table, taken"), "taken", "under"),
)
SUITLESS = tuple({kind_of(one): None for one in range(acts.COMBINATIONS) if suit_of(one) < 0})
BID_CARDS: tuple[str, ...] = ()
EXAMPLES: tuple[str, ...] = ()
RULES: Mapping[str, str] = {
    "lavardin": "Lavardin",
    "mondoubleau": "Mondoubleau",
    "regles-completes": N_("Complete rules"),
}


# pages: terms

DEFINITIONS: Mapping[str, Definition] = {
    "partie": Definition(
        N_("Partie"),
        N_("One deal of Chouine played to its end, and what it is worth."),
        "CH-23",
        after="manche",
    ),
    "drawn": Definition(
        N_("Drawn partie"),
        N_("One that nobody wins, the highest totals being equal: the same player deals again."),
        "CH-24",
        after="partie",
        never_english=("null partie",),
    ),
    "belle": Definition(
        N_("Belle"),
        N_("The third manche, which decides between two players who have won one each."),
        "CH-25",
        after="drawn",
    ),
    "cut": Definition(
        N_("Cut for deal"),
        N_("Each player takes a card of the deck before the first deal: the lowest deals."),
        "CH-2",
        after="deal",
    ),
    "talon": Definition(
        N_("Talon"), N_("The cards left over by the deal, to be drawn."), "CH-3", after="hand"
    ),
    "turned-up": Definition(
        N_("Retourne"),
        N_("The card turned up after the deal, which makes trump."),
        "CH-3",
        after="talon",
    ),
    "drawing": Definition(
        N_("Draw"),
        N_("To take the next card of the talon, after each trick of the open phase."),
        "CH-7",
        after="turned-up",
        never=("tire la carte", "tire deux cartes", "tirer au talon"),
    ),
    "announcement": Definition(
        N_("Announcement"),
        N_("Cards in one hand that are worth points, or the partie, when they are said."),
        "CH-15",
        after="revoke",
    ),
    "under": Definition(
        N_("Passer sous la table"),
        N_("To win a manche without giving away a partie."),
        "CH-30",
        after="k",
    ),
    "der": Definition(
        N_("Dix de der"),
        N_("The ten points of the last trick of a partie."),
        "CH-23",
        after="under",
    ),
    "brisque": Definition(
        N_("Brisque"), N_("An ace or a ten: eight in the pack."), "CH-1", after="der"
    ),
    "sept": Definition(
        N_("The 7 exchanged"),
        N_(
            "Deals in which the player changed the 7 of trump for the retourne; then by which "
            "trick, counted from the first."
        ),
        "CH-13",
        after="quarters",
    ),
}
IN_DEFINITIONS: Mapping[str, str] = {
    "end-lost": N_("in Chouine at two once nothing is left to draw"),
    "worth": N_("a chouine has no points"),
    "turned": N_("an unannounced chouine would always have won"),
}
