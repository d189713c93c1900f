"""The editor of a draft: markup, scripts, styles and texts, for its pages with and without Streamlit."""

from importlib.resources import files
from ipaddress import ip_address
from socket import gethostname
from typing import Any
from urllib.parse import urlsplit

from dashboard.board import SCRIPT_FILES, board_style, board_texts, read_file
from dashboard.draft_match import DraftMatch, static_view
from dashboard.store import store_path
from dashboard.text.labels import opponents_text
from dashboard.text.qr_code import qr_code
from ingest.escaping import escape_line
from ingest.i18n import N_, Translate
from ingest.store import drafts
from ingest.store.server_hosts import suggested_host

ENTRY_FILES = files("dashboard").joinpath("views", "entry")
ONLY_HERE = N_(
    "This link only opens on this computer. For other devices, stop the server (Ctrl-C), then restart it: "
    "retourne serve {path!w} --host 0.0.0.0 --allowed-host {host}"
)
DRAFT_NOT_FOUND = N_("This draft does not exist: it was added to the store, or not opened for {days} days.")
MATCH_DRAFTS, SHEET_DRAFTS = "retourne.draft.", "retourne.sheet."
"""How the keys of drafts begin in the browser's storage."""


def read_entry_file(name: str) -> str:
    """Read a file of the editor."""
    return ENTRY_FILES.joinpath(name).read_text(encoding="utf-8")


def editor_html() -> str:
    """Return the editor's markup."""
    return read_entry_file("entry.html").replace("<!-- board -->", read_file("board.html"))


def editor_style() -> str:
    """Return the CSS of the editor and its board."""
    return board_style() + read_entry_file("entry.css")


def editor_script(*more: str) -> str:
    """Return the JavaScript of the board and the editor as one module; of `more` the last starts."""
    names = ("key-input", "draft-sync", "editor", *more)
    scripts = [read_file(f"js/{name}.js") for name in (*SCRIPT_FILES, "store-offline")]
    return "\n".join(scripts + [read_entry_file(f"js/{name}.js") for name in names])


def drafts_page_script() -> str:
    """Return the JavaScript of the list of drafts on a page without Streamlit."""
    names = ("js/draft-list.js", "js/drafts-page.js")
    return "\n".join([read_file("js/store-offline.js"), *map(read_entry_file, names)])


def pages_style() -> str:
    """Return the CSS of the pages without Streamlit, behind that of the board."""
    return f"{read_entry_file('entry.css')}.drafts {{\n{read_entry_file('draft-list.css')}}}\n"


def editor_data(head: dict[str, Any], secret: str, link: str, t: Translate) -> dict[str, Any]:
    """Return the data of the editor without a draft's steps; `link` opens it on another device."""
    hostname = urlsplit(link).hostname or ""
    try:
        only_here = ip_address(hostname).is_loopback
    except ValueError:
        only_here = hostname == "localhost" or hostname.endswith(".localhost")
    who = [escape_line(player.get("name") or player["id"]) for player in head["players"]]
    return static_view(DraftMatch(head), t) | {
        "secret": secret,
        "title": opponents_text(who, head["game"]),
        "address": "./entry",
        "lang": t.language,
        "link": link,
        "code": "" if only_here else qr_code(link).svg_data_uri(scale=4, border=2),
        "texts": _editor_texts(t),
        "board": board_texts(t),
    }


def draft_list_data(begins: str, count: str, t: Translate) -> dict[str, Any]:
    """Return what the list of drafts needs; the browser keeps those whose key `begins` so."""
    texts = {"heading": t("Go on with a draft"), "go-on": t("Go on"), "forget": t("Forget"), "count": count}
    return {"begins": begins, "lang": t.language, "days": drafts.DRAFT_LIFETIME.days, "texts": texts}


def _editor_texts(t: Translate) -> dict[str, str]:
    """Return the editor's own texts; the server's answers bring the rest."""
    return {
        "opening": t("…"),
        "undo": t("Undo"),
        "hands": t("Hands"),
        "hand": t("The hand of {who}"),
        "hand-done": t("Hand recorded"),
        "share": t("Another device"),
        "share-text": t("Anyone with this link can continue the draft; Retourne stores it for 90 days."),
        "only-here": t(ONLY_HERE, path=store_path(), host=suggested_host(gethostname())),
        "code": t("The link as a QR code"),
        "board": t("Board"),
        "help": t("Keys"),
        "more": t("More actions"),
        "finish": t("Finish"),
        "unknown": t("Unknown"),
        "insist": t("Note it all the same"),
        "leave-out": t("Leave it out"),
        "behind": t("Typed after it, and waiting: {n}."),
        "offline": t("No connection. Actions that wait for it: {n}."),
        "lost": t("Not recognised: {typed}"),
        "elsewhere": t("Another device has changed this draft in the meantime."),
        "theirs": t("Go on from there"),
        "mine": t("Keep this version"),
        "again": t("Try again"),
        "wrong": t("The server did not understand that."),
        "wrong-401": t("Adding matches needs a token. Ask the admin of this store for one."),
        "wrong-403": t("Adding matches needs a token. Ask the admin of this store for one."),
        "wrong-404": t("This draft no longer exists."),
        "wrong-503": t("The store cannot be opened."),
    }
