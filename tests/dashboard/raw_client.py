"""A client from outside: plain requests and websockets, crafted as no browser would."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from dashboard.authentication import SESSION_COOKIE

RESTARTED = ForwardMsg.FINISHED_EARLY_FOR_RERUN
"""How a run ends whose page is drawn anew meanwhile; all of it comes with the next one."""


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def cookie(self) -> str:
        """The session that a browser would keep."""
        remaining = self.headers.get("set-cookie", "").partition(";")[0]
        return remaining.partition("=")[2] if remaining.startswith(f"{SESSION_COOKIE}=") else ""


class Outside:
    """A server, and nothing known of it but its address."""

    def __init__(self, address: str, source: str = "127.0.0.1") -> None:
        self.address, self.host, self.source = address, urlsplit(address).netloc, source

    def ask(self, method: str, path: str, body: bytes | None = None, /, **headers: str) -> Answer:
        """One request; the names of headers with _ for -."""
        connection = HTTPConnection(self.host, timeout=30, source_address=(self.source, 0))
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, fields)
        got = connection.getresponse()
        names = {name.lower(): value for name, value in got.getheaders()}
        answer = Answer(got.status, names, got.read().decode(errors="replace"))
        connection.close()
        return answer

    def sign_in(self, token: str, **headers: str) -> Answer:
        """As the form of the page sends a token."""
        fields = {"origin": self.address} | headers
        fields["content_type"] = "application/x-www-form-urlencoded"
        return self.ask("POST", "/in", f"token={quote(token)}".encode(), **fields)

    @contextmanager
    def visit(self, origin: str | None = "", session: str = "", **headers: str) -> Iterator["Visit"]:
        """A page's websocket, from our own origin unless another is given."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        protocols = ["streamlit", *(["none", session, "more"] if session else [])]
        with connect(
            f"ws://{self.host}/_stcore/stream",
            origin=Origin(self.address if origin == "" else origin) if origin is not None else None,
            subprotocols=[Subprotocol(one) for one in protocols],
            additional_headers=fields,
            open_timeout=30,
            max_size=None,
            max_queue=None,  # a page that nobody reads is no page that hangs
            ping_interval=None,
        ) as socket:
            yield Visit(socket)

    def knock(self, **how: str) -> None:
        """Open a page's websocket and leave. InvalidStatus: it does not open."""
        with self.visit(**how):
            pass


class Visit:
    """An open page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.session = ""

    def run(self, page: str = "", query: str = "", pressed: str = "") -> str:
        """Have a page run, a button of that id pressed; all it shows, as text."""
        found = self.messages(page, query, pressed)
        return "\n".join(str(one.delta) for one in found if one.WhichOneof("type") == "delta")

    def messages(
        self, page: str = "", query: str = "", pressed: str = "", fragment: str = "", by_itself: bool = False
    ) -> list[ForwardMsg]:
        """Have a page or a fragment of it run, perhaps by itself; all that the server sends of it."""
        wish = BackMsg()
        wish.rerun_script.page_name = page
        wish.rerun_script.query_string = query
        wish.rerun_script.fragment_id = fragment
        wish.rerun_script.is_auto_rerun = by_itself
        if pressed:
            widget = wish.rerun_script.widget_states.widgets.add()
            widget.id, widget.trigger_value = pressed, True
        self.socket.send(wish.SerializeToString())
        return self.following_messages()

    def following_messages(self) -> list[ForwardMsg]:
        """All that the server sends until a run has ended."""
        found = list[ForwardMsg]()
        while True:
            result = ForwardMsg.FromString(bytes(self.socket.recv(timeout=60)))  # type: ignore[arg-type]
            if result.WhichOneof("type") == "new_session":
                self.session = result.new_session.initialize.session_id
            found.append(result)
            if result.WhichOneof("type") == "script_finished" and result.script_finished != RESTARTED:
                return found
