"""Messages of pages and of the API lead on: each test does what one says, and it works."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.authentication import authenticate
from dashboard.store import open_store
from ingest.cli.app import run
from ingest.store import drafts
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Role
from tests.dashboard.api import Client, is_problem
from tests.dashboard.conftest import FAUTES, Open
from tests.dashboard.test_entry import TWO

Clients = dict[str, Client]


def page_behind(app: AppTest, label: str) -> str:
    """The page that a link of these words opens."""
    [link] = [one.proto for one in app.main.get("page_link") if one.proto.label == label]
    return str(link.page).rpartition("/")[2]


@pytest.mark.page
def test_home_leads_to_the_page_with_the_button_that_is_me(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.widgets.lists._player_from_cookie", lambda: "")
    advice = "Find your profile and click “That is me”: this page then shows your matches first."
    there = page_behind(open_page("accueil", lang="en"), advice)
    profile = open_page(there, player="jean", lang="en")
    [button] = [one for one in profile.button if one.label == "That is me"]
    assert not button.click().run().exception


@pytest.mark.page
def test_another_device_gets_a_whole_command_that_serves_it(
    path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.draft_editor.gethostname", lambda: "club-pc")
    secret = drafts.create_draft(open_store(), TWO)
    parts = open_page("saisir", draft=secret, lang="en").get("bidi_component")
    [texts] = [json.loads(one.proto.json)["texts"] for one in parts if '"only-here"' in one.proto.json]
    text = texts["only-here"]
    program, *words = shlex.split(text.partition("restart it: ")[2])
    received = list[ServerHosts]()

    def served(*how: Any) -> int:
        received.append(how[-1])
        return 0

    monkeypatch.setattr("dashboard.cli.serve.run_dashboard", served)
    assert (program, run(words)) == ("retourne", 0)
    assert received == [ServerHosts("0.0.0.0", ("club-pc",))]


@pytest.mark.page
def test_a_first_token_that_is_refused_says_which_role_to_choose(games: Path, open_page: Open) -> None:
    app = open_page("acces", lang="en")
    assert "Save its link: it is shown once." in app.info[0].value

    def make(role: Role) -> None:
        app.text_input(key="token-name").set_value("zoe")
        app.selectbox(key="token-role").set_value(role)
        [button] = [one for one in app.button if one.label == "Make a token"]
        button.click().run()

    make(Role.READER)
    [wanted] = re.findall(r"choose the role (\w+)", " ".join(one.value for one in (*app.error, *app.info)))
    make(Role(wanted))
    link, _ = (one.value for one in app.code)
    assert authenticate(link.partition("#")[2], None).role is Role.ADMIN


def test_a_log_id_of_several_matches_leads_to_one_of_them(api: Clients) -> None:
    log = json.loads((FAUTES / "must-follow.json").read_text("utf-8"))
    both = [{**log, "id": "same", "event": {"name": name}} for name in "XY"]
    api["admin"].post("/logs?on_conflict=both", b"\n".join(json.dumps(one).encode() for one in both))
    refused = api["reader"].get("/matches/same")
    assert is_problem(refused, 409)
    [path] = re.findall(r"such as: GET /api/v1(\S+)$", refused.json()["detail"])
    assert api["reader"].get(path).json()["match_id"] == refused.json()["ids"][0]


def test_a_refused_request_works_once_each_listed_parameter_is_corrected(reading: Clients) -> None:
    query = {"since": "yesterday", "limit": "20"}
    refused = reading["reader"].get("/matches", **query)
    assert is_problem(refused, 422)
    for error in refused.json()["errors"]:
        [example] = re.findall(r"such as (\S+)\.$", error["detail"])
        query[error["where"].partition(".")[2]] = example
    assert reading["reader"].get("/matches", **query).status_code == 200


@pytest.mark.page
def test_a_visitor_who_has_no_log_finds_the_samples_and_the_check(path: Path, open_page: Open) -> None:
    app = open_page("accueil", lang="en")
    assert "A log records a match, most often card by card." in app.markdown[0].value
    checked = open_page(page_behind(app, "Check a log"), lang="en")
    assert not checked.exception
    app.button(key="samples").click().run()
    assert app.header[0].value == "Latest matches"
