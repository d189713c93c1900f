"""A position as a picture of 1200 × 630, drawn without a browser: what messengers show of a link.

Cards are the board's own SVG faces; names and sentences are drawn as letters, never as markup.
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

SIZE = WIDTH, HEIGHT = 1200, 630
FELT, EDGE, PAPER = "#2c7558", "#1b4636", "#ffffff"
SOFT, GOLD, RED = "#cfe3d9", "#ffd45e", "#ff8f87"
MARGIN = 28
CARD = 240 / 336
"""Of every face: its width for its height."""
LONGEST = 300
"""Signs of a text that are looked at; what has no room ends in an ellipsis."""
KEPT = 400
"""Faces that stay in memory, each some 50 kB."""
SUITS = {"♠": ("s", PAPER), "♥": ("h", RED), "♦": ("d", RED), "♣": ("c", PAPER)}
_SUITS = re.compile("([♠♥♦♣])")
Weight = Literal["bold", "plain"]


def picture(shown: Mapping[str, Any], ply: int, title: str, about: str) -> bytes:
    """A position of a deal (see `dashboard.board.states`) as a PNG."""
    from PIL import Image, ImageDraw  # loaded where there is something to draw

    image = Image.new("RGB", SIZE, EDGE)
    table = _Table(image, ImageDraw.Draw(image), shown, shown["plies"][ply])
    table.text((MARGIN, 14), title, 40, WIDTH - 230, "bold")
    table.text((MARGIN, 62), about, 26, WIDTH - 2 * MARGIN, colour=SOFT)
    table.text((WIDTH - MARGIN, 20), "Retourne", 32, 190, "bold", GOLD, "ra")
    table.draw.rectangle((0, 104, WIDTH, 568), fill=FELT)
    table.seats()
    table.center()
    state = table.state
    happened = " · ".join(filter(None, [state["text"], state["why"], *state["also"]]))
    table.text((MARGIN, 580), happened, 28, WIDTH - 2 * MARGIN)
    out = BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(out, "PNG")
    return out.getvalue()


@dataclass
class _Table:
    """One picture while it is drawn."""

    image: "Image"
    draw: "ImageDraw"
    shown: Mapping[str, Any]
    state: Mapping[str, Any]

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: int,
        width: float,
        weight: Weight = "plain",
        colour: str = PAPER,
        anchor: Literal["la", "ra"] = "la",
    ) -> float:
        """A text on one line, cut where there is no more room; its width."""
        font = _font(weight, size)
        fitted = _fitted(text, font, width)
        x, y = at
        used = _length(fitted, font)
        if anchor == "ra":
            x -= used
        for part in _SUITS.split(fitted):
            if part in SUITS:
                pip = _pip(part, round(size * 0.8))
                self.image.paste(pip, (round(x), round(y + size * 0.3)), pip)
            else:
                self.draw.text((x, y), part, font=font, fill=colour)
            x += _length(part, font)
        return used

    def seats(self) -> None:
        """The first seat below, the others above it in the order of play."""
        seats = list(self.state["seats"])
        others = max(1, len(seats) - 1)
        room = (WIDTH - 2 * MARGIN - 24 * (others - 1)) / others
        for number in range(1, len(seats)):
            x = MARGIN + (number - 1) * (room + 24)
            self.name(number, x, 112, room)
            self.cards(seats[number]["hand"], x, 148, room, 112)
        self.cards(seats[0]["hand"], MARGIN + 330, 424, WIDTH - 2 * MARGIN - 330, 138)
        self.name(0, MARGIN, 446, 310)
        notes = [one["text"] for one in seats[0]["notes"]] + seats[0]["lines"]
        for place, line in enumerate(_lines(notes, _font("plain", 24), 310)[:3]):
            self.text((MARGIN, 484 + 28 * place), line, 24, 310, colour=SOFT)

    def name(self, number: int, x: float, y: float, room: float) -> None:
        """A seat's name with its points, gold where it is to act."""
        colour = GOLD if number in self.state["turns"] else PAPER
        name = self.shown["seats"][number]["name"]
        x += self.text((x, y), name, 28, room - 90, "bold", colour) + 16
        points = self.state["seats"][number]["points"]
        if points is not None:
            self.text((x, y), str(points), 28, 74, "bold")

    def center(self) -> None:
        """What lies on the table, the piles beside it, and what is so of the deal."""
        x = float(MARGIN)
        for pile in self.state["piles"][:2]:
            card = self.shown["back"] if pile["card"] is None else self.source(pile["card"])
            self.paste(card, x, 276, 112)
            label = pile["label"] if pile["count"] is None else f"{pile['label']} {pile['count']}"
            self.text((x, 392), label, 22, 130, colour=SOFT)
            x += 146
        laid = [(seat, card) for seat, card in enumerate(self.state["table"]) if card is not None]
        room = 420 / max(1, len(laid))
        for place, (seat, card) in enumerate(laid):
            left = 390 + place * room
            best = seat == self.state["taker"]
            self.paste(self.source(card), left, 268 - 4 * best, 118)
            name = self.shown["seats"][seat]["name"]
            self.text((left, 390), name, 22, max(84, room - 8), colour=GOLD if best else SOFT)
        # points of sides, then what is so of the deal, a line each
        sides = zip(self.shown["sides"], self.state["sides"], strict=False)
        lines = [f"{name} · {side['points']}" for name, side in sides]
        lines += [f"{fact['label']} {fact['text']}" for fact in self.state["facts"]]
        for place, line in enumerate(lines[:5]):
            self.text((WIDTH - MARGIN, 268 + 30 * place), line, 24, 340, anchor="ra")

    def source(self, card: str) -> str:
        """The picture of a card; of one nobody knows its back."""
        face = self.shown["faces"].get(card)
        return str(face["src"] if face else self.shown["back"])

    def cards(self, hand: list[str], x: float, y: float, room: float, height: float) -> None:
        """A hand, its cards as close as they must be."""
        width = height * CARD
        step = min(width + 6, (room - width) / max(1, len(hand) - 1))
        for place, card in enumerate(hand):
            self.paste(self.source(card), x + place * step, y, height)

    def paste(self, source: str, x: float, y: float, height: float) -> None:
        """A card; where it has no picture, an empty place."""
        if source:
            face = _face(source, round(height))
            self.image.paste(face, (round(x), round(y)), face)


@lru_cache(maxsize=KEPT)
def _face(source: str, height: int) -> "Image":
    """A card's picture so many pixels high, by where the board finds it."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    png = svg_to_bytes(
        svg_string=_svg(source),
        height=height,
        width=round(height * CARD),
        skip_system_fonts=True,
        font_files=[_font_file("bold")],
        sans_serif_family="Source Sans Pro",
    )
    return Image.open(BytesIO(png)).convert("RGBA")


@cache
def _pip(suit: str, size: int) -> "Image":
    """A suit as the cards have it, in a colour that is seen on the felt: few fonts know them."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    letter, colour = SUITS[suit]
    found = _SYMBOL.search(_svg(f"./app/static/cards/en/7{letter}.svg"))
    assert found is not None  # build.py has made it so
    drawn = _FILL.sub("", found[2])
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {found[1]} fill="{colour}">{drawn}</svg>'
    png = svg_to_bytes(svg_string=svg, height=size, width=size)
    return Image.open(BytesIO(png)).convert("RGBA")


_SYMBOL = re.compile(r'<symbol id="S\w7"[^>]*?(viewBox="[^"]*")[^>]*>(.*?)</symbol>')
_FILL = re.compile(r' fill="[^"]*"')


def _svg(source: str) -> str:
    """The drawing at one of our own addresses, which states alone name."""
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

    # letters one after the other: nothing of a text turns the direction of the rest
    return ImageFont.truetype(_font_file(weight), size, layout_engine=ImageFont.Layout.BASIC)


def _length(text: str, font: "FreeTypeFont") -> float:
    return sum(
        font.size * 0.85 if part in SUITS else font.getlength(part) for part in _SUITS.split(text)
    )


def _lines(parts: Sequence[str], font: "FreeTypeFont", width: float) -> list[str]:
    """Parts in as few lines as they fit into, in their order."""
    found: list[str] = []
    for part in parts:
        longer = f"{found[-1]} · {part}" if found else ""
        if found and _length(longer, font) <= width:
            found[-1] = longer
        else:
            found.append(part)
    return found


@lru_cache(4096)
def _is_letter(sign: str) -> bool:
    font = _font("plain", 20)
    return sign in SUITS or bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


def _fitted(text: str, font: "FreeTypeFont", width: float) -> str:
    """As much of a text as there is room for."""
    # an ellipsis for what has no letter here, which would be boxes
    runs = groupby(text[:LONGEST].replace("\n", " "), _is_letter)
    text = "".join("".join(run) if known else "…" for known, run in runs)
    if _length(text, font) <= width:
        return text
    cut = [text[: end + 1].rstrip() + "…" for end in range(len(text))]
    return ["…", *cut][bisect_right(cut, width, key=lambda one: _length(one, font))]
