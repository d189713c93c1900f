"""List all that ships with Retourne or is installed with it, as an SBOM and as a list by licence.

`python .ci/third_party.py` writes `.ci/retourne.cdx.json` (CycloneDX 1.6, ECMA-424), which the wheel
carries in its metadata (PEP 770), and `docs/licenses.md`. Both come from the metadata of the installed
packages, which constraints.txt pins, and have no time and no machine in them. `--check` compares.
"""

import argparse
import json
import re
import sys
import tomllib
import uuid
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SBOM = ROOT / ".ci/retourne.cdx.json"
TABLE = ROOT / "docs/licenses.md"
EXTRAS = ("cluster", "lake", "lsp")
"""The extras for users; the others are for developers."""

SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "ISC License": "ISC",
    "MIT": "MIT",
    "MIT License": "MIT",
    "MPL-2.0": "MPL-2.0",
    "SIL OFL 1.1": "OFL-1.1",
}
"""Licences as packages without an SPDX expression name them; each BSD one was read: three clauses."""
READ = {"resvg-py": "MIT"}
"""Packages whose metadata name no licence: by the licence file in them."""

CARDS = "Playing cards by Adrian Kennard"


def project() -> dict[str, Any]:
    """Return the project's own metadata, as pyproject.toml has it."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


class Component(NamedTuple):
    """Software or data that comes with Retourne."""

    name: str
    version: str
    licence: str
    purl: str
    needs: tuple[str, ...] = ()
    """The names of what it requires itself."""
    extras: tuple[str, ...] = ()
    """The extras it is installed with; none: always."""
    files: str = ""
    """Where it lies in the wheel; none: it is installed beside it."""


def installed(extras: tuple[str, ...] = ()) -> dict[str, set[str]]:
    """Return the packages that `retourne[extras]` installs, with the extras of each."""
    found = dict[str, set[str]]()
    waiting = [("retourne", frozenset(extras))]
    while waiting:
        name, asked = waiting.pop()
        if name in found and asked <= found[name]:
            continue
        found.setdefault(name, set()).update(asked)
        for requirement in required(name, found[name]):
            waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def required(name: str, extras: set[str]) -> list[Requirement]:
    """Return what a package with these extras requires on this system."""
    every = map(Requirement, distribution(name).requires or ())
    choices = [{"extra": one} for one in ("", *extras)]
    return [one for one in every if one.marker is None or any(map(one.marker.evaluate, choices))]


def licence_of(name: str) -> str:
    """Return a package's licence as an SPDX expression. KeyError: it is to be read, and added here."""
    metadata = distribution(name).metadata
    if name in READ:
        return READ[name]
    if expression := metadata.get("License-Expression"):
        return str(expression)
    if (text := (metadata.get("License") or "").strip()) in SPDX:
        return SPDX[text]
    classifiers = (one for one in metadata.get_all("Classifier") or () if one.startswith("License ::"))
    return next(SPDX[one.split(" :: ")[-1]] for one in classifiers if one.split(" :: ")[-1] in SPDX)


def components() -> list[Component]:
    """Return all components by name: files in the wheel first, then packages."""
    everything = installed(EXTRAS)
    with_extra = {one: installed((one,)) for one in EXTRAS}
    always = installed()
    found = [*in_the_wheel()]
    for name in sorted(everything.keys() - {"retourne"}):
        version = distribution(name).version
        needs = {canonicalize_name(one.name) for one in required(name, everything[name])}
        extras = () if name in always else tuple(one for one in EXTRAS if name in with_extra[one])
        purl = f"pkg:pypi/{name}@{version}"
        found.append(Component(name, version, licence_of(name), purl, tuple(sorted(needs)), extras))
    return found


def in_the_wheel() -> list[Component]:
    """Return what was made by others and lies in the wheel."""
    (script,) = (ROOT / "dashboard/static/plotly").glob("plotly-*.js")
    version = re.search(r"plotly\.js \([^)]*\) v(\S+)", script.read_text(encoding="utf-8")[:300])
    readme = (ROOT / "dashboard/static/cards/LICENSE.md").read_text(encoding="utf-8")
    package = re.search(r"npm package `(\S+)` (\d[\d.]*)", readme.replace("\n", " "))
    if version is None or package is None:
        raise SystemExit("The versions of plotly.js and of the cards are not where they were.")
    cards, release = package.groups()
    return [
        Component(
            CARDS,
            release,
            "CC0-1.0",
            f"pkg:npm/{cards.replace('@', '%40')}@{release}",
            files="dashboard/static/cards",
        ),
        Component(
            "plotly.js", version[1], "MIT", f"pkg:npm/plotly.js@{version[1]}", files="dashboard/static/plotly"
        ),
    ]


def sbom(every: list[Component], about: dict[str, Any]) -> str:
    """Return the CycloneDX document."""
    refs = {one.name: one.purl for one in every}
    own = f"pkg:pypi/{about['name']}@{about['version']}"
    direct = {canonicalize_name(one.name) for one in required("retourne", set(EXTRAS))} & refs.keys()
    shipped = [one.purl for one in every if one.files]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, " ".join([own, *refs.values()]))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": about["name"],
                "version": about["version"],
                "purl": own,
                "licenses": [{"expression": about["license"]}],
            }
        },
        "components": [_component(one) for one in every],
        "dependencies": [
            {"ref": own, "dependsOn": sorted([*shipped, *(refs[one] for one in direct)])},
            *({"ref": one.purl, "dependsOn": sorted(refs[need] for need in one.needs)} for one in every),
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _component(one: Component) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "data" if one.name == CARDS else "library",
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "scope": "optional" if one.extras else "required",
        "licenses": [{"expression": one.licence}],
        "purl": one.purl,
    }
    if one.files:
        found["evidence"] = {"occurrences": [{"location": one.files}]}
    return found


def table(every: list[Component], about: dict[str, Any]) -> str:
    """Return the document with the licences."""
    by_licence = dict[str, list[str]]()
    for one in sorted(every, key=lambda one: not one.files):
        where = (
            f"`{one.files}` in the wheel" if one.files else ", ".join(f"`[{name}]`" for name in one.extras)
        )
        entry = f"`{one.name}`{f' ({where})' if where else ''}"
        by_licence.setdefault(one.licence, []).append(entry)
    return "\n".join(
        [
            "# Licences",
            "",
            "For people who ship or install Retourne, which is under the",
            f"{about['license']} licence. `pip` installs the other packages beside it, in the versions of",
            "`constraints.txt`; the extra that brings one is in brackets. The wheel has this list, for",
            "Python 3.11 on Linux, with the versions as an SBOM (CycloneDX); `python .ci/third_party.py`",
            "writes both.",
            "",
            *(f"- `{licence}`: {', '.join(by_licence[licence])}" for licence in sorted(by_licence)),
            "",
        ]
    )


def main() -> int:
    """Write both files, or with `--check` name those that differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    check = parser.parse_args().check
    if check and sys.version_info[:2] != (3, 11):
        print("third_party.py: the list is that of Python 3.11; nothing was compared.")
        return 0
    every = components()
    differs = False
    for path, text in ((SBOM, sbom(every, project())), (TABLE, table(every, project()))):
        if check and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            print(f"{path.relative_to(ROOT)} differs: write it by `python .ci/third_party.py`")
            differs = True
        elif not check:
            path.write_text(text, encoding="utf-8")
    return differs


if __name__ == "__main__":
    sys.exit(main())
