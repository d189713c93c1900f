"""`retourne stats`: what the pages show, in the terminal, from the same queries.

The command line finds it as an entry point of the group `retourne.commands`.
"""

import json
import sys
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import orjson
import polars as pl
import typer
from rich.text import Text

from dashboard.command.tables import Format, is_empty, write
from dashboard.queries.announcements import KEYS
from dashboard.queries.fairness import ENOUGH
from dashboard.tables.stats_query import (
    NO_FILTER,
    OF_ANNOUNCEMENTS,
    Found,
    Request,
    Subject,
    beside_chance,
    counted,
    misfit,
    player_number,
    rests_on,
    scope_of,
    simulated,
)
from engine.games import names
from ingest.cli import complete
from ingest.cli.open_store import Opened, store_at
from ingest.cli.params import At, GameName, ServerUrl, Token, check_read, moment
from ingest.cli.terminal import (
    DEFAULT_STORE,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    bar,
    console,
    leave,
    remark,
)
from ingest.finding.finding import STATUSES
from ingest.i18n import N_, Translate, translator
from ingest.operations import Tell, Work
from ingest.store.baseline import habits
from ingest.text.signs import json_lines

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

TOO_FEW_DEALS = N_("No source has {n} deals of that game and table whose cards are all known.")
ONE_THING = N_(
    "Ask for one thing: a player, --announcements, --missed, --winning, --chance, --fairness or "
    "--ladder."
)

Key = StrEnum("Key", {key.upper(): key for key in KEYS})  # type: ignore[misc]
Status = StrEnum("Status", {name.upper(): name for name in STATUSES})  # type: ignore[misc]


def _subject(option: str, about: str) -> Any:
    return typer.Option(option, rich_help_panel=N_("What is counted, one of these:"), help=about)


def _filter(
    option: str, about: str, metavar: str | None = None, complete: Any = None, **more: Any
) -> Any:
    return typer.Option(
        *option.split(),
        rich_help_panel=N_("Which deals are counted:"),
        help=about,
        metavar=metavar,
        autocompletion=complete,
        **more,
    )


DAY = {"formats": ["%Y-%m-%d"], "metavar": N_("YYYY-MM-DD")}
"""Typer has no type for a day alone."""


def stats(
    ctx: typer.Context,
    player: Annotated[
        str | None,
        typer.Argument(
            metavar=N_("PLAYER"), autocompletion=complete.players, help=N_("A player’s name or id.")
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    announcements: Annotated[
        bool, _subject("--announcements", N_("How often each announcement comes."))
    ] = False,
    key: Annotated[
        Key | None,
        typer.Option("--by", metavar=N_("KEY"), help=N_("Tell announcements apart by this.")),
    ] = None,
    missed: Annotated[
        bool, _subject("--missed", N_("Announcements held and never announced."))
    ] = False,
    winning: Annotated[
        bool, _subject("--winning", N_("Deals won with each announcement and without."))
    ] = False,
    chance: Annotated[
        bool, _subject("--chance", N_("Announcements beside chance, and beside simulated players."))
    ] = False,
    habit: Annotated[
        str | None,
        typer.Option(
            "--habit",
            metavar=N_("HABIT"),
            autocompletion=lambda ctx, incomplete: complete.offered(
                habits(str(ctx.params.get("game") or names()[0])), incomplete
            ),
            help=N_("One habit of simulated players alone; all if absent."),
        ),
    ] = None,
    fairness: Annotated[
        bool, _subject("--fairness", N_("Whether each source’s shuffle is fair."))
    ] = False,
    ladder: Annotated[bool, _subject("--ladder", N_("The ladder: players by rating."))] = False,
    format: Annotated[
        Format, typer.Option("--format", help=N_("table for people; jsonl and csv for programs."))
    ] = Format.TABLE,
    game: Annotated[GameName | None, _filter("--game -g", N_("Count this game."), "GAME")] = None,
    table: Annotated[
        int | None, _filter("--table", N_("Players at the table."), "N", min=2, max=5)
    ] = None,
    rules: Annotated[
        str | None, _filter("--rules", N_("Count these rules alone."), "PRESET", complete.presets)
    ] = None,
    since: Annotated[datetime | None, _filter("--since", N_("First day counted."), **DAY)] = None,
    until: Annotated[datetime | None, _filter("--until", N_("Last day counted."), **DAY)] = None,
    event: Annotated[
        str | None, _filter("--event", N_("This event alone."), "NAME", complete.events)
    ] = None,
    opponent: Annotated[
        str | None,
        _filter("--opponent", N_("Against this player alone."), N_("PLAYER"), complete.players),
    ] = None,
    source: Annotated[
        str | None, _filter("--source", N_("Logs of this source alone."), "NAME", complete.sources)
    ] = None,
    status: Annotated[
        list[Status] | None,
        _filter("--status", N_("Count deals of this verdict; legal ones if absent."), "VERDICT"),
    ] = None,
    sheets: Annotated[
        bool, _filter("--with-sheets", N_("Count what score sheets tell, too."))
    ] = False,
    at: At = None,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Print figures of the store."""
    t = translator(ctx.obj.language, "dashboard")
    chance = chance or habit is not None
    subjects = {
        Subject.PLAYER: player is not None,
        Subject.ANNOUNCEMENTS: announcements
        or (key is not None and not (chance or missed or winning)),
        Subject.MISSED: missed,
        Subject.WINNING: winning,
        Subject.CHANCE: chance,
        Subject.FAIRNESS: fairness,
        Subject.LADDER: ladder,
    }
    found = [subject for subject, wanted in subjects.items() if wanted]
    if len(found) > 1:
        raise Stop(t(ONE_THING))
    asked = Request(
        found[0] if found else Subject.PLAYERS,
        key and str(key),
        habit,
        player,
        game and str(game),
        table,
        rules,
        since and since.date(),
        until and until.date(),
        event,
        opponent,
        source,
        tuple(map(str, status or ())),
        sheets,
    )
    if (unfit := misfit(asked, t)) is not None:
        options = {"sheets": "--with-sheets", "status": "--status", "by": f"--by {key}"}
        what = f"--{asked.subject}"
        raise Stop(t(NO_FILTER, option=options[unfit[0]], what=what, why=unfit[1]))
    check_read(at, server, chance=chance)
    then = moment(at)
    read_only = then is not None or not chance
    with store_at(store, server, token, t, read_only, at=then) as there, bar(t) as tell:
        if isinstance(there, Opened):
            _count(there.work(tell), asked, format, t)
        else:
            _ask_server(there, asked, format, t, tell)
    leave(LEGAL)


def _count(work: Work, asked: Request, format: Format, t: Translate) -> None:
    """Count what was asked for and write it out."""
    cursor = work.store.cursor()
    number, opponent = (
        None if name is None else player_number(cursor, name, t)
        for name in (asked.player, asked.opponent)
    )
    which = scope_of(cursor, asked, () if number is None else (number,), opponent)
    if asked.subject is Subject.CHANCE:
        found: Found = simulated(work, asked, which)
    else:
        found = counted(
            lambda query, *of, **named: query(cursor, *of, **named), asked, which, number
        )
    _write(found, asked, which.game, format, t, rests_on(cursor, asked, which, t))


def _write(
    found: Found, asked: Request, game: str, format: Format, t: Translate, said: str | None
) -> None:
    """The rows that answer, and for people what they rest on. Stop: there is nothing to test."""
    empty = is_empty(found)
    if asked.subject is Subject.FAIRNESS and empty:
        raise Stop(t(TOO_FEW_DEALS, n=ENOUGH))
    if format is Format.TABLE and empty:
        remark(t("Nothing of the kind is in the deals these filters leave."))
    else:
        write(found, asked, game, format, t)
    if format is Format.TABLE and said is not None:
        console(stderr=True).print(Text(said, style="dim"))


DAYS = ("month", "day")
MOMENTS = ("last", "played_at", "until")
"""Columns of dates, which JSON has as text."""


def _ask_server(server: "Server", asked: Request, format: Format, t: Translate, tell: Tell) -> None:
    """Ask, and write what is answered. Stop: the server does not have it."""
    query = {name: one for name, one in asdict(asked).items() if one not in (None, (), False)}
    subject, player = query.pop("subject"), query.pop("player", "")
    query |= {name: query[name].isoformat() for name in ("since", "until") if name in query}
    if asked.subject is Subject.CHANCE:
        told = server.do(beside_chance, tell, **query)
    else:
        query |= {"sheets": "true"} if asked.sheets else {}
        paths = {"player": f"/players/{quote(player, safe='')}"}
        if asked.subject in OF_ANNOUNCEMENTS:
            paths[subject], query["of"] = "/announcements", str(subject)
        told = server.get(paths.get(subject, f"/{subject}"), **query)
    rows = told["rows"]
    if format is Format.JSONL and rows:
        lines = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
        sys.stdout.write(json_lines(lines.decode()))
        return
    found: Found = _frame(rows)
    if asked.subject is Subject.PLAYER:
        sections: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            sections.setdefault(row.pop("section"), []).append(row)
        found = {name: _frame(some) for name, some in sections.items()}
    game = told["game"] if "game" in told else told["scope"]["game"]
    _write(found, asked, game, format, t, told.get("rests_on"))


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows as the frame they were, dates being dates again."""
    lines = "\n".join(map(json.dumps, rows)).encode()
    frame = pl.read_ndjson(lines, infer_schema_length=None) if rows else pl.DataFrame()
    texts = {name for name, kind in frame.schema.items() if kind == pl.String}
    return frame.with_columns(
        *(pl.col(name).str.to_date() for name in DAYS if name in texts),
        *(pl.col(name).str.to_datetime(time_zone="UTC") for name in MOMENTS if name in texts),
    )
