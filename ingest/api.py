"""The Python API: check files, streams or a text, with suggested edits.

`ingest` exports these names too and loads this module when one of them is first used.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOBase
from itertools import chain, islice

from engine.sampling import DEFAULT_SAMPLES
from ingest.findings.finding import Edit, Finding
from ingest.i18n import Translate, translator
from ingest.reader.archives import Progress
from ingest.reader.files import Batch, MatchText
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, source_batches, sources_named
from ingest.validate.batch import CheckedBatch, checked_batches, validate_text
from ingest.validate.report import MatchReport, report_of_result
from ingest.validate.slow_path import ValidationResult
from ingest.validate.solver_report import SampledCard, SolvedDeal, sample_card, solved_deals

__all__ = ["Edit", "Finding", "MatchReport", "Source", "Translate"]
__all__ += ["check", "check_text", "sample", "solve", "translator", "with_edits"]


def check(*sources: Source | str, progress: Progress = lambda count: None) -> Iterator[MatchReport]:
    """Check files, folders, streams or `s3://` addresses; yield one report per match, in order.

    No file content raises: unreadable content yields a report with the status `unreadable`, as does
    a missing file (code `cannot-read`). Pass a stream with a name: `(name, file)`.
    TypeError: a source is of another type, or its stream is not binary.
    """
    batches = checked_batches(
        source_batches(_as_sources(sources), progress)
    )  # outside the generator, so that TypeError is raised at the call
    return chain.from_iterable(with_edits(checked).reports() for checked in batches)


def _as_sources(sources: Sequence[Source | str]) -> list[Source]:
    """Resolve names to sources. TypeError: not a source, or its stream is not binary."""
    found: list[Source] = []
    for source in sources:
        stream: object = source[1] if isinstance(source, tuple) else BytesIO()
        if isinstance(stream, TextIOBase) or not hasattr(stream, "read"):
            raise TypeError(f"a stream has to be open and binary, not {type(stream).__name__}")
        found += [source] if isinstance(source, tuple | S3Object) else sources_named(source)
    return found


def check_text(text: str | bytes | bytearray | memoryview, name: str = "") -> MatchReport:
    """Check one match held in memory; the report has `name` as its file and counts lines from 1.

    No content raises: text that is not a log gets the status `unreadable`. TypeError: `text` is
    neither text nor bytes.
    """
    if isinstance(text, str):
        text = text.encode(errors="surrogatepass")
    data = bytes(memoryview(text))
    one = MatchText(1, data.removeprefix(b"\xef\xbb\xbf"))
    explained = validate_text(one)
    _add_edits(explained)
    return report_of_result(name, one, explained)


def reports_of(batch: Batch) -> list[MatchReport]:
    """Check one batch and return a report per match, with suggested edits."""
    [checked] = checked_batches([batch])
    return with_edits(checked).reports()


def with_edits(batch: CheckedBatch) -> CheckedBatch:
    """Add to each finding of a batch the single edit that fixes it, if any; return the batch."""
    for explained in batch.results.values():
        _add_edits(explained)
    return batch


def _add_edits(explained: ValidationResult) -> None:
    """Add edits to a log's findings; the search is imported only if there are findings."""
    if explained.findings:
        from ingest.autofix.search import find_edits

        find_edits(explained)


def solve(*sources: Source | str) -> Iterator[SolvedDeal]:
    """Solve the deals of files, folders or open streams, in order: the value of each play.

    Text that is not a match yields no deal; `check` reports why. TypeError: as for `check`.
    """
    for batch in source_batches(_as_sources(sources)):
        for text in batch.texts:
            yield from solved_deals(validate_text(text), batch.file, text.line)


def sample(
    source: Source | str,
    deal_index: int,
    action_index: int,
    match: int = 0,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """Estimate what a card was worth to its player, over deals consistent with their view.

    `match` is its index in the source, from 0. Results are deterministic; another `seed` samples
    other deals. IndexError: unknown match, deal or action. TypeError: as for `check`.
    """
    read = source_batches(_as_sources([source]))
    texts = ((batch.file, text) for batch in read for text in batch.texts)
    found = next(islice(texts, match, None), None)
    explained = None if found is None else validate_text(found[1])
    if found is None or explained is None or explained.match is None:
        raise IndexError(f"no match number {match}")
    deals = explained.match.deals
    if not (0 <= deal_index < len(deals) and 0 <= action_index < len(deals[deal_index].actions)):
        raise IndexError(f"no action {action_index} of a deal {deal_index}")
    return sample_card(explained, found[0], found[1].line, deal_index, action_index, samples, seed)
