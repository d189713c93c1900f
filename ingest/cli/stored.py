"""A stored match that a command line names, where the word may be a file too."""

from pathlib import Path

from ingest.cli.export import text_of
from ingest.cli.opening import open_store
from ingest.cli.params import STDIN
from ingest.cli.terminal import Stop
from ingest.i18n import N_, Translate
from ingest.store.errors import StoreError

NEITHER = N_("{name} is neither a file nor, for want of a store at {store}, a stored match.")


def is_file(name: str) -> bool:
    """Whether a word is a file, a folder or standard input; else it is an id."""
    return name == STDIN or Path(name).exists()


def stored_text(t: Translate, name: str, store: Path) -> bytes:
    """The text of a stored match. Stop: there is none, or no store."""
    if not store.exists():
        raise Stop(NEITHER, name=name, store=store)
    try:
        with open_store(store, read_only=True) as opened:
            return text_of(opened, name)
    except StoreError as error:
        from ingest.cli.hand_over import asked

        return asked(error, ["export", "--", name], t)  # what is written is written here
