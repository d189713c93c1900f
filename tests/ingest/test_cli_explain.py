"""`retourne explain`: a code or a rule, in words."""

from pathlib import Path

from ingest.findings.codes import code_entries
from tests.ingest.conftest import Command


def test_a_code_is_reported_with_advice_rule_and_a_log_that_shows_it(retourne: Command) -> None:
    code, sentence, advice, example, _, _, title, text, *_ = retourne("explain", "must-beat").out.splitlines()
    assert code == "must-beat"
    assert sentence == "… plays … but must play a higher trump. Legal: …"
    assert advice.startswith("Next step: If the log is right it is a revoke")
    assert title.startswith("CH-9 ")
    assert "trump" in text
    path = example.removeprefix("Example: ")
    assert "[CH-9]" in retourne("check", Path(path)).out


def test_a_code_of_several_games_has_the_rule_of_each(retourne: Command) -> None:
    out = retourne("explain", "wrong-turn", "--lang", "fr").out
    assert [line[:5].strip() for line in out.splitlines() if line[:3] in ("CH-", "CO-", "CR-", "BE-")] == [
        "CH-5",
        "CO-6",
        "CR-3",
        "BE-8",
    ]
    assert "Que faire" in out


def test_a_rule_is_reported_with_its_codes(retourne: Command) -> None:
    out = retourne("explain", "ch-9").out
    assert out.startswith("CH-9 ")
    assert "must-beat (chouine): " in out
    assert "not-json: " in retourne("explain", "format").out


def test_all_codes_are_listed(retourne: Command) -> None:
    out = retourne("explain").out
    assert {line.split(" ")[0] for line in out.splitlines()} >= {one.code for one in code_entries()}


def test_what_is_neither_a_code_nor_a_rule_ends_with_2(retourne: Command) -> None:
    done = retourne("explain", "CH-99")
    assert done.code == 2
    assert "No such code or rule: CH-99" in done.err


def test_every_code_of_the_list_has_words(retourne: Command) -> None:
    rows = retourne("explain", "--lang", "en").out.splitlines()
    [schema] = [row for row in rows if row.split()[:1] == ["schema"]]
    assert "Give this part the type" in schema
