"""Runs the command line: `python -m ingest.cli`."""

from ingest.cli import main

main()
