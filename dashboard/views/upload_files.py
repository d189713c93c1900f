"""Files of the page Add matches: those of archives, and a note that is pasted."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import streamlit as st

from engine.games import game, game_names, game_title
from ingest.i18n import N_, Translate
from ingest.importers.files_in_archives import files_in_archive
from ingest.importers.import_file import is_importable

PASTE_TITLE = N_("Paste a note or a chat")
PASTED_EXAMPLE = N_("{game}, 12 April 2026, Lucie beats Marcel 3-1")
MAX_PASTED_CHARS = 100_000


class NamedBytes(BytesIO):
    """A file of an archive, or a text that was pasted."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(data)
        self.name, self.size = name, len(data)


class ImportedLogs(NamedBytes):
    """Logs imported from a file, under its name."""


def sort_files(files: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Sort files, and those of archives, into those to convert to logs and all others."""
    papers, others = list[Any](), list[Any]()
    for file in files:
        packed = files_in_archive(file.name, file)
        if packed is None:
            (papers if is_importable(file.name) else others).append(file)
            continue
        papers += [NamedBytes(f"{file.name}/{name}", data) for name, data in packed.papers]
        others += [NamedBytes(f"{file.name}/{name}", b"") for name in packed.others]
        others += [file] if packed.has_logs else []
    return papers, others


def show_paste_box(t: Translate) -> str:
    """Show a box for a note or a chat; return its text once it is sent."""
    box = st.expander(t(PASTE_TITLE), icon=":material/content_paste:")
    with box, st.form("paste-form", clear_on_submit=True, border=False):
        of_two = next(name for name in game_names() if 2 in game(name).players)
        label, example = t("The text of the note"), t(PASTED_EXAMPLE, game=game_title(of_two))
        text = st.text_area(label, key="pasted", height=160, placeholder=example, max_chars=MAX_PASTED_CHARS)
        sent = st.form_submit_button(t("Read the note"), icon=":material/visibility:")
    return (text or "") if sent and (text or "").strip() else ""
