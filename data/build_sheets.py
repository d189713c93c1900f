"""Played matches as score sheets, and the sheets that ship: `python -m data.build_sheets`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from data.layout import text

FOLDER = Path(__file__).parent
KEPT = ("dealer", "leader", "void", "points", "winner", "manche")
SHEETS = {
    "chouine": "match-regles-completes",
    "coinche": "match-coinche",
    "chouineurs": "match-chouineurs",
}
"""A sheet that ships, and the match it is the sheet of."""


def _chouine(deal: Mapping[str, Any]) -> dict[str, Any]:
    kinds = ("mariage", "tierce", "quarteron", "quinte", "trente", "chouine")
    said = [word for word in deal["actions"] if word.split(" ")[1].startswith(kinds)]
    return {"announcements": said} | _end(deal, "resign", "fault")


def _coinche(deal: Mapping[str, Any]) -> dict[str, Any]:
    bids = [word for word in deal["actions"] if " bid " in word]
    if not bids:
        return _end(deal, "pass", "resign", "won")
    doubled = sum(word.endswith("coinche") for word in deal["actions"])
    contract = {"bid": bids[-1], "coinche": doubled}
    return {"contract": contract} | _end(deal, "claim", "resign", "won")


def _chouineurs(deal: Mapping[str, Any]) -> dict[str, Any]:
    seats = range(1, len(deal["hands"]) + 1)
    reserve = [deal["actions"].count(f"{seat} point") for seat in seats]
    return {"bids": deal["bids"], "reserve": reserve} | _end(deal, "resign")


TOLD: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "chouine": _chouine,
    "coinche": _coinche,
    "chouineurs": _chouineurs,
}


def _end(deal: Mapping[str, Any], *ending: str) -> dict[str, str]:
    """The act a deal ended with, where it is one of those."""
    last = deal["actions"][-1]
    return {"end": last} if last.split(" ")[1] in ending else {}


def sheet_of(match: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper says of a match whose actions are legal."""
    deals = []
    for deal in match["deals"]:
        line = {key: deal[key] for key in KEPT if key in deal}
        if "void" not in deal:
            line["told"] = TOLD[match["game"]](deal)
        deals.append(line)
    return {**match, "deals": deals}


def main() -> None:
    """Write the sheets that ship."""
    for name, played in SHEETS.items():
        match = json.loads((FOLDER / f"{played}.json").read_bytes())
        sheet = sheet_of(match) | {"id": f"feuille-{name}"}
        (FOLDER / "feuilles" / f"{name}.json").write_text(text(sheet), encoding="utf-8")


if __name__ == "__main__":
    main()
