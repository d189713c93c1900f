"""An edit in words, as one tells a scribe what to put right."""

import json
import re
from typing import Any, NamedTuple

from ingest.finding.finding import UNKNOWN_ACTION, Edit, Finding
from ingest.finding.words import shortened, speak_action, speak_seat, speak_winner, speak_word
from ingest.i18n import N_, Translate

PLAY = N_("Play {card} instead.")
PLAY_THERE = N_("Action {n}: play {card} instead.")
READ = N_("It should read: {action}.")
GIVE = N_("It was {who}.")
LEAVE_OUT = N_("Leave out: {action}.")
ADD_BEFORE = N_("Add before it: {who}, {action}.")
ADD_LAST = N_("Add at the end: {who}, {action}.")
WRITE = N_("Write {value}.")
WRITE_CARD = N_("Card {n}: write {card} instead of {other}.")
ADD_CARD = N_("Card {n}: add {card}.")
LEAVE_OUT_CARD = N_("Card {n}: leave out {other}.")
IN_HAND = N_("{who}, hand. {edit}")
READ_THERE = N_("Action {n} should read: {who}, {action}.")
GIVE_THERE = N_("Action {n}: it was {who}.")
LEAVE_OUT_THERE = N_("Leave out action {n}: {action}.")
ADD_THERE = N_("Add as action {n}: {who}, {action}.")
MOVE = N_("Action {n} comes as action {m}: {what}.")
SWAP_PLAYED = N_("Exchange the cards of actions {n} and {m}: first {one}, then {other}.")
BID = N_("Bid of {who}: write {value}.")
OPENS = N_("{key}: write {value}.")
OPENED = {"dealer": N_("Dealer: write {value}."), "leader": N_("Who leads: write {value}.")}
"""Keys of a log as players say them."""
MAKES = N_("{edit} It makes {points}.")
SEVERAL = N_("→ One of these, the likeliest first:")
UNSEARCHED = N_("The search for edits ended early: so much is wrong with this match.")
LEAVE_OUT_TIMED = N_("Leave out, with its time: {action}.")
ADD_TIMED = N_("Add before it, with the time {time}: {who}, {action}.")
LEAVE_OUT_SPACE = N_("Leave out a space before card {n}.")
LEAVE_OUT_TIME = N_("Leave out time {n}: {value}.")
SWAP_CARDS = N_("Exchange {one} and {other} in the cards as dealt.")
SWAP = N_("Exchange actions {n} and {m}: first {one}, then {other}.")
SPLIT = N_("Write it as {n} actions: {actions}.")
ACTION = re.compile(r"[1-9] .+", re.DOTALL)
"""A seat and a word, whether known or not."""


def speak_edit(t: Translate, finding: Finding) -> str:
    """What a finding's edit asks for, as one tells a scribe; empty when it has none."""
    return "" if finding.edit is None else speak(t, finding, finding.edit)


def speak_candidates(t: Translate, finding: Finding) -> list[str]:
    """What each candidate asks for, and the points it makes."""
    told = []
    for one in finding.candidates:
        said = speak(t, finding, one.edit)
        points = " – ".join(map(str, one.points or ()))
        told.append(t(MAKES, edit=said, points=points) if points else said)
    return told


def speak(t: Translate, finding: Finding, edit: Edit) -> str:
    """What an edit of a finding asks for."""
    return _Speaker(t, finding).edit(edit)


class _Speaker(NamedTuple):
    """Says edits of a finding, in the words of the match's own game."""

    t: Translate
    finding: Finding

    def edit(self, edit: Edit) -> str:
        """What an edit asks for."""
        if edit.cards is not None:
            return self._card(edit.path, edit.why, *edit.cards)
        if edit.why in ("swap", "cards"):
            both = edit, *edit.also
            n, m = map(_number, both)
            one, other = (self._told(str(one.value)) for one in both)
            template = SWAP if edit.why == "swap" else SWAP_PLAYED
            return self.t(template, n=n, m=m, one=one, other=other)
        if edit.why == "move":
            (to,) = edit.also
            return self.t(MOVE, n=_number(edit), m=_number(to), what=self._told(str(to.value)))
        if edit.op == "remove":
            return self._left_out(edit)
        if "/actions/" in edit.path:
            return self._acted(edit)
        value, keys = self._value(edit), edit.path.split("/")
        # where it is not the value that was found, with what it is
        if edit.path != self.finding.path and keys[-2] == "bids":
            return self.t(BID, who=self._seat(int(keys[-1]) + 1), value=value)
        if edit.path != self.finding.path and edit.why == "seat":
            return self.t(OPENED.get(keys[-1], OPENS), key=keys[-1], value=value)
        return self.t(WRITE, value=value)

    def _acted(self, edit: Edit) -> str:
        """An action that comes in the place of another one, or before it."""
        t, finding = self.t, self.finding
        if edit.why == "split":
            every = [self._told(str(one.value)) for one in (edit, *edit.also)]
            return t(SPLIT, n=len(every), actions=" · ".join(every))
        who, action = self._who_did(str(edit.value))
        n, here = _number(edit), edit.path == finding.path
        if finding.code == UNKNOWN_ACTION and here and edit.op == "replace":
            return t(WRITE, value=edit.value)  # to the letter: spoken, `V♠` and `Js` are the same
        if edit.also:
            return t(ADD_TIMED, time=edit.also[0].value, who=who, action=action)
        if edit.op == "add":
            told = ADD_LAST if finding.code == "incomplete" else ADD_BEFORE if here else ADD_THERE
            return t(told, n=n, who=who, action=action)
        if edit.why == "seat":
            return t(GIVE if here else GIVE_THERE, n=n, who=who)
        if edit.why == "card":
            return t(PLAY if here else PLAY_THERE, n=n, card=action)
        return t(READ if here else READ_THERE, n=n, who=who, action=action)

    def _card(self, path: str, why: str, n: int, *both: str) -> str:
        """A card of a pack, or of a hand in it."""
        other, card = map(self._word, both)
        if why == "exchange":
            return self.t(SWAP_CARDS, one=other, other=card)
        template = WRITE_CARD if card and other else ADD_CARD if card else LEAVE_OUT_CARD
        if not card and not other:
            template = LEAVE_OUT_SPACE
        said = self.t(template, n=n, card=card, other=other)
        _, _, seat = path.partition("/hands/")
        return self.t(IN_HAND, who=self._seat(int(seat) + 1), edit=said) if seat else said

    def _left_out(self, edit: Edit) -> str:
        """What is too many: an action, a time, an attempt of a cut or a whole cut."""
        if edit.why == "time":
            return self.t(LEAVE_OUT_TIME, n=_number(edit), value=edit.value)
        if edit.why == "cut":
            attempts = [edit.value] if isinstance(edit.value, str) else edit.value
            return self.t(LEAVE_OUT, action=" – ".join(map(self._cut, attempts)))
        action = self._word(str(edit.value).partition(" ")[2])
        if edit.path != self.finding.path:
            return self.t(LEAVE_OUT_THERE, n=_number(edit), action=action)
        return self.t(LEAVE_OUT_TIMED if edit.also else LEAVE_OUT, action=action)

    def _value(self, edit: Edit) -> str:
        """A value of the sheet: a total, a seat, a winner, a time, a bid card."""
        if self.finding.record.declares == "winner":
            return speak_winner(self.t, edit.value, self.finding.detail)
        if edit.why == "seat":
            return self._seat(edit.value)
        if edit.why == "cut":
            return self._cut(str(edit.value))
        if isinstance(edit.value, list):
            return " – ".join(map(str, edit.value))
        return str(edit.value).lower() if isinstance(edit.value, bool) else str(edit.value)

    def _seat(self, seat: Any) -> str:
        return speak_seat(self.t, seat, self.finding.detail.get("names", []))

    def _word(self, word: str) -> str:
        return shortened(speak_word(self.t, word, self.finding.game or None))

    def _cut(self, attempt: str) -> str:
        return speak_action(self.t, attempt, self.finding.game or None)

    def _who_did(self, action: str) -> tuple[str, str]:
        """Who acts, and what it is, of an action in the words of the format."""
        seat, _, word = action.partition(" ")
        return self._seat(int(seat)), self._word(word)

    def _told(self, action: str) -> str:
        """An action as a log has it: who acts and what it is; what is none, as it stands there."""
        if ACTION.fullmatch(action):
            return ", ".join(self._who_did(action))
        return json.dumps(shortened(action), ensure_ascii=False)


def _number(edit: Edit) -> int:
    """The place an edit is about in its list, from 1."""
    return int(edit.path.rpartition("/")[2]) + 1
