"""The deals that words about single plays find, against a walk over the replays of the same matches."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, permutations
from random import Random
from typing import NamedTuple

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.queries import find
from engine.replay import Replay
from ingest.store.raw_texts import read_text_list
from ingest.validate.parse_document import match_of_json
from schemas.deal_decoder import decode_deal
from schemas.match_models import match_setup
from tests.dashboard.plain_counts import Counted
from tests.dashboard.test_find_counted import PLAIN, Seat, seats

Key = tuple[str, int, int]
"""A match's own id, the deal's number and the seat, both from 1."""


class Play(NamedTuple):
    """A card that a seat played."""

    action: int
    trick: int
    is_led: bool
    card: str
    trump: str
    hand: tuple[str, ...]
    took: bool | None
    is_open: bool | None
    """Whether cards of Chouine could still be drawn; None in another game."""
    table: tuple[str, ...]
    kind: str
    """The game, the number of players, and what of Belote is played without a trump suit."""


def plays_of(replay: Replay) -> Iterator[tuple[int, Play]]:
    """Each card that a seat played."""
    name, players, last = replay.game.name, replay.players, replay.last.state
    names = replay.game.pack.names
    drawable = 32 - replay[0].known_hand(0).bit_count() * players
    drawable -= drawable % players
    table = list[str]()
    for before, after in pairwise(replay):
        assert after.action is not None
        seat, act = after.action
        on_table = int(before.state["on_table"])
        counts = (
            (after.trick, int(after.state["on_table"])) != (before.trick, on_table)
            or after.is_over  # the card that ends a deal with a chouine
        )
        if replay.game.acts.kind_of_act(act) != "play" or not counts:
            continue
        trump = int(before.state["trump"]) if names else -1
        is_complete = before.trick < int(last["trick"])
        table = table if on_table else []
        trumps = int(before.state["strain"]) if name == "belote" else trump if trump >= 0 else 6
        yield (
            seat,
            Play(
                action=after.index,
                trick=before.trick + 1,
                is_led=on_table == 0,
                card=names[act] if names else "",
                trump="shdc"[trump] if 0 <= trump < 4 else "-",
                hand=replay.game.pack.names_in(before.known_hand(seat)) if names else (),
                took=int(last["trick_winners"][before.trick]) == seat if is_complete else None,
                is_open=before.trick * players < drawable if name == "chouine" else None,
                table=tuple(table),
                kind=f"{name} {players} {('', '', '', '', 'sa', 'ta', '-')[trumps]}".strip(),
            ),
        )
        table.append(names[act] if names else "")


EVERY = 4
"""Of so many matches the plays of one are walked over, which takes longer than to search them all."""


def is_walked(match_id: str) -> bool:
    return int(match_id.partition("-")[2]) % EVERY == 0


@pytest.fixture(scope="module")
def played(counted: Counted) -> dict[Key, list[Play]]:
    """The plays of every seat of the matches walked over."""
    return walked_over(counted, filter(is_walked, counted.places))


def walked_over(counted: Counted, matches: Iterable[str]) -> dict[Key, list[Play]]:
    """The plays of every seat of matches, by their own ids."""
    found = dict[Key, list[Play]]()
    walked = sorted(counted.places[match] for match in matches)
    for text in read_text_list(counted.cursor, np.array(walked)):
        match, _ = match_of_json(orjson.loads(text))
        assert match is not None
        setup = match_setup(match)
        for number, deal in enumerate(match.deals, 1):
            decoded = decode_deal(deal, setup)
            if decoded.deck is None:
                continue
            opener = getattr(deal, deal.OPENS) - 1
            table = setup.game, setup.rules, setup.players, opener
            for seat, play in plays_of(Replay(*table, decoded.deck, decoded.codes, decoded.explicit)):
                found.setdefault((match.id or "", number, seat + 1), []).append(play)
    return found


PLAYS: dict[str, Callable[[Play], bool]] = {
    "trick:1": lambda p: p.trick == 1,
    "pli>=7": lambda p: p.trick >= 7,
    "trick:2,5": lambda p: p.trick in (2, 5),
    "trick<4": lambda p: p.trick < 4,
    "led": lambda p: p.is_led,
    "led:brisque": lambda p: p.is_led and p.is_open is not None and p.card[0] in "AT",
    "entame:atout": lambda p: p.is_led and p.card[1:] == p.trump,
    "led:As,7t": lambda p: p.is_led and p.card in ("As", f"7{p.trump}"),
    "played:Jt": lambda p: p.card == f"J{p.trump}",
    "joue:10♥,trefle": lambda p: p.card == "Th" or p.card[1:] == "c",
    "played:6d": lambda p: p.card == "6d",
    "took": lambda p: p.took is True,
    "took:no": lambda p: p.took is False,
    "ramasse:oui": lambda p: p.took is True,
    "holding:7t": lambda p: f"7{p.trump}" in p.hand,
    "en-main:Ah,Th": lambda p: "Ah" in p.hand and "Th" in p.hand,
    "phase:open": lambda p: p.is_open is True,
    "phase:fermee": lambda p: p.is_open is False,
}
"""Words about a play, and whether each is true of one."""


def found(counted: Counted, text: str) -> dict[tuple[str, int], tuple[list[int], int | None, int | None]]:
    """The deals found in matches walked over: for which seats, and by which action of which trick."""
    search = find.read_search(text)
    total, deals, *_ = find.find_deals(counted.cursor, search, limit=1_000_000)
    rows = deals.select("log_id", "deal_number", "seats", "action_number", "trick_number").rows()
    assert len(rows) == total == len({row[:2] for row in rows})
    return {row[:2]: row[2:] for row in rows if is_walked(row[0])}


def plainly(
    counted: Counted, played: dict[Key, list[Play]], test: Callable[[Seat, list[Play]], bool]
) -> dict[tuple[str, int], list[int]]:
    wanted = dict[tuple[str, int], list[int]]()
    for one in seats(counted):
        place = one.match.id, one.deal.number
        if is_walked(place[0]) and test(one, played.get((*place, one.hand.seat), [])):
            wanted.setdefault(place, []).append(one.hand.seat)
    return wanted


@pytest.mark.parametrize("text", PLAYS)
def test_a_word_finds_the_plays_that_a_walk_over_replays_does(
    counted: Counted, played: dict[Key, list[Play]], text: str
) -> None:
    test = PLAYS[text]
    wanted = plainly(counted, played, lambda _, plays: any(map(test, plays)))
    result = found(counted, text)
    assert {place: seats for place, (seats, *_) in result.items()} == wanted
    assert wanted
    for place, (some, action, trick) in result.items():
        plays = [play for seat in some for play in played[(*place, seat)]]
        assert (action, trick) == min((play.action, play.trick) for play in plays if test(play))


class Word(NamedTuple):
    """A word of a search, true of a seat or of a play."""

    text: str


class No(NamedTuple):
    """The opposite of a search."""

    part: "Part"

    @property
    def text(self) -> str:
        return f"not {self.part.text}"


class Both(NamedTuple):
    """Searches side by side, or joined by `or`, in brackets."""

    word: str
    parts: "list[Part]"

    @property
    def text(self) -> str:
        return f"({self.word.join(one.text for one in self.parts)})"


Part = Word | No | Both


def is_about_plays(part: Part) -> bool:
    if isinstance(part, Word):
        return part.text in PLAYS
    return is_about_plays(part.part) if isinstance(part, No) else all(map(is_about_plays, part.parts))


def fits(part: Part, play: Play) -> bool:
    """Whether words about plays are all true of one."""
    if isinstance(part, Word):
        return PLAYS[part.text](play)
    if isinstance(part, No):
        return not fits(part.part, play)
    every = any if part.word == " or " else all
    return every(fits(one, play) for one in part.parts)


def is_of_same_play(part: Part) -> bool:
    """Whether a part is about the same play as the words next to it."""
    bare = part.part if isinstance(part, No) else part
    return is_about_plays(part) and (not isinstance(bare, Both) or bare.word == " or ")


def holds(part: Part, seat: Seat, plays: list[Play]) -> bool:
    """Whether a search is true of a seat."""
    if isinstance(part, Word):
        return any(map(PLAYS[part.text], plays)) if part.text in PLAYS else PLAIN[part.text](seat)
    if isinstance(part, No):
        return not holds(part.part, seat, plays)
    if part.word == " or ":
        return any(holds(one, seat, plays) for one in part.parts)
    same = [one for one in part.parts if is_of_same_play(one)]
    if all(isinstance(one, No) for one in same):
        return all(holds(one, seat, plays) for one in part.parts)
    others = [one for one in part.parts if not is_of_same_play(one)]
    return any(all(fits(one, play) for one in same) for play in plays) and all(
        holds(one, seat, plays) for one in others
    )


def parts() -> st.SearchStrategy[Part]:
    cheap = [text for text in PLAIN if text not in ("announced",)]
    word = st.one_of(st.sampled_from([*PLAYS]), st.sampled_from([*PLAYS]), st.sampled_from(cheap)).map(Word)
    return st.recursive(
        word,
        lambda part: st.one_of(
            part.map(No),
            st.builds(Both, st.sampled_from([" ", " ", " or "]), st.lists(part, min_size=2, max_size=3)),
        ),
        max_leaves=7,
    )


@given(part=parts())
@settings(max_examples=36)
def test_any_combination_finds_what_a_walk_over_replays_does(
    counted: Counted, played: dict[Key, list[Play]], part: Part
) -> None:
    wanted = plainly(counted, played, lambda seat, plays: holds(part, seat, plays))
    result = found(counted, part.text)
    assert {place: seats or [] for place, (seats, *_) in result.items()}.keys() == wanted.keys()
    if any(text in PLAYS for text in part.text.replace("(", " ").replace(")", " ").split()):
        assert {place: seats for place, (seats, *_) in result.items()} == wanted


def test_the_example_of_a_lead_in_the_open_phase(counted: Counted, played: dict[Key, list[Play]]) -> None:
    wanted = plainly(
        counted,
        played,
        lambda _, plays: any(
            p.is_led and p.is_open and p.card[0] in "AT" and f"7{p.trump}" in p.hand for p in plays
        ),
    )
    result = found(counted, "led:brisque phase:open holding:7t")
    assert {place: seats for place, (seats, *_) in result.items()} == wanted
    assert wanted


Picture = tuple[tuple[str, ...], tuple[str, ...], str]
"""The cards of a hand and of a trick, and the card that is played."""


def pictures(play: Play) -> list[Picture]:
    """A play with its suits relabelled in every way: trump is `t`, the others are three of letters."""
    if play.trump == "-":
        return [(tuple(sorted(play.hand)), play.table, play.card)]
    made = []
    for letters in permutations("shd"):
        of = {play.trump: "t", **dict(zip(set("shdc") - {play.trump}, letters, strict=True))}
        hand, table = ([card[0] + of[card[1]] for card in some] for some in (play.hand, play.table))
        made.append((tuple(sorted(hand)), tuple(table), play.card[0] + of[play.card[1]]))
    return made


def test_a_position_finds_every_play_in_it_with_suits_relabelled(
    counted: Counted, played: dict[Key, list[Play]]
) -> None:
    alike = dict[tuple[str, Picture], list[tuple[Key, Play]]]()
    for key, plays in played.items():
        for play in plays:
            if play.hand:
                hand, table, _ = min(pictures(play))
                alike.setdefault((play.kind, (hand, table, "")), []).append((key, play))
    kinds = {kind for kind, _ in alike}
    tables = {"chouine 2", "chouine 3", "chouine 4", "coinche 4", "belote 4"}
    assert kinds == tables | {*(f"chouine {n} -" for n in (2, 3, 4)), "belote 4 sa", "belote 4 ta"}
    for kind in kinds:
        own = {picture: some for (one, picture), some in alike.items() if one == kind}
        often = sorted(own, key=lambda picture: (-len(own[picture]), picture))
        led = next(picture for picture in often if not picture[1] and len(picture[0]) > 1)
        last = next(picture for picture in often if picture[1] and len(picture[0]) > 1)
        any_phase = Random(7).sample(often, 6)
        for hand, table, _ in (often[0], led, last, *any_phase):
            game, players, *strain = kind.split()
            code = "/".join([",".join(hand), ",".join(table), *strain]).rstrip("/")
            result = found(counted, f"game:{game} player_count:{players} position:{code}")
            wanted = own[hand, table, ""]
            places = {(key[0], key[1]): (play.action, play.trick) for key, play in wanted}
            assert {place: (action, trick) for place, (_, action, trick) in result.items()} == places
            assert {(*place, seat) for place, (some, *_) in result.items() for seat in some} == {
                key for key, _ in wanted
            }


def test_the_plays_in_a_position_are_counted_with_the_deals_won(counted: Counted) -> None:
    won = {(one.match.id, one.deal.number, one.hand.seat): one.hand.won for one in seats(counted)}
    complete = [one.id for one in counted.matches if one.preset == "regles-completes"]
    alike = dict[Picture, list[tuple[Key, Play]]]()
    for key, plays in walked_over(counted, complete).items():
        for play in plays:
            if len(play.hand) == 2:
                hand, table, _ = min(pictures(play))
                alike.setdefault((hand, table, ""), []).append((key, play))
    some = max(alike.values(), key=len)
    hand, table, _ = min(pictures(some[0][1]))
    wanted = Counter[str]()
    wins = Counter[str]()
    for key, play in some:
        same = [card for cards, trick, card in pictures(play) if (cards, trick) == (hand, table)]
        wanted[min(same, key=hand.index)] += 1
        wins[min(same, key=hand.index)] += won[key] is True
    assert len(wanted) == 2
    code = "/".join([",".join(hand), ",".join(table)]).rstrip("/")
    result = find.find_deals(
        counted.cursor, find.read_search(f"preset:regles-completes position:{code}")
    ).played
    assert result is not None
    assert dict(result.select("card", "n").rows()) == wanted
    assert dict(result.select("card", "won").rows()) == wins
    assert result["part"].to_list() == [n / len(some) for n in result["n"]]
    assert [row["low"] < row["share"] < row["high"] for row in result.to_dicts() if 0 < row["share"] < 1]


def test_a_page_without_a_count_is_the_page_of_the_whole_answer(counted: Counted) -> None:
    search = find.read_search("trick:8 led:t took")
    total, every, *_ = find.find_deals(counted.cursor, search, limit=500)
    none, page, *_ = find.find_deals(counted.cursor, search, limit=10, offset=5, count=False)
    assert total is not None
    assert total > 15
    assert none is None
    assert page.equals(every.slice(5, 10))
