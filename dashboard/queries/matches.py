"""The list of matches, its filters, and titles of matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import polars as pl

from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import MATCHES_OF_PLAYER, Condition, Cursor, number, status_condition
from engine import RULES_VERSION
from ingest.redact.anonymize_log import LogRedactor
from ingest.store import revalidate
from schemas.player_key import fold_sql, search_key


class SortKey(NamedTuple):
    """A key by which a list is sorted; nulls come last in either direction."""

    expression: str
    """SQL expression on a match `m`."""
    descending: bool = False
    sql_type: str = "BIGINT"
    """SQL type of `expression`."""

    @property
    def order_by(self) -> str:
        return f"{self.expression}{' DESC' if self.descending else ''} NULLS LAST"

    def after(self, value: Any) -> Condition:
        """Return the condition on `m` to come after `value` in this order."""
        if value is None:
            return "false", []
        than = "<" if self.descending else ">"
        return f"({self.expression} {than} ?::{self.sql_type} OR {self.expression} IS NULL)", [value]

    def equals(self, value: Any) -> Condition:
        return f"{self.expression} IS NOT DISTINCT FROM ?::{self.sql_type}", [value]


_READABLE_EVENT = "coalesce((SELECT read FROM hidden WHERE event = m.event), m.event)"
"""An event as the reader sees it, so that the sort order reveals no hidden name."""
_BY_NUMBER = SortKey("m.match_no", True)
_BY_DATE = SortKey("m.played_at", True, "TIMESTAMPTZ")
SORT_KEYS: Mapping[str, tuple[SortKey, ...]] = {
    "played": (_BY_DATE, _BY_NUMBER),
    "oldest": (_BY_DATE._replace(descending=False), _BY_NUMBER._replace(descending=False)),
    "added": (_BY_NUMBER,),
    "event": (SortKey(fold_sql(_READABLE_EVENT), False, "VARCHAR"), _BY_DATE, _BY_NUMBER),
    "deals": (SortKey("m.deals", True), _BY_NUMBER),
    "status": (SortKey("enum_code(m.status)", True), SortKey("m.findings", True), _BY_NUMBER),
}
"""Sort orders of a list; each ends in a unique key, so that no page repeats a match."""
SORT_ORDERS = {name: ", ".join(key.order_by for key in keys) for name, keys in SORT_KEYS.items()}
SortPosition = tuple[Any, ...]
"""The position of a match in a list: its values of the sort keys."""


@dataclass(frozen=True)
class MatchFilter:
    """Selects matches; an empty field matches any. `words`: part of a name, event or id."""

    words: str = ""
    statuses: tuple[str, ...] = ()
    preset: str | None = None
    game: str | None = None
    players: tuple[int, ...] = ()
    """Players who all sat at the table."""
    files: tuple[int, ...] | None = None
    """Numbers of the files that added them; None matches any."""
    event: str | None = None
    since: date | None = None
    until: date | None = None
    """Days by the logs' clocks, both included; once either is set, a match without a date is skipped."""
    kind: str | None = None
    """Kind of an announcement made in the match."""
    ids: tuple[str, ...] | None = None
    """Full match ids; None matches any."""
    has_turning_point: bool = False
    """Only matches with a deal in whose endgame the winner changed."""
    log_id: str | None = None
    """The id the log gives itself, case-sensitive."""
    redactor: LogRedactor | None = field(default=None, repr=False, compare=False)
    """Hides names from the reader: `words` do not match text that the reader cannot see."""

    def where(self, cursor: Cursor) -> Condition:
        """Return a FROM clause in which `m` is one of these matches, and its values."""
        clauses, values, words = ["true"], list[Any](), self.words.strip()
        if words:
            unread = self._redacted_texts(cursor, words)
            own = " AND {} NOT IN (SELECT unnest(?::VARCHAR[]))" if unread else ""
            clauses.append(
                f"(({_EVENT_CONTAINS}{own.format('m.event')})"
                f" OR ({_LOG_ID_CONTAINS}{own.format('m.log_id')})"
                " OR starts_with(m.match_id, w.words)"
                " OR m.match_no IN (SELECT s.match_no FROM seats s JOIN player_names USING (player_no)"
                " WHERE contains(search_name, ?)))"
            )
            values += [*([unread] * 2 if unread else []), search_key(words)]
        if self.statuses:
            clause, some = status_condition("m.status", self.statuses)
            clauses.append(clause)
            values += some
        if self.has_turning_point:
            turned = "(SELECT match_no FROM endgame_values WHERE turning_action_index IS NOT NULL)"
            clauses.append(f"m.match_no IN {turned}")
        made = "(SELECT match_no FROM announcements WHERE announced AND kind::VARCHAR = ?)"
        for clause, value in (
            ("m.preset = ?", self.preset),
            ("m.game = ?", self.game),
            ("m.event = ?", self.event),
            ("m.log_id = ?", self.log_id),
            ("m.played_on >= ?::DATE", self.since),
            ("m.played_on <= ?::DATE", self.until),
            (f"m.match_no IN {made}", self.kind),
            ("m.file_no IN (SELECT unnest(?::BIGINT[]))", self.files),
            ("m.match_id IN (SELECT unnest(?::VARCHAR[]))", self.ids),
            *((f"m.match_no IN {MATCHES_OF_PLAYER}", player) for player in self.players),
        ):
            if value is not None:
                clauses.append(clause)
                values.append([*value] if isinstance(value, tuple) else value)
        # `w` normalizes the words once, lower case and without accents, as names are compared
        table = f"matches m CROSS JOIN (SELECT {fold_sql('?')} AS words) w"
        return f"{table} WHERE {' AND '.join(clauses)}", [words, *values]

    def _redacted_texts(self, cursor: Cursor, words: str) -> list[str]:
        """Return events and ids that contain the words only in a hidden name."""
        if self.redactor is None:
            return []
        having = cursor.execute(_TEXTS_CONTAINING, [words]).fetchall()
        items = [(text, self.redactor(text, joined)) for text, joined in having]
        hidden = [(text, read) for text, read in items if text != read]
        texts, readable = [one for one, _ in hidden], [one for _, one in hidden]
        rows = cursor.execute(_TEXTS_NOT_CONTAINING, [texts, readable, words]).fetchall()
        return [text for (text,) in rows]


_EVENT_CONTAINS = f"""contains({fold_sql("coalesce(m.event, '')")}, w.words)"""
_LOG_ID_CONTAINS = f"""contains({fold_sql("coalesce(m.log_id, '')")}, w.words)"""
_TEXTS_CONTAINING = f"""
    WITH w AS (SELECT {fold_sql("?")} AS words)
    SELECT DISTINCT m.event, false FROM matches m, w WHERE {_EVENT_CONTAINS}
    UNION ALL SELECT DISTINCT m.log_id, true FROM matches m, w WHERE {_LOG_ID_CONTAINS}
"""
_TEXTS_NOT_CONTAINING = f"""
    SELECT text FROM (
        SELECT unnest(?::VARCHAR[]) AS text, unnest(?::VARCHAR[]) AS read
    ) WHERE NOT contains({fold_sql("read")}, {fold_sql("?")})
"""


def count_matches(cursor: Cursor, which: MatchFilter | None = None) -> int:
    """Count the matches."""
    chosen, values = (which or MatchFilter()).where(cursor)
    return number(cursor, f"SELECT count(*) FROM {chosen}", values)


def count_sheets_with_log(cursor: Cursor, which: MatchFilter) -> int:
    """Count the matches that are sheets whose log is stored too: they are one match with it."""
    chosen, values = which.where(cursor)
    query = f"SELECT count(*) FROM {chosen} AND m.match_no IN (SELECT match_no FROM sheet_with_log)"
    return number(cursor, query, values)


def match_page(
    cursor: Cursor,
    which: MatchFilter | None = None,
    limit: int = 25,
    offset: int = 0,
    sort: str = "played",
    after: SortPosition | None = None,
) -> pl.DataFrame:
    """Return matches in an order of SORT_KEYS: a row each, with the lists of `seated_query`.

    The score has the unit of the game: deals won, points, or the side's marks. `after`
    returns only those behind a position, even if matches were added or deleted since.
    """
    chosen, values = (which or MatchFilter()).where(cursor)
    hidden = _redacted_events(cursor, sort, which.redactor if which else None)
    if after is not None:
        behind, more = _after_position(SORT_KEYS[sort], after)
        chosen, values = f"{chosen} AND ({behind})", [*values, *more]
    query = f"""
        WITH {_REDACTED_EVENTS}, page AS MATERIALIZED (
            SELECT m.* FROM {chosen} ORDER BY {SORT_ORDERS[sort]} LIMIT ? OFFSET ?
        ), {seated_query("page")}
        SELECT m.match_no, m.match_id, m.log_id, m.played_at, m.played_on, m.event, m.game, m.preset,
            m.status::VARCHAR AS status, m.findings, m.deals, m.winning_side, m.is_score_sheet,
            m.result_only,
            w.match_no IS NOT NULL AS sheet_with_log, coalesce(w.log_counts, false) AS log_counts,
            s.names, s.ids, s.seats, s.score, s.manches_won
        FROM page m LEFT JOIN seated s USING (match_no) LEFT JOIN sheet_with_log w USING (match_no)
        ORDER BY {SORT_ORDERS[sort]}
    """
    return cursor.execute(query, [*hidden, *values, limit, offset]).pl()


_REDACTED_EVENTS = "hidden AS (SELECT unnest(?::VARCHAR[]) AS event, unnest(?::VARCHAR[]) AS read)"


def _redacted_events(cursor: Cursor, sort: str, hide: LogRedactor | None) -> tuple[list[str], list[str]]:
    """Return events that contain hidden names, and their redacted text, if sorted by event."""
    if hide is None or sort != "event":
        return [], []
    rows = cursor.execute("SELECT DISTINCT event FROM matches WHERE event IS NOT NULL").fetchall()
    items = [(event, hide(event)) for (event,) in rows]
    return [one for one, read in items if one != read], [read for one, read in items if one != read]


def _after_position(keys: Sequence[SortKey], place: SortPosition) -> Condition:
    """Return the condition on `m` to come after a position."""
    (first, *others), (value, *rest) = keys, place
    clause, values = first.after(value)
    if not others:
        return clause, values
    other, same = first.equals(value)
    further, more = _after_position(others, tuple(rest))
    return f"{clause} OR ({other} AND ({further}))", [*values, *same, *more]


def sort_position(
    cursor: Cursor, number: int, sort: str = "played", hide: LogRedactor | None = None
) -> SortPosition | None:
    """Return the position of a match in an order of SORT_KEYS; None: the match does not exist."""
    keys = ", ".join(key.expression for key in SORT_KEYS[sort])
    requested = [*_redacted_events(cursor, sort, hide), number]
    query = f"WITH {_REDACTED_EVENTS} SELECT {keys} FROM matches m WHERE match_no = ?"
    return cursor.execute(query, requested).fetchone()


def matches_of_file(cursor: Cursor, file_no: int, limit: int) -> list[tuple[str, str | None, int, str]]:
    """Return (id, the log's own id, line, verdict) of the matches of a file, in file order."""
    return cursor.execute(
        "SELECT match_id, log_id, line, status::VARCHAR FROM matches WHERE file_no = ?"
        " ORDER BY line, match_no LIMIT ?",
        [file_no, limit],
    ).fetchall()


def match_deals(cursor: Cursor, number: int) -> pl.DataFrame:
    """Return the deals of a match in order, with their `deal_number`.

    `winning_side` is a seat, 0 if drawn; `points` are in seat order.
    """
    query = """
        SELECT d.deal_index::INTEGER + 1 AS deal_number, d.manche, d.partie, d.status::VARCHAR AS status,
            d.void, d.is_score_line, d.dealer, d.winning_side, list(s.points ORDER BY s.seat) AS points
        FROM deals d LEFT JOIN deal_seats s USING (match_no, deal_index)
        WHERE d.match_no = ? GROUP BY ALL ORDER BY deal_number
    """
    return cursor.execute(query, [number]).pl()


def match_summaries(cursor: Cursor, numbers: tuple[int, ...]) -> pl.DataFrame:
    """Return the list columns of some matches, by `match_no`: players, score, result."""
    query = f"""
        WITH page AS (
            SELECT match_no, winning_side, status::VARCHAR AS status, result_only FROM matches
            WHERE match_no IN (SELECT unnest(?::BIGINT[]))
        ), {seated_query("page")}
        SELECT page.*, names, ids, seats, score, manches_won
        FROM page JOIN seated USING (match_no)
    """
    return cursor.execute(query, [list(numbers)]).pl()


def ids_added_by(cursor: Cursor, ids: tuple[str, ...], files: tuple[int, ...]) -> set[str]:
    """Return those of the match ids that were added by one of the files."""
    rows = cursor.execute(
        "SELECT match_id FROM matches WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
        " AND file_no IN (SELECT unnest(?::BIGINT[]))",
        [list(ids), list(files)],
    ).fetchall()
    return {row[0] for row in rows}


def players_and_game(cursor: Cursor, number: int) -> tuple[list[str], str | None]:
    """Return the players' names of a match, in seat order, and its game."""
    rows = cursor.execute(
        "SELECT p.name, m.game FROM matches m JOIN seats s USING (match_no)"
        " JOIN players p USING (player_no) WHERE m.match_no = ? ORDER BY s.seat",
        [number],
    ).fetchall()
    return [name for name, _ in rows], rows[0][1] if rows else None


def used_presets(cursor: Cursor, game: str | None = None) -> list[str]:
    """Return the presets that occur, in one game or in all."""
    rows = cursor.execute(
        "SELECT DISTINCT preset FROM matches WHERE preset IS NOT NULL"
        " AND (?::VARCHAR IS NULL OR game = ?) ORDER BY preset",
        [game, game],
    ).fetchall()
    return [row[0] for row in rows]


def count_by_status(cursor: Cursor) -> dict[str, int]:
    """Count the matches of each status that occurs."""
    return dict(cursor.execute("SELECT status::VARCHAR, count(*) FROM matches GROUP BY 1").fetchall())


def store_totals(cursor: Cursor) -> dict[str, int]:
    """Count the matches by status, and all `matches`, `deals`, `players` and `files`."""
    found = count_by_status(cursor)
    row = cursor.execute(
        "SELECT (SELECT count(*) FROM matches), (SELECT count(*) FROM deals),"
        " (SELECT count(DISTINCT player_no) FROM seats), (SELECT count(*) FROM files)"
    ).fetchone()
    return found | dict(zip(("matches", "deals", "players", "files"), row or (), strict=True))


def count_by_game(cursor: Cursor) -> pl.DataFrame:
    """Return the totals of each game, null for unreadable logs, and the `last` day played."""
    query = """
        WITH seated AS (
            SELECT m.game, count(DISTINCT s.player_no) AS players
            FROM seats s JOIN matches m USING (match_no) GROUP BY m.game
        )
        SELECT m.game, count(*) AS matches, count(*) FILTER (m.status = 'legal') AS legal,
            sum(m.deals)::BIGINT AS deals, any_value(s.players) AS players,
            max(m.played_on) AS last
        FROM matches m LEFT JOIN seated s USING (game)
        GROUP BY m.game ORDER BY deals DESC, m.game NULLS LAST
    """
    return cursor.execute(query).pl()


def recent_files(cursor: Cursor, limit: int = 5) -> pl.DataFrame:
    """Return the files added last; `stored` is how many of their matches are in the store."""
    query = """
        WITH last AS (FROM files ORDER BY file_no DESC LIMIT ?), stored AS (
            SELECT file_no, count(*) AS stored FROM matches
            WHERE file_no >= (SELECT min(file_no) FROM last) GROUP BY file_no
        )
        SELECT file_no, name, added_at, matches, already_stored, coalesce(stored, 0) AS stored
        FROM last LEFT JOIN stored USING (file_no) ORDER BY file_no DESC
    """
    return cursor.execute(query, [limit]).pl()


def count_outdated(cursor: Cursor) -> int:
    """Count the stored verdicts of an older version of the rules."""
    return sum(revalidate.count_outdated(cursor).values())


def outdated_verdict(cursor: Cursor, number: int) -> tuple[str, int] | None:
    """Return a match's stored status and rules version; None if that version is current."""
    row = cursor.execute(
        "SELECT status::VARCHAR, rules_version FROM matches WHERE match_no = ? AND rules_version < ?",
        [number, RULES_VERSION],
    ).fetchone()
    return None if row is None else (row[0], int(row[1]))
