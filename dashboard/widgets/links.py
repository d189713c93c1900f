"""Links that several pages have, and what a page says that has nothing to show yet."""

from collections.abc import Mapping
from typing import Any, Never
from urllib.parse import urlencode

import streamlit as st

from dashboard.games import of, titles
from dashboard.text.labels import has_won, sides
from dashboard.widgets.linked import Part, To
from ingest.i18n import Translate

REPLAY = "app_pages/relecture.py"
CHECK = "app_pages/verificateur.py"
PLAYERS = "app_pages/joueurs.py"


def find_link(t: Translate, player_id: str = "", among_links: bool = False) -> None:
    """A link to positions of the store, or of a player's games, of which a card is to be found."""
    query = urlencode(({"player": player_id} if player_id else {}) | {"lang": t.language})
    st.link_button(
        t("Find the card"),
        f"/r/trouver?{query}",
        icon=":material/quiz:",
        type="tertiary" if among_links else "secondary",
        help=t("A position where the winner turned: which card would have held it?"),
    )


def nothing_yet(text: str, icon: str, t: Translate) -> Never:
    """Say that there is nothing to show, link to where files are added, and end the page."""
    st.info(text, icon=icon)
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()


def player_link(player_id: str, game: str, t: Translate, label: str = "") -> None:
    """A link to a player's figures at a game; `label`: the player's name as Markdown."""
    st.page_link(
        PLAYERS,
        label=label or t("Figures of this player"),
        icon=":material/groups:",
        help=t("Figures of this player") if label else None,
        query_params={"player": player_id, "game": of(game).TITLE},
    )


def player_at(player_id: str | None, game: str | None) -> To | None:
    """Where a player's figures stand, at a game that is registered; None of nobody one may read."""
    if player_id is None:
        return None
    title = titles().get(game or "")
    return To("joueurs", {"player": player_id} | ({"game": title} if title else {}))


def at_table(row: Mapping[str, Any]) -> list[Part]:
    """Who plays whom, each name a link; those of the `winner`, where a row has one, stand out.

    `row` has the `names` and `ids` of `queries.people.seated`, and the `game`.
    """
    names, ids, known = row["names"] or [], row["ids"] or [], row["game"]
    winner, parts = row.get("winner") or 0, list[Part]()
    for side in sides(len(names), known):
        for place in side:
            sign = (" – " if place == side[0] else " + ") if parts else ""
            won = bool(winner) and has_won(place, winner, len(names), known)
            parts += [Part(sign)] * bool(sign)
            parts.append(Part(names[place], player_at(ids[place], known), won))
    return parts


def check_link(label: str, address: Mapping[str, str]) -> None:
    """A link to a stored match in the validator; `address` has its id."""
    st.page_link(CHECK, label=label, icon=":material/rule:", query_params=dict(address))
