"""Validates texts: in bulk where they are clean, explained where not."""
