"""Where the texts of a store name a player: what a purge touches, and what it leaves."""

import json
import re
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

import duckdb

from ingest.i18n import N_, Translate
from ingest.redact.free_text import folded, hiding, is_sought, vocabulary, words
from ingest.redact.log_text import People, Person, keys, renamed, seats, strings, unescaped
from ingest.store.pseudonyms import DIGITS
from ingest.store.raw_texts import read

NAMESAKES = N_("Another player has the same name and keeps it: {players}")
SHARING = N_("Another player’s name has a part of it and keeps it: {players}")
LEFT = N_(
    "Where the player did not sit or in a longer word, a part of the name may be somebody else’s "
    "and was left: matches {matches}, names of files and tokens {names}"
)
WORDS = N_("The game or its log has such words, which stay: {words}")
UNSOUGHT = N_("Not looked for outside of the player’s seat, since too much is called so: {names}")

FEW = 8
"""Ids that are told."""

_PSEUDONYM = re.compile(rf"Joueur [0-9a-f]{{{DIGITS}}}")


class Row(NamedTuple):
    """A stored text; `change`: the deletion it lies in the trash by."""

    match_no: int
    match_id: str
    file_no: int
    line: int
    text: bytes
    log_id: str | None
    change: int | None


def rows(ask: duckdb.DuckDBPyConnection) -> Iterator[Row]:
    """Every text, the trash's too."""
    every = "SELECT match_no, match_id, file_no, line, log_id, NULL FROM matches ORDER BY match_no"
    found = ask.cursor().execute(every)
    while some := found.fetchmany(1000):
        texts = dict(read(ask.cursor(), [number for number, *_ in some]))
        kept = (row for row in some if row[0] in texts)
        yield from (Row._make((*row[:4], texts[row[0]], *row[4:])) for row in kept)
    found = ask.cursor().execute(
        "SELECT match_no, match_id, file_no, line, coalesce(bytes, encode(text)), NULL, change"
        " FROM trash"
    )
    while some := found.fetchmany(1000):
        yield from map(Row._make, some)


class Sought:
    """A player, by every name that the texts of a store have for the player."""

    def __init__(self, player_id: str, name: str, told: str) -> None:
        """`told`: what is read at the player's seat from now on."""
        self.id, self.told = player_id, told
        self.names = {player_id, name} - {""}

    def learn(self, ask: duckdb.DuckDBPyConnection) -> None:
        """Every name that a store's texts have for the player, before they are told without."""
        for row in rows(ask):
            self.names |= set(self._called(row.text)) - {""}

    def sits(self, text: bytes) -> bool:
        """Whether it is a log of the player's."""
        return bool(self._called(text))

    def without(self, text: bytes) -> bytes:
        """A text without the player; nothing where it cannot be read."""
        return renamed(text, self.people)

    @cached_property
    def people(self) -> People:
        return People([Person(self.id, self.told, frozenset(self.names))])

    def _called(self, text: bytes) -> list[str]:
        """What the seats of the player have for a name, which may be nothing."""
        if self.id.encode() not in text and b"\\" not in text:
            return []
        try:
            players = seats(json.loads(text))
        except (ValueError, RecursionError):
            return []
        return [str(one.get("name") or "") for one in players if one["id"] == self.id]


class Left(NamedTuple):
    """What there is in a store of a purged player's names, and why."""

    namesakes: tuple[str, ...] = ()
    """Ids of others who are called the same."""
    sharing: tuple[str, ...] = ()
    """Ids of others a part of whose name it is."""
    matches: int = 0
    """Logs that have a part of a name in their free text."""
    names: int = 0
    """Files and tokens that have one in theirs."""
    words: tuple[str, ...] = ()
    """What of a name every log may have, as a word of the game or within one."""
    unsought: tuple[str, ...] = ()
    """Names that are not looked for."""

    def say(self, t: Translate) -> list[str]:
        """A sentence for each."""
        told = list[str]()
        for text, ids in (NAMESAKES, self.namesakes), (SHARING, self.sharing):
            if ids:
                more = f", … ({len(ids)})" if len(ids) > FEW else ""
                told.append(t(text, players=", ".join(ids[:FEW]) + more))
        if self.matches or self.names:
            told.append(t(LEFT, matches=self.matches, names=self.names))
        if self.words:
            told.append(t(WORDS, words=", ".join(self.words)))
        if self.unsought:
            told.append(t(UNSOUGHT, names=", ".join(self.unsought)))
        return told


def left_of(ask: duckdb.DuckDBPyConnection, names: Collection[str]) -> Left:
    """What a store has of a player's names; nobody is known by them there any more."""
    part = hiding(names, parts=True, within=True)
    called = dict[str, set[str]]()
    players = "SELECT player_id, name FROM players UNION ALL SELECT player_id, name FROM masked"
    for player, name in ask.cursor().execute(players).fetchall():
        called.setdefault(player, {player}).add(name)
    matches = 0
    for row in rows(ask):
        said = row.text.decode(errors="replace")
        if not part.finds(unescaped(said)):
            continue
        try:
            log = json.loads(said)
        except (ValueError, RecursionError):
            matches += 1
            continue
        for one in seats(log):
            called.setdefault(one["id"], {one["id"]}).add(str(one.get("name") or ""))
        matches += any(map(part.finds, strings(log)))
    same = {folded(name) for name in names}
    others = {
        player: {folded(one) for one in found}
        for player, found in sorted(called.items())
        if not _PSEUDONYM.fullmatch(player) and any(map(part.finds, found))
    }
    told = "SELECT name FROM files UNION ALL SELECT name FROM tokens"
    # words that are in words of the game, of the log or of a pseudonym
    known = {folded(word) for word in (*vocabulary(), *keys(), _PSEUDONYM.pattern.split()[0])}
    parts = sorted({one for name in names for one in words(name)})
    return Left(
        tuple(player for player, found in others.items() if found & same),
        tuple(player for player, found in others.items() if not found & same),
        matches,
        sum(part.finds(name) for (name,) in ask.cursor().execute(told).fetchall()),
        tuple(one for one in parts if any(map(hiding([one], within=True).finds, known))),
        tuple(sorted(name for name in names if not is_sought(name))),
    )
