"""Players in tables, and *That is me*: whom a reader says they are, kept by the browser."""

from collections.abc import Sequence
from urllib.parse import quote, unquote

import polars as pl
import streamlit as st

from dashboard.queries import people, results
from dashboard.queries.scope import Scope
from dashboard.text.columns import Column, table_rows
from dashboard.widgets.linked import Cell, Part, player_at
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def names(frame: pl.DataFrame, game: str | None, column: str = "name") -> list[Part]:
    """The names of a frame's players (`player_no`), each a link to the figures at a game."""
    ids = answer(people.led_to, *frame["player_no"].to_list())
    return [
        Part(name, player_at(ids.get(number), game))
        for number, name in frame.select("player_no", column).rows()
    ]


def named_rows(
    columns: Sequence[Column],
    frame: pl.DataFrame,
    game: str,
    t: Translate,
    label: str = "Name",
    column: str = "name",
) -> list[dict[str, Cell]]:
    """The rows of a frame of players under some columns; what stands under `label` is a link."""
    told = zip(
        table_rows(columns, frame, t, {"game": game}), names(frame, game, column), strict=True
    )
    return [{**row, t(label): name} for row, name in told]


def with_form(frame: pl.DataFrame, which: Scope) -> pl.DataFrame:
    """A frame of players with the `form` of each, as `queries.results.form` has it."""
    found = answer(results.form, which, *frame["player_no"].to_list())
    each = [found.get(number, []) for number in frame["player_no"]]
    return frame.with_columns(form=pl.Series(each, dtype=pl.List(pl.Boolean)))


COOKIE = "retourne_me"
SAID = "me"
"""The id said on one of this session's pages; empty: it was taken back."""


def me() -> tuple[int, str, str] | None:
    """(number, id, name) of the player the reader is; None where they are nobody the store has."""
    player_id = st.session_state.get(SAID, _kept())
    found = answer(people.known, player_id) if player_id else None
    return found and (found[0], player_id, found[1])


def gone() -> str:
    """The id of the player the reader said they are, where the store has no such player (now)."""
    player_id: str = st.session_state.get(SAID, _kept())
    return player_id if player_id and not answer(people.known, player_id) else ""


def _kept() -> str:
    return unquote(str(st.context.cookies.get(COOKIE, "")))


def be(player_id: str) -> None:
    """The reader is this player from now on; nobody, where the id is empty."""
    st.session_state[SAID] = player_id


def me_button(player_id: str, t: Translate) -> None:
    """*That is me*, unless the reader has said so."""
    now = me()
    if now is None or now[1] != player_id:
        st.button(
            t("That is me"),
            icon=":material/how_to_reg:",
            key=f"me-{player_id}",
            on_click=be,
            args=(player_id,),
            type="tertiary",
        )


def keep() -> None:
    """Have the browser keep what was said in this session."""
    if SAID not in st.session_state:
        return
    player_id = st.session_state[SAID]
    age = 31_536_000 if player_id else 0
    # quoted, an id of a log has no sign that ends a cookie, a string or a script
    kept = f"{COOKIE}={quote(player_id, safe='')}; path=/; max-age={age}; SameSite=Lax"
    with st.container(key="me-kept"):
        st.html(f'<script>document.cookie = "{kept}"</script>', unsafe_allow_javascript=True)
