"""The codes a document can have, or several games have; and every code there is, in one list.

A code only one game has stands in `CODES` of its module under `ingest/games/`, in the same way. Its
rule and how grave it is stand in the tables of the engine's game, never here; only a document's
codes say their own severity.
"""

import re
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from engine.games import game, names
from ingest.games import of
from ingest.games.finding_code import (
    ERROR,
    WARNING,
    Code,
    Marked,
    Mended,
    Rests,
    Spoken,
    counted,
    likely_known,
    nobody_won,
    nothing_found,
    of_act,
    revoke,
    told,
    turn_known,
)
from ingest.i18n import N_, Translate

of_document = partial(Code, severity=ERROR)
of_file = partial(Code, severity=ERROR, example=False)
of_key = partial(Code, severity=WARNING)

SHARED = {
    # the file and its text
    "empty-file": of_file(
        N_("The file is empty: there is no match in it."),
        N_("Write the match into the file, or leave the file out."),
    ),
    "cannot-read": of_file(
        N_("The file cannot be read: {problem}."),
        N_("Check the file’s name, folder and permissions."),
        Spoken.SYSTEM,
    ),
    "not-utf8": of_document(
        N_("The text is not UTF-8: byte {found} cannot be read. Save the file as UTF-8."),
        N_("Save the text as UTF-8; an old editor may have used another encoding."),
        instead={
            (lambda one: isinstance(one.found, str)): N_(
                "The text is {found}, not UTF-8. Save the file as UTF-8."
            )
        },
    ),
    "no-log": of_file(
        N_("This file is no log: it is a {found} file."),
        N_("Choose the file the log is in: it is a text, JSON, as docs/format.md has it."),
        instead={nothing_found: N_("This file is no log: it is not even a text.")},
    ),
    "not-json": of_document(
        N_("This is not JSON: {problem}."),
        N_("Look at the place for a comma, a quote or a bracket that is missing or too many."),
    ),
    "too-long": of_file(
        N_("The line is longer than {legal} MB: no match is. It was left unread."),
        N_("Write one match a line; a line this long is no match."),
    ),
    "too-large": of_file(
        N_("The file is larger than {legal} MB in one piece. Write one match a line (.jsonl)."),
        N_("Turn the array into one match a line and name the file .jsonl: it may have any size."),
    ),
    "too-many-matches": of_file(
        N_("The file has more than {legal} matches in one piece: the others were left unread."),
        N_("Turn the array into one match a line and name the file .jsonl: it may have any size."),
    ),
    "zip-in-zip": of_file(
        N_("A zip inside a zip is not opened. Unpack it first."),
        N_("Unpack the inner zip and check what is in it."),
    ),
    "zip-bomb": of_file(
        N_("The archive would unpack to far more than it holds ({found}). It was left closed."),
        N_("Unpack it yourself if you trust where it comes from, and check the files in it."),
    ),
    "bad-archive": of_file(
        N_("The archive cannot be opened whole: {problem}."),
        N_("Fetch or pack the archive again; what came before the damage was read."),
        Spoken.SYSTEM,
    ),
    # the document
    "schema": of_document(
        N_("{where} {problem}."),
        N_("Give this part the type the format asks for; `retourne schema` prints them all."),
        instead={likely_known: N_("{where} {problem}, such as {legal}.")},
    ),
    "format-version": of_document(
        N_("The format is {found}; this program reads {legal}."),
        N_('Begin the match with "format": "retourne/1", if it is one.'),
        instead={
            nothing_found: N_("The match does not say its format; this program reads {legal}.")
        },
    ),
    "unknown-game": of_document(
        N_("The game {found} is not known. Known: {legal}."),
        N_("Name the game by one of the known words, in small letters."),
        instead={nothing_found: N_("The match does not say its game. Known: {legal}.")},
        mended=Mended.WORD,
    ),
    "unknown-rule": of_document(
        N_("The rules say {found} for {what}. Known: {legal}."),
        N_("Take a preset, an option or a value from `retourne rules`."),
        mended=Mended.WORD,
    ),
    "players-count": of_document(
        N_("This game takes {legal} players; the log has {found}."),
        N_("List every player once, in seat order, or correct the game."),
    ),
    "player-twice": of_document(
        N_("Two seats have the same player id {found}."),
        N_("Give each seat a player id of its own; names may be the same."),
    ),
    "unknown-key": of_key(
        N_("The key {found} is not part of the format; it is kept and not read."),
        N_("Correct the key’s spelling, or begin it with _ if it is your own."),
        instead={
            likely_known: N_(
                "The key {found} is not part of the format; it is kept and not read. "
                "Is {legal} meant?"
            )
        },
    ),
    "key-twice": of_key(
        N_("The key {found} stands here twice; only the last one is read."),
        N_("Leave one of the two out: programs differ on which one they read."),
    ),
    "too-many-deals": of_file(
        N_("The match has {found} deals; more than {legal} are not read."),
        N_("Write a match for each evening: no match has so many deals."),
    ),
    "date-format": of_document(
        N_("{found} is not a date and time as RFC 3339 writes it, for example {legal}."),
        N_("Write date, time and zone, such as 2026-03-15T14:00:00+01:00, or leave the key out."),
    ),
    "comment-place": of_key(
        N_("The comment stands after action {found}; the deal has {legal}."),
        N_("Count the actions done before it: 0 for none, at most all of the deal."),
    ),
    # the deal as written
    "times-count": Code(
        N_("There are {found} times for {legal} actions."),
        N_("Write one time for each action, or leave the times out."),
        mended=Mended.TIMES,
    ),
    "times-order": Code(
        N_("Time {found} comes before {legal}: times never go back."),
        N_(
            "Write seconds since the start of the deal; "
            "a clock that was set back must be corrected."
        ),
        mended=Mended.TIMES,
    ),
    "deck-size": Code(
        N_("There are {found} where {legal} belong."),
        N_("Count the cards: each of the pack stands there once, nothing else."),
        mended=Mended.CARDS,
    ),
    "deck-card": of_act(
        N_("{found} is not a card of this pack."),
        N_("Correct the card: rank then suit, as in Th or 7s."),
        instead={nothing_found: N_("A card is missing here, or a space is too many.")},
        marked=Marked.WORD,
        mended=Mended.CARDS,
    ),
    "deck-twice": of_act(
        N_("The {found} is there twice. Missing: {legal}."),
        N_("Put the missing card in place of one of the two."),
        marked=Marked.LAST_WORD,
        mended=Mended.CARDS,
    ),
    "deal-missing": Code(
        N_("A deal is told by one of these alone: {legal}. Here: {found}."),
        N_("Tell the deal in one way: the pack in the order it is dealt, or hands and talon."),
    ),
    "deal-seat": Code(
        N_("There is no seat {found} to deal from. Seats: {legal}."),
        N_("Name the dealer ({games}) by a seat of this table, counted from 1."),
        mended=Mended.SEAT,
    ),
    # play
    "after-end": of_act(
        N_("{who}: {found} comes after the end of the deal."),
        N_("Leave the action out, or begin a new deal with it."),
    ),
    "wrong-turn": of_act(
        N_("{who}: {found}, but it is not their turn. Possible: {legal}."),
        N_("Correct the seat; or look whether an action before it is missing."),
        instead={
            # nobody can say which cards could be played
            (lambda one: turn_known(one) and not one.legal): N_(
                "{who}: {found}, but it is not their turn: it is that of {turn}."
            ),
            turn_known: N_(
                "{who}: {found}, but it is not their turn: it is that of {turn}. Possible: {legal}."
            ),
        },
    ),
    "card-not-held": of_act(
        N_("{who} plays {found} without holding it. In hand: {hand}."),
        N_("Correct the card or the seat; or look for a slip in the cards or actions before."),
        instead={
            (lambda one: one.detail.get("played")): N_(
                "{who} plays {found}, but it was played already. In hand: {hand}."
            )
        },
    ),
    "unknown-action": Code(
        N_("Unknown action: {found}."),
        N_("Write the action as docs/format.md has it: the seat, then a word or a card."),
        instead={nothing_found: N_("An action is empty.")},
    ),
    "no-such-seat": Code(
        N_("{found}: there is no such seat at this table."),
        N_("Begin the action with a seat of this table, counted from 1."),
    ),
    "must-follow": revoke(N_("{who} plays {found} but can follow suit and must. Legal: {legal}.")),
    # across deals
    "wrong-dealer": Code(
        N_("{found} deals, but it is {legal} who should, unless a deal before is missing."),
        N_("Correct the dealer, or add the deal that is missing before this one."),
        Spoken.SEATS,
        rests=Rests.DEAL_BEFORE,
        mended=Mended.SEAT,
    ),
    "deal-after-match": Code(
        N_("This deal is played after the end of the match."),
        N_("Leave the deal out, begin a new match with it, or correct how many deals a match has."),
        rests=Rests.END,
    ),
    "points-differ": counted(
        N_("The sheet says {found}; played as logged, the deal makes {legal}."),
        N_("Correct the points; or, if the sheet is right, look for a slip in the play."),
        rests=Rests.DEAL,
        declares="points",
    ),
    "winner-differs": counted(
        N_("The sheet gives the deal to {found}; it goes to {legal}."),
        N_("Correct the winner; or, if the sheet is right, look for a slip in the play."),
        Spoken.WINNER,
        instead={nobody_won: N_("The sheet gives the deal to {found}.")},
        rests=Rests.DEAL,
        declares="winner",
    ),
    "score-differs": counted(
        N_("The sheet gives the score {found}; the deals make {legal}."),
        N_("Correct the score; or look for the first deal whose winner differs."),
        rests=Rests.DEALS,
        declares="score",
    ),
    "result-differs": counted(
        N_("The sheet gives the match to {found}; it goes to {legal}."),
        N_("Correct the winner of the match; or look for the first deal whose winner differs."),
        Spoken.WINNER,
        instead={nobody_won: N_("The sheet gives the match to {found}.")},
        rests=Rests.DEALS,
        declares="winner",
    ),
    "result-contradicts": Code(
        N_("The sheet gives the match to {found} with the score {what}: no match ends so."),
        N_("Correct the winner of the match, or its score."),
        Spoken.WINNER,
    ),
    "start-impossible": Code(
        N_("Before its first deal the match cannot stand at {found}."),
        N_("Correct where the log begins; or leave that out, and nothing is counted before it."),
        instead={nothing_found: N_("The parties won in the manche the log begins in are missing.")},
    ),
    "points-impossible": told(
        N_("No deal that is told so makes {found}."),
        N_("Correct the points or what is told beside; or say what ended the deal early (end)."),
    ),
    "end-impossible": told(
        N_("“{found}” cannot have ended the deal that is told so."),
        N_("Name the action that ended it before its last card, or leave that out."),
    ),
    "told-beside": Code(
        N_("The deal is void, or has cards or actions: what is told of it besides is not read."),
        N_("Leave it out; a played deal says its points and winner outside of it."),
    ),
    "score-sheet": Code(
        N_("Told, not proven: deals of which there is a score sheet alone: {found}."),
        N_("Nothing has to be fixed: what a sheet tells was checked, the play cannot be."),
    ),
    "incomplete": told(
        N_("The deal stops before its end."),
        N_("Add what is missing of the play; or mark the deal as void, with its reason."),
    ),
    "not-checkable": Code(
        N_("Not checkable: {problem}"),
        N_("Nothing has to be fixed; write down more cards if somebody knows them."),
        Spoken.DECLARED,
        legal=Spoken.ACTS,
    ),
}
DOCUMENT = "document"  # stands for a game where a code is one of documents, whatever their game


def record(code: str, game: str = "") -> Code:
    """The record of a code; any game's, where none is named. KeyError: nobody knows it."""
    if code in SHARED:
        return SHARED[code]
    for name in (game,) if game in names() else names():
        if code in of(name).CODES:
            return of(name).CODES[code]
    raise KeyError(code)


def records() -> dict[str, Code]:
    """Every record by its code: the shared ones, then each game's own."""
    tables = (SHARED, *(of(name).CODES for name in names()))
    return {code: one for table in tables for code, one in table.items()}


def advice(t: Translate, code: str, game: str = "") -> str:
    """What to do about a code, with what each game has to say of it. KeyError: nobody knows it."""
    said = record(code, game).advice
    if "{games}" not in said:
        return t(said)
    parts = [text for name in names() if (text := of(name).IN_ADVICE.get(code))]
    return t(said, games=", ".join(map(t, parts)))


class Entry(NamedTuple):
    """A code in one game, or in documents; a code of several games has as many entries."""

    code: str
    game: str
    rule: str
    severity: str
    gravity: str  # the engine's, `noted`, `impossible` or `warning`; empty for a document's
    record: Code

    @property
    def example(self) -> PurePosixPath | None:
        """A log with this fault and no other, below the project's root; None: none can show it."""
        path = PurePosixPath("data", "fautes", self.game, f"{self.code}.json")
        return path if self.record.example else None

    def message(self, t: Translate) -> str:
        """Its sentence with `…` for what a log fills in."""
        return re.sub(r"\{\w+\}\.?", "…", t(self.record.sentence))

    def advice(self, t: Translate) -> str:
        return advice(t, self.code, self.game)


def codes() -> tuple[Entry, ...]:
    """All of them: the document's, then each game's, each in the order of its tables."""
    own = ((code, one) for code, one in SHARED.items() if one.severity)
    found = [Entry(code, DOCUMENT, "format", one.severity, "", one) for code, one in own]
    for name in names():
        for fault in (*game(name).faults.rows, *game(name).match_faults.rows):
            said = record(fault.code, name)
            found.append(Entry(fault.code, name, fault.rule, fault.severity, fault.gravity, said))
    return tuple(found)
