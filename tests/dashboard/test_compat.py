"""The library internals that `dashboard.compat` uses have not changed."""

import asyncio
import inspect
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, current_thread
from types import SimpleNamespace
from typing import Any, cast

import pytest
from anyio import to_thread
from starlette.datastructures import Headers
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.scriptrunner import RerunData, ScriptRunContext, ScriptRunner
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette.starlette_app import App
from streamlit.web.server.starlette.starlette_websocket import _parse_subprotocols
from uvicorn import Config, Server

from dashboard import compat
from dashboard.server import lifecycle


def test_streamlit_knows_which_sessions_show_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(vars(Runtime)["media_file_mgr"], property)
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(compat, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))
    at = files.add(b"one", "text/plain", "1")
    file_id = at.rpartition("/")[2].split(".")[0]
    assert len(compat.sessions_showing(file_id)) == 1
    assert compat.sessions_showing("another") == set()


@pytest.mark.parametrize("back", [True, False])
def test_streamlit_takes_the_whole_address_of_the_way_back(
    monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    fields = ScriptRunContext.__dataclass_fields__
    assert {"is_history_navigation", "query_string", "session_state", "session_id"} <= set(fields)
    state = SafeSessionState(SessionState(), lambda: None)
    run = SimpleNamespace(
        is_history_navigation=back, query_string="game=coinche&player=lucie", session_state=state
    )
    sent: list[str] = []
    monkeypatch.setattr(compat, "get_script_run_ctx", lambda: run)
    with state.query_params() as result:
        monkeypatch.setattr(type(result), "_send_query_param_msg", lambda self: sent.append(str(self)))
    compat.keep_full_url()
    with state.query_params() as result:
        assert result.to_dict() == ({"game": "coinche", "player": "lucie"} if back else {})
        assert sent == ([str(result)] if back else [])
    compat.keep_full_url()
    assert len(sent) == back


@pytest.mark.parametrize(("theirs", "session"), [(True, "one"), (False, None)])
def test_a_page_names_its_session_third_among_its_protocols(theirs: bool, session: str | None) -> None:
    result = compat.without_foreign_session(b"streamlit, token, one", lambda kind: kind == "one" and theirs)
    read = _parse_subprotocols(Headers({"sec-websocket-protocol": result.decode()}))
    assert read == ("streamlit", "token", session)


@pytest.mark.parametrize(("seconds", "left"), [(0, {}), (60, {"one": b"x"})])
def test_files_of_a_page_that_was_left_are_freed_when_it_cannot_come_back(
    monkeypatch: pytest.MonkeyPatch, seconds: int, left: dict[str, bytes]
) -> None:
    files = {"one": b"x"}
    session = SimpleNamespace(id="one", shutdown=files.clear)
    storage = MemorySessionStorage(ttl_seconds=seconds)
    manager = WebsocketSessionManager(storage, *[cast(Any, None)] * 3)
    storage.save(cast(Any, SimpleNamespace(session=session)))
    monkeypatch.setattr(compat, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    compat.forget_left_pages()
    assert files == left


def test_scripts_start_away_from_the_event_loop_and_wait_for_their_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sessions look the class up in their module; of its methods, one starts a thread and one runs."""
    looked_up, done, event = app_session.AppSession._create_scriptrunner, list[object](), Event()
    assert looked_up.__globals__ is vars(app_session)
    assert "ScriptRunner" in looked_up.__code__.co_names
    assert "_run_script" in ScriptRunner._run_script_thread.__code__.co_names
    monkeypatch.setattr(app_session, "ScriptRunner", ScriptRunner)

    def start(runner: ScriptRunner) -> None:
        done.append(current_thread())
        event.set()

    monkeypatch.setattr(ScriptRunner, "start", start)
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda self, data: done.append(data))
    client = SimpleNamespace(client_context=SimpleNamespace(remote_ip="192.0.2.1"))
    known = SimpleNamespace(get_client={"here": client}.get)
    monkeypatch.setattr(compat, "get_instance", lambda: known)

    @contextmanager
    def running(address: str) -> Iterator[None]:
        done.append(address)
        yield
        done.append("over")

    compat.limit_script_runs(running)
    runner = object.__new__(vars(app_session)["ScriptRunner"])
    runner.start()
    assert event.wait(60)
    assert done.pop() is not current_thread()
    for runner._session_id in ("here", "left"):
        runner._run_script(RerunData())
    assert done == ["192.0.2.1", RerunData(), "over", "", RerunData(), "over"]


def test_a_click_while_a_page_runs_ends_that_run_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two runs at once, the older one put the log of a reader's notes in the place of the notes."""
    assert compat.__file__ is not None
    config = tomllib.loads(Path(compat.__file__).with_name(".streamlit").joinpath("config.toml").read_text())
    options = {f"runner.{name}": value for name, value in config["runner"].items()}
    monkeypatch.setattr(app_session, "config", SimpleNamespace(get_option=options.__getitem__))
    calls = list[str]()

    def request_rerun(data: RerunData) -> bool:
        calls.append(data.query_string)
        return True

    session: Any = SimpleNamespace(
        _state=app_session.AppSessionState.APP_IS_RUNNING,
        _scriptrunner=SimpleNamespace(request_rerun=request_rerun, request_stop=lambda: calls.append("stop")),
        _create_scriptrunner=lambda data: calls.append("another"),
    )
    app_session.AppSession.request_rerun(session, ClientState(query_string="match=1"))
    assert calls == ["match=1"]  # by the same runner: a new one would begin at once


def test_streamlit_bounds_its_threads_before_the_lifespan_that_bounds_them_by_processors() -> None:
    names = inspect.unwrap(App._combined_lifespan).__code__.co_names
    assert names.index("_set_anyio_thread_limiter") < names.index("_user_lifespan")

    async def bounded() -> float:
        async with lifecycle.lifespan(None):
            return to_thread.current_default_thread_limiter().total_tokens

    assert asyncio.run(bounded()) == (os.cpu_count() or 1) + 4


def test_a_rerun_that_a_page_asks_for_by_itself_is_no_action_of_its_reader() -> None:
    rerun, heartbeat = BackMsg(), BackMsg(app_heartbeat=True)
    rerun.rerun_script.page_name = "rencontres"
    assert compat.is_user_action(rerun.SerializeToString())
    rerun.rerun_script.is_auto_rerun = True
    for message in (rerun.SerializeToString(), heartbeat.SerializeToString(), b"", b"\xff"):
        assert not compat.is_user_action(message)


def test_streamlit_has_the_scripts_that_are_asked_for_sooner() -> None:
    scripts = compat.STREAMLIT_STATIC / "static/js"
    assert [name for name in compat.PRELOADED_MODULES if not list(scripts.glob(f"{name}.*.js"))] == []
    page = (compat.STREAMLIT_STATIC / "index.html").read_text("utf-8")
    assert page.count("<head>") == page.count("</head>") == 1
    assert any(compat.BACKEND_KEY in file.read_text("utf-8") for file in scripts.glob("index.*.js"))


def test_the_server_that_runs_is_found_by_its_handler_of_signals() -> None:
    found: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        found.append(compat.running_server())
        server.should_exit = True
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    config = Config(app, port=0, lifespan="on", log_config=None)
    server = Server(config)
    server.run()
    assert found == [server]
    assert {"timeout_graceful_shutdown", "timeout_keep_alive", "ws_max_size"} <= vars(config).keys()
    assert compat.running_server() is None
