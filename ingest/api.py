"""The Python API: check files, streams or a text, with suggested edits.

`ingest` has these names too, and loads this module when it is first asked for one.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOBase
from itertools import chain, islice

from engine.sampling import DEFAULT_SAMPLES
from ingest.findings.finding import Edit, Finding
from ingest.i18n import Translate, translator
from ingest.reader.files import Batch, MatchText, Progress
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, source_batches, sources_named
from ingest.validate.batch import CheckedBatch, checked_batches, validate_text
from ingest.validate.report import MatchReport, report_of_result
from ingest.validate.slow_path import ValidationResult
from ingest.validate.solver_report import SampledCard, SolvedDeal, sample_card, solved_deals

__all__ = ["Edit", "Finding", "MatchReport", "Source", "Translate"]
__all__ += ["chance", "check", "check_text", "solve", "translator", "with_fixes"]


def check(*sources: Source | str, progress: Progress = lambda count: None) -> Iterator[MatchReport]:
    """Check files, folders, streams or `s3://` addresses: one report a match, in order, as read.

    Nothing in a file raises; what cannot be read is a report with the status `unreadable`, and so
    is a file that is not there (code `cannot-read`). A stream is given with a name: `(name, file)`.
    TypeError: a source is neither, or its stream is not of bytes.
    """
    batches = checked_batches(
        source_batches(_as_sources(sources), progress)
    )  # refused here, not later
    return chain.from_iterable(with_fixes(checked).reports() for checked in batches)


def _as_sources(sources: Sequence[Source | str]) -> list[Source]:
    """The same as what is read. TypeError: a source is none, or its stream is not of bytes."""
    found: list[Source] = []
    for source in sources:
        stream: object = source[1] if isinstance(source, tuple) else BytesIO()
        if isinstance(stream, TextIOBase) or not hasattr(stream, "read"):
            raise TypeError(f"a stream has to be open and binary, not {type(stream).__name__}")
        found += [source] if isinstance(source, tuple | S3Object) else sources_named(source)
    return found


def check_text(text: str | bytes | bytearray | memoryview, name: str = "") -> MatchReport:
    """Check one match held in memory; its report goes by `name`, and counts lines from 1.

    Nothing in the text raises: what is no log has the status `unreadable`. TypeError: it is neither
    text nor bytes.
    """
    if isinstance(text, str):
        text = text.encode(errors="surrogatepass")
    data = bytes(memoryview(text))
    one = MatchText(1, data.removeprefix(b"\xef\xbb\xbf"))
    explained = validate_text(one)
    _add_fixes(explained)
    return report_of_result(name, one, explained)


def reports_of(batch: Batch) -> list[MatchReport]:
    """The same of a batch, for whoever has it checked elsewhere."""
    [checked] = checked_batches([batch])
    return with_fixes(checked).reports()


def with_fixes(batch: CheckedBatch) -> CheckedBatch:
    """The same batch, with the edit of each finding that one edit mends."""
    for explained in batch.results.values():
        _add_fixes(explained)
    return batch


def _add_fixes(explained: ValidationResult) -> None:
    """The edits of a log with findings; what searches them is loaded for such a log only."""
    if explained.findings:
        from ingest.autofix.search import fix_findings

        fix_findings(explained)


def solve(*sources: Source | str) -> Iterator[SolvedDeal]:
    """What play was worth in the deals of files, folders or open streams, in order.

    What is no match has no deal; `check` says why. TypeError: as of `check`.
    """
    for batch in source_batches(_as_sources(sources)):
        for text in batch.texts:
            yield from solved_deals(validate_text(text), batch.file, text.line)


def chance(
    source: Source | str,
    deal: int,
    action: int,
    match: int = 0,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """What a card was worth to who laid it, over deals that fit what that player could see.

    `deal`, `action` and `match` (which of the source's) count from 0. The same is said every time;
    another `seed` draws other deals. IndexError: the source has no such match, or that no such deal
    or action. TypeError: as of `check`.
    """
    read = source_batches(_as_sources([source]))
    texts = ((batch.file, text) for batch in read for text in batch.texts)
    found = next(islice(texts, match, None), None)
    explained = None if found is None else validate_text(found[1])
    if found is None or explained is None or explained.match is None:
        raise IndexError(f"no match number {match}")
    deals = explained.match.deals
    if not (0 <= deal < len(deals) and 0 <= action < len(deals[deal].actions)):
        raise IndexError(f"no action {action} of a deal {deal}")
    return sample_card(explained, found[0], found[1].line, deal, action, samples, seed)
