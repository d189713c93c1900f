"""An edit in words, as one tells a scribe what to put right."""

import json
import re
from typing import Any, NamedTuple

from ingest.findings.finding import UNKNOWN_ACTION, Edit, Finding
from ingest.findings.spoken_notation import (
    shortened,
    speak_action,
    speak_seat,
    speak_winner,
    speak_word,
)
from ingest.i18n import N_, Translate

LEAVE_OUT = N_("Leave out: {action}.")
WRITE = N_("Write {value}.")
OPENED = {"dealer": N_("Dealer: write {value}."), "leader": N_("Who leads: write {value}.")}
"""Keys of a log as players say them."""
SEVERAL = N_("→ One of these, the likeliest first:")
UNSEARCHED = N_("The search for edits ended early: so much is wrong with this match.")
EXCHANGED = {
    "swap": N_("Exchange actions {n} and {m}: first {one}, then {other}."),
    "cards": N_("Exchange the cards of actions {n} and {m}: first {one}, then {other}."),
}
DEALT = {  # by whether there is a card to write, and one that is there
    (True, True): N_("Card {n}: write {card} instead of {other}."),
    (True, False): N_("Card {n}: add {card}."),
    (False, True): N_("Card {n}: leave out {other}."),
    (False, False): N_("Leave out a space before card {n}."),
}
ACTION = re.compile(r"[1-9] .+", re.DOTALL)  # a seat and a word, whether known or not


def speak_edit(t: Translate, finding: Finding) -> str:
    """What a finding's edit asks for, as one tells a scribe; empty when it has none."""
    return "" if finding.edit is None else _Speaker(t, finding).edit(finding.edit)


def speak_candidates(t: Translate, finding: Finding) -> list[str]:
    """What each candidate asks for, and the points it makes."""
    told = []
    for one in finding.candidates:
        said = _Speaker(t, finding).edit(one.edit)
        points = " – ".join(map(str, one.points or ()))
        told.append(t("{edit} It makes {points}.", edit=said, points=points) if points else said)
    return told


class _Speaker(NamedTuple):
    """Says edits of a finding, in the words of the match's own game."""

    t: Translate
    finding: Finding

    def edit(self, edit: Edit) -> str:
        t, keys = self.t, edit.path.split("/")
        if edit.cards is not None:
            return self._card(edit.path, edit.why, *edit.cards)
        if edit.why in EXCHANGED:
            both = edit, *edit.also
            n, m = map(_number, both)
            one, other = (self._told(str(one.value)) for one in both)
            return t(EXCHANGED[edit.why], n=n, m=m, one=one, other=other)
        if edit.why == "move":
            (to,) = edit.also
            n, m, what = _number(edit), _number(to), self._told(str(to.value))
            return t("Action {n} comes as action {m}: {what}.", n=n, m=m, what=what)
        if edit.op == "remove":
            return self._left_out(edit)
        if "/actions/" in edit.path:
            return self._acted(edit)
        # a value of the sheet: a total, a seat, a winner, a time, a bid card
        if self.finding.record.declares == "winner":
            value = speak_winner(t, edit.value, self.finding.detail)
        elif edit.why == "seat":
            value = self._seat(edit.value)
        elif edit.why == "cut":
            value = self._cut(str(edit.value))
        elif isinstance(edit.value, list):
            value = " – ".join(map(str, edit.value))
        else:
            value = str(edit.value).lower() if isinstance(edit.value, bool) else str(edit.value)
        # where it is not the value that was found, with what it is
        if edit.path != self.finding.path and keys[-2] == "bids":
            return t("Bid of {who}: write {value}.", who=self._seat(int(keys[-1]) + 1), value=value)
        if edit.path != self.finding.path and edit.why == "seat":
            return t(OPENED.get(keys[-1], N_("{key}: write {value}.")), key=keys[-1], value=value)
        return t(WRITE, value=value)

    def _acted(self, edit: Edit) -> str:
        """An action that comes in the place of another one, or before it."""
        t, finding = self.t, self.finding
        if edit.why == "split":
            every = [self._told(str(one.value)) for one in (edit, *edit.also)]
            told = " · ".join(every)
            return t("Write it as {n} actions: {actions}.", n=len(every), actions=told)
        who, action = self._who_did(str(edit.value))
        n, here = _number(edit), edit.path == finding.path
        if finding.code == UNKNOWN_ACTION and here and edit.op == "replace":
            return t(WRITE, value=edit.value)  # to the letter: spoken, `V♠` and `Js` are the same
        if edit.also:
            said = N_("Add before it, with the time {time}: {who}, {action}.")
            return t(said, time=edit.also[0].value, who=who, action=action)
        if edit.op == "add" and finding.code == "incomplete":
            said = N_("Add at the end: {who}, {action}.")
        elif edit.op == "add" and here:
            said = N_("Add before it: {who}, {action}.")
        elif edit.op == "add":
            said = N_("Add as action {n}: {who}, {action}.")
        elif edit.why == "seat":
            said = N_("It was {who}.") if here else N_("Action {n}: it was {who}.")
        elif edit.why == "card":
            said = N_("Play {card} instead.") if here else N_("Action {n}: play {card} instead.")
        elif here:
            said = N_("It should read: {action}.")
        else:
            said = N_("Action {n} should read: {who}, {action}.")
        return t(said, n=n, who=who, action=action, card=action)

    def _card(self, path: str, why: str, n: int, *both: str) -> str:
        """A card of a pack, or of a hand in it."""
        t = self.t
        other, card = map(self._word, both)
        if why == "exchange":
            return t("Exchange {one} and {other} in the cards as dealt.", one=other, other=card)
        said = t(DEALT[bool(card), bool(other)], n=n, card=card, other=other)
        _, _, seat = path.partition("/hands/")
        return t("{who}, hand. {edit}", who=self._seat(int(seat) + 1), edit=said) if seat else said

    def _left_out(self, edit: Edit) -> str:
        """What is too many: an action, a time, an attempt of a cut or a whole cut."""
        if edit.why == "time":
            return self.t("Leave out time {n}: {value}.", n=_number(edit), value=edit.value)
        if edit.why == "cut":
            attempts = [edit.value] if isinstance(edit.value, str) else edit.value
            return self.t(LEAVE_OUT, action=" – ".join(map(self._cut, attempts)))
        action = self._word(str(edit.value).partition(" ")[2])
        if edit.path != self.finding.path:
            return self.t("Leave out action {n}: {action}.", n=_number(edit), action=action)
        timed = N_("Leave out, with its time: {action}.")
        return self.t(timed if edit.also else LEAVE_OUT, action=action)

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
