"""Tests the mutants of one game: what they answer on the suite's cases, against the right answers.

Three kinds of cases, the fastest first: positions, where every act of every seat is checked; deals,
replayed to their end; logs, whose reports are compared. What is compiled is compiled once, in the
parent: a child tests mutant after mutant, and where one of them ends it, another child goes on.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.actions import ACT_MASK
from engine.games import Game, game
from engine.match import winner_in_log
from engine.options import game_presets
from ingest.findings.finding import JSON_KEYS
from ingest.validate.parse_document import match_of_json
from ingest.validate.slow_path import validate
from schemas.deal_decoder import decode_deal, is_score_line, opening_seat
from schemas.match_models import match_setup
from schemas.match_setup import MatchSetup
from schemas.notation import action_codes
from schemas.simulated import simulate_matches, simulated_setup
from tests.engine.test_reference import FREE, stacked
from tests.ingest.mutate import MUTATIONS, copied, hide_cards, legal_of
from tests.rule_mutants.schemata import Mutant
from tests.rule_mutants.switch import CELLS, ENOUGH, NONE, REACHED

ROOT = Path(__file__).parents[2]
WALKS = 240
"""Deals walked at random under options drawn at random."""
CHECKS = 3_000_000
"""How many acts are checked in all: each that can be written, in each position."""
SPOILT = 5
"""How many legal logs are spoilt in each way."""
CHUNKS = (30, 300, 10**9)
"""How many deals are replayed before what was found is looked at."""


class Deal(NamedTuple):
    """A deal as the kernel replays it."""

    setup: MatchSetup
    dealer: int
    deck: np.ndarray
    explicit: int
    codes: list[int]


class Deals:
    """Deals in the arrays of `engine.bulk`, and what is right of them."""

    def __init__(self, this: Game, deals: list[Deal]) -> None:
        self.kernel, count = this.kernel, len(deals)
        self.rules = np.array([one.setup.rules for one in deals], deals[0].setup.rules.dtype)
        self.players = np.array([one.setup.players for one in deals], np.int64)
        self.dealers = np.array([one.dealer for one in deals], np.int64)
        self.decks = np.array([one.deck for one in deals], np.uint8)
        self.explicit = np.array([one.explicit for one in deals], np.int64)
        self.codes = np.array([code for one in deals for code in one.codes], np.uint16)
        self.offsets = np.cumsum([0, *(len(one.codes) for one in deals)])
        self.ends = np.array([self.offsets[at + 1] + at for at in range(count)])
        sides = [
            (end, side)
            for end, one in zip(self.ends, deals, strict=True)
            for side in range(this.side_count(one.setup.players))
        ]
        self.sides = np.array(sides, np.int64).T.copy()
        self.right = self.replayed()

    def replayed(self) -> tuple[bytes, bytes]:
        """Return what the deals make: faults, points and winners; and all of their states."""
        count = len(self.dealers)
        states = np.full((len(self.codes) + count) * self.kernel.State.itemsize, 1, np.uint8).view(
            self.kernel.State
        )
        faults, applied = np.zeros(len(self.codes), np.int64), np.zeros(count, np.int64)
        self.kernel.trace_deals(
            states, faults, applied, self.rules, np.arange(count), self.players, self.dealers, self.decks,
            self.explicit, self.codes, self.offsets,
        )  # fmt: skip
        self.states = states
        ended = self.offsets[:-1] + np.arange(count) + applied
        points = np.zeros(self.sides.shape[1], np.int64)
        self.kernel.totals(states, ended[np.searchsorted(self.ends, self.sides[0])], self.sides[1], points)
        ends = states[ended]
        results = [faults, applied, points, ends["outcome"], ends["winner"], ends["over"]]
        return b"".join(one.tobytes() for one in results), states.tobytes()


def report(text: bytes) -> str:
    """Return all that `validate` knows of a log."""
    result = validate(text)
    found = [[getattr(one, key) for key in JSON_KEYS] for one in result.findings]
    deals = [
        None if one is None else (len(one), one.last.points, *map(winner_in_log, one.final_states))
        for one in result.replays
    ]
    counted = result.deal_status, result.scores, result.deal_positions, result.cuts, result.winner
    ids = result.match_id, result.content_id, result.start_id, result.counts_as_sheet
    return repr(
        (result.status, found, deals, counted, ids, sorted(result.score_line_ends), result.match_record)
    )


@njit(boundscheck=True)
def first_difference(check: Any, states: Any, rules: Any, codes: Any, right: Any) -> int:
    """Return the first state where a check of one of the codes is not right, -1 if there is none."""
    for at in range(len(states)):
        for k in range(len(codes)):
            if check(states[at], rules[at], codes[k]) != right[at, k]:
                return at
    return -1


@njit(boundscheck=True)
def checked(check: Any, states: Any, rules: Any, codes: Any, found: Any) -> None:
    for at in range(len(states)):
        for k in range(len(codes)):
            found[at, k] = check(states[at], rules[at], codes[k])


class Cases:
    """All cases of a game."""

    def __init__(self, name: str) -> None:
        self.game = game(name)
        positions: list[tuple[np.void, np.void]] = []
        deals: list[Deal] = []
        every = action_codes(name, simulated_setup(name, next(iter(game_presets(name))), 4).faces)
        last = self.game.acts.ACT_COUNT
        codes = {code for code in every.values() if code & ACT_MASK < last}
        codes |= {code & ~ACT_MASK | last for code in codes}  # which is no act any more
        self.codes = np.array(sorted(codes), np.int64)
        for path in sorted((ROOT / "conformance" / "positions").glob(f"{name}-*.jsonl")):
            for line in path.read_bytes().splitlines():
                case = json.loads(line)
                [deal] = self.deals_of(case["log"])
                states = self.states(deal)
                positions += [(states[one["after"]], deal.setup.rules) for one in case["positions"]]
                deals.append(deal)
        self.logs = list(self.read_logs())
        for text in self.logs:
            deals += self.deals_of(json.loads(text))
        for seed in range(WALKS):
            deal = self.walk(Random(seed), seed)
            positions += [(state, deal.setup.rules) for state in self.states(deal)]
            deals.append(deal)
        Random(0).shuffle(positions)
        del positions[CHECKS // len(self.codes) :]
        Random(0).shuffle(deals)
        self.states_checked = np.array([state for state, _ in positions], self.game.kernel.State)
        self.rules_checked = np.array([rules for _, rules in positions], positions[0][1].dtype)
        self.right = np.zeros((len(positions), len(self.codes)), np.int64)
        self.chunks = [
            Deals(self.game, deals[start:end]) for start, end in zip((0, *CHUNKS), CHUNKS, strict=False)
        ]
        self.by_acts = self.reached(self.check_all)
        self.by_deals = [self.reached(chunk.replayed) for chunk in self.chunks]
        assert self.difference() < 0
        self.reports, self.reach = list[str](), list[np.ndarray]()
        for text in self.logs:
            self.reports.append(report(text))
            self.reach.append(self.reached(lambda text=text: report(text)))
        CELLS[1] = ENOUGH
        self.play()
        self.turns = 20 * (ENOUGH - CELLS[1]) + 100_000
        CELLS[1] = ENOUGH

    def read_logs(self) -> Iterator[bytes]:
        name = self.game.name
        for line in (ROOT / "conformance" / "cases" / f"{name}.jsonl").read_bytes().splitlines():
            yield json.dumps(json.loads(line)["log"]).encode()
        for path in sorted((ROOT / "data" / "fautes").glob("*/*.json")):
            if not path.stem.endswith(".expected") and path.parent.name not in ("document", "coquilles"):
                log = json.loads(path.read_bytes())
                if isinstance(log, dict) and log.get("game", "chouine") == name:
                    yield path.read_bytes()
        rng, logs = Random(name), legal_of(name)
        for change in [*MUTATIONS.values(), hide_cards] * SPOILT:
            log = copied(rng.choice(logs))
            change(log, rng)
            yield json.dumps(log).encode()

    def deals_of(self, log: Any) -> list[Deal]:
        """Return the deals of a log that are recorded whole."""
        match, _ = match_of_json(log)
        if match is None:
            return []
        setup = match_setup(match)
        found = []
        for one in match.deals:
            if is_score_line(one) or setup.problems or not opening_seat(one)[0]:
                continue
            read = decode_deal(one, setup)
            if read.deck is not None and not read.problems and not read.is_partially_recorded:
                found.append(
                    Deal(
                        setup,
                        opening_seat(one)[0] - 1,
                        np.array(read.deck, np.uint8),
                        int(read.explicit),
                        read.codes,
                    )
                )
        return found

    def states(self, deal: Deal) -> np.ndarray:
        """Return the states of a deal up to the first impossible act."""
        kernel = self.game.kernel
        states, faults = np.zeros(len(deal.codes) + 1, kernel.State), np.zeros(len(deal.codes), np.int64)
        kernel.start(states[0], deal.setup.rules, deal.setup.players, deal.dealer, deal.deck, deal.explicit)
        count = kernel.trace(states, faults, deal.setup.rules, np.array(deal.codes, np.uint16))
        return states[: count + 1]

    def walk(self, rng: Random, seed: int) -> Deal:
        """Return a deal walked at random, with faults now and then, under options drawn at random."""
        name, kernel = self.game.name, self.game.kernel
        chosen = {"preset": rng.choice(list(game_presets(name)))}
        chosen |= {option: rng.choice(values) for option, values in FREE[name].items()}
        setup = simulated_setup(name, chosen, rng.choice(self.game.players))
        [match] = simulate_matches(setup, 1, seed)
        dealt = match.deals[0]
        deck, explicit = np.array(dealt.deck, np.uint8), 0
        if name == "chouine":
            explicit = rng.randrange(2)
            deck = stacked(deck, setup.players) if seed & 1 else deck
        state = np.zeros(1, kernel.State)[0]
        kernel.start(state, setup.rules, setup.players, dealt.dealer, deck, explicit)
        found, done = np.zeros((1, len(self.codes)), np.int64), list[int]()
        acts = self.codes & ACT_MASK
        kinds = ["" if act == self.game.acts.ACT_COUNT else self.game.acts.kind_of_act(act) for act in acts]
        wrong_share, rare = rng.choice([0, 0, 0.05, 0.3]), rng.choice([0.003, 0.02, 0.2])
        often = rng.choice([0.2, 1.0])
        while len(done) < 200:
            states, rules = np.array([state]), np.array([setup.rules])
            checked(kernel.check, states, rules, self.codes, found)
            wrong = kernel.IMPOSSIBLE if rng.random() < wrong_share else kernel.ERRORS
            may = np.flatnonzero(found[0] & wrong == 0)
            if not len(may):
                break
            by_kind: dict[str, list[int]] = {}
            for at in may:
                by_kind.setdefault(kinds[at], []).append(int(self.codes[at]))
            usual = {"play": 1.0, "draw": 1.0} | dict.fromkeys(("resign", "won", "fault", "renonce"), rare)
            [kind] = rng.choices(list(by_kind), [usual.get(kind, often) for kind in by_kind])
            done.append(rng.choice(by_kind[kind]))
            kernel.step(state, setup.rules, done[-1])
        return Deal(setup, dealt.dealer, deck, explicit, done)

    def take_tests(self, tests: list[Callable[[], bool]]) -> None:
        """Take those tests that pass, with what they reach."""
        self.tests = [(test, reach) for test in tests if (reach := self.reached_if(test)) is not None]

    def reached_if(self, test: Callable[[], bool]) -> np.ndarray | None:
        """Return the sites that a test reaches; None: it does not pass."""
        passed: list[bool] = []
        reach = self.reached(lambda: passed.append(test()))
        return reach if passed == [True] else None

    def check_all(self) -> None:
        checked(self.game.kernel.check, self.states_checked, self.rules_checked, self.codes, self.right)

    def difference(self) -> int:
        cases = self.states_checked, self.rules_checked, self.codes, self.right
        return first_difference(self.game.kernel.check, *cases)

    def play(self) -> None:
        assert self.difference() < 0
        for chunk in self.chunks:
            assert chunk.replayed() == chunk.right
        for text in self.logs:
            assert report(text) in self.reports

    def reached(self, play: Any) -> np.ndarray:
        """Return which sites are reached while something runs."""
        reached = np.ctypeslib.as_array(REACHED)
        reached[:] = 0
        play()
        return reached != 0

    def killer(self, mutant: Mutant) -> str:
        """Return what kills a mutant; empty: it survives."""
        CELLS[0], CELLS[1] = mutant.number, self.turns
        try:
            found = self.found(mutant.site)
        except Exception as wrong:  # whatever it raises
            return f"raises {type(wrong).__name__}"
        finally:
            loops, CELLS[:] = CELLS[1] < 0, [NONE, ENOUGH]
        return "loops" if loops and not found else found

    def found(self, site: int) -> str:
        only_states = False
        if self.by_acts[site] and self.difference() >= 0:
            return "acts"
        for chunk, reach in zip(self.chunks, self.by_deals, strict=True):
            if reach[site]:
                result, states = chunk.replayed()
                if result != chunk.right[0]:
                    return "results"
                only_states |= states != chunk.right[1]
        for text, right, reach in zip(self.logs, self.reports, self.reach, strict=True):
            if reach[site] and report(text) != right:
                return "report"
        for test, reach in self.tests:
            if reach[site] and not test():
                return "test"
        return "states" if only_states else ""

    def reach_count(self, site: int) -> int:
        """Return how many cases and tests reach a site: all positions count as one."""
        tests = (reach for _, reach in self.tests)
        return sum(int(one[site]) for one in (self.by_acts, *self.by_deals, *self.reach, *tests))


def run_all(cases: Cases, mutants: Iterable[Mutant]) -> Iterator[tuple[Mutant, str]]:
    """Test mutants in children, each until one of them ends it."""
    left = list(mutants)
    while left:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                for mutant in left:
                    print(cases.killer(mutant), file=pipe, flush=True)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            tested = 0
            for tested, line in enumerate(pipe, 1):
                yield left[tested - 1], line.rstrip("\n")
        _, status = os.waitpid(child, 0)
        if status and tested < len(left):
            yield left[tested], f"ends the process with {status}"
            tested += 1
        left = left[tested:]
