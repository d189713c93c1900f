"""`retourne page`: writes the page that checks logs without a server."""

from pathlib import Path
from tempfile import TemporaryDirectory

from dashboard.board.check_page import check_page
from ingest.cli import common as cli
from ingest.cli import params
from ingest.i18n import N_, format_count
from ingest.store.outputs import Kind
from js.build import build, made_package
from js.compile_wasm import BuildError, linker

NO_LINKER = N_("The page is made with wasm-ld: install Debian’s lld, or ziglang from PyPI.")
CANNOT_COMPILE = N_("The rules cannot be compiled for browsers: {reason}")
COMPILING_RULES = N_("Compiling the rules for browsers (about a minute)…")
WRITTEN = N_("Bytes written: {count}. The page opens in a browser without a network.")


def page(
    run: cli.Run, output: params.Output = None, force: params.Force = False, quiet: cli.Quiet = False
) -> None:
    """Write the page that checks logs."""
    place = params.place(output, Kind.PAGE, force)
    package = made_package()
    written = (_compiled_page(run, quiet) if package is None else check_page(package)).encode()
    with params.open_output(place) as file:
        file.write(written)
    if not quiet:
        cli.print_notice(run.t(WRITTEN, count=format_count(len(written), run.t)))


def _compiled_page(run: cli.Run, quiet: bool) -> str:
    """Return the page, with the rules compiled for it."""
    try:
        linker()
    except BuildError:
        raise cli.CommandError(NO_LINKER) from None
    if not quiet:
        cli.print_notice(run.t(COMPILING_RULES))
    with TemporaryDirectory() as folder:
        try:
            build(Path(folder))
        except BuildError as error:
            raise cli.CommandError(CANNOT_COMPILE, reason=error) from None
        return check_page(Path(folder))
