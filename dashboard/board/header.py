"""The line above a board, and a match's print view: players, event, deals."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import urlencode

from dashboard import games
from dashboard.games.base import DealView
from dashboard.text.labels import STATUS_LABELS, deal_name
from dashboard.text.numbers import date_text, short_name
from engine.games import game_names as registered
from ingest.escaping import escape_line
from ingest.findings.spoken_notation import describe_score_line
from ingest.i18n import N_, Translate
from ingest.validate.fast_path.decode import preset_of
from ingest.validate.result_checks import RESULT_ONLY
from ingest.validate.slow_path import ValidationResult


def match_sheet(log: ValidationResult, t: Translate) -> dict[str, Any]:
    """Return the print view: `columns`, `rows` (one per deal), `findings`."""
    names = [short_name(player.display_name) for player in log.known_match.players]
    rows, sides = list[list[str]](), names
    for index, replay in enumerate(log.replays):
        name = deal_name(log, index, t, score=False)
        if index in log.score_line_ends:
            result = log.known_match.deals[index]
            items = describe_score_line(t, result, log.known_match.game, names)
            count = len(names) if log.setup is None else log.setup.game.side_count(len(names))
            sides = [" + ".join(names[side::count]) for side in range(count)]
            points = [str(one) for one in result.points or [""] * count]
            rows.append([name, *points, " · ".join(items)])
            continue
        if replay is None or log.setup is None:
            rows.append([name])
            continue
        deal, game = DealView(replay, log.setup, names, t), games.game_view(replay.game.name)
        end = game.ply_state(deal, len(replay) - 1)
        sides = game.deal_frame(deal)["sides"] or names
        points = [str(one["points"]) for one in end["sides"] or end["seats"]]
        # per seat the announcements that count, as in `Jean mariage ♠, quinte`
        items = []
        for who, seat in zip(names, end["seats"], strict=True):
            if texts := [note["text"] for note in seat["notes"] if note["counts"]]:
                items.append(f"{who} {', '.join(texts)}")
        rows.append([name, *points, " · ".join(items)])
    return {
        "columns": [t("Deal"), *sides, t("Announcements")],
        "rows": rows,
        "findings": [
            {"rule": one.rule, "severity": one.severity} | {"place": one.place(t), "text": one.message(t)}
            for one in log.findings
        ],
    }


EVENT_TEXTS = {"name": "", "place": "", "round": N_("round {n}"), "table": N_("table {n}")}
"""Parts of an event in the order of the heading; the text is for a part that is a plain number."""


def board_header(
    log: ValidationResult,
    t: Translate,
    deals: Sequence[int] | None = None,
    page_of: Callable[[str], str | None] = lambda player: None,
    neighbours: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the data of the board's header.

    `deals` are the indexes to offer, from 0 (all). `page_of` returns the address of a player's
    page, by id. `neighbours` has the addresses `before` and `after` in the list of matches. `state`
    is empty unless the verdict is unusual.
    """
    match = log.known_match
    return {
        "players": [
            {"id": one.id, "name": escape_line(one.display_name), "href": page_of(one.id)}
            for one in match.players
        ],
        "about": match_summary(log, t),
        "state": "" if log.status == "legal" else t(STATUS_LABELS[log.status]),
        "deals": [
            {"number": deal + 1, "name": t("Deal {n}", n=deal + 1), "label": deal_name(log, deal, t)}
            for deal in (range(len(match.deals)) if deals is None else deals)
        ],
        "sheet": match_sheet(log, t),
        **(neighbours or {}),
    }


def match_summary(log: ValidationResult, t: Translate) -> list[str]:
    """Return the game, its rules and the event, as far as they are known."""
    game = log.known_match.game
    title = games.game_view(game).TITLE if game in registered() else game
    is_stated = log.status != RESULT_ONLY or log.known_match.rules is not None
    rules = games.preset_label(preset_of(log.known_match), t) if is_stated else ""
    return [one for one in (title, rules, *_event_texts(log, t)) if one]


def player_page(game: str, player: str) -> str:
    """Return the address of a player's page, relative to any page."""
    return "joueurs?" + urlencode({"player": player, "game": games.game_view(game).TITLE})


def when_and_where(log: ValidationResult, t: Translate) -> list[str]:
    """Return the day of a match, then its event, as far as they are known."""
    played = escape_line(((log.match.played_at if log.match else None) or "")[:10])
    with suppress(ValueError):  # not a date
        played = date_text(date.fromisoformat(played), t)
    return [one for one in (played, *_event_texts(log, t)) if one]


def _event_texts(log: ValidationResult, t: Translate) -> list[str]:
    event = (log.match.event if log.match else None) or {}
    known = (
        (text, escape_line(str(event[key])))
        for key, text in EVENT_TEXTS.items()
        if event.get(key) is not None
    )
    return [t(text, n=one) if text and one.isdecimal() else one for text, one in known]
