"""What columns a score sheet has, and which of them a heading means, in either language."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.games import game as game_of
from ingest.games import Column, of
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.mend.near import folded, mistyped
from schemas.log import deal_model

GAME = Column("game", N_("Game"), N_("once is enough"), said=("jeu",))
OF_MATCH = (
    GAME,
    Column("id", N_("Match"), N_("its id, if it has one"), said=("rencontre", "id")),
    Column("played_at", N_("Date"), N_("2 May 2026, 20:30"), said=("jour", "day")),
    Column("name", N_("Event"), N_("the evening or the tournament"), said=("tournoi", "event")),
    Column("place", N_("Place"), N_("where it was played"), said=("lieu",)),
    Column("table", N_("Table"), N_("its number"), said=("table",)),
    Column("round", N_("Round"), N_("of the tournament"), said=("tour", "ronde")),
    Column("rules", N_("Rules"), N_("a preset, if not the usual one"), said=("regles", "regle")),
)
DECK = Column("deck", N_("Deck"), N_("its name"), said=("paquet",))
PLAYERS = Column(
    "players", N_("Player"), N_("in the order at the table"), each=True, said=("joueur", "joueuse")
)
NUMBER = Column(
    "number", N_("Deal"), N_("for people: it is not read"), said=("donne", "partie", "n", "no")
)
DEALER = Column("dealer", N_("Dealer"), N_("the name or the seat"), said=("donneur", "donneuse"))
LEADER = Column("leader", N_("Leader"), N_("the name or the seat"), said=("entame", "meneur"))
POINTS = Column(
    "points", N_("Points"), N_("of this deal"), each=True, said=("pts", "marques", "score")
)
WINNER = Column(
    "winner", N_("Winner"), N_("the name; nobody of a drawn deal"), said=("gagnant", "vainqueur")
)
END = Column("end", N_("End"), N_("what ended it early: Lucie resigns"), said=("fin",))
VOID = Column("void", N_("Void"), N_("misdeal, replayed or abandoned"), said=("annulee",))
MANCHE = Column("manche", N_("Manche"), N_("its number, from 1"))
REMARK = Column(
    "remark", N_("Remark"), N_("anything"), said=("remarque", "commentaire", "comment", "note")
)
_SIGNS = re.compile(r"[^\w]+|(?<=\D)(?=\d)")


class Field(NamedTuple):
    """One column a sheet may have."""

    column: Column
    place: int | None = None
    """Of those there is one a seat or side of: from 0."""

    @property
    def key(self) -> str:
        """Its name on the command line, `points 1`."""
        return self.column.key if self.place is None else f"{self.column.key} {self.place + 1}"

    def heading(self, t: Translate) -> str:
        """As it stands over the column."""
        said = t(self.column.heading)
        return said if self.place is None else f"{said} {self.place + 1}"


def fields(game: str) -> list[Field]:
    """Every column a sheet of the game may have, in the order of a template."""
    this, model = game_of(game), deal_model(game)
    most = max(this.players)
    found = [*OF_MATCH, *([] if this.pack.names else [DECK])]
    told = [Field(one) for one in found]
    told += [Field(PLAYERS, seat) for seat in range(most)]
    opens = DEALER if model.OPENS == "dealer" else LEADER
    rest = [NUMBER, *([MANCHE] if "manche" in model.model_fields else []), opens]
    told += [Field(one) for one in rest]
    for column in of(game).COLUMNS:
        told += [Field(column, seat) for seat in range(most)] if column.each else [Field(column)]
    told += [Field(POINTS, side) for side in range(this.sides(most))]
    return told + [Field(one) for one in (WINNER, END, VOID, REMARK)]


class Headings:
    """The headings of one game's sheets."""

    def __init__(self, game: str) -> None:
        self.fields = fields(game)
        self._known: dict[str, Field] = {}
        for field in self.fields:
            for said in _sayings(field):
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


def _sayings(field: Field) -> Iterator[str]:
    column = field.column
    texts = [translator(language)(column.heading) for language in LANGUAGES]
    for base in dict.fromkeys([*map(plain, texts), *column.said, column.key.replace("_", " ")]):
        if field.place is None:
            yield base
            yield base + "s"
        else:
            number = field.place + 1
            yield f"{base} {number}"
            yield from (f"{base} {word} {number}" for word in _SEAT_WORDS)


_SEAT_WORDS = ("j", "joueur", "joueuse", "player", "equipe", "team", "place", "seat")
MATCH_KEYS = frozenset(one.key for one in (*OF_MATCH, DECK, PLAYERS))
"""Keys of what a match says: where a cell is empty it is as in the line above."""
EVENT_KEYS = ("name", "place", "table", "round")


def game_headings() -> Mapping[str, str]:
    """What the column that names the game may be headed by."""
    return dict.fromkeys(_sayings(Field(GAME)), GAME.key)
