"""Sheets whose points are running totals; where they are certain, `data/papers/vouvray.csv` has one."""

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from ingest.i18n import translator
from ingest.importers.import_file import import_file
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions, Lines, RememberedMapping, SheetMapping, WorkbookMapping
from ingest.importers.running_totals import DEALS_OR_TOTALS

EN = translator("en")
RISING = ((82, 80), (182, 142), (182, 304))


def read(
    title: str,
    points: Sequence[tuple[int, int]],
    lines: Lines | None = None,
    remembered: Mapping[str, RememberedMapping] | None = None,
) -> ImportResult:
    rows = "".join(f"{number};{one};{other}\n" for number, (one, other) in enumerate(points, 1))
    text = f"{title}\nNous : Ginette et Robert ; Eux : Simone et Jacques\n\nDonne;Nous;Eux\n{rows}"
    mapping = WorkbookMapping(sheets=(SheetMapping(lines=lines),))
    return import_file(
        "sheet.csv", text.encode(), ImportOptions(mapping=mapping, remembered=remembered or {})
    )


def points_of(found: ImportResult) -> list[tuple[int, ...]]:
    return [tuple(deal["points"]) for log in found.logs for deal in log["deals"]]


def questions_of(found: ImportResult) -> list[tuple[str, str]]:
    return [(one.where, one.message(EN)) for one in found.questions]


def test_points_that_may_be_totals_or_of_deals_are_a_question() -> None:
    found = read("Belote coinchée", RISING)
    assert questions_of(found) == [("B5", EN(DEALS_OR_TOTALS))]
    assert (found.logs, found.mapping.sheets[0].lines) == ([], None)


@pytest.mark.parametrize(
    ("lines", "points"), [("deals", RISING), ("totals", ((82, 80), (100, 62), (0, 162)))]
)
def test_the_choice_of_what_a_line_has_answers_it(lines: Lines, points: Sequence[tuple[int, int]]) -> None:
    found = read("Belote coinchée", RISING, lines)
    assert (points_of(found), questions_of(found)) == ([*points], [])


@pytest.mark.parametrize(
    "points",
    [
        ((82, 80), (100, 62), (62, 100)),  # they fall
        ((90, 72), (90, 72), (90, 72)),  # nothing is added
        ((0, 162), (0, 252), (20, 252)),  # each is of a deal, and 20 – 0 of none
        RISING[:2],
    ],
)
def test_points_of_deals_stay_as_they_are(points: Sequence[tuple[int, int]]) -> None:
    found = read("Belote", points)
    assert (points_of(found), found.notices, questions_of(found)) == ([*points], [], [])


def test_a_total_that_falls_is_a_question() -> None:
    found = read("Belote", ((82, 80), (182, 142), (100, 304)), "totals")
    assert questions_of(found) == [
        ("B7", "“100” is less than in the line above, and a running total never falls.")
    ]


def test_the_points_are_totals_whatever_a_store_remembers_of_such_sheets() -> None:
    [sheet] = read("Belote", RISING).mapping.sheets
    remembered = {sheet.fingerprint: RememberedMapping(date(2026, 11, 1), SheetMapping(lines="deals"))}
    found = read("Belote", RISING, remembered=remembered)
    assert (points_of(found), len(found.recalled)) == ([(82, 80), (100, 62), (0, 162)], 1)
