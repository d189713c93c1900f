"""Players under pseudonyms, and who they are: told by id, never by a name, which several have."""

from collections.abc import Callable

from ingest.i18n import N_
from ingest.operations import Missing, Told, Work
from ingest.store import pseudonyms
from ingest.store.store import Store
from ingest.text.did_you_mean import meant

NAMED = N_("{name} is a name. A player is told here by the id: {ids}")
NOBODY = N_("The store has no player {id}.")
NO_PLAYER = N_("The store has no player {id}. See: retourne export --table players")
NO_PSEUDONYM = N_("{name} is no pseudonym of this store.")


def mask(work: Work, players: list[str]) -> Told:
    """Show players under their pseudonyms, which are always the same ones."""
    return {"players": _shown(work, players, "pseudonym", pseudonyms.mask)}


def unmask(work: Work, players: list[str]) -> Told:
    """Show masked players by their names again."""
    return {"players": _shown(work, players, "name", pseudonyms.unmask)}


def _shown(
    work: Work, players: list[str], what: str, show: Callable[[Store, int], str]
) -> list[dict[str, str]]:
    """Each player with what they are shown as now; nobody is, where one of them is not there."""
    numbers = list[int]()
    for player in players:
        if (found := number_of(work.store, player)) is None:
            raise Missing("{sentence}", sentence=unknown(work, player, NOBODY, NO_PLAYER))
        numbers.append(found)
    return [
        {"player": player, what: show(work.store, number)}
        for player, number in zip(players, numbers, strict=True)
    ]


def whois(work: Work, pseudonym: str) -> Told:
    """Say who is behind a pseudonym, masked or in an anonymous export."""
    found = pseudonyms.owner(work.store, pseudonym)
    if found is None:
        raise Missing(NO_PSEUDONYM, name=pseudonym)
    return {"pseudonym": pseudonym, "player": found}


def number_of(store: Store, player: str) -> int | None:
    """A player's number by id or pseudonym."""
    row = store.cursor().execute(
        "SELECT player_no FROM players WHERE player_id = $1"
        " UNION SELECT player_no FROM masked WHERE player_id = $1",
        [player],
    )
    found = row.fetchone()
    return None if found is None else int(found[0])


def unknown(work: Work, words: str, sentence: str, alone: str) -> str:
    """What is said of words that are no id: who has that name, or what may have been meant.

    `sentence` is for where something may, `alone` for where nothing does.
    """
    ask, t = work.store.cursor(), work.t
    if named := pseudonyms.named(ask, words):
        return t(NAMED, name=words, ids=", ".join(one.id for one in named))
    near = [one.id for one in pseudonyms.near(ask, words)]
    return meant(t, t(sentence if near else alone, id=words), near)
