"""Reads files into the text of single matches."""
