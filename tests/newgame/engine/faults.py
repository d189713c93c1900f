"""The faults of Brelin, by the bits that the kernel sets."""

from engine.faults import ERROR, IMPOSSIBLE, NOTE, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    ("after-end", "BR-5", IMPOSSIBLE),
    ("wrong-turn", "BR-3", IMPOSSIBLE),
    ("card-not-held", "BR-1", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "BR-1", IMPOSSIBLE),
    ("card-before-bid", "BR-2", IMPOSSIBLE),
    # against the rules, but it stood: a card is played all the same, a word does not count
    ("must-follow", "BR-3", ERROR),
    ("bid-again", "BR-2", ERROR),
    ("pair-not-held", "BR-4", ERROR),
    ("pair-again", "BR-4", ERROR),
)

MATCH_FAULTS = FaultTable(
    # across deals, and what the sheet says against what was played
    ("wrong-dealer", "BR-6", ERROR),
    ("deal-after-match", "BR-6", ERROR),
    ("points-differ", "BR-5", ERROR),
    ("winner-differs", "BR-5", ERROR),
    ("score-differs", "BR-6", ERROR),
    ("result-differs", "BR-6", ERROR),
    ("incomplete", "BR-5", ERROR),
    ("result-contradicts", "BR-6", ERROR),
    ("start-impossible", "BR-6", ERROR),
    ("times-count", "format", ERROR),
    ("times-order", "format", ERROR),
    # the deal as written: without 12 different cards there is nothing to replay
    ("deck-size", "BR-1", IMPOSSIBLE),
    ("deck-card", "BR-1", IMPOSSIBLE),
    ("duplicate-card", "BR-1", IMPOSSIBLE),
    ("deal-missing", "BR-1", IMPOSSIBLE),
    ("deal-seat", "BR-1", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "BR-5", ERROR),
    ("end-impossible", "BR-6", ERROR),
    ("score-line-ignored", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", ERROR),
    ("result-impossible", "BR-6", ERROR),
    ("result-open", "BR-6", NOTE),
    ("result-only", "format", NOTE),
    # what a deal with unknown cards leaves open
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are those of every game."""
