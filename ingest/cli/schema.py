"""`retourne schema`: the JSON Schema of the format."""

import json

import typer

from ingest.cli.params import Output, written
from ingest.cli.terminal import Lang

EXAMPLES = ("retourne schema", "retourne schema --output match.schema.json")


def schema(ctx: typer.Context, output: Output = None, lang: Lang = None) -> None:
    """Write the JSON Schema."""
    from schemas.log import json_schema

    with written(output) as file:
        file.write((json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())
