"""The filter of statistics (game, players, preset, days): which deals are counted together."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import duckdb
import polars as pl

from engine.games import game
from engine.games import game_names as registered
from ingest.findings.finding import STATUSES
from ingest.findings.spoken_notation import announcement_kinds
from schemas.migrations import number as number  # re-exported for the queries
from schemas.player_key import fold_sql

Cursor = duckdb.DuckDBPyConnection
Condition = tuple[str, list[Any]]
"""SQL and the values of its `?`, in order."""
MATCHES_OF_PLAYER = "(SELECT unnest(list(match_no)) AS match_no FROM seats WHERE player_no = ?)"
"""The matches of one player. DuckLake has no distinct counts: it would estimate a fifth of all
rows and hash whole tables, while it estimates one row for a list."""


@dataclass(frozen=True)
class Scope:
    """Selects the deals to count: one game and table size, since points differ between them.

    None in any other field matches all. A void deal never counts.
    """

    game: str = field(default_factory=lambda: registered()[0])
    """The first registered game by default."""
    player_count: int = 2
    """Table size; 0 for any size, used only by the ladder, which counts matches."""
    preset: str | None = None
    since: date | None = None
    until: date | None = None
    """Days in UTC, both included; once either is set, a match without a date is skipped."""
    event: str | None = None
    source: str | None = None
    opponent: int | None = None
    """A player number."""
    statuses: tuple[str, ...] = ("legal",)
    """Verdicts of the deals that count."""
    score_sheets: bool = False
    """Whether score sheets count too. Only figures of results may use it: a sheet records no
    cards."""

    @property
    def without_sheets(self) -> "Scope":
        """Return the scope without score sheets, for a figure of cards."""
        return replace(self, score_sheets=False)

    def match_condition(self, seat: str | None = None) -> Condition:
        """Return the condition on `m`, its match.

        With `seat`, the SQL column of the counted player's seat, the opponent must sit on another
        side; without it, anywhere at the table.
        """
        clauses, values = ["m.game = ?"], list[Any]([self.game])
        for clause, value in (
            ("m.player_count = ?", self.player_count or None),
            ("m.preset = ?", self.preset),
            ("m.event = ?", self.event),
            ("m.source = ?", self.source),
        ):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        within, days = self.date_condition()
        clauses.append(within)
        values += days
        if self.opponent is not None:
            clauses.append(f"m.match_no IN {MATCHES_OF_PLAYER}")
            values.append(self.opponent)
            if seat:
                # only tables of one size have partners; elsewhere each seat is a side
                sides = game(self.game).side_count(self.player_count or max(game(self.game).players))
                clauses.append(
                    f"(m.match_no, {seat} % {sides}) NOT IN"
                    f" (SELECT (match_no, seat % {sides}) FROM seats WHERE player_no = ?)"
                )
                values.append(self.opponent)
        return " AND ".join(clauses), values

    def with_sheet_counts(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Drop the column `from_sheets`, deals or matches known from score sheets, unless they count."""
        return frame if self.score_sheets else frame.drop("from_sheets")

    def date_condition(self) -> Condition:
        """Return the condition on the date of `m`; NULL for an undated match if a day is set."""
        bounds = (("m.played_on >= ?::DATE", self.since), ("m.played_on <= ?::DATE", self.until))
        items = [(clause, day) for clause, day in bounds if day is not None]
        return " AND ".join(clause for clause, _ in items) or "true", [day for _, day in items]

    def deal_condition(self, stood: str = "d.void IS NULL") -> Condition:
        """Return the condition for a deal `d` to count; `stood` is the condition not to be void.

        For grouped deals, `stood` is `NOT d.void` (`match_deals`) or `true` (other tables).
        """
        played, some = status_condition("d.status", self.statuses, f"NOT d.is_score_line AND {stood}")
        return (f"(({played}) OR ({stood} AND {IS_SCORE_LINE}))" if self.score_sheets else played), some

    def result_condition(self, match: str = "m.") -> Condition:
        """Return the condition for a match's result to count; a sheet's does unless its log's does."""
        played, some = status_condition(f"{match}status", self.statuses, f"NOT {match}is_score_sheet")
        if not self.score_sheets:
            return played, some
        counts, more = status_condition("l.status", self.statuses, "l.winning_side IS NOT NULL")
        text = f"""{match}is_score_sheet AND match_no NOT IN (
            SELECT w.match_no FROM sheet_with_log w JOIN matches l ON l.match_no = log_no WHERE {counts})"""
        return f"(({played}) OR ({text}))", [*some, *more]

    def conditions(self, seat: str | None = None, stood: str = "d.void IS NULL") -> Condition:
        """Return the condition for deals that count, of the matches selected."""
        counted, some = self.deal_condition(stood)
        where, more = self.match_condition(seat)
        return f"{counted} AND {where}", [*some, *more]

    def announcement_kinds(self) -> list[str]:
        """Return the kinds of announcements in display order, for `KIND_ORDER`."""
        return list(announcement_kinds())


KIND_ORDER = "list_position(?::VARCHAR[], {}::VARCHAR)"
"""Orders a column of kinds, put in by `format`; `?` is `Scope.announcement_kinds`."""


IS_SCORE_LINE = """d.is_score_line AND d.status = 'unverified'
    AND d.match_no NOT IN (SELECT match_no FROM sheet_with_log)"""
"""A score-sheet line that counts if sheets do: a log of the same match takes precedence."""


def status_condition(column: str, statuses: Sequence[str], also: str = "true") -> Condition:
    """Return a condition that compares verdicts as the store holds them, as small integers.

    An unknown status matches nothing.
    """
    known = [status for status in statuses if status in STATUSES]
    places = ", ".join("?::verdict" for _ in known) or "NULL"
    return f"{also} AND {column} IN ({places})", list(known)


IS_LEGAL = "d.status = 'legal' AND NOT d.void AND NOT d.is_score_line"
"""The condition on a row of `match_deals` for deals that count in most figures."""


def available_scopes(cursor: Cursor, *seated: int) -> pl.DataFrame:
    """Count the `deals` of each `game`, `player_count` and `preset` of the store, most first.

    Lines of score sheets (`sheets`) and matches without deals (`results`) count only if the scope
    includes sheets; figures of deals count no match without deals.

    `seated` restricts to matches in which all these players sat.
    """
    at_table = f" AND m.match_no IN {MATCHES_OF_PLAYER}"
    query = f"""
        SELECT m.game, m.player_count, m.preset,
            coalesce(sum(d.deals) FILTER ({IS_LEGAL}), 0)::BIGINT AS deals,
            coalesce(sum(d.deals) FILTER (d.is_score_line), 0)::BIGINT AS sheets,
            count(*) FILTER (m.is_score_sheet AND m.result_only) AS results
        FROM matches m LEFT JOIN match_deals d USING (match_no)
        WHERE m.game IS NOT NULL AND m.preset IS NOT NULL {at_table * len(seated)}
            AND (d.match_no IS NOT NULL OR m.is_score_sheet)
        GROUP BY ALL ORDER BY deals DESC, sheets DESC, results DESC, m.game, m.player_count, m.preset
    """
    return cursor.execute(query, list(seated)).pl()


def count_deals(cursor: Cursor, scope: Scope) -> tuple[int, int]:
    """Return (deals counted, deals excluded) of the scope's matches."""
    counted, some = scope.deal_condition("NOT d.void")
    where, more = scope.match_condition()
    query = f"""
        SELECT coalesce(sum(d.deals) FILTER ({counted}), 0), coalesce(sum(d.deals), 0)
        FROM match_deals d JOIN matches m USING (match_no) WHERE {where}
    """
    chosen, every = cursor.execute(query, [*some, *more]).fetchone() or (0, 0)
    return int(chosen), int(every) - int(chosen)


def used_names(cursor: Cursor, column: str, scope: Scope | None = None) -> list[str]:
    """Return the events or sources (`column`) of a scope's game and table, most matches first.

    At most 500, as many as a reader can choose from. KeyError: another column.
    """
    result = {"event": "event", "source": "source"}[column]
    query = f"""
        SELECT {result} FROM matches
        WHERE {result} IS NOT NULL AND ($1::VARCHAR IS NULL OR game = $1)
            AND ($2::INTEGER IS NULL OR player_count = $2)
        GROUP BY 1 ORDER BY count(*) DESC, {fold_sql(result)}, 1 LIMIT 500
    """
    rows = cursor.execute(query, [scope and scope.game, (scope and scope.player_count) or None]).fetchall()
    return [row[0] for row in rows]
