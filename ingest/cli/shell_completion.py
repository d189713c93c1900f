"""Shell completion: ids, names, presets, finding codes.

Errors yield no completions and no message, since the user is typing. Names that a shell could
interpret are not offered.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

import typer

from ingest.store.errors import DEFAULT_STORE_NAME

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient

COMPLETE_VARIABLE = "_RETOURNE_COMPLETE"
"""Variable with the request of the shell, such as `complete_bash`."""
MAX_COMPLETIONS = 200
"""Longer lists are of no use."""
MAX_COMPLETION_CHARS = 80
DUCKDB_CONFIG: dict[str, str | bool | int | float | list[str]] = {"enable_external_access": False}
"""So that a view in a foreign store cannot read other files."""
STORE_TIMEOUT_SECONDS = 1.0
"""Seconds; after that the user has typed on."""
SAFE_NAME = re.compile(r"(?![-=~ ])(?!.*  )[\w .,:+@%/=()&'’·°«»–—-]+(?<! )")
"""Names that are offered: without patterns, variables, control characters and quotes except '."""
UNQUOTED_WORD = re.compile(r"[\w./,+%-]+")
"""Words that no shell needs quoted."""


def print_completions(complete: Callable[[], Any]) -> int:
    """Write the completions of `complete` quoted for the shell, and return its exit code."""
    result, code = StringIO(), 0
    with redirect_stdout(result), redirect_stderr(StringIO()):
        try:
            complete()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        except Exception:
            code = 1
    what, _, shell = os.environ.get(COMPLETE_VARIABLE, "").rpartition("_")
    quote = SHELL_QUOTING.get(shell, str) if what.startswith("complete") else str  # else a script
    with suppress(OSError):
        sys.stdout.writelines(quote(line) + "\n" for line in result.getvalue().splitlines())
        sys.stdout.flush()
    return code


def _quote_for_powershell(line: str) -> str:
    value, between, about = line.partition(":::")
    quoted = value if UNQUOTED_WORD.fullmatch(value) else "'" + value.replace("'", "''") + "'"
    return quoted + between + about


SHELL_QUOTING: Mapping[str, Callable[[str], str]] = {
    # a backslash before each character that could end the word or expand
    "bash": lambda value: re.sub(r"[^\w./,+%’·°«»–—-]", r"\\\g<0>", value),
    "powershell": _quote_for_powershell,
    "pwsh": _quote_for_powershell,
}
"""Quoting for shells that insert completions as code; other shells quote them."""


def filter_completions(values: Iterable[object], prefix: str) -> list[str]:
    """Return the values that start with `prefix` and are safe to offer."""
    # Typer's zsh output cannot express an apostrophe
    unsafe = "'" if os.environ.get(COMPLETE_VARIABLE, "").endswith("_zsh") else "\n"
    remaining = dict.fromkeys(
        one
        for one in (str(value) for value in values if value is not None)
        if one.startswith(prefix) and len(one) <= MAX_COMPLETION_CHARS and SAFE_NAME.fullmatch(one)
        if unsafe not in one
    )
    return list(remaining)[:MAX_COMPLETIONS]


Ask = Callable[["ServerClient", str], Iterable[object]]
"""Returns a server's values for the text typed so far."""


def _of_matches(values: Callable[[Any], Iterable[object]]) -> Ask:
    """Return values of the matches that a server finds for the typed text, newest first."""

    def ask(server: "ServerClient", typed: str) -> Iterable[object]:
        found = server.get_json("/matches", q=typed, sort="added", limit=MAX_COMPLETIONS)["matches"]
        return (value for one in found for value in values(one))

    return ask


def _tokens(server: "ServerClient", typed: str) -> Iterable[object]:
    from ingest.operations import access

    known = server.run_operation(access.tokens)["tokens"]
    return (one["name"] for one in known if not one["revoked"])


def _sessions(server: "ServerClient", typed: str) -> Iterable[object]:
    from ingest.operations import access

    return (one["id"] for one in server.run_operation(access.sessions)["sessions"])


def _store_completer(
    query: str, words: bool = False, there: Ask = lambda server, typed: ()
) -> Callable[[typer.Context, str], list[str]]:
    """Return a completer that runs a query of the store, with `$typed` and `$most` (the limit).

    `words`: values may contain masked names, which are skipped. `there` gets a server's values.
    """

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        # options come from the unfinished line, where the shell has not expanded ~
        if (url := ctx.params.get("server")) is not None:
            with suppress(Exception), redirect_stderr(StringIO()):
                from ingest.cli.http_client import ServerClient

                token = ctx.params.get("token") or os.environ.get("RETOURNE_TOKEN")
                with ServerClient(url, token, ctx.obj, patience=STORE_TIMEOUT_SECONDS) as server:
                    return filter_completions(there(server, incomplete), incomplete)
            return []
        named = ctx.params.get("store") or os.environ.get("RETOURNE_STORE") or DEFAULT_STORE_NAME
        with suppress(Exception), ExitStack() as until:  # no usable store: no completions
            if not (path := Path(named).expanduser()).is_file():  # a pipe would block
                return []
            from schemas.migrations import connect  # imported only if needed

            cursor = until.enter_context(connect(path, read_only=True, config=DUCKDB_CONFIG))
            limit = Timer(STORE_TIMEOUT_SECONDS, cursor.interrupt)
            until.callback(limit.cancel)
            limit.daemon = True
            limit.start()
            rows = cursor.execute(query, {"typed": incomplete, "most": 2 * MAX_COMPLETIONS}).fetchall()
            values = [value for (value,) in rows]
            if words and cursor.execute("SELECT 1 FROM masked LIMIT 1").fetchone():
                # omit values with a masked player's name, even for matches without that player
                from ingest.redact.anonymize_log import MaskedPlayers
                from ingest.store.raw_texts import masked_players

                people = MaskedPlayers(masked_players(cursor).values())
                hide = people.redactor_for(people.by_id)
                values = [one for one in values if hide(one, within=True) == one]
            return filter_completions(values, incomplete)
        return []

    return complete


def _latest_values_query(column: str, table: str = "matches", number: str = "match_no") -> str:
    """Return a query of the values that start with `$typed`, newest first."""
    return (
        f"(SELECT {column} FROM {table} WHERE starts_with({column}, $typed)"
        f" GROUP BY 1 ORDER BY max({number}) DESC LIMIT $most)"
    )


_MASKED = "(SELECT * FROM players WHERE player_no IN (SELECT player_no FROM masked))"
_UNMASKED = "(SELECT * FROM players WHERE player_no NOT IN (SELECT player_no FROM masked))"
_VALID_TOKENS = "(SELECT * FROM tokens WHERE revoked_at IS NULL)"
_PLAYER_IDS, _PLAYER_NAMES = (
    _latest_values_query(one, "players", "player_no") for one in ("player_id", "name")
)
_MATCH_HASHES = (
    "(SELECT match_id[:12] FROM matches WHERE starts_with(match_id, $typed)"
    " AND (log_id IS NULL OR len($typed) >= 4) LIMIT $most)"
)
complete_matches = _store_completer(
    f"{_latest_values_query('log_id')} UNION ALL {_MATCH_HASHES}",
    words=True,
    there=_of_matches(lambda one: [one["log_id"], one["match_id"][:12]]),
)
"""Ids in logs; hashes of matches without one, or if the start of a hash is typed."""
complete_players = _store_completer(
    f"{_PLAYER_NAMES} UNION ALL {_PLAYER_IDS}",
    there=_of_matches(lambda one: [of[name] for name in ("name", "player_id") for of in one["players"]]),
)
complete_players_and_matches = _store_completer(
    f"{_PLAYER_IDS} UNION ALL {_latest_values_query('log_id')}",
    words=True,
    there=_of_matches(lambda one: [*(of["player_id"] for of in one["players"]), one["log_id"]]),
)
"""Ids of players or matches."""
complete_unmasked_players = _store_completer(
    _latest_values_query("player_id", _UNMASKED, "player_no"),
    there=_of_matches(lambda one: [of["player_id"] for of in one["players"]]),
)
complete_pseudonyms = _store_completer(_latest_values_query("player_id", _MASKED, "player_no"))
"""Pseudonyms are the ids of masked players."""
complete_events = _store_completer(
    _latest_values_query("event"), words=True, there=_of_matches(lambda one: [one["event"]])
)
complete_sources = _store_completer(_latest_values_query("source"), words=True)
complete_files = _store_completer(_latest_values_query("name", "files", "file_no"), words=True)
complete_tokens = _store_completer(_latest_values_query("name", _VALID_TOKENS, "token_no"), there=_tokens)
complete_sessions = _store_completer(
    _latest_values_query("hash[:12]", "sessions", "epoch_us(used_at)"), there=_sessions
)


def complete_presets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete presets of the named game, or of all."""
    from engine.games import game_names as games
    from engine.options import game_presets as of_game

    chosen = ctx.params.get("game") or ctx.params.get("game_name")
    known = [str(chosen)] if chosen else games()
    return filter_completions((one for game in known for one in of_game(game)), incomplete)


def complete_codes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete codes of findings and ids of rules."""
    from ingest.findings.codes import code_entries as known
    from ingest.findings.rulebook import rules_by_id

    every = [*(one.code for one in known()), *rules_by_id(ctx.obj.language)]
    return filter_completions(every, incomplete)


def complete_games(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete names of games."""
    from engine.games import game_names as known

    return filter_completions(known(), incomplete)
