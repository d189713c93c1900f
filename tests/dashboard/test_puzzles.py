"""`/r/trouver`: endgame puzzles, and the outcome of each card."""

import json
import re
from html import unescape
from io import BytesIO
from urllib.parse import quote

import pytest

from dashboard.queries.endgame_losses import matches_without_turning_point
from dashboard.store import open_store, validated_match
from engine.solver import solve_deal
from engine.solver_results import EndgameReport
from ingest.store import pseudonyms
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.solve_job import solve_missing
from tests.dashboard.api import Client, clients, is_problem
from tests.dashboard.conftest import NAMES, documents
from tests.dashboard.test_replay_page import Page, got, id_of

pytestmark = pytest.mark.slow

Clients = dict[str, Client]
READS = {"accept": "text/html", "accept_language": "en"}


def turned(log_id: str) -> dict[int, int]:
    """Deal → the position where the winner turned, as the engine has it."""
    number = open_store().find_match(id_of(log_id))
    assert number is not None
    found = {}
    for deal, replay in enumerate(validated_match(number).replays, 1):
        solved = None if replay is None else solve_deal(replay)
        if isinstance(solved, EndgameReport) and solved.turning_action is not None:
            found[deal] = solved.turning_action
    return found


def requested_for(client: Client, query: str = "") -> list[str]:
    """The addresses of the questions, one after the other, to the last one."""
    found = list[str]()
    after = ""
    while True:
        answer = got(client, f"/r/trouver?after={after}{query}")
        if answer.status_code != 303:
            assert answer.status_code == 200
            return found
        at = answer.headers["location"]
        assert at not in found
        found.append(at)
        after = ".".join(at.split("/")[2:4])


def cards(page: Page) -> dict[str, str]:
    """Each card that may be chosen, and where that leads."""
    return {
        str(one["data-card-of"]): unescape(str(one["href"])) for one in page.all("a") if "data-card-of" in one
    }


def test_each_position_where_a_card_turned_the_winner_is_asked_once(reading: Clients) -> None:
    found = requested_for(reading["nobody"])
    known = {name: turned(name) for name in ("m0", "m1", "m2", "m3", "m4", "m5", "coinche-4-0")}
    for name, turns in known.items():
        own = {at.split("?")[0] for at in found if at.startswith(f"/r/{id_of(name)}/")}
        expected = {f"/r/{id_of(name)}/{deal}/{ply}/trouver" for deal, ply in turns.items()}
        assert own <= expected
    assert len(found) >= 4


def test_a_question_does_not_have_its_answer_in_it(reading: Clients) -> None:
    at = requested_for(reading["nobody"])[0]
    answer = got(reading["nobody"], at, **READS)
    page = Page(answer.text)
    deal, ply = map(int, at.split("/")[3:5])
    match = page.board["where"]["match"]
    logged = got(reading["nobody"], f"/r/{match}/{deal}.json?lang=en").json()
    assert len(page.board["plies"]) == ply + 1
    assert page.board["plies"][ply]["seats"] == logged["plies"][ply]["seats"]
    assert page.board["head"]["sheet"] is None
    assert [one["label"] for one in page.board["head"]["deals"]] == [""]
    assert logged["plies"][-1]["text"] not in answer.text
    assert sorted(cards(page)) == sorted(logged["plies"][ply]["legal"])
    assert "Your turn as" in answer.text
    assert page.all("table") == []


def test_every_card_that_keeps_who_wins_is_right_and_no_other(reading: Clients) -> None:
    for at in requested_for(reading["nobody"])[:4]:
        page = Page(got(reading["nobody"], at, **READS).text)
        fields = {
            card: Page(got(reading["nobody"], href, **READS).text).board for card, href in cards(page).items()
        }
        right = {card for card, board in fields.items() if board["right"]}
        assert 0 < len(right) < len(fields)
        assert all(board["answered"] for board in fields.values())
        deal, ply = map(int, at.split("/")[3:5])
        number = open_store().find_match(page.board["where"]["match"])
        assert number is not None
        replay = validated_match(number).replays[deal - 1]
        assert replay is not None
        done = replay[ply + 1].action
        assert done is not None
        assert replay.game.pack.names[done.act] not in right  # the winner turned with it
        for card, board in fields.items():
            end = board["plies"][-1]
            assert end["turns"] == []  # the line that holds goes to the deal's end
            played = board["plies"][ply + 1 :]
            first = next(state["card"] for state in played if state["card"])
            assert first == card if card in right else first in right


def test_an_answer_says_what_each_card_leads_to(reading: Clients) -> None:
    at = requested_for(reading["nobody"])[0]
    page = Page(got(reading["nobody"], at, **READS).text)
    for card, href in cards(page).items():
        text = got(reading["nobody"], href, **READS).text
        table = text.partition("<table")[2].partition("</table>")[0]
        assert table.count("<tr") == len(cards(page)) + 1
        assert table.count("your card") == table.count("played in this deal") == 1, card
        links = set(re.findall(r'href="([^"?]*)', text))
        assert {at.removesuffix("/trouver"), at.replace("trouver", "suite"), "/r/trouver"} <= links


def test_questions_of_one_player_one_game_or_one_event(reading: Clients) -> None:
    every = requested_for(reading["nobody"])
    ids = [one["id"] for one in documents()[0]["players"]]
    own = requested_for(reading["nobody"], f"&player={quote(ids[0])}")
    assert 0 < len(own) < len(every)
    assert all(at.endswith(f"?player={quote(ids[0])}") for at in own)
    coinche = requested_for(reading["nobody"], "&game=coinche")
    assert {at.split("/")[2] for at in coinche} <= {id_of("coinche-4-0"), id_of("coinche-4-1")}
    event = requested_for(reading["nobody"], f"&event={quote('Championnat *du* <i>monde</i>')}")
    assert 0 < len(event) < len(every)
    assert requested_for(reading["nobody"], "&event=none") == []
    assert is_problem(got(reading["nobody"], "/r/trouver?player=nobody"), 404)


def test_where_there_is_none_a_sentence_says_so(reading: Clients) -> None:
    for language, result in (("en", "There are none yet"), ("fr", "Pas encore de position à proposer")):
        fields = {"accept": "text/html", "accept_language": language}
        answer = got(reading["nobody"], "/r/trouver?game=chouineurs", **fields)
        assert (answer.status_code, result in answer.text) == (200, True)


@pytest.mark.parametrize(
    "path",
    [
        *("/r/none/1/0/trouver", "/r/{id}/99/0/trouver", "/r/{id}/1/0/trouver"),
        *("/r/{id}/1/9999/trouver", "/r/{id}/1/trouver", "{at}?card=Xx", "{at}?card=%3Cb%3E"),
        *("/r/{id}/1/0/trouver.json", "{at}/x", "/r/trouver/x"),
    ],
)
@pytest.mark.sample(
    "/r/none/1/0/trouver",
    "/r/{id}/1/9999/trouver",
    "{at}?card=Xx",
    "/r/{id}/1/0/trouver.json",
    "/r/trouver/x",
)
def test_where_there_is_no_question_a_sentence_says_so(reading: Clients, path: str) -> None:
    at = requested_for(reading["nobody"])[0]
    requested = path.format(id=id_of("m0"), at=at)
    assert is_problem(got(reading["nobody"], requested), 404)
    page = got(reading["nobody"], requested, **READS)
    assert (page.status_code, "<h1>" in page.text, "<b>" in page.text) == (404, True, False)


@pytest.mark.parametrize(
    "after", ["x", "m0", "m0.", "m0.99999999999999999999", "m0.²", "%00", "." * 500, "m0.5.6"]
)
def test_any_place_to_go_on_from_is_answered(reading: Clients, after: str) -> None:
    assert got(reading["nobody"], f"/r/trouver?after={quote(after)}").status_code in (200, 303)


def test_its_policy_is_as_strict_and_what_is_kept_is_checked(reading: Clients) -> None:
    at = requested_for(reading["nobody"])[0]
    page = Page(got(reading["nobody"], at).text)
    for one in (at, next(iter(cards(page).values()))):
        answer = got(reading["nobody"], one)
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "public, no-cache"
        again = got(reading["nobody"], one, if_none_match=answer.headers["etag"])
        assert again.status_code == 304
        assert got(reading["reader"], one).headers["cache-control"] == "private, no-cache"
    assert got(reading["nobody"], "/r/trouver").headers["cache-control"] == "no-store"
    with clients({}, rate=2) as few:
        assert 429 in [few["nobody"].ask("GET", "//r/trouver").status_code for _ in range(4)]


def test_a_masked_player_stays_masked(api: Clients) -> None:
    named = [at for at in requested_for(api["nobody"]) if at.startswith(f"/r/{id_of('m0')}")]
    assert named
    assert NAMES[1] in unescape(got(api["nobody"], named[0]).text)
    cursor = open_store().cursor()
    [(number,)] = cursor.execute("SELECT player_no FROM players WHERE name = ?", [NAMES[1]]).fetchall()
    pseudonyms.mask_player(open_store(), number)
    text = got(api["nobody"], named[0]).text
    assert NAMES[1] not in unescape(text)
    for href in cards(Page(text)).values():
        assert NAMES[1] not in unescape(got(api["nobody"], href).text)
    more = f"{named[0].replace('trouver', 'suite')}"
    assert NAMES[1] not in unescape(got(api["nobody"], more).text)


def test_new_matches_are_asked_about_first(api: Clients) -> None:
    before = requested_for(api["nobody"])
    name = next(name for name in ("m0", "m1", "m3", "m4") if turned(name))
    match = next(one for one in documents() if one["id"] == name)
    newer = match | {"id": "newest", "played_at": "2027-01-01T10:00:00Z"}
    list(
        ingest(open_store(), [("new.json", BytesIO(json.dumps(newer).encode()))], on_conflict=OnConflict.BOTH)
    )
    first = got(api["nobody"], "/r/trouver").headers["location"]
    assert first.startswith(f"/r/{id_of('newest')}/")
    assert first not in before


def test_what_is_stored_of_ends_spares_looking_and_asks_the_same(api: Clients) -> None:
    before = requested_for(api["nobody"])
    list(solve_missing(open_store()))
    numbers = [open_store().find_match(id_of(name)) for name in ("m0", "m1", "m2", "m3", "m4", "m5")]
    quiet = matches_without_turning_point(open_store().cursor(), [one for one in numbers if one is not None])
    expected = {
        open_store().find_match(id_of(name))
        for name in ("m0", "m1", "m2", "m3", "m4", "m5")
        if not turned(name)
    }
    assert quiet == expected != set()
    assert requested_for(api["nobody"]) == before
