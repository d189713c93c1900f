"""What every answer tells the browser: load nothing from elsewhere, be in nobody's frame."""

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Send

POLICY = {
    "default-src": "'self'",
    # Streamlit's first page and our history.html are scripts within a page, a component's script
    # is one that the page has made
    "script-src": "'self' 'unsafe-inline' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{key} {of}" for key, of in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # forms of ours have to tell where they come from; nobody else is told anything
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


PRIVATE = {"Cache-Control": "private, no-store"}
"""For what not everybody may see: no proxy keeps it for the next who asks."""


def guarded(send: Send, private: bool) -> Send:
    """What sends answers with these headers, but for what an answer says itself."""
    told = HEADERS | PRIVATE if private else HEADERS

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            # an older browser's word for frame-ancestors, where that lets nobody
            framed = "frame-ancestors *" in headers.get("Content-Security-Policy", "")
            for name, value in told.items():
                if not (framed and name == "X-Frame-Options"):
                    headers.setdefault(name, value)
            if varies := headers.getlist("Vary"):  # what compresses says it again
                said = (one.strip() for one in ",".join(varies).split(","))
                headers["Vary"] = ", ".join(dict.fromkeys(said))
        await send(message)

    return sending


async def small_body(request: Request, most: int) -> bytes | None:
    """What was sent; None when it has more bytes than this, or ends before it is whole."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                return None
    except ClientDisconnect:
        return None
    return body
