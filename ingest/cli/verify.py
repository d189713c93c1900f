"""`retourne verify`: whether a store is what its texts make of it."""

import sys
from contextlib import closing
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer
from rich.text import Text

from ingest.cli.opening import open_store
from ingest.cli.params import write
from ingest.cli.terminal import (
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Quiet,
    StorePath,
    console,
    leave,
    progress,
)
from ingest.i18n import N_, Translate
from ingest.store.revalidate import old
from ingest.store.store import Store
from ingest.store.verify import OTHER_DELETED, OTHER_TEXT, Wrong
from ingest.store.verify import verify as verified
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
    lang: Lang = None,
) -> None:
    """Read every text of a store again and compare every row."""
    t: Translate = ctx.obj
    with open_store(store, read_only=True) as opened:
        left_out = sum(old(opened.cursor()).values())
        read, wrong = _read(t, opened, quiet)
        mend = MEND_TEXTS if opened.in_a_file else MEND_LAKE
    if format is not Format.TEXT:
        found = [_as_object(one, t) for one in wrong]
        told = {"whole": not wrong, "texts": read, "old": left_out, "wrong": found}
        if format is Format.JSONL:
            write([told])
        else:
            sys.stdout.write(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif wrong or not quiet:
        console().print(Text("\n").join(_lines(t, read, wrong, left_out, mend)))
    leave(FOUND if wrong else LEGAL)


def _read(t: Translate, store: Store, quiet: bool) -> tuple[int, list[Wrong]]:
    """How many texts were read, and all that is wrong."""
    with closing(verified(store)) as found:
        first = next(found)
        wrong, done = first.wrong, 0
        with progress(t, N_("Reading again"), first.total, quiet=quiet) as advance:
            for batch in found:
                advance(batch.done)
                done = batch.done
                wrong += batch.wrong
    return done, wrong


def _as_object(wrong: Wrong, t: Translate) -> dict[str, Any]:
    """Something wrong as `--format json` writes it."""
    return wrong._asdict() | {"text": wrong.say(t)}


def _lines(t: Translate, read: int, wrong: list[Wrong], left_out: int, mend: str) -> list[Text]:
    """What is wrong, match by match, and the answer below it; `mend` is the one of a text."""
    lines = []
    for one in wrong:
        line = Text(f"{one.match}  " if one.match else "", style="bold")
        lines.append(line.append(plain(one.say(t)), style="not bold"))
    lines.append(Text(t(READ, n=read)))
    if left_out:
        lines.append(Text(t(OLD, n=left_out), style="yellow"))
    if not wrong:
        return [*lines, Text(t(WHOLE), style="green")]
    lines.append(Text(t(NOT_WHOLE, n=len(wrong)), style="bold red"))
    texts = any(one.text in (OTHER_TEXT, OTHER_DELETED) for one in wrong)
    return [*lines, Text(t(mend if texts else MEND_ROWS))]
