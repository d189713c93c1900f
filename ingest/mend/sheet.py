"""Edits of what a sheet says beside the play: totals, seats, bids, times and cuts.

A value is offered when the engine names it, or when it is the only one that leaves nothing wrong: a
time nobody measured, or the card of a cut that any of ten would do for, is not.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ingest.finding.finding import Edit, Finding
from ingest.mend.choice import Stood
from ingest.mend.likely import misspelt
from ingest.mend.trial import Trials, Way
from ingest.text.json import pointer

TWICE, ANOTHER_CARD, LEFT_OUT = range(3)
"""Slips of a cut: an attempt or a cut written twice; a card; one too many, or two exchanged."""
RANK = 9.0
"""How much less likely each of them is than the one before."""


def declared(finding: Finding) -> Edit | None:
    """What the engine counts, unless an earlier error may be why the sheet has something else."""
    if finding.follows is not None or finding.detail.get("open"):
        return None
    return Edit("replace", finding.path, finding.legal, "value")


def seated(trials: Trials, finding: Finding) -> list[Stood]:
    """Another seat to deal or to lead: the cards must have been played from there."""
    legal = finding.legal if isinstance(finding.legal, list | tuple) else [finding.legal]
    key = finding.path.rpartition("/")[2]
    edits = (Edit("replace", finding.path, int(seat), "seat") for seat in legal)
    return _tried(trials, finding, (({key: edit.value}, edit) for edit in edits))


def bid(trials: Trials, finding: Finding) -> list[Stood]:
    """Another bid card, where the one written is none."""
    at = int(finding.path.rpartition("/")[2])
    bids = trials.match.deals[finding.deal].bids
    edits = (Edit("replace", finding.path, one, "value") for one in finding.legal)
    told = (({"bids": [*bids[:at], edit.value, *bids[at + 1 :]]}, edit) for edit in edits)
    return _tried(trials, finding, told)


def _tried(
    trials: Trials, finding: Finding, told: Iterable[tuple[dict[str, Any], Edit]]
) -> list[Stood]:
    """The edits that stand, of several with the deal's values then."""
    assert finding.deal is not None
    fault = trials.game.match_faults.by_code[finding.code].bit
    found = str(finding.found)
    ways = (Way(values, edit, misspelt(found, str(edit.value)), edit) for values, edit in told)
    return trials.stood(finding.deal, ways, fault)


# times


def time(deal: Any, index: int) -> Edit | None:
    """A time too many, or one that its neighbours leave a single value.

    Which one is wrong has to follow from the order alone, and what it was as well.
    """
    times, path = deal.times, pointer("deals", index, "times")
    if len(times) == len(deal.actions) + 1:
        places = _out_of_place(times)
        if len(places) == 1:
            return Edit("remove", path + pointer(places[0]), times[places[0]], "time")
    elif len(times) == len(deal.actions):
        places = _out_of_place(times)
        if len(places) == 1:
            value = between(times[: places[0]], times[places[0] + 1 :])
            if value is not None:
                return Edit("replace", path + pointer(places[0]), value, "value")
    return None


def between(before: Sequence[float], after: Sequence[float]) -> float | None:
    """The one time that can stand between others: two that are the same."""
    first = before[-1] if before else 0.0
    return first if after and after[0] == first else None


def _out_of_place(times: Sequence[float]) -> list[int]:
    """The places of times without which the others never go back; one of several that are alike."""
    back = next((at for at, (a, b) in enumerate(pairwise([0.0, *times])) if b < a), None)
    if back is None:
        return [*range(len(times))] if len(set(times)) > 1 else [len(times) - 1]
    left_out = ((at, [0.0, *times[:at], *times[at + 1 :]]) for at in {max(back - 1, 0), back})
    return [at for at, rest in left_out if rest == sorted(rest)]


# cuts


def cut(trials: Trials, finding: Finding) -> list[Stood]:
    """A cut with one card written otherwise, or an attempt left out or exchanged with another.

    Cutting again and again leaves the same dealer as often as not, so most of these are not alone.
    """
    cuts = trials.match.cuts
    _, _, i, k = finding.path.split("/")
    place, attempt = int(i), int(k)
    stood: dict[str, Stood] = {}
    for rank, changed, edit in _recut(trials, cuts, place, attempt):
        outcome = trials.recut(finding.code, finding.path, changed)
        if trials.spent:
            return []
        if outcome is not None:
            makes = repr(changed)
            stood.setdefault(makes, Stood(outcome.errors, -RANK * rank, edit, makes))
    return [*stood.values()]


def _recut(
    trials: Trials, cuts: list[list[str]], place: int, at: int
) -> Iterator[tuple[int, list[list[str]], Edit]]:
    """(kind of slip, cuts, edit) of every cut one slip away."""
    attempts = cuts[place]

    def put(changed: list[str]) -> list[list[str]]:
        return [*cuts[:place], changed, *cuts[place + 1 :]]

    def path(k: int) -> str:
        return pointer("cuts", place, k)

    for text in _one_card_away(attempts[at].split(" "), trials.game.pack.names):
        changed = [*attempts[:at], text, *attempts[at + 1 :]]
        yield ANOTHER_CARD, put(changed), Edit("replace", path(at), text, "cut")
    for k, one in reversed([*enumerate(attempts)]):
        if len(attempts) > 1:
            left = [*attempts[:k], *attempts[k + 1 :]]
            twice = k > 0 and one == attempts[k - 1]
            yield TWICE if twice else LEFT_OUT, put(left), Edit("remove", path(k), one, "cut")
        for j in range(k):
            changed = attempts.copy()
            changed[j], changed[k] = one, attempts[j]
            also = (Edit("replace", path(k), attempts[j], "cut"),)
            yield LEFT_OUT, put(changed), Edit("replace", path(j), one, "cut", also=also)
    for n in reversed(range(len(cuts))):
        if len(cuts) > 1:
            rest = [*cuts[:n], *cuts[n + 1 :]]
            twice = n > 0 and cuts[n] == cuts[n - 1]
            edit = Edit("remove", pointer("cuts", n), cuts[n], "cut")
            yield TWICE if twice else LEFT_OUT, rest, edit


def _one_card_away(cards: list[str], pack: Sequence[str]) -> Iterator[str]:
    """An attempt with another card in one place, a card more or a card less."""
    for n in range(len(cards) + 1):
        for card in pack:
            yield " ".join([*cards[:n], card, *cards[n:]])
            if n < len(cards) and card != cards[n]:
                yield " ".join([*cards[:n], card, *cards[n + 1 :]])
        if n < len(cards):
            yield " ".join([*cards[:n], *cards[n + 1 :]])
