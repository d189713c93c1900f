"""One word for one thing: what pages, terminal and documents call it, in both languages.

Pages show these beside the terms of their figures (`definitions.SHARED`), `docs/glossary.md` is
written from both, and a test keeps the catalogues from saying a thing otherwise (`never`). What one
game alone has stands in its module.
"""

from dashboard.text.definitions import Definition
from ingest.i18n import N_

GLOSSARY: dict[str, Definition] = {
    "match": Definition(
        N_("Match"),
        N_("Everything between the same players in one sitting: a log holds one match."),
        "CH-25",
        never=("match",),
    ),
    "event": Definition(
        N_("Event"),
        N_("The evening, the season or the tournament a match belongs to."),
        never=("manifestation", "évènement"),
    ),
    "player": Definition(
        N_("Player"), N_("Whoever sat at a table: one id in the logs is one player.")
    ),
    "seat": Definition(
        N_("Seat"), N_("Where a player sits: seats count from 1, in the order of play.")
    ),
    "team": Definition(N_("Team"), N_("Two partners whose points go together."), never=("camp",)),
    "manche": Definition(
        N_("Manche"),
        N_("A part of a match: a deal or several, until somebody has won it as the rules ask."),
        "CH-25",
    ),
    "deal": Definition(
        N_("Deal"),
        N_("Cards given once and played, in any game; who gives them is the dealer."),
        "CH-3",
    ),
    "void": Definition(
        N_("Void deal"),
        N_("A deal that does not count and is dealt again."),
        "CH-26",
        never=("nulle et non avenue",),
    ),
    "deck": Definition(N_("Deck"), N_("All the cards a game is played with, in no order.")),
    "pack": Definition(N_("Pack"), N_("The deck in the order in which it is dealt.")),
    "shuffling": Definition(
        N_("Shuffle"), N_("Putting the deck in an order nobody knows."), never=("battage",)
    ),
    "hand": Definition(N_("Hand"), N_("The cards a player holds.")),
    "trick": Definition(
        N_("Trick"),
        N_("One card from each player; the best of them takes all of them."),
        never=("levée",),
    ),
    "leading": Definition(
        N_("Lead"),
        N_("To play the first card of a trick: its suit is the one that is asked."),
        "CH-5",
    ),
    "trump-suit": Definition(N_("Trump"), N_("The suit that beats the others."), "CH-4"),
    "follow": Definition(N_("Follow"), N_("To play a card of the suit that is asked."), "CH-8"),
    "beat": Definition(
        N_("Beat"), N_("To play higher than the highest trump there, when trump is asked."), "CH-9"
    ),
    "ruff": Definition(
        N_("Ruff"), N_("To play a trump, having nothing of the suit that is asked."), "CH-10"
    ),
    "overruff": Definition(
        N_("Overruff"), N_("To ruff higher than whoever has ruffed before."), "CH-11"
    ),
    "revoke": Definition(
        N_("A revoke"), N_("A card against the duty to follow, to beat or to ruff."), "CH-8"
    ),
    "log": Definition(
        N_("Log"),
        N_("The text that tells a match: its players, its cards and every action, as JSON."),
        never=("journal", "journaux"),
    ),
    "action": Definition(
        N_("Action"),
        N_("One thing a player does: a card played or drawn, a word that is said."),
        never=("acte",),
    ),
    "preset": Definition(
        N_("Preset"),
        N_("A set of rules with a name; a log names one, and the options that differ from it."),
        never=("préréglage",),
    ),
    "declared": Definition(
        N_("The sheet"),
        N_("What a log declares beside the play: points, winners, the score."),
    ),
    "sheets": Definition(
        N_("Score sheet"),
        N_(
            "A deal of which nobody wrote down a card: its points and its winner are told, not "
            "proven. Results count it only when they are asked to, figures of cards never; where "
            "the store has the log of the same match, the log counts."
        ),
    ),
    "finding": Definition(
        N_("Finding"), N_("What a check has to say of one place of a log: a fault or less.")
    ),
    "fault": Definition(
        N_("Fault"), N_("A finding of something against the rules, or against the format.")
    ),
    "warning": Definition(
        N_("Warning"), N_("A finding that leaves a match legal, such as a key nobody knows.")
    ),
    "note": Definition(
        N_("Note"), N_("A finding of nothing wrong: it says what could not be checked.")
    ),
    "edit": Definition(
        N_("Edit"),
        N_("The smallest change of a log that explains a finding."),
        never_english=("mend",),
    ),
    "verdict": Definition(
        N_("Verdict"),
        N_("What a check makes of a match: one of the six words below, that of its worst deal."),
        never=("statut", "rafraîchi", "revalid"),
        never_english=("status", "gravity"),
    ),
    "legal": Definition(N_("Legal"), N_("Every action follows the rules, to the end.")),
    "unproven": Definition(
        N_("Unproven"),
        N_(
            "Nothing wrong was found, but not all could be checked: cards were not written down, "
            "or there is a score sheet alone."
        ),
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
    "store": Definition(N_("Store"), N_("The database file that holds the matches.")),
    "board": Definition(
        N_("Board"),
        N_("The green cloth on the screen, with the cards of a deal."),
        never=("table de relecture",),
    ),
    "replay": Definition(N_("Replay"), N_("Watching a deal again on the board, card by card.")),
    "points-lost": Definition(
        N_("Points lost"),
        N_(
            "How much the gap between the two sides changed with a card: its value with best play "
            "before the card’s turn, less the value after it. 20 lost may be 10 points fewer for "
            "oneself and 10 more for the others. Exact, and solved only where every way can be "
            "played to its end. Best play knows all hands, so a loss is what there was to find, "
            "not a reproach."
        ),
    ),
    "turning-point": Definition(
        N_("Turning point"),
        N_("The last action of a deal after which another would have won with best play."),
    ),
}
"""Key → definition, in the order of a newcomer's questions; keys are part of addresses and stay."""
HEADINGS = {
    "match": N_("What is played"),
    "deck": N_("Cards"),
    "log": N_("What is written, and what a check says of it"),
    "store": N_("The program"),
    "n": N_("Figures"),
}
"""The term a heading stands before, where all terms are listed."""
