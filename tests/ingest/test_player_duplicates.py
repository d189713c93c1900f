"""Who may be one person is proposed by names, and no player is merged unasked."""

from pathlib import Path

import pytest

from ingest.store import player_merges
from ingest.store.player_duplicates import NameRelation, differing_names, likely_pairs, name_relation
from ingest.store.pseudonyms import mask_player
from tests.ingest.test_players import store_of


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Élodie Lefèvre", "élodie lefèvre", NameRelation.SAME),
        ("Élodie Lefèvre", "Elodie Lefevre", NameRelation.SPELLING),
        ("Jean-Paul", "Jean Paul", NameRelation.SPELLING),
        ("Élodie Lefèvre", "LEFEVRE Elodie", NameRelation.ORDER),
        ("É. Lefèvre", "Élodie Lefèvre", NameRelation.INITIALS),
        ("Lefèvre É.", "Élodie Lefèvre", NameRelation.INITIALS),
        ("Élodie L.", "Elodie Lefèvre", NameRelation.INITIALS),
        ("Élodie", "Élodie Lefèvre", NameRelation.SHORTER),
        ("Élodie Lefèvre", "Jean Lefèvre", None),
        ("É. Lefèvre", "Jean Lefèvre", None),
        ("É. L.", "Élodie Lefèvre", None),
        ("Paul (invité)", "Anne (invité)", None),
        ("É.", "Élodie", None),
        ("Marcel", "Marcel 2", None),
        ("Marcel 1", "Marcel 10", None),
    ],
)
def test_names_are_near_by_accents_order_initials_or_a_missing_name(
    one: str, other: str, relation: NameRelation | None
) -> None:
    assert name_relation(one, other) is name_relation(other, one) is relation


def pairs(path: Path, *tables: list[tuple[str, str]]) -> list[tuple[str, str]]:
    with store_of(path / "s.duckdb", *tables) as store:
        return [(one.name, one.other_name) for one in likely_pairs(store.cursor())]


def test_the_player_with_more_matches_comes_first(tmp_path: Path) -> None:
    tables = [[("e1", "Elodie"), ("j", "Jean")], [("e2", "Élodie"), ("j", "Jean")]]
    assert pairs(tmp_path, *tables, [("e2", "Élodie"), ("j", "Jean")]) == [("Élodie", "Elodie")]


def test_players_of_one_match_are_never_proposed(tmp_path: Path) -> None:
    assert pairs(tmp_path, [("e1", "Elodie"), ("e2", "Élodie")]) == []


def test_two_declared_people_are_proposed_again_after_an_undo(tmp_path: Path) -> None:
    tables = [[("e1", "Elodie"), ("j", "Jean")], [("e2", "Élodie"), ("j", "Jean")]]
    with store_of(tmp_path / "s.duckdb", *tables) as store:
        change = player_merges.declare_different(store, 2, 0)
        assert likely_pairs(store.cursor()) == []
        assert player_merges.undo_change(store, change) == [0, 2]
        assert [(one.player_no, one.other_no) for one in likely_pairs(store.cursor())] == [(0, 2)]


def test_masked_players_are_not_proposed(tmp_path: Path) -> None:
    tables = [[("e1", "Elodie"), ("j", "Jean")], [("e2", "Élodie"), ("j", "Jean")]]
    with store_of(tmp_path / "s.duckdb", *tables) as store:
        mask_player(store, 2)
        assert likely_pairs(store.cursor()) == []


def test_new_players_alone_are_compared_for_some_files(tmp_path: Path) -> None:
    tables = [[("e1", "Elodie"), ("j", "Jean")], [("e2", "Élodie"), ("j", "Jean")]]
    with store_of(tmp_path / "s.duckdb", *tables, [("j", "Jean"), ("z", "Zoé")]) as store:
        files = [no for (no,) in store.cursor().execute("SELECT file_no FROM files ORDER BY 1").fetchall()]
        assert [one.other_no for one in likely_pairs(store.cursor(), files[1:2])] == [2]
        assert likely_pairs(store.cursor(), files[2:]) == []


def test_one_id_with_names_of_two_people_is_reported_until_the_admin_names_the_player(tmp_path: Path) -> None:
    tables = [[("p1", "Lucie"), ("p2", "Jean")], [("p1", "Marcel"), ("p2", "Jean P.")]]
    with store_of(tmp_path / "s.duckdb", *tables) as store:
        assert differing_names(store.cursor()) == {0: ["Lucie", "Marcel"]}
        assert [differing_names(store.cursor(), [file_no]) for file_no in (0, 1)] == [
            {0: ["Lucie", "Marcel"]},
            {0: ["Lucie", "Marcel"]},
        ]
        player_merges.rename_player(store, 0, "Lucie")
        assert differing_names(store.cursor()) == {}
