"""`python -m ingest.cli`, the same as `retourne`."""

from ingest.cli import main

main()
