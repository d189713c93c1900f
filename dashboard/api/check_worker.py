"""Checks logs and solves deals for requests in worker processes."""

from io import BytesIO
from typing import NamedTuple

from dashboard.api.json_encoding import json_line
from engine.sampling import NotSampled, SampledCards
from ingest.api import reports_of
from ingest.i18n import translator
from ingest.reader.files import Batch, stream_batches
from ingest.validate.batch import validate_text
from ingest.validate.solver_report import sample_card


class UnpackLimits(NamedTuple):
    """Bytes that an upload may still unpack to; a negative number: it unpacked to more."""

    max_bytes: int
    max_matches: int


class _LimitExceeded(Exception):
    """An archive unpacks to more than its limit."""


def split_file(limits: UnpackLimits, file: Batch) -> tuple[list[Batch], UnpackLimits]:
    """Split a file, the only text of a batch, into matches; also return the remaining limits.

    Splitting stops where a limit is exceeded.
    """
    unpacked, matches = limits

    def unpacking(more: int) -> None:
        nonlocal unpacked
        unpacked -= more
        if unpacked < 0:
            raise _LimitExceeded

    found = []
    [whole] = file.texts
    try:
        for batch in stream_batches(file.file, BytesIO(whole.text), unpacking=unpacking):
            found.append(batch)
            matches -= len(batch.texts) + len(batch.troubles)
            if matches < 0:
                break
    except _LimitExceeded:
        pass
    return found, UnpackLimits(unpacked, matches)


def check_lines(language: str, batch: Batch) -> tuple[int, list[bytes]]:
    """Count the findings of a batch's matches; also return one JSON line per match."""
    t = translator(language, "dashboard")
    every = reports_of(batch)
    return sum(len(one.findings) for one in every), [json_line(one.as_dict(t)) for one in every]


def sample_card_of(deal: int, action: int, batch: Batch) -> SampledCards | NotSampled:
    """Sample what the card of an action (from 0) was worth to its player, in a batch of one log."""
    return sample_card(validate_text(batch.texts[0]), "", 1, deal, action).sampled
