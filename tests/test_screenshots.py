"""Pictures in documents show the pages of today: `make screens` takes them again."""

from pathlib import Path

import pytest
from PIL import Image

from dashboard.pages import SECTIONS
from ingest.i18n import translator

PICTURES = sorted((Path(__file__).parents[1] / "docs" / "screenshots").glob("*.png"))


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_the_menu_of_a_picture_has_the_words_of_today(path: Path) -> None:
    t = translator("fr", "dashboard")
    with Image.open(path) as image:
        words = image.info["menu"].split(", ")
    assert words == [t(page.title) for pages in SECTIONS.values() for page in pages]


def test_the_first_page_of_documents_shows_a_picture() -> None:
    assert {path.name for path in PICTURES} >= {"faute-1280-light.png", "relecture-1280-light.png"}
