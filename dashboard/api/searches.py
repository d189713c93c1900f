"""Routes for saved searches: the list, and of each a feed and a table."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from dashboard.api import rate_limits
from dashboard.api.auth import Reader
from dashboard.api.content_negotiation import Texts
from dashboard.api.models import Rows, response_specs
from dashboard.api.params import WHOLE_NUMBER
from dashboard.api.responses import limited, rows_response
from dashboard.base_path import browser_path
from dashboard.store import open_store
from dashboard.tables import find_result, saved_searches
from dashboard.tables.deal_feed import atom_feed

router = APIRouter(prefix="/searches", tags=["figures"])
ATOM_TYPE, CSV_TYPE = "application/atom+xml", "text/csv"
Number = Annotated[int, Path(description="The number of a saved search.", ge=1, le=1 << 31), WHOLE_NUMBER]


@router.get("", responses=response_specs(Rows, 401))
@limited(rate_limits.stats_limiter)
def searches(who: Reader) -> Response:
    """List the saved searches; `search` is null if it names a player who is masked."""
    return rows_response(saved_searches.searches_table(open_store().cursor()))


@router.get(
    "/{n}/deals.atom",
    response_class=Response,
    responses=response_specs({200: {"content": {ATOM_TYPE: {"schema": {"type": "string"}}}}}, 401, 404),
)
@limited(rate_limits.stats_limiter)
def search_feed(who: Reader, request: Request, n: Number, t: Texts) -> Response:
    """Return an Atom feed of the deals that were added last of those a saved search finds."""
    cursor = open_store().cursor()
    saved = saved_searches.read_saved_search(cursor, n)
    base = f"{request.url.scheme}://{request.headers.get('host', '').lower()}{browser_path('')}"
    address = f"{base}{request.url.path}"
    return Response(atom_feed(cursor, saved, address, base, t), media_type=ATOM_TYPE)


@router.get(
    "/{n}/deals.csv",
    response_class=Response,
    responses=response_specs({200: {"content": {CSV_TYPE: {"schema": {"type": "string"}}}}}, 401, 404),
)
@limited(rate_limits.stats_limiter)
def search_csv(who: Reader, n: Number) -> Response:
    """Return the deals that a saved search finds as CSV: of more than 10,000 those played last."""
    cursor = open_store().cursor()
    saved = saved_searches.read_saved_search(cursor, n)
    most = find_result.MAX_CSV_DEALS
    found = find_result.run_search(cursor, saved.search or "", most, count=False)
    named = {"Content-Disposition": f'attachment; filename="search-{n}.csv"'}
    return Response(find_result.rows_csv(found.deals), media_type=f"{CSV_TYPE}; charset=utf-8", headers=named)
