"""Updates the translation catalogues from the source: `python -m tests.catalogues`.

Each text says from which rooms it is; one that is no longer marked goes, a new one waits at the end
for its French.
"""

import ast
import io
import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from engine.games import game_names
from engine.options import game_options

ROOT = Path(__file__).parents[1]
PACKAGES = ("ingest", "dashboard")
MARKS = {"N_": slice(1), "t": slice(1), "Definition": slice(2), "Command": slice(1, 2)}
"""What is given texts to translate, and where: `N_("…")`, `self.t("…", n=1)`."""


def path(package: str) -> Path:
    return ROOT / package / "locale" / "fr.po"


def entries(package: str) -> Catalog:
    """What a catalogue has, its header apart."""
    with path(package).open("rb") as file:
        return read_po(file, locale="fr", abort_invalid=True)


def french(package: str) -> dict[str, str]:
    """Each text of a catalogue and its French."""
    return {str(one.id): str(one.string or "") for one in entries(package) if one.id}


def rooms(package: str) -> dict[str, list[str]]:
    """Each text a package gives to one of MARKS or has among its terms, and the rooms that do.

    The engine marks no text: what its options mean is in the catalogue of `ingest`.
    """
    found: dict[str, set[str]] = {}
    python, terms = ((ROOT / package).rglob(f"*.{kind}") for kind in ("py", "toml"))
    for read, files in (marked, python), (defined, terms):
        for file in sorted(files):
            within = file.relative_to(ROOT).parent.parts[:2]
            for text in read(file.read_text(encoding="utf-8")):
                found.setdefault(text, set()).add("/".join(within))
    for option in itertools.chain(*map(game_options, game_names() if package == "ingest" else ())):
        found.setdefault(option.doc, set()).add("ingest/games")
    return {text: sorted(of) for text, of in found.items()}


def defined(source: str) -> Iterator[str]:
    """Every text of a file of terms (`dashboard.text.definitions`)."""
    for one in tomllib.loads(source).values():
        for key in one.keys() & {"label", "text"}:
            yield one[key].replace("\n", " ")


def marked(source: str) -> Iterator[str]:
    """Every text that a module gives to one of MARKS."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            for text in node.args[MARKS.get(name, slice(0))]:
                if isinstance(text, ast.Constant):
                    yield str(text.value)


def written(package: str) -> str:
    """A catalogue as it should stand."""
    header = path(package).read_text(encoding="utf-8").partition("\n\n")[0]
    catalogue, of = entries(package), rooms(package)
    whole = Catalog(locale="fr")
    for text in [*(one.id for one in catalogue if one.id in of), *of]:
        known = catalogue.get(text)
        whole.add(text, known.string if known else "", auto_comments=[", ".join(of[str(text)])])
    for one in whole:
        one.flags.clear()  # every text fills its holes so
    out = io.BytesIO()
    write_po(out, whole, width=0, omit_header=True, no_location=True)
    return f"{header}\n\n{out.getvalue().decode()}"


if __name__ == "__main__":
    for package in PACKAGES:
        path(package).write_text(written(package), encoding="utf-8")
