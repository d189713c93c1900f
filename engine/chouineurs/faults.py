"""The faults of Chouineurs (rule violations), as bits the kernel returns."""

from engine.faults import ERROR, IMPOSSIBLE, NOTE, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "CR-1", IMPOSSIBLE),
    ("wrong-turn", "CR-3", IMPOSSIBLE),
    ("card-not-held", "CR-1", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "CR-1", IMPOSSIBLE),
    ("must-follow", "CR-3", ERROR),
    ("wrong-side", "CR-6", ERROR),
    # the chouineurs' bonus
    ("bonus-missing", "CR-5", ERROR),
    ("turn-not-allowed", "CR-6", ERROR),
    ("point-not-allowed", "CR-5", ERROR),
    ("reserve-empty", "CR-5", IMPOSSIBLE),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-leader", "CR-8", ERROR),
    ("deal-after-match", "CR-1", ERROR),
    ("points-differ", "CR-7", ERROR),
    ("winner-differs", "CR-7", ERROR),
    ("score-differs", "CR-9", ERROR),
    ("result-differs", "CR-9", ERROR),
    ("incomplete", "CR-1", ERROR),
    ("bid-already-used", "CR-7", ERROR),
    ("result-contradicts", "CR-9", ERROR),
    ("start-impossible", "CR-9", ERROR),
    ("times-count", "format", ERROR),
    ("times-order", "format", ERROR),
    # the deck and the bid cards of the match, needed to read any deal
    ("deck-unknown", "CR-1", IMPOSSIBLE),  # no deck, or an unknown name
    ("deck-size", "CR-1", IMPOSSIBLE),
    ("card-syntax", "CR-1", IMPOSSIBLE),
    ("duplicate-face", "CR-1", IMPOSSIBLE),
    ("bid-cards", "CR-2", IMPOSSIBLE),
    # the deal as written
    ("deal-seat", "CR-8", IMPOSSIBLE),
    ("hand-size", "CR-1", IMPOSSIBLE),
    ("hand-card", "CR-1", IMPOSSIBLE),
    ("duplicate-hand-card", "CR-1", IMPOSSIBLE),
    ("bid-count", "CR-2", IMPOSSIBLE),
    ("bid-unknown", "CR-2", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "CR-7", ERROR),
    ("reserve-impossible", "CR-5", ERROR),
    ("end-impossible", "CR-1", ERROR),
    ("score-line-ignored", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", ERROR),
    ("result-impossible", "CR-9", ERROR),
    ("result-open", "CR-9", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are the same in every game."""
