"""The everyday words of notes by language, and the role of each in a sentence."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum, auto

from ingest.autofix.card_words import is_typo_of
from ingest.importers.headings import SIDE_WORDS
from ingest.importers.tokenizer import Token


class Role(Enum):
    """The part a word of everyday language plays in a sentence."""

    PLAY = auto()  # a card follows that is played
    TAKE = auto()  # as PLAY; a card with an article may be one on the table
    ANNOUNCE = auto()  # an act follows that is no card
    HOLD = auto()  # after a name: the cards of a hand follow
    DEAL = auto()
    LEAD = auto()  # as PLAY; without a card the player leads
    WIN = auto()
    LOSE = auto()
    DRAWN = auto()
    SCORE = auto()  # after a name: points follow
    MAKE = auto()  # as SCORE; a single number is what the declarer's side made
    ALL = auto()  # everyone who has yet to act does so
    ARTICLE = auto()
    WITH = auto()
    ON = auto()  # a card follows that lies on the table
    TRICK = auto()  # what is won is no deal
    MATCH = auto()
    MANCHE = auto()
    UNSHOWN = auto()  # behind an announcement that was never shown (CH-17)
    FILLER = auto()
    GAP = auto()  # acts are missing from here on
    NOT = auto()  # what follows did not happen
    DOUBT = auto()  # nothing in the sentence is certain


WORDS: Mapping[str, Mapping[Role, str]] = {
    "fr": {
        Role.PLAY: "joue jouent jouait rejoue rejouait pose posait met mettent mettait mis remet jette "
        "jetait "
        "defausse defaussait fournit fournissait fourni suit suivait suivi lache lachait repond repondait "
        "sous-coupe depose ajoute glisse sort sortait",
        Role.TAKE: "coupe coupait surcoupe surcoupait prend prenait pris reprend repris ramasse bat battait "
        "couvre monte montait gagne",
        Role.ANNOUNCE: "annonce annoncent annoncait annoncant declarant montrant "
        "declare declarait montre montrait dit disait demande "
        "encherit surencherit relance soutient parle",
        Role.HOLD: "a avait tient tenait possede possedait recoit recu",
        Role.DEAL: "donne donnait donneur donneuse distribue distribuait",
        Role.LEAD: "commencent entame entamait attaque attaquait ouvre ouvrait commence commencait debute",
        Role.WIN: "gagne gagnent gagnait gagnons remporte remportent remportait emporte emportent emportait "
        "bat battent battait battaient battu battue battus battues battons vainqueur vainqueurs vaincu "
        "gagnant gagnante gagnants gagnantes victoire impose imposent",
        Role.LOSE: "perd perdent perdait perdu perdons perdant perdante perdants incline inclinent "
        "chute chutent chutait chutaient",
        Role.DRAWN: "egalite nulle nul litige",
        Role.SCORE: "fait font faisait faisaient marque marquent marquait realise realisent totalise compte "
        "score resultat",
        Role.MAKE: "fait font faisait faisaient realise realisent",
        Role.ALL: "autres tous toutes monde",
        Role.ARTICLE: "le la l' les son sa ses leur",
        Role.WITH: "du de d' des avec par au aux pour",
        Role.ON: "sur",
        Role.TRICK: "pli plis levee levees",
        Role.MATCH: "match rencontre soiree tournoi parties",
        Role.MANCHE: "manche manches belle",
        Role.UNSHOWN: "montrer montree",
        Role.FILLER: "a et puis ensuite alors apres enfin donc aussi encore qui que ce c' cela y en est s' "
        "ont avons se il elle ils elles lui on un une main jeu carte cartes tour entre points point pts "
        "partie donne partout atout atouts sans ici la-dessus dessus final finale finalement facilement "
        "jouer contrat fin premier premiere deuxieme troisieme dernier derniere haute toujours tout",
        Role.GAP: "souviens rappelle oublie oubliee sais suite etc manque plus-tard reste",
        Role.NOT: "ne n' pas jamais rien aucun aucune si aurait auraient pouvait pourrait peut devait doit "
        "fallait faut voulait veut crois croit croyait pense pensait espere craint refuse lieu presque",
        Role.DOUBT: "peut-etre",
    },
    "en": {
        Role.PLAY: "plays play played puts put lays lay laid throws threw discards discarded follows "
        "followed answers answered drops dropped",
        Role.TAKE: "ruffs ruffed trumps trumped overruffs overruffed takes took beats beat covers captures",
        Role.ANNOUNCE: "announces announced announcing declaring showing "
        "declares declared shows showed says said calls called bids bid",
        Role.HOLD: "has had holds held",
        Role.DEAL: "deals dealt dealer",
        Role.LEAD: "leads led opens opened starts started begins began",
        Role.WIN: "wins won win winner beats beat",
        Role.LOSE: "loses lost loser",
        Role.DRAWN: "draw drawn tie tied",
        Role.SCORE: "makes made scores scored score result",
        Role.MAKE: "makes made",
        Role.ALL: "others everyone everybody",
        Role.ARTICLE: "the his her their",
        Role.WITH: "with of by from for",
        Role.ON: "on over",
        Role.TRICK: "trick tricks",
        Role.MATCH: "match evening",
        Role.MANCHE: "manche manches",
        Role.UNSHOWN: "showing shown",
        Role.FILLER: "a an and then to it is was he she they who hand card cards points point pts partie "
        "deal next now again turn trump trumps without final finally easily first second third last in "
        "up all",
        Role.GAP: "remember forgot forget forgotten later rest missing",
        Role.NOT: "not doesn't didn't never no if would could should might may wants thinks hopes instead "
        "almost nearly neither refuses",
        Role.DOUBT: "perhaps maybe",
    },
}


def _roles_by_word() -> dict[str, frozenset[Role]]:
    found: dict[str, set[Role]] = {}
    for language in WORDS.values():
        for role, words in language.items():
            for word in words.split():
                found.setdefault(word, set()).add(role)
    return {word: frozenset(roles) for word, roles in found.items()}


_ROLES = _roles_by_word()
NO_ROLES: frozenset[Role] = frozenset()
CARD_VERBS = (Role.PLAY, Role.LEAD, Role.TAKE)
VERBS = frozenset({*CARD_VERBS, Role.ANNOUNCE})
VERBS_IN_ORDER = (Role.PLAY, Role.LEAD, Role.ANNOUNCE, Role.TAKE)
SMALL_ROLES = frozenset({Role.ARTICLE, Role.WITH, Role.FILLER})
NO_CARD_ROLES = SMALL_ROLES | {Role.HOLD, Role.ON, Role.NOT}
DOUBTFUL_CARDS = ("at", "ah", "ad")  # in a sentence: English words rather than aces
SUBJECT_VERBS = VERBS | {Role.HOLD, Role.DEAL, Role.WIN, Role.LOSE}
TEAM_WORDS = {word: side for side, words in enumerate(SIDE_WORDS) for word in words}
"""Words for a team, and whether it is the other one."""
POINT_SIDE_PATTERN = re.compile(
    r"\b(?:(?:nord|north)[-/ ](?:sud|south)|(?:est|east)[-/ ](?:ouest|west)|n[-/]s|e[-/][ow])\b",
    re.IGNORECASE,
)
"""A team by its compass points."""
_TEAM_LABEL = re.compile(r"(?:equipe|team|camp|paire|pair)(?: (?:n°|no|n)?\s?[12ab])?")


def is_team_label(label: str) -> bool:
    """Whether a label is followed by the players of a team: `nous`, `equipe 1`, `nord-sud`."""
    is_by_points = POINT_SIDE_PATTERN.fullmatch(label) is not None
    return label in TEAM_WORDS or is_by_points or _TEAM_LABEL.fullmatch(label) is not None


VOID_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("maldonne", "fausse donne", "misdeal"), "maldonne"),
    **dict.fromkeys(("rejouee", "a rejouer", "replayed", "replay"), "replay"),
    **dict.fromkeys(("abandonnee", "interrompue", "abandoned"), "abandoned"),
}
TRUMP_WORDS = ("atout", "atouts", "trump", "trumps")
DRAWN_WORDS = ("nul", "nulle", "match nul", "partie nulle", "egalite", "draw", "drawn", "tie")
NOBODY_WORDS = ("personne", "nobody", "nulle", "drawn", "0")
RESULT_LABELS = ("resultat", "resultat final", "result", "score final", "final score", "total")
SENTENCE_LABELS = ("contrat", "contract", "encheres", "auction", "bidding", "chute", "reussi", "dedans")
COMMENT_LABELS = ("note", "nb", "n.b.", "ps", "p.s.", "remarque", "remark", "commentaire", "comment")
_LUCK_WORDS = ("chance", "malchance", "bol", "veine", "pot", "dommage", "luck", "unlucky")


SCORE_WORDS = ("a", "to", "-", "–", "—", "/", "contre", "et", "and", "against", "pts", "points", "point")
"""Words between the points of a score."""


_SENTENCE_VERBS = tuple(
    word for word, roles in _ROLES.items() if len(word) > 3 and roles & (SUBJECT_VERBS | {Role.SCORE})
)
MAX_NEAR_WORDS = 3
_MISHEARD = {"mais": "met", "mets": "met", "mai": "met", "pause": "pose", "pauses": "pose"}
"""Words that telephones write for verbs."""


def verbs_near(word: Token) -> tuple[str, ...]:
    """Return the verbs of notes that a word may be a typo of."""
    if word.plain in _MISHEARD:
        return (_MISHEARD[word.plain],)
    near = (one for one in _SENTENCE_VERBS if len(word.plain) > 3 and is_typo_of(word.plain, one))
    return tuple(near)[:MAX_NEAR_WORDS]


ARROWS = ("=>", "->", "→", "⇒", "=", "-", "–", "—")
ADVERB_PATTERN = re.compile(r"[a-z]{3,}(?:ment|ly)")
POINTS_FOR = ("pour", "for")
_POINTS = re.compile(r"(\d{1,4})(?:[-/–—:](\d{1,4}))?")


def points_in(word: Token) -> list[int]:
    """Return the points a word holds: one, or two in `108-72`."""
    found = _POINTS.fullmatch(word.plain)
    return [int(one) for one in found.groups() if one] if found else []


_TAKING_WORDS = ("prend", "prends", "prenait", "pris", "takes", "took")
_RAISING_WORDS = ("monte", "montent", "remonte", "relance", "rencherit", "surencherit", "raises", "raised")
_TURNED_WORDS = ("la", "le", "l'", "it", "the", "carte", "card", "retourne")


def with_suit_taken(words: Sequence[Token], suit: str) -> list[Token]:
    """Return words with a suit behind each « prend » that has nothing but « la carte » behind it."""
    found: list[Token] = []
    at = 0
    while at < len(words):
        word = words[at]
        end = at + 1
        while end < len(words) and words[end].follows_directly and words[end].plain in _TURNED_WORDS:
            end += 1
        found.append(word)
        at += 1
        if word.plain in _TAKING_WORDS and (end == len(words) or not words[end].follows_directly):
            found.append(words[end - 1]._replace(text=suit, follows_directly=True))
            at = end
    return found


def with_suit_raised(words: Sequence[Token], is_suit: Callable[[str], bool]) -> list[Token]:
    """Return words with the suit bid before behind a number that only raises it: « monte à 110 »."""
    found: list[Token] = []
    suit = ""
    for at, word in enumerate(words):
        found.append(word)
        follows = at + 1 < len(words) and words[at + 1].follows_directly
        if not word.text.isdecimal():
            suit = word.text if at and words[at - 1].text.isdecimal() and is_suit(word.text) else suit
        elif suit and not (follows and is_suit(words[at + 1].text)):
            before = [one.plain for one in words[max(at - 2, 0) : at] if one.plain != "a"]
            if before and before[-1] in _RAISING_WORDS:
                found.append(word._replace(text=suit, follows_directly=True))
    return found


def roles_of(word: Token) -> frozenset[Role]:
    """Return the roles a word may have; none for a word that is not everyday language."""
    if word.text.casefold() == "ça":  # « ça passe »; without its cedilla, carreau
        return frozenset({Role.ALL})
    return _ROLES.get(word.plain, NO_ROLES)


_FAILED = re.compile(r"\b(?:chut(?:e|é|ée|ent|ait|aient)|dedans)\b", re.IGNORECASE)
_MATCH = re.compile(r"\b(?:match|rencontre|partie)\b", re.IGNORECASE)


def names_failure(text: str) -> bool:
    """Return whether words of notes are about a contract that was not made."""
    return _FAILED.search(text) is not None


def names_match(text: str) -> bool:
    """Return whether a line names the match; with points that a deal has, *partie* may be the deal."""
    return _MATCH.search(text) is not None


def names_partner(before: Sequence[Token]) -> bool:
    """Return whether a name follows « pour », another name and « et »."""
    return len(before) > 2 and before[-1].plain in ("et", "and") and Role.WITH in roles_of(before[-3])


_OUR_WORDS = ("nous", "we", "us")
_TEAMS_TO_NAME = (*_OUR_WORDS, "eux", "vous", "them")
TEAM_SCORE_PATTERN = re.compile(
    rf"\b({'|'.join(_OUR_WORDS)})\b\W{{0,3}}\d"
    rf"|^(?=(?:.*?\b\d+\b){{2}}).*?\b({'|'.join(_TEAMS_TO_NAME)})\b",
    re.IGNORECASE,
)
"""A line whose points are of a team that only its writer knows."""


def names_team_not_in(teams: Collection[str], words: Sequence[Token]) -> bool:
    """Return whether words name a team that is not known."""
    return any(word.plain in _TEAMS_TO_NAME and word.plain not in teams for word in words)


def with_others_named(words: Sequence[Token]) -> Sequence[Token]:
    """Return words with the other team for `ils`, where `nous` is named too: `ils ont fait 98 et nous 64`."""
    if not any(word.plain in _OUR_WORDS for word in words):
        return words
    return [
        word._replace(text="eux")
        if word.plain in ("ils", "elles") and any(Role.SCORE in roles_of(one) for one in words[at : at + 3])
        else word
        for at, word in enumerate(words)
    ]


def without_luck(words: Sequence[Token]) -> Sequence[Token]:
    """Return words without « pas de chance pour Lucie » next to a comma; all if none is left."""
    clauses: list[list[Token]] = []
    for word in words:
        if not (clauses and word.follows_directly):
            clauses.append([])
        clauses[-1].append(word)
    left = [
        one
        for one in clauses
        if any(map(points_in, one)) or not any(word.plain in _LUCK_WORDS for word in one)
    ]
    return [word for one in left for word in one] or words
