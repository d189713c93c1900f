"""The page Check: which text is checked, by which rules, and what it shows."""
