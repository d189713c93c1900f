"""Texts of logs where Streamlit reads Markdown; no Streamlit."""


def markdown(text: object) -> str:
    """Text of a log, safe where Streamlit would read Markdown: every special sign escaped."""
    return "".join(
        f"\\{sign}" if sign in r"\`*_{}[]()<>#+-.!|~$:@/" else sign for sign in str(text)
    )
