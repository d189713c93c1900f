"""The page Validator: all inputs, all verdicts, all findings, fixed step by step."""

import gzip
import json
import zipfile
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.store import open_store
from dashboard.views.validator import check_session as surveys
from dashboard.views.validator.check_session import (
    MAX_EDITABLE_BYTES,
    OWN_RULES,
    CheckSession,
    example_log,
    faulty_samples,
    survey_file,
    survey_text,
)
from dashboard.views.validator.verdict import EXCERPT_CHARS, source_snippet
from ingest.autofix.search import find_edits
from ingest.findings.finding import STATUSES, Finding
from ingest.store import pseudonyms, raw_texts
from ingest.validate.slow_path import validate
from tests.dashboard.conftest import FAUTES, HOSTILE, LONG, documents, lines
from tests.dashboard.tables import tables_of
from tests.dashboard.test_pages import board

MUST_FOLLOW = (FAUTES / "must-follow.json").read_bytes()
POINTS = (FAUTES / "points-differ.json").read_bytes()


@pytest.fixture
def page(open_page) -> AppTest:
    return open_page("verificateur")


def paste(app: AppTest, text: bytes | str) -> AppTest:
    app.text_area[0].set_value(text if isinstance(text, str) else text.decode()).run()
    assert not app.exception
    return app


def drop(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].upload(name, content).run()
    assert not app.exception
    return app


def click(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def title(app: AppTest) -> str:
    """The verdict's word."""
    alerts = [*app.success, *app.warning, *app.error, *app.info]
    return next(alert.proto.title for alert in alerts if alert.proto.title)


def page_text(app: AppTest) -> str:
    texts = [str(one.value) for one in (*app.markdown, *app.caption)]
    return "\n".join([*texts, *app.radio[0].options]).replace("\\", "")


# the ways in


def test_an_example_is_checked_and_each_click_brings_another(page):
    seen = []
    for _ in range(len(faulty_samples()) + 1):
        click(page, "Essayer un exemple")
        seen.append(page.text_area[0].value)
        assert page.radio[0].options
    assert len(set(seen)) == len(seen)
    click(page, "Essayer un exemple")
    assert page.text_area[0].value == seen[0]


def test_the_first_example_shows_what_there_is_to_show():
    explained = validate(example_log(0))
    find_edits(explained)
    assert any(finding.follows is not None for finding in explained.findings)
    assert any(finding.edit is not None for finding in explained.findings)
    assert any(finding.action_index is not None for finding in explained.findings)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("points-differ", "Irrégulière"),
        ("incomplete", "Incomplète"),
        ("not-checkable", "Non confirmée"),
        ("wrong-turn", "Impossible"),
        ("au-sept-missing", "Régulière"),
    ],
)
def test_each_verdict_has_its_word(page, name, word):
    paste(page, (FAUTES / f"{name}.json").read_bytes())
    assert title(page) == word
    assert len(page.radio[0].options) == 1


def test_a_legal_log_has_a_verdict_and_no_list(page):
    paste(page, json.dumps(documents()[0]))
    assert title(page) == "Régulière"
    assert not page.radio
    assert "Ajouter à la base" in [button.label for button in page.button]


ODD = {
    "nothing": "   ",
    "words": "bonjour\nles amis",
    "html": "<script>alert(1)</script>",
    "cut-off": '{"format": "retourne/1", "game": "chouine"',
    "nested": '{"a":' * 20_000,
    "deep": '{"_a":' + "[" * 500 + "]" * 500 + "}",
    "array": "[1, 2]",
    "number": "12",
    "controls": "\x00\x01\x7f",
    "wrong-types": '{"format": "retourne/1", "game": ["x"], "rules": 3, "players": 1, "deals": {}}',
    "wrong-rules": '{"format": "retourne/1", "game": "coinche", "rules": "nobody", "players": [],'
    ' "deals": []}',
    "odd-rules": '{"format": "retourne/1", "game": "chouine", "rules": [1], "players": "x"}',
    "sql": "'; DROP TABLE matches;--",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample(*(f"fr-{name}" for name in ODD))
def test_no_text_breaks_the_page(open_page, text, lang):
    app = paste(open_page("verificateur", lang=lang), text)
    if text.strip():
        assert title(app) in ("Illisible", "Unreadable")
        assert app.radio[0].options
        assert app.code
    else:
        assert app.info


def test_names_and_words_of_a_log_are_never_markup(page):
    log = json.loads(MUST_FOLLOW)
    log["players"][0]["name"], log["players"][1]["name"] = HOSTILE, LONG
    log["deals"][0]["actions"][3] = f"2 {HOSTILE}"
    paste(page, json.dumps(log))
    texts = [str(one.value) for one in (*page.markdown, *page.caption)] + page.radio[0].options
    hostile = [text for text in texts if "Bobby" in text]
    assert hostile
    for text in hostile:
        assert r"\<b\>Bobby\<\/b\> \*T\* \:red\[x\] \$1\$" in text


def test_a_file_of_one_match_goes_into_the_box(page):
    drop(page, "log.json.gz", gzip.compress(MUST_FOLLOW))
    assert page.text_area[0].value == MUST_FOLLOW.decode().strip()
    assert title(page) == "Irrégulière"


def test_of_a_file_of_many_those_with_findings_come_first(page):
    many = lines() + MUST_FOLLOW.replace(b"\n", b" ") + b"\n" + POINTS.replace(b"\n", b" ")
    drop(page, "club.jsonl", many)
    which = page.selectbox[0]
    assert len(which.options) == 8
    assert [("irrégulière" in option) for option in which.options] == [True] * 2 + [False] * 6
    assert any("sans anomalie\xa0: 6" in one.value.replace("\\", "") for one in page.caption)
    assert "CH-8" in page_text(page)
    which.select_index(1).run()
    assert "CH-23" in page_text(page)
    assert "points-differ" not in page.text_area[0].value
    page.selectbox[0].select_index(5).run()
    assert title(page) == "Régulière"


def test_a_zip_and_what_cannot_be_read_in_it(page):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.json", MUST_FOLLOW)
        archive.writestr("b.json.gz", gzip.compress(POINTS)[:-9])
        archive.writestr("c.json", b"")
    drop(page, "club.zip", packed.getvalue())
    assert len(page.error) == 2
    assert page.radio[0].options


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04nothing", b"\x1f\x8bnothing"])
def test_a_file_that_cannot_be_opened_says_why(page, content):
    drop(page, "x.zip", content)
    assert page.error[0].value
    assert not page.radio


def test_bytes_that_are_no_text_are_reported_and_not_put_into_the_box(page):
    drop(page, "x.json", b'{"format": "\xff\xfe"}')
    assert title(page) == "Illisible"
    assert page.text_area[0].value == ""
    assert "UTF-8" in page_text(page)


def test_a_text_too_long_for_the_box_is_checked_all_the_same(page):
    log = json.loads(POINTS) | {"_padding": "x" * MAX_EDITABLE_BYTES}
    drop(page, "long.json", json.dumps(log).encode())
    assert page.text_area[0].value == ""
    assert title(page) == "Irrégulière"
    click(page, "Appliquer")
    assert title(page) == "Régulière"
    paste(page, MUST_FOLLOW)
    assert "CH-8" in page_text(page)


def test_more_than_sixteen_megabytes_are_not_read(page):
    drop(page, "huge.json", b'{"a": "' + b"x" * (17 << 20) + b'"}')
    assert title(page) == "Illisible"


# one finding


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample("fr-0", "en-1", "fr-2")
def test_the_board_stands_where_the_action_was_met_with_legal_cards_lit(open_page, number, lang):
    app = open_page("verificateur", lang=lang)
    text = example_log(number)
    paste(app, text)
    explained = validate(text)
    for place, finding in enumerate(explained.findings):
        app.radio[0].set_value(place).run()
        assert not app.exception
        data = board(app)
        assert finding.deal_index is not None
        assert data["deal"] == finding.deal_index + 1
        assert data["where"] is None
        last = len(data["plies"]) - 1
        assert data["ply"] == (last if finding.action_index is None else finding.action_index)
        assert data["light"]
        if finding.action_index is not None:
            assert finding.legal is not None
            assert {word.split(" ")[1] for word in finding.legal} == {
                card.split("/")[0] for card in data["plies"][data["ply"]]["legal"]
            }
        assert [one["rule"] for one in data["findings"]] == [finding.rule]
        assert any(finding.rule in str(one.value) for one in app.markdown)


def test_the_hand_is_drawn_with_what_was_played_and_what_was_legal(page):
    paste(page, MUST_FOLLOW)
    [strip] = [one.proto.body for one in page.get("html") if "finding-hand" in one.proto.body]
    assert strip.count("<img") == 5
    assert strip.count('class="tried"') == 1
    assert 'class="tried" src="./app/static/cards/fr/9h.svg"' in strip
    assert strip.count('class="lit"') == 2


def test_a_finding_that_may_come_of_another_says_so(page):
    paste(page, example_log(0))
    options = page.radio[0].options
    assert ":gray[" in options[2]
    assert any("vient peut-être de l’anomalie 2" in one for one in captions(page))


def captions(app: AppTest) -> list[str]:
    return [str(one).replace("\\", "") for one in app.radio[0].proto.captions]


def test_hundreds_of_findings_come_in_pages(page):
    log = json.loads(MUST_FOLLOW)
    log["deals"] = [log["deals"][0] | {"points": [k, 200], "void": None} for k in range(60)]
    paste(page, json.dumps(log))
    assert len(page.radio[0].options) == 25
    page.session_state["page-" + "-".join(page.session_state["desk"].key(OWN_RULES))] = 2
    page.run()
    assert len(page.radio[0].options) == 25
    assert page.radio[0].value == 25


def test_the_sheet_is_shown_from_the_first_deal_that_differs(page):
    paste(page, example_log(0))
    rows = tables_of(page)[0]
    assert rows["Sur la feuille"][0] == "121 – 38 · Lucie (place 1)"
    assert rows["Tel que joué"][0] == "112 – 38 · Lucie (place 1)"
    assert len(rows) == 12  # the second of thirteen deals and all after it
    click(paste(page, POINTS), "Appliquer")
    assert not tables_of(page)


def test_each_finding_says_what_to_do_and_leads_to_its_rule(page):
    paste(page, MUST_FOLLOW)
    assert "Que faire" in page_text(page)
    [link] = [one for one in page.get("page_link") if one.label == "Toutes les règles"]
    assert link.proto.query_string == "rule=CH-8"


# mending


def test_an_edit_is_done_in_the_box_and_undone(page):
    paste(page, POINTS)
    before = page.text_area[0].value
    click(page, "Appliquer")
    assert title(page) == "Régulière"
    after = page.text_area[0].value
    assert after != before
    assert validate(after.encode()).findings == []
    assert page.get("download_button")[0].proto.label == "Télécharger le relevé corrigé"
    click(page, "Annuler")
    assert page.text_area[0].value == before
    assert title(page) == "Irrégulière"
    assert "Annuler" not in [button.label for button in page.button]


def test_what_is_typed_is_checked_and_can_be_undone(page):
    paste(page, MUST_FOLLOW)
    paste(page, page.text_area[0].value.replace('"2 9h"', '"2 7d"'))
    assert title(page) == "Régulière"
    click(page, "Annuler")
    assert title(page) == "Irrégulière"


# other rules


def test_under_other_rules_what_changes_is_reported(page):
    log = json.loads((FAUTES.parents[1] / "exemple-lavardin.json").read_bytes())
    paste(page, json.dumps(log))
    assert title(page) == "Régulière"
    page.selectbox(key="preset-chouine").select("regles-completes").run()
    assert page.info[0].proto.title.startswith("Selon les règles choisies")
    page.selectbox(key="preset-chouine").set_value(None).run()
    assert not page.info


def test_single_options_are_those_of_the_game_and_can_change_the_verdict(page):
    text = (FAUTES / "must-overruff.json").read_bytes()
    log = json.loads(text)
    paste(page, text)
    assert title(page) == "Irrégulière"
    assert log["rules"]
    page.selectbox(key="option-chouine-overruff").select(False).run()
    assert not page.exception
    assert title(page) == "Régulière"
    assert "irrégulière → régulière" in page.info[0].value
    assert not [one for one in page.number_input if "coinche" in one.key]


# the store


def one_id(path: Any) -> str:
    return validate(path.read_bytes()).match_id


def test_a_stored_match_is_loaded_at_its_finding(games, open_page):
    match = one_id(FAUTES / "must-follow.json")
    app = open_page("verificateur")
    app.query_params["match"] = match
    app.query_params["finding"] = "7"  # past the last one
    app.run()
    assert not app.exception
    assert app.text_area[0].value == MUST_FOLLOW.decode().strip()
    assert app.radio[0].value == 0
    links = [one.value for one in app.code]
    assert any(f"/relecture?match={match}&deal=1&ply=" in one for one in links)
    assert any(f"/verificateur?match={match}&finding=1" in one for one in links)
    assert app.query_params["finding"] == "1"
    paste(app, POINTS)
    assert "match" not in app.query_params


def test_a_replay_with_findings_leads_here(games, open_page):
    match = one_id(FAUTES / "must-follow.json")
    links = {
        link.label: link.proto.query_string for link in open_page("relecture", match=match).get("page_link")
    }
    assert links["Vérifier ce relevé"] == f"match={match}"
    labels = [link.label for link in open_page("relecture", match="m0").get("page_link")]
    assert "Vérifier ce relevé" not in labels


def test_an_unknown_match_is_reported(open_page):
    app = open_page("verificateur")
    app.query_params["match"] = "nobody"
    app.run()
    assert "Aucune rencontre" in app.warning[0].value


def test_a_log_is_added_to_the_store_the_usual_way(page):
    paste(page, POINTS)
    assert not [one for one in page.code if "relecture" in one.value]
    click(page, "Ajouter à la base")
    assert any("/relecture?match=" in one.value for one in page.code)
    assert "Ajouter à la base" not in [button.label for button in page.button]
    assert page.query_params["match"]


def stored_logs() -> list[Any]:
    """Every log of the store."""
    cursor = open_store().cursor()
    numbers = [no for (no,) in cursor.execute("SELECT match_no FROM matches ORDER BY 1").fetchall()]
    return [json.loads(text) for text in raw_texts.read_text_list(cursor, numbers)]


@pytest.mark.parametrize("change", [{"comments": ["Edited"]}, {"players": [{"id": "x"}, {"id": "y"}]}])
def test_a_stored_match_that_was_edited_is_replaced_and_put_back(page, open_page, change):
    paste(page, POINTS)
    click(page, "Ajouter à la base")
    edited = json.dumps(json.loads(POINTS) | change)
    paste(page, edited)
    assert any("comments" in one.value or '"x"' in one.value for one in page.code)
    click(page, "Remplacer")
    assert stored_logs() == [json.loads(edited)]
    match = page.query_params["match"]
    replay = open_page("relecture", match=match)
    click(replay, "La remettre")
    assert stored_logs() == [json.loads(POINTS)]


def test_an_earlier_version_of_a_masked_player_s_match_hides_the_name(page, open_page):
    paste(page, POINTS)
    click(page, "Ajouter à la base")
    paste(page, json.dumps(json.loads(POINTS) | {"event": {"name": "Edited"}}))
    click(page, "Remplacer")
    pseudonyms.mask_player(open_store(), 0)
    match = page.query_params["match"]
    [(name,)] = open_store().cursor().execute("SELECT name FROM masked").fetchall()
    replay = open_page("relecture", match=match)
    [link] = [one for one in replay.get("page_link") if one.label == "Vérifier et comparer"]
    app = open_page("verificateur", **dict(parse_qsl(link.proto.query_string)))
    text = app.text_area[0].value
    assert '"Edited"' not in text
    assert len(text) > 100
    assert name not in text
    assert "Remplacer" not in [button.label for button in app.button]


# without a page


def test_a_survey_keeps_few_and_counts_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "MAX_MATCHES", 2)
    bad = b"".join(MUST_FOLLOW.replace(b"\n", b" ") + b"\n" for _ in range(5))
    found = survey_file("club.jsonl", BytesIO(lines() + bad))
    assert (found.matches, found.clean, len(found.logs)) == (11, 6, 4)
    assert [log.status for log in found.logs] == ["irregular"] * 2 + ["legal"] * 2


def test_a_survey_tells_how_far_it_has_read() -> None:
    read: list[int] = []
    survey_file("club.jsonl", BytesIO(lines()), read.append)
    assert read[-1] == len(lines())


def test_pasted_lines_of_json_are_matches_and_other_lines_are_one_text() -> None:
    assert survey_text(b"{}\n{}").matches == 2
    assert survey_text(b"hello\nworld").matches == 1
    assert survey_text(b"hello\nworld").logs[0].text.text == b"hello\nworld"
    assert survey_text(b'[ {"a": 1} ]').logs[0].text.text == b'{"a": 1}'
    assert survey_text(b'\xef\xbb\xbf{"a": 1}\n').logs[0].text.text == b'{"a": 1}\n'


def test_explanations_are_kept_by_text_and_rules() -> None:
    desk = CheckSession()
    desk.open(survey_text(POINTS))
    first = desk.validate()
    other = desk.validate(("mondoubleau", ()))
    assert desk.validate() is first
    assert desk.validate(("mondoubleau", ())) is other
    assert first.status in STATUSES


def place(line: int, column: int, end: int) -> Finding:
    return Finding("x", "format", "error", "", line=line, column=column, end=end)


def test_an_excerpt_shows_the_lines_around_and_carets_under_the_place() -> None:
    text = b"one\ntwo\nthree four\nfive\nsix"
    assert source_snippet(text, place(3, 7, 11)) == (
        "1 │ one\n2 │ two\n3 │ three four\n  │       ^^^^\n4 │ five"
    )


def test_an_excerpt_of_one_long_line_is_cut_around_the_place() -> None:
    text = b"a" * 5000 + b"HERE" + b"b" * 5000
    shown, under = source_snippet(text, place(1, 5001, 5005)).split("\n")
    assert len(shown) <= EXCERPT_CHARS + 8
    start = under.index("^")
    assert shown[start : start + under.count("^")] == "HERE"


def test_an_excerpt_of_no_text_at_all_has_no_control_signs() -> None:
    shown = source_snippet(b"\x00\x1b[31m\xff", place(1, 6, 7))
    assert shown.replace("\n", "").isprintable()
