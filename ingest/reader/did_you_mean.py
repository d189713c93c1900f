"""“Did you mean …?”: the known word, command, column or key of a log that a misspelt one may mean."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ingest.i18n import Translate

_KEY_ALIASES_TEXT = (
    "players joueurs, deals donnes parties, dealer donneur, hands mains, game jeu, "
    "rules règles regles, actions coups cartes, winner gagnant vainqueur, cuts coupes, "
    "times temps, result résultat resultat, name nom, bids enchères encheres, deck paquet, "
    "comments commentaires, after après, text texte, announcements annonces, contract contrat, "
    "reserve réserve, end fin"
)
KEY_ALIASES = {word: key for key, *words in map(str.split, _KEY_ALIASES_TEXT.split(", ")) for word in words}
"""French and other likely names of keys → the format's."""


def did_you_mean(t: Translate, sentence: str, word: str, known: Iterable[str]) -> str:
    """Append to a sentence about a word the known words similar to it, ignoring case."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in get_close_matches(word.casefold(), written, n=2)]
    return with_suggestions(t, sentence, near)


def with_suggestions(t: Translate, sentence: str, suggestions: Sequence[str]) -> str:
    """Append suggested words to a sentence; unchanged if there are none."""
    if not suggestions:
        return sentence
    return t("{sentence} Did you mean {near}?", sentence=sentence, near=t(" or ").join(suggestions))


def intended_key(key: str, within: Mapping[str, Any], known: Iterable[str]) -> str | None:
    """Return the known key that an object lacks and that its unknown key is likely to mean."""
    free = [name for name in known if name not in within]
    meant = KEY_ALIASES.get(word := key[:40].casefold().strip())
    near = [meant] if meant in free else get_close_matches(word, free, 1, 0.75)
    return next(iter(near), None)
