"""Operations that delete, undelete, purge and mask matches and players, and who may delete what.

Players are identified by id only, since several may share a name.
"""

from collections.abc import Callable, Sequence

from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.reader.did_you_mean import with_suggestions
from ingest.store import match_versions, pseudonyms, raw_texts, trash, unpurged_copies
from ingest.store import purge as purging
from ingest.store.audit import deletions_by_token, has_added_all
from ingest.store.factory import Store
from ingest.store.match_comparison import differences
from ingest.store.raw_texts import MAX_MATCHES, find_matches
from ingest.store.tokens import Role
from ingest.store.tombstones import is_purged

SEVERAL_MATCHES = N_("{id} is the id of {n} matches: {matches}. Name one of them by its hash.")
MIN_ID_DIGITS = 8
SEVERAL_VERSIONS = N_("{version} is the id of several earlier versions. Name one by its change: {changes}")
UNKNOWN_VERSION = N_("{id} has no earlier version {version}. See: retourne versions {id}")
NOTHING_SELECTED = N_("Nothing to delete. Give ids of matches, or --file NAME.")
UNKNOWN_MATCH = N_("No match {id} in the store. See: retourne export --list")
UNKNOWN_DELETION = N_("No deletion {n} to undo. See: retourne undelete --list")
ID_NEEDED = N_("{name} is a name. Give the player’s id instead: {ids}")
UNKNOWN_ID = N_("No player {id} in the store.")
UNKNOWN_PLAYER = N_("No player {id} in the store. See: retourne export --table players")
UNKNOWN_PLAYER_OR_MATCH = N_("No match or player {id} in the store.")
UNKNOWN_ID_SEE_LIST = N_("No match or player {id} in the store. See: retourne export --list")
AMBIGUOUS_ID = N_("{id} is a player and a match: name the match by its hash. See: retourne export --list")


def delete(
    work: OperationContext,
    ids: list[str] | None = None,
    file: str | None = None,
    all: bool = False,
    dry_run: bool = False,
) -> OperationResult:
    """Delete matches by their ids, or all matches of the files of a name.

    With the matches of a file, what they had replaced is put back.
    An id of several matches is refused without `all`; `dry_run` lists the matches of such ids.
    Contributors may delete only the matches that they added.
    """
    if bool(ids) == (file is not None):
        raise OperationRefused(NOTHING_SELECTED)
    store, chosen, several = work.store, list[int](), dict[str, list[str]]()
    for name in ids or ():
        found = find_matches(store.cursor(), name, MAX_MATCHES, include_masked=True)
        if not found:
            raise NotFound(UNKNOWN_MATCH, id=name)
        chosen += [number for number, _ in found]
        if len(found) > 1:
            several[name] = [match_id for _, match_id in found]
    if dry_run:
        return {"several": several}
    if several and not all:
        name, known = next(iter(several.items()))
        raise OperationRefused(SEVERAL_MATCHES, id=name, n=len(known), matches=", ".join(known))
    if file is not None:
        where = "matches m JOIN files f USING (file_no) WHERE f.name = ?"
        chosen = trash.select_matches(store.cursor(), where, [file]).tolist()
    require_may_delete(work, chosen)
    if file is None:
        deletion = trash.delete_matches(store, chosen)
    else:
        named = store.cursor().execute("SELECT file_no FROM files WHERE name = ?", [file]).fetchall()
        deletion = trash.undo_upload(store, [file_no for (file_no,) in named])
    if deletion is None:
        raise NotFound(
            N_("No match of a file {name} in the store. See: retourne export --table files"), name=file
        )
    put_back = trash.count_put_back(store.cursor(), deletion)
    return {"deleted": len({*chosen}), "deletion": deletion, "put_back": put_back}


def require_may_delete(work: OperationContext, numbers: Sequence[int]) -> None:
    """Raise Forbidden if a contributor did not add all of these matches."""
    work.require_owner_or_admin(has_added_all(work.store.cursor(), work.token_no, numbers))


def _deletions(work: OperationContext) -> list[trash.Deletion]:
    """Return the deletions that the caller may undo, newest first."""
    known = trash.list_deletions(cursor := work.store.cursor())
    if work.may(Role.ADMIN):
        return known
    own = deletions_by_token(cursor, work.token_no)
    return [one for one in known if one.number in own]


def undelete(work: OperationContext, deletion: int | None = None) -> OperationResult:
    """Restore the matches of a deletion; of the newest one if no deletion is given.

    Contributors may restore only the matches that they deleted.
    """
    known = _deletions(work)
    if not known and deletion is None:
        raise NotFound(N_("Nothing was deleted that could come back."))
    number = known[0].number if deletion is None else deletion
    every = {one.number for one in trash.list_deletions(work.store.cursor())}
    work.require_owner_or_admin(number not in every or number in {one.number for one in known})
    try:
        back, again = trash.undelete_matches(work.store, number)
    except KeyError:
        raise NotFound(UNKNOWN_DELETION, n=deletion) from None
    return {"undeleted": back, "already_stored": again}


def list_versions(work: OperationContext, match: str) -> OperationResult:
    """List the earlier versions of a match, latest first, with the keys in which each differs."""
    found = find_matches(work.store.cursor(), match, include_masked=True)
    if not found:
        raise NotFound(UNKNOWN_MATCH, id=match)
    [(number, match_id)] = found
    text = raw_texts.read_text_list(work.store.cursor(), [number])[0]
    return {
        "match_id": match_id,
        "versions": [
            {
                "change": one.change,
                "changed_at": f"{one.at:%Y-%m-%dT%H:%M:%SZ}",
                "match_id": one.match_id,
                "file": one.file,
                "differences": list(differences(one.text, text)),
            }
            for one in match_versions.list_versions(work.store.cursor(), match_id)
        ],
    }


def restore_version(work: OperationContext, match: str, version: str) -> OperationResult:
    """Put an earlier version, by match id or change, in the place of a match, which becomes a version."""
    found = find_matches(work.store.cursor(), match, include_masked=True)
    earlier = match_versions.list_versions(work.store.cursor(), found[0][1]) if found else []
    chosen = [one for one in earlier if str(one.change) == version] or [
        one for one in earlier if len(version) >= MIN_ID_DIGITS and one.match_id.startswith(version)
    ]
    if not chosen:
        raise NotFound(UNKNOWN_VERSION, id=match, version=version)
    if len(chosen) > 1:  # logs of one play have one id
        known = ", ".join(f"{one.change} ({one.at:%Y-%m-%d %H:%M})" for one in chosen)
        raise OperationRefused(SEVERAL_VERSIONS, version=version, changes=known)
    require_may_delete(work, [found[0][0]])
    return {"match_id": trash.restore_version(work.store, chosen[0].change, chosen[0].match_no)[0]}


def deletions(work: OperationContext) -> OperationResult:
    """List the deletions that can be undone, newest first."""
    known = _deletions(work)
    return {
        "deletions": [
            {"deletion": one.number, "deleted_at": f"{one.at:%Y-%m-%dT%H:%M:%SZ}"}
            | {"matches": one.matches, "files": one.files}
            for one in known
        ]
    }


def empty_trash(work: OperationContext) -> OperationResult:
    """Remove all deleted matches for good."""
    return {"forgotten": trash.empty_trash(work.store)}


def mask(work: OperationContext, players: list[str]) -> OperationResult:
    """Show players under their pseudonyms. A player's pseudonym never changes."""
    return {"players": _change_masking(work, players, "pseudonym", pseudonyms.mask_player)}


def unmask(work: OperationContext, players: list[str]) -> OperationResult:
    """Show masked players under their real names again."""
    return {"players": _change_masking(work, players, "name", pseudonyms.unmask_player)}


def _change_masking(
    work: OperationContext, players: list[str], change: str, apply: Callable[[Store, int], str]
) -> list[dict[str, str]]:
    """Mask or unmask all players, or none if an id is unknown; return what each is shown as."""
    numbers = list[int]()
    for player in players:
        if (found := player_number(work.store, player)) is None:
            raise NotFound("{sentence}", sentence=unknown_id_error(work, player, UNKNOWN_ID, UNKNOWN_PLAYER))
        numbers.append(found)
    return [
        {"player_id": player, change: apply(work.store, number)}
        for player, number in zip(players, numbers, strict=True)
    ]


def whois(work: OperationContext, pseudonym: str) -> OperationResult:
    """Return the player behind a pseudonym, of a masked player or in an anonymous export."""
    found = pseudonyms.player_behind(work.store, pseudonym)
    if found is None:
        raise NotFound(N_("{name} is not a pseudonym of this store."), name=pseudonym)
    return {"pseudonym": pseudonym, "player_id": found}


def player_number(store: Store, player: str) -> int | None:
    """Return a player's number by id or pseudonym."""
    query = """SELECT player_no FROM players WHERE player_id = $1
        UNION ALL SELECT player_no FROM masked WHERE player_id = $1
        UNION ALL (SELECT player_no FROM aliases WHERE player_id = $1 ORDER BY player_no LIMIT 1)"""
    return _first_number(store, query, player)


def _first_number(store: Store, query: str, value: str) -> int | None:
    """Return the number that a query finds, if any."""
    row = store.cursor().execute(query, [value]).fetchone()
    return None if row is None else int(row[0])


def unknown_id_error(work: OperationContext, words: str, sentence: str, alone: str) -> str:
    """Return the error message for an unknown id: players of that name, or similar ids.

    `sentence` precedes suggestions; `alone` is used without any.
    """
    cursor, t = work.store.cursor(), work.t
    if named := pseudonyms.find_by_name(cursor, words):
        return t(ID_NEEDED, name=words, ids=", ".join(one.id for one in named))
    near = [one.id for one in pseudonyms.find_similar(cursor, words)]
    return with_suggestions(t, t(sentence if near else alone, id=words), near)


def purge(
    work: OperationContext, id: str, with_matches: bool = False, dry_run: bool = False
) -> OperationResult:
    """Purge a match or a player. This cannot be undone; `dry_run` only counts what would change."""
    store, t = work.store, work.t
    match, player = store.find_match(id, include_masked=True), player_number(store, id)
    if match is None:  # it may be in the trash
        match = _first_number(store, "SELECT match_no FROM trash WHERE match_id = ?", id)
    if match is not None and player is not None:
        raise OperationRefused(AMBIGUOUS_ID, id=id)
    if match is None and player is None:
        if is_purged(store, id):
            purging.finish_purge(store)
            raise NotFound(N_("{id} is already deleted permanently."), id=id)
        raise NotFound(
            "{sentence}", sentence=unknown_id_error(work, id, UNKNOWN_PLAYER_OR_MATCH, UNKNOWN_ID_SEE_LIST)
        )
    if match is not None and with_matches:
        raise OperationRefused(N_("--with-matches needs a player; {id} is a match."), id=id)
    if dry_run:
        if player is None:
            there = store.find_match(id, include_masked=True) is not None
            return {"expected": None, "removed": int(there), "rewritten": 0, "others": 0}
        would = purging.preview_purge(store, player, with_matches)
        return {"expected": would.message(t), **would._asdict()}
    others = unpurged_copies.find_unpurged_copies(store, player, [] if match is None else [match])
    with work.while_replacing():
        if player is not None:
            done = purging.purge_player(store, player, with_matches)
        else:
            assert match is not None
            done = purging.purge_matches(store, [match])
    found = {
        str(folder): [str(one) for one in others.files if one.is_relative_to(folder)]
        for folder in sorted(unpurged_copies.watch_folders)
    }
    return {
        "removed": done.deleted_matches,
        "rewritten": done.rewritten_matches,
        "versions": done.deleted_versions,
        "left": list(done.remaining.message(t)),
        "pseudonym": done.pseudonym,
        "tokens": list(done.tokens),
        "copies": [str(one) for one in others.copies] if store.is_single_file else None,
        "files": found,
    }
