"""Starts the dashboard's server: `python -m dashboard --store PATH --port N`."""

import argparse
import os
import signal
import sys
import threading
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.server import server_logging
from dashboard.server.server_logging import LOG_FORMATS
from ingest.store.server_hosts import DEFAULT_REQUESTS_PER_SECOND
from ingest.store.store_url import parse_store_url, url_with_secrets

if TYPE_CHECKING:
    import streamlit as st

STREAMLIT_SCRIPT = Path(__file__).with_name("app.py")
POLL_SECONDS = 0.5
"""Seconds between two checks that the parent process still runs."""
NO_SESSION_SECONDS = 30.0
"""Seconds to shut down after the parent has ended; no other process would end a hanging server."""


SWITCH_SECONDS = 0.0005
"""Seconds after which a thread that computes gives way to others: the event loop waits for each of them, at
every read and at every thread it starts, and Python's own 5 ms add up to tenths of a second."""


def main() -> None:
    """Serve until interrupted or terminated, then close the store.

    The store's path is passed on in RETOURNE_STORE.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.umask(0o077)  # journals and temporary files hold names, too
    sys.setswitchinterval(SWITCH_SECONDS)
    parser = argparse.ArgumentParser(prog="python -m dashboard", description=__doc__)
    parser.add_argument("--store", type=parse_store_url, help="the store's file, or its address")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--host", default="localhost", help="0.0.0.0 to serve the network")
    parser.add_argument("--allowed-host", action="append", default=[], help="a name it answers to")
    parser.add_argument("--trusted-proxy", action="append", default=[], help="its address")
    parser.add_argument("--base-path", default="", help="the path its proxy serves it below")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--parent", type=int, help="end when this process is no longer our parent")
    parser.add_argument("--lang", help="language of what is said in the terminal")
    parser.add_argument("--watch-folder", type=Path, help="folder to watch for files to store")
    parser.add_argument(
        "--rate", type=float, default=DEFAULT_REQUESTS_PER_SECOND, help="of one client, a second; 0: any"
    )
    parser.add_argument("--log", choices=LOG_FORMATS, help="write a line a request")
    parser.add_argument("--feed", action="store_true", help="store what standard input hands over")
    args = parser.parse_args()
    if args.store:
        os.environ["RETOURNE_STORE"] = url_with_secrets(args.store.resolve())
    if args.log:
        server_logging.configure_logging(args.log)
    if args.parent:
        threading.Thread(target=_exit_with_parent, args=(args.parent,), daemon=True, name="follow").start()
    with suppress(KeyboardInterrupt):  # uvicorn raises it again once the server has closed
        _run_server(args)


def _run_server(args: argparse.Namespace) -> None:
    from dashboard import authentication
    from dashboard.base_path import set_base_path
    from dashboard.board import solver_thread
    from dashboard.compat import limit_script_runs
    from dashboard.server import monitoring, page_limits
    from dashboard.server.background import BackgroundSolver, SessionRecorder
    from dashboard.server.lifecycle import open_for_serving
    from dashboard.server.watch_folder import WatchFolder
    from dashboard.server.webhook_delivery import WebhookDelivery
    from dashboard.store import close_store, open_store
    from dashboard.widgets import demo_progress
    from ingest.cli.common import EXIT_ERROR, CommandError, print_error, print_notice
    from ingest.i18n import terminal_language, translator
    from ingest.store import ingest_files
    from ingest.store.errors import warning_listeners
    from ingest.store.factory import StoreError
    from ingest.store.server_hosts import ServerHosts, normalized_host
    from ingest.store.worker_pool import worker_pool

    names = [normalized_host(name) for name in args.allowed_host]
    authentication.set_hosts(ServerHosts(args.host, names, args.trusted_proxy, args.base_path))
    set_base_path(args.base_path)
    # the proxies whose X-Forwarded-For and X-Forwarded-Proto uvicorn trusts
    os.environ["FORWARDED_ALLOW_IPS"] = ",".join(args.trusted_proxy)
    t = translator(args.lang or terminal_language(), "dashboard")

    def waiting(error: StoreError) -> None:
        if server_logging.is_logging():  # without the address of the lake, which may be secret
            server_logging.log_event("waiting", message=error.text)
        else:
            print_notice(error.message(t))

    warning_listeners[:] = [waiting]
    # with browser.serverAddress set, Streamlit does not look up its public address online
    shown = "localhost" if args.host in ("0.0.0.0", "::") else args.host
    try:
        # lock the store before the first request can arrive
        with (
            worker_pool(),  # closed last: the services below finish their work with it
            open_for_serving(args.port, t),
            nullcontext() if args.watch_folder is None else WatchFolder(args.watch_folder, open_store, t),
            SessionRecorder(open_store),
            WebhookDelivery(open_store),
            BackgroundSolver(open_store),
        ):
            if args.feed:
                # not sys.stdin: at exit, Python would wait for a thread that reads it
                demo_progress.start_feed(os.fdopen(os.dup(0), "rb"))
            ingest_files.file_stored_listeners.append(monitoring.count_file)
            solver_thread.compile_solvers()
            limit_script_runs(page_limits.running_for)
            application(args.rate).run(
                config={
                    **{"server.port": args.port, "server.address": args.host},
                    **{"server.headless": args.no_browser, "server.fileWatcherType": "none"},
                    "browser.serverAddress": shown,
                    # by design, a new list starts at its first page (`widgets.linked`)
                    "global.disableWidgetStateDuplicationWarning": True,
                    # a browser drops a message it has not seen for so many runs, and the server, that
                    # learns of it with the next run alone, may name it once more: then the page ends
                    "global.maxCachedMessageAge": 50,
                    "logger.hideWelcomeMessage": True,  # `retourne serve` has printed the address
                }
            )
    except (StoreError, CommandError) as error:
        print_error(t, "{sentence}", sentence=error.message(t))
        sys.exit(EXIT_ERROR)
    finally:
        demo_progress.stop_feed()
        close_store()


def application(rate: float = DEFAULT_REQUESTS_PER_SECOND) -> "st.App":
    """Return the ASGI application: Streamlit's pages, the other routes, and the middleware."""
    import streamlit as st
    from starlette.middleware import Middleware

    from dashboard.api import app as api
    from dashboard.base_path import BasePathMiddleware
    from dashboard.downloads import ROUTE
    from dashboard.server import access_log, lifecycle, monitoring
    from dashboard.server.visitor_limits import VisitorLimitMiddleware
    from dashboard.web import draft_endpoint, first_page, sign_in
    from dashboard.web.auth_middleware import AuthMiddleware
    from dashboard.web.offline import routes as offline
    from dashboard.web.replay import routes as replay
    from dashboard.web.static_assets import AssetMiddleware

    routes = [*api.api_routes(rate), *replay.replay_routes(rate), ROUTE]
    routes += [
        *offline.ROUTES,
        *draft_endpoint.ROUTES,
        *monitoring.ROUTES,
        *sign_in.ROUTES,
        *first_page.first_page_routes(),
    ]
    layers = [
        Middleware(BasePathMiddleware),
        Middleware(access_log.AccessLogMiddleware),
        Middleware(AuthMiddleware),
        Middleware(VisitorLimitMiddleware),
        Middleware(access_log.RouteMiddleware),
        Middleware(AssetMiddleware),
    ]
    return st.App(STREAMLIT_SCRIPT, routes=routes, middleware=layers, lifespan=lifecycle.lifespan)


def _exit_with_parent(parent: int) -> None:
    """Shut down when the parent process has ended, even after a crash, so that the port is free."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(NO_SESSION_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)  # safe: the store's transactions survive a kill


if __name__ == "__main__":
    main()
