"""The path below which a proxy serves the pages: `/retourne` of `https://club.example/retourne/`."""

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_base_path = ""


def set_base_path(path: str) -> None:
    """Set the path below which browsers reach the server: empty, or `/retourne`."""
    global _base_path
    _base_path = path


def browser_path(path: str) -> str:
    """Return the address in browsers of a path of the server, which begins with a slash."""
    return _base_path + path


class BasePathMiddleware:
    """ASGI middleware that removes the base path from requests.

    Some proxies remove it themselves, so that requests without it are answered, too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        base = _base_path
        if not base or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif scope["path"] == base and scope["type"] == "http":
            # relative addresses of the first page need the slash
            query = scope.get("query_string", b"").decode("latin-1")
            await RedirectResponse(f"{base}/{'?' * bool(query)}{query}")(scope, receive, send)
        elif scope["path"].startswith(f"{base}/"):
            raw = scope.get("raw_path", b"").removeprefix(base.encode())
            below = {**scope, "path": scope["path"].removeprefix(base), "raw_path": raw}
            await self.app(below, receive, send)
        else:
            await self.app(scope, receive, send)
