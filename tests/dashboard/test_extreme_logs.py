"""No log of any content takes down a page, a command or a route: the most extreme logs that are legal."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import pytest

from dashboard.pages import PAGE_NAMES
from dashboard.views.profile import VIEWS
from engine.games import game_names, game_title
from ingest import check
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from schemas.simulated import simulate_season
from tests.dashboard.api import Client, clients
from tests.dashboard.conftest import Open, Stored, documents
from tests.ingest.conftest import Command, retourne

Log = dict[str, Any]
pytestmark = pytest.mark.slow

__all__ = ["retourne"]  # the fixture

CLOCKS = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00-23:59",
    "0001-01-02T00:00:00+23:59",
    "9999-12-31T23:59:59.999999999Z",
    "9999-12-31T23:59:59+23:59",
    "9999-12-31T00:00:00-23:59",
)
"""Both ends of what the format allows, in UTC as on the clock."""
NAMES = (
    "م" * 500 + "\u202e",
    "👩‍👩‍👧‍👦🂡" * 60,
    "a\u0000\u001b[31m\u0007\u2028\ufeff\r\n\tb",
    "'; DROP TABLE matches;--</script><b>*_`$x$ :red[x] {{t}} %s {n}",
    "Z" * 100_000,
    "\U0010ffff\u0301\u0301",
)
LETTERS = (
    [*map(chr, range(0x20))],
    [*"abcéœßİıſKÅ"],
    [*"'\"`<>&|\\/{}[]()$%*_~#:;=+-,.?!@^ "],
    [*map(chr, (0x5D0, 0x627, 0x645, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))],
    [*map(chr, range(0x300, 0x370))],
    [*map(chr, (0x200D, 0xFE0F, 0x20E3, 0x1F0A1, 0x1F468, 0x1F3FD, 0x1F1EB))],
    [*map(chr, (0xFFFD, 0xFFFF, 0xE000, 0xFEFF, 0x10FFFF, 0x85, 0xA0, 0x2028, 0x2029))],
)
"""Letters that programs stumble over, by kind."""
TITLES = [*map(game_title, game_names())]
VIEW_NAMES = tuple(VIEWS)


def extreme_of(log: Log, number: int, clock: str) -> Log:
    """The log at one end of time, between the worst names, with the biggest times and texts."""
    worst, comments = NAMES[number], [{"after": 0, "text": NAMES[number]}]
    seated = [NAMES[(number + seat) % len(NAMES)] for seat in range(len(log["players"]))]
    return log | {
        "id": worst,
        "played_at": clock,
        "players": [{"id": f"p{NAMES.index(one)}{one}", "name": one} for one in seated],
        "event": {"name": worst, "place": worst, "table": worst, "round": worst},
        "source": {"name": worst, "url": "https://example.org/" + "x" * 2000},
        "deals": [
            one | {"times": [1e300] * len(one["actions"]), "comments": comments} for one in log["deals"]
        ],
    }


def drawn_clock(draw: Random) -> str:
    """A date whose clock and UTC are within the years 1–9999, often near an end."""
    seconds = (datetime.max - datetime.min).total_seconds()
    while True:
        zone = timezone(timedelta(minutes=draw.randint(-1439, 1439)))
        near = draw.choice((1, 86_400, seconds))
        passed = timedelta(seconds=draw.uniform(0, near))
        with suppress(OverflowError):
            utc = datetime.min + passed if draw.random() < 0.5 else datetime.max - passed
            return utc.replace(tzinfo=UTC).astimezone(zone).isoformat()


def drawn_log(game: str, seed: int) -> Log:
    """A match of a game, with texts, times and a clock drawn from what the format allows."""
    draw, [log] = Random(f"{game} {seed}"), simulate_season(game, 1, seed)

    def text() -> str:
        size = round(10 ** draw.uniform(0, draw.choice((1, 2, 5))))
        return "".join(draw.choices([one for kind in draw.sample(LETTERS, 2) for one in kind], k=size))

    def deal_of(one: Log) -> Log:
        count = len(one["actions"])
        times = sorted(draw.choice((0, 5e-324, draw.random(), 1e300)) for _ in range(count))
        comments = [{"after": draw.randint(0, count), "text": text()} for _ in range(draw.randint(0, 3))]
        return one | {"times": times, "comments": comments}

    return log | {
        "id": f"{game}{text()}",
        "played_at": drawn_clock(draw),
        "players": [{"id": f"{game}{seat}{text()}", "name": text()} for seat in range(len(log["players"]))],
        "event": {key: text() for key in ("name", "place", "table", "round") if draw.random() < 0.8},
        "source": {"name": text(), "url": "https://example.org/" + "x" * draw.randint(0, 2000)},
        "deals": [*map(deal_of, log["deals"])],
    }


def extremes(store: Store, seed: int) -> None:
    """Matches of Chouine at all ends of time and between all names, and drawn ones of every game."""
    logs = [extreme_of(*one) for one in zip(documents(), range(len(CLOCKS)), CLOCKS, strict=True)]
    logs += [drawn_log(game, seed) for game in game_names()]
    # the slow path meets the same in a log with a key of its own, stored as another match
    logs += [{**log, "own": NAMES[-1], "id": f"{number}"} for number, log in enumerate(logs)]
    text = "\n".join(json.dumps(one) for one in logs)
    files = [("extremes.jsonl", BytesIO(text.encode()))]
    [report] = ingest(store, files, on_conflict=OnConflict.BOTH)
    assert (report.added, report.by_status["unreadable"]) == (len(logs), 0), report


@pytest.fixture(params=[0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 5))])
def extreme(stored: Stored, request: pytest.FixtureRequest) -> Any:
    return stored(f"extreme-{request.param}", partial(extremes, seed=request.param))


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_every_page_shows_extreme_logs(extreme: Any, open_page: Open, page: str) -> None:
    title = TITLES[PAGE_NAMES.index(page) % len(TITLES)]
    assert not open_page(page, lang="fr", game=title).exception


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_every_view_of_a_player_shows_extreme_logs(extreme: Any, open_page: Open, view: str) -> None:
    other = TITLES[VIEW_NAMES.index(view) % len(TITLES)]
    for name, title in ((NAMES[0], "Chouine"), (NAMES[3], other)):
        app = open_page("joueurs", player=f"p{NAMES.index(name)}{name}", view=view, game=title)
        assert not app.exception


@pytest.fixture
def reader(extreme: Any) -> Iterator[Client]:
    with clients({}) as found:
        yield found["nobody"]


def test_every_route_answers_on_extreme_logs(reader: Client) -> None:
    found = reader.get("/matches", limit=3).json()
    seen = [found["matches"][0]["match_id"]]
    while found["next"]:
        found = reader.get("/matches", limit=3, cursor=found["next"]).json()
        seen += [one["match_id"] for one in found["matches"]]
    assert len(found["matches"]) > 0
    players = [seat["player_id"] for one in found["matches"] for seat in one["players"]]
    routes = reader.get("/openapi.json").json()["paths"]
    for path, methods in routes.items():
        if "get" not in methods:
            continue
        for key, value in {"id": seen[0], "table": "matches", "deal": "1", "number": "1"}.items():
            path = path.replace(f"{{{key}}}", value)
        query = {"first": players[0], "second": players[1]} if "head-to-head" in path else {}
        if path.startswith("/players/"):
            path, query = "/players/x", {}
        code = reader.get(path, **query).status_code
        assert code < 500, path
    addresses = [f"//r/{one}/1/0" for one in seen[::2]] + [f"//r/{seen[0]}", f"//r/{seen[0]}/1/0.png"]
    assert {reader.ask("GET", one).status_code for one in addresses} == {200}
    replay = {"url": f"http://localhost:8501/r/{seen[0]}"}
    assert reader.ask("GET", "//oembed", params=replay).status_code == 200
    for sort in ("played", "oldest", "added", "deals", "status"):
        assert reader.get("/matches", sort=sort, since="0001-01-01", until="9999-12-31").status_code == 200


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--list"),
        ("export", "--table", "players"),
        ("export", "--table", "matches"),
        ("export", "--logs"),
        ("stats",),
        ("stats", "--announcements", "--by", "month"),
        ("stats", "--announcements", "--by", "event"),
        ("stats", "--missed"),
        ("stats", "--winning"),
        ("stats", "--ladder", "--game", "chouine"),
        ("stats", "--until", "9999-12-31", "--since", "0001-01-01"),
        ("stats", "p4" + NAMES[4]),
        ("verify",),
        ("revalidate",),
    ],
    ids=" ".join,
)
def test_every_reading_command_prints_extreme_logs(
    extreme: Any, retourne: Command, words: tuple[str]
) -> None:
    assert retourne(*words, "--store", extreme).code in (0, 1)


def test_fairness_of_too_few_extreme_logs_is_one_sentence(extreme: Any, retourne: Command) -> None:
    done = retourne("stats", "--fairness", "--store", extreme, "--lang", "en")
    assert (done.code, done.err.splitlines()) == (
        2,
        ["Error: No source has 100 deals of that game and table whose cards are all known."],
    )


@pytest.mark.parametrize(
    ("clock", "found"),
    [
        ("9999-12-31T23:59:59-05:00", ["date-format"]),
        ("0001-01-01T00:00:00+05:00", ["date-format"]),
        ("0000-01-01T00:00:00Z", ["date-format"]),
        ("0001-01-01T00:00:00Z", []),
        ("9999-12-31T23:59:59Z", []),
    ],
)
def test_a_date_that_utc_takes_out_of_the_years_is_a_finding(clock: str, found: list[str]) -> None:
    log = {**documents()[0], "played_at": clock}
    texts = (json.dumps({**log, **more}).encode() for more in ({}, {"own": 1}))
    fast, slow = check(*(("x.json", BytesIO(text)) for text in texts))
    assert [one.code for one in fast.findings] == found
    assert [one.code for one in slow.findings if one.code != "unknown-key"] == found
