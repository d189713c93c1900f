"""Who asks, as the gate has found out, and whether they may."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Scope

from dashboard.access import Who
from dashboard.api.problems import Problem
from ingest.i18n import N_
from ingest.operations import NOT_YOU
from ingest.store import audit
from ingest.store.tokens import Role

ASKS = "retourne.who"
"""Where the gate writes down who asks; what came by no gate may nothing."""
NO_TOKEN = N_("This needs a token, as a Bearer. Ask the admin of this store for one.")


def asking(scope: Scope) -> Who:
    """Whoever asks."""
    found = scope.get(ASKS)
    return found if isinstance(found, Who) else Who(None)


def needs(role: Role) -> Callable[[Request], Awaitable[Who]]:
    """What has an operation refuse whoever may not do what a role may."""

    async def allowed(request: Request) -> Who:
        refuse(who := asking(request.scope), role)
        return who

    _roles[allowed] = role
    return allowed


_roles: dict[Callable[[Request], Awaitable[Who]], Role] = {}
"""What asks for a role, and for which."""
SCHEME = "bearer"
BEARER = {SCHEME: {"type": "http", "scheme": "bearer"}}
"""How tokens travel, as the OpenAPI document says it."""


def secured(paths: dict[str, Any], routes: Sequence[BaseRoute]) -> None:
    """Say of each operation of the document what role it needs, as a scope of the token.

    Readers need none unless the admin has closed reading, which none is the other choice.
    """
    for route in routes:
        if not isinstance(route, APIRoute) or route.path_format not in paths:
            continue
        [role] = (_roles[one.call] for one in route.dependant.dependencies if one.call in _roles)
        needed = [{SCHEME: [str(role)]}]
        for method in route.methods or ():
            said = [{}, *needed] if role is Role.READER else needed
            paths[route.path_format][method.lower()]["security"] = said


def refuse(who: Who, role: Role) -> None:
    """Problem: they may not do what a role may."""
    if who.may(role):
        return
    if who.token_no is None:
        refused = Problem(401, NO_TOKEN)
        refused.headers["WWW-Authenticate"] = "Bearer"
        raise refused
    raise Problem(403, NOT_YOU, role=str(role))


def acting(who: Who) -> AbstractContextManager[None]:
    """What is written meanwhile is written in their name."""
    return audit.by(who.token_no)


Reader = Annotated[Who, Depends(needs(Role.READER))]
Contributor = Annotated[Who, Depends(needs(Role.CONTRIBUTOR))]
