"""Renders the OpenAPI document as an HTML page without scripts."""

from html import escape
from importlib.resources import files
from typing import Any

from starlette.responses import HTMLResponse

from dashboard.board.html_file import csp_hash

PAGE_STYLE = files("dashboard.api").joinpath("page.css").read_text(encoding="utf-8")
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src '{csp_hash(PAGE_STYLE)}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def docs_page(document: dict[str, Any], api_path: str) -> HTMLResponse:
    """Return the page of all operations, parameters and answers; `api_path` is the API's prefix."""
    info, schemas = document["info"], document["components"]["schemas"]
    text = "".join(
        _operation_html(method, api_path + path, result, schemas)
        for path, methods in document["paths"].items()
        for method, result in methods.items()
    )
    shapes = "".join(
        f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
        f"<p>{escape(schema.get('description', ''))}</p><dl>"
        + "".join(
            f"<dt><code>{escape(key)}</code> {_type_html(one)}</dt>"
            f"<dd>{escape(one.get('description', ''))}</dd>"
            for key, one in schema["properties"].items()
        )
        + "</dl>"
        for name, schema in schemas.items()
        if "properties" in schema
    )
    return HTMLResponse(
        f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(info["title"])}</title><style>{PAGE_STYLE}</style></head>
<body><main><h1>{escape(info["title"])}</h1>{_paragraphs_html(info["description"])}
<p>For programs: <a href="{api_path}/openapi.json">openapi.json</a></p>
{text}<h2>Shapes</h2>
<p>What answers have in them; any may have further members one day.</p>
{shapes}</main></body>
</html>
""",
        headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY},
    )


def _operation_html(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Render an operation: its purpose, the role it needs, its parameters and its answers."""
    first, _, more = operation.get("description", "").partition("\n\n")
    # an empty requirement means that no token is needed
    security = operation["security"]
    needs = next(f"a token of a {role}" for one in security for [role] in one.values())
    needs += ", or nothing where reading is open" if {} in security else ""
    takes = "".join(_parameter_html(one, schemas) for one in operation.get("parameters", []))
    body = operation.get("requestBody", {}).get("content", {})
    kinds = f"<p>Body: {', '.join(f'<code>{escape(kind)}</code>' for kind in body)}</p>"
    answers = ""
    for status, one in operation["responses"].items():
        shapes = dict.fromkeys(_type_html(kind["schema"]) for kind in one.get("content", {}).values())
        text = f"{escape(one.get('description', ''))} {', '.join(shapes)}"
        answers += f"<dt><code>{escape(status)}</code></dt><dd>{text}</dd>"
    return (
        f"<details><summary><code><b>{method.upper()}</b> {escape(path)}</code>"
        f"<span>{escape(first)}</span></summary>{_paragraphs_html(more)}<p>Needs: {needs}</p>"
        f"{f'<h3>Takes</h3><dl>{takes}</dl>' if takes else ''}{kinds if body else ''}"
        f"<h3>Answers</h3><dl>{answers}</dl></details>"
    )


def _parameter_html(one: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Render a parameter: its allowed values or bounds, and its default."""
    schema, values = one["schema"], _allowed_values(one["schema"], schemas)
    if "minimum" in schema and "maximum" in schema:
        values.append(f"{schema['minimum']} to {schema['maximum']}")
    if (absent := schema.get("default")) not in (None, "", False, []):
        values.append(f"if absent {absent}")
    about = " ".join(filter(None, (one.get("description", ""), ", ".join(values))))
    needed = " required" if one.get("required") else ""
    head = f"<dt><code>{escape(one['name'])}</code> {escape(one['in'])}{needed}</dt>"
    return f"{head}<dd>{escape(about)}</dd>"


def _type_html(schema: dict[str, Any]) -> str:
    """Render the type of a value, with links to schemas."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_type_html, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"array of {_type_html(schema.get('items', {}))}"
    if isinstance(of := schema.get("additionalProperties"), dict):
        return f"object of {_type_html(of)}"
    return escape(schema.get("type", "anything"))


def _allowed_values(schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    """Return the allowed values of a parameter; empty if they are not listed."""
    if "$ref" in schema:
        return _allowed_values(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return [*schema.get("enum", ()), *(value for one in inner for value in _allowed_values(one, schemas))]


def _paragraphs_html(text: str) -> str:
    return "".join(f"<p>{escape(one)}</p>" for one in text.split("\n\n") if one)
