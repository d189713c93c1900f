"""The faults of Belote (rule violations), as bits the kernel returns."""

from engine.faults import IMPOSSIBLE, NOTE, NOTED, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "BE-14", IMPOSSIBLE),
    ("wrong-turn", "BE-8", IMPOSSIBLE),
    ("card-not-held", "BE-4", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "BE-1", IMPOSSIBLE),
    ("card-in-auction", "BE-6", IMPOSSIBLE),
    ("must-follow", "BE-9", NOTED),
    ("must-beat", "BE-10", NOTED),
    ("must-ruff", "BE-11", NOTED),
    ("must-ruff-higher", "BE-11", NOTED),
    ("under-ruff", "BE-13", NOTED),
    # the auction: a faulty bid stands, except after a contre; a faulty contre has no effect
    ("wrong-auction", "BE-5", IMPOSSIBLE),
    ("take-suit", "BE-5", NOTED),
    ("bid-strain", "BE-23", NOTED),
    ("bid-too-low", "BE-6", NOTED),
    ("bid-too-high", "BE-6", NOTED),
    ("bid-after-contre", "BE-7", NOTED),
    ("auction-over", "BE-6", NOTED),
    ("contre-no-bid", "BE-7", NOTED),
    ("contre-side", "BE-7", NOTED),
    ("contre-again", "BE-7", NOTED),
    ("contre-turn", "BE-7", NOTED),
    ("surcontre-no-contre", "BE-7", NOTED),
    ("surcontre-side", "BE-7", NOTED),
    # words with a card: a faulty one counts nothing, or for the others
    ("announce-rules", "BE-16", NOTED),
    ("announce-turn", "BE-16", NOTED),
    ("announcement-not-held", "BE-16", NOTED),
    ("announce-cards-again", "BE-16", NOTED),
    ("belote-turn", "BE-15", NOTED),
    ("belote-not-held", "BE-15", NOTED),
    ("belote-again", "BE-15", NOTED),
    ("belote-card", "BE-15", NOTED),
    ("rebelote-first", "BE-15", NOTED),
    # a renonce that ends a deal before it was played has no effect
    ("renonce-misplaced", "BE-25", NOTED),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "BE-2", NOTED),
    ("deal-after-match", "BE-22", NOTED),
    ("points-differ", "BE-18", NOTED),
    ("winner-differs", "BE-18", NOTED),
    ("score-differs", "BE-22", NOTED),
    ("result-differs", "BE-22", NOTED),
    ("incomplete", "BE-14", NOTED),
    ("result-contradicts", "BE-22", NOTED),
    ("start-impossible", "BE-22", NOTED),
    ("times-count", "format", NOTED),
    ("times-order", "format", NOTED),
    # the deal as written: a replay needs 32 different cards
    ("deck-size", "BE-1", IMPOSSIBLE),
    ("deck-card", "BE-1", IMPOSSIBLE),
    ("deck-twice", "BE-1", IMPOSSIBLE),
    ("deal-missing", "BE-4", IMPOSSIBLE),
    ("deal-seat", "BE-2", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "BE-18", NOTED),
    ("no-such-contract", "BE-6", NOTED),
    ("end-impossible", "BE-14", NOTED),
    ("score-line-beside", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", NOTED),
    ("result-impossible", "BE-22", NOTED),
    ("result-open", "BE-22", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are the same in every game."""
