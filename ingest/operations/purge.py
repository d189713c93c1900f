"""A match, or a player, out of every byte of the store."""

from ingest.i18n import N_
from ingest.operations import Missing, Refused, Told, Work
from ingest.operations.players import number_of, unknown
from ingest.store import elsewhere
from ingest.store import purge as purging
from ingest.store.gone import is_gone
from ingest.store.store import Store

NEITHER = N_("The store has no match and no player {id}.")
NOBODY = N_("The store has no match and no player {id}. See: retourne export --list")
BOTH = N_("{id} is a player and a match: name the match by its hash. See: retourne export --list")
ALREADY = N_("{id} was purged already.")
NO_MATCHES = N_("--with-matches goes with a player; {id} is a match.")


def purge(work: Work, what: str, with_matches: bool = False, dry_run: bool = False) -> Told:
    """Purge a match or a player, which cannot be undone; `dry_run` says what it would come to."""
    store, t = work.store, work.t
    match, player = _match(store, what), number_of(store, what)
    if match is not None and player is not None:
        raise Refused(BOTH, id=what)
    if match is None and player is None:
        if is_gone(store, what):
            purging.finish(store)
            raise Missing(ALREADY, id=what)
        raise Missing("{sentence}", sentence=unknown(work, what, NEITHER, NOBODY))
    if match is not None and with_matches:
        raise Refused(NO_MATCHES, id=what)
    if dry_run:
        would = None if player is None else purging.expected(store, player, with_matches)
        return {"expected": would and would.say(t)}
    others = elsewhere.of(store, player, [] if match is None else [match])
    with work.replacing():
        if player is not None:
            done = purging.purge_player(store, player, with_matches)
        else:
            assert match is not None
            done = purging.purge_matches(store, [match])
    found = {
        str(folder): [str(one) for one in others.files if one.is_relative_to(folder)]
        for folder in sorted(elsewhere.watched)
    }
    return {
        "gone": done.gone,
        "rewritten": done.rewritten,
        "left": list(done.left.say(t)),
        "pseudonym": done.pseudonym,
        "tokens": list(done.tokens),
        "copies": [str(one) for one in others.copies] if store.in_a_file else None,
        "files": found,
    }


def _match(store: Store, name: str) -> int | None:
    """A match's number by any of its ids, or by its hash where it lies in the trash."""
    if (found := store.find(name, hidden=True)) is not None:
        return found
    row = store.cursor().execute("SELECT match_no FROM trash WHERE match_id = ?", [name]).fetchone()
    return None if row is None else int(row[0])
