"""Suggests edits that would explain the findings of a match."""
