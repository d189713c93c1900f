"""What the page of a draft is told: once what the match is played with, then after each step how it
stands. Texts are in one language and never markup.
"""

import re
from collections.abc import Iterator
from typing import Any

from dashboard import games
from dashboard.board.states import deal_states
from dashboard.entry.draft_session import Written
from dashboard.text.labels import sides
from dashboard.text.numbers import short
from engine.cards import SUITS, UNTOLD
from ingest.finding.finding import ERROR, WARNING
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from schemas.words import acts

_SUIT = re.compile(rf"[-\d][{SUITS}]$")
"""How a word ends that is said of a suit."""


def _names(written: Written) -> list[str]:
    """Who plays, in seat order, as there is room for."""
    return [short(name) for name in written.names]


def equipment(written: Written, t: Translate) -> dict[str, Any]:
    """What does not change while a match is typed in: cards, keys, words, seats."""
    game, table = games.of(written.table.game.name), written.table
    keys = dict(game.keys(table, t))
    shown = _shown_keys(keys)
    known = table.game.name
    return {
        "grid": [
            [
                {"word": word, "label": speak_word(t, word, known)}
                | game.tile(table, word, t)._asdict()
                for word in row
            ]
            for row in game.grid(table)
        ],
        "keys": keys | {f".{seat}": f"@{seat}" for seat in range(1, table.players + 1)},
        "words": {word: speak_word(t, word, known) for word in acts(known, table.faces)},
        "help": [(shown[word], _speak(t, word, known)) for word in game.TAUGHT if word in shown],
        "seats": _names(written),
        "size": game.hand_size(table),
    }


def _shown_keys(keys: dict[str, str]) -> dict[str, str]:
    """Each word with the first way to type it."""
    shown: dict[str, str] = {}
    for typed, word in keys.items():
        shown.setdefault(word, typed)
    return shown


def _speak(t: Translate, word: str, game: str) -> str:
    """A word as a player says it, with the seat that some name."""
    seat, _, rest = word.partition(" ")
    if seat.isdigit() and rest:
        return t("{what} (seat {seat})", what=speak_word(t, rest, game), seat=seat)
    return speak_word(t, word, game)


def standing(written: Written, t: Translate, board: bool = False) -> dict[str, Any]:
    """How the match stands: whose turn it is, what may be said, what was found."""
    said = written.said
    ask = written.asked(t)
    opening = written.opening is not None
    over = not opening and said.over
    turn = None if opening else _turn(written)
    told = {
        "done": len(written.done),
        "refused": _refused(written, t),
        "turn": (turn or 1) - 1,
        "whose": turn is None and not opening and not over,
        "deal": _deal(written, t),
        "points": _points(written),
        "lines": list(_lines(written, t)),
        "ask": ask
        and {
            "step": " ".join([":" + ask.about[0], *ask.about[1:]]),
            "text": ask.text,
            "options": [{"word": word, "text": text} for word, text in ask.options],
        },
        "over": _over(written, t) if over else "",
        "ended": over and said.match.over,
        "next": over and not said.match.over,
        "hands": _hands(written),
        "found": list(_found(written, t)),
        **_open(written, turn, t),
    }
    told["to"] = _to(written, turn, over, told["speaking"], t)
    if told["next"]:
        told["may"] = [
            {"step": ":deal", "text": t("Next deal"), "tone": "", "key": "⏎", "main": True},
            *told["may"],
        ]
    if board and not opening:
        told["board"] = _board(written, t)
    return told


def _turn(written: Written) -> int | None:
    """Whose turn it is: where others owe something first, the one who does."""
    turn = written.said.turn
    due = {
        int(seat)
        for seat, _, word in (one.partition(" ") for one in written.said.legal)
        if not written.game.is_seldom(word, True)
    }
    return due.pop() if turn not in due and len(due) == 1 else turn


def _refused(written: Written, t: Translate) -> dict[str, Any] | None:
    if (one := written.refusal) is None:
        return None
    return {"at": one.at, "step": one.step, "reason": one.say(t), "can": one.can}


def _to(written: Written, turn: int | None, over: bool, speaking: bool, t: Translate) -> str:
    """Whose turn it is, in words."""
    if written.said.match.over and over:
        return t("The match is over")
    if over:
        return t("The deal is over")
    if written.opening is not None:
        return t("Deal {n}", n=written.deals + 1)
    if turn is None:
        return t("Whose turn it is depends on cards nobody wrote down")
    text = N_("{who} to speak") if speaking else N_("{who} to play")
    return t(text, who=_names(written)[turn - 1])


def _deal(written: Written, t: Translate) -> str:
    """Which deal it is, once somebody is to act in it, and what the match stands at."""
    at = written.said.match
    told = [] if written.opening is not None else [t("Deal {n}", n=max(written.deals, 1))]
    if at.score is not None:
        told.append(" – ".join(map(str, at.score)))
    return " · ".join(told)


def _points(written: Written) -> list[dict[str, str]]:
    """The points of the deal, by seat or side."""
    who, points = _names(written), written.said.points if written.opening is None else []
    places = sides(len(who), written.table.game.name)
    return [
        {"who": " + ".join(who[one] for one in side), "points": str(number)}
        for side, number in zip(places, points, strict=False)
    ]


def _lines(written: Written, t: Translate) -> Iterator[dict[str, Any]]:
    """What was said in this deal."""
    known, who = written.table.game.name, _names(written)
    deal = written.deals if written.opening is not None else written.deals - 1
    for at, one in enumerate(written.done):
        if one.deal != deal:
            continue
        seat, _, word = one.action.partition(" ")
        text = speak_word(t, word, known) if word else _answer(written, one.step, t)
        yield {
            "at": at,
            "step": one.step,
            "who": who[int(seat) - 1] if seat.isdigit() and 0 < int(seat) <= len(who) else "",
            "text": text,
            "tone": written.game.tile(written.table, word, t).tone if word in written.cards else "",
            "faults": [finding.message(t) for finding in one.faults],
        }


def _answer(written: Written, step: str, t: Translate) -> str:
    """What was told of a deal, in few words."""
    known = written.table.game.name
    if step.startswith(":hand "):
        seat = int(step.split(" ")[1])
        return t("hand of {who}", who=_names(written)[seat - 1])
    if step == ":deal":
        return t("Next deal")
    word = step.rpartition(" ")[2].removeprefix(":")
    return word if word == UNTOLD else speak_word(t, word, known)


def _over(written: Written, t: Translate) -> str:
    """How the deal came out, and the match."""
    said, who = written.said, _names(written)
    winner = said.winner
    places = sides(len(who), written.table.game.name)
    called = [" + ".join(who[one] for one in side) for side in places]
    points = " – ".join(map(str, said.points))
    if isinstance(winner, int) and 0 < winner <= len(called):
        text = t("{who} wins the deal, {points}", who=called[winner - 1], points=points)
    else:
        text = t("The deal is over, {points}", points=points)
    if said.match.over and (won := said.match.winner) and 0 < won <= len(called):
        return f"{text} · {t('{who} wins the match', who=called[won - 1])}"
    return text


def _hands(written: Written) -> list[list[str]]:
    """The cards of each hand that were told, as the grid names them."""
    told = written.opening
    if told is None:
        told = written.recorder.log()["deals"][-1]
    hands = told.get("hands") or []
    return [
        [card.partition("/")[0] for card in hand.split(" ") if card != UNTOLD] for hand in hands
    ] or [[] for _ in range(written.players)]


def _open(written: Written, turn: int | None, t: Translate) -> dict[str, Any]:
    """Which cards are gone, which may not be played, and what else may be said."""
    if written.opening is not None:
        return {"gone": [], "not": [], "may": [], "aims": {}, "aim": "", "speaking": False}
    said = written.said
    legal = [one.partition(" ") for one in said.legal]
    playable = {word for seat, _, word in legal if int(seat) == turn}
    gone = _gone(written, turn)
    aims = {} if playable & written.cards else _aims(written, turn, t)
    bare = written.cards - gone - playable - aims.keys()
    shown = _shown_keys(dict(written.game.keys(written.table, t)))
    more = [(seat, word) for seat, _, word in legal if word not in written.cards]
    aimed = {one["step"] for one in aims.values()}
    may: list[dict[str, Any]] = []
    for seat, word in more:
        step, text = word, written.game.called(word, t)
        if int(seat) != turn:
            step, text = f"{seat} {word}", f"{_names(written)[int(seat) - 1]} {text}"
        if step in aimed:
            continue
        tone = word[-1] if _SUIT.search(word) else ""
        key = shown.get(step) or shown.get(word, "")
        seldom = written.game.is_seldom(word, int(seat) == turn)
        may.append({"step": step, "text": text, "tone": tone, "key": key, "seldom": seldom})
    taught = {word: at for at, word in enumerate(written.game.TAUGHT)}
    # what has no suit stands before what has one, as it is taught
    may.sort(key=lambda one: (bool(one["tone"]), not one["tone"] and taught.get(one["step"], 99)))
    speaking = bool(playable) and not aims and not playable & written.cards
    verbs = dict.fromkeys(one["step"].partition(" ")[0] for one in aims.values())
    return {
        "gone": sorted(gone - aims.keys()),
        "not": sorted(bare),
        "may": may,
        "aims": aims,
        "aim": " · ".join(written.game.called(verb, t) for verb in verbs),
        "speaking": speaking,
    }


def _aims(written: Written, turn: int | None, t: Translate) -> dict[str, dict[str, str]]:
    """What a tap on a card says where none is played: the word of whoever is due that names it."""
    words = [one.partition(" ")[2] for one in written.said.legal if one.startswith(f"{turn} ")]
    return {
        card: {"step": word, "text": written.game.called(word, t)}
        for word in words
        if (card := word.partition(" ")[2]) in written.cards
    }


def _gone(written: Written, turn: int | None) -> set[str]:
    """The cards that were played, that lie in another hand, or not in the hand that is known."""
    sides_of = _sides_of(written)
    played = {
        card
        for one in written.recorder.log()["deals"][-1].get("actions", [])
        if (card := one.partition(" ")[2]) in written.cards
    }
    hands = [hand for seat, hand in enumerate(written.said.hands, 1) if seat != turn]
    away = {card.partition("/")[0] for hand in hands for card in hand if card != UNTOLD}
    gone = {other for card in played | away for other in sides_of.get(card, {card})}
    own = written.said.hands[turn - 1] if turn and len(written.said.hands) >= turn else [UNTOLD]
    if UNTOLD not in own:
        mine = {card.partition("/")[0] for card in own}
        gone |= written.cards - mine
    return gone & written.cards


def _sides_of(written: Written) -> dict[str, set[str]]:
    """Each face of the grid → the faces of its card."""
    return {word: set(written.game.held(written.table, word).split("/")) for word in written.cards}


def _found(written: Written, t: Translate) -> Iterator[dict[str, str]]:
    """The faults and warnings of this deal, the last first."""
    if written.opening is not None:
        return
    for one in reversed(written.recorder.said.findings):
        if one.severity in (ERROR, WARNING) and one.deal in (None, written.deals - 1):
            yield {"severity": one.severity, "rule": one.rule, "text": one.message(t)}


def _board(written: Written, t: Translate) -> dict[str, Any] | None:
    """The deal as the board draws it, at its last state."""
    recorder = written.recorder
    found = recorder.said.findings  # without what a deal lacks because it goes on
    states = deal_states(recorder.explained, written.deals - 1, t, found)
    if states is None:
        return None
    return states | {
        "where": None,
        "deal": written.deals,
        "ply": len(states["plies"]) - 1,
        "view": "",
        "light": False,
        "head": None,
    }
