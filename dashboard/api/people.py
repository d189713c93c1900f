"""Players as a request names them: by an id, or by a name that is nobody else's."""

from collections.abc import Sequence

from dashboard.api.problems import Problem
from dashboard.queries import people
from dashboard.store import answer, store
from ingest.i18n import N_
from ingest.store.gone import is_gone

NOBODY = N_("The store has no player of this id or name: {name}.")
SEVERAL = N_("Several players have this name: say an id. {players}")
GONE = N_("This player is gone: purged.")


def number_of(name: str) -> int:
    """The number of a player. Problem: nobody is called so, or several are."""
    found = answer(people.exactly, name)
    if not found:
        if is_gone(store(), name):
            raise Problem(410, GONE)
        raise Problem(404, NOBODY, name=name)
    if len(found) > 1:
        raise Problem(422, SEVERAL, players=", ".join(label for _, label in found))
    return found[0][0]


def numbers_of(names: Sequence[str]) -> tuple[int, ...]:
    """The same of several."""
    return tuple(map(number_of, names))
