"""`ingest` validates and stores a registered game: rows, words, faults in both languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.games import game
from ingest.autofix.search import find_edits
from ingest.findings.codes import code_entries
from ingest.findings.finding import Finding
from ingest.findings.rulebook import find_rule, page_of, rule_headings, rules_by_id, section_introduction
from ingest.findings.spoken_notation import announcement_kinds, describe_action, describe_word
from ingest.games import all_games, game_support
from ingest.i18n import parse_catalog, translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest as add
from ingest.validate.slow_path import ValidationResult, validate
from tests.catalogues import marked
from tests.ingest.conftest import Command, retourne
from tests.newgame import NAME, ingest, log, registered
from tests.newgame.engine.options import OPTIONS

__all__ = ["retourne"]  # the fixture

HERE = Path(__file__).parent


def found(*actions: str, **sheet: Any) -> ValidationResult:
    """A deal of `log`, explained: seat 2 has queen and ace of ♠, ♥ and ♦, seat 1 the rest."""
    return validate(json.dumps(log(*actions, **sheet)).encode())


def texts_of(finding: Finding, language: str) -> tuple[str, str, str]:
    """(sentence, advice, place) of a finding."""
    t = translator(language)
    return finding.message(t), finding.advice(t), finding.place(t)


def test_it_is_asked_as_every_game_is_while_it_is_registered(brelin: str) -> None:
    assert game_support(brelin) is ingest.GAME
    assert list(all_games())[-1] == brelin


def test_its_tables_name_what_it_has(brelin: str) -> None:
    this = game(brelin)
    done = {this.acts.kind_of_act(act) for act in range(this.acts.ACT_COUNT)}
    assert {*ingest.GAME.ACT_FREQUENCIES} <= done
    assert set(ingest.GAME.FINDING_CODES) <= set(this.faults.by_code)
    assert set(announcement_kinds()) > set(ingest.GAME.ANNOUNCEMENT_NAMES) == set(this.announcement_kinds)


def test_every_text_has_its_french_and_no_french_is_left_over() -> None:
    """A text that the project says already needs no other French."""
    own = parse_catalog((HERE / "locale" / "fr.po").read_text(encoding="utf-8"))
    root = HERE.parents[1]
    shared = [
        parse_catalog((root / package / "locale" / "fr.po").read_text(encoding="utf-8"))
        for package in ("ingest", "dashboard")
    ]
    modules = (HERE / "ingest.py", HERE / "dashboard.py")
    texts = {text for one in modules for text in marked(one.read_text())} | {one.doc for one in OPTIONS}
    assert set(own) <= texts
    assert not set(own) & (set(shared[0]) | set(shared[1]))
    assert texts <= set(own) | set(shared[0]) | set(shared[1])


@pytest.mark.parametrize(
    ("action", "english", "french"),
    [
        ("2 Kh", "K♥", "R♥"),
        ("2 bid 4h", "bids 4 tricks in ♥", "annonce 4 plis à ♥"),
        ("2 pair-s", "pair ♠", "paire ♠"),
    ],
)
def test_its_words_exist_in_both_languages(brelin: str, action: str, english: str, french: str) -> None:
    assert describe_action(translator("en"), action, brelin) == english
    assert describe_action(translator("fr"), action, brelin) == french


def test_br_3_a_fault_is_reported_in_both_languages(brelin: str) -> None:
    log = found("2 bid 3s", "2 Qs", "1 Qc")
    assert log.status == "incomplete"  # the rest was not written down
    [finding, *_] = log.findings
    assert (finding.code, finding.rule, finding.seat) == ("must-follow", "BR-3", 1)
    assert (finding.path, finding.legal) == ("/deals/0/actions/2", ["1 Ks"])
    message, advice, place = texts_of(finding, "en")
    assert message == "Jean (seat 1) plays Q♣ but must follow suit. Legal: K♠."
    assert advice.startswith("If the log is right it is a revoke")
    assert place == "deal 1, trick 1, card 2"
    message, advice, place = texts_of(finding, "fr")
    assert "D♣" in message
    assert "R♠" in message
    assert advice.startswith("Si le relevé est juste")
    assert place == "donne 1, pli 1, carte 2"


@pytest.mark.parametrize(
    ("actions", "code", "english", "french"),
    [
        (
            ["2 Qs"],
            "card-before-bid",
            "Zoé (seat 2) plays Q♠ before anybody has bid. Possible: bids 3 tricks in ♠, ",
            "Zoé (place 2) joue D♠ avant toute enchère. Possible\N{NO-BREAK SPACE}: annonce 3 ",
        ),
        (
            ["2 bid 3s", "2 bid 4h"],
            "bid-again",
            "Zoé (seat 2) bids 4 tricks in ♥ when there is a bid already. No effect.",
            "Zoé (place 2) annonce 4 plis à ♥ alors qu’il y a déjà une enchère. Sans effet.",
        ),
        (
            ["2 bid 3s", "2 pair-d"],
            "pair-not-held",
            "Zoé (seat 2) announces pair ♦ without king and queen. In hand: ",
            "Zoé (place 2) annonce paire ♦ sans roi et dame. En main\N{NO-BREAK SPACE}: ",
        ),
        (
            ["2 bid 3s", "2 Qs", "1 pair-c", "1 pair-c"],
            "pair-again",
            "Jean (seat 1) announces pair ♣ a second time. No effect.",
            "Jean (place 1) annonce paire ♣ une seconde fois. Sans effet.",
        ),
    ],
)
def test_a_fault_of_its_own_is_reported_by_its_record(
    brelin: str, actions: list[str], code: str, english: str, french: str
) -> None:
    [finding, *_] = found(*actions).findings
    assert finding.code == code
    assert texts_of(finding, "en")[0].startswith(english)
    assert texts_of(finding, "fr")[0].startswith(french)
    assert all(texts_of(finding, language)[1] for language in ("en", "fr"))


def test_br_3_the_card_that_was_meant_is_proposed(brelin: str) -> None:
    result = found(
        *("2 bid 3s", "2 As", "1 Qc", "2 Qs", "1 Qc", "2 Ah", "1 Kh", "2 Qh", "1 Kc"),
        *("2 Ad", "1 Kd", "2 Qd", "1 Ac"),
    )
    find_edits(result)
    assert result.findings[0].code == "must-follow"
    edit = result.findings[0].edit
    assert edit is not None
    assert (edit.op, edit.path, edit.value) == ("replace", "/deals/0/actions/2", "1 Ks")


def test_its_codes_are_among_all_codes_while_it_is_registered() -> None:
    before = code_entries()
    with registered():
        own = [one for one in code_entries() if one.game == NAME]
        assert {"card-before-bid", "must-follow", "duplicate-card"} <= {one.code for one in own}
        assert all(one.message(translator("fr")) for one in own)
    assert code_entries() == before


# rows


@pytest.fixture
def rows(brelin: str, tmp_path: Path) -> Any:
    """`rows("deals", "trump, made")`, of one deal that is written by hand."""
    text = json.dumps(
        log(
            *("2 bid 4s", "2 pair-s", "2 As", "1 Ks", "2 Qs", "1 pair-c", "1 Kc"),
            *("2 Ah", "1 Kh", "2 Qh", "1 Qc", "2 Ad", "1 Kd", "2 Qd", "1 Ac"),
            points=[2, 6],
            winner=2,
        )
    )
    path = tmp_path / "log.json"
    path.write_text(text)
    with Store(tmp_path / "rows.duckdb") as store:
        list(add(store, [path]))
        yield (
            lambda table, columns: (
                store.cursor().execute(f"SELECT {columns} FROM {table} ORDER BY ALL").fetchall()
            )
        )


def test_br_2_the_bid_its_trump_and_whether_it_was_made(rows: Any) -> None:
    assert rows("findings", "code") == [("pair-not-held",)]
    assert rows("deals", "status, trump, contract, declarer, contract_made, coinched, winning_side") == [
        ("irregular", 0, 1, 2, True, None, 2)
    ]


def test_br_5_points_are_tricks_and_pairs(rows: Any) -> None:
    assert rows("deal_seats", "seat, points, bonus, tricks, der, won, brisques") == [
        (1, 2, 2, 0, False, False, None),
        (2, 6, 0, 6, True, True, None),
    ]
    assert rows("seats", "seat, score") == [(1, 2), (2, 6)]


def test_br_4_an_announcement_is_what_was_held_and_what_was_announced(rows: Any) -> None:
    columns = "seat, kind, suit, trump, held, announced, counted, missed, trick, lead, points"
    assert rows("announcements", columns) == [(1, "pair", 3, False, True, True, True, False, 2, False, 2)]


# its book, in the terminal


def test_its_rules_are_read_beside_those_of_all_games() -> None:
    with registered() as name:
        for language, sentence in (("en", "Suit must be followed"), ("fr", "On doit fournir")):
            assert rules_by_id(language)["BR-3"].text.startswith(sentence)
            assert section_introduction(name, language)
            assert page_of("BR-3", language) != page_of("CH-9", language)
        assert rule_headings("en")["CH-15"] == "Announcements"
    assert "BR-3" not in rules_by_id("en")
    assert section_introduction(name, "en") == ""


def test_a_game_without_a_book_has_ids_for_rules() -> None:
    with registered(texts=()):
        assert find_rule("BR-3", translator("en")).title == "BR-3"


def test_a_code_and_a_rule_are_explained_in_the_terminal(brelin: str, retourne: Command) -> None:
    result = retourne("explain", "card-before-bid", "--lang", "en").out
    assert "Add the bid of the one who leads" in result
    assert "BR-2 The bid." in result
    assert "Example" not in result
    assert "BR-4 Les paires." in retourne("explain", "br-4", "--lang", "fr").out
    assert "card-before-bid" in retourne("explain", "--lang", "fr").out
    assert "must-follow (brelin)" in retourne("explain", "BR-3", "--lang", "en").out


def test_its_options_are_reported_in_the_terminal(brelin: str, retourne: Command) -> None:
    assert "default of brelin" in retourne("rules", "--lang", "en").out
    assert "points d’une paire" in retourne("rules", "plain", "--lang", "fr").out


def test_a_word_nobody_knows_any_more_stays_as_it_is() -> None:
    assert describe_word(translator("en"), "pair-s") == "pair-s"
