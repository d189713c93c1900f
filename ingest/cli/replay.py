"""`retourne replay`: a match on the terminal, step by step or all at once, or as a page."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from engine.match import winner_word
from engine.replay import Ply, Replay
from ingest.cli.params import NO_SUCH_DEAL, MatchName, WhichDeal, check_output, sources, written
from ingest.cli.report_text import STATUS, STYLE, acted, finding_line, wrapped
from ingest.cli.serve import dashboard
from ingest.cli.solve import LossesText, MatchLosses, is_file, stored_text
from ingest.cli.terminal import (
    CANNOT,
    DEFAULT_STORE,
    FOUND,
    LEGAL,
    Lang,
    Stop,
    StorePath,
    compiling_solvers,
    console,
    leave,
)
from ingest.finding.finding import Finding
from ingest.finding.words import NO_CARD, speak_line, speak_word
from ingest.games import of
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained, explain, hand_of
from ingest.judge.report import trouble_report
from ingest.text.files import Text as Log
from ingest.text.files import Trouble
from ingest.text.signs import plain
from ingest.text.sources import source_batches
from schemas.log import Remark, remarks

NO_SUCH_MATCH = N_("{file} has no match number {n}.")
NO_PAGE = N_("No deal of this match can be replayed on a page.")
KEYS = N_("→ ← step · ] [ trick · ↓ ↑ deal · Home End · f finding · q leave")
RED = "♥♦"
VOID = {
    "maldonne": N_("void: misdeal"),
    "replay": N_("void: to be replayed"),
    "abandoned": N_("void: abandoned"),
}


class Board:
    """One deal of an explained match; a step is a state, and one more where the replay stops."""

    def __init__(
        self, explained: Explained, deal: int, t: Translate, values: MatchLosses | None = None
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
        yield Text(self.t(NO_CARD))
        if self.deal.points is not None:
            yield Text("  " + " – ".join(map(str, self.deal.points)))
        for said in speak_line(self.t, self.deal, self.game, self.names):
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

    def _told(self) -> LossesText | None:
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
        winner = winner_word(last.state)
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


_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)

NAMES = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", " ", "\r", "\n"), "next"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "\x7f", "\x08"), "back"),
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x1b[5~"), "deal-back"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x1b[6~"), "deal-next"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~"), "first"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~"), "last"),
    "[": "trick-back",
    "]": "trick-next",
    "f": "fault",
    "q": "quit",
    "\x04": "quit",
}
_WINDOWS = {"M": "next", "K": "back", "H": "deal-back", "P": "deal-next", "G": "first", "O": "last"}


def names_in(text: str) -> Iterator[str]:
    """The names of the keys that sent some text; keys without a name are left out."""
    for key in _KEY.findall(text):
        if key in NAMES:
            yield NAMES[key]


if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Keys as they are pressed. KeyboardInterrupt: Ctrl-C."""
        yield _pressed()

    def _pressed() -> Iterator[str]:
        while True:
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            if key in "\x00\xe0":
                name = _WINDOWS.get(msvcrt.getwch())
                if name:
                    yield name
            else:
                yield from names_in(key)

else:
    import termios
    import tty

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Keys as they are pressed, until input ends. KeyboardInterrupt: Ctrl-C."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSADRAIN)  # what was pressed already is not lost
            yield _pressed(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _pressed(terminal: int) -> Iterator[str]:
        while data := os.read(terminal, 1024):
            yield from names_in(data.decode(errors="replace"))


def replay(
    ctx: typer.Context,
    name: MatchName,
    match: Annotated[
        int, typer.Option("--match", "-m", min=1, metavar="N", help=N_("Which match of the file."))
    ] = 1,
    deal: WhichDeal = None,
    all_: Annotated[bool, typer.Option("--all", "-a", help=N_("Write the deals as text."))] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="PAGE", help=N_("Write the replay as one page for a browser.")
        ),
    ] = None,
    mask_names: Annotated[
        bool, typer.Option("--mask-names", help=N_("Number the players of that page."))
    ] = False,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Replay a match."""
    t: Translate = ctx.obj
    if html is not None:
        check_output(html)
    text = _text_in(t, name, match) if is_file(name) else stored_text(t, name, store)
    explained = explain(text)
    out = console()
    if explained.match is None or not explained.match.deals:
        out.print(_heading(t, explained))
        leave(FOUND)
    games = [] if explained.table is None else [explained.table.game]
    count = len(explained.match.deals)
    if deal is not None and deal > count:
        raise Stop(NO_SUCH_DEAL, n=deal, count=count)
    if html is not None:
        if not any(explained.replays):
            raise Stop(NO_PAGE)
        compiling_solvers(t, games)
        _write_page(html, text, t, mask_names)
    elif all_ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        out.print(_heading(t, explained))
        compiling_solvers(t, games)
        values = MatchLosses(t, explained)
        values.wait()
        for number in range(count) if deal is None else [deal - 1]:
            out.print(Text())
            out.print(Text("\n").join(Board(explained, number, t, values).lines()))
    else:
        _step_through(t, explained, (deal or 1) - 1)
    leave(LEGAL)


def _write_page(output: Path, text: bytes, t: Translate, mask_names: bool) -> None:
    """The match as a page, made by the dashboard's board."""
    words = ["--lang", t.language, *(["--mask-names"] if mask_names else [])]
    command = dashboard("dashboard.board.offline", *words)
    made = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False)
    if made.returncode:  # it has said why
        leave(CANNOT)
    with written(output) as file:
        file.write(made.stdout)


def _text_in(t: Translate, name: str, number: int) -> bytes:
    """The text of match `number` of a file, from 1; what could not be read counts as one."""
    at = 0
    for batch in source_batches(sources([name])):
        entries: list[Log | Trouble] = [*batch.texts, *batch.troubles]
        for entry in sorted(entries, key=lambda one: one.line):
            at += 1
            if at == number and isinstance(entry, Trouble):
                reason = trouble_report(entry).findings[0].message(t)
                raise Stop("{reason}", reason=reason)
            if at == number and isinstance(entry, Log):
                return entry.text
    raise Stop(NO_SUCH_MATCH, file=name, n=number)


def _heading(t: Translate, explained: Explained) -> RenderableType:
    """Who played, when, where, by which rules; and what is wrong with the match as a whole."""
    lines = []
    if (match := explained.match) is not None:
        names = " – ".join(player.called for player in match.players)
        event = match.event or {}
        where = [str(event[key]) for key in ("name", "place", "round", "table") if event.get(key)]
        rules = match.rules.get("preset") if isinstance(match.rules, dict) else match.rules
        details = [match.game, str(rules or ""), (match.played_at or "")[:10], *where]
        lines.append(Text(plain(names), style="bold"))
        lines.append(Text(plain(" · ".join(part for part in details if part)), style="dim"))
    lines.append(Text(t(STATUS[explained.status]), style=STYLE[explained.status]))
    # what cannot be read has no board at which its other findings would stand
    unread = explained.match is None
    lines += [finding_line(t, one) for one in explained.findings if unread or one.deal is None]
    return Group(*lines)


def _step_through(t: Translate, explained: Explained, deal: int) -> None:
    assert explained.match is not None
    count = len(explained.match.deals)
    values = MatchLosses(t, explained)
    board, step = Board(explained, deal, t, values), 0
    with keyboard() as pressed, console().screen() as screen:

        def draw() -> None:
            keys = Text(t(KEYS), style="dim")
            screen.update(Group(_heading(t, explained), Text(), board.screen(step), Text(), keys))

        draw()
        for key in pressed:
            if key == "quit":
                return
            if key in ("deal-next", "deal-back"):
                chosen = max(0, min(count - 1, board.number + (1 if key == "deal-next" else -1)))
                if chosen != board.number:
                    board, step = Board(explained, chosen, t, values), 0
            else:
                step = _moved(board, step, key)
            draw()


def _moved(board: Board, step: int, key: str) -> int:
    last = len(board) - 1
    if key == "fault":
        fault = board.first_fault()
        return step if fault is None else fault
    if key in ("trick-next", "trick-back"):
        return board.next_trick(step, 1 if key == "trick-next" else -1)
    moves = {"next": step + 1, "back": step - 1, "first": 0, "last": last}
    return max(0, min(last, moves[key]))
