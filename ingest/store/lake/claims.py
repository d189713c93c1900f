"""Claims matches and players so that no two writers store the same one.

All matches of a file are claimed in one transaction and in sorted order. So of two writers that
want the same matches, one gets all of them; a writer waits only for one that claimed earlier, and
writers never wait for each other.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from ingest.store.aliases import Declared
from ingest.store.lake.catalogue import WAITING_FOR_CLAIM, CatalogConnection, writer_lock_key

_CLAIM_BATCH = 50_000
"""Claims per statement."""


def _postgres_text(player: str) -> str:
    """Return a player's id with NUL escaped, which PostgreSQL's text cannot contain."""
    return player.replace("\\", r"\\").replace("\0", r"\0")


def prevent_commit(catalog: CatalogConnection, writer: int) -> None:
    """Bar a writer from committing unless it has; waits for a commit that is under way."""
    catalog.query("UPDATE retourne.writers SET given_up = true WHERE writer = %s AND NOT done", writer)


def release_freed_claims(catalog: CatalogConnection) -> None:
    """Delete the claims on matches and players that committed writers have freed."""
    for table, key in (("matches", "match_id"), ("players", "player_no")):
        catalog.query(
            f"WITH freed AS (DELETE FROM retourne.freed_{table} f USING retourne.writers w"
            f" WHERE w.writer = f.writer AND w.done RETURNING f.{key})"
            f" DELETE FROM retourne.{table} WHERE {key} IN (SELECT {key} FROM freed)"
        )


class WriteTransaction:
    """A transaction's entry in the lake's catalogue, as a numbered writer with claims."""

    def __init__(self, catalog: CatalogConnection) -> None:
        self._catalog = catalog
        [(number,)] = catalog.query("INSERT INTO retourne.writers DEFAULT VALUES RETURNING writer")
        self.number = int(number)
        # other writers see by the lock that this one is alive
        catalog.lock(writer_lock_key(self.number))
        self._own_match_ids = set[str]()
        self._stored_match_ids = set[str]()
        self._player_numbers = dict[str, int]()
        self._new_players = dict[str, Declared]()
        self._numbered_players = set[str]()
        self._awaited_players = dict[int, dict[str, Declared]]()

    def end(self) -> None:
        """Release the writer's lock, so that no other writer waits for it."""
        self._catalog.unlock(writer_lock_key(self.number))

    def is_committed(self, writer: int | None = None) -> bool:
        """Return whether this writer, or another, has committed; if not, it never will."""
        writer = self.number if writer is None else writer
        prevent_commit(self._catalog, writer)
        return bool(self._catalog.query("SELECT done FROM retourne.writers WHERE writer = %s", writer)[0][0])

    # parts of files

    def earlier_writer(self, part: str) -> int | None:
        """Return the writer that has stored a part; None: it is claimed for this one.

        Call before anything else.
        """
        claim = "INSERT INTO retourne.parts VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
        while not self._catalog.query(claim, part, self.number):
            holders = self._catalog.query("SELECT writer FROM retourne.parts WHERE part = %s", part)
            for (writer,) in holders:
                if self.is_committed(writer):
                    return int(writer)
                removed = "DELETE FROM retourne.parts WHERE part = %s AND writer = %s"
                self._catalog.query(removed, part, writer)
        return None

    def stored_by_others(self, writer: int, match_ids: Sequence[str]) -> set[str]:
        """Return those of some matches that writers other than `writer` have stored."""
        found = self._catalog.query(
            "SELECT replace(match_id::text, '-', '') FROM retourne.matches"
            " WHERE writer = %s AND match_id = ANY(%s::uuid[])",
            *(writer, list(match_ids)),
        )
        return set(match_ids).difference(str(one) for (one,) in found)

    # matches

    def claim(self, match_ids: Iterable[str], players: Sequence[Declared] = ()) -> None:
        """Claim matches by id, and new players by key, in one transaction."""
        # sorted, so that two writers that want the same matches cannot deadlock
        wanted = sorted({*match_ids} - self._own_match_ids - self._stored_match_ids)
        people = {one.claim_key: one for one in reversed(players)}
        people = {key: one for key, one in people.items() if key not in self._player_numbers}
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
        """Return those of some matches that are stored already; claim the others."""
        self.claim(match_ids)
        return self._stored_match_ids.intersection(match_ids)

    def _resolve_contested_matches(self, ids: list[str]) -> None:
        """Wait for the other claimants of matches; take over what they did not store."""
        while ids:
            release_freed_claims(self._catalog)
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
            if free := [one for one in ids if one not in held]:  # deleted since
                found = self._catalog.query(
                    "INSERT INTO retourne.matches SELECT unnest(%s::uuid[]), %s"
                    " ON CONFLICT DO NOTHING RETURNING replace(match_id::text, '-', '')",
                    *(free, self.number),
                )
                self._own_match_ids.update(str(one) for (one,) in found)
            ids = [one for one in ids if one not in self._own_match_ids and one not in self._stored_match_ids]

    def _wait_for_end(self, writer: int) -> bool:
        """Wait until a writer ends; return whether it has committed. If not, it never will."""
        key = writer_lock_key(writer)
        self._catalog.lock(key, shared=True, wait_message=WAITING_FOR_CLAIM)
        self._catalog.unlock(key, shared=True)
        return self.is_committed(writer)

    # players

    def _claim_players(self, session: Any, players: dict[str, Declared]) -> None:
        of = {_postgres_text(one): one for one in players}
        wanted = sorted(of)
        for first in range(0, len(wanted), _CLAIM_BATCH):
            some = wanted[first : first + _CLAIM_BATCH]
            # skip known players: a conflict would use up a number of the sequence
            session.execute(
                "INSERT INTO retourne.players SELECT id, nextval('retourne.player_numbers'), %s"
                " FROM unnest(%s::text[]) WITH ORDINALITY AS t(id, place)"
                " WHERE NOT EXISTS (SELECT FROM retourne.players WHERE player_id = id)"
                " ORDER BY place ON CONFLICT DO NOTHING",
                [self.number, some],
            )
            # a separate statement sees what others have just committed
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
                    self._new_players[player] = players[player]
                elif not done:
                    self._awaited_players.setdefault(int(writer), {})[player] = players[player]

    def player_numbers(self, players: Sequence[Declared]) -> dict[str, int]:
        """Return the numbers of players by key, and claim those who are new."""
        self.claim((), players)
        self._numbered_players.update(one.claim_key for one in players)
        return {one.claim_key: self._player_numbers[one.claim_key] for one in players}

    def new_players(self) -> dict[int, Declared]:
        """Return the new players who were numbered, by number, and clear them.

        Waits for other writers that claimed some, and takes over those they did not store.
        """
        for writer in sorted(self._awaited_players):
            people = {_postgres_text(key): (key, one) for key, one in self._awaited_players[writer].items()}
            while people:
                if not self._wait_for_end(writer):
                    found = self._catalog.query(
                        "UPDATE retourne.players SET writer = %s WHERE writer = %s"
                        " AND player_id = ANY(%s) RETURNING player_id",
                        *(self.number, writer, list(people)),
                    )
                    for (key,) in found:
                        player, declared = people.pop(key)
                        self._new_players[player] = declared
                # another has taken them over, or that one left them
                holders = self._catalog.query(
                    "SELECT player_id, writer FROM retourne.players"
                    " WHERE player_id = ANY(%s) AND writer <> %s",
                    *(list(people), writer),
                )
                people = {key: people[key] for key, _ in holders}
                writer = int(holders[0][1]) if holders else writer
        self._awaited_players.clear()
        used = [key for key in self._new_players if key in self._numbered_players]
        return {self._player_numbers[key]: self._new_players.pop(key) for key in used}

    def leave_unused_players(self) -> None:
        """Give claimed players whom no stored match has to a writer that never commits.

        A writer that stores a match of theirs takes them over.
        """
        if self._new_players:
            self._catalog.query(
                "WITH leaver AS (INSERT INTO retourne.writers (given_up) VALUES (true) RETURNING writer)"
                " UPDATE retourne.players SET writer = leaver.writer FROM leaver"
                " WHERE retourne.players.writer = %s AND player_id = ANY(%s) RETURNING 1",
                *(self.number, [*map(_postgres_text, self._new_players)]),
            )

    # deletions
    def release_unstored(self, match_ids: Collection[str]) -> None:
        """Free those of some matches that this writer claimed and will not store."""
        if own := self._own_match_ids.intersection(match_ids):
            self.release_claims(sorted(own), ())

    def release_claims(self, match_ids: Sequence[str], player_numbers: Sequence[int]) -> None:
        """Free the claims on matches, and players by number, when this transaction commits."""
        for table, kind, freed in (("matches", "uuid", match_ids), ("players", "int", player_numbers)):
            insert = f"INSERT INTO retourne.freed_{table} SELECT %s, unnest(%s::{kind}[])"
            self._catalog.query(insert, self.number, list(freed))
