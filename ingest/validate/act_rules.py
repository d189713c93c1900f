"""Names the rule under which an act is legal or not, for comparisons with other engines."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property

import numpy as np

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.options import encode_rules, game_options, game_presets
from engine.replay import Replay
from schemas.match_setup import MatchSetup
from schemas.notation import action_codes, action_notation

FORMAT_RULE = "format"


def other_rules(setup: MatchSetup) -> Iterator[tuple[str, str, np.void]]:
    """Yield each other value of an option: the option's rule, `option=value`, the kernel's rules."""
    name, chosen = setup.game.name, setup.settings
    for option in game_options(name):
        of_presets = {preset[option.name] for preset in game_presets(name).values()}
        for value in sorted(of_presets if option.values is None else option.values, key=str):
            if value == chosen[option.name]:
                continue
            rules = setup.rules.copy()
            rules[option.name] = encode_rules(name, {**chosen, option.name: value})[option.name]
            yield option.rule, f"{option.name}={value}", rules


class ActRules:
    """The rules at the last state of a deal."""

    def __init__(self, setup: MatchSetup, replay: Replay) -> None:
        self.setup, self.replay = setup, replay
        self._kernel, self._faults = setup.game.kernel, setup.game.faults
        self._codes = action_codes(setup.game.name, setup.faces)

    def _rules_of(self, index: int, code: int) -> list[str]:
        """Return the rules an action breaks in a state, possible faults first."""
        bits = self._kernel.check(self.replay.states[index], self.replay.rules, code) & self._faults.errors
        found = sorted(self._faults.in_mask(bits), key=lambda fault: fault.is_impossible)
        return [fault.rule for fault in found]

    def of_illegal(self, action: str) -> str:
        """Return the rule that forbids an action; `format` if no rule does."""
        found = self._rules_of(-1, self._codes[action]) if action in self._codes else []
        return found[0] if found else FORMAT_RULE

    def of_legal(self, action: str, allowed: Collection[str]) -> str:
        """Return the rule that an engine reads differently if it allows only `allowed`.

        It is that of an option with another value if `allowed` is legal then. Else one that
        forbids similar acts here, or forbade this one earlier in the deal.
        """
        if (option := self._option_rule(frozenset(allowed))) is not None:
            return option
        code = self._codes[action]
        alike = self._rules_of_similar(code)
        if alike[False]:
            return alike[False].most_common(1)[0][0]
        for index in range(len(self.replay) - 2, -1, -1):
            if found := self._rules_of(index, code):
                return found[0]
        return alike[True].most_common(1)[0][0] if alike[True] else FORMAT_RULE

    def _rules_of_similar(self, code: int) -> dict[bool, Counter[str]]:
        """Return how often rules forbid acts of the same seat and kind, by whether they are impossible."""
        kind_of, found = self.setup.game.acts.kind_of_act, {False: Counter[str](), True: Counter[str]()}
        state, count = self.replay.states[-1], self.setup.game.acts.ACT_COUNT
        for other in self._codes.values():
            if other >> SEAT_SHIFT != code >> SEAT_SHIFT or other & ACT_MASK >= count:
                continue
            if kind_of(other & ACT_MASK) == kind_of(code & ACT_MASK):
                bits = self._kernel.check(state, self.replay.rules, other) & self._faults.errors
                for fault in self._faults.in_mask(bits):
                    found[fault.is_impossible][fault.rule] += 1
        return found

    @cached_property
    def _legal_by_option(self) -> dict[frozenset[str], str]:
        name, faces = self.setup.game.name, self.setup.faces
        found: dict[frozenset[str], str] = {}
        codes = np.zeros(2048, np.uint16)
        for rule, _, rules in other_rules(self.setup):
            count = self._kernel.legal(self.replay.states[-1], rules, codes)
            legal = frozenset(action_notation(name, int(code), faces) for code in codes[:count])
            found.setdefault(legal, rule)
        return found

    def _option_rule(self, allowed: frozenset[str]) -> str | None:
        return self._legal_by_option.get(allowed)
