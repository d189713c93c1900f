"""The score sheet as it should read, as lines of text."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from ingest.cli.say import wrapped
from ingest.cli.terminal import console
from ingest.finding.words import speak_winner
from ingest.i18n import N_, Translate
from ingest.judge.sheet import Row, Sheet
from ingest.text.signs import plain

HEAD = N_("From {place} on the sheet reads:")
WRITTEN = N_("(written: {values})")


def lines(t: Translate, sheet: Sheet, most: int) -> Iterator[Text]:
    """A head line, then a line a deal: its place, its points, who takes it, the score after it.

    No more than `most` deals, 0 for all of them.
    """
    width = console().width
    yield from wrapped(Text(t(HEAD, place=sheet.rows[0].place(t)), style="bold"), "  ", width)
    told = sheet.rows[: most or None]
    cells = [_cells(t, sheet, row) for row in told]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row, texts in zip(told, cells, strict=True):
        padded = (text + " " * (w - cell_len(text)) for text, w in zip(texts, widths, strict=True))
        line = Text("  ".join(padded))
        if row.differs:
            said = t(WRITTEN, values=_deal(t, sheet, row.written_points, row.written_winner))
            line.append("  " + plain(said), style="yellow")
        line.rstrip()
        yield from wrapped(line, "    ", width)
    if more := len(sheet.rows) - len(told):
        yield Text("  " + t("… and {n} more; --limit 0 tells all.", n=more), style="dim")


def _cells(t: Translate, sheet: Sheet, row: Row) -> list[str]:
    winner = "–" if row.points is None else _winner(t, sheet, row.winner)
    return [row.place(t), _points(row.points), winner, _points(row.score)]


def _deal(t: Translate, sheet: Sheet, points: list[int] | None, winner: int | None) -> str:
    told = [_points(points)] if points is not None else []
    if winner is not None:
        told.append(_winner(t, sheet, winner))
    return ", ".join(told)


def _winner(t: Translate, sheet: Sheet, winner: int | None) -> str:
    return plain(speak_winner(t, winner, sheet.detail))


def _points(points: list[int] | None) -> str:
    return "–" if points is None else " – ".join(map(str, points))
