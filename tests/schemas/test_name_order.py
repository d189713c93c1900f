"""Names sort and are found as people read them."""

import duckdb
import pytest

from schemas.player_key import fold_sql, search_key

NAMES = ["André", "d'Alençon", "D’Artagnan", "Éa", "eb", "Ëc", "Ægir", "Œdipe", "Oétienne", "Zoé"]


def test_names_sort_without_case_and_accents_and_ligatures_as_their_letters() -> None:
    query = f"SELECT name FROM (SELECT unnest(?) AS name) ORDER BY {fold_sql('name')}"
    found = [name for (name,) in duckdb.execute(query, [sorted(NAMES)]).fetchall()]
    assert found == ["Ægir", "André", "d'Alençon", "D’Artagnan", "Éa", "eb", "Ëc", "Œdipe", "Oétienne", "Zoé"]


@pytest.mark.parametrize("name", NAMES)
def test_a_folded_name_is_the_one_that_searches_compare(name: str) -> None:
    assert duckdb.execute(f"SELECT {fold_sql('?')}", [name]).fetchall() == [(search_key(name),)]
