"""The list behind a figure is what the figure counts, and what is left out is listed too."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import duckdb
import polars as pl
import pytest

from dashboard.games import all_definitions
from dashboard.queries import (
    announcements,
    contracts,
    exclusions,
    head_to_head,
    intervals,
    ladder,
    matches,
    player_deals,
    player_search,
    players,
    results,
)
from dashboard.queries.exclusions import undecided_deals
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables import profile
from dashboard.tables.profile import SECTIONS
from dashboard.text.labels import EXCLUSION_LABELS
from dashboard.text.numbers import escape_markdown
from dashboard.widgets.lists import newest_first
from engine.games import game_names
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.ratings import refresh_ratings
from schemas.simulated import simulate_season
from tests.dashboard.conftest import NAMES, Open, Stored, every_table
from tests.dashboard.plain_counts import build
from tests.dashboard.tables import explained, grey, open_row, tables_of

pytestmark = pytest.mark.slow

TEXTS = {language: translator(language, "dashboard") for language in ("fr", "en")}


@pytest.fixture(scope="module")
def cursor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Two hundred matches of every table: undated, unfinished, faulty and null ones among them."""
    found = build(Path(tmp_path_factory.mktemp("behind")) / "store.duckdb", share=0.02)
    with found.store:
        yield found.cursor


# what several tests need of that store, read once


@pytest.fixture(scope="module")
def tables(cursor: duckdb.DuckDBPyConnection, request: pytest.FixtureRequest) -> list[Scope]:
    """Tables of each game asked in several ways, or every table of the store too."""
    tables = available_scopes(cursor).select("game", "player_count", "preset")
    found = [Scope(*row) for row in tables.iter_rows()]
    every = {(one.game, one.player_count): replace(one, preset=None) for one in found}
    usual = [every[one] for one in (("chouine", 2), ("coinche", 4), ("chouineurs", 3), ("belote", 4))]
    requested = [replace(one, since=date(2026, 1, 1)) for one in usual]
    requested += [replace(one, statuses=("legal", "irregular", "incomplete")) for one in usual]
    requested += [*usual, *(replace(one, source="site") for one in usual)]
    if request.param == "usual":  # each game as it is, and narrowed in one of the other ways
        return [*usual, requested[0], requested[5], requested[14], requested[3]]
    return [*found, *every.values(), *requested]


def each(test: Callable[..., None]) -> Callable[..., None]:
    """A test that takes the usual tables, and in `make soak` all."""
    both = pytest.mark.parametrize("tables", ["usual", "every"], indirect=True)(test)
    return cast("Callable[..., None]", pytest.mark.sample("usual")(both))


@cache
def seated(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> list[int]:
    """The first and the last player of a table."""
    found = players.players_table(cursor, scope, limit=1_000)["player_no"].to_list()
    return [found[0], found[-1]] if len(found) > 1 else found


@cache
def row_of(cursor: duckdb.DuckDBPyConnection, scope: Scope, player: int) -> dict[str, Any]:
    """A player's row in the table of players."""
    return players.players_table(cursor, scope, player_no=player).row(0, named=True)


@cache
def opened(
    cursor: duckdb.DuckDBPyConnection,
    scope: Scope,
    player: int,
    narrow: tuple[tuple[str, Any], ...],
    decided: bool,
) -> int:
    """How many deals open behind a row; all rows of several sections open the same ones."""
    return player_deals.count_deals(cursor, scope, player, dict(narrow), decided)


BEHIND = {name: one for name, one in SECTIONS.items() if one.narrow_to_row is not None}
"""Sections whose rows open deals."""


@each
def test_every_row_of_a_player_opens_as_many_deals_as_it_counts(cursor, tables) -> None:
    rows = set()
    for scope in tables:
        for player in seated(cursor, scope):
            for section in BEHIND:
                if not profile.has_section(section, scope.game):
                    continue
                for row in BEHIND[section].query(cursor, scope, player).iter_rows(named=True):
                    requested = scope
                    if section == "tables":
                        own = {name: row[name] for name in ("game", "player_count", "preset")}
                        requested = replace(scope, **own)
                    behind = BEHIND[section].narrow_to_row
                    assert behind is not None
                    narrow = tuple(behind(row).items())
                    listed = opened(cursor, requested, player, narrow, BEHIND[section].decided)
                    [opens] = [
                        one for one in BEHIND[section].columns if one.label == BEHIND[section].link_column
                    ]
                    assert listed == opens.cell(row, TEXTS["en"]), (section, row)
                    rows.add(section)
    assert rows == set(BEHIND)


@each
def test_matches_behind_a_row_add_up_to_it(cursor, tables) -> None:
    sums = {"match": "won", "manche": "manches", "shutouts_given": "given", "shutouts_taken": "taken"}
    for scope in tables:
        for player in seated(cursor, scope):
            for row in results.match_results(cursor, scope, player).iter_rows(named=True):
                listed = results.matches_behind(cursor, scope, player, row["figure"])
                assert int(listed[sums[row["figure"]]].sum() or 0) == row["k"]
                if row["figure"] == "match":
                    assert listed.height == row["n"]
                if row["figure"] == "manche":
                    assert int(listed.select(pl.col("manches", "lost").sum()).sum_horizontal()[0]) == row["n"]


@each
def test_the_matches_of_a_player_hold_the_deals_the_figures_count(cursor, tables) -> None:
    for scope in tables:
        for player in seated(cursor, scope):
            row = row_of(cursor, scope, player)
            listed = player_deals.decided_matches(cursor, scope, player)
            assert (listed.height, listed["n"].sum(), listed["wins"].sum()) == (
                row["matches"],
                row["decided_deals"],
                row["wins"],
            )


@each
def test_hands_behind_an_announcement_are_those_of_its_row(cursor, tables) -> None:
    null = 0
    for scope in tables:
        if scope.game != "chouine":
            continue
        for row in announcements.missed_announcements(cursor, scope).iter_rows(named=True):
            requested = announcements.RowHands(row["kind"], row["trump"], "missed")
            hands = announcements.count_deals_behind(cursor, scope, requested)
            if row["trump"] or row["kind"] in ("quinte", "trente"):
                assert hands == row["missed"]
            else:  # a hand may miss one in each of several suits
                assert (row["missed"] + 3) // 4 <= hands <= row["missed"]
        for fact in announcements.ANNOUNCEMENT_FACTS:
            frame = announcements.wins_with_announcements(cursor, scope, fact)
            for row in frame.iter_rows(named=True):
                of = announcements.RowHands(row["kind"], row["trump"], fact)
                won = of._replace(decided=True)
                assert announcements.count_deals_behind(cursor, scope, won) == row["n"]
                null += announcements.count_deals_behind(cursor, scope, of) - row["n"]
                assert announcements.deals_behind(cursor, scope, won, limit=10_000).height == row["n"]
    assert null  # null parties there were, and those are another list


@each
def test_deals_behind_a_contract_and_a_duel(cursor, tables) -> None:
    for scope in tables:
        if scope.game == "coinche":
            for level, taken in contracts.contracts(cursor, scope).select("level", "taken").rows():
                assert player_deals.count_hands(cursor, contracts.hands_at_level(scope, level)) == taken
        one, other = seated(cursor, scope)
        pair = (cursor, scope, (one,), (other,))

        def behind(*of: Any, pair: Any = pair) -> pl.DataFrame:
            hands = head_to_head.hands_behind(*pair[1:], *of)
            listed = player_deals.list_hands(cursor, hands, limit=10_000)
            assert player_deals.count_hands(cursor, hands) == listed.height
            return listed

        [margin] = head_to_head.margins(*pair).rows(named=True)
        listed = behind("margin")
        assert listed.height == margin["n"]
        assert listed["won"].sum() == margin["first"]
        score = head_to_head.score_table(*pair)
        assert behind().height == score["n"][1]
        for row in head_to_head.announcement_counts(*pair).iter_rows(named=True):
            values = (row["kind"], row["trump"])
            assert behind(values).height == row["k"] + row["second_k"]
        series = head_to_head.series_counts(*pair)
        assert head_to_head.partnered_matches(*pair).height == series["partners"]
        assert head_to_head.excluded_matches(*pair).height == series["left_out"]
        assert not set(head_to_head.excluded_matches(*pair)["reason"]) & set(scope.statuses)


@pytest.mark.parametrize("decided", [True, False])
@pytest.mark.parametrize("tables", ["usual", "every"], indirect=True)
@pytest.mark.sample("usual-True", "usual-False")
def test_what_counts_and_what_is_left_out_is_all_there_is(cursor, tables, decided: bool) -> None:
    seen = set()
    for scope in tables:
        total: dict[int | None, int] = {None: _every(cursor, scope)}
        counts: dict[int | None, int] = {None: _counted(cursor, scope, decided)}
        for player in seated(cursor, scope):
            total[player] = _every(cursor, scope, player)
            counts[player] = player_deals.count_deals(cursor, scope, player, decided=decided)
        for one, every in total.items():
            reasons = exclusions.exclusion_counts(cursor, scope, one, decided)
            assert counts[one] + reasons["deals"].sum() == every
            listed = exclusions.excluded_deals(cursor, scope, one, decided, limit=10_000)
            assert dict(listed["reason"].value_counts().iter_rows()) == dict(reasons.iter_rows())
            assert listed.select("match_id", "deal_number").is_unique().all()
            seen |= set(reasons["reason"])
    assert seen <= set(EXCLUSION_LABELS)
    assert {"undated", "incomplete", "broken"} <= seen
    assert ("null" in seen) == decided


def _every(cursor, scope: Scope, player: int | None = None) -> int:
    """All deals of the matches asked for; with days asked for, those without a date among them."""
    where, values = replace(scope, since=None, until=None).match_condition()
    within, days = scope.date_condition()
    seat = "" if player is None else "AND match_no IN (SELECT match_no FROM seats WHERE player_no="
    row = cursor.execute(
        f"SELECT count(*) FROM deals JOIN matches m USING (match_no)"
        f" WHERE {where} AND ({within} OR m.played_on IS NULL) {seat and seat + '?)'}",
        [*values, *days, *([] if player is None else [player])],
    ).fetchone()
    assert row is not None
    return int(row[0])


def _counted(cursor, scope: Scope, decided: bool) -> int:
    chosen, values = scope.conditions()
    won = "AND d.winning_side > 0" if decided else ""
    row = cursor.execute(
        f"SELECT count(*) FROM deals d JOIN matches m USING (match_no) WHERE {chosen} {won}", values
    ).fetchone()
    assert row is not None
    return int(row[0])


@each
def test_every_average_and_share_has_the_interval_of_its_deals(cursor, tables) -> None:
    """Each interval anew from the single deals: mean ± 1.96 deviations by the root of n."""
    for scope in tables:
        for player in seated(cursor, scope):
            row = row_of(cursor, scope, player)
            own = _hands(cursor, scope, player)
            assert own.height == row["decided_deals"]
            for name in ("points", "card_points", "bonus", "said"):
                text = "announced" if name == "said" else name
                if name == "said" and scope.game != "chouine":
                    continue
                _is_mean(row, text, own[name])
            if scope.game == "chouineurs":
                shares = (row["bids_met_low"], row["bids_met_high"])
                assert shares == pytest.approx(
                    intervals.wilson_interval(int(own["bid_met"].sum()), own.height)
                )
                for card in results.chosen_bid_cards(cursor, scope, player).iter_rows(named=True):
                    one = _hands(cursor, scope, player, decided=False).filter(bid=card["bid"])
                    _is_mean(card, "reserve", one["bonus"])
                [remaining] = results.reserve_share(cursor, scope, player).rows(named=True)
                every = _hands(cursor, scope, player, decided=False)
                off = every["bonus"] - remaining["share"] * every["points"]
                spread = 1.96 * float(off.std() or 0) * every.height**0.5 / every["points"].sum()
                if every.height > 1:
                    assert remaining["low"] == pytest.approx(max(0, remaining["share"] - spread))
                    assert remaining["high"] == pytest.approx(remaining["share"] + spread)


def _is_mean(row: dict[str, Any], name: str, values: pl.Series) -> None:
    if values.drop_nulls().is_empty() or values.len() < 2:
        assert row[f"{name}_low"] is None
        return
    average, spread = float(values.mean()), 1.96 * float(values.std()) / values.len() ** 0.5  # type: ignore[arg-type]
    ends = max(0.0, average - spread), average + spread  # none of them may be negative
    assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(ends), name


@cache
def _hands(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player: int, decided: bool = True
) -> pl.DataFrame:
    """A player's hands one by one, and in how many announcements `said` counted."""
    chosen, values = player_deals.counted_deals(scope, player, decided)
    return cursor.execute(
        f"""SELECT ds.points, ds.card_points, ds.bonus, ds.bid_met, ds.bid, (
            SELECT count(*) FROM announcements a WHERE a.match_no = ds.match_no
                AND a.deal_index = ds.deal_index AND a.seat = ds.seat AND a.counted) AS said
        FROM {chosen}""",
        values,
    ).pl()


def test_a_list_of_matches_ends_with_those_without_a_date(cursor) -> None:
    scope = Scope()
    [player, *_] = seated(cursor, scope)
    days = newest_first(player_deals.decided_matches(cursor, scope, player))["played_on"].to_list()
    dated = [day for day in days if day is not None]
    assert 0 < len(dated) < len(days)
    assert days[: len(dated)] == sorted(dated, reverse=True)


LABELS = {
    *("Group", "Game", "Players", "Rules", "Partner", "Announcement", "Trump", "Contract", "Name"),
    *("Played on", "Last match", "Test", "Fact", "Figure", "Period", "Player"),
}
"""Columns that say what a row is about; every other one is a figure."""


def test_every_figure_of_every_table_has_its_definition() -> None:
    from dashboard.tables import announcement_tables, peer_tables, player_tables
    from dashboard.tables import announcement_tables as announced
    from dashboard.tables import announcement_tables as shuffles

    every = {
        **{name: one.columns for name, one in SECTIONS.items() if one.columns},
        "contracts of all": announcement_tables.HEIGHT_COLUMNS,
        "ladder": player_tables.LADDER_COLUMNS,
        "shuffles": shuffles.SHUFFLE_COLUMNS,
        "score": player_tables.SCORE_COLUMNS,
        "compared": peer_tables.COMPARISON_COLUMNS,
        "leads": player_tables.LEAD_COLUMNS,
        "frequencies": announced.FREQUENCY_COLUMNS,
        "missed": announced.MISSED_COLUMNS,
        "winning": announced.WINNING_COLUMNS,
        "dealt": announced.DEALT_COLUMNS,
        "held": announced.HABIT_COLUMNS,
        **{f"players {game}": player_tables.players_columns(game) for game in game_names()},
    }
    for name, columns in every.items():
        bare = {one.label for one in columns if one.definition is None}
        assert bare <= LABELS, name
        assert {one.definition for one in columns} - {None} <= set(all_definitions()), name
        labels = [one.label for one in columns]
        assert len(set(labels)) == len(labels), name  # one would hide the other


# on the pages


@pytest.fixture
def some(games: Path, stored: Stored) -> Path:
    """Matches of Chouine at two, faulty ones, and two of every other table."""

    def fill(store: Store) -> None:
        list(ingest(store, [("tables.jsonl", BytesIO(every_table()))]))

    return stored("some", fill, games)


def chosen(app, key: str, one: str | None):
    app.pills(key=key).set_value(one).run()
    assert not app.exception
    return app


def listed(app) -> list[int]:
    """How many rows each list with replays has."""
    return [len(one) for one in tables_of(app) if "open" in one]


def words(app) -> list[str]:
    return [one.value for one in app.caption]


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample("fr")
def test_each_figure_of_a_player_opens_its_list(some: Path, open_page: Open, lang: str) -> None:
    t = TEXTS[lang]
    with Store(some, read_only=True) as store:
        cursor = store.cursor()
        found = player_search.find_player(cursor, "Jean")
        assert found is not None
        row = players.players_table(cursor, Scope(), player_no=found).row(0, named=True)
        out = undecided_deals(cursor, Scope(), found)["deals"].sum()
    app = open_page("joueurs", player=row["player_id"], game="Chouine", lang=lang)
    assert app.pills(key="figures").label == t("List what is counted")
    plain = listed(app)
    chosen(app, "figures", "matches")
    assert t("Matches found: {n}", n=row["matches"]) in words(app)
    assert sorted(listed(app)) == sorted([*plain, row["matches"]])
    for one, n in (
        ("deals", row["decided_deals"]),
        ("won", row["decided_deals"]),
        ("points", row["decided_deals"]),
    ):
        assert t("Deals found: {n}", n=n) in words(chosen(app, "figures", one)), one
    if out:
        assert t("Deals found: {n}", n=out) in words(chosen(app, "figures", "out"))
        reasons = next(one for one in tables_of(app) if t("Reason") in one)
        assert len(reasons) == out
    assert listed(chosen(app, "figures", None)) == plain  # put away again


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample("en")
def test_each_figure_of_two_players_opens_its_list(some: Path, open_page: Open, lang: str) -> None:
    t = TEXTS[lang]
    app = open_page("face_a_face", first=NAMES[0], second=NAMES[1], lang=lang, game="Chouine")
    for name in ("first", "second", "third", "nobody", "partners"):
        label = escape_markdown(t(_won()[name], first=NAMES[0], second=NAMES[1]))
        value = next(one.value for one in app.metric if one.label == label)
        offered = [getattr(one, "content", one) for one in app.pills(key="duel-totals").options]
        assert (label in offered) == (value != "0")  # of nothing there is no list
        if label not in offered:
            continue
        chosen(app, "duel-totals", name)
        assert t("Matches found: {n}", n=value) in words(app)
    chosen(app, "duel-totals", None)
    n = app.metric[-1].delta.split(" · ")[0].removeprefix("n = ")
    assert t("Deals found: {n}", n=n) in words(chosen(app, "duel-margin", "margin"))


def _won() -> dict[str, str]:
    from dashboard.tables.player_tables import WON_HEADINGS

    return WON_HEADINGS


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample("fr")
def test_each_figure_of_the_store_opens_its_list(some: Path, open_page: Open, lang: str) -> None:
    t = TEXTS[lang]
    with Store(some, read_only=True) as store:
        totals = matches.store_totals(store.cursor())
    app = open_page("accueil", lang=lang)
    for name, text, n in (
        ("matches", "Matches found: {n}", totals["matches"]),
        ("deals", "Matches found: {n}", totals["matches"]),
        ("players", "Players: {n}", totals["players"]),
        ("legal", "Matches found: {n}", totals["legal"]),
    ):
        chosen(app, "counts", name)
        assert t(text, n=n) in words(app), name
    chosen(app, "counts", None)
    by_game = tables_of(app)[1]
    open_row(app, "by-game", 0)
    assert t("Matches found: {n}", n=int(by_game[t("Matches")][0])) in words(app)


@pytest.mark.parametrize("view", ["frequency", "missed", "winning"])
def test_deals_annonces_leave_out_are_listed(some: Path, open_page: Open, view: str) -> None:
    app = open_page("annonces", view=view, game="Chouine", lang="en")
    label = next(iter(app.pills(key="left-out").options))
    chosen(app, "left-out", "out")
    table = next(one for one in tables_of(app) if "Reason" in one)
    assert str(getattr(label, "content", label)) == f"Deals excluded: {len(table)}"
    assert "broken" in set(table["Reason"])


@pytest.mark.parametrize(("page", "n"), [("joueurs", "Parties"), ("classement", "Matches rated")])
def test_players_of_few_games_are_grey_and_terms_are_explained(
    some: Path, open_page: Open, page: str, n: str
) -> None:
    app = open_page(page, lang="en", details="true")
    few = (tables_of(app)[0][n] < MIN_SAMPLE).to_list()
    assert any(few)
    assert [all(row) for row in grey(app)] == few
    assert explained(app)["95% interval" if page == "joueurs" else "σ"].startswith("regles?term=")


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_matches_a_ladder_leaves_out_are_listed(some: Path, open_page: Open, lang: str) -> None:
    t = TEXTS[lang]
    with Store(some) as store:
        refresh_ratings(store)
        every = ladder.unrated_counts(store.cursor(), Scope("chouine", 0, "lavardin"))
        unrated = ladder.unrated_matches(store.cursor(), Scope("chouine", 0, "lavardin"))
    assert every["faulty"] == 2
    assert unrated.height == sum(every.values())
    app = open_page("classement", lang=lang, ladder="Chouine · lavardin")
    chosen(app, "unrated", "out")
    table = next(one for one in tables_of(app) if t("Reason") in one)
    assert table[t("Reason")].to_list().count(t("not legal")) == 2
    assert t("Matches found: {n}", n=unrated.height) in words(app)


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_a_test_of_shuffles_opens_the_deals_it_looked_at(path: Path, open_page: Open, lang: str) -> None:
    t = TEXTS[lang]
    with Store(path) as store:
        text = "".join(json.dumps(one) + "\n" for one in simulate_season("chouine", 20, 1, "lavardin", 2))
        list(ingest(store, [("site.jsonl", BytesIO(text.encode()))]))
        dealt = store.cursor().execute("SELECT count(*) FROM deals").fetchone()
    assert dealt is not None
    app = open_page("melange", lang=lang)
    assert not [one for one in app.multiselect if one.key == "status"]  # all verdicts count
    n = tables_of(app)[0]["n"].to_list()
    assert set(n) == {dealt[0]}
    open_row(app, "shuffles", 1)
    assert t("Deals found: {n}", n=n[1]) in words(app)
    assert listed(app) == [25]  # a page of them


def test_deals_joueurs_leaves_out_are_named_and_listed(some: Path, open_page: Open) -> None:
    app = open_page("joueurs", game="Chouine", lang="en")
    assert any("Deals excluded: " in one and "broken 1" in one for one in words(app))
    chosen(app, "left-out", "out")
    table = next(one for one in tables_of(app) if "Reason" in one)
    assert {"broken", "void"} <= set(table["Reason"])
