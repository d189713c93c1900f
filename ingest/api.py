"""The public face: check files, streams or one text, with the edits that would mend them.

`ingest` has these names too, and loads this module when it is first asked for one.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOBase
from itertools import chain, islice

from engine.sampling import SAMPLES
from ingest.findings.finding import Edit, Finding
from ingest.i18n import Translate, translator
from ingest.reader.files import Batch, Progress, Text
from ingest.reader.object_storage import S3Object
from ingest.reader.sources import Source, named, source_batches
from ingest.validate.batch import Checked, checked_batches, explain_text
from ingest.validate.report import MatchReport, explained_report
from ingest.validate.slow_path import Explained
from ingest.validate.solver_report import SampledCard, SolvedDeal, sampled_card, solved_deals

__all__ = ["Edit", "Finding", "MatchReport", "Source", "Translate"]
__all__ += ["chance", "check", "check_text", "mended", "solve", "translator"]


def check(*sources: Source | str, progress: Progress = lambda count: None) -> Iterator[MatchReport]:
    """Check files, folders, streams or `s3://` addresses: one report a match, in order, as read.

    Nothing in a file raises; what cannot be read is a report with the status `unreadable`, and so
    is a file that is not there (code `cannot-read`). A stream is given with a name: `(name, file)`.
    TypeError: a source is neither, or its stream is not of bytes.
    """
    batches = checked_batches(source_batches(_read(sources), progress))  # refused here, not later
    return chain.from_iterable(mended(checked).reports() for checked in batches)


def _read(sources: Sequence[Source | str]) -> list[Source]:
    """The same as what is read. TypeError: a source is none, or its stream is not of bytes."""
    found: list[Source] = []
    for source in sources:
        stream: object = source[1] if isinstance(source, tuple) else BytesIO()
        if isinstance(stream, TextIOBase) or not hasattr(stream, "read"):
            raise TypeError(f"a stream has to be open and binary, not {type(stream).__name__}")
        found += [source] if isinstance(source, tuple | S3Object) else named(source)
    return found


def check_text(text: str | bytes | bytearray | memoryview, name: str = "") -> MatchReport:
    """Check one match held in memory; its report goes by `name`, and counts lines from 1.

    Nothing in the text raises: what is no log has the status `unreadable`. TypeError: it is neither
    text nor bytes.
    """
    if isinstance(text, str):
        text = text.encode(errors="surrogatepass")
    data = bytes(memoryview(text))
    one = Text(1, data.removeprefix(b"\xef\xbb\xbf"))
    explained = explain_text(one)
    _mend(explained)
    return explained_report(name, one, explained)


def reports(batch: Batch) -> list[MatchReport]:
    """The same of a batch, for whoever has it checked elsewhere."""
    [checked] = checked_batches([batch])
    return mended(checked).reports()


def mended(checked: Checked) -> Checked:
    """The same batch, with the edit of each finding that one edit mends."""
    for explained in checked.explained.values():
        _mend(explained)
    return checked


def _mend(explained: Explained) -> None:
    """The edits of a log with findings; what searches them is loaded for such a log only."""
    if explained.findings:
        from ingest.autofix.search import mend

        mend(explained)


def solve(*sources: Source | str) -> Iterator[SolvedDeal]:
    """What play was worth in the deals of files, folders or open streams, in order.

    What is no match has no deal; `check` says why. TypeError: as of `check`.
    """
    for batch in source_batches(_read(sources)):
        for text in batch.texts:
            yield from solved_deals(explain_text(text), batch.file, text.line)


def chance(
    source: Source | str,
    deal: int,
    action: int,
    match: int = 0,
    samples: int = SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """What a card was worth to who laid it, over deals that fit what that player could see.

    `deal`, `action` and `match` (which of the source's) count from 0. The same is said every time;
    another `seed` draws other deals. IndexError: the source has no such match, or that no such deal
    or action. TypeError: as of `check`.
    """
    read = source_batches(_read([source]))
    texts = ((batch.file, text) for batch in read for text in batch.texts)
    found = next(islice(texts, match, None), None)
    explained = None if found is None else explain_text(found[1])
    if found is None or explained is None or explained.match is None:
        raise IndexError(f"no match number {match}")
    deals = explained.match.deals
    if not (0 <= deal < len(deals) and 0 <= action < len(deals[deal].actions)):
        raise IndexError(f"no action {action} of a deal {deal}")
    return sampled_card(explained, found[0], found[1].line, deal, action, samples, seed)
