"""The faults of Coinche (rule violations), as bits the kernel returns."""

from engine.faults import IMPOSSIBLE, NOTE, NOTED, WARNING, FaultTable

DEAL_FAULTS = FaultTable(
    # acts of play
    ("after-end", "CO-16", IMPOSSIBLE),
    ("wrong-turn", "CO-6", IMPOSSIBLE),
    ("card-not-held", "CO-1", IMPOSSIBLE),
    ("unknown-action", "format", IMPOSSIBLE),
    ("no-such-seat", "CO-1", IMPOSSIBLE),
    ("card-before-contract", "CO-4", IMPOSSIBLE),
    ("must-follow-trump", "CO-7", NOTED),
    ("must-follow-or-ruff", "CO-8", NOTED),
    ("under-ruff", "CO-8", NOTED),
    # the auction: a bid that is too low stands; any other faulty call has no effect
    ("bid-too-low", "CO-3", NOTED),
    ("auction-over", "CO-4", NOTED),
    ("coinche-no-bid", "CO-5", NOTED),
    ("coinche-side", "CO-5", NOTED),
    ("coinche-generale", "CO-5", NOTED),
    ("coinche-again", "CO-5", NOTED),
    ("coinche-late", "CO-5", NOTED),
    ("surcoinche-no-coinche", "CO-5", NOTED),
    ("surcoinche-side", "CO-5", NOTED),
    # a claim by a player who is not on lead has no effect
    ("claim-misplaced", "CO-9", NOTED),
)

MATCH_FAULTS = FaultTable(
    # across deals, and a score sheet that differs from the play
    ("wrong-dealer", "CO-16", NOTED),
    ("deal-after-match", "CO-14", NOTED),
    ("points-differ", "CO-12", NOTED),
    ("winner-differs", "CO-12", NOTED),
    ("score-differs", "CO-14", NOTED),
    ("result-differs", "CO-14", NOTED),
    ("incomplete", "CO-11", NOTED),
    ("result-contradicts", "CO-14", NOTED),
    ("start-impossible", "CO-14", NOTED),
    ("times-count", "format", NOTED),
    ("times-order", "format", NOTED),
    # the deal as written: a replay needs 36 different cards
    ("deck-size", "CO-1", IMPOSSIBLE),
    ("deck-card", "CO-1", IMPOSSIBLE),
    ("deck-twice", "CO-1", IMPOSSIBLE),
    ("deal-missing", "CO-1", IMPOSSIBLE),
    ("deal-seat", "CO-1", IMPOSSIBLE),
    # a line of a score sheet
    ("points-impossible", "CO-12", NOTED),
    ("contract-impossible", "CO-5", NOTED),
    ("end-impossible", "CO-11", NOTED),
    ("score-line-beside", "format", WARNING),
    ("score-sheet", "format", NOTE),
    # a match of which only the result is known
    ("result-sides", "format", NOTED),
    ("result-impossible", "CO-14", NOTED),
    ("result-open", "CO-14", NOTE),
    ("result-only", "format", NOTE),
    # open in a partly recorded deal; the finding names the rule that could not be checked
    ("not-checkable", "format", NOTE),
)
"""Faults of a match and of a deal as a whole; the first seven are the same in every game."""
