"""What a backup that is put back takes over from the store it replaces, so that nobody is let in
again who was shown out, and no name is shown again that was hidden.
"""

from typing import NamedTuple

from ingest.store import pseudonyms, tokens
from ingest.store.factory import Store
from ingest.store.tombstones import gone_among

ACCESS = ("tokens", "sessions", "settings")


class Carried(NamedTuple):
    """What was taken over, and what could not be."""

    access: bool = False
    """Tokens, sign-ins and who may read are those of the store that was replaced."""
    masked: int = 0
    """Players masked there who were not in the backup, and are now."""
    back: tuple[str, ...] = ()
    """Ids of players that were purged there, whom the backup still has."""
    matches: int = 0
    """Matches purged there, or told anew without a name, as they were before."""


def carry(old: Store, new: Store) -> Carried:
    """Take over from a store what was decided there of people and programs."""
    # somebody was let in, or has said who may read
    decided = old.cursor().execute("FROM settings WHERE name = 'reading'").fetchone()
    access = bool(tokens.grants(old).tokens) or decided is not None
    if access:
        with new.adding():
            for table in ACCESS:
                new.connection.execute(f"DELETE FROM {table}")
                new.insert(table, old.cursor().execute(f"FROM {table}").to_arrow_table())
    hidden = {id for (id,) in old.cursor().execute("SELECT player_id FROM masked").fetchall()}
    known = pseudonyms.known_names(new)
    masked = 0
    for number, (player, _) in known.items():
        if player in hidden and not pseudonyms.is_masked(new.cursor(), number):
            pseudonyms.mask(new, number)
            masked += 1
    back = gone_among(old, [player for player, _ in known.values()])
    ids = new.cursor().execute("SELECT match_id FROM matches").fetchall()
    return Carried(access, masked, tuple(back), len(gone_among(old, [one for (one,) in ids])))
