"""Sort and compare names in SQL as people do: without case and accents, œ as oe."""

_SPELLINGS = {"œ": "oe", "æ": "ae", "’": "''"}
"""Characters that `strip_accents` leaves, with their usual spelling; an apostrophe is doubled for SQL."""


def fold_sql(text: str) -> str:
    """Return the SQL expression that folds another one, such as a column; of ASCII at little cost."""
    folded = f"lower(strip_accents({text}))"
    for sign, spelling in _SPELLINGS.items():
        folded = f"replace({folded}, '{sign}', '{spelling}')"
    return folded
