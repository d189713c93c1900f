"""No character of a log controls the terminal that shows it."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.cli.app import run
from ingest.escaping import escape_line, to_escaped_json
from tests.ingest.logs import documents

EVIL = "\x1b[2J \x9b31m \x7f \r \u202e \u2066 \u061c \u200b \ufeff \U000e0041 \u2028 \x07 \n"
JOINERS = "\u200c\u200d"
"""Scripts and emoji need them, and they move nothing."""


def steering(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or (
        unicodedata.bidirectional(sign) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI")
        or unicodedata.bidirectional(sign) == "PDI"
        or sign in "\u061c\u200e\u200f"
    )


@given(st.text(st.characters()))
def test_no_text_is_shown_with_a_sign_that_steers(text: str) -> None:
    assert not any(steering(sign) for sign in escape_line(text))


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_that_is_safe_to_look_at_is_the_same_json(text: str) -> None:
    written = to_escaped_json({"name": text})
    assert json.loads(written) == {"name": text}
    assert not any(steering(sign) for sign in written)


def test_letters_of_every_script_and_french_spaces_stay_as_they_are() -> None:
    text = "Éloïse\u00a0: «\u202foui\u202f» – 王 – עברית – 👩\u200d🌾 – نمی\u200cخواهم"
    assert escape_line(text) == text
    assert json.loads(to_escaped_json(text)) == text
    assert text in to_escaped_json(text)


@pytest.mark.parametrize("format", ["text", "jsonl", "sarif"])
def test_a_name_that_steers_the_terminal_reaches_it_in_no_format(
    format: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    document: dict[str, Any] = documents()[0] | {"id": EVIL, EVIL: 1}
    document["players"] = [{"id": EVIL, "name": EVIL}, {"id": "b", "name": EVIL}]
    document["deals"] = [document["deals"][0] | {"actions": [f"1 {EVIL}"], "points": [1, 2]}]
    path = tmp_path / "evil.jsonl"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run(["check", str(path), "--format", format, "--lang", "en"]) == 1
    shown = capfd.readouterr().out
    assert not any(steering(sign) for sign in shown if sign != "\n")
    assert "\\u202e" in shown


def test_a_folder_is_walked_past_pipes_and_tells_links_that_lead_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "a.json").mkdir()
    (tmp_path / "lost.json").symlink_to("nowhere")
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "good.jsonl").write_text(json.dumps(documents()[0]), encoding="utf-8")
    assert run(["check", str(tmp_path), "--lang", "fr"]) == 2
    shown = capfd.readouterr().out
    assert "lost.json:1 illisible" in shown
    assert "fichier introuvable" in shown
    assert "Rencontres\u00a0: 1 · régulières\u00a0: 1 · textes illisibles\u00a0: 1" in shown
