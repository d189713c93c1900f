"""Lists whose names lead to players, that say who won, and that name nobody who is masked."""

import json
from pathlib import Path

import pytest

from dashboard.queries import ladder, matches, player_search, results
from dashboard.queries.scope import Scope
from dashboard.widgets import current_store as resources
from ingest.i18n import translator
from ingest.store import pseudonyms
from ingest.store import ratings as rating
from ingest.store.factory import Store
from tests.dashboard.conftest import HOSTILE, NAMES, Open, documents
from tests.dashboard.tables import charts_of, explained, links_of, standing_out, tables_of
from tests.dashboard.test_head_to_head import add, fill, sheet, won_by

TEXTS = {one: translator(one, "dashboard") for one in ("fr", "en")}


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("rencontres", {}),
        ("relecture", {}),
        ("joueurs", {}),
        ("classement", {}),
        ("face_a_face", {"first": "Jean", "second": "Zoé d’Orléans"}),
        ("joueurs", {"player": "jean", "view": "records"}),
        ("annonces", {"by": "player"}),
    ],
)
def test_names_are_links_on_every_page(games: Path, open_page: Open, page: str, query) -> None:
    found = links_of(open_page(page, lang="en", **query))
    for href in found["Jean"]:
        assert href.startswith("joueurs?player=jean")
        assert href.endswith("lang=en")  # a new tab goes on in English


def test_a_hostile_name_is_a_text_and_its_address_is_written_out(games, open_page) -> None:
    [href, *_] = links_of(open_page("rencontres"))[HOSTILE]
    assert href.startswith("joueurs?player=%3Cb%3E")


def test_the_winners_name_stands_out_and_the_score_is_beside_it(path: Path, open_page) -> None:
    fill(path, sheet("match-lavardin"), sheet("match-coinche"))
    app = open_page("rencontres", lang="en")
    assert "2 – 0 (10 – 2)" in set(tables_of(app)[0]["Score"])
    frame = matches.match_page(resources.page_cursor())
    won = [name for row in frame.iter_rows(named=True) for name in _winners(row)]
    assert sorted(standing_out(app)) == sorted(won)
    assert len(won) == 3  # one of two, and a pair


def _winners(row) -> list[str]:
    """Those of a match in a list whose seat or side won; in Coinche the other partner too."""
    sides = 2 if row["game"] == "coinche" else len(row["names"])
    return [
        name
        for place, name in enumerate(row["names"])
        if row["winning_side"] and (place - row["winning_side"] + 1) % sides == 0
    ]


@pytest.mark.parametrize(("lang", "won"), [("fr", ["V", "D"]), ("en", ["W", "L"])])
def test_a_list_of_one_player_says_won_or_lost_of_that_player(
    path: Path, open_page: Open, lang: str, won: list[str]
) -> None:
    fill(path, won_by(1, 1), won_by(2, 2))
    result = TEXTS[lang]("Result")
    app = open_page("rencontres", lang=lang, player="Marcel")
    assert tables_of(app)[0][result].to_list() == won  # the last played first: Marcel won it
    app = open_page("joueurs", lang=lang, player="lucie")
    recent = next(one for one in tables_of(app) if "open" in one)
    assert recent[result].to_list() == won[::-1]
    assert result not in tables_of(open_page("rencontres", lang=lang))[0]


@pytest.mark.slow
def test_form_is_the_last_five_finished_and_dated_matches_the_latest_last(path: Path) -> None:
    undated = {key: value for key, value in won_by(2, 9).items() if key != "played_at"}
    other = [won_by(1 if day in (2, 6) else 2, day) for day in range(1, 7)]
    fill(path, *other[::-1], undated)
    with Store(path) as store:
        cursor = store.cursor()
        lucie, marcel = (player_search.find_player(cursor, one) for one in ("lucie", "marcel"))
        assert lucie is not None
        assert marcel is not None
        found = results.recent_form(cursor, Scope(), lucie, marcel)
    assert found[lucie] == [True, False, False, False, True]  # the first of six is out
    assert found[marcel] == [not one for one in found[lucie]]


def test_players_begin_with_rank_name_what_was_won_matches_and_form(path: Path, open_page) -> None:
    fill(path, won_by(1, 1), won_by(2, 2), won_by(1, 3))
    level, rated = "Level (μ ± 3σ)", ("Matches won", "Matches rated")
    for page, won in (("joueurs", ("Deals won", "Matches")), ("classement", (level, *rated))):
        short = list(tables_of(open_page(page, lang="en"))[0])
        assert short[: len(won) + 3] == ["Rank", "Name", *won, "Form"], page
        app = open_page(page, lang="en", details="true")
        table = tables_of(app)[0]
        assert set(short) < set(table)
        assert {"At least (μ − 3σ)", "μ", "σ"} <= set(table) or "95% interval" in table
        assert explained(app)["Form"] == "regles?term=form&lang=en"
        row = table["Name"].to_list().index("Lucie")
        assert (table["Rank"][row], table["Form"][row]) == (1, "W L W")


@pytest.mark.slow
def test_ranks_are_those_of_the_ladder_of_the_rules(path: Path) -> None:
    fill(path, won_by(1, 1))
    with Store(path) as store:
        rating.refresh_ratings(store)
        cursor = store.cursor()
        lucie = player_search.find_player(cursor, "lucie")
        assert lucie is not None
        assert ladder.player_ranks(cursor, Scope())[lucie] == 1
        assert ladder.player_ranks(cursor, Scope(preset="lavardin"))[lucie] == 1
        assert ladder.player_ranks(cursor, Scope(preset="mondoubleau")) == {}


NOWHERE = ("zoé", "zoe", "orléans", "orleans")
"""What no page may say once Zoé d’Orléans is masked."""


@pytest.fixture
def masked(path: Path) -> str:
    """A store whose event, source and ids name a masked player; the pseudonym."""
    named = {"event": {"name": "Coupe Zoé d’Orléans"}, "source": {"name": "carnet de zoe"}}
    items = [one | named | {"id": f"zoe-d-orleans-{i}"} for i, one in enumerate(documents())]
    with Store(path) as store:
        add(store, *items)
        number = player_search.find_player(store.cursor(), NAMES[1])
        assert number is not None
        return pseudonyms.mask_player(store, number)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("accueil", {}),
        ("rencontres", {}),
        ("relecture", {}),
        ("joueurs", {}),
        ("joueurs", {"player": "jean"}),
        ("joueurs", {"player": "jean", "view": "records"}),
        ("classement", {}),
        ("face_a_face", {"first": "Jean", "second": HOSTILE}),
        ("annonces", {"by": "event"}),
        ("annonces", {"by": "player"}),
        ("melange", {}),
        ("donnees", {}),
    ],
)
def test_no_list_names_a_masked_player_in_words_of_a_log(
    masked: str, open_page: Open, page: str, query
) -> None:
    app = open_page(page, lang="en", **query)
    tables = [] if page == "donnees" else tables_of(app)  # its only one tells the owner who it is
    items = [
        *(table.to_string(max_colwidth=None) for table in tables),
        *(one.value for one in (*app.markdown, *app.caption, *app.text, *app.warning)),
        *(option for one in app.selectbox for option in one.options),
        *(json.dumps(one, ensure_ascii=False) for one in charts_of(app)),
    ]
    for name in NOWHERE:
        assert name not in "\n".join(items).casefold(), name
    assert masked not in links_of(app)  # a pseudonym leads nowhere
