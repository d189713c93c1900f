"""Draws two-faced cards: the face up large, the other one at the edge.

A face has its colour, value, colour's letter, an emblem and the colour's name, so that readers
need not distinguish colours. The size is that of the French cards.
"""

from typing import NamedTuple
from urllib.parse import quote

from ingest.i18n import N_, Translate


class CardColour(NamedTuple):
    """The look and name of a colour; `emblem` is an SVG path in a box of 100 × 100."""

    name: str
    letters: dict[str, str]
    paper: str
    ink: str
    emblem: str


COLOURS = (
    CardColour(
        *(N_("blue"), {"en": "B", "fr": "B"}, "#1f5fae", "#fff"),
        "M8 84V30l22 24L50 12l20 42 22-24v54z",  # the queen's crown
    ),
    CardColour(
        *(N_("red"), {"en": "R", "fr": "R"}, "#b32d2a", "#fff"),
        "M50 6l38 10v32c0 26-18 38-38 46C30 86 12 74 12 48V16z",  # the king's shield
    ),
    CardColour(
        *(N_("yellow"), {"en": "Y", "fr": "J"}, "#f3c623", "#231c00"),
        "M50 4l13 32 34 2-26 22 8 34-29-18-29 18 8-34L3 38l34-2z",  # the enchanter's star
    ),
    CardColour(
        *(N_("black"), {"en": "K", "fr": "N"}, "#26282b", "#fff"),
        # the dragon's flame
        "M52 3c4 22 36 32 32 66-3 18-18 28-34 28S17 87 16 69c-1-16 12-24 15-40 8 6 11 14 11 22"
        " 8-12 11-28 10-48z",
    ),
)
SVG_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="336" viewBox="0 0 240 336">'
    '<rect width="240" height="336" rx="16" fill="#fff"/>'
)
FONT_ATTRIBUTES = 'font-family="\'DejaVu Sans\',Verdana,Arial,sans-serif" font-weight="700"'


CORNER_WIDTH = 0.46
"""The share of a card's width that shows the numbers of both faces."""

Face = tuple[int, int]
"""(index in COLOURS, value)."""


def card_image(up: Face, below: Face, t: Translate) -> str:
    """Return the picture of a card, by the face up and the one below, as a data URI."""
    return "data:image/svg+xml," + quote(card_svg(up, below, t), safe=" /:=',;<>()!*@?")


def card_svg(upper: Face, lower: Face, t: Translate) -> str:
    """Return the picture as SVG text; it contains only the card's colours and numbers."""
    return f"{SVG_HEAD}{upper_half(upper, t)}{lower_half(lower, t)}</svg>"


def upper_half(face: Face, t: Translate) -> str:
    """Return the part of a card that shows the face up, with its marks at the left edge."""
    colour, value = face
    up = COLOURS[colour]
    return (
        f'<rect x="9" y="9" width="222" height="234" rx="11" fill="{up.paper}"/>'
        + _svg_text(up, 16, 84, 82, value, width=_number_width(value, 92))
        + _svg_text(up, 24, 146, 56, up.letters[t.language])
        + f'<path d="{up.emblem}" fill="{up.ink}" transform="translate(104 98) scale(1.1)"/>'
        + _svg_text(up, 120, 235, 30, t(up.name), anchor="middle")
    )


def lower_half(face: Face, t: Translate) -> str:
    """Return the part of a card that shows the other face, upside down."""
    colour, value = face
    back = COLOURS[colour]
    return (
        '<g transform="rotate(180 120 287)">'
        f'<rect x="9" y="247" width="222" height="80" rx="11" fill="{back.paper}"/>'
        + _svg_text(back, 224, 308, 58, value, anchor="end", width=_number_width(value, 76))
        + f'<path d="{back.emblem}" fill="{back.ink}" transform="translate(76 264) scale(.44)"/>'
        + _svg_text(back, 22, 306, 46, back.letters[t.language])
        + "</g>"
    )


def _number_width(value: int, max_width: int) -> int | None:
    """Return the text width of a number: with two digits it is fitted to the corner."""
    return max_width if value > 9 else None


def card_back() -> str:
    """Return the back of a card of the reserve or a hidden hand: half light, half dark."""
    drawn = (
        f"{SVG_HEAD}"
        '<rect x="9" y="9" width="222" height="318" rx="11" fill="#5b6b78"/>'
        '<path d="M9 316V20A11 11 0 0 1 20 9h200z" fill="#8797a3"/>'
        '<path d="M120 100l52 68-52 68-52-68z" fill="none" stroke="#fff" stroke-width="9"/></svg>'
    )
    return "data:image/svg+xml," + quote(drawn, safe=" /:=',;<>()!*@?")


def _svg_text(
    colour: CardColour,
    x: int,
    y: int,
    size: int,
    text: object,
    anchor: str = "start",
    width: int | None = None,
) -> str:
    fit = f' textLength="{width}" lengthAdjust="spacingAndGlyphs"' if width else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" {FONT_ATTRIBUTES} text-anchor="{anchor}"'
        f' fill="{colour.ink}"{fit}>{text}</text>'
    )
