"""Claims matches and players so that two writers never store one twice.

All of a file is claimed in one transaction and in one order. So of two writers that want some of
the same one has all of it, whoever waits waits for one that claimed earlier, and none for each
other.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from ingest.store.lake.catalogue import WAITING_FOR_CLAIM, CatalogConnection, writer_lock_key

_CLAIM_BATCH = 50_000
"""Claims asked for at a time."""


def _postgres_text(player: str) -> str:
    """A player's id as PostgreSQL takes it, which has no text with a NUL."""
    return player.replace("\\", r"\\").replace("\0", r"\0")


def prevent_commit(catalog: CatalogConnection, writer: int) -> None:
    """Keep a writer from committing, if it has not: a commit that is under way is waited for."""
    query = "UPDATE retourne.writers SET given_up = true WHERE writer = %s AND NOT done"
    catalog.query(query, writer)


def release_freed_claims(catalog: CatalogConnection) -> None:
    """Let go of claims on what those who are done have taken away."""
    for table, key in (("matches", "match_id"), ("players", "player_no")):
        catalog.query(
            f"WITH gone AS (DELETE FROM retourne.freed_{table} f USING retourne.writers w"
            f" WHERE w.writer = f.writer AND w.done RETURNING f.{key})"
            f" DELETE FROM retourne.{table} WHERE {key} IN (SELECT {key} FROM gone)"
        )


class WriteTransaction:
    """One transaction of a lake as the catalogue knows it, from its beginning to its end."""

    def __init__(self, catalog: CatalogConnection) -> None:
        self._catalog = catalog
        [(number,)] = catalog.query("INSERT INTO retourne.writers DEFAULT VALUES RETURNING writer")
        self.number = int(number)
        # from here on it is alive for others; before, nobody knows of it
        catalog.lock(writer_lock_key(self.number))
        self._own_match_ids = set[str]()
        self._stored_match_ids = set[str]()
        self._player_numbers = dict[str, int]()
        self._new_players = dict[str, str]()
        self._awaited_players = dict[int, dict[str, str]]()

    def end(self) -> None:
        """Whatever became of it, nobody waits for it any longer."""
        self._catalog.unlock(writer_lock_key(self.number))

    def is_committed(self, writer: int | None = None) -> bool:
        """Whether its transaction was committed, or another's; if not, it never will be."""
        writer = self.number if writer is None else writer
        prevent_commit(self._catalog, writer)
        done = "SELECT done FROM retourne.writers WHERE writer = %s"
        return bool(self._catalog.query(done, writer)[0][0])

    # parts of files

    def earlier_writer(self, part: str) -> int | None:
        """The writer that has stored a part, whoever was thought to; None: only this one can.

        Call before anything else.
        """
        claim = "INSERT INTO retourne.parts VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
        while not self._catalog.query(claim, part, self.number):
            holders = self._catalog.query("SELECT writer FROM retourne.parts WHERE part = %s", part)
            for (writer,) in holders:
                if self.is_committed(writer):
                    return int(writer)
                gone = "DELETE FROM retourne.parts WHERE part = %s AND writer = %s"
                self._catalog.query(gone, part, writer)
        return None

    def stored_by_others(self, writer: int, match_ids: Sequence[str]) -> set[str]:
        """Those of some matches that another writer has stored."""
        found = self._catalog.query(
            "SELECT replace(match_id::text, '-', '') FROM retourne.matches"
            " WHERE writer = %s AND match_id = ANY(%s::uuid[])",
            *(writer, list(match_ids)),
        )
        return set(match_ids).difference(str(one) for (one,) in found)

    # matches

    def claim(self, match_ids: Iterable[str], players: dict[str, str] | None = None) -> None:
        """Claim matches by their ids, and new players by theirs (id → name), all at once."""
        # in one order for all, so that of those who want the same one has it first
        wanted = sorted({*match_ids} - self._own_match_ids - self._stored_match_ids)
        people = {
            one: name for one, name in (players or {}).items() if one not in self._player_numbers
        }
        release_freed_claims(self._catalog)
        with self._catalog.translated_errors() as session, session.transaction():
            for first in range(0, len(wanted), _CLAIM_BATCH):
                found = session.execute(
                    "INSERT INTO retourne.matches SELECT id::uuid, %s"
                    " FROM unnest(%s::text[]) WITH ORDINALITY AS t(id, place) ORDER BY place"
                    " ON CONFLICT DO NOTHING RETURNING replace(match_id::text, '-', '')",
                    [self.number, wanted[first : first + _CLAIM_BATCH]],
                ).fetchall()
                self._own_match_ids.update(str(one) for (one,) in found)
            self._claim_players(session, people)
        self._resolve_contested_matches([one for one in wanted if one not in self._own_match_ids])

    def already_stored(self, match_ids: Sequence[str]) -> set[str]:
        """Those of some matches that are stored already; the others are this writer's own."""
        self.claim(match_ids)
        return self._stored_match_ids.intersection(match_ids)

    def _resolve_contested_matches(self, ids: list[str]) -> None:
        """Find out which are stored by now, and take over those that nobody will store."""
        while ids:
            holders = self._catalog.query(
                "SELECT replace(match_id::text, '-', ''), writer, coalesce(done, true)"
                " FROM retourne.matches LEFT JOIN retourne.writers USING (writer)"
                " WHERE match_id = ANY(%s::uuid[]) ORDER BY 2",
                ids,
            )
            self._stored_match_ids.update(str(one) for one, _, done in holders if done)
            running = sorted((writer, one) for one, writer, done in holders if not done)
            for writer, some in groupby(running, lambda row: int(row[0])):
                if not self._wait_for_end(writer):
                    found = self._catalog.query(
                        "UPDATE retourne.matches SET writer = %s WHERE writer = %s"
                        " AND match_id = ANY(%s::uuid[])"
                        " RETURNING replace(match_id::text, '-', '')",
                        *(self.number, writer, [one for _, one in some]),
                    )
                    self._own_match_ids.update(str(one) for (one,) in found)
            held = {one for one, _, _ in holders}
            if free := [one for one in ids if one not in held]:  # deleted meanwhile
                found = self._catalog.query(
                    "INSERT INTO retourne.matches SELECT unnest(%s::uuid[]), %s"
                    " ON CONFLICT DO NOTHING RETURNING replace(match_id::text, '-', '')",
                    *(free, self.number),
                )
                self._own_match_ids.update(str(one) for (one,) in found)
            ids = [
                one
                for one in ids
                if one not in self._own_match_ids and one not in self._stored_match_ids
            ]

    def _wait_for_end(self, writer: int) -> bool:
        """Wait for a writer's end; whether it was done. If not, it never will be."""
        key = writer_lock_key(writer)
        self._catalog.lock(key, shared=True, wait_message=WAITING_FOR_CLAIM)
        self._catalog.unlock(key, shared=True)
        return self.is_committed(writer)

    # players

    def _claim_players(self, session: Any, player_names: dict[str, str]) -> None:
        of = {_postgres_text(one): one for one in player_names}
        wanted = sorted(of)
        for first in range(0, len(wanted), _CLAIM_BATCH):
            some = wanted[first : first + _CLAIM_BATCH]
            # numbers of those who are known are not wasted: a conflict takes one
            session.execute(
                "INSERT INTO retourne.players SELECT id, nextval('retourne.player_numbers'), %s"
                " FROM unnest(%s::text[]) WITH ORDINALITY AS t(id, place)"
                " WHERE NOT EXISTS (SELECT FROM retourne.players WHERE player_id = id)"
                " ORDER BY place ON CONFLICT DO NOTHING",
                [self.number, some],
            )
            # a statement of its own sees what others have committed meanwhile
            found = session.execute(
                "SELECT player_id, player_no, p.writer, coalesce(done, true)"
                " FROM retourne.players p LEFT JOIN retourne.writers USING (writer)"
                " WHERE player_id = ANY(%s)",
                [some],
            ).fetchall()
            for key, number, writer, done in found:
                player = of[key]
                self._player_numbers[player] = int(number)
                if writer == self.number:
                    self._new_players[player] = player_names[player]
                elif not done:
                    self._awaited_players.setdefault(int(writer), {})[player] = player_names[player]

    def player_numbers(self, player_names: dict[str, str]) -> dict[str, int]:
        """The numbers of players, of whom some may be new (id → name)."""
        self.claim((), player_names)
        return {one: self._player_numbers[one] for one in player_names}

    def new_players(self) -> dict[int, tuple[str, str]]:
        """Those this writer has to store, once: number → id and name; who adds some is awaited."""
        for writer in sorted(self._awaited_players):
            people = {
                _postgres_text(one): (one, name)
                for one, name in self._awaited_players[writer].items()
            }
            while people:
                if self._wait_for_end(writer):
                    break
                found = self._catalog.query(
                    "UPDATE retourne.players SET writer = %s WHERE writer = %s"
                    " AND player_id = ANY(%s) RETURNING player_id",
                    *(self.number, writer, list(people)),
                )
                for (key,) in found:
                    player, name = people.pop(key)
                    self._new_players[player] = name
                if people:  # another has taken them over
                    who = "SELECT writer FROM retourne.players WHERE player_id = ANY(%s)"
                    if not (rows := self._catalog.query(who, list(people))):
                        break
                    writer = int(rows[0][0])
        self._awaited_players.clear()
        new = {self._player_numbers[one]: (one, name) for one, name in self._new_players.items()}
        self._new_players.clear()
        return new

    # what goes

    def release_claims(self, match_ids: Sequence[str], player_numbers: Sequence[int]) -> None:
        """Have nobody hold some matches, and players by number, once this is done."""
        for table, kind, freed in (
            ("matches", "uuid", match_ids),
            ("players", "int", player_numbers),
        ):
            insert = f"INSERT INTO retourne.freed_{table} SELECT %s, unnest(%s::{kind}[])"
            self._catalog.query(insert, self.number, list(freed))
