"""`retourne demo`: a store of simulated seasons and the samples that ship, then the dashboard."""

import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.text import Text

from ingest.cli.serve import DEFAULT_PORT, NoBrowser, Port, run_dashboard
from ingest.cli.terminal import Lang, console, leave, progress
from ingest.i18n import N_, Translate
from ingest.judge.batch import Source
from ingest.store.add import ingest as store_files
from ingest.store.store import Store
from ingest.text.signs import plain
from schemas.simulated import season

EXAMPLES = (
    "retourne demo",
    "retourne demo --matches 300 --store essai.duckdb --no-browser",
)

STORE = Path("retourne-demo.duckdb")
SEED = 2026


class Season(NamedTuple):
    """One table of the club: `share` of all the matches are played there."""

    game: str
    rules: str
    players: int
    share: float


SEASONS = (
    Season("chouine", "lavardin", 2, 0.60),
    Season("chouine", "lavardin", 3, 0.08),
    Season("chouine", "lavardin", 4, 0.06),
    Season("chouine", "mondoubleau", 2, 0.10),
    Season("coinche", "tournoi-2018", 4, 0.10),
    Season("chouineurs", "blam", 4, 0.06),
)


def demo(
    ctx: typer.Context,
    store: Annotated[
        Path, typer.Option("--store", metavar="PATH", help=N_("The file of the sample store."))
    ] = STORE,
    matches: Annotated[
        int, typer.Option("--matches", min=1, metavar="N", help=N_("Matches to simulate."))
    ] = 3000,
    port: Port = DEFAULT_PORT,
    no_browser: NoBrowser = False,
    lang: Lang = None,
) -> None:
    """Make the sample store if it is not there, and serve it."""
    t: Translate = ctx.obj
    if not store.exists():
        made = make(t, store, matches)
        said = t("Made {path}. Matches: {n}", path=str(store), n=made)
        console(stderr=True).print(Text(plain(said)))
    leave(run_dashboard(t, store, port, no_browser))


def make(t: Translate, path: Path, matches: int) -> int:
    """Build the sample store, whole or not at all; how many matches it holds."""
    part = path.with_name(path.name + ".part")
    leftovers = (part, part.with_name(part.name + ".wal"))
    for leftover in leftovers:
        leftover.unlink(missing_ok=True)
    try:
        with Store(part) as store, progress(t, N_("Making the sample store"), matches) as advance:
            made = 0
            for report in store_files(store, sources(matches)):
                made += report.added
                advance(min(made, matches))
        os.replace(part, path)
        return made
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


def sources(matches: int) -> Iterator[Source]:
    """What goes into the sample store, file by file."""
    for number, table in enumerate(SEASONS):
        share = max(1, round(matches * table.share))
        # another seed each: the same decks again would look like an unfair shuffle, rightly
        played = season(table.game, share, SEED + number, table.rules, table.players)
        lines = "".join(json.dumps(document) + "\n" for document in played)
        name = f"saison-{table.game}-{table.rules}-{table.players}.jsonl"
        yield name, io.BytesIO(lines.encode())
    samples = files("data")
    yield "exemples.zip", _zip([samples])
    faults = samples.joinpath("fautes").iterdir()
    yield "fautes.zip", _zip(sorted(faults, key=lambda folder: folder.name))


def _zip(folders: Iterable[Traversable]) -> io.BytesIO:
    """The logs of some folders that ship, packed as a club would send them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in folders:
            for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
                if entry.name.endswith(".json") and not entry.name.endswith(".expected.json"):
                    archive.writestr(f"{folder.name}/{entry.name}", entry.read_bytes())
    packed.seek(0)
    return packed
