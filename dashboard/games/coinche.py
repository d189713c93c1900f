"""Coinche on the board, in figures and on pages.

Partners, an auction, a contract, marks.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from dashboard.games import plain
from dashboard.games.deal import (
    RUFF,
    Deal,
    fact,
    plays,
    ruffs,
    suit_named,
    takes,
    untold,
    won_by_suit,
)
from dashboard.games.plain import card_names as card_names
from dashboard.games.plain import dealt as dealt
from dashboard.games.plain import dealt_worth as dealt_worth
from dashboard.games.plain import faces as faces
from dashboard.games.plain import turned as turned
from dashboard.games.plain import veiled as veiled
from dashboard.games.records import Height, Mark, Statistics
from dashboard.games.typing import GIVE_UP, card_keys, with_suits
from dashboard.games.typing import answered as answered
from dashboard.games.typing import asks as asks
from dashboard.games.typing import grid as grid
from dashboard.games.typing import hand_size as hand_size
from dashboard.games.typing import held as held
from dashboard.games.typing import is_seldom as seldom
from dashboard.games.typing import tile as tile
from dashboard.text.columns import averaged, between, counted
from dashboard.text.definitions import Definition
from engine.cards import SUITS, SYMBOLS
from engine.coinche import acts, kernel
from engine.coinche.acts import level_of, suit_of
from engine.games import game, title
from engine.replay import Ply
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from schemas.games.coinche import words
from schemas.table import Table
from schemas.words import act_word

TITLE = title("coinche")
PACK = game("coinche").pack
RECALL: Literal["own", "last"] = "last"
MARKS: Mapping[str, Mark] = {**RUFF, "call": Mark(N_("call"), "M0 1H10V7H5L2 10V7H0Z", "primary")}
CALLED = {"match": N_("match"), "generale": N_("générale")}
HEIGHTS = tuple(
    Height(CALLED.get(level, level), int(worth))
    for level, worth in zip(acts.LEVELS, kernel.VALUE, strict=True)
)
CALLS = {
    acts.PASS: N_("pass"),
    acts.COINCHE: N_("coinche"),
    acts.SURCOINCHE: N_("surcoinche"),
}


def frame(deal: Deal) -> dict[str, Any]:
    """What holds for the whole deal: the sides, and the auction with the ply of each call."""
    played = next((ply.index for ply in deal.replay if not ply.state["bidding"]), None)
    return plain.frame(deal) | {
        "sides": [_side(side, deal.t) for side in range(2)],
        "auction": _auction(deal),
        "jumps": [] if played is None else [played],
    }


def ply(deal: Deal, index: int) -> dict[str, Any]:
    """One state, with what led to it from the state before."""
    replay, t = deal.replay, deal.t
    now = replay[index]
    before = replay[index - 1] if index else None
    state = now.state
    return plain.common(deal, index, PACK.names) | {
        "text": _opening(deal, now) if before is None else _event(deal, now),
        "also": [] if before is None else _outcome(deal, now, before),
        "due": t("to speak") if state["bidding"] else "",
        "facts": _facts(deal, now),
        "sides": [_side_view(now, side, t) for side in range(2)],
        "seats": [
            {
                "hand": [*PACK.show(now.known(seat)), *untold(now, seat)],
                "fresh": [],
                "points": None,
                "notes": _said(state, seat, t),
                "lines": [t("Tricks: {n}", n=int(state["taken"][seat]))],
                "bid": None,
            }
            for seat in range(replay.players)
        ],
    }


def _side(side: int, t: Translate) -> str:
    return t("Team {n}", n=side + 1)


def contract_text(level: int, suit: int, t: Translate) -> str:
    """`90 ♥`, `match ♠`: a bid as the engine numbers it."""
    return f"{t(HEIGHTS[level].text)} {SYMBOLS[SUITS[suit]]}"


# board: the auction

CHANGES = ("turn", "bidding", "coinched")
"""Fields of a state, one of which any call that counts changes."""


def _auction(deal: Deal) -> dict[str, Any]:
    """Rounds of calls in the order of speaking; a coinche out of turn keeps its player's column."""
    replay, t = deal.replay, deal.t
    first = replay[0].turn
    seats = [(first + step) % replay.players for step in range(replay.players)]
    rows: list[list[dict[str, Any] | None]] = []
    column = len(seats)
    for now in replay[1:]:
        assert now.action is not None
        seat, act = now.action
        if not acts.BID <= act <= acts.SURCOINCHE:
            continue
        if seats.index(seat) <= column - 1 or not rows:
            rows.append([None] * len(seats))
        column = seats.index(seat) + 1
        suit = suit_of(act)
        text = contract_text(level_of(act), suit, t) if suit >= 0 else t(CALLS[act])
        rows[-1][column - 1] = {
            "ply": now.index,
            "text": text,
            "suit": SUITS[suit] if suit >= 0 else "",
            # a word against the rules that changed nothing counts for nothing
            "counts": any(now.state[f] != replay[now.index - 1].state[f] for f in CHANGES),
        }
    return {"title": t("Auction"), "seats": seats, "rows": rows}


def _said(state: Any, seat: int, t: Translate) -> list[dict[str, Any]]:
    """What stands beside a name: who took the contract, coinched, surcoinched."""
    notes = []
    if int(state["bidder"]) == seat:
        text = contract_text(int(state["contract"]), int(state["trump"]), t)
        notes.append(text)
    if int(state["coincher"]) == seat:
        notes.append(t("coinche"))
    if int(state["surcoincher"]) == seat:
        notes.append(t("surcoinche"))
    return [{"text": text, "counts": True} for text in notes]


# board: sentences


def _opening(deal: Deal, now: Ply) -> str:
    t, dealer = deal.t, deal.names[int(now.state["dealer"])]
    return t("{dealer} deals, {who} speaks first", dealer=dealer, who=deal.names[now.turn])


def _event(deal: Deal, now: Ply) -> str:
    """What the actor did."""
    assert now.action is not None
    seat, act = now.action
    t, who = deal.t, deal.names[seat]
    said = speak_word(t, act_word("coinche", act))
    if act < acts.BID:
        return plays(who, PACK.names[act], t)
    return f"{who} {said}"


def _outcome(deal: Deal, now: Ply, before: Ply) -> list[str]:
    """What came of it: the contract, a trick taken, the fate of a claim, the end."""
    names, t = deal.names, deal.t
    state, then = now.state, before.state
    found = []
    if then["bidding"] and not state["bidding"] and not now.over:
        contract = _contract(deal, now)
        leads = names[int(state["leader"])]
        found.append(t("Contract: {contract}. {who} leads", contract=contract, who=leads))
    elif int(state["coinched"]) > int(then["coinched"]):
        found.append(t("Contract: {contract}", contract=_contract(deal, now)))
    if now.trick > before.trick:
        taker = int(state["leader"])
        won = int(state["cards"][taker & 1]) - int(then["cards"][taker & 1])
        found.append(takes(names[taker], won, t))
        if now.trick == kernel.TRICKS:
            found.append(t("Last trick: 5 points"))
    if now.over and not before.over:
        found += _ending(deal, now)
    return found


def _contract(deal: Deal, now: Ply) -> str:
    """`90 ♥ by Jean, coinched`."""
    state, t = now.state, deal.t
    text = t(
        "{bid} by {who}",
        bid=contract_text(int(state["contract"]), int(state["trump"]), t),
        who=deal.names[int(state["bidder"])],
    )
    return ", ".join([text, *([t(DOUBLED[int(state["coinched"])])] if state["coinched"] else [])])


DOUBLED = {1: N_("coinched"), 2: N_("surcoinched")}


def _ending(deal: Deal, now: Ply) -> list[str]:
    """How the deal ended, whether the contract was made, and what each side marks."""
    state, t = now.state, deal.t
    outcome, found = int(state["outcome"]), list[str]()
    if outcome == kernel.PASSED:
        return [t("Four passes: nobody scores, the next player deals")]
    if outcome == kernel.BY_CLAIM:
        side = int(state["claimer"]) & 1
        if state["claim_good"]:
            found.append(
                t("The claim holds: {side} takes the remaining tricks", side=_side(side, t))
            )
        else:
            other = _side(1 - side, t)
            found.append(t("The claim fails: the remaining tricks go to {side}", side=other))
    if outcome == kernel.STOPPED:
        side = int(state["stopper"]) & 1
        text = {
            1: N_("Rightly: {side} wins the match"),
            0: N_("Wrongly: {side} loses the match and scores nothing"),
            -1: N_("The deals before are not all known: nobody can say whether {side} is right"),
        }[int(state["stop_good"])]
        found.append(t(text, side=_side(side, t)))
    if int(state["sweeper"]) >= 0:
        side = int(state["sweeper"])
        points = int(kernel.points(state, side))
        found.append(
            t("Every trick: {points} points for {side}", points=points, side=_side(side, t))
        )
    if int(state["contract"]) >= 0 and int(state["made"]) >= 0:
        found.append(t("Contract made") if state["made"] else t("Contract failed"))
    marks = [
        t("{side} scores {points}", side=_side(side, t), points=int(state["marks"][side]))
        for side in range(2)
    ]
    return [*found, ", ".join(marks)]


# board: what may be done, who saw what, what is marked

why = won_by_suit


def allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The legal cards, the lowest bid and the other calls; a word out of turn has its player."""
    names, t = card_names(deal), deal.t
    cards, words = list[str](), list[str]()
    bids = False
    for seat, act in now.legal:
        if act < len(names):
            cards.append(names[act])
        elif acts.BID <= act < acts.PASS:
            if not bids:
                words.append(t("bid from {height} up", height=t(HEIGHTS[level_of(act)].text)))
            bids = True
        elif act not in (acts.RESIGN, acts.WON):
            who = "" if seat == now.turn else f"{deal.names[seat]} "
            words.append(who + speak_word(t, act_word("coinche", act)))
    return cards, words


def shown(now: Ply, before: Ply, seat: int, known: int) -> int:
    """The whole hand of a player who claims."""
    return int(now.state["hand"][seat]) if int(now.state["claimer"]) == seat else known


COINCHES = (acts.COINCHE, acts.SURCOINCHE)


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """Ruffs, bids and coinches."""
    assert now.action is not None
    act = now.action.act
    if ruffs(deal, act, before):
        yield "ruff", ""
    elif acts.BID <= act < acts.PASS or act in COINCHES:
        yield "call", ""


# board: beside the table


def _facts(deal: Deal, now: Ply) -> list[dict[str, str]]:
    state, t = now.state, deal.t
    tricks = fact(t("Tricks"), f"{now.trick} / {kernel.TRICKS}")
    if int(state["contract"]) < 0:
        return [fact(t("Contract"), t("none yet")), tricks]
    trump = int(state["trump"])
    found = [
        fact(t("Contract"), contract_text(int(state["contract"]), trump, t), SUITS[trump]),
        fact(t("Taken by"), deal.names[int(state["bidder"])]),
    ]
    if state["coinched"]:
        found.append(fact(t("Coinched by"), deal.names[int(state["coincher"])]))
    if int(state["coinched"]) > 1:
        found.append(fact(t("Surcoinched by"), deal.names[int(state["surcoincher"])]))
    if state["stake"]:
        found.append(fact(t("At stake"), t("{n} scored", n=int(state["stake"]))))
    found += [fact(t("Trump"), suit_named(trump, t), SUITS[trump]), tricks]
    if now.over and int(state["made"]) >= 0:
        found.append(fact(t("Result"), t("made") if state["made"] else t("failed")))
    return found


def _side_view(now: Ply, side: int, t: Translate) -> dict[str, Any]:
    """Card points as they count, the marks once the deal is over."""
    state = now.state
    tricks = int(state["taken"][side]) + int(state["taken"][side + 2])
    lines = [t("Tricks: {n}", n=tricks)]
    if now.over:
        lines.append(t("Score: {n}", n=int(state["marks"][side])))
    return {"points": int(kernel.points(state, side)), "lines": lines}


# typing a deal in

TYPED = {"match": "m", "generale": "g"}
"""How a contract without a number is typed before its suit."""
TAUGHT: tuple[str, ...] = (
    *("9h", "Th", "Js", "bid 90h", "bid match-h", "bid generale-h", "pass"),
    *("coinche", "2 coinche", "surcoinche", "claim", "won", "resign"),
)


def keys(table: Table, t: Translate) -> dict[str, str]:
    """Cards, bids, and what else is said; after `c` and `s` the seat of who spoke out of turn."""
    found = card_keys(table, t)
    for level in acts.LEVELS:
        word = f"bid {level}" if level.isdigit() else f"bid {level}-"
        found |= with_suits(TYPED.get(level, level), word)
    for typed, word in (("c", "coinche"), ("s", "surcoinche")):
        found[typed * 2] = word
        found |= {f"{typed}{seat}": f"{seat} {word}" for seat in range(1, table.players + 1)}
    return {
        **found,
        "p": "pass",
        "cl": "claim",
        "w": "won",
        **dict.fromkeys(GIVE_UP, "resign"),
    }


def called(word: str, t: Translate) -> str:
    """A bid as its height and its suit; anything else as it is said."""
    act = words().get(word, acts.PASS)
    if (suit := suit_of(act)) < 0:
        return speak_word(t, word)
    return contract_text(level_of(act), suit, t)


def is_seldom(word: str, in_turn: bool) -> bool:
    """As in any game, and *nous avons gagné*; a coinche is said out of turn."""
    return word == "won" or (word not in ("coinche", "surcoinche") and seldom(word, in_turn))


# figures: what is counted

STATISTICS = Statistics(
    averages=("points", "cards", "tricks"),
    width=50,
    worth=tuple(map(int, kernel.PLAIN_POINTS)) * len(SUITS),
)


# pages: what tables and pages call things

COUNTED_DEALS = N_("Deals")
SECTIONS = ("contracts", "partners", "luck", "apart", "ends")
SECTION_HEADINGS = dict[str, str]()
ROW_NAMES = {
    ("measure", "points"): N_("Score of the team"),
    ("measure", "cards"): N_("Card points of the team"),
}
PLAYER_COLUMNS = (
    averaged(N_("Average score of the team"), "points", "points"),
    between("points_low", "points_high", label=N_("95% interval of scores")),
    averaged(N_("Card points of the team"), "cards", "cards"),
    between("cards_low", "cards_high", label=N_("95% interval of card points")),
    counted(N_("Contracts bid"), "contracts", "contracts"),
    counted(N_("Contracts made"), "made", "made"),
)
MATCH_COLUMNS = ()
SUITLESS: tuple[str, ...] = ()
BID_CARDS: tuple[str, ...] = ()
EXAMPLES = ("coinche/under-ruff",)
RULES: Mapping[str, str] = {"tournoi-2018": N_("Tournament 2018")}


# pages: terms

DEFINITIONS: Mapping[str, Definition] = {
    "auction": Definition(
        N_("Auction"),
        N_("The bids before play, each a height and a suit and above the last one."),
        "CO-3",
        after="revoke",
    ),
    "contract": Definition(
        N_("Contract"),
        N_("The last bid of the auction: the points, or the tricks, its team has to make."),
        "CO-11",
        after="auction",
    ),
    "claim": Definition(
        N_("Lay down the hand"),
        N_("To show all of one’s cards on lead and claim every trick that is left."),
        "CO-9",
        after="contract",
        never=("abattage", "étale"),
    ),
    "made": Definition(
        N_("Contract made"),
        N_("The team of the bid reached what it had promised."),
        "CO-11",
        after="counted",
        never=("contrat fait", "contrats faits"),
    ),
    "coinched": Definition(
        N_("Coinched"), N_("Contracts an opponent of the bid has coinched."), "CO-5", after="made"
    ),
    "taken": Definition(
        N_("Taken"),
        N_("Deals whose last bid was of this height, of all deals that count."),
        "CO-4",
        after="coinched",
    ),
    "cards": Definition(
        N_("Card points of the team"),
        N_("Points of the cards the team took with its tricks, on average."),
        "CO-2",
        after="bonus",
    ),
    "contracts": Definition(
        N_("Contracts bid"),
        N_("Deals somebody won in which the player’s own bid was the last."),
        "CO-4",
        after="cards",
    ),
}
IN_DEFINITIONS: Mapping[str, str] = {
    "end-lost": N_("in Coinche the last five tricks with open cards, for the player’s team"),
    "won": N_("in Coinche by the player’s team"),
    "points": N_("in Coinche the score of the team"),
}
