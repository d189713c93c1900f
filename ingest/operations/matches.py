"""Matches into the trash, out of it again, and purged; and players under pseudonyms.

A player is told by id, never by a name, which several have.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from ingest.i18n import N_
from ingest.operations import Missing, Refused, Told, Work
from ingest.reader.did_you_mean import meant
from ingest.store import other_copies, pseudonyms, trash
from ingest.store import purge as purging
from ingest.store.audit import deletions_of, files_of
from ingest.store.factory import Store
from ingest.store.tokens import Role
from ingest.store.tombstones import is_gone

WHICH = N_("Say what to delete: ids of matches or --file.")
NO_MATCH = N_("The store has no match {id}. See: retourne export --list")
NOTHING = N_("Nothing was deleted that could come back.")
NO_DELETION = N_("There is no deletion {n} to undo. See: retourne undelete --list")
NAMED = N_("{name} is a name. A player is told here by the id: {ids}")
NO_SUCH_PLAYER = N_("The store has no player {id}.")
NO_PLAYER = N_("The store has no player {id}. See: retourne export --table players")
NEITHER = N_("The store has no match and no player {id}.")
NOBODY = N_("The store has no match and no player {id}. See: retourne export --list")
BOTH = N_("{id} is a player and a match: name the match by its hash. See: retourne export --list")


def delete(work: Work, ids: list[str] | None = None, file: str | None = None) -> Told:
    """Delete matches by their ids, or all that came with files of a name.

    Contributors delete what they added themselves.
    """
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
    check_added(work, chosen)
    deletion = trash.delete(store, chosen)
    if deletion is None:
        raise Missing(N_("The store has no match of a file {name}."), name=file)
    return {"deleted": len({*chosen}), "deletion": deletion}


def check_added(work: Work, numbers: Sequence[int]) -> None:
    """Forbidden: a contributor would take out matches that somebody else has added."""
    ask = work.store.cursor()
    query = "SELECT DISTINCT file_no FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))"
    files = {int(file) for (file,) in ask.execute(query, [[*numbers]]).fetchall()}
    work.check_theirs(files <= files_of(ask, work.token_no))


def _deletions(work: Work) -> list[trash.Deletion]:
    """Those that whoever asks may undo, the last first: contributors their own."""
    known = trash.deletions(ask := work.store.cursor())
    if work.may(Role.ADMIN):
        return known
    own = deletions_of(ask, work.token_no)
    return [one for one in known if one.number in own]


def undelete(work: Work, deletion: int | None = None) -> Told:
    """Bring back the matches of a deletion, the last one if none is named.

    Contributors bring back what they deleted themselves.
    """
    known = _deletions(work)
    if not known and deletion is None:
        raise Missing(NOTHING)
    number = known[0].number if deletion is None else deletion
    every = {one.number for one in trash.deletions(work.store.cursor())}
    work.check_theirs(number not in every or number in {one.number for one in known})
    try:
        back, again = trash.undelete(work.store, number)
    except KeyError:
        raise Missing(NO_DELETION, n=deletion) from None
    return {"restored": back, "known": again}


def deletions(work: Work) -> Told:
    """List what can be brought back, the last deletion first."""
    known = _deletions(work)
    return {"deletions": [asdict(one) | {"at": f"{one.at:%Y-%m-%dT%H:%M:%SZ}"} for one in known]}


def empty_trash(work: Work) -> Told:
    """Forget for good all that was deleted."""
    return {"forgotten": trash.empty(work.store)}


def mask(work: Work, players: list[str]) -> Told:
    """Show players under their pseudonyms, which are always the same ones."""
    return {"players": _show(work, players, "pseudonym", pseudonyms.mask)}


def unmask(work: Work, players: list[str]) -> Told:
    """Show masked players by their names again."""
    return {"players": _show(work, players, "name", pseudonyms.unmask)}


def _show(
    work: Work, players: list[str], what: str, show: Callable[[Store, int], str]
) -> list[dict[str, str]]:
    """Each player with what they are shown as now; nobody is, where one of them is not there."""
    numbers = list[int]()
    for player in players:
        if (found := number_of(work.store, player)) is None:
            raise Missing("{sentence}", sentence=unknown(work, player, NO_SUCH_PLAYER, NO_PLAYER))
        numbers.append(found)
    return [
        {"player": player, what: show(work.store, number)}
        for player, number in zip(players, numbers, strict=True)
    ]


def whois(work: Work, pseudonym: str) -> Told:
    """Say who is behind a pseudonym, masked or in an anonymous export."""
    found = pseudonyms.owner(work.store, pseudonym)
    if found is None:
        raise Missing(N_("{name} is no pseudonym of this store."), name=pseudonym)
    return {"pseudonym": pseudonym, "player": found}


def number_of(store: Store, player: str) -> int | None:
    """A player's number by id or pseudonym."""
    query = """SELECT player_no FROM players WHERE player_id = $1
        UNION SELECT player_no FROM masked WHERE player_id = $1"""
    return _first(store, query, player)


def _first(store: Store, query: str, value: str) -> int | None:
    """The number a query finds, if any."""
    row = store.cursor().execute(query, [value]).fetchone()
    return None if row is None else int(row[0])


def unknown(work: Work, words: str, sentence: str, alone: str) -> str:
    """What is said of words that are no id: who has that name, or what may have been meant.

    `sentence` is for where something may, `alone` for where nothing does.
    """
    ask, t = work.store.cursor(), work.t
    if named := pseudonyms.named(ask, words):
        return t(NAMED, name=words, ids=", ".join(one.id for one in named))
    near = [one.id for one in pseudonyms.near(ask, words)]
    return meant(t, t(sentence if near else alone, id=words), near)


def purge(work: Work, what: str, with_matches: bool = False, dry_run: bool = False) -> Told:
    """Purge a match or a player, which cannot be undone; `dry_run` says what it would come to."""
    store, t = work.store, work.t
    match, player = store.find(what, hidden=True), number_of(store, what)
    if match is None:  # by its hash where it lies in the trash
        match = _first(store, "SELECT match_no FROM trash WHERE match_id = ?", what)
    if match is not None and player is not None:
        raise Refused(BOTH, id=what)
    if match is None and player is None:
        if is_gone(store, what):
            purging.finish(store)
            raise Missing(N_("{id} was purged already."), id=what)
        raise Missing("{sentence}", sentence=unknown(work, what, NEITHER, NOBODY))
    if match is not None and with_matches:
        raise Refused(N_("--with-matches goes with a player; {id} is a match."), id=what)
    if dry_run:
        if player is None:
            there = store.find(what, hidden=True) is not None
            return {"expected": None, "gone": int(there), "rewritten": 0, "others": 0}
        would = purging.expected(store, player, with_matches)
        return {"expected": would.say(t), **would._asdict()}
    others = other_copies.of(store, player, [] if match is None else [match])
    with work.replacing():
        if player is not None:
            done = purging.purge_player(store, player, with_matches)
        else:
            assert match is not None
            done = purging.purge_matches(store, [match])
    found = {
        str(folder): [str(one) for one in others.files if one.is_relative_to(folder)]
        for folder in sorted(other_copies.watched)
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
