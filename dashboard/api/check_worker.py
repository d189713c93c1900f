"""What is done for requests beside the pages, by processes that load no more than this needs."""

from io import BytesIO
from typing import NamedTuple

from dashboard.api.json_encoding import line
from engine.sampling import Chances, Unsampled
from ingest.api import reports
from ingest.i18n import translator
from ingest.reader.files import Batch, stream_batches
from ingest.validate.batch import explain_text
from ingest.validate.solver_report import sampled_card


class Allowed(NamedTuple):
    """What may come out of what was sent; less than nothing: there was more."""

    unpacked: int
    matches: int


class _Enough(Exception):
    """More came out of an archive than may."""


def cut(allowed: Allowed, file: Batch) -> tuple[list[Batch], Allowed]:
    """The matches of a file, which is the one text of a batch, and what may come after them.

    It is left at the first thing that is too much.
    """
    unpacked, matches = allowed

    def unpacking(more: int) -> None:
        nonlocal unpacked
        unpacked -= more
        if unpacked < 0:
            raise _Enough

    found = []
    [whole] = file.texts
    try:
        for batch in stream_batches(file.file, BytesIO(whole.text), unpacking=unpacking):
            found.append(batch)
            matches -= len(batch.texts) + len(batch.troubles)
            if matches < 0:
                break
    except _Enough:
        pass
    return found, Allowed(unpacked, matches)


def told(language: str, batch: Batch) -> tuple[int, list[bytes]]:
    """How much is wrong with the matches of a batch, and a line a match."""
    t = translator(language, "dashboard")
    every = reports(batch)
    return sum(len(one.findings) for one in every), [line(one.as_dict(t)) for one in every]


def sampled(deal: int, action: int, batch: Batch) -> Chances | Unsampled:
    """What a card of the one log of a batch was worth to who could not see all; from 0."""
    return sampled_card(explain_text(batch.texts[0]), "", 1, deal, action).sampled
