"""A match on paper: its deals with points and announcements, and what was found."""

from typing import Any

from dashboard import games
from dashboard.games.deal import Deal
from dashboard.text.labels import deal_name
from dashboard.text.numbers import short
from ingest.finding import lines
from ingest.i18n import Translate
from ingest.judge.explain import Explained


def sheet(log: Explained, t: Translate) -> dict[str, Any]:
    """`columns`, `rows` of texts, one a deal, and `findings` of `badge`, `place` and `text`."""
    assert log.match is not None
    names = [short(player.called) for player in log.match.players]
    rows, sides = list[list[str]](), names
    for index, replay in enumerate(log.replays):
        name = deal_name(log, index, t, score=False)
        if index in log.lines:
            told = log.match.deals[index]
            said = lines.told(t, told, log.match.game, names)
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
        rows.append([name, *points, " · ".join(_announced(names, end))])
    return {
        "columns": [t("Deal"), *sides, t("Announcements")],
        "rows": rows,
        "findings": [
            {
                "rule": one.rule,
                "severity": one.severity,
                "place": one.place(t),
                "text": one.message(t),
            }
            for one in log.findings
        ],
    }


def _announced(names: list[str], end: dict[str, Any]) -> list[str]:
    """`Jean mariage ♠, quinte`: by seat what was announced, and counted where that is known."""
    by_seat = zip(names, end["seats"], strict=True)
    notes = (
        (name, [note["text"] for note in seat["notes"] if note["counts"]]) for name, seat in by_seat
    )
    return [f"{name} {', '.join(texts)}" for name, texts in notes if texts]
