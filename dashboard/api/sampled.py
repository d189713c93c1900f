"""What cards were worth to who could not see all: reckoned once, beside whoever reads pages."""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from dashboard.store import Newest, steady
from engine.sampled import Chances, Unsampled
from ingest.i18n import Translate
from ingest.judge.batch import explain_text
from ingest.judge.explain import Explained
from ingest.judge.solved import SampledCard, sampled_card
from ingest.store import apart
from ingest.text.files import Batch, Text

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 4096
"""Cards of which it is known."""
AT_ONCE = CapacityLimiter(2)
"""So many are reckoned at a time; who asks for more waits."""
KEYS = ("action", "seat", "played", "deals", "cards", "unsampled")

_known: Newest[Chances | Unsampled] = Newest(KEPT)


def in_turn(do: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """An operation that samples, some at a time."""

    @wraps(do)
    async def done(*args: P.args, **named: P.kwargs) -> T:
        return await to_thread.run_sync(lambda: steady(lambda: do(*args, **named)), limiter=AT_ONCE)

    return done


def told(log: Explained, text: bytes, deal: int, action: int, t: Translate) -> dict[str, Any]:
    """What is answered of an action of a match, its log as `text`; both count from 0."""
    assert log.table is not None
    key = blake2b(text, digest_size=16).digest(), deal, action
    found = _known.get(
        key, lambda: apart.done(partial(_sampled, deal, action), Batch("", [Text(1, text)], []))
    )
    said = SampledCard("", 1, None, deal, action, found, log.table.game).as_dict(t)
    return {name: said[name] for name in KEYS} | {"action": action + 1}


def _sampled(deal: int, action: int, batch: Batch) -> Chances | Unsampled:
    """Done in a process of its own, where there is one."""
    return sampled_card(explain_text(batch.texts[0]), "", 1, deal, action).sampled
