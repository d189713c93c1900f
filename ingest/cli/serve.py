"""`retourne serve`: the dashboard, in a process of its own that knows Streamlit."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ingest.cli.caller import caller
from ingest.cli.terminal import CANNOT, DEFAULT_STORE, LEGAL, Lang, Stop, StorePath, console, leave
from ingest.i18n import N_, Translate
from ingest.store.store import Store

EXAMPLES = (
    "retourne serve",
    "retourne serve --store club.duckdb --port 8600 --no-browser",
    "retourne serve --store club.duckdb --inbox depot/",
)

NO_DASHBOARD = N_("The dashboard is not installed: install retourne again.")
SERVED = N_("The store {path} is served already: open its pages, or close that dashboard first.")
NO_INBOX = N_("There is no folder {path} to watch.")
PORT_TAKEN = N_("Port {port} is in use. Choose another one with --port.")

Port = Annotated[
    int, typer.Option("--port", min=1, max=65535, metavar="N", help=N_("Where it listens."))
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help=N_("Do not open a browser."))]
DEFAULT_PORT = 8501

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
            metavar="DIR", help=N_("A folder to watch: files copied there are added, then moved.")
        ),
    ] = None,
    lang: Lang = None,
) -> None:
    """Serve the dashboard until it is interrupted."""
    if inbox is not None and not inbox.is_dir():
        raise Stop(NO_INBOX, path=inbox)
    leave(run_dashboard(ctx.obj, store, port, no_browser, inbox=inbox))


def check_port(port: int) -> None:
    """Stop: another program listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("localhost", port))
        except OSError:
            raise Stop(PORT_TAKEN, port=port) from None


Feed = Callable[[], "subprocess.Popen[bytes]"]
"""Starts a program that writes files for the server (`ingest.store.feed`) to its output."""


def run_dashboard(
    t: Translate,
    store: Path,
    port: int,
    no_browser: bool,
    feed: Feed | None = None,
    inbox: Path | None = None,
) -> int:
    """Run the dashboard's server until it ends, and what feeds it no longer; its exit code."""
    if caller.get() is not None:
        raise Stop(SERVED, path=store)
    words = ("--store", str(store.resolve()), "--port", str(port), "--parent", str(os.getpid()))
    command = dashboard("dashboard", *words, "--lang", t.language)
    check_port(port)
    Store(store).close()  # so that what is wrong with it is said here
    if no_browser:
        command.append("--no-browser")
    if inbox is not None:
        command += ["--inbox", str(inbox.resolve())]
    said = t("The dashboard: {address} (Ctrl-C ends it)", address=f"http://localhost:{port}")
    console(stderr=True).print(Text(said))
    feeder = None if feed is None else feed()
    if feeder is None:
        server = subprocess.Popen(command)
    else:
        server = subprocess.Popen([*command, "--feed"], stdin=feeder.stdout)
        if feeder.stdout is not None:
            feeder.stdout.close()  # the server's own now
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        return LEGAL if server.wait() in (0, -signal.SIGTERM) else CANNOT
    except KeyboardInterrupt:
        server.wait()  # it hears Ctrl-C too and ends by itself
        return LEGAL
    finally:
        if feeder is not None:
            feeder.kill()
            feeder.wait()
        if server.poll() is None:
            server.terminate()
