"""What every term of the pages means, once: pages link to `regles?def=KEY`, and show it on hover.

A page of figures adds its terms here, under the section they are read in.
"""

from typing import NamedTuple

from ingest.i18n import N_, Translate


class Definition(NamedTuple):
    """A term and what it means; `rule` where a rule says so, such as `CH-30`."""

    label: str
    text: str
    rule: str | None = None


DEFINITIONS: dict[str, Definition] = {
    # what a log holds
    "match": Definition(
        N_("Match"),
        N_("Everything between the same players in one sitting: a log holds one match."),
        "CH-25",
    ),
    "manche": Definition(
        N_("Manche"),
        N_("The parties until somebody has won as many as the rules ask for."),
        "CH-25",
    ),
    "partie": Definition(
        N_("Partie"), N_("One deal of Chouine played to its end, and what it is worth."), "CH-23"
    ),
    "deal": Definition(N_("Deal"), N_("Cards dealt once and played, in any game."), "CH-3"),
    "void": Definition(
        N_("Void deal"), N_("A deal that does not count and is dealt again."), "CH-26"
    ),
    # statuses
    "legal": Definition(N_("Legal"), N_("Every act follows the rules, to the end.")),
    "unproven": Definition(
        N_("Unproven"),
        N_("Nothing wrong was found, but not all could be checked: cards were not written down."),
    ),
    "irregular": Definition(
        N_("Irregular"),
        N_("Something against the rules happened and stood; the game went on and is replayed."),
    ),
    "incomplete": Definition(N_("Incomplete"), N_("A deal stops before its end without a reason.")),
    "broken": Definition(
        N_("Broken"),
        N_("Something that cannot have happened, such as a card played twice: it stops there."),
    ),
    "unreadable": Definition(N_("Unreadable"), N_("The text is no match at all.")),
    # figures
    "n": Definition(
        "n", N_("How many games, deals or hands a figure rests on. Under 20 it says little.")
    ),
    "interval": Definition(
        N_("95 % interval"),
        N_(
            "Where the true share lies, in 95 cases of 100, by Wilson’s method: with few games it "
            "is wide, and two figures whose intervals overlap may well be equal."
        ),
    ),
    "left-out": Definition(
        N_("Left out"),
        N_("Deals a figure does not count, because they are not legal, void, or without a winner."),
    ),
    "share": Definition(N_("Share"), N_("Deals won, of all deals that somebody won.")),
    "under": Definition(
        N_("Passer sous la table"), N_("To win a manche without giving away a partie."), "CH-30"
    ),
    "der": Definition(
        N_("Dix de der"), N_("The ten points of the last trick of a partie."), "CH-23"
    ),
    "brisque": Definition(N_("Brisque"), N_("An ace or a ten: eight in the pack."), "CH-1"),
    "held": Definition(
        N_("Held"),
        N_("All cards of the announcement were in the hand on one of its player’s turns."),
        "CH-15",
    ),
    "announced": Definition(
        N_("Announced"), N_("Said with a card, whether it counts or not."), "CH-15"
    ),
    "shown": Definition(
        N_("Shown"), N_("Its cards were shown; unshown it counts nothing."), "CH-17"
    ),
    "counted": Definition(
        N_("Counted"), N_("It brought its points, or trump, or the partie."), "CH-18"
    ),
    "made": Definition(
        N_("Contract made"), N_("The side of the bid reached what it had promised."), "CO-11"
    ),
    "met": Definition(
        N_("Bid met"), N_("The tricks taken are among those the bid card has points for."), "CR-7"
    ),
    # one player
    "interval-mean": Definition(
        N_("95 % interval of an average"),
        N_(
            "The average, plus and minus 1.96 times the sample’s deviation by the root of n: where "
            "the true average lies in 95 cases of 100."
        ),
    ),
    "points": Definition(
        N_("Average points"),
        N_(
            "Points of a deal that somebody won, on average: cards, announcements and the last "
            "trick; in Coinche the marks of the side, in Chouineurs the bid and the reserve."
        ),
        "CH-23",
    ),
    "fair": Definition(
        N_("If all were alike"),
        N_("The share of deals one would win if all played alike: one in as many as sides."),
    ),
    "quarters": Definition(
        N_("Quarter · half · three quarters"),
        N_("A quarter, half and three quarters of the deals lie at or below these values."),
    ),
    "sept": Definition(
        N_("The 7 exchanged"),
        N_(
            "Deals in which the player changed the 7 of trump for the retourne; then by which "
            "trick, counted from the first."
        ),
        "CH-13",
    ),
    "per-deal": Definition(
        N_("Per deal"), N_("Contracts this player bid last, of all deals the player sat at.")
    ),
    "bid-card": Definition(
        N_("Bid card"),
        N_(
            "The card chosen in a manche, told by its place among the five; a match with cards of "
            "its own counts by the place too."
        ),
        "CR-2",
    ),
    "reserve": Definition(
        N_("Points from chouiner"),
        N_("One point for each card taken from the reserve by whoever chouined."),
        "CR-7",
    ),
    "luck": Definition(
        N_("Luck with the cards"),
        N_(
            "Points of the cards dealt and drawn, against what as many cards have on average: the "
            "pack’s mean times the cards. Fair deals stray from it with the variance "
            "nσ²(N - n)/(N - 1) a deal, of n cards out of N. Null parties count."
        ),
    ),
    "sigmas": Definition(
        N_("In deviations"),
        N_(
            "The difference by the deviation fair deals have: between −1.96 and 1.96 for 95 "
            "players of 100 whom nobody favours."
        ),
    ),
    "trend": Definition(
        N_("Over time"),
        N_("After each day of play, the last 50 deals up to then; deals without a date are out."),
    ),
    "record": Definition(
        N_("Record"),
        N_(
            "The highest, set first. A margin is over the best of the others; a series goes on "
            "over a null partie and ends with a deal lost."
        ),
    ),
    "margin": Definition(
        N_("Margin"),
        N_("Points of one side less those of the other in the same deal, those lost below zero."),
    ),
    "duel": Definition(
        N_("Share of the first"),
        N_("What the first won of all that one of the two won; what a third won is not in it."),
    ),
    "ahead": Definition(
        N_("Who leads"),
        N_(
            "Share of hands of the first in which it counted, less that of the second, with "
            "Newcombe’s interval; nobody surely leads while zero lies in it."
        ),
    ),
    "streak": Definition(
        N_("Series"), N_("Matches won one after the other, in the order they were played.")
    ),
    # the ladder
    "rating": Definition(
        N_("Rating (μ)"),
        N_(
            "How well a player plays, by the Plackett–Luce model: everybody begins at 25, and each "
            "match moves it the more, the less it was expected to end as it did."
        ),
    ),
    "sigma": Definition(
        N_("Uncertainty (σ)"),
        N_("How unsure a rating is: 8.3 for a newcomer, less with every match that is rated."),
    ),
    "at-least": Definition(
        N_("At least (μ - 3σ)"),
        N_("As good as surely the player is worth that much or more: it orders the ladder."),
    ),
    "provisional": Definition(
        N_("Provisional"),
        N_("The uncertainty is still above 6.25: after some twenty matches it no longer is."),
    ),
}
"""Key → definition; the keys are part of addresses and stay."""


def about(key: str, t: Translate) -> str:
    """A definition as it is shown on hover, with the way to the page of terms."""
    return f"{t(DEFINITIONS[key].text)} [→](regles?def={key})"
