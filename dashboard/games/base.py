"""The interface a game implements for the dashboard: `Game`.

It answers for a game of tricks with French cards that has nothing of its own to say; what a game
has of its own stands in its class.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dashboard.text.columns import POINTS_COLUMNS, Column
from dashboard.text.definitions import Definition
from engine.cards import HIDDEN_WORD, SUITS, SYMBOLS, card_label
from engine.replay import Ply, Replay
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation

Ints = NDArray[np.integer]


class DealView(NamedTuple):
    """A deal to draw: `names` are short, in seat order, `t` says its texts in one language."""

    replay: Replay
    table: MatchSetup
    names: Sequence[str]
    t: Translate


class MarkKind(NamedTuple):
    """A kind of mark on the timeline: what it is called (`N_`) and how it is drawn.

    `shape` is an SVG path in a box of 10 × 10.
    """

    text: str
    shape: str
    colour: Literal["", "primary", "blue", "violet", "text"] = ""
    """Of the theme; empty for the quiet one."""


class BidHeight(NamedTuple):
    """A contract as players call it (`N_`, or a number as it is written), and what it is worth."""

    text: str
    worth: int


class Statistics(NamedTuple):
    """What is counted of a game besides what is counted of every game."""

    averages: tuple[str, ...] = ("points", "tricks")
    """Columns of `deal_seats` that have an average, in the order shown."""
    width: int = 10
    """How many points a bar of their distribution spans."""
    worth: tuple[int, ...] = ()
    """The points of each card of the pack while nothing is trump; empty: cards have none."""
    fairness: bool = True
    """Hands are as the pack was shuffled, so its decks tell whether a shuffle is fair."""
    manches: bool = False
    """A match is played in manches, and one may be won under the table."""
    exchange: bool = False
    """A card is exchanged for the one turned up, and `deal_seats.sept` has the trick."""
    winning: tuple[str, ...] = ()
    """Announcements that win the deal at once, so they have no points."""


class Tile(NamedTuple):
    """A card to be tapped: what is written on it, and how it looks."""

    text: str
    tone: str = ""
    """The letter of its suit,"""
    paper: str = ""
    ink: str = ""
    """or colours of its own."""


class Question(NamedTuple):
    """What a page that records a deal asks before anybody acts; texts are in one language."""

    keys: tuple[str, ...]
    """What the answer is about, in words without spaces: the first says what it is."""
    text: str
    options: tuple[tuple[str, str], ...] = ()
    """(word, what it is called); empty: any card, and `??` when nobody knows it."""
    seat: int = 0
    """Whose `{who}` in the text is, from 1; none by default."""


SUIT_NAMES = {"s": N_("spades"), "h": N_("hearts"), "d": N_("diamonds"), "c": N_("clubs")}
RANK_NAMES = {"A": N_("ace"), "K": N_("king"), "Q": N_("queen"), "J": N_("jack"), "T": "10"}
PLAY_TEXTS = {
    "": N_("{who} plays {card}"),
    "A": N_("{who} plays {ace}"),
    "Q": N_("{who} plays {queen}"),
}
"""By rank; an ace and a queen have another article than most, in languages that have some."""
RUFF_MARK = {"ruff": MarkKind(N_("ruff"), "M0 10L5 0L10 10Z", "violet")}
"""The mark of a trump laid on another suit."""
RANK_KEYS = {"T": ("10", "t"), "K": ("k", "r"), "Q": ("q", "d"), "J": ("j", "v")}
"""How a rank is typed, besides by its own letter: English and French figures beside each other."""
SUIT_KEYS = {suit: (suit, sign) for suit, sign in SYMBOLS.items()}
RESIGN_KEYS = {"re": "resign", "ab": "resign"}
"""How giving up is typed: *resign*, *abandon*."""


def fact_line(label: str, text: str, suit: str = "") -> dict[str, str]:
    """A line beside the table; `suit` colours it."""
    return {"label": label, "text": text, "suit": suit}


def suit_text(suit: int, t: Translate) -> str:
    """`♥ hearts`; a suit as the engine numbers them."""
    return f"{SYMBOLS[SUITS[suit]]} {t(SUIT_NAMES[SUITS[suit]])}"


def card_sentence(texts: Mapping[str, str], who: str, card: str, t: Translate) -> str:
    """`Jean plays 9♠`: one of the texts of a card, as `PLAY_TEXTS` has them."""
    said = card_label(card, t.language)
    return t(texts.get(card[0], texts[""]), who=who, card=said, queen=said, ace=said)


def takes_text(who: str, points: int, t: Translate) -> str:
    """Who takes a trick, and what it counts."""
    one = points == 1 or (points == 0 and t.language == "fr")
    counted = t("{n} point", n=points) if one else t("{n} points", n=points)
    return t("{who} takes the trick ({points})", who=who, points=counted)


def is_ruff(deal: DealView, act: int, before: Ply) -> bool:
    """Whether an act is a trump laid on another suit than trump."""
    names, trump = deal.replay.game.pack.names, int(before.state["trump"])
    if act >= len(names) or trump < 0:
        return False
    led = int(before.state["table"][int(before.state["leader"])])
    return led >= 0 and names[act][1] == SUITS[trump] != names[led][1]


def cards_on_table(state: np.void, players: int) -> tuple[str, list[int]]:
    """(`now` or `last`, what lies there by seat): the trick, between tricks the last one."""
    which = "table" if int(state["on_table"]) else "last"
    return "now" if which == "table" else "last", [int(card) for card in state[which][:players]]


def card_key_bindings(table: MatchSetup, t: Translate) -> dict[str, str]:
    """What is typed → the card; first the way that is shown in the reader's language."""
    found: dict[str, str] = {}
    for card in table.game.pack.names:
        ranks = RANK_KEYS.get(card[0], (card[0].lower(),))
        for rank in reversed(ranks) if t.language == "fr" and card[0] in "KQJ" else ranks:
            found |= {rank + suit: card for suit in SUIT_KEYS[card[1]]}
    return found


def suit_key_bindings(key: str, word: str) -> dict[str, str]:
    """The keys of a word that is said of a suit, with that suit's letter or its sign."""
    return {key + typed: word + suit for suit in SUITS for typed in SUIT_KEYS[suit]}


class GameView:
    """A game on this floor; the sections below are board, typing, figures, and pages."""

    # what the board is told of a deal

    RECALLED_TRICK: Literal["own", "last"] = "last"
    """Tricks a player may look at again: the `own` and each opponent's last, or the `last`."""
    MARKS: Mapping[str, MarkKind] = {}
    """Kinds of marks on the timeline; a kind that two games have is one and the same."""

    def card_faces(self, deal: DealView) -> dict[str, dict[str, str]]:
        """Card name → its picture, French or English by the language, and its spoken name."""
        t, at = deal.t, f"./app/static/cards/{deal.t.language}"
        return {
            name: {
                "src": f"{at}/{name}.svg",
                # clubs and diamonds have pictures of their own where each suit has its colour
                "four": f"{at}{'/four' * (name[1] in 'cd')}/{name}.svg",
                "label": t(
                    "{rank} of {suit}",
                    rank=t(RANK_NAMES.get(name[0], name[0])),
                    suit=t(SUIT_NAMES[name[1]]),
                ),
            }
            for name in deal.replay.game.pack.names
        }

    def card_names(self, deal: DealView) -> tuple[str, ...]:
        """The card of each code that a play may have."""
        return deal.replay.game.pack.names

    def deal_frame(self, deal: DealView) -> dict[str, Any]:
        """What holds for the whole deal, as `board.states` lists it; here everybody plays alone.

        `corner`: what of a card's width must be seen to read its rank and suit.
        """
        return {
            **{"back": "./app/static/cards/back.svg", "corner": 0.13, "opener": deal.t("dealer")},
            **{"sides": [], "auction": None, "jumps": []},
        }

    def ply_state(self, deal: DealView, index: int) -> dict[str, Any]:
        """One state, with what led to it from the state before, as `board.states` lists it."""
        replay, names = deal.replay, self.card_names(deal)
        now, before = replay[index], replay[index - 1] if index else None
        state = now.state
        act = now.action.act if now.action is not None else len(names)
        which, laid = cards_on_table(state, replay.players)
        # between tricks the leader is who took the last one
        between = not int(state["on_table"]) or (before is not None and now.trick > before.trick)
        taker = int(state["leader"] if between else state["taker"])
        return {
            "text": self.opening_text(deal, now)
            if before is None
            else self.event_text(deal, now, before),
            "also": [] if before is None else self.outcome_texts(deal, now, before),
            "actor": now.seat,
            "turns": [] if now.is_over else [now.turn],
            **{"due": "", "piles": [], "sides": []},
            "card": names[act] if act < len(names) else None,
            "table": [names[card] if card >= 0 else None for card in laid],
            "table_of": which,
            "taker": taker if taker >= 0 else None,
            "facts": self.deal_facts(deal, now),
            "seats": [self.seat_state(deal, now, before, seat) for seat in range(replay.players)],
        }

    def opening_text(self, deal: DealView, now: Ply) -> str:
        """Who deals and who leads, before anybody has acted."""
        dealer = deal.names[int(now.state["dealer"])]
        return deal.t("{dealer} deals, {who} leads", dealer=dealer, who=deal.names[now.turn])

    def event_text(self, deal: DealView, now: Ply, before: Ply) -> str:
        """What the actor did."""
        assert now.action is not None
        (seat, act), names = now.action, self.card_names(deal)
        if act < len(names):
            return card_sentence(PLAY_TEXTS, deal.names[seat], names[act], deal.t)
        game = deal.replay.game.name
        return f"{deal.names[seat]} {describe_word(deal.t, act_notation(game, act), game)}"

    def outcome_texts(self, deal: DealView, now: Ply, before: Ply) -> list[str]:
        """What came of it, a sentence each."""
        taker = deal.names[int(now.state["leader"])]
        trick_over = now.trick > before.trick
        return [deal.t("{who} takes the trick", who=taker)] if trick_over else []

    def deal_facts(self, deal: DealView, now: Ply) -> list[dict[str, str]]:
        """What is so of the deal, beside the table (`fact_line`)."""
        return [fact_line(deal.t("Tricks"), str(now.trick))]

    def known_hand(self, deal: DealView, now: Ply, seat: int) -> Sequence[str]:
        """The cards a seat is known to hold."""
        return deal.replay.game.pack.names_in(now.known_hand(seat))

    def seat_state(self, deal: DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        """What is seen of a seat; cards of its hand that nobody wrote down are face down."""
        points = now.points
        untold = (int(now.state["hand"][seat]) & ~now.known_hand(seat)).bit_count()
        return {
            "hand": [*self.known_hand(deal, now, seat), *[HIDDEN_WORD] * untold],
            **{"fresh": [], "notes": [], "lines": [], "bid": None},
            "points": points[seat] if len(points) == deal.replay.players else None,
        }

    def legal_moves(self, deal: DealView, now: Ply) -> tuple[list[str], list[str]]:
        """(cards that may be played or turned, in words what else may be done), as they come."""
        names = self.card_names(deal)
        return [names[act] for _, act in now.legal if act < len(names)], []

    def trick_reason(self, deal: DealView, now: Ply, best: int, laid: Sequence[int]) -> str:
        """By what `best` took the trick just completed; `laid` are its codes, -1 for none."""
        names, suit, t = deal.replay.game.pack.names, int(now.state["trump"]), deal.t
        card, trump = card_label(names[best], t.language), SUITS[suit] if suit >= 0 else ""
        if names[best][1] != trump:
            return t("The highest of the suit led, {card}, takes it", card=card)
        if sum(names[one][1] == trump for one in laid if one >= 0) == 1:
            return t("The only trump, {card}, takes it", card=card)
        return t("The highest trump, {card}, takes it", card=card)

    def hidden_event_text(self, deal: DealView, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """What those hear who may not see the card; empty where everybody sees what happens.

        `seen` are the cards of each hand that everybody knows by now.
        """
        return ""

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """The mask of a hand's cards that everybody has seen; before this action it was `known`."""
        return 0

    def timeline_marks(self, deal: DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """(kind of MARKS, text or empty where the event says it) of what is worth a mark."""
        return iter(())

    # how a deal is typed in, card by card

    HELP_WORDS: tuple[str, ...] = ()
    """Words of which the page says by what keys they are typed, a sample of each kind."""

    def card_grid(self, table: MatchSetup) -> Sequence[Sequence[str]]:
        """The cards to be tapped as a play names them: a row a suit, the strongest first."""
        pack = table.game.pack
        return [[rank + suit for rank in reversed(pack.ranks)] for suit in SUITS]

    def card_tile(self, table: MatchSetup, card: str, t: Translate) -> Tile:
        """How one of them is shown: as players write it."""
        return Tile(card_label(card, t.language), card[1])

    def key_bindings(self, table: MatchSetup, t: Translate) -> Mapping[str, str]:
        """What is typed, in small letters → the word it stands for, with a seat where it has to.

        Of several ways to type a word the first is shown. One may begin another: `b1` and `b11`.
        """
        return card_key_bindings(table, t) | RESIGN_KEYS

    def button_text(self, word: str, t: Translate) -> str:
        """What stands on the button of a word: as short as it may be."""
        return describe_word(t, word)

    def is_rare(self, word: str, in_turn: bool) -> bool:
        """Whether a word is meant so seldom, in turn or out of it, that its button waits."""
        return word == "resign" or not in_turn

    def next_question(
        self, table: MatchSetup, told: Mapping[str, Any], t: Translate
    ) -> Question | None:
        """What is asked next before anybody acts; `told` are the deal's keys so far."""
        return None

    def with_answer(
        self, table: MatchSetup, told: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """The deal's keys with an answer. ValueError, IndexError: it answers nothing asked."""
        return dict(told)

    def hand_size(self, table: MatchSetup) -> int:
        """The cards each player is dealt."""
        assert table.game.dealing_rules is not None  # a game with one pack says how it is dealt
        return int(table.game.dealing_rules.hand_size(table.players))

    def card_in_hand(self, table: MatchSetup, card: str) -> str:
        """A card of `card_grid` as a hand is written with it. KeyError: no such card."""
        return card

    # what is counted

    STATISTICS = Statistics()
    HEIGHTS: tuple[BidHeight, ...] = ()
    """What can be bid, ascending, as `deals.contract` numbers it."""

    def dealt_announcements(
        self, hands: NDArray[np.int64], players: int
    ) -> Mapping[str, NDArray[np.int64]]:
        """Announcement → hand by hand (masks of cards) the suits it is held in, a bit each.

        One that has no suit has the bit after theirs. Empty in a game without announcements.
        """
        return {}

    def dealt_worth(self, kind: str, trump: bool, rules: np.void) -> int:
        """The points of one of these announcements; 0 where it has none."""
        return 0

    def would_have_won(
        self, kind: Sequence[str], outcome: Ints, points: Ints, seat: Ints, worth: Ints
    ) -> NDArray[np.bool_]:
        """Deal by deal, whether one more announcement would have won it for a seat (from 0).

        `points` are those of every seat, or of this and the best of the others, a row a deal;
        `worth` is what it would have counted.
        """
        return np.zeros(len(seat), np.bool_)

    # what tables and pages call things

    TITLE: str
    """The game's name as people read it, in every language; in no catalogue."""
    COUNTED_DEALS: str
    """What deals are called where they are won and lost: a text of the catalogue."""
    SECTIONS: tuple[str, ...] = ()
    """The sections of a player this game has besides those of every game, by name."""
    SECTION_HEADINGS: Mapping[str, str] = {}
    """Sections that are called otherwise in this game."""
    ROW_NAMES: Mapping[tuple[str, str], str] = {}
    """Rows that are called otherwise: (`measure` or `dealer`, its value) → its name."""
    PLAYER_COLUMNS: tuple[Column, ...] = POINTS_COLUMNS
    """The columns of the table of players that tell of points and what brings them."""
    MATCH_COLUMNS: tuple[Column, ...] = ()
    """What is told of a match besides its winner, as `queries.results.behind` has it."""
    SUITLESS: tuple[str, ...] = ()
    """The kinds of announcements that have no suit."""
    BID_CARDS: tuple[str, ...] = ()
    """The bid cards, as `bid` numbers them."""
    LINKED_EXAMPLES: tuple[str, ...] = ()
    """Faulty logs that teach, each a path below `data/fautes` without its suffix."""
    RULES: Mapping[str, str] = {}
    """What presets are called; one that is missing goes by its own word."""
    DEFINITIONS: Mapping[str, Definition] = {}
    """The terms that are this game's own, by the key pages link to."""
    DEFINITION_ADDITIONS: Mapping[str, str] = {}
    """What a term of several games means in this one: the term's key → part of a sentence."""
