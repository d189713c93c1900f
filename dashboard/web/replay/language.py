"""The language of a replay: by `?lang=`, else by Accept-Language; French for others."""

from starlette.datastructures import QueryParams
from starlette.requests import Request

from ingest.i18n import LANGUAGES


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
    liked = {tag: weight for tag, weight in map(_weighed, header[:500].split(",")) if weight > 0}
    ours = [tag for tag in liked if tag in LANGUAGES]
    return max(ours, key=lambda tag: liked[tag]) if ours else LANGUAGES[0]


def _weighed(part: str) -> tuple[str, float]:
    tag, _, rest = part.partition(";")
    name, _, value = rest.strip().partition("=")
    try:
        weight = float(value) if name == "q" else 1.0
    except ValueError:
        weight = 0.0
    return tag.strip().lower().partition("-")[0], weight
