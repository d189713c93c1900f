"""Tokens on the command line and in the store, and who did what."""

from datetime import date, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from ingest.cli.terminal_tables import TerminalConsole
from ingest.store import audit, pseudonyms, purge, sessions, tokens, trash
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.grants import read_grants
from ingest.store.ingest_files import ingest
from ingest.store.tokens import TOKEN_PREFIX, Role
from tests.ingest.conftest import FAUTES, Command, Filled

pytestmark = pytest.mark.slow


def one_match(store: Store) -> None:
    list(ingest(store, [FAUTES / "chouine" / "must-follow.json"]))


@pytest.fixture
def store(filled: Filled) -> Path:
    return filled(one_match)


def test_add_prints_the_token_alone_on_its_last_line_and_no_other_command_does(
    retourne: Command, store: Path
) -> None:
    done = retourne("token", "add", "zoe", "--role", "admin", "--store", store)
    secret = done.out.splitlines()[-1]
    assert (done.code, secret.startswith(TOKEN_PREFIX), " " in secret) == (0, True, False)
    assert "A token for zoe, admin." in done.err
    with Store(store) as opened:
        found = tokens.valid_token(tokens.read_tokens(opened), secret)
    assert found is not None
    assert (found.name, found.role) == ("zoe", Role.ADMIN)
    for words in (["list"], ["revoke", "zoe"], ["list"]):
        again = retourne("token", *words, "--store", store)
        assert secret not in again.out + again.err
    assert again.out.split("\t")[-1] == "revoked\n"


def test_a_token_works_until_its_last_day_is_over(store: Path) -> None:
    today = date.today()
    with Store(store) as opened:
        secret = tokens.add_token(opened, "zoe", Role.READER, today)
        assert tokens.valid_token(tokens.read_tokens(opened), secret) is not None
        assert tokens.read_tokens(opened)[0].last_day == today
        with pytest.raises(StoreError, match="over"):
            tokens.add_token(opened, "jean", Role.READER, today - timedelta(days=1))
        with opened.transaction():
            opened.connection.execute("UPDATE tokens SET expires_at = now()")
        assert tokens.valid_token(tokens.read_tokens(opened), secret) is None
        assert sessions.sign_in(opened, secret) is None
        tokens.add_token(opened, "zoe", Role.READER)  # the name is free again


def test_a_name_is_taken_in_any_case(retourne: Command, store: Path) -> None:
    assert retourne("token", "add", "Marcel", "--role", "reader", "--store", store).code == 0
    done = retourne("token", "add", "marcel", "--role", "reader", "--store", store)
    assert (done.code, "There is a token of that name already" in done.err) == (2, True)
    assert retourne("token", "revoke", "MARCEL", "--store", store).code == 0
    again = retourne("token", "revoke", "marcel", "--store", store)
    assert (again.code, again.err) == (2, "Error: The token marcel was revoked already.\n")


def test_a_day_that_is_none_is_reported_with_how_to_write_one(retourne: Command, store: Path) -> None:
    words = ("token", "add", "zoe", "--role", "reader", "--expires", "30/06/2027", "--lang", "fr")
    done = retourne(*words, "--store", store)
    assert done.code == 2
    assert "année, mois, jour, 2027-06-30" in done.err
    assert "30/06/2027 n’en est pas un." in done.err


def test_tokens_are_listed_in_the_reader_s_language_below_headings(retourne: Command, store: Path) -> None:
    retourne("token", "add", "zoe", "--role", "admin", "--store", store)
    done = retourne("token", "list", "--store", store, "--lang", "fr")
    assert done.err.splitlines()[0].split() == ["Nom", "Rôle", "Créé", "le", "Dernier", "jour", "État"]
    assert done.out.split("\t")[:2] == ["zoe", "administrateur"]


def test_on_a_terminal_tokens_stand_below_their_headings(
    retourne: Command, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TerminalConsole, "is_read", True)
    retourne("token", "add", "zoe of the club", "--role", "admin", "--store", store)
    heads, row = retourne("token", "list", "--store", store, "--lang", "en").out.splitlines()[:2]
    assert "\t" not in row
    assert heads.index("Role") == row.index("admin")


def test_what_cannot_be_is_reported(retourne: Command, store: Path) -> None:
    def error_of(*words: str) -> str:
        done = retourne("token", *words, "--store", store)
        assert done.code == 2
        return done.err

    assert "needs a name" in error_of("add", "  ", "--role", "reader")
    assert retourne("token", "add", "zoe", "--role", "reader", "--store", store).code == 0
    assert "already: zoe" in error_of("add", " zoe ", "--role", "admin")
    assert "No token of that name: jean" in error_of("revoke", "jean")
    assert "--expires" in error_of("add", "jean", "--role", "reader", "--expires", "soon")
    assert "--role" in error_of("add", "jean", "--role", "king")


@pytest.mark.parametrize("name", ["x\ny", "x\ty", "x\x1b[31m", "x\0", "x\udcff"])
def test_a_token_s_name_is_one_line_of_text(filled: Filled, name: str) -> None:
    with Store(filled(one_match)) as opened:
        with pytest.raises(StoreError) as refused:
            tokens.add_token(opened, name, Role.READER)
        assert refused.value.text == tokens.TOKEN_NAME_ONE_LINE
        assert tokens.read_tokens(opened) == ()


def test_a_store_is_public_until_it_is_private(retourne: Command, store: Path) -> None:
    assert "The store is public" in retourne("token", "list", "--store", store).err
    for _ in range(2):
        assert retourne("token", "access", "private", "--store", store).code == 0
    with Store(store) as opened:
        assert tokens.is_private(opened)
    assert "The store is public" in retourne("token", "access", "public", "--store", store).out


def test_each_act_is_written_down_with_whose_it_was_and_no_name(store: Path) -> None:
    with Store(store) as opened:
        tokens.add_token(opened, "zoe", Role.ADMIN)
        with audit.acting_as(1):
            list(
                ingest(
                    opened, [("again.json", BytesIO((FAUTES / "chouine" / "wrong-turn.json").read_bytes()))]
                )
            )
            number = trash.delete_matches(opened, [1])
            assert number is not None
            trash.undelete_matches(opened, number)
            pseudonyms.mask_player(opened, 0)
        rows = opened.cursor().execute("SELECT token_no, action, n FROM audit").fetchall()
        assert rows == [
            (None, "add", 1),
            (None, "token", None),
            (1, "add", 1),
            (1, "delete", 1),
            (1, "undelete", 1),
            (1, "mask", 1),
        ]
        assert audit.file_numbers_by_token(opened.cursor(), 1) == {1}
        assert audit.deletions_by_token(opened.cursor(), 1) == {number}
        assert audit.file_numbers_by_token(opened.cursor(), None) == set()
        # what is not done is not written down
        with pytest.raises(StoreError):
            tokens.add_token(opened, "zoe", Role.READER)
        [(count,)] = opened.cursor().execute("SELECT count(*) FROM audit").fetchall()
        assert count == len(rows)


def test_tokens_outlive_a_purge_and_a_name_in_one_does_not(store: Path) -> None:
    with Store(store) as opened:
        [(name,)] = opened.cursor().execute("SELECT name FROM players LIMIT 1").fetchall()
        secret = tokens.add_token(opened, f"{name} at home", Role.READER)
        session, _ = sessions.sign_in(opened, secret) or ("", None)
        purge.purge_player(opened, 0)
    with Store(store) as opened:
        known = read_grants(opened)
        found = known.by_token(secret)
        assert found is not None
        assert name not in found.name
        assert known.by_session(session) == found
        what = opened.cursor().execute("SELECT action FROM audit ORDER BY done_at").fetchall()
    assert what[-1] == ("purge",)
    assert name.encode() not in store.read_bytes()


def test_a_purge_renames_the_tokens_that_have_the_whole_name_and_says_so(
    retourne: Command, store: Path
) -> None:
    with Store(store) as opened:
        [(player, name), *_] = pseudonyms.known_names(opened).values()
        for called in ("Odile", f"{player} (phone)", name.upper(), name[:3]):
            tokens.add_token(opened, called, Role.READER)
    done = retourne("purge", player, "--yes", "--store", store)
    assert "called by their number now: token 2, token 3" in done.out
    with Store(store) as opened:
        left = [one.name for one in tokens.read_tokens(opened)]
    assert left == ["Odile", "token 2", "token 3", name[:3]]
