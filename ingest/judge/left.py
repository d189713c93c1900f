"""What each seat of a match had left to choose from before play, deal by deal."""

from collections.abc import Iterator

import numpy as np

from engine.replay import Replay
from ingest.judge.explain import Explained


def left_in(explained: Explained) -> list[list[int]]:
    """A mask a seat for each deal, as `Game.chosen` has it; empty lists in a game without that.

    After a deal that is not written down whole nobody can tell any more.
    """
    assert explained.match is not None
    if explained.table is None or explained.table.game.chosen is None:
        return [[] for _ in explained.match.deals]
    return list(_left(explained))


def _left(explained: Explained) -> Iterator[list[int]]:
    match, table = explained.match, explained.table
    assert match is not None
    assert table is not None
    assert table.game.chosen is not None
    flow, count = np.zeros(1, table.game.match.Match)[0], table.game.match
    cuts, start = explained.cuts[:3], np.array(explained.cuts[3:], np.int64)
    count.open_match(flow, table.rules, len(match.players), *cuts)
    count.begin(flow, start)
    for at, (deal, replay) in enumerate(zip(match.deals, explained.replays, strict=True)):
        yield table.game.chosen.left(flow)
        whole = type(replay) is Replay and not replay.unread and at not in explained.lines
        if replay is not None and whole:
            count.close_deal(flow, table.rules, replay.last.state, bool(deal.void))
        elif at in explained.lines or not deal.void:
            count.lose_track(flow)
