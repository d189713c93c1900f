"""Whether the reader's window is a telephone's, which the browser alone knows."""

import streamlit as st

KEY = "screen"

_mount = st.components.v2.component(
    "retourne.screen",
    # the one listener of a window: each run of the script puts its own in place of the last one's
    js="""
    const window_ = matchMedia("(max-width: 640px)");
    export default ({ data, setStateValue }) => {
      window_.onchange = () => {
        if (window_.matches !== data.narrow) setStateValue("narrow", window_.matches);
      };
      window_.onchange();
    };
    """,
)


def watch() -> None:
    """Have the browser say when its window is not as wide as the page takes it to be."""
    with st.container(key=KEY + "-watch"):
        _mount(key=KEY, data={"narrow": narrow()}, on_narrow_change=lambda: None)


def narrow() -> bool:
    """Whether there is room for a telephone's page only: as the window says, else the browser."""
    said = st.session_state.get(KEY, {}).get("narrow")
    return "Mobi" in st.context.headers.get("User-Agent", "") if said is None else bool(said)
