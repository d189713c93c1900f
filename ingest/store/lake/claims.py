"""What one writer stores and nobody else does: matches and players, claimed beforehand.

All of a file is claimed in one transaction and in one order. So of two writers that want some of
the same one has all of it, whoever waits waits for one that claimed earlier, and none for each
other.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from ingest.store.lake.catalogue import SAME_GAMES, Catalogue, of_writer

_PIECE = 50_000
"""Claims asked for at a time."""


def _key(player: str) -> str:
    """A player's id as PostgreSQL takes it, which has no text with a NUL."""
    return player.replace("\\", r"\\").replace("\0", r"\0")


def give_up(catalogue: Catalogue, writer: int) -> None:
    """Keep a writer from committing, if it has not: a commit that is under way is waited for."""
    query = "UPDATE retourne.writers SET given_up = true WHERE writer = %s AND NOT done"
    catalogue.ask(query, writer)


def let_go(catalogue: Catalogue) -> None:
    """Let go of claims on what those who are done have taken away."""
    for table, key in (("matches", "match_id"), ("players", "player_no")):
        catalogue.ask(
            f"WITH gone AS (DELETE FROM retourne.freed_{table} f USING retourne.writers w"
            f" WHERE w.writer = f.writer AND w.done RETURNING f.{key})"
            f" DELETE FROM retourne.{table} WHERE {key} IN (SELECT {key} FROM gone)"
        )


class Writer:
    """One transaction of a lake as the catalogue knows it, from its beginning to its end."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        [(number,)] = catalogue.ask("INSERT INTO retourne.writers DEFAULT VALUES RETURNING writer")
        self.number = int(number)
        # from here on it is alive for others; before, nobody knows of it
        catalogue.lock(of_writer(self.number))
        self._own = set[str]()
        self._taken = set[str]()
        self._numbers = dict[str, int]()
        self._new = dict[str, str]()
        self._awaited = dict[int, dict[str, str]]()

    def end(self) -> None:
        """Whatever became of it, nobody waits for it any longer."""
        self._catalogue.unlock(of_writer(self.number))

    def is_done(self, writer: int | None = None) -> bool:
        """Whether its transaction was committed, or another's; if not, it never will be."""
        writer = self.number if writer is None else writer
        give_up(self._catalogue, writer)
        done = "SELECT done FROM retourne.writers WHERE writer = %s"
        return bool(self._catalogue.ask(done, writer)[0][0])

    # parts of files

    def earlier(self, part: str) -> int | None:
        """The writer that has stored a part, whoever was thought to; None: only this one can.

        Call before anything else.
        """
        claim = "INSERT INTO retourne.parts VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
        while not self._catalogue.ask(claim, part, self.number):
            holders = self._catalogue.ask("SELECT writer FROM retourne.parts WHERE part = %s", part)
            for (writer,) in holders:
                if self.is_done(writer):
                    return int(writer)
                gone = "DELETE FROM retourne.parts WHERE part = %s AND writer = %s"
                self._catalogue.ask(gone, part, writer)
        return None

    def not_of(self, writer: int, ids: Sequence[str]) -> set[str]:
        """Those of some matches that another writer has stored."""
        found = self._catalogue.ask(
            "SELECT replace(match_id::text, '-', '') FROM retourne.matches"
            " WHERE writer = %s AND match_id = ANY(%s::uuid[])",
            *(writer, list(ids)),
        )
        return set(ids).difference(str(one) for (one,) in found)

    # matches

    def claim(self, ids: Iterable[str], players: dict[str, str] | None = None) -> None:
        """Claim matches by their ids, and new players by theirs (id → name), all at once."""
        # in one order for all, so that of those who want the same one has it first
        wanted = sorted({*ids} - self._own - self._taken)
        people = {one: name for one, name in (players or {}).items() if one not in self._numbers}
        let_go(self._catalogue)
        with self._catalogue.asking() as session, session.transaction():
            for first in range(0, len(wanted), _PIECE):
                found = session.execute(
                    "INSERT INTO retourne.matches SELECT id::uuid, %s"
                    " FROM unnest(%s::text[]) WITH ORDINALITY AS t(id, place) ORDER BY place"
                    " ON CONFLICT DO NOTHING RETURNING replace(match_id::text, '-', '')",
                    [self.number, wanted[first : first + _PIECE]],
                ).fetchall()
                self._own.update(str(one) for (one,) in found)
            self._claim_players(session, people)
        self._settle_matches([one for one in wanted if one not in self._own])

    def taken(self, ids: Sequence[str]) -> set[str]:
        """Those of some matches that are stored already; the others are this writer's own."""
        self.claim(ids)
        return self._taken.intersection(ids)

    def _settle_matches(self, ids: list[str]) -> None:
        """Find out which are stored by now, and take over those that nobody will store."""
        while ids:
            holders = self._catalogue.ask(
                "SELECT replace(match_id::text, '-', ''), writer, coalesce(done, true)"
                " FROM retourne.matches LEFT JOIN retourne.writers USING (writer)"
                " WHERE match_id = ANY(%s::uuid[]) ORDER BY 2",
                ids,
            )
            self._taken.update(str(one) for one, _, done in holders if done)
            running = sorted((writer, one) for one, writer, done in holders if not done)
            for writer, some in groupby(running, lambda row: int(row[0])):
                if not self._ends(writer):
                    found = self._catalogue.ask(
                        "UPDATE retourne.matches SET writer = %s WHERE writer = %s"
                        " AND match_id = ANY(%s::uuid[])"
                        " RETURNING replace(match_id::text, '-', '')",
                        *(self.number, writer, [one for _, one in some]),
                    )
                    self._own.update(str(one) for (one,) in found)
            held = {one for one, _, _ in holders}
            if free := [one for one in ids if one not in held]:  # deleted meanwhile
                found = self._catalogue.ask(
                    "INSERT INTO retourne.matches SELECT unnest(%s::uuid[]), %s"
                    " ON CONFLICT DO NOTHING RETURNING replace(match_id::text, '-', '')",
                    *(free, self.number),
                )
                self._own.update(str(one) for (one,) in found)
            ids = [one for one in ids if one not in self._own and one not in self._taken]

    def _ends(self, writer: int) -> bool:
        """Wait for a writer's end; whether it was done. If not, it never will be."""
        key = of_writer(writer)
        self._catalogue.lock(key, shared=True, said=SAME_GAMES)
        self._catalogue.unlock(key, shared=True)
        return self.is_done(writer)

    # players

    def _claim_players(self, session: Any, people: dict[str, str]) -> None:
        of = {_key(one): one for one in people}
        wanted = sorted(of)
        for first in range(0, len(wanted), _PIECE):
            some = wanted[first : first + _PIECE]
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
                self._numbers[player] = int(number)
                if writer == self.number:
                    self._new[player] = people[player]
                elif not done:
                    self._awaited.setdefault(int(writer), {})[player] = people[player]

    def players(self, people: dict[str, str]) -> dict[str, int]:
        """The numbers of players, of whom some may be new (id → name)."""
        self.claim((), people)
        return {one: self._numbers[one] for one in people}

    def new_players(self) -> dict[int, tuple[str, str]]:
        """Those this writer has to store, once: number → id and name; who adds some is awaited."""
        for writer in sorted(self._awaited):
            people = {_key(one): (one, name) for one, name in self._awaited[writer].items()}
            while people:
                if self._ends(writer):
                    break
                found = self._catalogue.ask(
                    "UPDATE retourne.players SET writer = %s WHERE writer = %s"
                    " AND player_id = ANY(%s) RETURNING player_id",
                    *(self.number, writer, list(people)),
                )
                for (key,) in found:
                    player, name = people.pop(key)
                    self._new[player] = name
                if people:  # another has taken them over
                    who = "SELECT writer FROM retourne.players WHERE player_id = ANY(%s)"
                    if not (rows := self._catalogue.ask(who, list(people))):
                        break
                    writer = int(rows[0][0])
        self._awaited.clear()
        new = {self._numbers[one]: (one, name) for one, name in self._new.items()}
        self._new.clear()
        return new

    # what goes

    def free(self, matches: Sequence[str], players: Sequence[int]) -> None:
        """Have nobody hold some matches, and players by number, once this is done."""
        for table, kind, freed in (("matches", "uuid", matches), ("players", "int", players)):
            insert = f"INSERT INTO retourne.freed_{table} SELECT %s, unnest(%s::{kind}[])"
            self._catalogue.ask(insert, self.number, list(freed))
