"""The page Add matches takes score sheets and notes, and shows them before they are added."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.store import open_store
from dashboard.text.numbers import escape_markdown
from dashboard.views.sheets_editor import grid_data
from engine.games import game_names
from ingest.i18n import translator
from ingest.importers.headings import XLSX_MEDIA_TYPE
from tests.dashboard.tables import tables_of
from tests.dashboard.test_pages import figures
from tests.ingest.logs import zipped
from tests.ingest.make_papers import PAPERS
from tests.ingest.test_players import add_tables
from tests.ingest.test_sheet_files import HEAD, LINE, lines, workbook

NOTES = "Jeu : Chouine\nJoueurs : Lucie, Marcel\n\nMarcel donne\nPoints : 70 60\nGagnant : Lucie\n"


@pytest.fixture
def page(open_page) -> AppTest:
    return open_page("deposer")


def drop(app: AppTest, name: str, data: bytes) -> AppTest:
    app.file_uploader[0].upload(name, data)
    app.button[0].click().run()
    assert not app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception
    return app


def grid(app: AppTest) -> dict[str, Any]:
    """Return what the grid of the one file shows."""
    return grid_data(app.session_state["imports"][0], translator("fr"))


def change(app: AppTest, sheet: str = "", **what: Any) -> None:
    """Make a change of the grid, and show the page again."""
    app.session_state["imports"][0].change({"sheet": sheet, **what})
    assert not app.run().exception


def page_text(app: AppTest) -> str:
    values = (*app.markdown, *app.warning, *app.error, *app.caption, *app.code)
    return "\n".join(str(one.value) for one in values).replace("\\", "")


def test_a_sheet_is_looked_at_before_it_is_added(page):
    drop(page, "soirée.xlsx", workbook(lines(HEAD + LINE)))
    assert "Non confirmée\N{NO-BREAK SPACE}: 1" in page_text(page)
    assert '"points": [70,60]' in page_text(page)
    assert "n’a encore rien ajouté à la base" in page.info[0].value
    assert "Donnes sans cartes notées" in page_text(page)  # why it is not certain, before it is added too
    assert not page.metric  # nothing is in the store yet
    press(page, "Ajouter")
    assert figures(page)["Ajoutées"] == "1"
    assert page.metric[0].delta == "feuilles de marque\N{NO-BREAK SPACE}: 1"
    assert "Au classement\N{NO-BREAK SPACE}: oui" in page_text(page)
    assert "Feuilles et notes" not in [one.value for one in page.header]
    press(page, "Annuler ce dépôt")


def test_a_line_that_is_not_clear_is_named_with_its_cell_and_nothing_can_be_added(page):
    drop(page, "soirée.csv", (HEAD + LINE.replace("70", "x")).encode())
    assert "**E2 (Points 1)** «\xa0x\xa0» n’est pas un nombre entier." in page_text(page)
    assert not [button for button in page.button if button.label.startswith("Ajouter")]
    press(page, "Ne pas prendre")
    assert "E2" not in page_text(page)


def test_a_column_nobody_knows_is_chosen_above_it(page):
    drop(page, "soirée.csv", (HEAD + LINE).replace("Points 1", "Lucie").encode())
    assert "Quelle colonne est" in page_text(page)
    [sheet] = grid(page)["sheets"]
    [letter] = [one["letter"] for one in sheet["columns"] if one["role"] == "?"]
    change(page, kind="column", column=letter, value="points 1")
    assert "Quelle colonne est" not in page_text(page)
    assert '"points": [70,60]' in page_text(page)
    [sheet] = grid(page)["sheets"]
    assert [one["role"] for one in sheet["columns"] if one["letter"] == letter] == ["points 1"]


def test_a_cell_is_put_right_in_the_grid(page):
    drop(page, "soirée.csv", (HEAD + LINE.replace("70", "x")).encode())
    [sheet] = grid(page)["sheets"]
    assert [*sheet["problems"]] == ["E2"]
    change(page, kind="cell", cell="E2", value="70")
    assert grid(page)["sheets"][0]["problems"] == {}
    assert '"points": [70,60]' in page_text(page)
    press(page, "Ajouter")


def test_a_fault_of_a_line_is_shown_at_its_cell(page):
    drop(page, "soirée.csv", (HEAD + LINE.replace(";70;", ";999;")).encode())
    assert [*grid(page)["sheets"][0]["problems"]] == ["E2"]


@pytest.mark.parametrize(
    "what",
    [
        {"kind": "column", "column": "A", "value": "no role"},
        {"kind": "game", "value": "<b>"},
        {"kind": "skip", "value": "x"},
        {"kind": "cell", "cell": 3, "value": "x"},
        {"kind": "cell", "cell": "A1", "value": "x", "sheet": "another"},
    ],
)
def test_a_change_that_no_grid_sends_does_nothing(page, what):
    drop(page, "soirée.csv", (HEAD + LINE).encode())
    before = page.session_state["imports"][0].entered
    page.session_state["imports"][0].change({"sheet": "", **what})
    assert page.session_state["imports"][0].entered is before


def test_a_sheet_without_results_is_left_out_until_the_user_takes_it(page):
    def two(book: Any, sheet: Any) -> None:
        lines(HEAD + LINE)(book, sheet)
        lines("Nom;Rue\nLucie;1, rue du Puits")(book, book.add_worksheet("Adresses"))

    drop(page, "soirée.xlsx", workbook(two))
    assert [one["skip"] for one in grid(page)["sheets"]] == [False, True]
    assert not page.session_state["imports"][0].entered.questions
    change(page, kind="skip", value=False, sheet="Adresses")
    assert page.session_state["imports"][0].entered.questions
    change(page, kind="skip", value=True, sheet="Adresses")
    assert not page.session_state["imports"][0].entered.questions


def test_a_sheet_that_names_no_game_is_asked_for_it(page):
    text = (HEAD + LINE).replace("Jeu;", "", 1).replace("Chouine;", "", 1)
    drop(page, "soirée.csv", text.encode())
    assert not page.selectbox  # the grid asks
    change(page, kind="game", value="chouine")
    assert '"points": [70,60]' in page_text(page)


def test_one_answer_names_the_game_of_several_sheets(page):
    text = (HEAD + LINE).replace("Jeu;", "", 1).replace("Chouine;", "", 1)

    def two(book: Any, sheet: Any) -> None:
        lines(text)(book, sheet)
        lines(text.replace("Lucie", "Zoé"))(book, book.add_worksheet("Suite"))

    drop(page, "soirée.xlsx", workbook(two))
    [box] = page.selectbox
    box.set_value("chouine").run()
    assert page_text(page).count('"points": [70,60]') == 2


def test_a_line_that_waits_for_an_answer_stays_when_the_others_are_added(page):
    text = "Chouine\nJoueur 1;Joueur 2;Manches 1;Manches 2\nLucie;Marcel;3;1\nAnne;Bob;2;trois\n"
    drop(page, "soirée.csv", text.encode())
    read = page_text(page).replace("\N{NO-BREAK SPACE}", " ")
    assert "Ces lignes de « soirée » attendent une réponse : n° 4." in read
    assert "Rencontres lues : 1" in read
    press(page, "Ajouter")
    assert figures(page)["Ajoutées"] == "1"
    change(page, kind="cell", cell="D4", value="3")
    assert "Rencontres de ce fichier déjà dans la base : 1." in page.info[-1].value.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    press(page, "Ajouter : 1".replace(" :", "\N{NO-BREAK SPACE}:"))
    assert figures(page)["Ajoutées"] == "1"
    assert "Feuilles et notes" not in [one.value for one in page.header]


RESULTS = {
    "counted from its deals": ("a.csv", HEAD + LINE, "1 – 0"),
    "a score": ("a.csv", "Chouine\nJoueur 1;Joueur 2;Manches 1;Manches 2\nLucie;Marcel;3;1\n", "3 – 1"),
    "who won alone": ("a.txt", "Jeu : Chouine\n\nMarcel a battu Lucie\n", "Marcel gagne la rencontre"),
}


@pytest.mark.parametrize(("name", "text", "result"), RESULTS.values(), ids=RESULTS)
def test_a_match_that_was_read_shows_its_result(page, name, text, result):
    drop(page, name, text.encode())
    [read] = tables_of(page)
    assert [*read["Résultat"]] == [result]


def test_a_name_of_a_sheet_that_a_player_has_is_that_player(stored, open_page):
    stored("lucie-9", lambda store: add_tables(store, [("lucie-9", "Lucie"), ("jean", "Jean")]))
    app = drop(open_page("deposer"), "soirée.csv", (HEAD + LINE).replace("Lucie", "LUCIE").encode())
    assert "Joueurs déjà présents, reconnus à leur nom\N{NO-BREAK SPACE}: LUCIE (lucie-9)" in page_text(app)
    press(app, "Ajouter")
    ids = open_store().cursor().execute("SELECT player_id FROM players ORDER BY 1").fetchall()
    assert ids == [("jean",), ("lucie-9",), ("marcel",)]


def test_notes_and_sheets_of_a_zip_are_looked_at_and_its_logs_are_added(page):
    inner = {"notes__txt": NOTES.encode(), "avril__xlsx": workbook(lines(HEAD + LINE))}
    drop(page, "club.zip", zipped(**inner, club__jsonl=b"{}", photo__jpg=b"\xff\xd8\xff"))
    assert [one.name for one in page.session_state["imports"]] == [
        "club.zip/notes.txt",
        "club.zip/avril.xlsx",
    ]
    assert figures(page)["Dans la base, hors classement"] == "1"
    assert "club.zip/photo.jpg\xa0: Retourne ne lit pas les images" in page_text(page)
    assert "Non confirmée\xa0: 1" in page_text(page)
    press(page, "Ajouter")
    assert (figures(page)["Ajoutées"], figures(page)["Refusées"]) == ("1", "0")


def test_a_note_is_pasted(page):
    page.text_area(key="pasted").set_value(NOTES)
    press(page, "Lire la note")
    press(page, "Ajouter")
    assert figures(page)["Ajoutées"] == "1"


def test_a_file_of_which_nothing_is_read_is_reported_in_one_sentence(page):
    drop(page, "soirée.xlsx", b"%PDF-1.7")
    assert "Retourne ne lit pas ce type de fichier (PDF)" in page.error[0].value.replace("\\", "")


def test_hostile_text_in_a_cell_is_shown_as_it_stands(page):
    text = HEAD + LINE.replace("Lucie", "<b>[x](y)</b>").replace("70", "=1+1")
    drop(page, "<i>.csv", text.encode())
    assert "<b>" not in "\n".join(str(one.value) for one in page.markdown)


def test_a_template_of_each_game_is_offered(page):
    labels = [one.proto.label for one in page.get("download_button")]
    offered = [one for one in labels if one.startswith("Feuille de marque")]
    assert len(offered) == len(game_names())
    assert XLSX_MEDIA_TYPE.endswith("sheet")


def test_notes_are_put_right_on_the_page_with_a_click_or_by_hand(page):
    drop(page, "notes.txt", (NOTES.replace("Points", "Lucie : 9c A♠\nPoints")).encode())
    assert "«\xa09c\xa0» peut être 9♥, 9♦ ou 9♣" in page_text(page)
    press(page, "9♦")
    assert "«\xa09c\xa0»" not in page_text(page)
    assert "Lucie : 9♦ A♠" in page.text_area[-1].value
    page.text_area[-1].set_value(NOTES.replace("70 60", "70 80")).run()
    assert '"points": [70,80]' in page_text(page)
    press(page, "Ajouter")
    assert figures(page)["Dans la base, hors classement"] == "1"


def test_the_deals_that_are_clear_can_be_added_with_one_that_is_open(page):
    drop(
        page,
        "notes.txt",
        (NOTES + "\nLucie donne\nMarcel joue un petit trèfle\nMarcel gagne 87 à 63").encode(),
    )
    assert "petit trèfle" in page_text(page)
    press(page, "Ajouter")
    assert figures(page)["Ajoutées"] == "1"


def test_an_answer_to_a_question_of_a_sheet_is_one_click(page):
    drop(page, "bracieux.csv", PAPERS.joinpath("bracieux.csv").read_bytes())
    assert (
        "**B4** Quel nom faut-il lire pour «\xa0Mar.\xa0»\xa0: Martine ou Mar.\N{NARROW NO-BREAK SPACE}?"
        in page_text(page)
    )
    for answer in ("Martine", "Gérard", "Anne*"):
        press(page, escape_markdown(answer))
    assert [one.label for one in page.button if one.label.startswith("Ajouter")] == ["Ajouter\xa0: 3"]
