"""The pages Announcements and Shuffles: what they show, empty and filled, in both languages."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from dashboard.figures import GREY
from dashboard.figures import announcement_charts as figures
from dashboard.queries import announcements, fairness, simulated_baseline
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.scope import Scope
from dashboard.store import open_store as opened
from dashboard.tables import announcement_tables as columns
from dashboard.tables.announcement_tables import HABIT_LABELS
from dashboard.views.announcements import VIEWS
from dashboard.widgets import current_store as resources
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import translator
from ingest.store import baseline
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from schemas.simulated import simulate_season
from tests.dashboard.conftest import HOSTILE, LONG, Open
from tests.dashboard.tables import grey, open_row, tables_of
from tests.dashboard.test_fairness import few_seeds, good
from tests.dashboard.test_fairness import store as decks

NBSP = "\N{NARROW NO-BREAK SPACE}"


def table(app: Any) -> Any:
    return tables_of(app)[0]


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.sample("frequency-fr", "missed-en", "winning-fr", "chance-en")
def test_every_view_of_annonces_opens(games: Path, open_page: Open, view: str, lang: str) -> None:
    app = open_page("annonces", view=view, lang=lang)
    assert app.segmented_control(key="view").value == view
    assert tables_of(app) or app.button(key="simulate")


@pytest.mark.parametrize("key", announcements.GROUP_KEYS)
def test_frequencies_are_split_by_what_the_address_says(games: Path, open_page: Open, key: str) -> None:
    app = open_page("annonces", by=key, kind="tierce", lang="en")
    shown = table(app)
    assert columns.KEY_LABELS[key] in shown
    assert set(shown["Announcement"]) == {"tierce"}
    frame = announcements.frequencies_by(resources.page_cursor(), Scope(), key).filter(kind="tierce")
    assert shown["Counted"].to_list() == frame["counted"].to_list()
    if key == "player":
        assert {HOSTILE, LONG} <= set(shown["Player"])  # as they are, no markup


def test_the_share_is_that_of_the_fact_chosen(games: Path, open_page: Open) -> None:
    shown = {fact: table(open_page("annonces", fact=fact, lang="en")) for fact in columns.FACT_LABELS}
    for fact in ("held", "counted"):
        row = shown[fact].iloc[0]
        number = row["Held" if fact == "held" else "Counted"]
        assert row["Frequency"] == number / row["n"]


def test_a_row_that_is_chosen_lists_its_deals(games: Path, open_page: Open) -> None:
    app = open_page("annonces", lang="en")
    first = table(app).iloc[0]
    open_row(app, "announced-counted-None", 0)
    assert any(f"Deals found: {first['Counted']}" == caption.value for caption in app.caption)
    assert {"Player", "Deal"} <= set(tables_of(app)[1])


def test_missed_says_points_and_parties_in_a_sentence(games: Path, open_page: Open) -> None:
    app = open_page("annonces", view="missed", lang="en")
    frame = announcements.missed_announcements(resources.page_cursor(), Scope())
    missed, points, turned = (frame[name].sum() for name in ("missed", "points", "would_have_won"))
    result = app.main.caption[0].value
    worth = f", worth {points} points."
    assert f"announced: {missed} of {frame['n'].sum()}{worth}" in result
    assert f"would have won: {turned}." in result


def test_deals_left_out_are_named_with_the_reason(games: Path, open_page: Open) -> None:
    for view in ("frequency", "missed", "winning"):
        result = open_page("annonces", view=view, lang="en").main.caption[0].value
        assert "broken 1, void 1" in re.split("[Ee]xcluded: ", result)[1]


def test_hands_dealt_are_held_against_their_exact_probability(games: Path, open_page: Open) -> None:
    """Nothing is simulated for it: chance alone decides what is dealt."""
    app = open_page("annonces", view="chance", lang="en")
    assert not app.button
    frame = simulated_baseline.dealt_announcements(
        opened().cursor(), simulated_baseline.with_one_preset(opened().cursor(), Scope())
    )
    shown = table(app)
    assert list(shown["Announcement"]) == [announcement_kinds()[kind] for kind in frame["kind"]]
    assert list(shown["Probability"]) == pytest.approx(list(frame["chance"]))
    assert "Simulated, minimum" not in shown
    assert "Lavardin" in app.main.caption[0].value


def test_what_comes_later_stands_beside_every_habit_simulated_once(
    games: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "DEFAULT_DEALS", 300)
    app = open_page("annonces", view="chance", fact="held", lang="en")
    assert "900 deals" in app.info[0].value
    assert not tables_of(app)
    app.button(key="simulate").click().run()
    assert not app.exception
    assert "seeds 1" in app.main.caption[0].value
    assert "3 habits" in app.main.caption[0].value
    assert {"Simulated, minimum", "Simulated, maximum"} <= set(table(app))
    again = open_page("annonces", view="chance", fact="held", by="phase", lang="en")
    assert "Phase" in table(again)


def test_habits_are_called_by_what_they_do() -> None:
    assert set(HABIT_LABELS) == set(baseline.bot_habits("chouine"))


@pytest.mark.slow
def test_only_announcements_of_the_same_rules_are_held_against_habits(every_game: Path) -> None:
    with Store(every_game) as store:
        cursor = store.cursor()
        which = simulated_baseline.with_one_preset(cursor, Scope())
        assert which.preset == "lavardin"  # most deals of the table
        assert simulated_baseline.with_one_preset(cursor, Scope(preset="mondoubleau")).preset == "mondoubleau"
        assert simulated_baseline.latest_run(cursor, which, None) is None
        runs = dict[str, str]()
        for habit in ("greedy", "careful"):
            run_of = baseline.SimulationRun("chouine", "lavardin", 2, habit, deals=300, seed=9)
            baseline.simulate_baseline(store, run_of)
            run = simulated_baseline.latest_run(cursor, which, habit)
            assert run is not None
            assert run["seed"] == 9
            runs[habit] = run["event"]
        frame = simulated_baseline.observed_vs_simulated(cursor, which, runs)
        hands = announcements.announcement_frequencies(cursor, which)["n"][0]
        assert set(frame["n"]) == {hands}
        simulated = {
            habit: announcements.announcement_frequencies(
                baseline.baseline_cursor(cursor), Scope(event=event)
            )
            for habit, event in runs.items()
        }
        for row in frame.iter_rows(named=True):
            shares = {
                habit: sum(one.filter(kind=row["kind"], trump=row["trump"])[row["fact"]]) / one["n"][0]
                for habit, one in simulated.items()
            }
            assert row["least"] == pytest.approx(min(shares.values()))
            assert row["most"] == pytest.approx(max(shares.values()))
            assert shares[row["most_habit"]] == max(shares.values())
            assert row["low"] <= row["share"] <= row["high"]
        held = frame.filter(kind="mariage", trump=True, fact="held").row(0, named=True)
        # who waits for more keeps what makes announcements
        assert held["most_habit"] == "careful"
        assert held["most"] > 1.5 * held["least"]


def test_figures_draw_two_players_of_one_name_apart(cursor: duckdb.DuckDBPyConnection) -> None:
    frame = announcements.frequencies_by(cursor, Scope(), "player").filter(kind="mariage", trump=False)
    figure = figures.frequency_figure(frame, key="player")
    assert len(set(figure.data[0].y)) == frame.height
    own = frame.filter(player=HOSTILE)["player_no"].item()
    axis = figure.layout.yaxis
    assert axis.ticktext[axis.tickvals.index(str(own))].startswith("&lt;b&gt;Bobby")


def test_what_rests_on_few_is_grey_in_figures_too(cursor: duckdb.DuckDBPyConnection) -> None:
    few = announcements.missed_announcements(cursor, Scope()).filter(pl.col("n") < MIN_SAMPLE).height
    figure = figures.frequency_figure(announcements.missed_announcements(cursor, Scope()), fact="missed")
    grey = [trace for trace in figure.data if trace.marker.color == GREY]
    assert sum(len(trace.x) for trace in grey) == few > 0
    assert all(f"n < {MIN_SAMPLE}" in trace.name for trace in grey)


def test_a_share_of_few_is_grey_in_a_row_of_many(games: Path, open_page: Open) -> None:
    """So many were announced or missed, but the parties turned are of the few that were missed."""
    app = open_page("annonces", view="missed", lang="en")
    frame = announcements.missed_announcements(resources.page_cursor(), Scope())
    place = next(
        i for i, row in enumerate(frame.iter_rows(named=True)) if row["n"] >= MIN_SAMPLE > row["missed"]
    )
    column = table(app).columns.to_list().index("of those unannounced")
    assert grey(app)[place][column]
    assert not grey(app)[place][0]


# shuffles


def fill(path: Path, documents: Any) -> None:
    text = "".join(json.dumps(document) + "\n" for document in documents)
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(text.encode()))], on_conflict=OnConflict.BOTH))


def test_shuffles_of_few_deals_says_how_many_it_takes(games: Path, open_page: Open) -> None:
    app = open_page("melange", lang="en")
    assert "100 deals" in app.info[0].value
    assert "ne prouve pas une triche" in open_page("melange").info[-1].value


def test_shuffles_tests_each_source_and_names_the_correction(path: Path, open_page: Open) -> None:
    fill(path, simulate_season("chouine", 15, 2, players=2))
    app = open_page("melange", lang="en")
    assert table(app)["Test"].to_list() == [
        "Cards by place",
        "Points of the first hand",
        "Packs dealt before",
    ]
    assert set(table(app)["Source"]) == {"retourne simulate"}
    assert "Holm" in "".join(caption.value for caption in app.main.caption)
    assert "Nothing speaks against" in app.success[0].value
    assert open_page("melange").success[0].value.startswith("Rien ne contredit")


def test_a_deal_stored_twice_is_a_repeated_deck_with_its_replays(path: Path, open_page: Open) -> None:
    played = list(simulate_season("chouine", 15, 2, players=2))
    copied = played[3] | {"id": "copy", "played_at": "2026-04-01T10:00:00Z"}
    fill(path, [*played, copied])
    app = open_page("melange", lang="en")
    assert "Packs dealt before" in app.warning[0].value
    again = tables_of(app)[1]
    deals = len(played[3]["deals"])
    assert again["Pack"].to_list() == [deck for deck in range(1, deals + 1) for _ in range(2)]
    assert set(again["Id"]) == {"copy", played[3]["id"]}


def test_a_source_s_name_is_no_markup(path: Path, open_page: Open) -> None:
    with decks(path, {HOSTILE: few_seeds(3_000, 6), "good": good(200, 1)}) as opened:
        opened.connection.execute("UPDATE matches SET preset = 'lavardin'")
    app = open_page("melange", lang="en")
    assert HOSTILE in set(table(app)["Source"])
    assert r"\<b\>Bobby" in app.warning[0].value


@pytest.mark.slow
def test_incomplete_decks_are_not_tested(tmp_path: Path) -> None:
    with decks(tmp_path / "s.duckdb", {"good": good(300, 1)}) as opened:
        cursor = opened.cursor()
        before = fairness.fairness_tests(cursor, Scope())
        opened.connection.execute("UPDATE deals SET deck = list_prepend(NULL, deck[2:]) WHERE match_no < 50")
        after = fairness.fairness_tests(cursor, Scope())
        assert (before["n"][0], after["n"][0]) == (300, 250)
        assert fairness.exclusion_counts(cursor, Scope()).rows() == [("hidden", 50)]


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_shuffles_lists_what_it_does_not_test_and_why(path: Path, open_page: Open, lang: str) -> None:
    t = translator(lang, "dashboard")
    with decks(path, {"good": good(200, 1), "small": good(30, 2)}) as opened:
        opened.connection.execute("UPDATE matches SET preset = 'lavardin'")
        opened.connection.execute("UPDATE deals SET deck = NULL WHERE match_no < 2")
    app = open_page("melange", lang=lang)
    message = f"{t('of a source with too few deals')} 30, {t('with unknown cards')} 2."
    assert any(one.value.endswith(message) for one in app.main.caption)
    assert app.pills(key="untested").options == [t("Deals excluded: {n}", n=32)]
    app.pills(key="untested").set_value("out").run()
    app.session_state["behind-untested"] = 2
    app.run()
    assert not app.exception
    last = next(one for one in tables_of(app) if "open" in one)
    # those added last come first: of the second page's seven the last two
    few, unknown = t("of a source with too few deals"), t("with unknown cards")
    assert last[t("Reason")].to_list() == [few] * 5 + [unknown] * 2
    assert last[t("Id")].to_list()[-2:] == ["1", "0"]


@pytest.mark.slow
def test_repeated_decks_are_counted_per_source(tmp_path: Path) -> None:
    repeated = good(100, 1)
    repeated[7] = repeated[3]
    with decks(tmp_path / "s.duckdb", {"a": repeated, "b": good(100, 1)}) as opened:
        frame = fairness.repeated_decks(opened.cursor(), Scope())
        # the same deck in another source is no repeat: both may have shuffled fairly
        assert frame.select("source", "deck", "times", "match_id").rows() == [
            ("a", 1, 2, "3"),
            ("a", 1, 2, "7"),
        ]
        assert fairness.repeated_decks(opened.cursor(), Scope("chouineurs", 4)).height == 0
