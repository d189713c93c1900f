"""What addresses below `/r` name, and the language they are answered in."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams
from starlette.requests import Request

from dashboard.api.accept import liked
from dashboard.api.problems import Problem
from dashboard.web.replay.matches import NO_STATE
from ingest.i18n import LANGUAGES, N_


def language(request: Request) -> str:
    """`fr` or `en`."""
    asked = chosen(request.query_params)
    return asked or accepted(request.headers.get("accept-language", ""))


def chosen(query: QueryParams) -> str:
    """The language an address chooses, which may be none."""
    asked = query.get("lang", "")
    return asked if asked in LANGUAGES else ""


def accepted(header: str) -> str:
    """Of our languages the one that a header of RFC 9110 likes best."""
    return liked(header, tuple(LANGUAGES), tags=True) or LANGUAGES[0]


NOTHING = N_("There is nothing at this address.")
_ADDRESS = re.compile(
    r"/r/(?P<name>[^/]+?)(?:/(?P<deal>[0-9]{1,6})(?:/(?P<ply>[0-9]{1,6})(?P<png>\.png)?"
    r"(?P<more>/(?:suite(?:\.json)?|trouver))?|(?P<json>\.json))?)?/?",
    re.ASCII | re.DOTALL,
)


class Where(NamedTuple):
    """A match as the address calls it, and a position of it; the first where none is named."""

    name: str
    deal: int
    ply: int
    kind: str
    """`png`, `json`, or nothing for a page; `suite`, its `suite.json`, `trouver`."""

    def within(self, shown: Mapping[str, Any]) -> None:
        """Problem: the deal has no such position."""
        last = len(shown["plies"]) - 1
        if self.ply > last:
            raise Problem(404, NO_STATE, count=last)


def read(path: str) -> Where | None:
    """What a path names; None: nothing of ours."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    if found["png"] and found["more"]:
        return None
    kind = "png" if found["png"] else "json" if found["json"] else (found["more"] or "/")[1:]
    return Where(found["name"], int(found["deal"] or 1), int(found["ply"] or 0), kind)
