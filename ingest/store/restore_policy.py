"""Decide which facts of the replaced store a restore keeps: tokens, masks."""

from typing import NamedTuple

from ingest.store import pseudonyms, tokens
from ingest.store.aliases import declared_by_player
from ingest.store.factory import Store
from ingest.store.tombstones import purged_ids

ACCESS_TABLES = ("tokens", "sessions", "settings")


class RestoreCarryOver(NamedTuple):
    """The facts a restore carried over, and those it could not."""

    access: bool = False
    """Whether tokens, sessions and settings come from the replaced store."""
    masked: int = 0
    """Players masked in the replaced store whom the restore masked again."""
    back: tuple[str, ...] = ()
    """Ids of players purged from the replaced store whom the backup still has."""
    matches: int = 0
    """Matches purged there, or rewritten without a name, that the backup has as before."""


def carry_over(old_store: Store, new_store: Store) -> RestoreCarryOver:
    """Carry over access and masks from the replaced store."""
    # a token exists, or access was set
    decided = old_store.cursor().execute("FROM settings WHERE name = 'access'").fetchone()
    access = bool(tokens.read_tokens(old_store)) or decided is not None
    if access:
        with new_store.transaction():
            for table in ACCESS_TABLES:
                new_store.connection.execute(f"DELETE FROM {table}")
                new_store.insert_rows(table, old_store.cursor().execute(f"FROM {table}").to_arrow_table())
    query = "SELECT player_id, name FROM aliases SEMI JOIN masked USING (player_no)"
    hidden = {*old_store.cursor().execute(f"{query} UNION SELECT player_id, name FROM masked").fetchall()}
    known = declared_by_player(new_store.cursor())
    masked = 0
    for number, pairs in known.items():
        if pairs & hidden and not pseudonyms.is_masked(new_store.cursor(), number):
            pseudonyms.mask_player(new_store, number)
            masked += 1
    back = purged_ids(old_store, [*{player for pairs in known.values() for player, _ in pairs}])
    ids = new_store.cursor().execute("SELECT match_id FROM matches").fetchall()
    return RestoreCarryOver(access, masked, tuple(back), len(purged_ids(old_store, [one for (one,) in ids])))
