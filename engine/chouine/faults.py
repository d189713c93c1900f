"""The faults of Chouine (rule violations), as bits the kernel returns."""

from engine.faults import IMPOSSIBLE, NOTE, NOTED, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "CH-23", IMPOSSIBLE),
    ("wrong-turn", "CH-5", IMPOSSIBLE),
    ("card-not-held", "CH-3", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "CH-5", IMPOSSIBLE),
    ("must-follow", "CH-8", NOTED),
    ("must-beat", "CH-9", NOTED),
    ("must-ruff", "CH-10", NOTED),
    ("must-overruff", "CH-11", NOTED),
    # the 7 of trump
    ("sept-not-held", "CH-13", IMPOSSIBLE),
    ("sept-again", "CH-13", IMPOSSIBLE),
    ("sept-gone", "CH-13", IMPOSSIBLE),
    ("sept-is-retourne", "CH-13", IMPOSSIBLE),
    ("sept-no-retourne", "CH-28", IMPOSSIBLE),
    ("sept-turn", "CH-13", NOTED),
    ("au-sept-missing", "CH-14", WARNING),
    ("au-sept-misplaced", "CH-14", WARNING),
    # announcements: a faulty one scores nothing
    ("announce-turn", "CH-15", NOTED),
    ("announce-not-held", "CH-15", NOTED),
    ("announce-card", "CH-16", NOTED),
    ("announce-kind", "CH-18", NOTED),
    ("announce-kind-3-4", "CH-19", NOTED),
    ("announce-again", "CH-20", NOTED),
    ("announce-one-per-play", "CH-21", NOTED),
    # draws
    ("draw-card", "CH-7", NOTED),
    ("draw-turn", "CH-7", NOTED),
    ("draw-missing", "CH-7", NOTED),
    ("draw-unexpected", "CH-7", NOTED),
    # irregularities recorded in the log
    ("irregularity-misplaced", "CH-27", NOTED),
    ("decision-missing", "CH-27", NOTED),
    ("decision-misplaced", "CH-27", NOTED),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "CH-25", NOTED),
    ("deal-after-match", "CH-25", NOTED),
    ("points-differ", "CH-23", NOTED),
    ("winner-differs", "CH-23", NOTED),
    ("manche-differs", "CH-25", NOTED),
    ("score-differs", "CH-25", NOTED),
    ("result-differs", "CH-25", NOTED),
    ("incomplete", "CH-23", NOTED),
    ("result-contradicts", "CH-25", NOTED),
    ("start-impossible", "CH-25", NOTED),
    ("times-count", "format", NOTED),
    ("times-order", "format", NOTED),
    # the cut
    ("cut-undecided", "CH-2", NOTED),
    ("cut-repeated", "CH-2", NOTED),
    ("cut-cards", "CH-2", NOTED),
    # the deal as written: a replay needs 32 different cards
    ("deck-size", "CH-3", IMPOSSIBLE),
    ("deck-card", "CH-1", IMPOSSIBLE),
    ("deck-twice", "CH-1", IMPOSSIBLE),
    ("deal-missing", "CH-3", IMPOSSIBLE),
    ("deal-seat", "CH-3", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "CH-23", NOTED),
    ("announcements-impossible", "CH-18", NOTED),
    ("end-impossible", "CH-23", NOTED),
    ("score-line-beside", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", NOTED),
    ("result-impossible", "CH-25", NOTED),
    ("result-open", "CH-25", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; kernels of other games share the first eight."""
