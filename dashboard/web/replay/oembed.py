"""oEmbed: what a club's site has to put into its page to show a replay (https://oembed.com)."""

from html import escape
from typing import Any
from urllib.parse import unquote

import orjson
from starlette.datastructures import QueryParams

from dashboard.api.problems import Problem
from dashboard.pages import PRODUCT
from dashboard.web.replay.language import chosen
from dashboard.web.replay.matches import deal, find
from dashboard.web.replay.page import Place, in_words
from dashboard.web.replay.places import read
from ingest.i18n import N_, Translate, translator

FRAME = {"maxwidth": 900, "maxheight": 640}
"""How large a replay is shown where nobody says otherwise."""
NOT_THAT_FORMAT = N_("Only JSON is answered: format=json.")
NO_URL = N_("The address of a replay of this store is asked for: url=…")


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
    found = find(where.name)
    place = Place(where.deal, where.ply, base)
    shown = orjson.loads(deal(found, place.deal, t))
    where.within(shown)
    title = in_words(found, place, shown, t).title
    width, height = (_at_most(query.get(key), own) for key, own in FRAME.items())
    source = place.at(found, "?embed" + (f"&lang={lang}" if lang else ""))
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
            "thumbnail_url": place.at(found, f".png?lang={t.language}"),
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
        }
    )


def _at_most(asked: str | None, own: int) -> int:
    """Our own size, or less where less is asked for."""
    number = asked if asked is not None and asked.isascii() and asked.isdecimal() else ""
    return min(own, int(number[:6] or own) or own)
