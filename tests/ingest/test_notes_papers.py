"""Notes as people write them, in `data/papers/notes`: the `.json` of a name has the expected logs."""

import json
import unicodedata
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingest.findings.spoken_notation import describe_word
from ingest.games import game_support
from ingest.i18n import Translate, translator
from ingest.importers.notes import answer, is_notes, read_notes
from ingest.importers.spoken_notes import SentenceReader
from ingest.importers.tokenizer import make_reader, words_in
from ingest.validate.slow_path import validate
from schemas.notation import act_codes

EN, FR = translator("en"), translator("fr")
PAPERS = Path(__file__).parents[2] / "data" / "papers" / "notes"
CHOUINE = "Jeu : Chouine\nJoueurs : Lucienne, René\n\nRené donne. Retourne : 7♠\n"
COINCHE = "Jeu : Coinche\nJoueurs : Lucie, Marcel, Denise, René\n\nRené donne\n"
GAMES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("chouine", 2, {}),
    ("coinche", 4, {}),
    ("chouineurs", 3, {"deck": "retourne"}),
    ("belote", 4, {"rules": "coinchee"}),
)


@pytest.mark.parametrize("paper", sorted(PAPERS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_note_becomes_the_logs_of_its_json(paper: Path) -> None:
    text = paper.read_text(encoding="utf-8")
    found = read_notes(text, today=date(2026, 11, 28))
    come = json.loads(paper.with_suffix(".json").read_text(encoding="utf-8"))
    assert is_notes(text)
    assert [[one.where, one.message(EN)] for one in found.questions] == come["questions"]
    if come.get("answered_first"):  # its matches wait for the answer
        assert not found.logs
        [question] = found.questions
        found = read_notes(answer(text, question, question.readings(EN)[0]))
    days = [log.pop("played_at", "")[:10] for log in found.logs]
    assert found.logs == come["logs"]
    assert days == come["days"]
    assert [validate(json.dumps(log).encode()).status for log in found.logs] == come["verdicts"]


def parts(line: str, head: str = CHOUINE) -> tuple[dict[str, Any], list[str]]:
    """What a line of one deal says, without what its head says, and the questions."""
    found = read_notes(head + line)
    deals = [deal for log in found.logs for deal in log["deals"]]
    own = [{key: deal[key] for key in deal if key not in ("dealer", "talon", "comments")} for deal in deals]
    return (own[0] if own else {}), [one.message(EN) for one in found.questions]


@pytest.mark.parametrize(
    ("line", "acts"),
    [
        ("Lucienne a joué l'as de trèfle, René a mis le 8 de trèfle", "1 Ac, 2 8c"),
        ("L’as de trèfle de Lucienne, le 8 de trèfle de René", "1 Ac, 2 8c"),
        ("Lucienne joue l'as de trèfle, René coupe l'as de trèfle du 9 de pique", "1 Ac, 2 9s"),
        ("Lucienne joue l'as ♣. Sur l'as de Lucienne, René met le 8 ♣", "1 Ac, 2 8c"),
        ("Lucienne joue l'as ♣. Sur l'as ♣ de Lucienne, René met le 8 ♣", "1 Ac, 2 8c"),
        ("Lucienne joue A♣, René 8♣. Lucienne gagne le pli et rejoue le valet d'atout", "1 Ac, 2 8c, 1 Js"),
        ("Lucienne annonce mariage ♥ sans le montrer et pose la dame de cœur", "1 mariage-h~, 1 Qh"),
        ("Lucienne dit « au sept » et joue l'as de trèfle (dommage !)", "1 au-sept, 1 Ac"),
        ("Lucienne joue R♣ et annonce le mariage de trèfle", "1 mariage-c, 1 Kc"),
        ("Lucienne joue R♣ en annonçant le mariage de trèfle, René 8♣", "1 mariage-c, 1 Kc, 2 8c"),
        ("Lucienne prend l'as de trèfle de René avec le roi de pique", "1 Ks"),
        ("Lucienne joue l'as de trèfle et fait tomber le 10 de René", "1 Ac"),
        ("Lucienne a le mariage de cœur et joue l'as de trèfle", "1 Ac"),
        ("Lucienne joue l'as de trèfle (René, lui, avait le dix)", "1 Ac"),
        ("Lucienne gagne 108 à 72 avec un mariage de cœur", ""),
        ("Maldonne : René a mal distribué", ""),
        ("Lucienne pioche le roi de cœur, René pioche le 9 de cœur", "1 draw Kh, 2 draw 9h"),
        ("Lucienne joue l'as de trèfle, René abandonne.", "1 Ac, 2 resign"),
        ("Lucienne joue l'as de trèfle, car René n'a plus d'atout", "1 Ac"),
        ("Lucienne leads the ace of clubs at once, René follows with the eight of clubs", "1 Ac, 2 8c"),
        ("JE CROIS QUE LUCIENNE A JOUÉ L’AS", ""),
    ],
)
def test_a_sentence_is_read_as_the_acts_it_tells(line: str, acts: str) -> None:
    deal, questions = parts(line)
    assert (", ".join(deal.get("actions", ())), questions) == (acts, [])


@pytest.mark.parametrize(
    ("line", "acts"),
    [
        ("Lucie annonce capot à cœur, Marcel contre, Denise passe", "1 bid match-h, 2 coinche, 3 pass"),
        ("90 cœur pour Lucie, contré par Marcel, surcontré", "1 bid 90h, 2 coinche, 1 surcoinche"),
        ("Lucie prend à 90 cœur, les autres passent", "1 bid 90h, 2 pass, 3 pass, 4 pass"),
        ("Tout le monde passe", "1 pass, 2 pass, 3 pass, 4 pass"),
        (
            "Lucie passe, Marcel et Denise passent, René ge\u0301ne\u0301rale ♦️",
            "1 pass, 2 pass, 3 pass, 4 bid generale-d",
        ),
        ("Lucie bid 90 hearts, Marcel doubled", "1 bid 90h, 2 coinche"),
    ],
)
def test_co_3_an_auction_is_read_in_everyday_words(line: str, acts: str) -> None:
    deal, questions = parts(line, COINCHE)
    assert (", ".join(deal["actions"]), questions) == (acts, [])


@pytest.mark.parametrize(
    ("line", "points", "winner"),
    [
        ("108 à 72 pour Lucienne", [108, 72], 1),
        ("72 à 108 pour Lucienne", [108, 72], 1),
        ("Victoire de René, 108 – 72", [72, 108], 2),
        ("René a battu Lucienne 108-72.", [72, 108], 2),
        ("René perd, 72 à 108", [108, 72], 1),
        ("René a perdu", None, 1),
        ("Score : 108 / 72", [108, 72], None),
        ("Pas de chance pour Lucienne, René la bat 118-52", [52, 118], 2),
        ("Lucienne n'a pas eu de chance, René l'a battue 118 à 52", [52, 118], 2),
        ("Lucienne : 108\nRené : 72", [108, 72], None),
        ("Lucienne fait 108 points et René 72", [108, 72], None),
        ("Lucienne 108, René 72", [108, 72], None),
        ("Match nul, 75 partout", [75, 75], 0),
        ("Lucienne wins, 108 to 72", [108, 72], 1),
        ("Lucienne mène 2 parties à 1", None, None),
        ("Lucienne a gagné la première manche 3 à 1", None, None),
        ("Lucienne gagne le pli", None, None),
    ],
)
def test_an_outcome_is_read_in_any_words(line: str, points: list[int] | None, winner: int | None) -> None:
    deal, questions = parts(line)
    assert (deal.get("points"), deal.get("winner"), questions) == (points, winner, [])


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Lucienne joue le sept", "“sept” is not understood. Is 7♠, 7♥, 7♦ or 7♣ meant?"),
        ("Lucienne joue l'as de trfèle", "“as de trfèle” is not understood. Is A♣ meant?"),
        (
            "Lucienne annonce la tierce",
            "“tierce” is not understood. Is tierce ♣, tierce ♦, tierce ♥ or tierce ♠ meant?",
        ),
        ("Lucienne joue un petit trèfle", "“petit trèfle” is not understood."),
        ("Lucienne joue A♣, René, le huit", "“huit” is not understood. Is 8♣, 8♠, 8♥ or 8♦ meant?"),
        ("Lucienne joue une carte", "“carte”: a card that was played has to be known."),
        ("Lucienne pourrait jouer l'as de trèfle", "“pourrait jouer l'as de trèfle” is not understood."),
        ("Peut-être Lucienne joue l'as ♣", "“Peut-être Lucienne joue l'as ♣” is not understood."),
        ("Si Lucienne joue l'as ♣, il coupe", "“Si Lucienne joue l'as ♣, il coupe” is not understood."),
        ("Lucienne garde l'as de trèfle", "“garde l'as de trèfle” is not understood."),
        (
            "Lucienne prend l'as de trèfle",
            "“as de trèfle” may be the card that was played or one that it beats. "
            "Write it as in: coupe le 9♦ du 7♠.",
        ),
        ("J'ai perdu 72 à 108", "“J'ai perdu 72 à 108” is not understood."),
        ("Lucienne gagne 72 à 108", "“gagne 72 à 108”: the winner has more points than the others."),
        (
            "Lucienne bat René 3 à 1",
            "“Lucienne bat René 3 à 1”: no deal ends with such points. Write the points of each deal.",
        ),
        ("Lucienne : 108", "“108” is not one for each of: Lucienne, René."),
    ],
)
def test_what_a_sentence_leaves_open_is_one_question(line: str, question: str) -> None:
    deal, questions = parts(line)
    assert (deal.get("points"), deal.get("winner"), questions) == (None, None, [question])


@pytest.mark.parametrize(
    "line",
    [
        "Lucie et Denise les battent 250 à 0",
        "Chuté : 250 pour Lucie et Denise",
        "Marcel et René chutent : 250 pour Lucie et Denise",
    ],
)
def test_a_contract_not_made_gives_its_points_to_one_side(line: str) -> None:
    assert parts(line, COINCHE) == ({"points": [250, 0], "winner": 1}, [])


def test_a_suit_with_a_preposition_is_no_ace() -> None:
    assert parts("Lucie passe, Marcel met à cœur", COINCHE)[1] == ["“cœur” is not understood."]


def test_a_date_without_a_year_is_a_question_and_the_match_is_there() -> None:
    note = "Chouine, dimanche 12 avril, Lucie contre René\nRené donne\nLucie gagne 108 à 72"
    found = read_notes(note, today=date(2026, 11, 28))
    assert [(one.where, one.message(EN)) for one in found.questions] == [
        ("1:10", "“dimanche 12 avril” has no year. Is 2026-04-12, 2020-04-12 or 2015-04-12 meant?")
    ]
    assert found.logs[0]["deals"] == [{"dealer": 2, "points": [108, 72], "winner": 1}]


def test_who_we_are_is_one_question() -> None:
    note = COINCHE + "Nous 120 Eux 42\n\nNous 90 Eux 72\n"
    assert [one.message(EN) for one in read_notes(note).questions] == [
        "“Nous”: which team is it? Write it in the first lines, as in: "
        "Nous : Lucie et Denise or Nous : Marcel et René."
    ]


def test_two_pairs_leave_open_in_which_order_they_sit() -> None:
    note = "Coinche\nLucie et Denise contre Marcel et René\n\nLucie donne\nLucie gagne 160 à 0"
    assert [one.message(EN) for one in read_notes(note).questions] == [
        "In which order do the players sit? Write it as in: "
        "Joueurs : Lucie, Marcel, Denise, René or Joueurs : Lucie, René, Denise, Marcel."
    ]


def test_one_missing_dealer_is_one_question() -> None:
    note = "Jeu : Chouine\nJoueurs : Lucie, René\n\n" + "Lucie gagne 87 à 63\n\n" * 5
    assert [one.message(EN) for one in read_notes(note).questions] == [
        "Who deals? Write it in a line, as in: Donneur : Lucie."
    ]


@pytest.mark.parametrize("change", ["as it is", "capitals", "decomposed", "emoji", "wide spaces"])
@pytest.mark.parametrize(("game", "players", "more"), GAMES, ids=[one[0] for one in GAMES])
def test_every_act_is_read_as_retourne_itself_writes_it(
    game: str, players: int, more: dict[str, str], change: str
) -> None:
    seats = [{"id": f"Odile {seat}"} for seat in range(players)]
    reader = make_reader({"format": "retourne/1", "game": game, "players": seats, **more}, [])
    assert not isinstance(reader, list)
    sentences = SentenceReader(reader, seats, {})
    wrong = []
    for t in (EN, FR):
        for act in act_codes(game, reader.setup.faces):
            text = f"Odile 1 {describe_word(t, act, game)}"
            if change == "capitals":
                text = text.upper()
            elif change == "decomposed":
                text = unicodedata.normalize("NFD", text)
            elif change == "emoji":
                text = text.replace("♥", "❤\ufe0f").replace("♦", "♦\ufe0f")
            elif change == "wide spaces":
                text = text.replace(" ", "\u202f")
            found = sentences.read([*words_in(text)])
            if [(one.seat, one.value) for one in found.pieces] != [(1, act)] or found.questions:
                wrong.append((text, found))
    assert wrong == []


@pytest.mark.parametrize(
    "note",
    [
        "Lucienne joue l'as de trèfle\nRené donne",
        CHOUINE + "Lucienne joue l'as de trfèle",
        CHOUINE + "Lucienne joue le sept, René le 8 de cœur",
        CHOUINE + "Lucienne annonce la tierce et joue le roi de cœur",
        CHOUINE + "Lucienne : 9c, A♠",
        CHOUINE + "Points : 87 63\nGagnant : Renée",
        COINCHE + "Lucie prend à 90 coeru",
        COINCHE + "Nous 120 Eux 42",
        "Coinche\nLucie et Denise contre Marcel et René\n\nLucie donne\nLucie gagne 160 à 0",
        "Chouine, dimanche 12 avril, Lucie contre René\nRené donne\nLucie gagne 108 à 72",
        "Chouine, Lucie contre René\n\nPartie 1 : Lucie gagne 87 à 63\nPartie 2 : Lucie gagne 87 à 63",
        "Jeu : Belotte\nJoueurs : Lucie, René\n\nRené donne\nLucie gagne",
        "Jeu : Chouineurs\nJoueurs : Lucie, René\n\nLucie entame\nLucie joue b3",
    ],
)
@pytest.mark.parametrize("t", [FR, EN], ids=["fr", "en"])
def test_each_likely_answer_is_read_once_it_is_written_into_the_notes(note: str, t: Translate) -> None:
    today = date(2026, 11, 28)
    question = read_notes(note, today=today).questions[0]
    assert question.readings(t)
    for reading in question.readings(t):
        found = read_notes(answer(note, question, reading), today=today)
        assert [one.message(t) for one in found.questions if one.text == question.text] == []


@pytest.mark.parametrize("t", [FR, EN], ids=["fr", "en"])
@pytest.mark.parametrize(("game", "players", "more"), GAMES, ids=[one[0] for one in GAMES])
def test_each_example_sentence_is_read(game: str, players: int, more: dict[str, str], t: Translate) -> None:
    seats = [{"id": name} for name in ("Lucie", "Marcel", "Odile", "René")[:players]]
    reader = make_reader({"format": "retourne/1", "game": game, "players": seats, **more}, [])
    assert not isinstance(reader, list)
    sentences = SentenceReader(reader, seats, {})
    for example in game_support(game).NOTE_EXAMPLES:
        found = sentences.read([*words_in(t(example, who="Lucie", other="Marcel"))])
        assert (found.questions, found.is_remark) == ([], False)


def test_a_question_without_a_likely_answer_has_an_example_about_the_players() -> None:
    [question] = read_notes(CHOUINE + "Lucienne garde l'as de trèfle").questions
    assert question.example_text(FR) == "Lucienne joue l’as de trèfle, René coupe du 9 de pique"


def test_a_misspelt_verb_is_a_question_with_the_verb() -> None:
    note = CHOUINE + "Lucienne joue A♣, René couple du 9♠"
    [question] = read_notes(note).questions
    assert question.readings(FR)[0] == "coupe"
    assert read_notes(answer(note, question, "coupe")).questions == []
