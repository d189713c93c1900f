"""Frames of `dashboard.queries` in, Plotly figures out; no Streamlit.

`t` says the texts in a language; `dashboard.figures.plain` is English.
"""

from typing import Any

from ingest.i18n import Translate, translator

plain = translator("en", "dashboard")


def layout(t: Translate, **more: Any) -> dict[str, Any]:
    """What all figures share: the language's decimal sign, no wasted margin."""
    return {
        "separators": ", " if t.language == "fr" else ".,",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None},
        "dragmode": False,
    } | more


def percent(share: float, t: Translate, digits: int = 1) -> str:
    """`12,3 %` in French, `12.3%` in English."""
    number = f"{100 * share:.{digits}f}"
    return number.replace(".", ",") + "\N{NARROW NO-BREAK SPACE}%" if t.language == "fr" else number + "%"


def escape(text: str) -> str:
    """Text of a log for Plotly, which reads a few HTML tags in labels."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def bars(frame: Any) -> dict[str, Any]:
    """Error bars from `low` and `high` around `share`."""
    return {
        "type": "data",
        "symmetric": False,
        "array": (frame["high"] - frame["share"]).to_list(),
        "arrayminus": (frame["share"] - frame["low"]).to_list(),
        "thickness": 1.5,
        "width": 4,
    }
