"""Vérificateur: an edit of any part of a log, in one place or two, is done with one click."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.dashboard.test_verificateur import click, paste, said, title
from tests.ingest.test_mend import exchanged, timed
from tests.ingest.test_mend_cards import hand, write
from tests.ingest.test_mend_sheet import cut
from tests.ingest.test_mend_sheet import timed as clocked

Log = dict[str, Any]
KINDS: dict[str, tuple[Callable[[], Log], str]] = {
    "an attempt of a cut": (lambda: cut(["8s 7h", "9d Kc"]), "À supprimer : 9♦ R♣."),
    "a time": (lambda: clocked(lambda times: times.insert(5, 900.0)), "Supprimer le temps 6"),
    "an action with its time": (lambda: timed("chouine/announce-again"), "avec son temps"),
    "a card of a hand": (lambda: hand(write("zz")), "9 jaune/19 rouge au lieu de zz"),
    "two actions": (lambda: exchanged(5, 9)[0], "Échanger les actions 6 et 10"),
}


@pytest.mark.parametrize(("log", "words"), KINDS.values(), ids=KINDS)
def test_an_edit_is_said_done_and_undone(open_page, log: Callable[[], Log], words: str) -> None:
    page = open_page("verificateur")
    text = json.dumps(log(), indent=1)
    paste(page, text)
    assert words in said(page).replace("\u202f", " ").replace("\xa0", " ")
    click(page, "Appliquer")
    assert title(page) == "Régulière"
    click(page, "Annuler")
    assert page.text_area[0].value == text
