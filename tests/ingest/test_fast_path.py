"""The fast path reads every way to write a deal, and no faulty one."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.games import game, game_names
from ingest.reader.files import Batch, MatchText
from ingest.validate.batch import check_batch, run_fast_path
from ingest.validate.fast_path.deal_arrays import arrays_from_results
from ingest.validate.fast_path.scan_tables import KEY_NUMBERS, MAX_WORD_BYTES
from ingest.validate.slow_path import validate
from schemas.games import schemas_of
from schemas.games.chouineurs import shipped_deck
from schemas.match_models import deal_model, match_models, match_setup
from schemas.notation import act_codes
from schemas.simulated import simulate_season

Log = dict[str, Any]


def logs(name: str, count: int = 4, seed: int = 3) -> list[Log]:
    return [json.loads(json.dumps(log)) for log in simulate_season(name, count, seed)]


def in_other_words(log: Log) -> Log:
    """The same deals with their cards told the other way: as a pack, or as hands."""
    match = match_models()[log["game"]].model_validate(log)
    played = match_setup(match)
    schemas = schemas_of(log["game"])
    for result, deal in zip(log["deals"], match.deals, strict=True):
        row = schemas.read_row(deal, played, [])
        assert row is not None
        opens = result[deal.OPENS] - 1
        as_hands = "hands" not in result
        result.pop("deck", None)
        result.update(schemas.write_row(played, opens, np.array(row), as_hands))
    return log


def explained_alike(some: list[Log]) -> None:
    """Each is read in bulk, and into the numbers the explanation has."""
    texts = [json.dumps(log).encode() for log in some]
    _, (group,) = run_fast_path([MatchText(1, text) for text in texts])
    assert group.valid_indices.tolist() == list(range(len(texts)))
    ours, theirs = (group.decoded.deal_arrays, arrays_from_results(group.game, [*map(validate, texts)]))
    for field in ("first", "players", "dealers", "decks", "codes", "offsets", "voids", "explicit"):
        assert np.array_equal(getattr(ours, field), getattr(theirs, field)), field
    assert np.array_equal(ours.rules[ours.rule_of], theirs.rules[theirs.rule_of])


@pytest.mark.parametrize("name", game_names())
def test_every_key_of_a_deal_and_every_word_is_known_to_the_scanner(name: str) -> None:
    model = deal_model(name)
    assert set(model.model_fields) - {model.OPENS} <= set(KEY_NUMBERS)
    played = match_setup(match_models()[name].model_validate(logs(name, 1)[0]))
    layout = schemas_of(name).row_layout(played)
    words = [*act_codes(name, played.faces), *layout.cards, *layout.bid_codes]
    assert max(len(word.encode()) for word in words) <= MAX_WORD_BYTES
    assert game(name).has_fast_path


@pytest.mark.parametrize("name", game_names())
def test_packs_and_hands_are_read_alike(name: str) -> None:
    explained_alike(logs(name))
    explained_alike([in_other_words(log) for log in logs(name)])


def test_matches_of_many_decks_and_bid_cards_are_read_together() -> None:
    some = logs("chouineurs", 6)
    rng = Random(7)
    cards = list(shipped_deck("retourne"))
    for number, log in enumerate(some):
        rng.shuffle(cards)
        turned = [card if rng.random() < 0.5 else "/".join(card.split("/")[::-1]) for card in cards]
        log["deck"] = turned if number % 2 else log["deck"]
        if number == 3:
            bids = {f"bid {k}": {"0": 1, "1+": 2 + k} for k in range(5)}
            names_of = dict(zip(("0-1", "0-1-2", "1-2-3", "2-3-4", "3-4+"), bids, strict=True))
            log["bid_cards"] = bids
            for deal in log["deals"]:
                deal["bids"] = [names_of[bid] for bid in deal["bids"]]
                for key in ("points", "winner"):
                    deal.pop(key, None)
            log["deals"] = log["deals"][:1]
            log.pop("result", None)
    explained_alike(some)


SPOILT: dict[str, Callable[[Log], Any]] = {
    "key": lambda deal: deal.update(mood="fine"),
    "seat": lambda deal: deal.update(dealer=9),
    "no seat": lambda deal: deal.pop("dealer"),
    "whole number": lambda deal: deal.update(dealer=1.0),
    "text": lambda deal: deal.update(dealer="1"),
    "null actions": lambda deal: deal.update(actions=None),
    "word": lambda deal: deal["actions"].append("1 bow"),
    "long word": lambda deal: deal["actions"].append("1 " + "bow" * 9),
    "no space": lambda deal: deal["actions"].append("1"),
    "no action": lambda deal: deal["actions"].append(""),
    "number": lambda deal: deal["actions"].append(1),
    "card twice": lambda deal: deal.update(deck="As " + deal["deck"]),
    "card less": lambda deal: deal.update(deck=deal["deck"][3:]),
    "cards apart": lambda deal: deal.update(deck=deal["deck"].replace(" ", "  ", 1)),
    "pack and hands": lambda deal: deal.update(hands=["As", "Ks"]),
    "few times": lambda deal: deal.update(times=[1.5]),
    "times back": lambda deal: deal.update(times=[9 - k for k, _ in enumerate(deal["actions"])]),
    "points": lambda deal: deal.update(points=[1.5, 2]),
    "far points": lambda deal: deal.update(points=[10**12, 2]),
    "void": lambda deal: deal.update(void="rain"),
    "line": lambda deal: deal.update(score_line={}),
    "comment": lambda deal: deal.update(comments=[{"after": 1000, "text": "?"}]),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_is_spoilt_is_explained_and_those_beside_it_are_not(spoil: Callable[[Log], Any]) -> None:
    first, second, third = logs("chouine", 3)
    spoil(second["deals"][0])
    texts = [MatchText(1, json.dumps(log).encode()) for log in (first, second, third)]
    checked = check_batch(Batch("", texts, []))
    assert list(checked.results) == [1]
    assert checked.results[1].findings


def test_null_is_as_good_as_no_key() -> None:
    some = logs("chouine", 2)
    for deal in some[0]["deals"]:
        nothing = ("hands", "talon", "times", "void", "manche", "score_line", "comments")
        deal.update(dict.fromkeys(nothing), _seen={"by": ["me", {"at": 1}]})
    explained_alike(some)
