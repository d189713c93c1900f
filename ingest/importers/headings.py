"""What columns of score sheets, and lines of notes, are headed by; and score sheets to fill in."""

import csv
import re
from io import BytesIO, StringIO
from typing import NamedTuple

from engine.games import game as game_of
from engine.games import title
from ingest.autofix.misspellings import folded, mistyped
from ingest.games import Column, of
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.reader.escaping import cell
from schemas.match_models import deal_model

GAME = Column("game", N_("Game"), N_("once is enough"), said=("jeu",))
OF_MATCH = (
    GAME,
    Column("id", N_("Match"), N_("its id, if it has one"), said=("rencontre", "id")),
    Column("played_at", N_("Date"), N_("2 May 2026, 20:30"), said=("jour", "day")),
    Column(
        "name",
        N_("Event"),
        N_("the evening or the tournament"),
        said=("evenement", "tournoi", "tournament"),
    ),
    Column("place", N_("Place"), N_("where it was played"), said=("lieu",)),
    Column("table", N_("Table"), N_("its number"), said=("table",)),
    Column("round", N_("Round"), N_("of the tournament"), said=("tour", "ronde")),
    Column("rules", N_("Rules"), N_("a preset, if not the usual one"), said=("regles", "regle")),
)
DECK = Column("deck", N_("Deck"), N_("its name"), said=("paquet", "jeu de cartes"))
PLAYERS = Column(
    "players", N_("Player"), N_("in the order at the table"), each=True, said=("joueur", "joueuse")
)
NUMBER = Column(
    "number", N_("Deal"), N_("for people: it is not read"), said=("donne", "partie", "n", "no")
)
DEALER = Column("dealer", N_("Dealer"), N_("the name or the seat"), said=("donneur", "donneuse"))
LEADER = Column(
    "leader", N_("Leader"), N_("the name or the seat"), said=("entame", "meneur", "meneuse")
)
POINTS = Column(
    "points", N_("Points"), N_("of this deal"), each=True, said=("pts", "marque", "mark", "score")
)
WINNER = Column(
    "winner",
    N_("Winner"),
    N_("the name; nobody of a drawn deal"),
    said=("gagnant", "gagnante", "vainqueur"),
)
END = Column("end", N_("End"), N_("what ended it early: Lucie resigns"), said=("fin",))
VOID = Column("void", N_("Void"), N_("misdeal, replayed or abandoned"), said=("annulee",))
MANCHE = Column("manche", N_("Manche"), N_("its number, from 1"))
REMARK = Column(
    "remark", N_("Remark"), N_("anything"), said=("remarque", "commentaire", "comment", "note")
)
MATCH_KEYS = frozenset(one.key for one in (*OF_MATCH, DECK, PLAYERS))
"""Keys of what a match says: where a cell is empty it is as in the line above."""
EVENT_KEYS = ("name", "place", "table", "round")
NAME = "retourne-{game}-{language}"  # what a template's file is called, before its ending
WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"  # an .xlsx
_WIDTH = 14
_SIGNS = re.compile(r"[^\w]+|(?<=\D)(?=\d)")
_SEAT_WORDS = ("j ", "joueur ", "joueuse ", "player ", "equipe ", "team ", "place ", "seat ")


class Field(NamedTuple):
    """One column a sheet may have."""

    column: Column
    place: int | None = None  # of those there is one a seat or side of: from 0

    @property
    def key(self) -> str:
        """Its name on the command line, `points 1`."""
        return self.column.key if self.place is None else f"{self.column.key} {self.place + 1}"

    def heading(self, t: Translate) -> str:
        """As it stands over the column."""
        said = t(self.column.heading)
        return said if self.place is None else f"{said} {self.place + 1}"

    @property
    def sayings(self) -> list[str]:
        """All it may be headed by."""
        said = said_of(self.column)
        if self.place is None:
            return said
        number = self.place + 1
        return [f"{one} {word}{number}" for one in said for word in ("", *_SEAT_WORDS)]


def fields(game: str) -> list[Field]:
    """Every column a sheet of the game may have, in the order of a template."""
    this, model = game_of(game), deal_model(game)
    most = max(this.players)
    of_match = [*OF_MATCH, *([] if this.pack.names else [DECK])]
    manche = [MANCHE] if "manche" in model.model_fields else []
    opens = DEALER if model.OPENS == "dealer" else LEADER
    own = (*of_match, PLAYERS, NUMBER, *manche, opens, *of(game).COLUMNS)
    several = {POINTS: this.sides(most)}
    return [
        Field(column, place)
        for column in (*own, POINTS, WINNER, END, VOID, REMARK)
        for place in (range(several.get(column, most)) if column.each else (None,))
    ]


class Headings:
    """The headings of one game's sheets."""

    def __init__(self, game: str) -> None:
        self.fields = fields(game)
        self._known: dict[str, Field] = {}
        for field in self.fields:
            for said in field.sayings:
                self._known.setdefault(said, field)

    def field(self, heading: str) -> Field | None:
        """The column a heading means, whatever its case, accents and signs."""
        return self._known.get(plain(heading))

    def near(self, heading: str) -> list[Field]:
        """The columns a heading may be a slip for."""
        said = plain(heading)
        return [*dict.fromkeys(one for key, one in self._known.items() if mistyped(said, key))]


def plain(heading: str) -> str:
    """A heading without capitals, accents and signs, a number apart from its word."""
    return " ".join(_SIGNS.sub(" ", folded(heading)).replace("_", " ").split())


def said_of(column: Column) -> list[str]:
    """What a column may be headed by, one or several of it, without capitals and accents."""
    texts = [plain(translator(language)(column.heading)) for language in LANGUAGES]
    each = dict.fromkeys([*texts, *column.said, column.key.replace("_", " ")])
    return [*each, *(said + "s" for said in each)]


ABOUT_MATCH = {
    said: column.key for column in (*OF_MATCH, DECK, PLAYERS) for said in said_of(column)
}  # label of a line of notes → its key
_OF_DEAL = (DEALER, LEADER, POINTS, WINNER, VOID, MANCHE)
ABOUT_DEAL = {said: column.key for column in _OF_DEAL for said in said_of(column)}
ABOUT_DEAL |= dict.fromkeys(("pari", "paris", "bids"), "bids")


def csv_template(game: str, t: Translate) -> bytes:
    """Headings between semicolons, with the mark by which spreadsheet programs know UTF-8."""
    text = StringIO(newline="")
    rows = csv.writer(text, delimiter=";", lineterminator="\r\n")
    told = fields(game)
    rows.writerow([cell(one.heading(t)) for one in told])
    rows.writerow([title(game) if one.column is GAME else "" for one in told])
    return "\ufeff".encode() + text.getvalue().encode()


def xlsx_template(game: str, t: Translate) -> bytes:
    """The same as a workbook whose headings say what is written below them."""
    import xlsxwriter

    file = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet(title(game)[:31])
        bold = book.add_format({"bold": True, "bottom": 1})
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        for place, one in enumerate(fields(game)):
            heading = one.heading(t)
            sheet.set_column(place, place, _WIDTH, day if one.key == "played_at" else None)
            sheet.write_string(0, place, heading, bold)
            sheet.write_string(1, place, title(game) if one.column is GAME else "")
            sheet.write_comment(0, place, t(one.column.about), {"author": "Retourne"})
        sheet.freeze_panes(1, 0)
    return file.getvalue()
