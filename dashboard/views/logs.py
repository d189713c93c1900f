"""What a log is, samples of one, and the ways to make one."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import streamlit as st

from dashboard.games import titles
from dashboard.widgets.links import CHECK
from ingest.entry.headings import NAME, WORKBOOK, xlsx_template
from ingest.entry.reading import KINDS
from ingest.i18n import Translate, translator
from ingest.text.sources import LOGS

DATA = files("data")
SCHEMA = DATA.joinpath("schema", "match.schema.json")


def what_a_log_is(t: Translate) -> None:
    """In two sentences, with the kinds of files that are taken."""
    st.markdown(
        t(
            "A log is what a referee could write down of a match: who sat where, "
            "how the cards lay, and what each player did, one action after "
            "another. It is a text in JSON; files end in {endings}. Score sheets "
            "and notes, in {others}, are made into logs.",
            endings=", ".join(f"`{one}`" for one in LOGS),
            others=", ".join(f"`{one}`" for one in KINDS),
        )
    )


def ways_to_make_one(t: Translate) -> None:
    """Samples to begin with, the page that checks what is typed, the schema for programs."""
    st.header(t("How to make a log"))
    typed, sheets, programs = st.columns(3)
    with typed, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**By hand.** Download a sample, put your players, cards and actions "
                "in place of those in it, and paste it into the validator: it says "
                "what is wrong as you go."
            )
        )
        with st.container(horizontal=True):
            for title, sample in samples().items():
                label = t("Sample: {game} (JSON)", game=title)
                _download(sample, label, "application/json")
        st.page_link(CHECK, label=t("To the validator"), icon=":material/rule:")
    with sheets, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**From a score sheet.** Download a sheet, fill in a line a deal, and drop it "
                "here: you see the log before it is added. Notes in a text file are read as well."
            )
        )
        with st.container(horizontal=True):
            for game, title in titles().items():
                st.download_button(
                    t("Score sheet: {game} (.xlsx)", game=title),
                    _template(game, t.language),
                    f"{NAME.format(game=game, language=t.language)}.xlsx",
                    WORKBOOK,
                    icon=":material/download:",
                    on_click="ignore",
                    key=f"template-{game}",
                )
    with programs, st.container(border=True, height="stretch"):
        st.markdown(
            t(
                "**From a program.** A playing site or a score sheet writes one log a match, many "
                "in a `.jsonl`, a line each; the schema says every key. `retourne ingest` adds "
                "whole folders."
            )
        )
        _download(SCHEMA, t("The schema (JSON)"), "application/schema+json")


@cache
def _template(game: str, language: str) -> bytes:
    return xlsx_template(game, translator(language))


def samples() -> dict[str, Traversable]:
    """A short log of each game that has one: what the game is called → the file."""
    found = {}
    for name, title in titles().items():
        files_of = (DATA.joinpath(f"{kind}{name}.json") for kind in ("match-", ""))
        if sample := next((one for one in files_of if one.is_file()), None):
            found[title] = sample
    return found


def _download(file: Traversable, label: str, mime: str) -> None:
    st.download_button(
        label,
        file.read_bytes(),
        file.name,
        mime,
        icon=":material/download:",
        on_click="ignore",
        key=f"download-{file.name}",
    )
