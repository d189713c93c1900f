"""What the lines of notes are headed by, in French and English, without capitals and accents."""

import re
from collections.abc import Mapping

HEAD: Mapping[str, str] = {
    **dict.fromkeys(("jeu", "game"), "game"),
    **dict.fromkeys(("regles", "regle", "rules"), "rules"),
    **dict.fromkeys(("date", "jour", "day"), "played_at"),
    **dict.fromkeys(("joueurs", "joueuses", "players"), "players"),
    **dict.fromkeys(("rencontre", "match", "id"), "id"),
    **dict.fromkeys(("evenement", "event", "tournoi", "tournament"), "name"),
    **dict.fromkeys(("lieu", "place"), "place"),
    "table": "table",
    **dict.fromkeys(("tour", "round"), "round"),
    **dict.fromkeys(("jeu de cartes", "deck"), "deck"),
}
"""Label of a line about the match → its key; those of EVENT belong to the event."""
EVENT = ("name", "place", "table", "round")
DEAL: Mapping[str, str] = {
    **dict.fromkeys(("donneur", "donneuse", "dealer"), "dealer"),
    **dict.fromkeys(("entame", "meneur", "meneuse", "leader"), "leader"),
    **dict.fromkeys(("pari", "paris", "bids"), "bids"),
    **dict.fromkeys(("points", "marques", "marks"), "points"),
    **dict.fromkeys(
        ("gagnant", "gagnante", "gagnants", "vainqueur", "winner", "winners"), "winner"
    ),
    **dict.fromkeys(("annulee", "void"), "void"),
    "manche": "manche",
}
"""Label of a line about a deal → its key."""
VOID: Mapping[str, str] = {
    **dict.fromkeys(("maldonne", "fausse donne", "misdeal"), "maldonne"),
    **dict.fromkeys(("rejouee", "a rejouer", "replayed", "replay"), "replay"),
    **dict.fromkeys(("abandonnee", "interrompue", "abandoned"), "abandoned"),
}
NOBODY = ("personne", "nobody", "nulle", "drawn", "0")
HAND = re.compile(r"(?:main d(?:e |'))(?P<a>.+)|hand of (?P<b>.+)|(?P<c>.+?)'s hand")
"""Whose hand a line tells."""
DEALS = re.compile(r"(?P<who>.+?)\s+(?:donne|distribue|deals)\.?")
HEADING = re.compile(r"(?:donne|deal|partie|manche)\s+(?:n[°o]?\s*)?\d+\s*[.:]?")
"""`Donne 3` above a deal: there for people."""
TRICK = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
"""Before what is told in order: `1.`, `Pli 1 :`."""
REMARK = "#"
