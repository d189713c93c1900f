"""A match being typed in: replays its steps through a `Recorder`.

A step is the text of one key or tap: an action without its seat (`9h`, `mariage-d`), with a seat
where a player speaks out of turn (`3 coinche`), with `!` at its end if it broke the rules; an
answer to a question before the first card (`8h`, `:bid 2 3-4+`); `:hand 2 9h Jd …`; `:deal`.
An invalid step is rejected, and the steps after it wait, as they may depend on it. Texts for the
page are in one language and never markup.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, get_args

from dashboard import games
from dashboard.board.states import deal_states
from dashboard.games.base import Question
from dashboard.text.labels import seats_by_side
from dashboard.text.numbers import short_name
from engine.cards import HIDDEN_WORD, SUITS
from ingest.escaping import escape_line
from ingest.findings.finding import ERROR, WARNING, Finding
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from ingest.recorder import InvalidMatchError, Recorder, StepResult
from schemas.games import schemas_of
from schemas.notation import act_codes

FORCED_SUFFIX = "!"
NOT_AN_ANSWER = N_("Unexpected here: {step}")
FIRST = N_("First: {question}")
TURN_UNKNOWN = N_("The next player depends on cards that were not recorded: give the seat first.")


class InvalidStep(Exception):
    """A step is not possible; holds a text of the catalogue, and its values."""


class RejectedStep(NamedTuple):
    """A step that was rejected, and why: a text of the catalogue with its values, or findings."""

    step_index: int
    step: str
    text: str = ""
    values: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    can_force: bool = False
    """Whether it only breaks the rules, so that it may have happened."""

    def message(self, t: Translate) -> str:
        if self.text:
            return t(self.text, **dict(self.values))
        return " ".join(dict.fromkeys(finding.message(t) for finding in self.findings))


class AcceptedStep(NamedTuple):
    """One step that was accepted."""

    step: str
    recorder_steps: int
    """How many steps of the recorder it took."""
    deal: int
    """Index of its deal, from 0."""
    action: str
    """The action with its seat, empty if the step is none."""
    faults: tuple[Finding, ...]
    opening_before: dict[str, Any] | None
    """Opening data of the deal before the step, None if the deal had begun."""


def deal_model(game: str) -> Any:
    """Return the pydantic model of a game's deals."""
    return get_args(schemas_of(game).MATCH_MODEL.model_fields["deals"].annotation)[0]


class DraftMatch:
    """A match that is being typed in."""

    def __init__(self, head: dict[str, Any]) -> None:
        """`head` has the match's keys, and as `opener` the first seat to deal or lead, if known.

        InvalidMatchError: no match can have this head.
        """
        self.opener: int | None = head.get("opener")
        self.recorder = Recorder(**{key: of for key, of in head.items() if key != "opener"})
        self.game = games.game_view(head["game"])
        self.table = self.recorder.explained.known_setup  # the recorder refuses heads without one
        self.names = [escape_line(player.get("name") or player["id"]) for player in head["players"]]
        self.players = len(self.names)
        self.opener_key: str = deal_model(head["game"]).OPENS
        self.cards = {word for row in self.game.card_grid(self.table) for word in row}
        self.lock = threading.Lock()
        self.accepted: list[AcceptedStep] = []
        self.deal_count = 0
        self.rejected: RejectedStep | None = None
        self.opening: dict[str, Any] | None = {}
        self.state: StepResult = self.recorder.state
        self._deal_if_ready()

    def apply_steps(self, steps: Sequence[str]) -> None:
        """Apply these steps; first undo accepted steps that differ from them."""
        pairs = zip(steps, self.accepted, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1].step, pairs))
        removed = self.accepted[same:]
        if removed:
            del self.accepted[same:]
            if records := sum(one.recorder_steps for one in removed):
                self.state = self.recorder.undo(records)
            self.opening = None if removed[0].opening_before is None else dict(removed[0].opening_before)
            self.deal_count = removed[0].deal + 1 if self.opening is None else removed[0].deal
        self.rejected = None
        for at in range(same, len(steps)):
            self.rejected = self._apply_step(at, steps[at])
            if self.rejected is not None:
                return

    def rejection_text(self, t: Translate) -> str:
        """Return why a step was rejected, empty if none was."""
        if self.rejected is None:
            return ""
        if self.rejected.text == FIRST and (question := self.question_in(t)) is not None:
            return t(FIRST, question=question.text)  # the step has the question in English
        return self.rejected.message(t)

    @property
    def question(self) -> Question | None:
        """Return the question to answer before the first action, in English."""
        return self.question_in(Translate("en"))

    def question_in(self, t: Translate) -> Question | None:
        """Return the question to answer before the first action, None if there is none."""
        if self.opening is None:
            return None
        if self.opener_key not in self.opening:
            seats = self._possible_openers
            if len(seats) != 1:
                chosen = seats or range(1, self.players + 1)
                options = tuple((str(seat), self.names[seat - 1]) for seat in chosen)
                return Question(("opener",), t("Who begins?"), options)
        question = self.game.next_question(self.table, self.opening, t)
        if question is None or not question.seat:
            return question
        return question._replace(text=question.text.format(who=short_name(self.names[question.seat - 1])))

    @property
    def _possible_openers(self) -> list[int]:
        if not self.deal_count and self.opener is not None:
            return [self.opener]
        return list(self.state.match.openers)

    def _apply_step(self, step_index: int, step: str) -> RejectedStep | None:
        """Apply one step; return its rejection, None if it was accepted."""
        before = None if self.opening is None else dict(self.opening)
        deal = self.deal_count - 1 if before is None else self.deal_count
        word = step.removesuffix(FORCED_SUFFIX)
        if before is None and not word.startswith(":"):
            return self._apply_action(step_index, step, word, deal)
        try:
            records = self._apply_answer(word)
        except InvalidMatchError as error:
            refusal = RejectedStep(step_index, step, findings=tuple(error.findings))
        except InvalidStep as error:
            refusal = RejectedStep(step_index, step, *error.args)
        except (ValueError, IndexError, KeyError):  # not a valid answer for this game
            refusal = RejectedStep(step_index, step, NOT_AN_ANSWER, (("step", word),))
        else:
            self.accepted.append(AcceptedStep(step, records, deal, "", (), before))
            return None
        self.opening = before
        return refusal

    def _apply_answer(self, word: str) -> int:
        """Apply an answer, a hand or the next deal; return the number of recorder steps."""
        name, *parts = word.removeprefix(":").split(" ")
        if word == ":deal":
            if self.opening is not None or not self.state.over:
                raise InvalidStep(N_("The deal is not over yet."))
            if self.state.match.over:
                raise InvalidStep(N_("The match is over."))
            self.opening = {}
            return self._deal_if_ready()
        if word.startswith(":hand "):
            return self._set_hand(word, *parts)
        question = self.question
        if question is None or self.opening is None:
            raise InvalidStep(NOT_AN_ANSWER, (("step", word),))
        about = tuple([name, *parts][: len(question.keys)])
        answer = " ".join([name, *parts][len(question.keys) :])
        if not word.startswith(":"):  # a card, or the number of an option, is an answer by itself
            about, answer = question.keys, word
            if word.isdecimal() and 0 < int(word) <= len(question.options):
                answer = question.options[int(word) - 1][0]
        known = {word for word, _ in question.options} or {*self.cards, HIDDEN_WORD}
        if about != question.keys or answer not in known:
            raise InvalidStep(FIRST, (("question", question.text),))
        if question.keys == ("opener",):
            self.opening = {**self.opening, self.opener_key: int(answer)}
        else:
            self.opening = self.game.with_answer(self.table, self.opening, question.keys, answer)
        return self._deal_if_ready()

    def _deal_if_ready(self) -> int:
        """Begin the deal once no question is open; return the number of recorder steps."""
        if self.opening is None or self.question is not None:
            return 0
        opener = {} if self.opener_key in self.opening else {self.opener_key: self._possible_openers[0]}
        self.state = self.recorder.deal(**opener, **self.opening)
        self.opening = None
        self.deal_count += 1
        return 1

    def _set_hand(self, word: str, seat: str, *cards: str) -> int:
        """Set a hand, before or after the deal begins. KeyError: a card is not of this game."""
        if not seat.isdecimal() or not 1 <= int(seat) <= self.players:
            raise InvalidStep(NOT_AN_ANSWER, (("step", word),))
        held = [self.game.card_in_hand(self.table, card) for card in cards]
        deal = self.opening if self.opening is not None else self.recorder.log()["deals"][-1]
        keys = self.game.with_hand(self.table, deal, int(seat) - 1, held)
        if keys is None:
            raise InvalidStep(FIRST, (("question", self.question.text if self.question else ""),))
        if self.opening is not None:
            self.opening = {**self.opening, **keys}
            return 0
        self.state = self.recorder.update(**keys)
        return 1

    def _apply_action(self, step_index: int, step: str, word: str, deal: int) -> RejectedStep | None:
        """Apply an action for the seat it names, the seat to act, or the only other that may."""
        forced = step.endswith(FORCED_SUFFIX)
        if word[:1].isdigit() and word[1:2] == " ":
            return self._try_action(step_index, step, word, deal, forced)
        turn, before = self.state.turn, self.state
        refusal: RejectedStep | None = RejectedStep(step_index, step, TURN_UNKNOWN)
        if turn is not None or before.over:
            refusal = self._try_action(step_index, step, f"{turn or 1} {word}", deal, False)
        if refusal is None:
            return None
        others = [one for one in before.legal if one.partition(" ")[2] == word]
        if len(others) == 1:
            return self._try_action(step_index, step, others[0], deal, forced)
        if forced and refusal.can_force:
            return self._try_action(step_index, step, f"{turn} {word}", deal, True)
        return refusal

    def _try_action(
        self, step_index: int, step: str, action: str, deal: int, forced: bool
    ) -> RejectedStep | None:
        try:
            result = self.recorder.act(action)
        except InvalidMatchError as error:
            return RejectedStep(step_index, step, findings=tuple(error.findings))
        place = len(self.recorder.log()["deals"][-1].get("actions", [])) - 1
        errors = (one for one in result.findings if one.severity == ERROR)
        faults = tuple(one for one in errors if (one.deal_index, one.action_index) == (deal, place))
        if faults and not forced:
            self.state = self.recorder.undo()
            return RejectedStep(step_index, step, findings=faults, can_force=True)
        self.state = result
        self.accepted.append(AcceptedStep(step, 1, deal, action, faults, None))
        return None


# views

_ENDS_IN_SUIT = re.compile(rf"[-\d TJQKA][{SUITS}]$")
"""Matches an action that ends in a suit."""


def static_view(draft: DraftMatch, t: Translate) -> dict[str, Any]:
    """Return what stays the same while a match is typed in: cards, keys, words, seats."""
    game, table = draft.game, draft.table
    known, keys = table.game.name, dict(game.key_bindings(table, t))
    shown = _main_keys(keys)

    def speak(word: str) -> str:
        """Return an action in the words of players, with its seat if it has one."""
        seat, _, rest = word.partition(" ")
        if seat.isdigit() and rest:
            return t("{what} (seat {seat})", what=describe_word(t, rest, known), seat=seat)
        return describe_word(t, word, known)

    def tile(word: str) -> dict[str, Any]:
        fields = {"word": word, "label": describe_word(t, word, known)}
        return fields | game.card_tile(table, word, t)._asdict()

    return {
        "grid": [list(map(tile, row)) for row in game.card_grid(table)],
        "keys": keys | {f".{seat}": f"@{seat}" for seat in range(1, table.players + 1)},
        "words": {word: describe_word(t, word, known) for word in act_codes(known, table.faces)},
        "help": [(shown[word], speak(word)) for word in game.HELP_WORDS if word in shown],
        "seats": _short_names(draft),
    }


def _short_names(draft: DraftMatch) -> list[str]:
    return [short_name(name) for name in draft.names]


def _main_keys(keys: dict[str, str]) -> dict[str, str]:
    """Return each action with the first way to type it."""
    return {word: typed for typed, word in reversed(keys.items())}


def draft_view(draft: DraftMatch, t: Translate, board: bool = False) -> dict[str, Any]:
    """Return the state of the match: the seat to act, the possible steps, the findings."""
    output, refusal, question = draft.state, draft.rejected, draft.question_in(t)
    opening = draft.opening is not None
    over = not opening and output.over
    result = draft.opening if opening else draft.recorder.log()["deals"][-1]
    turn = None
    if not opening:  # if exactly one other seat owes an action first, it is that seat's turn
        legal = (one.partition(" ") for one in output.legal)
        due = {int(seat) for seat, _, word in legal if not draft.game.is_rare(word, True)}
        turn = due.pop() if output.turn not in due and len(due) == 1 else output.turn
    sayable = _possible_steps(draft, turn, t)
    if over and not output.match.over:
        another = {"step": ":deal", "text": t("Next deal"), "tone": "", "key": "⏎", "main": True}
        sayable["may"] = [another, *sayable["may"]]
    findings = draft.recorder.state.findings
    severe = [one for one in reversed(findings) if one.severity in (ERROR, WARNING)]
    here = [] if opening else [one for one in severe if one.deal_index in (None, draft.deal_count - 1)]
    stands = {
        "done": len(draft.accepted),
        "refused": refusal
        and {
            "at": refusal.step_index,
            "step": refusal.step,
            "reason": draft.rejection_text(t),
            "can": refusal.can_force,
        },
        "turn": (turn or 1) - 1,
        "whose": turn is None and not opening and not over,
        **_status_view(draft, turn, over, sayable["speaking"], t),
        "lines": list(_step_lines(draft, t)),
        "ask": question
        and {
            "step": " ".join([":" + question.keys[0], *question.keys[1:]]),
            "text": question.text,
            "options": [{"word": word, "text": text} for word, text in question.options],
        },
        "ended": over and output.match.over,
        "next": over and not output.match.over,
        "hands": [
            [card.partition("/")[0] for card in hand.split(" ") if card != HIDDEN_WORD]
            for hand in draft.game.recorded_hands(draft.table, result or {})
        ],
        "size": draft.game.hand_size(draft.table, result or {}),
        "found": [{"severity": one.severity, "rule": one.rule, "text": one.message(t)} for one in here],
        **sayable,
    }
    if board and not opening:
        stands["board"] = _board_view(draft, t)
    return stands


def _status_view(
    draft: DraftMatch, turn: int | None, over: bool, speaking: bool, t: Translate
) -> dict[str, Any]:
    """Return the texts of the status line: deal, score, seat to act, and how the deal ended."""
    result, who = draft.state, _short_names(draft)
    if over:
        to = t("The match is over") if result.match.over else t("The deal is over")
    elif draft.opening is not None:
        to = t("Deal {n}", n=draft.deal_count + 1)
    elif turn is None:
        to = t("The next player depends on cards that were not recorded")
    else:
        to = t(N_("{who} to speak") if speaking else N_("{who} to play"), who=who[turn - 1])
    deal = [] if draft.opening is not None else [t("Deal {n}", n=max(draft.deal_count, 1))]
    if result.match.score is not None:
        deal.append(" – ".join(map(str, result.match.score)))
    places = seats_by_side(len(who), draft.table.game.name)
    called = [" + ".join(who[one] for one in side) for side in places]
    points = result.points if draft.opening is None else []
    came, winner, total = "", result.winner, " – ".join(map(str, points))
    if over and isinstance(winner, int) and 0 < winner <= len(called):
        came = t("{who} wins the deal, {points}", who=called[winner - 1], points=total)
    elif over:
        came = t("The deal is over, {points}", points=total)
    if over and result.match.over and (won := result.match.winner) and 0 < won <= len(called):
        came += f" · {t('{who} wins the match', who=called[won - 1])}"
    return {
        "deal": " · ".join(deal),
        "points": [{"who": who, "points": str(n)} for who, n in zip(called, points, strict=False)],
        "over": came,
        "to": to,
    }


def _step_lines(draft: DraftMatch, t: Translate) -> Iterator[dict[str, Any]]:
    known, who = draft.table.game.name, _short_names(draft)
    deal = draft.deal_count if draft.opening is not None else draft.deal_count - 1
    for at, one in enumerate(draft.accepted):
        if one.deal != deal:
            continue
        seat, _, word = one.action.partition(" ")
        result = word or one.step.rpartition(" ")[2].removeprefix(":")
        if one.step.startswith(":hand "):
            text = t("hand of {who}", who=who[int(one.step.split(" ")[1]) - 1])
        elif one.step == ":deal":
            text = t("Next deal")
        else:
            text = result if result == HIDDEN_WORD else describe_word(t, result, known)
        yield {
            "at": at,
            "step": one.step,
            "who": who[int(seat) - 1] if seat.isdigit() and 0 < int(seat) <= len(who) else "",
            "text": text,
            "tone": draft.game.card_tile(draft.table, word, t).tone if word in draft.cards else "",
            "faults": [finding.message(t) for finding in one.faults],
        }


def _possible_steps(draft: DraftMatch, turn: int | None, t: Translate) -> dict[str, Any]:
    """Return the unavailable cards, the cards against the rules, and the other possible steps."""
    if draft.opening is not None:
        return {"removed": [], "not": [], "may": [], "aims": {}, "aim": "", "speaking": False}
    game, cards, result = draft.game, draft.cards, draft.state
    legal = [one.partition(" ") for one in result.legal]
    due = [word for seat, _, word in legal if int(seat) == turn]
    playable, removed = set(due), _unavailable_cards(draft, turn)
    # a tap on a card stands for the action of the seat to act that names it
    aims = {
        card: {"step": word, "text": game.button_text(word, t)}
        for word in ([] if playable & cards else due)
        if (card := word.partition(" ")[2]) in cards
    }
    shown = _main_keys(dict(game.key_bindings(draft.table, t)))
    aimed = {one["step"] for one in aims.values()}
    may = list[dict[str, Any]]()
    for seat, _, word in legal:
        step = word if int(seat) == turn else f"{seat} {word}"
        if word in cards or step in aimed:
            continue
        text = game.button_text(word, t)
        if int(seat) != turn:
            text = f"{_short_names(draft)[int(seat) - 1]} {text}"
        tone = word[-1] if _ENDS_IN_SUIT.search(word) else ""
        key = shown.get(step) or shown.get(word, "")
        seldom = game.is_rare(word, int(seat) == turn)
        may.append({"step": step, "text": text, "tone": tone, "key": key, "seldom": seldom})
    taught = {word: at for at, word in enumerate(game.HELP_WORDS)}
    # actions without a suit first, in the order of the help
    may.sort(key=lambda one: (bool(one["tone"]), not one["tone"] and taught.get(one["step"], 99)))
    verbs = dict.fromkeys(one["step"].partition(" ")[0] for one in aims.values())
    return {
        "removed": sorted(removed - aims.keys()),
        "not": sorted(cards - removed - playable - aims.keys()),
        "may": may,
        "aims": aims,
        "aim": " · ".join(game.button_text(verb, t) for verb in verbs),
        "speaking": bool(playable) and not aims and not playable & cards,
    }


def _unavailable_cards(draft: DraftMatch, turn: int | None) -> set[str]:
    """Return the cards played, in other hands, or missing in the acting seat's known hand."""
    cards, hands = draft.cards, draft.state.hands
    faces = {word: set(draft.game.card_in_hand(draft.table, word).split("/")) for word in cards}
    actions = draft.recorder.log()["deals"][-1].get("actions", [])
    away = {one.partition(" ")[2] for one in actions} & cards
    for seat, hand in enumerate(hands, 1):
        if seat != turn:
            away |= {card.partition("/")[0] for card in hand if card != HIDDEN_WORD}
    removed = {other for card in away for other in faces.get(card, {card})}
    own = hands[turn - 1] if turn and len(hands) >= turn else [HIDDEN_WORD]
    if HIDDEN_WORD not in own:
        removed |= cards - {card.partition("/")[0] for card in own}
    return removed & cards


def _board_view(draft: DraftMatch, t: Translate) -> dict[str, Any] | None:
    """Return the deal as the board draws it, at its last state."""
    found = draft.recorder.state.findings  # without findings about the missing end
    states = deal_states(draft.recorder.explained, draft.deal_count - 1, t, found)
    if states is None:
        return None
    last = len(states["plies"]) - 1
    how = {"where": None, "view": "", "light": False, "head": None}
    return states | {"deal": draft.deal_count, "ply": last, **how}
