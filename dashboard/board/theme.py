"""The theme of the dashboard, light and dark, for pages that Streamlit does not write."""

import re
import tomllib
from importlib.resources import files

DASHBOARD_FILES = files("dashboard")

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
