"""Authentication and role checks for API routes."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Scope

from dashboard.access import Principal
from dashboard.api.problems import Problem
from ingest.i18n import N_
from ingest.operations import NOT_YOU
from ingest.store import audit
from ingest.store.tokens import Role

PRINCIPAL_KEY = "retourne.who"
"""Where the gate writes down who asks; what came by no gate may nothing."""
TOKEN_REQUIRED = N_("This needs a token, as a Bearer. Ask the admin of this store for one.")


def principal_of(scope: Scope) -> Principal:
    """Whoever asks."""
    found = scope.get(PRINCIPAL_KEY)
    return found if isinstance(found, Principal) else Principal(None)


def required_role(role: Role) -> Callable[[Request], Awaitable[Principal]]:
    """What has an operation refuse whoever may not do what a role may."""

    async def allowed(request: Request) -> Principal:
        check_role(who := principal_of(request.scope), role)
        return who

    _role_of_dependency[allowed] = role
    return allowed


_role_of_dependency: dict[Callable[[Request], Awaitable[Principal]], Role] = {}
"""What asks for a role, and for which."""
SECURITY_SCHEME = "bearer"
BEARER_SCHEME = {SECURITY_SCHEME: {"type": "http", "scheme": "bearer"}}
"""How tokens travel, as the OpenAPI document says it."""


def add_security(paths: dict[str, Any], routes: Sequence[BaseRoute]) -> None:
    """Say of each operation of the document what role it needs, as a scope of the token.

    Readers need none unless the admin has closed reading, which none is the other choice.
    """
    for route in routes:
        if not isinstance(route, APIRoute) or route.path_format not in paths:
            continue
        [role] = (
            _role_of_dependency[one.call]
            for one in route.dependant.dependencies
            if one.call in _role_of_dependency
        )
        needed = [{SECURITY_SCHEME: [str(role)]}]
        for method in route.methods or ():
            said = [{}, *needed] if role is Role.READER else needed
            paths[route.path_format][method.lower()]["security"] = said


def check_role(who: Principal, role: Role) -> None:
    """Problem: they may not do what a role may."""
    if who.has_role(role):
        return
    if who.token_no is None:
        refused = Problem(401, TOKEN_REQUIRED)
        refused.headers["WWW-Authenticate"] = "Bearer"
        raise refused
    raise Problem(403, NOT_YOU, role=str(role))


def acting_as_principal(who: Principal) -> AbstractContextManager[None]:
    """What is written meanwhile is written in their name."""
    return audit.acting_as(who.token_no)


Reader = Annotated[Principal, Depends(required_role(Role.READER))]
Contributor = Annotated[Principal, Depends(required_role(Role.CONTRIBUTOR))]
