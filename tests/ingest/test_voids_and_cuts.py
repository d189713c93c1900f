"""Deals thrown in before their cards were written down, and cuts that nothing needs."""

import io
import json
from pathlib import Path
from typing import Any

from ingest import check
from ingest.autofix.search import find_edits
from ingest.validate.slow_path import validate

SAMPLE = Path(__file__).parents[2] / "data" / "exemple-lavardin.json"


def match(**changes: Any) -> dict[str, Any]:
    return json.loads(SAMPLE.read_bytes()) | changes


def both(log: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """Status, codes and pointers, the same from the explanation and from the bulk check."""
    text = json.dumps(log).encode()
    explained = validate(text)
    find_edits(explained)
    (report,) = check(("a log", io.BytesIO(text)))
    assert report.status == explained.status
    assert report.findings == explained.findings
    return explained.status, [(finding.code, finding.path) for finding in explained.findings]


def test_ch_26_a_maldonne_may_be_logged_without_its_cards() -> None:
    (deal,) = match()["deals"]
    thrown_in = {"dealer": deal["dealer"], "void": "maldonne"}
    assert both(match(deals=[thrown_in, deal], result=None)) == ("legal", [])


def test_ch_26_the_same_player_deals_again_after_it() -> None:
    (deal,) = match()["deals"]
    other = 3 - deal["dealer"]
    log = match(deals=[{"dealer": other, "void": "maldonne"}, deal], result=None)
    assert both(log) == ("irregular", [("wrong-dealer", "/deals/1/dealer")])


def test_a_deal_without_cards_or_acts_that_is_not_void_lacks_its_end() -> None:
    (deal,) = match()["deals"]
    log = match(deals=[{"dealer": deal["dealer"], "actions": []}], result=None)
    assert both(log) == ("incomplete", [("incomplete", "/deals/0/actions")])


def test_ch_2_a_match_has_no_third_cut() -> None:
    dealer = match()["deals"][0]["dealer"]
    cut = ["7h Ks"] if dealer == 1 else ["Ks 7h"]
    assert both(match(cuts=[cut, cut, cut])) == ("irregular", [("cut-repeated", "/cuts/2/0")])
