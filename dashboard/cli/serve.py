"""`retourne serve`: starts the dashboard in a process of its own."""

import errno
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Annotated

from rich.text import Text

from ingest.cli import common as cli
from ingest.cli.open_store import open_store
from ingest.cli.open_store import serving_client as served_here
from ingest.cli.terminal_tables import console
from ingest.i18n import N_, Translate
from ingest.store.errors import StoreError
from ingest.store.server_hosts import (
    DEFAULT_REQUESTS_PER_SECOND,
    LOCALHOST,
    ServerHosts,
    is_base_path,
    is_hostname,
    is_network,
    normalized_host,
    public_url,
    read_server_file,
    suggested_host,
)
from ingest.store.store_url import url_with_secrets
from ingest.store.tokens import read_tokens

ALREADY_SERVED = N_(
    "{path} is already being served at {url}. Open it, or stop that server first: kill {process}"
)
NOT_A_LOCAL_ADDRESS = N_("{address} is not an address of this computer. Choose another one with --host.")
NO_RATE = N_("{rate} is not a rate: give requests per second, such as --rate 20, or --rate 0 for no limit.")
NOT_A_HOST = N_(
    "{name} is not a host name: give it without https://, port and path, such as --allowed-host {host}"
)
NOT_A_PROXY = N_("{address} is not the address of a proxy: give a number, such as --trusted-proxy 127.0.0.1")
NOT_A_BASE_PATH = N_(
    "{path} is not a path: give letters, digits, - and _ between slashes, such as --base-path /retourne"
)
BEHIND_PROXY = N_("The dashboard of {name} waits for its proxy at {address} (Ctrl-C ends it)")
NO_WRITE_TOKEN = N_(
    "Reading is open to everybody; writing needs a token: retourne token add NAME --role admin {path!w}"
)
PORT_TAKEN = N_("Port {port} is in use. Choose another one with --port.")
LogFormat = StrEnum("LogFormat", {"TEXT": "text", "JSON": "json"})
Port = Annotated[int, cli.shared_option(N_("Port to listen on."), "N", "--port", min=1, max=65535)]
NoBrowser = Annotated[bool, cli.shared_option(N_("Do not open a browser."), None, "--no-browser")]
DEFAULT_PORT = 8501
SHUTDOWN_TIMEOUT_SECONDS = 30.0
"""Seconds that the server may take to finish commands and writes before it is killed."""
LOCAL_HOSTS = ServerHosts()
StartFeed = Callable[[], "subprocess.Popen[bytes]"]
"""Starts a process that writes files for the server (`ingest.store.demo_feed`) to its output."""


def serve(
    run: cli.StoreRun,
    port: Port = DEFAULT_PORT,
    no_browser: NoBrowser = False,
    watch_folder: Path | None = cli.option(
        N_("A folder to watch: files copied there are added, then moved."), N_("DIR")
    ),
    host: str = cli.option(
        N_("The address it listens on; 0.0.0.0: all of this computer’s."), N_("ADDRESS"), default=LOCALHOST
    ),
    allowed_host: list[str] | None = cli.option(
        N_("A name it is reached by, club.example; may be given several times."), N_("NAME")
    ),
    trusted_proxy: list[str] | None = cli.option(
        N_("Trust this proxy for client addresses (X-Forwarded-For, -Proto)."), N_("ADDRESS")
    ),
    base_path: str = cli.option(
        N_("The path below which a proxy serves it, such as /retourne."), N_("PATH"), default=""
    ),
    rate: float = cli.option(
        N_("How often a second one client may ask the API; 0: as often as it likes."),
        "N",
        default=DEFAULT_REQUESTS_PER_SECOND,
    ),
    log: LogFormat | None = cli.option(N_("Write a line a request to standard error.")),
) -> None:
    """Serve the dashboard until it is interrupted."""
    if watch_folder is not None:
        with suppress(OSError):  # it exists, or cannot be made
            watch_folder.mkdir()
        if not watch_folder.is_dir():
            raise cli.CommandError(
                N_("No folder {path} to watch. Create it with: mkdir -p {path!w}"), path=watch_folder
            )
    if not (isfinite(rate) and rate >= 0):
        raise cli.CommandError(NO_RATE, rate=rate)
    for name in allowed_host or ():
        if not is_hostname(name):
            raise cli.CommandError(NOT_A_HOST, name=name, host=suggested_host(name))
    for proxy in trusted_proxy or ():
        if not is_network(proxy):
            raise cli.CommandError(NOT_A_PROXY, address=proxy)
    base = "/" + base_path.strip("/") if base_path.strip("/") else ""
    if not is_base_path(base):
        raise cli.CommandError(NOT_A_BASE_PATH, path=base_path)
    names, proxies = tuple(map(normalized_host, allowed_host or ())), tuple(trusted_proxy or ())
    served = ServerHosts(host, names, proxies, base)
    words = ["--rate", str(rate), *(() if log is None else ("--log", log.value))]
    words += [] if watch_folder is None else ["--watch-folder", str(watch_folder.resolve())]
    words += ["--no-browser"] if no_browser else []
    cli.exit_with(run_dashboard(run.t, run.store, port, words, None, served))


def check_port(port: int, address: str = LOCALHOST) -> None:
    """Check that a port is free. CommandError: it is in use, or the address is not local."""
    try:
        [(family, *_, where), *_] = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except OSError:
        raise cli.CommandError(NOT_A_LOCAL_ADDRESS, address=address) from None
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise cli.CommandError(NOT_A_LOCAL_ADDRESS, address=address) from None
            raise cli.CommandError(PORT_TAKEN, port=port) from None


def address_text(hosts: ServerHosts, port: int, t: Translate) -> str:
    """Return the message with the dashboard's URL; with a proxy, also the local address."""
    if hosts.proxies and hosts.host_names:
        listens = f"http://{ServerHosts(hosts.address).browser_host}:{port}"
        return t(BEHIND_PROXY, address=listens, name=hosts.host_names[0])
    return t("The dashboard: {address} (Ctrl-C ends it)", address=public_url(hosts, port))


def run_dashboard(
    t: Translate,
    store: Path,
    port: int,
    extra_args: Sequence[str],
    feed: StartFeed | None = None,
    hosts: ServerHosts = LOCAL_HOSTS,
) -> int:
    """Run the dashboard's server, and `feed` if given, until it ends; return the exit code."""
    # not as an argument, which other users see: a lake's URL may contain a password
    environ = os.environ | {"RETOURNE_STORE": url_with_secrets(store.resolve())}
    words = ("--port", str(port), "--parent", str(os.getpid()))
    command = cli.module_command(
        "dashboard", *words, "--lang", t.language, *hosts.command_line_args(), *extra_args
    )
    check_port(port, hosts.address)
    try:
        with open_store(store) as opened:  # reports errors of the store in this process
            unreachable = not hosts.is_local_only and not read_tokens(opened)
    except StoreError as error:
        with served_here(error, store, t):
            there = read_server_file(store)
            url, process = ("", "") if there is None else (there.url, there.process)
            raise cli.CommandError(ALREADY_SERVED, path=store, url=url, process=process) from None
    console(stderr=True).print(Text(address_text(hosts, port, t)))
    if unreachable:
        cli.print_notice(t(NO_WRITE_TOKEN, path=store))
    feeder = feed() if feed else None
    # in a process group of its own, so that only this process handles Ctrl-C
    fed = feeder.stdout if feeder else None
    command += [] if fed is None else ["--feed"]
    server = subprocess.Popen(command, stdin=fed, env=environ, process_group=0)
    if fed is not None:
        fed.close()  # the server has inherited it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return cli.EXIT_OK if server.wait() in (0, -signal.SIGTERM) else cli.EXIT_ERROR
    except KeyboardInterrupt:
        server.terminate()  # it closes its store, which stays intact even if it is killed
        try:
            server.wait(SHUTDOWN_TIMEOUT_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            server.kill()
            server.wait()
        return cli.EXIT_OK
    finally:
        if feeder is not None:
            feeder.kill()
            feeder.wait()
        if server.poll() is None:
            server.terminate()
