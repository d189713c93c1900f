"""The title of a browser's tab: subject, page, product."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.pages import PRODUCT_NAME, SECTIONS
from tests.dashboard.conftest import Open

Tab = Callable[..., str]


@pytest.fixture
def tab(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> Tab:
    """`tab("joueurs", player="jean")`: what the tab says when the page has been drawn."""
    items: list[str] = []
    monkeypatch.setattr("streamlit.set_page_config", lambda **settings: items.append(settings["page_title"]))

    def title(page: str, /, **query: str) -> str:
        open_page(page, **query)
        return items[-1]

    return title


def test_each_page_has_its_own_title_with_the_product_s_name(games: Path, tab: Tab) -> None:
    pages = [page.name for some in SECTIONS.values() for page in some]
    titles = {name: tab(name) for name in pages}
    assert len(set(titles.values())) == len(pages)
    assert all(title.endswith(f" · {PRODUCT_NAME}") for title in titles.values())


@pytest.mark.parametrize(
    ("page", "query", "title"),
    [
        ("joueurs", {"player": "jean"}, "Jean · Players · Retourne"),
        ("joueurs", {"player": "nobody"}, "Players · Retourne"),
        ("relecture", {"match": "m0", "deal": "2"}, "Jean – Zoé d’Orléans · Replay · Retourne"),
        ("relecture", {"match": "nothing"}, "Replay · Retourne"),
        ("verificateur", {"match": "m0"}, "Jean – Zoé d’Orléans · Validator · Retourne"),
        ("face_a_face", {"first": "Jean", "second": "Zoé"}, "Jean – Zoé d’Orléans · Head to head · Retourne"),
        ("regles", {"rule": "ch-9"}, "CH-9 · Rules · Retourne"),
        ("regles", {"rule": "<b>"}, "Rules · Retourne"),
    ],
)
def test_a_tab_names_what_its_address_names(
    games: Path, tab: Tab, page: str, query: dict[str, str], title: str
) -> None:
    assert tab(page, lang="en", **query) == title
