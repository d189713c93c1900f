"""Checks a match of which only the result is known: no deal proves it, but it must be possible."""

from engine.match import MAX_SCORE, NOBODY, best_sides
from ingest.findings.finding import ERROR
from ingest.reader.json_text import json_pointer
from ingest.validate.match_checks import MatchContext

RESULT_ONLY = "result-only"
"""The verdict of such a match if nothing is wrong with it, and the code of its note."""


def check_result_only(context: MatchContext) -> None:
    """Check the result against the players and the rules, and set the winner in the match record.

    The rules apply where the log names them: a club may play to another target than the default
    rules, and a log without rules does not name it.
    """
    match = context.match
    result = match.result
    assert result is not None
    sides, by_code = len(context.side_names), context.game.match_faults.by_code
    score, declared = result.score or [], "winner" in result.model_fields_set
    winner = NOBODY if result.winner is None else result.winner - 1
    is_open = False

    def add(code: str, key: str) -> None:
        found, what = getattr(result, key), [sides] if code == "result-sides" else score
        detail = {"where": ", ".join(map(str, what))}
        context.add_finding(by_code[code], json_pointer("result", key), found=found, detail=detail)

    fits_score = len(score) in (0, sides)
    fits_winner = not declared or NOBODY <= winner < sides
    if not fits_score:
        add("result-sides", "score")
    if not fits_winner:
        add("result-sides", "winner")
    if score and fits_score and fits_winner:
        possible, likely = _possible_winners(context, score)
        if not possible:
            add("result-impossible", "score")
        elif declared and winner not in possible:
            add("result-contradicts", "winner")
        elif not declared and len(likely) > 1:
            add("result-open", "score")
            is_open = True
        elif not declared:
            [winner] = likely
    if is_open or any(one.severity == ERROR for one in context.findings):
        return
    context.add_finding(by_code[RESULT_ONLY], "/result")
    context.match_record["over"], context.match_record["winner"] = 1, winner


def _possible_winners(context: MatchContext, score: list[int]) -> tuple[frozenset[int], frozenset[int]]:
    """Return who may have won with a score, and who has if the log names no winner."""
    if min(score) < 0 or max(score) > MAX_SCORE:
        return frozenset(), frozenset()
    possible = context.game.match.possible_winners(score, context.players, context.setup.rules)
    if context.match.rules is not None:
        return possible, possible
    best = best_sides(score)
    drawn = frozenset({NOBODY}) if len(best) > 1 else frozenset()
    return possible | best | drawn, possible if len(possible) == 1 else best
