"""Notes and score sheets of a registered game are imported without code that names it."""

import csv
import io

from ingest.i18n import translator
from ingest.importers.headings import csv_template, sheet_fields, xlsx_template
from ingest.importers.import_file import import_file
from ingest.importers.notes import read_notes

FR, EN = translator("fr"), translator("en")


def test_its_notes_are_read(brelin: str) -> None:
    found = read_notes(
        "Jeu : Brelin\nJoueurs : Jean, Zoé\n\nJean donne\nZoé : annonce 4♥ D♠ A♠\nJean : paire ♠ R♠\n"
    )
    assert [one.message(EN) for one in found.questions] == [
        "It is Jean’s turn before “A♠”, and that line has no more."
    ]
    ordered = "Jeu : Brelin\nJoueurs : Jean, Zoé\n\nJean donne\nZoé annonce 4♥\nD♠ R♠\n"
    [log] = read_notes(ordered).logs
    assert log["game"] == brelin
    assert log["deals"][0]["actions"] == ["2 bid 4h", "2 Qs", "1 Ks"]


def test_its_score_sheet_has_a_template_that_is_read(brelin: str) -> None:
    [headings, first] = csv.reader(io.StringIO(csv_template(brelin, FR).decode("utf-8-sig")), delimiter=";")
    assert first[0] == "Brelin"
    fields = {"players 1": "Jean", "players 2": "Zoé", "dealer": "Jean", "points 1": "2"}
    fields |= {"game": "Brelin", "points 2": "4", "winner": "Zoé"}
    line = ";".join(fields.get(one.key, "") for one in sheet_fields(brelin))
    found = import_file("x.csv", f"{';'.join(headings)}\n{line}\n".encode())
    assert [one.message(EN) for one in found.questions] == []
    assert found.logs[0]["deals"] == [{"dealer": 1, "points": [2, 4], "winner": 2}]
    assert import_file("x.xlsx", xlsx_template(brelin, EN)).questions
