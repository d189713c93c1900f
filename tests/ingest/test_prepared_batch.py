"""Checked batches that wait until the store is free, or come from other processes."""

import pytest

from ingest.reader.files import Batch, MatchText
from ingest.store.prepared_batch import pack_batch, prepare_batch, unpack_batch
from tests.ingest.conftest import FAUTES
from tests.ingest.logs import texts


@pytest.mark.parametrize("where", ["event", "_notes", "deals"])
def test_a_text_of_any_depth_can_be_laid_aside(where: str) -> None:
    deep = b"[" * 900 + b"]" * 900
    legal, faulty = texts()[0], (FAUTES / "chouine" / "must-follow.json").read_bytes().strip()
    some = [one[:-1] + b', "' + where.encode() + b'": ' + deep + b"}" for one in (legal, faulty)]
    checked = prepare_batch(Batch("a.jsonl", [MatchText(line, one) for line, one in enumerate(some)], []))
    again = unpack_batch(pack_batch(checked))
    items = [one.findings for one in checked.reports()]
    assert [one.findings for one in again.reports()] == items
    assert again.ids == checked.ids
