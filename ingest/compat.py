"""What libraries say in no documented form, and what is made of it.

`tests/ingest/test_compat.py` fails where a later version has changed it.
"""

import re
import select
import tempfile
import time
from typing import NamedTuple

PATIENCE = 5.0
"""Seconds that PostgreSQL has to say why it lets nobody in."""
_CODE = re.compile(r'\bErrorResponse\b.* C "(\w{5})"')


class Refusal(NamedTuple):
    """Why a try to connect to PostgreSQL came to nothing, without a word of its language."""

    code: str
    """The SQLSTATE; empty where the server said none."""
    needs_password: bool
    host: str
    port: str
    database: str


def refusal(conninfo: str) -> Refusal:
    """Try once more to connect, and see why that is refused.

    What: the lines of `PGconn.trace`. Why: a server refuses a connection in its own language, and
    libpq hands on these words without the code. Tried with psycopg 3.3 and libpq 18.
    """
    from psycopg import NotSupportedError
    from psycopg.pq import ConnStatus, PGconn, PollingStatus

    tried = PGconn.connect_start(conninfo.encode())
    until, codes = time.monotonic() + PATIENCE, list[str]()
    with tempfile.TemporaryFile("w+b") as said:
        try:
            tried.trace(said.fileno())
        except NotSupportedError:  # but on Linux
            return Refusal("", False, "", "", "")
        ended = PollingStatus.OK, PollingStatus.FAILED
        state = PollingStatus.FAILED if tried.status == ConnStatus.BAD else PollingStatus.WRITING
        while state not in ended and (left := until - time.monotonic()) > 0:
            reads = state == PollingStatus.READING
            select.select([tried.socket] * reads, [tried.socket] * (not reads), [], left)
            state = PollingStatus(tried.connect_poll())
        tried.untrace()
        said.seek(0)
        codes += _CODE.findall(said.read().decode(errors="replace"))
    host, port, database = (one.decode() for one in (tried.host, tried.port, tried.db))
    found = Refusal(codes[-1] if codes else "", tried.needs_password, host, port, database)
    tried.finish()
    return found
