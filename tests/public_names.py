"""Lists the public names that the source has; `python -m tests.public_names` writes `public_names.txt`.

`docs/compatibility.md` says which changes of that list a version may make, and what is not listed.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ingest
from dashboard.api.app import build_api
from dashboard.pages import PAGE_NAMES, RENAMED_PAGES
from dashboard.server import webhook_delivery
from dashboard.server.webhook_delivery import SIGNATURE_HEADER
from dashboard.web.replay.puzzles import PuzzleFilter
from dashboard.web.replay.replay_urls import parse_path
from dashboard.web.replay.routes import NEXT_PUZZLE_PATH, PUZZLE_KIND, VARIATION_KINDS
from dashboard.widgets.filters import FILTER_KEYS, LIST_FILTER_KEYS
from docs.stats_schema import ANSWERS, EVERYWHERE, PLAYER
from engine.games import game, game_names
from ingest.cli import common
from ingest.cli.app import build_app
from ingest.cli.commands import COMMANDS, plugin_commands
from ingest.findings.codes import code_entries
from ingest.i18n import translator
from ingest.importers.mapping import WorkbookMapping
from ingest.store import webhooks
from schemas.migrations import connect, migrate

REPLAY_ADDRESSES = ("", "/1", "/1.json", "/1/2", "/1/2.png")
"""Below `/r/id`: a match, a deal and its data, a position and its picture."""
FILE = Path(__file__).with_name("public_names.txt")
ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "data/schema/match.schema.json"
EXITS = ("OK", "FINDINGS", "ERROR", "INTERRUPTED", "BROKEN_PIPE")


def keys(schema: Any, path: str) -> Iterator[str]:
    """The keys a JSON Schema knows, as `path.key`, and the words a key may have, as `path=word`."""
    if isinstance(schema, list):
        for part in schema:
            yield from keys(part, path)
    if not isinstance(schema, dict):
        return
    for word in schema.get("enum", [schema["const"]] if "const" in schema else []):
        yield f"{path}={word}"
    for name, part in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from keys(part, f"{path}.{name}")
    for part in ("items", "prefixItems", "anyOf", "oneOf", "allOf", "if", "then", "else"):
        yield from keys(schema.get(part), path)


def of_the_format() -> Iterator[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    yield from keys(schema, "format")
    for name, part in schema.get("$defs", {}).items():
        yield from keys(part, f"format {name}")


def of_the_store() -> Iterator[str]:
    with connect() as store:
        migrate(store)
        for row in store.execute(
            """SELECT table_name, column_name, CASE WHEN data_type LIKE 'ENUM%' THEN 'ENUM'
            ELSE data_type END FROM duckdb_columns() WHERE NOT internal"""
        ).fetchall():
            yield "column {}.{} {}".format(*row)


def of_the_api() -> Iterator[str]:
    document = build_api().openapi()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"api {method.upper()} {path}"
            for one in operation.get("parameters", ()):
                yield f"api {method.upper()} {path} {one['in']} {one['name']}"
    for name, schema in document["components"]["schemas"].items():
        yield from keys(schema, f"api {name}")


def of_the_command_line() -> Iterator[str]:
    tree: Any = build_app(translator("en"))
    for name in [*COMMANDS, *plugin_commands()]:
        command = tree
        for word in name.split():
            command = command.commands[word]
        yield f"command {name}"
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                yield f"command {name} {option}"
    for name in EXITS:
        yield f"exit code {getattr(common, f'EXIT_{name}')} {name}"


def of_the_statistics() -> Iterator[str]:
    for kind, answers in (("statistic", ANSWERS), ("player statistic", PLAYER)):
        for name, answer in answers.items():
            yield f"{kind} {name}"
            yield from (f"{kind} {name}.{column}" for column in answer.columns)
    yield from (f"statistic *.{column}" for column in EVERYWHERE)


def text_of(node: ast.AST | None) -> str:
    """A text in the source, of an f-string with `*` for what is filled in; empty for anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(one) or "*" for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def of_the_addresses() -> Iterator[str]:
    """The addresses of pages, and the query parameters that the source of pages and of `/r/` reads."""
    yield from (f"page /{name}" for name in PAGE_NAMES)
    below = (*REPLAY_ADDRESSES, *(f"/1/2/{kind}" for kind in (*VARIATION_KINDS, PUZZLE_KIND)))
    yield from (f"page /r/id{one}" for one in below if parse_path(f"/r/id{one}") is not None)
    yield f"page {NEXT_PUZZLE_PATH}"
    yield from (f"page /{former} leads to /{name}" for former, name in RENAMED_PAGES.items())
    yield from (f"page parameter {name}" for name in (*PuzzleFilter._fields, *FILTER_KEYS, *LIST_FILTER_KEYS))
    folders = [ROOT / "dashboard" / one for one in ("views", "widgets", "web/replay")]
    sources = [file.read_text(encoding="utf-8") for one in folders for file in sorted(one.rglob("*.py"))]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    functions = {one.name: one.args for one in nodes if isinstance(one, ast.FunctionDef)}
    bodies = {one.name: [*ast.walk(one)] for one in nodes if isinstance(one, ast.FunctionDef)}
    binding = {name for name, body in bodies.items() if "query-params" in map(text_of, body)}

    def key_of(call: ast.Call) -> ast.expr | None:
        """The key of a widget that a call binds to the address."""
        own = {one.arg or "": one.value for one in call.keywords}
        name = ast.unparse(call.func).rpartition(".")[2]
        if "bind" in own or name not in binding:
            return own.get("key") if "bind" in own else None
        named = [one.arg for one in functions[name].args]
        defaults = dict(zip(reversed(named), reversed(functions[name].defaults), strict=False))
        own = defaults | dict(zip(named, call.args, strict=False)) | own
        switch = own.get("in_url")
        return None if isinstance(switch, ast.Constant) and not switch.value else own.get("key")

    for _ in range(3):  # functions that call functions that call those
        for name, body in bodies.items():
            calls = [one for one in body if isinstance(one, ast.Call)]
            if any(isinstance(key := key_of(one), ast.Name) and key.id == "key" for one in calls):
                binding.add(name)
    for node in nodes:
        found = ""
        if isinstance(node, ast.Call):
            found = text_of(key_of(node))
            if re.search(r"(query_params|query|requested)\.(get|pop|get_all)$", ast.unparse(node.func)):
                found = text_of(node.args[0])
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.query_params":
            found = text_of(node.slice)
        elif isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "query":
            found = text_of(node.left)
        elif isinstance(node, ast.Dict) and "query-params" in map(text_of, node.values):
            found = dict(zip(map(text_of, node.keys), map(text_of, node.values), strict=True)).get("key", "")
        if found:
            yield f"page parameter {found}"


def of_webhooks() -> Iterator[str]:
    """The header and the keys of what a webhook gets, and the events."""
    yield f"webhook header {SIGNATURE_HEADER}"
    for module, name in ((webhook_delivery, "_event"), (webhooks, "undelivered")):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                for one in ast.walk(node):
                    items = zip(one.keys, one.values, strict=True) if isinstance(one, ast.Dict) else ()
                    for key, value in items:
                        if word := text_of(key):
                            yield f"webhook {word}"
                            yield from (f"webhook {word}={text_of(value)}" for _ in text_of(value)[:1])
                    if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(".select"):
                        yield from (f"webhook {text_of(column)}" for column in one.args)


def of_mappings() -> Iterator[str]:
    """The keys of a mapping file of sheets."""
    schema = WorkbookMapping.model_json_schema()
    yield from keys(schema, "mapping")
    for name, part in schema["$defs"].items():
        yield from keys(part, f"mapping {name}")


def of_the_environment() -> Iterator[str]:
    """The environment variables that the source names."""
    for folder in ("ingest", "dashboard"):
        for file in (ROOT / folder).rglob("*.py"):
            for name in re.findall(r"\"(RETOURNE_[A-Z]+)\"", file.read_text(encoding="utf-8")):
                yield f"variable {name}"


def of_javascript() -> Iterator[str]:
    """What the package for JavaScript exports, types included."""
    types = (ROOT / "js/src/retourne.d.ts").read_text(encoding="utf-8")
    found = re.findall(r"^export (type|interface|class|const|function) (\w+)", types, re.MULTILINE)
    yield from (f"javascript {kind} {name}" for kind, name in found)


def of_python() -> Iterator[str]:
    """The names of `ingest.__all__`, with their parameters, fields and methods."""
    for name in ingest.__all__:
        yield f"python ingest.{name}"
        own = getattr(ingest, name)
        public = [one for one in vars(own) if not one.startswith("_")] if inspect.isclass(own) else []
        yield from (f"python ingest.{name}.{one}" for one in public)
        for at in (name, *(f"{name}.{one}" for one in public)):
            called = own if at == name else getattr(own, at.partition(".")[2])
            if inspect.isfunction(called) or (at == name and inspect.isclass(own)):
                some = inspect.signature(called).parameters
                yield from (f"python ingest.{at}({one})" for one in some if one != "self")


def all_names() -> list[str]:
    """These names, sorted: a line each."""
    found = {*of_the_format(), *of_the_store(), *of_the_api(), *of_the_command_line()}
    found |= set(of_the_statistics())
    found |= {*of_the_addresses(), *of_webhooks(), *of_mappings(), *of_the_environment()}
    found |= {*of_javascript(), *of_python()}
    for one in code_entries():
        found |= {
            f"finding {one.code}",
            f"finding {one.code} {'stops' if one.is_impossible else one.severity}",
        }
    for name in game_names():
        options = game(name).options
        found |= {f"preset {name} {preset}" for preset in options.PRESETS}
        found |= {f"rule option {name} {option.name}" for option in options.OPTIONS}
    return sorted(found)


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in all_names()), encoding="utf-8")
