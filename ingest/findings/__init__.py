"""Findings: the problems a log can have, and their messages."""
