"""Which program this is."""

from importlib.metadata import PackageNotFoundError, version

from engine import RULES_VERSION


def program_version() -> str:
    """The version that is installed, and the version of the rules it checks by."""
    try:
        installed = version("retourne")
    except PackageNotFoundError:
        installed = "(not installed)"
    return f"retourne {installed}, rules {RULES_VERSION}"
