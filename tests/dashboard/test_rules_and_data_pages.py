"""The pages Rules, Data and Duplicates: terms, export, delete and undo, masks, splitting players."""

import errno
import io
import json
import re
from pathlib import Path
from urllib.parse import unquote

import duckdb
import pytest
from starlette.requests import Request
from starlette.responses import Response
from streamlit.testing.v1 import AppTest

from dashboard import downloads
from dashboard.games import all_definitions
from dashboard.queries import head_to_head, matches, player_search
from dashboard.queries.scope import Scope
from dashboard.store import store_path, store_version
from dashboard.text.definitions import GLOSSARY_HEADINGS
from dashboard.text.labels import STATUS_LABELS
from ingest.findings.rulebook import rules_by_id
from ingest.store.backup import backup, table_checksums
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.conftest import HOSTILE, LONG, NAMES, documents, simulated
from tests.dashboard.tables import links_of, tables_of


def page_text(app: AppTest) -> str:
    return "\n".join(one.value for one in app.markdown)


def click(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def confirm(app: AppTest, key: str, word: str = "SUPPRIMER") -> AppTest:
    """Type the word that a question asks for, and confirm."""
    app.text_input(key=f"{key}-word").set_value(word)
    return click(app, key)


# Règles


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_rule_of_every_game_is_on_the_page(open_page, lang):
    heads = set()
    for book in ("chouine", "coinche", "chouineurs", "belote"):
        app = open_page("regles", book=book, lang=lang)
        heads |= set(re.findall(r"<h3 [^>]*>(.+?) · ", page_text(app)))
    assert heads == set(rules_by_id(lang))


def test_a_link_to_a_rule_shows_it_and_opens_its_book(open_page):
    app = open_page("regles", rule="CO-9")
    assert app.markdown[0].value.startswith("**CO-9 · Abattre son jeu.**")
    assert app.segmented_control(key="book").value == "coinche"
    assert open_page("regles", rule="co-9", lang="en").markdown[0].value.startswith("**CO-9 · Claim.")


def test_a_link_to_a_term_defines_it(open_page):
    app = open_page("regles", **{"term": "held"})
    assert app.markdown[0].value.endswith("[CH-15](regles?rule=CH-15)")
    assert app.segmented_control(key="book").value == "terms"


@pytest.mark.parametrize("query", [{"rule": "CH-99"}, {"rule": "<b>"}, {"term": "';--"}, {"book": "x"}])
def test_a_link_to_nothing_opens_the_first_book(open_page, query):
    app = open_page("regles", **query)
    assert app.segmented_control(key="book").value == "chouine"


@pytest.mark.parametrize(
    ("words", "rule"), [("monter atout", "CH-9"), ("ch-9", "CH-9"), ("LEVÉES", None), ("étaler", None)]
)
def test_rules_are_searched_without_case_and_accents(open_page, words, rule):
    app = open_page("regles", words=words)
    if rule is None:
        assert "Aucune règle" in app.info[0].value
    else:
        assert f"**{rule} · " in page_text(app)


def test_presets_differ_where_the_engine_says(open_page):
    rows = tables_of(open_page("regles", lang="en"))[0]
    found = dict(zip(rows["Option"], rows["Complete rules"], strict=True))
    assert found["Points of a quinte"] == "100"
    assert "One announcement per player and suit" not in found
    assert dict(zip(rows["Option"], rows["Mondoubleau"], strict=True))["Points of a quinte"] == "50"


def test_the_terms_are_listed_under_headings_as_the_glossary_has_them(open_page):
    listed = page_text(open_page("regles", book="terms", lang="en"))
    assert re.findall(r"^## (.+)$", listed, re.MULTILINE) == [*GLOSSARY_HEADINGS.values()]
    assert "**Talon.** The cards left over by the deal" in listed
    assert listed.count("**Talon.**") == 1


def test_a_newcomer_finds_a_word_by_what_it_is(open_page):
    assert "**Surcouper.** " in page_text(open_page("regles", words="atout plus fort que"))


def test_every_term_names_a_rule_there_is():
    assert {one.rule for one in all_definitions().values()} - {None} <= set(rules_by_id("fr"))


# Accueil


def test_an_empty_store_takes_the_samples(open_page):
    app = click(open_page(), "samples")
    assert not app.error
    matches_there = {one.label: one.value for one in app.metric}["Rencontres"]
    assert int(matches_there) >= 10
    latest, _, _ = tables_of(app)
    assert len(latest) == 8


def test_the_three_ways_in_are_links(games, open_page):
    links = {link.proto.page for link in open_page().main.get("page_link")}
    assert {"deposer", "verificateur", "rencontres"} <= links


def test_the_card_to_be_found_is_a_link_as_the_others_are(games, open_page):
    [link] = open_page().main.get("link_button")
    assert link.proto.url.startswith("/r/trouver")
    assert link.proto.type == "tertiary"


# Déposer


def test_an_upload_is_taken_back_and_brought_back(open_page):
    app = open_page("deposer")
    text = "\n".join(json.dumps(match) for match in documents()).encode()
    app.file_uploader[0].upload("club.jsonl", text)
    app.button[0].click().run()
    assert len(tables_of(app)[0]) == 6
    click(app, "take-back")
    assert not tables_of(app)
    assert app.info[0].value == "Dépôt annulé."
    assert not tables_of(open_page("rencontres"))
    click(app, "undo-1")
    assert len(tables_of(app)[0]) == 6


# Données


def export(app: AppTest, what: str, format: str | None = None) -> Path:
    """What the page has ready after it was asked for a table."""
    app.selectbox(key="what").select(what).run()
    if format is not None:
        app.segmented_control(key="format").select(format).run()
    click(app, "prepare")
    [link] = app.get("link_button")
    token = unquote(link.proto.url).split("/")[1]
    return copy_of(downloads._downloads[token])


def copy_of(download: downloads.Download) -> Path:
    """A file beside the store with what a download has."""
    path = store_path().parent / download.token
    path.write_bytes(download.file.read())
    return path


def test_logs_chosen_by_a_filter_come_out_as_they_were(games, open_page):
    app = open_page("donnees", q="zoe", status="legal")
    lines = export(app, "logs").read_text().splitlines()
    wanted = [one for one in documents() if NAMES[1] in [p["name"] for p in one["players"]]]
    assert [json.loads(line) for line in lines] == wanted


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("table", ["matches", "players", "deals", "findings", "announcements"])
@pytest.mark.sample("matches-parquet", "players-csv", "deals-jsonl", "findings-csv", "announcements-jsonl")
def test_a_table_comes_out_in_every_format(games, open_page, table, format):
    path = export(open_page("donnees", status="legal"), table, format)
    read = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[format]
    found = 0
    if path.stat().st_size:
        [(found,)] = duckdb.execute(f"SELECT count(*) FROM {read}(?)", [str(path)]).fetchall()
    with Store(games) as store:
        legal = "(SELECT match_no FROM matches WHERE status = 'legal')"
        of = "player_no IN (SELECT player_no FROM seats WHERE match_no IN " + legal + ")"
        where = of if table == "players" else f"match_no IN {legal}"
        row = store.cursor().execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
    assert (found,) == row


def test_an_anonymous_export_has_no_name(games, open_page):
    app = open_page("donnees")
    app.toggle(key="anonymous").set_value(True).run()
    text = export(app, "logs").read_text()
    assert "Jean" not in text
    assert "Joueur " in text


def test_matches_are_deleted_after_a_question_and_come_back(games, open_page):
    app = open_page("donnees", status="broken")
    click(app, "delete")
    assert len(tables_of(open_page("rencontres"))[0]) == 9
    click(app, "delete-sure")
    listed = tables_of(open_page("rencontres"))[0]
    assert len(listed) == 8
    assert "impossible" not in set(listed["Verdict"])
    click(open_page("donnees"), "undo-1")
    assert len(tables_of(open_page("rencontres"))[0]) == 9


def test_no_match_is_deleted_that_no_filter_chose(games, open_page):
    app = open_page("donnees")
    assert not [one for one in app.button if one.key in ("delete", "purge-matches")]
    assert "Choisissez d’abord des rencontres avec les filtres ci-dessus." in [
        one.value for one in app.caption
    ]


def test_the_question_before_deleting_names_the_matches(games, open_page):
    app = click(open_page("donnees", q="m0"), "delete")
    assert "Jean – Zoé d’Orléans · 01/03/2026" in page_text(app).replace("\\", "")


def test_a_match_is_deleted_and_restored_on_its_own_page(games, open_page):
    app = click(click(open_page("relecture", match="m0"), "delete-match"), "delete-sure")
    [message] = [one.value for one in app.info]
    assert (
        message.replace("\\", "")
        == "Rencontre supprimée\N{NO-BREAK SPACE}: Jean – Zoé d’Orléans · 01/03/2026"
    )
    assert len(tables_of(open_page("rencontres"))[0]) == 8
    click(app, "undo-1")
    assert len(tables_of(open_page("rencontres"))[0]) == 9


def test_a_row_of_the_list_asks_by_name_before_its_match_is_deleted(games, open_page):
    app = open_page("rencontres", q="m0")
    [address] = links_of(app)["Relecture"]
    app.session_state["open-match"] = {"act": address.partition("match=")[2]}
    click(app.run(), "delete-sure")
    assert not tables_of(open_page("rencontres", q="m0"))


@pytest.mark.parametrize(("word", "left"), [("", 9), ("oui", 9), ("supprimer", 5)])
def test_what_cannot_be_undone_wants_a_word_typed(games, open_page, word, left):
    confirm(click(open_page("donnees", q="zoe"), "purge-matches"), "purge-sure", word)
    assert len(tables_of(open_page("rencontres"))[0]) == left


def test_a_backup_is_restored_on_the_page(games, open_page, tmp_path):
    with Store(games) as store:
        backup(store, copy := tmp_path / "copy.duckdb")
    click(click(open_page("donnees", q="zoe"), "delete"), "delete-sure")
    app = open_page("donnees")
    app.file_uploader(key="restore-file").set_value(("copy.duckdb", copy.read_bytes(), "")).run()
    app = confirm(click(app, "restore"), "restore-sure")
    assert "copy.duckdb" in app.success[0].value.replace("\\", "")
    assert len(tables_of(open_page("rencontres"))[0]) == 9


def test_an_emptied_trash_brings_nothing_back(games, open_page):
    before = click(open_page("donnees", status="broken"), "delete")
    named = next(one.value for one in before.markdown if " – " in one.value).splitlines()[0]
    app = click(before, "delete-sure")
    assert named in "".join(one.value for one in app.markdown)  # with the way back
    app = click(app, "empty")
    assert named in app.markdown[-1].value  # in the question
    confirm(app, "empty-sure")
    assert not [one for one in app.button if (one.key or "").startswith("undo")]
    assert "La corbeille est vide." in [one.value for one in app.caption]


def test_a_store_that_was_emptied_can_be_filled_again_from_its_trash(games, open_page):
    app = click(click(open_page("donnees", status=[*STATUS_LABELS]), "delete"), "delete-sure")
    assert "Déposer" in [link.label for link in open_page("rencontres").main.get("page_link")]
    click(open_page("donnees"), "undo-1")
    assert len(tables_of(open_page("rencontres"))[0]) == 9
    assert not app.exception


def test_a_masked_player_is_a_pseudonym_on_every_page(games, open_page):
    click(open_page("donnees", {"mask": "Zoé d’Orléans"}), "mask-player")
    for page in ("rencontres", "joueurs", "donnees"):
        shown = tables_of(open_page(page))[0].to_string(max_colwidth=None)
        assert ("Zoé" in shown) == (page == "donnees")  # where the owner reads who it is
        assert "Joueur " in shown
    board = open_page("relecture", match="m0")
    assert board.text[0].value.startswith("Jean – Joueur ")
    assert not tables_of(open_page("rencontres", q="zoe"))
    pseudonym = next(name for name in tables_of(open_page("joueurs"))[0]["Nom"] if name.startswith("Joueur"))
    click(open_page("donnees", {"mask": pseudonym}), "mask-player")
    assert open_page("relecture", match="m0").text[0].value == "Jean – Zoé d’Orléans"


@pytest.mark.parametrize("typed", ["Zoé", "zoe d’orleans", "Jea", "nobody"])
@pytest.mark.parametrize("key", ["mask", "purge"])
def test_nothing_is_done_to_a_player_who_was_not_named_exactly(games, open_page, key, typed):
    """A word that finds a player in a search may be of somebody else."""
    app = open_page("donnees", {key: typed})
    assert "Aucun joueur n’a exactement ce nom" in "".join(one.value for one in app.caption)
    assert not [one for one in app.button if one.key in ("mask-player", "purge-player")]


def test_of_two_of_a_name_one_is_purged_by_the_id_alone(path, open_page):
    for player in ("zoe-martin", "zoe2"):
        log = documents()[0] | {"id": player}
        log["players"] = [{"id": player, "name": "Zoé Martin"}, log["players"][1]]
        with Store(path) as store:
            list(ingest(store, [("one.json", io.BytesIO(json.dumps(log).encode()))]))
    app = open_page("donnees", {"purge": "Zoé Martin"})
    assert "zoe2" in "".join(one.value for one in app.caption)
    assert not [one for one in app.button if one.key == "purge-player"]
    app = open_page("donnees", {"purge": "zoe2"})
    assert [one.key for one in app.button if one.key == "purge-player"]
    app = click(open_page("donnees", {"purge": "Zoé Martin (zoe2)"}), "purge-player")
    assert "Zoé Martin (zoe2)" in page_text(app).replace("\\", "")


def test_no_link_chooses_whom_to_purge(games, open_page):
    app = open_page("donnees", purge="Zoé d’Orléans")
    assert not [one for one in app.button if one.key == "purge-player"]


def test_a_purged_player_is_gone_after_a_question_and_the_address_says_so(games, open_page):
    with Store(games, read_only=True) as store:
        found = store.cursor().execute("SELECT player_id FROM players WHERE name LIKE 'Zoé%'")
        [(zoe,)] = found.fetchall()
    app = open_page("donnees", {"purge": "Zoé d’Orléans"})
    app = click(app, "purge-player")
    assert f"Zoé d’Orléans ({zoe})" in page_text(app).replace("\\", "")
    assert "Zoé d’Orléans" in list(tables_of(open_page("joueurs"))[0]["Nom"])
    app = confirm(app, "purge-sure")
    assert "réécrites\xa0: 4" in app.success[0].value
    names = list(tables_of(open_page("joueurs"))[0]["Nom"])
    assert "Zoé d’Orléans" not in names
    assert [name[:7] for name in names].count("Joueur ") == 1
    assert "Ce joueur a été effacé" in open_page("joueurs", player=zoe).warning[0].value


def test_purged_matches_are_gone_and_their_addresses_say_so(games, open_page):
    app = confirm(click(open_page("donnees", q="zoe"), "purge-matches"), "purge-sure")
    assert not app.exception
    for page in ("relecture", "verificateur"):
        assert "n’est plus là" in open_page(page, match="m0").warning[0].value
    assert "n’est plus là" not in open_page("relecture", match="nowhere").warning[0].value


def test_a_heading_says_the_day_and_what_a_bare_number_is(path, open_page):
    event = {"name": "Tournoi", "round": 2, "table": "du fond"}
    fields = documents()[0] | {"played_at": "2026-03-01T14:00:00+01:00", "event": event}
    with Store(path) as store:
        list(ingest(store, [("one.json", io.BytesIO(json.dumps(fields).encode()))]))
    for lang, result in (
        ("fr", "01/03/2026 · Tournoi · tour 2 · du fond · régulière"),
        ("en", "2026-03-01 · Tournoi · round 2 · du fond · legal"),
    ):
        app = open_page("relecture", match="m0", lang=lang)
        assert result in [one.value.replace("\\", "") for one in app.caption]


def test_a_backup_is_the_whole_store_and_only_the_last_one_is_kept(games, open_page):
    app = open_page("donnees", status="broken")  # a filter is for exports
    remaining = []
    for _ in range(2):
        click(app, "backup")
        [link] = app.get("link_button")
        remaining.append(downloads._downloads[unquote(link.proto.url).split("/")[1]])
    assert remaining[0].file.closed
    assert remaining[1].name.startswith("store-")
    with Store(games) as store, Store(copy_of(remaining[1]), read_only=True) as copy:
        assert table_checksums(copy.cursor()) == table_checksums(store.cursor())
    assert remaining[1].rows == 9


def test_a_backup_that_cannot_be_written_is_reported(games, open_page, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ingest.store.backup.backup", full)
    app = click(open_page("donnees"), "backup")
    (result,) = (error.value.replace("\\", "") for error in app.error)
    assert result == "Impossible\xa0: le disque est plein."
    assert not app.get("link_button")


def sent(token: str) -> Response:
    return downloads.send_download(Request({"type": "http", "path_params": {"token": token}}))


@pytest.mark.slow
def test_a_file_nobody_prepared_is_not_sent(games):
    assert downloads.make_download("a.csv", lambda path: path.write_text("a"), None).rows == 1
    assert sent("nothing").status_code == 404
    ready = downloads.make_download("é.csv", lambda path: path.write_text("b"), None)
    token = ready.address.split("/")[1]
    answer = sent(token)
    assert (answer.status_code, answer.headers["content-length"]) == (200, "1")
    assert answer.headers["content-disposition"] == "attachment; filename*=utf-8''%C3%A9.csv"
    for _ in range(downloads.MAX_DOWNLOADS):
        downloads.make_download("c.csv", lambda path: path.write_text("c"), None)
    assert ready.file.closed
    assert sent(token).status_code == 404


# Face-à-face


def test_two_players_face_to_face(games, open_page):
    app = open_page("face_a_face", first="Jean", second="Zoé d’Orléans")
    wanted = [one for one in documents() if {p["name"] for p in one["players"]} == set(NAMES[:2])]
    figures = {one.label.replace("\\", ""): one.value for one in app.metric}
    first = sum(one["players"][one["result"]["winner"] - 1]["name"] == "Jean" for one in wanted)
    assert figures["Gagnées par Jean"] == str(first)
    assert figures["Gagnées par Zoé d’Orléans"] == str(len(wanted) - first)
    assert len(tables_of(app)[-1]) == len(wanted)


@pytest.mark.parametrize(
    "query", [{}, {"first": "Jean"}, {"first": "Jean", "second": "Jean"}, {"first": HOSTILE, "second": "?"}]
)
def test_face_to_face_asks_for_two_players(games, open_page, query):
    assert "Choisissez deux joueurs" in open_page("face_a_face", **query).info[0].value


def test_partners_are_no_opponents(every_cursor):
    match = simulated("coinche", "tournoi-2018", 4)[0]
    numbers = [player_search.find_player(every_cursor, one["id"]) or 0 for one in match["players"]]
    assert len(set(numbers)) == 4
    which = Scope("coinche", 4)
    together = head_to_head.series_counts(every_cursor, which, (numbers[0],), (numbers[2],))
    assert together["partners"] >= 1
    separate = head_to_head.series_counts(every_cursor, which, (numbers[0],), (numbers[1],))
    won = match["result"]["winner"]
    assert separate["first" if won == 1 else "second"] >= 1


# answers that are kept


def test_an_answer_is_kept_until_the_store_changes(games, open_page, monkeypatch):
    requested = list[object]()
    count = matches.count_matches

    def counted(cursor, *args):
        requested.append(args)
        return count(cursor, *args)

    monkeypatch.setattr(matches, "count_matches", counted)
    app = open_page("rencontres")
    once = len(requested)
    assert once
    app.run()
    assert len(requested) == once


@pytest.mark.slow
def test_the_version_grows_with_uploads_and_changes(path):
    from ingest.store import pseudonyms, trash
    from ingest.store.ingest_files import ingest

    with Store(path) as store:
        before = store_version(store)
        one = json.dumps(documents()[0]).encode()
        file = path.with_name("a.json")
        file.write_bytes(one)
        list(ingest(store, [file]))
        added = store_version(store)
        pseudonyms.mask_player(store, 0)
        masked = store_version(store)
        trash.delete_matches(store, [0])
        assert before < added < masked < store_version(store)


def test_long_and_hostile_names_can_be_chosen_everywhere(games, open_page):
    for name in (HOSTILE, LONG):
        assert tables_of(open_page("rencontres", player=name))
        assert open_page("donnees", {"mask": name}).button(key="mask-player").label == "Masquer"
