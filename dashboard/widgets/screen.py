"""What the reader's window has room for, which the browser alone knows."""

import streamlit as st

KEY = "screen"

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


def watch() -> None:
    """Have the browser say when its window is not as wide as the page takes it to be."""
    with st.container(key=KEY + "-watch"):
        _mount(
            key=KEY,
            data={"narrow": narrow(), "low": low()},
            on_narrow_change=lambda: None,
            on_low_change=lambda: None,
        )


def narrow() -> bool:
    """Whether there is room for a telephone's page only: as the window says, else the browser."""
    return _said("narrow", "Mobi" in st.context.headers.get("User-Agent", ""))


def low() -> bool:
    """Whether the menu would take the room beside it that such a window lacks below."""
    return _said("low", False)


def _said(name: str, guess: bool) -> bool:
    said = st.session_state.get(KEY, {}).get(name)
    return guess if said is None else bool(said)
