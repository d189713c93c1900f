"""Tables are sorted by their numbers and read as the language writes them."""

import copy

import pytest

from dashboard.figures import percent
from dashboard.frames import table
from dashboard.tell import decimal
from ingest.i18n import translator

FR, EN = (translator(one, "dashboard") for one in ("fr", "en"))


def read(styler, label):
    """What a reader sees below a heading."""
    lines = styler.hide(axis="index").to_string(delimiter="\t").splitlines()
    head, *body = (line.split("\t") for line in lines)
    return [line[head.index(label)] for line in body]


def test_shares_are_sorted_as_numbers() -> None:
    shares = (0.8, 0.09, 0.125)
    made = table([{"Part": percent(one, FR)} for one in shares], FR)
    assert made.data["Part"].to_list() == list(shares)
    assert read(made, "Part")[1] == "9,0\N{NARROW NO-BREAK SPACE}%"


@pytest.mark.parametrize(("t", "said"), [(FR, "30\N{NARROW NO-BREAK SPACE}388"), (EN, "30,388")])
def test_whole_numbers_have_the_language_s_thousands(t, said) -> None:
    assert read(table([{"n": 30388}, {"n": 5}], t), "n") == [said, "5"]


def test_a_dash_among_numbers_stands_below_them_all() -> None:
    made = table([{"σ": decimal(None, FR)}, {"σ": decimal(-1.25, FR)}], FR)
    assert made.data["σ"].isna().to_list() == [True, False]
    assert read(made, "σ") == ["–", "−1,2"]


def test_a_text_among_numbers_keeps_a_column_text() -> None:
    rows: list[dict[str, object]] = [{"Pli": 1, "Nom": "12"}, {"Pli": "dernier", "Nom": "Zoé"}]
    made = table(rows, FR)
    assert [made.data[label].to_list() for label in ("Pli", "Nom")] == [
        [1, "dernier"],
        ["12", "Zoé"],
    ]


def test_no_row_is_no_column() -> None:
    assert table([], FR).data.empty


def test_a_figure_is_copied_with_its_number() -> None:
    again = copy.deepcopy(percent(0.5, FR))
    assert (again, again.number) == (percent(0.5, FR), 0.5)


def test_nothing_is_not_less_than_nothing() -> None:
    assert (percent(-0.00001, FR, 2), decimal(-0.01, EN)) == (
        "0,00\N{NARROW NO-BREAK SPACE}%",
        "0.0",
    )
