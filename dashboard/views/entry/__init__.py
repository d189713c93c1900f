"""The pages where a match or a score sheet is typed in."""
