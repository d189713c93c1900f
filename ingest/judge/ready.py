"""Whether what reads logs in bulk lies compiled already, which is done once for each machine."""

from ingest.judge.beside import is_kept
from ingest.judge.scan import scan_deals


def ready() -> bool:
    """Whether a file is read without waiting for the compiler, as far as its cache tells."""
    return is_kept(scan_deals)
