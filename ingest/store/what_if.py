"""What moves in a store under other rules than those of each match; nothing is written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ingest.finding.finding import STATUSES
from ingest.i18n import N_
from ingest.judge.batch import Checked, Clean, in_bulk, result_holds
from ingest.judge.explain import explain
from ingest.judge.match_context import deal_status
from ingest.judge.otherwise import games_of, other_rules
from ingest.store.revalidate import Judged, moving, numbers_of, old, stored
from ingest.store.store import Store, StoreError
from ingest.store.stored_texts import StoredBatch
from ingest.text.files import Batch

OLD_VERDICTS = N_(
    "Verdicts of an older version of the rules are in the store {path}: {n}. "
    "Refresh them first: retourne revalidate --store {path!q}"
)


class Under:
    """What moves in a store under a preset, other options or both; nothing is written.

    `having` are the games that have those rules, `games` those of them that are asked for, and
    `passed` is how many matches are of no game asked for. UnknownRule: no game has them.
    StoreError: the stored verdicts are old themselves.
    """

    def __init__(
        self,
        store: Store,
        preset: str | None,
        options: Mapping[str, Any],
        games: Sequence[str] | None = None,
    ) -> None:
        self.store, self.preset, self.options = store, preset, options
        self.having = games_of(preset, options)
        self.games = [name for name in self.having if games is None or name in games]
        if count := sum(old(store.cursor()).values()):
            raise StoreError(OLD_VERDICTS, n=count, path=store.path)
        # a text that is no match by its own rules may be one by others
        unread = games is None
        where = "list_contains(?::VARCHAR[], game) OR (? AND game IS NULL)"
        self.chosen = numbers_of(store, where, [self.games, unread])
        self.passed = stored(store.cursor()) - len(self.chosen)

    def __iter__(self) -> Iterator[Judged]:
        """Batch by batch, what moves."""
        rules = partial(other_rules, preset=self.preset, options=self.options)

        def check(batch: StoredBatch) -> tuple[StoredBatch, Checked]:
            return batch, _judge(batch.batch, rules)

        yield from moving(self.store, self.chosen, check)


def _judge(batch: Batch, rules: Callable[[Any], Any]) -> Checked:
    """A batch with the statuses its kernels' faults make, explained only where not decoded.

    Under other rules most matches of a store can be faulty, and nobody asks for the reasons.
    """
    ids, groups = in_bulk(batch.texts, rules)
    told = [told_apart(group) for group in groups]
    sure = {int(place) for group in told for place in group.places[group.keep]}
    explained = {
        place: explain(text.text, rules)
        for place, text in enumerate(batch.texts)
        if place not in sure
    }
    return Checked(batch.file, batch.texts, ids, told, explained, [])


def told_apart(group: Clean) -> Clean:
    """The group with every match that was decoded for certain, legal or not."""
    verdicts, (sure, _, numbers, results) = group.verdicts, group.decoded
    this = numbers.game
    faults = (this.faults, verdicts.faults), (this.match_faults, verdicts.match_faults)
    wrong, impossible = np.zeros((2, len(verdicts.faults)), np.bool_)
    for table, found in faults:
        wrong |= found & table.errors != 0
        impossible |= found & table.impossible != 0
    incomplete = verdicts.match_faults & this.match_faults.bit("incomplete") != 0
    deals = deal_status(impossible, incomplete, wrong)
    matches = np.zeros(len(sure), np.uint8)
    in_match = np.repeat(np.arange(len(sure)), np.diff(numbers.first))
    np.maximum.at(matches, in_match, deals)
    keep = sure.copy()
    for i, result in enumerate(results):
        if result is not None and sure[i]:
            # without a deal nothing was counted, not even the seats
            dealt = numbers.first[i] < numbers.first[i + 1]
            keep[i] &= dealt and None not in (result.get("score") or [])
            if not result_holds(this.match, verdicts.matches[i], result):
                matches[i] = max(matches[i], STATUSES.index("irregular"))
    return group._replace(keep=np.flatnonzero(keep), status=matches, deal_status=deals)
