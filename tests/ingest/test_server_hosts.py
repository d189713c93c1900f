"""By whom the pages are reached: addresses, names, proxies."""

import pytest

from dashboard.cli.serve import where_found
from ingest.i18n import translator
from ingest.store.server_hosts import Served
from tests.ingest.conftest import Command


@pytest.mark.parametrize(
    ("reached", "ours", "not_ours"),
    [
        (
            Served(),
            ["localhost", "LOCALHOST:8501", "127.0.0.1:1", "[::1]:8501", "localhost."],
            ["evil.example", "localhost.evil.example", "192.168.1.7", "", "[::1", "a:b", "::1"],
        ),
        (Served("0.0.0.0"), ["192.168.1.7:8501", "[fe80::1]", "localhost"], ["club-pc.local"]),
        (Served("0.0.0.0", ["club-pc.local"]), ["club-pc.local:8501"], ["local", "pc.local"]),
        (Served("192.168.1.7"), ["192.168.1.7:8501"], ["192.168.1.8", "x192.168.1.7"]),
    ],
    ids=["own", "network", "named", "one address"],
)
def test_only_hosts_that_are_served_are_ours(
    reached: Served, ours: list[str], not_ours: list[str]
) -> None:
    assert [host for host in ours if not reached.answers(host)] == []
    assert [host for host in not_ours if reached.answers(host)] == []


@pytest.mark.parametrize(
    ("reached", "words", "shown"),
    [
        (Served(), "--address localhost", "localhost"),
        (Served("0.0.0.0"), "--address 0.0.0.0", "localhost"),
        (Served("::1"), "--address ::1", "[::1]"),
        (
            Served("0.0.0.0", ["club.example"], ["127.0.0.1"]),
            "--address 0.0.0.0 --host club.example --trusted-proxy 127.0.0.1",
            "club.example",
        ),
    ],
)
def test_the_server_is_told_how_it_is_reached(reached: Served, words: str, shown: str) -> None:
    assert " ".join(reached.words()) == words
    assert reached.shown == shown


def test_an_address_of_another_computer_is_told(retourne: Command) -> None:
    for address in ("192.0.2.1", "no such name"):
        done = retourne("serve", "--address", address)
        assert done.code == 2
        assert f"{address} is no address of this computer." in done.err
    french = retourne("serve", "--address", "192.0.2.1", "--lang", "fr")
    assert "192.0.2.1 n’est pas une adresse de cet ordinateur." in french.err


def test_behind_a_proxy_it_sayswhere_found_the_proxy_finds_it() -> None:
    t = translator("en")
    behind = Served("127.0.0.1", ["club.example"], ["127.0.0.1"])
    assert "club.example waits for its proxy at http://127.0.0.1:8600 " in where_found(
        behind, 8600, t
    )
    assert "http://localhost:8501 " in where_found(Served("0.0.0.0"), 8501, t)
