"""The registry of games and the protocols a game implements."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.cards import Pack
from engine.faults import FaultTable
from engine.match import StartProblem

if TYPE_CHECKING:  # NumPy is slow to import, and listing the games does not need it
    import numpy as np
    from numpy.typing import NDArray

    from engine.score_sheet_line import PossibleEnds, ScoreLine
    from engine.solver_results import Solver

NOT_DECLARED = -(2**31)
"""The declared winner or manche of a score sheet that records none."""

DECLARED_COLUMNS = 8
"""Length of a score sheet's row: five points, how many are recorded, the winner, the manche."""


class ActTable(Protocol):
    """A game's `actions` module: the numbers of its acts."""

    ACT_COUNT: int
    """Number of acts; kernels accept only smaller numbers."""
    FIRST_DRAW: int
    """The act of drawing card 0, the other cards following in order; -1 in a game without draws."""
    REQUIRED_KINDS: Mapping[str, str]
    """Fault → the kind of act that should have come before the faulty one."""

    def kind_of_act(self, act: int) -> str:
        """Return the kind of an act; every number has one.

        All games share these: `play` puts a card on the table, `draw` takes one from the talon,
        `announce` scores a combination in the hand, `claim` shows the hand to take the rest.
        """


class UnknownRule(ValueError):
    """Raised for a preset, an option or an option's value that the game does not define."""

    def __init__(self, message: str, known: tuple[str, ...], subject: str, found: object) -> None:
        super().__init__(message)
        self.known, self.subject, self.found = known, subject, found


class Option(NamedTuple):
    """One rule option: `values` lists what it accepts, None if a number from `low` to `high`."""

    name: str
    rule: str
    values: tuple[str | bool, ...] | None
    doc: str
    low: int = 0
    high: int = 10_000
    two_players_only: bool = False
    """Whether presets set it only for two players; larger tables get `low`."""

    def encode(self, value: object) -> int:
        """Return the integer the kernel reads. UnknownRule: the option does not accept `value`."""
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
    """A game's `options` module: the options a log may set, and the presets."""

    OPTIONS: tuple[Option, ...]
    PRESETS: Mapping[str, Mapping[str, Any]]
    """Preset → option → value; the first preset is the default."""
    EQUIPMENT: Equipment
    """Further fields of the rules record, for values that a match brings in addition to options."""


class Kernel(Protocol):
    """A game's `kernel` module, the only one that implements the rules of play of a deal."""

    State: "np.dtype[np.void]"
    """The state of a deal. Every game has, by seat, `hand` (a bit mask of cards), `table` and
    `last` (the cards of this trick and of the previous one, -1 for none); by trick, `trick_winners`
    and `leads`; and `players`, `dealer`, `leader`, `turn`, `on_table`, `best`, `trick_winner`, `trick`
    (number of complete tricks), `over`, `outcome` and `winner`. Some games have `trump`,
    `bidding`, `talon`, `talon_size`, `drawn`, `to_draw`, `retourne` or `side`, with the same
    meaning in each."""
    NOBODY: int
    """No seat: -1."""
    NULL: int
    """`winner` of a deal that ended without a winner."""
    RUNNING: int
    """`outcome` of a deal that has not ended."""
    OVER: int
    """`over` of a deal that accepts no further action."""
    IMPOSSIBLE: int
    ERRORS: int

    def start(self, state: Any, rules: Any, players: int, dealer: int, deck: Any, explicit: int) -> None:
        """Reset `state` and deal `deck`, a row of bytes as in `Game.deck_format`, from `dealer`."""

    def check(self, state: Any, rules: Any, code: int) -> int:
        """Return the faults of an action in this state as a bit set, 0 if it is legal."""

    def check_bounds(self, state: Any, seat: int, act: int) -> int:
        """Return the faults of an action that is impossible in this state whatever the hand."""

    def skip_due_actions(self, state: Any, act: int) -> int:
        """Perform whatever is due before an act, as if it were recorded; return the faults."""

    def step(self, state: Any, rules: Any, code: int) -> int:
        """Apply an action and return its faults; an impossible one leaves the state unchanged."""

    def legal(self, state: Any, rules: Any, codes: Any) -> int:
        """Write the codes of all legal actions into `codes` and return how many there are."""

    def probe(self, state: Any, rules: Any, code: int, hands: Any, sides: Any, found: Any) -> None:
        """Set `found[i]` to `check` if the acting seat held `hands[i]`, with faces `sides[i]`."""

    def trace(self, states: Any, faults: Any, rules: Any, codes: Any) -> int:
        """Replay a started deal, one state per action; return how many actions were applied."""

    def replay_variants(
        self, states: Any, found: Any, rules: Any, codes: Any, changes: Any, max_errors: int
    ) -> None:
        """Continue one deal in n variants, each with one change to its actions; count faults."""

    def replay_deals(self, states: Any, faults: Any, stops: Any, *deals: Any) -> None:
        """Replay n deals at once; `engine.bulk.replay_deals` documents the arguments."""

    def trace_deals(self, states: Any, faults: Any, stops: Any, *deals: Any) -> None:
        """Replay n deals, keeping every state; `engine.bulk.trace_deals` documents the arguments."""

    def totals(self, states: Any, deals: Any, seats: Any, found: Any) -> None:
        """Set `found[i]` to the `total` of `seats[i]` in deal `deals[i]`."""

    def total(self, state: Any, side: int) -> int:
        """Return the points of a seat, or of a side where partners play."""

    def claim_holds(self, state: Any, seat: int) -> bool:
        """Return whether a claimed hand takes all remaining tricks; False without claims."""


class DealingRules(Protocol):
    """How a kernel deals the pack, in a game where all matches use the same pack."""

    def hand_size(self, players: int) -> int:
        """Return the number of cards each player is dealt."""

    def receiver(self, rules: Any, players: int, dealer: int, place: int) -> int:
        """Return the seat that is dealt the card at `place` in the deck, -1 if play decides it."""

    def talon_place(self, rules: Any, size: int, turn: int) -> int:
        """Return the place of the card drawn at `turn` among the `size` cards left after dealing."""


class MatchRules(Protocol):
    """A game's `match` module: the dealer, the score and the end of a match, across deals."""

    Match: "np.dtype[np.void]"
    """The state of a match; every game has `score` (by seat or side), `players`, `manche`,
    `partie`, `dealer`, `unknown`, `over` and `winner`."""

    def open_match(self, match: Any, rules: Any, players: int, *seats: int) -> None:
        """Begin a match; `seats`: first dealer, highest cut, dealer of the belle; -1 if unknown."""

    def resume_from(self, match: Any, start: Any) -> None:
        """Advance an open match to where its log begins; `start` is a row of `parse_start`."""

    def open_deal(self, match: Any, dealer: int) -> int:
        """Return the faults of a deal by `dealer` now; it is played even if it has some."""

    def skip_unknown_deal(self, match: Any) -> None:
        """Pass over a deal that cannot be dealt; later results can no longer be computed."""

    def close_deal(self, match: Any, rules: Any, state: Any, void: int | bool) -> None:
        """Count a finished deal towards the match; `void` deals bring nothing."""

    def check_declared(self, match: Any, state: Any, void: int | bool, *declared: Any) -> int:
        """Return the faults of a deal's line on a score sheet; call it before `close_deal`.

        `declared`: the points, how many there are, the winner (from 1, 0 for none) and the manche;
        each of the last two may be NOT_DECLARED.
        """

    def check_result(
        self, match: Any, score: Any, count: int, winner: int, winner_declared: int | bool
    ) -> int:
        """Return the faults of a declared result: `count` scores, the winner from 1 (0 for none).

        The log of a match that is not over may be incomplete: then no score may be below the one
        counted, and the winner must be possible with the declared score.
        """

    def count_matches(self, *deals: Any) -> Any:
        """Count the deals of n matches at once; `engine.bulk.count_matches` documents `deals`.

        Returns the manche and the partie of each deal, from 0.
        """

    def score(self, match: Any) -> list[int]:
        """Return the score of a match in the form of a log's `result`."""

    def next_openers(self, match: Any) -> list[int]:
        """Return the seats, from 1, that may deal or lead next; empty if unknown."""

    def parse_start(
        self, declared: Mapping[str, Any], players: int, rules: Any
    ) -> tuple[list[int], list[StartProblem]]:
        """Convert a log's `start` to a row for `resume_from`; also return its problems."""

    def possible_winners(self, score: "Sequence[int]", players: int, rules: Any) -> frozenset[int]:
        """Return the sides, from 0, that may have won a whole match with this score, one number a side.

        `NOBODY` is among them if the match may be drawn; empty: no match of these rules ends so.
        """


class ScoreLineRules(Protocol):
    """A game's `score_sheet_line` module: deals known only from a line of a score sheet."""

    def possible_ends(self, line: "ScoreLine", players: int, rules: Any) -> "PossibleEnds":
        """Return the possible ends of a line's deal, as states for `MatchRules`, or its faults.

        A line has faults only if no deal can end that way.
        """


class Bots(Protocol):
    """A game's `bots` module: players for simulated matches."""

    HABITS: tuple[str, ...]
    MAX_ACTIONS: int
    """Number of actions in the longest deal they can play."""

    def play_match(self, rules: Any, players: int, habits: Any, *room: Any) -> tuple[int, int, int]:
        """Play one match; return (deals, attempts at the cut, attempts at the belle's cut).

        `room`: the arrays to write to, as `engine.simulate` allocates them.
        """

    def finish_deal(self, state: Any, rules: Any, habit: int, rng: Any, codes: Any) -> int:
        """Finish a deal, all seats with one habit; return how many actions `codes` now holds."""


class Sampler(Protocol):
    """A game's `sampler` module: plays out sampled deals that fit what a player has seen."""

    def is_jit_cached(self) -> bool:
        """Return whether the compiled code is cached; compiling takes seconds, once per machine."""

    def open_cards(self, state: Any) -> int:
        """Return the mask of the cards whose location every player knows."""

    def choose_call(self, state: Any, rules: Any, rng: Any) -> int | None:
        """Return what a competent player does before or instead of playing a card, if anything."""

    def rollout(
        self, states: Any, rules: Any, seat: int, codes: Any, rng: Any, won: Any, margins: Any
    ) -> None:
        """Play out each state with each card of `seat`; fill `won` and `margins[card, state]`.

        `won`: 1 or 0 for the seat's side, an equal share for each side if none won. `margins`:
        points at the end.
        """


class BidRegret(Protocol):
    """A game's `bid_regret` module: each seat chooses a bid card, which then leaves the game.

    Masks have one bit per bid card of the game, and are -1 where the log leaves them open.
    """

    def remaining_bids(self, match: Any) -> list[int]:
        """Return, by seat, the mask of the bid cards available before a deal."""

    def remaining_bids_of_deals(self, states: Any, *deals: Any) -> "NDArray[np.int64]":
        """Return `remaining_bids` of many deals, a row each; `deals` as in `count_matches`."""

    def bids_made(self, states: Any) -> "NDArray[np.int8]":
        """Return the bid each seat chose, as `found[deal, seat]`."""

    def points_by_bid(self, states: Any, rules: Any, codes: Any) -> "NDArray[np.int64]":
        """Return what each bid card would have scored in a replayed deal, `found[seat, card]`."""

    def points_by_bid_of_deals(self, *deals: Any) -> tuple[Any, Any, Any, "NDArray[np.int64]"]:
        """Replay many deals: return states, faults, stops and `found[deal, seat, card]` (points).

        `engine.bulk.replay_deals` documents the arguments.
        """

    def refusals(self, states: Any, faults: Any, stopped: Any, remaining: Any) -> "NDArray[np.uint8]":
        """Return why each deal is not evaluated: an index into `REASONS`, 0 if it is."""


class DeckFormat(NamedTuple):
    """The layout of the row of bytes that `Kernel.start` deals from."""

    card_count: int
    """Number of cards, including those that are not dealt."""
    place_count: int
    """How many of the leading bytes are cards."""
    faces_per_card: int = 1
    """Faces of a card: 1 or 2."""
    no_card: int = -1
    """The byte of a place without a card."""


class Game(NamedTuple):
    """One game: its pack, modules and tables, under the same names in every game."""

    name: str
    pack: Pack
    """Empty where each match brings its own deck."""
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
    """A placeholder for a deal whose cards are not recorded; its order has no meaning."""
    deck_format: DeckFormat
    dealing_rules: DealingRules | None = None
    """How the pack is dealt; None where each match brings its own deck."""
    has_cut: bool = False
    """Whether players cut the pack for the first deal (`engine.cut`)."""
    partners: bool = False
    has_fast_path: bool = False
    """Whether documents are decoded in bulk, which needs the same words in every match and the
    cards as a deck or hands of `pack`. Otherwise matches are decoded one by one."""
    announcement_kinds: tuple[str, ...] = ()
    """Kinds of announcements, in the order in which they are listed."""
    solver: "Solver | None" = None
    """None for a game without an endgame solver."""
    sampler: Sampler | None = None
    """None for a game whose deals are not sampled."""
    bid_regret: BidRegret | None = None
    """None for a game without bid cards."""

    def side_count(self, players: int) -> int:
        """Return how many sides score: one per seat, or one per pair of partners."""
        return players // 2 if self.partners else players

    def points(self, state: Any, players: int) -> list[int]:
        return [int(self.kernel.total(state, side)) for side in range(self.side_count(players))]


class GameModules(NamedTuple):
    """The names of one game's modules, one per package; each package imports only its own."""

    engine: str
    schemas: str
    ingest: str
    dashboard: str
    texts: tuple[str, ...] = ()
    """Packages with a catalogue (`locale/fr.po`) of the game's own texts."""
    title: str = ""
    """The game's displayed name, the same in every language."""
    brings_deck: bool = False
    """Whether each match brings its own deck, which a user may have typed in."""


_GAME_MODULES: dict[str, GameModules] = {}


def register(name: str, *, title: str = "", **modules: Any) -> None:
    """Register a game by the names of its modules (`GameModules`), without importing them.

    `title` defaults to the capitalised name. ValueError: the name is not made only of lowercase letters,
    or is already registered.
    """
    if not name.isalpha() or not name.islower() or name in _GAME_MODULES:
        raise ValueError(f"no name for a new game: {name!r}")
    _GAME_MODULES[name] = GameModules(title=title or name.capitalize(), **modules)


def unregister(name: str) -> None:
    """Remove a registered game. KeyError: unknown game."""
    del _GAME_MODULES[name]
    _import_module.cache_clear()


def game_names() -> tuple[str, ...]:
    """Return the names of the registered games, in the order of registration."""
    return tuple(_GAME_MODULES)


def game_modules(name: str) -> GameModules:
    """Return the names of a game's modules. KeyError: no such game."""
    return _GAME_MODULES[name]


def game_title(name: str) -> str:
    """Return the game's displayed name. KeyError: no such game."""
    return _GAME_MODULES[name].title


def module_of(name: str, package: str) -> ModuleType:
    """Import a game's module for `package`: `engine`, `schemas`, `ingest` or `dashboard`.

    Each package requests only its own module. KeyError: no such game.
    """
    return _import_module(getattr(_GAME_MODULES[name], package))


_import_module = cache(import_module)  # called about twenty times per log


def game(name: str) -> Game:
    """Return the game called `name`. KeyError: no such game."""
    found: Game = module_of(name, "engine").GAME
    return found


for _name in ("chouine", "coinche", "chouineurs", "belote"):
    register(
        _name,
        engine=f"engine.{_name}",
        schemas=f"schemas.games.{_name}",
        ingest=f"ingest.games.{_name}",
        dashboard=f"dashboard.games.{_name}",
        brings_deck=_name == "chouineurs",
    )
