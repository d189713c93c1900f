"""Role checks for API routes: the role that each route requires; `dashboard.authentication` authenticates."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Scope

from dashboard.api.problems import Problem
from dashboard.authentication import Principal
from ingest.i18n import N_
from ingest.operations import NOT_YOU
from ingest.store import audit
from ingest.store.tokens import Role

PRINCIPAL_KEY = "retourne.who"
"""Scope key where the auth middleware stores the principal; without one, no role is granted."""
TOKEN_REQUIRED = N_("This needs a token, as a Bearer. Ask the admin of this store for one.")


def principal_of(scope: Scope) -> Principal:
    """Return the principal that sent the request."""
    found = scope.get(PRINCIPAL_KEY)
    return found if isinstance(found, Principal) else Principal(None)


def required_role(role: Role) -> Callable[[Request], Awaitable[Principal]]:
    """Return a dependency that refuses requests whose principal does not have a role."""

    async def allowed(request: Request) -> Principal:
        check_role(who := principal_of(request.scope), role)
        return who

    _role_of_dependency[allowed] = role
    return allowed


_role_of_dependency: dict[Callable[[Request], Awaitable[Principal]], Role] = {}
"""Dependency → the role it requires."""
SECURITY_SCHEME = "bearer"
BEARER_SCHEME = {SECURITY_SCHEME: {"type": "http", "scheme": "bearer"}}
"""The security scheme of the OpenAPI document: a bearer token."""


def add_security(paths: dict[str, Any], routes: Sequence[BaseRoute]) -> None:
    """Add to each operation of the OpenAPI document the role it needs, as a scope of the token.

    Operations for readers also list "no token", which is enough unless the admin closed reading.
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
            items = [{}, *needed] if role is Role.READER else needed
            paths[route.path_format][method.lower()]["security"] = items


def check_role(who: Principal, role: Role) -> None:
    """Check that a principal has a role. Problem: they do not."""
    if who.has_role(role):
        return
    if who.token_no is None:
        refused = Problem(401, TOKEN_REQUIRED)
        refused.headers["WWW-Authenticate"] = "Bearer"
        raise refused
    raise Problem(403, NOT_YOU, role=str(role))


def acting_as_principal(who: Principal) -> AbstractContextManager[None]:
    """Record writes within the block under the principal's name."""
    return audit.acting_as(who.token_no)


Reader = Annotated[Principal, Depends(required_role(Role.READER))]
Contributor = Annotated[Principal, Depends(required_role(Role.CONTRIBUTOR))]
