"""The options of commands that another computer's store is asked by; what asks is `remote.py`."""

from typing import Annotated

import typer

from ingest.cli.terminal import Stop
from ingest.i18n import N_

ServerUrl = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="URL", help=N_("Ask the store that is served there, by HTTP.")
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="RETOURNE_TOKEN",
        metavar="TOKEN",
        help=N_("With --server: what the steward of that store gave you."),
    ),
]
NOT_WITH = N_("{option} does not go with --server.")


def refuse(**options: object) -> None:
    """Stop where an option is set that would be passed over in silence."""
    for option, is_set in options.items():
        if is_set:
            raise Stop(NOT_WITH, option=f"--{option.strip('_').replace('_', '-')}")
