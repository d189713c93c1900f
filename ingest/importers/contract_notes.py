"""Reads deals noted from memory: their declarer, their contract, and whether it was made.

Such notes name no dealer and no card. Each contract whose end is certain becomes a line of a score
sheet without a dealer, with its sentence as a remark; the seats only show who plays with whom.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from engine.cards import SYMBOLS
from engine.games import game as game_of
from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers.headings import DEAL_LABELS
from ingest.importers.import_result import ImportResult, Question, UnreadLine
from ingest.importers.notes_lines import COMMENT_MARK, NoteLine
from ingest.importers.notes_words import TEAM_WORDS, Role, roles_of
from ingest.importers.result_notes import read_result_line
from ingest.importers.result_rows import SIDES
from ingest.importers.source_map import SourceMap, SourcePart
from ingest.importers.tokenizer import (
    Token,
    TokenReader,
    make_reader,
    parse_player,
    player_name,
    seat_of_name,
    split_names,
    words_in,
)

MADE_OR_NOT = N_("“{read}”: was the contract made? The deal stays out until you answer.")
WHOSE_SCORE = N_("“{read}”: whose points come first? Until you answer, this result stays out.")
_ORDINAL = re.compile(
    r"\s*(?:(?:donne|deal|partie|manche)\s*(?:n°\s*)?\d+|\d+\s*(?:er|[èe]re|re|e|è|[èe]me|st|nd|rd|th)?)\s*[.):–-]\s*",
    re.IGNORECASE,
)
_MADE = ("fait", "faite", "passe", "passee", "reussi", "reussie", "reussit", "made", "tenu", "tenue")
_FAILED = ("chute", "chutee", "chutent", "dedans", "rate", "ratee", "down", "failed", "perdu", "perdue")
_DOUBLED = {
    2: ("surcoinche", "surcoinchee", "surcontre", "surcontree", "redoubled"),
    1: (fold_case_and_accents("coinché"), "coinchee", "contre", "contree", "doubled"),
}
_FOR_TEAM = re.compile(r"\bpour\s+(\w+)")
_PAIR = re.compile(r"(?<!\d)(\d{1,4})\s*(?:[-–—/]|à|a|to)\s*(\d{1,4})(?!\d)")
_AT_END = re.compile(r"\b(?:total|fin|finir|final|finale|score|résultat|end|result)\b", re.IGNORECASE)


class _Contract(NamedTuple):
    """A contract in a line: the seats count from 0; None: the line does not show it."""

    line: NoteLine
    seat: int | None
    act: str
    doubled: int
    is_made: bool | None
    team: str  # « nous », « eux »; empty if the line names none
    running: tuple[int, int] | None  # the score of the match so far

    @property
    def side(self) -> int | None:
        """The side that won the deal by its contract, from 0."""
        known = self.seat is not None and self.is_made is not None
        return (self.seat + (not self.is_made)) % SIDES if known and self.seat is not None else None


@dataclass
class _Memory:
    contracts: list[_Contract] = field(default_factory=list)
    result: NoteLine | None = None
    remarks: list[NoteLine] = field(default_factory=list)


def read_contracts(
    lines: Sequence[NoteLine], head: dict[str, Any], sides: Sequence[Sequence[str]], found: ImportResult
) -> bool:
    """Add the match of lines with contracts; False, with nothing added, if some lines are of another kind."""
    players = head.get("players") or _seated(sides)
    if len(players) != 2 * SIDES or game_of(head["game"]).side_count(len(players)) != SIDES:
        return False
    reader = make_reader({**head, "players": players}, (line.body for line in lines))
    if isinstance(reader, list) or game_support(head["game"]).score_line_of(["1 bid 100h"]) is None:
        return False
    memory = _Memory()
    for line in _whole_lines(lines):
        if _names_cards_or_dealer(line, players):
            return False
        if line.is_comment:
            memory.remarks.append(line)
        elif (one := _contract_in(line, players, reader)) is not None:
            if not one.act:
                return False
            memory.contracts.append(one)
        elif _is_result(line, players):
            if memory.result is not None:
                return False
            memory.result = line
        else:
            memory.remarks.append(line)
    if not any(one.side is not None for one in memory.contracts) or not _is_order_known(memory):
        return False
    _add(memory, {**head, "players": players}, found)
    return True


def _seated(sides: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    if [len(side) for side in sides] != [SIDES, SIDES]:
        return []
    return [parse_player(name) for pair in zip(*sides, strict=True) for name in pair]


def _whole_lines(lines: Sequence[NoteLine]) -> list[NoteLine]:
    """Join the sentences of each line."""
    whole: list[NoteLine] = []
    for line in lines:
        if whole and whole[-1].number == line.number and not (line.is_comment or whole[-1].is_comment):
            first = whole[-1]
            gap = max(line.first_column - first.first_column - len(first.text), 1)
            text = first.text + (". " if gap > 1 else " ").ljust(gap) + line.text
            whole[-1] = first._replace(text=text, body=text, column=first.first_column, label="")
        else:
            whole.append(line._replace(body=line.text, column=line.first_column, label=""))
    return whole


def _names_cards_or_dealer(line: NoteLine, players: Sequence[dict[str, str]]) -> bool:
    words = [*words_in(line.text)]
    label = fold_case_and_accents(line.text.partition(":")[0].strip())
    has_card = re.search(rf"(?:10|[7-9AKQJTRDV])\ufe0f?[{''.join(SYMBOLS.values())}]", line.text) is not None
    deals = any(Role.DEAL in roles_of(one) for one in words) and not _ORDINAL.match(line.text)
    return deals or label in DEAL_LABELS or has_card


def _contract_in(line: NoteLine, players: Sequence[dict[str, str]], reader: TokenReader) -> _Contract | None:
    start = found.end() if (found := _ORDINAL.match(line.text)) else 0
    words = [*words_in(line.text[start:])]
    seat: int | None = None
    for place, word in enumerate(words):
        bid, count = _bid_at(words, place, reader)
        if bid:
            after = words[place + count :]
            return _with_end(line, seat, "" if _has_auction(after, players, reader) else bid, after)
        for size in (2, 1):
            text = " ".join(one.text for one in words[place : place + size])
            if seat is None and (named := seat_of_name(text, players, allow_prefix=True)) is not None:
                seat = named
        if roles_of(word) & {Role.NOT, Role.DOUBT}:
            seat = None
    return None


def _bid_at(words: Sequence[Token], place: int, reader: TokenReader) -> tuple[str, int]:
    """Return the one bid with a suit or a number at a place, and the number of its words; else empty."""
    meant = reader.interpret(words, place, reader.acts_meant)
    is_bid = len(meant.meanings) == 1 and reader.act_kind(meant.meanings[0]) == "bid"
    names_suit = any(not (sign.isdigit() or sign.isspace()) for sign in meant.text)
    is_whole = names_suit and not meant.text.isalpha() and _PAIR.search(meant.text) is None
    return (meant.meanings[0], meant.word_count) if is_bid and is_whole else ("", 1)


def _has_auction(after: Sequence[Token], players: Sequence[dict[str, str]], reader: TokenReader) -> bool:
    """Return whether another bid, or a player who passes, follows a bid."""
    others = any(_bid_at(after, place, reader)[0] for place in range(len(after)))
    return others or any(
        word.plain.startswith("pass")
        and word.follows_directly
        and seat_of_name(before.text, players, allow_prefix=True) is not None
        for before, word in pairwise(after)
    )


def _with_end(line: NoteLine, seat: int | None, act: str, after: Sequence[Token]) -> _Contract:
    plain = [one.plain for one in after]
    doubled = next((times for times, words in _DOUBLED.items() if {*words} & {*plain}), 0)
    made, failed = (any(one in ends for one in plain) for ends in (_MADE, _FAILED))
    if any(Role.NOT in roles_of(one) for one in after):
        made = failed = False
    team = next((one for one in _FOR_TEAM.findall(fold_case_and_accents(line.text)) if one in TEAM_WORDS), "")
    pair = _PAIR.search(line.text)
    running = (int(pair[1]), int(pair[2])) if pair else None
    return _Contract(line, seat, act, doubled, made if made != failed else None, team, running)


def _is_result(line: NoteLine, players: Sequence[dict[str, str]]) -> bool:
    result = read_result_line(line)
    named = result is not None and result.score is not None and _sides_of(result.sides, players) is not None
    return named or (_PAIR.search(line.text) is not None and _AT_END.search(line.text) is not None)


def _sides_of(texts: Sequence[str], players: Sequence[dict[str, str]]) -> list[int] | None:
    """Return the two different sides that texts name, from 0."""
    sides = []
    for text in texts:
        seats = [seat_of_name(name, players, allow_prefix=True) for name in split_names(text, 2) or [text]]
        own = {None if seat is None else seat % SIDES for seat in seats}
        if len(own) != 1 or None in own:
            return None
        sides += [side for side in own if side is not None]
    return sides if sorted(sides) == [0, 1] else None


def _first_side(contracts: Sequence[_Contract]) -> int | None:
    """Return the side whose points come first in scores so far, if each fits the contract that was made."""
    scores = [((0, 0), None), *((one.running, one.side) for one in contracts if one.running)]
    firsts = set[int | None]()
    for (before, _), (now, side) in pairwise(scores):
        grown = [at for at in range(SIDES) if before and now and now[at] > before[at]]
        if side is None or len(grown) != 1 or (before and now and now[1 - grown[0]] < before[1 - grown[0]]):
            return None
        firsts.add(side if grown[0] == 0 else 1 - side)
    return firsts.pop() if len(firsts) == 1 else None


def _is_order_known(memory: _Memory) -> bool:
    """Return whether two numbers of a contract are certain to be the score so far, or there are none.

    Words such as « nous » have to agree with each other, too.
    """
    named = any(one.team and one.side is not None for one in memory.contracts)
    if named and not _teams(memory.contracts):
        return False
    return not any(one.running for one in memory.contracts) or _first_side(memory.contracts) is not None


def _add(memory: _Memory, head: dict[str, Any], found: ImportResult) -> None:
    names, teams = [player_name(one) for one in head["players"]], _teams(memory.contracts)
    log: dict[str, Any] = {**head, "deals": []}
    parts, numbers = [], list[int]()
    for one in memory.contracts:
        side = one.side if one.side is not None else teams.get(one.team)
        if side is None:
            memory.remarks.append(one.line)
            if one.seat is not None:
                text = one.line.text.rstrip(" .!")
                answers = (f"{text}, fait", f"{text}, chute")
                where = (one.line.number, one.line.first_column, one.line.text)
                found.questions.append(Question(*where, MADE_OR_NOT, answers=answers))
            continue
        deal: dict[str, Any] = {"winner": side + 1}
        if one.seat is not None:
            line = game_support(head["game"]).score_line_of([f"{one.seat + 1} {one.act}"])
            assert line is not None
            line["contract"] |= {key: one.doubled for key in line["contract"] if key != "bid"}
            deal["score_line"] = line
        log["deals"].append({**deal, "comments": [{"after": 0, "text": one.line.text}]})
        parts.append(SourcePart(str(one.line.number)))
        numbers.append(one.line.number)
    if memory.result is not None:
        _add_result(memory.result, _first_side(memory.contracts), names, log, found)
    for remark in sorted(memory.remarks, key=lambda line: line.number):
        text, earlier = remark.text.lstrip(f"{COMMENT_MARK} "), [at for at in numbers if at < remark.number]
        if log["deals"]:
            deal = log["deals"][max(len(earlier) - 1, 0)]
            deal["comments"].append({"after": 0, "text": text})
        if not remark.is_comment:
            found.unread.append(UnreadLine(remark.number, text, is_stored=bool(log["deals"])))
    if log["deals"] or "result" in log:
        found.logs.append(log)
        found.origins.append(SourceMap(SourcePart(str(memory.contracts[0].line.number)), tuple(parts)))


def _teams(contracts: Sequence[_Contract]) -> dict[str, int]:
    """Return word → side, from 0, for words such as “us”, if contracts with these words agree."""
    shown = {(TEAM_WORDS[one.team] ^ one.side) for one in contracts if one.team and one.side is not None}
    return {word: TEAM_WORDS[word] ^ shown.copy().pop() for word in TEAM_WORDS} if len(shown) == 1 else {}


def _add_result(
    line: NoteLine, first: int | None, names: Sequence[str], log: dict[str, Any], found: ImportResult
) -> None:
    result = read_result_line(line)
    sides = _sides_of(result.sides, log["players"]) if result else None
    if result is not None and result.score and sides is not None:
        log["result"] = {"score": [result.score[sides.index(side)] for side in range(SIDES)]}
        if result.winner:
            log["result"]["winner"] = sides[result.winner - 1] + 1
        return
    pair = _PAIR.search(line.text)
    assert pair is not None
    score = [int(pair[1]), int(pair[2])]
    if first is None:
        one, other = (" et ".join(names[side::SIDES]) for side in range(SIDES))
        answers = tuple(f"{one} {low} - {high} {other}" for low, high in (score, score[::-1]))
        where = (line.number, line.first_column, line.text)
        found.questions.append(Question(*where, WHOSE_SCORE, answers=answers))
        found.unread.append(UnreadLine(line.number, line.text, is_stored=False))
        return
    log["result"] = {"score": score if first == 0 else score[::-1]}
