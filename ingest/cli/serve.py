"""`retourne serve`: the dashboard, in a process of its own that knows Streamlit."""

import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ingest.cli.open_store import open_store
from ingest.cli.open_store import served as served_here
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    console,
    leave,
    remark,
)
from ingest.i18n import N_, Translate
from ingest.store.address import written
from ingest.store.errors import StoreError
from ingest.store.served import LOCAL, RATE, Served, address
from ingest.store.tokens import grants

NO_DASHBOARD = N_("The dashboard is not installed: install retourne again.")
SERVED = N_("The store {path} is served already: open its pages, or close that dashboard first.")
NO_INBOX = N_("There is no folder {path} to watch.")
NO_ADDRESS = N_("{address} is no address of this computer. Choose another one with --address.")
BEHIND = N_("The dashboard of {name} waits for its proxy at {address} (Ctrl-C ends it)")
NOBODY_WRITES = N_(
    "Everybody who reaches it reads, and nobody may write until there is a token: "
    "retourne token add NAME --role steward --store {path!q}"
)
PORT_TAKEN = N_("Port {port} is in use. Choose another one with --port.")


class Lines(StrEnum):
    """How the server tells of each request."""

    TEXT = "text"
    JSON = "json"


Port = Annotated[
    int, typer.Option("--port", min=1, max=65535, metavar="N", help=N_("Port to listen on."))
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help=N_("Do not open a browser."))]
DEFAULT_PORT = 8501
PATIENCE = 30.0
"""Seconds the server has to end: it lets commands and what is being written be done."""

ROOT = Path(__file__).parents[2]
"""Where the packages lie side by side, in a checkout as in a wheel."""

# -P keeps a folder named `dashboard` where the user stands from being taken for ours; the
# place of ours is added last, so that nothing beside it hides a module of Python's own.
START = (
    "import runpy, sys; sys.path.append(sys.argv.pop(1)); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def dashboard(module: str, *words: str) -> list[str]:
    """What runs a module of the dashboard in a process of its own. Stop: it is not installed."""
    if not (ROOT / "dashboard" / "__main__.py").exists():
        raise Stop(NO_DASHBOARD)
    return own(module, *words)


def own(module: str, *words: str) -> list[str]:
    """What runs a module of this program in a process of its own."""
    return [sys.executable, "-P", "-c", START, str(ROOT), module, *words]


def serve(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    port: Port = DEFAULT_PORT,
    no_browser: NoBrowser = False,
    inbox: Annotated[
        Path | None,
        typer.Option(
            metavar=N_("DIR"),
            help=N_("A folder to watch: files copied there are added, then moved."),
        ),
    ] = None,
    address: Annotated[
        str,
        typer.Option(
            "--address",
            metavar=N_("ADDRESS"),
            help=N_("The address it listens on; 0.0.0.0: all of this computer’s."),
        ),
    ] = LOCAL,
    host: Annotated[
        list[str] | None,
        typer.Option(
            "--host",
            metavar=N_("NAME"),
            help=N_("A name it is reached by, club.example; may be given several times."),
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar=N_("ADDRESS"),
            help=N_("The address of a proxy that says who asks (X-Forwarded-For, -Proto)."),
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(
            "--rate",
            min=0,
            metavar="N",
            help=N_("How often a second one client may ask the API; 0: as often as it likes."),
        ),
    ] = RATE,
    log: Annotated[
        Lines | None,
        typer.Option("--log", help=N_("Write a line a request to standard error.")),
    ] = None,
    lang: Lang = None,
) -> None:
    """Serve the dashboard until it is interrupted."""
    if inbox is not None:
        with suppress(OSError):  # there is one, or nothing of its name can be made
            inbox.mkdir()
        if not inbox.is_dir():
            raise Stop(NO_INBOX, path=inbox)
    served = Served(address, tuple(host or ()), tuple(trusted_proxy or ()))
    words = ["--rate", str(rate), *(() if log is None else ("--log", log.value))]
    leave(run_dashboard(ctx.obj, store, port, no_browser, None, inbox, served, words))


def check_port(port: int, address: str = LOCAL) -> None:
    """Stop: another program listens there, or it is no address of this computer."""
    try:
        [(family, *_, where), *_] = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except OSError:
        raise Stop(NO_ADDRESS, address=address) from None
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise Stop(NO_ADDRESS, address=address) from None
            raise Stop(PORT_TAKEN, port=port) from None


def where_found(served: Served, port: int, t: Translate) -> str:
    """At which address it is found; behind a proxy, at which the proxy finds it."""
    if served.proxies and served.names:
        listens = f"http://{Served(served.address).shown}:{port}"
        return t(BEHIND, address=listens, name=served.names[0])
    return t("The dashboard: {address} (Ctrl-C ends it)", address=address(served, port))


def _end(server: "subprocess.Popen[bytes]") -> None:
    """Have the server end, which closes its store; one that does not, or a second Ctrl-C, ends it.

    The store is whole either way.
    """
    server.terminate()
    try:
        server.wait(PATIENCE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        server.kill()
        server.wait()


ALONE = Served()
Feed = Callable[[], "subprocess.Popen[bytes]"]
"""Starts a program that writes files for the server (`ingest.store.feed`) to its output."""


def run_dashboard(
    t: Translate,
    store: Path,
    port: int,
    no_browser: bool,
    feed: Feed | None = None,
    inbox: Path | None = None,
    served: Served = ALONE,
    more: Sequence[str] = (),
) -> int:
    """Run the dashboard's server until it ends, and what feeds it no longer; its exit code."""
    # by the environment: the address of a lake may have a password
    environ = os.environ | {"RETOURNE_STORE": written(store.resolve())}
    words = ("--port", str(port), "--parent", str(os.getpid()))
    command = dashboard("dashboard", *words, "--lang", t.language, *served.words(), *more)
    check_port(port, served.address)
    try:
        with open_store(store) as opened:  # so that what is wrong with it is said here
            nobody = not served.alone and not grants(opened).tokens
    except StoreError as error:
        with served_here(error, store, t):
            raise Stop(SERVED, path=store) from None
    if no_browser:
        command.append("--no-browser")
    if inbox is not None:
        command += ["--inbox", str(inbox.resolve())]
    console(stderr=True).print(Text(where_found(served, port, t)))
    if nobody:
        remark(t(NOBODY_WRITES, path=store))
    feeder = None if feed is None else feed()
    # a group of its own: Ctrl-C is for us, however it comes, and what comes of it for us to say
    if feeder is None:
        server = subprocess.Popen(command, env=environ, process_group=0)
    else:
        server = subprocess.Popen(
            [*command, "--feed"], stdin=feeder.stdout, env=environ, process_group=0
        )
        if feeder.stdout is not None:
            feeder.stdout.close()  # the server's own now
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return LEGAL if server.wait() in (0, -signal.SIGTERM) else CANNOT
    except KeyboardInterrupt:
        _end(server)
        return LEGAL
    finally:
        if feeder is not None:
            feeder.kill()
            feeder.wait()
        if server.poll() is None:
            server.terminate()
