"""The command `retourne`: a module per family of commands."""

import signal
import sys
from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; Ctrl-C gives one message even during imports."""
    heard: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    is_known = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_known:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from ingest.cli.app import main as run_all

        run_all()
    except SystemExit:
        raise
    except BaseException:
        if not heard:  # a library interrupted during its import may raise anything
            raise
        from ingest.cli.common import language_from_args, report_interrupt

        sys.exit(report_interrupt(language_from_args(sys.argv[1:])))
    finally:
        if is_known:  # else Python reports an exception while it shuts down
            signal.signal(signal.SIGINT, signal.SIG_DFL)
