"""The command `retourne`: one module per family of commands, `main` runs them."""

from ingest.cli.app import main

__all__ = ["main"]
