"""No part of a hidden name is in any byte that leaves the store, however it was written down."""

import json
import re
import tempfile
import unicodedata
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engine.games import game_names
from ingest.redact.anonymize_log import anonymize_log, redact_log
from ingest.redact.free_text import text_redactor
from ingest.store import pseudonyms
from ingest.store.export import Format, KeepField, Table, write_logs, write_table
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from schemas.player_key import fold_text
from schemas.simulated import simulate_season
from tests.ingest.conftest import Command
from tests.ingest.logs import documents, hidden

WORD = st.text(alphabet="gjkmouwxyzéèïôçñÉŒßж", min_size=3, max_size=7).filter(
    lambda word: re.search("[^0-9a-f]", fold_text(word))  # as ids and pseudonyms have by chance
)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
CASES = (str, str.upper, str.lower, str.title, str.swapcase)


def written(part: str) -> list[str]:
    """A name as people write it."""
    separate = unicodedata.normalize("NFD", part)
    return [case(one) for one in (part, separate, fold_text(part)) for case in CASES]


def named_everywhere(name: str, place: int) -> dict[str, Any]:
    """A match that has a player's name in every place where a log has words of its own."""
    one = documents(place + 1)[place]
    items = [*written(name), *(again for part in name.split() for again in written(part))]
    player = {"id": fold_text(name), "name": name, f"_{name}": items, "club": f"Club {name}"}
    one["players"] = [player, {"id": "q1", "name": "Qq"}]
    one |= {"id": f"x{'_'.join(items)}{place}", "event": {"name": f"Chez {items}", name: name}}
    one |= {"source": {"name": f"/home/{fold_text(name)}2/a"}, "_note": {"at": [items, {name: 1}]}}
    one |= {name: items}
    one["deals"][0]["comments"] = [{"after": 0, "text": " ".join(items), "by": name}]
    one["deals"][0][f"_{name}"] = name
    return one


def broken(name: str, place: int) -> dict[str, Any]:
    """The same among the acts and the rules of it."""
    one = named_everywhere(name, place)
    one["deals"][0]["actions"][2] = f"1 {name}"
    return one | {"rules": {"preset": "lavardin", name: name}}


def unread(name: str, place: int) -> dict[str, Any]:
    """The same in texts that the format has no place for, so that the match has no seats."""
    one = named_everywhere(name, place)
    part, again = name.split()[0], name.split()[-1]
    one["deals"][0]["comments"] = f"Bravo {part} ! " + "et encore " * 5 + name * 9
    return one | {"event": f"Chez {again}", "rules": f"comme {part}", "format": f"chez {part}"}


def filled(store: Store, name: str) -> None:
    """The player in two matches, and in the event of one of somebody else."""
    other = documents(4)[3] | {"players": [{"id": "q2", "name": "Qr"}, {"id": "q1", "name": "Qq"}]}
    other["event"] = {"name": f"Coupe {name.upper()}"}
    unreadable = {"format": "retourne/1", "_by": name, "players": [name]}
    every = [named_everywhere(name, 0), broken(name, 1), other, unreadable, unread(name, 2)]
    text = "\n".join([*map(json.dumps, every), json.dumps(unread(name, 3))[:-1]]).encode()
    list(ingest(store, [(f"chez-{name}.jsonl", BytesIO(text))]))


def exported(store: Store, folder: Path, anonymous: bool, keep: Sequence[KeepField] = ()) -> dict[str, str]:
    """Everything that can be exported, by what it is; Parquet as it reads."""
    found = {}
    with (folder / "logs").open("wb+") as file:
        write_logs(store, file, anonymous=anonymous, keep_fields=keep)
        file.seek(0)
        found["logs"] = file.read().decode()
    for table in Table:
        for format in Format:
            path = folder / "table"
            write_table(store, table, format, path, anonymous=anonymous, keep_fields=keep)
            if format is Format.PARQUET:
                rows = duckdb.execute("FROM read_parquet(?)", [str(path)]).fetchall()
                found[f"{table}.{format}"] = str(rows)
            else:
                found[f"{table}.{format}"] = path.read_text(encoding="utf-8")
    return found


@cache
def everybodys() -> str:
    """What stands in an export of any players: "coi" is in a column's name."""
    with tempfile.TemporaryDirectory() as place, Store(Path(place) / "a.duckdb") as store:
        filled(store, "Bd Bd")
        some = (exported(store, Path(place), way, tuple(KeepField)) for way in (False, True))
        return "".join(text for one in some for text in one.values())


def traces(name: str, text: str) -> list[str]:
    """The parts of a name that are in a text, whatever their case and accents."""
    parts = [part for part in re.findall(r"[^\W\d_]{3,}", fold_text(name)) if part in fold_text(text)]
    return [*parts, *(part for part in name.split() if part.lower() in text.lower())]


@pytest.mark.slow
@pytest.mark.parametrize(("anonymous", "keep"), [(False, ()), (True, ()), (True, tuple(KeepField))])
@pytest.mark.sample("False-keep0", "True-keep2")
@settings(max_examples=1, deadline=None)
@example(name="Zoé Durœux")
@given(name=NAME)
def test_no_part_of_a_hidden_name_is_in_any_byte_of_an_export(
    name: str, anonymous: bool, keep: tuple[KeepField, ...]
) -> None:
    assume(not traces(name, everybodys()))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with Store(folder / "masked.duckdb") as store:
            filled(store, name)
            cursor = store.cursor().execute(
                "SELECT player_no FROM players WHERE player_id = ?", [fold_text(name)]
            )
            [(number,)] = cursor.fetchall()
            if not anonymous:
                pseudonyms.mask_player(store, number)
            for what, text in exported(store, folder, anonymous, keep).items():
                assert traces(name, text) == [], (what, text)
            numbers = store.cursor().execute("SELECT match_no FROM raw").fetchall()
            for (one,) in numbers if not anonymous else ():
                assert traces(name, store.read_match_text(one).decode()) == []


def test_what_is_asked_for_is_kept_without_the_names(tmp_path: Path) -> None:
    one = named_everywhere("Zoé", 0) | {"id": "t-1", "event": {"name": "Coupe du Loir"}}
    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, [("a.json", BytesIO(json.dumps(one).encode()))]))
        for keep in (
            (),
            (KeepField.EVENT,),
            (KeepField.EVENT, KeepField.ID, KeepField.NOTES, KeepField.COMMENTS),
        ):
            write_logs(store, file := BytesIO(), anonymous=True, keep_fields=keep)
            log = json.loads(file.getvalue())
            assert log.get("event") == ({"name": "Coupe du Loir"} if keep else None)
            assert log.get("id") == ("t-1" if KeepField.ID in keep else None)
            assert ("_note" in log) == (KeepField.NOTES in keep)
            assert ("comments" in log["deals"][0]) == (KeepField.COMMENTS in keep)
            assert log["deals"][0]["actions"] == one["deals"][0]["actions"]


@pytest.mark.parametrize("game", game_names())
def test_an_anonymous_log_is_the_same_game(game: str) -> None:
    for one in simulate_season(game, 2, 3):
        renamed = hidden(*((seat["id"], f"Joueur {i}") for i, seat in enumerate(one["players"])))
        text = json.dumps(one).encode()
        fields = json.loads(anonymize_log(text, renamed))
        assert validate(json.dumps(fields).encode()).status == validate(text).status
        for key in ("rules", "deals", "result", "deck", "bid_cards", "cuts"):
            assert fields.get(key) == one.get(key)


def test_another_player_of_the_same_name_keeps_it_in_the_seat() -> None:
    log = {"players": [{"id": "zoe1", "name": "Zoé"}, {"id": "zoe2", "name": "Zoé"}]}
    fields = json.loads(redact_log(json.dumps(log).encode(), hidden(("zoe1", "Joueur a", "Zoé"))))
    assert fields["players"] == [{"id": "Joueur a", "name": "Joueur a"}, log["players"][1]]


def test_a_name_of_this_log_alone_is_hidden_with_the_player() -> None:
    log = {"players": [{"id": "zoe", "name": "Zoé Durand"}], "event": {"name": "Chez Durand"}}
    text = redact_log(json.dumps(log).encode(), hidden(("zoe", "Joueur a"))).decode()
    assert "Durand" not in text


@pytest.mark.slow
@given(st.text(max_size=40))
def test_a_text_without_the_name_stays(text: str) -> None:
    assume("zoe" not in fold_text(text))
    assert text_redactor(["zoe"])(text) == text


@pytest.mark.slow
def test_only_an_anonymous_export_is_asked_what_to_keep(retourne: Command, club: Path) -> None:
    retourne("ingest", club)
    assert (
        "--keep-fields only works with --anonymous" in retourne("export", "--logs", "--keep-fields", "id").err
    )
    assert "id" in retourne("export", "--logs", "--anonymous", "--keep-fields", "id").objects[0]
