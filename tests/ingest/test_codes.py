"""Every code is whole: a sentence, a rule, an example, what to do, in both languages."""

from pathlib import Path

import pytest

from docs import findings
from ingest.findings.codes import code_entries, code_infos
from ingest.findings.rulebook import find_rule
from ingest.i18n import LANGUAGES, translator
from ingest.validate.slow_path import validate

ROOT = Path(__file__).parents[2]
SENTENCES = {code: one.sentence for code, one in code_infos().items()}
ADVICE = {code: one.advice for code, one in code_infos().items()}


def test_every_code_has_a_sentence_and_an_advice_and_none_is_left_over() -> None:
    known = {one.code for one in code_entries()}
    assert known == set(SENTENCES)
    assert known == set(ADVICE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_rule_with_a_text(language: str) -> None:
    t = translator(language)
    for one in code_entries():
        assert find_rule(one.rule, t).plain_text, one.code


def test_every_code_has_an_example_that_has_it_with_the_rule_it_names() -> None:
    shown = [one for one in code_entries() if one.example_path is not None]
    assert len(shown) > 100
    for one in shown:
        found = validate((ROOT / str(one.example_path)).read_bytes()).findings
        if one.code == "not-checkable":  # it has the rule that could not be checked
            assert {(finding.code, finding.severity) for finding in found} == {(one.code, "note")}
            assert all(finding.rule != one.rule for finding in found)
            continue
        assert {(one.code, one.rule, one.severity)} == {
            (finding.code, finding.rule, finding.severity) for finding in found
        }


def test_an_advice_is_a_sentence_without_holes() -> None:
    for language in LANGUAGES:
        for one in code_entries():
            advice = one.advice(translator(language))
            assert advice.endswith(".")
            assert "{" not in advice


def test_the_document_of_all_codes_is_up_to_date() -> None:
    text = findings.PAGE.read_text(encoding="utf-8")
    assert text == findings.page(), "python -m docs.findings"


def test_the_links_of_the_document_lead_somewhere() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for one in code_entries():
        assert one.rule == "format" or f'<a id="{one.rule.lower()}"></a>' in rules
        assert one.example_path is None or (ROOT / str(one.example_path)).is_file()


def test_a_code_of_several_games_has_the_rule_of_each() -> None:
    fields = {one.game: one.rule for one in code_entries() if one.code == "wrong-turn"}
    assert fields == {"chouine": "CH-5", "coinche": "CO-6", "chouineurs": "CR-3", "belote": "BE-8"}
