"""A draft's steps, said one after the other to a recorder, which alone knows what they come to.

A step is what one key or tap said: an action without its seat (`9h`, `mariage-d`), with it where
somebody speaks out of turn (`3 coinche`), with `!` at its end where it stood against the rules; an
answer to what is asked before the first card (`8h`, `:bid 2 3-4+`); `:hand 2 9h Jd …`; `:deal`.
A step that cannot be is refused, and those after it wait: nobody knows what they were said to.
"""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

from dashboard import games
from dashboard.games.base import Ask
from dashboard.text.numbers import short
from engine.cards import UNTOLD
from ingest.entry.recorder import Recorder, Refused, Said
from ingest.finding.finding import ERROR, Finding
from ingest.i18n import N_, Translate
from ingest.text.signs import plain
from schemas.games import of as schemas_of

FORCED = "!"
NOT_OVER = N_("The deal is not over yet.")
MATCH_OVER = N_("The match is over.")
NO_ANSWER = N_("This answers nothing that is asked: {step}")
WHOSE = N_("Whose turn it is depends on cards nobody wrote down: say the seat first.")
FIRST = N_("First: {question}")


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
        same = 0
        while same < min(len(steps), len(self.done)) and self.done[same].step == steps[same]:
            same += 1
        self._back(same)
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

    def _back(self, count: int) -> None:
        """Take back all steps but the first ones."""
        if count == len(self.done):
            return
        gone = self.done[count:]
        del self.done[count:]
        if records := sum(one.records for one in gone):
            self.said = self.recorder.undo(records)
        self.opening = None if gone[0].opening is None else dict(gone[0].opening)
        self.deals = gone[0].deal + 1 if self.opening is None else gone[0].deal

    def _step(self, at: int, step: str) -> Refusal | None:
        """Say one step; why it cannot be said."""
        before = None if self.opening is None else dict(self.opening)
        deal = self.deals - 1 if before is None else self.deals
        word = step.removesuffix(FORCED)
        if self.opening is not None or word.startswith(":"):
            found = self._told(at, word)
            if isinstance(found, Refusal):
                return found._replace(step=step)
            self.done.append(Done(step, found, deal, "", (), before))
            return None
        return self._acted(at, step, word, deal)

    # what is told of a deal

    def _told(self, at: int, word: str) -> int | Refusal:
        """Take an answer, a hand or the next deal; how many steps of the recorder that is."""
        name, *parts = word.removeprefix(":").split(" ")
        if word == ":deal":
            return self._next(at)
        if word.startswith(":hand "):
            return self._hand(at, parts)
        ask = self.ask
        if ask is None:
            return Refusal(at, word, NO_ANSWER, (("step", word),))
        about = tuple([name, *parts][: len(ask.about)])
        answer = " ".join([name, *parts][len(ask.about) :])
        if not word.startswith(":"):  # a card is an answer by itself, and the number of one
            about, answer = ask.about, word
            if word.isdecimal() and 0 < int(word) <= len(ask.options):
                answer = ask.options[int(word) - 1][0]
        known = {word for word, _ in ask.options} or {*self.cards, UNTOLD}
        if about != ask.about or answer not in known:
            return Refusal(at, word, FIRST, (("question", ask.text),))
        return self._answered(at, word, ask, answer)

    def _answered(self, at: int, word: str, ask: Ask, answer: str) -> int | Refusal:
        assert self.opening is not None  # or nothing were asked
        before = self.opening
        try:
            if ask.about == ("opener",):
                self.opening = {**before, self.opens: int(answer)}
            else:
                self.opening = self.game.answered(self.table, before, ask.about, answer)
            return self._begin()
        except Refused as refused:
            self.opening = before
            return Refusal(at, word, findings=tuple(refused.findings))
        except (ValueError, IndexError):
            self.opening = before
            return Refusal(at, word, NO_ANSWER, (("step", word),))

    def _next(self, at: int) -> int | Refusal:
        """Another deal."""
        if self.opening is not None or not self.said.over:
            return Refusal(at, ":deal", NOT_OVER)
        if self.said.match.over:
            return Refusal(at, ":deal", MATCH_OVER)
        self.opening = {}
        return self._begin()

    def _begin(self) -> int:
        """Deal, once nothing is asked any more."""
        if self.opening is None or self.ask is not None:
            return 0
        keys = self.opening
        if self.opens not in keys:
            keys = {self.opens: self._openers[0], **keys}
        self.said = self.recorder.deal(**keys)
        self.opening = None
        self.deals += 1
        return 1

    def _hand(self, at: int, parts: list[str]) -> int | Refusal:
        """A hand as it was dealt, now or once the deal goes on."""
        seat, *cards = parts
        size = self.game.hand_size(self.table)
        word = f":hand {' '.join(parts)}"
        if not seat.isdecimal() or not 1 <= int(seat) <= self.players or len(cards) > size:
            return Refusal(at, word, NO_ANSWER, (("step", word),))
        try:
            held = [self.game.held(self.table, card) for card in cards]
        except KeyError:
            return Refusal(at, word, NO_ANSWER, (("step", word),))
        hand = " ".join([*held, *[UNTOLD] * (size - len(held))]) if held else UNTOLD
        told = self.opening if self.opening is not None else self.recorder.log()["deals"][-1]
        hands = list(told.get("hands") or [UNTOLD] * self.players)
        hands[int(seat) - 1] = hand
        if self.opening is not None:
            self.opening = {**self.opening, "hands": hands}
            return 0
        try:
            self.said = self.recorder.know(hands=hands)
        except Refused as refused:
            return Refusal(at, word, findings=tuple(refused.findings))
        return 1

    # what is done

    def _acted(self, at: int, step: str, word: str, deal: int) -> Refusal | None:
        """An action: by the seat it names, by whose turn it is, or by the one who may."""
        forced = step.endswith(FORCED)
        if word[:1].isdigit() and word[1:2] == " ":
            return self._try(at, step, word, deal, forced)
        turn, before = self.said.turn, self.said
        refusal = Refusal(at, step, WHOSE)
        if turn is not None or before.over:
            refused = self._try(at, step, f"{turn or 1} {word}", deal, False)
            if refused is None:
                return None
            refusal = refused
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
        faults = [
            one
            for one in said.findings
            if one.severity == ERROR and one.deal == deal and one.action == place
        ]
        if faults and not forced:
            self.said = self.recorder.undo()
            return Refusal(at, step, findings=tuple(faults), can=True)
        self.said = said
        self.done.append(Done(step, 1, deal, action, tuple(faults), None))
        return None
