"""Pages that are open while a player is masked or purged, their fragments and files: no name is left."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.pages import PAGE_NAMES
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.tokens import Role
from tests.dashboard.browser import Server
from tests.dashboard.conftest import documents
from tests.dashboard.raw_client import Outside, Visit
from tests.dashboard.test_masked_names import is_in
from tests.waiting import comes

pytestmark = pytest.mark.slow

MASKED, PURGED = "Zkŵýra", "Qxńòlb"


@pytest.fixture
def club(tmp_path: Path) -> tuple[Path, str]:
    """A store in which two players sit at a table each, and an admin's token."""
    path = tmp_path / "club.duckdb"
    logs = [json.dumps(log).encode() for log in documents()[2:]]
    for number, (player, name) in enumerate((("zk", MASKED), ("qx", PURGED))):
        log = documents()[number]
        players = [{"id": player, "name": name}, *log["players"][1:]]
        event = {"name": f"Chez {name}, {quote(name)}"}
        more = {"id": f"of-{player}", "players": players, "event": event}
        logs.append(json.dumps(log | more).encode())
    with Store(path) as store:
        list(ingest(store, [(f"{MASKED} {PURGED}.jsonl", BytesIO(b"\n".join(logs)))]))
        return path, tokens.add_token(store, "zoe", Role.ADMIN)


def names_in(text: bytes) -> list[str]:
    return [name for name in (MASKED, PURGED) if is_in(name, text.decode(errors="replace"))]


def sent(messages: Sequence[ForwardMsg]) -> bytes:
    return b"\n".join(one.SerializeToString() for one in messages)


def fragments(messages: Sequence[ForwardMsg]) -> set[str]:
    return {one.delta.fragment_id for one in messages if one.delta.fragment_id}


def drawn_without_names(visit: Visit, page: str, query: str, fragment: str, files: set[str]) -> bool:
    """Draw a page or a fragment again, add its files, and return whether it has no removed name."""
    again = sent(visit.messages(page, query, fragment=fragment))
    files |= {*media(again)}
    return not names_in(again)


def media(messages: bytes) -> Iterator[str]:
    for found in set(re.findall(rb"/media/\w+\.\w+", messages)):
        yield found.decode()


def test_no_open_page_no_fragment_and_no_file_of_one_says_a_removed_name(
    club: tuple[Path, str], server: Server
) -> None:
    path, secret = club
    with server.showing(path) as address, ExitStack() as until:
        outside = Outside(address)
        pages = [(name, "") for name in PAGE_NAMES]
        other = documents()[0]["players"][1]["id"]
        for player in ("zk", "qx"):
            found = json.loads(outside.ask("GET", f"/api/v1/matches?q=of-{player}").text)["matches"]
            pages += [(name, f"match={found[0]['match_id']}") for name in ("relecture", "verificateur")]
            pages += [
                ("joueurs", f"player={player}"),
                ("face_a_face", f"first={player}&second={quote(other)}"),
            ]
        opened = dict[tuple[str, str], tuple[Visit, list[ForwardMsg]]]()
        for page, query in pages:
            visit = until.enter_context(outside.visit())
            opened[page, query] = visit, visit.messages(page, query)
        shown = {at for at, (_, messages) in opened.items() if names_in(sent(messages))}
        assert shown >= {*pages[len(PAGE_NAMES) :], ("rencontres", ""), ("joueurs", "")}
        assert sum(len(fragments(messages)) for _, messages in opened.values()) > 0
        files = {url for _, messages in opened.values() for url in media(sent(messages))}
        assert files

        bearer = {"authorization": f"Bearer {secret}", "content_type": "application/json"}
        for command, body in (("mask", {"players": ["zk"]}), ("purge", {"id": "qx"})):
            answer = outside.ask("POST", f"/api/v1/commands/{command}", json.dumps(body).encode(), **bearer)
            assert answer.status == 200, answer.text
            assert "problem" not in answer.text.splitlines()[-1]

        for (page, query), (visit, messages) in opened.items():
            for fragment in ("", *fragments(messages)):
                # runs that began before the mask may still be on their way
                comes(partial(drawn_without_names, visit, page, query, fragment, files), page)
        left = dict[str, list[str]]()
        for url in files:
            left[url] = names_in(outside.ask("GET", url).text.encode())
        assert {at: names for at, names in left.items() if names} == {}
