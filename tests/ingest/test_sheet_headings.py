"""Headings of two lines and over several columns, and sheets that hold no game."""

import pytest

from ingest.i18n import translator
from ingest.importers.cells import Cell, CellSheet
from ingest.importers.import_result import ImportResult
from ingest.importers.mapping import ImportOptions, SheetMapping, WorkbookMapping
from ingest.importers.sheets import read_sheets

EN = translator("en")


def sheet(text: str, name: str = "") -> CellSheet:
    """Cells of lines separated by `;`, a whole number as one."""
    rows: list[list[Cell]] = [
        [int(part) if part.isdecimal() else part for part in line.split(";")] for line in text.splitlines()
    ]
    return CellSheet(name, rows)


def results(found: ImportResult) -> list[tuple[str, object]]:
    assert [one.message(EN) for one in found.questions] == []
    return [(", ".join(one["name"] for one in log["players"]), log["result"]["score"]) for log in found.logs]


PAIRS = [("Anne, Zoé, Bob, Luc", [1010, 640])]


@pytest.mark.parametrize(
    "text",
    [
        "Coinche\nÉquipe;Équipe;Points;Points\n1;2;1;2\nAnne et Bob;Zoé et Luc;1010;640",
        "Coinche\nÉquipe;;Points;\nA;B;A;B\nAnne et Bob;Zoé et Luc;1010;640",
        "Coinche\nÉquipe 1;;Équipe 2;;Points;\nJoueur 1;Joueur 2;Joueur 1;Joueur 2;Éq. 1;Éq. 2\n"
        "Anne;Bob;Zoé;Luc;1010;640",
    ],
)
def test_headings_of_two_lines_are_read_as_one(text: str) -> None:
    assert results(read_sheets([sheet(text)], ImportOptions())) == PAIRS


@pytest.mark.parametrize(
    "text", ["Chouine\nJoueurs;;Score;\nAnne;Bob;3;1", "Chouine\nGagnant;Perdant;Score;\nAnne;Bob;3;1"]
)
def test_a_heading_over_two_columns_is_of_both_sides(text: str) -> None:
    assert results(read_sheets([sheet(text)], ImportOptions())) == [("Anne, Bob", [3, 1])]


def test_a_merged_heading_is_of_the_columns_it_covers() -> None:
    one = sheet("Coinche\nÉquipe;;Points;\n1;2;1;2\nAnne et Bob;Zoé et Luc;1010;640")
    one.merged += [(1, 0, 1, 1), (1, 2, 1, 3)]
    assert results(read_sheets([one], ImportOptions())) == PAIRS


def test_a_line_of_cells_below_headings_is_no_heading() -> None:
    one = sheet("Chouine\nJoueur 1;Joueur 2;Manches 1;Manches 2\nAnne;Bob;1;2")
    assert results(read_sheets([one], ImportOptions())) == [("Anne, Bob", [1, 2])]


GAME = sheet("Joueur 1;Joueur 2;Score\nAnne;Bob;3-1", "Chouine")


@pytest.mark.parametrize(
    "text",
    [
        "Règlement\nOn joue à la chouine en trois manches.",
        "Nom;Téléphone\nAnne;00 00 00 00 01\nBob;00 00 00 00 02",
        "Nom;Courriel;Année\nAnne;anne@example.org;1950",
        "Date;Lieu\n12/04/2026;Vendôme",
        "Joueur;Victoires;Défaites\nAnne;3;1\nBob;2;2",
    ],
)
def test_a_sheet_without_results_is_left_out_with_a_remark(text: str) -> None:
    found = read_sheets([sheet(text, "Autre"), GAME], ImportOptions())
    assert results(found) == [("Anne, Bob", [3, 1])]
    assert [one.message(EN) for one in found.notices] == ["Skipped, without results: “Autre”."]


def test_a_sheet_that_may_hold_results_is_a_question() -> None:
    found = read_sheets([sheet("Lucie;Marcel\n98;72\n47;113", "Autre"), GAME], ImportOptions(game="chouine"))
    assert [one.sheet for one in found.questions] == ["Autre"]


def test_a_sheet_that_a_mapping_names_is_read() -> None:
    mapping = WorkbookMapping(sheets=(SheetMapping(sheet="Autre", game="chouine"),))
    found = read_sheets(
        [sheet("Date;Lieu\n12/04/2026;Vendôme", "Autre"), GAME], ImportOptions(mapping=mapping)
    )
    assert found.notices == []


def test_standings_alone_are_refused_in_one_sentence() -> None:
    found = read_sheets([sheet("Chouine\nJoueur;Victoires\nAnne;3\nBob;2")], ImportOptions())
    assert found.error is not None
    assert found.error.message(EN).startswith("The file has standings, a player a line.")


HEAD = "Jeu;Joueur 1;Joueur 2;Joueur 3;Joueur 4;Donneur;Preneur;Contrat;Points 1;Points 2\n"
MARTINE = HEAD + "Coinche;Martine;Marcel;Gérard;Josiane;Martine;"


@pytest.mark.parametrize(
    ("cell", "times"),
    [("110 ♣ coinché", 1), ("110 trèfle contré", 1), ("110♣ surcoinché", 2), ("110 ♣", None)],
)
def test_a_contract_may_be_doubled_in_its_own_cell(cell: str, times: int | None) -> None:
    [log] = read_sheets([sheet(f"{MARTINE}Gér.;{cell};;")], ImportOptions()).logs
    contract = {"bid": "3 bid 110c"} | ({} if times is None else {"coinche": times})
    assert log["deals"][0]["score_line"] == {"contract": contract}


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        (
            "Mar.;80 ♠;160;70\n;;;;;Marcel;Mar.;80 ♠;160;70",
            "G2 (Preneur): “Mar.” may be Martine or Marcel. Which of them?",
        ),
        (
            "Gérard;80 SA;80;82\n;;;;;Marcel;Gérard;90 TA;80;82",
            "H2 (Contrat): “80 SA” is a contract of Belote, with 32 cards; Coinche is the tournament "
            "game with 36. Choose Belote as the game of the sheet.",
        ),
    ],
)
def test_the_same_cell_in_two_lines_is_one_question(rows: str, question: str) -> None:
    found = read_sheets([sheet(MARTINE + rows)], ImportOptions())
    assert [f"{one.place(EN)}: {one.message(EN)}" for one in found.questions] == [question]
    assert found.logs == []


def test_a_pair_that_is_unclear_is_one_question_and_its_answer_holds_for_all_lines() -> None:
    text = (
        "Coinche\nPaire 1;Paire 2;Points 1;Points 2\nAnne Bob;Zoé et Luc;1010;640\nAnne Bob;A et B;640;1010"
    )
    [question] = read_sheets([sheet(text)], ImportOptions()).questions
    assert (question.place(EN), question.read, question.about) == ("A3 (Paire 1)", "Anne Bob", "name")
    mapping = WorkbookMapping(sheets=(SheetMapping(names={"Anne Bob": "Anne & Bob"}),))
    assert results(read_sheets([sheet(text)], ImportOptions(mapping=mapping))) == [
        *PAIRS,
        ("Anne, A, Bob, B", [640, 1010]),
    ]


@pytest.mark.parametrize("word", ["Score", "Points", "Pts", "Marque"])
def test_columns_of_us_and_them_hold_pairs_beside_those_of_their_points(word: str) -> None:
    one = sheet(f"Coinche\nNous;Eux;{word} Nous;{word} Eux\nAnne et Bob;Zoé et Luc;1010;640")
    assert results(read_sheets([one], ImportOptions())) == PAIRS


def test_columns_of_us_and_them_hold_points_where_they_have_numbers() -> None:
    one = sheet("Coinche\nÉquipe 1;Équipe 2;Nous;Eux\nAnne et Bob;Zoé et Luc;1010;640")
    assert results(read_sheets([one], ImportOptions())) == PAIRS


def test_two_columns_of_points_for_us_make_a_question() -> None:
    one = sheet("Coinche\nÉquipe 1;Équipe 2;Nous;Eux;Score Nous;Score Eux\nA et B;C et D;90;72;90;72")
    texts = [question.message(EN) for question in read_sheets([one], ImportOptions()).questions]
    assert texts == ["There are two columns for Points 1.", "There are two columns for Points 2."]


def test_columns_of_two_games_make_one_question_with_these_games() -> None:
    one = sheet("Nous;Eux;Score Nous;Score Eux\nAnne et Bob;Zoé et Luc;1010;640")
    [question] = read_sheets([one], ImportOptions()).questions
    assert (question.about, question.could) == ("game", ("Coinche", "Belote"))
