"""Documents through both sides: words of all games, wild values, hidden cards, broken JSON."""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random
from traceback import format_exc

import orjson

from ingest.autofix.search import find_edits
from ingest.findings.edit_texts import describe_candidates, describe_edit
from ingest.findings.finding import STATUSES
from ingest.i18n import translator
from ingest.reader.files import MatchText
from ingest.store.revalidate import with_all_decoded
from ingest.validate.batch import CheckedBatch, play_ids, run_fast_path
from ingest.validate.slow_path import ValidationResult, validate
from tests.fuzz import Fallen
from tests.ingest.mutate import MUTATIONS, Log, hide_cards, legal, wild_value, wrong_type
from tests.ingest.rows import rows_of

AT_ONCE = 250
"""Documents of a round."""
SPOILING = [*MUTATIONS.values()] * 8 + [wild_value] * 32 + [wrong_type] * 8 + [hide_cards] * 2
"""Each as often as it is there: a deal with unknown cards takes as long as thirty others."""
LANGUAGES = [translator(language) for language in ("fr", "en")]


def one_round(seed: int, fixing: bool = False) -> Counter[str]:
    """Spoil documents from a seed and hold both sides to each other; statuses, counted. Fallen."""
    rng = Random(seed)
    texts = [spoilt(rng) for _ in range(AT_ONCE)]
    try:
        found = alike(texts, fixing)
    except Exception:
        for number, text in enumerate(texts):
            try:
                alike([text], fixing)
            except Exception:
                raise Fallen(seed, "documents", number, format_exc(), text) from None
        raise Fallen(seed, "documents", -1, format_exc(), b"") from None
    return Counter(one.status for one in found)


@cache
def _begun() -> list[bytes]:
    """Legal logs of one to three deals; those cut off declare no result."""
    begun = []
    for log in legal():
        for count in range(1, len(log["deals"]) + 1):
            part = log | {"deals": log["deals"][:count]}
            if count < len(log["deals"]):
                part.pop("result", None)
            begun += [orjson.dumps(part)] * (3 if count == 1 else 1)
    return begun


def spoilt(rng: Random) -> bytes:
    """A document that was a legal log."""
    log: Log = orjson.loads(rng.choice(_begun()))
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 4])):
        # one that cannot cope with what others left: half spoilt is as good
        with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
            rng.choice(SPOILING)(log, rng)
    text = json.dumps(log, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
    data = text.encode(errors="surrogatepass")
    return bytes_changed(data, rng) if rng.random() < 0.05 else data


def bytes_changed(data: bytes, rng: Random) -> bytes:
    """A few bytes changed, cut out, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, size = rng.randrange(len(changed) + 1), rng.choice([1, 1, 4, 50])
        kind = rng.randrange(5)
        if kind == 0:
            del changed[at : at + size]
        elif kind == 1:
            changed[at:at] = changed[at : at + size]
        elif kind == 2:
            changed[at:at] = rng.choice([b"\0", b"\xff", b'"', b"{", b"]", b",", b"\n", b"\\u"])
        elif kind == 3 and rng.random() < 0.2:
            del changed[at:]
        else:
            changed[at : at + 1] = bytes([rng.choice([0, 255, rng.randrange(256)])])
    return bytes(changed)


def alike(texts: list[bytes], fixing: bool) -> list[ValidationResult]:
    """The explanation of each text, where both sides agree. AssertionError: where they do not."""
    batch = [MatchText(1, text) for text in texts]
    content_ids, groups = run_fast_path(batch)
    found = [validate(text) for text in texts]
    assert content_ids == [one.content_id for one in found]
    ids, starts = play_ids(content_ids, [], dict(enumerate(found)))
    for group in groups:
        # a result alone always has a finding, so that its ids are those of the explanation
        some = [place for place in group.places[group.decoded.valid] if found[place].replays]
        now = play_ids(content_ids, [group], {})
        assert [(now[0][place], now[1][place]) for place in some] == [
            (found[place].match_id, found[place].start_id) for place in some
        ]
        separate = with_all_decoded(group)
        assert separate.status is not None
        for keep, wordings in ((group.valid_indices, None), (separate.valid_indices, separate.status)):
            for place in keep.tolist():
                one = found[group.places[place]]
                expected = "legal" if wordings is None else STATUSES[wordings[place]]
                assert one.status == expected, (one.status, expected, one.findings)
                assert wordings is not None or not one.findings, one.findings
        vouched = {int(place): found[group.places[place]] for place in group.valid_indices}
        places = group.places[group.valid_indices]
        only = CheckedBatch("", batch, ids, [group], {}, [], content_ids, starts)
        other = replace(only, fast_path_groups=[], results={int(p): found[p] for p in places})
        assert rows_of(only) == rows_of(other), vouched
    for number, one in enumerate(found):
        if fixing:
            find_edits(one)
        t = LANGUAGES[number % 2]
        for finding in one.findings:
            assert finding.message(t)
            finding.place(t)
            if finding.edit is not None:
                assert describe_edit(t, finding)
            assert len(describe_candidates(t, finding)) == len(finding.candidates)
    return found
