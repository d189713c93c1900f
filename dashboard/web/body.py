"""The body of a small request: nobody sends more than a form or a draft's steps."""

from starlette.requests import ClientDisconnect, Request


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
