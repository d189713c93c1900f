"""The replay board: all states of a deal go to the browser once, which steps through them.

Only `component.py`, which mounts it on a page, uses Streamlit.
"""

from importlib.resources import files
from typing import Any

from dashboard.board.states import mark_kinds
from ingest.i18n import Translate

_FILES = files("dashboard.board")


def read_file(name: str) -> str:
    """Read a file of this package."""
    return _FILES.joinpath(name).read_text(encoding="utf-8")


SCRIPT_FILES = (
    *("dom", "board", "board-header", "seat", "draw-board"),
    *("timeline", "endgame-values", "controls", "export", "win-chance"),
)
"""The board's scripts, which share one scope in this order; a start script follows."""


FILE_SCRIPTS = ("log-states", "variation-panel", "local-variation")
"""Further scripts of a board in a file: states by the rules in the page, and a line of one's own."""


def board_script(*more: str) -> str:
    """Return the board's JavaScript as one module; of `more` scripts the last starts, such as `mount`."""
    return "\n".join(read_file(f"js/{name}.js") for name in (*SCRIPT_FILES, *more))


def board_style() -> str:
    """Return the board's CSS."""
    return read_file("board.css") + read_file("felt.css") + read_file("endgame-values.css")


def board_texts(t: Translate) -> dict[str, Any]:
    """Return all texts of the board in one language."""
    return {
        **{"first": t("Beginning (Home)"), "previous-trick": t("Previous trick ([)")},
        **{"previous": t("Back (←)"), "next": t("Forward (→)"), "next-trick": t("Next trick (])")},
        **{"last": t("End (End)"), "play": t("Play (space)"), "pause": t("Pause (space)")},
        **{"speed": t("Speed"), "slow": t("slow"), "normal": t("normal"), "fast": t("fast")},
        **{"played": t("real time"), "slider": t("Position in the deal")},
        **{"board": t("Replay board"), "deal": t("Deal"), "previous-deal": t("Previous deal (<)")},
        **{"next-deal": t("Next deal (>)"), "before": t("Previous match of the list")},
        **{"after": t("Next match of the list"), "viewer": t("Seen by"), "below": t("Sits below")},
        **{"me": t("That is me"), "alone": t("Full screen (Z)")},
        "search": t("Search from here"),
        **{"suite": t("Play on from here (E)"), "print": t("Print a sheet"), "led": t("led")},
        **{"all": t("everybody, all hands open"), "options": t("Options")},
        **{"legal": t("Legal cards"), "hands": t("Hands face down")},
        **{"spoiler": t("Hide what comes next"), "four": t("Four colours")},
        **{
            "share": t("Share this match"),
            "copy": t("Copy the link"),
            "copied": t("Link copied."),
            "image": t("Save as an image"),
        },
        "saved": t("Image saved."),
        "not-saved": t("This browser cannot export the board as an image."),
        **{"help": t("Keyboard shortcuts (?)"), "close": t("Close"), "hide": t("Hide the hand")},
        **{"show": t("Show the hand"), "hidden": t("hidden card"), "unknown": t("unknown card")},
        **{"may": t("May also:"), "table": t("On the table"), "last-trick": t("Last trick")},
        **{"won": t("Tricks taken"), "course": t("Course of the deal"), "value": t("Points lost")},
        **{"about": t("Definition"), "terms": t("On page Rules")},
        "turning": t("The winner turned: action {n}"),
        "worst": t("The costliest plays of the match"),
        **{"none-lost": t("No loss in the part that can be solved."), "lost": t("lost: {n}")},
        **{"held": t("Best move (B)"), "unplayed": t("Not played:")},
        "best-line": t("Best play from action {n} on"),
        **{"leave": t("Back to the game (Esc)"), "odds": t("Probabilities (C)")},
        **{"fold": t("Close (Esc)"), "solved-from": t("Best play known from action {n} on")},
        "best-play": t("With best play: {who}"),
        **{"best-even": t("With best play: as much for both"), "turn": t("to play")},
        **{"comments": t("Comments"), "withheld": t("Read with all hands open.")},
        **{"findings": t("Findings"), "error": t("Fault"), "warning": t("Note")},
        **{"note": t("Not checkable"), "language": t.language, "point": t("point")},
        **{"points": t("points"), "tricks": t("tricks")},
        "chance": chance_texts(t),
        "kinds": {kind: mark._asdict() | {"text": t(mark.text)} for kind, mark in mark_kinds().items()},
        "keys": [
            ("← →", t("back, forward; at either end, go to the next deal")),
            ("[ ]", t("previous trick, next trick")),
            (t("Home End"), t("beginning, end")),
            (t("Space"), t("play, pause")),
            ("< >", t("previous deal, next deal")),
            ("H", t("hands face down or up")),
            ("V", t("through the next player’s eyes")),
            ("T", t("turn the table")),
            ("W", t("where the result flipped")),
            (t("B Esc"), t("best move, back to the game")),
            ("C", t("probabilities of the card just played")),
            ("Z", t("full screen")),
            ("L", t("legal cards")),
            ("E", t("play on from here")),
            ("?", t("this list")),
        ],
    }


def chance_texts(t: Translate) -> dict[str, str]:
    """Return the texts about a card's win chance; the script fills in the braces."""
    return {
        "ask": t("Win probability of this card, from the player’s view"),
        "waiting": t("Deals that fit are played…"),
        "over": t(
            "From {who}’s view: of {deals} possible deals, played to the end by a simple "
            "player, this card ({card}) won {share}%."
        ),
        "one": t("Only one deal fits the cards that {who} could see."),
        "less": t("won {share} ± {error}% less often"),
        "more": t("won {share} ± {error}% more often"),
        "same": t("no difference that {deals} deals could show"),
        "fewer": t("points: {points} less"),
        "further": t("points: {points} more"),
        "equal": t("as much"),
    }
