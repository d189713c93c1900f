"""The page of a position: the board, what messengers and other sites show, a plain list."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import orjson
from starlette.datastructures import QueryParams

from dashboard.api.json_encoding import finite
from dashboard.api.problems import Problem
from dashboard.board import text_of
from dashboard.board.header import about
from dashboard.pages import PRODUCT
from dashboard.text.labels import against
from dashboard.text.numbers import short
from dashboard.web.replay.matches import (
    Found,
    Where,
    around,
    assets,
    chosen,
    deal,
    explained,
    find,
    read,
)
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.reader.escaping import as_json, plain

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
)
HIDDEN = '<meta name="robots" content="noindex">'
"""The head of a page of which messengers show nothing."""
LONGEST = 300
"""Signs of a description; messengers show fewer."""


FRAME = 900, 640
"""How large a replay is shown where nobody says otherwise."""
NOT_THAT_FORMAT = N_("Only JSON is answered: format=json.")
NO_URL = N_("The address of a replay of this store is asked for: url=…")
OWN_NAMES = {"fr": "Français", "en": "English"}


class Caption(NamedTuple):
    """A position in words: of the page's head and of its picture."""

    match: str
    """Who plays."""
    title: str
    about: str
    text: str


def policy(framed: bool) -> str:
    """The page's Content-Security-Policy; `framed`: other sites may show it in a frame."""
    return POLICY + ("*" if framed else "'none'")


def in_words(found: Found, place: Where, shown: dict[str, Any], t: Translate) -> Caption:
    """What a position is called."""
    log = explained(found)
    assert log.match is not None
    names = [short(plain(one.called)) for one in log.match.players]
    state = shown["plies"][place.ply]
    said = " · ".join(filter(None, [state["text"], state["why"], *state["also"]]))
    called = against(names, log.match.game)
    title = f"{called} · {t('Deal {n}', n=place.deal)}"
    return Caption(called, title, " · ".join(about(log, t)), said)


def page(found: Found, place: Where, shown: dict[str, Any], t: Translate) -> str:
    """The page as HTML; `shown` is what the board is told of its deal."""
    told = in_words(found, place, shown, t)
    more = {"ply": place.ply, "called": told.match, "product": PRODUCT}
    more |= {"about": told.about, "longest": LONGEST}
    data = shown | around(found, t, linked=not place.embed) | more
    body = f"""<main><h1>{escape(told.title)}</h1>{text_of("board.html")}
<noscript>{_listed(found, place, data, told, t)}</noscript></main>
{_onward(found, place, t)}"""
    return document(told.title, "board.js", _head(found, place, told, t), body, data, t)


def document(
    title: str, script: str, head: str, body: str, data: dict[str, Any], t: Translate
) -> str:
    """A page with a board, begun by one of our scripts; `head` and `body` are markup of ours."""
    # nothing of a log can end the element it stands in
    said = as_json(finite(data)).replace("<", "\\u003c")
    files = {name: assets()[name].address for name in (script, "board.css", "no-script.css")}
    return f"""<!DOCTYPE html>
<html lang="{t.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · {PRODUCT}</title>
<link rel="stylesheet" href="{files["board.css"]}">
<noscript><link rel="stylesheet" href="{files["no-script.css"]}"></noscript>
<link rel="icon" href="{assets()["icon.png"].address}">
{head}
<script type="module" src="{files[script]}"></script>
</head>
<body>
{body}
<script type="application/json" id="replay">{said}</script>
</body>
</html>
"""


def _head(found: Found, place: Where, told: Caption, t: Translate) -> str:
    """Open Graph, Twitter, other languages, and where programs ask how to show it."""
    here = place.at(found.id)
    description = " · ".join(filter(None, (told.about, told.text)))[:LONGEST]
    picture = f"{here}.png?lang={t.language}"
    graph = {
        "og:type": "website",
        "og:site_name": PRODUCT,
        "og:title": told.title,
        "og:description": description,
        "og:url": here,
        "og:locale": {"fr": "fr_FR"}.get(t.language, "en_GB"),
        "og:image": picture,
        "og:image:type": "image/png",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{told.title} · {told.text}",
    }
    named = {"description": description, "robots": "noindex", "twitter:card": "summary_large_image"}
    lines = [f'<meta property="{key}" content="{escape(text)}">' for key, text in graph.items()]
    lines += [f'<meta name="{key}" content="{escape(text)}">' for key, text in named.items()]
    lines.append(f'<link rel="canonical" href="{escape(here)}">')
    for code, at in (*((one, f"{here}?lang={one}") for one in LANGUAGES), ("x-default", here)):
        lines.append(f'<link rel="alternate" hreflang="{code}" href="{escape(at)}">')
    asked = f"{here}?lang={place.lang}" if place.lang else here
    asks = escape(f"{place.base}/oembed?format=json&url={quote(asked, safe='')}")
    kind = 'rel="alternate" type="application/json+oembed"'
    return "\n".join([*lines, f'<link {kind} href="{asks}" title="{escape(told.title)}">'])


def _onward(found: Found, place: Where, t: Translate) -> str:
    """The line below the board: the whole page; within a frame nothing else.

    Each link leads on from the position, which the script puts into it as it changes (`data-to`).
    """

    def link(to: str, text: str, more: str = "") -> str:
        href = to.format(deal=place.deal, ply=place.ply)
        return f'<a href="{href}" data-to="{to}"{more}>{escape(text)}</a>'

    at = f"/r/{found.id}/{{deal}}/{{ply}}"
    if place.embed:
        framed = ' class="product" target="_blank" rel="noopener"'
        product = t("Open in {product}", product=PRODUCT)
        return f'<nav class="onward">{link(f"{at}?lang={t.language}", product, framed)}</nav>'
    full = f"/relecture?match={found.id}&amp;deal={{deal}}&amp;ply={{ply}}&amp;lang={t.language}"
    [other] = (code for code in LANGUAGES if code != t.language)
    links = (
        link(f"{at}/suite?lang={t.language}", t("Play on from here")),
        link(full, t("Full page")),
        link(f"{at}?lang={other}", OWN_NAMES[other], f' hreflang="{other}" lang="{other}"'),
    )
    home = f'<a class="product" href="/">{PRODUCT}</a>'
    return f'<nav class="onward">{home}{"".join(links)}</nav>'


def languages(at: str, query: str, t: Translate) -> str:
    """A link to the same in the other language."""
    [other] = (code for code in LANGUAGES if code != t.language)
    href = escape(f"{at}?{query}&lang={other}" if query else f"{at}?lang={other}")
    return f'<a href="{href}" hreflang="{other}" lang="{other}">{OWN_NAMES[other]}</a>'


def _listed(found: Found, place: Where, data: dict[str, Any], told: Caption, t: Translate) -> str:
    """The position without a script: its picture, what is where as a list, and where to go on."""
    state = data["plies"][place.ply]
    rows = [escape(told.about), escape(told.text)]
    seats = zip(data["seats"], data["head"]["players"], state["seats"], strict=True)
    for seat, player, now in seats:
        points = [] if now["points"] is None else [f"{t('Points')} {now['points']}"]
        name, href = escape(seat["name"]), player["href"]
        linked = f'<a href="{escape(href)}">{name}</a>' if href else name
        rows.append(linked + colon(t) + escape(" · ".join([*cards_of(now["hand"], data), *points])))
    rows += map(escape, [*on_table(state, data, t), *facts_of(state, t)])
    beside = (
        (t("Previous deal"), place.deal - 1, 0, place.deal > 1),
        (t("Back (←)"), place.deal, place.ply - 1, place.ply > 0),
        (t("Forward (→)"), place.deal, place.ply + 1, place.ply < len(data["plies"]) - 1),
        (t("Next deal"), place.deal + 1, 0, place.deal < len(explained(found).replays)),
    )
    embed = "&amp;embed" if place.embed else ""
    steps = " ".join(
        f'<a href="/r/{found.id}/{number}/{ply}?lang={t.language}{embed}">{escape(text)}</a>'
        for text, number, ply, there in beside
        if there
    )
    picture = f"/r/{found.id}/{place.deal}/{place.ply}.png?lang={t.language}"
    drawn = f'<img src="{picture}" width="1200" height="630" alt="{escape(told.title)}">'
    return f'<div class="position">{drawn}<nav>{steps}</nav>{listed(rows)}</div>'


def listed(rows: Iterable[str]) -> str:
    """Rows of markup as a list."""
    return "<ul>" + "".join(f"<li>{row}</li>" for row in rows if row) + "</ul>"


def colon(t: Translate) -> str:
    """A colon as the language writes it."""
    return "\N{NO-BREAK SPACE}: " if t.language == "fr" else ": "


def on_table(state: Mapping[str, Any], shown: dict[str, Any], t: Translate) -> list[str]:
    """The cards on the table in words; nothing where none lies there."""
    laid = " · ".join(cards_of(filter(None, state["table"]), shown))
    return [t("On the table") + colon(t) + laid] if laid else []


def facts_of(state: Mapping[str, Any], t: Translate) -> list[str]:
    """What is so of the deal, a row each."""
    return [fact["label"] + colon(t) + fact["text"] for fact in state["facts"]]


def cards_of(hand: Any, shown: dict[str, Any]) -> list[str]:
    """Cards as they are spoken."""
    unknown: dict[str, str] = {"label": "?"}
    return [shown["faces"].get(card, unknown)["label"] for card in hand]


def oembed(query: Any, base: str, t: Translate) -> bytes:
    """The answer as JSON. Problem: 404 for what is no replay here, 501 for another format."""
    if query.get("format", "json") != "json":
        raise Problem(501, NOT_THAT_FORMAT)
    asked = query.get("url", "")
    if asked[: len(base)].lower() != base:
        raise Problem(404, NO_URL)
    path, _, rest = asked[len(base) :].partition("#")[0].partition("?")
    where = read(unquote(path))
    lang = chosen(QueryParams(rest))
    # in the language of whoever asks where the address chooses none; the frame in its reader's
    t = translator(lang, "dashboard") if lang else t
    if where is None or where.kind:
        raise Problem(404, NO_URL)
    found, place = find(where.name), where._replace(base=base)
    shown = orjson.loads(deal(found, place.deal, t))
    place.within(shown)
    title = in_words(found, place, shown, t).title
    width, height = FRAME
    if (asked := query.get("maxwidth") or "").isascii() and asked.isdecimal():
        width = min(width, int(asked[:6]) or width)
    if (asked := query.get("maxheight") or "").isascii() and asked.isdecimal():
        height = min(height, int(asked[:6]) or height)
    source = place.at(found.id) + "?embed" + (f"&lang={lang}" if lang else "")
    return orjson.dumps(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": PRODUCT,
            "provider_url": f"{base}/",
            "title": title,
            "width": width,
            "height": height,
            "html": f'<iframe src="{escape(source)}" width="{width}" height="{height}"'
            f' title="{escape(title)}" loading="lazy" style="border:0;max-width:100%"'
            ' allow="clipboard-write" allowfullscreen></iframe>',
            "thumbnail_url": place.at(found.id) + f".png?lang={t.language}",
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
        }
    )
