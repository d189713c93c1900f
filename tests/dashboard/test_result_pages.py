"""Pages, API and terminal of matches of which only the result is known."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from dashboard import pages
from dashboard.store import open_store
from ingest.cli.app import run
from ingest.store import ratings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.api import Client, is_problem
from tests.dashboard.conftest import Open
from tests.dashboard.tables import tables_of
from tests.dashboard.test_pages import upload
from tests.dashboard.test_replay_page import got

PLAYERS = [{"id": name.lower(), "name": name} for name in ("Lucie", "Gaston", "Odile", "Marcel")]
COINCHE = {
    "format": "retourne/1",
    "game": "coinche",
    "id": "table-2",
    "played_at": "2026-04-12T20:30:00+02:00",
    "players": PLAYERS,
    "result": {"score": [1480, 2010]},
}
WON = COINCHE | {"id": "table-3", "result": {"winner": 1}}
IMPOSSIBLE = COINCHE | {"id": "table-4", "result": {"score": [1480, 2010], "winner": 1}}
NO_CARD = "Seul le résultat de cette rencontre est connu\u00a0: aucune carte n’a été notée."


def add(store: Store, *logs: dict[str, Any]) -> None:
    list(ingest(store, [("results.jsonl", BytesIO("\n".join(map(json.dumps, logs)).encode()))]))


def links_of(app: Any) -> dict[str, dict[str, list[str]]]:
    """Return the label of each link to a page, with the query it carries."""
    return {one.proto.label: parse_qs(one.proto.query_string) for one in app.main.get("page_link")}


@pytest.fixture
def club(path: Path) -> Path:
    with Store(path) as store:
        add(store, COINCHE, WON, IMPOSSIBLE)
        ratings.refresh_ratings(store)
    return path


def test_every_page_opens_on_a_store_of_results_alone(club: Path, open_page: Open) -> None:
    for page in pages.PAGE_NAMES:
        assert open_page(page).title


def test_lists_mark_results(club: Path, open_page: Open) -> None:
    [shown, *_] = tables_of(open_page("rencontres"))
    verdicts = dict(zip(shown["Identifiant"].to_list(), shown["Verdict"].to_list(), strict=True))
    assert {key: str(one) for key, one in verdicts.items()} == {
        "table-2": "résultat seul",
        "table-3": "résultat seul",
        "table-4": "irrégulière",
    }
    assert set(shown["Donnes"].to_list()) == {""}


@pytest.mark.parametrize(
    ("match", "texts"),
    [
        ("table-2", ["Lucie + Odile 1480 – 2010 Gaston + Marcel", "Gagnant\u00a0: Gaston + Marcel"]),
        ("table-3", ["Gagnant\u00a0: Lucie + Odile"]),
    ],
)
def test_the_replay_page_shows_the_result(club: Path, open_page: Open, match: str, texts: list[str]) -> None:
    app = open_page("relecture", match=match)
    assert [one.value for one in app.text][1:] == texts
    assert [one.value for one in app.info] == [NO_CARD]
    assert not app.warning


def test_the_replay_page_of_an_impossible_result_says_why(club: Path, open_page: Open) -> None:
    app = open_page("relecture", match="table-4")
    [findings] = tables_of(app)
    assert "1480, 2010" in str(findings["Motif"].to_list())


def test_the_check_page_shows_the_verdict(club: Path, open_page: Open) -> None:
    shown = open_page("verificateur", match="table-2").info[0].value
    assert "Le résultat est possible" in shown


def test_the_ladder_counts_results_where_there_is_nothing_else(club: Path, open_page: Open) -> None:
    [standings, *_] = tables_of(open_page("classement"))
    assert set(standings["Nom"].to_list()) == {"Lucie", "Gaston", "Odile", "Marcel"}


def test_the_profile_of_a_player_of_results_alone_has_rank_share_and_matches(
    club: Path, open_page: Open
) -> None:
    app = open_page("joueurs", lang="en", player="gaston")
    assert {one.label: one.value for one in app.metric} == {"Rank": "1", "Matches won": ":gray[1 of 2]"}
    [listed] = tables_of(app)
    assert listed["Id"].to_list() == ["table-3", "table-2"]
    assert listed["Result"].to_list() == ["(L)", "(W)"]
    assert links_of(app)["Ladder"] == {
        "ladder": ["Coinche · tournoi-2018"],
        "player_count-coinche": ["4"],
        "score_sheets-coinche": ["true"],
    }
    where = {"game": ["Coinche"], "player_count-coinche": ["4"], "score_sheets-coinche-4": ["true"]}
    assert links_of(app)["Head to head"] == {"first": ["gaston"], **where}


def test_the_profile_of_a_player_of_impossible_results_lists_them(path: Path, open_page: Open) -> None:
    with Store(path) as store:
        add(store, IMPOSSIBLE)
    [listed] = tables_of(open_page("joueurs", lang="en", player="gaston"))
    assert listed["Id"].to_list() == ["table-4"]


def test_players_of_results_alone_have_no_switch_for_sheets(club: Path, open_page: Open) -> None:
    app = open_page("joueurs", lang="en")
    assert not [one for one in app.toggle if str(one.key).startswith("score_sheets-")]
    assert links_of(app)["Ladder"]["score_sheets-coinche"] == ["true"]


def test_the_players_page_says_where_results_count(club: Path, open_page: Open) -> None:
    app = open_page("joueurs", lang="en")
    assert "Matches with only a result" in app.info[0].value
    assert "Ladder" in [getattr(link, "label", "") for link in app.main.get("page_link")]


def test_an_upload_lists_no_reason_for_a_result_without_a_fault(path: Path, open_page: Open) -> None:
    app = upload(open_page("deposer", lang="en"), one_json=json.dumps(COINCHE).encode())
    assert "Reasons" not in [one.value for one in app.header]


def test_head_to_head_counts_results_where_there_is_nothing_else(club: Path, open_page: Open) -> None:
    app = open_page("face_a_face", first="lucie", second="gaston")
    assert [one.value for one in app.metric] == ["1", "1", "0", "0", "0"]
    listed = next(one for one in tables_of(app) if "Gagnée par" in one)
    assert listed["Score"].to_list() == ["résultat seul", "1\u202f480 – 2\u202f010 · résultat seul"]


@pytest.mark.slow
def test_the_shared_page_says_the_result(api: dict[str, Client]) -> None:
    add(open_store(), COINCHE)
    [(match,)] = open_store().cursor().execute("SELECT match_id FROM matches WHERE result_only").fetchall()
    for path in (f"/r/{match}", f"/r/{match}/1/0.png", f"/r/{match}/1.json"):
        answer = got(api["nobody"], path, accept_language="fr")
        assert is_problem(answer, 404)
        assert "Lucie + Odile 1480 – 2010 Gaston + Marcel" in answer.json()["detail"]


@pytest.mark.slow
def test_a_browser_gets_a_page_with_the_result(api: dict[str, Client]) -> None:
    add(open_store(), COINCHE | {"players": [{"id": "<b>Lucie</b>"}, *PLAYERS[1:]]})
    [(match,)] = open_store().cursor().execute("SELECT match_id FROM matches WHERE result_only").fetchall()
    answer = got(api["nobody"], f"/r/{match}", accept="text/html", accept_language="fr")
    assert answer.status_code == 200
    assert "&lt;b&gt;Lucie&lt;/b&gt; + Odile 1480 – 2010 Gaston + Marcel" in answer.text
    assert "<h1>Résultat seul</h1>" in answer.text


@pytest.mark.slow
def test_the_api_marks_results(api: dict[str, Client]) -> None:
    add(open_store(), COINCHE, WON)
    answer = api["nobody"].get("/matches", status="result-only").json()["matches"]
    shown = ("log_id", "result_only", "is_score_sheet", "winning_side")
    assert [tuple(one[name] for name in shown) for one in answer] == [
        ("table-3", True, True, 1),
        ("table-2", True, True, 2),
    ]
    assert [[seat["score"] for seat in one["players"]] for one in answer] == [[None] * 4, [1480, 2010] * 2]
    others = api["nobody"].get("/matches").json()["matches"]
    assert {one["result_only"] for one in others if one["status"] != "result-only"} == {False}


def test_the_terminal_replays_a_result_as_its_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "result.json"
    log.write_text(json.dumps(COINCHE), encoding="utf-8")
    assert run(["replay", str(log), "--lang", "en"]) == 0
    out = "".join(capsys.readouterr())
    assert "Lucie + Odile 1480 – 2010 Gaston + Marcel" in out
    assert "Winner: Gaston + Marcel" in out
    assert "result only" in out


@pytest.mark.parametrize("table", ["matches", "seats"])
def test_tables_with_results_are_exported(club: Path, capsys: pytest.CaptureFixture[str], table: str) -> None:
    out = club.with_name(f"{table}.csv")
    assert run(["export", "--table", table, "--store", str(club), "--output", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert ("result_only" in text) == (table == "matches")
