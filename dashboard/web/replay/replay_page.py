"""Renders the replay page, its link preview and its plain list of actions."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import orjson
from starlette.datastructures import QueryParams

from dashboard.api.json_encoding import without_infinities
from dashboard.api.problems import Problem
from dashboard.base_path import browser_path
from dashboard.board import read_file
from dashboard.board.header import match_summary
from dashboard.pages import PRODUCT_NAME
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import short_name
from dashboard.web.replay.replay_urls import (
    ReplayUrl,
    StoredMatch,
    assets_by_name,
    board_context,
    deal_json,
    find_match,
    language_of,
    parse_path,
    rules_of,
    validated_match,
)
from engine.games import game
from ingest.escaping import escape_line, to_escaped_json
from ingest.i18n import LANGUAGES, N_, Translate, translator

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'{compiles}; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
)
NOINDEX_META = '<meta name="robots" content="noindex">'
"""Meta tag of pages without a link preview."""
MAX_DESCRIPTION_CHARS = 300
"""Characters of a description; messengers show fewer."""


EMBED_SIZE = 900, 640
"""Size of an embedded replay in pixels, unless the request gives one."""
OEMBED_URL_MISSING = N_("Give the address of a replay of this store: url=…")
LANGUAGE_NAMES = {"fr": "Français", "en": "English"}
NOT_LOADED = N_(
    "The files of this page did not load. If a proxy serves Retourne below a path, the administrator "
    "restarts it with --base-path and that path."
)
"""Shown unless the style sheet hides it: the address of the files is wrong below an unknown path."""


class Caption(NamedTuple):
    """A position in words, for the page's head and its picture."""

    match: str
    """The players."""
    title: str
    about: str
    text: str


def content_security_policy(framed: bool, wasm: bool = False) -> str:
    """Return the page's Content-Security-Policy.

    `framed`: other sites may show it in a frame; `wasm`: its script compiles WebAssembly.
    """
    compiles = " 'wasm-unsafe-eval'" if wasm else ""
    return CONTENT_SECURITY_POLICY.format(compiles=compiles) + ("*" if framed else "'none'")


def position_caption(match: StoredMatch, url: ReplayUrl, states: dict[str, Any], t: Translate) -> Caption:
    """Return the caption of a position."""
    log = validated_match(match)
    names = [short_name(escape_line(one.display_name)) for one in log.known_match.players]
    state = states["plies"][url.ply]
    message = " · ".join(filter(None, [state["text"], state["trick_reason"], *state["also"]]))
    called = opponents_text(names, log.known_match.game)
    title = f"{called} · {t('Deal {n}', n=url.deal)}"
    return Caption(called, title, " · ".join(match_summary(log, t)), message)


def position_page(match: StoredMatch, url: ReplayUrl, states: dict[str, Any], t: Translate) -> str:
    """Return the page as HTML; `states` is the board's data of the deal."""
    result = position_caption(match, url, states, t)
    more: dict[str, Any] = {"ply": url.ply, "called": result.match, "product": PRODUCT_NAME}
    more |= {"about": result.about, "longest": MAX_DESCRIPTION_CHARS}
    more["stored"] = not url.embed
    if not url.embed and (rules := rules_of(match, t)) is not None:
        more["rules"] = rules._asdict() | {"log": orjson.loads(match.text)}
    data = states | board_context(match, t, with_player_links=not url.embed) | more
    body = f"""<main><h1>{escape(result.title)}</h1>{read_file("board.html")}
<noscript>{_plain_list(match, url, data, result, t)}</noscript></main>
{_footer_html(match, url, t)}"""
    return board_document(result.title, "board.js", _head_html(match, url, result, t), body, data, t)


def board_document(title: str, script: str, head: str, body: str, data: dict[str, Any], t: Translate) -> str:
    """Return a page with a board that `script` starts; `head` and `body` are trusted markup."""
    # escape `<`, so that no text of a log can close the script element
    message = to_escaped_json(without_infinities(data)).replace("<", "\\u003c")
    files = {name: assets_by_name()[name].url_path for name in (script, "board.css", "no-script.css")}
    return f"""<!DOCTYPE html>
<html lang="{t.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · {PRODUCT_NAME}</title>
<link rel="stylesheet" href="{files["board.css"]}">
<noscript><link rel="stylesheet" href="{files["no-script.css"]}"></noscript>
<link rel="icon" href="{assets_by_name()["icon.png"].url_path}">
{head}
<script type="module" src="{files[script]}"></script>
</head>
<body>
<p class="not-loaded">{escape(t(NOT_LOADED))}</p>
{body}
<script type="application/json" id="replay">{message}</script>
</body>
</html>
"""


def _head_html(match: StoredMatch, url: ReplayUrl, caption: Caption, t: Translate) -> str:
    """Return Open Graph and Twitter tags, links to other languages, and the oEmbed link."""
    here = url.url_for(match.id)
    description = " · ".join(filter(None, (caption.about, caption.text)))[:MAX_DESCRIPTION_CHARS]
    picture = f"{here}.png?lang={t.language}"
    graph = {
        "og:type": "website",
        "og:site_name": PRODUCT_NAME,
        "og:title": caption.title,
        "og:description": description,
        "og:url": here,
        "og:locale": {"fr": "fr_FR"}.get(t.language, "en_GB"),
        "og:image": picture,
        "og:image:type": "image/png",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{caption.title} · {caption.text}",
    }
    named = {"description": description, "robots": "noindex", "twitter:card": "summary_large_image"}
    lines = [f'<meta property="{key}" content="{escape(text)}">' for key, text in graph.items()]
    lines += [f'<meta name="{key}" content="{escape(text)}">' for key, text in named.items()]
    lines.append(f'<link rel="canonical" href="{escape(here)}">')
    for code, at in (*((one, f"{here}?lang={one}") for one in LANGUAGES), ("x-default", here)):
        lines.append(f'<link rel="alternate" hreflang="{code}" href="{escape(at)}">')
    requested = f"{here}?lang={url.lang}" if url.lang else here
    oembed_url = escape(f"{url.base_url}/oembed?format=json&url={quote(requested, safe='')}")
    kind = 'rel="alternate" type="application/json+oembed"'
    return "\n".join([*lines, f'<link {kind} href="{oembed_url}" title="{escape(caption.title)}">'])


def _footer_html(match: StoredMatch, url: ReplayUrl, t: Translate) -> str:
    """Return the links below the board; in a frame only the one to the whole page.

    The page's script adds the current position to each link (`data-to`).
    """

    def link(to: str, text: str, more: str = "") -> str:
        href = to.format(deal=url.deal, ply=url.ply)
        return f'<a href="{href}" data-to="{to}"{more}>{escape(text)}</a>'

    at = browser_path(f"/r/{match.id}/{{deal}}/{{ply}}")
    if url.embed:
        framed = ' class="product" target="_blank" rel="noopener"'
        product = t("Open in {product}", product=PRODUCT_NAME)
        return f'<nav class="onward">{link(f"{at}?lang={t.language}", product, framed)}</nav>'
    full = browser_path(f"/relecture?match={match.id}&amp;deal={{deal}}&amp;ply={{ply}}")
    full += f"&amp;lang={t.language}"
    [other] = (code for code in LANGUAGES if code != t.language)
    has_suits = len(game(validated_match(match).known_match.game).pack) > 0
    links = (
        link(f"{at}/suite?lang={t.language}", t("Play on from here")),
        *([link(f"{at}/chercher?lang={t.language}", t("Search from here"))] if has_suits else []),
        link(full, t("Full page")),
        link(f"{at}?lang={other}", LANGUAGE_NAMES[other], f' hreflang="{other}" lang="{other}"'),
    )
    return f'<nav class="onward">{product_link()}{"".join(links)}</nav>'


def product_link() -> str:
    """Return the link to the first page, under the product's name."""
    return f'<a class="product" href="{browser_path("/")}">{PRODUCT_NAME}</a>'


def language_link(at: str, query: str, t: Translate) -> str:
    """Return a link to the same page in the other language."""
    [other] = (code for code in LANGUAGES if code != t.language)
    href = escape(f"{at}?{query}&lang={other}" if query else f"{at}?lang={other}")
    return f'<a href="{href}" hreflang="{other}" lang="{other}">{LANGUAGE_NAMES[other]}</a>'


def _plain_list(
    match: StoredMatch, url: ReplayUrl, data: dict[str, Any], caption: Caption, t: Translate
) -> str:
    """Return the position for readers without scripts: picture, lists, and links."""
    state = data["plies"][url.ply]
    rows = [escape(caption.about), escape(caption.text)]
    seats = zip(data["seats"], data["head"]["players"], state["seats"], strict=True)
    for seat, player, now in seats:
        points = [] if now["points"] is None else [f"{t('Points')} {now['points']}"]
        name, href = escape(seat["name"]), player["href"]
        linked = f'<a href="{escape(href)}">{name}</a>' if href else name
        rows.append(linked + colon_text(t) + escape(" · ".join([*spoken_cards(now["hand"], data), *points])))
    rows += map(escape, [*table_cards_text(state, data, t), *deal_facts_text(state, t)])
    other = (
        (t("Previous deal"), url.deal - 1, 0, url.deal > 1),
        (t("Back (←)"), url.deal, url.ply - 1, url.ply > 0),
        (t("Forward (→)"), url.deal, url.ply + 1, url.ply < len(data["plies"]) - 1),
        (t("Next deal"), url.deal + 1, 0, url.deal < len(validated_match(match).replays)),
    )
    embed, at = "&amp;embed" if url.embed else "", browser_path(f"/r/{match.id}")
    steps = " ".join(
        f'<a href="{at}/{number}/{ply}?lang={t.language}{embed}">{escape(text)}</a>'
        for text, number, ply, there in other
        if there
    )
    picture = f"{at}/{url.deal}/{url.ply}.png?lang={t.language}"
    drawn = f'<img src="{picture}" width="1200" height="630" alt="{escape(caption.title)}">'
    return f'<div class="position">{drawn}<nav>{steps}</nav>{html_list(rows)}</div>'


def html_list(rows: Iterable[str]) -> str:
    """Return rows of markup as an HTML list."""
    return "<ul>" + "".join(f"<li>{row}</li>" for row in rows if row) + "</ul>"


def colon_text(t: Translate) -> str:
    """Return a colon as the language writes it."""
    return "\N{NO-BREAK SPACE}: " if t.language == "fr" else ": "


def table_cards_text(state: Mapping[str, Any], states: dict[str, Any], t: Translate) -> list[str]:
    """Return the cards on the table in words; empty if there are none."""
    played = " · ".join(spoken_cards(filter(None, state["table"]), states))
    return [t("On the table") + colon_text(t) + played] if played else []


def deal_facts_text(state: Mapping[str, Any], t: Translate) -> list[str]:
    """Return the facts of the deal, one per row."""
    return [fact["label"] + colon_text(t) + fact["text"] for fact in state["facts"]]


def spoken_cards(hand: Any, states: dict[str, Any]) -> list[str]:
    """Return the spoken names of cards."""
    unknown: dict[str, str] = {"label": "?"}
    return [states["faces"].get(card, unknown)["label"] for card in hand]


def oembed_json(query: Any, base: str, t: Translate) -> bytes:
    """Return the oEmbed answer. Problem: 404 for an unknown address, 501 for another format."""
    if query.get("format", "json") != "json":
        raise Problem(501, N_("Only JSON is answered: format=json."))
    requested = query.get("url", "")
    if requested[: len(base)].lower() != base:
        raise Problem(404, OEMBED_URL_MISSING)
    path, _, rest = requested[len(base) :].partition("#")[0].partition("?")
    where = parse_path(unquote(path))
    lang = language_of(QueryParams(rest))
    # the title is in the address's language, else the client's; the frame follows its reader
    t = translator(lang, "dashboard") if lang else t
    if where is None or where.kind:
        raise Problem(404, OEMBED_URL_MISSING)
    found, place = find_match(where.name), where._replace(base_url=base)
    shown = orjson.loads(deal_json(found, place.deal, t))
    place.check_position(shown)
    title = position_caption(found, place, shown, t).title
    width, height = EMBED_SIZE
    if (requested := query.get("maxwidth") or "").isascii() and requested.isdecimal():
        width = min(width, int(requested[:6]) or width)
    if (requested := query.get("maxheight") or "").isascii() and requested.isdecimal():
        height = min(height, int(requested[:6]) or height)
    source = place.url_for(found.id) + "?embed" + (f"&lang={lang}" if lang else "")
    return orjson.dumps(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": PRODUCT_NAME,
            "provider_url": f"{base}/",
            "title": title,
            "width": width,
            "height": height,
            "html": f'<iframe src="{escape(source)}" width="{width}" height="{height}"'
            f' title="{escape(title)}" loading="lazy" style="border:0;max-width:100%"'
            ' allow="clipboard-write" allowfullscreen></iframe>',
            "thumbnail_url": place.url_for(found.id) + f".png?lang={t.language}",
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
        }
    )
