"""Writes an HTML file that needs no network: its policy blocks all requests, all it needs is embedded."""

import base64
import hashlib
import json
from html import escape
from typing import Any

from dashboard.board import board_style, read_file
from dashboard.board.theme import DASHBOARD_FILES, theme_css

STATIC_URL = "./app/static/"
"""Address of the dashboard's pictures; such a file embeds them instead."""


def html_file(
    language: str, title: str, body: str, data: Any, run: str, style: str = "", wasm: bool = False
) -> str:
    """Return a page with the board's style and a script, `run`, that reads `data` from the element `page`.

    `body` is trusted markup; `style` follows the board's; `wasm`: the script compiles WebAssembly.
    """
    look = theme_css() + board_style() + read_file("offline.css") + style
    # escape `<`, so that no text of a log can close the script element; browsers do not run JSON
    message = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    compiles = " 'wasm-unsafe-eval'" if wasm else ""
    policy = (
        "default-src 'none'; img-src data: blob:; "
        f"style-src '{csp_hash(look)}'; script-src '{csp_hash(run)}'{compiles}; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{look}</style>
</head>
<body>
{body}
<script type="application/json" id="page">{message}</script>
<script type="module">{run}</script>
</body>
</html>
"""


def picture_data(address: str) -> str:
    """Return a picture of the dashboard as a data URI, by its address."""
    svg = DASHBOARD_FILES.joinpath("static", address.removeprefix(STATIC_URL)).read_bytes()
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def csp_hash(text: str) -> str:
    """Return the Content-Security-Policy source of an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
