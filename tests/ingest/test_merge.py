"""Logs of one match put together: what they agree on is certain, what differs is reported."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import game
from ingest.importers.merge_logs import LogSource, MatchLog, MergedMatch, merge_logs
from ingest.validate.slow_path import validate
from schemas.games import schemas_of
from schemas.simulated import match_document, simulate_matches, simulated_setup
from tests.ingest.conftest import Command
from tests.newgame import registered

DATA = Path(__file__).parents[2] / "data"
Log = dict[str, Any]
TABLES = [("chouine", 2), ("chouine", 3), ("coinche", 4), ("chouineurs", 3), ("belote", 4)]


def read_logs(*logs: Log) -> list[MatchLog]:
    """Logs as they are read from files a, b and so on."""
    return [
        MatchLog(LogSource(f"{name}.json", 1), log, validate(json.dumps(log).encode()))
        for name, log in zip("abcdefgh", logs, strict=False)
    ]


def one(*logs: Log) -> MergedMatch:
    """The one match that logs tell."""
    (merged,) = merge_logs(read_logs(*logs))
    return merged


def lavardin() -> Log:
    """A match of thirteen deals, told with hands."""
    log: Log = json.loads((DATA / "match-lavardin.json").read_bytes())
    return log


@cache
def simulated(name: str, players: int, seed: int) -> Log:
    played = simulated_setup(name, None, players)
    match = next(simulate_matches(played, 1, seed))
    seats = [{"id": f"p{seat}", "name": f"Player {seat}"} for seat in range(players)]
    rules = next(iter(game(name).options.PRESETS))
    log = match_document(played, match, rules, seats, as_hands=True, id="m", event={"name": "Club"})
    for deal, dealt in zip(log["deals"], match.deals, strict=True):
        if "deck" in deal:  # the taking decides the hands; a deal that all passed has none
            del deal["deck"]
            deal |= schemas_of(name).write_row(played, dealt.dealer, dealt.deck, True, deal["actions"])
    return log


def seen_by(log: Log, seat: int) -> Log:
    """A match as one player saw it: the own hand, the own draws, what lies open, every act."""
    log = deepcopy(log)
    for deal in log["deals"]:
        drawn = deal.get("talon", "").split(" ")
        if "hands" in deal:
            deal["hands"] = [hand if i == seat else "??" for i, hand in enumerate(deal["hands"])]
        if "talon" in deal:
            own = range(seat, len(drawn), len(log["players"]))
            last = len(drawn) - 1
            known = [card if i in own or i == last else "??" for i, card in enumerate(drawn)]
            deal["talon"] = " ".join(known)
    return log


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_each_players_view_put_together_is_the_whole_match(name: str, players: int) -> None:
    log = simulated(name, players, 3)
    views = [seen_by(log, seat) for seat in range(players)]
    assert all(view != log for view in views)
    merged = one(*views)
    assert merged.differences == []
    assert merged.log == log


@pytest.mark.slow
def test_a_game_nobody_has_heard_of_is_put_together_too() -> None:
    with registered() as name:
        log = simulated(name, 2, 3)
        assert one(seen_by(log, 0), seen_by(log, 1)).log == log


def shared(rng: Random, words: list[str], logs: int, shuffled: bool) -> list[str]:
    """Cards as each of some logs knows them: every card is known to one of them at least."""
    knows = [rng.sample(range(logs), rng.randint(1, logs)) for _ in words]
    rows = []
    for log in range(logs):
        row = [card if log in who else "??" for card, who in zip(words, knows, strict=True)]
        if shuffled:
            rng.shuffle(row)
        rows.append("??" if shuffled and {*row} == {"??"} else " ".join(row))
    return rows


def parts(log: Log, logs: int, rng: Random) -> list[Log]:
    """Logs of a match, of which each leaves out what another has."""
    made = [deepcopy(log) for _ in range(logs)]
    for key in ("event", "result"):
        for part in rng.sample(made, rng.randint(0, logs - 1)):
            del part[key]
    for part in rng.sample(made, rng.randint(0, logs - 1)):
        del part["deals"][rng.randint(1, len(log["deals"])) :]
    for index, deal in enumerate(log["deals"]):
        deals = [part["deals"][index] for part in made if index < len(part["deals"])]
        logs = len(deals)
        for seat, hand in enumerate(deal.get("hands", ())):
            for own, row in zip(deals, shared(rng, hand.split(" "), logs, True), strict=True):
                own["hands"][seat] = row
        if "talon" in deal:
            for own, row in zip(deals, shared(rng, deal["talon"].split(" "), logs, False), strict=True):
                own["talon"] = row
        for key in {"points", "winner"} & set(deal):
            for own in rng.sample(deals, rng.randint(0, logs - 1)):
                del own[key]
        for own in rng.sample(deals, rng.randint(0, logs - 1)):
            del own["actions"][rng.randint(0, len(own["actions"])) :]
    return made


def sorted_hands(log: Log) -> Log:
    """A match whose hands are in one order: each log has its own."""
    log = deepcopy(log)
    for deal in log["deals"]:
        if "hands" in deal:
            deal["hands"] = [" ".join(sorted(hand.split(" "))) for hand in deal["hands"]]
    return log


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=6)
@given(seed=st.integers(0, 4), logs=st.integers(2, 3), rng=st.randoms(use_true_random=False))
def test_whatever_each_log_leaves_out_all_of_them_have_it(
    name: str, players: int, seed: int, logs: int, rng: Random
) -> None:
    log = simulated(name, players, seed)
    log = log | {"deals": log["deals"][:2]}
    merged = one(*parts(log, logs, rng))
    assert merged.differences == []
    assert merged.log is not None
    assert sorted_hands(merged.log) == sorted_hands(log)


@pytest.mark.slow
@settings(max_examples=25)
@given(seed=st.integers(0, 4), rng=st.randoms(use_true_random=False))
def test_one_thing_given_in_two_ways_is_reported_and_nothing_is_written(seed: int, rng: Random) -> None:
    log = simulated("chouine", 2, seed)
    log = log | {"deals": log["deals"][:3]}
    other = deepcopy(log)
    index = rng.randrange(len(log["deals"]))
    deal = other["deals"][index]
    key = rng.choice(["actions", "points", "winner", "dealer", "talon"])
    path = f"/deals/{index}/{key}"
    if key == "actions":
        at = rng.randrange(len(deal["actions"]))
        deal["actions"][at] = "1 resign" if deal["actions"][at] != "1 resign" else "2 resign"
        path += f"/{at}"
    elif key == "points":
        deal["points"][0] += 1
    elif key == "talon":
        first, second, *rest = deal["talon"].split(" ")
        deal["talon"] = " ".join([second, first, *rest])
    else:
        deal[key] = 3 - deal[key]
    merged = one(log, other)
    assert merged.log is None
    assert [difference.path for difference in merged.differences] == [path]


def test_a_draw_recorded_by_who_drew_fills_the_one_recorded_without_its_card() -> None:
    log = lavardin()
    log["deals"] = log["deals"][:1]
    log.pop("result")
    acts = ["2 Th", "1 Jc", "2 draw Ac", "1 draw 8h", "1 7h"]
    views = []
    for own in ("1", "2"):
        view = deepcopy(log)
        given_by = [one if " draw" not in one or one[0] == own else one[:6] + " ??" for one in acts]
        view["deals"][0] |= {"actions": given_by}
        views.append(view)
    silent = deepcopy(log)
    silent["deals"][0]["actions"] = ["2 Th", "1 Jc", "1 7h"]
    silent["deals"][0]["comments"] = [{"after": 3, "text": "A low one."}]
    merged = one(silent, *views)
    assert merged.log is not None
    assert merged.log["deals"][0]["actions"] == acts
    assert merged.log["deals"][0]["comments"] == [{"after": 5, "text": "A low one."}]


@pytest.mark.slow
def test_a_pack_goes_with_hands_and_talon() -> None:
    played = simulated_setup("chouine", None, 2)
    match = next(simulate_matches(played, 1, 5))
    seats = [{"id": "a"}, {"id": "b"}]
    pack = match_document(played, match, "lavardin", seats, id="m")
    hands = match_document(played, match, "lavardin", seats, as_hands=True, id="m")
    assert one(seen_by(hands, 1), pack).log == hands
    hands["deals"][0]["hands"].reverse()
    assert [one.path for one in one(hands, pack).differences] == ["/deals/0/hands/0", "/deals/0/hands/1"]


@pytest.mark.slow
def test_be_4_a_pack_goes_with_the_hands_after_the_taking() -> None:
    hands, played = simulated("belote", 4, 3), simulated_setup("belote", None, 4)
    match = next(simulate_matches(played, 1, 3))
    pack = match_document(played, match, "classique", hands["players"], id="m", event=hands["event"])
    merged = one(seen_by(hands, 1), pack)
    assert merged.differences == []
    assert merged.log is not None
    assert sorted_hands(merged.log) == sorted_hands(hands)


def test_hands_that_can_each_be_and_not_both_are_reported() -> None:
    log = lavardin()
    first, second = seen_by(log, 0), seen_by(log, 1)
    for view in (first, second):
        view["deals"] = view["deals"][:1]
        view.pop("result")
        view["deals"][0] |= {"talon": "??", "actions": []}
    second["deals"][0]["hands"][1] = second["deals"][0]["hands"][1].replace("8c", "As")
    merged = one(first, second)
    assert merged.log is None
    found = {one.combined_finding.code for one in merged.differences if one.combined_finding is not None}
    assert found == {"duplicate-card"}


@pytest.mark.slow
def test_without_an_id_the_players_and_a_deal_that_agrees_name_the_match() -> None:
    log = lavardin()
    unnamed = {key: value for key, value in seen_by(log, 1).items() if key != "id"}
    assert one(log, unnamed).log == log
    assert one(unnamed, log).log is not None
    stranger = unnamed | {"players": [{"id": "lucie"}, {"id": "gaston"}]}
    assert len(merge_logs(read_logs(log, stranger))) == 2
    other_way = deepcopy(unnamed)
    other_way["deals"][0]["points"] = [0, 130]
    assert len(merge_logs(read_logs(log, other_way))) == 2
    nothing_text = unnamed | {"deals": []}
    assert len(merge_logs(read_logs(log, nothing_text))) == 2


def test_a_log_that_may_be_of_two_matches_is_reported_and_left() -> None:
    log = lavardin()
    short = log | {"deals": log["deals"][:1]}
    short.pop("result")
    deals = [{key: short["deals"][0][key] for key in ("dealer", "points", "winner")}]
    again = short | {"id": "another", "deals": deals}
    unnamed = {key: value for key, value in short.items() if key != "id"}
    first, second, unclear = merge_logs(read_logs(short, again, unnamed))
    assert (first.log, second.log) == (short, again)
    assert unclear.log is None
    assert [str(source) for source in unclear.ambiguous_sources] == ["a.json:1", "b.json:1"]


def test_logs_with_other_ids_but_the_same_acts_are_one_match() -> None:
    log = lavardin()
    unseen = deepcopy(log) | {"id": "noted"}
    for deal in unseen["deals"]:
        deal["hands"] = ["??", "??"]
        deal.pop("talon")
    assert one(log, unseen).log == log
    unseen["deals"].pop()
    unseen.pop("result")
    assert len(merge_logs(read_logs(log, unseen))) == 2


def test_rules_that_one_log_leaves_to_the_default_are_the_same_rules() -> None:
    log = lavardin()
    silent = {key: value for key, value in log.items() if key != "rules"}
    spelled = log | {"rules": {"preset": "lavardin"}}
    assert one(log, silent, spelled).log == log
    other = log | {"rules": {"preset": "lavardin", "quinte": 100}}
    assert [one.path for one in one(silent, other).differences] == ["/rules"]


def test_two_scorers_sheets_make_one() -> None:
    players = [{"id": "lucie"}, {"id": "marcel"}]
    head: Log = {"format": "retourne/1", "game": "chouine", "id": "m", "players": players}
    line = {"dealer": 1, "winner": 2, "score_line": {"announcements": ["2 mariage-h"]}}
    open_ended = {"score": [0, 1], "winner": None}
    first = head | {"deals": [line, {"dealer": 2}], "result": open_ended}
    other = head | {"deals": [{"dealer": 1, "points": [57, 113]}], "result": open_ended}
    whole = {**line, "points": [57, 113]}
    merged = one(first, other)
    assert merged.log == head | {"deals": [whole, {"dealer": 2}], "result": open_ended}
    other["deals"] = [{"dealer": 1, "score_line": {"announcements": []}}]
    assert [one.path for one in one(first, other).differences] == ["/deals/0/score_line/announcements"]


def test_a_deal_void_in_one_log_and_counted_in_the_other_differs() -> None:
    log = lavardin()
    other = deepcopy(log)
    deal = other["deals"][0]
    del deal["points"], deal["winner"]
    deal["void"] = "replay"
    assert [one.path for one in one(log, other).differences] == ["/deals/0/void"]


EVERY = [*DATA.glob("*.json"), *DATA.glob("fautes/*/*.json")]


@pytest.mark.slow
def test_a_log_and_the_same_again_are_that_log() -> None:
    for path in EVERY:
        text = path.read_bytes()
        explained = validate(text)
        if explained.match is None or path.name.endswith(".expected.json"):
            continue
        log = json.loads(text)
        repeated = [MatchLog(LogSource(name, 1), log, explained) for name in "ab"]
        merged = merge_logs(repeated)
        assert [one.differences for one in merged] == [[]] * len(merged), path
        assert merged[0].log == log, path


def written(path: Path, log: Log) -> Path:
    path.write_text(json.dumps(log), "utf-8")
    return path


@pytest.mark.slow
def test_merge_writes_the_match_and_says_how_many(retourne: Command, tmp_path: Path) -> None:
    log = lavardin()
    files = [written(tmp_path / f"{seat}.json", seen_by(log, seat)) for seat in range(2)]
    done = retourne("merge", *files)
    assert (done.code, done.objects) == (0, [log])
    assert done.err == "Matches: 1 · put together: 1\n"
    alone = retourne("merge", files[0], "--output", tmp_path / "out.jsonl", "--lang", "fr")
    assert (alone.code, alone.raw) == (0, b"")
    assert alone.err == "Rencontres\xa0: 1 · dans un seul relevé\xa0: 1\n"
    assert json.loads((tmp_path / "out.jsonl").read_bytes()) == seen_by(log, 0)


def test_merge_shows_both_sides_of_what_differs(retourne: Command, tmp_path: Path) -> None:
    log = lavardin()
    other = deepcopy(log)
    other["event"]["name"] = "Soirée"
    assert retourne("merge", written(Path("a.json"), log), written(Path("b.json"), other)).err == (
        "match-lavardin: a.json:1, b.json:1\n"
        "  event, name\n"
        "    a.json:1: Parties d’exemple\n"
        "    b.json:1: Soirée\n"
        "Matches: 1 · not written: 1\n"
    )
    other = deepcopy(log)
    other["deals"][0]["points"] = [43, 87]
    other["deals"][2]["actions"][3] = "1 9h"
    del other["deals"][3]["actions"][7:]
    done = retourne("merge", Path("a.json"), written(Path("b.json"), other))
    assert (done.code, done.raw) == (1, b"")
    Path("whole.jsonl").write_text('{"of": "last week"}')
    assert retourne("merge", Path("a.json"), Path("b.json"), "-o", "whole.jsonl").code == 1
    assert Path("whole.jsonl").read_text() == '{"of": "last week"}'
    assert done.err == (
        "match-lavardin: a.json:1, b.json:1\n"
        "  deal 1, points\n"
        "    a.json:1: 87, 43\n"
        "    b.json:1: 43, 87\n"
        "  deal 3, action 4\n"
        "    a.json:1: Marcel Q♦\n"
        "    b.json:1: Lucie 9♥\n"
        "Matches: 1 · not written: 1\n"
    )


def test_merge_tells_what_is_no_log_and_what_is_not_there(retourne: Command, tmp_path: Path) -> None:
    log = written(Path("a.json"), lavardin())
    Path("b.json").write_text("Jean 87, Charles 103", "utf-8")
    done = retourne("merge", log, "b.json")
    assert done.code == 1
    assert "not JSON" in done.err
    assert done.objects == [lavardin()]
    assert retourne("merge", log, "nowhere.json").code == 2


def test_a_match_that_one_log_alone_makes_impossible_is_not_written(
    retourne: Command, tmp_path: Path
) -> None:
    log = lavardin()
    log["deals"] = log["deals"][:1]
    log.pop("result")
    sound, broken = deepcopy(log), deepcopy(log)
    sound["deals"][0] |= {"hands": [log["deals"][0]["hands"][0], "??"], "talon": "??"}
    del sound["deals"][0]["actions"][1:]
    card = broken["deals"][0]["hands"][0].split(" ")[0]
    seen = broken["deals"][0]["hands"][1].split(" ")
    broken["deals"][0]["hands"] = ["??", " ".join([card, card, *seen[2:]])]
    files = [written(tmp_path / "a.json", sound), written(tmp_path / "b.json", broken)]
    for order in (files, files[::-1]):
        done = retourne("merge", *order)
        assert (done.code, done.raw) == (1, b"")
        assert f"and so is {files[1]}:1 on its own" in done.err
    # what all of them tell alike is no difference between them
    alike = retourne("merge", files[1], written(tmp_path / "c.json", broken))
    assert alike.objects == [broken]


def test_a_file_named_twice_is_read_once(retourne: Command) -> None:
    log = lavardin()
    log.pop("id")
    file = written(Path("a.json"), log)
    done = retourne("merge", file, "./a.json", file.resolve())
    assert (done.code, done.objects) == (0, [log])


def test_logs_that_differ_in_nothing_that_was_played_are_reported(retourne: Command) -> None:
    log = lavardin() | {"played_at": "2026-03-01T20:00:00Z"}
    later = log | {"played_at": "2026-03-01T20:30:00Z"}
    later.pop("id")
    first, second = written(Path("a.json"), log), written(Path("b.json"), later)
    done = retourne("merge", first, second)
    assert (done.code, done.objects) == (1, [log, later])
    assert done.err == (
        "a.json:1 and b.json:1 look like one match, but are not put together. They differ "
        "in:\n  played_at\n    a.json:1: 2026-03-01T20:00:00Z\n    b.json:1: "
        "2026-03-01T20:30:00Z\nMatches: 2 · in one log only: 2\n"
    )
    # another evening of theirs is another match
    later["deals"] = later["deals"][1:]
    assert retourne("merge", first, written(Path("c.json"), later)).code == 0
