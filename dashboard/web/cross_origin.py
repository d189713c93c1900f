"""Which requests pages of other sites may send (CORS): reads of the API, and checks of logs.

They are answered as a reader without a token, so nothing that a visitor's browser holds counts.
"""

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Send

from dashboard import authentication
from dashboard.api.problems import API_PATH
from ingest.store.server_hosts import is_local, parse_hostname

CHECK_PATH = f"{API_PATH}/check"
"""The one address to which such a page may post: nothing is stored."""
READ_METHODS = ("GET", "HEAD", "OPTIONS")
CORS_HEADERS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}
PREFLIGHT_SECONDS = 600
"""Seconds for which a browser need not repeat a preflight."""


def allows_other_site(origin: str, method: str, path: str) -> bool:
    """Return whether a page of this origin may send such a request and read the response.

    A server of this computer is not open to everybody: only pages of this computer read it.
    """
    if authentication.hosts.is_local_only and not is_local(parse_hostname(origin.partition("://")[2])):
        return False
    below = path == API_PATH or path.startswith(f"{API_PATH}/")
    return method in _methods(path, READ_METHODS) and below


def preflight_response(path: str) -> Response:
    """Return the response that lists the methods and headers of such a page; tokens are not among them."""
    headers = {
        "Access-Control-Allow-Methods": ", ".join(_methods(path, READ_METHODS[:2])),
        "Access-Control-Allow-Headers": "Content-Type, Content-Encoding",
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    }
    return Response(status_code=204, headers=headers)


def with_cors_headers(send: Send) -> Send:
    """Wrap `send` so that a page of any site may read the response."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(CORS_HEADERS)
        await send(message)

    return sending


def _methods(path: str, methods: tuple[str, ...]) -> tuple[str, ...]:
    return (*methods, "POST") if path.removesuffix("/") == CHECK_PATH else methods
