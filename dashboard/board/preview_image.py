"""Draws a position as a 1200 × 630 image for link previews, without a browser.

It uses the board's SVG card faces; names and sentences are drawn as text, never as markup.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

IMAGE_SIZE = IMAGE_WIDTH, IMAGE_HEIGHT = 1200, 630
FELT_COLOUR, EDGE_COLOUR, PAPER_COLOUR = "#2c7558", "#1b4636", "#ffffff"
SOFT_COLOUR, GOLD_COLOUR, RED_COLOUR = "#cfe3d9", "#ffd45e", "#ff8f87"
MARGIN = 28
CARD_RATIO = 240 / 336
"""Width of a card face divided by its height."""
MAX_TEXT_CHARS = 300
"""Characters of a text that are read; longer or wider texts end in an ellipsis."""
MAX_CACHED_FACES = 400
"""Card faces that are cached, about 50 kB each."""
SUIT_COLOURS = {
    "♠": ("s", PAPER_COLOUR),
    "♥": ("h", RED_COLOUR),
    "♦": ("d", RED_COLOUR),
    "♣": ("c", PAPER_COLOUR),
}
_SUIT_SYMBOL = re.compile("([♠♥♦♣])")
Weight = Literal["bold", "plain"]


def draw_preview(states: Mapping[str, Any], ply: int, title: str, about: str) -> bytes:
    """Draw a position of a deal (see `dashboard.board.states`) as PNG."""
    from PIL import Image, ImageDraw  # slow to import

    image = Image.new("RGB", IMAGE_SIZE, EDGE_COLOUR)
    table = _Table(image, ImageDraw.Draw(image), states, states["plies"][ply])
    table.draw_text((MARGIN, 14), title, 40, IMAGE_WIDTH - 230, "bold")
    table.draw_text((MARGIN, 62), about, 26, IMAGE_WIDTH - 2 * MARGIN, colour=SOFT_COLOUR)
    table.draw_text((IMAGE_WIDTH - MARGIN, 20), "Retourne", 32, 190, "bold", GOLD_COLOUR, "ra")
    table.draw.rectangle((0, 104, IMAGE_WIDTH, 568), fill=FELT_COLOUR)
    table.draw_seats()
    table.draw_center()
    state = table.state
    happened = " · ".join(filter(None, [state["text"], state["trick_reason"], *state["also"]]))
    table.draw_text((MARGIN, 580), happened, 28, IMAGE_WIDTH - 2 * MARGIN)
    out = BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(out, "PNG")
    return out.getvalue()


@dataclass
class _Table:
    image: "Image"
    draw: "ImageDraw"
    states: Mapping[str, Any]
    state: Mapping[str, Any]

    def draw_text(
        self,
        position: tuple[float, float],
        text: str,
        size: int,
        width: float,
        weight: Weight = "plain",
        colour: str = PAPER_COLOUR,
        anchor: Literal["la", "ra"] = "la",
    ) -> float:
        """Draw a text on one line, cut to `width` pixels; return its width."""
        font = _font(weight, size)
        fitted = _truncate_to_width(text, font, width)
        x, y = position
        used = _text_width(fitted, font)
        if anchor == "ra":
            x -= used
        for part in _SUIT_SYMBOL.split(fitted):
            if part in SUIT_COLOURS:
                pip = _suit_image(part, round(size * 0.8))
                self.image.paste(pip, (round(x), round(y + size * 0.3)), pip)
            else:
                self.draw.text((x, y), part, font=font, fill=colour)
            x += _text_width(part, font)
        return used

    def draw_seats(self) -> None:
        """Draw the first seat below, and the others above it in playing order."""
        seats = list(self.state["seats"])
        others = max(1, len(seats) - 1)
        room = (IMAGE_WIDTH - 2 * MARGIN - 24 * (others - 1)) / others
        for number in range(1, len(seats)):
            x = MARGIN + (number - 1) * (room + 24)
            self.draw_name(number, x, 112, room)
            self.draw_hand(seats[number]["hand"], x, 148, room, 112)
        self.draw_hand(seats[0]["hand"], MARGIN + 330, 424, IMAGE_WIDTH - 2 * MARGIN - 330, 138)
        self.draw_name(0, MARGIN, 446, 310)
        notes = [one["text"] for one in seats[0]["notes"]] + seats[0]["lines"]
        for place, line in enumerate(_fill_lines(notes, _font("plain", 24), 310)[:3]):
            self.draw_text((MARGIN, 484 + 28 * place), line, 24, 310, colour=SOFT_COLOUR)

    def draw_name(self, number: int, x: float, y: float, max_width: float) -> None:
        """Draw a seat's name and points, in gold if it is to act."""
        colour = GOLD_COLOUR if number in self.state["turns"] else PAPER_COLOUR
        name = self.states["seats"][number]["name"]
        x += self.draw_text((x, y), name, 28, max_width - 90, "bold", colour) + 16
        points = self.state["seats"][number]["points"]
        if points is not None:
            self.draw_text((x, y), str(points), 28, 74, "bold")

    def draw_center(self) -> None:
        x = float(MARGIN)
        for pile in self.state["piles"][:2]:
            card = self.states["back"] if pile["card"] is None else self.image_url(pile["card"])
            self.draw_card(card, x, 276, 112)
            label = pile["label"] if pile["count"] is None else f"{pile['label']} {pile['count']}"
            self.draw_text((x, 392), label, 22, 130, colour=SOFT_COLOUR)
            x += 146
        played = [(seat, card) for seat, card in enumerate(self.state["table"]) if card is not None]
        room = 420 / max(1, len(played))
        for place, (seat, card) in enumerate(played):
            left = 390 + place * room
            best = seat == self.state["trick_winner"]
            self.draw_card(self.image_url(card), left, 268 - 4 * best, 118)
            name = self.states["seats"][seat]["name"]
            self.draw_text(
                (left, 390), name, 22, max(84, room - 8), colour=GOLD_COLOUR if best else SOFT_COLOUR
            )
        # points of the sides, then the facts, one per line
        sides = zip(self.states["sides"], self.state["sides"], strict=False)
        lines = [f"{name} · {side['points']}" for name, side in sides]
        lines += [f"{fact['label']} {fact['text']}" for fact in self.state["facts"]]
        for place, line in enumerate(lines[:5]):
            self.draw_text((IMAGE_WIDTH - MARGIN, 268 + 30 * place), line, 24, 340, anchor="ra")

    def image_url(self, card: str) -> str:
        """Return the picture of a card, or the back for an unknown card."""
        face = self.states["faces"].get(card)
        return str(face["src"] if face else self.states["back"])

    def draw_hand(self, hand: list[str], x: float, y: float, max_width: float, height: float) -> None:
        width = height * CARD_RATIO
        step = min(width + 6, (max_width - width) / max(1, len(hand) - 1))
        for place, card in enumerate(hand):
            self.draw_card(self.image_url(card), x + place * step, y, height)

    def draw_card(self, source: str, x: float, y: float, height: float) -> None:
        """Draw a card, or leave its place empty if it has no picture."""
        if source:
            face = _card_image(source, round(height))
            self.image.paste(face, (round(x), round(y)), face)


@lru_cache(maxsize=MAX_CACHED_FACES)
def _card_image(source: str, height: int) -> "Image":
    from PIL import Image
    from resvg_py import svg_to_bytes

    png = svg_to_bytes(
        svg_string=_read_svg(source),
        height=height,
        width=round(height * CARD_RATIO),
        skip_system_fonts=True,
        font_files=[_font_file("bold")],
        sans_serif_family="Source Sans Pro",
    )
    return Image.open(BytesIO(png)).convert("RGBA")


@cache
def _suit_image(suit: str, size: int) -> "Image":
    """Return a suit symbol in a colour for the felt, taken from a card: few fonts have these."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    letter, colour = SUIT_COLOURS[suit]
    found = _SVG_SYMBOL.search(_read_svg(f"./app/static/cards/en/7{letter}.svg"))
    assert found is not None  # build.py writes it into every file
    drawn = _SVG_FILL.sub("", found[2])
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {found[1]} fill="{colour}">{drawn}</svg>'
    png = svg_to_bytes(svg_string=svg, height=size, width=size)
    return Image.open(BytesIO(png)).convert("RGBA")


_SVG_SYMBOL = re.compile(r'<symbol id="S\w7"[^>]*?(viewBox="[^"]*")[^>]*>(.*?)</symbol>')
_SVG_FILL = re.compile(r' fill="[^"]*"')


def _read_svg(source: str) -> str:
    """Return the SVG at an address of a card face; addresses come from `states` only."""
    if source.startswith("data:image/svg+xml,"):
        return unquote(source.removeprefix("data:image/svg+xml,"))
    path = source.removeprefix("./app/static/")
    return files("dashboard").joinpath("static", path).read_text(encoding="utf-8")


def _font_file(weight: Weight) -> str:
    import font_source_sans_pro

    name = "SourceSansProSemibold" if weight == "bold" else "SourceSansPro"
    return str(font_source_sans_pro.font_files_ttf[name])


@cache
def _font(weight: Weight, size: int) -> "FreeTypeFont":
    from PIL import ImageFont

    # basic layout: no text can change the writing direction of the rest
    return ImageFont.truetype(_font_file(weight), size, layout_engine=ImageFont.Layout.BASIC)


def _text_width(text: str, font: "FreeTypeFont") -> float:
    return sum(
        font.size * 0.85 if part in SUIT_COLOURS else font.getlength(part)
        for part in _SUIT_SYMBOL.split(text)
    )


def _fill_lines(parts: Sequence[str], font: "FreeTypeFont", width: float) -> list[str]:
    """Join parts into as few lines as possible, in order."""
    found: list[str] = []
    for part in parts:
        longer = f"{found[-1]} · {part}" if found else ""
        if found and _text_width(longer, font) <= width:
            found[-1] = longer
        else:
            found.append(part)
    return found


@lru_cache(4096)
def _is_letter(sign: str) -> bool:
    font = _font("plain", 20)
    return sign in SUIT_COLOURS or bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


def _truncate_to_width(text: str, font: "FreeTypeFont", width: float) -> str:
    """Return as much of a text as fits the width."""
    # characters the font lacks would show as boxes
    runs = groupby(text[:MAX_TEXT_CHARS].replace("\n", " "), _is_letter)
    text = "".join("".join(run) if known else "…" for known, run in runs)
    if _text_width(text, font) <= width:
        return text
    cut = [text[: end + 1].rstrip() + "…" for end in range(len(text))]
    return ["…", *cut][bisect_right(cut, width, key=lambda one: _text_width(one, font))]
