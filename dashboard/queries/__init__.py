"""Queries of the store that return Polars frames; no Streamlit.

import duckdb
from dashboard.queries import players
players.players_table(duckdb.connect("retourne.duckdb", read_only=True))

`docs/tables.md` documents the columns of each result.
"""
