"""Check that names and docstrings use standard words: part of `make lint`.

`[tool.retourne.words]` of `pyproject.toml` has the words that are not to come back, in all their
forms, how often each may still occur in a package, and the few names that stay. Of a name each part
counts (`was_told` has `told`), in Python, SQL, JavaScript and CSS (classes, ids, properties), also of
keyword arguments and of keys of dictionaries in Python; of a docstring or comment of Python each
whole word, but for the forms that `prose` allows. A text is SQL if it has a keyword such as SELECT or AND.

Words of the names of modules and folders are headwords of `docs/architecture.md` or
`docs/glossary.md`, or stand in `.ci/module_words.txt`. No three modules of a package share a name, but
for those each game has.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "schemas", "ingest", "dashboard", "data", "js", "benchmarks", "docs", "tests")
LISTED = ("engine", "schemas", "ingest", "dashboard", "data", "js")
"""Packages whose modules have words of the glossaries."""
UNLISTED = {"init", "main", "i", "n"}
MAX_SAME_NAME = 2
GLOSSARIES = ROOT / "docs/architecture.md", ROOT / "docs/glossary.md"
ORDINARY = ROOT / ".ci/module_words.txt"
SQL = re.compile(
    r"\b(SELECT|FROM|WHERE|INSERT INTO|UPDATE|DELETE|CREATE|WITH|JOIN|GROUP BY|ORDER BY"
    r"|AND|OR|IS|NULL|CASE|WHEN|FILTER|BETWEEN|USING|DESC)\b"
)
SQL_TEXT = re.compile(r"'(?:[^']|'')*'|--[^\n]*")
SCRIPT_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
STYLE_TEXT = re.compile(r"/\*.*?\*/|<!--.*?-->", re.DOTALL)
STYLE_NAMES = re.compile(r"(?:class|id)=\"([^\"{]*)\"|[.#]([A-Za-z_][\w-]*)|--([A-Za-z_][\w-]*)")
TEMPLATE = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)

Names = Iterator[tuple[int, str]]


def parts(name: str) -> list[str]:
    """The words of a name: `TOLD_in`, `ToldIn` → told, in."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def defined(tree: ast.AST) -> Names:
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
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.Dict):
            keys = (key.value for key in node.keys if isinstance(key, ast.Constant))
            yield from ((node.lineno, key) for key in keys if isinstance(key, str) and key.isidentifier())
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name


def sql_names(text: str, line: int) -> Names:
    """Tables, columns and aliases of SQL, with the line at which the text begins."""
    yield from ((line, name) for name in re.findall(r"[A-Za-z_]\w*", SQL_TEXT.sub("", text)))


def sql_in(tree: ast.AST) -> Names:
    """Names in the texts of a module that are SQL."""
    written = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in written:
            if SQL.search(node.value):
                yield from sql_names(node.value, node.lineno)


def script_names(text: str) -> Names:
    """Functions, variables and properties of JavaScript, with their lines."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    def filled(found: re.Match[str]) -> str:
        code = "".join(f"${{{part}}}" for part in re.findall(r"\$\{([^`]*?)\}", found[0]))
        return code + "\n" * found[0].count("\n")

    code = TEMPLATE.sub(filled, SCRIPT_TEXT.sub(blank, text))
    for number, line in enumerate(code.split("\n"), 1):
        yield from ((number, name) for name in re.findall(r"[A-Za-z_$][\w$]*", line))


def style_names(text: str) -> Names:
    """Classes, ids and custom properties of CSS or HTML, with their lines."""
    code = STYLE_TEXT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for number, line in enumerate(code.split("\n"), 1):
        yield from ((number, " ".join(found)) for found in STYLE_NAMES.findall(line))


def prose(text: str, tree: ast.AST) -> Names:
    """Docstrings and comments, without what stands in backticks, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def found(path: Path, words: set[str], phrases: re.Pattern[str], stays: set[str]) -> Names:
    """Which of these words a file has, with their lines."""
    text = path.read_text(encoding="utf-8")
    names: list[tuple[int, str]] = [(1, part) for part in path.relative_to(ROOT).with_suffix("").parts]
    if path.suffix == ".sql":
        names += sql_names(text, 1)
    elif path.suffix in (".css", ".html"):
        names += style_names(text)
    elif path.suffix != ".py":
        names += script_names(text)
    else:
        tree = ast.parse(text)
        names += [*defined(tree), *sql_in(tree)]
        for line, result in prose(text, tree):
            plain = re.sub(r"`[^`]*`", "", result)
            yield from ((line, match.lower()) for match in phrases.findall(plain) if match not in stays)
    for line, name in names:
        if name not in stays:
            yield from ((line, part) for part in parts(name) if part in words)


def headwords() -> set[str]:
    """Words that a module may be named with, singular and plural."""
    code, terms = (path.read_text(encoding="utf-8") for path in GLOSSARIES)
    written = re.findall(r"^- ([^:]+):", code.partition("## Glossary of code")[2], re.MULTILINE)
    written += [*re.findall(r"\*\*([^*]+)\*\*", terms), ORDINARY.read_text(encoding="utf-8")]
    words = set(re.findall(r"[a-z0-9]+", " ".join(written).lower()))
    return words | {f"{word}s" for word in words} | {f"{word}es" for word in words}


def files_of(package: str) -> list[str]:
    """The files of a package whose names are read."""
    patterns = [f"{package}/*.{ending}" for ending in ("py", "sql", "js", "mjs", "css", "html")]
    listed = subprocess.check_output(["git", "ls-files", *patterns], cwd=ROOT, text=True).split()
    return [name for name in listed if "static/plotly" not in name and (ROOT / name).exists()]


def misnamed(package: str, files: list[str], listed: set[str]) -> Iterator[str]:
    """What is wrong with the names of a package's modules and folders."""
    same = defaultdict[str, list[str]](list)
    for name in files:
        path = Path(name)
        words = [word for folder in path.parts[1:-1] for word in parts(folder)]
        words += [] if path.suffix == ".sql" else parts(path.stem)
        for word in sorted(set(words) - listed - UNLISTED):
            yield f"{name}: {word!r}: no headword of docs/architecture.md, and not in {ORDINARY.name}"
        if path.suffix == ".py" and not path.stem.startswith("__"):
            if package != "engine" or len(path.parts) == len(("engine", path.name)):
                same[path.name].append(name)
    for several in same.values():
        if len(several) > MAX_SAME_NAME:
            yield f"{len(several)} modules of {package}/ have one file name: {', '.join(several)}"


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rules = settings["tool"]["retourne"]["words"]
    forms = {form: word for word, others in rules["forms"].items() for form in (word, *others.split())}
    plain = "|".join(sorted(forms.keys() - set(rules["prose"].split())))
    whole = re.compile(rf"(?<![\w-])({plain})(?![\w-])", re.IGNORECASE)
    wrong, stays, listed = list[str](), set(rules["stays"]), headwords()
    for package in PACKAGES:
        files = files_of(package)
        if package in LISTED:
            wrong += misnamed(package, files, listed)
        places = defaultdict[str, list[str]](list)
        for name in files:
            for line, form in found(ROOT / name, set(forms), whole, stays):
                places[forms[form]].append(f"{name}:{line}")
        limits = rules.get(package, {})
        for word, at in sorted(places.items()):
            if len(at) > limits.get(word, 0):
                wrong.append(f"{package}: {word!r} {len(at)} times, {limits.get(word, 0)} allowed; {at[-1]}")
            if word in sys.argv[1:]:
                print(*at, sep="\n")
        if "--lower" in sys.argv:
            counts = Counter({word: len(at) for word, at in places.items()})
            print(f"{package} = {{ {', '.join(f'{word} = {n}' for word, n in sorted(counts.items()))} }}")
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
