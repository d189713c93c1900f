"""`/r/{id}/{deal}/{ply}/suite`: a reader's variation, stored whole in its address."""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from dashboard.store import open_store, validated_match
from engine.continuation import warm_up_jit
from engine.games import game, game_names
from engine.replay import Replay
from schemas.notation import action_notation
from tests.dashboard.api import Client, clients, is_problem
from tests.dashboard.test_replay_page import Page, got, id_of

Clients = dict[str, Client]


def replay_of(log_id: str, deal: int) -> Replay:
    number = open_store().find_match(id_of(log_id))
    assert number is not None
    found = validated_match(number).replays[deal - 1]
    assert found is not None
    return found


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """What the others play by, which the first of a machine would wait for."""
    for name in game_names():
        warm_up_jit(game(name))


def at(log_id: str, deal: int, ply: int) -> str:
    return f"/r/{id_of(log_id)}/{deal}/{ply}/suite"


def queried(client: Client, path: str, **query: Any) -> dict[str, Any]:
    more = "&".join(f"{key}={quote(str(one), safe=',~')}" for key, one in query.items())
    answer = got(client, f"{path}.json?{more}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def legal(replay: Replay, seat: int | None) -> list[str]:
    """What the kernel lets a seat do, or anybody, as an address has it."""
    codes = [one.code for one in replay.last.legal if seat in (None, one.seat)]
    log = open_store().find_match(id_of("chouineurs-3-0"))
    assert log is not None
    faces: tuple[str, ...] = ()
    if replay.game.name == "chouineurs":
        table = validated_match(log).setup
        assert table is not None
        faces = table.faces
    return [action_notation(replay.game.name, code, faces).replace(" ", ".") for code in codes]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("log_id", "plies"),
    [("m0", range(0, 30, 7)), ("coinche-4-0", (0, 3, 9, 20)), ("chouineurs-3-0", (0, 3, 4))],
)
def test_what_is_offered_is_what_the_kernel_allows(reading: Clients, log_id: str, plies: Any) -> None:
    replay = replay_of(log_id, 1)
    for ply in plies:
        before = replay.branch(ply, ())
        found = queried(reading["nobody"], at(log_id, 1, ply), seat=0)
        acts = found["own"]["acts"]
        assert sorted(one["word"] for one in acts) == sorted(legal(before, None)), ply
        shown = [card for one in acts if (card := one["card"])]
        lies = [card for seat in found["board"]["plies"][-1]["seats"] for card in seat["hand"]]
        assert shown == sorted(shown, key=lies.index), ply
        seat = before.last.turn
        own = queried(reading["nobody"], at(log_id, 1, ply))["own"]
        assert own["seat"] == seat + 1
        if not own["address"]:
            assert sorted(one["word"] for one in own["acts"]) == sorted(legal(before, seat)), ply


@pytest.mark.slow
def test_others_answer_until_the_reader_has_the_turn_again(reading: Clients) -> None:
    path = at("m0", 1, 10)
    first = queried(reading["nobody"], path)["own"]
    word = first["acts"][0]["word"]
    after = queried(reading["nobody"], path, actions=word)
    played = after["own"]["address"].split(",")
    assert played[0] == word
    assert len(played) > 1
    assert after["own"]["by"] == ["you", *["sampled"] * (len(played) - 1)]
    state = after["board"]["plies"][-1]
    assert state["turns"] == [first["seat"] - 1]
    assert after["board"]["ply"] == 10 + len(played)
    # who reads that address finds the same line, and nothing more is played
    again = queried(reading["nobody"], path, actions=after["own"]["address"])
    assert again == after
    page = Page(got(reading["nobody"], f"{path}?actions={after['own']['address']}").text)
    assert page.board["own"] == after["own"]
    assert page.board["plies"] == after["board"]["plies"]


@pytest.mark.slow
def test_a_readers_own_choice_is_not_shown_as_played_by_another(reading: Clients) -> None:
    replay = replay_of("m0", 1)
    path, last = at("m0", 1, 10), replay.branch(10, ()).last
    seat = last.turn + 1
    other = 3 - seat
    chosen = set()
    for one in queried(reading["nobody"], path, seat=seat)["own"]["acts"]:
        mine = queried(reading["nobody"], path, actions=one["word"], seat=seat)["own"]
        assert mine["by"][0] == "you"
        found = queried(reading["nobody"], path, actions=one["word"], seat=other)["own"]
        chosen.add(found["by"][0])
    # one of them is what the other would have played there; the rest somebody chose in this line
    assert chosen == {"sampled", "line"}


@pytest.mark.slow
def test_a_closed_phase_is_played_to_its_end_against_the_exact_player(reading: Clients) -> None:
    replay = replay_of("m0", 1)
    start = next(i for i in range(len(replay)) if replay[i].state["drawn"] >= 22)
    while replay[start].state["on_table"]:
        start += 1
    path, address, steps = at("m0", 1, start), "", 0
    while not (own := queried(reading["nobody"], path, actions=address)["own"])["over"]:
        word = next(one["word"] for one in own["acts"] if one["card"])
        address = f"{own['address']},{word}".strip(",")
        steps += 1
        assert steps < 7
    logged, mine, best = own["lines"]
    assert set(own["by"]) == {"you", "exact"}
    assert (logged["number"], mine["number"], best["number"]) == (1, 2, None)
    assert "gagne la partie" in mine["end"] or "nulle" in mine["end"]
    assert best["end"] != "–"
    assert logged["points"] == " – ".join(str(one) for one in replay.last.points)


def test_a_reader_may_speak_out_of_turn_or_let_the_others_go_on(reading: Clients) -> None:
    path = at("coinche-4-0", 1, 0)
    replay = replay_of("coinche-4-0", 1)
    first = replay[0].turn
    seat = (first + 1) % 4 + 1
    bid = f"{first + 1}.bid.80h"
    waiting = queried(reading["nobody"], path, actions=bid, seat=(first + 3) % 4 + 1)["own"]
    assert waiting["waits"]
    assert "coinche" in {one["word"].partition(".")[2] for one in waiting["acts"]}
    assert waiting["address"] == bid
    on = queried(reading["nobody"], path, actions=bid, seat=(first + 3) % 4 + 1, others_play="")["own"]
    assert on["address"].startswith(f"{bid},")
    due = queried(reading["nobody"], path, actions=bid, seat=seat)["own"]
    assert (due["waits"], due["address"]) == (False, bid)


@pytest.mark.parametrize(
    "query",
    [
        *(
            "actions=9.8s",
            "actions=1.8s,,",
            "actions=x",
            "actions=%00",
            "actions=1%208s,<script>",
            "actions=1.announce.everything",
        ),
        *(
            "seat=9",
            "seat=-1",
            "seat=x",
            "seat=%C2%B2",
            f"actions={'1.8s,' * 2000}",
            f"actions={'1.Ks,' * 300}",
        ),
        "actions=2.sept,2.sept,2.sept",
    ],
)
def test_a_line_that_cannot_be_is_refused_with_a_sentence(reading: Clients, query: str) -> None:
    path = at("m0", 1, 22)
    assert is_problem(got(reading["nobody"], f"{path}.json?{query}"), 404)
    page = got(reading["nobody"], f"{path}?{query}", accept="text/html", accept_language="fr")
    assert (page.status_code, "<h1>" in page.text) == (404, True)
    assert "<script>" not in page.text


def test_a_missing_action_is_reported(reading: Clients) -> None:
    path = at("m0", 1, 10)
    word = queried(reading["nobody"], path, seat=0)["own"]["acts"][0]["word"]
    for line in (",,,", f"{word},", ".", f",{word}"):
        answer = got(reading["nobody"], f"{path}.json?seat=0&lang=en&actions={line}")
        message = "Retourne cannot read this line: an action is missing next to a comma."
        assert (answer.status_code, answer.json()["detail"]) == (404, message)


def test_lines_of_which_no_end_is_known_are_compared_by_their_points(reading: Clients) -> None:
    """An open phase has no best play to set beside them, and a row of nothing says nothing."""
    lines = queried(reading["nobody"], at("m0", 1, 10))["own"]["lines"]
    assert [one["number"] for one in lines] == [1, 2]
    assert lines[1]["end"] in ("", "–")
    assert (lines[1]["end"] == "") == (lines[0]["end"] == "")


@pytest.mark.parametrize(
    "path",
    [
        *("/r/none/1/0/suite", "/r/{id}/99/0/suite", "/r/{id}/1/9999/suite", "/r/{id}/1/suite"),
        *("/r/{id}/1/0.png/suite", "/r/{id}/1/0/suite/x", "/r/{id}/1/0/suite.png"),
    ],
)
def test_where_there_is_no_position_there_is_no_line(reading: Clients, path: str) -> None:
    assert is_problem(got(reading["nobody"], path.format(id=id_of("m0"))), 404)


def test_its_policy_is_as_strict_and_who_has_it_is_sent_nothing(reading: Clients) -> None:
    path = at("m0", 1, 22)
    for one in (path, f"{path}.json"):
        first = got(reading["nobody"], one)
        policy = first.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert first.headers["cache-control"] == "public, no-cache"
        again = got(reading["nobody"], one, if_none_match=first.headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        result = got(reading["reader"], one).headers["cache-control"]
        assert result == "private, no-cache"
    page = Page(got(reading["nobody"], f"{path}?embed").text)
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert page.all("style") == []


def test_without_a_script_each_act_is_a_link(reading: Clients) -> None:
    path = at("m0", 1, 22)
    listed = got(reading["nobody"], path).text.partition("<noscript><ul>")[2]
    own = queried(reading["nobody"], path)["own"]
    for one in own["acts"]:
        assert f'href="{path}?actions={one["word"]}&amp;seat={own["seat"]}' in listed


def test_a_client_may_not_have_lines_played_without_end(reading: Clients) -> None:
    path = f"/{at('m0', 1, 22)}.json"
    with clients({}, rate=3) as few:
        answers = [few["nobody"].ask("GET", path) for _ in range(5)]
        assert [one.status_code for one in answers].count(429) >= 1
        refused: httpx.Response = next(one for one in answers if one.status_code == 429)
        assert json.loads(refused.text)["status"] == 429
        assert int(refused.headers["retry-after"]) >= 1
        # who reads it in a browser is shown a page, which comes again by itself
        for language, title in (("fr", "Dans un instant"), ("en", "In a moment")):
            requested_by = {"Accept": "text/html", "Accept-Language": language}
            shown = [few["nobody"].ask("GET", path[:-5], headers=requested_by) for _ in range(5)][-1]
            assert (shown.status_code, shown.headers["refresh"]) == (429, "1")
            assert f"<h1>{title}</h1>" in shown.text
            assert '<a href="">' in shown.text
            assert "retry" not in shown.text.lower()
        # lines take nothing of the rate of pages
        assert few["nobody"].ask("GET", f"//r/{id_of('m0')}/1/2").status_code == 200
