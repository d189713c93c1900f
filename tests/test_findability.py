"""A stranger finds the code for a question: its path or its first line has the word to grep."""

import ast
import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
with (ROOT / "docs/where.csv").open(encoding="utf-8", newline="") as file:
    QUESTIONS = {row["question"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_its_file(question: str) -> None:
    """The first word is the file's own: of its path or first line; of the text if it is not Python."""
    word, path = QUESTIONS[question]["words"].partition("; ")[0], QUESTIONS[question]["path"]
    place = text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        place = f"{path}\n{(ast.get_docstring(ast.parse(text)) or '').partition(chr(10))[0]}"
    assert word.casefold() in place.casefold(), f"{question} {path}: {word}"
