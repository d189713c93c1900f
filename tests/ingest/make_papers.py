"""Makes the workbooks among the papers of `data/papers/`: python -m tests.ingest.make_papers."""

import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZipFile, ZipInfo

import xlsxwriter
from xlsxwriter.utility import xl_cell_to_rowcol

PAPERS = Path(__file__).parents[2] / "data" / "papers"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
EMPTY = "<table:table-cell/>"
NARROW_SPACE = "\u202f"
Row = Sequence[Any]


class Paper(NamedTuple):
    """A workbook: the rows of each sheet, and what a spreadsheet program adds to them."""

    sheets: dict[str, list[Row]]
    epoch_1904: bool = False
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[int] = ()
    merged: Sequence[str] = ()


def rows(text: str) -> list[Row]:
    """Return cells of lines separated by `|`: a whole number or an ISO date is one."""
    return [[_cell(part.strip()) for part in line.split("|")] for line in text.strip("\n").splitlines()]


def _cell(text: str) -> Any:
    if text.lstrip("-").isdecimal() and text.isascii():
        return int(text)
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


SAINT_CALAIS = Paper(
    {
        "Coinche": rows("""
Club de cartes de Saint-Calais – soirée du 12 avril 2026

Date | Table | Équipe A | Équipe B | Points A | Points B | Gagnant | Mise
12/04/2026 | 1 | Martine et Gérard | Paul et Josiane | 1010 | 720 | Martine et Gérard | 2,50
12/04/2026 | 2 | Lucienne et René | Odile et Marcel | 640 | 1040 | Odile et Marcel | 2,50
12/04/2026 | 1 | Martine et Gérard | Odile et Marcel | 870 | 1120 | Odile et Marcel | 2,50
 | | | Moyenne | 840,0 | 960,0 | |
"""),
        "Chouine": rows("""
Date | Joueur 1 | Joueur 2 | Manches J1 | Manches J2 | Meilleure annonce
2026-04-12 | Lucienne | René | 3 | 1 | chouine
2026-04-12 | Paul | Gérard | 2 | 3 | quarante
2026-04-12 | Josiane | Martine | 3 | 0 |
"""),
    }
)

LAVARDIN = Paper(
    {
        "Chouine": rows("""
Date | Joueur A | Joueur B | Pts A | Pts B | Annonces A | Annonces B | Donneur
12/04/2026 | Simone | Raoul | 98 | 72 | mariage de coeur | | Raoul
12/04/2026 | Simone | Raoul | 47 | 113 | | tierce de pique | Simone
12/04/2026 | Simone | Raoul | 60 | 70 | | | Raoul
 | | Total | 205 | 255 | | |
""")
    }
)

# a worksheet an evening, by a Mac of before 2011; René’s partie was struck out by a filter
EVENINGS = Paper(
    {
        "12 avril 2026": rows("""
Chouine, chez Odile
Donneur : René
 | René | Odile
1 | 70 | 60
2 | 57 | 113
3 | 90 | 80
4 | 80 | 50
Total | 207 | 253
"""),
        "19 avril": rows("""
Chouine
Partie | Donneur | Odile | Marcel | Gagnant
1 | Marcel | 108 | 62 | Odile
2 | Odile | 60 | 70 | Marcel
"""),
    },
    epoch_1904=True,
    hidden_rows=[5],
    hidden_columns=[7],
)

# a deal a line, the points under Nous and Eux, the pairs in a merged title
NOUS_EUX = Paper(
    {
        "Feuil1": rows(f"""
Belle soirée de coinche à Vendôme, 3 mai 2026

Nous : | Martine et Gérard | | Eux : | Paul et Josiane

Donne | Donneur | Preneur | Contrat | Réalisé | Nous | Eux
1 | Martine | Gérard | 90 ♥ | 100 | 190 | 60
2 | Paul | Josiane | 80 pique | 70 | 240 | 0
3 | Gérard | Paul | 110 tr{unicodedata.normalize("NFD", "è")}fle | 130 | 30 | 240
 | | | | | 460 | 300
""")
    },
    merged=["A1:G1"],
)

# “marque” is what the paper has instead of points of each team
CONTRACTS = Paper(
    {
        "Coinche 1": rows("""
Équipe 1 | Martine & Gérard
Équipe 2 | Paul & Josiane
Date | 2026-05-03

Donneur | Preneur | Contrat | Réalisé | Marque
Martine | Gérard | 90 ♥ | 100 | 190
Paul | Josiane | 80 ♠ | 70 | 240
Gérard | | passe | |
""")
    }
)

SIDE_BY_SIDE = Paper(
    {
        "Chouine 2026": rows("""
Table 1 | | | | | Table 2
Joueur 1 | Joueur 2 | Manches 1 | Manches 2 | | Joueur 1 | Joueur 2 | Manches 1 | Manches 2
Lucie | Marcel | 3 | 1 | | Odile | Jean | 2 | 3
Odile | Lucie | 3 | 2 | | Jean | Marcel | 0 | 3
""")
    }
)

BID_CARDS = Paper(
    {
        "Chouineurs": rows("""
Deck | Joueur 1 | Joueur 2 | Joueur 3 | Entame | Pari 1 | Pari 2 | Pari 3 | Pts 1 | Pts 2 | Pts 3
retourne | Lucie | Gaston | Odile | Gaston | 3-4+ | 2004-03-02 | 2003-02-01 | 2 | 5 | 5
""")
    }
)

# dates as numbers of cells without a format, and days whose year only the title has
DATES = Paper(
    {
        "Coinche": rows(f"""
Résultats du printemps
Jour | Paire 1 | Paire 2 | Points 1 | Points 2
46124 | Martine / Gérard | Paul / Josiane | 1{NARROW_SPACE}010 | 720,0
19 avr. | Martine + Gérard | Odile + Marcel | 870 | １１２０
dimanche 26 avril | Paul-Josiane | Odile-Marcel | 640 | 1{NARROW_SPACE}040
""")
    }
)

# a season’s workbook: rules, addresses, a calendar and standings among the results
SEASON = Paper(
    {
        "Règlement": rows("""
Règlement intérieur
Chaque rencontre se joue en trois manches gagnantes.
"""),
        "Adhérents": rows("""
Nom | Téléphone | Courriel
Yvonne | 00 00 00 00 01 | yvonne@example.org
Régis | 00 00 00 00 02 | regis@example.org
"""),
        "Calendrier": rows("""
Date | Lieu
2026-03-07 | Salle des fêtes
2026-03-14 | Chez Yvonne
"""),
        "Chouine": rows("""
Date | Joueur | Adversaire | Score | Vainqueur
2026-03-07 | Yvonne | Régis | 3-1 | Yvonne
2026-03-14 | Colette | Yvonne | 2-3 | Yvonne
"""),
        "Classement": rows("""
Rang | Joueur | Victoires | Défaites
1 | Yvonne | 2 | 0
2 | Régis | 0 | 1
3 | Colette | 0 | 1
"""),
    }
)

# headings of two lines, merged as a secretary merges them
TWO_LINES = Paper(
    {
        "Coinche": rows("""
Championnat de coinche, 21 mars 2026
Table | Équipe 1 | | Équipe 2 | | Points |
 | Joueur 1 | Joueur 2 | Joueur 1 | Joueur 2 | Éq. 1 | Éq. 2
1 | Yvonne | Régis | Colette | Émile | 1010 | 640
2 | Aurélie | Mathieu | Noémie | Luc | 980 | 1120
""")
    },
    merged=["A1:G1", "A2:A3", "B2:C2", "D2:E2", "F2:G2"],
)

# an OpenDocument sheet of an English-speaking club, who won in one column and who lost in another
ODS = Paper(
    {
        "March": rows("""
Chouine night, 7 March 2026
Winner | Loser | Score |
Alice | Rupert | 3 | 2
William | Alice | 3 | 0
""")
    }
)

CARD_POINTS = Paper(
    {
        "Tournoi": rows("""
Amicale de Montoire – tournoi de coinche (32 cartes) du dimanche 8 novembre 2026

Table 1 | | | | | | Table 2
Équipe 1 : Yvonne et Gaston | | | | | | Équipe 1 : Solène et Kevin
Équipe 2 : Maryse et Jean-Luc | | | | | | Équipe 2 : Roger et Annick
Donne | Preneur | Contrat | Éq. 1 | Éq. 2 | | Donne | Preneur | Contrat | Éq. 1 | Éq. 2
1 | Yvonne | 90 ♥ | 102 | 60 | | 1 | Roger | 80 ♣ | 55 | 107
2 | Maryse | 100 ♠ | 38 | 124 | | 2 | Kevin | 120 ♥ | 131 | 31
3 | Jean-Luc | 110 ♣ coinché | 40 | 122 | | 3 | Annick | 100 ♦ | 45 | 117
Total | | | 180 | 306 | | Total | | | 231 | 255
""")
    }
)

STANDINGS = Paper(
    {
        "Novembre": rows("""
Chouine club de Vendôme – rencontres de novembre 2026

Date | Tbl | Joueur A | Joueur B | Manches A | Manches B | Vainqueur
2026-11-06 | 1 | Colette | Firmin | 3 | 1 | Colette
2026-11-06 | 2 | Aurélie | Jean-Marc | 2 | 3 | Jean-Marc
2026-11-13 | 1 | Firmin | Aurélie | 3 | 0 | Firmin
Nombre de rencontres | | | | 8 | 4 |
"""),
        "Classement": rows("""
Rang | Nom | Victoires
1 | Colette | 1
2 | Firmin | 1
3 | Jean-Marc | 1
"""),
    }
)

BESSE = Paper(
    {
        "Concours": rows("""
Amicale de Bessé – concours de coinche du samedi 10 octobre 2026

Table | Tour | Équipe rouge | | Équipe noire | | Score | | Vainqueur
 | | Joueur 1 | Joueur 2 | Joueur 1 | Joueur 2 | Rouge | Noire |
1 | 1 | Michel | Yvonne | Alain | Solange | 1020 | 640 | Rouge
2 | 1 | Odette | Roger | Lucien | Marthe | 880 | 1130 | Noire
1 | 2 | Michel | Yvonne | Lucien | Marthe | 1010 | 990 | Rouge
2 | 2 | Odette | Roger | Alain | Solange | 540 | 1240 | Noire
 | | | | | Total | 3450 | 4000 |
"""),
        "Poule finale": rows("""
Poule finale – 17 octobre 2026

 | contre | | |
 | Michel et Yvonne | Lucien et Marthe | Alain et Solange | Victoires
Michel et Yvonne | /// | 1040 | 930 | 1
Lucien et Marthe | 760 | /// | 1150 | 1
Alain et Solange | 1080 | 870 | /// | 1
"""),
    },
    merged=[
        *(f"Concours!{one}" for one in ("A3:A4", "B3:B4", "C3:D3", "E3:F3", "G3:H3", "I3:I4")),
        "Poule finale!B3:D3",
    ],
)
TROO = Paper(
    {
        "6 nov": rows("""
Amicale de Troo – coinche – vendredi 6 novembre 2026
Table | Équipe A | Équipe B | Score A | Score B | Vainqueur
1 | Josette / Alain | Michel / Denise | 1020 | 780 | A
2 | Paul / Simone | Yves / Ginette | 640 | 1050 | B
 | Josette / Alain | Yves / Ginette | 1110 | 1060 | A
Total | | | 2770 | 2890 |
"""),
        "13 nov": rows("""
Amicale de Troo – coinche – vendredi 13 novembre 2026
Table | Équipe A | Équipe B | Score A | Score B | Vainqueur
1 | Josette / Alain | Paul / Simone | 1000 | 1000 | nul
2 | Michel / Denise | Yves / Ginette | | | forfait A
3 | Josette / Simone | Alain / Denise | 1030 | 910 | B
"""),
        "Classement": rows("""
Rang | Joueur | Parties | Gagnées | Points
1 | Josette | 4 | 2 | 4160
2 | Alain | 4 | 3 | 4040
3 | Yves | 2 | 1 | 2110
"""),
    },
    merged=["6 nov!A1:F1", "13 nov!A1:F1"],
)
# a sheet a month, days without their years: the season names them
ONZAIN = Paper(
    {
        "Novembre": rows("""
Coinche d’Onzain – saison 2025-2026
Date | Équipe 1 | | Équipe 2 | | Score 1 | Score 2
ven. 7 nov. | Martine | Gérard | Paul | Josiane | 1010 | 720
ven. 14 nov. | Odile | Anne | Paul | Josiane | 640 | 1040
"""),
        "Janvier": rows("""
Coinche d’Onzain – saison 2025-2026
Date | Équipe 1 | | Équipe 2 | | Score 1 | Score 2
9 janv. | Martine | Gérard | Odile | Anne | 1100 | 960
"""),
    },
    merged=["B2:C2", "D2:E2"],
)
WORKBOOKS = {
    "onzain": ONZAIN,
    "troo": TROO,
    "besse": BESSE,
    "montoire": CARD_POINTS,
    "vendome-novembre": STANDINGS,
    "saint-calais": SAINT_CALAIS,
    "lavardin": LAVARDIN,
    "soirees": EVENINGS,
    "nous-eux": NOUS_EUX,
    "contrats": CONTRACTS,
    "cote-a-cote": SIDE_BY_SIDE,
    "paris": BID_CARDS,
    "dates": DATES,
    "saison": SEASON,
    "championnat": TWO_LINES,
}
DOCUMENTS = {"night": ODS}


def make(paper: Paper, path: Path) -> None:
    """Write a paper as a workbook."""
    with xlsxwriter.Workbook(path, {"date_1904": paper.epoch_1904}) as book:
        book.set_properties({"created": datetime(2026, 5, 4)})
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        for name, lines in paper.sheets.items():
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(lines):
                for column, cell in enumerate(cells):
                    if isinstance(cell, date):
                        sheet.write_datetime(row, column, datetime(cell.year, cell.month, cell.day), day)
                    elif cell != "":
                        sheet.write(row, column, cell)
            own = (one.rpartition("!") for one in paper.merged)
            for place in [place for of_sheet, _, place in own if of_sheet in ("", name)]:
                row, column = xl_cell_to_rowcol(place.partition(":")[0])
                sheet.merge_range(place, lines[row][column])
        first = book.worksheets()[0]
        for row in paper.hidden_rows:
            first.set_row(row, None, None, {"hidden": True})
        for column in paper.hidden_columns:
            first.set_column(column, column, None, None, {"hidden": True})


def make_ods(paper: Paper, path: Path) -> None:
    """Write the texts and numbers of a paper as an OpenDocument sheet."""
    tables = ""
    for name, lines in paper.sheets.items():
        cells = "".join(
            f"<table:table-row>{''.join(map(_ods_cell, line))}</table:table-row>" for line in lines
        )
        tables += f'<table:table table:name="{escape(name)}">{cells}</table:table>'
    spaces = " ".join(f'xmlns:{one}="{ODF}:{one}:1.0"' for one in ("office", "table", "text"))
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    content = f"<office:document-content {spaces}>{body}</office:document-content>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    manifest = f'<manifest:manifest xmlns:manifest="{ODF}:manifest:1.0">{entry}</manifest:manifest>'
    with ZipFile(path, "w") as archive:
        for name, text in (("mimetype", kind), ("META-INF/manifest.xml", manifest), ("content.xml", content)):
            archive.writestr(ZipInfo(name), text)


def _ods_cell(cell: Any) -> str:
    value = f'float" office:value="{cell}' if isinstance(cell, int) else "string"
    text = f"<text:p>{escape(str(cell))}</text:p>"
    return f'<table:table-cell office:value-type="{value}">{text}</table:table-cell>' if cell != "" else EMPTY


if __name__ == "__main__":
    for stem, paper in WORKBOOKS.items():
        make(paper, PAPERS / f"{stem}.xlsx")
    for stem, paper in DOCUMENTS.items():
        make_ods(paper, PAPERS / f"{stem}.ods")
