"""The faults of Belote (rule violations), as bits the kernel returns."""

from engine.faults import ERROR, IMPOSSIBLE, NOTE, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "BE-14", IMPOSSIBLE),
    ("wrong-turn", "BE-8", IMPOSSIBLE),
    ("card-not-held", "BE-4", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "BE-1", IMPOSSIBLE),
    ("card-in-auction", "BE-6", IMPOSSIBLE),
    ("must-follow", "BE-9", ERROR),
    ("must-beat", "BE-10", ERROR),
    ("must-ruff", "BE-11", ERROR),
    ("must-ruff-higher", "BE-11", ERROR),
    ("must-undertrump", "BE-12", ERROR),
    ("under-ruff", "BE-13", ERROR),
    # the auction: a faulty bid stands, except after a contre; a faulty contre has no effect
    ("wrong-auction", "BE-5", IMPOSSIBLE),
    ("take-suit", "BE-5", ERROR),
    ("bid-strain", "BE-23", ERROR),
    ("bid-too-low", "BE-6", ERROR),
    ("bid-too-high", "BE-6", ERROR),
    ("bid-after-contre", "BE-7", ERROR),
    ("auction-over", "BE-6", ERROR),
    ("contre-no-bid", "BE-7", ERROR),
    ("contre-side", "BE-7", ERROR),
    ("contre-again", "BE-7", ERROR),
    ("contre-turn", "BE-7", ERROR),
    ("surcontre-no-contre", "BE-7", ERROR),
    ("surcontre-side", "BE-7", ERROR),
    # words with a card: a faulty one counts nothing, or for the others
    ("announce-rules", "BE-16", ERROR),
    ("announce-time", "BE-16", ERROR),
    ("announcement-not-held", "BE-16", ERROR),
    ("announce-cards-again", "BE-16", ERROR),
    ("belote-turn", "BE-15", ERROR),
    ("belote-not-held", "BE-15", ERROR),
    ("belote-again", "BE-15", ERROR),
    ("belote-card", "BE-15", ERROR),
    ("rebelote-first", "BE-15", ERROR),
    # a renonce that ends a deal before it was played has no effect; one of a player who did not
    # revoke ends it as the table decided
    ("renonce-misplaced", "BE-25", ERROR),
    ("renonce-unfounded", "BE-25", ERROR),
    unless_before={
        "renonce-unfounded": (
            *("must-follow", "must-beat", "must-ruff"),
            *("must-ruff-higher", "must-undertrump", "under-ruff"),
        )
    },
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "BE-2", ERROR),
    ("deal-after-match", "BE-22", ERROR),
    ("points-differ", "BE-18", ERROR),
    ("winner-differs", "BE-18", ERROR),
    ("score-differs", "BE-22", ERROR),
    ("result-differs", "BE-22", ERROR),
    ("incomplete", "BE-14", ERROR),
    ("result-contradicts", "BE-22", ERROR),
    ("start-impossible", "BE-22", ERROR),
    ("times-count", "format", ERROR),
    ("times-order", "format", ERROR),
    # the deal as written: a replay needs 32 different cards
    ("deck-size", "BE-1", IMPOSSIBLE),
    ("deck-card", "BE-1", IMPOSSIBLE),
    ("duplicate-card", "BE-1", IMPOSSIBLE),
    ("deal-missing", "BE-4", IMPOSSIBLE),
    ("deal-seat", "BE-2", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "BE-18", ERROR),
    ("no-such-contract", "BE-6", ERROR),
    ("end-impossible", "BE-14", ERROR),
    ("score-line-ignored", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", ERROR),
    ("result-impossible", "BE-22", ERROR),
    ("result-open", "BE-22", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are the same in every game."""
