"""The command `retourne`: a module per family of commands."""

import signal
import sys
from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; Ctrl-C ends it alike while it is still being loaded."""
    heard: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    told = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if told:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from ingest.cli.app import main as run_all

        run_all()
    except SystemExit:
        raise
    except BaseException:
        if not heard:  # a library that is interrupted while it is loaded may raise anything
            raise
        from ingest.cli.common import language_from_args, report_interrupt

        sys.exit(report_interrupt(language_from_args(sys.argv[1:])))
    finally:
        if told:  # Python that is closing down tells an exception of its own
            signal.signal(signal.SIGINT, signal.SIG_DFL)
