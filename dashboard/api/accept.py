"""What a client likes to be answered with, as headers of RFC 9110 say it: `fr;q=0.8, en;q=0.5`."""

from collections.abc import Mapping

LONGEST = 500
"""Signs of a header that are read."""


def weights(header: str) -> Mapping[str, float]:
    """Each thing that is named, in small letters, with its weight; what is badly said has 0."""
    parts = header[:LONGEST].split(",")
    return dict(_weighed(part) for part in parts if part.strip())


def _weighed(part: str) -> tuple[str, float]:
    name, *parameters = (one.strip().lower() for one in part.split(";"))
    for one in parameters:
        key, _, value = one.partition("=")
        if key.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                weight = 0.0
            return name, weight if 0 <= weight <= 1 else 0.0
    return name, 1.0


def liked(header: str, ours: tuple[str, ...], tags: bool = False) -> str | None:
    """What of ours is liked best; None: nothing. `tags`: `fr-CA` is `fr`, as languages are."""
    found = dict[str, float]()
    for name, weight in weights(header).items():
        named = name.replace("_", "-").partition("-")[0] if tags else name
        if named in ours and weight > found.get(named, 0.0):
            found[named] = weight
    return max(found, key=lambda name: found[name]) if found else None


def takes(header: str, coding: str) -> bool:
    """Whether an Accept-Encoding takes a coding: by its name, or else by `*`."""
    said = weights(header)
    return said.get(coding, said.get("*", 0.0)) > 0
