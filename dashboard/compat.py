"""Undocumented parts of Streamlit and uvicorn that the dashboard uses.

`tests/dashboard/test_compat.py` fails where a later version has changed one.
"""

import os
import signal
from asyncio import Transport
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import streamlit as st
from anyio import to_thread
from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import app_session, get_instance
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.scriptrunner import add_script_run_ctx as add_script_run_ctx
from streamlit.runtime.scriptrunner import get_script_run_ctx as get_script_run_ctx
from uvicorn import Server

# What: a run's context, for its session id and for threads that work for a page; the two functions
# above. Why: Streamlit has no public API for either. Tried with Streamlit 1.67.


def sessions_showing(file_id: str) -> set[str]:
    """Return the Streamlit sessions whose pages show a file.

    What: `_files_by_session_and_coord` of its media files. Why: it sends such a file to any client
    that has the address. Tried with Streamlit 1.67.
    """
    known = get_instance().media_file_mgr._files_by_session_and_coord
    return {session for session, files in list(known.items()) if file_id in files.values()}


def count_open_pages() -> int:
    """Return how many pages are open.

    What: `_session_mgr` of the runtime. Why: Streamlit reports only whether there are any, and not when
    the last one was closed. Tried with Streamlit 1.67.
    """
    return get_instance()._session_mgr.num_active_sessions()


def uploaded_bytes() -> dict[str, int]:
    """Return the bytes of the files that were uploaded to each page.

    What: `_uploaded_file_mgr` of the runtime, and its `file_storage`. Why: Streamlit counts them, for its
    metrics, of all pages together. Tried with Streamlit 1.67.
    """
    known: Any = get_instance()._uploaded_file_mgr
    return {
        session: sum(len(one.data) for one in list(files.values()))
        for session, files in list(known.file_storage.items())
    }


def forget_left_pages() -> None:
    """Forget the pages that were left too long ago to come back, and free the files uploaded there.

    What: `_session_storage` of the session manager, and its `_cache`. Why: Streamlit forgets a page only
    when another one is left, so the files of the last ones stay in memory. Tried with Streamlit 1.67.
    """
    manager: Any = get_instance()._session_mgr
    for _, left in manager._session_storage._cache.expire():
        left.session.shutdown()


def rerun_open_pages() -> None:
    """Run every open page again, with its address and fields.

    What: `_session_mgr` of the runtime, and `_client_state` of its sessions. Why: Streamlit reruns a
    page only for its own reader, or when a script changes. Tried with Streamlit 1.67.
    """
    for one in get_instance()._session_mgr.list_active_sessions():
        one.session.request_rerun(one.session._client_state)


def limit_script_runs(running: Callable[[str], AbstractContextManager[None]]) -> None:
    """Run the scripts of pages within `running`, which takes the address of the page's reader.

    What: the `ScriptRunner` of `streamlit.runtime.app_session`, its `start`, `_run_script` and
    `_session_id`, and the `remote_ip` of a session's client. Why: Streamlit runs the scripts of all pages at
    the same time, and its event loop waits until the thread of each has begun. Tried with Streamlit 1.67.
    """
    starts = SimpleQueue[Callable[[], None]]()

    class LimitedScriptRunner(ScriptRunner):
        """A script whose thread is started elsewhere than on the event loop, and waits for its turn."""

        def start(self) -> None:
            starts.put(super().start)

        def _run_script(self, rerun_data: RerunData) -> None:
            client: Any = get_instance().get_client(self._session_id)  # None: its reader has left
            with running("" if client is None else client.client_context.remote_ip or ""):
                super()._run_script(rerun_data)

    def start_threads() -> None:
        while True:
            starts.get()()

    Thread(target=start_threads, daemon=True, name="start scripts").start()
    vars(app_session)["ScriptRunner"] = LimitedScriptRunner


MAX_WORKER_THREADS = (os.cpu_count() or 1) + 4
"""Threads for short work of requests: more of them than processors slow each other down."""


def limit_worker_threads() -> None:
    """Bound the threads that requests and files are answered by; call it on the event loop.

    What: Streamlit sets the default limiter of `anyio` before the application's lifespan begins. Why: it
    allows 28 threads on any machine. Tried with Streamlit 1.67.
    """
    to_thread.current_default_thread_limiter().total_tokens = MAX_WORKER_THREADS


def keep_full_url() -> None:
    """Restore the full query of the address after history navigation or a followed table link.

    What: `is_history_navigation` of a run's context, `_send_query_param_msg` and two more of its
    query. Why: Streamlit drops parameters named like a filter of the page that is left, such as the
    `game` of a list of matches, which the player's page needs too. Tried with Streamlit 1.67.
    """
    run = get_script_run_ctx()
    if run is None or not run.is_history_navigation:
        return
    with run.session_state.query_params() as result:
        before = str(result)
        result.populate_from_query_string(run.query_string)
        result.set_initial_query_params_from_current()
        if str(result) != before:
            result._send_query_param_msg()


def without_foreign_session(protocols: bytes, is_own_session: Callable[[str], bool]) -> bytes:
    """Return the header that rejoins a page's session, without a session of another client.

    What: `Sec-WebSocket-Protocol` is `streamlit`, a token, and the session. Why: naming a session
    is enough to take it over. Tried with Streamlit 1.67.
    """
    protocol, token, session = [*protocols.split(b","), b"", b""][:3]
    theirs = is_own_session(session.strip().decode("latin-1"))
    return b",".join([protocol, token, session if theirs else b""]).rstrip(b", ")


def is_user_action(message: bytes) -> bool:
    """Return whether a message of a page is an action of its reader, not of a fragment that reruns itself.

    What: `is_auto_rerun` of a `BackMsg`. Why: a page that is open is not used. Tried with Streamlit 1.67.
    """
    with suppress(DecodeError):
        wish = BackMsg.FromString(message)
        return wish.WhichOneof("type") == "rerun_script" and not wish.rerun_script.is_auto_rerun
    return False


STREAMLIT_STATIC = Path(st.__file__).parent / "static"
"""What: the folder of Streamlit's own files. Why: `dashboard.web.first_page` preloads some of
them. Tried with Streamlit 1.67."""
PRELOADED_MODULES = (
    *("PageLink", "ButtonGroup", "WidgetLabel", "WidgetLabelHelpIconInline", "styled-components"),
    *("useBasicWidgetState", "Html", "purify.es"),
    *("BidiComponent", "_arrayReduce", "serialization", "recordbatch"),
)
"""Streamlit scripts that the dashboard's pages need and Streamlit's first page does not name."""
BACKEND_KEY = "BACKEND_BASE_URL"
"""Key of `window.__streamlit` that gives its script the server's URL."""


def running_server() -> Server | None:
    """Return the server of this process (call it on the main thread), None if none runs.

    What: uvicorn's signal handler is a method of its `Server`, which reads
    `timeout_graceful_shutdown` only as it ends and `timeout_keep_alive` at each connection. Why:
    Streamlit starts it and passes on none of the three. Tried with uvicorn 0.54.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return server if isinstance(server, Server) else None


class Connection(NamedTuple):
    """An open connection of the server."""

    transport: Transport
    host: str
    """The address of the other end; empty for a client that is away."""
    is_page: bool
    """Whether it is a websocket."""
    is_idle: bool
    """Whether closing it cuts off no request; so for every websocket: its page connects again."""
    has_no_request: bool
    """Whether it has sent no whole request head yet, and uvicorn has no timer for that."""


def open_connections(server: Server) -> list[Connection]:
    """Return the server's open connections, in no order.

    What: `server_state.connections`, and of each `transport`, `client`, `cycle` (None for none, with
    `response_complete`) and `timeout_keep_alive_task`. Why: uvicorn waits without end for the first
    request, and for one that comes byte by byte. Tried with uvicorn 0.54.
    """
    found = []
    connections: list[Any] = list(server.server_state.connections)
    for one in connections:
        if one.transport is None:
            continue
        is_page = not hasattr(one, "timeout_keep_alive_task")
        cycle = getattr(one, "cycle", None)
        is_idle = is_page or cycle is None or cycle.response_complete
        has_no_request = is_idle and not is_page and one.timeout_keep_alive_task is None
        host = one.client[0] if one.client else ""
        found.append(Connection(one.transport, host, is_page, is_idle, has_no_request))
    return found
