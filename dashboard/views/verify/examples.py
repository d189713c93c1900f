"""Logs to try: a match of the samples as a tired scribe might have written it, and small faults."""

from importlib.resources import files

from dashboard.games import of
from engine.games import names
from ingest.finding.finding import Edit
from ingest.mend.patch import patched

SAMPLE = "match-lavardin.json"
SLIPS = (
    Edit("replace", "/deals/1/points", [121, 38]),
    Edit("replace", "/deals/7/actions/7", "1 Tc"),  # written too early, for
    Edit("replace", "/deals/7/actions/26", "1 7h"),  # the card that was played
    Edit("replace", "/deals/12/actions/32", "2 9s"),
    Edit("replace", "/deals/12/actions/34", "2 8d"),
)
NO_GAME = "document/schema"
"""A log of `data/fautes` whose fault is of no game."""


def small_logs() -> tuple[str, ...]:
    """Logs of `data/fautes` with one fault each: those of the games, then one of the document."""
    return (*(one for name in names() for one in of(name).EXAMPLES), NO_GAME)


def example(number: int) -> bytes:
    """An example, another one for each number; they come round again."""
    small = small_logs()
    number %= len(small) + 1
    if number:
        return files("data").joinpath("fautes", f"{small[number - 1]}.json").read_bytes()
    text = files("data").joinpath(SAMPLE).read_bytes()
    for slip in SLIPS:
        text = patched(text, slip)
    return text
