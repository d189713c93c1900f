"""`retourne schema`: the JSON Schema of the format."""

import json

import typer

from ingest.cli.output import Output, written
from ingest.cli.terminal import Lang
from ingest.i18n import N_

HELP = N_(
    """Write the JSON Schema of a match, of every game.

It says what has which type, so that an editor or a server can check the shape of a log; what
the rules say of it is for `retourne check`."""
)
EXAMPLES = ("retourne schema", "retourne schema --output match.schema.json")


def schema(ctx: typer.Context, output: Output = None, lang: Lang = None) -> None:
    """Write the JSON Schema."""
    from schemas.log import json_schema

    with written(output) as file:
        file.write((json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())
