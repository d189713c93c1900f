"""Queries of the store that return Polars frames; no Streamlit.

import duckdb
from dashboard.queries import players
players.table(duckdb.connect("retourne.duckdb", read_only=True))

What the columns of each answer mean is told in `docs/tables.md`.
"""
