"""Edits outside the play: cards, seats, bids, totals, times, cuts.

A value is suggested if the engine determines it, or if it is the only one that leaves no fault. An
unmeasured time, or a card of a cut for which ten others would do, is not suggested.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log
from typing import Any

from engine.games import game_names
from engine.options import game_options, game_presets
from ingest.autofix.card_words import differs_by_one_letter, is_typo_of
from ingest.autofix.error_model import ScoredEdit, misspelling_weight
from ingest.autofix.evaluate import Evaluator
from ingest.findings.finding import ERROR, Edit, Finding
from ingest.games import game_support
from ingest.games.finding_code import EditSearch
from ingest.reader.json_text import json_pointer
from ingest.validate.parse_document import match_of_json
from ingest.validate.slow_path import validate_match

CARD_CHANGED, CARD_REMOVED = 1, 2
"""Ranks of errors in a cut: a wrong card; an extra or exchanged attempt. A duplicate has rank 0."""
KIND_WEIGHT_STEP = 9.0  # log weight by which each rank is less likely than the one before


def word_edit(value: Any, finding: Finding) -> Edit | None:
    """Return an edit to the known game, preset or option value that the found one is a typo of.

    The rest of such a match is not validated, so the word must be a typo of exactly one known word,
    and the edited match must fit the schema.
    """
    keys, what = finding.path.split("/")[1:], finding.detail.get("where")
    if finding.code == "unknown-game":
        known: Any = game_names()
    elif what == "preset":
        known = game_presets(value["game"])
    else:  # no known words for a number or a key
        known = next((one.values or () for one in game_options(value["game"]) if one.name == what), ())
    found = value
    for key in keys:
        found = found.get(key)  # an unknown option with an escaped name is not found
    if not isinstance(found, str):
        return None
    near = [meant for meant in known if is_typo_of(found, str(meant).lower())]
    if len(near) != 1:
        return None

    def put(within: Any, first: str, *rest: str) -> Any:
        return {**within, first: put(within[first], *rest) if rest else near[0]}

    _, left = match_of_json(put(value, *keys))
    if any(one.code == "schema" or one.path == finding.path for one in left):
        return None
    return Edit("replace", finding.path, near[0], "value")


def other_game_edits(value: dict[str, Any], finding: Finding) -> list[Edit]:
    """Return the edits to the game of the cards, and to its rules if the play contradicts those of the log.

    Several presets may leave as few errors as one another: only a referee can decide between them.
    """
    (name,) = finding.legal
    plain = Edit("replace", finding.path, name, "value")
    op = "replace" if "rules" in value else "add"
    edits = {None: plain} | {
        preset: replace(plain, also=(Edit(op, "/rules", preset, "value"),)) for preset in game_presets(name)
    }
    errors: dict[str | None, int] = {}
    for preset in edits:
        match, findings = match_of_json({**value, "game": name, **({"rules": preset} if preset else {})})
        if match is not None:
            findings = validate_match(match, "", findings).findings
            errors[preset] = sum(one.severity == ERROR for one in findings)
    least = [preset for preset, count in errors.items() if count == min(errors.values())]
    return [plain] if None in least else [edits[preset] for preset in least]


def declaration_edit(finding: Finding) -> Edit | None:
    """Return an edit to the engine's value, unless an earlier error may explain the difference."""
    if finding.follows is not None or finding.detail.get("open"):
        return None
    return Edit("replace", finding.path, finding.legal, "value")


def opener_or_bid_edits(evaluator: Evaluator, finding: Finding) -> list[ScoredEdit]:
    """Return edits of a dealer or leader that fit the play, or of a bid card."""
    assert finding.deal_index is not None
    legal = finding.legal if isinstance(finding.legal, list | tuple) else [finding.legal]
    key = finding.path.rpartition("/")[2]
    ways = []
    for one in legal:
        if finding.code_info.edit_search is EditSearch.SEAT:
            edit = Edit("replace", finding.path, int(one), "seat")
            values = {key: edit.value}
        else:
            edit = Edit("replace", finding.path, one, "value")
            bids, at = evaluator.match.deals[finding.deal_index].bids, int(key)
            values = {"bids": [*bids[:at], one, *bids[at + 1 :]]}
        likely = misspelling_weight(str(finding.found), str(edit.value))
        ways.append((values, ScoredEdit(0, likely, edit, edit)))
    return evaluator.deal_edits(
        finding.deal_index, ways, evaluator.game.match_faults.by_code[finding.code].bit
    )


def time_edit(deal: Any, index: int) -> Edit | None:
    """Return an edit that removes an extra time, or sets one that has only one possible value."""
    times, more = deal.times, len(deal.times) - len(deal.actions)
    if more not in (0, 1):
        return None
    # places of times without which the others are in order; one of several equal ones
    back = next((at for at, (a, b) in enumerate(pairwise([0.0, *times])) if b < a), None)
    if back is None:
        places = [*range(len(times))] if len(set(times)) > 1 else [len(times) - 1]
    else:
        left_out = ((at, [0.0, *times[:at], *times[at + 1 :]]) for at in {max(back - 1, 0), back})
        places = [at for at, rest in left_out if rest == sorted(rest)]
    if len(places) != 1:
        return None
    path = json_pointer("deals", index, "times", places[0])
    if more:
        return Edit("remove", path, times[places[0]], "time")
    value = only_time_between(times[: places[0]], times[places[0] + 1 :])
    return None if value is None else Edit("replace", path, value, "value")


def only_time_between(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Return the time between two equal times; None if they differ."""
    first = before[-1] if before else 0.0
    return first if after and after[0] == first else None


def cut_edits(evaluator: Evaluator, finding: Finding) -> list[ScoredEdit]:
    """Return edits of a cut: a card changed, an attempt removed, or two exchanged."""
    # repeated cuts often give the same dealer, so few of these edits are certain
    _, _, i, k = finding.path.split("/")
    stood: dict[str, ScoredEdit] = {}
    for rank, changed, edit in _changed_cuts(evaluator, evaluator.match.cuts, int(i), int(k)):
        errors = evaluator.errors_with_cuts(finding.code, finding.path, changed)
        if evaluator.is_exhausted:
            return []
        if errors is not None:
            makes = repr(changed)
            stood.setdefault(makes, ScoredEdit(errors, -KIND_WEIGHT_STEP * rank, edit, makes))
    return [*stood.values()]


def _changed_cuts(
    evaluator: Evaluator, cuts: list[list[str]], place: int, at: int
) -> Iterator[tuple[int, list[list[str]], Edit]]:
    """Yield (rank of the error, cuts, edit) for every cut with one change."""
    attempts = cuts[place]

    def put(changed: list[str]) -> list[list[str]]:
        return [*cuts[:place], changed, *cuts[place + 1 :]]

    def path(k: int) -> str:
        return json_pointer("cuts", place, k)

    cards, pack = attempts[at].split(" "), evaluator.game.pack.names
    for n in range(len(cards) + 1):
        here, rest = cards[n : n + 1], cards[n + 1 :]
        ways = list[list[str]]()
        for card in pack:  # a card inserted or replaced
            ways += [[card, *here], [card]] if here not in ([], [card]) else [[card, *here]]
        if here:  # a card removed
            ways.append([])
        for way in ways:
            text = " ".join([*cards[:n], *way, *rest])
            changed = [*attempts[:at], text, *attempts[at + 1 :]]
            yield CARD_CHANGED, put(changed), Edit("replace", path(at), text, "cut")
    for k, one in reversed([*enumerate(attempts)]):
        if len(attempts) > 1:
            left = [*attempts[:k], *attempts[k + 1 :]]
            repeated = k > 0 and one == attempts[k - 1]
            yield 0 if repeated else CARD_REMOVED, put(left), Edit("remove", path(k), one, "cut")
        for j in range(k):
            changed = attempts.copy()
            changed[j], changed[k] = one, attempts[j]
            also = (Edit("replace", path(k), attempts[j], "cut"),)
            yield CARD_REMOVED, put(changed), Edit("replace", path(j), one, "cut", also=also)
    for n in reversed(range(len(cuts))):
        if len(cuts) > 1:
            rest_of = [*cuts[:n], *cuts[n + 1 :]]
            repeated = n > 0 and cuts[n] == cuts[n - 1]
            edit = Edit("remove", json_pointer("cuts", n), cuts[n], "cut")
            yield 0 if repeated else CARD_REMOVED, rest_of, edit


CardRows = dict[str, list[str]]
"""The cards of a deal by their path within the deal, such as `/hands/0` or `/talon`, in format
order."""


def dealt_card_edits(evaluator: Evaluator, deal: int, finding: Finding) -> list[ScoredEdit]:
    """Return edits that replace an impossible card, or add or remove one.

    A card that is not in the pack, or a duplicate, replaces a missing one. If all cards are dealt,
    that one is known; else the play must determine which undealt card it was, and with two faces
    which one was up.
    """
    rows, own = _card_rows(evaluator.match.deals[deal]), game_support(evaluator.game.name)
    there = {card for row in rows.values() for card in row}
    cards = own.card_spellings(evaluator.setup)
    missing = [card for ways in cards if there.isdisjoint(ways) for card in ways]
    if len(missing) > 1 and own.ALL_CARDS_DEALT:
        return []

    def ways() -> Iterator[tuple[dict[str, Any], ScoredEdit]]:
        for path, n, other, card in _card_changes(rows, missing, finding):
            row = rows[path]  # two spaces enclose an empty card
            rest = row[n + 1 :] if row[n : n + 1] == [other] else row[n:]
            after = rows | {path: [*row[:n], *([card] if card else []), *rest]}
            values: dict[str, Any] = {}
            for where, result in after.items():
                key, _, seat = where[1:].partition("/")
                if seat:
                    values.setdefault(key, []).append(" ".join(result))
                else:
                    values[key] = " ".join(result)
            # the order of a hand has no meaning: edits that differ only in it are equal
            hands = [sorted(row) if where.count("/") > 1 else row for where, row in after.items()]
            edit = _edit_of_rows(rows, after, deal, "pack", (n + 1, other, card))
            # one letter differs, or one of two faces
            sides, others = other.split("/"), card.split("/")
            side = len(sides) == 2 and (sides[0] == others[0] or sides[1] == others[-1])
            near = card and other and (side or differs_by_one_letter(other, card))
            weight = log(0.7 / 4) if near else log(0.005 / 80)
            yield values, ScoredEdit(0, weight, edit, tuple(map(tuple, hands)))

    return evaluator.deal_edits(deal, ways())


def _card_rows(deal: Any) -> CardRows:
    rows: CardRows = {}
    for key in ("deck", "hands", "talon"):
        result = deal.known(key)
        if isinstance(result, str):
            rows[json_pointer(key)] = result.split(" ")
        elif result is not None:
            rows |= {json_pointer(key, seat): hand.split(" ") for seat, hand in enumerate(result)}
    return rows


def _card_changes(
    rows: CardRows, missing: list[str], finding: Finding
) -> Iterator[tuple[str, int, str, str]]:
    """Yield (path, place, old card, new card) of possible changes; either card may be empty."""
    found = str(finding.found)
    if not finding.code.endswith("-size"):
        alike = {found}
        if finding.code.startswith("duplicate-"):  # or the card turned over
            alike.add("/".join(reversed(found.split("/"))))
        for path, row in rows.items():
            for n, card in reversed([*enumerate(row)]):
                if card in alike:
                    yield from ((path, n, card, other) for other in (*missing, ""))
        return
    for path, row in rows.items():
        if not finding.path.endswith(path):
            continue
        size = int(finding.legal[0])
        if len(row) == size + 1:
            yield from ((path, n, card, "") for n, card in reversed([*enumerate(row)]))
        elif len(row) == size - 1:
            # the place in a hand does not matter
            places = [size - 1] if path.startswith("/hands") else range(size)
            yield from ((path, n, "", card) for n in places for card in missing)


def replaced_card_edit(deal: Any, index: int, card: str, other: str, exchanged: bool) -> Edit:
    """Return the edit that replaces a dealt card, or exchanges two."""
    rows, put = _card_rows(deal), {card: other, other: card} if exchanged else {card: other}
    after = {path: [put.get(one, one) for one in row] for path, row in rows.items()}
    if exchanged:
        return _edit_of_rows(rows, after, index, "exchange", (0, card, other))
    place = next(row.index(card) for row in rows.values() if card in row)
    return _edit_of_rows(rows, after, index, "pack", (place + 1, card, other))


def _edit_of_rows(
    before: CardRows, after: CardRows, index: int, reason: str, cards: tuple[int, str, str]
) -> Edit:
    path = json_pointer("deals", index)
    other = ((where, " ".join(row)) for where, row in after.items() if row != before[where])
    first, *also = (Edit("replace", path + where, text, reason) for where, text in other)
    return replace(first, cards=cards, also=tuple(also))
