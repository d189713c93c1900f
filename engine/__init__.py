"""What a legal game is: cards, rules, one kernel per game, replay, match flow.

The engine knows no file, no database and no screen. Nothing above it knows a rule.
"""

RULES_VERSION = 2
"""Raised when a verdict can change for a log that did not: stored verdicts below it are old."""
