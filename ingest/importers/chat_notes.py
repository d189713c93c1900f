"""Splits the text of notes into lines, with the days and senders of the messages of a chat."""

from collections.abc import Iterator

from ingest.i18n import N_
from ingest.importers.chat_export import ChatLine, chat_lines
from ingest.importers.import_result import AMBIGUOUS_TEXT, Question
from ingest.importers.notes_headings import has_result
from ingest.importers.notes_lines import NoteLine, parse_line
from ingest.importers.written_dates import find_date

TOO_LONG = N_("A line of {read} characters is not read; notes have short ones.")
MAX_LINES = 20_000
MAX_LINE_CHARACTERS = 2_000  # characters per line


def note_lines(text: str, questions: list[Question]) -> Iterator[NoteLine | None]:
    """Yield the parsed lines, and None for each empty line; of a chat, a line for each day too."""
    lines = text.removeprefix("\ufeff").splitlines()[:MAX_LINES]
    chat = chat_lines(lines)
    day: tuple[str, ...] = ()
    for one in chat or (ChatLine(number, raw) for number, raw in enumerate(lines, 1)):
        number, raw = one.number, one.text
        if one.is_by_system and not any(map(has_result, parse_line(number, raw))):
            continue
        if one.days and one.days != day:
            goes_on = one.goes_on_from(day)
            if not goes_on:
                yield None
            if (of_day := _day_line(one, questions)) is not None:
                yield of_day._replace(goes_past_midnight=goes_on)
            day = one.days
        if chat and find_date(raw):
            day = ()
        if not raw.strip():
            yield None
        elif len(raw) > MAX_LINE_CHARACTERS:
            questions.append(Question(number, 1, str(len(raw)), TOO_LONG))
        else:
            yield from (line._replace(sender=one.sender) for line in parse_line(number, raw.rstrip()))


def _day_line(one: ChatLine, questions: list[Question]) -> NoteLine | None:
    """Return the day of a message as a line; None, with a question, if it may be one of two."""
    if len(one.days) > 1:
        questions.append(Question(one.number, one.column, one.written_day, AMBIGUOUS_TEXT, one.days))
        return None
    return NoteLine(one.number, one.column, "", one.days[0], one.days[0], one.column)
