"""`retourne solve`: what the end of each deal cost, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import sample, solve
from ingest.i18n import translator
from ingest.validate.solver_report import NOT_SOLVED_REASONS
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents, lines

DATA = FAUTES.parent
KEYS = {
    "file",
    "line",
    "log_id",
    "deal_index",
    "first_action_index",
    "margin",
    "plays",
    "turning_action_index",
    "bids",
    "unsolved",
}
SOLVED = ("first_action_index", "margin", "plays")


def test_each_card_that_lost_is_reported_with_those_that_would_not(retourne: Command) -> None:
    done = retourne("solve", DATA / "exemple-lavardin.json", "--lang", "en")
    assert done.code == 0
    assert "from action 26 on Charles makes 38 more with best play" in done.out
    assert "26  Charles A♥: 14 points lost; no loss with J♥, K♥" in done.out


def test_an_object_is_a_deal(retourne: Command, club: Path) -> None:
    done = retourne("solve", club, "--format", "jsonl")
    assert done.code == 0
    assert {frozenset(one) for one in done.objects} == {frozenset(KEYS)}
    deals = [(match["id"], deal) for match in documents() for deal in range(len(match["deals"]))]
    assert [(one["log_id"], one["deal_index"]) for one in done.objects] == deals
    assert [one["line"] for one in done.objects if one["deal_index"] == 0] == list(
        range(1, len(documents()) + 1)
    )
    for one in done.objects:
        solved = one["unsolved"] is None
        assert all((one[key] is not None) == solved for key in SOLVED)
        for play in one["plays"] or ():
            assert play["lost"] >= 0
            assert play["best_cards"]


def test_plays_are_every_card_from_there_on(retourne: Command) -> None:
    path = DATA / "exemple-lavardin.json"
    actions = json.loads(path.read_text("utf-8"))["deals"][0]["actions"]
    (deal,) = retourne("solve", path, "--format", "jsonl").objects
    assert [play["action_index"] for play in deal["plays"]] == list(
        range(deal["first_action_index"], len(actions))
    )
    assert [f"{play['seat']}" for play in deal["plays"]] == [
        action[0] for action in actions[deal["first_action_index"] :]
    ]


def test_one_deal_is_asked_for_by_its_number(retourne: Command) -> None:
    path = DATA / "match-lavardin.json"
    (deal,) = retourne("solve", path, "--deal", "3", "--format", "jsonl").objects
    assert (deal["deal_index"], deal["turning_action_index"], deal["plays"][0]["lost"]) == (2, 24, 26)
    assert retourne("solve", path, "--deal", "99").code == 2


def test_matches_without_the_deal_that_is_asked_for_are_passed_by(retourne: Command, tmp_path: Path) -> None:
    names = ("exemple-lavardin", "match-lavardin", "exemple-lavardin")
    texts = [json.loads((DATA / f"{name}.json").read_text("utf-8")) for name in names]
    (tmp_path / "three.jsonl").write_text("\n".join(map(json.dumps, texts)), "utf-8")
    done = retourne("solve", tmp_path / "three.jsonl", "--deal", "3", "--format", "jsonl")
    assert (done.code, [one["line"] for one in done.objects]) == (0, [2])
    none = retourne("solve", tmp_path / "three.jsonl", "--deal", "99", "--lang", "en")
    assert none.code == 2
    assert f"no deal number 99; it has {len(texts[1]['deals'])}." in none.err


def test_a_deal_that_ends_where_its_end_begins_and_one_that_is_void_say_so(
    retourne: Command, tmp_path: Path
) -> None:
    match = json.loads((DATA / "exemple-lavardin.json").read_text("utf-8"))
    (deal,) = match["deals"]
    short = deal | {"actions": deal["actions"][:25]}
    for name, one in (("short", short), ("void", deal | {"void": "replay"})):
        fields = match | {"id": name, "deals": [one]}
        (tmp_path / f"{name}.json").write_text(json.dumps(fields), "utf-8")
    result = retourne("solve", tmp_path / "short.json", "--lang", "en").out
    assert "No card was played after that." in result
    assert "Nothing was lost" not in result
    assert "This deal is void" in retourne("solve", tmp_path / "void.json", "--lang", "en").out
    assert "This deal is void" not in retourne("solve", DATA / "exemple-lavardin.json").out


@pytest.mark.slow
def test_a_stored_match_is_solved_by_its_id(retourne: Command) -> None:
    path = DATA / "match-lavardin.json"
    result = retourne("solve", path, "--format", "jsonl").objects
    assert retourne("ingest", path).code == 0
    stored = retourne("solve", "match-lavardin", "--format", "jsonl").objects
    assert [one | {"file": ""} for one in stored] == [one | {"file": ""} for one in result]
    assert {one["file"] for one in stored} == {"match-lavardin"}


def test_what_is_no_match_is_reported_beside(retourne: Command) -> None:
    Path("some.jsonl").write_bytes(lines(1) + b"Jean 87, Charles 103\n")
    done = retourne("solve", "some.jsonl", "--format", "jsonl", "--lang", "en")
    assert done.code == 1
    assert "some.jsonl:2 " in done.err
    assert done.objects
    assert retourne("solve", "nowhere.json").code == 2


def changed(**rules: Any) -> bytes:
    match = json.loads((DATA / "exemple-lavardin.json").read_text("utf-8"))
    return json.dumps(match | {"rules": {"preset": "lavardin", **rules}}).encode()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (DATA / "match-a-trois.json", "players"),
        (DATA / "feuille-partielle.json", "partial"),
        (FAUTES / "chouine" / "must-follow.json", "irregular"),
        (FAUTES / "chouine" / "score-sheet.json", "line"),
        (FAUTES / "chouine" / "duplicate-card.json", "dealt"),
        (FAUTES / "chouine" / "incomplete.json", "never"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.stem,
)
def test_a_deal_that_is_not_solved_says_why(path: Path, reason: str) -> None:
    english = translator("en")
    items = [one.reason(english) for one in solve(str(path))]
    assert any(one and one.startswith(NOT_SOLVED_REASONS[reason].partition("{")[0]) for one in items)


@pytest.mark.parametrize(
    ("path", "wording"),
    [
        ("chouine/duplicate-card", "This deal cannot be replayed. The K♣ is there twice."),
        ("coinche/deck-size", "This deal cannot be replayed. Cards here: 35; there should be 36."),
        ("coinche/card-not-held", "From some action on this deal cannot be replayed. Lucie "),
        ("chouine/must-follow", "A rule was broken in the part to solve. Marcel "),
    ],
)
def test_what_stands_against_it_is_reported_as_a_check_does(
    retourne: Command, path: str, wording: str
) -> None:
    log = FAUTES / f"{path}.json"
    [checked] = retourne("check", log, "--format", "jsonl", "--lang", "en").objects
    found = [one["message"] for one in checked["findings"]]
    deals = retourne("solve", log, "--format", "jsonl", "--lang", "en").objects
    reasons = [one["unsolved"] for one in deals]
    items = [reason for reason in reasons if reason and reason.startswith(wording)]
    assert items
    assert all(any(reason.endswith(one) for one in found) for reason in items)


def test_an_option_no_preset_has_is_named(retourne: Command) -> None:
    Path("other.json").write_bytes(changed(one_per_play=True))
    (deal,) = retourne("solve", "other.json", "--format", "jsonl", "--lang", "en").objects
    assert deal["unsolved"] == "Not solved under this option: one_per_play=true."
    Path("same.json").write_bytes(changed(quinte=70))
    (deal,) = retourne("solve", "same.json", "--format", "jsonl").objects
    assert deal["unsolved"] is None


# --sample


def test_a_card_is_compared_with_those_that_could_be_laid_instead(retourne: Command) -> None:
    path = DATA / "exemple-lavardin.json"
    done = retourne("solve", path, "--deal", "1", "--sample", "5", "--lang", "en")
    assert done.code == 0
    assert "5  Jean 7♣: from Jean’s view: of 1,000 possible deals, " in done.out
    (one,) = retourne("solve", path, "--deal", "1", "--sample", "5", "--format", "jsonl").objects
    keys = [
        "file",
        "line",
        "log_id",
        "deal_index",
        "action_index",
        "seat",
        "played",
        "deals",
        "cards",
        "unsampled",
    ]
    assert [*one] == keys
    assert (one["deal_index"], one["action_index"], one["seat"], one["played"]) == (0, 4, 1, "7c")
    [own] = [card for card in one["cards"] if card["card"] == one["played"]]
    assert own["won"]["loss"] == own["won"]["standard_error"] == 0
    for card in one["cards"]:
        spoken = card["card"] != "7c" and not card["won"]["is_significant"]
        assert spoken == (card["card"] in ("Jd", "Ad"))
    assert done.out.count("no difference that 1,000 deals could show") == 2


def test_french_has_its_spaces_and_decimals(retourne: Command) -> None:
    path, fine = DATA / "exemple-lavardin.json", "\N{NARROW NO-BREAK SPACE}"
    done = retourne("solve", path, "--lang", "fr").out
    assert f"26  Charles A♥\N{NO-BREAK SPACE}: 14 points perdus{fine}; aucune perte avec V♥, R♥" in done
    done = retourne("solve", path, "--deal", "1", "--sample", "5", "--lang", "fr").out
    assert f"5  Jean 7♣\N{NO-BREAK SPACE}: vu par Jean\N{NO-BREAK SPACE}: sur 1{fine}000 donnes" in done
    assert f"différence que 1{fine}000 donnes" in done
    assert f"gagne 9,6 ± 3,8{fine}% moins souvent" in done
    assert f"gagne 9,2 ± 3,8{fine}% moins souvent" in done


def test_where_one_deal_alone_fits_points_are_those_of_best_play(retourne: Command) -> None:
    path = DATA / "exemple-lavardin.json"
    done = retourne("solve", path, "--deal", "1", "--sample", "26", "--lang", "en")
    assert "only one deal fits the cards that Charles could see" in done.out
    assert "points: 14 more" in done.out  # what `solve` says was lost


def test_what_is_not_sampled_says_why(retourne: Command) -> None:
    path = DATA / "match-chouineurs.json"
    done = retourne("solve", path, "--deal", "1", "--sample", "1", "--lang", "en")
    assert done.code == 0
    assert "not sampled: Deals of this game are not sampled." in done.out
    assert retourne("solve", path, "--sample", "1").code == 2
    assert retourne("solve", path, "--deal", "1", "--sample", "999").code == 2


@pytest.mark.slow
def test_programs_ask_for_the_same(retourne: Command) -> None:
    path = DATA / "exemple-lavardin.json"
    (result,) = retourne("solve", path, "--deal", "1", "--sample", "5", "--format", "jsonl").objects
    output = sample(str(path), 0, 4)
    assert output.as_dict(translator("en")) | {"file": result["file"]} == result
    assert sample(str(path), 0, 4, samples=100, seed=1) != sample(str(path), 0, 4, samples=100)
    for deal, action, match in ((1, 0, 0), (0, 999, 0), (0, 0, 1), (-1, 0, 0)):
        with pytest.raises(IndexError):
            sample(str(path), deal, action, match)
