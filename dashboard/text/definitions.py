"""What terms of the pages mean, once: pages link to `regles?def=KEY`, and show it on hover.

A page of figures adds its terms here, under the section they are read in; words that are no figures
stand in `glossary.py`, those of one game in its module (`dashboard.games.definitions` has all).
"""

from typing import NamedTuple

from ingest.i18n import N_, Translate


class Definition(NamedTuple):
    """A term and what it means; `rule` where a rule says so, such as `CH-30`."""

    label: str
    text: str
    """Where it has `{games}`, what each game has to say of it stands there."""
    rule: str | None = None
    after: str = ""
    """The term it is listed after; empty: where it stands."""
    parts: tuple[str, ...] = ()
    """What the games have to say of it."""
    never: tuple[str, ...] = ()
    """What it is never called in French, the beginnings of words: a test looks for them."""
    never_english: tuple[str, ...] = ()

    def told(self, t: Translate) -> str:
        """What it means, in words."""
        said = ", ".join(t(part) for part in self.parts)
        return t(self.text, games=said) if "{games}" in self.text else t(self.text)


SHARED: dict[str, Definition] = {
    # figures
    "n": Definition(
        "n", N_("How many matches, deals or hands a figure rests on. Under 20 it says little.")
    ),
    "interval": Definition(
        N_("95% interval"),
        N_(
            "Where the true share lies, in 95 cases of 100, by Wilson’s method: "
            "with few deals it is wide, and two figures whose intervals overlap "
            "may well be equal."
        ),
    ),
    "left-out": Definition(
        N_("Left out"),
        N_("Deals a figure does not count, because they are not legal, void, or without a winner."),
        never=("de côté",),
    ),
    "share": Definition(N_("Share"), N_("Deals won, of all deals that somebody won.")),
    "won": Definition(
        N_("Won"),
        N_(
            "How many of the n were won: {games}; a drawn partie, won by nobody, "
            "is not among the n."
        ),
    ),
    "k": Definition(N_("Count"), N_("How many of the n it is true of; the share is of all n.")),
    "held": Definition(
        N_("Held"),
        N_("All cards of the announcement were in the hand on one of its player’s turns."),
        "CH-15",
    ),
    "announced": Definition(
        N_("Announced"),
        N_(
            "Said with a card, whether it counts or not. Hands are counted: one that says the same "
            "kind in two suits is one."
        ),
        "CH-15",
    ),
    "announcements-made": Definition(
        N_("Announcements made"),
        N_("How many were said: a hand that says the same kind in two suits has made two."),
        "CH-15",
    ),
    "trump": Definition(
        N_("Trump or plain"),
        N_(
            "Whether its suit is trump at the end of the deal: where play itself makes trump, what "
            "was said before is told by the suit that became it."
        ),
        "CH-28",
    ),
    "shown": Definition(
        N_("Shown"), N_("Its cards were shown; unshown it counts nothing."), "CH-17"
    ),
    "counted": Definition(
        N_("Counted"), N_("It brought its points, or trump, or the partie."), "CH-18"
    ),
    # announcements
    "frequency": Definition(
        N_("Frequency of an announcement"),
        N_(
            "Hands that have it, of all hands played: one player in one deal is one hand, and has "
            "it once however many suits it comes in."
        ),
        "CH-18",
    ),
    "phase": Definition(
        N_("Phase"),
        N_("Open while a card can still be drawn; closed from then on to the last trick."),
        "CH-8",
    ),
    "lead": Definition(
        N_("On lead or second"),
        N_("Whether the trick it was announced in was led by its player."),
        "CH-15",
    ),
    "missed": Definition(
        N_("Unannounced"),
        N_(
            "Held and never announced: the best announcement of its suit the "
            "player ever held, where none of that suit was said. Its share is of "
            "those announced and those not. A hand that has it so in two suits "
            "counts twice, and its deal is listed once."
        ),
        "CH-20",
        never=("manquée", "oubliée"),
        never_english=("missed",),
    ),
    "worth": Definition(
        N_("Points unannounced"),
        N_("What the unannounced ones would have counted, trump doubled; {games}."),
        "CH-18",
    ),
    "lost": Definition(N_("Partie lost"), N_("Unannounced ones of a player who lost the partie.")),
    "turned": Definition(
        N_("Would have won"),
        N_(
            "The player lost, and with these points would have had more than the winner, all else "
            "as it was played; {games}. Each is counted alone."
        ),
        "CH-23",
    ),
    "with": Definition(
        N_("Won with and without"),
        N_(
            "The share of hands won among those that have the announcement, and among those that "
            "do not. It is no proof that the announcement won: it comes with good cards."
        ),
    ),
    "newcombe": Definition(
        N_("95% interval of a difference"),
        N_(
            "Newcombe’s, from Wilson’s of both shares: where zero lies outside of it, chance alone "
            "would seldom give such a difference. Two hands of one deal are not independent, so it "
            "is approximate."
        ),
    ),
    "dealt": Definition(
        N_("Dealt"),
        N_(
            "Hands as the deal gave them, before anybody played or drew: of those whose cards are "
            "all known, how many have the announcement. Trump is the suit of the card turned up; "
            "where none is, there is no trump yet."
        ),
    ),
    "chance": Definition(
        N_("Probability"),
        N_(
            "In how many of all deals there are a hand has it, counted exactly: every hand, with "
            "every card that may be turned up. A fair shuffle comes to it whoever plays. Of twenty "
            "lines one lies outside of its interval by chance alone."
        ),
    ),
    "habits": Definition(
        N_("Simulated players"),
        N_(
            "The same frequency where all play by one habit, in simulated deals of the same "
            "preset: the habit that has the least, and the one that has the most. What is held "
            "later depends on the cards one keeps, so none of them is chance; who lies between "
            "plays like them, who lies outside plays otherwise, and neither is better for it."
        ),
    ),
    # shuffles
    "shuffle": Definition(
        N_("Fair shuffle"),
        N_("Every order of the pack is as likely as any other, whoever deals and whoever plays."),
    ),
    "p": Definition(
        "p",
        N_(
            "How often a fair shuffle would give packs at least as odd. By itself "
            "it falls under 0.01 once in a hundred tests."
        ),
    ),
    "holm": Definition(
        N_("p by Holm"),
        N_(
            "p corrected for how many tests are on the page, by Holm’s step-down method: the "
            "smallest is multiplied by their number, the next by one less, and so on. Under 0.01 "
            "it raises an alarm."
        ),
    ),
    "test-cards": Definition(
        N_("Cards by place"),
        N_(
            "Whether each card comes to each hand, to the retourne and to the rest as often as it "
            "should: χ², scaled for cards dealt without putting back."
        ),
    ),
    "test-points": Definition(
        N_("Points of the first hand"),
        N_("Whether the hand dealt first has the card points it should on average: z, two-sided."),
    ),
    "test-repeats": Definition(
        N_("Packs dealt before"),
        N_(
            "How many packs are the very same as an earlier one of the source. A "
            "fair shuffle never repeats itself; most often such a deal was stored "
            "twice in two matches."
        ),
    ),
    # one player
    "interval-mean": Definition(
        N_("95% interval of an average"),
        N_(
            "The average, plus and minus 1.96 times the sample’s deviation by the root of n: where "
            "the true average lies in 95 cases of 100."
        ),
    ),
    "interval-ratio": Definition(
        N_("95% interval of a ratio"),
        N_(
            "Of two sums over the same deals, one divided by the other: normal, from how far each "
            "deal strays from that ratio."
        ),
    ),
    "announced-per": Definition(
        N_("Announcements per partie"),
        N_("Announcements of a player that counted, on average in a deal that somebody won."),
        "CH-18",
    ),
    "bonus": Definition(
        N_("of which announcements"),
        N_("The part of the average points that announcements brought."),
        "CH-23",
    ),
    "points": Definition(
        N_("Average points"),
        N_(
            "Points of a deal that somebody won, on average: cards, announcements and the last "
            "trick; {games}. A deal nobody won is in none of these averages."
        ),
        "CH-23",
    ),
    "points-of-all": Definition(
        N_("Average points, of all deals"),
        N_("Points of the n on average; deals nobody won are among them."),
    ),
    "fair": Definition(
        N_("If all were alike"),
        N_(
            "The share of deals one would win if all played alike: one in two for "
            "two players or two teams, one in three for three players, and so on."
        ),
    ),
    "quarters": Definition(
        N_("Quarter · half · three quarters"),
        N_("A quarter, half and three quarters of the deals lie at or below these values."),
    ),
    "per-deal": Definition(
        N_("Per deal"), N_("Contracts this player bid last, of all deals the player sat at.")
    ),
    "luck": Definition(
        N_("Luck with the cards"),
        N_(
            "Points of the cards dealt and drawn, against what as many cards have "
            "on average: the pack’s mean times the cards. Fair deals stray from it "
            "with the variance nσ²(N - n)/(N - 1) a deal, of n cards out of N. "
            "Drawn parties count."
        ),
    ),
    "end-lost": Definition(
        N_("Points lost a deal"),
        N_(
            "In the end of a deal ({games}): what the gap between the two sides would have come to "
            "with best play before each of the player’s turns, minus after it. Exact, "
            "announcements with it, and never negative. The mean of the n deals in which the "
            "player laid a card there. Its interval begins at 0 at the least, and fewer than 10 "
            "deals have none. Where cards are bid: what the best one left would have given more."
        ),
    ),
    "end-perfect": Definition(
        N_("Played without a loss"),
        N_(
            "Deals in whose end the player lost nothing, of those with a choice: there was a "
            "turn with more than one card to lay, or something was lost all the same."
        ),
    ),
    "end-turned": Definition(
        N_("The winner turned"),
        N_(
            "Deals among the n in whose end some action, by whoever, made another the winner with "
            "best play than before it."
        ),
    ),
    "unreckoned": Definition(
        N_("Not yet reckoned"),
        N_(
            "Deals that were not looked at since they were stored. `retourne serve` does it by "
            "itself, and `retourne revalidate --values`; they count in none of these figures."
        ),
    ),
    "sigmas": Definition(
        N_("In deviations"),
        N_(
            "The difference by the deviation fair deals have: between −1.96 and 1.96 for 95 "
            "players of 100 whom nobody favours."
        ),
    ),
    "apart": Definition(
        N_("Luck apart from play"),
        N_(
            "A deal’s mean. First what chance alone gives: the hand dealt, before anybody has "
            "played, with its announcements, of each suit the one worth most; then with the cards "
            "drawn. The hands are those of the last 100,000 deals whose cards are all known. "
            "Below it what was made, and what was lost in the end of the deal, each of all deals "
            "it is known of."
        ),
    ),
    "apart-expected": Definition(
        N_("Exact mean"),
        N_(
            "What fair deals give on average under the rules of each deal, counted over every hand "
            "there is with every card turned up; nobody’s play is in it. Of what was made there is "
            "none: that depends on the players."
        ),
    ),
    "apart-interval": Definition(
        N_("95% interval of it"),
        N_(
            "Of what chance gives, from how much fair deals stray; of what was made and lost, from "
            "how much these deals do. Where the exact mean lies outside, chance was kinder or "
            "harder than in 95 of 100 such series."
        ),
    ),
    "trend": Definition(
        N_("Over time"),
        N_("After each day of play, the last 50 deals up to then; deals without a date are out."),
    ),
    "record": Definition(
        N_("Record"),
        N_(
            "The highest, set first. A margin is over the best of the others; a "
            "series goes on over a drawn partie and ends with a deal lost."
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
    "order": Definition(
        N_("Order of play"),
        N_(
            "By date and time. Matches of the same date stand in the order they were added to the "
            "store; those without a date come last in lists, and after all others in a series. The "
            "ladder rates those of the same date in the order of their ids: the same matches "
            "always give the same ratings, however they came in."
        ),
    ),
    # the ladder
    "rank": Definition(
        N_("Rank"), N_("The place on the whole ladder, by μ − 3σ; equals share one.")
    ),
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
        N_("At least (μ − 3σ)"),
        N_("As good as surely the player is worth that much or more: it orders the ladder."),
    ),
    "rated": Definition(
        N_("Matches rated"),
        N_(
            "Legal, finished and dated matches on this ladder, and how many of them were won. One "
            "nobody won is rated as a draw of those with most points. A filter chooses the "
            "matches counted and the players listed, never a rank or a rating."
        ),
    ),
    "rated-share": Definition(
        N_("Share of matches won"),
        N_("Matches won, of all that are rated; a match nobody won is among them."),
    ),
    "form": Definition(
        N_("Form"),
        N_(
            "The last five finished matches that have a date, the latest last: W for won, L for "
            "lost, D for drawn. Only legal ones count, and others where they are asked for; in "
            "lists the result of a match that is not legal stands in brackets."
        ),
    ),
    "provisional": Definition(
        N_("Provisional"),
        N_("The uncertainty is still above 6.25: after some twenty matches it no longer is."),
    ),
}
"""Key → definition, without those of one game; the keys are part of addresses and stay."""
