"""Writes the conformance suite, `conformance/`: `python -m tests.conformance`.

The positions are of deals walked at random, for bots are too wise to get everywhere. Drawn from
them are those where a rule seldom met forbids something, or another value of an option would.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import orjson
from numba import njit

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.faults import NOTE
from engine.games import game_names
from engine.options import game_presets
from ingest.validate.act_rules import other_rules
from schemas.games import schemas_of
from schemas.match_setup import MatchSetup
from schemas.models import FORMAT
from schemas.notation import action_codes
from schemas.simulated import deal_documents, simulate_matches, simulate_season, simulated_setup
from tests.js.agreement import by_python, left_out

ROOT = Path(__file__).parents[1]
SUITE = ROOT / "conformance"
POSITIONS = 1000
"""Of each game and preset."""
WALKS = 300
MATCHES = 4
"""Simulated of each preset and table."""
SHORT: dict[str, dict[str, Any]] = {
    "chouine": {"parties": 2, "manches": 1},
    "coinche": {"target": 500},
    "chouineurs": {"manches": 2},
    "belote": {"target": 500},
}
"""Options that end a simulated match after a few deals."""
WEIGHTS = {
    "play": 1.0,
    "bid": 0.15,
    "au": 0.02,
    "resign": 0.003,
    "won": 0.003,
    "fault": 0.01,
    "renonce": 0.003,
    "point": 3.0,
}
"""How often a walk takes an act of a kind; the others come in between."""
PASSED_OVER = {"wrong-turn", "card-not-held", "unknown-action", "no-such-seat", "after-end"}
"""Faults of nearly every position, which distinguish none."""

Line = dict[str, Any]


class Position(NamedTuple):
    """A state of a walked deal: its special features, and its legal acts."""

    deal: int
    after: int
    turn: int
    features: frozenset[str]
    legal: list[str]
    tolerated: list[str]
    """Acts of which a warning is all there is."""

    def line(self) -> Line:
        """The lines written of it."""
        line: Line = {"after": self.after, "turn": self.turn, "legal": self.legal}
        return line | ({"tolerated": self.tolerated} if self.tolerated else {})


@njit
def faults_of(check: Any, state: Any, rules: Any, codes: Any, found: Any) -> None:
    """Set `found[i]` to the faults of `codes[i]`."""
    for at in range(len(codes)):
        found[at] = check(state, rules, codes[at])


def head(name: str, preset: str, players: int) -> Line:
    """The keys of a log before its deals."""
    log: Line = {"format": FORMAT, "game": name, "rules": preset}
    return log | {"players": [{"id": f"p{seat + 1}"} for seat in range(players)]}


class Walks:
    """Deals of one game and preset, walked at random, and the states they pass."""

    def __init__(self, name: str, preset: str) -> None:
        self.name, self.preset = name, preset
        self.rng = Random(f"{name} {preset}")
        self.deals: list[Line] = []
        self.positions: list[Position] = []
        tables = simulated_setup(name, preset, 4).game.players
        for number in range(WALKS):
            self.walk(simulated_setup(name, preset, tables[number % len(tables)]), number)

    def walk(self, setup: MatchSetup, seed: int) -> None:
        """Walk one deal to its end."""
        kernel, acts = setup.game.kernel, setup.game.acts
        (match,) = simulate_matches(setup, 1, seed)
        dealt = match.deals[0]
        [written] = deal_documents(setup, [dealt], as_hands=True)
        for key in ("actions", "points", "winner", "void"):
            written.pop(key, None)
        others = [(text, rules) for _, text, rules in other_rules(setup)]
        codes = action_codes(self.name, setup.faces)
        words = {code: word for word, code in codes.items() if code & ACT_MASK < acts.ACT_COUNT}
        every = np.array(list(words), np.uint16)
        seats, errors = every >> SEAT_SHIFT, setup.game.faults.errors
        plays = np.array([acts.kind_of_act(code & ACT_MASK) == "play" for code in words])
        found, other = np.zeros((2, len(every)), np.int64)
        done: list[str] = []
        state = np.zeros(1, kernel.State)[0]
        kernel.start(state, setup.rules, setup.players, dealt.dealer, dealt.deck, 0)
        while True:
            faults_of(kernel.check, state, setup.rules, every, found)
            legal = every[found == 0].tolist()
            if not legal:
                break
            turn = int(state["turn"])
            features = {f"plays {min(3, int(np.sum(plays & (found == 0))))}", f"players {setup.players}"}
            for text, rules in others:
                faults_of(kernel.check, state, rules, every, other)
                if ((found & errors == 0) != (other & errors == 0)).any():
                    features.add(text)
            for bits in set(found[seats == turn].tolist()):
                features |= {fault.code for fault in setup.game.faults.in_mask(bits)}
            features -= PASSED_OVER
            tolerated = [words[code] for code in every[(found != 0) & (found & errors == 0)].tolist()]
            allowed = [words[code] for code in legal]
            place = len(self.deals), len(done), turn + 1
            self.positions.append(Position(*place, frozenset(features), allowed, tolerated))
            code = self.choice(legal, allowed)
            kernel.step(state, setup.rules, code)
            done.append(words[code])
        log = head(self.name, self.preset, setup.players)
        log |= schemas_of(self.name).MATCH_DEFAULTS
        self.deals.append(log | {"deals": [{**written, "actions": done}]})

    def choice(self, legal: Sequence[int], words: Sequence[str]) -> int:
        """One of the legal acts: first of which kind, then which."""
        kinds = defaultdict(list)
        for code, word in zip(legal, words, strict=True):
            act = word[2:]
            kinds["play" if len(act) == 2 else act.replace("-", " ").split()[0]].append(code)
        [kind] = self.rng.choices(list(kinds), [WEIGHTS.get(kind, 0.1) for kind in kinds])
        return self.rng.choice(kinds[kind])

    def drawn(self) -> list[Position]:
        """As many positions with each feature in turn, the rarest feature first."""
        having = defaultdict(list)
        for at, position in enumerate(self.positions):
            for feature in sorted(position.features):  # a set has no order that lasts
                having[feature].append(at)
        for places in having.values():
            self.rng.shuffle(places)
        few = [feature for feature, places in having.items() if len(places) < len(self.positions) / 10]
        order = sorted(few, key=lambda feature: (len(having[feature]), feature))
        having["any"] = self.rng.sample(range(len(self.positions)), POSITIONS)
        chosen: set[int] = set()
        while len(chosen) < POSITIONS:
            for feature in (*order, "any"):
                while having[feature]:
                    if (at := having[feature].pop()) not in chosen:
                        chosen.add(at)
                        break
                if len(chosen) == POSITIONS:
                    break
        return [self.positions[at] for at in sorted(chosen)]

    def lines(self) -> Iterator[Line]:
        """Each deal with the positions drawn from it."""
        by_deal = defaultdict(list)
        for position in self.drawn():
            by_deal[position.deal].append(position)
        for deal, positions in by_deal.items():
            log = self.deals[deal]
            [sheet] = log["deals"]
            log = {**log, "deals": [{**sheet, "actions": sheet["actions"][: positions[-1].after]}]}
            lines = [one.line() for one in positions]
            yield {"id": f"{self.name}/{self.preset}/{deal}", "log": log, "positions": lines}


def cases(name: str) -> Iterator[Line]:
    """The faulty logs of a game, samples that ship, and simulated matches of each preset and table."""
    for path in sorted((ROOT / "data" / "fautes" / name).glob("*.json")):
        if ".expected" not in path.name:
            yield from case(f"{preset_of(path, name)}/{path.stem}", path.read_bytes())
    for preset in game_presets(name):
        for players in simulated_setup(name, preset, 4).game.players:
            rules = {"preset": preset, **SHORT[name]}
            for number, log in enumerate(simulate_season(name, MATCHES, 41, rules, players)):
                log["players"] = [{"id": one["id"]} for one in log["players"]]
                for key in ("event", "played_at"):
                    log.pop(key, None)
                yield from case(f"{name}/{preset}/{players}-{number + 1}", json.dumps(log).encode())


def preset_of(path: Path, name: str) -> str:
    """The first parts of the id of a case."""
    rules = json.loads(path.read_bytes()).get("rules")
    preset = rules.get("preset") if isinstance(rules, dict) else rules
    return f"{name}/{preset if preset in game_presets(name) else next(iter(game_presets(name)))}"


def case(id: str, text: bytes) -> Iterator[Line]:
    """The case of a log; of one that leaves parts out, none."""
    if left_out(text) is not None or (report := by_python(text))["status"] == "unreadable":
        return
    keys = ("code", "rule", "severity", "path")
    found = [{key: one[key] for key in keys} for one in report["findings"] if one["severity"] != NOTE]
    deals = [{"points": deal["points"], "winner": deal["winner"]} for deal in report["deals"]]
    yield {"id": id, "log": json.loads(text), "findings": found, "deals": deals}


def as_lines(lines: Iterable[Line]) -> bytes:
    """JSON, one value a line."""
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def files(names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    """The files of the positions of games and presets, by their names below `conformance/`."""
    for name, preset in names:
        yield f"positions/{name}-{preset}.jsonl", as_lines(Walks(name, preset).lines())


PRESETS = [(name, preset) for name in game_names() for preset in game_presets(name)]

if __name__ == "__main__":
    for folder in ("cases", "positions"):
        shutil.rmtree(SUITE / folder, ignore_errors=True)
        (SUITE / folder).mkdir(parents=True)
    for name in game_names():
        (SUITE / "cases" / f"{name}.jsonl").write_bytes(as_lines(cases(name)))
    for file, text in files(PRESETS):
        (SUITE / file).write_bytes(text)
