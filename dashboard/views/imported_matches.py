"""The matches of an imported file, as they read before they are added."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import orjson
import polars as pl
import streamlit as st

from dashboard.games import game_titles
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import NO_VALUE, date_text, escape_markdown, format_count
from dashboard.views.imported_file import ImportedFile
from engine.games import game
from ingest.findings.finding import ERROR
from ingest.i18n import N_, Translate
from ingest.store.known_names import FOUND_BY_NAME, found_names
from ingest.validate.slow_path import validate

MAX_MATCHES_SHOWN = 12
"""First matches of a file, shown before adding."""


def show_first_matches(item: ImportedFile, t: Translate) -> None:
    """Show the first matches as they read, and the players whom the store knows by name."""
    rows, entered = [], item.entered
    for log in entered.logs[:MAX_MATCHES_SHOWN]:
        who = [one.get("name") or one["id"] for one in log["players"]]
        when = str(log.get("played_at", ""))[:10]
        rows.append(
            {
                t("Game"): game_titles()[log["game"]],
                t("Played on"): date_text(date.fromisoformat(when), t) if when else NO_VALUE,
                t("Players"): opponents_text(who, log["game"]),
                t("Deals"): format_count(len(log["deals"]), t) if log["deals"] else NO_VALUE,
                t("Result"): _result_text(log, who, t) or NO_VALUE,
            }
        )
    values = {"n": format_count(len(rows), t), "total": format_count(len(entered.logs), t)}
    all_shown = len(rows) == len(entered.logs)
    text = N_("Matches read: {total}") if all_shown else N_("The first {n} of {total} matches read:")
    st.caption(t(text, **values))
    st.dataframe(pl.DataFrame(rows), hide_index=True)
    if item.known_ids:
        st.caption(escape_markdown(t(FOUND_BY_NAME, names=found_names(item.known_ids))))


def _result_text(log: Mapping[str, Any], names: Sequence[str], t: Translate) -> str:
    """Return the score of a match that was read, declared or counted from its deals, else who won.

    While a deal has a fault, such as points that no deal has by the rules so far, nothing is counted.
    """
    declared, explained = log.get("result") or {}, validate(orjson.dumps(log))
    is_counted = all(one.severity != ERROR for one in explained.findings)
    scores = [declared.get("score"), *(reversed(explained.scores) if is_counted else ())]
    if score := next(filter(None, scores), None):
        return " – ".join(map(str, score))
    winner, sides = declared.get("winner"), game(log["game"]).side_count(len(names))
    return t("{who} wins the match", who=" + ".join(names[winner - 1 :: sides])) if winner else ""
