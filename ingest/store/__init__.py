"""Stores validated matches in DuckDB, in a file or a lake."""
