"""The faults of Brelin; the kernel names them by these bits."""

from engine.faults import IMPOSSIBLE, NOTE, NOTED, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    ("after-end", "BR-5", IMPOSSIBLE),
    ("wrong-turn", "BR-3", IMPOSSIBLE),
    ("card-not-held", "BR-1", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "BR-1", IMPOSSIBLE),
    ("card-before-bid", "BR-2", IMPOSSIBLE),
    # against the rules, but it stood: a card is played all the same, a word counts nothing
    ("must-follow", "BR-3", NOTED),
    ("bid-again", "BR-2", NOTED),
    ("pair-not-held", "BR-4", NOTED),
    ("pair-again", "BR-4", NOTED),
)

MATCH_FAULTS = FaultTable(
    # across deals, and what the sheet says against what was played
    ("wrong-dealer", "BR-6", NOTED),
    ("deal-after-match", "BR-6", NOTED),
    ("points-differ", "BR-5", NOTED),
    ("winner-differs", "BR-5", NOTED),
    ("score-differs", "BR-6", NOTED),
    ("result-differs", "BR-6", NOTED),
    ("incomplete", "BR-5", NOTED),
    ("result-contradicts", "BR-6", NOTED),
    ("start-impossible", "BR-6", NOTED),
    ("times-count", "format", NOTED),
    ("times-order", "format", NOTED),
    # the deal as written: without 12 different cards there is nothing to replay
    ("deck-size", "BR-1", IMPOSSIBLE),
    ("deck-card", "BR-1", IMPOSSIBLE),
    ("deck-twice", "BR-1", IMPOSSIBLE),
    ("deal-missing", "BR-1", IMPOSSIBLE),
    ("deal-seat", "BR-1", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "BR-5", NOTED),
    ("end-impossible", "BR-6", NOTED),
    ("score-line-beside", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", NOTED),
    ("result-impossible", "BR-6", NOTED),
    ("result-open", "BR-6", NOTE),
    ("result-only", "format", NOTE),
    # what a deal told in part leaves open
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are those of every game."""
