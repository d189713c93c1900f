"""Lists of matches, deals and players with links.

Also *That is me*: the player the reader claims to be, stored in a cookie.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import polars as pl
import streamlit as st

from dashboard.games import definition_tooltip, game_titles, match_score, preset_label
from dashboard.queries import endgame_losses, exclusions, matches, player_search, results
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.text import labels
from dashboard.text.columns import Column, rows_as_text
from dashboard.text.numbers import NO_VALUE, date_text, format_count
from dashboard.widgets import link_table
from dashboard.widgets.current_store import cached_query, redacted
from ingest.i18n import N_, Translate

Columns = Sequence[Column]
LOST_COLUMN = Column(
    N_("Points lost"), lambda row, t: labels.points_lost_text(row, row["player"], t), "end-lost"
)
PLAYED_COLUMN = Column(N_("Played on"), lambda row, t: date_text(row["played_on"], t), "order")


def replay_link(label: str, match_id: str, deal: int | None = None) -> link_table.LinkedText:
    """Return a link to a match's replay, or to one of its deals, counted from 1."""
    return link_table.LinkedText(
        label,
        link_table.PageLink(
            link_table.REPLAY_PAGE, {"match": match_id} | ({"deal": str(deal)} if deal else {})
        ),
    )


def _show_list(
    rows: Sequence[dict[str, Any]],
    key: str,
    alt: str,
    t: Translate,
    columns: Columns = (PLAYED_COLUMN,),
    first: int = 5,
    action: link_table.RowAction | None = None,
) -> None:
    """Show rows whose replay links carry the list, so that a replay can link to its neighbours.

    The address has the first digits of each match, and the deal's number in a list of deals.
    """
    if len(rows) > 1:
        queries = [row[link_table.OPEN_KEY].link.query for row in rows]
        ids = ("-".join(filter(None, (one["match"][:8], one.get("deal")))) for one in queries)
        every = ".".join(ids)
        for row, query in zip(rows, queries, strict=True):
            row[link_table.OPEN_KEY] = row[link_table.OPEN_KEY]._replace(
                link=link_table.PageLink(link_table.REPLAY_PAGE, {**query, "list": every})
            )
    link_table.link_table(rows, key, alt, t, columns, first_columns=first, action=action)


# matches


def _match_cells(
    row: Mapping[str, Any], player: int | None, t: Translate, deal: int | None = None
) -> dict[str, Any]:
    """Return the first cells of a match in every list; `player`: the number of its subject."""
    return {
        link_table.OPEN_KEY: replay_link(t("Replay"), row["match_id"], deal),
        t(PLAYED_COLUMN.label): PLAYED_COLUMN.cell(row, t),
        t("Players"): link_table.players_cell(row),
        t("Score"): _score_cell(row, t),
        **({} if player is None else {t("Result"): labels.result_letter(row, player, t)}),
    }


def _score_cell(row: Mapping[str, Any], t: Translate) -> str:
    """Return the score of a match; in a list without verdicts also whether it is all that is known."""
    badge = t("result only") if row["result_only"] and "findings" not in row else ""
    return " · ".join(filter(None, (match_score(row, t), badge)))


def match_names(ids: Sequence[str], t: Translate) -> dict[str, str]:
    """Return id → players, day and score of those matches that are stored, for a sentence or a link."""
    which = MatchFilter(ids=tuple(sorted(set(ids))))
    found = redacted(cached_query(matches.match_page, which, len(ids)))
    return {row["match_id"]: _match_name(row, t) for row in found.iter_rows(named=True)}


def _match_name(row: Mapping[str, Any], t: Translate) -> str:
    day = None if row["played_on"] is None else date_text(row["played_on"], t)
    parts = labels.opponents_text(row["names"], row["game"]), day, match_score(row, t)
    return " · ".join(filter(None, parts))


def show_matches(
    frame: pl.DataFrame,
    t: Translate,
    key: str,
    player: int | None = None,
    action: link_table.RowAction | None = None,
) -> None:
    """Show a page of `queries.matches.match_page`; each match links to its replay and check.

    `player`: the number of the list's subject. `action` names rows by their `match_id`. No text is
    read as markup.
    """
    known, frame = game_titles(), redacted(frame)
    worth = cached_query(endgame_losses.losses_of_matches, tuple(frame["match_no"].to_list()))
    worth = worth.select("match_no", "lost", pl.col("deals").alias("looked"))
    frame = frame.join(worth, on="match_no", how="left", maintain_order="left")
    rows = []
    for row in frame.with_columns(player=pl.lit(player, pl.Int64)).iter_rows(named=True):
        label = labels.verdict_label(row["status"], row["winning_side"], t)
        if row["is_score_sheet"] and not row["result_only"]:
            own = N_("score sheet")
            if row["sheet_with_log"]:
                counts = N_("score sheet; its log counts"), N_("score sheet; it counts, its log does not")
                own = counts[not row["log_counts"]]
            label = t(own)
        wrong = (
            link_table.PageLink(link_table.CHECK_PAGE, {"match": row["match_id"]})
            if row["status"] != "legal"
            else None
        )
        rows.append(
            _match_cells(row, player, t)
            | {
                t("Game"): known.get(row["game"] or "", ""),
                t("Deals"): None if row["result_only"] else row["deals"],
                t(LOST_COLUMN.label): LOST_COLUMN.cell(row, t),
                t("Verdict"): link_table.LinkedText(label, wrong),
                t("Event"): row["event"] or "",
                t("Rules"): preset_label(row["preset"], t),
                t("Id"): row["log_id"] or row["match_id"][:8],
            }
        )
    first = 4 + (player is not None)
    _show_list(rows, key, t("Matches"), t, (PLAYED_COLUMN, LOST_COLUMN), first, action)


def show_matches_of_game(
    shown: pl.DataFrame, game: str, extra_columns: Columns, key: str, t: Translate, player: int | None = None
) -> None:
    """Show matches (`match_no`, `match_id`, `played_on`) of one game, each with its replay.

    `extra_columns` follow players and score; `player`: the number of the list's subject.
    """
    details = cached_query(matches.match_summaries, tuple(shown["match_no"].to_list()))
    each = shown.join(details, on="match_no", how="left", maintain_order="left")
    rows = [
        _match_cells(row, player, t, 1) | {t(column.label): column.cell(row, t) for column in extra_columns}
        for row in each.with_columns(game=pl.lit(game)).iter_rows(named=True)
    ]
    _show_list(rows, key, t("Matches"), t, (PLAYED_COLUMN, *extra_columns), 4 + (player is not None))


def show_matches_behind(
    matches: pl.DataFrame,
    game: str,
    extra_columns: Columns,
    key: str,
    t: Translate,
    player: int | None = None,
) -> None:
    """Show the matches behind a row, given in order of play: a page, last played first."""
    with st.container(border=True):
        st.caption(t("Matches found: {n}", n=format_count(matches.height, t)))
        with link_table.paginate(matches.height, f"behind-{key}") as offset:
            shown = newest_first(matches).slice(offset, link_table.ROWS_PER_PAGE)
            show_matches_of_game(shown, game, extra_columns, f"open-{key}", t, player)


def newest_first(matches: pl.DataFrame) -> pl.DataFrame:
    """Return matches in reverse order of play; those without a date stay last."""
    dated = pl.col("played_on").is_not_null()
    return pl.concat([matches.filter(dated).reverse(), matches.filter(~dated).reverse()])


def show_omitted_matches(unfinished: int, other: int, t: Translate) -> None:
    """Show how many matches a series excludes, by reason; nothing if it excludes none."""
    values = ((N_("unfinished {n}"), unfinished), (N_("of a verdict that does not count {n}"), other))
    if parts := [t(text, n=format_count(n, t)) for text, n in values if n]:
        st.caption(t("Matches excluded: {parts}.", parts=", ".join(parts)))


# deals


def show_deals_behind(total: int, page: Callable[[int, int], pl.DataFrame], key: str, t: Translate) -> None:
    """Show the deals behind a row, each with its replay; `page` takes a limit and an offset.

    If rows have a `player`, points and result are that player's; a row with a `reason` has that
    instead; a row without `points` has neither.
    """
    with st.container(border=True):
        st.caption(t("Deals found: {n}", n=format_count(total, t)))
        with link_table.paginate(total, f"behind-{key}") as offset:
            rows = []
            for row in redacted(page(link_table.ROWS_PER_PAGE, offset)).iter_rows(named=True):
                fields = {
                    link_table.OPEN_KEY: replay_link(t("Replay"), row["match_id"], row["deal_number"]),
                    t(PLAYED_COLUMN.label): PLAYED_COLUMN.cell(row, t),
                    t("Players"): link_table.players_cell(row),
                    t("Deal"): row["deal_number"],
                }
                if "player" in row:
                    at = link_table.player_link(row["player_id"], row["game"])
                    fields[t("Player")] = link_table.LinkedText(row["player"], at)
                if "reason" in row:
                    fields[t("Reason")] = t(labels.EXCLUSION_LABELS[row["reason"]])
                elif "points" in row:
                    won = NO_VALUE if row["won"] is None else t(labels.RESULT_LETTERS[row["won"]])
                    fields |= {t("Points"): row["points"], t("Result"): won}
                rows.append(fields | {t("Id"): row["log_id"] or row["match_id"][:8]})
            _show_list(rows, f"open-{key}", t("Deals"), t)


# players


def player_links(frame: pl.DataFrame, game: str | None, column: str = "name") -> list[link_table.LinkedText]:
    """Return the names of a frame's players (`player_no`), linked to their figures at a game."""
    ids = cached_query(player_search.linkable_ids, *frame["player_no"].to_list())
    return [
        link_table.LinkedText(name, link_table.player_link(ids.get(number), game))
        for number, name in frame.select("player_no", column).rows()
    ]


def player_rows(
    columns: Columns, frame: pl.DataFrame, game: str, t: Translate, label: str = "Name", column: str = "name"
) -> list[dict[str, link_table.Cell]]:
    """Return the rows of a frame of players as text; the cell under `label` is a link."""
    rows = rows_as_text(columns, frame, t, {"game": game})
    items = zip(rows, player_links(frame, game, column), strict=True)
    return [{**row, t(label): name} for row, name in items]


def with_form(frame: pl.DataFrame, which: Scope) -> pl.DataFrame:
    """Add each player's `form` from `queries.results.recent_form` to a frame of players."""
    found = cached_query(results.recent_form, which, *frame["player_no"].to_list())
    each = [found.get(number, []) for number in frame["player_no"]]
    return frame.with_columns(form=pl.Series(each, dtype=pl.List(pl.Boolean)))


PLAYER_COOKIE = "retourne_me"
SESSION_KEY = "me"
"""The player id chosen in this session; empty: withdrawn."""


def _player_from_cookie() -> str:
    return unquote(str(st.context.cookies.get(PLAYER_COOKIE, "")))


def current_player() -> tuple[int, str, str] | None:
    """Return (number, id, name) of the reader's player; None if unset or not in the store."""
    player_id = st.session_state.get(SESSION_KEY, _player_from_cookie())
    found = cached_query(player_search.player_by_id, player_id) if player_id else None
    return found and (found[0], player_id, found[1])


def is_player_missing() -> bool:
    """Return whether the reader chose a player that the store no longer has."""
    return bool(st.session_state.get(SESSION_KEY, _player_from_cookie())) and current_player() is None


def set_current_player(player_id: str) -> None:
    """Set the reader's player; an empty id withdraws it."""
    st.session_state[SESSION_KEY] = player_id


def current_player_button(player_id: str, t: Translate) -> None:
    """Show the button *That is me*, unless the player is already the reader's."""
    now, icon, key = current_player(), ":material/how_to_reg:", f"me-{player_id}"
    if now is None or now[1] != player_id:
        act = partial(set_current_player, player_id)
        st.button(t("That is me"), icon=icon, key=key, on_click=act, type="tertiary")


def save_cookie() -> None:
    """Have the browser store this session's choice in a cookie."""
    if (player_id := st.session_state.get(SESSION_KEY)) is None:
        return
    age = 31_536_000 if player_id else 0
    # quoted, an id contains no character that ends a cookie, a string or a script
    stored_text = f"{PLAYER_COOKIE}={quote(player_id, safe='')}; path=/; max-age={age}; SameSite=Lax"
    with st.container(key="me-stored"):
        st.html(f'<script>document.cookie = "{stored_text}"</script>', unsafe_allow_javascript=True)


# figures

EXCLUDED_KEY, MATCHES_EXCLUDED = "out", N_("Matches excluded: {n}")
"""The key of the list of excluded games, and its button where they are matches."""


class Metric(NamedTuple):
    """One figure; a share or a mean has `n` and `interval`, a count has neither."""

    label: str
    value: str
    about: str
    n: int | None = None
    interval: str = ""


def metric_buttons(
    figures: Mapping[str, Metric], key: str, t: Translate, more: Mapping[str, str] | None = None
) -> str | None:
    """Show figures side by side, with buttons for their lists; return the key of the list chosen.

    A figure is grey if `n` is small; a figure of 0 has no button. `more`: labels of other lists.
    None: no list is chosen.
    """
    show_metrics(figures.values(), t, f"figures-{key}")
    some = {name: one.label for name, one in figures.items() if one.value != "0"}
    return list_buttons(some | dict(more or {}), key, t)


def show_metrics(figures: Iterable[Metric], t: Translate, key: str) -> None:
    """Show figures side by side, grey if `n` is small."""
    with st.container(horizontal=True, key=key):
        for one in figures:
            grey = one.n is not None and one.n < MIN_SAMPLE
            items = [] if one.n is None else [f"n = {format_count(one.n, t)}"]
            # a narrow figure breaks between its parts, not within its interval
            items += [one.interval.replace(" – ", "\u00a0–\u2060\u00a0")] * bool(one.interval)
            st.metric(
                one.label,
                f":gray[{one.value}]" if grey else one.value,
                " · ".join(items) or None,
                delta_color="off",
                delta_arrow="off",
                border=True,
                help=definition_tooltip(one.about, t),
                height="stretch",  # so that all figures have the same height
            )


def list_buttons(words: Mapping[str, str], key: str, t: Translate) -> str | None:
    """Show buttons for lists of games; return the chosen key, or None after a second click."""
    if not words:
        return None
    label = t("List what is counted") if words.keys() - {EXCLUDED_KEY} else t("List what is excluded")
    return st.pills(label, list(words), format_func=words.__getitem__, key=key)


def excluded_button(n: int, t: Translate, text: str = N_("Deals excluded: {n}")) -> dict[str, str]:
    """Return the button for the list of `n` excluded deals, for `list_buttons`; empty for 0."""
    return {EXCLUDED_KEY: t(text, n=format_count(n, t))} if n else {}


def show_excluded_deals(which: Scope, t: Translate, player: int | None = None, decided: bool = False) -> None:
    """Show a page of the excluded deals, each with its reason and its replay."""
    requested = (which, player, decided)
    total = int(cached_query(exclusions.exclusion_counts, *requested)["deals"].sum())
    show_deals_behind(
        total, lambda *page: cached_query(exclusions.excluded_deals, *requested, *page), EXCLUDED_KEY, t
    )


def excluded_deals_section(which: Scope, t: Translate, decided: bool = False) -> None:
    """Show a button for the deals a page excludes, and their list once it is chosen."""
    n = int(cached_query(exclusions.exclusion_counts, which, None, decided)["deals"].sum())
    if list_buttons(excluded_button(n, t), "left-out", t):
        show_excluded_deals(which, t, None, decided)
