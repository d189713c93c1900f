"""Finds where stored texts mention a player."""

import json
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

import duckdb

from ingest.i18n import N_, Translate
from ingest.redact import anonymize_log
from ingest.redact.free_text import is_searchable, notation_words, searchable_words, text_redactor
from ingest.store.aliases import PSEUDONYM
from ingest.store.raw_texts import read_texts
from schemas.player_key import fold_text

SAME_NAME_REMAINS = N_("Another player has the same name and keeps it: {players}")
NAME_PART_REMAINS = N_("Another player’s name has a part of it and keeps it: {players}")
PART_OUTSIDE_SEAT = N_(
    "Not erased, because the name may belong to another person: matches {matches}, names of "
    "files and tokens {names}"
)
WORDS_REMAIN = N_("The game or its log has such words, which stay: {words}")
NAMES_TOO_COMMON = N_("Searched only at the player’s seat, because these names are too common: {names}")

MAX_NAMES_LISTED = 8
"""Number of ids listed in a message."""


class StoredText(NamedTuple):
    """A stored text; `change` is the deletion that moved it to the trash, None outside it."""

    match_no: int
    match_id: str
    file_no: int
    line: int
    text: bytes
    log_id: str | None
    change: int | None


def stored_texts(cursor: duckdb.DuckDBPyConnection) -> Iterator[StoredText]:
    """Yield every text, those in the trash too."""
    every = "SELECT match_no, match_id, file_no, line, log_id, NULL FROM matches ORDER BY match_no"
    found = cursor.cursor().execute(every)
    while some := found.fetchmany(1000):
        texts = dict(read_texts(cursor.cursor(), [number for number, *_ in some]))
        remaining = (row for row in some if row[0] in texts)
        yield from (StoredText._make((*row[:4], texts[row[0]], *row[4:])) for row in remaining)
    found = cursor.cursor().execute(
        "SELECT match_no, match_id, file_no, line, coalesce(bytes, encode(text)), NULL, change FROM trash"
    )
    while some := found.fetchmany(1000):
        yield from map(StoredText._make, some)


class NameMatcher:
    """A player with every name that the texts of a store use for them."""

    def __init__(self, player: anonymize_log.MaskedPlayer) -> None:
        """Redacted texts have the pseudonym at the player's seat."""
        self.id, self.replacement, self._player = player.id, player.pseudonym, player
        self.ids = {player.id, *(one for one, _ in player.declared)}
        self.names = set(player.names) - {""}

    def collect_names(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Collect every name that texts use for the player, before they are redacted."""
        for row in stored_texts(cursor):
            self.names |= set(self._seat_names(row.text)) - {""}

    def is_seated_in(self, text: bytes) -> bool:
        return bool(self._seat_names(text))

    def redact(self, text: bytes) -> bytes:
        """Return a text without the player; empty if it cannot be parsed."""
        return anonymize_log.redact_log(text, self.as_masked_players)

    @cached_property
    def as_masked_players(self) -> anonymize_log.MaskedPlayers:
        return anonymize_log.MaskedPlayers([self._player._replace(names=frozenset(self.names))])

    def _seat_names(self, text: bytes) -> list[str]:
        """Return the names at the player's seats; a name may be empty."""
        if b"\\" not in text and not any(one.encode() in text for one in self.ids):
            return []
        try:
            players = anonymize_log.players_with_id(json.loads(text))
        except (ValueError, RecursionError):
            return []
        known = anonymize_log.MaskedPlayers([self._player])
        return [str(one.get("name") or "") for one in players if known.masked_as(one)]


class RemainingMentions(NamedTuple):
    """The places of a store that still have a purged player's names, and why."""

    namesakes: tuple[str, ...] = ()
    """Ids of other players with the same name."""
    sharing_players: tuple[str, ...] = ()
    """Ids of other players whose name contains a part of it."""
    matches: int = 0
    """Logs whose free text has a part of a name."""
    names: int = 0
    """Files and tokens whose name has one."""
    words: tuple[str, ...] = ()
    """Parts of a name that are words of the game or the log format, or within one."""
    unsearched_names: tuple[str, ...] = ()
    """Names too common to search for."""

    def message(self, t: Translate) -> list[str]:
        items = list[str]()
        for text, ids in (SAME_NAME_REMAINS, self.namesakes), (NAME_PART_REMAINS, self.sharing_players):
            if ids:
                more = f", … ({len(ids)})" if len(ids) > MAX_NAMES_LISTED else ""
                items.append(t(text, players=", ".join(ids[:MAX_NAMES_LISTED]) + more))
        if self.matches or self.names:
            items.append(t(PART_OUTSIDE_SEAT, matches=self.matches, names=self.names))
        if self.words:
            items.append(t(WORDS_REMAIN, words=", ".join(self.words)))
        if self.unsearched_names:
            items.append(t(NAMES_TOO_COMMON, names=", ".join(self.unsearched_names)))
        return items


def remaining_mentions(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> RemainingMentions:
    """Search a store for a player's names, after the player was purged from it."""
    part = text_redactor(names, parts=True, within=True)
    called = dict[str, set[str]]()
    players = "SELECT player_id, name FROM players UNION ALL SELECT player_id, name FROM aliases"
    for player, name in cursor.cursor().execute(players).fetchall():
        called.setdefault(player, {player}).add(name)
    matches = 0
    for row in stored_texts(cursor):
        message = row.text.decode(errors="replace")
        if not part.has_name(anonymize_log.unescape(message)):
            continue
        try:
            log = json.loads(message)
        except (ValueError, RecursionError):
            matches += 1
            continue
        for one in anonymize_log.players_with_id(log):
            called.setdefault(one["id"], {one["id"]}).add(str(one.get("name") or ""))
        matches += any(map(part.has_name, anonymize_log.free_texts(log)))
    same = {fold_text(name) for name in names}
    others = {
        player: {fold_text(one) for one in found}
        for player, found in sorted(called.items())
        if not PSEUDONYM.fullmatch(player) and any(map(part.has_name, found))
    }
    text = "SELECT name FROM files UNION ALL SELECT name FROM tokens"
    # words that occur in words of the game, the log format or a pseudonym
    known = {
        fold_text(word)
        for word in (*notation_words(), *anonymize_log.known_keys(), PSEUDONYM.pattern.split()[0])
    }
    parts = sorted({one for name in names for one in searchable_words(name)})
    return RemainingMentions(
        tuple(player for player, found in others.items() if found & same),
        tuple(player for player, found in others.items() if not found & same),
        matches,
        sum(part.has_name(name) for (name,) in cursor.cursor().execute(text).fetchall()),
        tuple(one for one in parts if any(map(text_redactor([one], within=True).has_name, known))),
        tuple(sorted(name for name in names if not is_searchable(name))),
    )
