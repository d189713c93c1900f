"""The JSON Schema of the log format, made from the models of all games."""

from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter

from schemas.match_models import match_models
from schemas.models import Match


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a match, as in `retourne schema` and `data/schema/`."""
    known: Any = Union[tuple(match_models().values())]  # noqa: UP007 - as many as there are
    match: TypeAdapter[Match] = TypeAdapter(Annotated[known, Field(discriminator="game")])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:retourne:1:match",  # a URN, as nothing is fetched by it
        **match.json_schema(),
        "title": "retourne/1 match",
    }
