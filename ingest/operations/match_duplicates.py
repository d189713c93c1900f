"""Operations on matches that may be one: propose, answer and undo."""

from typing import Any

from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.operations.matches import SEVERAL_MATCHES, UNKNOWN_MATCH
from ingest.store import match_joins
from ingest.store.likely_duplicate_matches import likely_matches
from ingest.store.match_comparison import Relation
from ingest.store.match_parts import may_be_one, proposed_matches
from ingest.store.raw_texts import MAX_MATCHES, find_matches

SAME_MATCH = N_("{id} is that match already.")
WITH_CARDS = N_(
    "Both were written down with cards, and have no deal in common, or one begins with the other and "
    "the players are the same: whether they are one match is known, not answered."
)
NO_ANSWER = N_("No answer about matches can be undone.")
UNKNOWN_ANSWER = N_("No answer {n} about matches to undo.")


def match_duplicates(work: OperationContext) -> OperationResult:
    """Propose matches that may be one: the same players, day and result or first deals, or shared deals."""
    cursor = work.store.cursor()
    pairs = [(one.match_no, one.other_no, Relation.SAME_RESULT) for one in likely_matches(cursor)]
    shared = proposed_matches(cursor)
    pairs += [(one.match_no, other.match_no, relation) for relation, one, other in shared]
    return {
        "pairs": [
            _shown(work, number)
            | {f"other_{name}": value for name, value in _shown(work, other).items()}
            | {"relation": str(relation)}
            for number, other, relation in pairs
        ]
    }


def match_same(work: OperationContext, match: str, other: str) -> OperationResult:
    """Make another match an earlier version of a match: they are one, which counts once."""
    (_, remains), (number, joined) = _two(work, match, other)
    return {"change": match_joins.join_matches(work.store, number, joined, remains), "match_id": remains}


def match_different(work: OperationContext, match: str, other: str) -> OperationResult:
    """Remember that two matches are two, so that they are not proposed again."""
    (_, one), (_, second) = _two(work, match, other)
    return {"change": match_joins.declare_different(work.store, one, second), "match_id": one}


def match_undo(work: OperationContext, change: int | None = None) -> OperationResult:
    """Undo an answer about matches: the last one, or the one with a number."""
    known = match_joins.list_answers(work.store.cursor())
    if not known:
        raise NotFound(NO_ANSWER)
    chosen = [one for one in known if change in (None, one.change)]
    if not chosen:
        raise NotFound(UNKNOWN_ANSWER, n=change)
    match_joins.undo_answer(work.store, chosen[0])
    return {"matches": [chosen[0].match_id, chosen[0].other_id]}


def match_changes(work: OperationContext) -> OperationResult:
    """List the answers about matches that can be undone, newest first."""
    return {
        "changes": [
            {
                "change": one.change,
                "changed_at": one.at.isoformat(),
                "answer": one.answer,
                "matches": [one.match_id, one.other_id],
            }
            for one in match_joins.list_answers(work.store.cursor())
        ]
    }


def _two(work: OperationContext, *names: str) -> list[tuple[int, str]]:
    """Return numbers and ids of two matches.

    NotFound, OperationRefused: one is none, or both have cards and their relation is known.
    """
    found, have_cards = list[tuple[int, str]](), True
    for name in names:
        known = find_matches(work.store.cursor(), name, MAX_MATCHES, include_masked=True)
        if not known:
            raise NotFound(UNKNOWN_MATCH, id=name)
        if len(known) > 1:
            ids = ", ".join(match_id for _, match_id in known)
            raise OperationRefused(SEVERAL_MATCHES, id=name, n=len(known), matches=ids)
        query = "SELECT is_score_sheet OR result_only FROM matches WHERE match_no = ?"
        have_cards &= work.store.cursor().execute(query, [known[0][0]]).fetchone() != (True,)
        found += known
    if found[0] == found[1]:
        raise OperationRefused(SAME_MATCH, id=names[1])
    if have_cards and not may_be_one(work.store.cursor(), found[0][0], found[1][0]):
        raise OperationRefused(WITH_CARDS)
    return found


def _shown(work: OperationContext, match_no: int) -> dict[str, Any]:
    """Return a match's id, day, and players as the store shows them."""
    query = """SELECT match_id, played_on, list(p.name ORDER BY seat) AS names
        FROM matches JOIN seats USING (match_no) JOIN players p USING (player_no)
        WHERE match_no = ? GROUP BY ALL"""
    [(match_id, day, names)] = work.store.cursor().execute(query, [match_no]).fetchall()
    return {"match_id": match_id, "played_on": day and day.isoformat(), "players": names}
