"""Make the samples of this directory, their score sheets and the JSON Schema.

    python -m data.build_samples

Matches are searched for by seed among the simulator's, so that they are legal and show
what each has to show; `chouine-atout` is too rare for that and its deck is stacked.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from data import build_games
from data.build_games import Good, replay, search
from data.layout import match_document, text
from engine.chouine.actions import (
    ANNOUNCE,
    AU_SEPT,
    REPLAY,
    RESIGN,
    SEPT,
    UNSHOWN,
    combination_of,
    kind_of,
)
from engine.chouine.kernel import BY_CHOUINE, NULL
from engine.games import game
from engine.replay import Ply
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.match_models import json_schema
from schemas.match_setup import Table
from schemas.models import FORMAT
from schemas.notation import codes
from schemas.simulated import deal_documents, lay

HERE = Path(__file__).parent
NAMED = {SEPT: "sept", AU_SEPT: "au-sept", REPLAY: "replay", RESIGN: "resign"}
SHEETS = {
    "chouine": "match-regles-completes",
    "coinche": "match-coinche",
    "chouineurs": "match-chouineurs",
}
"""A sheet that ships, and the match it is the sheet of."""
ON_SHEETS = ("dealer", "leader", "void", "points", "winner", "manche")
"""What a sheet says of a deal as its match does."""


def ends(laid: Table, match: SimulatedMatch, field: str) -> list[int]:
    """By deal a field of its last state: how it ended, who won it, what was trump."""
    return [int(replay(laid, deal).last.state[field]) for deal in match.deals]


def acts(match: SimulatedMatch) -> set[str]:
    """What was done in a match: `sept`, `au-sept`, `replay`, `resign`, kinds shown, kinds `~`."""
    found = set()
    for deal in match.deals:
        for act in build_games.acts(deal):
            if ANNOUNCE <= act < SEPT:
                found.add(kind_of(combination_of(act)) + ("~" if act >= UNSHOWN else ""))
            elif act in NAMED:
                found.add(NAMED[act])
    return found


def lavardin(laid: Table, match: SimulatedMatch) -> bool:
    """Everything two players can announce, a tied cut, a null partie (CH-24); two manches."""
    done = acts(match)
    return (
        len(match.cuts) == 1
        and len(match.cuts[0]) == 2
        and len(match.deals) <= 16
        and {"sept", "au-sept", "mariage", "tierce", "quarteron", "quinte"} <= done
        and not {"chouine", "replay", "resign"} & done
        and any(kind.endswith("~") for kind in done)
        and ends(laid, match, "winner").count(NULL) == 1
    )


def regles_completes(laid: Table, match: SimulatedMatch) -> bool:
    """An exchange, and a quinte worth 100."""
    done = acts(match)
    return {"sept", "tierce", "quinte"} <= done and not {"replay", "chouine"} & done


def mondoubleau(laid: Table, match: SimulatedMatch) -> bool:
    """A short match with parties with and without a trump, a tierce and a quinte."""
    trumps = ends(laid, match, "trump")
    both = -1 in trumps and max(trumps) >= 0
    return both and {"tierce", "quinte"} <= acts(match) and len(match.deals) <= 6


def had_to_climb(ply: Ply) -> bool:
    """Whether the player to act holds a trump too low to be played on the trump led (CH-9)."""
    state = ply.state
    if not state["on_table"] or state["table"][state["leader"]] // 8 != state["trump"]:
        return False
    hand = game("chouine").pack.members(state["hand"][ply.turn])
    trumps = [card for card in hand if card // 8 == state["trump"]]
    return len([action for action in ply.legal if action.act in trumps]) < len(trumps)


def trente(laid: Table, match: SimulatedMatch) -> bool:
    """What three and four can announce short of a chouine, and somebody who must climb (CH-9)."""
    if not {"trente", "mariage", "sept"} <= acts(match) or "replay" in acts(match):
        return False
    return any(had_to_climb(ply) for deal in match.deals for ply in replay(laid, deal))


def with_chouine(laid: Table, match: SimulatedMatch) -> bool:
    """A partie that a chouine ended."""
    return BY_CHOUINE in ends(laid, match, "outcome")


def head(name: str, place: str = "Lavardin", date: str = "2026-03-15") -> dict[str, Any]:
    """Who, when and where of a sample."""
    return {
        "id": name,
        "played_at": f"{date}T14:00:00+01:00",
        "event": {"name": "Parties d’exemple", "place": place},
        "source": {"name": "data/build_samples.py"},
    }


STACKED = "Ah As Th Ts Kh Ks 7c 7d 8c 8d 9s Qh Qs Jh Js"
"""Two players build the same five honours; seat 1 has hearts and the lead, seat 2 the trumps."""
STACKED_ACTIONS = (
    "1 7c", "2 7d", "1 8c", "2 8d", "1 chouine-h", "1 Jh", "2 chouine-s", "2 Js",
)  # fmt: skip


STACKED_COMMENTS = [
    {
        "after": 5,
        "text": "Cinq honneurs\N{NO-BREAK SPACE}: je la tenais\N{NARROW NO-BREAK SPACE}!",
        "by": "lucie",
    },
    {"after": 7, "text": "Moi aussi, et les miens sont d’atout.", "by": "marcel"},
    {
        "after": 8,
        "text": "La chouine de celui qui répond passe, parce qu’elle est d’atout (CH-22).",
        "by": "L’arbitre",
    },
]


def chouine_beaten() -> dict[str, Any]:
    """A leader's plain chouine, answered by a trump chouine in the same trick (CH-22)."""
    cards = STACKED.split()
    cards += [card for card in game("chouine").pack.names if card not in cards]
    deck = np.array([game("chouine").pack.codes[card] for card in cards], np.uint8)
    table = codes("chouine")
    played = np.array([table[word] for word in STACKED_ACTIONS], np.uint16)
    laid = lay("chouine", "lavardin", 2)
    [deal] = deal_documents(laid, [SimulatedDeal(1, deck, played)], hands=True)
    deal["times"] = [4.2, 7.5, 12.1, 14.9, 21.0, 22.3, 30.8, 31.6]
    deal["comments"] = STACKED_COMMENTS
    order = ("dealer", "hands", "talon", "actions", "times", "points", "winner", "comments")
    return {
        "format": FORMAT,
        "game": "chouine",
        "rules": "lavardin",
        **head("chouine-atout"),
        "players": [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}],
        "deals": [{key: deal[key] for key in order}],
    }


PLANS: tuple[tuple[str, str | dict[str, Any], str, str, Good], ...] = (
    ("lavardin", "lavardin", "Lucie Marcel", "careful greedy", lavardin),
    ("regles-completes", "regles-completes", "Odile Gaston", "careful careful", regles_completes),
    (
        "mondoubleau",
        {"preset": "mondoubleau", "parties": 3, "manches": 1},
        "Odile Lucie",
        "careful careful",
        mondoubleau,
    ),
    (
        "irregularites",
        {"preset": "lavardin", "parties": 3, "manches": 1},
        "Gaston Marcel",
        "careful careful",  # a partie replayed after an irregularity (CH-27), and one resigned
        lambda _, match: {"replay", "resign"} <= acts(match),
    ),
    (
        "a-trois",
        {"preset": "lavardin", "parties": 3},
        "Lucie Gaston Odile",
        "careful greedy careful",
        trente,
    ),
    (
        "a-quatre",
        {"preset": "lavardin", "parties": 3},
        "Lucie Gaston Odile Marcel",
        "careful greedy careful greedy",
        lambda laid, match: with_chouine(laid, match) and trente(laid, match),
    ),
)
"""What is searched for of Chouine: a name, rules, who plays and how, and what it has to show."""


def samples() -> Iterator[dict[str, Any]]:
    """Every sample; a sample's id is its file's name."""
    for day, (name, rules, players, habits, good) in enumerate(PLANS, 16):
        names, place = players.split(), "Mondoubleau" if name == "mondoubleau" else "Lavardin"
        found = search(lay("chouine", rules, len(names)), habits.split(), good)
        more = head(f"match-{name}", place, f"2026-03-{day}")
        yield match_document(found, rules, names, **more)
    # the one partie of a simulated match that a chouine ended
    laid = lay("chouine", "lavardin", 2)
    found = search(laid, ["careful", "careful"], with_chouine)
    at = ends(laid, found, "outcome").index(BY_CHOUINE)
    whole = match_document(found, "lavardin", ["Lucie", "Marcel"], **head("chouine"))
    del whole["cuts"], whole["result"]
    yield whole | {"deals": [whole["deals"][at]]}
    yield chouine_beaten()
    yield from build_games.samples()


def sheet_of(match: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper says of a match whose actions are legal."""
    deals = []
    for deal in match["deals"]:
        line = {key: deal[key] for key in ON_SHEETS if key in deal}
        if "void" not in deal:
            line["told"] = told_of(match["game"], deal)
        deals.append(line)
    return {**match, "deals": deals}


def told_of(of: str, deal: Mapping[str, Any]) -> dict[str, Any]:
    """What a line of a sheet tells of a deal; its last act is told where it ended the deal."""
    actions = deal["actions"]
    told: dict[str, Any]
    ending: tuple[str, ...]
    if of == "chouine":
        kinds = ("mariage", "tierce", "quarteron", "quinte", "trente", "chouine")
        said = [word for word in actions if word.split(" ")[1].startswith(kinds)]
        told, ending = {"announcements": said}, ("resign", "fault")
    elif of == "coinche":
        bids = [word for word in actions if " bid " in word]
        doubled = sum(word.endswith("coinche") for word in actions)
        told = {"contract": {"bid": bids[-1], "coinche": doubled}} if bids else {}
        ending = ("claim", "resign", "won") if bids else ("pass", "resign", "won")
    else:
        seats = range(1, len(deal["hands"]) + 1)
        reserve = [actions.count(f"{seat} point") for seat in seats]
        told, ending = {"bids": deal["bids"], "reserve": reserve}, ("resign",)
    last = actions[-1]
    return told | ({"end": last} if last.split(" ")[1] in ending else {})


def main() -> None:
    """Write every sample, the sheets of some, and the schema."""
    for sample in samples():
        (HERE / f"{sample['id']}.json").write_text(text(sample), encoding="utf-8")
    for name, played in SHEETS.items():
        sheet = sheet_of(json.loads((HERE / f"{played}.json").read_bytes()))
        written = text(sheet | {"id": f"feuille-{name}"})
        (HERE / "feuilles" / f"{name}.json").write_text(written, encoding="utf-8")
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    (HERE / "schema" / "match.schema.json").write_text(schema, encoding="utf-8")


if __name__ == "__main__":
    main()
