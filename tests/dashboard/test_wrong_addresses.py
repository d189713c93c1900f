"""Addresses with unknown values: the page reports them and ignores them."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ingest.store import trash
from ingest.store.factory import Store
from tests.dashboard.conftest import Open
from tests.dashboard.tables import tables_of


def buttons(app: AppTest) -> list[str]:
    return [one.label for one in app.button]


@pytest.mark.parametrize("deal", ["999", "0", "abc", "-1", "1.5"])
def test_a_missing_deal_is_reported_and_another_shown(games: Path, open_page: Open, deal: str) -> None:
    [result] = open_page("relecture", match="m0", deal=deal, lang="en").warning
    assert result.value.replace("\\", "").startswith(f"This match has no deal {deal}: its deals are")


@pytest.mark.parametrize("query", [{}, {"deal": "1"}, {"deal": "02"}])
def test_a_deal_there_is_or_none_asked_is_shown_without_a_word(
    games: Path, open_page: Open, query: dict[str, str]
) -> None:
    assert not open_page("relecture", match="m0", lang="en", **query).warning


def test_a_match_deleted_while_it_is_looked_at_is_gone_at_the_next_deal(games: Path, open_page: Open) -> None:
    def page() -> None:
        import streamlit as st

        from dashboard.store import validated_match
        from dashboard.views.match_pages import show_board
        from dashboard.widgets.current_store import open_store
        from ingest.i18n import translator

        if "shown" not in st.session_state:
            number = open_store().find_match(st.query_params["match"]) or 0
            st.session_state["shown"] = number, validated_match(number).match_id
        number, match_id = st.session_state["shown"]
        show_board(number, match_id, translator("en", "dashboard"))

    app = AppTest.from_function(page, default_timeout=60)
    app.query_params["match"] = "m0"
    app.run()
    assert not app.exception
    assert not app.warning
    assert app.get("bidi_component")
    with Store(games) as store:
        number = store.find_match("m0")
        assert number is not None
        trash.delete_matches(store, [number])
    app.session_state["board"] = {"deal": f"{app.session_state['shown'][1]} 2"}
    app.run()
    assert [one.value for one in app.warning] == [
        "No match with that id in the store. Search for it on the page Matches."
    ]
    assert not app.get("bidi_component")


@pytest.mark.parametrize(
    "query", [{"status": "bogus"}, {"game": "bogus"}, {"preset": "bogus"}, {"kind": "bogus"}, {"since": "x"}]
)
def test_a_filter_that_is_none_offers_nothing_to_clear(
    games: Path, open_page: Open, query: dict[str, str]
) -> None:
    app = open_page("rencontres", lang="en", **query)
    assert len(tables_of(app)[0]) == len(tables_of(open_page("rencontres", lang="en"))[0])
    assert "Clear" not in buttons(app)


def test_a_filter_that_is_set_offers_to_clear_it(games: Path, open_page: Open) -> None:
    assert "Clear" in buttons(open_page("rencontres", lang="en", status="legal"))
