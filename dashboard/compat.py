"""Undocumented parts of Streamlit and uvicorn that the dashboard uses.

`tests/dashboard/test_compat.py` fails where a later version has changed it.
"""

import signal
from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import add_script_run_ctx as add_script_run_ctx
from streamlit.runtime.scriptrunner import get_script_run_ctx as get_script_run_ctx
from uvicorn import Server

# What: a run's context, for the number of its session and for threads that work for a page; the
# two functions above. Why: Streamlit tells its pages neither. Tried with Streamlit 1.67.


def sessions_showing(file_id: str) -> set[str]:
    """Streamlit's sessions whose pages have a file.

    What: `_files_by_session_and_coord` of its media files. Why: it sends such a file to whoever
    has the address. Tried with Streamlit 1.67.
    """
    known = get_instance().media_file_mgr._files_by_session_and_coord
    return {session for session, files in list(known.items()) if file_id in files.values()}


def keep_full_url() -> None:
    """Take the whole address of the way back, and of a link in a table, which is followed alike.

    What: `is_history_navigation` of a run's context, `_send_query_param_msg` and two more of its
    query. Why: Streamlit has taken out whatever has the name of a filter on the page that is left:
    the `game` of a list of matches, and with it that of the player it leads to. Tried with
    Streamlit 1.67.
    """
    run = get_script_run_ctx()
    if run is None or not run.is_history_navigation:
        return
    with run.session_state.query_params() as told:
        before = str(told)
        told.populate_from_query_string(run.query_string)
        told.set_initial_query_params_from_current()
        if str(told) != before:
            told._send_query_param_msg()


def without_foreign_session(protocols: bytes, is_own_session: Callable[[str], bool]) -> bytes:
    """The header by which a page joins its session again, without one that is somebody else's.

    What: `Sec-WebSocket-Protocol` is `streamlit`, a token, and the session. Why: whoever names a
    session has it. Tried with Streamlit 1.67.
    """
    protocol, token, session = [*protocols.split(b","), b"", b""][:3]
    theirs = is_own_session(session.strip().decode("latin-1"))
    return b",".join([protocol, token, session if theirs else b""]).rstrip(b", ")


STREAMLIT_STATIC = Path(st.__file__).parent / "static"
"""What: where Streamlit's own files are. Why: `dashboard.web.static_pages` has the browser ask for
them sooner. Tried with Streamlit 1.67."""
PRELOADED_MODULES = (
    *("PageLink", "ButtonGroup", "WidgetLabel", "WidgetLabelHelpIconInline", "styled-components"),
    *("useBasicWidgetState", "Html", "purify.es"),
    *("BidiComponent", "_arrayReduce", "serialization", "recordbatch"),
)
"""Scripts of Streamlit that pages of ours need and its first page does not name."""
BACKEND_KEY = "BACKEND_BASE_URL"
"""The key of `window.__streamlit` that tells its script where the server lies."""


def running_server() -> Server | None:
    """The server of this process, to be asked on its main thread; None where none runs there.

    What: uvicorn's handler of a signal is a method of its `Server`, which reads
    `timeout_graceful_shutdown` only as it ends and `timeout_keep_alive` at each connection. Why:
    Streamlit starts it, and hands on none of the three. Tried with uvicorn 0.54.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return server if isinstance(server, Server) else None
