"""MkDocs hooks of `mkdocs.yml`: add the documents that lie above this folder to the site.

A link out of this folder leads to a page or a copy of the file in the site.
"""

import csv
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "conformance/README.md": "conformance.md",
    **{name: name for name in ("README.fr.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")},
    "docs/asvs.csv": "asvs.md",
}
"""Documents outside this folder, and the table that is shown as a page, with their places in the site."""
LINK = re.compile(r"(\]\(|src=\"|href=\")(?!https?:|mailto:|#)([^)\s\"#]+)")

FILE_BLOCK = re.compile(r"^(```\w+) (\S+)$", re.MULTILINE)
"""A block of code that names its file, which the site shows as the block's title."""

BREAKS = re.compile("[/_]|::")
"""Where the name of a test may go on in the next line."""


def on_files(files: Any, config: Any) -> Any:
    """Add the documents of the root, and the files that documents link to."""
    from mkdocs.structure.files import File

    sources = {f"docs/{one.src_uri}": one.content_string for one in files.documentation_pages()}
    sources |= {name: _page_text(ROOT / name) for name in PAGES}
    for name, place in PAGES.items():
        files.append(File.generated(config, place, content=sources[name]))
    linked = {
        path
        for name, text in sources.items()
        for _, link in LINK.findall(text)
        if (path := _resolved(name, link))
    }
    for path in sorted(linked):
        if not path.startswith("docs/") and path not in PAGES and (ROOT / path).is_file():
            files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page that lead out of this folder."""
    names = {place: name for name, place in PAGES.items()}
    source = names.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    markdown = FILE_BLOCK.sub(r'\1 title="\2"', markdown)
    return LINK.sub(lambda one: one[1] + (_place(_resolved(source, one[2])) or one[2]), markdown)


def _page_text(path: Path) -> str:
    """The text of a page; the table of OWASP ASVS as one of Markdown, its tests last."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".csv":
        return text
    rows = [
        (row["number"], row["level"], row["state"], row["reason"], BREAKS.sub(r"\g<0><wbr>", row["evidence"]))
        for row in csv.DictReader(text.splitlines())
    ]
    heading = ("number", "level", "state", "why", "test")
    lines = [" | ".join(row).join(("| ", " |")) for row in (heading, ("---",) * len(heading), *rows)]
    return "\n".join(("# OWASP ASVS 5.0.0", "", *lines, ""))


def _resolved(source: str, link: str) -> str:
    """The path in the repository that a link of a document leads to."""
    parts: list[str] = []
    for part in (PurePosixPath(source).parent / link).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def _place(path: str) -> str:
    """The path in the site of a file of the repository; all pages are in one folder."""
    return PAGES.get(path) or path.removeprefix("docs/")
