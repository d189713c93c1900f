"""Operations on an open store, for commands and for the API.

An operation is a function of a `OperationContext` and of what is asked, in words JSON has; it says
what came of it the same way. A command calls it with the store it has opened
(`ingest.cli.open_store`), and the HTTP API offers each at an address of its own
(`dashboard.api.commands`).
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

from ingest.i18n import N_, Translate
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.tokens import Role

NOT_YOU = N_("This token may not do that: it needs the role {role}.")
OperationResult = dict[str, Any]
Operation = Callable[..., OperationResult]
"""Called with a `OperationContext`, and by name with what is asked."""
ProgressCallback = Callable[[Mapping[str, Any]], None]


def ignore_progress(update: Mapping[str, Any]) -> None:
    """Nobody hears how far it is."""


@dataclass(frozen=True)
class OperationContext:
    """The store an operation is about, and who waits for it."""

    store: Store
    t: Translate
    report_progress: ProgressCallback = ignore_progress
    """Hears how far it is, as `done` of `total`, and what is found meanwhile."""
    while_replacing: Callable[[], AbstractContextManager[object]] = nullcontext
    """While this lasts another file may be put in the place of the store: others are kept out."""
    base_url: str | None = None
    """Where people find the pages, if the store is served."""
    join_cluster: Callable[[str], AbstractContextManager[Any]] | None = None
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
    def is_local(self) -> bool:
        """Whether it is asked by whoever may write the store's file, on the same computer."""
        return self.join_cluster is not None


class OperationRefused(StoreError):
    """It is not done, since what is asked for is not there or does not go; nothing was changed."""

    status = 422
    """As HTTP says it."""
    more: ClassVar[Mapping[str, Any]] = {}
    """What programs read beside the sentence."""


class NotFound(OperationRefused):
    """What is asked for is not there."""

    status = 404


class Forbidden(OperationRefused):
    """Whoever asks may not have it done."""

    status = 403


def url_name(operation: Operation) -> str:
    """What it is called in an address."""
    return operation.__name__.replace("_", "-")
