"""Déposer: of a match that is stored in another log, the page stores the log you choose, or both."""

import json
from typing import Any

import pytest

from tests.dashboard.conftest import Open, documents
from tests.dashboard.test_pages import upload
from tests.dashboard.test_validator_page import click, stored_logs

ANOTHER_LOG = documents()[0] | {"event": {"name": "Another event"}}
ANOTHER_PLAY = documents()[1] | {"id": documents()[0]["id"], "players": documents()[0]["players"]}


@pytest.mark.parametrize("other", [ANOTHER_LOG, ANOTHER_PLAY], ids=["the same play", "the same id"])
@pytest.mark.parametrize(
    ("choice", "stays", "is_added"), [(None, 1, 0), ("Remplacer", 0, 1), ("Garder les deux", 1, 1)]
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
