"""Tables of a page as a test reads them: Streamlit's own and those of links, in their order."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pandas as pd
from streamlit.testing.v1 import AppTest


def tables_of(app: AppTest) -> list[pd.DataFrame]:
    """What every table of a page says: numbers where a column has nothing else, texts elsewhere."""
    found = []
    for element in app.main:
        element = cast("Any", element)
        if element.type == "dataframe":
            found.append(element.value)
        elif element.type == "bidi_component" and _is_linked(element):
            found.append(_frame(json.loads(element.proto.json)))
    return found


def links_of(app: AppTest) -> dict[str, list[str]]:
    """The addresses every text of the tables leads to, by the text."""
    found: dict[str, list[str]] = {}
    for part in _parts(app):
        if part["href"]:
            found.setdefault(part["text"], []).append(part["href"])
    return found


def standing_out(app: AppTest) -> list[str]:
    """The texts that stand out, in their order."""
    return [part["text"] for part in _parts(app) if part["strong"]]


def grey(app: AppTest, table: int = 0) -> list[list[bool]]:
    """Which cells of a table of links are grey, row by row."""
    found: list[list[bool]] = given_of(app)[table][1]["grey"]
    return found


def explained(app: AppTest, table: int = 0) -> dict[str, str]:
    """The terms a table of links explains, and where: heading → address."""
    columns = given_of(app)[table][1]["columns"]
    return {column["name"]: column["term"] for column in columns if column["term"]}


def open_row(app: AppTest, key: str, row: int) -> AppTest:
    """Press what opens a row of a table of links."""
    [data] = [one for name, one in given_of(app) if f"-{key}" in name]
    app.session_state[key] = {"row": data["names"][row]}
    app.run()
    assert not app.exception
    return app


def given_of(app: AppTest) -> list[tuple[str, dict[str, Any]]]:
    elements = [one for one in app.get("bidi_component") if _is_linked(one)]
    return [(element.proto.id, json.loads(element.proto.json)) for element in elements]


def charts_of(app: AppTest) -> list[dict[str, Any]]:
    """The figures of a page as Plotly's JSON, in their order."""
    elements = [one for one in app.get("bidi_component") if one.proto.component_name == "retourne.chart"]
    return [json.loads(element.proto.json)["figure"] for element in elements]


def absolute_paths(app: AppTest) -> set[str]:
    """The addresses on a page that begin with a slash, but for files that Streamlit serves."""
    texts = (re.sub(r"\\+(?=[\"'])", "", str(one)) for one in _protos(app._tree))
    found = (path for text in texts for path in re.findall(r"[\"'(](/[a-z][^\"'\s)\\]*)", text))
    return {path for path in found if not path.startswith("/mock/media/")}


def _protos(node: Any) -> Iterator[Any]:
    """What a part of a page sends to the browser, and each part of it."""
    if (proto := getattr(node, "proto", None)) is not None:
        yield proto
    for child in getattr(node, "children", {}).values():
        yield from _protos(child)


def _parts(app: AppTest) -> list[dict[str, Any]]:
    return [
        part
        for _, data in given_of(app)
        for row in data["rows"]
        for cell in row
        for part in cell.get("parts", ())
    ]


def _is_linked(element: Any) -> bool:
    return bool(element.proto.component_name == "retourne.linked")


def _frame(data: dict[str, Any]) -> pd.DataFrame:
    columns = data["columns"]
    return pd.DataFrame(
        {
            column["name"]: [_value(row[place], column["number"]) for row in data["rows"]]
            for place, column in enumerate(columns)
        }
    )


def _value(cell: dict[str, Any], number: bool) -> Any:
    if "parts" in cell:
        return "".join(part["text"] for part in cell["parts"])
    return cell.get("number") if number else cell["text"]
