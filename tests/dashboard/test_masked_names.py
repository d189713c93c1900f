"""No filter finds a masked name: guessing one is answered as a name that never was."""

import html
import json
import re
import unicodedata
from collections.abc import Callable
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import polars as pl
import pytest
from fastapi.routing import APIRoute
from streamlit.testing.v1 import AppTest

from dashboard.api.app import ROUTERS
from dashboard.board import preview_image
from dashboard.queries import endgame_losses, matches, player_deals, player_search
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.store import open_store, replace_store
from dashboard.tables.redacted import redact_frame, redactor_for
from dashboard.web.replay import routes
from ingest.redact.anonymize_log import MaskedPlayer
from ingest.store import pseudonyms, purge
from ingest.store.backup import backup
from ingest.store.export import Format, Table, write_logs, write_table
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.solve_job import solve_missing
from tests.dashboard.api import Client
from tests.dashboard.conftest import documents
from tests.dashboard.tables import tables_of
from tests.ingest.visitors import everything

pytestmark = pytest.mark.slow

Clients = dict[str, Client]
FREE = {"q", "player", "event", "log_id", "opponent", "source", "cursor", "first", "second"}
"""Filters whose values are the asker's own words; all others are of a kind that no name is."""
CLOSED = {
    *("game", "preset", "status", "kind", "file_no", "since", "until", "sort", "limit", "player_count"),
    *("score_sheets", "count", "by", "anonymous", "keep_fields", "lang", "has_turning_point", "offset"),
    "seconds",
}
SEARCHES = ('player:"{}"', 'with:"{}" won', 'event:"{}"', 'not source:"{}"')
"""What a search may name a player, an event or a source by."""
MASKED, NEVER = "Zkwyra", "Qwxkvj"
"""Who is masked, and who never was; both names have no part of another."""


def hidden() -> None:
    """A player who is masked, whose name an event, an id, a source and a file's name have too."""
    log = documents()[0] | {
        "id": "zkwyra-7",
        "event": {"name": "Chez Zkwyra"},
        "source": {"name": "club-zkwyra"},
        "players": [{"id": "zkwyra", "name": MASKED}, *documents()[0]["players"][1:]],
    }
    text = json.dumps(log).encode()
    [report] = list(ingest(open_store(), [("zkwyra.json", BytesIO(text))]))
    assert report.by_status["legal"] == 1
    [(number, _)] = player_search.find_exact(open_store().cursor(), MASKED)
    pseudonyms.mask_player(open_store(), number)


def operations() -> list[tuple[str, list[str]]]:
    """Every path that is read with a name of its own, and its filters."""
    found = []
    for part in ROUTERS:
        for route in part.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
                found.append((route.path, sorted(_filters(route.dependant))))
    return found


def _filters(dependant: Any) -> set[str]:
    own = {one.alias for one in dependant.query_params}
    return own.union(*map(_filters, dependant.dependencies))


def test_every_filter_is_known_to_this_test() -> None:
    for path, filters in operations():
        assert set(filters) <= FREE | CLOSED, path


GUESSES: tuple[Callable[[str], str], ...] = (
    lambda name: name,
    str.lower,
    str.upper,
    lambda name: f"Chez {name}",
    lambda name: f"{name.lower()}-7",
    lambda name: f"club-{name.lower()}",
    lambda name: name[1:5].lower(),
    lambda name: name[:2].lower(),
    lambda name: f"z {name[0].lower()}",
    lambda name: name[-3:].lower() + "-7",
)


def test_no_filter_of_any_route_finds_a_masked_name(api: Clients, pytestconfig: pytest.Config) -> None:
    guesses = GUESSES if pytestconfig.getoption("--soak") else GUESSES[:1]
    hidden()
    reader, some = api["reader"], reader_match(api)
    requested = 0
    for path, filters in operations():
        at = (
            path.replace("{file}", "matches.csv")
            .replace("{n}", "1")
            .replace("{deal_number}", "1")
            .replace("{action_number}", "1")
        )
        for name in ("{id}", *(one for one in filters if one in FREE)):
            if name == "{id}" and name not in at:
                continue
            forms = SEARCHES if name == "q" and path.startswith("/find") else ("{}",)
            for guess, form in product(guesses, forms):
                items = []
                for who in (MASKED, NEVER):
                    word = guess(who)
                    here = at.replace("{id}", quote(word, safe="") if name == "{id}" else some)
                    if path.startswith("/players/") and name != "{id}":
                        here = "/players/Jean"
                    query = {"first": "Jean", "second": "Zoé d’Orléans"} if "first" in filters else {}
                    query |= {} if name == "{id}" else {name: form.format(word)}
                    answer = reader.get(here, **query)
                    items.append((answer.status_code, answer.text.replace(word, "?")))
                requested += 1
                assert items[0] == items[1], f"{path} {name}={guess(MASKED)}"
    assert requested > 30 * len(guesses)


def reader_match(api: Clients) -> str:
    found: str = api["reader"].get("/matches", q="m0").json()["matches"][0]["match_id"]
    return found


ACCENTED = "Zkŵýra"
"""Has accents, so that each encoding writes it otherwise."""
WRITTEN: dict[str, str] = {
    "plain": ACCENTED,
    "capitals": ACCENTED.upper(),
    "decomposed": unicodedata.normalize("NFD", ACCENTED),
    "address": f"https://club.example/{quote(ACCENTED)}/1",
    "address in another": quote(f"https://club.example/{quote(ACCENTED)}"),
    "html": "".join(f"&#{ord(sign)};" for sign in ACCENTED),
    "json": json.dumps(json.dumps(ACCENTED)),
}


def is_in(name: str, text: str) -> bool:
    """Whether a name is in a text as any program may write it, read without the code of the product."""

    def folded(part: str) -> str:
        separate = unicodedata.normalize("NFKD", part.casefold())
        return "".join(sign for sign in separate if not unicodedata.combining(sign))

    for _ in range(6):
        escaped = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
        text = unquote(html.unescape(escaped))
    return folded(name) in folded(text)


def test_a_name_in_every_encoding_is_found_by_this_test() -> None:
    assert [how for how, text in WRITTEN.items() if not is_in(ACCENTED, text)] == []
    assert not is_in(ACCENTED, "Zoé")


@pytest.mark.parametrize("how", ["masked", "purged"])
def test_no_answer_and_no_file_has_a_removed_name_in_any_encoding(
    api: Clients, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = documents()[0] | {
        "id": f"{ACCENTED}-7",
        "event": {"name": f"Chez {ACCENTED}"} | {f"e{n}": text for n, text in enumerate(WRITTEN.values())},
        "source": {"name": quote(f"club-{ACCENTED}")},
        "players": [{"id": "zk", "name": ACCENTED}, *documents()[0]["players"][1:]],
        f"key {ACCENTED}": 1,
        quote(f"key {ACCENTED}"): WRITTEN["html"],
    }
    text = json.dumps(log).encode()
    [report] = list(ingest(open_store(), [(quote(f"{ACCENTED}.json"), BytesIO(text))]))
    assert report.added == 1
    [(number, _)] = player_search.find_exact(open_store().cursor(), ACCENTED)
    newest = "SELECT match_id FROM matches ORDER BY match_no DESC LIMIT 1"
    [(match,)] = open_store().cursor().execute(newest).fetchall()
    drawn = list[str]()
    draw_text = preview_image._Table.draw_text

    def recorded(table: preview_image._Table, at: Any, text: str, *how: Any, **more: Any) -> float:
        drawn.append(text)
        return draw_text(table, at, text, *how, **more)

    monkeypatch.setattr(preview_image._Table, "draw_text", recorded)
    monkeypatch.setattr(routes, "response_cache", routes.ResponseCache())  # has no picture of it yet
    before = api["reader"].ask("GET", f"//r/{match}/1/0.png").content
    assert any(is_in(ACCENTED, text) for text in drawn)
    drawn.clear()
    if how == "masked":
        pseudonyms.mask_player(open_store(), number)
    else:
        replace_store(lambda opened: purge.purge_player(opened, number))
    found = dict[str, bytes]()
    for path, _ in operations():
        at = (
            path.replace("{id}", match)
            .replace("{n}", "1")
            .replace("{deal_number}", "1")
            .replace("{action_number}", "1")
        )
        for name in ("matches.csv", "matches.jsonl", "logs.jsonl") if "{file}" in at else ("",):
            answer = api["reader"].get(at.replace("{file}", name))
            found[f"{path} {name}"] = answer.content + str(answer.headers).encode()
    for table in Table:
        write_table(open_store(), table, Format.CSV, target := tmp_path / f"{table}.csv")
        found[str(table)] = target.read_bytes()
    write_logs(open_store(), logs := BytesIO())
    found["logs"] = logs.getvalue()
    match = str(open_store().cursor().execute(newest).fetchall()[0][0])  # a purge writes it anew
    for at in (f"/r/{match}", f"/r/{match}/1", f"/r/{match}/1/0.png", "/in"):
        answer = api["reader"].ask("GET", f"/{at}", headers={"Accept": "text/html"})
        assert answer.status_code == 200 or at == "/in", at
        found[at] = answer.content
    assert found[f"/r/{match}/1/0.png"] != before
    found["texts of the picture"] = "\n".join(drawn).encode()
    assert [at for at, body in found.items() if is_in(ACCENTED, body.decode(errors="replace"))] == []
    assert len(found) > 20
    if how == "purged":
        backup(open_store(), saved := tmp_path / "saved.duckdb")
        for file in (Path(open_store().path), saved):
            assert not is_in(ACCENTED, file.read_bytes().decode(errors="replace"))
        with Store(saved, read_only=True) as copy:
            assert not is_in(ACCENTED, everything(copy.cursor()))


def test_no_order_of_a_list_tells_where_a_hidden_name_stands(api: Clients) -> None:
    hidden()
    others = [documents()[n] | {"id": f"o{n}", "event": {"name": name}} for n, name in OTHERS]
    text = "\n".join(map(json.dumps, others)).encode()
    [report] = list(ingest(open_store(), [("others.jsonl", BytesIO(text))], on_conflict=OnConflict.BOTH))
    assert report.added == len(OTHERS)
    cursor = open_store().cursor()
    which = MatchFilter(ids=None, redactor=redactor_for(player_search.masked_player_names(cursor)))
    assert which.redactor is not None
    frame = matches.match_page(cursor, which, 1000, sort="event")
    read = [which.redactor(event).lower() for event in frame["event"] if event is not None]
    assert "chez …" in read
    assert read == sorted(read)
    for at, number in enumerate(frame["match_no"]):  # and the rest of the list begins there
        place = matches.sort_position(cursor, number, "event", which.redactor)
        rest = matches.match_page(cursor, which, 1000, sort="event", after=place)
        assert rest["match_no"].to_list() == frame["match_no"].to_list()[at + 1 :]


OTHERS = ((1, "Chez Yann"), (2, "Chez Zoé"), (3, "Chez …b"))
"""By their letters two stand before the hidden name, and one behind it; of what is read all do."""


def test_a_name_is_hidden_within_the_words_of_an_id_and_of_a_source() -> None:
    hide = redactor_for([MaskedPlayer("7", "player 1", frozenset({"Zoé"}))])
    texts = {name: ["leclubzoe7"] for name in ("log_id", "source", "event")}
    [row] = redact_frame(pl.DataFrame(texts), hide).rows(named=True)
    assert row == {"log_id": "leclub…7", "source": "leclub…7", "event": "leclubzoe7"}


def test_words_that_are_read_find_the_match_still(api: Clients) -> None:
    hidden()
    for words in ("chez", "Chez ", "-7"):
        found = api["reader"].get("/matches", q=words).json()["matches"]
        assert [one["log_id"] for one in found] == ["…-7"], words


def test_parts_of_a_hidden_name_find_what_shows_them_and_nothing_else(api: Clients) -> None:
    hidden()
    hide = redactor_for(player_search.masked_player_names(open_store().cursor()))
    every = matches.match_page(open_store().cursor(), limit=500)
    seen = {
        row["match_id"]: [
            *(hide(one, True) for one in [row["log_id"] or ""] if hide),
            *(hide(one) for one in [row["event"] or ""] if hide),
            *(row["names"] or []),
        ]
        for row in every.iter_rows(named=True)
    }
    for words in ("z", "zk", "kwy", "ra", "yra-", "e", "m", "o"):
        found = matches.match_page(open_store().cursor(), MatchFilter(words, redactor=hide), limit=500)
        shown = {
            known
            for known, texts in seen.items()
            if known.startswith(words) or any(words in one.casefold() for one in texts)
        }
        accented = {known for known in found["match_id"] if known not in shown}
        assert shown <= set(found["match_id"]), words
        assert not any("…" in one for known in accented for one in seen[known][:2]), words


@pytest.mark.parametrize("name", [MASKED, NEVER])
def test_the_page_of_matches_finds_no_masked_name_either(
    games: Any, open_page: Callable[..., AppTest], name: str
) -> None:
    hidden()
    for query in ({"q": name}, {"q": name[1:4].lower()}, {"event": f"Chez {name}"}):
        page = open_page("rencontres", **query)
        texts = " ".join(one.value for one in (*page.info, *page.caption, *page.markdown))
        assert not re.search("Chez …|…-7", texts)
        assert "…" not in str([one.value for one in page.info])
        assert page.info, query


def test_what_was_lost_by_event_names_no_masked_player(
    games: Any, open_page: Callable[..., AppTest], api: Clients
) -> None:
    hidden()
    list(solve_missing(open_store()))
    partner = documents()[0]["players"][1]["id"]
    scope = Scope("chouine", 2)
    [(number, _)] = player_search.find_exact(open_store().cursor(), documents()[0]["players"][1]["name"])
    frame = endgame_losses.endgame_losses(open_store().cursor(), scope, number)
    assert "Chez Zkwyra" in set(frame["event"])
    result = api["reader"].get(f"/players/{partner}", game="chouine", player_count="2").text
    assert "Chez …" in result
    assert "zkwyra" not in result.lower()
    shown = str(tables_of(open_page("joueurs", player=partner, view="endgames", lang="en")))
    assert "Event: Chez …" in shown
    assert "zkwyra" not in shown.lower()
    behind = player_deals.count_deals(
        open_store().cursor(), scope, number, {"ended": True, "event": "Chez Zkwyra"}
    )
    assert behind == frame.filter(pl.col("event") == "Chez Zkwyra")["n"].item() > 0
