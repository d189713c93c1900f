"""Whether a JSON text has just the types the models demand, told from its structure alone.

DuckDB decodes leniently: it turns `"1"` into 1 and drops what it does not know. So the
structure it reports of each text (one short word per shape, few in a file) is held against
the models' own JSON Schema; only what fits may be decoded in bulk.
"""

from functools import cache
from typing import Any

import orjson

from engine.games import names
from schemas.log import models

_TYPES = {
    "VARCHAR": ("string",),
    "UBIGINT": ("integer", "number"),
    "BIGINT": ("integer", "number"),
    "DOUBLE": ("number",),
    "BOOLEAN": ("boolean",),
    "NULL": ("null",),
}


@cache
def fits(game: str, structure: str) -> bool:
    """Whether texts of this structure (as DuckDB's `json_structure` writes it) are all typed right.

    A null inside a list may still hide: the decoded value is NULL then, and is looked at there.
    """
    if game not in names():
        return False
    schema = models()[game].model_json_schema()
    return _fits(schema, orjson.loads(structure), schema.get("$defs", {}))


def _fits(schema: Any, found: Any, defs: Any) -> bool:
    if "$ref" in schema:
        return _fits(defs[schema["$ref"].rsplit("/", 1)[1]], found, defs)
    if "anyOf" in schema:
        return any(_fits(branch, found, defs) for branch in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(found, list):
        items = schema.get("items", {})
        return kind == "array" and (found == ["NULL"] or _fits(items, found[0], defs))
    if isinstance(found, dict):
        return kind == "object" and _object_fits(schema, found, defs)
    if "const" in schema:
        return bool(found == "VARCHAR")
    return kind in _TYPES.get(found, ())


def _object_fits(schema: Any, found: dict[str, Any], defs: Any) -> bool:
    known = schema.get("properties")
    if known is None:  # rules, event, source: any keys, plain values
        return all(isinstance(value, str) and value != "JSON" for value in found.values())
    if any(key not in found for key in schema.get("required", [])):
        return False
    return all(
        _fits(known[key], value, defs) if key in known else key.startswith("_")
        for key, value in found.items()
    )
