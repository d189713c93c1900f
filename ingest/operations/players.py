"""Operations on players: merge, rename, split, and who may be one person."""

from typing import Any
from unicodedata import normalize

from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.operations.matches import UNKNOWN_ID, UNKNOWN_PLAYER, player_number, unknown_id_error
from ingest.store import player_merges as changes
from ingest.store import pseudonyms
from ingest.store.known_names import ids_of_names
from ingest.store.merged_matches import count_proposed, list_joined
from ingest.store.player_duplicates import differing_names, likely_pairs
from schemas.player_key import player_key

NOTHING_TO_SPLIT = N_("Give some of the ids and names that the player has, and not all: {known}")
NOTHING_TO_UNDO = N_("No change of players can be undone.")
UNKNOWN_CHANGE = N_("No change {n} of players to undo.")
LATER_CHANGE = N_("A later change is about the same players. Undo it first: {n}")
SAME_PLAYER = N_("{name} is that player already.")


def player_merge(work: OperationContext, player: str, others: list[str]) -> OperationResult:
    """Make several players one person, under the id of the first; undo splits them again.

    Matches that were stored once under each of them, with the same cards and acts, are one then.
    """
    number, rest = _number(work, player), list[int]()
    for other in others:
        if (found := _number(work, other)) == number:
            raise OperationRefused(SAME_PLAYER, name=other)
        rest.append(found)
    try:
        change = changes.merge_players(work.store, number, [*dict.fromkeys(rest)])
    except changes.SatTogether as error:
        raise OperationRefused("{sentence}", sentence=error.message(work.t)) from None
    cursor = work.store.cursor()
    return {
        "change": change,
        "player": _shown(work, number),
        "joined_matches": [
            {"match_id": one.match_id, "other_id": one.joined_id} for one in list_joined(cursor, change)
        ],
        "proposed_matches": count_proposed(cursor, number),
    }


def player_rename(work: OperationContext, player: str, name: str) -> OperationResult:
    """Show a player under another name; the former names still find the player."""
    number = _number(work, player)
    return {"change": changes.rename_player(work.store, number, name), "player": _shown(work, number)}


def player_split(work: OperationContext, player: str, ids_or_names: list[str]) -> OperationResult:
    """Make some ids or names of a player another player."""
    number = _number(work, player)
    done = changes.split_player(work.store, number, ids_or_names)
    if done is None:
        own = pseudonyms.declared(work.store.cursor(), number)
        known = dict.fromkeys(normalize("NFC", one) for one in own)  # others read as the same
        raise OperationRefused(NOTHING_TO_SPLIT, known=", ".join(known))
    change, new = done
    return {"change": change, "player": _shown(work, number), "new": _shown(work, new)}


def player_undo(work: OperationContext, change: int | None = None) -> OperationResult:
    """Undo a merge, rename or split of players: the last one, or the one with a number."""
    known = changes.list_changes(work.store.cursor())
    if not known:
        raise NotFound(NOTHING_TO_UNDO)
    try:
        found = changes.undo_change(work.store, known[0].number if change is None else change)
    except KeyError:
        raise NotFound(UNKNOWN_CHANGE, n=change) from None
    except changes.LaterChange as error:
        raise OperationRefused(LATER_CHANGE, n=error.args[0]) from None
    return {"players": [_shown(work, number) for number in found]}


def player_changes(work: OperationContext) -> OperationResult:
    """List the changes of players that can be undone, newest first."""
    return {
        "changes": [
            {
                "change": one.number,
                "changed_at": one.at.isoformat(),
                "action": one.action,
                "players": one.names,
            }
            for one in changes.list_changes(work.store.cursor())
        ]
    }


def player_duplicates(work: OperationContext, files: list[int] | None = None) -> OperationResult:
    """Propose players who may be one person, and players whose one id came with two people's names.

    `files`: numbers of files; only players and names that are new with them are compared with the others.
    """
    cursor = work.store.cursor()
    pairs = likely_pairs(cursor, files)
    named = differing_names(cursor, files)
    return {
        "pairs": [
            {
                "player_id": _shown(work, one.player_no)["player_id"],
                "name": one.name,
                "other_id": _shown(work, one.other_no)["player_id"],
                "other_name": one.other_name,
                "relation": str(one.relation),
            }
            for one in pairs
        ],
        "named": [
            {"player_id": _shown(work, player_no)["player_id"], "names": names}
            for player_no, names in named.items()
        ],
    }


def players_named(work: OperationContext, names: list[str]) -> OperationResult:
    """Find players by the names of a sheet: of each name the only player who has it."""
    found = ids_of_names(work.store.cursor(), names)
    known = {one: found[player_key(one)] for one in names if player_key(one) in found}
    return {"players": [{"name": name, "player_id": player_id} for name, player_id in known.items()]}


def player_different(work: OperationContext, player: str, other: str) -> OperationResult:
    """Remember that two players are two people, so that they are not proposed again."""
    first, second = _number(work, player), _number(work, other)
    if first == second:
        raise OperationRefused(SAME_PLAYER, name=other)
    change = changes.declare_different(work.store, first, second)
    return {"change": change, "player": _shown(work, first), "new": _shown(work, second)}


def _number(work: OperationContext, player: str) -> int:
    """Return a player's number by id, former id or pseudonym. NotFound: there is none."""
    if (found := player_number(work.store, player)) is None:
        raise NotFound("{sentence}", sentence=unknown_id_error(work, player, UNKNOWN_ID, UNKNOWN_PLAYER))
    return found


def _shown(work: OperationContext, number: int) -> dict[str, Any]:
    """Return id and name of a player as the store shows them; empty for an unknown player."""
    query = "SELECT player_id, name FROM players WHERE player_no = ?"
    row = work.store.cursor().execute(query, [number]).fetchone()
    return {"player_id": row[0], "name": row[1]} if row else {}
