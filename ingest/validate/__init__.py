"""Texts → verdicts: in bulk where everything is in order, explained where not."""
