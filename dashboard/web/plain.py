"""Pages of a few sentences, which the server answers itself: no Streamlit, nothing loaded."""

import base64
import hashlib
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from dashboard.pages import PRODUCT
from ingest.i18n import N_, Translate

BY_ITSELF = N_("This page comes by itself as soon as it can.")
HERE = Path(__file__).parent
STYLE = (HERE / "plain.css").read_text(encoding="utf-8")


def page(
    t: Translate, status: int, title: str, *sentences: str, more: str = "", run: str = ""
) -> HTMLResponse:
    """A page; `more` is markup of ours, `run` a script of ours."""
    told = "".join(f"<p>{escape(one)}</p>" for one in sentences)
    script = f"<script>{run}</script>" if run else ""
    policy = {
        "default-src": "'none'",
        "style-src": f"'{_hash(STYLE)}'",
        "script-src": f"'{_hash(run)}'" if run else "'none'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    return HTMLResponse(
        f"""<!doctype html>
<html lang="{t.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>{escape(title)} · {PRODUCT}</title><style>{STYLE}</style></head>
<body><main><p class="product">{PRODUCT}</p>
<h1>{escape(title)}</h1>{told}{more}</main>{script}</body>
</html>
""",
        status,
        {
            "Content-Security-Policy": "; ".join(f"{key} {of}" for key, of in policy.items()),
            "Cache-Control": "no-store",
        },
    )


def later(
    t: Translate, status: int, title: str, said: str, wait: str, more: str = ""
) -> HTMLResponse:
    """A page that the reader waits for and need not ask for again; `wait` in seconds."""
    answer = page(t, status, title, said, t(BY_ITSELF), more=again(t) + more)
    answer.headers.update({"Refresh": wait, "Retry-After": wait})
    return answer


def again(t: Translate) -> str:
    """A link to the same address, as markup."""
    return f'<p><a href="">{escape(t("Try again"))}</a></p>'


def home(t: Translate) -> str:
    """A link to the first page, as markup."""
    return f'<p><a href="/">{escape(t("Home"))}</a></p>'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
