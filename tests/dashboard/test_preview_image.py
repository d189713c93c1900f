"""The preview of a position: a picture of it, whatever the game and whatever names are in it."""

import time
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops

from dashboard.board import preview_image as drawing
from dashboard.board.preview_image import EDGE_COLOUR, FELT_COLOUR, IMAGE_SIZE, draw_preview
from dashboard.board.states import deal_states
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from tests.dashboard.conftest import FAUTES, LONG, every_table, lines


def deal_of(text: bytes, language: str = "fr") -> dict[str, Any]:
    shown = deal_states(validate(text), 0, translator(language, "dashboard"))
    assert shown is not None
    return shown


def drawn(shown: dict[str, Any], ply: int, title: str = "Jean – Zoé") -> Image.Image:
    png = draw_preview(shown, ply, title, "Chouine · Lavardin")
    assert len(png) < 300_000
    return Image.open(BytesIO(png)).convert("RGB")


def differ(one: Image.Image, other: Image.Image) -> bool:
    return ImageChops.difference(one, other).getbbox() is not None


FIRST = lines().split(b"\n")[0]


@pytest.mark.slow
@pytest.mark.parametrize("text", every_table().split(b"\n")[:-1:2])
def test_every_game_is_drawn_at_every_position_it_can_be_in(text: bytes) -> None:
    shown = deal_of(text)
    last = len(shown["plies"]) - 1
    pictures = [drawn(shown, ply) for ply in (0, last // 2, last)]
    assert all(one.size == IMAGE_SIZE for one in pictures)
    assert differ(pictures[0], pictures[1])
    assert differ(pictures[1], pictures[2])


def test_the_same_position_is_the_same_picture() -> None:
    shown = deal_of(FIRST)
    assert draw_preview(shown, 4, "a", "b") == draw_preview(shown, 4, "a", "b")


def colours(image: Image.Image, box: tuple[int, int, int, int]) -> set[tuple[int, int, int]]:
    part = image.crop(box)
    return {part.getpixel((x, y)) for x in range(part.width) for y in range(part.height)}  # type: ignore[misc]


def test_a_hand_lies_on_the_felt_and_a_played_card_is_gone_from_it() -> None:
    shown = deal_of(FIRST)
    mine = next(n for n, ply in enumerate(shown["plies"]) if len(ply["seats"][0]["hand"]) == 4 and n)
    fifth = (358 + 4 * 105 + 20, 440, 358 + 4 * 105 + 80, 540)
    before, after = drawn(shown, mine - 1), drawn(shown, mine)
    felt = tuple(bytes.fromhex(FELT_COLOUR[1:]))
    assert colours(after, fifth) == {felt}
    assert colours(before, fifth) != {felt}


@pytest.mark.slow
def test_a_suit_in_a_sentence_is_drawn_as_the_cards_have_it() -> None:
    shown = deal_of(FIRST)
    images = {}
    for suit in "♠♥♦♣x":
        shown["plies"][0] |= {"text": suit, "trick_reason": "", "also": []}
        images[suit] = drawn(shown, 0).crop((0, 570, 1200, 630))
    edge = tuple(bytes.fromhex(EDGE_COLOUR[1:]))
    for one, image in images.items():
        assert colours(image, (28, 0, 60, 60)) != {edge}
        assert not [other for other in images if other != one and not differ(image, images[other])]
    reddish = colours(images["♥"], (28, 0, 60, 60))
    assert any(red > 200 and blue < 160 for red, _, blue in reddish)


@pytest.mark.slow
def test_french_letters_are_letters_of_their_own() -> None:
    """A font without them has one box for all."""
    shown = deal_of(FIRST)
    letters = "ÀÂÇÉÈÊËÎÏÔŒÙÛÜàâçéèêëîïôœùûü’«»"
    images = {one: drawn(shown, 0, one).crop((0, 0, 200, 60)).tobytes() for one in letters}
    assert len(set(images.values())) == len(letters)


@pytest.mark.parametrize(
    "name", ["\u202eevil", "<svg><script>", "&amp;", "\u05d0\u05d1\u05d2 abc", "中文", "\ud800", "\x00\n"]
)
def test_whatever_a_name_is_it_is_only_letters(name: str) -> None:
    log = FIRST.replace(b'"Jean"', b'"NAME"')
    shown = deal_of(log)
    shown["seats"][0]["name"] = name
    assert drawn(shown, 0, name).size == IMAGE_SIZE


def test_a_name_without_end_has_an_end() -> None:
    shown = deal_of(FIRST)
    shown["seats"][1]["name"] = LONG * 100
    began = time.process_time()
    picture = drawn(shown, 0, LONG * 100)
    assert time.process_time() - began < 5
    felt = tuple(bytes.fromhex(EDGE_COLOUR[1:]))
    assert colours(picture, (1000, 0, 1010, 60)) == {felt}  # it stops before what stands beside it


def test_a_deal_that_stopped_is_drawn_too() -> None:
    log = validate((FAUTES / "wrong-turn.json").read_bytes())
    shown = deal_states(log, 0, translator("en", "dashboard"))
    assert shown is not None
    assert drawn(shown, len(shown["plies"]) - 1).size == IMAGE_SIZE


def test_what_is_kept_of_faces_has_a_bound() -> None:
    assert drawing._card_image.cache_info().maxsize == drawing.MAX_CACHED_FACES < 1000


@pytest.mark.slow
def test_what_has_no_letter_is_one_ellipsis_and_no_boxes() -> None:
    shown = deal_of(FIRST)
    for name in ("محمد", "𝒥𝑒𝒶𝓃", "🂡🃏"):
        assert not differ(drawn(shown, 0, f"{name} – Zoé"), drawn(shown, 0, "… – Zoé")), name
    for name in ("Éléonore", "Žižek", "Łódź", "Σωκράτης", "Иван", "♥ 7"):
        assert differ(drawn(shown, 0, f"{name} – Zoé"), drawn(shown, 0, "… – Zoé")), name


def test_what_a_seat_has_is_in_lines_and_none_is_cut() -> None:
    font = drawing._font("plain", 24)
    parts = ["Plis : 2", "Brisques : 2", "Cartes : 17", "mariage ♥"]
    found = drawing._fill_lines(parts, font, 310)
    assert [part for line in found for part in line.split(" · ")] == parts
    assert all(drawing._truncate_to_width(line, font, 310) == line for line in found)
    assert len(found) == 2
