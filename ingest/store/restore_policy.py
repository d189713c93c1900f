"""What a restore keeps from the store it replaces: tokens, masks."""

from typing import NamedTuple

from ingest.store import pseudonyms, tokens
from ingest.store.factory import Store
from ingest.store.tombstones import purged_ids

ACCESS_TABLES = ("tokens", "sessions", "settings")


class RestoreCarryOver(NamedTuple):
    """What was taken over, and what could not be."""

    access: bool = False
    """Tokens, sign-ins and who may read are those of the store that was replaced."""
    masked: int = 0
    """Players masked there who were not in the backup, and are now."""
    back: tuple[str, ...] = ()
    """Ids of players that were purged there, whom the backup still has."""
    matches: int = 0
    """Matches purged there, or told anew without a name, as they were before."""


def carry_over(old_store: Store, new_store: Store) -> RestoreCarryOver:
    """Take over from a store what was decided there of people and programs."""
    # somebody was let in, or has said who may read
    decided = old_store.cursor().execute("FROM settings WHERE name = 'reading'").fetchone()
    access = bool(tokens.read_grants(old_store).tokens) or decided is not None
    if access:
        with new_store.transaction():
            for table in ACCESS_TABLES:
                new_store.connection.execute(f"DELETE FROM {table}")
                new_store.insert_rows(
                    table, old_store.cursor().execute(f"FROM {table}").to_arrow_table()
                )
    hidden = {id for (id,) in old_store.cursor().execute("SELECT player_id FROM masked").fetchall()}
    known = pseudonyms.known_names(new_store)
    masked = 0
    for number, (player, _) in known.items():
        if player in hidden and not pseudonyms.is_masked(new_store.cursor(), number):
            pseudonyms.mask_player(new_store, number)
            masked += 1
    back = purged_ids(old_store, [player for player, _ in known.values()])
    ids = new_store.cursor().execute("SELECT match_id FROM matches").fetchall()
    return RestoreCarryOver(
        access, masked, tuple(back), len(purged_ids(old_store, [one for (one,) in ids]))
    )
