"""The rules of the games: cards, options, one kernel per game, replay, match flow.

The engine knows no file, no database and no screen. Nothing above it knows a rule.
"""

RULES_VERSION = 2
"""Raised when a verdict can change for a log that did not: stored verdicts below it are old."""


def installed_version() -> str | None:
    """The version that is installed, if any is."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("retourne")
    except PackageNotFoundError:
        return None


def program_version() -> str:
    """The version that is installed, and the version of the rules it checks by."""
    return f"retourne {installed_version() or '(not installed)'}, rules {RULES_VERSION}"
