"""Decides whether each row of a sheet is a match or a deal of one."""

from collections.abc import Mapping, Sequence

from ingest.games import game_support
from ingest.importers.headings import NUMBER, PLAYERS, RESULT, SheetField
from ingest.importers.match_rows import points_of, repeat_players
from ingest.importers.result_rows import may_be_deal
from ingest.importers.sheet_dates import DateReader
from ingest.importers.sheet_rows import SheetRow, read_head
from schemas.match_models import deal_model

MAX_LINES_TRIED = 60  # lines of a table that decide


def are_matches(
    game: str,
    columns: Mapping[int, SheetField],
    groups: Sequence[Sequence[SheetRow]],
    dates: DateReader,
    *,
    names_losers: bool,
) -> bool | None:
    """Return whether each line is a match, not a deal of one; None if it may be either."""
    fields = [one.column for one in columns.values()]
    if RESULT in fields:
        return True
    opens = deal_model(game).OPENS
    of_deal = {opens, "manche", "void", "end", *(one.key for one in game_support(game).SHEET_COLUMNS)}
    rows = [row for group in groups for row in group][:MAX_LINES_TRIED]
    if any(one.key in of_deal for one in fields) or any(opens in row.cells for row in rows):
        return False
    scores = [score for row in rows if (score := points_of(row, game)) is not None]
    head = next((one for row in rows if (one := read_head(row, game, dates, []))), None)
    if rows and head is None:  # names come first
        return True
    if scores and head and not any(may_be_deal(head, head["players"], one) for one in scores):
        return True
    if names_losers:
        return None if scores or NUMBER in fields or repeat_players(rows) else True
    if any(len(group) > 1 for group in groups) or PLAYERS not in fields or NUMBER in fields:
        return False
    return None if rows else False
