"""An edit in words, as one tells a scribe what to put right."""

from ingest.finding.finding import Edit, Finding
from ingest.finding.words import speak_action, speak_seat, speak_winner, speak_word
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
LEAVE_OUT_TIMED = N_("Leave out, with its time: {action}.")
ADD_TIMED = N_("Add before it, with the time {time}: {who}, {action}.")
LEAVE_OUT_SPACE = N_("Leave out a space before card {n}.")
LEAVE_OUT_TIME = N_("Leave out time {n}: {value}.")
SWAP_CARDS = N_("Exchange {one} and {other} in the cards as dealt.")
SWAP = N_("Exchange actions {n} and {m}: first {one}, then {other}.")


def speak_edit(t: Translate, finding: Finding) -> str:
    """What a finding's edit asks for, as one tells a scribe; empty when it has none."""
    edit = finding.edit
    if edit is None:
        return ""
    names = finding.detail.get("names", [])
    if edit.cards is not None:
        return _card(t, edit, names)
    if edit.why == "swap":
        return _swap(t, edit, names)
    if edit.op == "remove":
        return _left_out(t, finding, edit)
    if "/actions/" not in edit.path:
        return t(WRITE, value=_value(t, finding, edit))
    seat, _, word = str(edit.value).partition(" ")
    who, action = speak_seat(t, int(seat), names), speak_word(t, word)
    if edit.also:
        return t(ADD_TIMED, time=edit.also[0].value, who=who, action=action)
    if edit.op == "add":
        return t(ADD_LAST if finding.code == "incomplete" else ADD_BEFORE, who=who, action=action)
    if edit.why == "seat":
        return t(GIVE, who=who)
    if edit.path != finding.path:
        return t(PLAY_THERE, n=int(edit.path.rpartition("/")[2]) + 1, card=action)
    return t(PLAY, card=action) if edit.why == "card" else t(READ, action=action)


def _card(t: Translate, edit: Edit, names: list[str]) -> str:
    """A card of a pack, or of a hand in it, in words."""
    assert edit.cards is not None
    n, other, card = edit.cards
    if edit.why == "exchange":
        return t(SWAP_CARDS, one=speak_word(t, other), other=speak_word(t, card))
    template = WRITE_CARD if card and other else ADD_CARD if card else LEAVE_OUT_CARD
    if not card and not other:
        template = LEAVE_OUT_SPACE
    said = t(template, n=n, card=speak_word(t, card), other=speak_word(t, other))
    _, _, seat = edit.path.partition("/hands/")
    return t(IN_HAND, who=speak_seat(t, int(seat) + 1, names), edit=said) if seat else said


def _swap(t: Translate, edit: Edit, names: list[str]) -> str:
    """Two actions in each other's place, in words."""
    places = [int(one.path.rpartition("/")[2]) + 1 for one in (edit, *edit.also)]
    words = []
    for one in (edit, *edit.also):
        seat, _, word = str(one.value).partition(" ")
        words.append(f"{speak_seat(t, int(seat), names)}, {speak_word(t, word)}")
    return t(SWAP, n=places[0], m=places[1], one=words[0], other=words[1])


def _left_out(t: Translate, finding: Finding, edit: Edit) -> str:
    """What is too many, in words: an action, a time, an attempt of a cut or a whole cut."""
    if edit.why == "time":
        return t(LEAVE_OUT_TIME, n=int(edit.path.rpartition("/")[2]) + 1, value=edit.value)
    if edit.why == "cut":
        attempts = [edit.value] if isinstance(edit.value, str) else edit.value
        return t(LEAVE_OUT, action=" – ".join(speak_action(t, one) for one in attempts))
    action = speak_word(t, str(finding.found).partition(" ")[2])
    return t(LEAVE_OUT_TIMED if edit.also else LEAVE_OUT, action=action)


def _value(t: Translate, finding: Finding, edit: Edit) -> str:
    """A value of the sheet in words: a total, a seat, a winner, a time, a bid card."""
    if finding.code.endswith(("winner-differs", "result-differs")):
        return speak_winner(t, edit.value, finding.detail)
    if edit.why == "seat":
        return speak_seat(t, edit.value, finding.detail.get("names", []))
    if edit.why == "cut":
        return speak_action(t, str(edit.value))
    if isinstance(edit.value, list):
        return " – ".join(map(str, edit.value))
    return str(edit.value).lower() if isinstance(edit.value, bool) else str(edit.value)
