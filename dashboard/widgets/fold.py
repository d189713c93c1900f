"""What a telephone shows on a tap: the filters."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from dashboard.text.language import markdown
from dashboard.text.numbers import short
from dashboard.widgets import screen
from ingest.i18n import Translate


@contextmanager
def folded(t: Translate, keys: Sequence[str], first: str = "") -> Iterator[None]:
    """Filters side by side; on a telephone in one button, which says what is set.

    `keys`: how those of the address begin that are filters here. `first`: what the first of them
    is where the address does not say.
    """
    asked = _asked(keys)
    told = [short(one) for key in asked for one in st.query_params.get_all(key)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if screen.narrow():
            said = [first] * (bool(first) and keys[0] not in asked) + told
            label = markdown(" · ".join([t("Filters"), *said]))
            with st.popover(label, icon=":material/tune:", key="filters"):
                yield
        else:
            with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
                yield
        if asked := _asked(keys):  # a filter knows by now whether what the address says is one
            st.button(
                t("Clear"),
                icon=":material/filter_alt_off:",
                type="tertiary",
                help=t("Clear the filters"),
                key="clear-filters",
                on_click=_clear,
                args=(asked,),
            )


def _asked(keys: Sequence[str]) -> list[str]:
    """The keys of the address that are filters which are set."""
    return [key for key in st.query_params if key.partition("-")[0] in keys and not _empty(key)]


def _empty(key: str) -> bool:
    """Whether a filter was just cleared, which the address does not say yet."""
    return key in st.session_state and st.session_state[key] in (None, [])


def _clear(keys: Iterable[str]) -> None:
    for key in keys:
        st.session_state[key] = [] if isinstance(st.session_state.get(key), list) else None
