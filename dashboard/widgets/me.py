"""*That is me*: whom a reader says they are, kept by the browser and told to nobody else."""

from urllib.parse import quote, unquote

import streamlit as st

from dashboard.queries import people
from dashboard.widgets.store import answer
from ingest.i18n import Translate

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
