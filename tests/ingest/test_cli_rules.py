"""Rules and decks on the command line, and the same log under other rules."""

import json
from pathlib import Path

import pytest

from engine.games import game_names
from engine.options import game_options, game_presets
from ingest.cli.app import run
from ingest.validate.what_if import games_with
from tests.catalogues import french

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def test_rules_lists_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    result = capsys.readouterr().out
    assert all(name in result for game in game_names() for name in game_presets(game))


@pytest.mark.parametrize("preset", [name for game in game_names() for name in game_presets(game)])
def test_rules_tells_every_option_of_a_preset(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", preset]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    game = next(game for game in game_names() if preset in game_presets(game))
    assert [line.split()[0] for line in lines] == [option.name for option in game_options(game)]


def test_every_option_has_its_french() -> None:
    meanings = {option.doc for game in game_names() for option in game_options(game)}
    assert [meaning for meaning in meanings if not french("ingest").get(meaning)] == []


def test_rules_of_no_game_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "poker"]) == 2
    assert "lavardin" in capsys.readouterr().err


def test_check_under_other_rules_tells_points_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    sample = str(DATA / "match-lavardin.json")
    assert run(["check", sample, "--set", "quinte=100"]) == 1
    result = capsys.readouterr().out
    assert "points 139, 61 → 189, 61" in result
    assert "legal → irregular" in result  # the sheet's totals no longer hold


def test_check_under_other_rules_as_objects(capsys: pytest.CaptureFixture[str]) -> None:
    sample = str(DATA / "match-lavardin.json")
    run(["check", sample, "--preset", "regles-completes", "--format", "jsonl"])
    (line,) = capsys.readouterr().out.splitlines()
    fields = json.loads(line)
    assert {"field": "points", "deal_index": 12, "before": [139, 61], "after": [189, 61]} in fields["changes"]
    assert fields["status"] == "irregular"


def test_findings_under_other_rules_stand_on_their_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = json.loads((DATA / "match-lavardin.json").read_text("utf-8"))
    (tmp_path / "two.jsonl").write_text(f"{json.dumps(match)}\n{json.dumps(match)}\n", "utf-8")
    run(["check", str(tmp_path / "two.jsonl"), "--set", "quinte=100", "--format", "jsonl"])
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["line"] for one in items] == [1, 2]
    for one in items:
        assert {finding["line"] for finding in one["findings"]} == {one["line"]}


def test_check_under_its_own_rules_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(DATA / "match-lavardin.json"), "--preset", "lavardin"]) == 0
    assert "These rules change nothing." in capsys.readouterr().out


def test_under_other_rules_only_what_moves_is_listed_and_the_rest_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [str(DATA / f"match-{one}.json") for one in ("lavardin", "coinche", "chouineurs")]
    run(["check", *files, "--set", "quinte=100"])
    result = capsys.readouterr().out
    assert "match-lavardin.json:1" in result
    assert "match-coinche" not in result  # a game without that option stays as it is
    assert "Matches whose game does not have these rules: 2." in result


def test_a_value_only_another_game_takes_says_nothing_of_this_one(capsys: pytest.CaptureFixture[str]) -> None:
    [other] = games_with(None, {"manches": 3})
    files = [str(DATA / f"match-{one}.json") for one in ("lavardin", other)]
    run(["check", *files, "--set", "manches=3"])
    result = capsys.readouterr().out
    assert "match-lavardin" not in result
    assert "Matches whose game does not have these rules: 1." in result


def test_a_match_that_is_not_proven_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(DATA / "feuille-partielle.json")]) == 0
    assert "unverified" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--set", "quinte"], ["--set", "cards=3"], ["--preset", "poker"]])
def test_a_setting_nobody_knows_stops_the_check(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(DATA / "chouine.json"), *words]) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_deck_check_passes_the_deck_that_ships(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deck", "check", str(DATA / "decks" / "retourne.json")]) == 0
    assert "44 cards, 88 different faces" in capsys.readouterr().out


def test_cr_1_deck_check_tells_every_mistake_with_its_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards = json.loads((DATA / "decks" / "retourne.json").read_bytes())["cards"]
    cards[1], cards[2] = "b3/y9000", "b3/y28"
    file = tmp_path / "typed.json"
    file.write_text(json.dumps(cards[:-1]), encoding="utf-8")
    assert run(["deck", "check", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "cards here: 43; a deck has 44",
        "card 2: b3/y9000 is not written like b3/y30",
        "card 3: the face b3 is already on card 1",
        "Not a deck yet: 3 to fix.",
    ]


@pytest.mark.parametrize("text", ["", "{}", "[", "3"])
def test_a_file_without_cards_is_no_deck(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.json"
    file.write_text(text, encoding="utf-8")
    assert run(["deck", "check", str(file)]) == 2
    assert str(file) in capsys.readouterr().err
