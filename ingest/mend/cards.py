"""Edits of the cards a deal was told with: one written wrong, twice, too many or left out.

A card that is not in the pack, or there twice, stands for one that is missing. Where every card is
dealt that one is known; where a reserve is left the play has to tell which of it it was, and with
two faces which of them was up.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ingest.finding.finding import Edit, Finding
from ingest.games import of
from ingest.mend.near import one_letter
from ingest.mend.trial import Stood, Trials
from ingest.text.json import pointer

CODES = ("deck-card", "deck-twice", "deck-size", "hand-card", "hand-twice", "hand-size")
SLIP, CARD = range(2)
"""One letter of a card or one of its faces; any other card."""


# The order of a hand tells nothing: what differs in it alone is one edit.


class Row(NamedTuple):
    """Cards as one string of a deal tells them: its key, the seat where each has one, from 0."""

    key: str
    seat: int | None
    cards: list[str]

    @property
    def path(self) -> str:
        """The pointer from the deal on."""
        return pointer(self.key) if self.seat is None else pointer(self.key, self.seat)


class Change(NamedTuple):
    """A row written otherwise: `card` for `other` as its `n`-th; one of the two may be none."""

    rank: int
    row: Row
    n: int
    other: str
    card: str


def dealt(trials: Trials, deal: int, finding: Finding) -> Edit | None:
    """Another card for the one that cannot be, one card more or one less."""
    rows = _rows(trials.match.deals[deal])
    missing = _missing(trials, rows)
    if len(missing) > 1 and of(trials.game.name).ALL_DEALT:
        return None
    stood: dict[tuple[str, ...], Stood] = {}
    for change in _changes(rows, missing, finding):
        edit, values = _done(rows, deal, change)
        cards = edit.value.split(" ")
        same = (edit.path, *(sorted(cards) if change.row.key == "hands" else cards))
        outcome = None if same in stood else trials.rewritten(deal, **values)
        if trials.spent:
            break
        if outcome is not None:
            stood[same] = Stood(outcome.errors, change.rank, edit)
    return trials.alone(stood.values())


def turned(trials: Trials, deal: int, at: int, finding: Finding) -> Iterator[tuple[int, Edit]]:
    """The card of an action dealt with its other face up: (errors left, edit) where that stands."""
    face, rows = _face(finding), _rows(trials.match.deals[deal])
    for row in rows:
        for n, card in enumerate(row.cards):
            front, _, back = card.partition("/")
            if row.seat is not None and row.seat + 1 == finding.seat and face in (front, back):
                change = Change(SLIP, row, n, card, f"{back}/{front}")
                edit, values = _done(rows, deal, change)
                outcome = trials.rewritten(deal, 0, at, **values)
                if outcome is not None:
                    yield outcome.errors, edit


def undealt(trials: Trials, deal: int, finding: Finding) -> Iterator[tuple[int, Edit]]:
    """(errors left, edit) where a card was played that nobody was dealt, for one of the hand."""
    rows = _rows(trials.match.deals[deal])
    face = _face(finding)
    for other in _missing(trials, rows):
        if face in other.split("/"):
            for row, n, card in _held(rows, finding):
                change = Change(CARD, row, n, card, other)
                yield from _played_out(trials, deal, *_done(rows, deal, change))


def exchanged(trials: Trials, deal: int, finding: Finding) -> Iterator[tuple[int, Edit]]:
    """(errors left, edit) where the card of a play was dealt in place of one of the hand."""
    rows = _rows(trials.match.deals[deal])
    face = _face(finding)
    there = next((card for row in rows for card in row.cards if face in card.split("/")), None)
    if there is not None:
        for _, _, card in _held(rows, finding):
            yield from _played_out(trials, deal, *_exchanged(rows, deal, card, there))


def _face(finding: Finding) -> str:
    return str(finding.found).rpartition(" ")[2]


def _held(rows: list[Row], finding: Finding) -> Iterator[tuple[Row, int, str]]:
    """Where the cards of the hand were dealt, as they were written then."""
    hand = {frozenset(card.split("/")) for card in finding.hand or ()}
    for row in rows:
        for n, card in enumerate(row.cards):
            if frozenset(card.split("/")) in hand:
                yield row, n, card


def _played_out(
    trials: Trials, deal: int, edit: Edit, values: dict[str, Any]
) -> Iterator[tuple[int, Edit]]:
    """The edit of the cards, if the deal then comes to its end."""
    outcome = trials.rewritten(deal, **values)
    if outcome is not None and outcome.ended:
        yield outcome.errors, edit


def _rows(deal: Any) -> list[Row]:
    rows = []
    for key in ("deck", "hands", "talon"):
        told = deal.known(key)
        if isinstance(told, str):
            rows.append(Row(key, None, told.split(" ")))
        elif told is not None:
            rows += [Row(key, seat, hand.split(" ")) for seat, hand in enumerate(told)]
    return rows


def _missing(trials: Trials, rows: list[Row]) -> list[str]:
    """The cards that are nowhere, each in every way to write it."""
    there = {card for row in rows for card in row.cards}
    every = of(trials.game.name).cards(trials.table)
    return [card for ways in every if there.isdisjoint(ways) for card in ways]


def _other_side(card: str) -> str:
    return "/".join(reversed(card.split("/")))


def _changes(rows: list[Row], missing: list[str], finding: Finding) -> Iterator[Change]:
    """Every change that may do: what becomes of the deal is for the trial to say."""
    found = str(finding.found)
    if not finding.code.endswith("-size"):
        alike = {found} if finding.code.endswith("-card") else {found, _other_side(found)}
        for row in rows:
            for n, card in reversed([*enumerate(row.cards)]):
                if card in alike:
                    for other in missing:
                        yield Change(SLIP if _near(card, other) else CARD, row, n, card, other)
                    yield Change(CARD, row, n, card, "")
        return
    for row in rows:
        if not finding.path.endswith(row.path):
            continue
        size = int(finding.legal[0])
        if len(row.cards) == size + 1:
            several = reversed([*enumerate(row.cards)])
            yield from (Change(CARD, row, n, card, "") for n, card in several)
        elif len(row.cards) == size - 1:
            # one place of a hand is as good as another
            places = [size - 1] if row.key == "hands" else range(size)
            yield from (Change(CARD, row, n, "", card) for n in places for card in missing)


def _near(card: str, other: str) -> bool:
    """Whether a card differs by one letter, or by one of two faces."""
    if one_letter(card, other):
        return True
    sides, others = card.split("/"), other.split("/")
    return len(sides) == 2 and (sides[0] == others[0] or sides[1] == others[-1])


def _done(rows: list[Row], index: int, change: Change) -> tuple[Edit, dict[str, Any]]:
    """A change as an edit, and the deal's cards as its keys tell them then."""
    row, n = change.row, change.n
    there = row.cards[n : n + 1] == [change.other]  # two spaces have a card without a sign between
    rest = row.cards[n + 1 :] if there else row.cards[n:]
    cards = [*row.cards[:n], *([change.card] if change.card else []), *rest]
    after = [row._replace(cards=cards) if one is row else one for one in rows]
    return _edit(rows, after, index, "pack", (n + 1, change.other, change.card)), _values(after)


def _exchanged(rows: list[Row], index: int, one: str, other: str) -> tuple[Edit, dict[str, Any]]:
    """Two cards in each other's place, as `_done`."""
    put = {one: other, other: one}
    after = [row._replace(cards=[put.get(card, card) for card in row.cards]) for row in rows]
    return _edit(rows, after, index, "exchange", (0, one, other)), _values(after)


def _edit(
    before: list[Row], after: list[Row], index: int, why: str, cards: tuple[int, str, str]
) -> Edit:
    changed = [row for was, row in zip(before, after, strict=True) if was.cards != row.cards]
    path = pointer("deals", index)
    first, *also = (Edit("replace", path + row.path, " ".join(row.cards), why) for row in changed)
    return replace(first, cards=cards, also=tuple(also))


def _values(rows: list[Row]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for row in rows:
        if row.seat is None:
            values[row.key] = " ".join(row.cards)
        else:
            values.setdefault(row.key, []).append(" ".join(row.cards))
    return values
