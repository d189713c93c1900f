"""Hosts that the server answers on: addresses, names, proxies."""

import pytest

from dashboard.cli.serve import address_text
from ingest.i18n import translator
from ingest.store.server_hosts import ServerHosts, is_base_path, is_hostname, normalized_host, public_url
from tests.ingest.conftest import Command


@pytest.mark.parametrize(
    ("reached", "ours", "not_ours"),
    [
        (
            ServerHosts(),
            ["localhost", "LOCALHOST:8501", "127.0.0.1:1", "[::1]:8501", "localhost."],
            ["evil.example", "localhost.evil.example", "192.168.1.7", "", "[::1", "a:b", "::1"],
        ),
        (ServerHosts("0.0.0.0"), ["192.168.1.7:8501", "[fe80::1]", "localhost"], ["club-pc.local"]),
        (ServerHosts("0.0.0.0", ["club-pc.local"]), ["club-pc.local:8501"], ["local", "pc.local"]),
        (ServerHosts("192.168.1.7"), ["192.168.1.7:8501"], ["192.168.1.8", "x192.168.1.7"]),
    ],
    ids=["own", "network", "named", "one address"],
)
def test_only_hosts_that_are_served_are_ours(
    reached: ServerHosts, ours: list[str], not_ours: list[str]
) -> None:
    assert [host for host in ours if not reached.accepts_host(host)] == []
    assert [host for host in not_ours if reached.accepts_host(host)] == []


@pytest.mark.parametrize(
    ("reached", "words", "shown"),
    [
        (ServerHosts(), "--host localhost", "localhost"),
        (ServerHosts("0.0.0.0"), "--host 0.0.0.0", "localhost"),
        (ServerHosts("::1"), "--host ::1", "[::1]"),
        (
            ServerHosts("0.0.0.0", ["club.example"], ["127.0.0.1"]),
            "--host 0.0.0.0 --allowed-host club.example --trusted-proxy 127.0.0.1",
            "club.example",
        ),
        (ServerHosts(base_path="/cartes"), "--host localhost --base-path /cartes", "localhost"),
    ],
)
def test_the_server_knows_how_it_is_reached(reached: ServerHosts, words: str, shown: str) -> None:
    assert " ".join(reached.command_line_args()) == words
    assert reached.browser_host == shown


def test_an_address_of_another_computer_is_reported(retourne: Command) -> None:
    for address in ("192.0.2.1", "no such name"):
        done = retourne("serve", "--host", address)
        assert done.code == 2
        assert f"{address} is not an address of this computer." in done.err
    french = retourne("serve", "--host", "192.0.2.1", "--lang", "fr")
    assert "192.0.2.1 n’est pas une adresse de cet ordinateur." in french.err


def test_behind_a_proxy_it_sayswhere_found_the_proxy_finds_it() -> None:
    t = translator("en")
    behind = ServerHosts("127.0.0.1", ["club.example"], ["127.0.0.1"])
    assert "club.example waits for its proxy at http://127.0.0.1:8600 " in address_text(behind, 8600, t)
    assert "http://localhost:8501 " in address_text(ServerHosts("0.0.0.0"), 8501, t)


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("https://club.example", "club.example"),
        ("club.example:8501", "club.example"),
        ("club.example/pages", "club.example"),
        ("https://eve:x@club.example:1/", "club.example"),
        ("a b", "club.example"),
        ("-", "club.example"),
    ],
)
def test_a_host_is_given_by_its_name_alone(retourne: Command, given: str, host: str) -> None:
    done = retourne("serve", "--allowed-host", given)
    assert done.code == 2
    assert f"such as --allowed-host {host}" in done.err


@pytest.mark.parametrize("name", ["::1", "CLUB.example.", "192.0.2.7", "club_pc"])
def test_the_name_of_a_host_is_recognised_in_requests(name: str) -> None:
    assert is_hostname(name)
    reached = ServerHosts("0.0.0.0", [normalized_host(name)])
    assert reached.accepts_host(f"[{name}]:1" if ":" in name else name)
    assert not reached.accepts_host("evil.example:x")


@pytest.mark.parametrize("path", ["", "/retourne", "/club/cartes_2"])
def test_a_base_path_may_have_several_folders(path: str) -> None:
    assert is_base_path(path)
    assert public_url(ServerHosts(base_path=path), 8501) == f"http://localhost:8501{path}"


@pytest.mark.parametrize("path", ["/r", "/api/cartes", "/a b", "/a/../b", "/é", "https://club.example"])
def test_a_base_path_is_none_of_the_server_s_own(retourne: Command, path: str) -> None:
    done = retourne("serve", "--base-path", path)
    assert done.code == 2
    assert "such as --base-path /retourne" in done.err


@pytest.mark.parametrize("rate", ["nan", "inf", "-1"])
def test_a_rate_is_a_number(retourne: Command, rate: str) -> None:
    done = retourne("serve", "--rate", rate)
    assert done.code == 2
    assert f"{float(rate)} is not a rate" in done.err


def test_a_proxy_is_given_by_its_number(retourne: Command) -> None:
    done = retourne("serve", "--trusted-proxy", "proxy.example")
    assert done.code == 2
    assert "proxy.example is not the address of a proxy" in done.err
