"""Count patterns of hard sentences in texts, docstrings and documents: part of `make lint`.

`.ci/plain_words.toml` has the patterns, what to write instead and how often each may still occur.
`--list [PATTERN]` prints the places, `--lower` writes today's counts as the limits.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
RULES = ROOT / ".ci/plain_words.toml"
CATALOGUES = ("ingest", "dashboard")
PACKAGES = ("engine", "schemas", "ingest", "dashboard", "data")
IN_FRENCH = {
    "docs/bienvenue.md",
    "docs/regles.md",
    "docs/statistiques.md",
    "docs/tutoriel.md",
    "README.fr.md",
}

Text = tuple[str, str, str]  # kind, place, text


def texts() -> Iterator[Text]:
    """Texts of the catalogues; docstrings; paragraphs of documents."""
    for package in CATALOGUES:
        path = f"{package}/locale/fr.po"
        with (ROOT / path).open("rb") as file:
            for one in read_po(file, locale="fr"):
                if one.id:
                    yield "english", f"{path}:{one.lineno}", re.sub(r"\{[^}]*\}", "{}", str(one.id))
                    yield "french", f"{path}:{one.lineno}", str(one.string)
    tracked = [*(f"{name}/*.py" for name in PACKAGES), "*.md"]
    listed = subprocess.check_output(["git", "ls-files", *tracked], cwd=ROOT, text=True)
    for name in filter(lambda name: (ROOT / name).exists(), listed.split()):
        source = (ROOT / name).read_text(encoding="utf-8")
        if name.endswith(".py"):
            for line, text in docstrings(source):
                yield "docstrings", f"{name}:{line}", text
        elif not name.startswith("tests/"):
            kind = "french_documents" if name in IN_FRENCH else "documents"
            yield from ((kind, f"{name}:{line}", text) for line, text in paragraphs(source))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings of a module and of all in it, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value


def paragraphs(source: str) -> Iterator[tuple[int, str]]:
    """Paragraphs without blocks of code, each on one line."""
    blank = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), source, flags=re.M | re.S)
    line = 1
    for part in re.split(r"(\n\s*\n)", blank):
        if part.strip():
            yield line, " ".join(part.split())
        line += part.count("\n")


def found(rules: dict[str, dict[str, dict[str, str]]]) -> Iterator[tuple[str, str, str, str]]:
    """Each occurrence: pattern, kind of text, place, text."""
    kinds = {"english": ("english", "docstrings", "documents"), "french": ("french", "french_documents")}
    known = {
        (f"{group}.{name}", kind): re.compile(rule["find"], re.IGNORECASE)
        for group, of in rules.items()
        for name, rule in of.items()
        for kind in kinds.get(group, (name,))
    }
    for kind, place, text in texts():
        plain = re.sub(r"`[^`]*`|\{\w+[^}]*\}", "…", " ".join(text.split()))
        for (name, of), pattern in known.items():
            if of == kind:
                long = text if name.startswith("long") else plain
                yield from ((name, kind, place, text) for _ in pattern.finditer(long))


def main(arguments: list[str]) -> int:
    """Print what is over its limit, and where; 1 if anything is."""
    written = RULES.read_text(encoding="utf-8")
    rules = tomllib.loads(written)
    count: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], list[str]] = {}
    for name, kind, place, text in found(rules):
        count[name, kind] += 1
        places.setdefault((name, kind), []).append(f"{place}: {' '.join(text.split())}")
    if "--list" in arguments:
        names = arguments[arguments.index("--list") + 1 :]
        for (name, kind), of in sorted(places.items()):
            if not names or name in names or f"{name}.{kind}" in names:
                print(f"{name} in {kind}: {len(of)}", *(of if names else ()), sep="\n  ")
    elif "--lower" in arguments:
        RULES.write_text(lowered(written, count), encoding="utf-8")
    wrong = False
    for (name, kind), number in sorted(count.items()):
        group, _, short = name.partition(".")
        rule = rules[group][short]
        if number > (limit := int(rule.get(kind, 0))) and not arguments:
            print(f"{name} in {kind}: {number}, {limit} allowed. Write: {rule['say']}")
            print(*(f"  {place[:160]}" for place in places[name, kind][-5:]), sep="\n")
            wrong = True
    return wrong


def lowered(text: str, count: Counter[tuple[str, str]]) -> str:
    """The rules with today's counts as limits."""
    rows = (line for line in text.splitlines() if not re.fullmatch(r"\w+ = \d+", line))
    lines = []
    name = ""
    for line in rows:
        lines.append(line)
        if header := re.fullmatch(r"\[(\w+\.\w+)\]", line):
            name = header[1]
        if line.startswith("say = "):
            limits = sorted((kind, number) for (of, kind), number in count.items() if of == name)
            lines += [f"{kind} = {number}" for kind, number in limits]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
