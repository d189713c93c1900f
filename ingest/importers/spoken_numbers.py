"""Numbers in words: « douze », « cent quarante-deux », “a hundred and ten”; scores of two of them."""

import re

_UNITS = (
    ("zéro", "zero", "nil"),
    *(("un", "une", "one"), ("deux", "two"), ("trois", "three"), ("quatre", "four"), ("cinq", "five")),
    *(("six",), ("sept", "seven"), ("huit", "eight"), ("neuf", "nine"), ("dix", "ten")),
    *(("onze", "eleven"), ("douze", "twelve"), ("treize", "thirteen"), ("quatorze", "fourteen")),
    *(("quinze", "fifteen"), ("seize", "sixteen"), ("seventeen",), ("eighteen",), ("nineteen",)),
)
_TENS = {
    **{"vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60},
    **{"septante": 70, "huitante": 80, "octante": 80, "nonante": 90},
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70},
    **{"eighty": 80, "ninety": 90},
}
_VALUES = {word: number for number, words in enumerate(_UNITS) for word in words} | _TENS
_HUNDREDS = ("cent", "cents", "hundred")
_THOUSANDS = ("mille", "thousand")
_WORD = "|".join(sorted((*_VALUES, *_HUNDREDS, *_THOUSANDS), key=len, reverse=True))
NUMBER_WORDS = (
    rf"(?:\b(?:a\s+(?=hundred|thousand))?(?:{_WORD})(?:(?:-|\s+(?:et\s+|and\s+)?|-et-)(?:{_WORD}))*\b)"
)
"""A pattern of a number in words."""
_SEPARATOR = r"(\s*(?:[-–—/:]|\bà\b|\bto\b)\s*)"
_SCORE_PATTERN = re.compile(rf"({NUMBER_WORDS}|\d+){_SEPARATOR}({NUMBER_WORDS}|\d+)", re.IGNORECASE)
_MADE_PATTERN = re.compile(
    rf"(\b(?:fait|font|faisait|faisaient|marquent?|makes?|made|scores?|scored)\s+)({NUMBER_WORDS})"
    r"(?!\s*(?:[♠♥♦♣]|(?:de|à|of|plis?|levées?|tricks?|parties?|donnes?|deals?)\b))",
    re.IGNORECASE,
)
HIGHEST_RANK = 10
"""The highest rank of a card that is a number."""


def number_of(text: str) -> int | None:
    """Return the number that digits or words are; None if they are none."""
    if text.strip().isdecimal():
        return int(text)
    total = part = 0
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word not in ("a", "et", "and", "")]
    for word in words:
        if word in _THOUSANDS:
            total, part = total + 1000 * max(part, 1), 0
        elif word in _HUNDREDS:
            part = 100 * max(part, 1)
        elif word in ("vingt", "vingts") and part % 100 == 4:
            part += 76
        elif word in _VALUES:
            part += _VALUES[word]
        else:
            return None
    return total + part if words else None


def with_digits(text: str) -> str:
    """Return a text with its scores in digits, each word where it was: « douze à huit » → `12 à 8`."""

    def digits(written: str) -> str:
        number = number_of(written)
        return written if number is None else str(number).ljust(len(written))

    def score(found: re.Match[str]) -> str:
        numbers = [number_of(found[place]) or 0 for place in (1, 3)]
        if max(numbers) <= HIGHEST_RANK:
            return found[0]
        return digits(found[1]) + found[2] + digits(found[3])

    def made(found: re.Match[str]) -> str:
        return found[1] + digits(found[2]) if (number_of(found[2]) or 0) > HIGHEST_RANK else found[0]

    return _MADE_PATTERN.sub(made, _SCORE_PATTERN.sub(score, text))
