"""A log checked under other rules: what changes, deal by deal."""

from pathlib import Path

import pytest

from ingest.reader.files import MatchText
from ingest.validate.what_if import Change, other_rules, parse_option, what_if

DATA = Path(__file__).parents[2] / "data"


def test_the_same_rules_change_nothing() -> None:
    text = MatchText(1, (DATA / "match-lavardin.json").read_bytes())
    before, after, changes = what_if(text, None, {})
    assert before.status == after.status == "legal"
    assert changes == []


def test_a_quinte_of_100_changes_the_points_of_the_deals_that_have_one() -> None:
    text = MatchText(1, (DATA / "match-lavardin.json").read_bytes())
    before, _, changes = what_if(text, None, {"quinte": 100})
    points = [change for change in changes if change.field == "points"]
    assert points
    for change in points:
        gained = [new - old for old, new in zip(change.before, change.after, strict=True)]
        assert set(gained) <= {0, 50}
        assert before.match is not None
        assert change.deal_index is not None
        assert any("quinte" in word for word in before.match.deals[change.deal_index].actions)


def test_other_rules_keep_the_options_they_do_not_name() -> None:
    rules = {"preset": "lavardin", "quinte": 100}
    assert other_rules(rules, None, {"parties": 3}) == rules | {"parties": 3}
    assert other_rules(rules, "regles-completes", {}) == {"preset": "regles-completes"}
    assert other_rules("mondoubleau", None, {}) == {"preset": "mondoubleau"}
    assert other_rules(None, None, {"quinte": 0}) == {"quinte": 0}


def test_rules_the_game_does_not_have_are_reported() -> None:
    text = MatchText(1, (DATA / "exemple-lavardin.json").read_bytes())
    _, after, changes = what_if(text, "tournoi-2018", {})
    assert [finding.code for finding in after.findings] == ["unknown-rule"]
    assert changes == [Change("status", None, "legal", "unreadable")]


@pytest.mark.parametrize(
    ("text", "value"),
    [("100", 100), ("true", True), ("False", False), ("any", "any"), ("²", "²"), ("--5", "--5")],
)
def test_values_are_read_as_the_log_writes_them(text: str, value: object) -> None:
    assert parse_option(text) == value
