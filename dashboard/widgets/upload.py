"""Files on their way into the store, with a progress bar, and the uploader's own words."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import streamlit as st

from dashboard.compat import add_script_run_ctx, get_script_run_ctx
from dashboard.text.numbers import markdown, size_of
from dashboard.widgets.access import Refused, acting
from ingest.i18n import Translate
from ingest.store.add import FileReport, ingest
from ingest.store.store import Store, StoreError
from ingest.store.tokens import Role
from ingest.text.sources import LOGS


@dataclass
class Upload:
    """One upload: the report of each file."""

    reports: list[FileReport] = field(default_factory=list)
    deletion: int | None = None
    """The number of the deletion that took the upload back, None before."""

    @property
    def files(self) -> tuple[int, ...]:
        """Their numbers in the store."""
        return tuple(report.number for report in self.reports if report.number >= 0)

    @property
    def not_taken(self) -> list[str]:
        """The names of files of another kind, which were not looked into."""
        return [report.name for report in self.reports if report.number < 0]


class Made(BytesIO):
    """Logs made of a file, under its name."""

    def __init__(self, name: str, lines: bytes) -> None:
        super().__init__(lines)
        self.name, self.size = name, len(lines)


def add_files(store: Store, chosen: Sequence[Any], t: Translate) -> Upload | None:
    """Store uploaded files one after the other; None, and why, when none of them is taken."""
    try:
        with acting(Role.CONTRIBUTOR):
            return _add(store, chosen, t)
    except Refused as refused:
        st.error(refused.say(t), icon=":material/lock:")
        return None


def _add(store: Store, files: Sequence[Any], t: Translate) -> Upload | None:
    chosen = [file for file in files if isinstance(file, Made) or is_log(file.name)]
    bar = st.progress(0.0, text=t("Reading…"))
    sizes = {file.name: file.size for file in chosen}
    total = sum(file.size for file in chosen)
    done: dict[str, int] = {}
    context = get_script_run_ctx()

    def progress(name: str, count: int) -> None:
        add_script_run_ctx(threading.current_thread(), context)  # files are read in a thread
        done[name] = min(count, sizes.get(name, count))
        read = min(sum(done.values()), total)
        text = t("{done} of {total} read", done=size_of(read, t), total=size_of(total, t))
        bar.progress(read / total if total else 1.0, text=text)

    others = (file.name for file in files if file not in chosen)
    upload = Upload([FileReport(name, refused=1) for name in others])
    try:
        for report in ingest(store, [(file.name, file) for file in chosen], progress):
            upload.reports.append(report)
    except StoreError as error:
        st.error(markdown(error.say(t)), icon=":material/database_off:")
    bar.empty()
    return upload if upload.reports else None


def is_log(name: str) -> bool:
    """Whether a file's name is that of logs."""
    return name.lower().endswith(LOGS)


def uploader_words(key: str, t: Translate, many: bool = True) -> None:
    """Say the uploader's own words, which Streamlit has in English only, in the page's language."""
    choose = t("Choose files") if many else t("Choose a file")
    drop = t("or drop them here") if many else t("or drop it here")
    st.html(
        f"""<style>
        .st-key-{key} section > span button p, {EMPTY.format(key)} {{ font-size: 0; }}
        .st-key-{key} section > span button p::after {{ font-size: 0.875rem; content: "{choose}"; }}
        {EMPTY.format(key)}::after {{ font-size: 0.875rem; content: "{drop}"; }}
        </style>"""
    )


EMPTY = '.st-key-{} [data-testid="stFileUploaderDropzoneInstructions"] span'
"""What an uploader says that has no file yet; the names of files are elsewhere."""
