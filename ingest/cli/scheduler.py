"""`--scheduler`: work done by a Dask cluster, with a line that says where to look on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from ingest.cli.terminal import Stop, console, remark
from ingest.cli.version import program_version
from ingest.i18n import N_, Translate
from ingest.spread.cluster import Cluster, ClusterError, joined

Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar=N_("ADDRESS"),
        help=N_("Have it done by Dask: local:8 for processes of this machine, or tcp://HOST:PORT."),
    ),
]

SET_ASIDE = N_("Set aside: {part}")
LOOK_ON = N_("Dask’s dashboard: {address}")


@contextmanager
def cluster_of(t: Translate, address: str, quiet: bool) -> Iterator[Cluster]:
    """The cluster of an address while this lasts. Stop: it cannot be asked, or is gone."""
    try:
        with joined(address, program_version) as cluster:
            if not quiet and console(stderr=True).is_terminal:
                remark(t(LOOK_ON, address=cluster.dashboard))
            yield cluster
    except ClusterError as error:
        raise Stop(error.text, **error.values) from None


def tell_set_aside(t: Translate, parts: Sequence[str]) -> None:
    """Name on standard error what no worker survived."""
    for part in parts:
        remark(t(SET_ASIDE, part=part))
