"""`retourne replay`: the whole of a match as text, and the board stepped through by keys."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from select import select

import pytest
from rich.console import Console

from engine.games import game, game_names
from ingest.cli.replay import TerminalBoard, key_names
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import documents

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
FAULTY = sorted(path for path in FAUTES.glob("*/*.json") if "expected" not in path.name)


def test_a_match_is_written_deal_by_deal(retourne: Command) -> None:
    done = retourne("replay", DATA / "exemple-lavardin.json")
    assert done.code == 0
    assert "Deal 1 of 1" in done.out
    assert "trick 16: " in done.out
    assert done.out.endswith("won, 87 – 103.\n")


def test_what_a_card_lost_stands_below_it(retourne: Command) -> None:
    items = retourne("replay", DATA / "exemple-lavardin.json").out.splitlines()
    (at,) = (at for at, line in enumerate(items) if line.startswith("  26  "))
    assert items[at].endswith("A♥")
    assert items[at + 1] == "      14 points lost; no loss with J♥, K♥"


def test_a_deal_that_is_not_solved_says_why(retourne: Command) -> None:
    result = retourne("replay", FAUTES / "chouine" / "must-follow.json").out
    reason = "A rule was broken in the part to solve."
    assert result.count(f"      not solved: {reason}\n") == 1


def test_every_action_of_a_deal_is_there(retourne: Command, club: Path) -> None:
    done = retourne("replay", club, "--match", "2", "--deal", "3")
    deal = documents()[1]["deals"][2]
    items = re.findall(r"^ +(\d+)  \S", done.out, re.MULTILINE)
    assert items == [str(number + 1) for number in range(len(deal["actions"]))]
    assert f"won, {deal['points'][0]} – {deal['points'][1]}." in done.out
    assert done.out.count("Deal ") == 1


def test_co_4_nothing_is_reported_of_the_bid_before_the_auction(retourne: Command) -> None:
    result = retourne("replay", FAUTES.parent / "match-coinche.json", "--all", "--lang", "en").out
    lines = result.splitlines()
    before = [lines[at - 1] for at, line in enumerate(lines) if line.strip() == "no bid"]
    assert [line.split()[-1] for line in before] == ["passes"]  # four of them closed it


@pytest.mark.slow
def test_a_match_becomes_a_page_with_names_or_without(retourne: Command) -> None:
    match = DATA / "exemple-lavardin.json"
    assert retourne("replay", match, "--html", "page.html", "--lang", "en").code == 0
    page = Path("page.html").read_text()
    assert "<h1>Jean – Charles</h1>" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)  # nothing to fetch
    assert retourne("replay", match, "--html", "page.html", "--mask-names").code == 0
    assert not re.search("Jean|Charles", Path("page.html").read_text())


def test_a_page_that_cannot_be_made_is_not_begun(retourne: Command) -> None:
    match = DATA / "exemple-lavardin.json"
    assert "No folder no" in retourne("replay", match, "--html", "no/page.html").err
    deck = json.loads((DATA / "exemple-lavardin.json").read_text())
    deck["deals"][0]["deck"] = "9c"
    Path("bad.json").write_text(json.dumps(deck))
    assert retourne("replay", "bad.json", "--html", "page.html").code != 0
    assert not Path("page.html").exists()


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_game_at_every_table_is_documented(name: str, language: str, retourne: Command) -> None:
    for players in game(name).players:
        words = ("simulate", "--game", name, "--player-count", players, "--output", "a.jsonl")
        assert retourne(*words).code == 0
        done = retourne("replay", "a.jsonl", "--lang", language)
        assert done.code == 0
        (result,) = [json.loads(line) for line in Path("a.jsonl").read_text().splitlines()]
        for number, deal in enumerate(result["deals"], 1):
            title = f"Deal {number} of" if language == "en" else f"Donne {number} sur"
            assert title in done.out
            assert " – ".join(map(str, deal.get("points", ()))) in done.out
        assert "{" not in done.out


@pytest.mark.parametrize("path", FAULTY[::4], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_finding_is_shown_where_it_happens(path: Path, retourne: Command) -> None:
    done = retourne("replay", path)
    assert done.code in (0, 1)
    shown = done.out.splitlines()
    for finding in validate(path.read_bytes().strip()).findings:
        sentence = finding.message(translator("en"))
        (at,) = [place for place, line in enumerate(shown) if sentence in line]
        if finding.action_index is not None and not finding.path.endswith(("/times", "/actions")):
            assert shown[at - 1].startswith(f"{finding.action_index + 1:4}  ") or "  deal" in shown[at - 1]


def test_a_match_without_a_deal_to_show_says_why_and_ends_with_1(retourne: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    done = retourne("replay", bad)
    assert done.code == 1
    assert "This is not JSON" in done.out


@pytest.mark.slow
def test_a_stored_match_is_found_by_its_id(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    name = documents()[3]["id"]
    assert retourne("replay", name).raw == retourne("replay", club, "--match", "4").raw


@pytest.mark.slow
def test_what_is_not_there_is_reported(retourne: Command, club: Path) -> None:
    for words, sentence in (
        ((club, "--match", "7"), "has no match number 7"),
        ((club, "--deal", "99"), "The match has no deal number 99; it has"),
        (("nobody",), "neither a file nor, for want of a store at retourne.duckdb"),
    ):
        done = retourne("replay", *words)
        assert (done.code, done.raw) == (2, b"")
        assert sentence in done.err
    retourne("ingest", club)
    assert "No match nobody in the store." in retourne("replay", "nobody").err
    empty = Path("empty.jsonl")
    empty.touch()
    assert "The file contains no match" in retourne("replay", empty).err


def test_text_of_a_log_steers_nothing(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    players = [{"id": "a", "name": "\x1b[2J[red]x"}, {"id": "b", "name": "\u202eb"}]
    event = {"name": "\x07bell"}
    path.write_text(json.dumps(documents()[0] | {"players": players, "event": event}))
    done = retourne("replay", path)
    assert "\\x1b[2J[red]x" in done.out
    assert not set(done.out) & {"\x1b", "\x07", "\u202e"}


# the board


def board(name: str = "match-lavardin.json", deal: int = 0) -> TerminalBoard:
    return TerminalBoard(validate((DATA / name).read_bytes()), deal, translator("en"))


def test_tricks_are_stepped_through_both_ways() -> None:
    one = board()
    ends = [0]
    while ends[-1] < len(one) - 1:
        ends.append(one.next_trick(ends[-1], 1))
    assert len(ends) == 1 + 16
    assert [one.next_trick(step, -1) for step in ends[1:]] == ends[:-1]
    assert one.next_trick(0, -1) == 0
    assert one.next_trick(len(one) - 1, 1) == len(one) - 1


def test_comments_are_written_where_they_belong() -> None:
    match = json.loads((DATA / "chouine-atout.json").read_bytes())
    items = [(99, "late", "marcel"), (0, "two\nlines \x1b[2J", None), (5, "there", "<b>")]
    match["deals"][0]["comments"] = [{"after": after, "text": text, "by": by} for after, text, by in items]
    one = TerminalBoard(validate(json.dumps(match).encode()), 0, translator("en"))
    lines = [line.plain.strip() for line in one.lines()]
    first = lines.index("Comment: two lines \\x1b[2J")
    assert lines[first + 1].endswith("Lucie 7♣")
    there = lines.index("<b> comments: there")
    assert lines[there - 1].endswith("Lucie announces chouine ♥")
    late = lines.index("Marcel comments: late")
    assert lines[late - 1].endswith("Marcel J♠")

    def drawn(step: int) -> str:
        out = Console(file=StringIO(), width=100)
        out.print(one.render(step))
        return out.file.getvalue()  # type: ignore[attr-defined]

    assert [step for step in range(9) if "comments:" in drawn(step)] == [5, 8]
    assert "Comment: two" in drawn(0)


def test_the_first_fault_is_found_and_a_clean_deal_has_none() -> None:
    assert board().first_finding_step() is None
    assert board("fautes/chouine/must-follow.json").first_finding_step() == 25
    broken = board("fautes/chouine/card-not-held.json")
    assert broken.first_finding_step() == len(broken) - 1


def test_keys_have_names_however_fast_they_come() -> None:
    assert list(key_names("\x1b[C\x1b[C \r\x1b[Dq")) == ["next"] * 4 + ["back", "quit"]
    assert list(key_names("\x1bOC\x1b[1~\x1b[F[]fx\x1b[15~é")) == [
        *("next", "first", "last", "trick-back", "trick-next", "fault")
    ]


class Screen:
    """A command on a terminal of its own, 100 columns by 40 lines."""

    def __init__(self, process: "subprocess.Popen[bytes]", terminal: int) -> None:
        self.process, self.terminal = process, terminal

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def shows(self, text: str) -> str:
        """Wait until the screen has shown a text; what came until then."""
        seen = b""
        while text not in (plain := seen.decode(errors="replace")):
            assert select([self.terminal], [], [], 30)[0], f"no {text!r} in {plain!r}"
            seen += os.read(self.terminal, 1 << 16)
        return plain


@contextmanager
def screen(*words: object) -> Iterator[Screen]:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    command = [sys.executable, "-m", "ingest.cli", *map(str, words)]
    environment = os.environ | {"TERM": "xterm", "NO_COLOR": "1", "LANG": "en_GB.UTF-8"}
    environment.pop("COLUMNS", None)  # the width is the terminal's
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=side, stdout=side, stderr=side
    ) as process:
        os.close(side)
        try:
            yield Screen(process, main)
        finally:
            process.kill()
            os.close(main)


@pytest.mark.slow
def test_the_board_is_stepped_through_by_keys() -> None:
    with screen("replay", FAUTES / "chouine" / "must-follow.json") as result:
        result.shows("q leave")
        result.press("\x1b[C")
        result.shows("1/25")
        result.press(" \r")
        result.shows("3/25")
        result.press("\x1b[D")
        result.shows("2/25")
        result.press("f")
        came = result.shows("[CH-8]")  # longer than a line: it goes on below
        assert "plays 9♥" in came
        result.press("\x1b[H")
        result.press("\x1b[F")
        result.shows("25/25")
        result.press("q")
        assert result.process.wait(30) == 0


@pytest.mark.slow
def test_deals_are_turned_over_by_keys_and_ctrl_c_leaves() -> None:
    with screen("replay", DATA / "match-lavardin.json", "--deal", "2") as result:
        result.shows("Deal 2 of 13")
        result.press("\x1b[B")
        result.shows("Deal 3 of 13")
        result.press("\x1b[A\x1b[A\x1b[A")
        result.shows("Deal 1 of 13")
        result.process.send_signal(signal.SIGINT)
        result.shows("Interrupted")
        assert result.process.wait(30) == 130


@pytest.mark.slow
def test_a_progress_bar_is_for_terminals(club: Path) -> None:
    with screen("check", club) as result:
        seen = result.shows("legal: 6")
        assert result.process.wait(30) == 0
    assert "Checking" in seen


@pytest.mark.slow
def test_a_progress_bar_stays_out_of_a_file_whatever_is_painted(club: Path, tmp_path: Path) -> None:
    environment = os.environ | {"FORCE_COLOR": "1", "TERM": "xterm", "LANG": "en_GB.UTF-8"}
    text = tmp_path / "err"
    with text.open("wb") as file:
        command = [sys.executable, "-m", "ingest.cli", "check", str(club)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=file, check=True
        )
    assert text.read_bytes() == b""
    assert b"\x1b[" in done.stdout  # the counts are
