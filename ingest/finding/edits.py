"""An edit in words, as one tells a scribe what to put right."""

import json
import re
from typing import Any

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
    if edit.cards is not None:
        return _card(t, finding, edit)
    if edit.why in ("swap", "cards"):
        return _swap(t, finding, edit)
    if edit.why == "move":
        return _moved(t, finding, edit)
    if edit.op == "remove":
        return _left_out(t, finding, edit)
    if "/actions/" not in edit.path:
        return _written(t, finding, edit)
    return _acted(t, finding, edit)


def _acted(t: Translate, finding: Finding, edit: Edit) -> str:
    """An action that comes in the place of another one, or before it."""
    if edit.why == "split":
        every = [_told(t, finding, str(one.value)) for one in (edit, *edit.also)]
        return t(SPLIT, n=len(every), actions=" · ".join(every))
    who, action = _who_did(t, finding, str(edit.value))
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


def _written(t: Translate, finding: Finding, edit: Edit) -> str:
    """A value of the sheet; where it is not the one that was found, with what it is."""
    value = _value(t, finding, edit)
    keys = edit.path.split("/")
    if edit.path != finding.path and keys[-2] == "bids":
        return t(BID, who=_seat(t, finding, int(keys[-1]) + 1), value=value)
    if edit.path != finding.path and edit.why == "seat":
        return t(OPENED.get(keys[-1], OPENS), key=keys[-1], value=value)
    return t(WRITE, value=value)


def _moved(t: Translate, finding: Finding, edit: Edit) -> str:
    """An action that comes at another place."""
    (to,) = edit.also
    return t(MOVE, n=_number(edit), m=_number(to), what=_told(t, finding, str(to.value)))


def _card(t: Translate, finding: Finding, edit: Edit) -> str:
    """A card of a pack, or of a hand in it."""
    assert edit.cards is not None
    n, *both = edit.cards
    other, card = (_word(t, finding, word) for word in both)
    if edit.why == "exchange":
        return t(SWAP_CARDS, one=other, other=card)
    template = WRITE_CARD if card and other else ADD_CARD if card else LEAVE_OUT_CARD
    if not card and not other:
        template = LEAVE_OUT_SPACE
    said = t(template, n=n, card=card, other=other)
    _, _, seat = edit.path.partition("/hands/")
    return t(IN_HAND, who=_seat(t, finding, int(seat) + 1), edit=said) if seat else said


def _swap(t: Translate, finding: Finding, edit: Edit) -> str:
    """Two actions in each other's place."""
    both = edit, *edit.also
    n, m = map(_number, both)
    one, other = (_told(t, finding, str(one.value)) for one in both)
    told = SWAP if edit.why == "swap" else SWAP_PLAYED
    return t(told, n=n, m=m, one=one, other=other)


def _left_out(t: Translate, finding: Finding, edit: Edit) -> str:
    """What is too many: an action, a time, an attempt of a cut or a whole cut."""
    if edit.why == "time":
        return t(LEAVE_OUT_TIME, n=_number(edit), value=edit.value)
    if edit.why == "cut":
        attempts = [edit.value] if isinstance(edit.value, str) else edit.value
        return t(LEAVE_OUT, action=" – ".join(_cut(t, finding, one) for one in attempts))
    action = _word(t, finding, str(edit.value).partition(" ")[2])
    if edit.path != finding.path:
        return t(LEAVE_OUT_THERE, n=_number(edit), action=action)
    return t(LEAVE_OUT_TIMED if edit.also else LEAVE_OUT, action=action)


def _value(t: Translate, finding: Finding, edit: Edit) -> str:
    """A value of the sheet: a total, a seat, a winner, a time, a bid card."""
    if finding.record.declares == "winner":
        return speak_winner(t, edit.value, finding.detail)
    if edit.why == "seat":
        return _seat(t, finding, edit.value)
    if edit.why == "cut":
        return _cut(t, finding, str(edit.value))
    if isinstance(edit.value, list):
        return " – ".join(map(str, edit.value))
    return str(edit.value).lower() if isinstance(edit.value, bool) else str(edit.value)


# pieces of a sentence, in the words of the match's own game


def _number(edit: Edit) -> int:
    """The place an edit is about in its list, from 1."""
    return int(edit.path.rpartition("/")[2]) + 1


def _seat(t: Translate, finding: Finding, seat: Any) -> str:
    return speak_seat(t, seat, finding.detail.get("names", []))


def _word(t: Translate, finding: Finding, word: str) -> str:
    return shortened(speak_word(t, word, finding.game or None))


def _cut(t: Translate, finding: Finding, attempt: str) -> str:
    return speak_action(t, attempt, finding.game or None)


def _who_did(t: Translate, finding: Finding, action: str) -> tuple[str, str]:
    """Who acts, and what it is, of an action in the words of the format."""
    seat, _, word = action.partition(" ")
    return _seat(t, finding, int(seat)), _word(t, finding, word)


def _told(t: Translate, finding: Finding, action: str) -> str:
    """An action as a log has it: who acts and what it is; what is none, as it stands there."""
    if ACTION.fullmatch(action):
        return ", ".join(_who_did(t, finding, action))
    return json.dumps(shortened(action), ensure_ascii=False)
