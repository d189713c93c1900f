"""The whole API asked by its own document: what it allows and what it does not, with each role."""

import json
import warnings
from collections import Counter
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dashboard.store import open_store
from ingest.store import saved_searches, trash
from tests.dashboard.api import AT, served
from tests.dashboard.conftest import FAUTES, documents

pytestmark = pytest.mark.slow

LOG = json.dumps(documents()[0]).encode()
FAULTY = json.dumps(json.loads((FAUTES / "points-differ.json").read_bytes())).encode()
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


FILTERS = (
    *("game", "preset", "event", "opponent", "source", "cursor", "player", "by", "score_sheets"),
    *("since", "until", "player_count", "status"),
)
"""What leaves nothing where it is made up."""


def known(case: Any, number: int) -> None:
    """Name what the store has instead of what was made up."""
    ids = open_store().cursor().execute("SELECT match_id FROM matches ORDER BY match_no").fetchall()
    path = case.operation.path
    if path.startswith("/matches/"):
        lost = trash.list_deletions(open_store().cursor())
        if path.endswith("/undelete") and lost:
            [(removed, *_), *_] = open_store().cursor().execute("SELECT match_id FROM trash").fetchall()
            case.path_parameters["id"] = removed
        else:
            # what was added last is the contributor's own
            last = case.method == "DELETE"
            case.path_parameters["id"] = ids[-1 if last else number % len(ids)][0]
        if "deal_number" in case.path_parameters:
            case.path_parameters["deal_number"] = 1
        if "action_number" in case.path_parameters:
            case.path_parameters["action_number"] = 1
    elif path.startswith("/searches/"):
        case.path_parameters["n"] = 1
    elif path == "/players/{id}":
        case.path_parameters["id"] = "Zoé d’Orléans"
    elif path == "/exports/{file}":
        case.path_parameters["file"] = ("seats.csv", "deals.parquet", "logs.jsonl")[number % 3]
    elif path == "/head-to-head":
        case.query |= {"first": ["Jean"], "second": ["Zoé d’Orléans"]}
    elif case.method == "POST":
        case.media_type = "application/json"
        case.body = json.loads((LOG, FAULTY)[number % 2])
    for name in ("game", "preset", "event", "opponent", "source", "cursor", "player", "by", "score_sheets"):
        case.query.pop(name, None)
    if path == "/compare":
        case.query |= {"player": ["Jean", "Zoé d’Orléans"]}
    if path not in ("/matches",):
        for name in ("since", "until", "player_count", "status"):
            case.query.pop(name, None)


def _requested(operation: Any, headers: dict[str, str]) -> Counter[int]:
    """How often an operation answered with each status."""
    seen = Counter[int]()
    for mode in GenerationMode:

        @settings(max_examples=3, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode), number=st.integers(0, 99))
        def ask(case: Any, number: int) -> None:
            if seen.total() % 2:
                known(case, number)
            answer = case.call(base_url=f"{AT}/api/v1", headers=headers)
            seen[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKS)

        ask()
    return seen


@pytest.mark.parametrize("role", ["nobody", "reader", "contributor", "admin"])
@pytest.mark.sample("contributor")
def test_nothing_asked_of_it_is_a_fault_of_the_server(api_tokens: dict[str, str], role: str) -> None:
    """Every operation is done at least once by a role that may; a role that may not is refused."""
    headers = {"Authorization": f"Bearer {api_tokens[role]}"} if role != "nobody" else {}
    assert saved_searches.save_search(open_store(), "won", "won").number == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        schema = schemathesis.openapi.from_asgi(
            "/api/v1/openapi.json", served(), headers={"Host": "localhost"}
        )
    every = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    # what they do to the store is in tests/dashboard/test_remote_commands.py: they take away its
    # tokens
    operations = [one for one in every if not one.path.startswith("/commands")]
    answered = {one.label: _requested(one, headers) for one in operations}
    refused = {label for label, seen in answered.items() if not any(200 <= one < 300 for one in seen)}
    assert len(answered) == 24
    writing = {"DELETE /matches/{id}", "POST /matches/{id}/undelete"}
    refused -= {"GET /find", "GET /find/months"}  # letters at random are no search: test_find.py
    assert (
        refused
        == {
            "admin": set(),
            "contributor": set(),
            "reader": writing | {"POST /logs"},
            "nobody": writing | {"POST /logs"},
        }[role]
        | {"PUT /sources/{source}/matches/{id}"}  # its body has to name its path
    )
