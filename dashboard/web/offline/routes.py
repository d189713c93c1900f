"""Routes of the page of a draft without Streamlit, the service worker and the manifest."""

from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dashboard import draft_editor as editor
from dashboard.api.content_negotiation import response_texts
from dashboard.base_path import browser_path
from dashboard.pages import PRODUCT_NAME
from dashboard.store import open_store, retry_on_reopen
from dashboard.web.auth_middleware import DRAFT_PATH, MANIFEST_PATH, WORKER_PATH
from dashboard.web.html_pages import home_link, html_page
from dashboard.web.replay.replay_page import (
    NOINDEX_META,
    board_document,
    content_security_policy,
    product_link,
)
from dashboard.web.replay.replay_urls import assets_by_name
from ingest.i18n import LANGUAGES, Translate
from ingest.store import drafts
from ingest.store.errors import StoreError

WORKER = Path(__file__).with_name("worker.js").read_text(encoding="utf-8")
REVALIDATED = {"Cache-Control": "public, no-cache"}


def manifest() -> dict[str, Any]:
    """Return the web app manifest, by which a browser installs the list of drafts as an app."""
    icons = [
        {"src": browser_path("/app/static/icon.png"), "sizes": "192x192", "type": "image/png"},
        {"src": browser_path("/app/static/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
    ]
    about = {"name": PRODUCT_NAME, "short_name": PRODUCT_NAME, "display": "standalone", "icons": icons}
    return about | {"start_url": browser_path(DRAFT_PATH), "scope": browser_path("/")}


async def send_manifest(request: Request) -> Response:
    """Send the manifest."""
    return Response(orjson.dumps(manifest()), headers=REVALIDATED, media_type="application/manifest+json")


async def send_worker(request: Request) -> Response:
    """Send the service worker."""
    return Response(WORKER, headers=REVALIDATED, media_type="text/javascript")


async def show_draft(request: Request) -> Response:
    """Show a draft for typing; without `?draft=`, the list of the browser's drafts."""
    t = response_texts(request, LANGUAGES[0])
    site = f"{request.url.scheme}://{request.headers.get('host', '').lower()}"
    secret = request.query_params.get("draft", "")
    try:
        text = await run_in_threadpool(retry_on_reopen, partial(_page, secret, site, t))
    except StoreError:
        return html_page(t, 503, t("In a moment"), t("The store cannot be opened."), markup=home_link(t))
    if text is None:
        absent = t(editor.DRAFT_NOT_FOUND, days=drafts.DRAFT_LIFETIME.days)
        return html_page(t, 404, t("Not here"), absent, markup=home_link(t))
    policy = f"{content_security_policy(False)}; manifest-src 'self'; worker-src 'self'"
    return HTMLResponse(text, headers={"Content-Security-Policy": policy})


def _page(secret: str, site: str, t: Translate) -> str | None:
    """Return a draft's page, or that of the list; None: there is no such draft."""
    whole = browser_path("/saisir")
    root = {"root": browser_path("/")}
    if not secret:
        data = editor.draft_list_data(editor.MATCH_DRAFTS, t("entries {n}"), t) | root
        title, script = t("Go on with a draft"), "drafts-page.js"
        body, onward = '<main class="drafts">{}<p></p><ul></ul></main>', t("Type another match in")
    else:
        if (draft := drafts.read_draft(open_store(), secret)) is None:
            return None
        whole += "?" + urlencode({"draft": secret, "lang": t.language})
        data = editor.editor_data(draft.head, secret, site + whole, t) | root | {"whole": whole}
        title, script = data["title"], "entry-page.js"
        body, onward = "<main>{}" + editor.editor_html() + "</main>", t("Full page")
    head = f'{NOINDEX_META}\n<link rel="stylesheet" href="{assets_by_name()["entry.css"].url_path}">'
    head += f'\n<link rel="manifest" href="{browser_path(MANIFEST_PATH)}">'
    body = body.replace("{}", f"<h1>{escape(title)}</h1>", 1)
    body += f'\n<nav class="onward">{product_link()}<a href="{escape(whole)}">{escape(onward)}</a></nav>'
    return board_document(title, script, head, body, data, t)


ROUTES = [Route(WORKER_PATH, send_worker), Route(MANIFEST_PATH, send_manifest), Route(DRAFT_PATH, show_draft)]
