"""How near two words are to each other: whether one may be a slip of the pen for the other."""

import re
import unicodedata


def one_letter(one: str, other: str) -> bool:
    """Whether two words differ by one letter written wrong, left out or too many."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    short, long = sorted((one[same:], other[same:]), key=len)
    return short[1:] == long[1:] if len(short) == len(long) else short == long[1:]


LONG = 80
"""Characters past which nobody takes a text for one of a few known words."""
_APART = re.compile(r"[\s_-]+")


def mistyped(one: str, other: str) -> bool:
    """Whether a word is another but for case, accents, spaces or one slip of the keyboard.

    A slip is a letter, or two neighbours exchanged; digits are never others than they were, and
    words of three letters are too near to each other for one.
    """
    if len(one) > LONG:
        return False
    one, other = _closed(one), _closed(other)
    if one == other or len(other) <= 3 or _digits(one) != _digits(other):
        return one == other
    crossed = (one[:i] + one[i + 1] + one[i] + one[i + 2 :] for i in range(len(one) - 1))
    return one_letter(one, other) or other in crossed


def folded(word: str) -> str:
    """A word in small letters without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _closed(word: str) -> str:
    """The same without spaces and hyphens."""
    return _APART.sub("", folded(word))


def _digits(word: str) -> list[str]:
    return sorted(filter(str.isdigit, word))


_NUMBER = re.compile(r"[0-9]+")


def near(one: str, other: str) -> bool:
    """Whether two words differ by one letter, or by one number: 95 is no nearer to 90 than to 100.

    The seat they begin with is no such number.
    """
    return one_letter(one, other) or (
        one != other and one[:2] == other[:2] and _NUMBER.sub("0", one) == _NUMBER.sub("0", other)
    )
