"""Check that names and docstrings use standard words: part of `make lint`.

A word that is not to come back stands in `[tool.retourne.words]` of `pyproject.toml`, with how
often it may still occur: the number goes down, and never up. Of a name each part counts (`was_told`
has `told`); of a docstring or comment each whole word.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "schemas", "ingest", "dashboard", "data", "js", "benchmarks", "tests")
GLOSSARY = ROOT / "docs/architecture.md"
ORDINARY = ROOT / ".ci/module_words.txt"
LISTED = ("engine", "schemas", "ingest", "dashboard", "data", "js")
UNLISTED = {"init", "main", "i", "n"}


def parts(name: str) -> list[str]:
    """The words of a name: `TOLD_in`, `ToldIn` → told, in."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def defined(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name a module gives to something of its own, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def prose(text: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, without what stands in backticks, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def found(file: Path, words: set[str], phrases: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Which of these words a file has, with their lines."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for line, name in defined(tree):
        yield from ((line, part) for part in parts(name) if part in words)
    for line, result in prose(text, tree):
        plain = re.sub(r"`[^`]*`", "", result)
        yield from ((line, match.lower()) for match in phrases.findall(plain))


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    limits = settings["tool"]["retourne"]["words"]
    banned = {word for limit in limits.values() for word in limit}
    whole = re.compile(r"(?<![\w-])(" + "|".join(sorted(banned)) + r")(?![\w-])", re.IGNORECASE)
    wrong = False
    glossary = GLOSSARY.read_text(encoding="utf-8").partition("## Glossary of code")[2]
    glossary += ORDINARY.read_text(encoding="utf-8")
    listed = {word.lower() for word in re.findall(r"[A-Za-z0-9]+", glossary)}
    for package in PACKAGES:
        requested = ["git", "ls-files", f"{package}/*.py"]
        files = subprocess.check_output(requested, cwd=ROOT, text=True).split()
        count = Counter[str]()
        places: dict[str, str] = {}
        for name in files:
            for line, word in found(ROOT / name, banned, whole):
                count[word] += 1
                places[word] = f"{name}:{line}"
            for word in set(parts(Path(name).stem.strip("_"))) - listed - UNLISTED:
                if package in LISTED and not {word, word[:-1], word[:-2]} & listed:
                    print(f"{name}: {word!r}: not in docs/architecture.md or {ORDINARY.name}")
                    wrong = True
        for word, number in sorted(count.items()):
            limit = limits.get(package, {}).get(word, 0)
            if number > limit:
                print(f"{package}: {word!r} {number} times, {limit} allowed; {places[word]}")
                wrong = True
            if "--lower" in sys.argv:
                print(f"{package}.{word} = {number}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
