"""Lists all public names, for `tests/public_names.txt`: `python -m tests.public_names` writes it.

`docs/compatibility.md` says which changes of that list a version may make.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ingest
from dashboard.api.app import build_api
from docs.stats_schema import ANSWERS, EVERYWHERE, PLAYER
from engine.games import game, game_names
from ingest.cli import common
from ingest.cli.app import build_app
from ingest.cli.commands import COMMANDS, plugin_commands
from ingest.findings.codes import code_entries
from ingest.i18n import translator
from schemas.migrations import connect, migrate

FILE = Path(__file__).with_name("public_names.txt")
SCHEMA = Path(__file__).parents[1] / "data/schema/match.schema.json"
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


def all_names() -> list[str]:
    """Every public name, sorted: a line each."""
    found = {*of_the_format(), *of_the_store(), *of_the_api(), *of_the_command_line()}
    found |= set(of_the_statistics())
    found |= {f"finding {one.code}" for one in code_entries()}
    found |= {f"python ingest.{name}" for name in ingest.__all__}
    for name in game_names():
        options = game(name).options
        found |= {f"preset {name} {preset}" for preset in options.PRESETS}
        found |= {f"rule option {name} {option.name}" for option in options.OPTIONS}
    return sorted(found)


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in all_names()), encoding="utf-8")
