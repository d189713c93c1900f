"""Entering a match by keys: key bindings, steps, questions and refusals."""

from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dashboard.draft_match import DraftMatch, draft_view, static_view
from dashboard.games import game_view
from dashboard.store import open_store as opened
from ingest.i18n import translator
from ingest.store import drafts
from ingest.store.drafts import Draft
from ingest.store.factory import Store
from schemas.notation import act_codes
from schemas.simulated import simulate_season
from tests.dashboard.conftest import Open
from tests.dashboard.typing import TABLES, head_of, match_of, plays, steps_of
from tests.newgame import registered

ENGLISH, FRENCH = translator("en", "dashboard"), translator("fr", "dashboard")
TWO = {
    "game": "chouine",
    "rules": "lavardin",
    "players": [{"id": "lucie", "name": "Lucie"}, {"id": "marcel", "name": "Marcel"}],
    "opener": 1,
}


def typed(head: dict[str, Any], *steps: str) -> DraftMatch:
    written = DraftMatch(head)
    written.apply_steps(steps)
    return written


def view_of(written: DraftMatch) -> dict[str, Any]:
    return draft_view(written, ENGLISH)


# what keys stand for


@pytest.mark.parametrize("t", [ENGLISH, FRENCH])
@pytest.mark.parametrize("game", [*(table[0] for table in TABLES), "the new one"])
def test_every_word_of_a_game_can_be_typed_a_card_by_three_keys(game: str, t: Any) -> None:
    with registered() as made:
        table = next((one for one in TABLES if one[0] == game), (made, None, 2))
        [match] = islice(simulate_season(table[0], 1, 5, table[1], table[2]), 1)
        written = DraftMatch(head_of(match))
        keys = game_view(table[0]).key_bindings(written.table, t)
        words = {
            word.partition(" ")[2] if word[0].isdigit() and word[1] == " " else word for word in keys.values()
        }
        assert words == set(act_codes(table[0], written.table.faces))
        assert max(len(key) for key, word in keys.items() if word in written.cards) <= 3
        assert all(key == key.lower() and " " not in key for key in keys)


def test_figures_are_typed_in_either_language_and_shown_in_ones_own() -> None:
    written = DraftMatch(TWO)
    for t, shown in ((FRENCH, "rh"), (ENGLISH, "kh")):
        keys = written.game.key_bindings(written.table, t)
        assert [keys[one] for one in ("rh", "kh", "r♥", "10h", "th", "vs", "js", "dc", "qc")] == [
            *("Kh", "Kh", "Kh", "Th", "Th", "Js", "Js", "Qc", "Qc")
        ]
        assert next(key for key, word in keys.items() if word == "Kh") == shown


def test_the_ace_of_spades_is_not_au_sept() -> None:
    keys = DraftMatch(TWO).game.key_bindings(DraftMatch(TWO).table, FRENCH)
    assert (keys["as"], keys["au"], keys["x"]) == ("As", "au-sept", "sept")


def test_a_partie_of_32_cards_takes_110_keys_and_40_taps() -> None:
    """Over fifty simulated parties, counted from the first card."""
    seen = 0
    for match in simulate_season("chouine", 10, 3, "lavardin", 2):
        shown: dict[str, str] = {}
        written = DraftMatch(head_of(match))
        for key, word in written.game.key_bindings(written.table, FRENCH).items():
            shown.setdefault(word, key)
        for deal in match["deals"][:5]:
            steps = [one.partition(" ")[2] for one in deal["actions"] if " draw " not in one]
            if sum(one in written.cards for one in steps) == 32:
                assert sum(len(shown[one]) for one in steps) <= 110
                assert len(steps) <= 40
                seen += 1
    assert seen > 20


# what steps come to


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table[0])
def test_a_deal_typed_without_a_hand_is_the_deal_that_was_played(table: tuple[str, str, int]) -> None:
    match = match_of(*table)
    written = typed(head_of(match), *steps_of(match))
    assert written.rejected is None
    [deal] = written.recorder.log()["deals"]
    played = [one for one in match["deals"][0]["actions"] if " draw " not in one]
    assert deal["actions"] == played
    assert view_of(written)["over"]
    assert plays(steps_of(match)) >= 20


@pytest.mark.slow
def test_what_is_taken_back_one_by_one_leaves_nothing() -> None:
    match = match_of(*TABLES[1])
    steps = steps_of(match)
    written = typed(head_of(match), *steps)
    for count in reversed(range(len(steps))):
        written.apply_steps(steps[:count])
        assert len(written.accepted) == count
    assert view_of(written) == view_of(DraftMatch(head_of(match)))


def test_steps_that_changed_are_shown_anew_from_there() -> None:
    written = typed(TWO, "8h", "9h", "Td")
    written.apply_steps(["8h", "9h", "Ad", "7c"])
    assert [one.action for one in written.accepted] == ["", "2 9h", "1 Ad", "2 7c"]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "opens"), [(TABLES[2], "leader"), (TABLES[3], "dealer")])
def test_a_match_goes_on_with_the_right_dealer_to_its_end(table: tuple[str, str, int], opens: str) -> None:
    match = match_of(*table)
    steps: list[str] = []
    written = DraftMatch(head_of(match))
    for number, deal in enumerate(match["deals"]):
        written.apply_steps(steps := steps + [":deal"] * bool(number))
        if written.question is not None and written.question.keys == ("opener",):  # the lowest are equal
            steps.append(f":opener {deal[opens]}")
        written.apply_steps(steps := steps + steps_of(match, number))
        assert written.rejected is None
    openers = [deal[opens] for deal in written.recorder.log()["deals"]]
    assert openers == [deal[opens] for deal in match["deals"]]
    assert written.state.match.over
    assert written.state.match.score == match["result"]["score"]
    written.apply_steps([*steps, ":deal"])
    assert written.rejected is not None
    assert "match is over" in written.rejected.message(ENGLISH)


@pytest.mark.slow
def test_who_deals_next_is_asked_only_where_hidden_cards_decide() -> None:
    match, steps, unknown, requested = match_of("chouine", "lavardin", 2, 11), list[str](), 0, 0
    written = DraftMatch(head_of(match))
    for number, deal in enumerate(match["deals"][:4]):
        written.apply_steps(steps := steps + [":deal"] * bool(number))
        if written.question is not None and written.question.keys == ("opener",):
            steps.append(f":opener {deal['dealer']}")
            requested += 1
        written.apply_steps(steps := steps + steps_of(match, number))
        assert written.recorder.log()["deals"][-1]["dealer"] == deal["dealer"]
        unknown += "?" in written.state.points
    assert requested < unknown


def test_hands_are_recorded_before_after_or_never() -> None:
    before = typed(TWO, "8h", ":hand 2 9h Jd Qc 8d 7c", "9h")
    after = typed(TWO, "8h", "9h", ":hand 2 9h Jd Qc 8d 7c")
    never = typed(TWO, "8h", "9h")
    hands = ["??", "9h Jd Qc 8d 7c"]
    assert [one.recorder.log()["deals"][0].get("hands") for one in (before, after, never)] == [
        hands,
        hands,
        None,
    ]
    assert before.state.hands == after.state.hands


BELOTE = head_of(match_of(*TABLES[3])) | {"opener": 4}
FIVE = "As Ks Qs 7d 8d"


def test_be_5_the_card_turned_up_comes_first_and_its_suit_alone_is_taken_in_the_first_round() -> None:
    begun = typed(BELOTE)
    assert begun.question is not None
    assert begun.question.text == "Which card is turned up?"
    assert typed(BELOTE, "pass").rejected is not None
    written = typed(BELOTE, "Jh", "pass")
    shown = {one["step"]: (one["text"], one["tone"]) for one in view_of(written)["may"] if not one["seldom"]}
    assert shown == {"pass": ("passes", ""), "take h": ("takes in ♥", "h")}
    second = typed(BELOTE, "Jh", *["pass"] * 4)
    steps = [one["step"] for one in view_of(second)["may"] if not one["seldom"]]
    assert sorted(steps) == ["pass", "take c", "take d", "take s"]


def test_be_4_a_hand_has_five_cards_before_the_taking_and_eight_after_it() -> None:
    before = typed(BELOTE, "Jh", f":hand 1 {FIVE}")
    assert before.rejected is None
    assert view_of(before)["size"] == 5
    assert view_of(before)["hands"][0] == FIVE.split()
    assert typed(BELOTE, "Jh", f":hand 1 {FIVE} 9d").rejected is not None
    after = typed(BELOTE, "Jh", f":hand 1 {FIVE}", "take h", f":hand 1 {FIVE} Jh 9h Tc", "9h")
    assert after.rejected is None
    assert view_of(after)["size"] == 8
    assert set(view_of(after)["hands"][0]) == {*FIVE.split(), "Jh", "9h", "Tc"}
    assert set(after.state.hands[0]) == {*FIVE.split(), "Jh", "Tc"}


def test_be_16_all_that_may_be_announced_is_behind_more_actions() -> None:
    written = typed(BELOTE | {"rules": "coinchee"}, "bid 80h", *["pass"] * 3)
    may = view_of(written)["may"]
    assert [one["step"] for one in may if not one["seldom"]] == ["belote"]
    assert {one["step"]: one["tone"] for one in may}["tierce-Qh"] == "h"


def test_be_4_a_hand_waits_for_the_card_turned_up() -> None:
    written = typed(BELOTE, f":hand 1 {FIVE}")
    assert written.rejected is not None
    assert written.rejection_text(ENGLISH) == "First: Which card is turned up?"
    assert written.rejection_text(FRENCH) == "D’abord\N{NO-BREAK SPACE}: Quelle est la retourne\u202f?"


def test_a_hand_that_contradicts_what_was_played_is_refused() -> None:
    written = typed(TWO, "8h", "9h", ":hand 1 9h Jd Qc 8d 7c")
    assert written.rejected is not None
    assert len(written.accepted) == 2


# what is refused


def test_what_is_against_the_rules_waits_and_what_comes_after_it_too() -> None:
    head = head_of(match_of(*TABLES[1])) | {"opener": 4}
    written = typed(head, "bid 90h", "bid 80h", "pass", "pass")
    now = view_of(written)
    assert (now["done"], now["refused"]["at"], now["refused"]["can"]) == (1, 1, True)
    written.apply_steps(["bid 90h", "bid 80h!", "pass", "pass"])
    assert view_of(written)["refused"] is None
    assert [len(one.faults) for one in written.accepted] == [0, 1, 0, 0]


def test_what_cannot_be_is_not_noted_however_one_insists() -> None:
    written = typed(TWO, "8h", "9h", "9h!")
    assert written.rejected is not None
    assert not written.rejected.can_force
    assert "9♥" in written.rejected.message(ENGLISH)


NONE = ["", " ", "9x", "1 ", "99 9h", ":", ":deal", ":hand", ":hand 9 9h", ":bid 1 x", "!", "١"]


@pytest.mark.parametrize("step", [*NONE, "² 9h", ":hand ² 9h"])
def test_a_step_that_is_none_changes_nothing(step: str) -> None:
    for before in ([], ["8h"], ["8h", "9h"]):
        written = typed(TWO, *before, step)
        assert written.rejected is not None
        assert written.rejected.message(ENGLISH)
        assert len(written.accepted) == len(before)


def test_an_answer_is_one_of_those_there_are() -> None:
    head = head_of(match_of("chouineurs", "blam", 3))
    for step in ("8", "b3", ":bid 1 no-such-bid", ":bid 2 0-1", "??"):
        assert view_of(typed(head, step))["refused"]["at"] == 0, step
    assert view_of(typed(head, "1", ":bid 2 0-1", "3"))["ask"] is None


def test_a_card_that_comes_to_light_shows_what_was_wrong_before() -> None:
    """Seat 2 did not follow in the closed phase, and plays a card of that suit later."""
    match = match_of(*TABLES[1])
    steps = steps_of(match)
    bids = [at for at, one in enumerate(steps) if len(one) != 2][-1] + 1
    head = head_of(match) | {"opener": 4}
    cards = ["As", "Ks", "Qs", "6c", "Ad", "Kd", "Qd", "6s"]
    written = typed(head, "bid 90h", "pass", "pass", "pass", *cards)
    assert bids
    assert written.rejected is None
    assert any(one["rule"] == "CO-8" for one in view_of(written)["found"])


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=4, deadline=None)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table[0])
def test_whatever_is_typed_is_taken_or_refused_and_can_be_taken_back(
    table: tuple[str, str, int], data: Any
) -> None:
    match = match_of(*table)
    good, head = steps_of(match), head_of(match)
    written = DraftMatch(head)
    words = [*written.game.key_bindings(written.table, ENGLISH).values(), ":deal", ":hand 1", "??"]
    some = st.sampled_from([*words, *(f":hand 2 {one}" for one in written.cards)])
    steps = good[: data.draw(st.integers(0, len(good)))]
    for one in data.draw(st.lists(st.one_of(some, st.text(max_size=6)), max_size=6)):
        steps.append(one + data.draw(st.sampled_from(["", "!"])))
        written.apply_steps(steps)
        now = view_of(written)
        assert now["done"] == len(steps) - (now["refused"] is not None)
        if now["refused"]:
            assert now["refused"]["reason"]
            steps.pop()
    written.apply_steps(steps)
    again = typed(head, *steps)
    assert view_of(written) == view_of(again)
    assert written.recorder.log() == again.recorder.log()


# what the page is given


def test_cards_that_were_played_or_lie_elsewhere_are_gone() -> None:
    written = typed(TWO, "8h", ":hand 1 Ks Qs Ah 9d 8c", "9h")
    now = view_of(written)
    assert now["to"] == "Lucie to play"
    assert set(written.cards) - set(now["removed"]) == {"Ks", "Qs", "Ah", "9d", "8c"}


def test_buttons_are_there_only_for_what_may_be_announced() -> None:
    written = typed(TWO, "8h", ":hand 2 Ks Qs Ah 9d 8c")
    items = {one["step"] for one in view_of(written)["may"] if not one["seldom"]}
    assert "mariage-s" in items
    assert not {"mariage-d", "tierce-s", "quinte", "sept"} & items


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table[0])
def test_the_data_of_the_page_names_every_card_once(table: tuple[str, str, int]) -> None:
    written = DraftMatch(head_of(match_of(*table)))
    grid = [one["word"] for row in static_view(written, FRENCH)["grid"] for one in row]
    assert len(grid) == len(set(grid)) == len(written.cards)
    assert set(grid) <= set(act_codes(table[0], written.table.faces))


# the page


def draft_of(app: AppTest) -> Draft:
    """The draft whose desk a page shows."""
    draft = drafts.read_draft(opened(), "".join(app.query_params["draft"]))
    assert draft is not None
    return draft


@pytest.mark.page
def test_a_draft_begins_with_the_players_of_the_store_and_new_ones(open_page: Open, games: Path) -> None:
    app = open_page("saisir", lang="en")
    assert "Jean" in app.selectbox(key="entry-player-1").options
    app.button(key="entry-begin").click().run()
    assert not app.exception
    draft = draft_of(app)
    assert [one["name"] for one in draft.head["players"]] == ["Seat 1", "Seat 2"]


@pytest.mark.page
def test_a_cut_says_who_deals(open_page: Open, games: Path) -> None:
    app = open_page("saisir", lang="en")
    app.text_input(key="entry-cut-chouine").input("kd 7h")
    app.button(key="entry-begin").click().run()
    assert not app.exception
    draft = draft_of(app)
    assert draft.head["cuts"] == [["Kd 7h"]]
    assert view_of(typed(draft.head, "8h"))["to"] == "Seat 1 to play"


@pytest.mark.page
def test_what_was_typed_is_added_by_the_road_of_every_upload(open_page: Open, games: Path) -> None:
    match = match_of(*TABLES[1])
    with Store(games) as store:
        secret = drafts.create_draft(store, head_of(match))
        drafts.write_steps(store, secret, 0, steps_of(match), 0, "a")
    app = open_page("saisir", {"finishing": secret}, draft=secret, lang="en")
    app.button(key="entry-add").click().run()
    assert not app.exception
    assert any("Matches of this upload" in one.value for one in app.header)
    [(game,)] = (
        opened().cursor().execute("SELECT game FROM matches ORDER BY match_no DESC LIMIT 1").fetchall()
    )
    assert game == "coinche"


@pytest.mark.page
def test_a_draft_that_is_none_is_reported(open_page: Open, games: Path) -> None:
    app = open_page("saisir", draft="nothing", lang="en")
    assert "This draft does not exist" in app.info[0].value


@pytest.mark.page
def test_a_draft_added_again_takes_the_place_of_what_was_added_before(open_page: Open, games: Path) -> None:
    match = match_of(*TABLES[1])
    steps = [*steps_of(match), ":deal", *steps_of(match, 1)]
    first = len(steps_of(match))
    with Store(games) as store:
        secret = drafts.create_draft(store, head_of(match))
        drafts.write_steps(store, secret, 0, steps[:first], 0, "a")
    app = open_page("saisir", {"finishing": secret}, draft=secret, lang="en")
    app.button(key="entry-add").click().run()
    [(before, deals)] = last_typed()
    assert deals == 1
    button = app.button(key="entry-add")
    assert (button.label, button.disabled) == ("Added to the store", True)
    drafts.write_steps(opened(), secret, first, steps[first:], 1, "a")
    app.run()
    button = app.button(key="entry-add")
    assert (button.label, button.disabled) == ("Replace the match added before", False)
    button.click().run()
    assert not app.exception
    [(after, deals)] = last_typed()
    assert (deals, after != before) == (2, True)
    assert app.button(key="entry-add").disabled


def last_typed() -> list[tuple[str, int]]:
    """The matches that came from drafts, each with how many deals it has."""
    ask = (
        "SELECT match_id, (SELECT count(*) FROM deals d WHERE d.match_no = m.match_no)"
        " FROM matches m JOIN files USING (file_no) WHERE files.name = 'saisie.json'"
    )
    return opened().cursor().execute(ask).fetchall()


@pytest.mark.page
def test_the_day_is_todays_until_it_is_cleared(open_page: Open, games: Path) -> None:
    app = open_page("saisir", lang="en")
    field = app.date_input(key="entry-day")
    assert field.value is not None
    field.set_value(None).run()
    app.button(key="entry-begin").click().run()
    assert not app.exception
    assert "played_at" not in draft_of(app).head


@pytest.mark.page
def test_a_match_of_another_day_is_of_that_day(open_page: Open, games: Path) -> None:
    app = open_page("saisir", lang="en")
    app.date_input(key="entry-day").set_value(date(2019, 3, 2)).run()
    app.button(key="entry-begin").click().run()
    draft = draft_of(app)
    assert draft.head["played_at"].startswith("2019-03-02")
    assert DraftMatch(draft.head).recorder.state.findings == []


def test_a_name_does_not_turn_a_score_round() -> None:
    written = typed(TWO | {"players": [{"id": "x", "name": "abc\u202e"}, {"id": "marcel"}]}, "8h")
    assert "\u202e" not in str(view_of(written))
    assert "\u202e" not in str(draft_view(written, ENGLISH, board=True))


def test_a_tap_on_a_card_turns_it_where_nothing_else_is_done_with_cards() -> None:
    match = match_of(*TABLES[2])
    steps = steps_of(match)
    at = next(at for at, step in enumerate(steps) if step.startswith("turn "))
    now = view_of(typed(head_of(match), *steps[:at]))
    card = steps[at].partition(" ")[2]
    assert now["aims"][card]["step"] == steps[at]
    assert card not in now["not"] + now["removed"]
    assert not now["speaking"]
    assert [one["step"] for one in now["may"] if not one["seldom"]] == ["point"]


def test_bids_have_what_names_no_suit_first_always_in_one_order() -> None:
    match = match_of(*TABLES[1])
    for steps, first in (((), ["pass"]), (("bid 90h",), ["pass", "coinche"])):
        now = view_of(typed(head_of(match), *steps))
        plain = [one["step"] for one in now["may"] if not one["tone"] and not one["seldom"]]
        assert [step.rpartition(" ")[2] for step in plain][: len(first)] == first


def test_a_bid_is_asked_of_a_player_by_name() -> None:
    match = match_of(*TABLES[2])
    written = DraftMatch(head_of(match))
    assert written.question_in(FRENCH).text == f"Quel pari pour {written.names[0]}\u202f?"  # type: ignore[union-attr]
