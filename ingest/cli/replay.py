"""`retourne replay`: a match in the terminal or as an HTML page."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from engine.match import winner_in_log
from engine.replay import Ply, Replay
from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import StoreOrServerRun
from ingest.cli.report_text import STATUS_STYLES, STATUS_TEXTS, action_text, finding_line, wrap_indented
from ingest.cli.solve import MATCH_NAME, WHICH_DEAL, MatchSolver, is_file, stored_text
from ingest.cli.terminal_tables import console
from ingest.escaping import escape_line
from ingest.findings.spoken_notation import (
    SCORE_LINE_TEXT,
    describe_result,
    describe_score_line,
    describe_word,
)
from ingest.games import game_support
from ingest.i18n import N_, Translate
from ingest.reader.files import Batch, ReadError
from ingest.reader.files import MatchText as Log
from ingest.reader.sources import source_batches
from ingest.store.outputs import Kind
from ingest.validate.report import report_of_trouble
from ingest.validate.result_checks import RESULT_ONLY
from ingest.validate.slow_path import ValidationResult, validate, visible_hand
from schemas.match_models import deal_comments

RED_SUITS = "♥♦"
VOID_REASONS = {
    "maldonne": N_("void: misdeal"),
    "replay": N_("void: to be replayed"),
    "abandoned": N_("void: abandoned"),
}
_KEY_SEQUENCE = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)
KEY_NAMES = {
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
_WINDOWS_KEY_NAMES = {"M": "next", "K": "back", "H": "deal-back", "P": "deal-next", "G": "first", "O": "last"}


class TerminalBoard:
    """One deal of a match; steps are states, with an extra one after an illegal action."""

    def __init__(
        self, explained: ValidationResult, deal: int, t: Translate, values: MatchSolver | None = None
    ) -> None:
        self.t, self.deal_index, self.values = t, deal, values
        self.match, self.table = explained.known_match, explained.known_setup
        self.game = self.table.game.name
        self.game_view = game_support(self.game)
        self.deal = self.match.deals[deal]
        self.names = [escape_line(player.display_name) for player in self.match.players]
        self.replay: Replay | None = explained.replays[deal]
        self.is_score_line = deal in explained.score_line_ends
        self.comments = deal_comments(self.match, deal)
        self.findings = [finding for finding in explained.findings if finding.deal_index == deal]

    def __len__(self) -> int:
        return 1 if self.replay is None else len(self.replay) + (self.replay.stop is not None)

    def lines(self) -> Iterator[Text]:
        """Yield the deal as text: a line per action, each followed by its findings."""
        t, replay = self.t, self.replay
        yield self._title()
        if replay is None:
            yield from self._finding_lines(None)
            if not self.is_score_line:
                yield Text(t("This deal cannot be replayed."))
                return
            yield Text(t(SCORE_LINE_TEXT))  # a score sheet has no actions
            if self.deal.points is not None:
                yield Text("  " + " – ".join(map(str, self.deal.points)))
            for message in describe_score_line(t, self.deal, self.game, self.names):
                yield Text(f"  {escape_line(message)}")
            return
        for seat, name in enumerate(self.names):
            yield Text(f"  {name}  ", style="bold").append(self._hand(replay[0], seat))
        if (facts := self._state_lines(replay[0])).plain.strip():
            yield facts
        yield from self._comment_lines(0)
        trick = 0
        for step in range(1, len(self)):
            yield Text(f"{step:4}  ").append(_colour_red_suits(self._action_text(step - 1)))
            yield from self._finding_lines(step - 1)
            yield from self._loss_lines(step - 1)
            yield from self._comment_lines(step)
            if step == len(replay):
                break
            now = replay[step]
            if self.game_view.changes_public_facts(replay[step - 1].state, now.state):
                yield self._state_lines(now)  # public facts besides the hands have changed
            if now.trick > trick:
                trick = now.trick
                winner = self.names[int(now.state["trick_winners"][trick - 1])]
                points = " – ".join(map(str, now.points))
                message = t("trick {n}: {who} · points {points}", n=trick, who=winner, points=points)
                yield Text("      " + message, style="dim")
        yield from self._finding_lines(None)
        yield from self._loss_lines(None)
        yield self._result_line(replay)

    def render(self, step: int) -> RenderableType:
        """Return the board after `step` actions."""
        if self.replay is None:
            return Group(*self.lines())
        ply = self.replay[min(step, len(self.replay) - 1)]
        state, grid = ply.state, Grid.grid(padding=(0, 2))
        between = int(state["on_table"]) == 0  # then the last trick is shown, dimmed
        faces = self.table.faces or self.table.game.pack.names
        for seat, name in enumerate(self.names):
            turn = not ply.is_over and int(state["turn"]) == seat
            code = int(state["last" if between else "table"][seat])
            card = describe_word(self.t, faces[code], self.game) if code >= 0 else ""
            tricks = sum(int(winner) == seat for winner in state["trick_winners"][: ply.trick])
            points = ply.points[seat % len(ply.points)]
            score = self.t("points {points}, tricks {tricks}", points=points, tricks=tricks)
            grid.add_row(
                Text("▸" if turn else " "),
                Text(name, style="bold"),
                Text(card, style="dim") if between else _colour_red_suits(card),
                self._hand(ply, seat),
                Text(score, style="dim"),
            )
        items: list[RenderableType] = [self._title(), Text(), grid, Text(), self._state_lines(ply)]
        besides = list[Text]()  # wrapped below: the screen would cut them
        if step:
            counted = Text(f"{step}/{len(self) - 1}  ", style="dim")
            items += [Text(), counted.append(_colour_red_suits(self._action_text(step - 1)))]
            besides = [*self._finding_lines(step - 1), *self._loss_lines(step - 1)]
        besides += self._comment_lines(step)
        last = step == len(self) - 1
        for line in (*besides, *(self._finding_lines(None) if last else ())):
            items += wrap_indented(line, "  ", console().width)
        return Group(*items, *((*self._loss_lines(None), self._result_line(self.replay)) if last else ()))

    def next_trick(self, step: int, by: int) -> int:
        """Return the step at which the next trick (or with by -1 the previous one) is complete."""
        if self.replay is None:
            return 0
        tricks = [ply.trick for ply in self.replay]
        ends = [at for at in range(1, len(tricks)) if tricks[at] > tricks[at - 1]]
        places = [0, *ends, len(self) - 1]
        if by > 0:
            return next(place for place in places if place > step or place == len(self) - 1)
        return max((place for place in places if place < step), default=0)

    def first_finding_step(self) -> int | None:
        found = [finding.action_index + 1 for finding in self.findings if finding.action_index is not None]
        return min(min(found), len(self) - 1) if found else None

    def _title(self) -> Text:
        count = len(self.match.deals)
        words = [self.t("Deal {n} of {count}", n=self.deal_index + 1, count=count)]
        if self.replay is not None:
            first = self.names[int(self.replay[0].state["dealer"])]
            words.append(self.t(self.game_view.OPENING_TEXT, who=first))
        if self.deal.void:
            words.append(self.t(VOID_REASONS[self.deal.void]))
        return Text(" · ".join(words), style="bold")

    def _action_text(self, action_index: int) -> str:
        return action_text(self.t, self.deal.actions[action_index], self.names, self.game)

    def _hand(self, ply: Ply, seat: int) -> Text:
        cards = visible_hand(self.table, ply.state, seat, ply.known_hand(seat))
        spoken = (describe_word(self.t, card, self.game) for card in cards)
        return _colour_red_suits(self.game_view.CARD_SEPARATOR.join(spoken))

    def _state_lines(self, ply: Ply) -> Text:
        result = self.game_view.public_facts(self.t, ply, self.table, self.names)
        return Text("  ").append(_colour_red_suits(" · ".join(result)))

    def _comment_lines(self, step: int) -> Iterator[Text]:
        for one in self.comments:
            if one.state_index(len(self)) == step:
                who = escape_line(one.by or "") if one.seat is None else self.names[one.seat]
                head = self.t("{who} comments:", who=who) if who else self.t("Comment:")
                text = escape_line(one.text.replace("\n", " "))
                yield Text("  ").append(head, style="bold").append(" " + text, style="italic")

    def _finding_lines(self, action_index: int | None) -> Iterator[Text]:
        """Yield the findings of an action, or with None those of the deal."""
        for finding in self.findings:
            action = finding.action_index
            if (action if action is not None and action < len(self) - 1 else None) == action_index:
                yield finding_line(self.t, finding)

    def _loss_lines(self, action_index: int | None) -> Iterator[Text]:
        """Yield an action's loss, if solved by now; None: the bids, or why it is not solved."""
        if self.values is None or (result := self.values.solve_text(self.deal_index)) is None:
            return
        if action_index is None:
            yield from (Text("      " + line, style="dim") for line in result.deal_notes())
        else:
            yield from (
                Text("      ").append(_colour_red_suits(item)) for item in result.action_notes(action_index)
            )

    def _result_line(self, replay: Replay) -> Text:
        t, last = self.t, replay.last
        points, winner = " – ".join(map(str, last.points)), winner_in_log(last.state)
        if replay.stop is not None:
            message = t("The deal stops here: this action is impossible.")
        elif not (last.is_known("winner") and last.is_known("outcome")):
            message = t("The result depends on cards that were not recorded.")
        elif winner is None:
            message = t("The deal stops before its end: {points}.", points=points)
        elif winner == 0:
            message = t("No winner: {points}.", points=points)
        else:
            sides = self.table.game.side_count(len(self.names))
            who = " + ".join(self.names[winner - 1 :: sides])
            message = t("{who}: won, {points}.", who=who, points=points)
        return Text(message, style="bold")


def _colour_red_suits(text: str) -> Text:
    drawn = Text(text)
    drawn.highlight_regex(rf"\S+[{RED_SUITS}]|[{RED_SUITS}]", "red")
    return drawn


def key_names(text: str) -> Iterator[str]:
    """Yield the names of the keys in terminal input; keys without a name are skipped."""
    return (KEY_NAMES[key] for key in _KEY_SEQUENCE.findall(text) if key in KEY_NAMES)


if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Read keys as they are pressed. KeyboardInterrupt: Ctrl-C."""
        yield _read_keys()

    def _read_keys() -> Iterator[str]:
        while True:
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            if key in "\x00\xe0":
                if name := _WINDOWS_KEY_NAMES.get(msvcrt.getwch()):
                    yield name
            else:
                yield from key_names(key)

else:
    import termios
    import tty

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Read keys as they are pressed, until input ends. KeyboardInterrupt: Ctrl-C."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSADRAIN)  # keys pressed before are not lost
            yield _read_keys(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _read_keys(terminal: int) -> Iterator[str]:
        while data := os.read(terminal, 1024):
            yield from key_names(data.decode(errors="replace"))


def replay(
    run: StoreOrServerRun,
    name: str = MATCH_NAME,
    match: int = cli.option(N_("Which match of the file."), "N", "-m", default=1, min=1),
    deal: int | None = WHICH_DEAL,
    all_: bool = cli.flag(N_("Write the deals as text."), "-a"),
    html: Path | None = cli.option(N_("Write the replay as one page for a browser."), "PAGE"),
    mask_names: bool = cli.flag(N_("Number the players of that page.")),
    force: params.Force = False,
) -> None:
    """Replay a match."""
    t = run.t
    place = params.place(html, Kind.PAGE, force, run.store)
    text = _match_text(t, name, match) if is_file(run, name) else stored_text(run, name)
    explained = validate(text)
    out = console()
    if explained.match is None or not explained.match.deals:
        out.print(_match_heading(t, explained))
        good = explained.status == RESULT_ONLY
        cli.exit_with(cli.EXIT_OK if good else cli.EXIT_FINDINGS)
    games = [] if explained.setup is None else [explained.setup.game]
    count = len(explained.match.deals)
    if deal is not None and deal > count:
        raise cli.CommandError(params.NO_SUCH_DEAL, n=deal, count=count)
    if html is not None:
        if not any(explained.replays):
            raise cli.CommandError(N_("No deal of this match can be replayed on a page."))
        cli.announce_solver_jit(t, games)
        words = ["--lang", t.language, *(["--mask-names"] if mask_names else [])]
        if not (cli.PACKAGES_FOLDER / "dashboard" / "__main__.py").exists():  # it draws the page
            raise cli.CommandError(N_("The dashboard is not installed: install retourne again."))
        command = cli.module_command("dashboard.board.offline_replay", *words)
        made = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False)
        if made.returncode:  # it has printed the error
            cli.exit_with(cli.EXIT_ERROR)
        with params.open_output(place) as file:
            file.write(made.stdout)
    elif all_ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        out.print(_match_heading(t, explained))
        cli.announce_solver_jit(t, games)
        values = MatchSolver(t, explained)
        values.wait()
        for number in range(count) if deal is None else [deal - 1]:
            out.print(Text())
            out.print(Text("\n").join(TerminalBoard(explained, number, t, values).lines()))
    else:
        _step_through(t, explained, (deal or 1) - 1)


def _by_line(batch: Batch) -> list[Log | ReadError]:
    return sorted([*batch.texts, *batch.troubles], key=lambda one: one.line)


def _match_text(t: Translate, name: str, number: int) -> bytes:
    """Return the text of match `number` of a file, from 1; unreadable matches count."""
    entries = chain.from_iterable(map(_by_line, source_batches(params.parse_sources([name]))))
    entry = next(islice(entries, number - 1, None), None)
    if entry is None:
        raise cli.CommandError(N_("{file} has no match number {n}."), file=name, n=number)
    if isinstance(entry, ReadError):
        raise cli.CommandError("{reason}", reason=report_of_trouble(entry).findings[0].message(t))
    return entry.text


def _match_heading(t: Translate, explained: ValidationResult) -> RenderableType:
    """Return players, date, event, rules and verdict, and the findings of the match as a whole."""
    lines = []
    if (match := explained.match) is not None:
        names = " – ".join(player.display_name for player in match.players)
        event = match.event or {}
        where = [str(event[key]) for key in ("name", "place", "round", "table") if event.get(key)]
        rules = match.rules.get("preset") if isinstance(match.rules, dict) else match.rules
        details = [match.game, str(rules or ""), (match.played_at or "")[:10], *where]
        lines.append(Text(escape_line(names), style="bold"))
        lines.append(Text(escape_line(" · ".join(part for part in details if part)), style="dim"))
    lines.append(Text(t(STATUS_TEXTS[explained.status]), style=STATUS_STYLES[explained.status]))
    if explained.is_result_only:
        result = describe_result(t, match, explained.winner)
        lines += [Text(escape_line(one)) for one in result]
    # an unreadable match has no board to show the other findings
    unread = explained.match is None
    lines += [finding_line(t, one) for one in explained.findings if unread or one.deal_index is None]
    return Group(*lines)


def _step_through(t: Translate, explained: ValidationResult, deal: int) -> None:
    count = len(explained.known_match.deals)
    values = MatchSolver(t, explained)
    board, step = TerminalBoard(explained, deal, t, values), 0
    with keyboard() as pressed, console().screen() as screen:

        def draw() -> None:
            keys = Text(t("→ ← step · ] [ trick · ↓ ↑ deal · Home End · f finding · q leave"), style="dim")
            screen.update(Group(_match_heading(t, explained), Text(), board.render(step), Text(), keys))

        draw()
        for key in pressed:
            last = len(board) - 1
            match key:
                case "quit":
                    return
                case "deal-next" | "deal-back":
                    chosen = board.deal_index + (1 if key == "deal-next" else -1)
                    if 0 <= chosen < count:
                        board, step = TerminalBoard(explained, chosen, t, values), 0
                case "trick-next" | "trick-back":
                    step = board.next_trick(step, 1 if key == "trick-next" else -1)
                case "fault":
                    fault = board.first_finding_step()
                    step = step if fault is None else fault
                case _:
                    moves = {"next": step + 1, "back": step - 1, "first": 0, "last": last}
                    step = max(0, min(last, moves[key]))
            draw()
