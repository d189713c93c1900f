"""The rules of the games: cards, options, one kernel per game, replay, match flow.

The engine uses no files, databases or screens. No other package implements a rule.
"""

RULES_VERSION = 2
"""Increased whenever verdicts on unchanged logs may change; older stored verdicts are stale."""


def installed_version() -> str | None:
    """Return the installed version, if there is one."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("retourne")
    except PackageNotFoundError:
        return None


def program_version() -> str:
    """Return the installed version and the version of the rules it checks."""
    return f"retourne {installed_version() or '(not installed)'}, rules {RULES_VERSION}"
