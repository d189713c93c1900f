"""`retourne check`: every bad input with its sentence, for people and for programs."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import pytest
from rich.cells import cell_len

from engine.games import game_names
from ingest.cli.report_text import DEFAULT_MAX_FINDINGS, match_report_lines
from ingest.cli.terminal_tables import TerminalConsole
from ingest.findings.finding import JSON_KEYS as KEYS_OF_FINDING
from ingest.findings.finding import Finding
from ingest.i18n import translator
from ingest.validate.report import MatchReport
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import FORMS, documents, lines, texts, zipped

KEYS = {"file", "line", "log_id", "status", "finding_count", "findings", "sheet"}
FINDING = {*KEYS_OF_FINDING, "edit", "candidates", "searched", "place", "message"}


def match(**changes: Any) -> bytes:
    """The first legal match with other values at its top."""
    return json.dumps(documents()[0] | changes).encode()


def deal(**changes: Any) -> bytes:
    """The first legal match, its first deal changed and without what was declared of it."""
    first = documents()[0]["deals"][0]
    fields = {key: value for key, value in first.items() if key not in ("points", "winner")}
    changed = {key: value for key, value in (fields | changes).items() if value is not None}
    whole = {key: value for key, value in documents()[0].items() if key not in ("result", "cuts")}
    return json.dumps(whole | {"deals": [changed]}).encode()


FIRST = documents()[0]["deals"][0]
DECK = FIRST["deck"].split(" ")
LEADER = FIRST["dealer"] % 2 + 1
HELD = DECK[0:10:2]  # the leader is dealt the first card, and every other one of the ten
ELSEWHERE = DECK[20]

BAD: dict[str, tuple[bytes, str, str]] = {
    # what it is: the file, its status, what the sentence says
    "not UTF-8": (b'{"format": "\xff"}', "unreadable", "not UTF-8: byte 13"),
    "not JSON": (b"Jean 87, Charles 103", "unreadable", "This is not JSON"),
    "cut off": (texts()[0][:700], "unreadable", "This is not JSON: the text ends too early"),
    "empty": (b"", "unreadable", "The file contains no match"),
    "a line of 50 MB": (b'"' + b"x" * (50 << 20) + b'"', "unreadable", "longer than 16 MB"),
    "nested 10,000 deep": (b"[" * 10_000, "unreadable", "not JSON: its parts are nested too deep"),
    "no object": (b"[1, 2]\n", "unreadable", "JSON must be an object"),
    "a number for a text": (match(id=7), "unreadable", "/id must be text"),
    "a text for a number": (deal(dealer="1"), "unreadable", "must be an integer"),
    "digits with a point": (deal(dealer=1.0), "unreadable", "an integer, written in digits"),
    "an unknown version": (match(format="retourne/9"), "unreadable", "reads retourne/1"),
    "an unknown game": (match(game="tarot"), "unreadable", "Unknown game tarot"),
    "an unknown preset": (match(rules="vendome"), "unreadable", "Unknown preset: “vendome”"),
    "an unknown option": (match(rules={"quintes": 50}), "unreadable", "Unknown option: “quintes”"),
    "an option's bad value": (match(rules={"quinte": "x"}), "unreadable", "quinte cannot be “x”"),
    "a card twice": (deal(deck=" ".join([DECK[1], *DECK[1:]])), "broken", "is there twice. Missing:"),
    "a deck of 31": (deal(deck=" ".join(DECK[1:])), "broken", "Cards here: 31"),
    "a card nobody knows": (deal(deck=" ".join(["1s", *DECK[1:]])), "broken", "1s is not a card"),
    "cards told twice": (deal(talon=DECK[0]), "broken", "records its cards more than once"),
    "an unknown word": (deal(actions=[f"{LEADER} belote"]), "broken", "Unknown action"),
    "the wrong seat": (deal(actions=[f"{3 - LEADER} {DECK[1]}"]), "broken", "’s turn. Possible: "),
    "a card not held": (deal(actions=[f"{LEADER} {ELSEWHERE}"]), "broken", "without holding it. In hand:"),
    "no end": (deal(actions=[f"{LEADER} {HELD[0]}"]), "incomplete", "stops before its end"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_has_its_sentence(name: str, retourne: Command, tmp_path: Path) -> None:
    data, status, sentence = BAD[name]
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    result = retourne("check", path)
    assert result.code == 1
    assert sentence in result.out
    assert f"bad.jsonl:1 {'' if status == 'unreadable' else documents()[0]['id'] + ' '}{status}" in (
        result.out
    )
    count = "Matches: 0 · unreadable texts: 1" if status == "unreadable" else f"Matches: 1 · {status}: 1"
    assert result.out.splitlines()[-1] == count
    assert result.err == ""
    french = retourne("check", path, "--lang", "fr")
    assert french.code == 1
    assert sentence not in french.out


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_object_with_every_key(name: str, retourne: Command, tmp_path: Path) -> None:
    data, status, sentence = BAD[name]
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    done = retourne("check", path, "--format", "jsonl")
    assert done.code == 1
    (result,) = done.objects
    assert set(result) == KEYS
    assert (result["file"], result["line"], result["status"]) == (str(path), 1, status)
    assert result["findings"]
    assert all(set(finding) == FINDING for finding in result["findings"])
    assert any(sentence in finding["message"] for finding in result["findings"])


ARCHIVES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a zip in a zip": (
        "a.zip",
        lambda: zipped(b__zip=zipped(c__jsonl=lines())),
        "an archive inside an archive",
    ),
    "a gzip cut off": ("a.gz", lambda: gzip.compress(lines())[:-200], "its end is missing"),
    "a zip cut off": ("a.zip", lambda: zipped(a__jsonl=lines())[:-40], "its end is missing"),
    "an empty zip": ("a.zip", zipped, "The file contains no match"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_bad_archive_has_its_sentence(name: str, retourne: Command, tmp_path: Path) -> None:
    file, data, sentence = ARCHIVES[name]
    (tmp_path / file).write_bytes(data())
    done = retourne("check", tmp_path / file)
    assert done.code == 1
    assert sentence in done.out


@pytest.mark.parametrize(("name", "data"), FORMS.items(), ids=FORMS)
def test_every_kind_of_clean_file_ends_with_0(
    name: str, data: Callable[[], bytes], retourne: Command, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data())
    done = retourne("check", tmp_path / name)
    assert (done.code, done.out, done.err) == (0, "Matches: 6 · legal: 6\n", "")
    objects = retourne("check", tmp_path / name, "--format", "jsonl").objects
    assert [item["log_id"] for item in objects] == [document["id"] for document in documents()]
    assert all(item["findings"] == [] for item in objects)


def test_a_folder_is_walked_and_every_game_is_checked(retourne: Command, tmp_path: Path) -> None:
    club = tmp_path / "club"
    for game in game_names():
        (club / game).mkdir(parents=True)
        simulated = retourne("simulate", "--game", game, "-n", "3")
        (club / game / "a.jsonl").write_bytes(simulated.raw)
    (club / "notes.txt").write_text("not a log")
    (club / "belote" / "evening.XLSX").write_bytes(b"PK")
    (club / "belote" / "a.expected.json").write_text("the findings expected of a.jsonl")
    done = retourne("check", club)
    assert (done.code, done.out) == (0, "Matches: 12 · legal: 12\n")
    assert "Spreadsheets in the folder, not read here: 1." in done.err


def test_standard_input_is_checked(retourne: Command, club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with club.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert retourne("check", "-").out == "Matches: 6 · legal: 6\n"


def test_warnings_alone_are_shown_and_end_with_0(retourne: Command) -> None:
    done = retourne("check", FAUTES / "chouine" / "au-sept-missing.json")
    assert done.code == 0
    assert "warning: Lucie (seat 1) leads with two cards left" in done.out
    assert done.out.endswith("Matches: 1 · legal: 1 · warnings: 1\n")


def test_a_finding_has_its_place_its_sentence_what_led_there_the_hand_and_its_source(
    retourne: Command,
) -> None:
    done = retourne("check", FAUTES / "chouine" / "must-follow.json")
    head, where, sentence, led, hand, first, *several, none, more, source, mark, total = done.out.splitlines()
    assert first == "    → One of these, most likely first:"
    assert none.strip() == "Retourne changed nothing: edit the file, then check it again."
    assert retourne(*more.strip().removeprefix("More: retourne ").split()).code == 0
    assert [one.split(". ")[0].strip() for one in several] == ["1", "2", "3", "4", "5"]
    assert any("Play 7♦ instead." in one for one in several)
    assert re.search(r"must-follow\.json:1 .*irregular$", head)
    assert where.startswith(" 1  /")
    assert where.endswith("must-follow.json:16:44  manche 1, partie 1, trick 12, card 2")
    assert sentence.startswith("    Marcel (seat 2) plays 9♥")
    assert sentence.endswith("Legal: 7♦, 10♦. [CH-8]")
    assert led.split(" · ")[-1] == "▸ Marcel 9♥"
    assert led.count(" · ") == 4
    assert hand == "    Hand: K♠ Q♠ 9♥ 10♦ 7♦"
    start, end = mark.index("^"), mark.rindex("^") + 1
    assert source.startswith("    16 │ ")
    assert source[start:end] == '"2 9h"'
    assert total == "Matches: 1 · irregular: 1"


def test_a_finding_names_the_one_it_may_come_of() -> None:
    first = Finding("must-ruff", "CH-10", "error", "/deals/0/actions/7", found="1 7h", legal=[])
    second = Finding("points-differ", "CH-23", "error", "/deals/0/points", follows=0)
    report = MatchReport("a.json", 1, None, "", "irregular", [first, second])
    *_, last = match_report_lines(translator("en"), report)
    assert last.plain.strip() == "May follow from finding 1."


STYLING = re.compile(r"\x1b\[[0-9;]*m|\x1b]8;[^\x1b]*\x1b\\")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_gets_no_line_it_would_break(
    columns: int, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(TerminalConsole, "is_read", True)  # what goes into a pipe is whole
    monkeypatch.chdir(FAUTES)
    items = STYLING.sub("", retourne("check", ".", "--lang", "fr").out).splitlines()
    assert "\x1b" not in "".join(items)
    assert [line for line in items if cell_len(line) > columns and ".json:" not in line] == []


def test_the_rule_of_a_finding_is_a_link_where_the_terminal_has_links(
    retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FAUTES / "chouine" / "must-follow.json"
    assert "\x1b" not in retourne("check", path).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    linked = re.findall(r"\x1b]8;id=\d+;(file:[^\x1b]*)\x1b", retourne("check", path).out)
    (address,) = linked
    page, _, anchor = url2pathname(address.removeprefix("file://")).partition("#")
    assert f'<a id="{anchor}"></a>\n**CH-8 ' in Path(page).read_text(encoding="utf-8")


def test_suits_and_ranks_are_drawn_as_the_language_has_them(retourne: Command) -> None:
    path = FAUTES / "chouine" / "must-follow.json"
    assert "K♦" in retourne("check", path, "--lang", "en").out
    assert "R♦" in retourne("check", path, "--lang", "fr").out


def test_more_findings_than_anyone_reads_are_counted(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(match(**{f"key{i}": 1 for i in range(DEFAULT_MAX_FINDINGS + 5)}))
    done = retourne("check", path)
    assert done.out.count("is not part of the format") == DEFAULT_MAX_FINDINGS
    assert "… and 5 more" in done.out
    (result,) = retourne("check", path, "--format", "jsonl").objects
    assert len(result["findings"]) == DEFAULT_MAX_FINDINGS + 5


def test_matches_with_findings_beyond_a_number_are_counted(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join([match(key=1)] * 3 + [match()] + [match(key=1)]))
    done = retourne("check", path, "--matches", "2")
    assert done.out.count("is not part of the format") == 2
    assert "… and 2 more matches with findings; --matches 0 shows all." in done.out
    assert retourne("check", path, "--matches", "0").out.count("is not part of the format") == 4
    assert len(retourne("check", path, "--format", "jsonl").objects) == 5


def test_the_limit_of_findings_can_be_chosen(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(match(**{f"key{i}": 1 for i in range(30)}))
    few = retourne("check", path, "--limit", "2")
    assert few.out.count("is not part of the format") == 2
    assert "… and 28 more" in few.out
    everything = retourne("check", path, "--limit", "0").out
    assert everything.count("is not part of the format") == 30
    assert "more" not in everything


HOSTILE = "[bold red]x[/] [link=http://a]y[/link] \x1b]0;title\x07\x1b[2J \u202e {found} %s :heart:"


def test_text_of_a_log_is_plain_text(retourne: Command, tmp_path: Path) -> None:
    path = tmp_path / "[bold]a.json"
    players = [{"id": "a", "name": HOSTILE}, {"id": "b"}]
    path.write_bytes(match(players=players, id=HOSTILE, deals=[FIRST | {"dealer": 5}], **{HOSTILE: 1}))
    done = retourne("check", path)
    assert done.code == 1
    assert "[bold]a.json:1 [bold red]x[/] [link=http://a]y[/link] " in done.out
    assert ":heart:" in done.out
    assert "\\x1b]0;title\\x07\\x1b[2J \\u202e {found} %s" in done.out
    assert not set(done.out) & {"\x1b", "\x07", "\u202e"}
    (result,) = retourne("check", path, "--format", "jsonl").objects
    assert result["log_id"] == HOSTILE


def test_files_that_cannot_be_read_end_with_2_after_the_others(
    retourne: Command, club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked.jsonl"
    locked.write_bytes(lines(1))
    opened = Path.open

    def refuse(path: Path, *words: Any, **more: Any) -> Any:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *words, **more)

    monkeypatch.setattr(Path, "open", refuse)  # root may read anything
    done = retourne("check", locked, club)
    assert done.code == 2
    assert "The file cannot be read: permission denied." in done.out
    assert "legal: 6" in done.out


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [("en", "Player 2 has no id. Write one:"), ("fr", "Le joueur 2 n’a pas d’identifiant.")],
)
def test_a_player_without_an_id_is_named_by_the_place_at_the_table(
    tmp_path: Path, retourne: Command, lang: str, sentence: str
) -> None:
    log = {"format": "retourne/1", "game": "chouine", "players": [{"id": "a"}, {"name": "B"}], "deals": []}
    (file := tmp_path / "a.json").write_text(json.dumps(log))
    assert sentence in retourne("check", file, "--lang", lang).out
