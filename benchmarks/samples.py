"""What is measured: games, rules and tables, named here alone as samples are."""

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
