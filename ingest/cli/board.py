"""A deal on the terminal: the whole of it as lines, or one state as a board."""

from collections.abc import Iterator

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from engine.replay import Ply, Replay
from ingest.cli.losses import Told, Values
from ingest.cli.say import acted, finding_line, wrapped
from ingest.cli.terminal import console
from ingest.finding import lines
from ingest.finding.finding import Finding
from ingest.finding.words import speak_word
from ingest.games import of
from ingest.i18n import N_, Translate
from ingest.judge.acts import hand_of
from ingest.judge.explain import Explained
from ingest.text.signs import plain
from schemas.remarks import Remark, remarks

RED = "♥♦"
VOID = {
    "maldonne": N_("void: misdeal"),
    "replay": N_("void: to be replayed"),
    "abandoned": N_("void: abandoned"),
}


class Board:
    """One deal of an explained match; a step is a state, and one more where the replay stops."""

    def __init__(
        self, explained: Explained, deal: int, t: Translate, values: Values | None = None
    ) -> None:
        assert explained.match is not None
        assert explained.table is not None
        self.t, self.number, self.values = t, deal, values
        self.match, self.table = explained.match, explained.table
        self.game = self.table.game.name
        self.own = of(self.game)
        self.deal = self.match.deals[deal]
        self.deals = len(self.match.deals)
        self.names = [plain(player.called) for player in self.match.players]
        self.replay: Replay | None = explained.replays[deal]
        self.line = deal in explained.lines
        self.remarks = remarks(self.match, deal)
        self.findings = [finding for finding in explained.findings if finding.deal == deal]

    def __len__(self) -> int:
        if self.replay is None:
            return 1
        return len(self.replay) + (self.replay.stop is not None)

    def _hollow(self) -> Iterator[Text]:
        """Why the deal has no states, and what the line of a score sheet tells of it."""
        if not self.line:
            yield Text(self.t("This deal cannot be replayed."))
            return
        yield Text(self.t(lines.NO_CARD))
        if self.deal.points is not None:
            yield Text("  " + " – ".join(map(str, self.deal.points)))
        for said in lines.told(self.t, self.deal, self.game, self.names):
            yield Text(f"  {plain(said)}")

    # the whole deal

    def lines(self) -> Iterator[Text]:
        """Everything that happened, a line an action, each finding after the action it is about."""
        yield self._title()
        if self.replay is None:
            yield from self._found(None)
            yield from self._hollow()
            return
        opening = self.replay[0]
        for seat, name in enumerate(self.names):
            yield Text(f"  {name}  ", style="bold").append(self._hand(opening, seat))
        if (facts := self._facts(opening)).plain.strip():
            yield facts
        yield from map(self._remark, self._said(0))
        trick = 0
        for step in range(1, len(self)):
            at = step - 1
            yield Text(f"{step:4}  ").append(_red(self._acted(at)))
            yield from self._found(at)
            yield from self._worth(at)
            yield from map(self._remark, self._said(step))
            if step < len(self.replay) and self._settled(step):
                yield self._facts(self.replay[step])
            if step < len(self.replay) and (now := self.replay[step]).trick > trick:
                trick = now.trick
                yield self._trick(step)
        yield from self._found(None)
        yield from self._worth_of_all()
        yield Text(self._end(), style="bold")

    # one state

    def screen(self, step: int) -> RenderableType:
        """The board after `step` actions."""
        if self.replay is None:
            return Group(*self.lines())
        shown = min(step, len(self.replay) - 1)
        ply = self.replay[shown]
        state = ply.state
        grid = Grid.grid(padding=(0, 2))
        for seat, name in enumerate(self.names):
            turn = not self.replay[shown].over and int(state["turn"]) == seat
            grid.add_row(
                Text("▸" if turn else " "),
                Text(name, style="bold"),
                self._on_table(state, seat),
                self._hand(ply, seat),
                Text(self._score(shown, seat), style="dim"),
            )
        told: list[RenderableType] = [self._title(), Text(), grid, Text(), self._facts(ply)]
        if step:
            counted = Text(f"{step}/{len(self) - 1}  ", style="dim")
            told += [Text(), counted.append(_red(self._acted(step - 1)))]
            told += self._wrapped(step - 1)
            for line in self._worth(step - 1):
                told += wrapped(line, "  ", console().width)
        for remark in self._said(step):
            told += wrapped(self._remark(remark), "  ", console().width)
        if step == len(self) - 1:
            told += [*self._wrapped(None), *self._worth_of_all(), Text(self._end(), style="bold")]
        return Group(*told)

    def next_trick(self, step: int, by: int) -> int:
        """The step at which the next trick (or with by -1 the one before) is complete."""
        if self.replay is None:
            return 0
        ends = [ply.index for ply in self.replay if ply.index and self._ends_trick(ply.index)]
        places = [0, *ends, len(self) - 1]
        if by > 0:
            return next(place for place in places if place > step or place == len(self) - 1)
        return max((place for place in places if place < step), default=0)

    def first_fault(self) -> int | None:
        """The step of the first finding, None when there is none in the play."""
        found = [finding.action + 1 for finding in self.findings if finding.action is not None]
        return min(min(found), len(self) - 1) if found else None

    # pieces

    def _title(self) -> Text:
        words = [self.t("Deal {n} of {count}", n=self.number + 1, count=self.deals)]
        if self.replay is not None:
            first = self.names[int(self.replay[0].state["dealer"])]
            words.append(self.t(self.own.OPENING, who=first))
        if self.deal.void:
            words.append(self.t(VOID[self.deal.void]))
        return Text(" · ".join(words), style="bold")

    def _acted(self, at: int) -> str:
        return acted(self.t, self.deal.actions[at], self.names, self.game)

    def _hand(self, ply: Ply, seat: int) -> Text:
        cards = hand_of(self.table, ply.state, seat, ply.known(seat))
        spoken = (speak_word(self.t, card, self.game) for card in cards)
        return _red(self.own.BETWEEN_CARDS.join(spoken))

    def _card(self, code: int) -> str:
        names = self.table.faces or self.table.game.pack.names
        return speak_word(self.t, names[code], self.game)

    def _on_table(self, state: np.void, seat: int) -> Text:
        """The card a seat has on the table; between tricks that of the last one, dimmed."""
        between = int(state["on_table"]) == 0
        code = int(state["last" if between else "table"][seat])
        card = self._card(code) if code >= 0 else ""
        return Text(card, style="dim") if between else _red(card)

    def _score(self, step: int, seat: int) -> str:
        assert self.replay is not None
        ply = self.replay[step]
        tricks = sum(int(taker) == seat for taker in ply.state["takers"][: ply.trick])
        points = ply.points[seat % len(ply.points)]
        return self.t("points {points}, tricks {tricks}", points=points, tricks=tricks)

    def _facts(self, ply: Ply) -> Text:
        told = self.own.beside(self.t, ply, self.table, self.names)
        return Text("  ").append(_red(" · ".join(told)))

    def _settled(self, step: int) -> bool:
        """Whether an action changed what lies beside the hands for the rest of the deal."""
        assert self.replay is not None
        return self.own.settled(self.replay[step - 1].state, self.replay[step].state)

    def _ends_trick(self, step: int) -> bool:
        assert self.replay is not None
        return self.replay[step].trick > self.replay[step - 1].trick

    def _trick(self, step: int) -> Text:
        assert self.replay is not None
        ply = self.replay[step]
        taker = self.names[int(ply.state["takers"][ply.trick - 1])]
        points = " – ".join(map(str, ply.points))
        said = self.t("trick {n}: {who} · points {points}", n=ply.trick, who=taker, points=points)
        return Text("      " + said, style="dim")

    def _said(self, step: int) -> Iterator[Remark]:
        """The comments of one state."""
        return (one for one in self.remarks if one.ply(len(self)) == step)

    def _remark(self, one: Remark) -> Text:
        who = plain(one.by or "") if one.seat is None else self.names[one.seat]
        head = self.t("{who} comments:", who=who) if who else self.t("Comment:")
        said = Text("  ").append(head, style="bold")
        return said.append(" " + plain(one.text.replace("\n", " ")), style="italic")

    def _found(self, at: int | None) -> list[Text]:
        """The findings about one action, or those about the deal as a whole."""
        found: list[Finding] = [one for one in self.findings if self._at(one) == at]
        return [finding_line(self.t, finding) for finding in found]

    def _wrapped(self, at: int | None) -> Iterator[Text]:
        """The same in the lines of the screen, which cuts longer ones off."""
        for line in self._found(at):
            yield from wrapped(line, "  ", console().width)

    def _at(self, finding: Finding) -> int | None:
        """The action a finding is shown with; None when that is never reached."""
        at = finding.action
        return at if at is not None and at < len(self) - 1 else None

    def _told(self) -> Told | None:
        """What play was worth, once that is known."""
        return None if self.values is None else self.values.of(self.number)

    def _worth(self, at: int) -> Iterator[Text]:
        """What an action cost, if it cost anything."""
        for said in ((told := self._told()) and told.after(at)) or ():
            yield Text("      ").append(_red(said))

    def _worth_of_all(self) -> Iterator[Text]:
        """Why nothing is said of that, or what was bid."""
        if told := self._told():
            yield from (Text("      " + line, style="dim") for line in told.at_the_end())

    def _end(self) -> str:
        assert self.replay is not None
        if self.replay.stop is not None:
            return self.t("The deal stops here: this cannot have happened.")
        last = self.replay.last
        points = " – ".join(map(str, last.points))
        if not (last.sure("winner") and last.sure("outcome")):
            return self.t("How the deal came out depends on cards that nobody wrote down.")
        winner = self.table.game.match.winner_word(last.state)
        if winner is None:
            return self.t("The deal stops before its end: {points}.", points=points)
        if winner == 0:
            return self.t("Nobody wins: {points}.", points=points)
        sides = self.table.game.sides(len(self.names))
        who = " + ".join(self.names[winner - 1 :: sides])
        return self.t("{who}: won, {points}.", who=who, points=points)


def _red(text: str) -> Text:
    """Text with hearts and diamonds in red."""
    drawn = Text(text)
    drawn.highlight_regex(rf"\S+[{RED}]|[{RED}]", "red")
    return drawn
