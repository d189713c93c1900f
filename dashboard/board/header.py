"""The line above a board, and the match on paper: who plays, what and where, its deals."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import urlencode

from dashboard import games
from dashboard.games.base import Deal
from dashboard.text.labels import STATUSES, deal_name
from dashboard.text.numbers import day, short
from engine.games import names as registered
from ingest.findings.spoken_notation import speak_line
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.validate.fast_path.decode import preset_of
from ingest.validate.slow_path import Explained


def sheet(log: Explained, t: Translate) -> dict[str, Any]:
    """`columns`, `rows` of texts, one a deal, and `findings` of `badge`, `place` and `text`."""
    assert log.match is not None
    names = [short(player.called) for player in log.match.players]
    rows, sides = list[list[str]](), names
    for index, replay in enumerate(log.replays):
        name = deal_name(log, index, t, score=False)
        if index in log.lines:
            told = log.match.deals[index]
            said = speak_line(t, told, log.match.game, names)
            count = len(names) if log.table is None else log.table.game.sides(len(names))
            sides = [" + ".join(names[side::count]) for side in range(count)]
            points = [str(one) for one in told.points or [""] * count]
            rows.append([name, *points, " · ".join(said)])
            continue
        if replay is None or log.table is None:
            rows.append([name])
            continue
        deal, game = Deal(replay, log.table, names, t), games.of(replay.game.name)
        end = game.ply(deal, len(replay) - 1)
        sides = game.frame(deal)["sides"] or names
        points = [str(one["points"]) for one in end["sides"] or end["seats"]]
        # `Jean mariage ♠, quinte`: by seat what was announced, and counted where that is known
        said = []
        for who, seat in zip(names, end["seats"], strict=True):
            if texts := [note["text"] for note in seat["notes"] if note["counts"]]:
                said.append(f"{who} {', '.join(texts)}")
        rows.append([name, *points, " · ".join(said)])
    return {
        "columns": [t("Deal"), *sides, t("Announcements")],
        "rows": rows,
        "findings": [
            {"rule": one.rule, "severity": one.severity}
            | {"place": one.place(t), "text": one.message(t)}
            for one in log.findings
        ],
    }


EVENT = {"name": "", "place": "", "round": N_("round {n}"), "table": N_("table {n}")}
"""Parts of an event in the order of the heading, and a text for one that is a bare number."""


def head(
    log: Explained,
    t: Translate,
    deals: Sequence[int] | None = None,
    page_of: Callable[[str], str | None] = lambda player: None,
    near: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """`head` of the board: `players`, `about`, `deals`, `sheet`, `before` and `after` of a list,
    and `state`, a verdict that is not the usual one.

    `deals` are those it offers, from 0 (all). `page_of` says where a player's id leads, and `near`
    where the list's matches beside this one are.
    """
    match = log.match
    assert match is not None
    return {
        "players": [
            {"id": one.id, "name": plain(one.called), "href": page_of(one.id)}
            for one in match.players
        ],
        "about": about(log, t),
        "state": "" if log.status == "legal" else t(STATUSES[log.status]),
        "deals": [
            {"number": deal + 1, "name": t("Deal {n}", n=deal + 1), "told": deal_name(log, deal, t)}
            for deal in (range(len(match.deals)) if deals is None else deals)
        ],
        "sheet": sheet(log, t),
        **(near or {}),
    }


def about(log: Explained, t: Translate) -> list[str]:
    """The game, its rules and the event, as far as they are known."""
    assert log.match is not None
    game = log.match.game
    title = games.of(game).TITLE if game in registered() else game
    rules = games.rules_named(preset_of(log.match), t)
    return [one for one in (title, rules, *_event(log, t)) if one]


def player_page(game: str, player: str) -> str:
    """Where a player's name leads, from a page beside theirs."""
    return "joueurs?" + urlencode({"player": player, "game": games.of(game).TITLE})


def when_and_where(log: Explained, t: Translate) -> list[str]:
    """The day of a match, then its event, as far as they are known."""
    played = plain(((log.match.played_at if log.match else None) or "")[:10])
    with suppress(ValueError):  # it is no date
        played = day(date.fromisoformat(played), t)
    return [one for one in (played, *_event(log, t)) if one]


def _event(log: Explained, t: Translate) -> list[str]:
    event = (log.match.event if log.match else None) or {}
    known = (
        (text, plain(str(event[key]))) for key, text in EVENT.items() if event.get(key) is not None
    )
    return [t(text, n=one) if text and one.isdecimal() else one for text, one in known]
