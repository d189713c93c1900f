"""Builds the samples of this folder, their score sheets and the JSON Schema.

    python -m data.build_samples

Samples are simulated matches, hence legal; each is the first that contains what it is to show.
`chouine-atout` is too rare to be found: its deck is stacked.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from data import build_games
from data.build_games import Predicate, find_sample, replay_deal
from data.layout import format_match, match_document
from engine.chouine.actions import (
    ANNOUNCE,
    AU_SEPT,
    REPLAY,
    RESIGN,
    SEPT,
    UNSHOWN,
    combination_kind,
    combination_of,
)
from engine.chouine.kernel import BY_CHOUINE, NULL
from engine.games import game
from engine.replay import Ply
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.json_schema import json_schema
from schemas.match_setup import MatchSetup
from schemas.models import FORMAT
from schemas.notation import action_codes
from schemas.simulated import deal_documents, simulated_setup

HERE = Path(__file__).parent
ACTION_WORDS = {SEPT: "sept", AU_SEPT: "au-sept", REPLAY: "replay", RESIGN: "resign"}
SHEET_SAMPLES = {
    "chouine": "match-regles-completes",
    "coinche": "match-coinche",
    "chouineurs": "match-chouineurs",
    "belote": "match-belote",
}
"""Score sheets that ship, with the match that each records."""
SHEET_KEYS = ("dealer", "leader", "void", "points", "winner", "manche")
"""Keys that a sheet copies from its match."""


def last_state_values(setup: MatchSetup, match: SimulatedMatch, field: str) -> list[int]:
    """Return a field of each deal's last state, such as outcome, winner or trump."""
    return [int(replay_deal(setup, deal).last.state[field]) for deal in match.deals]


def match_actions(match: SimulatedMatch) -> set[str]:
    """Return action words and kinds announced in a match; `~` marks kinds not shown."""
    found = set()
    for deal in match.deals:
        for act in build_games.actions_of(deal):
            if ANNOUNCE <= act < SEPT:
                found.add(combination_kind(combination_of(act)) + ("~" if act >= UNSHOWN else ""))
            elif act in ACTION_WORDS:
                found.add(ACTION_WORDS[act])
    return found


def is_lavardin_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has all announcements of two, a tied cut and a null partie (CH-24)."""
    done = match_actions(match)
    return (
        len(match.cuts) == 1
        and len(match.cuts[0]) == 2
        and len(match.deals) <= 16
        and {"sept", "au-sept", "mariage", "tierce", "quarteron", "quinte"} <= done
        and not {"chouine", "replay", "resign"} & done
        and any(kind.endswith("~") for kind in done)
        and last_state_values(setup, match, "winner").count(NULL) == 1
    )


def is_full_rules_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has an exchange, a tierce and a quinte, and no chouine or replay."""
    done = match_actions(match)
    return {"sept", "tierce", "quinte"} <= done and not {"replay", "chouine"} & done


def is_mondoubleau_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a short match has parties with and without trump, a tierce and a quinte."""
    trumps = last_state_values(setup, match, "trump")
    both = -1 in trumps and max(trumps) >= 0
    return both and {"tierce", "quinte"} <= match_actions(match) and len(match.deals) <= 6


def must_beat(ply: Ply) -> bool:
    """Return whether the player holds a trump too low for the trump led (CH-9)."""
    state = ply.state
    if not state["on_table"] or state["table"][state["leader"]] // 8 != state["trump"]:
        return False
    hand = game("chouine").pack.codes_in(state["hand"][ply.turn])
    trumps = [card for card in hand if card // 8 == state["trump"]]
    return len([action for action in ply.legal if action.act in trumps]) < len(trumps)


def is_trente_sample(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a match has trente, mariage and sept, and a trump that has to be beaten (CH-9)."""
    if not {"trente", "mariage", "sept"} <= match_actions(match) or "replay" in match_actions(match):
        return False
    return any(must_beat(ply) for deal in match.deals for ply in replay_deal(setup, deal))


def has_chouine(setup: MatchSetup, match: SimulatedMatch) -> bool:
    """Return whether a chouine ended a partie."""
    return BY_CHOUINE in last_state_values(setup, match, "outcome")


def sample_head(name: str, place: str = "Lavardin", date: str = "2026-03-15") -> dict[str, Any]:
    """Return id, date, event and source of a sample."""
    return {
        "id": name,
        "played_at": f"{date}T14:00:00+01:00",
        "event": {"name": "Parties d’exemple", "place": place},
        "source": {"name": "data/build_samples.py"},
    }


STACKED = "Ah As Th Ts Kh Ks 7c 7d 8c 8d 9s Qh Qs Jh Js"
"""Both players collect the same five honours; seat 1 has hearts and leads, seat 2 has trumps."""
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


def beaten_chouine_sample() -> dict[str, Any]:
    """Return a plain chouine, beaten by a trump chouine in the same trick (CH-22)."""
    cards = STACKED.split()
    cards += [card for card in game("chouine").pack.names if card not in cards]
    deck = np.array([game("chouine").pack.code_entries[card] for card in cards], np.uint8)
    table = action_codes("chouine")
    played = np.array([table[word] for word in STACKED_ACTIONS], np.uint16)
    placed = simulated_setup("chouine", "lavardin", 2)
    [deal] = deal_documents(placed, [SimulatedDeal(1, deck, played)], as_hands=True)
    deal["times"] = [4.2, 7.5, 12.1, 14.9, 21.0, 22.3, 30.8, 31.6]
    deal["comments"] = STACKED_COMMENTS
    order = ("dealer", "hands", "talon", "actions", "times", "points", "winner", "comments")
    return {
        "format": FORMAT,
        "game": "chouine",
        "rules": "lavardin",
        **sample_head("chouine-atout"),
        "players": [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}],
        "deals": [{key: deal[key] for key in order}],
    }


SAMPLE_PLANS: tuple[tuple[str, str | dict[str, Any], str, str, Predicate], ...] = (
    ("lavardin", "lavardin", "Lucie Marcel", "careful greedy", is_lavardin_sample),
    ("regles-completes", "regles-completes", "Odile Gaston", "careful careful", is_full_rules_sample),
    (
        "mondoubleau",
        {"preset": "mondoubleau", "parties": 3, "manches": 1},
        "Odile Lucie",
        "careful careful",
        is_mondoubleau_sample,
    ),
    (
        "irregularites",
        {"preset": "lavardin", "parties": 3, "manches": 1},
        "Gaston Marcel",
        "careful careful",  # a partie replayed after an irregularity (CH-27), and one resigned
        lambda _, match: {"replay", "resign"} <= match_actions(match),
    ),
    (
        "a-trois",
        {"preset": "lavardin", "parties": 3},
        "Lucie Gaston Odile",
        "careful greedy careful",
        is_trente_sample,
    ),
    (
        "a-quatre",
        {"preset": "lavardin", "parties": 3},
        "Lucie Gaston Odile Marcel",
        "careful greedy careful greedy",
        lambda deal, match: has_chouine(deal, match) and is_trente_sample(deal, match),
    ),
)
"""Plans for samples of Chouine: name, rules, players, habits, and a test of its contents."""


def samples() -> Iterator[dict[str, Any]]:
    """Yield every sample; a sample's id is its file's name."""
    for day, (name, rules, players, habits, good) in enumerate(SAMPLE_PLANS, 16):
        names, place = players.split(), "Mondoubleau" if name == "mondoubleau" else "Lavardin"
        found = find_sample(simulated_setup("chouine", rules, len(names)), habits.split(), good)
        more = sample_head(f"match-{name}", place, f"2026-03-{day}")
        yield match_document(found, rules, names, **more)
    # keep only the partie that a chouine ended
    played = simulated_setup("chouine", "lavardin", 2)
    found = find_sample(played, ["careful", "careful"], has_chouine)
    at = last_state_values(played, found, "outcome").index(BY_CHOUINE)
    whole = match_document(found, "lavardin", ["Lucie", "Marcel"], **sample_head("chouine"))
    del whole["cuts"], whole["result"]
    yield whole | {"deals": [whole["deals"][at]]}
    yield beaten_chouine_sample()
    yield from build_games.samples()


def sheet_of(match: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score sheet of a match."""
    deals = []
    for deal in match["deals"]:
        line = {key: deal[key] for key in SHEET_KEYS if key in deal}
        if "void" not in deal:
            line["score_line"] = score_line_of(match["game"], deal)
        deals.append(line)
    return {**match, "deals": deals}


def score_line_of(game_name: str, deal: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score line of a deal, with the last action if it ended the deal."""
    actions = deal["actions"]
    fields: dict[str, Any]
    ending: tuple[str, ...]
    if game_name == "chouine":
        kinds = ("mariage", "tierce", "quarteron", "quinte", "trente", "chouine")
        items = [word for word in actions if word.split(" ")[1].startswith(kinds)]
        fields, ending = {"announcements": items}, ("resign", "fault")
    elif game_name == "coinche":
        bids = [word for word in actions if " bid " in word]
        doubled = sum(word.endswith("coinche") for word in actions)
        fields = {"contract": {"bid": bids[-1], "coinche": doubled}} if bids else {}
        ending = ("claim", "resign", "won") if bids else ("pass", "resign", "won")
    elif game_name == "belote":
        bids = [word for word in actions if " bid " in word or " take " in word]
        doubled = sum(word.endswith("contre") for word in actions)
        fields = {"contract": {"bid": bids[-1], "coinche": doubled}} if bids else {}
        ending = ("renonce",) if bids else ("pass",)
    else:
        seats = range(1, len(deal["hands"]) + 1)
        reserve = [actions.count(f"{seat} point") for seat in seats]
        fields, ending = {"bids": deal["bids"], "reserve": reserve}, ("resign",)
    last = actions[-1]
    return fields | ({"end": last} if last.split(" ")[1] in ending else {})


def main() -> None:
    """Write all samples, the score sheets and the schema."""
    for sample in samples():
        (HERE / f"{sample['id']}.json").write_text(format_match(sample), encoding="utf-8")
    for name, played in SHEET_SAMPLES.items():
        sheet = sheet_of(json.loads((HERE / f"{played}.json").read_bytes()))
        written = format_match(sheet | {"id": f"feuille-{name}"})
        (HERE / "feuilles" / f"{name}.json").write_text(written, encoding="utf-8")
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    (HERE / "schema" / "match.schema.json").write_text(schema, encoding="utf-8")


if __name__ == "__main__":
    main()
