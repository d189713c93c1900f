"""Every page: an empty store, some games, addresses typed by hand, names that are code."""

import json
import os
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import pages
from dashboard.queries import matches
from dashboard.views.upload import sample_logs
from ingest import check
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.dashboard.conftest import FAUTES, HOSTILE, LONG, documents, lines, simulated
from tests.dashboard.tables import absolute_paths, links_of, open_row, tables_of

DATA = Path(__file__).parents[2] / "data"

PAGES = pages.PAGE_NAMES
OWN = (
    *("deposer", "saisir", "verificateur", "regles", "face_a_face", "cote_a_cote", "donnees"),
    *("melange", "doublons"),
)
"""Pages that show what is brought or chosen there, whatever the store has; Shuffles takes more."""


def board(app: AppTest) -> Any:
    """What the board was given."""
    [element] = [one for one in app.get("bidi_component") if one.proto.component_name == "retourne.board"]
    return json.loads(element.proto.json)


def one_that_is(status: str, path: Path) -> str:
    """The id of the one match of that status."""
    with Store(path, read_only=True) as store:
        found = matches.match_page(store.cursor(), matches.MatchFilter(statuses=(status,)))
    return str(found["match_id"].item())


def test_every_page_has_what_shows_it():
    assert set(pages.PAGE_FUNCTIONS) == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_store_says_what_to_do(open_page, page):
    app = open_page(page)
    assert app.title[0].value
    if page == "deposer":
        assert app.button[0].label == "Envoyer les fichiers"
    elif page == "saisir":
        assert app.button(key="entry-begin").label == "Commencer"
    elif page == "verificateur":
        assert "essayez un exemple" in app.info[0].value
    elif page == "acces":
        assert "Aucun jeton" in app.info[0].value
    elif page == "regles":
        assert app.segmented_control(key="book").value == "chouine"
    else:
        assert app.info[0].value
        assert "Déposer" in [link.label for link in app.main.get("page_link")]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample(*map("{}-{}".format, cycle(["fr", "en"]), PAGES))
def test_every_page_shows_a_store_with_games_in_both_languages(games, open_page, page, lang, monkeypatch):
    monkeypatch.setattr("dashboard.base_path._base_path", "/club/cartes")
    app = open_page(page, lang=lang)
    assert [path for path in absolute_paths(app) if not path.startswith("/club/cartes/")] == []
    [result] = [one for some in pages.SECTIONS.values() for one in some if one.name == page]
    assert app.title[0].value == translator(lang, "dashboard")(result.title)
    if page not in OWN:
        assert tables_of(app)


def test_a_language_nobody_knows_is_french(open_page):
    assert open_page("accueil", lang="xx").title[0].value == "Accueil"


def test_home_counts_the_store(games, open_page):
    values = {metric.label: metric.value for metric in open_page().metric}
    assert values["Rencontres"] == "9"
    assert values["Régulières"] == "6"


# Déposer


def upload(app: AppTest, **files: bytes) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name.replace("_", "."), content)
    app.button[0].click().run()
    assert not app.exception
    return app


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def came_to(added: int = 0, known: int = 0, stored: int = 0, refused: int = 0) -> dict[str, str]:
    """The four numbers of a report, which are all that was read."""
    labels = ("Ajoutées", "Déjà dans la base", "Dans la base, hors classement", "Refusées")
    return dict(zip(labels, map(str, (added, known, stored, refused)), strict=True))


def test_an_upload_is_added_and_listed(open_page):
    app = upload(open_page("deposer"), club_jsonl=lines())
    assert figures(app) == came_to(added=6)
    assert len(tables_of(app)) == 1
    assert len(tables_of(app)[0]) == 6


def test_the_same_file_twice_says_so(open_page):
    app = upload(open_page("deposer"), club_jsonl=lines())
    upload(app, again_jsonl=lines())
    assert figures(app) == came_to(known=6)
    assert "Déjà dans la base\N{NO-BREAK SPACE}: 6" in [one.label for one in app.expander]
    assert set(tables_of(app)[0]["open"]) == {"Relecture"}
    assert "Annuler ce dépôt" not in [button.label for button in app.button]


def test_each_bad_log_comes_with_its_reason(open_page):
    app = upload(
        open_page("deposer"),
        a_json=(FAUTES / "must-follow.json").read_bytes(),
        b_json=(FAUTES / "wrong-turn.json").read_bytes(),
        c_json=b"{",
    )
    assert figures(app) == came_to(stored=3)
    reasons = tables_of(app)[0]
    assert {"CH-8", "CH-5"} <= set(reasons["Règle"])
    assert set(reasons["Verdict"]) == {"irrégulière", "impossible", "illisible"}
    assert all(reasons["Motif"])
    [_, _, remaining, _] = app.metric
    assert remaining.delta == "irrégulières : 1 · impossibles : 1 · illisibles : 1".replace(" :", "\u00a0:")


def test_what_is_wrong_stands_before_what_was_known_and_the_gravest_first(open_page):
    app = upload(
        open_page("deposer"),
        a_json=(FAUTES / "au-sept-missing.json").read_bytes(),  # a warning
        b_json=(FAUTES / "must-follow.json").read_bytes(),
        c_jsonl=lines() + lines(),
        d_json=b"",
    )
    assert figures(app) == came_to(added=7, known=6, stored=1, refused=1)
    reasons, known, *_ = tables_of(app)
    assert list(reasons["Règle"]) == ["CH-8", "Format", "CH-14"]
    assert len(known) == 6


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_a_file_of_another_kind_is_refused_in_the_reader_s_language(open_page, lang):
    app = upload(open_page("deposer", lang=lang), sheet_docx=b"a;b", club_jsonl=lines())
    [result] = app.error
    text = "Retourne ne lit pas ce genre de fichier" if lang == "fr" else "is not taken"
    assert "sheet" in result.value
    assert text in result.value
    assert [metric.value for metric in app.metric] == ["6", "0", "0", "1"]


def test_deposer_says_what_a_log_is_and_gives_samples_that_are_legal(open_page):
    app = open_page("deposer")
    assert any("note toute une rencontre" in one.value for one in app.markdown)
    labels = [button.proto.label for button in app.get("download_button")]
    assert "Exemple\N{NO-BREAK SPACE}: Chouine (JSON)" in labels
    for sample in sample_logs().values():
        assert [item.status for item in check((sample.name, BytesIO(sample.read_bytes())))] == ["legal"]


def test_an_upload_with_faults_leads_to_their_check(open_page):
    app = upload(open_page("deposer"), club_jsonl=lines(), b_json=(FAUTES / "must-follow.json").read_bytes())
    links = {one.proto.label: one.proto for one in app.get("page_link")}
    link = links["Vérifier la première rencontre avec une anomalie"]
    [finding, *_] = open_page("verificateur", **dict(parse_qsl(link.query_string))).radio
    assert link.page == "verificateur"
    assert "CH-8" in finding.options[0]
    reasons, added = (table for table in tables_of(app))
    assert set(reasons["open"]) == {"Vérifier"}
    faulty = added["Verdict"] == "irrégulière"
    assert faulty.any()
    assert all(one.startswith("verificateur?match=") for one in links_of(app)["irrégulière"])
    assert "régulière" not in links_of(app)


def test_an_upload_without_faults_has_nothing_to_check(open_page):
    app = upload(open_page("deposer"), club_jsonl=lines())
    labels = [one.proto.label for one in app.get("page_link")]
    assert "Vérifier la première rencontre avec une anomalie" not in labels
    assert "Vérifier" not in set(tables_of(app)[0]["open"])


def test_a_faulty_match_of_the_list_has_its_check(games, open_page):
    app = open_page("rencontres")
    verdicts = set(tables_of(app)[0]["Verdict"])
    assert "régulière" in verdicts
    assert len(verdicts) > 1
    for verdict in verdicts - {"régulière"}:
        assert links_of(app)[verdict][0].startswith("verificateur?match="), verdict
    assert "régulière" not in links_of(app)


def test_no_file_chosen_is_reported(open_page):
    app = open_page("deposer")
    app.button[0].click().run()
    assert app.warning[0].value == "Choisissez d’abord un ou plusieurs fichiers."


# Parties


def test_parties_filters_by_words_and_status(games, open_page):
    app = open_page("rencontres", q="zoe")
    assert len(tables_of(app)[0]) == 4
    app.text_input[0].set_value("").run()
    app.multiselect[0].select("broken").run()
    assert tables_of(app)[0]["Verdict"].tolist() == ["impossible"]
    app.text_input[0].set_value("nobody at all").run()
    assert "Aucune rencontre trouvée" in app.info[0].value


def many(open_page, count: int = 60) -> AppTest:
    """A store with the matches x0 … x59 on consecutive days, one deal each; Déposer."""
    some = [
        {key: value for key, value in one.items() if key != "result"}
        | {"id": f"x{i}", "deals": one["deals"][:1], "event": {"name": f"Coupe {i % 7}"}}
        | {"played_at": (datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=i)).isoformat()}
        | {"players": documents()[0]["players"]}
        for i, one in enumerate(simulate_season("chouine", count, 5))
    ]
    text = "\n".join(json.dumps(match) for match in some).encode()
    return upload(open_page("deposer"), many_jsonl=text)


def ids(app: AppTest) -> list[str]:
    return list(tables_of(app)[0]["Identifiant"])


def test_parties_turns_pages_by_the_address(open_page):
    many(open_page)
    assert ids(open_page("rencontres"))[:2] == ["x59", "x58"]
    assert ids(open_page("rencontres", page="3")) == [f"x{i}" for i in range(9, -1, -1)]
    app = open_page("rencontres", page="2", q="x1")
    assert len(ids(app)) == 11  # x1, x10 … x19: one page
    app = open_page("rencontres", page="3")
    app.text_input(key="q").set_value("x").run()
    assert ids(app)[0] == "x59"  # another list begins on its first page


def test_parties_are_sorted_by_the_database(open_page):
    many(open_page)
    first = {"oldest": "x0", "added": "x59", "event": "x56", "deals": "x59", "status": "x59"}
    assert {sort: ids(open_page("rencontres", sort=sort))[0] for sort in first} == first


def test_parties_filters_by_player_event_dates_and_announcement(games, open_page):
    for query, count in (
        ({"player": "Jean"}, 3),
        ({"player": "zoe"}, 4),
        ({"player": "personne"}, 0),
        ({"event": "Championnat *du* <i>monde</i>"}, 6),
        ({"since": "2026-03-02", "until": "2026-03-03"}, 2),
        ({"preset": "lavardin", "game": "Chouine", "status": "legal"}, 6),
    ):
        app = open_page("rencontres", **query)
        assert (len(ids(app)) if tables_of(app) else 0) == count, query
    quintes = open_page("rencontres", kind="quinte")
    assert 0 < len(ids(quintes)) < 9


def test_an_address_that_means_nothing_shows_the_whole_list(open_page):
    many(open_page, 30)
    for query in (
        {"status": "x", "page": "-3"},
        {"page": "999", "player": "", "event": "", "q": ""},
        {"page": "two", "sort": "1; DROP TABLE matches"},
        {"since": "yesterday", "until": "32/13/2026"},
        {"game": "<script>", "preset": "'; DROP TABLE matches;--", "kind": "x" * 300},
    ):
        app = open_page("rencontres", **query)
        assert (len(ids(app)), ids(app)[0]) == (25, "x29"), query


@pytest.mark.slow
def test_every_page_opens_a_store_of_a_thousand(open_page):
    many(open_page, 1000)
    for page in PAGES:
        assert open_page(page).title
    assert ids(open_page("rencontres", page="40", sort="oldest"))[-1] == "x999"
    assert {one.label: one.value for one in open_page().metric}["Rencontres"] == "1\u202f000"


@pytest.mark.parametrize("text", [HOSTILE, LONG, "'; DROP TABLE matches;--", "<b>", "%", "*_`"])
def test_any_text_may_be_searched_for(games, open_page, text):
    for key in ("q", "event"):
        app = open_page("rencontres", **{key: text})
        assert tables_of(app) or "Aucune rencontre trouvée" in app.info[0].value
    assert len(ids(open_page("rencontres"))) == 9


# Relecture


def test_relecture_opens_where_the_link_says(games, open_page):
    data = board(open_page("relecture", match="m1", deal="2", ply="7"))
    assert data["ply"] == 7
    assert data["where"]["deal"] == "2"
    assert len(data["plies"]) > 20


@pytest.mark.parametrize(
    ("query", "deal", "at"),
    [
        ({"deal": "0", "ply": "-5"}, "1", "first"),
        ({"deal": "999", "ply": "999999"}, "last", "last"),
        ({"deal": "two", "ply": "1e9"}, "1", "first"),
        ({"deal": "", "ply": ""}, "1", "first"),
        ({}, "1", "first"),
    ],
)
def test_deal_and_ply_of_an_address_are_kept_within_bounds(games, open_page, query, deal, at):
    data = board(open_page("relecture", match="m1", **query))
    last = str(len(documents()[1]["deals"]))
    assert data["where"]["deal"] == {"last": last}.get(deal, deal)
    assert data["ply"] == (len(data["plies"]) - 1 if at == "last" else 0)


@pytest.mark.parametrize("match", ["nothing", "'; DROP TABLE matches;--", "%", "<script>"])
def test_a_match_nobody_has_offers_those_there_are(games, open_page, match):
    app = open_page("relecture", match=match)
    assert "Aucune rencontre" in app.warning[0].value
    assert len(tables_of(app)[0]) == 9


def test_another_deal_opens_at_its_beginning(games, open_page):
    app = open_page("relecture", match="m1", deal="2", ply="7")
    match_id = board(app)["where"]["match"]
    app.session_state["board"] = {"deal": f"{match_id} 3"}  # as the board asks
    data = board(app.run())
    assert (data["where"]["deal"], data["ply"]) == ("3", 0)


def test_a_fault_is_on_the_board(games, open_page):
    match_id = one_that_is("broken", games)
    data = board(open_page("relecture", match=match_id, ply="999"))
    assert data["ply"] == len(data["plies"]) - 1
    assert data["findings"][-1]["rule"] == "CH-5"


def test_an_unreadable_log_has_no_board_but_its_reason(games, open_page):
    match_id = one_that_is("unreadable", games)
    app = open_page("relecture", match=match_id)
    assert not [one for one in app.get("bidi_component") if "board" in one.proto.component_name]
    assert len(tables_of(app)[0]) == 1


@pytest.mark.parametrize("page", ["rencontres", "joueurs"])
def test_a_name_that_is_code_is_only_a_name(games, open_page, page):
    app = open_page(page)
    shown = tables_of(app)[0].to_string(max_colwidth=None)
    assert HOSTILE in shown
    assert LONG in shown


def test_hostile_names_on_the_replay_are_text(games, open_page):
    app = open_page("relecture", match="m2")  # the hostile name against the long one
    assert [text.value for text in app.text] == [f"{HOSTILE} – {LONG}"]
    assert [seat["name"] for seat in board(app)["seats"]] == [HOSTILE, LONG]
    for element in [*app.markdown, *app.caption]:
        assert "<i>" not in element.value.replace("\\<", "")
        assert HOSTILE not in element.value


# Joueurs, Annonces


def test_joueurs_searches_by_name(games, open_page):
    app = open_page("joueurs", name="zoe")
    assert tables_of(app)[0]["Nom"].tolist() == ["Zoé d’Orléans"]
    app.text_input[0].set_value("personne").run()
    assert app.info[0].value == "Aucun joueur de ce nom."


def test_a_player_has_figures_announcements_and_games(games, open_page):
    app = open_page("joueurs", player="zoé d’orléans", view="announcements")
    assert app.title[0].value == "Zoé d’Orléans"
    assert figures(app)["Rencontres"] == "4"
    kinds, recent = (table for table in tables_of(app))
    assert "mariage" in set(kinds["Annonce"])
    assert len(recent) == 4
    assert all("Zoé d’Orléans" in players for players in recent["Joueurs"])


def test_annonces_says_on_how_many_hands_it_rests(games, open_page):
    app = open_page("annonces")
    deals = sum(len(match["deals"]) for match in documents())
    nbsp, thin = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
    message = f"Mains{nbsp}: {2 * deals}. Donnes comptées{nbsp}: {deals}{thin};"
    assert message in app.caption[0].value
    table = tables_of(app)[0]
    assert set(table["n"]) == {2 * deals}
    assert all(" – " in interval for interval in table["Intervalle à 95\N{NARROW NO-BREAK SPACE}%"])


# every game


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_a_store_of_all_games(every_game, open_page, page):
    app = open_page(page)
    if page not in OWN:
        assert tables_of(app)


@pytest.mark.parametrize(
    "match", ["chouine-3-0", "chouine-4-0", "mondoubleau-2-0", "coinche-4-0", "chouineurs-5-0"]
)
@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.sample("fr-chouine-3-0", "en-coinche-4-0", "fr-chouineurs-5-0")
def test_relecture_shows_every_game(every_game, open_page, match, lang):
    data = board(open_page("relecture", match=match, deal="1", ply="9", lang=lang))
    assert len(data["seats"]) == int(match.split("-")[1])
    assert (data["ply"], data["where"]["deal"], data["findings"]) == (9, "1", [])
    assert all(seat["hand"] for seat in data["plies"][0]["seats"])


def test_matches_filters_by_game_and_tells_each_score_its_own_way(every_game, open_page):
    app = open_page("rencontres", game="Coinche")
    rows = tables_of(app)[0]
    assert set(rows["Jeu"]) == {"Coinche"}
    assert all(names.count(" + ") == 2 for names in rows["Joueurs"])
    assert all(score.count(" – ") == 1 for score in rows["Score"])
    app.selectbox(key="game").select("chouineurs").run()
    rows = tables_of(app)[0]
    assert set(rows["Jeu"]) == {"Chouineurs"}
    assert sorted(score.count(" – ") + 1 for score in rows["Score"]) == [2, 2, 3, 3, 4, 4, 5, 5]
    assert app.selectbox(key="preset").options == ["Blam"]


@pytest.mark.parametrize("game", ["nothing", "'; --", ""])
def test_a_game_nobody_knows_filters_nothing(every_game, open_page, game):
    for page in ("rencontres", "joueurs", "annonces"):
        assert tables_of(open_page(page, game=game))


def test_joueurs_keeps_games_and_tables_apart(every_game, open_page):
    app = open_page("joueurs")
    assert app.selectbox(key="game").value == "chouine"  # most deals
    app.selectbox(key="game").select("coinche").run()
    assert not app.exception
    assert "Score moyen de l’équipe" in tables_of(app)[0]
    assert "Annonces par partie" not in tables_of(app)[0]
    app.selectbox(key="game").select("chouineurs").run()
    assert "Paris tenus" in tables_of(app)[0]
    app.selectbox(key="player_count-chouineurs").select(5).run()
    assert not app.exception
    assert len(tables_of(app)[0]) <= 10


def test_annonces_of_coinche_are_its_contracts(every_game, open_page):
    app = open_page("annonces", game="Coinche")
    table = tables_of(app)[0]
    deals = sum(len(match["deals"]) for match in simulated("coinche", "tournoi-2018", 4))
    assert table["Pris"].sum() <= deals
    assert f"Donnes comptées\N{NO-BREAK SPACE}: {deals}\N{NARROW NO-BREAK SPACE};" in app.caption[0].value
    app.selectbox(key="game").select("chouine").run()
    assert "mariage" in set(tables_of(app)[0]["Annonce"])
    assert "Chouineurs" not in app.selectbox(key="game").options


def test_a_contract_that_is_chosen_lists_the_deals_it_was_bid_in(path: Path, open_page):
    with Store(path) as store:
        list(ingest(store, [DATA / "match-coinche.json"]))
    for lang, found in (("fr", "Donnes trouvées\N{NO-BREAK SPACE}: 3"), ("en", "Deals found: 3")):
        app = open_page("annonces", game="Coinche", lang=lang)
        row = tables_of(app)[0].iloc[:, 0].to_list().index(80)  # bid in deals 8, 9 and 10
        open_row(app, "contracts", row)
        assert found in [one.value for one in app.caption]
        listed = tables_of(app)[1]
        assert listed["Deal" if lang == "en" else "Donne"].to_list() == [10, 9, 8]
        assert set(listed["open"]) == {"Replay" if lang == "en" else "Relecture"}


def test_a_figure_is_narrowed_by_its_address_in_either_language(games, open_page):
    for lang in ("fr", "en"):
        for item in ("irregular", "irrégulière"):
            app = open_page("joueurs", status=item, lang=lang)
            assert app.multiselect(key="status").value == ["irregular"]
            assert app.info  # the one irregular deal of this store has no winner


@pytest.mark.parametrize("order", ["oldest", "Oldest first", "Les plus anciennes"])
def test_an_address_is_put_into_the_language_of_its_page(games, open_page, order):
    for lang, here in (("fr", "Les plus anciennes"), ("en", "Oldest first")):
        app = open_page("rencontres", sort=order, status="irregular", lang=lang)
        assert app.selectbox(key="sort").value == "oldest"
        assert app.query_params["sort"] == here  # so that a reload and the way back keep it
        assert app.query_params["status"] == {"fr": "irrégulière", "en": "irregular"}[lang]


@pytest.mark.parametrize(
    "query",
    [
        {"since": "tomorrow"},
        {"until": "2026-13-45"},
        {"status": "'; --"},
        {"since": "", "until": "", "event": "", "opponent": ""},
        {"player_count-chouine": "17"},
    ],
)
@pytest.mark.parametrize("page", ["joueurs", "annonces"])
@pytest.mark.sample("joueurs-query1", "joueurs-query4", "annonces-query0", "annonces-query2")
def test_a_filter_that_means_nothing_filters_nothing(games, open_page, page, query):
    as_usual = open_page(page).caption[0].value
    assert open_page(page, **query).caption[0].value == as_usual


def test_joueurs_against_one_player_leaves_that_player_out(games, open_page):
    app = open_page("joueurs", opponent="Jean")
    assert "Jean" not in tables_of(app)[0]["Nom"].tolist()
    assert "Zoé d’Orléans" in tables_of(app)[0]["Nom"].tolist()


def test_annonces_of_a_store_that_has_none_says_what_to_do(path, open_page):
    text = json.dumps(simulated("chouineurs", "blam", 3)[0]).encode()
    with Store(path) as store:
        list(ingest(store, [("manches.json", BytesIO(text))]))
    assert "éposez" in open_page("annonces").info[0].value
    assert tables_of(open_page("joueurs"))


@pytest.mark.parametrize(
    ("game", "view", "heading", "recent"),
    [
        ("coinche", "contracts", "Contrats pris", "Gaston + Paulette – Denise + André"),
        ("chouineurs", "bids", "Cartes Pari", "Gaston – Denise"),
    ],
)
def test_a_players_profile_has_the_figures_of_the_game(every_game, open_page, game, view, heading, recent):
    preset = "tournoi-2018" if game == "coinche" else "blam"
    someone = simulated(game, preset, 4)[0]["players"][0]["id"]
    app = open_page("joueurs", player=someone, game=game.capitalize(), view=view)
    assert heading in [one.value for one in app.header]
    app = open_page("joueurs", player=someone, game=game.capitalize(), view="records")
    assert tables_of(app)[-1]["Joueurs"].to_list() == [recent]  # of this game alone


def test_home_tells_what_there_is_of_each_game(every_game, open_page):
    rows = tables_of(open_page())[1]
    found = dict(zip(rows["Jeu"], rows["Rencontres"], strict=True))
    assert found == {"Chouine": 12, "Coinche": 2, "Chouineurs": 8, "Belote": 4}


# the store


def test_a_store_that_cannot_be_opened_is_explained(path, open_page):
    path.write_bytes(os.urandom(4096))
    app = open_page("rencontres")
    assert app.error[0].value == "La base ne peut pas être ouverte."
    assert path.name in app.text[0].value
    assert str(path.parent) not in app.text[0].value
