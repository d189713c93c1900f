"""Actions of pages check the role themselves: a forged press of a button does nothing."""

import ast
from collections.abc import Callable, Iterator
from datetime import date
from io import BytesIO
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import authentication, downloads
from dashboard.authentication import Principal, authenticate
from dashboard.store import open_store, replacing_store
from dashboard.text.labels import STATUS_LABELS
from dashboard.views.upload import store_uploads
from dashboard.widgets import current_store as page_access
from ingest.i18n import translator
from ingest.store import audit, pseudonyms, sessions, tokens, trash
from ingest.store.ingest_files import ingest
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Role
from tests.dashboard.conftest import FAUTES, Open
from tests.dashboard.tables import tables_of

pytestmark = pytest.mark.page

As = Callable[[Role | None], str]


@pytest.fixture
def signed_in(games: Path, monkeypatch: pytest.MonkeyPatch) -> As:
    """`signed_in(Role.READER)`: who looks at the pages from then on; the token that lets them."""
    made = dict[Role, str]()

    def become(role: Role | None) -> str:
        if role is not None and role not in made:
            made[role] = tokens.add_token(open_store(), f"a {role}", role)
        secret = made[role] if role is not None else None
        monkeypatch.setattr(page_access, "_bearer_header", lambda: secret)
        return secret or ""

    become(Role.ADMIN)
    return become


def matches() -> int:
    [(count,)] = open_store().cursor().execute("SELECT count(*) FROM matches").fetchall()
    return int(count)


def notices(app: AppTest) -> list[str]:
    return [one.value for one in (*app.error, *app.info)]


@pytest.mark.parametrize("role", [None, Role.READER, Role.CONTRIBUTOR])
def test_a_button_pressed_when_the_role_is_gone_does_nothing(
    open_page: Open, signed_in: As, role: Role | None
) -> None:
    everything = {"status": [*STATUS_LABELS]}
    app = open_page("donnees", **everything)
    signed_in(Role.ADMIN)
    app.button(key="delete").click().run()
    sure = app.button(key="delete-sure")
    before = matches()
    signed_in(role)
    sure.click().run()
    assert matches() == before
    assert any("Seul l’administrateur de cette base" in one for one in notices(app))
    assert not [one for one in app.button if one.key in ("delete", "empty", "backup", "purge-player")]
    signed_in(Role.ADMIN)
    again = open_page("donnees", **everything)
    again.button(key="delete").click().run()
    again.button(key="delete-sure").click().run()
    assert matches() == 0


WRITERS = {
    *("trash.delete_matches", "trash.undelete_matches", "trash.empty_trash", "trash.undo_upload"),
    *("pseudonyms.mask_player", "pseudonyms.unmask_player"),
    *("purging.purge_player", "purging.purge_matches", "replace_store", "revalidate_matches"),
    *("drafts.create_draft", "drafts.mark_added", "drafts.write_steps"),
    *("tokens.add_token", "tokens.revoke_token", "tokens.set_access", "sessions.end_session"),
    *("baseline.simulate_baseline", "ingest", "replace_match", "trash.restore_version"),
    *("player_merges.merge_players", "player_merges.rename_player", "player_merges.split_player"),
    *("player_merges.declare_different", "player_merges.undo_change"),
    *("sheet_mappings.forget_mapping", "remember_confirmed"),
    *("match_joins.declare_different", "match_joins.join_matches", "match_joins.undo_answer"),
}
"""What changes a store, as the pages call it."""


def test_no_page_writes_but_by_acting() -> None:
    """The author of a page that changes the store says here by which function it asks for a role.

    What is left out changes nothing a page says: signing in and out.
    """
    root, found = Path(authentication.__file__).parent, dict[str, set[str]]()
    for folder in ("api", "board", "views", "web", "widgets"):
        for path in (root / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            items = {ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.expr)}
            if items & WRITERS:
                called = {item.rpartition(".")[2] for item in items}  # by its module, or imported
                requests = called & {"acting_with_role", "acting_as_principal", "run_change", "change_button"}
                found[str(path.relative_to(root))] = requests
    assert found == {
        "api/logs.py": {"acting_as_principal"},
        "api/matches.py": {"acting_as_principal"},
        "views/announcements.py": {"acting_with_role"},
        "views/data.py": {"acting_with_role", "run_change"},
        "views/entry/page.py": {"acting_with_role", "run_change"},
        "views/imported_file.py": set(),  # the page that adds its file asks
        "views/match_duplicates.py": {"change_button"},
        "views/player_duplicates.py": {"run_change", "change_button"},
        "views/match_pages.py": {"acting_with_role"},
        "views/access.py": {"run_change", "change_button"},
        "views/upload.py": {"acting_with_role", "run_change", "change_button"},
        "views/validator/stored_match.py": {"run_change"},
        "views/versions.py": {"change_button"},
        "web/draft_endpoint.py": set(),  # the middleware asks for the role of each request
        "widgets/store_changes.py": {"acting_with_role", "run_change", "change_button"},
        "widgets/demo_progress.py": set(),  # of the person who started the server
    }


def test_a_contributor_takes_back_what_they_added_and_nothing_else(open_page: Open, signed_in: As) -> None:
    signed_in(Role.CONTRIBUTOR)
    [mine] = [one for one in tokens.read_tokens(open_store()) if one.role is Role.CONTRIBUTOR]
    before = matches()
    with audit.acting_as(mine.number):
        [report] = ingest(open_store(), [FAUTES / "points-differ.json"])
    assert (report.added, matches()) == (1, before + 1)
    app = open_page("deposer")
    [own] = [one for one in app.button if (one.key or "").startswith("take-back-")]
    own.click().run()
    assert matches() == before
    [undo] = [one for one in app.button if (one.key or "").startswith("undo-")]
    undo.click().run()
    assert matches() == before + 1
    # what others deleted is not theirs to bring back
    theirs = trash.delete_matches(open_store(), [0])
    assert not [one for one in open_page("deposer").button if one.key == f"undo-{theirs}"]


@pytest.mark.parametrize(
    ("role", "added"), [(None, 0), (Role.READER, 0), (Role.CONTRIBUTOR, 1), (Role.ADMIN, 1)]
)
def test_a_file_is_added_by_those_who_may_and_in_their_name(
    signed_in: As, role: Role | None, added: int
) -> None:
    signed_in(role)
    log = BytesIO((FAUTES / "points-differ.json").read_bytes())
    log.name, log.size = "a.json", len(log.getvalue())  # type: ignore[attr-defined]
    before = matches()
    store_uploads(open_store(), [log], translator("fr", "dashboard"))
    assert matches() == before + added
    assert (
        len(audit.file_numbers_by_token(open_store().cursor(), page_access.current_principal().token_no))
        == added
    )


def test_another_contributor_s_file_is_not_theirs_to_take_back(open_page: Open, signed_in: As) -> None:
    signed_in(Role.CONTRIBUTOR)
    tokens.add_token(open_store(), "another", Role.CONTRIBUTOR)
    [another] = [one for one in tokens.read_tokens(open_store()) if one.name == "another"]
    with audit.acting_as(another.number):
        list(ingest(open_store(), [FAUTES / "points-differ.json"]))
    keys = [one.key or "" for one in open_page("deposer").button]
    assert not [key for key in keys if key.startswith("take-back")]


def test_who_is_behind_a_pseudonym_only_the_admin_sees(open_page: Open, signed_in: As) -> None:
    pseudonyms.mask_player(open_store(), 0)
    masked = "Joueurs masqués"
    assert [one.label for one in open_page("donnees").expander if one.label.startswith(masked)]
    signed_in(Role.CONTRIBUTOR)
    assert len(open_page("donnees").expander) == 0


def test_the_admin_makes_a_token_which_is_shown_once_and_revokes_it(open_page: Open, signed_in: As) -> None:
    app = open_page("acces")
    app.text_input(key="token-name").set_value("zoe")
    app.selectbox(key="token-role").set_value(Role.READER)
    [make] = [one for one in app.button if one.label == "Créer un jeton"]
    make.click().run()
    link, secret = [one.value for one in app.code]
    assert link == f"/in#{secret}"
    assert authenticate(secret, None).role is Role.READER
    app.run()
    assert not app.code
    [zoe] = [one.number for one in tokens.read_tokens(open_store()) if one.name == "zoe"]
    app.selectbox(key="token-chosen").set_value(zoe).run()
    app.button(key="revoke").click().run()
    app.button(key="revoke-sure").click().run()
    assert authenticate(secret, None) == Principal(Role.READER)  # as anybody
    acts = [row[0] for row in open_store().cursor().execute("SELECT action FROM audit").fetchall()]
    assert acts[-2:] == ["token", "revoke"]


def test_the_last_admin_is_not_locked_out(open_page: Open, signed_in: As) -> None:
    app = open_page("acces")
    app.selectbox(key="token-chosen").set_value(1).run()
    app.button(key="revoke").click().run()
    app.button(key="revoke-sure").click().run()
    assert any("dernier jeton d’administrateur" in one for one in notices(app))
    assert tokens.read_tokens(open_store())[0].is_valid


def test_the_first_token_is_an_admin_s(open_page: Open, games: Path) -> None:
    app = open_page("acces")
    app.text_input(key="token-name").set_value("zoe")
    app.selectbox(key="token-role").set_value(Role.READER)
    [make] = [one for one in app.button if one.label == "Créer un jeton"]
    make.click().run()
    assert any("Le premier jeton" in one for one in notices(app))
    assert tokens.read_tokens(open_store()) == ()


def test_reading_that_is_closed_ends_pages_that_are_open(open_page: Open, signed_in: As) -> None:
    signed_in(None)
    app = open_page("rencontres")
    assert tables_of(app)
    tokens.set_access(open_store(), True)
    app.run()
    assert not tables_of(app)
    assert any("il faut un jeton" in one for one in notices(app))
    signed_in(Role.READER)
    app.run()
    assert tables_of(app)


def test_a_file_made_for_somebody_is_for_nobody_else(signed_in: As) -> None:
    ready = downloads.make_download("a.csv", lambda path: path.write_text("a"), 1)
    assert downloads.is_download_of(f"/{ready.address}", 1)
    assert not downloads.is_download_of(f"/{ready.address}", None)
    assert not downloads.is_download_of(f"/{ready.address}", 2)
    assert not downloads.is_download_of("/exports/never/made", None)


# who somebody is


@pytest.fixture
def how() -> Iterator[Callable[[ServerHosts], None]]:
    """The address this process serves on, for a while."""
    yield authentication.set_hosts
    authentication.set_hosts(ServerHosts())


def test_on_a_computer_of_one_s_own_nobody_needs_a_token_until_there_is_one(
    games: Path, how: Callable[[ServerHosts], None]
) -> None:
    assert authenticate(None, None) == Principal(Role.ADMIN)
    for reached in (
        ServerHosts("0.0.0.0"),
        ServerHosts("192.168.1.7"),
        ServerHosts("localhost", ["club.example"]),
        ServerHosts("127.0.0.1", proxies=["127.0.0.1"]),
    ):
        how(reached)
        assert authenticate(None, None) == Principal(Role.READER), reached
    how(ServerHosts("127.0.0.1", ["localhost"]))
    assert authenticate(None, None) == Principal(Role.ADMIN)
    secret = tokens.add_token(open_store(), "zoe", Role.CONTRIBUTOR)
    assert authenticate(None, None) == Principal(Role.READER)
    assert authenticate(secret, None) == Principal(Role.CONTRIBUTOR, 1, "zoe")
    tokens.revoke_token(open_store(), 1)  # one that was made stays made
    assert authenticate(secret, None) == authenticate(None, None) == Principal(Role.READER)


def test_a_session_ends_with_its_token_at_once(games: Path) -> None:
    secret = tokens.add_token(open_store(), "zoe", Role.ADMIN, date(2999, 12, 31))
    opened = sessions.sign_in(open_store(), secret)
    assert opened is not None
    session, token = opened
    assert authenticate(None, session).token_no == token.number
    sessions.sign_out(open_store(), session)
    assert authenticate(None, session) == Principal(Role.READER)
    again = sessions.sign_in(open_store(), secret)
    assert again is not None
    tokens.revoke_token(open_store(), token.number)
    assert authenticate(None, again[0]) == Principal(Role.READER)
    assert sessions.sign_in(open_store(), secret) is None


def test_people_see_and_end_the_sessions_of_their_token_and_an_admin_all(
    open_page: Open, signed_in: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, reader = (sessions.sign_in(open_store(), signed_in(role)) for role in (Role.ADMIN, Role.READER))
    assert admin is not None
    assert reader is not None
    monkeypatch.setattr(page_access, "_session_cookie", lambda: reader[0])

    def listed(app: AppTest) -> list[tuple[str, str]]:
        [table] = [one.value for one in app.dataframe if "Session" in one.value]
        return sorted(zip(table["Jeton"], table["Navigateur"], strict=True))

    app = open_page("acces")
    assert listed(app) == [("a reader", "celui-ci")]
    assert not [one for one in app.button if one.key == "revoke"]
    signed_in(Role.ADMIN)
    app = open_page("acces")
    assert listed(app) == [("a admin", "–"), ("a reader", "celui-ci")]
    [chosen] = [one.id for one, token in sessions.open_sessions(open_store()) if token.role is Role.READER]
    app.selectbox(key="session-chosen").set_value(chosen).run()
    end = app.button(key="session-end")
    signed_in(Role.CONTRIBUTOR)  # whose session it is not
    end.click().run()
    assert authenticate(None, reader[0]).token_no is not None
    signed_in(Role.ADMIN)
    app = open_page("acces")
    app.selectbox(key="session-chosen").set_value(chosen).run()
    app.button(key="session-end").click().run()
    assert authenticate(None, reader[0]).token_no is None
    assert listed(app) == [("a admin", "–")]


def test_a_store_put_in_the_place_of_another_says_anew_who_may(games: Path) -> None:
    before = games.read_bytes()
    secret = tokens.add_token(open_store(), "zoe", Role.CONTRIBUTOR)
    assert authenticate(secret, None).token_no == 1
    with replacing_store() as opened, opened.replacing_file():
        opened.close()
        games.write_bytes(before)
    assert authenticate(secret, None) == Principal(Role.ADMIN)  # no token was made yet


def test_the_store_has_no_token_and_no_session_in_clear(games: Path) -> None:
    secret = tokens.add_token(open_store(), "zoe", Role.ADMIN)
    opened = sessions.sign_in(open_store(), secret)
    assert opened is not None
    held = games.read_bytes()
    for clear in (secret, secret.removeprefix(tokens.TOKEN_PREFIX), opened[0]):
        assert clear.encode() not in held


@pytest.mark.parametrize(("role", "first"), [(Role.READER, "rencontres"), (Role.CONTRIBUTOR, "deposer")])
def test_the_main_way_in_is_one_that_is_open(open_page: Open, signed_in: As, role: Role, first: str) -> None:
    signed_in(role)
    assert open_page("accueil").main.get("page_link")[0].proto.page == first
