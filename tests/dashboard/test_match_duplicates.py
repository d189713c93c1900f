"""Déposer: of a match that is stored in another log, the page stores the log you choose, or both."""

import json
from typing import Any

import pytest

from dashboard.store import open_store
from ingest.store.likely_duplicate_matches import likely_matches
from tests.dashboard.conftest import Open, documents
from tests.dashboard.tables import tables_of
from tests.dashboard.test_pages import upload
from tests.dashboard.test_validator_page import click, stored_logs
from tests.ingest.test_likely_duplicate_matches import result

ANOTHER_LOG = documents()[0] | {"event": {"name": "Another event"}}
ANOTHER_PLAY = documents()[1] | {"id": documents()[0]["id"], "players": documents()[0]["players"]}


@pytest.mark.parametrize("other", [ANOTHER_LOG, ANOTHER_PLAY], ids=["the same play", "the same id"])
@pytest.mark.parametrize(
    ("choice", "stays", "is_added"), [(None, 1, 0), ("Remplacer", 0, 1), ("Garder les deux", 1, 1)]
)
@pytest.mark.sample(
    "None-1-0-the same play", "Remplacer-0-1-the same id", "Garder les deux-1-1-the same play"
)
def test_the_user_chooses_what_is_stored(
    open_page: Open, other: dict[str, Any], choice: str | None, stays: int, is_added: int
) -> None:
    first = documents()[0]
    upload(open_page("deposer"), first_json=json.dumps(first).encode())
    app = upload(open_page("deposer"), second_json=json.dumps(other).encode())
    assert "Déjà en base, dans un autre relevé" in [one.value for one in app.header]
    if choice is not None:
        click(app, choice)
    stored = stored_logs()
    assert (stored.count(first), stored.count(other)) == (stays, is_added)


FIRST = result(("Martine Duval", "Gérard Petit"), (3, 1))
AGAIN = result(("Gérard Petit", "M. Duval"), (1, 3))


@pytest.mark.parametrize(
    ("choice", "stored", "counts"),
    [
        ("Garder les deux", [FIRST, AGAIN], "1000"),
        ("Remplacer", [AGAIN], "1000"),
        ("Ne pas l’ajouter", [FIRST], "0100"),
    ],
)
def test_the_user_chooses_whether_two_results_are_one_match(
    open_page: Open, choice: str, stored: list[Any], counts: str
) -> None:
    upload(open_page("deposer"), first_json=json.dumps(FIRST).encode())
    app = upload(open_page("deposer"), second_json=json.dumps(AGAIN).encode())
    assert "Ces rencontres sont peut-être déjà en base" in [one.value for one in app.header]
    click(app, choice)
    assert stored_logs() == stored
    assert likely_matches(open_store().cursor()) == []
    assert "Ces rencontres sont peut-être déjà en base" not in [one.value for one in app.header]
    assert "".join(one.value for one in app.metric) == counts


@pytest.mark.parametrize(
    ("answer", "stored"),
    [
        ("La même\xa0: garder le premier relevé", [FIRST]),
        ("La même\xa0: garder le second relevé", [AGAIN]),
        ("Deux rencontres", [FIRST, AGAIN]),
    ],
)
def test_the_admin_answers_whether_two_results_are_one_match_and_undoes_it(
    open_page: Open, answer: str, stored: list[Any]
) -> None:
    upload(open_page("deposer"), first_json=json.dumps(FIRST).encode())
    upload(open_page("deposer"), second_json=json.dumps(AGAIN).encode())
    app = open_page("doublons")
    question = "Ces deux rencontres sont peut-être la même"
    assert question in [one.value for one in app.header]
    click(app, answer)
    assert stored_logs() == stored
    assert question not in [one.value for one in app.header]
    click(app, "Annuler")
    assert stored_logs() == [FIRST, AGAIN]
    assert question in [one.value for one in app.header]


def test_a_match_that_goes_on_is_shown_as_unfinished(open_page: Open) -> None:
    log = documents()[0]
    begun = {key: value for key, value in log.items() if key != "result"} | {"deals": log["deals"][:1]}
    upload(
        open_page("deposer"),
        begun_json=json.dumps(begun).encode(),
        whole_json=json.dumps(documents()[1]).encode(),
    )
    [shown] = [one for one in tables_of(open_page("rencontres")) if "Verdict" in one]
    assert sorted(shown["Verdict"]) == ["régulière", "régulière · inachevée"]
    captions = [one.value for one in open_page("relecture", match=log["id"]).caption]
    assert any(one.endswith("régulière · inachevée") for one in captions)


def test_the_list_of_matches_shows_how_many_are_a_sheet_of_a_log(open_page: Open) -> None:
    log = documents()[0] | {"id": "evening"}
    head = {key: log[key] for key in ("format", "game", "rules", "players", "id")}
    upload(open_page("deposer"), first_json=json.dumps(log).encode())
    upload(open_page("deposer"), second_json=json.dumps(head | {"result": {"winner": 1}}).encode())
    app = open_page("rencontres")
    [found] = [one.value for one in app.caption if "Rencontres trouvées" in one.value]
    assert found.endswith(
        "2 · dont sur une feuille et dans un relevé, comptées une fois\N{NO-BREAK SPACE}: 1"
    )
