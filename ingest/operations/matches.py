"""Matches into the trash, out of it again, and out of it for good."""

from ingest.i18n import N_
from ingest.operations import Missing, Refused, Told, Work
from ingest.store import trash

WHICH = N_("Say what to delete: ids of matches or --file.")
NO_MATCH = N_("The store has no match {id}. See: retourne export --list")
NO_FILE = N_("The store has no match of a file {name}.")
NOTHING = N_("Nothing was deleted that could come back.")
NO_DELETION = N_("There is no deletion {n} to undo. See: retourne undelete --list")


def delete(work: Work, ids: list[str] | None = None, file: str | None = None) -> Told:
    """Delete matches by their ids, or all that came with files of a name."""
    if bool(ids) == (file is not None):
        raise Refused(WHICH)
    store, chosen = work.store, list[int]()
    for name in ids or ():
        if (number := store.find(name, hidden=True)) is None:
            raise Missing(NO_MATCH, id=name)
        chosen.append(number)
    if file is not None:
        where = "matches m JOIN files f USING (file_no) WHERE f.name = ?"
        chosen = trash.numbers(store.cursor(), where, [file]).tolist()
    deletion = trash.delete(store, chosen)
    if deletion is None:
        raise Missing(NO_FILE, name=file)
    return {"deleted": len({*chosen}), "deletion": deletion}


def undelete(work: Work, deletion: int | None = None) -> Told:
    """Bring back the matches of a deletion, the last one if none is named."""
    known = trash.deletions(work.store.cursor())
    if not known:
        raise Missing(NOTHING)
    try:
        number = known[0].number if deletion is None else deletion
        back, again = trash.undelete(work.store, number)
    except KeyError:
        raise Missing(NO_DELETION, n=deletion) from None
    return {"restored": back, "known": again}


def deletions(work: Work) -> Told:
    """List what can be brought back, the last deletion first."""
    return {
        "deletions": [
            {
                "number": one.number,
                "at": f"{one.at:%Y-%m-%dT%H:%M:%SZ}",
                "matches": one.matches,
                "files": list(one.files),
            }
            for one in trash.deletions(work.store.cursor())
        ]
    }


def empty_trash(work: Work) -> Told:
    """Forget for good all that was deleted."""
    return {"forgotten": trash.empty(work.store)}
