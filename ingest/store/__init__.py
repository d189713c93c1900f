"""Verdicts → the tables of a store, and what is done with a store."""
