"""The command `retourne`: a module per family of commands."""

import signal
import sys
from types import FrameType

__all__ = ["main"]
DEFAULT_HANDLERS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that interrupt a command, with the handlers that this module replaces."""


def main() -> None:
    """Run the command line of this process; a signal gives one message even during imports."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    replaced = [number for number, known in DEFAULT_HANDLERS.items() if signal.getsignal(number) is known]
    for number in replaced:
        signal.signal(number, interrupt)
    try:
        from ingest.cli.app import main as run_all

        run_all()
    except SystemExit as ended:
        from ingest.cli.common import EXIT_INTERRUPTED, EXIT_TERMINATED

        if ended.code == EXIT_INTERRUPTED and signal.SIGTERM in received:
            sys.exit(EXIT_TERMINATED)
        raise
    except BaseException:
        if not received:  # a library interrupted during its import may raise anything
            raise
        from ingest.cli.common import EXIT_TERMINATED, language_from_args, report_interrupt

        code = report_interrupt(language_from_args(sys.argv[1:]))
        sys.exit(EXIT_TERMINATED if signal.SIGTERM in received else code)
    finally:
        for number in replaced:  # else Python reports an exception while it shuts down
            signal.signal(number, signal.SIG_DFL)
