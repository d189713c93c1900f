"""Writes an HTML file that needs no network: its policy blocks all requests, all it needs is embedded."""

import base64
import hashlib
import json
import re
import tomllib
from html import escape
from importlib.resources import files
from typing import Any

from dashboard.board import board_style, read_file

DASHBOARD_FILES = files("dashboard")
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


COLOURS = {
    "light": {"blue": "#1c62b8", "orange": "#b35c00", "green": "#1b7a3d", "violet": "#6b46c1"}
    | {"red": "#b3372f", "red-background": "#fbe9e7", "orange-background": "#fdf1e0"}
    | {"blue-background": "#e6eefa"},
    "dark": {"blue": "#7ab0f5", "orange": "#f0a95a", "green": "#5fc98a", "violet": "#b79be0"}
    | {"red": "#ec8a80", "red-background": "#3b2220", "orange-background": "#3a2c18"}
    | {"blue-background": "#1c2b40"},
}
"""Colours that Streamlit derives itself."""


def theme_css() -> str:
    """Return the dashboard's colours as CSS variables, for light and dark mode."""
    config = DASHBOARD_FILES.joinpath(".streamlit", "config.toml").read_text("utf-8")
    theme = tomllib.loads(config)["theme"]
    keys = "primaryColor", "backgroundColor", "secondaryBackgroundColor", "textColor", "borderColor"
    names = {key: re.sub("[A-Z]", lambda sign: f"-{sign[0].lower()}", key) for key in keys}
    rules = {}
    for mode, signs in COLOURS.items():
        own = [f"--st-{name}: {theme[mode][key]}" for key, name in names.items()]
        own += [f"--st-{name}-color: {value}" for name, value in signs.items()]
        own += [f"--st-{name}-text-color: {signs[name]}" for name in ("red", "blue", "green")]
        rules[mode] = "; ".join(own)
    radius = f"--st-base-radius: {theme['baseRadius']}; --st-font: system-ui, sans-serif"
    return (
        f":root {{ color-scheme: light dark; {radius}; {rules['light']} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {rules['dark']} }} }}\n"
    )
