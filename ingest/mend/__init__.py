"""Verdicts → edits."""
