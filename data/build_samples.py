"""Make the sample matches of this directory and the JSON Schema.

    python -m data.build_samples

Matches are searched for by seed among the simulator's, so that they are legal and show
what each has to show; `chouine-atout` is too rare for that and its deck is stacked.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from data import build_games, build_partial
from data.layout import deal_document, match_document, text
from engine import simulate
from engine.acts import ACT_MASK
from engine.chouine.acts import (
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
from engine.options import encode, settings
from engine.replay import Ply, Replay
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.log import FORMAT, json_schema
from schemas.words import codes

HERE = Path(__file__).parent
MOST = 200_000
"""Matches looked at before a search is given up."""

Rules = str | Mapping[str, Any]


def replays(match: SimulatedMatch, rules: np.void, players: int) -> Iterator[Replay]:
    """Every deal of a simulated match, replayed."""
    for deal in match.deals:
        yield Replay(game("chouine"), rules, players, deal.dealer, deal.deck, deal.codes)


def acts(match: SimulatedMatch) -> set[str]:
    """What was done in a match: `sept`, `au-sept`, `replay`, `resign`, kinds shown, kinds `~`."""
    named = {SEPT: "sept", AU_SEPT: "au-sept", REPLAY: "replay", RESIGN: "resign"}
    found = set()
    for deal in match.deals:
        for code in deal.codes:
            act = int(code) & ACT_MASK
            if ANNOUNCE <= act < SEPT:
                found.add(kind_of(combination_of(act)) + ("~" if act >= UNSHOWN else ""))
            elif act in named:
                found.add(named[act])
    return found


def search(
    rules: Rules, habits: Sequence[str], good: Callable[[SimulatedMatch, np.void], bool]
) -> SimulatedMatch:
    """The first simulated match that is good. LookupError: none in MOST."""
    players = len(habits)
    record = encode("chouine", settings("chouine", rules, players))
    for match in simulate.matches(game("chouine"), record, players, MOST, 2026, habits):
        if good(match, record):
            return match
    raise LookupError(f"no such match among {MOST}")


def outcomes(match: SimulatedMatch, rules: np.void, players: int) -> list[int]:
    """How each partie ended, as the kernel numbers it."""
    return [int(replay.last.state["outcome"]) for replay in replays(match, rules, players)]


def nulls(match: SimulatedMatch, rules: np.void, players: int) -> int:
    """How many parties nobody won (CH-24)."""
    return sum(
        int(replay.last.state["winner"]) == NULL for replay in replays(match, rules, players)
    )


def lavardin(match: SimulatedMatch, rules: np.void) -> bool:
    """Everything two players can announce, a tied cut, a null partie; two manches in a row."""
    done = acts(match)
    return (
        len(match.cuts) == 1
        and len(match.cuts[0]) == 2
        and len(match.deals) <= 16
        and {"sept", "au-sept", "mariage", "tierce", "quarteron", "quinte"} <= done
        and not {"chouine", "replay", "resign"} & done
        and any(kind.endswith("~") for kind in done)
        and nulls(match, rules, 2) == 1
    )


def regles_completes(match: SimulatedMatch, rules: np.void) -> bool:
    """An exchange, and a quinte worth 100."""
    done = acts(match)
    return {"sept", "tierce", "quinte"} <= done and not {"replay", "chouine"} & done


def mondoubleau(match: SimulatedMatch, rules: np.void) -> bool:
    """A short match with parties with and without a trump, a tierce and a quinte."""
    trumps = [int(replay.last.state["trump"]) for replay in replays(match, rules, 2)]
    both = -1 in trumps and max(trumps) >= 0
    return both and {"tierce", "quinte"} <= acts(match) and len(match.deals) <= 6


def irregularities(match: SimulatedMatch, rules: np.void) -> bool:
    """A partie replayed after an irregularity (CH-27), and one resigned."""
    return {"replay", "resign"} <= acts(match)


def had_to_climb(ply: Ply) -> bool:
    """Whether the player to act holds a trump too low to be played on the trump led (CH-9)."""
    state = ply.state
    if not state["on_table"] or state["table"][state["leader"]] // 8 != state["trump"]:
        return False
    hand = game("chouine").pack.members(state["hand"][ply.turn])
    trumps = [card for card in hand if card // 8 == state["trump"]]
    return len([action for action in ply.legal if action.act in trumps]) < len(trumps)


def trente(match: SimulatedMatch, rules: np.void) -> bool:
    """What three and four can announce short of a chouine, and somebody who must climb (CH-9)."""
    if not {"trente", "mariage", "sept"} <= acts(match) or "replay" in acts(match):
        return False
    return any(
        had_to_climb(ply) for played in replays(match, rules, len(match.won)) for ply in played
    )


def trente_and_chouine(match: SimulatedMatch, rules: np.void) -> bool:
    """All that three and four can announce."""
    return with_chouine(match, rules) and trente(match, rules)


def with_chouine(match: SimulatedMatch, rules: np.void) -> bool:
    """A partie that a chouine ended."""
    return BY_CHOUINE in outcomes(match, rules, len(match.won))


def head(name: str, place: str = "Lavardin", date: str = "2026-03-15") -> dict[str, Any]:
    """Who, when and where of a sample."""
    return {
        "id": name,
        "played_at": f"{date}T14:00:00+01:00",
        "event": {"name": "Parties d’exemple", "place": place},
        "source": {"name": "data/build_samples.py"},
    }


def chouine_alone() -> dict[str, Any]:
    """The one partie of a simulated match that a chouine ended."""
    match = search("lavardin", ["careful", "careful"], with_chouine)
    record = encode("chouine", settings("chouine", "lavardin", 2))
    at = outcomes(match, record, 2).index(BY_CHOUINE)
    whole = match_document(match, "lavardin", ["Lucie", "Marcel"], **head("chouine"))
    del whole["cuts"], whole["result"]
    return whole | {"deals": [whole["deals"][at]]}


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
    record = encode("chouine", settings("chouine", "lavardin", 2))
    deal = deal_document(record, 2, SimulatedDeal(1, deck, played))
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


def samples() -> Iterator[dict[str, Any]]:
    """Every sample; a sample's id is its file's name."""
    careful, greedy = "careful", "greedy"
    short = {"parties": 3, "manches": 1}
    plans: tuple[tuple[str, Rules, tuple[str, ...], tuple[str, ...], Any], ...] = (
        ("match-lavardin", "lavardin", ("Lucie", "Marcel"), (careful, greedy), lavardin),
        (
            "match-regles-completes",
            "regles-completes",
            ("Odile", "Gaston"),
            (careful, careful),
            regles_completes,
        ),
        (
            "match-mondoubleau",
            {"preset": "mondoubleau", **short},
            ("Odile", "Lucie"),
            (careful, careful),
            mondoubleau,
        ),
        (
            "match-irregularites",
            {"preset": "lavardin", **short},
            ("Gaston", "Marcel"),
            (careful, careful),
            irregularities,
        ),
        (
            "match-a-trois",
            {"preset": "lavardin", "parties": 3},
            ("Lucie", "Gaston", "Odile"),
            (careful, greedy, careful),
            trente,
        ),
        (
            "match-a-quatre",
            {"preset": "lavardin", "parties": 3},
            ("Lucie", "Gaston", "Odile", "Marcel"),
            (careful, greedy, careful, greedy),
            trente_and_chouine,
        ),
    )
    for day, (name, rules, names, habits, good) in enumerate(plans, 16):
        place = "Mondoubleau" if "mondoubleau" in name else "Lavardin"
        found = search(rules, habits, good)
        yield match_document(found, rules, names, **head(name, place, f"2026-03-{day}"))
    yield chouine_alone()
    yield chouine_beaten()
    yield from build_games.samples()
    yield from build_partial.samples()


def main() -> None:
    """Write every sample and the schema."""
    for sample in samples():
        (HERE / f"{sample['id']}.json").write_text(text(sample), encoding="utf-8")
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    (HERE / "schema" / "match.schema.json").write_text(schema, encoding="utf-8")


if __name__ == "__main__":
    main()
