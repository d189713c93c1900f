"""What terms of the pages mean, once: pages link to `regles?def=KEY`, and show it on hover.

A page of figures adds its terms to `SHARED`, under the section they are read in; words that are no
figures stand in `GLOSSARY`, those of one game in its module (`dashboard.games.definitions` has
all). `docs/glossary.md` is written from them, and a test keeps the catalogues from saying a thing
otherwise (`never`). The texts of a `Definition` need no mark to be translated.
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
        "n", "How many matches, deals or hands a figure rests on. Under 20 it says little."
    ),
    "interval": Definition(
        "95% interval",
        "Where the true share lies, in 95 cases of 100, by Wilson’s method: with few deals it is "
        "wide, and two figures whose intervals overlap may well be equal.",
    ),
    "left-out": Definition(
        "Left out",
        "Deals a figure does not count, because they are not legal, void, or without a winner.",
        never=("de côté",),
    ),
    "share": Definition("Share", "Deals won, of all deals that somebody won."),
    "won": Definition(
        "Won",
        "How many of the n were won: {games}; a drawn partie, won by nobody, is not among the n.",
    ),
    "k": Definition("Count", "How many of the n it is true of; the share is of all n."),
    "held": Definition(
        "Held",
        "All cards of the announcement were in the hand on one of its player’s turns.",
        "CH-15",
    ),
    "announced": Definition(
        "Announced",
        "Said with a card, whether it counts or not. Hands are counted: one that says the same "
        "kind in two suits is one.",
        "CH-15",
    ),
    "announcements-made": Definition(
        "Announcements made",
        "How many were said: a hand that says the same kind in two suits has made two.",
        "CH-15",
    ),
    "trump": Definition(
        "Trump or plain",
        "Whether its suit is trump at the end of the deal: where play itself makes trump, what "
        "was said before is told by the suit that became it.",
        "CH-28",
    ),
    "shown": Definition("Shown", "Its cards were shown; unshown it counts nothing.", "CH-17"),
    "counted": Definition("Counted", "It brought its points, or trump, or the partie.", "CH-18"),
    # announcements
    "frequency": Definition(
        "Frequency of an announcement",
        "Hands that have it, of all hands played: one player in one deal is one hand, and has it "
        "once however many suits it comes in.",
        "CH-18",
    ),
    "phase": Definition(
        "Phase",
        "Open while a card can still be drawn; closed from then on to the last trick.",
        "CH-8",
    ),
    "lead": Definition(
        "On lead or second", "Whether the trick it was announced in was led by its player.", "CH-15"
    ),
    "missed": Definition(
        "Unannounced",
        "Held and never announced: the best announcement of its suit the player ever held, where "
        "none of that suit was said. Its share is of those announced and those not. A hand that "
        "has it so in two suits counts twice, and its deal is listed once.",
        "CH-20",
        never=("manquée", "oubliée"),
        never_english=("missed",),
    ),
    "worth": Definition(
        "Points unannounced",
        "What the unannounced ones would have counted, trump doubled; {games}.",
        "CH-18",
    ),
    "lost": Definition("Partie lost", "Unannounced ones of a player who lost the partie."),
    "turned": Definition(
        "Would have won",
        "The player lost, and with these points would have had more than the winner, all else as "
        "it was played; {games}. Each is counted alone.",
        "CH-23",
    ),
    "with": Definition(
        "Won with and without",
        "The share of hands won among those that have the announcement, and among those that do "
        "not. It is no proof that the announcement won: it comes with good cards.",
    ),
    "newcombe": Definition(
        "95% interval of a difference",
        "Newcombe’s, from Wilson’s of both shares: where zero lies outside of it, chance alone "
        "would seldom give such a difference. Two hands of one deal are not independent, so it is "
        "approximate.",
    ),
    "dealt": Definition(
        "Dealt",
        "Hands as the deal gave them, before anybody played or drew: of those whose cards are all "
        "known, how many have the announcement. Trump is the suit of the card turned up; where "
        "none is, there is no trump yet.",
    ),
    "chance": Definition(
        "Probability",
        "In how many of all deals there are a hand has it, counted exactly: every hand, with "
        "every card that may be turned up. A fair shuffle comes to it whoever plays. Of twenty "
        "lines one lies outside of its interval by chance alone.",
    ),
    "habits": Definition(
        "Simulated players",
        "The same frequency where all play by one habit, in simulated deals of the same preset: "
        "the habit that has the least, and the one that has the most. What is held later depends "
        "on the cards one keeps, so none of them is chance; who lies between plays like them, who "
        "lies outside plays otherwise, and neither is better for it.",
    ),
    # shuffles
    "shuffle": Definition(
        "Fair shuffle",
        "Every order of the pack is as likely as any other, whoever deals and whoever plays.",
    ),
    "p": Definition(
        "p",
        "How often a fair shuffle would give packs at least as odd. By itself it falls under 0.01 "
        "once in a hundred tests.",
    ),
    "holm": Definition(
        "p by Holm",
        "p corrected for how many tests are on the page, by Holm’s step-down method: the smallest "
        "is multiplied by their number, the next by one less, and so on. Under 0.01 it raises an "
        "alarm.",
    ),
    "test-cards": Definition(
        "Cards by place",
        "Whether each card comes to each hand, to the retourne and to the rest as often as it "
        "should: χ², scaled for cards dealt without putting back.",
    ),
    "test-points": Definition(
        "Points of the first hand",
        "Whether the hand dealt first has the card points it should on average: z, two-sided.",
    ),
    "test-repeats": Definition(
        "Packs dealt before",
        "How many packs are the very same as an earlier one of the source. A fair shuffle never "
        "repeats itself; most often such a deal was stored twice in two matches.",
    ),
    # one player
    "interval-mean": Definition(
        "95% interval of an average",
        "The average, plus and minus 1.96 times the sample’s deviation by the root of n: where "
        "the true average lies in 95 cases of 100.",
    ),
    "interval-ratio": Definition(
        "95% interval of a ratio",
        "Of two sums over the same deals, one divided by the other: normal, from how far each "
        "deal strays from that ratio.",
    ),
    "announced-per": Definition(
        "Announcements per partie",
        "Announcements of a player that counted, on average in a deal that somebody won.",
        "CH-18",
    ),
    "bonus": Definition(
        "of which announcements",
        "The part of the average points that announcements brought.",
        "CH-23",
    ),
    "points": Definition(
        "Average points",
        "Points of a deal that somebody won, on average: cards, announcements and the last trick; "
        "{games}. A deal nobody won is in none of these averages.",
        "CH-23",
    ),
    "points-of-all": Definition(
        "Average points, of all deals",
        "Points of the n on average; deals nobody won are among them.",
    ),
    "fair": Definition(
        "If all were alike",
        "The share of deals one would win if all played alike: one in two for two players or two "
        "teams, one in three for three players, and so on.",
    ),
    "quarters": Definition(
        "Quarter · half · three quarters",
        "A quarter, half and three quarters of the deals lie at or below these values.",
    ),
    "per-deal": Definition(
        "Per deal", "Contracts this player bid last, of all deals the player sat at."
    ),
    "luck": Definition(
        "Luck with the cards",
        "Points of the cards dealt and drawn, against what as many cards have on average: the "
        "pack’s mean times the cards. Fair deals stray from it with the variance nσ²(N - n)/(N - "
        "1) a deal, of n cards out of N. Drawn parties count.",
    ),
    "end-lost": Definition(
        "Points lost a deal",
        "In the end of a deal ({games}): what the gap between the two sides would have come to "
        "with best play before each of the player’s turns, minus after it. Exact, announcements "
        "with it, and never negative. The mean of the n deals in which the player laid a card "
        "there. Its interval begins at 0 at the least, and fewer than 10 deals have none. Where "
        "cards are bid: what the best one left would have given more.",
    ),
    "end-perfect": Definition(
        "Played without a loss",
        "Deals in whose end the player lost nothing, of those with a choice: there was a turn "
        "with more than one card to lay, or something was lost all the same.",
    ),
    "end-turned": Definition(
        "The winner turned",
        "Deals among the n in whose end some action, by whoever, made another the winner with "
        "best play than before it.",
    ),
    "unreckoned": Definition(
        "Not yet reckoned",
        "Deals that were not looked at since they were stored. `retourne serve` does it by "
        "itself, and `retourne revalidate --values`; they count in none of these figures.",
    ),
    "sigmas": Definition(
        "In deviations",
        "The difference by the deviation fair deals have: between −1.96 and 1.96 for 95 players "
        "of 100 whom nobody favours.",
    ),
    "apart": Definition(
        "Luck apart from play",
        "A deal’s mean. First what chance alone gives: the hand dealt, before anybody has played, "
        "with its announcements, of each suit the one worth most; then with the cards drawn. The "
        "hands are those of the last 100,000 deals whose cards are all known. Below it what was "
        "made, and what was lost in the end of the deal, each of all deals it is known of.",
    ),
    "apart-expected": Definition(
        "Exact mean",
        "What fair deals give on average under the rules of each deal, counted over every hand "
        "there is with every card turned up; nobody’s play is in it. Of what was made there is "
        "none: that depends on the players.",
    ),
    "apart-interval": Definition(
        "95% interval of it",
        "Of what chance gives, from how much fair deals stray; of what was made and lost, from "
        "how much these deals do. Where the exact mean lies outside, chance was kinder or harder "
        "than in 95 of 100 such series.",
    ),
    "trend": Definition(
        "Over time",
        "After each day of play, the last 50 deals up to then; deals without a date are out.",
    ),
    "record": Definition(
        "Record",
        "The highest, set first. A margin is over the best of the others; a series goes on over a "
        "drawn partie and ends with a deal lost.",
    ),
    "margin": Definition(
        "Margin",
        "Points of one side less those of the other in the same deal, those lost below zero.",
    ),
    "duel": Definition(
        "Share of the first",
        "What the first won of all that one of the two won; what a third won is not in it.",
    ),
    "ahead": Definition(
        "Who leads",
        "Share of hands of the first in which it counted, less that of the second, with "
        "Newcombe’s interval; nobody surely leads while zero lies in it.",
    ),
    "streak": Definition(
        "Series", "Matches won one after the other, in the order they were played."
    ),
    "order": Definition(
        "Order of play",
        "By date and time. Matches of the same date stand in the order they were added to the "
        "store; those without a date come last in lists, and after all others in a series. The "
        "ladder rates those of the same date in the order of their ids: the same matches always "
        "give the same ratings, however they came in.",
    ),
    # the ladder
    "rank": Definition("Rank", "The place on the whole ladder, by μ − 3σ; equals share one."),
    "rating": Definition(
        "Rating (μ)",
        "How well a player plays, by the Plackett–Luce model: everybody begins at 25, and each "
        "match moves it the more, the less it was expected to end as it did.",
    ),
    "sigma": Definition(
        "Uncertainty (σ)",
        "How unsure a rating is: 8.3 for a newcomer, less with every match that is rated.",
    ),
    "at-least": Definition(
        "At least (μ − 3σ)",
        "As good as surely the player is worth that much or more: it orders the ladder.",
    ),
    "rated": Definition(
        "Matches rated",
        "Legal, finished and dated matches on this ladder, and how many of them were won. One "
        "nobody won is rated as a draw of those with most points. A filter chooses the matches "
        "counted and the players listed, never a rank or a rating.",
    ),
    "rated-share": Definition(
        "Share of matches won",
        "Matches won, of all that are rated; a match nobody won is among them.",
    ),
    "form": Definition(
        "Form",
        "The last five finished matches that have a date, the latest last: W for won, L for lost, "
        "D for drawn. Only legal ones count, and others where they are asked for; in lists the "
        "result of a match that is not legal stands in brackets.",
    ),
    "provisional": Definition(
        "Provisional",
        "The uncertainty is still above 6.25: after some twenty matches it no longer is.",
    ),
}
"""Key → definition, without those of one game; the keys are part of addresses and stay."""

GLOSSARY: dict[str, Definition] = {
    "match": Definition(
        "Match",
        "Everything between the same players in one sitting: a log holds one match.",
        "CH-25",
        never=("match",),
    ),
    "event": Definition(
        "Event",
        "The evening, the season or the tournament a match belongs to.",
        never=("manifestation", "évènement"),
    ),
    "player": Definition("Player", "Whoever sat at a table: one id in the logs is one player."),
    "seat": Definition("Seat", "Where a player sits: seats count from 1, in the order of play."),
    "team": Definition("Team", "Two partners whose points go together.", never=("camp",)),
    "manche": Definition(
        "Manche",
        "A part of a match: a deal or several, until somebody has won it as the rules ask.",
        "CH-25",
    ),
    "deal": Definition(
        "Deal", "Cards given once and played, in any game; who gives them is the dealer.", "CH-3"
    ),
    "void": Definition(
        "Void deal",
        "A deal that does not count and is dealt again.",
        "CH-26",
        never=("nulle et non avenue",),
    ),
    "deck": Definition("Deck", "All the cards a game is played with, in no order."),
    "pack": Definition("Pack", "The deck in the order in which it is dealt."),
    "shuffling": Definition(
        "Shuffle", "Putting the deck in an order nobody knows.", never=("battage",)
    ),
    "hand": Definition("Hand", "The cards a player holds."),
    "trick": Definition(
        "Trick", "One card from each player; the best of them takes all of them.", never=("levée",)
    ),
    "leading": Definition(
        "Lead", "To play the first card of a trick: its suit is the one that is asked.", "CH-5"
    ),
    "trump-suit": Definition("Trump", "The suit that beats the others.", "CH-4"),
    "follow": Definition("Follow", "To play a card of the suit that is asked.", "CH-8"),
    "beat": Definition(
        "Beat", "To play higher than the highest trump there, when trump is asked.", "CH-9"
    ),
    "ruff": Definition(
        "Ruff", "To play a trump, having nothing of the suit that is asked.", "CH-10"
    ),
    "overruff": Definition("Overruff", "To ruff higher than whoever has ruffed before.", "CH-11"),
    "revoke": Definition(
        "A revoke", "A card against the duty to follow, to beat or to ruff.", "CH-8"
    ),
    "log": Definition(
        "Log",
        "The text that tells a match: its players, its cards and every action, as JSON.",
        never=("journal", "journaux"),
    ),
    "action": Definition(
        "Action",
        "One thing a player does: a card played or drawn, a word that is said.",
        never=("acte",),
    ),
    "preset": Definition(
        "Preset",
        "A set of rules with a name; a log names one, and the options that differ from it.",
        never=("préréglage",),
    ),
    "declared": Definition(
        "The sheet", "What a log declares beside the play: points, winners, the score."
    ),
    "sheets": Definition(
        "Score sheet",
        "A deal of which nobody wrote down a card: its points and its winner are told, not "
        "proven. Results count it only when they are asked to, figures of cards never; where the "
        "store has the log of the same match, the log counts.",
    ),
    "finding": Definition(
        "Finding", "What a check has to say of one place of a log: a fault or less."
    ),
    "fault": Definition(
        "Fault", "A finding of something against the rules, or against the format."
    ),
    "warning": Definition(
        "Warning", "A finding that leaves a match legal, such as a key nobody knows."
    ),
    "note": Definition("Note", "A finding of nothing wrong: it says what could not be checked."),
    "edit": Definition(
        "Edit", "The smallest change of a log that explains a finding.", never_english=("mend",)
    ),
    "verdict": Definition(
        "Verdict",
        "What a check makes of a match: one of the six words below, that of its worst deal.",
        never=("statut", "rafraîchi", "revalid"),
        never_english=("status", "gravity"),
    ),
    "legal": Definition("Legal", "Every action follows the rules, to the end."),
    "unproven": Definition(
        "Unproven",
        "Nothing wrong was found, but not all could be checked: cards were not written down, or "
        "there is a score sheet alone.",
    ),
    "irregular": Definition(
        "Irregular",
        "Something against the rules happened and stood; the game went on and is replayed.",
    ),
    "incomplete": Definition("Incomplete", "A deal stops before its end without a reason."),
    "broken": Definition(
        "Broken",
        "Something that cannot have happened, such as a card played twice: it stops there.",
    ),
    "unreadable": Definition("Unreadable", "The text is no match at all."),
    "store": Definition("Store", "The database file that holds the matches."),
    "board": Definition(
        "Board",
        "The green cloth on the screen, with the cards of a deal.",
        never=("table de relecture",),
    ),
    "replay": Definition("Replay", "Watching a deal again on the board, card by card."),
    "points-lost": Definition(
        "Points lost",
        "How much the gap between the two sides changed with a card: its value with best play "
        "before the card’s turn, less the value after it. 20 lost may be 10 points fewer for "
        "oneself and 10 more for the others. Exact, and solved only where every way can be played "
        "to its end. Best play knows all hands, so a loss is what there was to find, not a "
        "reproach.",
    ),
    "turning-point": Definition(
        "Turning point",
        "The last action of a deal after which another would have won with best play.",
    ),
}
"""What pages, terminal and documents call a thing, in the order of a newcomer's questions."""
HEADINGS = {
    "match": N_("What is played"),
    "deck": N_("Cards"),
    "log": N_("What is written, and what a check says of it"),
    "store": N_("The program"),
    "n": N_("Figures"),
}
"""The term a heading stands before, where all terms are listed."""
