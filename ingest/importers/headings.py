"""Finds a column by its heading, such as `preneur` for the declarer; keywords of notes; blank templates."""

import csv
import re
from collections.abc import Mapping
from io import BytesIO, StringIO
from typing import NamedTuple

from engine.games import game as game_of
from engine.games import game_title
from ingest.autofix.card_words import fold_case_and_accents, is_typo_of
from ingest.escaping import escape_csv_cell
from ingest.games import SheetColumn, game_support
from ingest.i18n import LANGUAGES, N_, Translate, translator
from schemas.match_models import deal_model

GAME = SheetColumn("game", N_("Game"), N_("once is enough"), aliases=("jeu",))
MATCH_COLUMNS = (
    GAME,
    SheetColumn("id", N_("Match"), N_("its id, if it has one"), aliases=("rencontre", "id")),
    SheetColumn("played_at", N_("Date"), N_("2 May 2026, 20:30"), aliases=("jour", "day")),
    SheetColumn(
        "name",
        N_("Event"),
        N_("the evening or the tournament"),
        aliases=("evenement", "tournoi", "tournament"),
    ),
    SheetColumn("place", N_("Place"), N_("where it was played"), aliases=("lieu",)),
    SheetColumn("table", N_("Table"), N_("its number"), aliases=("table",)),
    SheetColumn("round", N_("Round"), N_("of the tournament"), aliases=("tour", "ronde", "journee")),
    SheetColumn("rules", N_("Rules"), N_("a preset, if not the usual one"), aliases=("regles", "regle")),
)
DECK = SheetColumn("deck", N_("Deck"), N_("its name"), aliases=("paquet", "jeu de cartes"))
PLAYERS = SheetColumn(
    "players",
    N_("Player"),
    N_("in the order at the table"),
    per_player=True,
    aliases=("joueur", "joueuse", "nom", "equipe", "eq", "team", "paire", "pair", "camp", "side"),
)
NUMBER = SheetColumn(
    "number",
    N_("Deal"),
    N_("its number; Retourne counts the deals itself"),
    aliases=("donne", "partie", "n", "no", "numero", "ligne"),
    is_number=True,
)
DEALER = SheetColumn("dealer", N_("Dealer"), N_("the name or the seat"), aliases=("donneur", "donneuse"))
LEADER = SheetColumn(
    "leader", N_("Leader"), N_("the name or the seat"), aliases=("entame", "meneur", "meneuse")
)
POINTS = SheetColumn(
    "points",
    N_("Points"),
    N_("of this deal"),
    per_player=True,
    aliases=("pts", "marque", "mark", "score"),
    is_number=True,
)
RESULT = SheetColumn(
    "result",
    N_("Result"),
    N_("of the match: manches, parties or points"),
    per_player=True,
    aliases=(
        *("resultat", "resultat final", "score final", "final score", "manche", "manche gagnee"),
        *("manches gagnees", "parties", "parties gagnees", "victoire", "set", "sets", "games won"),
    ),
    in_template=False,
    is_number=True,
)
WINNER = SheetColumn(
    "winner",
    N_("Winner"),
    N_("the name; nobody for a drawn deal"),
    aliases=("gagnant", "gagnante", "vainqueur", "gagne", "equipe gagnante", "paire gagnante", "won by"),
)
LOSER = SheetColumn(
    "loser",
    N_("Loser"),
    N_("next to the winner, if no column names the players"),
    aliases=(
        "perdant",
        "perdante",
        "vaincu",
        "vaincue",
        "battu",
        "equipe perdante",
        "paire perdante",
        "perdu par",
    ),
    in_template=False,
)
END = SheetColumn("end", N_("End"), N_("the action that ended it early: Lucie resigns"), aliases=("fin",))
VOID = SheetColumn("void", N_("Void"), N_("misdeal, replayed or abandoned"), aliases=("annulee",))
MANCHE = SheetColumn("manche", N_("Manche"), N_("its number, from 1"), is_number=True)
COMMENT = SheetColumn(
    "remark",
    N_("Remark"),
    N_("anything"),
    aliases=("remarque", "rem", "commentaire", "comment", "note", "observation", "obs", "divers"),
)
TOGETHER = (PLAYERS, POINTS, RESULT)
"""Columns that may hold all sides in one cell."""
RESULT_KEYS = tuple(one.key for one in (DEALER, LEADER, POINTS, RESULT, WINNER, LOSER))
"""Keys of columns that a sheet without results does not have."""
MATCH_KEYS = frozenset(one.key for one in (*MATCH_COLUMNS, DECK, PLAYERS))
"""Keys of match columns: an empty cell repeats the row above."""
EVENT_KEYS = ("name", "place", "table", "round")
FILE_NAME = "retourne-{game}-{language}"  # name of a template's file, without suffix
XLSX_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"  # an .xlsx
_COLUMN_WIDTH = 14
_SEPARATORS = re.compile(r"[^\w]+|(?<=\D)(?=\d)")
_NAME_OF = re.compile(r"^(?:noms? (?:du|de la|des|de l)|names? of(?: the)?) ")
_SEAT_WORDS = (
    *("j ", "joueur ", "joueuse ", "player ", "equipe ", "team ", "paire ", "pair "),
    *("place ", "seat ", "eq "),
)
SIDE_WORDS = (("nous", "us", "we"), ("eux", "vous", "them", "they"))
"""Words for the two sides of a sheet, as its writer uses them."""
POINT_WORDS = (("nord", "north"), ("est", "east"), ("sud", "south"), ("ouest", "west"))
"""The words of each compass point, clockwise as the seats of four players."""
POINT_SIDES = (
    ("nord sud", "n s", "ns", "north south"),
    ("est ouest", "e o", "eo", "east west", "e w", "ew", "ouest est"),
)
"""Words for the two sides by the compass."""
HOME_WORDS = (
    ("domicile", "dom", "a domicile", "recevant", "recevants", "locaux", "locale", "home"),
    ("exterieur", "ext", "a l exterieur", "visiteur", "visiteurs", "visiteuse", "visiteuses", "away"),
)
"""Words for the two sides of a league."""
OPPONENT_WORDS = ("adversaire", "adversaires", "opponent", "opponents")
OUTCOME_WORDS = (
    ("gagnant", "gagnants", "gagnante", "vainqueur", "vainqueurs", "winner", "winners", "g", "v", "w"),
    ("perdant", "perdants", "perdante", "vaincu", "vaincus", "loser", "losers", "p", "l"),
)
"""The two sides in a sheet of winners and losers."""
BALANCE_WORDS = (
    ("gagne", "gagnes", "gagnee", "gagnees", "marques", "pour", "won", "for"),
    ("perdu", "perdus", "perdue", "perdues", "encaisses", "contre", "lost", "against"),
)
"""Words for the manches, parties or points that the first of two sides won, and those that it lost."""
UNUSED = (
    *("mise", "enjeu", "stake", "moyenne", "average", "total", "cumul", "cumule", "rang", "rank"),
    *("classement", "duree", "duration", "arbitre", "referee", "signature", "cotisation", "licence"),
    *("ecart", "difference", "heure", "heures", "time", "hour", "saison", "season"),
)
"""Headings of columns of which a log has nothing."""
_UNUSED_OF_SIDE = re.compile(r"(?:elo|rang|rank|classement|licence|club)(?: [12]| joueur [12])?")
SUM_WORDS = ("cumul", "cumule", "cumules", "total", "totaux", "totals")
"""First words of a column that adds up the points of a side: `Cumul N`."""
SHORT_PLAYER = re.compile(r"(?:j|p) ?[1-4]")
SHORT_SIDES = re.compile(r"(?P<stem>j|e|eq|p|t|)(?: (?=\d)|)(?P<side>[1-4]|(?<!\w)[a-d])")
"""A short heading of a side: « J1 », « E2 », « A »."""


class SheetField(NamedTuple):
    """A column that a sheet may have."""

    column: SheetColumn
    seat_index: int | None = None  # seat or side from 0, for columns per player

    @property
    def key(self) -> str:
        """The column's name on the command line, such as `points 1`."""
        return self.column.key if self.seat_index is None else f"{self.column.key} {self.seat_index + 1}"

    def heading(self, t: Translate) -> str:
        message = t(self.column.heading)
        return message if self.seat_index is None else f"{message} {self.seat_index + 1}"

    @property
    def aliases(self) -> list[str]:
        """All headings of the column, normalized."""
        result = column_aliases(self.column)
        if self.seat_index is None:
            return result
        seats = str(self.seat_index + 1), chr(ord("a") + self.seat_index)
        return [f"{one} {word}{seat}" for one in result for word in ("", *_SEAT_WORDS) for seat in seats]


def sheet_fields(game: str, template: bool = True) -> list[SheetField]:
    """Return every column of a game's sheets, in template order; `template`: only those of one."""
    this, model = game_of(game), deal_model(game)
    most = max(this.players)
    of_match = [*MATCH_COLUMNS, *([] if this.pack.names else [DECK])]
    manche = [MANCHE] if "manche" in model.model_fields else []
    opens = DEALER if model.OPENS == "dealer" else LEADER
    own = (*of_match, PLAYERS, NUMBER, *manche, opens, *game_support(game).SHEET_COLUMNS)
    several = dict.fromkeys((POINTS, RESULT), this.side_count(most))
    fields = [
        SheetField(column, place)
        for column in (*own, POINTS, RESULT, WINNER, LOSER, END, VOID, COMMENT)
        for place in (range(several.get(column, most)) if column.per_player else (None,))
        if column.in_template or not template
    ]
    return fields if template else [*fields, *(SheetField(column) for column in TOGETHER)]


_BOTH_WORDS = re.compile(r"\bjoueu(?:r|se)s? (?:(?:ou|et) )?(?:joueu(?:r|se)s?|e?use?s?|se)\b")
"""« Joueuse ou joueur », « Joueur·se »."""
_NUMBER_OF = re.compile(r"(?<=\w) (?:n|no|numero)\b|^(?:n|no|numero) (?=\w)")
"""« Table n° », « N° de la table » but for its article."""


class SheetHeadings:
    """Finds columns of one game's sheets by their headings."""

    def __init__(self, game: str) -> None:
        self.fields = sheet_fields(game, template=False)
        self._field_by_alias: dict[str, SheetField] = {}
        for word in OPPONENT_WORDS:
            self._field_by_alias[word] = SheetField(PLAYERS, 1)
        for side, words in enumerate(HOME_WORDS):
            for column in TOGETHER:
                stems = ["", *column_aliases(column)] if column is PLAYERS else column_aliases(column)
                for item in (f"{stem} {word}".strip() for stem in stems for word in words):
                    self._field_by_alias[item] = SheetField(column, side)
        most = max(game_of(game).players)
        self.has_teams = game_of(game).side_count(most) < most
        for field in self.fields:
            for item in field.aliases:
                self._field_by_alias.setdefault(item, field)
            if self.has_teams and field.column is POINTS and field.seat_index is not None:
                points: tuple[str, ...] = POINT_SIDES[field.seat_index]
                for item in ("", *column_aliases(POINTS)):
                    for word in (*SIDE_WORDS[field.seat_index], *points):
                        text = f"{item} {word}".strip()
                        if word in points:  # « NS » is no plural of « N »
                            self._field_by_alias[text] = field
                        for one in (text, f"{word} {item}".strip()):  # « Nous pts »
                            self._field_by_alias.setdefault(one, field)

        for seat, of_point in enumerate(POINT_WORDS if most == len(POINT_WORDS) else ()):
            self._field_by_alias |= dict.fromkeys(of_point, SheetField(PLAYERS, seat))
        self._field_by_alias["parties"] = SheetField(RESULT)  # how many each won; « Partie » numbers a line

    def find(self, heading: str) -> SheetField | None:
        """Return the column of a heading, ignoring case, accents and punctuation."""
        text = normalized(heading)
        ways = (
            text,
            _NAME_OF.sub("", text),
            " ".join(_NUMBER_OF.sub(" ", _BOTH_WORDS.sub("joueur", text)).split()),
        )
        return next((one for way in ways if (one := self._field_by_alias.get(way)) is not None), None)

    def find_by_outcome(self, heading: str) -> SheetField | None:
        """Return the column of « points gagnant »: the winner sits first in a sheet that names losers."""
        stem, _, word = normalized(heading).rpartition(" ")
        side = next((side for side, words in enumerate(OUTCOME_WORDS) if word in words), None)
        column = next((one for one in (POINTS, RESULT) if stem in column_aliases(one)), None)
        return None if side is None or column is None else SheetField(column, side)

    def find_balance(self, headings: Mapping[int, str]) -> dict[int, SheetField]:
        """Return the columns of `manches gagnées` and `manches perdues`, which are there in pairs."""
        found: dict[SheetField, int] = {}
        for at, heading in headings.items():
            stem, _, word = normalized(heading).rpartition(" ")
            side = next((side for side, words in enumerate(BALANCE_WORDS) if word in words), None)
            column = next((one for one in (POINTS, RESULT) if stem in ("", *column_aliases(one))), None)
            if side is not None and column is not None:
                found.setdefault(SheetField(column, side), at)
        both = [one for one in (POINTS, RESULT) if {SheetField(one, side) for side in range(2)} <= {*found}]
        return {at: one for one, at in found.items() if both == [one.column]}

    def suggestions(self, heading: str) -> list[SheetField]:
        result = normalized(heading)
        return [*dict.fromkeys(one for key, one in self._field_by_alias.items() if is_typo_of(result, key))]


def normalized(heading: str) -> str:
    """Fold a heading's case, accents and punctuation; separate numbers from words."""
    return " ".join(_SEPARATORS.sub(" ", fold_case_and_accents(heading)).replace("_", " ").split())


def is_unused(heading: str) -> bool:
    """Return whether a heading is of a column of which a log has nothing: « Elo 1 »."""
    text = normalized(heading)
    return text in UNUSED or _UNUSED_OF_SIDE.fullmatch(text) is not None


def point_seat(word: str) -> int | None:
    """Return the seat, from 0, of the word for a compass point; None for any other word."""
    plain = normalized(word)
    return next((seat for seat, words in enumerate(POINT_WORDS) if plain in words), None)


def is_side_alone(heading: str, field: SheetField) -> bool:
    """Return whether a heading of points is a word for a side and nothing else: « Nous »."""
    side = field.seat_index if field.column is POINTS else None
    words = (*SIDE_WORDS[side], *POINT_SIDES[side]) if side is not None and side < len(SIDE_WORDS) else ()
    return normalized(heading) in words


def column_aliases(column: SheetColumn) -> list[str]:
    """Return a column's normalized headings, singular and plural."""
    texts = [normalized(translator(language)(column.heading)) for language in LANGUAGES]
    each = dict.fromkeys([*texts, *column.aliases, column.key.replace("_", " ")])
    return [*each, *(item + "s" for item in each)]


MATCH_LABELS = {
    heading: column.key for column in (*MATCH_COLUMNS, DECK, PLAYERS) for heading in column_aliases(column)
}  # label of a line of notes → key
_DEAL_COLUMNS = (DEALER, LEADER, POINTS, WINNER, VOID, MANCHE)
DEAL_LABELS = {heading: column.key for column in _DEAL_COLUMNS for heading in column_aliases(column)}
DEAL_LABELS |= dict.fromkeys(("pari", "paris", "bids"), "bids")


def csv_template(game: str, t: Translate) -> bytes:
    """Return a CSV template with semicolons, and a BOM so that spreadsheets detect UTF-8."""
    text = StringIO(newline="")
    rows = csv.writer(text, delimiter=";", lineterminator="\r\n")
    result = sheet_fields(game)
    rows.writerow([escape_csv_cell(one.heading(t)) for one in result])
    rows.writerow([game_title(game) if one.column is GAME else "" for one in result])
    return "\ufeff".encode() + text.getvalue().encode()


def xlsx_template(game: str, t: Translate) -> bytes:
    """Return a template as a workbook, with comments that explain its headings."""
    import xlsxwriter

    file = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet(game_title(game)[:31])
        bold = book.add_format({"bold": True, "bottom": 1})
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        text = book.add_format({"num_format": "@"})  # a spreadsheet makes a date of 1-2-3 elsewhere
        for place, one in enumerate(sheet_fields(game)):
            heading = one.heading(t)
            kind = day if one.key == "played_at" else None if one.column.is_number else text
            sheet.set_column(place, place, _COLUMN_WIDTH, kind)
            sheet.write_string(0, place, heading, bold)
            sheet.write_string(1, place, game_title(game) if one.column is GAME else "")
            sheet.write_comment(0, place, t(one.column.help), {"author": "Retourne"})
        sheet.freeze_panes(1, 0)
    return file.getvalue()
