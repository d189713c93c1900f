"""What is measured: games, rules and tables, named here alone as samples are."""

from typing import NamedTuple

MOST = "chouine"
"""The game most is measured of."""
PARTNERS = "coinche"
"""A game of four with partners and contracts, as those of other libraries are."""
RULES = {"chouine": "lavardin", "coinche": "tournoi-2018", "chouineurs": "blam"}
"""The preset each game is measured under."""
PLAYERS = {"chouine": 2, "coinche": 4, "chouineurs": 2}
"""Who sits at a table of a file of many matches."""
SCOPES = (("coinche", 4), ("chouineurs", 3))
"""Game and players of the tables whose statistics are asked, besides those of the default."""
SHARES = (
    ("chouine", "lavardin", 2, 0.8),
    ("coinche", "tournoi-2018", 4, 0.15),
    ("chouineurs", "blam", 3, 0.05),
)
"""Game, rules, players and their share of the deals of a large store."""
TENTHS = {"chouine": 9, "coinche": 1}
"""The same of the store that pages are timed on, in tenths."""
MATCHES = {
    "Chouine at two": "match-lavardin",
    "Chouine at four": "match-a-quatre",
    "Coinche": "match-coinche",
    "Chouineurs": "match-chouineurs",
}
"""The matches whose boards are timed, by what they are called in the table."""


class Solving(NamedTuple):
    """Something that is solved, and what it may cost."""

    what: str
    game: str
    preset: str
    tricks: int | None
    """How many are to play where it is asked who wins; None: every card of the end."""
    wanted: str


SOLVED = (
    Solving(
        "Chouine, `lavardin`: closed phase, every card",
        "chouine",
        "lavardin",
        None,
        "95 % under 0.1; a million deals in 60 s",
    ),
    Solving("Chouine, `mondoubleau`", "chouine", "mondoubleau", None, ""),
    Solving("Chouine, `regles-completes`", "chouine", "regles-completes", None, ""),
    Solving("Chouine, who wins, talon of 8", "chouine", "lavardin", 9, "95 % under 50"),
    Solving("Chouine, who wins, talon of 10", "chouine", "lavardin", 10, "95 % under 50"),
    Solving(
        "Coinche: last five tricks, every card", "coinche", "tournoi-2018", None, "95 % under 10"
    ),
    Solving("Coinche, made or set, 7 tricks left", "coinche", "tournoi-2018", 7, "95 % under 50"),
)
"""What `benchmarks.solve` measures."""

SAMPLED = (("Chouine, `lavardin`", "chouine", "lavardin"), ("Coinche", "coinche", "tournoi-2018"))
"""What `benchmarks.sampling` measures: what it is called, game and preset."""
