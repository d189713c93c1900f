"""A match that is typed in: its steps, said one after the other to a recorder, and how it stands.

A step is what one key or tap said: an action without its seat (`9h`, `mariage-d`), with it where
somebody speaks out of turn (`3 coinche`), with `!` at its end where it stood against the rules; an
answer to what is asked before the first card (`8h`, `:bid 2 3-4+`); `:hand 2 9h Jd …`; `:deal`.
A step that cannot be is refused, and those after it wait: nobody knows what they were said to.
What a page is told of it is in one language and never markup.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, get_args

from dashboard import games
from dashboard.board.states import deal_states
from dashboard.games.base import Ask
from dashboard.text.labels import sides
from dashboard.text.numbers import short
from engine.cards import SUITS, UNTOLD
from ingest.findings.finding import ERROR, WARNING, Finding
from ingest.findings.spoken_notation import speak_word
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.recorder import Recorder, Refused, Said
from schemas.games import of as schemas_of
from schemas.notation import acts

FORCED = "!"
NOT_OVER = N_("The deal is not over yet.")
MATCH_OVER = N_("The match is over.")
NO_ANSWER = N_("This answers nothing that is asked: {step}")
WHOSE = N_("Whose turn it is depends on cards nobody wrote down: say the seat first.")
FIRST = N_("First: {question}")


class CannotBe(Exception):
    """A step that cannot be said: a text of the catalogue, and its values."""


class Refusal(NamedTuple):
    """A step that was not taken, and why: a text of the catalogue with its values, or findings."""

    at: int
    step: str
    text: str = ""
    values: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    can: bool = False
    """It is against the rules, but it may have happened."""

    def say(self, t: Translate) -> str:
        """Why, in one language."""
        if self.text:
            return t(self.text, **dict(self.values))
        return " ".join(dict.fromkeys(finding.message(t) for finding in self.findings))


class Done(NamedTuple):
    """One step that was taken."""

    step: str
    records: int
    """How many steps of the recorder it took."""
    deal: int
    """In which deal, from 0."""
    action: str
    """The action it was, empty for none."""
    faults: tuple[Finding, ...]
    opening: dict[str, Any] | None
    """What was told of the deal before it, None once the deal had begun."""


def deal_of(game: str) -> Any:
    """The model of a game's deals."""
    return get_args(schemas_of(game).MATCH.model_fields["deals"].annotation)[0]


class Written:
    """A match as far as it was typed."""

    def __init__(self, head: dict[str, Any]) -> None:
        """`head` has the match's keys, and as `opener` who deals (or leads) first, if known.

        Refused: no match can be played so.
        """
        self.opener: int | None = head.get("opener")
        self.recorder = Recorder(**{key: of for key, of in head.items() if key != "opener"})
        self.game = games.of(head["game"])
        table = self.recorder.explained.table
        assert table is not None  # a recorder has one, or refuses to begin
        self.table = table
        self.names = [plain(player.get("name") or player["id"]) for player in head["players"]]
        self.players = len(self.names)
        self.opens: str = deal_of(head["game"]).OPENS
        self.cards = {word for row in self.game.grid(self.table) for word in row}
        self.lock = threading.Lock()
        self.done: list[Done] = []
        self.deals = 0
        self.refusal: Refusal | None = None
        self.opening: dict[str, Any] | None = {}
        self.said: Said = self.recorder.said
        self._begin()

    def take(self, steps: Sequence[str]) -> None:
        """Say these steps, and take back whatever was said otherwise."""
        pairs = zip(steps, self.done, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1].step, pairs))
        gone = self.done[same:]
        if gone:
            del self.done[same:]
            if records := sum(one.records for one in gone):
                self.said = self.recorder.undo(records)
            self.opening = None if gone[0].opening is None else dict(gone[0].opening)
            self.deals = gone[0].deal + 1 if self.opening is None else gone[0].deal
        self.refusal = None
        for at in range(same, len(steps)):
            self.refusal = self._step(at, steps[at])
            if self.refusal is not None:
                return

    @property
    def ask(self) -> Ask | None:
        """What has to be told before somebody acts; texts in English until somebody says them."""
        return self.asked(Translate("en"))

    def asked(self, t: Translate) -> Ask | None:
        """The same in one language."""
        if self.opening is None:
            return None
        if self.opens not in self.opening:
            seats = self._openers
            if len(seats) != 1:
                chosen = seats or range(1, self.players + 1)
                options = tuple((str(seat), self.names[seat - 1]) for seat in chosen)
                return Ask(("opener",), t("Who begins?"), options)
        ask = self.game.asks(self.table, self.opening, t)
        if ask is None or not ask.seat:
            return ask
        return ask._replace(text=ask.text.format(who=short(self.names[ask.seat - 1])))

    @property
    def _openers(self) -> list[int]:
        """Who may deal, or lead, next."""
        if not self.deals and self.opener is not None:
            return [self.opener]
        return list(self.said.match.openers)

    def _step(self, at: int, step: str) -> Refusal | None:
        """Say one step; why it cannot be said."""
        before = None if self.opening is None else dict(self.opening)
        deal = self.deals - 1 if before is None else self.deals
        word = step.removesuffix(FORCED)
        if before is None and not word.startswith(":"):
            return self._acted(at, step, word, deal)
        try:
            records = self._told(word)
        except Refused as refused:
            refusal = Refusal(at, step, findings=tuple(refused.findings))
        except CannotBe as why:
            refusal = Refusal(at, step, *why.args)
        except (ValueError, IndexError, KeyError):  # no answer of this game
            refusal = Refusal(at, step, NO_ANSWER, (("step", word),))
        else:
            self.done.append(Done(step, records, deal, "", (), before))
            return None
        self.opening = before
        return refusal

    # what is told of a deal

    def _told(self, word: str) -> int:
        """Take an answer, a hand or the next deal; how many steps of the recorder that is."""
        name, *parts = word.removeprefix(":").split(" ")
        if word == ":deal":
            if self.opening is not None or not self.said.over:
                raise CannotBe(NOT_OVER)
            if self.said.match.over:
                raise CannotBe(MATCH_OVER)
            self.opening = {}
            return self._begin()
        if word.startswith(":hand "):
            return self._hand(word, *parts)
        ask = self.ask
        if ask is None or self.opening is None:
            raise CannotBe(NO_ANSWER, (("step", word),))
        about = tuple([name, *parts][: len(ask.about)])
        answer = " ".join([name, *parts][len(ask.about) :])
        if not word.startswith(":"):  # a card is an answer by itself, and the number of one
            about, answer = ask.about, word
            if word.isdecimal() and 0 < int(word) <= len(ask.options):
                answer = ask.options[int(word) - 1][0]
        known = {word for word, _ in ask.options} or {*self.cards, UNTOLD}
        if about != ask.about or answer not in known:
            raise CannotBe(FIRST, (("question", ask.text),))
        if ask.about == ("opener",):
            self.opening = {**self.opening, self.opens: int(answer)}
        else:
            self.opening = self.game.answered(self.table, self.opening, ask.about, answer)
        return self._begin()

    def _begin(self) -> int:
        """Deal, once nothing is asked any more."""
        if self.opening is None or self.ask is not None:
            return 0
        opener = {} if self.opens in self.opening else {self.opens: self._openers[0]}
        self.said = self.recorder.deal(**opener, **self.opening)
        self.opening = None
        self.deals += 1
        return 1

    def _hand(self, word: str, seat: str, *cards: str) -> int:
        """A hand as it was dealt, now or once the deal goes on. KeyError: no card of this game."""
        size = self.game.hand_size(self.table)
        if not seat.isdecimal() or not 1 <= int(seat) <= self.players or len(cards) > size:
            raise CannotBe(NO_ANSWER, (("step", word),))
        held = [self.game.held(self.table, card) for card in cards]
        hand = " ".join([*held, *[UNTOLD] * (size - len(held))]) if held else UNTOLD
        told = self.opening if self.opening is not None else self.recorder.log()["deals"][-1]
        hands = list(told.get("hands") or [UNTOLD] * self.players)
        hands[int(seat) - 1] = hand
        if self.opening is not None:
            self.opening = {**self.opening, "hands": hands}
            return 0
        self.said = self.recorder.know(hands=hands)
        return 1

    # what is done

    def _acted(self, at: int, step: str, word: str, deal: int) -> Refusal | None:
        """An action: by the seat it names, by whose turn it is, or by the one who may."""
        forced = step.endswith(FORCED)
        if word[:1].isdigit() and word[1:2] == " ":
            return self._try(at, step, word, deal, forced)
        turn, before = self.said.turn, self.said
        refusal: Refusal | None = Refusal(at, step, WHOSE)
        if turn is not None or before.over:
            refusal = self._try(at, step, f"{turn or 1} {word}", deal, False)
        if refusal is None:
            return None
        others = [one for one in before.legal if one.partition(" ")[2] == word]
        if len(others) == 1:
            return self._try(at, step, others[0], deal, forced)
        if forced and refusal.can:
            return self._try(at, step, f"{turn} {word}", deal, True)
        return refusal

    def _try(self, at: int, step: str, action: str, deal: int, forced: bool) -> Refusal | None:
        try:
            said = self.recorder.act(action)
        except Refused as refused:
            return Refusal(at, step, findings=tuple(refused.findings))
        place = len(self.recorder.log()["deals"][-1].get("actions", [])) - 1
        errors = (one for one in said.findings if one.severity == ERROR)
        faults = tuple(one for one in errors if (one.deal, one.action) == (deal, place))
        if faults and not forced:
            self.said = self.recorder.undo()
            return Refusal(at, step, findings=faults, can=True)
        self.said = said
        self.done.append(Done(step, 1, deal, action, faults, None))
        return None


# what the page is told

_SUIT = re.compile(rf"[-\d][{SUITS}]$")
"""How a word ends that is said of a suit."""


def equipment(written: Written, t: Translate) -> dict[str, Any]:
    """What does not change while a match is typed in: cards, keys, words, seats."""
    game, table = written.game, written.table
    known, keys = table.game.name, dict(game.keys(table, t))
    shown = _shown_keys(keys)

    def speak(word: str) -> str:
        """A word as a player says it, with the seat that some name."""
        seat, _, rest = word.partition(" ")
        if seat.isdigit() and rest:
            return t("{what} (seat {seat})", what=speak_word(t, rest, known), seat=seat)
        return speak_word(t, word, known)

    def tile(word: str) -> dict[str, Any]:
        told = {"word": word, "label": speak_word(t, word, known)}
        return told | game.tile(table, word, t)._asdict()

    return {
        "grid": [list(map(tile, row)) for row in game.grid(table)],
        "keys": keys | {f".{seat}": f"@{seat}" for seat in range(1, table.players + 1)},
        "words": {word: speak_word(t, word, known) for word in acts(known, table.faces)},
        "help": [(shown[word], speak(word)) for word in game.TAUGHT if word in shown],
        "seats": _names(written),
        "size": game.hand_size(table),
    }


def _names(written: Written) -> list[str]:
    """Who plays, in seat order, as there is room for."""
    return [short(name) for name in written.names]


def _shown_keys(keys: dict[str, str]) -> dict[str, str]:
    """Each word with the first way to type it."""
    return {word: typed for typed, word in reversed(keys.items())}


def standing(written: Written, t: Translate, board: bool = False) -> dict[str, Any]:
    """How the match stands: whose turn it is, what may be said, what was found."""
    said, refusal, ask = written.said, written.refusal, written.asked(t)
    opening = written.opening is not None
    over = not opening and said.over
    told = written.opening if opening else written.recorder.log()["deals"][-1]
    turn = None
    if not opening:  # where others owe something first, the one who does
        legal = (one.partition(" ") for one in said.legal)
        due = {int(seat) for seat, _, word in legal if not written.game.is_seldom(word, True)}
        turn = due.pop() if said.turn not in due and len(due) == 1 else said.turn
    sayable = _sayable(written, turn, t)
    if over and not said.match.over:
        another = {"step": ":deal", "text": t("Next deal"), "tone": "", "key": "⏎", "main": True}
        sayable["may"] = [another, *sayable["may"]]
    findings = written.recorder.said.findings
    severe = [one for one in reversed(findings) if one.severity in (ERROR, WARNING)]
    here = [] if opening else [one for one in severe if one.deal in (None, written.deals - 1)]
    stands = {
        "done": len(written.done),
        "refused": refusal
        and {"at": refusal.at, "step": refusal.step, "reason": refusal.say(t), "can": refusal.can},
        "turn": (turn or 1) - 1,
        "whose": turn is None and not opening and not over,
        **_heading(written, turn, over, sayable["speaking"], t),
        "lines": list(_lines(written, t)),
        "ask": ask
        and {
            "step": " ".join([":" + ask.about[0], *ask.about[1:]]),
            "text": ask.text,
            "options": [{"word": word, "text": text} for word, text in ask.options],
        },
        "ended": over and said.match.over,
        "next": over and not said.match.over,
        "hands": [
            [card.partition("/")[0] for card in hand.split(" ") if card != UNTOLD]
            for hand in (told or {}).get("hands") or [UNTOLD] * written.players
        ],
        "found": [
            {"severity": one.severity, "rule": one.rule, "text": one.message(t)} for one in here
        ],
        **sayable,
    }
    if board and not opening:
        stands["board"] = _board(written, t)
    return stands


def _heading(
    written: Written, turn: int | None, over: bool, speaking: bool, t: Translate
) -> dict[str, Any]:
    """Which deal it is and what the match stands at, whose turn it is, how the deal came out."""
    said, who = written.said, _names(written)
    if over:
        to = t("The match is over") if said.match.over else t("The deal is over")
    elif written.opening is not None:
        to = t("Deal {n}", n=written.deals + 1)
    elif turn is None:
        to = t("Whose turn it is depends on cards nobody wrote down")
    else:
        to = t(N_("{who} to speak") if speaking else N_("{who} to play"), who=who[turn - 1])
    deal = [] if written.opening is not None else [t("Deal {n}", n=max(written.deals, 1))]
    if said.match.score is not None:
        deal.append(" – ".join(map(str, said.match.score)))
    places = sides(len(who), written.table.game.name)
    called = [" + ".join(who[one] for one in side) for side in places]
    points = said.points if written.opening is None else []
    came, winner, total = "", said.winner, " – ".join(map(str, points))
    if over and isinstance(winner, int) and 0 < winner <= len(called):
        came = t("{who} wins the deal, {points}", who=called[winner - 1], points=total)
    elif over:
        came = t("The deal is over, {points}", points=total)
    if over and said.match.over and (won := said.match.winner) and 0 < won <= len(called):
        came += f" · {t('{who} wins the match', who=called[won - 1])}"
    return {
        "deal": " · ".join(deal),
        "points": [{"who": who, "points": str(n)} for who, n in zip(called, points, strict=False)],
        "over": came,
        "to": to,
    }


def _lines(written: Written, t: Translate) -> Iterator[dict[str, Any]]:
    """What was said in this deal, and in few words what was told of it."""
    known, who = written.table.game.name, _names(written)
    deal = written.deals if written.opening is not None else written.deals - 1
    for at, one in enumerate(written.done):
        if one.deal != deal:
            continue
        seat, _, word = one.action.partition(" ")
        said = word or one.step.rpartition(" ")[2].removeprefix(":")
        if one.step.startswith(":hand "):
            text = t("hand of {who}", who=who[int(one.step.split(" ")[1]) - 1])
        elif one.step == ":deal":
            text = t("Next deal")
        else:
            text = said if said == UNTOLD else speak_word(t, said, known)
        yield {
            "at": at,
            "step": one.step,
            "who": who[int(seat) - 1] if seat.isdigit() and 0 < int(seat) <= len(who) else "",
            "text": text,
            "tone": written.game.tile(written.table, word, t).tone if word in written.cards else "",
            "faults": [finding.message(t) for finding in one.faults],
        }


def _sayable(written: Written, turn: int | None, t: Translate) -> dict[str, Any]:
    """Which cards are gone, which may not be played, and what else may be said."""
    if written.opening is not None:
        return {"gone": [], "not": [], "may": [], "aims": {}, "aim": "", "speaking": False}
    game, cards, said = written.game, written.cards, written.said
    legal = [one.partition(" ") for one in said.legal]
    due = [word for seat, _, word in legal if int(seat) == turn]
    playable, gone = set(due), _gone(written, turn)
    # a tap on a card says the word of whoever is due that names it
    aims = {
        card: {"step": word, "text": game.called(word, t)}
        for word in ([] if playable & cards else due)
        if (card := word.partition(" ")[2]) in cards
    }
    shown = _shown_keys(dict(game.keys(written.table, t)))
    aimed = {one["step"] for one in aims.values()}
    may = list[dict[str, Any]]()
    for seat, _, word in legal:
        step = word if int(seat) == turn else f"{seat} {word}"
        if word in cards or step in aimed:
            continue
        text = game.called(word, t)
        if int(seat) != turn:
            text = f"{_names(written)[int(seat) - 1]} {text}"
        tone = word[-1] if _SUIT.search(word) else ""
        key = shown.get(step) or shown.get(word, "")
        seldom = game.is_seldom(word, int(seat) == turn)
        may.append({"step": step, "text": text, "tone": tone, "key": key, "seldom": seldom})
    taught = {word: at for at, word in enumerate(game.TAUGHT)}
    # what has no suit stands before what has one, as it is taught
    may.sort(key=lambda one: (bool(one["tone"]), not one["tone"] and taught.get(one["step"], 99)))
    verbs = dict.fromkeys(one["step"].partition(" ")[0] for one in aims.values())
    return {
        "gone": sorted(gone - aims.keys()),
        "not": sorted(cards - gone - playable - aims.keys()),
        "may": may,
        "aims": aims,
        "aim": " · ".join(game.called(verb, t) for verb in verbs),
        "speaking": bool(playable) and not aims and not playable & cards,
    }


def _gone(written: Written, turn: int | None) -> set[str]:
    """The cards that were played, that lie in another hand, or not in the hand that is known."""
    cards, hands = written.cards, written.said.hands
    faces = {word: set(written.game.held(written.table, word).split("/")) for word in cards}
    actions = written.recorder.log()["deals"][-1].get("actions", [])
    away = {one.partition(" ")[2] for one in actions} & cards
    for seat, hand in enumerate(hands, 1):
        if seat != turn:
            away |= {card.partition("/")[0] for card in hand if card != UNTOLD}
    gone = {other for card in away for other in faces.get(card, {card})}
    own = hands[turn - 1] if turn and len(hands) >= turn else [UNTOLD]
    if UNTOLD not in own:
        gone |= cards - {card.partition("/")[0] for card in own}
    return gone & cards


def _board(written: Written, t: Translate) -> dict[str, Any] | None:
    """The deal as the board draws it, at its last state."""
    found = written.recorder.said.findings  # without what a deal lacks because it goes on
    states = deal_states(written.recorder.explained, written.deals - 1, t, found)
    if states is None:
        return None
    last = len(states["plies"]) - 1
    how = {"where": None, "view": "", "light": False, "head": None}
    return states | {"deal": written.deals, "ply": last, **how}
