"""What the browser reports: language, window size, address."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.pages import PRODUCT_NAME, Page
from dashboard.queries import matches, player_search
from dashboard.store import cached_query, open_store
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import short_name
from ingest.findings.rulebook import rules_by_id
from ingest.i18n import LANGUAGES, N_, Translate, choose_language, translator
from ingest.store.errors import StoreError

COMPONENT_KEY = "screen"

_mount = st.components.v2.component(
    "retourne.screen",
    # the one listener of a window: each run of the script puts its own in place of the last one's
    js="""
    const windows = {
      narrow: matchMedia("(max-width: 640px)"),
      low: matchMedia("(max-height: 480px)"),
    };
    export default ({ data, setStateValue }) => {
      for (const [name, window_] of Object.entries(windows)) {
        window_.onchange = () => {
          if (window_.matches !== data[name]) setStateValue(name, window_.matches);
        };
        window_.onchange();
      }
    };
    """,
)


def watch_viewport() -> None:
    """Have the browser say when its window is not as wide as the page takes it to be."""
    with st.container(key=COMPONENT_KEY + "-watch"):
        heard: Any = dict.fromkeys(("on_narrow_change", "on_low_change"), lambda: None)
        _mount(key=COMPONENT_KEY, data={"narrow": is_narrow(), "low": is_low()}, **heard)


def is_narrow() -> bool:
    """Whether there is room for a telephone's page only: as the window says, else the browser."""
    said = st.session_state.get(COMPONENT_KEY, {}).get("narrow")
    return "Mobi" in st.context.headers.get("User-Agent", "") if said is None else bool(said)


def is_low() -> bool:
    """Whether the menu would take the room beside it that such a window lacks below."""
    return bool(st.session_state.get(COMPONENT_KEY, {}).get("low"))


LANGUAGE_SCRIPT = Path(__file__).with_name("language.js")
STREAMLIT_NAMES = {
    "Sidebar": N_("Menu"),
    "Collapse sidebar": N_("Close the menu"),
    "Expand sidebar": N_("Open the menu"),
    "Navigate to home page": N_("Home page"),
    "Link to heading": N_("Link to this heading"),
    "file upload": N_("Files"),
    "Skip to main content": N_("Skip to the content"),
}
"""What Streamlit calls its own buttons for who hears a page, and what we call them."""


def page_texts() -> Translate:
    """The texts of this page in this session's language."""
    chosen = st.session_state.get("lang")
    return translator(
        chosen if chosen in LANGUAGES else choose_language(st.context.locale), "dashboard"
    )


def language_switch() -> None:
    """The language switch; its choice is the address's `lang`."""
    st.segmented_control(
        "Langue · Language",  # for those who read only the other one
        LANGUAGES,
        default=choose_language(st.context.locale),
        required=True,
        key="lang",
        bind="query-params",
    )


def set_page_language(t: Translate) -> None:
    """Tell the browser the page's language: Streamlit's own page says English to screen readers.

    So do the names of its own buttons, which are put into the reader's language.
    """
    french = translator("fr", "dashboard")
    # either of them may stand there, since the language can be changed
    named = {
        said: t(text) for own, text in STREAMLIT_NAMES.items() for said in (own, text, french(text))
    }
    script = LANGUAGE_SCRIPT.read_text(encoding="utf-8")
    with st.container(key="language"):
        choose = [t("Choose files"), t("Choose a file")]
        known = {"language": t.language, "names": named, "choose": choose}
        told = f"const {{ language, names, choose }} = {json.dumps(known)};"
        st.html(f"<script>{{ {told} {script} }}</script>", unsafe_allow_javascript=True)


def page_title(page: Page, t: Translate) -> str:
    """`Jean · Players · Retourne`, with whom or what the address names, if the store knows it."""
    asked, name, named = st.query_params, page.name, ""
    try:
        if name == "joueurs" and (player := asked.get("player")):
            who = cached_query(player_search.player_by_id, player)
            named = short_name(who[1]) if who else ""
        elif name in ("relecture", "verificateur") and (match := asked.get("match")):
            number = open_store().find_match(match)
            names, game = (
                ([], None) if number is None else cached_query(matches.players_and_game, number)
            )
            named = opponents_text([short_name(one) for one in names], game)
        elif name == "face_a_face" and (one := asked.get("one")) and (other := asked.get("other")):
            named = f"{short_name(one)} – {short_name(other)}"
        elif name == "regles" and (rule := asked.get("rule", "").upper()) in rules_by_id(
            t.language
        ):
            named = rule
    except StoreError:
        pass  # the page says why
    return " · ".join(filter(None, (named, t(page.title), PRODUCT_NAME)))
