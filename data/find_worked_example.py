"""Finds a deal with the piles and announcements of the rules' worked example (CH-23).

    python -m data.find_worked_example

Careful players play random deals until one ends as the example does: the same piles, counted by
rank; a plain mariage and the last trick for Jean (87), a trump mariage for Charles (103). The seed
is fixed, so the deal is always the same; the search takes a few seconds.
"""

from pathlib import Path

import numpy as np

from data.layout import format_match
from engine.chouine.actions import TIERCE
from engine.chouine.bots import CAREFUL, MAX_ACTIONS, play_deal
from engine.chouine.kernel import PLAYED_OUT, State, count_bits, start
from engine.jit import compiled
from engine.simulate import SimulatedDeal
from schemas.models import FORMAT
from schemas.simulated import deal_documents, simulated_setup

JEANS_PILE = np.array([1, 1, 3, 2, 2, 1, 1, 3])
"""Number of 7, 8, 9, J, Q, K, T and A in Jean's pile; Charles has the others."""
JEANS_BONUS, CHARLES_BONUS = 20, 40
SEED = 0
EXAMPLE_FILE = Path(__file__).parent / "exemple-lavardin.json"


COMMENTS = [
    {
        "after": 0,
        "text": "Les règles donnent un compte en exemple, et pas une seule carte de la partie "
        "qui y mène. Celle-ci a été cherchée parmi des parties jouées au hasard, jusqu’à ce que "
        "les plis, les annonces et le dix de der soient les mêmes. Jean y ramasse 57 points de "
        "cartes et Charles 63. Il reste à voir, annonce après annonce, ce qui les départage.",
    },
    {"after": 7, "text": "D’atout, un mariage vaut 40.", "by": "L’arbitre"},
    {"after": 12, "text": "Le valet retourné contre mon 7, tant qu’il est sous le talon.", "by": "charles"},
    {"after": 14, "text": "Le mien n’est pas d’atout\N{NO-BREAK SPACE}: 20.", "by": "jean"},
    {"after": 27, "text": "Ton 7, revenu te prendre un as\N{NARROW NO-BREAK SPACE}!", "by": "jean"},
    {
        "after": 35,
        "text": "Jean\N{NO-BREAK SPACE}: 57 + 20 + le dix de der = 87.\n"
        "Charles\N{NO-BREAK SPACE}: 63 + 40 = 103.",
        "by": "L’arbitre",
    },
]
"""Comments at the actions that decide the example."""


@compiled
def is_worked_example(state, pile):  # type: ignore[no-untyped-def]
    """Return whether a finished deal ended as the example, in either seating."""
    jean = state.der
    charles = 1 - jean
    if state.bonus[jean] != JEANS_BONUS or state.bonus[charles] != CHARLES_BONUS:
        return False
    for seat in range(2):
        values = np.int64(state.announced[seat])
        if count_bits(values) != 1 or values >= 1 << (4 * TIERCE):
            return False
    for rank in range(8):  # noqa: SIM110 (numba compiles no generator)
        if count_bits(state.pile[jean] >> rank & 0x01010101) != pile[rank]:
            return False
    return True


@compiled
def find_worked_example(state, rules, rng, codes, pile):  # type: ignore[no-untyped-def]
    """Play until a deal ends as the example; return deck and action count, fill `codes`."""
    habits = np.array([CAREFUL, CAREFUL])
    while True:
        deck = rng.permutation(32)
        start(state, rules, 2, 1, deck, 0)
        count = play_deal(state, rules, habits, rng, codes)
        if state.outcome == PLAYED_OUT and is_worked_example(state, pile):
            return deck, count


def main() -> None:
    """Find the deal and write `exemple-lavardin.json`."""
    played = simulated_setup("chouine", "lavardin", 2)
    state = np.zeros(1, State)[0]
    codes = np.zeros(MAX_ACTIONS, np.uint16)
    deck, count = find_worked_example(state, played.rules, np.random.default_rng(SEED), codes, JEANS_PILE)
    [deal] = deal_documents(played, [SimulatedDeal(1, deck, codes[:count])], as_hands=True)
    names = ["Jean", "Charles"] if state["der"] == 0 else ["Charles", "Jean"]
    match = {
        "format": FORMAT,
        "game": "chouine",
        "rules": "lavardin",
        "id": "exemple-lavardin",
        "played_at": "2026-03-15T14:00:00+01:00",
        "event": {"name": "Exemple des règles", "place": "Lavardin"},
        "source": {"name": "data/find_worked_example.py"},
        "players": [{"id": name.lower(), "name": name} for name in names],
        "deals": [deal | {"comments": COMMENTS}],
    }
    EXAMPLE_FILE.write_text(format_match(match), encoding="utf-8")


if __name__ == "__main__":
    main()
