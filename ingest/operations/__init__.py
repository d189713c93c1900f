"""Operations on an open store, for commands and for the API.

An operation is a function that takes an `OperationContext` and arguments that JSON can express, and
returns a JSON object. A command calls it with the store that it opened (`ingest.cli.open_store`);
the HTTP API serves each operation at an address of its own (`dashboard.api.commands`).
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
"""Called with an `OperationContext`, then the request's fields as keyword arguments."""
ProgressCallback = Callable[[Mapping[str, Any]], None]


def ignore_progress(update: Mapping[str, Any]) -> None:
    """Discard progress updates."""


@dataclass(frozen=True)
class OperationContext:
    """The store that an operation works on, and the caller's rights and callbacks."""

    store: Store
    t: Translate
    report_progress: ProgressCallback = ignore_progress
    """Receives progress, as `done` of `total`, and results as they are found."""
    while_replacing: Callable[[], AbstractContextManager[object]] = nullcontext
    """Locks out other users of the store while an operation may replace its file."""
    base_url: str | None = None
    """URL of the dashboard, if the store is served."""
    join_cluster: Callable[[str], AbstractContextManager[Any]] | None = None
    """Connects to the cluster at an address (`ingest.distributed.cluster`); None: not allowed."""

    may: Callable[[Role], bool] = lambda role: True
    """Return whether the caller has the rights of a role."""
    token_no: int | None = None
    """Number of the caller's token, if any."""

    def require_owner_or_admin(self, is_owner: bool) -> None:
        """Raise Forbidden unless the matches are the caller's own or the caller is an admin."""
        if not is_owner and not self.may(Role.ADMIN):
            raise Forbidden(NOT_YOU, role=str(Role.ADMIN))

    @property
    def is_local(self) -> bool:
        """Whether the caller is a command on this computer that may write the store's file."""
        return self.join_cluster is not None


class OperationRefused(StoreError):
    """Base of errors for requests that cannot be carried out; the store is unchanged."""

    status = 422
    """HTTP status code."""
    more: ClassVar[Mapping[str, Any]] = {}
    """Fields that the error response contains for programs, next to the sentence."""


class NotFound(OperationRefused):
    """The requested object does not exist."""

    status = 404


class Forbidden(OperationRefused):
    """The caller lacks the rights for the request."""

    status = 403


def url_name(operation: Operation) -> str:
    """Return an operation's name in URLs."""
    return operation.__name__.replace("_", "-")
