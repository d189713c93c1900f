"""The faults of Chouine (rule violations), as bits the kernel returns."""

from engine.faults import ERROR, IMPOSSIBLE, NOTE, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "CH-23", IMPOSSIBLE),
    ("wrong-turn", "CH-5", IMPOSSIBLE),
    ("card-not-held", "CH-3", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "CH-5", IMPOSSIBLE),
    ("must-follow", "CH-8", ERROR),
    ("must-beat", "CH-9", ERROR),
    ("must-ruff", "CH-10", ERROR),
    ("must-overruff", "CH-11", ERROR),
    # the 7 of trump
    ("sept-not-held", "CH-13", IMPOSSIBLE),
    ("sept-again", "CH-13", IMPOSSIBLE),
    ("sept-late", "CH-13", IMPOSSIBLE),
    ("sept-is-retourne", "CH-13", IMPOSSIBLE),
    ("sept-no-retourne", "CH-28", IMPOSSIBLE),
    ("sept-turn", "CH-13", ERROR),
    ("au-sept-missing", "CH-14", WARNING),
    ("au-sept-misplaced", "CH-14", WARNING),
    # announcements: a faulty one scores nothing
    ("announce-turn", "CH-15", ERROR),
    ("announce-not-held", "CH-15", ERROR),
    ("announce-card", "CH-16", ERROR),
    ("announce-kind", "CH-18", ERROR),
    ("announce-kind-3-4", "CH-19", ERROR),
    ("announce-again", "CH-20", ERROR),
    ("announce-one-per-play", "CH-21", ERROR),
    # draws
    ("draw-card", "CH-7", ERROR),
    ("draw-turn", "CH-7", ERROR),
    ("draw-missing", "CH-7", ERROR),
    ("draw-unexpected", "CH-7", ERROR),
    # irregularities recorded in the log
    ("irregularity-misplaced", "CH-27", ERROR),
    ("decision-missing", "CH-27", ERROR),
    ("decision-misplaced", "CH-27", ERROR),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "CH-25", ERROR),
    ("deal-after-match", "CH-25", ERROR),
    ("points-differ", "CH-23", ERROR),
    ("winner-differs", "CH-23", ERROR),
    ("manche-differs", "CH-25", ERROR),
    ("score-differs", "CH-25", ERROR),
    ("result-differs", "CH-25", ERROR),
    ("incomplete", "CH-23", ERROR),
    ("result-contradicts", "CH-25", ERROR),
    ("start-impossible", "CH-25", ERROR),
    ("times-count", "format", ERROR),
    ("times-order", "format", ERROR),
    # the cut
    ("cut-undecided", "CH-2", ERROR),
    ("cut-repeated", "CH-2", ERROR),
    ("cut-cards", "CH-2", ERROR),
    # the deal as written: a replay needs 32 different cards
    ("deck-size", "CH-3", IMPOSSIBLE),
    ("deck-card", "CH-1", IMPOSSIBLE),
    ("duplicate-card", "CH-1", IMPOSSIBLE),
    ("deal-missing", "CH-3", IMPOSSIBLE),
    ("deal-seat", "CH-3", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "CH-23", ERROR),
    ("announcements-impossible", "CH-18", ERROR),
    ("end-impossible", "CH-23", ERROR),
    ("score-line-ignored", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", ERROR),
    ("result-impossible", "CH-25", ERROR),
    ("result-open", "CH-25", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; kernels of other games share the first eight."""
