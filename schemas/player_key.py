"""Compares ids and names of players as people read them.

`player_key` is equal for texts that are one id or name; `search_key` also folds accents, for searches
and to find near names.
"""

import unicodedata
from functools import lru_cache

_APOSTROPHES = "’‘‛ʼʻʹʽ′＇´`ꞌ"
_HYPHENS = "‐‑‒–—―−﹘﹣－"
_ALIKE = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-"))
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters with no glyph that Unicode counts as letters or marks."""
_VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_JOINERS = frozenset("\u200c\u200d")
_LIGATURES = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
"""Letters that Unicode does not decompose, with their usual ASCII spelling."""


@lru_cache(maxsize=1 << 16)
def player_key(text: str) -> str:
    """Return an id or name as it is compared; a text of only invisible characters as it is.

    Unicode is NFC, case is folded; all apostrophes, all hyphens and all spaces are alike;
    invisible characters are ignored, accents are not.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.replace("`", "'").casefold().split()) or text
    seen = "".join(map(_visible, unicodedata.normalize("NFC", text))).translate(_ALIKE)
    folded = unicodedata.normalize("NFD", seen).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split()) or text


def search_key(text: str) -> str:
    """Return an id or name as it is searched: as `player_key`, without accents."""
    return fold_text(player_key(text))


def is_readable_name(text: str) -> bool:
    """Return whether a name has a visible character, and none that hides or turns other characters.

    Joiners within a name are allowed: some scripts and emoji need them.
    """
    hidden = (sign for sign in text if not _visible(sign) and sign not in _JOINERS)
    return any(not _visible(sign).isspace() for sign in text if _visible(sign)) and not any(
        unicodedata.category(sign) in ("Cf", "Cc") for sign in hidden
    )


def player_id_of(name: str) -> str:
    """Return the id of a player known only by a name: `jean-paul` for `Jean Paul`."""
    return player_key(name).replace(" ", "-")


def fold_text(text: str) -> str:
    """Fold case and accents, and remove invisible characters, one character at a time."""
    return text.casefold() if text.isascii() else "".join(map(_fold_character, text))


def _visible(sign: str) -> str:
    """Return a space for any space or line end, nothing for an invisible character."""
    if sign.isspace():
        return " "
    hidden = unicodedata.category(sign) in ("Cf", "Cc") or sign in _FILLERS or sign in _VARIATION_SELECTORS
    return "" if hidden else sign


@lru_cache(maxsize=1 << 14)
def _fold_character(sign: str) -> str:
    separate = unicodedata.normalize("NFKD", sign.casefold())
    seen = (one for one in separate if unicodedata.category(one) != "Cf")
    plain = (_LIGATURES.get(one, one) for one in seen if not unicodedata.combining(one))
    return "".join(plain).casefold()


def fold_sql(text: str) -> str:
    """Return the SQL expression that folds a text for sorting and searching, as `search_key` does.

    Names then sort as people sort them: É with E, œ as oe.
    """
    folded = f"lower(strip_accents({text}))"
    for sign, spelling in {"œ": "oe", "æ": "ae", "’": "''"}.items():
        folded = f"replace({folded}, '{sign}', '{spelling}')"
    return folded
