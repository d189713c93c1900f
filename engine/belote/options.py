"""Rule options and presets of Belote."""

from collections.abc import Mapping
from typing import Any

from engine.games import Equipment, Option

DEALING = ("3-2", "2-3", "3-2-3", "3-3-2", "2-3-3")
"""Packets a hand is dealt in; the rest follows the taking if only five cards are dealt before."""

OPTIONS: tuple[Option, ...] = (
    Option("auction", "BE-5", ("take", "bid"), "the suit turned up is taken, or points are bid"),
    Option("dealing", "BE-4", DEALING, "packets in which the cards are dealt"),
    Option("second_round_any", "BE-5", (False, True), "the suit turned up may be named in the second round"),
    Option("highest", "BE-6", None, "highest number that may be bid", 80, 480),
    Option("contre_any_time", "BE-7", (False, True), "a contre out of turn counts"),
    Option("declarer_leads", "BE-8", (False, True), "the declarer leads the first trick"),
    Option("undertrump", "BE-12", (False, True), "a lower trump must be played if no higher one is held"),
    Option("undertrump_partner", "BE-13", (False, True), "a trump below the partner’s may be played"),
    Option("announcements", "BE-16", (False, True), "sequences and carrés count"),
    Option("equal_first", "BE-16", (False, True), "of equal announcements the first one counts"),
    Option("belote_doubled", "BE-19", (False, True), "a contre multiplies the belote, too"),
    Option("litige", "BE-20", ("next", "made", "failed"), "what becomes of equal totals"),
    Option("round", "BE-21", (False, True), "scores are rounded to ten"),
    Option("target", "BE-22", None, "score to reach", 10, 10_000),
    Option("deals", "BE-22", None, "deals after which the match ends, 0 for no limit", 0, 1000),
    Option("sans_tout", "BE-23", (False, True), "sans atout and tout atout may be played"),
)

_CONTREE: Mapping[str, Any] = {
    "auction": "bid",
    "dealing": "3-2-3",
    "second_round_any": False,
    "highest": 180,
    "contre_any_time": False,
    "declarer_leads": False,
    "undertrump": False,
    "undertrump_partner": False,
    "announcements": False,
    "equal_first": False,
    "belote_doubled": True,
    "litige": "failed",
    "round": True,
    "target": 2000,
    "deals": 0,
    "sans_tout": False,
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "classique": {
        **_CONTREE,
        "auction": "take",
        "dealing": "3-2",
        "undertrump": True,
        "undertrump_partner": True,
        "litige": "next",
        "round": False,
        "target": 1000,
    },
    "contree": _CONTREE,
    "coinchee": {**_CONTREE, "highest": 480, "announcements": True},
}

EQUIPMENT: Equipment = ()
