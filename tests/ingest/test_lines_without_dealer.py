"""Lines of score sheets without a dealer: the rest is checked, and no dealer is shown."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from ingest.importers.import_file import import_file
from ingest.importers.mapping import ImportOptions
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate

PLAYERS = [{"id": name.lower(), "name": name} for name in ("Lucie", "Gaston", "Odile", "Marcel")]
COINCHE = {"format": "retourne/1", "game": "coinche", "players": PLAYERS}
LINE = {"points": [170, 60], "winner": 1, "score_line": {"contract": {"bid": "1 bid 80s"}}}


def findings(*deals: dict[str, Any], **head: Any) -> list[tuple[str, str]]:
    """Return codes and places of what is wrong in a match of Coinche."""
    report = validate(json.dumps({**COINCHE, **head, "deals": deals}).encode())
    return [(one.code, one.path) for one in report.findings if one.code != "score-sheet"]


def test_a_line_needs_no_dealer() -> None:
    [deal] = [{**LINE, "points": [170, 60]}]
    with_dealer = findings({"dealer": 1, **deal})
    assert findings(deal) == with_dealer


def test_points_are_checked_without_a_dealer() -> None:
    assert ("points-impossible", "/deals/0/points") in findings({**LINE, "points": [9999, 0]})


@pytest.mark.parametrize(
    "deal",
    [{"void": "maldonne"}, {"actions": ["2 pass", "3 pass"]}, {"deck": "??", "points": [0, 0], "winner": 0}],
)
def test_every_other_deal_needs_one(deal: dict[str, Any]) -> None:
    assert ("deal-seat", "/deals/0/dealer") in findings(deal)


def test_an_end_that_only_one_dealer_could_have_needs_one() -> None:
    passed = {"points": [0, 0], "winner": 0, "score_line": {"end": "4 pass"}}
    assert findings({"dealer": 4, **passed}) == []
    assert findings(passed) == [("deal-seat", "/deals/0/dealer")]


def test_the_dealer_after_such_a_line_is_not_checked() -> None:
    assert ("wrong-dealer", "/deals/1/dealer") in findings({"dealer": 1, **LINE}, {"dealer": 1, **LINE})
    deals = {"dealer": 1, **LINE}, LINE, {"dealer": 1, **LINE}
    after = [code for code, _ in findings(*deals) if code == "wrong-dealer"]
    assert after == []


def test_a_deal_after_the_end_of_the_match_is_found_without_a_dealer() -> None:
    codes = findings({**LINE, "dealer": 1}, LINE, rules={"preset": "tournoi-2018", "target": 100})
    assert ("deal-after-match", "/deals/1") in codes


def test_the_store_has_no_dealer_of_such_a_line(tmp_path: Path) -> None:
    log = {**COINCHE, "deals": [LINE, {"dealer": 2, **LINE}]}
    with Store(tmp_path / "store.duckdb") as store:
        list(ingest(store, [("log.json", BytesIO(json.dumps(log).encode()))]))
        cursor = store.cursor()
        assert cursor.execute("SELECT dealer, winning_side FROM deals ORDER BY deal_index").fetchall() == [
            (None, 1),
            (2, 1),
        ]
        dealt = cursor.execute("SELECT dealt FROM deal_seats ORDER BY deal_index, seat").fetchall()
        assert dealt == [(None,)] * 4 + [(False,), (True,), (False,), (False,)]
        assert cursor.execute("SELECT sum(deals) FROM match_deals WHERE dealt").fetchone() == (2,)


def test_a_sheet_without_a_column_of_dealers_is_read_without_a_question() -> None:
    text = "Coinche\nNous = Lucie + Odile;Eux = Gaston + Marcel\nPreneur;Contrat;Nous;Eux\n"
    found = import_file(
        "soir.csv", f"{text}Lucie;80 ♠;170;60\nMarcel;90 ♥;60;180\n".encode(), ImportOptions()
    )
    assert not found.questions
    [log] = found.logs
    assert ["dealer" in deal for deal in log["deals"]] == [False, False]


def test_a_column_of_dealers_that_begins_empty_is_a_question() -> None:
    text = "Coinche\nNous = Lucie + Odile;Eux = Gaston + Marcel\nDonneur;Preneur;Contrat;Nous;Eux\n"
    rows = ";Lucie;80 ♠;170;60\nLucie;Marcel;90 ♥;60;180\n"
    found = import_file("soir.csv", f"{text}{rows}".encode(), ImportOptions())
    assert [one.where for one in found.questions] == ["A4"]


def test_numbers_of_deals_that_go_on_after_an_empty_line_are_of_one_match() -> None:
    head = "Coinche\nNous = Lucie + Odile;Eux = Gaston + Marcel\nDonne;Preneur;Nous;Eux\n"
    for third, deals in (("3", [3]), ("1", [2, 1])):
        rows = f"1;Lucie;170;60\n2;Marcel;60;180\n;;;\n{third};Odile;162;0\n"
        found = import_file("soir.csv", f"{head}{rows}".encode(), ImportOptions())
        assert [len(log["deals"]) for log in found.logs] == deals
        taken = [deal["comments"][0]["text"] for log in found.logs for deal in log["deals"]]
        assert taken == ["Preneur Lucie", "Preneur Marcel", "Preneur Odile"]
