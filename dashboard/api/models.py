"""Pydantic models of responses, for the OpenAPI document."""

from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from dashboard.api.problems import PROBLEM_TYPE
from ingest.store.match_comparison import OnConflict, Relation


class ApiModel(BaseModel):
    """An object; later versions may add members."""

    model_config = ConfigDict(extra="allow")


class FieldError(ApiModel):
    """One parameter or field that is not valid."""

    where: str = Field(description="`query.limit`")
    detail: str


class ProblemDetails(ApiModel):
    """A problem as RFC 9457 defines it."""

    type: str
    title: str
    status: int
    detail: str | None = Field(None, description="What to do about it, in words.")
    errors: list[FieldError] | None = Field(None, description="Of a 422: what is not understood.")


class Seat(ApiModel):
    """A seat of a match and its player."""

    seat: int = Field(description="From 1, as in the log.")
    name: str
    player_id: str | None = Field(description="Null of a masked player, who has a pseudonym for a name.")
    score: int | None = Field(description="Deals won, points or the side’s marks, by the game.")
    manches: int | None


class Match(ApiModel):
    """One match of the store."""

    match_id: str = Field(description="The store’s: the hash of what the log says.")
    log_id: str | None = Field(description="The id the log gives itself.")
    status: str
    game: str | None
    preset: str | None
    played_at: str | None = Field(description="The moment, in UTC.")
    played_on: str | None = Field(description="The day, by the clock of the log.")
    event: str | None
    deal_count: int
    findings: int = Field(description="How many.")
    winning_side: int | None = Field(description="A seat, or a team of partners; 0: nobody, null: not known.")
    is_score_sheet: bool = Field(description="Told by a score sheet alone, or only its result is known.")
    result_only: bool = Field(description="It has no deals: only its result is known.")
    sheet_with_log: bool = Field(description="Told by a score sheet, and the store has its log as well.")
    players: list[Seat]


class Matches(ApiModel):
    """A page of matches."""

    matches: list[Match]
    next: str | None = Field(description="The cursor of the page that follows; null: no more.")


class SeatValues(ApiModel):
    """A player's losses in the endgame of a deal."""

    seat: int
    cards_played: int = Field(description="Laid there.")
    forced: int = Field(description="Of them, those that alone could be laid.")
    lost: int = Field(description="Points, for the player’s side.")
    costly: int = Field(description="Cards that lost something.")
    worst_action_index: int | None = Field(description="The action that lost the most, from 0.")
    worst_loss: int


class DealValues(ApiModel):
    """The value of a deal's endgame; if `unsolved` gives a reason, all else is null."""

    unsolved: str | None = Field(description="`players`, `option`, `never`, …; null: it is solved.")
    first_action_index: int | None = Field(description="The action it begins with, from 0.")
    points_lead: int | None = Field(description="Points side 1 had more than side 2 there.")
    margin: int | None = Field(description="What it still makes more, both playing their best.")
    best_winning_side: int | None = Field(description="Who wins then, as `winning_side`.")
    turning_action_index: int | None = Field(description="The last action that turned the winner, from 0.")
    seats: list[SeatValues] | None


class Deal(ApiModel):
    """One deal of a match."""

    deal_number: int = Field(description="From 1.")
    manche: int | None = Field(description="Of a game in manches, which; from 1.")
    partie: int | None = Field(description="Of a game in parties, which; from 1.")
    status: str
    void: str | None
    is_score_line: bool | None = Field(description="A line of a score sheet: no card was written down.")
    dealer: int | None
    winning_side: int | None
    points: list[int | None] = Field(description="In seat order, or by sides.")
    values: DealValues | None = Field(description="What its end was worth; null: not yet computed.")


class MatchDetail(Match):
    """One match, with its deals."""

    deals: list[Deal]


class Findings(ApiModel):
    """The findings of a match, as `retourne check --format jsonl` prints them."""

    match_id: str
    status: str
    findings: list[dict[str, Any]]
    sheet: dict[str, Any] | None


class BoardStates(ApiModel):
    """A deal state by state, as the replay board receives it."""

    seats: list[dict[str, Any]]
    plies: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    values: DealValues | None = Field(description="What its end was worth; null: not yet computed.")


class CardEstimate(ApiModel):
    """A number estimated for a card, and its difference from that of the card that was played."""

    mean: float
    loss: float = Field(description="Below that of the card that was played, deal by deal.")
    standard_error: float = Field(description="The standard error of `loss`.")
    is_significant: bool = Field(description="Whether it is past three of them.")


class SampledCard(ApiModel):
    """The estimates for a card that could be played."""

    card: str
    won: CardEstimate = Field(description="The share of deals that its seat, or its team, won.")
    points: CardEstimate = Field(description="Beyond those of the other, or of the best of the others.")


class Sampled(ApiModel):
    """A card compared with every playable one, over deals that fit what its player could see."""

    action_number: int = Field(description="From 1.")
    seat: int | None = Field(description="From 1.")
    played: str | None
    deals: int | None = Field(description="How many were drawn; 1: only one fits.")
    cards: list[SampledCard] | None
    unsampled: str | None = Field(description="Why it is not sampled; the others are null then.")


class Deleted(ApiModel):
    """A match that was moved to the trash."""

    match_id: str
    deletion: int


class Undeleted(ApiModel):
    """A match that was undeleted."""

    match_id: str


class Rows(ApiModel):
    """Rows of statistics, as `retourne stats --format jsonl` prints them."""

    rows: list[dict[str, Any]]
    scope: dict[str, Any] | None = Field(None, description="The deals that are counted.")
    scope_note: str | None = Field(None, description="How many, and why others are not, in words.")
    is_current: bool | None = Field(
        None, description="Of a ladder: false while matches that have just changed are being rated."
    )


class FoundDeals(ApiModel):
    """Deals that a search found, as `retourne find --format jsonl` prints them."""

    count: int = Field(description="How many deals the search finds: in all, if `is_counted`, or at least.")
    is_counted: bool = Field(description="Whether the count was finished.")
    read: int | None = Field(
        description="In how many matches, those played last, it was counted; null: in all."
    )
    played: list[dict[str, Any]] | None = Field(
        description="If the search has a position: each card played in it, how often, and the deals won."
    )
    rows: list[dict[str, Any]]


class UploadedMatch(ApiModel):
    """One match of an upload."""

    match_id: str
    log_id: str | None
    line: int
    status: str
    new: bool
    findings: list[dict[str, Any]]


class UploadCounts(ApiModel):
    """Counts that add up to the number of matches sent."""

    added: int = Field(description="New matches without findings: legal ones, results and score sheets.")
    score_sheets: dict[str, int] = Field(
        description="Of these, those that count where score sheets are counted, in no statistic of cards: "
        "`result-only`, and `unverified` ones of score sheets."
    )
    already_stored: int = Field(description="Matches the store had already, or in another form, which stays.")
    repeated: int = Field(description="Of these, those that this request had before.")
    stored_with_findings: dict[str, int] = Field(
        description="New ones with findings, not on the ladder: how many of each verdict."
    )
    rejected: int = Field(description="What could not be read, such as empty files: none is stored.")
    relations: dict[Relation, int] = Field(
        description="Matches that are, or may be, the same as a stored one in another log, by kind."
    )
    replaced: int = Field(description="Stored matches that became earlier versions.")
    merges_undone: list[list[str]] = Field(
        description="Names of two players each whose merge was undone, since both sit at one table."
    )


class RelatedMatch(ApiModel):
    """A match that a stored one is, or may be, the same as."""

    line: int
    log_id: str | None
    match_id: str
    relation: Relation
    other_id: str = Field(description="The id of the stored match.")
    differences: list[str] = Field(
        description="Keys in which the two logs differ; `cards`: how cards are written."
    )
    deals: list[int] = Field(description="Numbers of the deals with other points than in the stored log.")
    log_counts: bool | None = Field(
        description="Whether the log of a score sheet counts in its place; null of other relations."
    )
    added: bool
    decision: OnConflict
    text: str = Field(description="All of it in a sentence.")


class UploadedFile(UploadCounts):
    """The result for one file."""

    file: str
    related: list[RelatedMatch]
    rejected_texts: list[dict[str, Any]] = Field(description="What could not be read, and why.")
    file_no: int | None = Field(description="Its number in the store; null if it was not read.")
    matches: list[UploadedMatch] = Field(description="The first thousand.")


class PutMatch(ApiModel):
    """A match that was stored by its source and its log's id."""

    match_id: str = Field(description="The store’s id of the match.")
    new: bool = Field(description="Whether this log was added.")
    relation: Relation | None = Field(description="What it is to a stored match.")
    replaced: int = Field(description="Stored matches that became earlier versions.")


class UploadReport(UploadCounts):
    """The result for all files."""

    files: list[UploadedFile]


ResponseSpecs = dict[int | str, dict[str, Any]]
"""Status → its response in the OpenAPI document."""


PROBLEM_SCHEMA = {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}


def response_specs(success: type[ApiModel] | ResponseSpecs, *error_statuses: int) -> ResponseSpecs:
    """Return an operation's responses: a 200 (a model or given specs) and the possible errors."""
    found: ResponseSpecs = {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_TYPE: {"schema": PROBLEM_SCHEMA}},
        }
        for status in (*error_statuses, 421, 422, 429, 503)
    }
    return found | (success if isinstance(success, dict) else {200: {"model": success}})


def problem_schemas() -> dict[str, Any]:
    """Return the schemas that `response_specs` refers to, for the document's components."""
    result = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**result.pop("$defs"), ProblemDetails.__name__: result}
