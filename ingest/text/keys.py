"""Keys of a log that the format does not know, and how a part of it is written."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

MEANT = {
    "joueurs": "players",
    "donnes": "deals",
    "parties": "deals",
    "donneur": "dealer",
    "mains": "hands",
    "jeu": "game",
    "règles": "rules",
    "regles": "rules",
    "coups": "actions",
    "cartes": "actions",
    "gagnant": "winner",
    "vainqueur": "winner",
    "coupes": "cuts",
    "temps": "times",
    "résultat": "result",
    "resultat": "result",
    "nom": "name",
    "enchères": "bids",
    "encheres": "bids",
    "paquet": "deck",
    "commentaires": "comments",
    "après": "after",
    "texte": "text",
    "annonces": "announcements",
    "contrat": "contract",
    "réserve": "reserve",
    "fin": "end",
}
"""Keys as players of these games would call them."""

SHAPES = tuple(
    (re.compile(pattern), example)
    for pattern, example in (
        (r"/rules", '"lavardin"'),
        (r"/players", '[{"id": "jean", "name": "Jean"}, {"id": "charles"}]'),
        (r"/players/\d+", '{"id": "jean", "name": "Jean"}'),
        (r"/players/\d+/(id|name)", '"jean"'),
        (r"/cuts", '[["8h 8s", "7d Kc"]]'),
        (r"/cuts/\d+", '["8h 8s", "7d Kc"]'),
        (r"/cuts/\d+/\d+", '"7d Kc"'),
        (r"/start", '{"score": [7, 6], "manche": 2, "parties": [2, 4]}'),
        (r"/start/(score|parties)", "[2, 4]"),
        (r"/deals/\d+/actions", '["2 Jh", "1 Kd"]'),
        (r"/deals/\d+/actions/\d+", '"2 Jh"'),
        (r"/deals/\d+/hands", '["9c Qc As 8s Js", "Kc Jh 8d Ad Kd"]'),
        (r"/deals/\d+/hands/\d+", '"9c Qc As 8s Js"'),
        (r"/deals/\d+/(talon|deck)", '"9c Qc As 8s"'),
        (r"/deals/\d+/points", "[87, 103]"),
        (r"/deals/\d+/times", "[3.1, 9.8]"),
        (r"/deals/\d+/comments", '[{"after": 3, "text": "Ah !"}]'),
        (r"/deals/\d+/comments/\d+", '{"after": 3, "text": "Ah !"}'),
        (r"/deals/\d+/told", '{"end": "2 resign"}'),
        (r"/deals/\d+/told/announcements", '["1 mariage-h", "2 tierce-s"]'),
        (r"/deals/\d+/told/announcements/\d+", '"1 mariage-h"'),
        (r"/deals/\d+/told/contract", '{"bid": "1 bid 90h"}'),
        (r"/deals/\d+/told/contract/bid", '"1 bid 90h"'),
        (r"/deals/\d+/told/bids", '["2-3-4", "0-1"]'),
        (r"/deals/\d+/told/reserve", "[0, 2]"),
        (r"/deals/\d+/told/end", '"2 resign"'),
        (r"/result", '{"score": [3, 2], "winner": 1}'),
        (r"/result/score", "[3, 2]"),
        (r"/(deals/\d+|result)/winner", "1"),
        (r"/played_at", '"2026-03-15T14:00:00+01:00"'),
    )
)
"""Parts that people write otherwise, by pointer, with an example of each."""


def shape(path: str) -> str | None:
    """What a part at a pointer looks like, as JSON."""
    return next((example for pattern, example in SHAPES if pattern.fullmatch(path)), None)


class Unknown(NamedTuple):
    """A key nobody knows, in the object at `path`; `meant` is one that is not there."""

    path: tuple[str | int, ...]
    key: str
    meant: str | None


def unknown(value: Any, model: type[BaseModel]) -> Iterator[Unknown]:
    """Every key of a JSON value that a model does not know, but for those that begin with `_`."""
    if not isinstance(value, dict):
        return
    for key in value:
        if key not in model.model_fields and not key.startswith("_"):
            yield Unknown((), key, _meant(key, model, value))
    for name, inner in _models_in(model).items():
        if name not in value:
            continue
        part = value[name]
        places = enumerate(part) if isinstance(part, list) else [(None, part)]
        for index, one in places:
            above = (name,) if index is None else (name, index)
            for found in unknown(one, inner):
                yield found._replace(path=(*above, *found.path))


@cache
def _models_in(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The fields of a model that hold others, each with its own."""
    found = {name: _model_in(field.annotation) for name, field in model.model_fields.items()}
    return {name: inner for name, inner in found.items() if inner is not None}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model an annotation such as `list[Player] | None` is of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one))), None)


def _meant(key: str, model: type[BaseModel], there: Any) -> str | None:
    """What somebody may have meant by a key."""
    free = [name for name in model.model_fields if name not in there]
    word = key[:40].casefold().strip()
    if MEANT.get(word) in free:
        return MEANT[word]
    return next(iter(get_close_matches(word, free, 1, 0.75)), None)
