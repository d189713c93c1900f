"""A search inside games: how it is read, the cards that a seat was dealt, hidden names."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from dashboard.games.find_word import BadSearch, FindTerm
from dashboard.queries import find
from dashboard.queries.find.language import Group, Node, Not, OnePlay, parse
from dashboard.queries.find.same_position import position_search
from data.build_samples import sheet_of
from docs import find as find_page
from engine.belote import kernel
from ingest.i18n import translator
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season
from tests.dashboard.conftest import Stored, documents
from tests.ingest.conftest import Command, retourne

if TYPE_CHECKING:
    from tests.dashboard.api import Client

DATA = Path(__file__).parents[2] / "data"
__all__ = ["retourne"]  # the fixture


def shape(search: Node) -> str:
    """A search as it is read, with all its brackets; `<>` around a part about one play."""

    def written(node: object) -> str:
        match node:
            case FindTerm(word, operator, values):
                return f"{word}{operator}{'|'.join(values)}"
            case Not(one):
                return f"!{written(one)}"
            case Group(connective, nodes):
                return f"({f' {connective} '.join(map(written, nodes))})"
            case OnePlay(one):
                return f"<{written(one)}>"
        raise AssertionError(node)

    return written(search)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a b or c d", "((a and b) or (c and d))"),
        ("a et b ou c", "((a and b) or c)"),
        ("not a b", "(!a and b)"),
        ("-a sans b non c", "(!a and !b and !c)"),
        ("not (a or b)", "!(a or b)"),
        ('player:"Paul Martin",Zoé', "player:Paul Martin|Zoé"),
        ("joueur:«Anne Marie»", "joueur:Anne Marie"),
        ("Perdu≥20", "perdu>=20"),
        ("lost=3", "lost:3"),
        ("not:a", "not:a"),
    ],
)
def test_a_search_is_read(text: str, wanted: str) -> None:
    assert shape(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("won led took", "(<(led and took)> and won)"),
        ("led not took won", "(<(led and !took)> and won)"),
        ("not led won", "(!<led> and won)"),
        ("(led took) or won", "(<(led and took)> or won)"),
        ("(trick:1 led) (trick:2 took)", "(<(trick:1 and led)> and <(trick:2 and took)>)"),
        ("trick:1 (led or not took)", "<(trick:1 and (led or !took))>"),
        ("led not (trick:1 took)", "(<(led)> and !<(trick:1 and took)>)"),
    ],
)
def test_words_about_plays_side_by_side_are_about_one_play(text: str, wanted: str) -> None:
    assert shape(find.read_search(text).node) == wanted


TOO_LONG = "A search has at most 1000 characters, 40 words and 20 nested brackets."


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "Write a search, for example player:Lucie won."),
        ("won (lost", "The bracket at character 5 is not closed."),
        ("won )", "Retourne cannot read the search from character 5: “)”."),
        ('player:"Paul', 'Retourne cannot read the search from character 7: “:"Paul”.'),
        ("won or", "“or” at character 5: a word must come after it."),
        ("or won", "Retourne cannot read the search from character 1: “or won”."),
        ("wonn", "No word of a search is called “wonn” (character 1). Did you mean won?"),
        ("won points", "“points” at character 5: after it comes a number, as in points>=100."),
        ("points>=many", "“points” at character 1: after it comes a number, as in points>=100."),
        ("made:yes", "“made” at character 1: nothing comes after this word."),
        (
            "led:zz",
            "“zz” at character 5 after led: write cards like As or 7t, suits like h, t for trump, or"
            " brisque, brisques.",
        ),
        ("took:maybe", "“maybe” at character 6 is not known after took: use one of yes, oui, no, non."),
        ("trick", "“trick” at character 1: after it comes a number, as in trick:12."),
        ("trump>h", "“trump” at character 1: only “:” can follow, as in trump:h."),
        (
            "won -hand:As,zz",
            "“zz” at character 14 is not a card: write a rank and a suit, like As, 10h or 7t; t is the trump"
            " suit.",
        ),
        (
            "date:2026,2026-13",
            "“2026-13” at character 11 is not a date: write a year, a month or a day, like 2026, 2026-04 or"
            " 2026-04-12.",
        ),
        ("held:carre,cent-x", "“x” at character 17 is not known after held: use one of s, ♠, "),
        ("position:7t,zz/9h", "“zz” at character 13 is not a card: write a rank and a suit, like"),
        ("position>7t", "“position” at character 1: only “:” can follow, as in position:7t,As,9h/10s."),
        *(
            (
                f"position:{code}",
                f"“{code}” at character 10 is not a position: write the cards of a hand, then / and those of"
                " the trick, as in position:7t,As,9h/10s.",
            )
            for code in ("/As", "As,As", "As,Kh,Qd,Jc", "7t//sa", "As//nt", "As/Kh//7t")
        ),
        ("(" * 21 + "won" + ")" * 21, TOO_LONG),
        ("won " * 41, TOO_LONG),
        ("won" + " " * 1000, TOO_LONG),
    ],
)
def test_what_cannot_be_read_is_answered_with_its_place(text: str, answer: str, cursor: object) -> None:
    with pytest.raises(BadSearch) as raised:
        find.find_deals(cursor, find.read_search(text))  # type: ignore[arg-type]
    assert raised.value.message(translator("en", "dashboard")).startswith(answer)


CARDS = ("As", "Jt,9t", "10h", "V♥,R♦", "7t", "6c")
SAMPLES = (
    *("chouine.json", "match-a-trois.json", "match-coinche.json"),
    *("match-belote.json", "match-belote-coinchee.json", "match-regles-completes.json"),
)


def samples() -> list[bytes]:
    """A match of each way to deal, and two whose own rules deal otherwise than their preset."""
    other = ({"preset": "contree", "dealing": "3-3-2"}, {"preset": "classique", "dealing": "2-3"})
    played = [
        orjson.dumps(next(iter(simulate_season("belote", 1, 4, rules, 4))) | {"id": rules["dealing"]})
        for rules in other
    ]
    return [*((DATA / name).read_bytes() for name in SAMPLES), *played]


@pytest.fixture
def sampled(stored: Stored) -> Path:
    """A store with these matches."""
    files = [(f"{at}.json", BytesIO(text)) for at, text in enumerate(samples())]
    return stored("find-samples", lambda store: list(ingest(store, files)))


@pytest.mark.parametrize("cards", CARDS)
def test_hand_finds_the_cards_that_a_seat_is_dealt(sampled: Path, cards: str) -> None:
    wanted = set[tuple[str, int, int]]()
    for text in samples():
        result = validate(text)
        for number, replay in enumerate(result.replays, 1):
            if replay is None:  # its cards are not known
                continue
            trump = int(replay.last.state["trump"])
            suits = {"♥": "h", "♦": "d", "t": "shdc"[trump] if trump >= 0 else "-"}
            ranks = {"10": "T", "V": "J", "R": "K"}
            named = [(ranks.get(one[:-1], one[:-1]), suits.get(one[-1], one[-1])) for one in cards.split(",")]
            for seat in range(replay.players):
                hand = replay.game.pack.names_in(replay[0].known_hand(seat))
                if all(rank + suit in hand for rank, suit in named):
                    wanted.add((result.match_id, number, seat + 1))
    with Store(sampled, read_only=True) as store:
        rows = find.find_deals(store.cursor(), find.read_search(f"hand:{cards}"), 10_000).deals
    found = {(row["match_id"], row["deal_number"], seat) for row in rows.to_dicts() for seat in row["seats"]}
    assert found == wanted


def test_an_unrecorded_card_is_in_no_hand(stored: Stored) -> None:
    text = (DATA / "feuille-partielle.json").read_bytes()
    path = stored("find-partial", lambda store: list(ingest(store, [("sheet.json", BytesIO(text))])))

    def hits(search: str) -> set[tuple[int, int, int]]:
        rows = find.find_deals(store.cursor(), find.read_search(search)).deals.to_dicts()
        return {(row["deal_number"], seat, row["action_number"]) for row in rows for seat in row["seats"]}

    with Store(path, read_only=True) as store:
        assert hits("played:Qs trick:1 led") == {(1, 2, 1)}
        assert hits("holding:8h trick:1") == {(1, 1, 2), (3, 1, 4)}
        assert hits("holding:Kc,Qc trick:1") == {(3, 1, 4)}
        assert hits("holding:Td trick:1") == set()


def test_a_position_is_found_where_the_log_has_the_whole_hand(stored: Stored) -> None:
    text = (DATA / "feuille-partielle.json").read_bytes()
    path = stored("find-partial", lambda store: list(ingest(store, [("sheet.json", BytesIO(text))])))
    first, _, third = validate(text).replays
    with Store(path, read_only=True) as store:
        for number, replay, known in ((1, first, {*range(23, 34)}), (3, third, {4, 23, *range(25, 35)})):
            assert replay is not None
            actions = set[int]()
            for ply in range(len(replay)):
                if search := position_search(replay, ply, "en"):
                    rows = find.find_deals(store.cursor(), find.read_search(search)).deals.to_dicts()
                    actions |= {row["action_number"] for row in rows if row["deal_number"] == number}
            assert actions == known


def test_every_word_finds_as_its_examples_show(sampled: Path) -> None:
    with Store(sampled, read_only=True) as store:
        for word in find.word_list():
            for example in word.examples:
                total = find.find_deals(store.cursor(), find.read_search(example)).total
                assert total is not None
                assert total >= 0


def test_no_two_words_are_written_alike() -> None:
    every = [name for word in find.word_list() for name in word.names]
    assert len(set(every)) == len(every)


def test_a_deal_in_litige_is_found(stored: Stored) -> None:
    played = [orjson.dumps(one) for one in simulate_season("belote", 20, 5, "classique", 4)]
    path = stored(
        "find-litige", lambda store: list(ingest(store, [("belote.jsonl", BytesIO(b"\n".join(played)))]))
    )
    wanted = {
        (result.match_id, number)
        for result in map(validate, played)
        for number, replay in enumerate(result.replays, 1)
        if replay is not None and replay.last.state["outcome"] == kernel.LITIGE
    }
    assert wanted
    with Store(path, read_only=True) as store:
        rows = find.find_deals(store.cursor(), find.read_search("litige"), 500).deals
    assert set(rows.select("match_id", "deal_number").rows()) == wanted


def test_a_sheet_whose_log_is_stored_is_not_found_once_more(stored: Stored) -> None:
    log = orjson.loads((DATA / "chouine.json").read_bytes())
    files = [(f"{at}.json", BytesIO(orjson.dumps(one))) for at, one in enumerate((log, sheet_of(log)))]
    path = stored("find-sheet", lambda store: list(ingest(store, files)))
    with Store(path, read_only=True) as store:
        assert find.find_deals(store.cursor(), find.read_search("game:chouine")).total == len(log["deals"])
        assert find.find_deals(store.cursor(), find.read_search("sheet")).total == 0


def test_a_masked_name_finds_what_an_unknown_one_does(api: "dict[str, Client]") -> None:
    [player, *_] = documents()[0]["players"]
    before = api["reader"].get("/find", q=f"player:{player['id']}").json()
    assert before["count"] > 0
    api["admin"].ask("POST", "/commands/mask", json={"players": [player["id"]]}).raise_for_status()
    for name in (player["id"], player["name"]):
        answer = api["reader"].get("/find", q=f'player:"{name}"')
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(f"No player is called “{name}” (character 9).")
    every = api["reader"].get("/find", q="won", limit=500)
    assert player["name"] not in every.text


def test_the_api_finds_what_the_query_does(api: "dict[str, Client]") -> None:
    answer = api["reader"].get("/find", q="won>=10", limit=3, offset=1).json()
    assert len(answer["rows"]) == 3
    assert answer["count"] > 3
    first = api["reader"].get("/find", q="won>=10", limit=4).json()["rows"]
    assert answer["rows"] == first[1:]
    assert answer["played"] is None
    played = api["reader"].get("/find", q="game:chouine player_count:2 position:At").json()["played"]
    assert [(one["card"], one["part"]) for one in played] == [("At", 1)]


def test_the_document_lists_the_words_as_they_are() -> None:
    assert find_page.PAGE.read_text(encoding="utf-8") == find_page.page()


def test_the_command_prints_deals_and_marks_whom_the_search_is_about(games: Path, retourne: Command) -> None:
    done = retourne("find", "player:Jean dealer", "--store", games, "--limit", "2", "--lang", "en")
    assert done.code == 0
    head, *rows = done.out.splitlines()
    assert head.split() == ["Day", "Game", "Players", "Points", "Deal", "Match"]
    assert len(rows) == 2
    assert all("▸Jean" in row for row in rows)
    assert "shown: 1 to 2." in done.err
    assert f"retourne replay MATCH --deal N --store {games}" in done.err


def test_the_command_answers_an_unknown_word_with_one_that_is_near(games: Path, retourne: Command) -> None:
    done = retourne("find", "joueur:Jean gagné contratt>80", "--store", games, "--lang", "fr")
    assert done.code == 2
    assert done.err == (
        "Erreur\u00a0: Aucun mot de recherche ne s’appelle «\u00a0contratt\u00a0» (caractère 19)."
        " Vouliez-vous dire contrat ou contract\u202f?\n"
    )


def test_the_command_lists_its_words(retourne: Command) -> None:
    done = retourne("find", "--words", "--lang", "en")
    assert [line.split(" ")[0] for line in done.out.splitlines()[1:]] == [
        word.names[0] for word in find.word_list()
    ]
