"""Which rules a log is checked under: its own, a preset of its game, or single options."""

from typing import Any

import streamlit as st

from dashboard.games import rules_named
from dashboard.text.labels import VALUES
from dashboard.views.verify.desk import OWN, Desk, Rules
from engine.games import names
from engine.options import Option, UnknownRule, options, presets, settings
from ingest.i18n import Translate
from ingest.judge.document import read


def chosen_rules(desk: Desk, t: Translate) -> Rules:
    """The rules the reader chooses; widgets only for a log whose game can be told."""
    document = read(desk.text)[0]
    game = document.get("game") if isinstance(document, dict) else None
    if not isinstance(game, str) or game not in names():
        return OWN
    with st.expander(t("Check under other rules"), icon=":material/gavel:"):
        own = document.get("rules")
        preset = st.selectbox(
            t("Rules"),
            list(presets(game)),
            index=None,
            format_func=lambda one: rules_named(one, t),
            placeholder=t("those of the log"),
            key=f"preset-{game}",
            width=300,
        )
        players = document.get("players")
        values = _values(game, own, preset, len(players) if isinstance(players, list) else 2)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = [(one.name, _ask(one, values[one.name], game, t)) for one in options(game)]
    return preset, tuple((name, value) for name, value in chosen if value is not None)


def _values(game: str, own: Any, preset: str | None, players: int) -> dict[str, Any]:
    """What each option is when nothing is chosen for it; a log's wrong rules count for nothing."""
    try:
        return settings(game, own if preset is None else preset, players)
    except (UnknownRule, TypeError, ValueError):
        return settings(game, preset, players)


def _ask(option: Option, value: Any, game: str, t: Translate) -> Any:
    """One option's widget; None when it stays as it is."""
    label = t(option.doc)
    label = label[:1].upper() + label[1:]
    key, help = f"option-{game}-{option.name}", f"{option.rule} · `{option.name}`"
    if option.values is None:
        return st.number_input(
            label,
            min_value=option.low,
            max_value=option.high,
            value=None,
            placeholder=str(value),
            key=key,
            help=help,
            width=300,
        )
    return st.selectbox(
        label,
        option.values,
        index=None,
        format_func=lambda one: t(VALUES.get(one, str(one))),
        placeholder=t(VALUES.get(value, str(value))),
        key=key,
        help=help,
        width=300,
    )
