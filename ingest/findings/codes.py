"""Finding codes shared by all games, and the list of every code.

Codes of a single game are in `FINDING_CODES` of its module under `ingest/games/`, in the same form.
The engine's fault tables define a code's rule and severity; only document codes state their severity
here.
"""

import re
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from engine.games import game, game_names
from ingest.games import game_support
from ingest.games.finding_code import (
    ERROR,
    WARNING,
    CodeInfo,
    DependsOn,
    EditSearch,
    UnderlinedPart,
    ValueKind,
    action_code,
    deal_code,
    has_legal,
    has_likely_value,
    is_about,
    is_about_all_hands,
    is_nothing_found,
    is_of_score_sheet,
    is_turn_known,
    is_without_winner,
    revoke_code,
    total_code,
)
from ingest.i18n import N_, Translate

PLAYER_ID_PATH = r"/players/(\d+)/id"
"""Regex of the place of a player's id."""


def _has_no_player_id(finding: Any) -> bool:
    """Whether a player's id is missing; `null` where it belongs is a value of the wrong type."""
    return "n" in finding.detail.get("values", {}) and re.fullmatch(PLAYER_ID_PATH, finding.path) is not None


document_code = partial(CodeInfo, severity=ERROR)
file_code = partial(CodeInfo, severity=ERROR, has_example=False)
key_code = partial(CodeInfo, severity=WARNING)

SHARED_CODES = {
    # the file and its text
    "empty-file": file_code(
        N_("The file contains no match. Choose another file."),
        N_("Write the match into the file, or leave the file out."),
    ),
    "cannot-read": file_code(
        N_("The file cannot be read: {problem}."),
        N_("Check the file’s name, folder and permissions."),
        ValueKind.SYSTEM,
    ),
    "not-utf8": document_code(
        N_("The text is not UTF-8: byte {found} cannot be read. Save the file as UTF-8."),
        N_("Save the text as UTF-8; an old editor may have used another encoding."),
        sentences_when={
            (lambda one: isinstance(one.found, str)): N_(
                "The text is {found}, not UTF-8. Save the file as UTF-8."
            )
        },
    ),
    "no-log": file_code(
        N_("This file is not a log: it is a {found} file."),
        N_(
            "Choose a log, a text or a spreadsheet (.csv, .xlsx, .ods); or paste its text as a "
            "note, or type the match on the page."
        ),
        sentences_when={
            is_nothing_found: N_("This file is not a log: it is not a text file."),
            (lambda one: one.found in ("Excel", "OpenDocument")): N_(
                "This file is not a log: it is a {found} file. If it is a score sheet, read it with "
                "`retourne import` or on the page Add matches."
            ),
            (lambda one: one.found in ("CSV", "TXT")): N_(
                "This is a score sheet or a note ({found}), not a log. Read it with `retourne import` or on "
                "the page Add matches."
            ),
        },
    ),
    "not-json": document_code(
        N_("This is not JSON: {problem}."),
        N_("Look at the place for a comma, a quote or a bracket that is missing or too many."),
    ),
    "too-long": file_code(
        N_("The line is longer than {legal} MB: no match is. It was left unread."),
        N_("Write one match per line; a line this long is not a match."),
    ),
    "too-large": file_code(
        N_("The file is larger than {legal} MB in one piece. Write one match a line (.jsonl)."),
        N_("Turn the array into one match a line and name the file .jsonl: it may have any size."),
    ),
    "too-many-matches": file_code(
        N_("The file has more than {legal} matches in one piece: the others were left unread."),
        N_("Turn the array into one match a line and name the file .jsonl: it may have any size."),
    ),
    "nested-archive": file_code(
        N_("Retourne does not open an archive inside an archive."),
        N_("Unpack the inner archive and check the files in it."),
    ),
    "zip-bomb": file_code(
        N_("The archive would unpack to far more than its size ({found}). Retourne did not open it."),
        N_("Unpack it yourself if you trust where it comes from, and check the files in it."),
    ),
    "bad-archive": file_code(
        N_("The archive cannot be opened whole: {problem}."),
        N_("Fetch or pack the archive again; Retourne read the part before the damage."),
        ValueKind.SYSTEM,
    ),
    # the document
    "schema": document_code(
        N_("{where} {problem}."),
        N_("Give this part the type the format asks for; `retourne schema` prints them all."),
        sentences_when={
            _has_no_player_id: N_("Player {n} has no id. Write one: the name in small letters will do."),
            has_likely_value: N_("{where} {problem}, such as {legal}."),
        },
    ),
    "format-version": document_code(
        N_("The format is {found}; this program reads {legal}."),
        N_('Begin the match with "format": "retourne/1", if it is one.'),
        sentences_when={
            is_nothing_found: N_("This is probably not a log: it does not give its format, {legal}.")
        },
    ),
    "unknown-game": document_code(
        N_("Unknown game {found}. Use one of: {legal}."),
        N_("Name the game by one of the known words, in small letters."),
        sentences_when={is_nothing_found: N_("The match has no game. Use one of: {legal}.")},
        edit_search=EditSearch.WORD,
    ),
    "other-game": document_code(
        N_("The log is of {found}, but its hands are the {pack} cards of {legal}."),
        N_("Name the game that was played, and its rules."),
        edit_search=EditSearch.WORD,
    ),
    "unknown-rule": document_code(
        N_("{what} cannot be “{found}”. Possible: {legal}."),
        N_("Take a preset, an option or a value from `retourne rules`."),
        sentences_when={
            is_about("preset"): N_("Unknown preset: “{found}”. Use one of: {legal}."),
            is_about("option"): N_("Unknown option: “{found}”. Use one of: {legal}."),
        },
        edit_search=EditSearch.WORD,
    ),
    "players-count": document_code(
        N_("This game takes {legal} players; the log has {found}."),
        N_("List every player once, in seat order, or correct the game."),
    ),
    "duplicate-player": document_code(
        N_("Two seats have the same player id {found}."),
        N_("Give each seat a player id of its own; names may be the same."),
    ),
    "unknown-key": key_code(
        N_("The key {found} is not part of the format. Retourne stores it but does not read it."),
        N_("Correct the key’s spelling, or begin it with _ if it is your own."),
        sentences_when={
            has_likely_value: N_(
                "The key {found} is not part of the format. Retourne stores it but does not "
                "read it. Did you mean {legal}?"
            )
        },
    ),
    "duplicate-key": key_code(
        N_("The key {found} is here twice; Retourne only reads the last one."),
        N_("Leave one of the two out: programs differ on which one they read."),
    ),
    "too-many-deals": file_code(
        N_("The match has {found} deals; more than {legal} are not read."),
        N_("Write a match for each evening: no match has so many deals."),
    ),
    "list-too-long": file_code(
        N_("There are {found} entries here; more than {legal} are not read."),
        N_("Remove entries that are not part of the match: no deal or player needs so many."),
    ),
    "more-texts": file_code(
        N_("… and {found} more texts that are not matches: Retourne explains {legal} per file."),
        N_("Check that the file is one of Retourne’s: each match names its format."),
    ),
    "more-findings": file_code(
        N_("… and {found} more findings: Retourne explains {legal} per match."),
        N_("Correct the first findings and check the match again: one error is often behind many others."),
    ),
    "date-format": document_code(
        N_("{found} is not a date with time and zone (years 1 to 9999), such as {legal}."),
        N_("Write date, time and zone, such as 2026-03-15T14:00:00+01:00, or leave the key out."),
    ),
    "comment-place": key_code(
        N_("The comment is after action {found}; the deal has {legal}."),
        N_("Give the number of actions before it, from 0 to the length of the deal."),
    ),
    # the deal as written
    "times-count": CodeInfo(
        N_("Entries in `times`: {found}; actions: {legal}."),
        N_("Write one time for each action, or leave the times out."),
        edit_search=EditSearch.TIMES,
    ),
    "times-order": CodeInfo(
        N_("Time {found} follows {legal}: times never go back."),
        N_("Write seconds since the start of the deal; a clock that was set back must be corrected."),
        edit_search=EditSearch.TIMES,
    ),
    "deck-size": CodeInfo(
        N_("Cards here: {found}; there should be {legal}."),
        N_("Count the cards: list each card of the pack exactly once."),
        sentences_when={is_about_all_hands: N_("Hands here: {found}; there should be {legal}.")},
        edit_search=EditSearch.CARDS,
    ),
    "deck-card": action_code(
        N_("{found} is not a card of this pack."),
        N_("Correct the card: rank then suit, as in Th or 7s."),
        sentences_when={is_nothing_found: N_("A card is missing here, or a space is too many.")},
        underlined=UnderlinedPart.WORD,
        edit_search=EditSearch.CARDS,
    ),
    "duplicate-card": action_code(
        N_("The {found} is there twice. Missing: {legal}."),
        N_("Put the missing card in place of one of the two."),
        underlined=UnderlinedPart.LAST_WORD,
        edit_search=EditSearch.CARDS,
    ),
    "deal-missing": CodeInfo(
        N_("The deal records its cards more than once: {found}. Keep one of: {legal}."),
        N_("Give the cards in one form: the pack in dealing order, or hands and talon."),
    ),
    "deal-seat": CodeInfo(
        N_("There is no seat {found}. Seats: {legal}."),
        N_("Name the dealer ({games}) by a seat of this table, counted from 1."),
        edit_search=EditSearch.SEAT,
        sentences_when={
            is_nothing_found: N_("The deal names neither a dealer nor a leader. Seats: {legal}.")
        },
    ),
    # play
    "after-end": action_code(
        N_("{who} acts after the end of the deal: {found}."),
        N_("Leave the action out, or begin a new deal with it."),
    ),
    "wrong-turn": action_code(
        N_("{who}: {found}, but it is not their turn. Possible: {legal}."),
        N_("Correct the seat; or look whether an action before it is missing."),
        sentences_when={
            # the legal cards are unknown
            (lambda one: is_turn_known(one) and not one.legal): N_(
                "{who}: {found}, but it is {turn}’s turn."
            ),
            is_turn_known: N_("{who}: {found}, but it is {turn}’s turn. Possible: {legal}."),
        },
    ),
    "card-not-held": action_code(
        N_("{who} plays {found} without holding it. In hand: {hand}."),
        N_("Correct the card or the seat; or look for a slip in the cards or actions before."),
        sentences_when={
            (lambda one: one.detail.get("played")): N_(
                "{who} plays {found}, but it was played already. In hand: {hand}."
            )
        },
    ),
    "unknown-action": CodeInfo(
        N_("Unknown action: {found}."),
        N_("Write the action as docs/format.md has it: the seat, then a word or a card."),
        sentences_when={is_nothing_found: N_("An action is empty.")},
    ),
    "no-such-seat": CodeInfo(
        N_("“{found}” names a seat that this table does not have."),
        N_("Begin the action with a seat of this table, counted from 1."),
    ),
    "must-follow": revoke_code(N_("{who} plays {found} but must follow suit. Legal: {legal}.")),
    "must-ruff": revoke_code(N_("{who} plays {found} but must ruff. Legal: {legal}.")),
    "must-beat": revoke_code(N_("{who} plays {found} but must play a higher trump. Legal: {legal}.")),
    "under-ruff": revoke_code(N_("{who} underruffs with {found}. Legal: {legal}.")),
    "bid-too-low": action_code(
        N_("{who}: {found}, not higher than the last bid. Possible: {legal}."),
        N_("Correct the bid’s value or the bid before it."),
    ),
    "auction-over": action_code(
        N_("{who}: {found} after the end of the auction. No effect."),
        N_("Leave the word out, or look for a pass too many before it."),
    ),
    # across deals
    "wrong-dealer": CodeInfo(
        N_("{found} deals, but it is {legal}’s turn to deal, unless an earlier deal is missing."),
        N_("Correct the dealer, or add the deal that is missing before this one."),
        ValueKind.SEATS,
        depends_on=DependsOn.DEAL_BEFORE,
        edit_search=EditSearch.SEAT,
    ),
    "deal-after-match": CodeInfo(
        N_("The match ended before this deal."),
        N_("Leave the deal out, begin a new match with it, or correct how many deals a match has."),
        depends_on=DependsOn.END,
    ),
    "points-differ": total_code(
        N_("Recorded points: {found}. The cards played score {legal}."),
        N_("Correct the points; or, if the sheet is right, look for a slip in the play."),
        sentences_when={is_of_score_sheet: N_("Recorded points: {found}. Points by the rules: {legal}.")},
        depends_on=DependsOn.DEAL,
        declared_key="points",
    ),
    "winner-differs": total_code(
        N_("Recorded winner of the deal: {found}. Winner by the rules: {legal}."),
        N_("Correct the winner; or, if the sheet is right, look for a slip in the play."),
        ValueKind.WINNER,
        sentences_when={is_without_winner: N_("Recorded winner of the deal: {found}.")},
        depends_on=DependsOn.DEAL,
        declared_key="winner",
    ),
    "score-differs": total_code(
        N_("Recorded score: {found}. The deals make {legal}."),
        N_("Correct the score; or look for the first deal whose winner differs."),
        depends_on=DependsOn.DEALS,
        declared_key="score",
    ),
    "result-differs": total_code(
        N_("Recorded winner of the match: {found}. Winner by the rules: {legal}."),
        N_("Correct the winner of the match; or look for the first deal whose winner differs."),
        ValueKind.WINNER,
        sentences_when={is_without_winner: N_("Recorded winner of the match: {found}.")},
        depends_on=DependsOn.DEALS,
        declared_key="winner",
    ),
    "result-contradicts": CodeInfo(
        N_("Recorded winner of the match: {found}, with the score {what}. No match can end like this."),
        N_("Correct the winner of the match, or its score."),
        ValueKind.WINNER,
    ),
    "start-impossible": CodeInfo(
        N_("Before the first deal, {what} cannot be {found}."),
        N_("Correct the starting score; or remove it, and the log starts from zero."),
        sentences_when={
            is_nothing_found: N_("The parties won in the manche the log begins in are missing."),
            (lambda one: isinstance(one.found, list)): N_(
                "In `start`, {what} needs one number per side; the log has {found}."
            ),
        },
    ),
    "points-impossible": deal_code(
        N_("No deal that fits this line can score {found}."),
        N_(
            "Correct the points or the other values of the line; or add the action that ended "
            "the deal early (end)."
        ),
        sentences_when={has_legal: N_("No deal that fits this line can score {found}. Possible: {what}.")},
    ),
    "end-impossible": deal_code(
        N_("“{found}” cannot have ended this deal."),
        N_("Name the action that ended it before its last card, or remove “end”."),
    ),
    "score-line-ignored": CodeInfo(
        N_("The deal has cards or actions: Retourne ignores its score line."),
        N_("Remove the score line; a played deal has its points and winner elsewhere."),
        sentences_when={
            (lambda one: one.detail.get("void")): N_("The deal is void: Retourne ignores its score line.")
        },
    ),
    "score-sheet": CodeInfo(
        N_("Deals without cards: {found}. Retourne checks only their points."),
        N_("No fix needed: Retourne checked the sheet, but cannot check the play."),
    ),
    "result-sides": CodeInfo(
        N_("The score is {found}; it needs {what} numbers, one per side."),
        N_("Write one number for each player, for each team where partners play."),
        sentences_when={
            (lambda one: one.path.endswith("/winner")): N_(
                "There is no side {found}: the sides are 1 to {what}."
            )
        },
    ),
    "result-impossible": CodeInfo(
        N_("No match of these rules ends with the score {found}."),
        N_("Correct the score; or name the rules the match was played by, or none if they are not known."),
    ),
    "result-open": CodeInfo(
        N_("The score {found} does not decide who won, and only the result is known."),
        N_("Name the winner in the result, if known: without one the match is not rated."),
    ),
    "result-only": CodeInfo(
        N_("Only the result is known: no card was written down."),
        N_("Nothing has to be fixed: the result counts where score sheets count, never where cards do."),
    ),
    "incomplete": deal_code(
        N_("The deal stops before its end."),
        N_("Add the missing actions, or mark the deal as void, with its reason."),
    ),
    "not-checkable": CodeInfo(
        N_("Not checkable: {problem}"),
        N_("No fix needed; add more cards if you know them."),
        ValueKind.DECLARED,
        legal_kind=ValueKind.ACTS,
    ),
}
DOCUMENT_GAME = "document"  # in place of a game, for document codes, common to all games


def code_info(code: str, game: str = "") -> CodeInfo:
    """Return the record of a code; without `game`, any game's. KeyError: unknown code."""
    if code in SHARED_CODES:
        return SHARED_CODES[code]
    for name in (game,) if game in game_names() else game_names():
        if code in game_support(name).FINDING_CODES:
            return game_support(name).FINDING_CODES[code]
    raise KeyError(code)


def code_infos() -> dict[str, CodeInfo]:
    """Map every code to its record: shared codes, then each game's."""
    tables = (SHARED_CODES, *(game_support(name).FINDING_CODES for name in game_names()))
    return {code: one for table in tables for code, one in table.items()}


def advice_for(t: Translate, code: str, game: str = "") -> str:
    """Return the advice for a code, with each game's own phrases. KeyError: unknown code."""
    result = code_info(code, game).advice
    if "{games}" not in result:
        return t(result)
    parts = [text for name in game_names() if (text := game_support(name).ADVICE_PHRASES.get(code))]
    return t(result, games=", ".join(map(t, parts)))


class CodeEntry(NamedTuple):
    """A code in one game or in documents; a code of several games has one entry in each."""

    code: str
    game: str
    rule: str
    severity: str
    is_impossible: bool  # whether it stops the deal
    info: CodeInfo

    @property
    def example_path(self) -> PurePosixPath | None:
        """A log with only this fault, relative to the project's root; None: no log can show it."""
        path = PurePosixPath("data", "fautes", self.game, f"{self.code}.json")
        return path if self.info.has_example else None

    def message(self, t: Translate) -> str:
        """Return its sentence with `…` for the values from a log."""
        return re.sub(r"\{\w+\}\.?", "…", t(self.info.sentence))

    def advice(self, t: Translate) -> str:
        return advice_for(t, self.code, self.game)


def code_entries() -> tuple[CodeEntry, ...]:
    """Return all entries: the document's, then each game's, in table order."""
    own = ((code, one) for code, one in SHARED_CODES.items() if one.severity)
    found = [CodeEntry(code, DOCUMENT_GAME, "format", one.severity, False, one) for code, one in own]
    for name in game_names():
        for fault in (*game(name).faults.rows, *game(name).match_faults.rows):
            result = code_info(fault.code, name)
            found.append(CodeEntry(fault.code, name, fault.rule, fault.severity, fault.is_impossible, result))
    return tuple(found)
