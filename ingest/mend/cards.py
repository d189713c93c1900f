"""Edits of the cards a deal was told with: one written wrong, twice, too many or left out.

A card that is not in the pack, or there twice, stands for one that is missing. Where every card is
dealt that one is known; where a reserve is left the play has to tell which of it it was, and with
two faces which of them was up.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import log
from typing import Any, NamedTuple

from ingest.finding.finding import Edit, Finding
from ingest.games import of
from ingest.mend.choice import Stood
from ingest.mend.near import one_letter
from ingest.mend.trial import Trials, Way
from ingest.text.json import pointer

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


def dealt(trials: Trials, deal: int, finding: Finding) -> list[Stood]:
    """Another card for the one that cannot be, one card more or one less."""
    rows = rows_of(trials.match.deals[deal])
    missing = _missing(trials, rows)
    if len(missing) > 1 and of(trials.game.name).ALL_DEALT:
        return []
    return trials.stood(deal, _ways(rows, deal, _changes(rows, missing, finding)))


def _ways(rows: list[Row], deal: int, changes: Iterator[Change]) -> Iterator[Way]:
    """Changes of cards as ways to write the deal."""
    for change in changes:
        edit, values = done(rows, deal, change)
        weight = log(0.7 / 4) if change.rank == SLIP else log(0.005 / 80)
        yield Way(values, edit, weight, same(values))


def rows_of(deal: Any) -> list[Row]:
    """The strings of a deal that tell its cards, in the order of the format."""
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


def done(rows: list[Row], index: int, change: Change) -> tuple[Edit, dict[str, Any]]:
    """A change as an edit, and the deal's cards as its keys tell them then."""
    row, n = change.row, change.n
    there = row.cards[n : n + 1] == [change.other]  # two spaces have a card without a sign between
    rest = row.cards[n + 1 :] if there else row.cards[n:]
    cards = [*row.cards[:n], *([change.card] if change.card else []), *rest]
    after = [row._replace(cards=cards) if one is row else one for one in rows]
    return _edit(rows, after, index, "pack", (n + 1, change.other, change.card)), _values(after)


def exchanged(rows: list[Row], index: int, one: str, other: str) -> tuple[Edit, dict[str, Any]]:
    """Two cards in each other's place, as `done`."""
    put = {one: other, other: one}
    after = [row._replace(cards=[put.get(card, card) for card in row.cards]) for row in rows]
    return _edit(rows, after, index, "exchange", (0, one, other)), _values(after)


def rewritten(rows: list[Row], index: int, card: str, other: str) -> tuple[Edit, dict[str, Any]]:
    """Another card where one is told, as `done`. KeyError: it is told nowhere."""
    for row in rows:
        for n, one in enumerate(row.cards):
            if one == card:
                return done(rows, index, Change(CARD, row, n, card, other))
    raise KeyError(card)


def same(values: dict[str, Any]) -> tuple[Any, ...]:
    """Equal for cards that are the same deal: the order of a hand tells nothing."""
    told = {key: value for key, value in values.items() if key != "hands"}
    hands = [tuple(sorted(hand.split(" "))) for hand in values.get("hands", ())]
    return tuple(sorted(told.items())), tuple(hands)


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
