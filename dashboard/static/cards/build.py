"""Rebuilds the card faces from the Kennard set.

The faces are stored in the repository, so this script runs only when they change:

    npm pack @heruka_urgyen/react-playing-cards && tar xzf heruka_urgyen-*.tgz
    python dashboard/static/cards/build.py package

It reads `src/images/2color` of the unpacked package and writes 36 faces with English indices
(J Q K) under `en/`, 36 with French ones (V D R) under `fr/`, and the back. LICENSE.md lists
what changes. The files are shrunk by svgo, which npx fetches. Under `four/` of each language are
the diamonds in blue and the clubs in green; without a package only these are made again.
"""

import re
import subprocess
import sys
import tempfile
from functools import partial
from itertools import product
from pathlib import Path

CARDS_FOLDER = Path(__file__).parent
RANKS = "6789TJQKA"
SUITS = "shdc"
SVGO_PACKAGE = "svgo@4.1.0"

SVG_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="336" viewBox="-120 -168 240 336">'

# Corner letters in the style of the set: strokes with slab serifs, in a box of ±500.
FRENCH_LETTERS = {
    "J": "M-270 -460L-110 -460M-200 -450L0 460L200 -450M110 -460L270 -460",  # V, valet
    "Q": "M-270 -460L0 -460A230 230 0 0 1 230 -230L230 230A230 230 0 0 1 0 460L-270 460"
    "M-160 -460L-160 460",  # D, dame
    "K": "M-285 -460L0 -460A215 215 0 0 1 0 -20L-170 -20M-170 -460L-170 460M-285 460L-85 460"
    "M10 -20L195 460M115 460L285 460",  # R, roi
}

# Art is drawn in 1300 × 2000 units for 165 × 261, so whole numbers lose nothing the eye sees.
SVGO_CONFIG = """export default { multipass: true, plugins: [{ name: 'preset-default', params: {
  overrides: { cleanupIds: false, convertPathData: { floatPrecision: 0 },
               cleanupNumericValues: { floatPrecision: 1 } } } }] };"""


def face_svg(source: str, letter: str | None) -> str:
    """One card: a plain header, larger corner indices, and `letter` (a path) as their glyph."""
    svg = frame_svg(source)
    # the index's box, with room for the thicker stroke
    box = r'(id="V\w\w") viewBox="-500 -500 1000 1000"'
    svg = re.sub(box, r'\1 viewBox="-520 -520 1040 1040"', svg)
    svg = svg.replace('stroke-width="80"', 'stroke-width="100"')
    svg = re.sub(r'height="32" x="-114.4" y="-156"', 'height="46" x="-123.5" y="-158"', svg)
    svg = re.sub(r'height="26.769" x="-111.784" y="-119"', 'height="38" x="-119.5" y="-109"', svg)
    if letter:
        svg, glyphs = re.subn(r'(<symbol id="V\w\w"[^>]*><path d=")[^"]*', rf"\g<1>{letter}", svg)
        if glyphs != 1:
            raise SystemExit("the package draws its indices differently: adapt build.py")
    return svg


def back_svg(source: str) -> str:
    """The back: the set's own lattice, blue and of double width, so that small cards show it."""
    svg = frame_svg(source).replace('d="M3 0L6 3L3 6L0 3Z" fill="black"', 'd="M6 0l6 6-6 6-6-6Z"')
    svg = svg.replace('width="6" height="6"', 'width="12" height="12" fill="#24508f"')
    return svg


def frame_svg(source: str) -> str:
    """The same drawing with a size in pixels and SVG 2 references."""
    return re.sub(r"^.*?<svg[^>]*>", SVG_HEAD, source.replace("xlink:href", "href"), count=1, flags=re.S)


FOUR_COLOURS = {"d": "#1254c4", "c": "#0a7a2f"}


def write_four_colour_cards() -> None:
    """Diamonds and clubs once more, their pips and indices in a colour of their own."""

    def inked(colour: str, match: re.Match[str]) -> str:
        sign = match[0]
        if 'fill="' not in sign:  # clubs' pips are black by saying nothing
            return sign.replace("<path ", f'<path fill="{colour}" ', 1)
        return re.sub(r'"(?:red|#000)"', f'"{colour}"', sign)

    for language, (suit, colour) in product(("en", "fr"), FOUR_COLOURS.items()):
        folder = CARDS_FOLDER / language / "four"
        folder.mkdir(exist_ok=True)
        for rank in RANKS:
            svg = (CARDS_FOLDER / language / f"{rank}{suit}.svg").read_text("utf-8")
            signs = rf'<symbol id="[SV]{suit.upper()}\w".*?</symbol>'  # not the court's clothes
            svg, count = re.subn(signs, partial(inked, colour), svg)
            if count != 2:
                raise SystemExit(f"{rank}{suit} is drawn differently: adapt build.py")
            (folder / f"{rank}{suit}.svg").write_text(svg, "utf-8")


def main(package: Path) -> None:
    """Write every card into the folder of this script."""
    images = package / "src/images"
    for language, letters in (("en", {}), ("fr", FRENCH_LETTERS)):
        folder = CARDS_FOLDER / language
        folder.mkdir(exist_ok=True)
        for rank in RANKS:
            for suit in SUITS:
                source = (images / f"2color/{rank}{suit.upper()}.svg").read_text("utf-8")
                (folder / f"{rank}{suit}.svg").write_text(face_svg(source, letters.get(rank)), "utf-8")
    (CARDS_FOLDER / "back.svg").write_text(back_svg((images / "back.svg").read_text("utf-8")), "utf-8")

    with tempfile.TemporaryDirectory() as temporary:
        config = Path(temporary, "svgo.config.mjs")
        config.write_text(SVGO_CONFIG, "utf-8")
        command = f"npx --yes {SVGO_PACKAGE} --quiet --recursive --config".split()
        subprocess.run([*command, str(config), "-f", str(CARDS_FOLDER)], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    if len(sys.argv) == 2:
        main(Path(sys.argv[1]))
    write_four_colour_cards()
