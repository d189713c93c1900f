"""Questions to the store: filters in, Polars frames out; no Streamlit, so a notebook can ask too.

import duckdb
from dashboard.queries import players
players.table(duckdb.connect("retourne.duckdb", read_only=True))

What the columns of each answer mean is told in `docs/tables.md`.
"""
