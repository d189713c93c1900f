"""Why a text is no JSON, as sentences of the catalogue."""

import re

from ingest.i18n import N_

NUMBER = N_("{word} is no number of JSON: write a number, or null, or leave the key out")
SMALL = N_("{word} is not JSON’s word: write true, false or null, in small letters")
QUOTES = N_('text stands between straight double quotes ("), not between {sign}')
BEGIN = N_("a match begins with an opening brace, {brace}")
BARE = N_("a key or a text stands between double quotes, and {word} does not")
REMARK = N_("JSON has no remarks: leave this one out, or make it a key that begins with _")
MARKUP = N_("this is a web page or the like")
TRAILING = N_("a comma stands before the end of a list or of an object: leave it out")
CUT_OFF = N_("it breaks off: a bracket, a brace or a quote is missing, or all that follows")
MORE = N_(
    "something stands behind its end: a comma or a line break is missing, or a bracket too many"
)
KEY = N_("a key between double quotes belongs here")
COMMA = N_("a comma, or the end of the list or of the object, belongs here")
COLON = N_("a colon belongs here, between the key and its value")
LARGE = N_("a number is larger than any machine counts")
DIGITS = N_("a number is not written as JSON writes it")
SIGN = N_("a text has a sign in it that JSON does not know, or not written so")
DEEP = N_("its parts are nested too deep")
VALUE = N_("a value belongs here: a text, a number, a list or an object")

_QUOTES = "“”„«»″’‘'`"
_MESSAGES = (
    ("trailing comma", TRAILING),
    ("end of data|empty", CUT_OFF),
    ("after document", MORE),
    ("infinity", LARGE),
    ("leading zero|no digit", DIGITS),
    ("surrogate|escape|control character|UTF-8", SIGN),
    ("depth", DEEP),
)
_EXPECTED = (("string key", KEY), ("','", COMMA), ("':'", COLON), ("", VALUE))
_WORD = re.compile(r"[^\W\d]\w{0,30}")


def json_problem(text: str, at: int, said: str) -> tuple[str, dict[str, str]]:
    """Why a text is no JSON: a sentence of the catalogue and what it needs.

    `at` is the character the reader stopped at, and `said` what it said.
    """
    for pattern, problem in _MESSAGES:
        if re.search(pattern, said):
            return problem, {}
    sign, rest = text[at : at + 1], text[at : at + 40]
    word = found[0] if (found := _WORD.match(rest)) else ""
    if rest.startswith(("//", "/*", "#")):
        return REMARK, {}
    if sign == "<":
        return MARKUP, {}
    if not text[:at].strip():
        return BEGIN, {"brace": "{"}
    if sign and sign in _QUOTES:
        return QUOTES, {"sign": sign}
    if word in ("NaN", "Infinity"):
        return NUMBER, {"word": word}
    if word.lower() in ("true", "false", "none", "null"):
        return SMALL, {"word": word}
    if word:
        return BARE, {"word": word}
    return next(problem for pattern, problem in _EXPECTED if pattern in said), {}
