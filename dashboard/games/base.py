"""The interface a game implements for the dashboard: `GameView`.

The defaults fit a trick-taking game with French cards; a game's class overrides what differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dashboard.games.find_play import PlayWord
from dashboard.games.find_word import FindWord
from dashboard.text.columns import POINTS_COLUMNS, Column
from dashboard.text.definitions import Definition
from engine.cards import HIDDEN_WORD, SUITS, SYMBOLS, card_label
from engine.hidden import HiddenReplay
from engine.replay import Ply, Replay
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.games import schemas_of
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation

Ints = NDArray[np.integer]


class DealView(NamedTuple):
    """A deal to draw: `names` are short, in seat order, `t` translates its texts."""

    replay: Replay
    table: MatchSetup
    names: Sequence[str]
    t: Translate


class MarkKind(NamedTuple):
    """A kind of mark on the timeline: its name (`N_`) and its look.

    `shape` is an SVG path in a box of 10 × 10.
    """

    text: str
    shape: str
    colour: Literal["", "primary", "blue", "violet", "text"] = ""
    """A theme colour; empty for the muted one."""


class BidHeight(NamedTuple):
    """A contract as players call it (`N_`, or a number as written), and its worth."""

    text: str
    worth: int


class Statistics(NamedTuple):
    """Statistics of a game beyond those of every game."""

    averages: tuple[str, ...] = ("points", "tricks")
    """Columns of `deal_seats` to average, in display order."""
    width: int = 10
    """Points per bar of their distribution."""
    worth: tuple[int, ...] = ()
    """The points of each card of the pack outside trumps; empty: cards have none."""
    fairness: bool = True
    """Whether hands are dealt as shuffled, so that decks show whether a shuffle is fair."""
    manches: bool = False
    """Whether a match has manches, which may be won under the table (sous la table)."""
    exchange: bool = False
    """Whether a card is exchanged for the one turned up; `deal_seats.sept` has the trick."""
    tricks: int = 0
    """The tricks of a deal with a contract, if a team that takes them all makes a capot."""
    winning: tuple[str, ...] = ()
    """Announcements that win the deal at once and therefore have no points."""


class Tile(NamedTuple):
    """A card to tap: its text and its look."""

    text: str
    tone: str = ""
    """The letter of its suit; empty if the tile has its own colours."""
    paper: str = ""
    ink: str = ""
    """CSS colours of the tile, for a game without suits."""


class Question(NamedTuple):
    """A question that a page recording a deal puts before the first action, translated."""

    keys: tuple[str, ...]
    """The subject of the answer, in words without spaces: the first names its kind."""
    text: str
    options: tuple[tuple[str, str], ...] = ()
    """(word, label); empty: any card, or `??` for an unknown one."""
    seat: int = 0
    """The seat of `{who}` in the text, from 1; 0 if there is none."""


SUIT_NAMES = {"s": N_("spades"), "h": N_("hearts"), "d": N_("diamonds"), "c": N_("clubs")}
RANK_NAMES = {"A": N_("ace"), "K": N_("king"), "Q": N_("queen"), "J": N_("jack"), "T": "10"}
PLAY_TEXTS = {"": N_("{who} plays {card}"), "A": N_("{who} plays {ace}"), "Q": N_("{who} plays {queen}")}
"""By rank: in some languages an ace and a queen take another article."""
RUFF_MARK = {"ruff": MarkKind(N_("ruff"), "M0 10L5 0L10 10Z", "violet")}
"""The mark of a trump played on another suit."""
RANK_KEYS = {"T": ("10", "t"), "K": ("k", "r"), "Q": ("q", "d"), "J": ("j", "v")}
"""Keys that type a rank, in addition to its own letter: English and French initials."""
SUIT_KEYS = {suit: (suit, sign) for suit, sign in SYMBOLS.items()}
RESIGN_KEYS = {"re": "resign", "ab": "resign"}
"""Keys that type a resignation: *resign*, *abandon*."""


def fact_line(label: str, text: str, suit: str = "") -> dict[str, str]:
    """Return a line for the side of the table; `suit` colours it."""
    return {"label": label, "text": text, "suit": suit}


def suit_text(suit: int, t: Translate) -> str:
    """Return a suit, as the engine numbers it, as text: `♥ hearts`."""
    return f"{SYMBOLS[SUITS[suit]]} {t(SUIT_NAMES[SUITS[suit]])}"


def pack_faces(names: Sequence[str], t: Translate) -> dict[str, dict[str, str]]:
    """Return the picture and the spoken name of French cards."""
    at = f"./app/static/cards/{t.language}"
    return {
        name: {
            "src": f"{at}/{name}.svg",
            # in the four-colour deck, clubs and diamonds have their own pictures
            "four": f"{at}{'/four' * (name[1] in 'cd')}/{name}.svg",
            "label": t(
                "{rank} of {suit}", rank=t(RANK_NAMES.get(name[0], name[0])), suit=t(SUIT_NAMES[name[1]])
            ),
        }
        for name in names
    }


def card_sentence(texts: Mapping[str, str], who: str, card: str, t: Translate) -> str:
    """Return a sentence about a card, from texts keyed as `PLAY_TEXTS`: `Jean plays 9♠`."""
    result = card_label(card, t.language)
    return t(texts.get(card[0], texts[""]), who=who, card=result, queen=result, ace=result)


def takes_text(who: str, points: int, t: Translate) -> str:
    """Return the sentence that a player takes a trick, with its points."""
    one = points == 1 or (points == 0 and t.language == "fr")
    counted = t("{n} point", n=points) if one else t("{n} points", n=points)
    return t("{who} wins the trick ({points})", who=who, points=counted)


def is_ruff(deal: DealView, act: int, before: Ply) -> bool:
    """Return whether an act plays a trump on another suit."""
    names, trump = deal.replay.game.pack.names, int(before.state["trump"])
    if act >= len(names) or trump < 0:
        return False
    led = int(before.state["table"][int(before.state["leader"])])
    return led >= 0 and names[act][1] == SUITS[trump] != names[led][1]


def cards_on_table(state: np.void, players: int) -> tuple[str, list[int]]:
    """Return (`now` or `last`, cards by seat): the current trick, or else the last one."""
    which = "table" if int(state["on_table"]) else "last"
    return "now" if which == "table" else "last", [int(card) for card in state[which][:players]]


def card_key_bindings(table: MatchSetup, t: Translate) -> dict[str, str]:
    """Return typed key → card; the first key per card is that of the reader's language."""
    found: dict[str, str] = {}
    for card in table.game.pack.names:
        ranks = RANK_KEYS.get(card[0], (card[0].lower(),))
        for rank in reversed(ranks) if t.language == "fr" and card[0] in "KQJ" else ranks:
            found |= {rank + suit: card for suit in SUIT_KEYS[card[1]]}
    return found


def suit_key_bindings(key: str, word: str) -> dict[str, str]:
    """Return the keys of a word that takes a suit, with the suit's letter or symbol."""
    return {key + typed: word + suit for suit in SUITS for typed in SUIT_KEYS[suit]}


def possible_states(deal: DealView, now: Ply) -> Sequence[np.void]:
    """Return the states of a ply, one for each way in which unknown cards may be dealt."""
    replay = deal.replay
    return replay.hidden_deal.states_at(now.index) if isinstance(replay, HiddenReplay) else [now.state]


def certain_number(deal: DealView, now: Ply, number: Callable[..., Any], *about: Any) -> int | str:
    """Return a number of a ply's state, `?` if it depends on unknown cards."""
    found = {int(number(state, *about)) for state in possible_states(deal, now)}
    return found.pop() if len(found) == 1 else "?"


class GameView:
    """A game on the dashboard, in sections: board, typing, statistics, pages."""

    # the board

    RECALLED_TRICK: Literal["own", "last"] = "last"
    """Tricks a player may review: the `own` and each opponent's last, or just the `last`."""
    MARKS: Mapping[str, MarkKind] = {}
    """Kinds of marks on the timeline; games that share a name share the kind."""

    OPENER_TEXT = N_("dealer")
    """The board’s name for the seat that opens a deal by the log."""
    CORNER_WIDTH = 0.13
    """The share of a card's width that shows its rank and suit."""

    def card_back(self) -> str:
        """Return the address of the picture of a card face down."""
        return "./app/static/cards/back.svg"

    def card_faces(self, deal: DealView) -> dict[str, dict[str, str]]:
        """Return card name → its picture, French or English by language, and its spoken name."""
        return pack_faces(deal.replay.game.pack.names, deal.t)

    def own_deck_parts(self, t: Translate) -> dict[str, Any] | None:
        """Return how a browser draws and names cards of a deck of a match's own; None: there are none.

        `colours` has for each letter of a face the halves of a picture as SVG text, for numbers of one digit
        and of more, with `{n}` for the number; `head` begins a picture. `label` names a card.
        """
        return None

    def auction_parts(self, acts: Mapping[str, int], t: Translate) -> dict[str, Any] | None:
        """Return how a browser lists the calls of an auction; None: the game has none.

        `acts` are the words of a log's actions; `calls` has the `text` and `suit` of each that is a call; one
        counts if it changes a field of `fields`.
        """
        return None

    def pile_parts(self, t: Translate) -> list[dict[str, Any]]:
        """Return how a browser counts the piles of the table from fields of a state.

        `left` is a field or a number, and the fields to take from it; `less` takes one more if its field is
        set. Shown if the field `needs` is set, and until the second field of `until` is and the first is not.
        `card` is the field of a card, or a row and the field of its length; `note` is a field and a text;
        `empty` is the text of an empty pile, which is hidden without one.
        """
        return []

    def side_names(self, t: Translate) -> list[str]:
        """Return the names of the sides; empty if players have no partners."""
        return []

    def card_names(self, deal: DealView) -> tuple[str, ...]:
        """Return the card of each code that can be played."""
        return deal.replay.game.pack.names

    def deal_frame(self, deal: DealView) -> dict[str, Any]:
        """Return the constants of a deal for `board.states`; by default players have no partners."""
        return {
            **{"back": self.card_back(), "corner": self.CORNER_WIDTH, "opener": deal.t(self.OPENER_TEXT)},
            **{"sides": self.side_names(deal.t), "auction": None, "jumps": []},
        }

    def ply_state(self, deal: DealView, index: int) -> dict[str, Any]:
        """Return the state of a ply for `board.states`, with the event that led to it."""
        replay, names = deal.replay, self.card_names(deal)
        now, before = replay[index], replay[index - 1] if index else None
        state = now.state
        act = now.action.act if now.action is not None else len(names)
        which, played = cards_on_table(state, replay.players)
        # between tricks the leader is the player who took the last one
        between = not int(state["on_table"]) or (before is not None and now.trick > before.trick)
        winner = int(state["leader"] if between else state["trick_winner"])
        return {
            "text": self.opening_text(deal, now) if before is None else self.event_text(deal, now, before),
            "also": [] if before is None else self.outcome_texts(deal, now, before),
            "actor": now.seat,
            "turns": [] if now.is_over else [now.turn],
            **{"due": "", "piles": [], "sides": []},
            "card": names[act] if act < len(names) else None,
            "table": [names[card] if card >= 0 else None for card in played],
            "table_of": which,
            "trick_winner": winner if winner >= 0 else None,
            "facts": self.deal_facts(deal, now),
            "seats": [self.seat_state(deal, now, before, seat) for seat in range(replay.players)],
        }

    def opening_text(self, deal: DealView, now: Ply) -> str:
        """Return who deals and who leads, for the state before the first action."""
        dealer = deal.names[int(now.state["dealer"])]
        return deal.t("{dealer} deals, {who} leads", dealer=dealer, who=deal.names[now.turn])

    def event_text(self, deal: DealView, now: Ply, before: Ply) -> str:
        """Describe the action."""
        assert now.action is not None
        (seat, act), names = now.action, self.card_names(deal)
        if act < len(names):
            return card_sentence(PLAY_TEXTS, deal.names[seat], names[act], deal.t)
        game = deal.replay.game.name
        return f"{deal.names[seat]} {describe_word(deal.t, act_notation(game, act), game)}"

    def outcome_texts(self, deal: DealView, now: Ply, before: Ply) -> list[str]:
        """Describe the results of the action, a sentence each."""
        winner = deal.names[int(now.state["leader"])]
        trick_over = now.trick > before.trick
        return [deal.t("{who} wins the trick", who=winner)] if trick_over else []

    def deal_facts(self, deal: DealView, now: Ply) -> list[dict[str, str]]:
        """Return the facts of the deal shown next to the table (`fact_line`)."""
        return [fact_line(deal.t("Tricks"), str(now.trick))]

    def known_hand(self, deal: DealView, now: Ply, seat: int) -> Sequence[str]:
        """Return the cards a seat is known to hold."""
        schemas = schemas_of(deal.replay.game.name)
        return schemas.sorted_hand(deal.table, now.state, seat, now.known_hand(seat))

    def seat_state(self, deal: DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        """Return the visible state of a seat; cards that the log does not record are face down."""
        points = now.points
        hidden = (int(now.state["hand"][seat]) & ~now.known_hand(seat)).bit_count()
        return {
            "hand": [*self.known_hand(deal, now, seat), *[HIDDEN_WORD] * hidden],
            **{"fresh": [], "notes": [], "lines": [], "bid": None},
            "points": points[seat] if len(points) == deal.replay.players else None,
        }

    def legal_moves(self, deal: DealView, now: Ply) -> tuple[list[str], list[str]]:
        """Return (cards that may be played or turned, other legal moves in words)."""
        names = self.card_names(deal)
        return [names[act] for _, act in now.legal if act < len(names)], []

    def trick_reason(self, deal: DealView, now: Ply, best: int, played: Sequence[int]) -> str:
        """Return why `best` took the trick just completed; `laid` are its codes, -1 for none."""
        names, suit, t = deal.replay.game.pack.names, int(now.state["trump"]), deal.t
        card, trump = card_label(names[best], t.language), SUITS[suit] if suit >= 0 else ""
        if names[best][1] != trump:
            return t("The highest of the suit led, {card}, takes it", card=card)
        if sum(names[one][1] == trump for one in played if one >= 0) == 1:
            return t("The only trump, {card}, takes it", card=card)
        return t("The highest trump, {card}, takes it", card=card)

    def hidden_event_text(self, deal: DealView, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """Describe the event for players who may not see the card; empty if all may see it.

        `seen` are the cards of each hand that all players know by now.
        """
        return ""

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """Return the mask of a hand's cards that all have seen; `known`: before this action."""
        return 0

    def timeline_marks(self, deal: DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """Yield (kind of MARKS, text; empty if the event's text suffices) of each mark."""
        return iter(())

    # typing a deal, card by card

    HELP_WORDS: tuple[str, ...] = ()
    """Words whose keys the page's help shows, an example of each kind."""

    def card_grid(self, table: MatchSetup) -> Sequence[Sequence[str]]:
        """Return the cards to tap, named as in a play: a row per suit, the strongest first."""
        pack = table.game.pack
        return [[rank + suit for rank in reversed(pack.ranks)] for suit in SUITS]

    def card_tile(self, table: MatchSetup, card: str, t: Translate) -> Tile:
        """Return the tile of a card of the grid."""
        return Tile(card_label(card, t.language), card[1])

    def key_bindings(self, table: MatchSetup, t: Translate) -> Mapping[str, str]:
        """Return typed key (lower case) → word, with a seat if the word needs one.

        The page shows the first of several keys of a word. A key may begin another: `b1`, `b11`.
        """
        return card_key_bindings(table, t) | RESIGN_KEYS

    def button_text(self, word: str, t: Translate) -> str:
        """Return the text of a word's button, as short as possible."""
        return describe_word(t, word)

    def is_rare(self, word: str, in_turn: bool) -> bool:
        """Return whether a word is so rare, in turn or out of it, that its button is hidden."""
        return word == "resign" or not in_turn

    def next_question(self, table: MatchSetup, opening: Mapping[str, Any], t: Translate) -> Question | None:
        """Return the next question before the first action; `opening` holds the deal's keys so far."""
        return None

    def with_answer(
        self, table: MatchSetup, opening: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """Return the deal's keys with the answer. ValueError, IndexError: no question fits."""
        return dict(opening)

    def with_hand(
        self, table: MatchSetup, deal: Mapping[str, Any], seat: int, cards: Sequence[str]
    ) -> dict[str, Any] | None:
        """Return keys of a deal that record the cards of a hand (from 0); None: not before its questions.

        ValueError: no hand of the deal so far has these cards.
        """
        more = self.hand_size(table, deal) - len(cards)
        if more < 0:
            raise ValueError(cards)
        hands = list(deal.get("hands") or [HIDDEN_WORD] * table.players)
        hands[seat] = " ".join([*cards, *[HIDDEN_WORD] * more]) if cards else HIDDEN_WORD
        return {"hands": hands}

    def recorded_hands(self, table: MatchSetup, deal: Mapping[str, Any]) -> Sequence[str]:
        """Return the hands that are recorded of a deal, as `hands` of a log."""
        return deal.get("hands") or [HIDDEN_WORD] * table.players

    def hand_size(self, table: MatchSetup, deal: Mapping[str, Any]) -> int:
        """Return the number of cards each player has been dealt so far; `deal` holds its keys."""
        assert table.game.dealing_rules is not None  # every game with one pack has dealing rules
        return int(table.game.dealing_rules.hand_size(table.players))

    def card_in_hand(self, table: MatchSetup, card: str) -> str:
        """Return a card of `card_grid` as a hand names it. KeyError: no such card."""
        return card

    # statistics

    STATISTICS = Statistics()
    HEIGHTS: tuple[BidHeight, ...] = ()
    """The possible bids, ascending, as `deals.contract` numbers them."""
    STRAINS: tuple[str, ...] = tuple(SYMBOLS[suit] for suit in SUITS)
    """The suits of contracts, and the like (`N_`, or a symbol), as `deals.trump` numbers them."""

    def dealt_announcements(self, hands: NDArray[np.int64], players: int) -> Mapping[str, NDArray[np.int64]]:
        """Return announcement → for each hand (masks of cards) the suits it is held in, a bit each.

        A suitless one uses the bit after the suits. Empty for a game without announcements.
        """
        return {}

    def dealt_worth(self, kind: str, trump: bool, rules: np.void) -> int:
        """Return the points of one of these announcements; 0 if it has none."""
        return 0

    def would_have_won(
        self, kind: Sequence[str], outcome: Ints, points: Ints, seat: Ints, worth: Ints
    ) -> NDArray[np.bool_]:
        """Return for each deal whether one more announcement would have won it for a seat (from 0).

        `points` has a row per deal: the points of every seat, or of this seat and the best other;
        `worth` is the announcement's points.
        """
        return np.zeros(len(seat), np.bool_)

    # names in tables and pages

    TITLE: str
    """The game's display name, the same in every language; not in a catalogue."""
    COUNTED_DEALS: str
    """The name of the deals that are won and lost: a text of the catalogue."""
    SECTIONS: tuple[str, ...] = ()
    """The sections of a player's profile this game has beyond those of every game, by name."""
    SECTION_HEADINGS: Mapping[str, str] = {}
    """Headings of sections with another name in this game."""
    ROW_NAMES: Mapping[tuple[str, str], str] = {}
    """Rows with another name in this game: (`measure` or `dealer`, its value) → its name."""
    PLAYER_COLUMNS: tuple[Column, ...] = POINTS_COLUMNS
    """The columns of points and their sources in the table of players."""
    MATCH_COLUMNS: tuple[Column, ...] = ()
    """The columns of a match beyond its winner, from `queries.results.matches_behind`."""
    SUITLESS: tuple[str, ...] = ()
    """The kinds of announcements that have no suit."""
    BID_CARDS: tuple[str, ...] = ()
    """The bid cards, in the order of `bid`."""
    LINKED_EXAMPLES: tuple[str, ...] = ()
    """Faulty logs that serve as examples, as paths below `data/fautes` without suffix."""
    EXAMPLE_NOTES: Mapping[str, str] = {}
    """Notes that show how people write them, of `data/papers/notes`, by language."""
    RULES: Mapping[str, str] = {}
    """Labels of presets; one that is missing is shown by its own word."""
    FIND_WORDS: tuple[FindWord | PlayWord, ...] = ()
    """The words of a search that only this game has."""
    FIND_CARDS: Mapping[str, int] = {}
    """Names of some of this game's cards, as a search writes them → the cards, a bit mask."""
    DEFINITIONS: Mapping[str, Definition] = {}
    """The terms of this game only, by the key pages link to."""
    DEFINITION_ADDITIONS: Mapping[str, str] = {}
    """The meaning of a shared term in this game: the term's key → part of a sentence."""
