"""Document the answers of `retourne stats` to programs: columns and their meanings.

A number's text ends with its unit in brackets, as in `schemas.column_docs`. A test holds that every
column of an answer is documented here, and no other.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import duckdb
import polars as pl

from dashboard.games import games_with_sections
from dashboard.queries import announcements, comparison, fairness, ladder, players, simulated_baseline
from dashboard.queries.results import ROLLING_DEALS
from dashboard.queries.scope import Scope
from dashboard.tables.profile import SECTIONS, has_section
from engine.games import game, game_names

Ask = Callable[[duckdb.DuckDBPyConnection, Scope], pl.DataFrame]


class Answer(NamedTuple):
    """One answer: what it has a row for, and its own columns; `EVERYWHERE` has the rest."""

    about: str
    columns: Mapping[str, str]
    frames: tuple[Ask, ...] = ()
    """The queries: several where an option adds a column. A player's sections ask by name."""
    alike: bool = False
    """The columns are those of another answer, which `about` names."""


EVERYWHERE = {
    "player_no": "The number in `players` [number]",
    "player_id": "As in the logs; of a masked player the pseudonym",
    "name": "As in the logs; of a masked player the pseudonym",
    "matches": "Of those deals [matches]",
    "n": "Deals counted [deals]",
    "k": "So many of `n` [deals]",
    "wins": "Of them won [deals]",
    "points": "Mean of a deal, of partners the team's [points]",
    "share": "`wins` or `k` of `n` [share]",
    "from_sheets": "With `--with-score-sheets`: deals on score sheets [deals]",
    "kind": "Announcement, as its game calls it",
    "trump": "It is of the trump suit",
    "trick": "With `--by trick`: the trick, from 1 [number]",
    "phase": "With `--by phase`: `open` while cards are left to draw, then `closed`",
    "lead": "With `--by lead`: its player led the trick",
}
ENDS = {"low": "lower end", "high": "upper end"}


def column(answer: Answer, name: str) -> str:
    """Return the meaning of a column of an answer. KeyError: it is documented nowhere."""
    if text := answer.columns.get(name):
        return text
    if name == "share" and "k" in answer.columns:
        return "`k` of `n` [share]"
    of, _, end = name.rpartition("_")
    if end == "deviation":
        of = of or "points"
        return f"Standard deviation of the `{of}` of a deal {_unit(answer, of)}"
    if end in ENDS:
        of = of or ("difference" if "difference" in answer.columns else "share")
        of = f"{of}_share" if f"{of}_share" in answer.columns else of
        return f"The {ENDS[end]} of the 95% interval of `{of}` {_unit(answer, of)}"
    return EVERYWHERE[name]


def _unit(answer: Answer, name: str) -> str:
    return "[" + column(answer, name).rpartition("[")[2]


CONTRACTS = {
    "by": "`all`, `level`, `suit`, `coinched`, `both` level and suit",
    "level": "As `contract` of `deals` [code]",
    "suit": "0 ♠, 1 ♥, 2 ♦, 3 ♣, in Belote 4 *sans atout*, 5 *tout atout* [suit]",
    "is_coinched": "Of a row by `coinched`: they were",
    "taken": "Contracts [deals]",
    **{"contracts_coinched": "Of them coinched [deals]", "made": "Of them made [deals]"},
    **{"failed": "Of them not made [deals]", "decided": "`made` and `failed` [deals]"},
    "taken_share": "`taken` of `n` [share]",
}
HANDS = {
    "held": "Hands that held it on a turn of theirs [hands]",
    "announced": "Hands that announced it [hands]",
    "announcements_made": "Announcements: a hand may have two [announcements]",
    "shown": "Hands that showed it too [hands]",
    "counted": "Hands in which it counted [hands]",
    "points": "Mean of those that count [points]",
    "n": "Hands played: one player in one deal [hands]",
    "deals": "Their deals [deals]",
    "share": "`counted` of `n` [share]",
}
AVERAGES = {
    "card_points": "Mean points of cards won, of partners the team's [points]",
    "bonus": "Mean points of announcements, or of the reserve [points]",
    "contracts": "Of the deals, those with a contract of this player [deals]",
    "contracts_made": "Of them made [deals]",
    "bids_met": "Deals in which the bid card was met [deals]",
    "bids_met_share": "`bids_met` of the deals played card by card [share]",
    "announced": "Announcements that counted, per deal [announcements]",
    "decided_deals": "Deals with a winner [deals]",
    "probable": "`share` as pooled with the other players' ([statistics.md](statistics.md)) [share]",
    "share": "`wins` of `decided_deals` [share]",
}
OF_ENDS = {
    "by": "`all`, `opponent`, `event` or `month`",
    "value": "The opponent’s name, or the month; NULL: all, and events",
    "opponent_no": "The number in `players` [number]",
    "event": "The event, with `…` for masked names",
    "lost_low": "Ends of its 95% interval, at least 0; null below 10 deals [points]",
    "lost_high": "Ends of its 95% interval, at least 0; null below 10 deals [points]",
    "share": "`perfect` of `chances` [share]",
    "pending": "Deals not computed yet, not in `n` [deals]",
}


def compared(cursor: duckdb.DuckDBPyConnection, which: Scope) -> pl.DataFrame:
    """Return the comparison of the two players with most deals."""
    first, second, *_ = players.players_table(cursor, which)["player_no"]
    return comparison.compare_players(cursor, which, (first, second))


FIGURES = {
    "figure": "`won`, `points`, `card_points`, `bonus`, `announced` (announcements a deal), `contracts`,"
    " `contracts_made`, `bids_met`, or `kind`: hands in which that announcement counted",
    "kind": "Of `kind`: the announcement",
    "trump": "Of `kind`: it is of the trump suit",
    "n": "Deals, hands or contracts counted [number]",
    "k": "Of a share: so many of `n`; null for a mean [number]",
    "value": "`k` of `n`, or the mean [figure]",
    "low": "Ends of the 95% interval of `value` [figure]",
    "high": "Ends of the 95% interval of `value` [figure]",
    "probable": "`value` as pooled with the other players' [figure]",
}
ANSWERS: Mapping[str, Answer] = {
    "retourne stats": Answer(
        "A row per player, most deals first.",
        AVERAGES,
        (lambda cursor, which: players.players_table(cursor, replace(which, score_sheets=True)),),
    ),
    "retourne stats --announcements": Answer(
        "A row per kind, trump or not, and value of `--by`.",
        HANDS
        | {
            "player": "With `--by player`: the name",
            "player_no": "With `--by player`: the number [number]",
            "event": "With `--by event`: its name",
            "month": "With `--by month`: its first day [date]",
        },
        tuple(
            partial(announcements.announcement_frequencies, key=key)
            for key in (None, *announcements.GROUP_KEYS)
        ),
    ),
    "retourne stats --missed": Answer(
        "A row per kind, trump or not.",
        {
            "n": "Held, announced or not [announcements]",
            "missed": "The best of its suit in hand, and nothing of the suit announced [announcements]",
            "points": "Their total points; null for a kind that wins the deal at once [points]",
            "lost": "Of them in lost deals [announcements]",
            "would_have_won": "Of these, enough to win [announcements]",
            "share": "`missed` of `n` [share]",
            "would_have_won_share": "`would_have_won` of `missed` [share]",
        },
        (announcements.missed_announcements,),
    ),
    "retourne stats --winning": Answer(
        "A row per kind, trump or not: hands of deals with a winner.",
        {
            "n": "Hands in which it counted [hands]",
            "k": "Of them won [hands]",
            "n_without": "Hands without it [hands]",
            "k_without": "Of them won [hands]",
            "share_without": "`k_without` of `n_without` [share]",
            "difference": "`share` − `share_without` [share]",
        },
        (announcements.wins_with_announcements,),
    ),
    "retourne stats --baseline": Answer(
        "A row per kind, trump or not, and fact: hands dealt and their exact probability, then their play"
        " and that of simulated players.",
        {
            "trump": "In trump; null: none is turned up",
            "fact": "`dealt` (not with `--by`), `held`, `announced`, `shown`, `counted`",
            "k": "Hands with this fact [hands]",
            "n": "Hands dealt, of the decks of `--fairness`; else hands played [hands]",
            "low": "Ends of the 95% interval of `share` [share]",
            "high": "Ends of the 95% interval of `share` [share]",
            "ways": "Of `dealt`: deals in which a hand has it [deals]",
            "possible": "Of `dealt`: all deals of a hand and the card turned up [deals]",
            "chance": "`ways` of `possible`, exactly; null if it depends on play [probability]",
            "difference": "`share` − `chance` [share]",
            "least": "Minimum of all habits of simulated players [share]",
            "least_habit": "Its habit",
            "most": "Maximum [share]",
            "most_habit": "Its habit",
        },
        tuple(
            partial(simulated_baseline.chance_table, runs={"mixed": "run-0"}, key=key)
            for key in (None, *announcements.MOMENT_COLUMNS)
        ),
    ),
    "retourne stats --fairness": Answer(
        "A row per source and test.",
        {
            "source": "Of the logs; null: they name none",
            "test": "`cards`: the place of each card (χ²); `points`: those of the first hand (normal"
            " law); `repeats`: decks that came twice",
            "n": "Deals looked at [deals]",
            "statistic": "χ², deviations from the mean, or decks that came again [number]",
            "p": "p-value under a fair shuffle [probability]",
            "corrected": "`p` by Holm, over all tests listed [probability]",
            "fair": f"No alarm: `corrected` is {fairness.ALARM_P_VALUE} or more",
        },
        (fairness.fairness_tests,),
    ),
    "retourne stats --compare": Answer(
        "A row per figure and player, in the order named ([statistics.md](statistics.md)).",
        FIGURES | {"difference": "`value` − the first player's; null for the first [figure]"},
        (compared,),
    ),
    "retourne stats --ladder": Answer(
        "A row per player, best first.",
        {
            "rank": "From 1; equals share one [rank]",
            "mu": "Rating, 25 at first [µ]",
            "sigma": "Its uncertainty, 25/3 at first [µ]",
            "value": "`mu` − 3 × `sigma`, the order of the ladder [µ]",
            "provisional": f"`sigma` is more than {ladder.PROVISIONAL_SIGMA}",
            "n": "Matches rated [matches]",
            "wins": "Of them won [matches]",
            "last": "The day the last of them was played [date]",
            "from_sheets": "With `--with-score-sheets`: matches on sheets or of known result only [matches]",
        },
        (lambda cursor, which: ladder.ladder_standings(cursor, replace(which, score_sheets=True)),),
    ),
}
PLAYER: Mapping[str, Answer] = {
    "player": Answer("The player's row of `retourne stats`.", AVERAGES, alike=True),
    "left-out": Answer(
        "Deals outside the rates of wins.",
        {
            "reason": "`undated` where you pass days; `void`; `sheet_with_log`: on a sheet and in a log;"
            " `sheet`; a verdict that does not count; `null`: no winner; `unknown` winner",
            "deals": "So many [deals]",
        },
    ),
    "tables": Answer(
        "A row per game, number of players and preset.",
        {
            **{"game": "The game", "player_count": "At the table [seats]", "preset": "The rules"},
            "fair": "The share an average player wins [share]",
        },
    ),
    "results": Answer(
        "A row for all deals, each preset, each seat, as dealer and not.",
        {
            "by": "`all`, `preset`, `seat`, `dealer`",
            "value": "The preset, the seat, `true` or `false`; null for `all`",
        },
    ),
    "manches": Answer(
        "Finished manches and matches.",
        {
            "figure": "`match`, `manche`: won; `shutouts_given`: of the manches won, those in which the"
            " others had nothing; `shutouts_taken`: of those lost, in which the player had nothing",
            "n": "Of so many",
        },
    ),
    "averages": Answer(
        "A row per measure.",
        {
            "measure": "`points`, `card_points`, `bonus`, `brisques`, `tricks`, as in `deal_seats`",
            "mean": "Of a deal [measure]",
            "deviation": "Standard deviation of a deal [measure]",
            "least": "Minimum and maximum [measure]",
            "most": "Minimum and maximum [measure]",
            "quarter": "Quartiles [measure]",
            "median": "Quartiles [measure]",
            "three_quarters": "Quartiles [measure]",
        },
    ),
    "distribution": Answer("A row per span of points.", {"least": "From [points]", "most": "To [points]"}),
    "events": Answer(
        "Events of a deal.",
        {
            "figure": "`der`: the last trick taken; `exchanged`: the 7; `sept`: of the exchanges,"
            " those made by the end of `trick`",
            "trick": "From 1; null but for `sept` [number]",
        },
    ),
    "announcements": Answer("As `retourne stats --announcements`, of the player.", HANDS, alike=True),
    "contracts": Answer(
        "A row for all contracts of the player, each level, suit, coinched or not, level and suit.",
        CONTRACTS | {"share": "`made` of `decided` [share]"},
    ),
    "defence": Answer(
        "Contracts of the other team, with the columns of `contracts`.",
        CONTRACTS | {"share": "`failed` of `decided` [share]"},
        alike=True,
    ),
    "capots": Answer(
        "Deals with a contract and a result.",
        {
            "figure": "`capot`: the player's team took all tricks; `swept`: the other did;"
            " `litige`: equal totals"
        },
    ),
    "partners": Answer("A row per partner.", {}),
    "bid-cards": Answer(
        "A row per bid card.",
        {
            "bid": "As in `deal_seats` [code]",
            "bids_met": "Deals in which it was met [deals]",
            "reserve": "Mean points of the reserve [points]",
            "share": "`bids_met` of `n` [share]",
        },
    ),
    "reserve": Answer(
        "One row.",
        {
            "reserve": "Points of the reserve, in all [points]",
            "points": "All points [points]",
            "mean": "Points of the reserve per deal [points]",
            "deviation": "Standard deviation of `mean`'s deals [points]",
            "share": "`reserve` of `points` [share]",
        },
    ),
    "luck": Answer(
        "One row: the cards received and the mean of fair deals.",
        {
            "received_cards": "That came to hand [cards]",
            "received": "Their points [points]",
            "expected": "Of so many cards on average [points]",
            "difference": "`received` − `expected` [points]",
            "per_deal": "`difference` of `n` [points]",
            "deviation": "Standard deviation of `difference` in fair deals [points]",
            "sigmas": "`difference` in deviations [number]",
            "unknown": "Deals omitted for unrecorded cards [deals]",
        },
    ),
    "luck-and-play": Answer(
        "A row per measure: means per deal, first of chance, then of play ([insight.md](insight.md)).",
        {
            "measure": "`dealt`: points of the hand dealt; `announcements` in it; `worth`: their"
            " points; `received`: points of all cards that came to hand; then `card_points` and `bonus`"
            " as in `averages`, and `lost` in the ends of deals",
            "mean": "Of `n` deals [measure]",
            "low": "Ends of the 95% interval: of fair deals, for chance [measure]",
            "high": "Ends of the 95% interval: of fair deals, for chance [measure]",
            "expected": "Exact mean of fair deals; null for play [measure]",
            "difference": "`mean` − `expected` [measure]",
        },
    ),
    "bid-choice": Answer(
        "As `endgames`, of the cards bid in Chouineurs: points `lost` to the best card left, for the"
        " tricks won ([insight.md](insight.md)).",
        OF_ENDS
        | {
            "lost": "Mean points lost by the bid of a deal [points]",
            "chances": "Deals with a choice of cards to bid [deals]",
            "perfect": "Of them, without a loss [deals]",
            "turning_points": "Always 0 [deals]",
        },
    ),
    "endgames": Answer(
        "A row for all deals, each opponent, event and month: points the player lost in the ends of deals"
        " ([insight.md](insight.md)).",
        OF_ENDS
        | {
            "lost": "Mean points the player lost per deal [points]",
            "chances": "Deals in which the player had a choice or a loss [deals]",
            "perfect": "Of them, without a loss [deals]",
            "turning_points": "Deals of `n` in which the winner turned [deals]",
        },
    ),
    "peers": Answer(
        "As `retourne stats --compare`, a row per figure: its place among players of the same rules.",
        FIGURES
        | {
            "probable_low": "Ends of the 95% range of the true figure [figure]",
            "probable_high": "Ends of the 95% range of the true figure [figure]",
            "peers": "Other players with at least 20 deals [players]",
            "place_low": "The share of peers whose true figure is lower, as a 95% range; null below"
            " 20 peers [share]",
            "place_high": "Its upper end [share]",
        },
    ),
    "periods": Answer(
        "As `retourne stats --compare`, a row per figure and month or season, dated deals only.",
        {name: text for name, text in FIGURES.items() if name != "probable"}
        | {
            "by": "`month`, or `season` from September to August",
            "period": "Its first day [date]",
            "total": "Of a mean: the sum [figure]",
            "squared": "Of a mean: the sum of squares [squares]",
            "deviation": "Of a mean: standard deviation of a deal [figure]",
            "p": "p-value of no change between periods; null if too few deals or matches [probability]",
            "corrected": "`p` by Benjamini and Hochberg, over all figures [probability]",
            "changed": "`corrected` is below 0.05",
        },
    ),
    "trend": Answer(
        f"A row per day of play: the last {ROLLING_DEALS} deals up to its end.",
        {"day": "Of play [date]", "played": "Deals up to the day's end [deals]"},
    ),
    "records": Answer(
        "A row per record.",
        {
            "record": "`points`, `margin` of one deal; `deals`, `matches` won in a row",
            "value": "How high [record]",
            "played_on": "The day it was set, or began [date]",
            "until": "The day a series ended [date]",
            "match_id": "Of the match it was set or began in",
            "deal_number": "Of the deal, from 1 [number]",
            "names": "At that table, by seat",
            "ids": "At that table, by seat",
        },
    ),
}
"""Sections of `retourne stats PLAYER`."""


def section_types(cursor: duckdb.DuckDBPyConnection, answer: Answer) -> dict[str, pl.DataType]:
    """Column → type of an answer, those that only an option gives too."""
    which = _scope(next(iter(games_with_sections("announcements")))).without_sheets
    return _union(frame(cursor, which) for frame in answer.frames)


def section(cursor: duckdb.DuckDBPyConnection, name: str) -> dict[str, pl.DataType]:
    """Column → type of a section, for the player of most deals in each game that has it."""
    found = []
    for one in game_names():
        if has_section(name, one):
            which, number = _scope(one), _player(cursor, one)
            found.append(SECTIONS[name].query(cursor, SECTIONS[name].scope_for(which), number))
    return _union(iter(found))


def _union(frames: Iterator[pl.DataFrame]) -> dict[str, pl.DataType]:
    return {name: kind for frame in frames for name, kind in frame.schema.items()}


def _scope(name: str) -> Scope:
    return Scope(name, game(name).players[0], score_sheets=True)


def _player(cursor: duckdb.DuckDBPyConnection, name: str) -> int:
    row = cursor.execute(
        "SELECT player_no FROM seats JOIN matches USING (match_no) WHERE game = ? AND player_count = ?"
        " GROUP BY 1 ORDER BY sum(deals) DESC, 1",
        [name, game(name).players[0]],
    ).fetchone()
    assert row is not None
    return int(row[0])
