"""A server's memory does not grow with visitors: `benchmarks.pages` in small."""

from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.pages import Sample, Visit, growth
from tests.dashboard.browser import Server
from tests.waiting import comes

TTL = 1
"""Seconds a session that was left is kept here, in case its browser comes back."""


def come(host: str, count: int) -> None:
    """So many visitors at a time, the last of whom leaves without a word."""
    pages = [Visit(host) for _ in range(count)]
    for address in ("", "relecture?match=m0", "rencontres"):
        for page in pages:
            page.open(address)
    for place, page in enumerate(pages):
        page.leave(rude=place == count - 1)


def left(host: str, pid: int) -> Sample:
    """What is held once all have left; what is over goes when the next one leaves."""
    come(host, 1)
    return Sample.of(pid)


def grown(before: Sample, after: Sample) -> dict[str, int]:
    """Of what there is more than one visitor who is just leaving has."""
    own = {"descriptors": 3, "polls": 1, "threads": 2}
    more = {name: getattr(after, name) - getattr(before, name) for name in own}
    return {name: found for name, found in more.items() if found > own[name]}


@pytest.mark.soak
def test_who_leaves_takes_their_threads_and_descriptors_with_them(games: Path, tmp_path: Path) -> None:
    settings = games.parent / ".streamlit" / "config.toml"  # where the server stands
    settings.parent.mkdir()
    settings.write_text(f"[server]\ndisconnectedSessionTTL = {TTL}\n")
    with closing(Server(tmp_path / "log")) as server, server.showing(games) as address:
        assert server.process is not None
        host, pid = address.removeprefix("http://"), server.process.pid
        come(host, 3)
        before = left(host, pid)
        for _ in range(3):
            come(host, 6)
        comes(lambda: not grown(before, left(host, pid)), "the end of what is over")


def test_what_grows_is_seen() -> None:
    flat = [Sample(3.0 * place, 400 << 20, 30, 100 + place % 7, 50, 20) for place in range(200)]
    assert all(abs(more) < 0.01 for more in growth(flat, 180).values())
    grown = [one._replace(descriptors=100 + place) for place, one in enumerate(flat)]
    assert growth(grown, 180)["descriptors"] > 0.4
    assert growth(grown, 180)["memory"] == 0
