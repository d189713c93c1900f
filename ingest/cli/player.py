"""A player whom a command changes: told by id, never by a name, which several may have."""

from ingest.cli.terminal import meant
from ingest.i18n import N_, Translate
from ingest.store import people
from ingest.store.store import Store

NAMED = N_("{name} is a name. A player is told here by the id: {ids}")


def number(store: Store, player: str) -> int | None:
    """A player's number by id or pseudonym."""
    row = store.cursor().execute(
        "SELECT player_no FROM players WHERE player_id = $1"
        " UNION SELECT player_no FROM masked WHERE player_id = $1",
        [player],
    )
    found = row.fetchone()
    return None if found is None else int(found[0])


def unknown(store: Store, words: str, t: Translate, sentence: str, alone: str) -> str:
    """What is said of words that are no id: who has that name, or what may have been meant.

    `sentence` is for where something may, `alone` for where nothing does.
    """
    if named := people.named(store.cursor(), words):
        return t(NAMED, name=words, ids=", ".join(one.id for one in named))
    near = [one.id for one in people.near(store.cursor(), words)]
    return meant(t, t(sentence if near else alone, id=words), near)
