"""The words that every search inside games knows; games add theirs (`GameView.FIND_WORDS`)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache

from dashboard.games import game_view, games_with_bids
from dashboard.games.find_word import (
    UNKNOWN_VALUE,
    BadSearch,
    Condition,
    FindTerm,
    FindWord,
    choice,
    chosen,
    flag,
    number,
    require_equal,
)
from dashboard.queries.find.hands import HAND, suits
from engine.games import game, game_names
from engine.options import game_presets
from ingest.findings.codes import code_infos
from ingest.findings.finding import STATUSES
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate
from schemas.player_key import fold_sql, search_key

NOT_A_DAY = N_(
    "“{value}” at character {place} is not a date: write a year, a month or a day, like 2026, 2026-04 or"
    " 2026-04-12."
)
NAMES_OF_PLAYER = (
    "(SELECT player_no FROM player_names WHERE list_contains(?, search_id) OR list_contains(?, search_name))"
)
SEAT_OF_ROW = "(d.match_no, d.deal_index, s.seat)"
MARGIN = """(s.points - (SELECT max(o.points) FROM deal_seats o WHERE o.match_no = s.match_no
    AND o.deal_index = s.deal_index AND o.won IS DISTINCT FROM s.won))"""
"""Points of the seat's side above those of the best other side."""

GAME_EXAMPLE = f"game:{game_names()[0]}"
PRESET_EXAMPLE = f"preset:{next(iter(game_presets(game_names()[0])))}"


def _player(term: FindTerm) -> Condition:
    require_equal(term, "player:Lucie")
    names = [search_key(one) for one in term.values]
    return f"s.player_no IN {NAMES_OF_PLAYER}", [names, names]


def _with_player(term: FindTerm) -> Condition:
    """Anywhere at the table; of several names, all must sit there."""
    require_equal(term, "with:Marcel")
    clauses, values = list[str](), list[object]()
    for name in map(search_key, term.values):
        clauses.append(f"m.match_no IN (SELECT match_no FROM seats WHERE player_no IN {NAMES_OF_PLAYER})")
        values += [[name], [name]]
    return f"({' AND '.join(clauses)})", values


def _text(column: str, example: str) -> Callable[[FindTerm], Condition]:
    def condition(term: FindTerm) -> Condition:
        require_equal(term, example)
        return f"list_contains(?, {fold_sql(column)})", [[search_key(one) for one in term.values]]

    return condition


def _date(term: FindTerm) -> Condition:
    """Compare a day with a year, a month or a day: with `:`, whether it is within."""
    if (term.operator not in ("", ":") and len(term.values) > 1) or not term.operator:
        place = term.place_of(term.values[0]) if term.values else term.place
        raise BadSearch(NOT_A_DAY, value=",".join(term.values), place=place)
    clauses, values = list[str](), list[object]()
    for value in term.values:
        first, last = _days(value, term.place_of(value))
        bounds = {
            ":": (">=", first),
            ">=": (">=", first),
            "<": ("<", first),
            ">": (">", last),
            "<=": ("<=", last),
        }
        operator, bound = bounds[term.operator]
        also = " AND m.played_on <= ?::DATE" if term.operator == ":" else ""
        clauses.append(f"(m.played_on {operator} ?::DATE{also})")
        values += [bound, last] if also else [bound]
    return f"({' OR '.join(clauses)})", values


def _days(value: str, place: int) -> tuple[date, date]:
    """Return the first and the last day that a value names. BadSearch: it names none."""
    try:
        parts = [int(one) for one in value.split("-")]
        first = date(*[*parts, 1, 1][:3])
        if len(parts) == 3:
            return first, first
        if len(parts) > 3:
            raise ValueError(value)
        year, month = (parts[0] + 1, 1) if len(parts) == 1 or parts[1] == 12 else (parts[0], parts[1] + 1)
        return first, date(year, month, 1) - timedelta(1)
    except (ValueError, OverflowError):
        raise BadSearch(NOT_A_DAY, value=value, place=place) from None


def _contract(term: FindTerm) -> Condition:
    """Compare a contract by its place among the bids of its game: a capot is above all numbers."""
    if not term.operator:
        return "d.contract IS NOT NULL", []
    clauses, values = list[str](), list[object]()
    known = dict[str, None]()
    for name in games_with_bids():
        heights = game_view(name).HEIGHTS
        names = [{search_key(t(one.text)) for t in map(Translate, ("en", "fr"))} for one in heights]
        known |= dict.fromkeys(word for some in names for word in sorted(some))
        levels = [
            level for value in term.values for level in _levels(names, search_key(value), term.operator)
        ]
        clauses.append("(m.game = ? AND list_contains(?, d.contract))")
        values += [name, levels]
    for value in term.values:
        if search_key(value) not in known and not value.isdecimal():
            at = term.place_of(value)
            some = ", ".join([*known][:4] + [one for one in known if not one.isdecimal()])
            raise BadSearch(UNKNOWN_VALUE, value=value, place=at, word=term.word, known=some)
    return f"({' OR '.join(clauses) or 'false'})", values


def _levels(names: list[set[str]], value: str, operator: str) -> Iterator[int]:
    """Yield the levels that compare so with a bid; numbers are below the names that follow them."""
    first = next((level for level, some in enumerate(names) if any(one.isdecimal() for one in some)), 0)
    own = next((level for level, some in enumerate(names) if value in some), None)
    if own is None and not value.isdecimal():
        return
    for level, some in enumerate(names):
        if own is not None:
            below, above = level < own, level > own
        else:
            bid = next((int(one) for one in some if one.isdecimal()), None)
            below, above = (bid is not None and bid < int(value)), bid is None or bid > int(value)
        if (operator == ":" and level == own) or (
            level >= first
            and {"<": below, "<=": not above, ">": above, ">=": not below, ":": False}[operator]
        ):
            yield level


def _announced(column: str) -> Callable[[FindTerm], Condition]:
    def condition(term: FindTerm) -> Condition:
        rows = f"SELECT a.match_no, a.deal_index, a.seat FROM announcements a WHERE {column}"
        if not term.operator:
            return f"{SEAT_OF_ROW} IN ({rows})", []
        require_equal(term, f"{term.word}:tierce")
        clauses, values = list[str](), list[object]()
        for value in term.values:
            kind, _, suit = value.partition("-")
            place = term.place_of(value)
            [found] = chosen(term._replace(values=(search_key(kind),), places=(place,)), _kinds())
            clauses.append("a.kind::VARCHAR = ?")
            values.append(found)
            if suit in ("t", "atout", "trump"):
                clauses[-1] += " AND a.trump"
            elif suit:
                clauses[-1] += " AND a.suit = ?"
                at = (place + len(kind) + 1,)
                values += chosen(term._replace(values=(suit,), places=at), suits())
        return f"{SEAT_OF_ROW} IN ({rows} AND ({' OR '.join(clauses)}))", values

    return condition


@cache
def _kinds() -> Mapping[str, str]:
    """Return each way to write a kind of announcement → the kind."""
    texts = {
        search_key(t(text)): kind
        for kind, text in announcement_kinds().items()
        for t in (Translate("en"), Translate("fr"))
    }
    return texts | {kind: kind for kind in announcement_kinds()}


def _finding(column: str, known: Callable[[], Mapping[str, str]]) -> Callable[[FindTerm], Condition]:
    def condition(term: FindTerm) -> Condition:
        rows = "SELECT match_no, deal_index FROM findings WHERE deal_index IS NOT NULL"
        if not term.operator:
            return f"(d.match_no, d.deal_index) IN ({rows})", []
        require_equal(term, f"{term.word}:must-follow")
        wanted = chosen(term, known())
        return f"(d.match_no, d.deal_index) IN ({rows} AND list_contains(?, {column}))", [wanted]

    return condition


def _codes() -> Mapping[str, str]:
    return {code: code for code in sorted(code_infos())}


def _rule_ids() -> Mapping[str, str]:
    tables = [table for name in game_names() for table in (game(name).faults, game(name).match_faults)]
    return {fault.rule.casefold(): fault.rule for table in tables for fault in table.rows}


def _presets() -> Mapping[str, str]:
    return {preset: preset for name in game_names() for preset in game_presets(name)}


WORDS: tuple[FindWord, ...] = (
    FindWord(
        ("player", "joueur"),
        N_("the deals of a player"),
        ("player:Lucie", 'player:"Paul Martin"'),
        _player,
        True,
    ),
    FindWord(("with", "avec"), N_("deals at whose table a player sat"), ("with:Marcel",), _with_player),
    FindWord(
        ("won", "gagne"),
        N_("deals that the player won; with a number, by how many points"),
        ("won", "won>=50"),
        number(f"CASE WHEN s.won THEN {MARGIN} END", "won>=50", "s.won"),
        True,
    ),
    FindWord(
        ("lost", "perdu"),
        N_("deals that the player lost; with a number, by how many points"),
        ("lost", "lost>=20"),
        number(f"CASE WHEN NOT s.won THEN -{MARGIN} END", "lost>=20", "NOT s.won"),
        True,
    ),
    FindWord(
        ("points",),
        N_("points of the player, or of the side"),
        ("points>=100",),
        number("s.points", "points>=100"),
        True,
    ),
    FindWord(
        ("tricks", "plis"),
        N_("tricks that the player took"),
        ("tricks:0",),
        number("s.tricks", "tricks:0"),
        True,
    ),
    FindWord(
        ("last", "der"),
        N_("deals in which the player’s side took the last trick"),
        ("last",),
        flag("s.der"),
        True,
    ),
    FindWord(("dealer", "donneur"), N_("deals that the player dealt"), ("dealer",), flag("s.dealt"), True),
    FindWord(
        ("declarer", "preneur", "taker"),
        N_("deals whose contract the player bid"),
        ("declarer",),
        flag("d.declarer = s.seat"),
        True,
    ),
    FindWord(("contract", "contrat"), N_("the contract"), ("contract>=130", "contract:capot"), _contract),
    FindWord(
        ("trump", "atout"), N_("the trump suit"), ("trump:h", "trump:♠"), choice("d.trump", suits, "trump:h")
    ),
    FindWord(("made", "fait", "reussi"), N_("contracts that were made"), ("made",), flag("d.contract_made")),
    FindWord(
        ("failed", "chute", "dedans"), N_("contracts that failed"), ("failed",), flag("NOT d.contract_made")
    ),
    FindWord(
        ("doubled", "contre", "coinched"),
        N_("contracts that were doubled, redoubled ones too"),
        ("doubled",),
        flag("d.coinched >= 1"),
    ),
    FindWord(
        ("redoubled", "surcontre"),
        N_("contracts that were redoubled"),
        ("redoubled",),
        flag("d.coinched = 2"),
    ),
    FindWord(
        ("held", "tenu"),
        N_("announcements that the player held"),
        ("held:quinte", "held:mariage-t"),
        _announced("a.held"),
        True,
    ),
    FindWord(
        ("announced", "annonce"),
        N_("announcements that the player made"),
        ("announced:tierce",),
        _announced("a.announced"),
        True,
    ),
    FindWord(
        ("counted", "compte"),
        N_("announcements that counted"),
        ("counted:cent",),
        _announced("a.counted"),
        True,
    ),
    FindWord(
        ("missed", "oublie"),
        N_("announcements that the player held and did not make"),
        ("missed",),
        _announced("a.missed"),
        True,
    ),
    FindWord(
        ("turned", "bascule"),
        N_("deals in whose last tricks the winner changed"),
        ("turned",),
        flag(
            "(d.match_no, d.deal_index) IN"
            " (SELECT match_no, deal_index FROM endgame_values WHERE turning_action_index IS NOT NULL)"
        ),
    ),
    FindWord(
        ("finding", "anomalie"),
        N_("deals with a finding"),
        ("finding", "finding:must-follow"),
        _finding("code", _codes),
    ),
    FindWord(
        ("rule", "regle"), N_("deals in which a rule was broken"), ("rule:CH-9",), _finding("rule", _rule_ids)
    ),
    FindWord(
        ("status", "verdict"),
        N_("the verdict on the deal"),
        ("status:irregular",),
        choice("d.status::VARCHAR", lambda: {one: one for one in STATUSES}, "status:legal"),
    ),
    FindWord(("void", "annulee"), N_("deals that do not count"), ("void",), flag("d.void IS NOT NULL")),
    FindWord(
        ("sheet", "feuille"),
        N_("lines of score sheets, of which no card is known"),
        ("sheet",),
        flag("d.is_score_line"),
    ),
    FindWord(
        ("game", "jeu"),
        N_("the game"),
        (GAME_EXAMPLE,),
        choice("m.game", lambda: {one: one for one in game_names()}, GAME_EXAMPLE),
    ),
    FindWord(
        ("player_count", "joueurs"),
        N_("the number of players"),
        ("player_count:2",),
        number("m.player_count", "player_count:2"),
    ),
    FindWord(
        ("preset", "reglement", "rules"),
        N_("the rules of the match"),
        (PRESET_EXAMPLE,),
        choice("m.preset", _presets, PRESET_EXAMPLE),
    ),
    FindWord(("date", "jour"), N_("the day of the match"), ("date:2026-04", "date>=2026-04-12"), _date),
    FindWord(
        ("event", "evenement"),
        N_("the event of the match"),
        ('event:"Coupe du Perche"',),
        _text("m.event", 'event:"Coupe"'),
    ),
    FindWord(("source",), N_("the source of the match"), ("source:club",), _text("m.source", "source:club")),
    HAND,
)
