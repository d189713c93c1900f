"""The faults of Coinche (rule violations), as bits the kernel returns."""

from engine.faults import ERROR, IMPOSSIBLE, NOTE, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "CO-16", IMPOSSIBLE),
    ("wrong-turn", "CO-6", IMPOSSIBLE),
    ("card-not-held", "CO-1", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "CO-1", IMPOSSIBLE),
    ("card-before-contract", "CO-4", IMPOSSIBLE),
    ("must-follow-trump", "CO-7", ERROR),
    ("must-follow-or-ruff", "CO-8", ERROR),
    ("under-ruff", "CO-8", ERROR),
    # the auction: a bid that is too low stands; any other faulty call has no effect
    ("bid-too-low", "CO-3", ERROR),
    ("auction-over", "CO-4", ERROR),
    ("coinche-no-bid", "CO-5", ERROR),
    ("coinche-side", "CO-5", ERROR),
    ("coinche-generale", "CO-5", ERROR),
    ("coinche-again", "CO-5", ERROR),
    ("coinche-late", "CO-5", ERROR),
    ("surcoinche-no-coinche", "CO-5", ERROR),
    ("surcoinche-side", "CO-5", ERROR),
    # a claim by a player who is not on lead has no effect
    ("claim-misplaced", "CO-9", ERROR),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "CO-16", ERROR),
    ("deal-after-match", "CO-14", ERROR),
    ("points-differ", "CO-12", ERROR),
    ("winner-differs", "CO-12", ERROR),
    ("score-differs", "CO-14", ERROR),
    ("result-differs", "CO-14", ERROR),
    ("incomplete", "CO-11", ERROR),
    ("result-contradicts", "CO-14", ERROR),
    ("start-impossible", "CO-14", ERROR),
    ("times-count", "format", ERROR),
    ("times-order", "format", ERROR),
    # the deal as written: a replay needs 36 different cards
    ("deck-size", "CO-1", IMPOSSIBLE),
    ("deck-card", "CO-1", IMPOSSIBLE),
    ("duplicate-card", "CO-1", IMPOSSIBLE),
    ("deal-missing", "CO-1", IMPOSSIBLE),
    ("deal-seat", "CO-1", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "CO-12", ERROR),
    ("contract-impossible", "CO-5", ERROR),
    ("end-impossible", "CO-11", ERROR),
    ("score-line-ignored", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", ERROR),
    ("result-impossible", "CO-14", ERROR),
    ("result-open", "CO-14", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are the same in every game."""
