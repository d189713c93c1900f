"""Matches: the list, its filters, what a match is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import polars as pl

from dashboard.queries.player_search import seated
from dashboard.queries.scope import SAT_AT, Condition, Cursor, number, status_in
from engine import RULES_VERSION
from ingest.redact.log_text import Hide
from ingest.store import revalidate


class Key(NamedTuple):
    """One thing a list is sorted by; what has none comes last either way."""

    of: str
    """In SQL, of a match `m`."""
    down: bool = False
    kind: str = "BIGINT"
    """What `of` is."""

    @property
    def order(self) -> str:
        return f"{self.of}{' DESC' if self.down else ''} NULLS LAST"

    def behind(self, value: Any) -> Condition:
        """The condition on `m` for coming behind what has a value here."""
        if value is None:
            return "false", []
        than = "<" if self.down else ">"
        return f"({self.of} {than} ?::{self.kind} OR {self.of} IS NULL)", [value]

    def beside(self, value: Any) -> Condition:
        return f"{self.of} IS NOT DISTINCT FROM ?::{self.kind}", [value]


_EVENT = "coalesce((SELECT read FROM hidden WHERE event = m.event), m.event)"
"""An event as it is read: whose name is hidden, nobody learns by where a match stands."""
_LAST = Key("m.match_no", True)
_PLAYED = Key("m.played_at", True, "TIMESTAMPTZ")
KEYS: Mapping[str, tuple[Key, ...]] = {
    "played": (_PLAYED, _LAST),
    "oldest": (_PLAYED._replace(down=False), _LAST._replace(down=False)),
    "added": (_LAST,),
    "event": (Key(f"lower({_EVENT})", False, "VARCHAR"), _PLAYED, _LAST),
    "deals": (Key("m.deals", True), _LAST),
    "status": (Key("enum_code(m.status)", True), Key("m.findings", True), _LAST),
}
"""How a list may be sorted; each order is a whole one, so that no page repeats a match."""
SORTS = {name: ", ".join(key.order for key in keys) for name, keys in KEYS.items()}
Place = tuple[Any, ...]
"""Where a match stands in a list: its values of the keys it is sorted by."""


@dataclass(frozen=True)
class Filter:
    """Which matches; empty means any. `words`: part of a name, of the event or of an id."""

    words: str = ""
    statuses: tuple[str, ...] = ()
    preset: str | None = None
    game: str | None = None
    players: tuple[int, ...] = ()
    """Who sat at the table, all of them."""
    files: tuple[int, ...] | None = None
    """Numbers of the files they came with, where None is any."""
    event: str | None = None
    since: date | None = None
    until: date | None = None
    """Days in UTC, the last one included; a match without a date is out once one is set."""
    kind: str | None = None
    """An announcement somebody made, by its kind."""
    ids: tuple[str, ...] | None = None
    """Whole ids of the store, where None is any."""
    turned: bool = False
    """Only those with a deal in whose end the winner turned."""
    log_id: str | None = None
    """The id the log gives itself, letter for letter."""
    hide: Hide | None = field(default=None, repr=False, compare=False)
    """What hides names from whoever asks: words are not looked for in what they cannot read."""

    def chosen(self, cursor: Cursor) -> Condition:
        """What follows FROM where `m` is one of these matches, and its values."""
        clauses, values, words = ["true"], list[Any](), self.words.strip()
        if words:
            unread = self._unread(cursor, words)
            own = " AND {} NOT IN (SELECT unnest(?::VARCHAR[]))" if unread else ""
            clauses.append(
                f"(({_IN_EVENT}{own.format('m.event')})"
                f" OR ({_IN_LOG_ID}{own.format('m.log_id')})"
                " OR starts_with(m.match_id, w.words)"
                " OR m.match_no IN (SELECT s.match_no FROM seats s JOIN players p USING (player_no)"
                " WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))))"
            )
            values += [*([unread] * 2 if unread else []), words]
        if self.statuses:
            clause, some = status_in("m.status", self.statuses)
            clauses.append(clause)
            values += some
        if self.turned:
            turned = "(SELECT match_no FROM deal_values WHERE turning IS NOT NULL)"
            clauses.append(f"m.match_no IN {turned}")
        made = "(SELECT match_no FROM announcements WHERE announced AND kind::VARCHAR = ?)"
        for clause, value in (
            ("m.preset = ?", self.preset),
            ("m.game = ?", self.game),
            ("m.event = ?", self.event),
            ("m.log_id = ?", self.log_id),
            ("m.played_at >= ?::DATE", self.since),
            ("m.played_at < ?::DATE + INTERVAL 1 DAY", self.until),
            (f"m.match_no IN {made}", self.kind),
            ("m.file_no IN (SELECT unnest(?::BIGINT[]))", self.files),
            ("m.match_id IN (SELECT unnest(?::VARCHAR[]))", self.ids),
            *((f"m.match_no IN {SAT_AT}", player) for player in self.players),
        ):
            if value is not None:
                clauses.append(clause)
                values.append([*value] if isinstance(value, tuple) else value)
        # `w` holds the searched words once, lower case and without accents, as names are compared
        table = "matches m CROSS JOIN (SELECT lower(strip_accents(?)) AS words) w"
        return f"{table} WHERE {' AND '.join(clauses)}", [words, *values]

    def _unread(self, cursor: Cursor, words: str) -> list[str]:
        """Events and ids that have the words where a name is hidden, and nowhere else."""
        if self.hide is None:
            return []
        having = cursor.execute(_HAVING, [words]).fetchall()
        told = [(text, self.hide(text, joined)) for text, joined in having]
        hidden = [(text, read) for text, read in told if text != read]
        texts, readable = [one for one, _ in hidden], [one for _, one in hidden]
        rows = cursor.execute(_NOT_HAVING, [texts, readable, words]).fetchall()
        return [text for (text,) in rows]


_IN_EVENT = "contains(lower(strip_accents(coalesce(m.event, ''))), w.words)"
_IN_LOG_ID = "contains(lower(coalesce(m.log_id, '')), w.words)"
_HAVING = f"""
    WITH w AS (SELECT lower(strip_accents(?)) AS words)
    SELECT DISTINCT m.event, false FROM matches m, w WHERE {_IN_EVENT}
    UNION ALL SELECT DISTINCT m.log_id, true FROM matches m, w WHERE {_IN_LOG_ID}
"""
_NOT_HAVING = """
    SELECT text FROM (
        SELECT unnest(?::VARCHAR[]) AS text, lower(strip_accents(unnest(?::VARCHAR[]))) AS read
    ) WHERE NOT contains(read, lower(strip_accents(?)))
"""


def count(cursor: Cursor, which: Filter | None = None) -> int:
    """How many matches."""
    chosen, values = (which or Filter()).chosen(cursor)
    return number(cursor, f"SELECT count(*) FROM {chosen}", values)


def page(
    cursor: Cursor,
    which: Filter | None = None,
    limit: int = 25,
    offset: int = 0,
    sort: str = "played",
    after: Place | None = None,
) -> pl.DataFrame:
    """Matches in an order of SORTS: one row each, with the lists of `people.seated`.

    A score is what the game counts in a match: deals won, points, or the side's marks. `after`:
    only those behind a place, wherever others have come or gone since it was asked for.
    """
    chosen, values = (which or Filter()).chosen(cursor)
    hidden = _hidden(cursor, sort, which.hide if which else None)
    if after is not None:
        behind, more = _behind(KEYS[sort], after)
        chosen, values = f"{chosen} AND ({behind})", [*values, *more]
    query = f"""
        WITH {_HIDDEN}, page AS MATERIALIZED (
            SELECT m.* FROM {chosen} ORDER BY {SORTS[sort]} LIMIT ? OFFSET ?
        ), {seated("page")}
        SELECT m.match_no, m.match_id, m.log_id, m.played_at, m.event, m.game, m.preset,
            m.status::VARCHAR AS status, m.findings, m.deals, m.winner, m.sheet,
            m.match_no IN (SELECT match_no FROM doubled) AS doubled,
            s.names, s.ids, s.seats, s.score, s.manches_won
        FROM page m LEFT JOIN seated s USING (match_no)
        ORDER BY {SORTS[sort]}
    """
    return cursor.execute(query, [*hidden, *values, limit, offset]).pl()


_HIDDEN = "hidden AS (SELECT unnest(?::VARCHAR[]) AS event, unnest(?::VARCHAR[]) AS read)"


def _hidden(cursor: Cursor, sort: str, hide: Hide | None) -> tuple[list[str], list[str]]:
    """Events that name who is masked, and how they are read; none where no order asks for it."""
    if hide is None or sort != "event":
        return [], []
    rows = cursor.execute("SELECT DISTINCT event FROM matches WHERE event IS NOT NULL").fetchall()
    told = [(event, hide(event)) for (event,) in rows]
    return [one for one, read in told if one != read], [read for one, read in told if one != read]


def _behind(keys: Sequence[Key], place: Place) -> Condition:
    """The condition on `m` for coming behind a place."""
    (first, *others), (value, *rest) = keys, place
    clause, values = first.behind(value)
    if not others:
        return clause, values
    beside, same = first.beside(value)
    further, more = _behind(others, tuple(rest))
    return f"{clause} OR ({beside} AND ({further}))", [*values, *same, *more]


def place(
    cursor: Cursor, number: int, sort: str = "played", hide: Hide | None = None
) -> Place | None:
    """Where a match stands in a list of SORTS; None: there is no such match."""
    keys = ", ".join(key.of for key in KEYS[sort])
    asked = [*_hidden(cursor, sort, hide), number]
    query = f"WITH {_HIDDEN} SELECT {keys} FROM matches m WHERE match_no = ?"
    return cursor.execute(query, asked).fetchone()


def of_file(cursor: Cursor, file_no: int, limit: int) -> list[tuple[str, str | None, int, str]]:
    """(id, the log's own id, line, verdict) of the matches of a file, as they stood in it."""
    return cursor.execute(
        "SELECT match_id, log_id, line, status::VARCHAR FROM matches WHERE file_no = ?"
        " ORDER BY line, match_no LIMIT ?",
        [file_no, limit],
    ).fetchall()


def deals(cursor: Cursor, number: int) -> pl.DataFrame:
    """The deals of a match in order: `number` from 1, `status`, `void`, `told`, `dealer`, `winner`
    (a seat, 0 for nobody), and `points` in seat order.
    """
    query = """
        SELECT d.deal::INTEGER + 1 AS number, d.manche, d.partie, d.status::VARCHAR AS status,
            d.void, d.told, d.dealer, d.winner, list(s.points ORDER BY s.seat) AS points
        FROM deals d LEFT JOIN deal_seats s USING (match_no, deal)
        WHERE d.match_no = ? GROUP BY ALL ORDER BY number
    """
    return cursor.execute(query, [number]).pl()


def told(cursor: Cursor, numbers: tuple[int, ...]) -> pl.DataFrame:
    """What a list says of some matches, by `match_no`: who sat there, the score, the result."""
    query = f"""
        WITH page AS (
            SELECT match_no, winner, status::VARCHAR AS status FROM matches
            WHERE match_no IN (SELECT unnest(?::BIGINT[]))
        ), {seated("page")}
        SELECT page.*, names, ids, seats, score, manches_won
        FROM page JOIN seated USING (match_no)
    """
    return cursor.execute(query, [list(numbers)]).pl()


def came_with(cursor: Cursor, ids: tuple[str, ...], files: tuple[int, ...]) -> set[str]:
    """Those of some matches' ids that were added by one of some files."""
    rows = cursor.execute(
        "SELECT match_id FROM matches WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
        " AND file_no IN (SELECT unnest(?::BIGINT[]))",
        [list(ids), list(files)],
    ).fetchall()
    return {row[0] for row in rows}


def sitting(cursor: Cursor, number: int) -> tuple[list[str], str | None]:
    """(the names of those who play a match, in seat order, and its game)."""
    rows = cursor.execute(
        "SELECT p.name, m.game FROM matches m JOIN seats s USING (match_no)"
        " JOIN players p USING (player_no) WHERE m.match_no = ? ORDER BY s.seat",
        [number],
    ).fetchall()
    return [name for name, _ in rows], rows[0][1] if rows else None


def presets(cursor: Cursor, game: str | None = None) -> list[str]:
    """The presets that occur, in one game or in all."""
    rows = cursor.execute(
        "SELECT DISTINCT preset FROM matches WHERE preset IS NOT NULL"
        " AND (?::VARCHAR IS NULL OR game = ?) ORDER BY preset",
        [game, game],
    ).fetchall()
    return [row[0] for row in rows]


def by_status(cursor: Cursor) -> dict[str, int]:
    """How many matches there are of each status that occurs."""
    return dict(
        cursor.execute("SELECT status::VARCHAR, count(*) FROM matches GROUP BY 1").fetchall()
    )


def totals(cursor: Cursor) -> dict[str, int]:
    """Matches by status, and how many `matches`, `deals`, `players` and `files` there are."""
    found = by_status(cursor)
    row = cursor.execute(
        "SELECT (SELECT count(*) FROM matches), (SELECT count(*) FROM deals),"
        " (SELECT count(DISTINCT player_no) FROM seats), (SELECT count(*) FROM files)"
    ).fetchone()
    return found | dict(zip(("matches", "deals", "players", "files"), row or (), strict=True))


def by_game(cursor: Cursor) -> pl.DataFrame:
    """One row a game, null for unreadable logs: `matches`, `legal`, `deals`, `players`, `last`."""
    query = """
        WITH seated AS (
            SELECT m.game, count(DISTINCT s.player_no) AS players
            FROM seats s JOIN matches m USING (match_no) GROUP BY m.game
        )
        SELECT m.game, count(*) AS matches, count(*) FILTER (m.status = 'legal') AS legal,
            sum(m.deals)::BIGINT AS deals, any_value(s.players) AS players,
            max(m.played_at) AS last
        FROM matches m LEFT JOIN seated s USING (game)
        GROUP BY m.game ORDER BY deals DESC, m.game NULLS LAST
    """
    return cursor.execute(query).pl()


def files(cursor: Cursor, limit: int = 5) -> pl.DataFrame:
    """The files added last, with how many of their matches are `kept`."""
    query = """
        WITH last AS (FROM files ORDER BY file_no DESC LIMIT ?), kept AS (
            SELECT file_no, count(*) AS kept FROM matches
            WHERE file_no >= (SELECT min(file_no) FROM last) GROUP BY file_no
        )
        SELECT file_no, name, added_at, matches, duplicates, coalesce(kept, 0) AS kept
        FROM last LEFT JOIN kept USING (file_no) ORDER BY file_no DESC
    """
    return cursor.execute(query, [limit]).pl()


def old(cursor: Cursor) -> int:
    """How many stored verdicts are of an older version of the rules."""
    return sum(revalidate.old(cursor).values())


def old_verdict(cursor: Cursor, number: int) -> tuple[str, int] | None:
    """A match's stored status and its version of the rules, None where that is the engine's."""
    row = cursor.execute(
        "SELECT status::VARCHAR, rules_version FROM matches"
        " WHERE match_no = ? AND rules_version < ?",
        [number, RULES_VERSION],
    ).fetchone()
    return None if row is None else (row[0], int(row[1]))
