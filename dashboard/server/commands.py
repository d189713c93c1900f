"""Commands of whoever serves the store are let in: by a file beside it, as long as it is served."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dashboard import access
from dashboard.store import commands, store
from ingest.cli.terminal import program_version, remark
from ingest.i18n import N_, Translate
from ingest.store import served
from ingest.store.served import address

NO_FILE = N_(
    "Beside the store {path} no file can be written: commands cannot use it while it is served."
)


@contextmanager
def serving(port: int, t: Translate) -> Iterator[None]:
    """Within, the store is taken, and commands of whoever serves it are let in.

    StoreError: it cannot be opened.
    """
    opened = store()
    with ExitStack() as until:
        if opened.in_a_file:  # commands open a lake themselves
            url = served.url_of(access.served, port)
            try:
                file = served.written(Path(opened.path), url, program_version())
                access.let_in(until.enter_context(file), address(access.served, port))
            except OSError:
                remark(t(NO_FILE, path=opened.path))
        try:
            yield
        finally:
            access.let_in("", None)
            commands.end()
