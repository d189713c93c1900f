"""What is done to a store that is open, for a command as for a program far away.

An operation is a function of a `Work` and of what is asked, in words JSON has; it says what came of
it the same way. A command calls it with the store it has opened (`ingest.cli.open_store`), and the
HTTP API offers each at an address of its own (`dashboard.api.commands`).
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

from ingest.i18n import N_, Translate
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.tokens import Role

NOT_YOU = N_("This token may not do that: it needs the role of a {role}.")
Told = dict[str, Any]
Operation = Callable[..., Told]
"""Called with a `Work`, and by name with what is asked."""
Tell = Callable[[Mapping[str, Any]], None]


def unheard(told: Mapping[str, Any]) -> None:
    """Nobody hears how far it is."""


@dataclass(frozen=True)
class Work:
    """The store an operation is about, and who waits for it."""

    store: Store
    t: Translate
    tell: Tell = unheard
    """Hears how far it is, as `done` of `total`, and what is found meanwhile."""
    replacing: Callable[[], AbstractContextManager[object]] = nullcontext
    """While this lasts another file may be put in the place of the store: others are kept out."""
    address: str | None = None
    """Where people find the pages, if the store is served."""
    cluster: Callable[[str], AbstractContextManager[Any]] | None = None
    """Joins the cluster of an address (`ingest.distributed.cluster`); None: whoever asks may
    not.
    """

    may: Callable[[Role], bool] = lambda role: True
    """Whether whoever asks may do what a role may."""
    token_no: int | None = None
    """The token they show, if any."""

    def check_theirs(self, theirs: bool) -> None:
        """Forbidden: what a contributor would undo is somebody else's."""
        if not theirs and not self.may(Role.ADMIN):
            raise Forbidden(NOT_YOU, role=str(Role.ADMIN))

    @property
    def here(self) -> bool:
        """Whether it is asked by whoever may write the store's file, on the same computer."""
        return self.cluster is not None


class Refused(StoreError):
    """It is not done, since what is asked for is not there or does not go; nothing was changed."""

    status = 422
    """As HTTP says it."""
    more: ClassVar[Mapping[str, Any]] = {}
    """What programs read beside the sentence."""


class Missing(Refused):
    """What is asked for is not there."""

    status = 404


class Forbidden(Refused):
    """Whoever asks may not have it done."""

    status = 403


def name_of(operation: Operation) -> str:
    """What it is called in an address."""
    return operation.__name__.replace("_", "-")
