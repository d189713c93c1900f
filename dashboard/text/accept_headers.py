"""Choose a language or type by the weights of a client's headers (RFC 9110), for pages and the API."""

import re

MAX_HEADER_CHARS = 500
"""Characters of a header that are read."""
_QUALITY = re.compile(r"(?:^|;)\s*q\s*=\s*([^;]*)")


def parse_weights(header: str) -> dict[str, float]:
    """Parse a header such as `fr;q=0.8, en` into weights by name; a malformed weight is 0."""
    found = dict[str, float]()
    for part in filter(str.strip, header[:MAX_HEADER_CHARS].lower().split(",")):
        name, _, parameters = part.partition(";")
        result = _QUALITY.search(parameters)
        try:
            weight = float(result[1]) if result else 1.0
        except ValueError:
            weight = 0.0
        found[name.strip()] = weight if 0 <= weight <= 1 else 0.0
    return found


def preferred(header: str, available: tuple[str, ...], is_language: bool = False) -> str | None:
    """Return the available name the client prefers, None: none; `is_language`: `fr-CA` is `fr`."""
    found = dict[str, float]()
    for name, weight in parse_weights(header).items():
        named = name.replace("_", "-").partition("-")[0] if is_language else name
        if named in available and weight > found.get(named, 0.0):
            found[named] = weight
    return max(found, key=lambda name: found[name]) if found else None
