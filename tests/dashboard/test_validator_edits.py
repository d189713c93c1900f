"""The page Validator: one click applies an edit of any part of a log, in one place or two."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.dashboard.test_validator_page import click, page_text, paste, title
from tests.ingest.test_autofix import FAUTES, exchanged, timed_repeated
from tests.ingest.test_autofix_cards import hand, write
from tests.ingest.test_autofix_sheet import cut
from tests.ingest.test_autofix_sheet import timed as clocked

Log = dict[str, Any]
KINDS: dict[str, tuple[Callable[[], Log], str]] = {
    "an attempt of a cut": (lambda: cut(["8s 7h", "9d Kc"]), "À supprimer : 9♦ R♣."),
    "a time": (lambda: clocked(lambda times: times.insert(5, 900.0)), "Supprimer le temps 6"),
    "an action with its time": (timed_repeated, "avec son temps"),
    "a card of a hand": (lambda: hand(write("zz")), "9 jaune/19 rouge au lieu de zz"),
    "two actions": (lambda: exchanged(5, 9)[0], "échanger 8♣ (action 6)"),
}


@pytest.mark.parametrize(("log", "words"), KINDS.values(), ids=KINDS)
def test_an_edit_is_shown_done_and_undone(open_page, log: Callable[[], Log], words: str) -> None:
    page = open_page("verificateur")
    text = json.dumps(log(), indent=1)
    paste(page, text)
    assert words in page_text(page).replace("\u202f", " ").replace("\xa0", " ")
    click(page, "Appliquer")
    assert title(page) == "Régulière"
    click(page, "Annuler")
    assert page.text_area[0].value == text


def test_where_no_edit_is_alone_the_referee_chooses_among_candidates(open_page) -> None:
    page = open_page("verificateur")
    text = (FAUTES / "chouine" / "must-beat.json").read_text(encoding="utf-8")
    paste(page, text)
    words = page_text(page).replace("\u202f", " ").replace("\xa0", " ")
    assert "L’une de ces corrections, la plus probable d’abord" in words
    assert "Jouer R♠ à la place." in words
    buttons = [button for button in page.button if button.label == "Appliquer"]
    assert len(buttons) > 1
    buttons[0].click()
    page.run()
    assert page.text_area[0].value != text
    assert title(page) != "Irrégulière"
