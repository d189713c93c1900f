"""Facts the browser reports: language, window size, address."""

from typing import Any

import streamlit as st

from dashboard.pages import PRODUCT_NAME, Page
from dashboard.queries import matches, player_search
from dashboard.store import cached_query, open_store
from dashboard.text.accept_headers import preferred
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import short_name
from ingest.findings.rulebook import rules_by_id
from ingest.i18n import LANGUAGES, Translate, translator
from ingest.store.errors import StoreError

COMPONENT_KEY = "screen"

_mount = st.components.v2.component(
    "retourne.screen",
    html="<i data-empty></i>",
    # a window has one listener: each script run replaces that of the last run
    js="""
    const windows = {
      narrow: matchMedia("(max-width: 640px)"),
      low: matchMedia("(max-height: 480px)"),
    };
    export default ({ data, parentElement, setStateValue }) => {
      for (const [name, window_] of Object.entries(windows)) {
        window_.onchange = () => {
          if (window_.matches !== data[name]) setStateValue(name, window_.matches);
        };
        window_.onchange();
      }
      if (Object.keys(windows).some((name) => windows[name].matches !== data[name])) return; // it runs again
      parentElement.querySelector("[data-empty]")?.removeAttribute("data-empty");
    };
    """,
)


def watch_viewport() -> None:
    """Have the browser report when its window differs in size from the page's assumption."""
    with st.container(key=COMPONENT_KEY + "-watch"):
        heard: Any = dict.fromkeys(("on_narrow_change", "on_low_change"), lambda: None)
        _mount(key=COMPONENT_KEY, data={"narrow": is_narrow(), "low": is_low()}, **heard)


def is_narrow() -> bool:
    """Return whether only a phone's page fits: by the window, else by the user agent."""
    result = st.session_state.get(COMPONENT_KEY, {}).get("narrow")
    return "Mobi" in st.context.headers.get("User-Agent", "") if result is None else bool(result)


def is_low() -> bool:
    """Return whether the window is too low to start with an open menu."""
    return bool(st.session_state.get(COMPONENT_KEY, {}).get("low"))


def has_folded_filters() -> bool:
    """Return whether filters fold into one button, as on a phone, upright or on its side."""
    return is_narrow() or is_low()


def page_texts() -> Translate:
    """Return the translator for this session's language."""
    chosen = st.session_state.get("lang")
    return translator(chosen if chosen in LANGUAGES else _browser_language(), "dashboard")


def _browser_language() -> str:
    """Return the language by the browser's Accept-Language, as for every response of the server."""
    accepted = st.context.headers.get("Accept-Language") or st.context.locale or ""
    return preferred(accepted, LANGUAGES, is_language=True) or LANGUAGES[0]


def language_switch() -> None:
    """Show the language switch, bound to `lang` in the address."""
    st.segmented_control(
        "Langue · Language",  # both, since a reader may know only one
        LANGUAGES,
        default=_browser_language(),
        required=True,
        key="lang",
        bind="query-params",
    )


VISIT_KEY = "visit"
"""Key of the number of the visit: it goes up as another page is shown."""


def count_visit(page: Page) -> None:
    """Count a visit if the session's last run was of another page.

    Streamlit forgets the widgets of a page at the end of the next page's run. A reader who returns before
    that end gets widgets that still have their keys, and not what was typed into them.
    """
    if st.session_state.get("visited") != page.name:
        st.session_state["visited"] = page.name
        st.session_state[VISIT_KEY] = st.session_state.get(VISIT_KEY, 0) + 1


def page_subject(page: Page, t: Translate) -> str:
    """Return the player, match or rule of the address, if stored; otherwise an empty text."""
    requested, name, named = st.query_params, page.name, ""
    try:
        if name == "joueurs" and (player := requested.get("player")):
            who = cached_query(player_search.player_by_id, player)
            named = short_name(who[1]) if who else ""
        elif name in ("relecture", "verificateur") and (match := requested.get("match")):
            number = open_store().find_match(match)
            names, game = ([], None) if number is None else cached_query(matches.players_and_game, number)
            named = opponents_text([short_name(one) for one in names], game)
        elif (
            name == "face_a_face"
            and (first := requested.get("first"))
            and (second := requested.get("second"))
        ):
            known = [cached_query(player_search.player_by_id, one) for one in (first, second)]
            names = [who[1] if who else one for who, one in zip(known, (first, second), strict=True)]
            named = " – ".join(map(short_name, names))
        elif name == "regles" and (rule := requested.get("rule", "").upper()) in rules_by_id(t.language):
            named = rule
    except StoreError:
        pass  # the page shows the reason
    return named


def page_title(page: Page, subject: str, t: Translate) -> str:
    """Return `Jean · Players · Retourne`, the title of the browser's tab."""
    return " · ".join(filter(None, (subject, t(page.title), PRODUCT_NAME)))
