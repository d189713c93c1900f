"""The OpenAPI document as a page of our own: no script, nothing loaded."""

import base64
import hashlib
from html import escape
from importlib.resources import files
from typing import Any

from starlette.responses import HTMLResponse

STYLE = files("dashboard.api").joinpath("page.css").read_text(encoding="utf-8")
POLICY = (
    "default-src 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page(document: dict[str, Any], below: str) -> HTMLResponse:
    """Every operation, with what it takes and answers; `below` is where the API begins."""
    info, schemas = document["info"], document["components"]["schemas"]
    shapes = "".join(
        _shape(name, schema) for name, schema in schemas.items() if "properties" in schema
    )
    told = "".join(
        _operation(method, below + path, said, schemas)
        for path, methods in document["paths"].items()
        for method, said in methods.items()
    )
    return HTMLResponse(
        f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(info["title"])}</title><style>{STYLE}</style></head>
<body><main><h1>{escape(info["title"])}</h1>{_paragraphs(info["description"])}
<p>For programs: <a href="{below}/openapi.json">openapi.json</a></p>
{told}<h2>Shapes</h2>
<p>What answers have in them; any may have further members one day.</p>
{shapes}</main></body>
</html>
""",
        headers={"Content-Security-Policy": POLICY},
    )


def _operation(method: str, path: str, said: dict[str, Any], schemas: dict[str, Any]) -> str:
    head = f"<code><b>{method.upper()}</b> {escape(path)}</code>"
    takes = "".join(_parameter(one, schemas) for one in said.get("parameters", []))
    first, _, more = said.get("description", "").partition("\n\n")
    body = said.get("requestBody", {}).get("content", {})
    kinds = f"<p>Body: {', '.join(f'<code>{escape(kind)}</code>' for kind in body)}</p>"
    answers = "".join(
        f"<dt><code>{escape(status)}</code></dt><dd>{_answer(one)}</dd>"
        for status, one in said["responses"].items()
    )
    needs = f"<p>Needs: {_role(said['security'])}</p>"
    return (
        f"<details><summary>{head}<span>{escape(first)}</span></summary>{_paragraphs(more)}{needs}"
        f"{f'<h3>Takes</h3><dl>{takes}</dl>' if takes else ''}{kinds if body else ''}"
        f"<h3>Answers</h3><dl>{answers}</dl></details>"
    )


def _role(security: list[dict[str, list[str]]]) -> str:
    """What a token has to be; without one, where nothing is another choice."""
    role = next(f"a token of a {role}" for one in security for [role] in one.values())
    return f"{role}, or nothing where reading is open" if {} in security else role


def _answer(one: dict[str, Any]) -> str:
    """What an answer is called, and what is in it."""
    shapes = dict.fromkeys(_kind(kind["schema"]) for kind in one.get("content", {}).values())
    return " ".join((escape(one.get("description", "")), ", ".join(shapes)))


def _shape(name: str, schema: dict[str, Any]) -> str:
    """A model, member by member."""
    members = "".join(
        f"<dt><code>{escape(key)}</code> {_kind(one)}</dt>"
        f"<dd>{escape(one.get('description', ''))}</dd>"
        for key, one in schema["properties"].items()
    )
    about = escape(schema.get("description", ""))
    head = f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
    return f"{head}<p>{about}</p><dl>{members}</dl>"


def _kind(schema: dict[str, Any]) -> str:
    """What a value is, with links to shapes."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"array of {_kind(schema.get('items', {}))}"
    if isinstance(of := schema.get("additionalProperties"), dict):
        return f"object of {_kind(of)}"
    return escape(schema.get("type", "anything"))


def _parameter(one: dict[str, Any], schemas: dict[str, Any]) -> str:
    values = ", ".join((*_values(one["schema"], schemas), *_bounds(one["schema"])))
    about = " ".join(filter(None, (one.get("description", ""), values)))
    needed = "" if not one.get("required") else " required"
    return (
        f"<dt><code>{escape(one['name'])}</code> {escape(one['in'])}{needed}</dt>"
        f"<dd>{escape(about)}</dd>"
    )


def _bounds(schema: dict[str, Any]) -> list[str]:
    """What a number may be, and what it is if absent."""
    low, high, absent = (schema.get(name) for name in ("minimum", "maximum", "default"))
    said = [] if low is None or high is None else [f"{low} to {high}"]
    return said if absent in (None, "", False, []) else [*said, f"if absent {absent}"]


def _values(schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    """What a parameter may be, where that is a list."""
    if "$ref" in schema:
        return _values(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return [*schema.get("enum", ()), *(value for one in inner for value in _values(one, schemas))]


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(one)}</p>" for one in text.split("\n\n") if one)
