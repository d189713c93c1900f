"""The registry of games and the protocols a game implements."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.cards import Pack
from engine.faults import FaultTable
from engine.match import StartProblem

if TYPE_CHECKING:  # who only asks for the names of games need not wait for it
    import numpy as np
    from numpy.typing import NDArray

    from engine.score_line import PossibleEnds, ScoreLine
    from engine.solver_results import Solver

NOT_DECLARED = -(2**31)
"""A declared winner or manche that the sheet does not give."""

DECLARED_COLUMNS = 8
"""What a deal's sheet says, as a row: five points, how many were told, the winner, the manche."""


class ActTable(Protocol):
    """What a game's `acts` module numbers."""

    ACT_COUNT: int
    """How many acts there are; no kernel takes a higher one."""
    FIRST_DRAW: int
    """The act of drawing card 0, the other cards after it; -1 in a game without draws."""
    REQUIRED_KINDS: Mapping[str, str]
    """Fault → the kind of act that was due before the one that has the fault."""

    def kind_of_act(self, act: int) -> str:
        """The kind of an act; any number is of some kind.

        The kinds that all games share: `play` lays a card, `draw` takes one from the talon,
        `announce` counts for what is in the hand, `claim` lays the hand down.
        """


class UnknownRule(ValueError):
    """A preset, an option or an option's value that no rule of the game names."""

    def __init__(self, message: str, known: tuple[str, ...], subject: str, found: object) -> None:
        super().__init__(message)
        self.known, self.subject, self.found = known, subject, found


class Option(NamedTuple):
    """One rule option: `values` are the words it may take, or None for a count from `low`."""

    name: str
    rule: str
    values: tuple[str | bool, ...] | None
    doc: str
    low: int = 0
    high: int = 10_000
    two_players_only: bool = False
    """Whether what presets set is for a table of two; any other has `low`."""

    def encode(self, value: object) -> int:
        """The small integer the kernel sees. UnknownRule: a value the option does not take."""
        if self.values is None:
            if isinstance(value, int) and not isinstance(value, bool):
                if self.low <= value <= self.high:
                    return value
            known: tuple[str, ...] = (f"{self.low}–{self.high}",)
        else:
            for code, allowed in enumerate(self.values):
                if value == allowed and type(value) is type(allowed):
                    return code
            known = tuple(str(allowed).lower() for allowed in self.values)
        raise UnknownRule(f"{self.name}: {value!r}", known, self.name, value)


Equipment = tuple[tuple[str, str, tuple[int, ...]], ...]
"""Fields of a NumPy record: name, type and shape."""


class Options(Protocol):
    """A game's `options` module: what a log may set, and what its presets set."""

    OPTIONS: tuple[Option, ...]
    PRESETS: Mapping[str, Mapping[str, Any]]
    """preset → option → value; the first preset is the default."""
    EQUIPMENT: Equipment
    """More fields of the record the kernel reads: what a match brings besides options, if any."""


class Kernel(Protocol):
    """A game's `kernel` module: the one place that knows how a deal is played."""

    State: "np.dtype[np.void]"
    """A record of a deal. Every game's has, by seat, `hand` (a bit mask of cards), `table` and
    `last` (the cards of this trick and of the one before, -1 for none); by trick, `takers` and
    `leads`; and `players`, `dealer`, `leader`, `turn`, `on_table`, `best`, `taker`, `trick`
    (complete ones), `over`, `outcome` and `winner`. Where it has one of these fields it means
    the same in all: `trump`, `bidding`, `talon`, `talon_size`, `drawn`, `to_draw`, `retourne`,
    `side`."""
    NOBODY: int
    """No seat: -1."""
    NULL: int
    """`winner` of a deal that ended and that nobody won."""
    RUNNING: int
    """`outcome` of a deal that has not ended."""
    OVER: int
    """`over` of a deal after which nothing may follow."""
    IMPOSSIBLE: int
    ERRORS: int

    def start(
        self, state: Any, rules: Any, players: int, dealer: int, deck: Any, explicit: int
    ) -> None:
        """Deal `deck`, a row of small integers (`Game.deck_format`), from a seat."""

    def check(self, state: Any, rules: Any, code: int) -> int:
        """The bit set of everything wrong with an action in this state; 0 when it is legal."""

    def check_bounds(self, state: Any, seat: int, act: int) -> int:
        """The faults of an action that no hand could make possible in this state."""

    def skip_due_actions(self, state: Any, act: int) -> int:
        """Let an act come before what is due, as if that had been done. The faults of that."""

    def step(self, state: Any, rules: Any, code: int) -> int:
        """Apply an action; the bit set of its faults. An impossible one leaves the state."""

    def legal(self, state: Any, rules: Any, codes: Any) -> int:
        """Write the codes of every legal action into `codes`; how many."""

    def probe(self, state: Any, rules: Any, code: int, hands: Any, sides: Any, found: Any) -> None:
        """`check` as `found[i]`, if the one who acts held `hands[i]` and sides were `sides[i]`."""

    def trace(self, states: Any, faults: Any, rules: Any, codes: Any) -> int:
        """Replay one started deal, a state an action; how many actions could be applied."""

    def replay_variants(
        self, states: Any, found: Any, rules: Any, codes: Any, changes: Any, max_errors: int
    ) -> None:
        """Play one deal on in n ways, each with a change of its actions, and count their faults."""

    def replay_deals(self, states: Any, faults: Any, stops: Any, *deals: Any) -> None:
        """Replay n deals at once, told as `engine.bulk.replay_deals` takes them."""

    def totals(self, states: Any, deals: Any, seats: Any, found: Any) -> None:
        """Fill `found[i]`: the `total` of `seats[i]` in deal `deals[i]`."""

    def total(self, state: Any, side: int) -> int:
        """Points of a seat, or of a side where partners play."""

    def claim_holds(self, state: Any, seat: int) -> bool:
        """Whether a hand laid down takes the rest; False in a game without claims."""


class DealingRules(Protocol):
    """What the kernel of a game with one pack for all matches tells of how it is dealt."""

    def hand_size(self, players: int) -> int:
        """Cards each player is dealt."""

    def receiver(self, players: int, dealer: int, place: int) -> int:
        """The seat that is dealt the card at a place of the deck."""

    def talon_place(self, rules: Any, size: int, turn: int) -> int:
        """Where, in what is left of the deck after the hands, the card drawn at a turn lies."""


class MatchRules(Protocol):
    """A game's `match` module: what counts across deals."""

    Match: "np.dtype[np.void]"
    """A record of a match; every game's has `players`, `manche`, `partie`, `dealer`, `unknown`,
    `over` and `winner`."""

    def open_match(self, match: Any, rules: Any, players: int, *seats: int) -> None:
        """Begin a match: who deals, who cut highest, who deals the belle; -1 where nothing says."""

    def resume_from(self, match: Any, start: Any) -> None:
        """Go on, in a match that is open, to where a log begins: a row of `parse_start`."""

    def open_deal(self, match: Any, dealer: int) -> int:
        """The faults of dealing now, from a seat; the deal is played whatever they are."""

    def skip_unknown_deal(self, match: Any) -> None:
        """A deal that cannot be dealt: what follows cannot be counted."""

    def close_deal(self, match: Any, rules: Any, state: Any, void: int | bool) -> None:
        """Count a deal."""

    def check_declared(self, match: Any, state: Any, void: int | bool, *declared: Any) -> int:
        """The faults of what a deal's sheet says; asked before `close_deal`.

        Told are the points, how many of them, the winner, from 1, 0 for nobody, and the manche; of
        the two either may be UNSAID.
        """

    def check_result(
        self, match: Any, score: Any, count: int, winner: int, winner_declared: int | bool
    ) -> int:
        """The faults of the declared result: `count` scores, the winner from 1, 0 for nobody.

        A match that is not over may be told in part: its score can be no lower than what was seen,
        and its winner be anybody who can have won with the score told.
        """

    def count_matches(self, *deals: Any) -> Any:
        """Count the deals of n matches at once, told as `engine.bulk.count_matches` takes them.

        Each deal's manche and partie, from 0.
        """

    def score(self, match: Any) -> list[int]:
        """The score of a match as `result` writes it."""

    def next_openers(self, match: Any) -> list[int]:
        """The seats, from 1, that may deal or lead next; empty when nothing says."""

    def parse_start(
        self, declared: Mapping[str, Any], players: int, rules: Any
    ) -> tuple[list[int], list[StartProblem]]:
        """A log's `start` as a row for `resume_from`, and what of it cannot be."""


class ScoreLineRules(Protocol):
    """A game's `told` module: score sheets, which have no card."""

    def possible_ends(self, line: "ScoreLine", players: int, rules: Any) -> "PossibleEnds":
        """How the deal of a line may have ended, as states that `MatchRules` counts, or what is
        wrong.

        Nothing is refused that some deal can have.
        """


class Bots(Protocol):
    """A game's `bots` module: players for simulated matches."""

    HABITS: tuple[str, ...]
    MAX_ACTIONS: int
    """Actions of the longest deal they can play."""

    def play_match(self, rules: Any, players: int, habits: Any, *room: Any) -> tuple[int, int, int]:
        """Play one match; (deals, attempts of the cut, attempts of the belle's cut).

        `engine.simulate` says what room it is given.
        """

    def finish_deal(self, state: Any, rules: Any, habit: int, rng: Any, codes: Any) -> int:
        """Play a deal on to its end, every seat by one habit; how many actions are in `codes`."""


class Sampler(Protocol):
    """A game's `sampler` module: how deals that fit what somebody saw are played on."""

    def is_jit_cached(self) -> bool:
        """Whether it is compiled already, which takes seconds and is done once for a machine."""

    def open_cards(self, state: Any) -> int:
        """The mask of cards of which everybody knows where they are, whoever holds them."""

    def choose_call(self, state: Any, rules: Any, rng: Any) -> int | None:
        """What a player of some strength does before a card, or instead; None: it lays one."""

    def choose_turn(self, state: Any, rules: Any, rng: Any) -> list[int]:
        """A turn of the simple player whom deals are played on by, as codes, or an act of it."""

    def rollout(
        self, states: Any, rules: Any, seat: int, codes: Any, rng: Any, won: Any, margins: Any
    ) -> None:
        """Play each state on with each card of a seat: `won[card, state]`, `margins` likewise.

        By the seat's side: 1, 0, or where nobody won a like share for each; points at the end.
        """


class BidRegret(Protocol):
    """A game's `chosen` module: a card that each seat chooses before play and that leaves the game.

    A mask of such cards, by their places among the game's; -1 where nobody told which are left.
    """

    def remaining_bids(self, match: Any) -> list[int]:
        """Seat by seat, what there is to choose from before a deal."""

    def remaining_bids_of_deals(self, states: Any, *deals: Any) -> "NDArray[np.int64]":
        """The same of many deals, a row each, told as `MatchRules.count_matches` takes them."""

    def bids_made(self, states: Any) -> "NDArray[np.int8]":
        """What each seat of some deals chose, `found[deal, seat]`."""

    def points_by_bid(self, states: Any, rules: Any, codes: Any) -> "NDArray[np.int64]":
        """What each card would have scored, `found[seat, card]`, in a deal as it was replayed."""

    def points_by_bid_of_deals(self, *deals: Any) -> tuple[Any, Any, Any, "NDArray[np.int64]"]:
        """Many deals as they were chosen: states, faults, stops; then `found[deal, seat, card]`.

        They are told as `engine.bulk.replay_deals` takes them.
        """

    def refusals(
        self, states: Any, faults: Any, stopped: Any, remaining: Any
    ) -> "NDArray[np.uint8]":
        """Deal by deal, why nothing is said of it, as a place in `solved.REASONS`; 0: it is."""


class DeckFormat(NamedTuple):
    """How the cards of a deal lie in the row of bytes that `Kernel.start` takes."""

    card_count: int
    """How many cards there are, those that nobody is dealt among them."""
    place_count: int
    """How many bytes, from the first, are places of cards."""
    faces_per_card: int = 1
    """Faces of a card: 1, or 2."""
    no_card: int = -1
    """The byte of a place without a card."""


class Game(NamedTuple):
    """One game: its pack, its modules and its tables, under the same names for all."""

    name: str
    pack: Pack
    """Empty where each match brings a deck of its own."""
    players: tuple[int, ...]
    acts: ActTable
    kernel: Kernel
    match: MatchRules
    score_line_rules: ScoreLineRules
    bots: Bots
    options: Options
    faults: FaultTable
    match_faults: FaultTable
    example_deck: tuple[int, ...]
    """A deck no one looks at, for a deal whose cards are not told."""
    deck_format: DeckFormat
    dealing_rules: DealingRules | None = None
    """How the pack is dealt; None where the match has its own deck."""
    has_cut: bool = False
    """Whether the pack is cut for who deals first (`engine.cut`)."""
    partners: bool = False
    has_fast_path: bool = False
    """Whether its documents are decoded in bulk: words are the same in every match, cards a deck
    or hands of `pack`. Where not, each match is explained."""
    announcement_kinds: tuple[str, ...] = ()
    """Kinds of announcements, in the order in which they are listed."""
    solver: "Solver | None" = None
    """None where nothing of a deal is solved."""
    sampler: Sampler | None = None
    """None where deals are not sampled."""
    bid_regret: BidRegret | None = None
    """None where nothing is chosen before play."""

    def side_count(self, players: int) -> int:
        """How many points and scores there are: one a seat, or one a pair of partners."""
        return players // 2 if self.partners else players

    def points(self, state: Any, players: int) -> list[int]:
        """The points of a deal, side by side."""
        return [int(self.kernel.total(state, side)) for side in range(self.side_count(players))]


class GameModules(NamedTuple):
    """The modules that know one game, one a floor, by name: each floor imports its own."""

    engine: str
    schemas: str
    ingest: str
    dashboard: str
    texts: tuple[str, ...] = ()
    """Packages with a catalogue (`locale/fr.po`) of the game's own texts."""
    title: str = ""
    """The game's name as people read it, in every language."""
    brings_deck: bool = False
    """Whether each match has a deck of its own, which somebody may have typed in."""


_GAME_MODULES: dict[str, GameModules] = {}


def register(name: str, *, title: str = "", **modules: Any) -> None:
    """Make a game known to every floor by the names of its modules (`GameModules`); none is
    imported.

    Without a `title` it is called by its name, with a capital. ValueError: the name is no word of
    small letters, or another game has it.
    """
    if not name.isalpha() or not name.islower() or name in _GAME_MODULES:
        raise ValueError(f"no name for a new game: {name!r}")
    _GAME_MODULES[name] = GameModules(title=title or name.capitalize(), **modules)


def unregister(name: str) -> None:
    """Take a game back that was registered. KeyError: none of that name."""
    del _GAME_MODULES[name]
    _import_module.cache_clear()


def game_names() -> tuple[str, ...]:
    """The games there are, in the order they were registered."""
    return tuple(_GAME_MODULES)


def game_modules(name: str) -> GameModules:
    """The names of a game's modules. KeyError: no such game."""
    return _GAME_MODULES[name]


def game_title(name: str) -> str:
    """The game's name as people read it. KeyError: no such game."""
    return _GAME_MODULES[name].title


def module_of(name: str, package: str) -> ModuleType:
    """The module of a game on a floor: `engine`, `schemas`, `ingest` or `dashboard`.

    Each floor asks for its own alone. KeyError: no such game.
    """
    return _import_module(getattr(_GAME_MODULES[name], package))


_import_module = cache(import_module)  # asked for some twenty times a log: the dictionary is faster


def game(name: str) -> Game:
    """The game of that name. KeyError: none."""
    found: Game = module_of(name, "engine").GAME
    return found


for _name in ("chouine", "coinche", "chouineurs"):
    register(
        _name,
        engine=f"engine.{_name}",
        schemas=f"schemas.games.{_name}",
        ingest=f"ingest.games.{_name}",
        dashboard=f"dashboard.games.{_name}",
        brings_deck=_name == "chouineurs",
    )
