"""Commands that merge, rename and split players, and propose who may be one person."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from rich.console import Console

from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import StoreOrServerRun
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.i18n import N_, Translate
from ingest.operations import OperationResult, players
from ingest.store.player_duplicates import RELATION_LABELS, NameRelation

PLAYER_ID = N_("A player’s id, or pseudonym.")
MAY_BE_ONE = N_("{other} may be {player}: {how}.")
ONE_ID_TWO_NAMES = N_("{player} came with names that read as two people’s: {names}. If they are two:")
NO_DUPLICATES = N_("No two players look like one person.")
JOINED = N_("Matches that were stored twice and count once now, since their cards and acts are the same: {n}")
PROPOSED = N_("Matches without cards that may be stored twice: {n}. See: retourne match duplicates")
UNDO_HINT = N_("Undo: retourne player undo {n}")


def player_merge(
    run: StoreOrServerRun,
    player: str = cli.argument(PLAYER_ID, N_("PLAYER"), complete=shell_completion.complete_players),
    others: list[str] = cli.argument(
        N_("Merge and split players, by id."), N_("OTHER…"), complete=shell_completion.complete_players
    ),
) -> None:
    """Make several players one person."""
    _print_change(run, run.run_operation(players.player_merge, player=player, others=others))


def player_rename(
    run: StoreOrServerRun,
    player: str = cli.argument(PLAYER_ID, N_("PLAYER"), complete=shell_completion.complete_players),
    name: str = cli.argument(N_("The name to show."), N_("NAME")),
) -> None:
    """Show a player under another name."""
    _print_change(run, run.run_operation(players.player_rename, player=player, name=name))


def player_split(
    run: StoreOrServerRun,
    player: str = cli.argument(PLAYER_ID, N_("PLAYER"), complete=shell_completion.complete_players),
    ids_or_names: list[str] = cli.argument(
        N_("Ids or names that belong to another person."), N_("ID-OR-NAME…")
    ),
) -> None:
    """Make some ids or names of a player another player."""
    done = run.run_operation(players.player_split, player=player, ids_or_names=ids_or_names)
    _print_change(run, done)


def player_undo(
    run: StoreOrServerRun,
    change: int | None = cli.argument(N_("The change’s number (default: the last one)."), "N", None),
    list_: bool = cli.flag(N_("List the changes that can be undone."), "--list"),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Undo a merge, rename or split."""
    if not list_:
        for one in run.run_operation(players.player_undo, change=change)["players"]:
            if one:
                console().print(_label(one))
        return
    known = run.run_operation(players.player_changes)["changes"]
    if format is params.Format.JSONL:
        return params.write_json_lines(known)
    for one in known:
        names = ", ".join(map(escape_line, one["players"]))
        console().print(f"{one['change']}\t{one['changed_at'][:16]}\t{one['action']}\t{names}")


def player_duplicates(run: StoreOrServerRun, format: params.FormatOption = params.Format.TEXT) -> None:
    """Propose which players may be one person."""
    found, t, out = run.run_operation(players.player_duplicates), run.t, console()
    if format is params.Format.JSONL:
        return params.write_json_lines([*found["pairs"], *found["named"]])
    if not found["pairs"] and not found["named"]:
        return out.print(t(NO_DUPLICATES))
    print_differing_names(t, found["named"], out)
    print_likely_pairs(t, found["pairs"], out)


def print_differing_names(t: Translate, found: Sequence[Mapping[str, Any]], out: Console) -> None:
    """Print players whose one id came with names of two people, each with the command that splits them."""
    for one in found:
        named = t(ONE_ID_TWO_NAMES, player=one["player_id"], names=", ".join(one["names"]))
        out.print(escape_line(named))
        texts = [quote(one["player_id"]), quote(one["names"][-1])]
        out.print(escape_line(f"  retourne player split {' '.join(texts)}"), style="dim")


def player_different(
    run: StoreOrServerRun,
    player: str = cli.argument(PLAYER_ID, N_("PLAYER"), complete=shell_completion.complete_players),
    other: str = cli.argument(PLAYER_ID, N_("OTHER"), complete=shell_completion.complete_players),
) -> None:
    """Remember that two players are two people."""
    _print_change(run, run.run_operation(players.player_different, player=player, other=other))


def print_likely_pairs(t: Translate, pairs: Sequence[Mapping[str, str]], out: Console) -> None:
    """Print pairs of players who may be one person, each with the command that merges them."""
    for one in pairs:
        how = t(RELATION_LABELS[NameRelation(one["relation"])])
        first, second = f"{one['name']} ({one['player_id']})", f"{one['other_name']} ({one['other_id']})"
        out.print(escape_line(t(MAY_BE_ONE, other=second, player=first, how=how)))
        ids = f"{quote(one['player_id'])} {quote(one['other_id'])}"
        out.print(escape_line(f"  retourne player merge {ids}"), style="dim")


def _print_change(run: StoreOrServerRun, done: OperationResult) -> None:
    """Print who is shown how, and how to undo it."""
    for key in ("player", "new"):
        if key in done:
            console().print(_label(done[key]))
    if joined := done.get("joined_matches"):
        console().print(run.t(JOINED, n=len(joined)))
        for one in joined:
            console().print(f"  {one['other_id']} → {one['match_id']}", style="dim")
    if proposed := done.get("proposed_matches"):
        console().print(run.t(PROPOSED, n=proposed))
    console(stderr=True).print(run.t(UNDO_HINT, n=done["change"]))


def _label(player: dict[str, str]) -> str:
    return escape_line(f"{player['name']} ({player['player_id']})")
