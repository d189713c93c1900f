"""`retourne verify`: whether a store is what its texts make of it."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer
from rich.text import Text

from ingest.cli.open_store import store_at
from ingest.cli.params import ServerUrl, Token, write
from ingest.cli.terminal import (
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Bar,
    Lang,
    Quiet,
    StorePath,
    console,
    leave,
)
from ingest.i18n import N_, Translate
from ingest.operations.judging import verify as operation
from ingest.text.signs import plain

READ = N_("Texts read again: {n}")
WHOLE = N_("The store is whole: every text is as it came, and every row is what its text gives.")
NOT_WHOLE = N_("The store is not whole. What is wrong: {n}")
MEND_ROWS = N_("Texts are as they came: retourne revalidate --all makes the rows of each anew.")
MEND_TEXTS = N_("A text that has changed comes back from a backup: retourne restore BACKUP")
MEND_LAKE = N_("A text that has changed comes back from a backup of the lake’s database and files.")
OLD = N_("Left out, as verdicts of older rules: {n}. Refresh them: retourne revalidate")


class Format(StrEnum):
    """How what was found is written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


def verify(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help=N_("text for people; json and jsonl: one object, on one line as jsonl."),
        ),
    ] = Format.TEXT,
    quiet: Quiet = False,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Read every text of a store again and compare every row."""
    t: Translate = ctx.obj
    with store_at(store, server, token, t, read_only=True) as asked, Bar(t, quiet) as bar:
        bar.label = N_("Reading again")
        found = asked.do(operation, bar)
    if format is not Format.TEXT:
        told = {name: found[name] for name in ("whole", "texts", "old", "wrong")}
        if format is Format.JSONL:
            write([told])
        else:
            sys.stdout.write(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif found["wrong"] or not quiet:
        console().print(Text("\n").join(_lines(t, found)))
    leave(FOUND if found["wrong"] else LEGAL)


def _lines(t: Translate, found: dict[str, Any]) -> list[Text]:
    """What is wrong, match by match, and the answer below it."""
    lines, wrong = [], found["wrong"]
    for one in wrong:
        line = Text(f"{one['match']}  " if one["match"] else "", style="bold")
        lines.append(line.append(plain(one["text"]), style="not bold"))
    lines.append(Text(t(READ, n=found["texts"])))
    if found["old"]:
        lines.append(Text(t(OLD, n=found["old"]), style="yellow"))
    if not wrong:
        return [*lines, Text(t(WHOLE), style="green")]
    lines.append(Text(t(NOT_WHOLE, n=len(wrong)), style="bold red"))
    mend = MEND_TEXTS if found["in_a_file"] else MEND_LAKE
    return [*lines, Text(t(mend if found["texts_changed"] else MEND_ROWS))]
