"""Reads results from lines of notes: « Anne a battu Bob 3-1 », “A and B beat C and D 1010 to 640”.

If all lines of a match are results, each line is a match of its own. Points that a deal may end
with are left to the parser of deals.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import category

from engine.cards import SYMBOLS
from engine.games import game as game_of
from engine.games import game_names
from ingest.autofix.card_words import fold_case_and_accents
from ingest.i18n import N_
from ingest.importers.deal_notes import HAND_PATTERN
from ingest.importers.headings import DEAL_LABELS
from ingest.importers.import_result import UNKNOWN, ImportResult, Question, UnreadLine
from ingest.importers.notes_lines import HEADING_PATTERN, NoteLine, are_totals
from ingest.importers.notes_words import TEAM_WORDS, Role, names_match, roles_of
from ingest.importers.result_rows import (
    DRAWN,
    NOT_THE_WINNERS,
    SIDES,
    WHO_ARE_THEY,
    may_be_deal,
    result_of_match,
)
from ingest.importers.source_map import SourceMap, SourcePart
from ingest.importers.spoken_numbers import NUMBER_WORDS, number_of
from ingest.importers.tokenizer import DASH, find_game, parse_player, seat_of_name, split_names, words_in
from ingest.importers.written_dates import WEEKDAY_NUMBERS, end_of_first_date, find_date, is_date_word

_BRACKET = r"\((?:\s*id\s*:[^()]*|[^\d()]*)\)"  # part of a name: « Paul (invité) »
_NAMES = rf"[^\W\d_](?:[^\d:;()]|{_BRACKET})*?"
_NOUN = r"(?:\s*(?:manches?|parties?|points?|pts|sets?|games?)\b)?"
_NUMBER = rf"(?:\d{{1,4}}(?![ .]\d{{3}}(?!\d))|[1-9][ .]\d{{3}}(?!\d)|{NUMBER_WORDS})"  # « 1 010 », « 1.010 »
_SCORE = rf"(?P<one>{_NUMBER}){_NOUN}\s*(?:{DASH}|[/:]|\bà\b|\ba\b|\bto\b)\s*(?P<two>{_NUMBER}){_NOUN}"
_BEFORE = r"[\s,:(]*(?:(?:par|sur le score de|sur un score de|with|by)\s+)?"
_AGAINST = r"(?:contre|face à|devant|against|over|vs\.?|versus)"
_EASILY = (
    r"(?:\s+(?:encore|aussi|enfin|facilement|largement|nettement|finalement|again|also|easily|narrowly))?"
)
_MATCH = (
    r"(?:\s+(?:le|la|the|leur|son|sa|their)"
    r"\s+(?:match|rencontre|partie|finale|final|demi-finale|belle|revanche))?"
)
_WINS = (
    rf"(?:(?:a|ont){_EASILY}\s+(?:gagné|remporté)|gagne(?:nt)?|remporte(?:nt)?|won|wins?"
    rf"|l'(?:a\s+|ont\s+)?emport(?:é|ent|e)|s'impos(?:ent|e)|triomph(?:ent|e))"
)
_LOSES = rf"(?:(?:a|ont){_EASILY}\s+perdu|perd|perdent|lost|loses?|s'incline|s'inclinent)"
_IS = r"(?:est|sont|a été|ont été|fut|is|are|was|were)"
_BEATEN = r"(?:(?:battu|vaincu|éliminé|écrasé|dominé|devancé)e?s?|beaten|defeated)"
_BEATS = (
    rf"(?:(?:a|ont|avait|avaient|has|have){_EASILY}\s+{_BEATEN}"
    r"|(?:bat|battent|battait|battaient|beats?|defeats?|defeated)"
    r"|(?:élimine|écrase|domine|devance)(?:nt)?)"
)
_WON = (
    rf"(?P<won>{_BEATS}{_EASILY}|{_WINS}{_EASILY}{_MATCH}\s+(?:{_AGAINST}|sur)"
    rf"|(?:(?:viennent|vient)\s+à\s+bout|dispos(?:ent|e)|triomph(?:ent|e))\s+d(?:e|')"
    rf"|(?:{_IS}\s+)?vainqueure?s?\s+(?:de|{_AGAINST}))"
)
_LOST = (
    rf"(?P<lost>{_LOSES}{_EASILY}{_MATCH}\s+(?:{_AGAINST}|to)"
    rf"|(?:(?:{_IS}\s+)?{_BEATEN}|se\s+f(?:ai|on)t\s+battre)\s+(?:par|by))"
)
_WON_BY, _LOST_BY = rf"(?P<won>{_WINS}){_EASILY}{_MATCH}", rf"(?P<lost>{_LOSES}){_EASILY}{_MATCH}"
_VICTORY = r"(?P<won>victoire|win|victory)\s+(?:de\s+|d'|for\s+|of\s+|by\s+)"
_DEFEAT = r"(?P<lost>défaite|loss|defeat)\s+(?:de\s+|d'|for\s+|of\s+)"
_LEFT, _RIGHT = f"(?P<left>{_NAMES})", f"(?P<right>{_NAMES})"
_LUCK = r"(?:pas\s+de\s+(?:chance|bol|veine|pot)|(?:bad|hard|tough)\s+luck|dommage)\s+(?:pour|for)"
_MEETS = (
    r"(?:(?:jou|affront|rencontr)(?:ent|e|aient|ait)|(?:a|ont)\s+(?:joué|affronté|rencontré)|plays?|played)"
)
_GAP = r"(?:(?<=d')|\s+)"
_THEM = r"(?P<them>l'|(?:la|le|les)\s+)"
_THEM_PATTERN = re.compile(_THEM + _BEATS, re.IGNORECASE)
_AT_END = rf"(?:{_BEFORE}{_SCORE}\)?)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_LUCK}\s+{_RIGHT}\s*(?:[,;:!.]|{DASH})\s*{_LEFT}\s+{_THEM}(?P<won>{_BEATS}){_EASILY}{_AT_END}",
        rf"{_LEFT}\s+(?:{_MEETS}\s+(?:{_AGAINST}\s+)?|{_AGAINST}\s+){_RIGHT}\s*[,:]\s*"
        rf"(?:victoire\s+(?:de\s+|d'))?(?P<who>{_NAMES})(?:\s+{_WINS}{_EASILY}{_MATCH})?{_AT_END}",
        rf"{_LEFT}\s+(?:{_MEETS}\s+(?:{_AGAINST}\s+)?|{_AGAINST}\s+|{DASH}\s+){_RIGHT}[\s,:(]+{_SCORE}\)?"
        rf"\s*,?\s+(?:pour|en\s+faveur\s+d(?:e|')|for){_GAP}(?P<who>{_NAMES})",
        rf"{_LEFT}\s+{_MEETS}\s+(?:{_AGAINST}\s+)?{_RIGHT}\s*(?:,\s*)?(?:et|and)\s+"
        rf"(?:(?P<won>{_WINS}|(?:l'|l[ea]s?\s+){_BEATS})|(?P<lost>{_LOSES})){_EASILY}{_MATCH}{_AT_END}",
        rf"{_SCORE}\s*,?\s+(?P<won>pour|en\s+faveur\s+d(?:e|')|for){_GAP}{_LEFT}(?:\s+{_AGAINST}\s+{_RIGHT})?",
        rf"{_LEFT}\s+{_THEM}(?P<won>{_BEATS}){_EASILY}{_AT_END}",
        rf"{_VICTORY}{_LEFT}\s+(?:{_AGAINST}|sur)\s+{_RIGHT}{_AT_END}",
        rf"{_DEFEAT}{_LEFT}\s+(?:{_AGAINST}|to)\s+{_RIGHT}{_AT_END}",
        rf"{_LEFT}\s+(?:{_WON}|{_LOST}){_GAP}{_RIGHT}{_AT_END}",
        rf"{_LEFT}\s+(?:{_WON_BY}|{_LOST_BY}){_BEFORE}{_SCORE}\)?\s+(?:{_AGAINST}|sur)\s+{_RIGHT}",
        rf"{_LEFT}\s+{_AGAINST}\s+{_RIGHT}[\s,:(]+{_SCORE}\)?",
        rf"{_LEFT}\s+{DASH}\s+{_RIGHT}[\s,:(]+{_SCORE}\)?",
        rf"{_LEFT}\s*/\s*{_RIGHT}[\s,:(]+{_SCORE}\)?",
        rf"{_LEFT}[\s,:(]+{_SCORE}\)?\s+{_RIGHT}",
        rf"{_LEFT}[\s:]+(?P<one>\d{{1,4}})\s*(?:{DASH}|[,/])?\s*{_RIGHT}[\s:]+(?P<two>\d{{1,4}})",
        rf"{_LEFT}\s+(?:{_WON_BY}|{_LOST_BY}){_BEFORE}{_SCORE}\)?",
    )
)
_IN_THOUSANDS = re.compile(r"(?<=\d)[ .](?=\d)")
_ORDINAL = (
    r"(?:\d+(?:[eèé]?re?|d|nde?|[eè](?:me)?|st|th)|premi[eè]re?|deuxi[eè]me|seconde?|troisi[eè]me"
    r"|derni[eè]re?|first|second|third|last)"
)
_BULLET = re.compile(
    rf"\s*(?:{DASH}|[•*·]|\d+\s*[.)]"
    r"|(?:match|rencontre|game|table\s+(?P<table>\d+)"
    rf"|(?:la\s+|the\s+)?(?:{_ORDINAL}(?:\s+(?:partie|rencontre|manche|match|game))?|revanche|belle)"
    r"|(?:tour|ronde|round)\s+(?:n°\s*)?(?P<number>\d+)"
    r"|(?P<round>(?:quarts?\s+de\s+|demi-|petite\s+)?finales?|(?:semi-)?final))(?:\s+\d+)?\s*[:.–-])\s+",
    re.I,
)
_ROUND = re.compile(
    r"(?:(?P<one>\d+)\s*(?:er|re|e|ème|st|nd|rd|th)\s+(?:tour|ronde|round)"
    r"|(?:tour|ronde|round)\s+(?:n°\s*)?(?P<two>\d+))\s*[:.]?",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\s*[;,]\s*(?:(?:et|and|puis|then)\s+)*|\s+(?:puis|then)\s+", re.IGNORECASE)
_HOUR = re.compile(r",?\s+(?:(?:à|at)\s+)?\d{1,2}(?:[:hH]\d{2}(?::\d{2})?|[hH])(?!\w)")  # behind a day
_AFTER_DAY = re.compile(rf"[\s,:]*(?:{DASH}\s+)?")
_LEAD = re.compile(
    r"(?:(?i:et|puis|ensuite|enfin|alors|donc|bon|bref|ok|bravo|and|then|so|well)\b[\s,:!]*)+(?=[^\W\d_a-zà-ÿ])"
)
"""Words before a sentence that mean nothing for the result."""
_END_MARKS = " .!…"
_SUITS = {*SYMBOLS.values()}
_SIGNS = ("So", "Sk", "Cf", "Mn")  # Unicode categories of emoji and their parts
_CORRECTS = re.compile(
    r"\b(?:erreur|rectificati(?:f|on)|correction|pardon|oups|en fait|mistake|sorry|actually)\b", re.IGNORECASE
)
_IN_ENGLISH = re.compile(r"\b(?:mistake|sorry|actually)\b", re.IGNORECASE)
_TWO_NUMBERS = re.compile(_SCORE, re.IGNORECASE)
CORRECTION_LABEL = "correction"
IS_IT_THE_SAME = N_("“{read}” is in a message of {could} too. Is it the same match, or another (“Match 2”)?")
IS_IT_CORRECTED = N_("“{read}”: does it correct “{could}”? Until you answer, that result stays out.")
MAX_TALK_NUMBERS, MIN_TALK_WORDS = 1, 5  # a line of a chat that is not a result
_DAYS = ("hier", "avant-hier", "aujourd'hui", "demain", "yesterday", "today", "tonight")
_PRONOUNS = ("moi", "lui", "elle", "je", "tu", "il", "i", "me", "him", "her", "you", "he", "she")
_NO_NAMES = {*TEAM_WORDS, *WEEKDAY_NUMBERS, *_DAYS, *_PRONOUNS}
_MAX_NAME_WORDS = 3
_HYPHEN = re.compile(rf"(?<=\w){DASH}(?=\w)")  # within a name
_PARTICLES = re.compile(
    r"(?:(?<!\S)(?:[Dd](?:e|u|es)|[Ll][ae]|[Vv][ao]n)\s+|(?<![^\W_])[dlDL]['’ʼ])+(?=[^\W\d_a-zà-ÿ])"
)
"""« de La » in a name, before a capital."""
_LAST_DEAL = re.compile(r"\b(?:dernière|last)\s+(?:donne|deal)\b", re.IGNORECASE)
"""Words of a remark on a match, not of a deal’s record."""
_OUTCOMES = {Role.WIN, Role.LOSE}
RESULT_EXAMPLE = N_("{who} beats {other} 3-1")
WHOM = N_("“{read}”: whom? Write the name, as in: {could}.")


class ResultLine(NamedTuple):
    """A match's result in a line: two sides, points in their order, and the side that won."""

    line: NoteLine
    sides: tuple[str, str]  # the second is empty if the line names one side
    score: tuple[int, int] | None
    score_text: str
    winner: int | None  # from 1
    event: dict[str, str]  # its table and round
    beats: str = ""  # « la bat », « gagnent », if nothing else in the line says whom


def read_result_line(line: NoteLine) -> ResultLine | None:
    """Read a line that is a result, and nothing else."""
    start = len(line.text) - len(_without_signs(line.text[::-1]))
    bullet = _BULLET.match(line.text, start)
    start = bullet.end() if bullet else start
    if lead := _LEAD.match(line.text, start):
        start = lead.end()
    written = line.text[start:]
    text = _without_signs(written.replace("’", "'").replace("ʼ", "'"))
    for form in _FORMS if find_date(text) is None else ():
        if (found := form.fullmatch(text)) is None:
            continue
        parts = found.groupdict()
        left, right, who, them = (
            written[slice(*found.span(one))].strip(" ,") if parts.get(one) else ""
            for one in ("left", "right", "who", "them")
        )
        sides = left, right
        if not all(map(_is_side, filter(None, sides))) or (who and who not in sides):
            continue
        score = (_number(parts["one"]), _number(parts["two"])) if parts["one"] else None
        winner = 1 if parts.get("won") else 2 if parts.get("lost") else None
        if who and score is None and not any(Role.WIN in roles_of(word) for word in words_in(text)):
            continue
        if who:
            winner = sides.index(who) + 1
            if score is not None:
                low, high = sorted(score)
                score = (high, low) if winner == 1 else (low, high)
        if score is not None and parts.get("lost"):  # « Bob a perdu 3-1 » and « Bob a perdu 1-3 »
            score = min(score), max(score)
        elif score is not None and found.start("one") < found.start("left"):  # « 64 à 98 pour Anne »
            score = max(score), min(score)
        score_text = written[found.start("one") : found.end("two")] if score else ""
        named = {"table": "table", "number": "round", "round": "round"}
        event = {named[key]: one for key, one in bullet.groupdict().items() if one} if bullet else {}
        verb = "won" if parts.get("won") else "lost"
        is_open = parts.get(verb) and not right
        beats = written[found.start("them" if them else verb) : found.end(verb)] if is_open else ""
        return ResultLine(line, sides, score, score_text, winner, event, beats)
    return None


def _without_signs(text: str) -> str:
    """Return a text without emoji and full stops at its end, but with the symbols of suits."""
    while text and (text[-1] in _END_MARKS or (category(text[-1]) in _SIGNS and text[-1] not in _SUITS)):
        text = text[:-1]
    return text


def read_results(
    lines: Sequence[NoteLine],
    head: Mapping[str, Any],
    found: ImportResult,
    day_of: Callable[[NoteLine], str | None],
) -> bool:
    """Add a match for each line that is a result; False, with nothing added, if lines may be deals.

    `day_of`: the day, in log format, of a line that is nothing else.
    """
    players: Sequence[dict[str, str]] = head.get("players", ())
    lines = [part for line in lines for part in parts_of(line)]
    results = _results_in(lines)
    corrections = _correct(lines, results, found.questions)
    of_deals = [line for place, line in enumerate(lines) if place not in results and _is_of_deal(line)]
    if not results or not all(map(_names_dealer, of_deals)):
        return False
    seated = {number: _seat(one, head["game"], players) for number, one in results.items()}
    others = any(seated.values())
    unseated = [results[number] for number, one in seated.items() if one is None]
    if any(players or not (one.sides[1] or (one.beats and others)) for one in unseated):
        return False
    if any(one and may_be_deal(head, one[0], results[number].score) for number, one in seated.items()):
        return False
    if (of_deals or (len(results) > 1 and players)) and not all(
        _is_of_match(results[at], seated[at], head) for at in results
    ):
        return False
    now, before, senders = dict(head), len(found.questions), dict[Hashable, str]()
    for place, line in enumerate(lines):
        if place in corrections:
            found.unread.append(UnreadLine(line.number, line.text, is_stored=False))
            continue
        if place in results and (other := _sender_before(results[place], now, senders)):
            answers = (f"# {line.text}", f"Match 2 : {line.text}")
            where = (line.number, line.first_column, line.text)
            found.questions.append(Question(*where, IS_IT_THE_SAME, (other,), answers=answers))
        elif place in results:
            _add(results[place], seated[place], now, found)
        elif day := day_of(line):
            now["played_at"] = day
        elif found_round := _ROUND.fullmatch(line.text.strip()):
            now["event"] = {**now.get("event", {}), "round": found_round["one"] or found_round["two"]}
        elif not (line.is_comment or are_totals([line])) and _may_be_result(line):
            at = (line.number, line.first_column, line.text, UNKNOWN)
            found.questions.append(Question(*at, example=RESULT_EXAMPLE))
        else:
            found.unread.append(UnreadLine(line.number, line.text.lstrip("# "), is_stored=False))
    places = [(one.line, one.column) for one in found.questions[before:] if one.text != IS_IT_CORRECTED]
    found.unread += [
        UnreadLine(line.number, line.text, is_stored=False)
        for line in lines
        if any(line.holds(*place) for place in places)
    ]
    return True


def _sender_before(one: ResultLine, head: Mapping[str, Any], senders: dict[Hashable, str]) -> str:
    """Return the other sender of an earlier message with the result of a day; empty if there is none.

    `senders`: the results of other messages, to which this one is added.
    """
    numbers = one.score or (one.winner == 1, one.winner == SIDES)
    key = (head.get("played_at"), frozenset(zip(map(fold_case_and_accents, one.sides), numbers, strict=True)))
    other = senders.setdefault(key, one.line.sender)
    return "" if other == one.line.sender or _BULLET.match(one.line.text) else other


def _may_be_result(line: NoteLine) -> bool:
    """Return whether a line that was not read may be about a result: a number, or who won; no talk."""
    words = [*words_in(line.text)]
    numbers = sum(any(map(str.isdigit, one.text)) for one in words)
    is_talk = numbers <= MAX_TALK_NUMBERS and len(words) >= MIN_TALK_WORDS
    return (numbers > 0 and not is_talk) or any(roles_of(one) & _OUTCOMES for one in words)


def _correct(
    lines: Sequence[NoteLine], results: dict[int, ResultLine], questions: list[Question]
) -> set[int]:
    """Take out results that a later line corrects; return the places of lines that add nothing.

    A line with the label takes the place of the result of the same two. For other words of a correction
    the question has such lines as answers, and the result waits.
    """
    places = set[int]()
    for place, line in enumerate(lines):
        earlier = [(at, one) for at, one in results.items() if at < place and one.sides[1]]
        if line.label == CORRECTION_LABEL and place in results:
            new = {*map(fold_case_and_accents, results[place].sides)}
            same = [at for at, one in earlier if {*map(fold_case_and_accents, one.sides)} == new]
        else:
            words = {*re.findall(r"\w+", fold_case_and_accents(line.text))}
            about = [
                (at, one) for at, one in earlier if all(_first_name(side) in words for side in one.sides)
            ]
            if len(about) != 1 or place in results or not _corrects(line):
                continue
            question = _ask_about_correction(line, about[0][1])
            questions.append(question)
            same = [place, about[0][0]]
        for at in same:
            results.pop(at, None)
        places.update(same)
    return places


def _corrects(line: NoteLine) -> bool:
    """Return whether a line has a word of a correction, and who won or a score."""
    has_outcome = any(roles_of(one) & _OUTCOMES for one in words_in(line.text))
    is_correction = not line.is_comment and _CORRECTS.search(line.text) is not None
    return is_correction and (has_outcome or _TWO_NUMBERS.search(line.text) is not None)


def _ask_about_correction(line: NoteLine, one: ResultLine) -> Question:
    """Return the question whether a line corrects a result, with both winners as answers."""
    score = "-".join(map(str, sorted(one.score, reverse=True))) if one.score else ""
    verbs = ("beats", "beat") if _IN_ENGLISH.search(line.text) else ("bat", "battent")
    sides = (one.sides, one.sides[::-1]) if one.winner == SIDES else (one.sides[::-1], one.sides)
    answers = tuple(
        f"Correction : {who} {verbs[split_names(who, 2) is not None]} {other} {score}".strip()
        for who, other in sides
    )
    where = (line.number, line.first_column, line.text)
    return Question(*where, IS_IT_CORRECTED, (one.line.text,), answers=answers)


def _first_name(side: str) -> str:
    """Return the first word of a side's name, as it is compared."""
    return next(iter(re.findall(r"\w+", fold_case_and_accents(side))), "")


def _is_of_match(
    one: ResultLine, seated: tuple[list[dict[str, str]], bool] | None, head: Mapping[str, Any]
) -> bool:
    """Return whether a line is certain to be a match's result, where it may be the score so far."""
    if seated is None or one.score is None:
        return False
    players, turned = seated
    deal: dict[str, Any] = {"points": [*one.score][:: -1 if turned else 1]}
    if one.winner:
        deal["winner"] = SIDES + 1 - one.winner if turned else one.winner
    log = {**head, "players": players}
    return result_of_match(log, deal, is_named=names_match(one.line.text)) is not None


def _number(text: str) -> int:
    """Return a number written in digits or in a word."""
    return number_of(_IN_THOUSANDS.sub("", text)) or 0


def parts_of(line: NoteLine) -> list[NoteLine]:
    """Split a line with several results, or with a day before one; else return only it."""
    if line.is_comment:
        return [line]
    end = end_of_first_date(line.text)
    if end and (hour := _HOUR.match(line.text, end)):
        end = hour.end()
    behind = _AFTER_DAY.match(line.text, end)
    starts = [0, behind.end()] if end and behind and behind.end() < len(line.text) else [0]
    ends = [end] if len(starts) > 1 else []
    for found in _SEVERAL.finditer(line.text, starts[-1]):
        starts.append(found.end())
        ends.append(found.start())
    texts = [line.text[start:end] for start, end in zip(starts, [*ends, None], strict=True)]
    parts = [
        line._replace(
            text=text, label="", body=text, first_column=line.first_column + at, column=line.column + at
        )
        for at, text in zip(starts, texts, strict=True)
    ]
    return parts if len(parts) > 1 and all(map(read_result_line, parts[bool(end) :])) else [line]


def games_of_results(lines: Sequence[NoteLine]) -> list[str]:
    """Return the games whose sides are as large as those of results; all if a line is not a result."""
    results = _results_in([part for line in lines for part in parts_of(line)]).values()
    fits = [game for game in game_names() if all(_seat(one, game, ()) for one in results)]
    return fits or [*game_names()]


def _results_in(lines: Sequence[NoteLine]) -> dict[int, ResultLine]:
    read = {
        place: read_result_line(_without_label(line))
        for place, line in enumerate(lines)
        if not line.is_comment
    }
    return {place: one for place, one in read.items() if one is not None}


def _without_label(line: NoteLine) -> NoteLine:
    is_correction = line.label == CORRECTION_LABEL
    return line._replace(text=line.body, first_column=line.column) if is_correction else line


def _is_of_deal(line: NoteLine) -> bool:
    """Return whether a line is about one deal: who dealt, cards, a hand."""
    roles = {role for word in words_in(_LAST_DEAL.sub(" ", line.text)) for role in roles_of(word)}
    label = (
        line.label in DEAL_LABELS
        or HAND_PATTERN.fullmatch(line.label)
        or (HEADING_PATTERN.match(line.label) and not roles & _OUTCOMES)  # « la belle : on a gagné »
    )
    signs = any(sign in line.text for sign in SYMBOLS.values())
    return bool(label) or signs or Role.DEAL in roles


def _names_dealer(line: NoteLine) -> bool:
    """Return whether a line names the dealer, and has no number and no card."""
    signs = (*SYMBOLS.values(), *map(str, range(10)))
    is_of_dealer = DEAL_LABELS.get(line.label) == "dealer" or not line.label
    return is_of_dealer and not any(sign in line.text for sign in signs)


def _seat(
    one: ResultLine, game: str, players: Sequence[dict[str, str]]
) -> tuple[list[dict[str, str]], bool] | None:
    """Return the players of a result in seat order, and whether the first side of the line sits second."""
    if players:
        sides = [_side_of(text, players) for text in one.sides if text]
        if None in sides or len({*sides}) < len(sides) or game_of(game).side_count(len(players)) != SIDES:
            return None
        return [*players], sides[0] == 1
    this = game_of(game)
    for size in (count // SIDES for count in this.players if this.side_count(count) == SIDES):
        named = [names for text in one.sides if (names := _names(text, size)) is not None]
        if len(named) == SIDES and len({name for names in named for name in names}) == SIDES * size:
            return [parse_player(names[at]) for at in range(size) for names in named], False
    return None


def _side_of(text: str, players: Sequence[dict[str, str]]) -> int | None:
    whole = seat_of_name(text, players)
    seats = [seat_of_name(name, players) for name in split_names(text, 2) or ()] if whole is None else [whole]
    sides = {None if seat is None else seat % SIDES for seat in seats}
    return sides.pop() if len(sides) == 1 else None


def _names(text: str, size: int) -> list[str] | None:
    is_pair = split_names(_HYPHEN.sub("", text), 2) is not None
    return split_names(text, size) if text and is_pair <= (size > 1) else None


def _add(
    one: ResultLine,
    seated: tuple[list[dict[str, str]], bool] | None,
    head: Mapping[str, Any],
    found: ImportResult,
) -> None:
    """Add the match of a line, or a question about it."""
    line = one.line
    if seated is None and one.beats:
        others = tuple(_against(one, found.logs[-1]["players"])) if found.logs else ()
        column = line.first_column + max(line.text.find(one.beats), 0)
        found.questions.append(Question(line.number, column, one.beats, WHOM, others, answers=others))
        return
    if seated is None:
        text = next((side for side in one.sides if _names(side, 1) is not None), one.sides[0])
        example = "Lucie et Marcel" if game_of(head["game"]).side_count(4) == SIDES else "Lucie"
        column = line.first_column + max(line.text.find(text), 0)
        found.questions.append(Question(line.number, column, text, WHO_ARE_THEY, (example,)))
        return
    players, turned = seated
    score, winner = one.score, one.winner
    if score and winner and score[winner - 1] <= score[SIDES - winner]:
        at = (line.number, line.first_column + line.text.find(one.score_text), one.score_text)
        answer = "-".join(map(str, reversed(score)))
        is_drawn = score[0] == score[1]
        found.questions.append(
            Question(*at, DRAWN) if is_drawn else Question(*at, NOT_THE_WINNERS, (answer,), answers=(answer,))
        )
        return
    result: dict[str, Any] = {}
    if score:
        result["score"] = [*reversed(score)] if turned else [*score]
    if winner:
        result["winner"] = SIDES + 1 - winner if turned else winner
    event = {**head.get("event", {}), **one.event}
    log = {**head, **({"event": event} if event else {}), "players": players, "deals": [], "result": result}
    found.logs.append(log)
    found.origins.append(SourceMap(SourcePart(str(line.number)), ()))


def _against(one: ResultLine, players: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the verb of a line with each of the sides before that may be the other one."""
    sides = [[player["name"] for player in players[side::SIDES]] for side in range(SIDES)]
    own = _names(one.sides[0], len(sides[0])) or [one.sides[0]]
    verb, them = one.beats.split(" ", 1)[-1].removeprefix("l'").strip(), _THEM_PATTERN.match(one.beats)
    for names in sides:
        if not {*own} & {*names}:
            yield f"{verb if them else f'{one.beats} contre'} {' et '.join(names)}"


def _is_side(text: str) -> bool:
    """Return whether a text may be the names of one side."""
    names = split_names(text, 2) or [text]
    return all(map(_is_name, names))


def _is_name(text: str) -> bool:
    """Return whether a text may be a name: few words, of which none has a meaning in notes."""
    name, bracket = _split_bracket(text)
    words = [*words_in(_PARTICLES.sub("", name))]
    if not 0 < len(words) <= _MAX_NAME_WORDS or (len(words) > 1 and not text[:1].isupper()):
        return False
    roles = [roles_of(word) for word in words]
    return _may_be_in_brackets(bracket) and not (
        any(role - {Role.FILLER} for role in roles)
        or all(roles)
        or any(find_game(one.text) or one.plain in _NO_NAMES for one in words)
        or any(is_date_word(one.text) for one in words)
    )


def _split_bracket(text: str) -> tuple[str, str]:
    """Split « Paul (invité) » into the name and the words in brackets."""
    name, found, bracket = text.partition("(")
    return (name.strip(), bracket.strip(" )")) if found else (text, "")


def _may_be_in_brackets(text: str) -> bool:
    """Return whether words in brackets may be of a name, as « le père » is and « de justesse » is not."""
    words = [*words_in(text)]
    names = words[1:] if words and Role.ARTICLE in roles_of(words[0]) else words
    return ":" in text or (len(words) <= _MAX_NAME_WORDS and not any(map(roles_of, names)))
