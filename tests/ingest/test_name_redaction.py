"""Which words of a free text are a name to hide, and which are somebody else's."""

import base64
import json
import re
import time
import unicodedata
from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import quote

import pytest

from engine.games import game_names
from ingest.redact.anonymize_log import anonymize_log, redact_log
from ingest.redact.free_text import text_redactor
from schemas.simulated import simulate_season
from tests.ingest.logs import hidden

JEAN_MARTIN = hidden(("jm", "Joueur a", "Jean Martin"))


def log(*players: tuple[str, str], **more: Any) -> bytes:
    """A log with these players and words of its own."""
    seats = [{"id": one, "name": name} for one, name in players]
    return json.dumps({"players": seats, **more}, ensure_ascii=False).encode()


def redacted(text: bytes, *who: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(redact_log(text, hidden(*who)))
    return found


def test_free_text_has_a_sign_for_a_name_and_only_the_seat_a_pseudonym() -> None:
    event = {"name": "Coupe Saint-Martin, chez JEAN", "place": "La Martinière", "table": "5"}
    text = log(("jm", "Jean Martin"), ("z", "Zoé"), id="jean-vs-zoe-2", event=event, _n="jmartin2")
    found = json.loads(redact_log(text, JEAN_MARTIN))
    assert found["players"][0] == {"id": "Joueur a", "name": "Joueur a"}
    assert found["event"]["name"] == "Coupe Saint-…, chez …"
    assert found["event"]["place"] == "La Martinière"  # a longer word of prose
    assert (found["id"], found["_n"]) == ("…-vs-zoe-2", "j…2")
    assert json.dumps(found).count("Joueur") == 2


def test_where_a_player_does_not_sit_only_the_whole_name_and_the_whole_id_go() -> None:
    event = {"name": "Coupe Saint-Martin, chez Jean", "place": "La Martinière"}
    text = log(("jean", "Jean"), ("ml", "Martin Leroy"), id="jean-vs-martin-3", event=event)
    assert redact_log(text, JEAN_MARTIN) == text
    comments = [{"after": 0, "text": "Comme jean  MARTIN, comme jm."}]
    spoken = log(("jean", "Jean"), _by="MARTIN Jean", comments=comments)
    found = json.loads(redact_log(spoken, JEAN_MARTIN))
    assert found["players"] == [{"id": "jean", "name": "Jean"}]
    assert (found["_by"], found["comments"][0]["text"]) == ("…", "Comme …, comme ….")


@pytest.mark.parametrize("seated", [["qa"], ["qb"], ["qa", "qb"], []])
def test_of_two_players_who_share_a_part_of_a_name_no_rest_is_left(seated: list[str]) -> None:
    names = {"qa": "Zkwyra Qxnolb-Vrblk", "qb": "Zkwyra Qxnolb"}
    who = [(one, f"Joueur {one}", name) for one, name in names.items()]
    text = log(
        *((one, names[one]) for one in seated), ("z", "Zoé"), event={"name": f"Chez {names['qa']}, à 5"}
    )
    assert re.fullmatch(r"Chez …(-…)?, à 5", redacted(text, *who)["event"]["name"])


@pytest.mark.parametrize("name", ["Jo", "Al", "王芳", "李"])
def test_a_short_name_is_hidden_as_a_word_with_or_without_its_player(name: str) -> None:
    message = f"chez {name}" if name.isascii() else f"和{name}打牌"
    for players in ([("p1", name)], [("p2", "Qq")]):
        text = log(*players, id=f"{name}-vs-qq", event={"name": message}, _more="Joue, Alors !")
        found = redacted(text, ("p1", "Joueur a", name))
        assert found["event"]["name"] == message.replace(name, "…")
        assert (found["id"], found["_more"]) == ("…-vs-qq", "Joue, Alors !")


def test_the_name_of_somebody_else_at_the_table_stays_whole() -> None:
    event = {"name": "Jean contre Jean Martin", "round": "jeanne"}
    text = log(("jean", "Jean"), ("jeanne", "Jean Martin"), id="jean-vs-jeanne", event=event)
    found = redacted(text, ("jean", "Joueur a", "Jean"))
    assert found["event"] == {"name": "… contre Jean Martin", "round": "jeanne"}
    assert found["id"] == "…-vs-jeanne"


def test_keys_of_the_format_stay_whatever_somebody_is_called() -> None:
    event = {"name": "Coupe", "table": "5", "round": "2", "place": "Ici"}
    players = [("t", "Table Round"), ("name", "Players Place")]
    for seated in (players, [("x", "Qq")]):
        text = log(*seated, event=event, source={"name": "a", "seed": 3}, result={"winner": 1})
        found = redacted(text, *((one, "Joueur a", name) for one, name in players))
        assert found.keys() == json.loads(text).keys()
        assert found["event"] == event
        assert found["source"] == {"name": "a", "seed": 3}


def test_a_key_of_ones_own_loses_the_name_and_none_loses_its_value() -> None:
    text = log(("jm", "Jean Martin"), _jean=1, _martin=2)
    found = json.loads(redact_log(text, JEAN_MARTIN))
    assert {value for key, value in found.items() if key != "players"} == {1, 2}
    assert not any("jean" in key or "martin" in key for key in found)


def test_a_player_whose_id_is_anothers_name_is_not_taken_for_that_one() -> None:
    text = log(("p1", "jean"), ("jean", "Paul"))
    assert redacted(text, ("p1", "Joueur a", "jean"))["players"] == [
        {"id": "Joueur a", "name": "Joueur a"},
        {"id": "jean", "name": "Paul"},
    ]


@pytest.mark.parametrize("game", game_names())
def test_whatever_a_player_is_called_the_game_is_the_same(game: str) -> None:
    one = next(iter(simulate_season(game, 1, 3)))
    words = ["As", "T", "b", "k", "sept", "7h", "Pass", "Point", "Retourne", "s", "Au"]
    for word in words:
        one["players"][0] = {"id": f"{word}-1", "name": word}
        found = redacted(json.dumps(one).encode(), (f"{word}-1", "Joueur a", word))
        for key in ("rules", "deals", "played_at", "deck", "bid_cards", "cuts", "game"):
            assert found.get(key) == one.get(key), word


def test_a_short_name_among_the_acts_is_hidden() -> None:
    text = log(("p1", "Jo"), deals=[{"actions": ["1 7s", "1 Jo"]}])
    assert redacted(text, ("p1", "Joueur a", "Jo"))["deals"][0]["actions"] == ["1 7s", "1 …"]
    bare = json.loads(anonymize_log(text, hidden(("p1", "Joueur a", "Jo"))))
    assert bare["deals"][0]["actions"] == ["1 7s", "?"]


def test_a_comment_that_is_kept_is_by_the_pseudonym_of_who_sits_there() -> None:
    comments = [{"after": 0, "text": "Bravo Zoé", "by": by} for by in ("jm", "Jean Martin", "Zoé")]
    text = log(("jm", "Jean Martin"), deals=[{"comments": comments}])
    people = hidden(("jm", "Joueur a", "Jean Martin"), ("zoe", "Joueur b", "Zoé"))
    found = json.loads(anonymize_log(text, people, ("comments",)))["deals"][0]["comments"]
    assert [one["by"] for one in found] == ["Joueur a", "Joueur a", "…"]
    assert {one["text"] for one in found} == {"Bravo …"}


def test_words_of_a_name_that_any_name_may_have_are_not_looked_for_alone() -> None:
    hide = text_redactor(["Zoé de la Tour"], parts=True)
    assert hide("Coupe de la Chartre, à la Tour de Zoe\u0301") == "Coupe de la Chartre, à la … de …"


@pytest.mark.parametrize("wording", ["LEBOEUF", "Lebœuf", "lebœUF", "Le\u200bboeuf"])
def test_a_name_is_found_however_it_is_written(wording: str) -> None:
    assert text_redactor(["Lebœuf"])(f"chez {wording}, hier") == "chez …, hier"


ENCODINGS: dict[str, Callable[[str], str]] = {
    "in an address": quote,
    "in an address, of letters and all": lambda text: "".join(f"%{one:02x}" for one in text.encode()),
    "in an address of another time": lambda text: quote(text, encoding="cp1252"),
    "in an address within an address": lambda text: quote(quote(text)),
    "in a script": lambda text: "".join(f"%u{ord(one):04X}" for one in text),
    "in HTML, by names": lambda text: text.replace("é", "&eacute;").replace("è", "&egrave;"),
    "in HTML, by numbers": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "in HTML, in hexadecimal": lambda text: "".join(f"&#x{ord(one):x};" for one in text),
    "in HTML within HTML": lambda text: text.replace("é", "&amp;eacute;").replace("è", "&amp;egrave;"),
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in Python or JavaScript": lambda text: text.encode("unicode_escape").decode(),
    "in C": lambda text: "".join(f"\\x{one:02x}" for one in text.encode()),
    "in a shell": lambda text: "".join(f"\\{one:03o}" for one in text.encode()),
    "in JavaScript, by code points": lambda text: "".join(f"\\u{{{ord(one):x}}}" for one in text),
    "in Python, by code points": lambda text: "".join(f"\\U{ord(one):08x}" for one in text),
    "with markup": lambda text: f'{text[0]}<b class="a">{text[1:3]}</b>{text[3:]}',
    "with markup within HTML": lambda text: f"{text[:2]}&lt;!-- a --&gt;{text[2:]}",
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64 of an address, with more": lambda text: (
        base64.urlsafe_b64encode(f"chez {quote(text)} ¿¿¿".encode()).decode().rstrip("=")
    ),
    "in JSON within JSON": lambda text: json.dumps(json.dumps(text))[1:-1].replace('\\"', ""),
}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("called", ["Hélène", "HÉLÈNE", "hélène"])
@pytest.mark.parametrize("encoded", ENCODINGS.values(), ids=ENCODINGS)
def test_a_name_is_found_in_the_encodings_of_other_layers(
    encoded: Callable[[str], str], called: str, form: Literal["NFC", "NFD"]
) -> None:
    if form == "NFD" and encoded is ENCODINGS["in an address of another time"]:
        pytest.skip("has no combining accents")
    name = encoded(unicodedata.normalize(form, called))
    who = text_redactor(["Hélène"])
    assert who(f"https://club.example/{name}/x?y=1&z") == "https://club.example/…/x?y=1&z"


@pytest.mark.parametrize(
    "written", [r"J\\x65an Martin", r"\u004Aean Martin", "J<b>ea</b>n Martin", "SmVhbiBNYXJ0aW4="]
)
def test_an_unreadable_text_with_an_encoded_name_is_not_exported(written: str) -> None:
    cut = b'{"_n": "' + written.encode()
    assert redact_log(cut, JEAN_MARTIN) == b""
    assert redact_log(cut, hidden(("pd", "Joueur a", "Paul Durand"))) == cut


@pytest.mark.slow
def test_a_long_text_of_one_sign_is_read_once() -> None:
    who, began = text_redactor(["Hélène"]), time.process_time()
    for sign in ("\\", "%", "&", "<", "<a", "A-", "\\x41", "\\u{"):
        text = sign * (2**18 // len(sign))
        assert who(text) == text
    assert time.process_time() - began < 20  # of backslashes alone it was minutes


@pytest.mark.parametrize(
    "text",
    [
        "100% d'or & R&D",
        "%zz &nothing; \\u12",
        "%C3 %",
        "a%20b&amp;c",
        "\\U99999999 <b>x</b> <é>",
        "QWxiZXJ0 SGVsZW5h",
    ],
)
def test_what_is_encoded_and_no_name_stays(text: str) -> None:
    assert text_redactor(["Hélène"])(text) == text
    assert text_redactor(["Hélène"])(f"{text} Hélène {text}") == f"{text} … {text}"


def test_the_escapes_of_a_log_do_not_hide_a_name_from_us() -> None:
    text = b'{"players": [{"id": "q"}], "_n": "a\\nJean Martin\\u0021", "_m": "\\u004a\\u006d"}'
    found = json.loads(redact_log(text, JEAN_MARTIN))
    assert (found["_n"], found["_m"]) == ("a\n…!", "…")
