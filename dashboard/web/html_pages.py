"""Short HTML pages without Streamlit, which load nothing but their icon: messages and refusals."""

from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from dashboard.base_path import browser_path
from dashboard.board.html_file import csp_hash
from dashboard.pages import PRODUCT_NAME
from ingest.i18n import N_, Translate

RELOADS_ITSELF = N_("This page opens automatically as soon as it is ready.")
PAGE_STYLE = (Path(__file__).parent / "html_pages.css").read_text(encoding="utf-8")


def html_page(
    t: Translate, status: int, title: str, *sentences: str, markup: str = "", run: str = ""
) -> HTMLResponse:
    """Return a page; `markup` and `run` (a script) are trusted and not escaped."""
    text = "".join(f"<p>{escape(one)}</p>" for one in sentences)
    script = f"<script>{run}</script>" if run else ""
    runs = f"'{csp_hash(run)}'" if run else "'none'"
    policy = (
        f"default-src 'none'; img-src 'self'; style-src '{csp_hash(PAGE_STYLE)}'; script-src {runs}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(
        f"""<!doctype html>
<html lang="{t.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><link rel="icon" href="{browser_path("/app/static/icon.png")}">
<title>{escape(title)} · {PRODUCT_NAME}</title><style>{PAGE_STYLE}</style></head>
<body><main><p class="product">{PRODUCT_NAME}</p>
<h1>{escape(title)}</h1>{text}{markup}</main>{script}</body>
</html>
""",
        status,
        {"Content-Security-Policy": policy, "Cache-Control": "no-store"},
    )


def retry_page(t: Translate, status: int, title: str, text: str, wait: str, markup: str = "") -> HTMLResponse:
    """Return a page that reloads itself after `wait` seconds."""
    again = f'<p><a href="">{escape(t("Try again"))}</a></p>'
    answer = html_page(t, status, title, text, t(RELOADS_ITSELF), markup=again + markup)
    answer.headers.update({"Refresh": wait, "Retry-After": wait})
    return answer


def home_link(t: Translate) -> str:
    """Return a link to the home page, as markup."""
    return f'<p><a href="{browser_path("/")}">{escape(t("Home"))}</a></p>'
