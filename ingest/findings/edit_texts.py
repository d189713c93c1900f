"""Describes an edit in words."""

import json
import re
from typing import Any, NamedTuple

from ingest.findings import spoken_notation
from ingest.findings.finding import UNKNOWN_ACTION, Edit, Finding
from ingest.i18n import N_, Translate

WINNER = N_("Write {value} as the winner: {who}.")
LEAVE_OUT = N_("Remove: {action}.")
WRITE = N_("Write {value}.")
WRITE_WITH_RULES = N_("Write the game {value} with the rules {rules}.")
OPENER_TEXTS = {"dealer": N_("Dealer: write {value}."), "leader": N_("Leader: write {value}.")}
"""Keys of a log in players' words."""
SEARCH_STOPPED_TEXT = N_("The search for edits stopped early: this match has too many findings.")
EXCHANGE_TEXTS = {
    "swap": N_("Exchange actions {n} and {m}. The right order: {one}, then {other}."),
    "cards": N_("Exchange the cards of actions {n} and {m}: action {n} becomes {one}, action {m} {other}."),
}
EXCHANGE_OF_ONE_PLAYER = N_("Exchange {other} (action {n}) and {one} (action {m}) of {who}.")
CARD_TEXTS = {  # keys: (is there a card to write, is there a card now)
    (True, True): N_("Card {n}: write {card} instead of {other}."),
    (True, False): N_("Card {n}: add {card}."),
    (False, True): N_("Card {n}: remove {other}."),
    (False, False): N_("Remove a space before card {n}."),
}
ACTION_PATTERN = re.compile(r"[1-9] .+", re.DOTALL)  # a seat and a word, known or not


def describe_edit(t: Translate, finding: Finding) -> str:
    """Describe a finding's edit as an instruction; empty if it has none."""
    return "" if finding.edit is None else _EditDescriber(t, finding).describe(finding.edit)


def candidates_heading(t: Translate, finding: Finding) -> str:
    """Return the line above the candidate edits."""
    return t("One of these, most likely first:") if len(finding.candidates) > 1 else t("Perhaps:")


def describe_candidates(t: Translate, finding: Finding) -> list[str]:
    """Describe each candidate edit, and the resulting points of a deal that ends with it."""
    items = []
    for one in finding.candidates:
        text = _EditDescriber(t, finding).describe(one.edit)
        if one.winner is not None and one.points and any(one.points):
            points = " – ".join(map(str, one.points))
            text = t("{edit} Score after the fix: {points}.", edit=text, points=points)
        items.append(text)
    return items


class _EditDescriber(NamedTuple):
    t: Translate
    finding: Finding

    def describe(self, edit: Edit) -> str:
        t, keys = self.t, edit.path.split("/")
        if edit.cards is not None:
            return self._describe_card(edit.path, edit.reason, *edit.cards)
        if edit.reason in EXCHANGE_TEXTS:
            both = edit, *edit.also
            n, m = map(_position, both)
            values = [str(half.value) for half in both]
            if edit.reason == "swap" and all(map(ACTION_PATTERN.fullmatch, values)):
                (who, one), (whom, other) = map(self._seat_and_word, values)
                if who == whom:
                    return t(EXCHANGE_OF_ONE_PLAYER, n=n, m=m, one=one, other=other, who=who)
            one, other = map(self._action_text, values)
            return t(EXCHANGE_TEXTS[edit.reason], n=n, m=m, one=one, other=other)
        if edit.reason == "move":
            (to,) = edit.also
            n, m, what = _position(edit), _position(to), self._action_text(str(to.value))
            return t("Move action {n} to place {m}: {what}.", n=n, m=m, what=what)
        if edit.op == "remove":
            return self._describe_removal(edit)
        if "/actions/" in edit.path:
            return self._describe_action(edit)
        # any other edit writes a value: a total, a seat, a winner, a time, a bid card
        if keys[-1] == "winner":
            who = spoken_notation.describe_winner(t, edit.value, self.finding.detail)
            return t(WINNER, who=who, value=edit.value)
        if edit.reason == "seat":
            value = self._seat_text(edit.value)
        elif edit.reason == "cut":
            value = self._cut_text(str(edit.value))
        elif isinstance(edit.value, list):
            value = " – ".join(map(str, edit.value))
        else:
            value = str(edit.value).lower() if isinstance(edit.value, bool) else str(edit.value)
        # an edit away from the finding's path needs the name of its key
        if edit.path != self.finding.path and keys[-2] == "bids":
            return t("Bid of {who}: write {value}.", who=self._seat_text(int(keys[-1]) + 1), value=value)
        if edit.path != self.finding.path and edit.reason == "seat":
            return t(OPENER_TEXTS.get(keys[-1], N_("{key}: write {value}.")), key=keys[-1], value=value)
        if edit.reason == "value" and edit.also:
            return t(WRITE_WITH_RULES, value=value, rules=edit.also[0].value)
        return t(WRITE, value=value)

    def _describe_action(self, edit: Edit) -> str:
        t, finding = self.t, self.finding
        if edit.reason == "split":
            every = [self._action_text(str(one.value)) for one in (edit, *edit.also)]
            return t("Write it as {n} actions: {actions}.", n=len(every), actions=" · ".join(every))
        who, action = self._seat_and_word(str(edit.value))
        n, here = _position(edit), edit.path == finding.path
        if finding.code == UNKNOWN_ACTION and here and edit.op == "replace":
            return t(WRITE, value=edit.value)  # verbatim: `V♠` and `Js` have the same description
        if edit.also:
            message = N_("Before action {n}, add with the time {time}: {who}, {action}.")
            return t(message, n=n, time=edit.also[0].value, who=who, action=action)
        if edit.op == "add" and finding.code == "incomplete":
            message = N_("Add at the end: {who}, {action}.")
        elif edit.op == "add" and here and ACTION_PATTERN.fullmatch(str(finding.found)):
            found = self._word_text(str(finding.found).partition(" ")[2])
            message = N_("Before action {n} ({found}), add: {who}, {action}.")
            return t(message, found=found, n=n, who=who, action=action)
        elif edit.op == "add":
            message = N_("Add as action {n}: {who}, {action}.")
        elif edit.reason == "seat":
            message = N_("It was {who}.") if here else N_("Action {n}: it was {who}.")
        elif edit.reason == "card":
            elsewhere = N_("{who}, action {n}: play {card} instead.")
            message = N_("Play {card} instead.") if here else elsewhere
        elif here:
            message = N_("It should read: {action}.")
        else:
            message = N_("Action {n} should read: {who}, {action}.")
        return t(message, n=n, who=who, action=action, card=action)

    def _describe_card(self, path: str, reason: str, n: int, *both: str) -> str:
        """Describe a change of card `n` of a pack or hand; `both`: the card there, the new one."""
        t = self.t
        other, card = map(self._word_text, both)
        if reason == "exchange":
            return t("Exchange {one} and {other} in the cards as dealt.", one=other, other=card)
        message = t(CARD_TEXTS[bool(card), bool(other)], n=n, card=card, other=other)
        _, _, seat = path.partition("/hands/")
        return t("{who}, hand. {edit}", who=self._seat_text(int(seat) + 1), edit=message) if seat else message

    def _describe_removal(self, edit: Edit) -> str:
        """Describe the removal of an action, a time, an attempt at the cut or a whole cut."""
        if edit.reason == "time":
            return self.t("Remove time {n}: {value}.", n=_position(edit), value=edit.value)
        if edit.reason == "cut":
            attempts = [edit.value] if isinstance(edit.value, str) else edit.value
            return self.t(LEAVE_OUT, action=" – ".join(map(self._cut_text, attempts)))
        action = self._word_text(str(edit.value).partition(" ")[2])
        if edit.path != self.finding.path:
            return self.t("Remove action {n}: {action}.", n=_position(edit), action=action)
        timed = N_("Remove, with its time: {action}.")
        return self.t(timed if edit.also else LEAVE_OUT, action=action)

    def _seat_text(self, seat: Any) -> str:
        return spoken_notation.describe_seat(self.t, seat, self.finding.detail.get("names", []))

    def _word_text(self, word: str) -> str:
        return spoken_notation.truncated(
            spoken_notation.describe_word(self.t, word, self.finding.game or None)
        )

    def _cut_text(self, attempt: str) -> str:
        return spoken_notation.describe_action(self.t, attempt, self.finding.game or None)

    def _seat_and_word(self, action: str) -> tuple[str, str]:
        """Return the descriptions of an action's seat and of its word."""
        seat, _, word = action.partition(" ")
        return self._seat_text(int(seat)), self._word_text(word)

    def _action_text(self, action: str) -> str:
        if ACTION_PATTERN.fullmatch(action):
            return ", ".join(self._seat_and_word(action))
        return json.dumps(spoken_notation.truncated(action), ensure_ascii=False)


def _position(edit: Edit) -> int:
    """Return the place in its list that an edit changes, from 1."""
    return int(edit.path.rpartition("/")[2]) + 1
