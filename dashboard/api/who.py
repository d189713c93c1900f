"""Who asks, as the gate has found out, and whether they may."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Depends, Request

from dashboard.access import Who
from dashboard.api.problems import Problem
from ingest.i18n import N_
from ingest.store import audit
from ingest.store.tokens import Role

ASKS = "retourne.who"
"""Where the gate writes down who asks; what came by no gate may nothing."""
NO_TOKEN = N_("This needs a token, as a Bearer. Ask the steward of this store for one.")
NOT_YOU = N_("This token may not do that: it needs the role of a {role}.")


def asking(request: Request) -> Who:
    """Whoever asks."""
    found = request.scope.get(ASKS)
    return found if isinstance(found, Who) else Who(None)


def needs(role: Role) -> Callable[[Request], Awaitable[Who]]:
    """What has an operation refuse whoever may not do what a role may."""

    async def allowed(request: Request) -> Who:
        who = asking(request)
        refuse(who, role)
        return who

    return allowed


def refuse(who: Who, role: Role) -> None:
    """Problem: they may not do what a role may."""
    if who.may(role):
        return
    if who.token_no is None:
        refused = Problem(401, NO_TOKEN)
        refused.headers["WWW-Authenticate"] = "Bearer"
        raise refused
    raise Problem(403, NOT_YOU, role=str(role))


@contextmanager
def acting(who: Who) -> Iterator[None]:
    """What is written meanwhile is written in their name."""
    with audit.by(who.token_no):
        yield


Reader = Annotated[Who, Depends(needs(Role.READER))]
Contributor = Annotated[Who, Depends(needs(Role.CONTRIBUTOR))]
