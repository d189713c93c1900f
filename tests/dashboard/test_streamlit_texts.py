"""The texts that are translated for Streamlit are still those it has."""

import re
from functools import cache

from dashboard.compat import STREAMLIT_STATIC
from dashboard.widgets.streamlit_texts import OTHER_NAMES, PATTERNS, STREAMLIT_TEXTS


@cache
def bundle() -> str:
    """All scripts of Streamlit's frontend."""
    return "\n".join(
        file.read_text(encoding="utf-8") for file in (STREAMLIT_STATIC / "static/js").glob("*.js")
    )


def parts(text: str) -> list[str]:
    """What a script writes of a text; the key and what it does are inserted."""
    text = re.sub("^Press (Ctrl|⌘)", "Press {x}", text)
    text = re.sub("(?<=Enter to )(apply|submit form)$", "{x}", text)
    return [one for one in text.split("{x}") if one]


def test_streamlit_has_every_text_that_is_translated() -> None:
    texts = (*OTHER_NAMES, *STREAMLIT_TEXTS, *PATTERNS)
    assert [one for one in texts if not all(part in bundle() for part in parts(one))] == []
    assert "Press Enter to ${" in bundle()
    assert "`submit form`:`apply`" in bundle()
