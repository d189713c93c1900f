"""`retourne replay`: a match on the terminal, step by step or all at once, or as a page."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text as Line

from ingest.cli import complete
from ingest.cli.board import Board
from ingest.cli.keys import keyboard
from ingest.cli.losses import Values
from ingest.cli.params import check_output, sources, written
from ingest.cli.say import STATUS, STYLE, finding_line
from ingest.cli.serve import dashboard
from ingest.cli.stored import is_file, stored_text
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    compiling_solvers,
    console,
    leave,
)
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained, explain
from ingest.judge.report import trouble_report
from ingest.text.files import Text, Trouble
from ingest.text.signs import plain
from ingest.text.sources import source_batches

EXAMPLES = (
    "retourne replay match.json",
    "retourne replay club.jsonl --match 12 --deal 3",
    "retourne replay lavardin-2026-t12-r3 --store club.duckdb --all",
    "retourne replay match.json --html match.html --mask-names",
)

NO_SUCH_MATCH = N_("{file} has no match number {n}.")
NO_SUCH_DEAL = N_("The match has no deal number {n}; it has {count}.")
NO_PAGE = N_("No deal of this match can be replayed on a page.")
KEYS = N_("→ ← step · ] [ trick · ↓ ↑ deal · Home End · f finding · q leave")


def replay(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar=N_("FILE|ID"),
            autocompletion=complete.matches,
            help=N_("A file, or the id of a stored match."),
        ),
    ],
    match: Annotated[
        int, typer.Option("--match", "-m", min=1, metavar="N", help=N_("Which match of the file."))
    ] = 1,
    deal: Annotated[
        int | None,
        typer.Option("--deal", "-d", min=1, metavar="N", help=N_("Which deal.")),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", "-a", help=N_("Write the deals as text."))] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="PAGE", help=N_("Write the replay as one page for a browser.")
        ),
    ] = None,
    mask_names: Annotated[
        bool, typer.Option("--mask-names", help=N_("Number the players of that page."))
    ] = False,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Replay a match."""
    t: Translate = ctx.obj
    if html is not None:
        check_output(html)
    text = _text_in(t, name, match) if is_file(name) else stored_text(t, name, store)
    explained = explain(text)
    out = console()
    if explained.match is None or not explained.match.deals:
        out.print(_heading(t, explained))
        leave(FOUND)
    games = [] if explained.table is None else [explained.table.game]
    count = len(explained.match.deals)
    if deal is not None and deal > count:
        raise Stop(NO_SUCH_DEAL, n=deal, count=count)
    if html is not None:
        if not any(explained.replays):
            raise Stop(NO_PAGE)
        compiling_solvers(t, games)
        _write_page(html, text, t, mask_names)
    elif all_ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        out.print(_heading(t, explained))
        compiling_solvers(t, games)
        values = Values(t, explained)
        values.wait()
        for number in range(count) if deal is None else [deal - 1]:
            out.print(Line())
            out.print(Line("\n").join(Board(explained, number, t, values).lines()))
    else:
        _step_through(t, explained, (deal or 1) - 1)
    leave(LEGAL)


def _write_page(output: Path, text: bytes, t: Translate, mask_names: bool) -> None:
    """The match as a page, made by the dashboard's board."""
    words = ["--lang", t.language, *(["--mask-names"] if mask_names else [])]
    command = dashboard("dashboard.board.offline", *words)
    made = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False)
    if made.returncode:  # it has said why
        leave(CANNOT)
    with written(output) as file:
        file.write(made.stdout)


def _text_in(t: Translate, name: str, number: int) -> bytes:
    """The text of match `number` of a file, from 1; what could not be read counts as one."""
    at = 0
    for batch in source_batches(sources([name])):
        entries: list[Text | Trouble] = [*batch.texts, *batch.troubles]
        for entry in sorted(entries, key=lambda one: one.line):
            at += 1
            if at == number and isinstance(entry, Trouble):
                reason = trouble_report(entry).findings[0].message(t)
                raise Stop("{reason}", reason=reason)
            if at == number and isinstance(entry, Text):
                return entry.text
    raise Stop(NO_SUCH_MATCH, file=name, n=number)


def _heading(t: Translate, explained: Explained) -> RenderableType:
    """Who played, when, where, by which rules; and what is wrong with the match as a whole."""
    lines = []
    if (match := explained.match) is not None:
        names = " – ".join(player.called for player in match.players)
        event = match.event or {}
        where = [str(event[key]) for key in ("name", "place", "round", "table") if event.get(key)]
        rules = match.rules.get("preset") if isinstance(match.rules, dict) else match.rules
        details = [match.game, str(rules or ""), (match.played_at or "")[:10], *where]
        lines.append(Line(plain(names), style="bold"))
        lines.append(Line(plain(" · ".join(part for part in details if part)), style="dim"))
    lines.append(Line(t(STATUS[explained.status]), style=STYLE[explained.status]))
    # what cannot be read has no board at which its other findings would stand
    unread = explained.match is None
    lines += [finding_line(t, one) for one in explained.findings if unread or one.deal is None]
    return Group(*lines)


def _step_through(t: Translate, explained: Explained, deal: int) -> None:
    assert explained.match is not None
    count = len(explained.match.deals)
    values = Values(t, explained)
    board, step = Board(explained, deal, t, values), 0
    with keyboard() as pressed, console().screen() as screen:

        def draw() -> None:
            keys = Line(t(KEYS), style="dim")
            screen.update(Group(_heading(t, explained), Line(), board.screen(step), Line(), keys))

        draw()
        for key in pressed:
            if key == "quit":
                return
            if key in ("deal-next", "deal-back"):
                chosen = max(0, min(count - 1, board.number + (1 if key == "deal-next" else -1)))
                if chosen != board.number:
                    board, step = Board(explained, chosen, t, values), 0
            else:
                step = _moved(board, step, key)
            draw()


def _moved(board: Board, step: int, key: str) -> int:
    last = len(board) - 1
    if key == "fault":
        fault = board.first_fault()
        return step if fault is None else fault
    if key in ("trick-next", "trick-back"):
        return board.next_trick(step, 1 if key == "trick-next" else -1)
    moves = {"next": step + 1, "back": step - 1, "first": 0, "last": last}
    return max(0, min(last, moves[key]))
