"""Chats that were exported as notes: days and senders of messages; the whole of one is a paper."""

import re
from datetime import date
from pathlib import Path

import pytest

from ingest.i18n import translator
from ingest.importers.import_result import ImportResult
from ingest.importers.notes import is_notes, read_notes

EN = translator("en")
CHAT = Path(__file__).parents[2] / "data" / "papers" / "notes" / "whatsapp.txt"


def results(found: ImportResult) -> list[str]:
    """The days, winners and losers of matches in short, and the questions."""
    matches = [
        f"{log.get('played_at', '')[:10]} {' '.join(one['name'] for one in log['players'])}"
        for log in found.logs
    ]
    return [*matches, *(f"{one.where} {one.message(EN)}" for one in found.questions)]


def read(text: str) -> list[str]:
    return results(read_notes(text, today=date(2026, 11, 28)))


def test_a_chat_of_an_iphone_is_read_as_one_of_android() -> None:
    android = CHAT.read_text(encoding="utf-8")
    phone = re.sub(r"^([\d/]+), ([\d:]+) - ", "\\1 \\2:33] ", android, flags=re.MULTILINE)
    phone = re.sub(r"^(?=[\d/]+ )", "[", phone, flags=re.MULTILINE).replace("<Médias", "\u200e<Médias")
    assert is_notes(phone)
    one, other = read_notes(phone), read_notes(android)
    assert [log["result"] for log in one.logs] == [log["result"] for log in other.logs]
    assert [log["played_at"] for log in one.logs] == [log["played_at"] for log in other.logs]
    assert [len(found.questions) for found in (one, other)] == [1, 1]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (("11/7/26", "11/14/26"), ["2026-11-07 Lucy René", "2026-11-14 Lucy René"]),
        (("14/11/26", "15/11/26"), ["2026-11-14 Lucy René", "2026-11-15 Lucy René"]),
        (
            ("11/7/26", "11/7/26"),
            [" Lucy René", " Lucy René", "1:1 “11/7/26” may be 2026-07-11 or 2026-11-07. Which of them?"],
        ),
    ],
)
def test_a_chat_with_am_and_pm_has_a_day_only_where_it_is_certain(
    days: tuple[str, str], found: list[str]
) -> None:
    lines = ["{}, 9:06 PM - Odile: Chouine, Lucy beats René 3-1", "{}, 9:07 PM - Odile: Lucy beats René 3-2"]
    assert read("\n".join(line.format(day) for line, day in zip(lines, days, strict=True))) == found


def test_each_of_several_titles_with_a_result_has_its_own_day() -> None:
    note = (
        "Chouine, 12 avril 2026, Lucie bat René 3-1\n"
        "Chouine, 13 avril 2026, Lucie bat Odile 3-2\n"
        "Odile bat René 3-0\n"
        "07/11/2026, 21:06 - Marcel bat René 3-1\n"
    )
    assert read(note) == [
        "2026-04-12 Lucie René",
        "2026-04-13 Lucie Odile",
        "2026-04-13 Odile René",
        "2026-11-07 Marcel René",
    ]


def test_a_word_for_another_day_is_no_name() -> None:
    message = "07/11/2026, 21:06 - Odile: {}\n"
    note = (
        "Jeu : Chouine\n" + message.format("Lucie bat René 3-1") + message.format("Hier Lucie bat René 3-2")
    )
    assert read(note) == ["2026-11-07 Lucie René", "3:28 “Hier Lucie bat René 3-2” is not understood."]


def test_a_chat_that_goes_on_past_midnight_has_one_match_of_the_evening() -> None:
    chat = """14/11/2026, 23:50 - Odile: Chouine
14/11/2026, 23:51 - Odile: Joueurs : Lucie, René
14/11/2026, 23:58 - Odile: René donne
{day}, {time} - Odile: Lucie gagne 70 à 50
{day}, 05:40 - Odile: Lucie donne. René gagne 70 à 50
"""
    found = read_notes(chat.format(day="15/11/2026", time="00:02"))
    assert [(log["played_at"][:10], log["deals"]) for log in found.logs] == [
        (
            "2026-11-14",
            [{"dealer": 2, "points": [70, 50], "winner": 1}, {"dealer": 1, "points": [50, 70], "winner": 2}],
        )
    ]
    assert found.questions == []
    assert read_notes(chat.format(day="16/11/2026", time="00:02")).questions != []
    assert read_notes(chat.format(day="15/11/2026", time="09:02")).questions != []


def test_the_players_of_a_later_message_begin_another_match() -> None:
    messages = [
        *("Belote classique", "Joueurs : Anne, Chantal, Bruno, Denis", "Anne donne. Bruno prend ♥, 90 à 72"),
        *("Coinche", "Joueurs : Anne, Denis, Bruno, Chantal", "Anne donne. Denis 80 pique, 160 à 80"),
    ]
    found = read_notes("".join(f"[12/11/2026, 20:41:03] Anne: {one}\n" for one in messages))
    games = [(one["game"], [deal["points"] for deal in one["deals"]]) for one in found.logs]
    assert (games, found.questions) == ([("belote", [[90, 72]]), ("coinche", [[80, 160]])], [])
