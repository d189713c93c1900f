"""Whether anybody still has a file open to write to it, as far as the system can say."""

import errno
import signal
import sys
from contextlib import suppress


def is_written(descriptor: int) -> bool | None:
    """Whether somebody may still write to an open file; None: that cannot be known here.

    Linux lends a file to a reader only while nobody has it open for writing, and only to its owner.
    Some shared folders say that somebody writes where they do not know.
    """
    if sys.platform != "linux":
        return None
    import fcntl

    try:
        # this process would be told by a signal whom the loan is in the way of: one it ignores
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
