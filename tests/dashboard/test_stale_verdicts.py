"""Verdicts of older rules: reported on Home and in the replay, refreshed there."""

from pathlib import Path

import pytest

import dashboard.queries.matches
import dashboard.store
import dashboard.views.match_pages
from engine import RULES_VERSION
from ingest.store import arrow_rows, revalidate
from ingest.store.factory import Store
from tests.dashboard.conftest import Open

MODULES = (arrow_rows, revalidate, dashboard.views.match_pages, dashboard.queries.matches)


@pytest.fixture
def newer(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version of the rules, after the games were stored."""
    for module in MODULES:
        monkeypatch.setattr(module, "RULES_VERSION", RULES_VERSION + 1)


def test_verdicts_of_today_are_not_spoken_of(games: Path, open_page: Open) -> None:
    app = open_page()
    assert not app.warning
    assert "revalidate" not in [button.key for button in app.button]
    assert not open_page("relecture", match="m0").warning


def test_old_verdicts_are_refreshed_from_the_home_page(newer: None, games: Path, open_page: Open) -> None:
    app = open_page()
    assert app.warning[0].value == (
        "Rencontres vérifiées avec d’anciennes règles\u00a0: 9. «\u00a0Revérifier\u00a0» met à jour leurs"
        " verdicts, leurs points et le classement."
    )
    assert app.button(key="revalidate").label == "Revérifier"
    app.button(key="revalidate").click().run()
    assert not app.exception
    assert app.success[0].value == "Verdicts mis à jour. Rencontres dont le verdict change\u00a0: 0"
    assert not app.warning
    assert not app.run().success
    dashboard.store.close_store()
    with Store(games, read_only=True) as store:
        assert revalidate.count_outdated(store.cursor()) == {}


def test_a_replay_says_that_the_lists_have_an_older_verdict(newer: None, open_page: Open) -> None:
    app = open_page("relecture", match="m0", lang="en")
    assert app.warning[0].value == (
        f"The lists show this match as legal, by version {RULES_VERSION} of the rules. "
        f"This page uses version {RULES_VERSION + 1}."
    )
