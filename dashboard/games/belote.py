"""Belote on the board, in statistics and on pages."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar

from dashboard.games import base
from dashboard.games.find_word import FindWord, flag
from dashboard.games.team_contracts import TeamContractView, side_text
from dashboard.text.definitions import terms
from engine import games
from engine.belote import actions, kernel
from engine.belote.actions import bid_level, bid_strain
from engine.belote.tables import ANNOUNCED_CARDS, LEVEL_POINTS, PLAIN_POINTS
from engine.cards import HIDDEN_WORD, PIQUET, SUITS
from engine.replay import Ply
from ingest.findings.spoken_notation import describe_word
from ingest.i18n import N_, Translate
from schemas.games.belote import (
    TURNED_UP,
    action_words,
    announcement_word,
    is_dealt_after_taking,
    places_of_hands,
)
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation

WORD_KEYS = {"belote": "be", "rebelote": "rb", "renonce": "rn"}


class Belote(TeamContractView):
    """Partners, a taking or bids, belote and rebelote, announcements, scores."""

    CALL_TEXTS: ClassVar = {
        actions.PASS: N_("pass"),
        actions.CONTRE: N_("contre"),
        actions.SURCONTRE: N_("surcontre"),
    }
    DOUBLED_TEXTS: ClassVar = {1: N_("contré"), 2: N_("surcontré")}
    DOUBLED_BY: ClassVar = (N_("Contre by"), N_("Surcontre by"))
    FAILED_TEXT: ClassVar = N_("down")
    BIDS: ClassVar = range(actions.BID, actions.PASS)
    UNLISTED_ACTS: ClassVar = frozenset((actions.RENONCE,))
    RESULT_FIELDS: ClassVar = (*TeamContractView.RESULT_FIELDS, "waiting", "carried")
    STRAIN_FIELD = "strain"
    STRAINS = (*base.GameView.STRAINS, N_("sans atout"), N_("tout atout"))

    def bid_of(self, act: int) -> tuple[int, int]:
        return bid_level(act), bid_strain(act)

    def contract_text(self, level: int, strain: int, t: Translate) -> str:
        """Return a contract as text: `90 ♥`, `capot ♠`, only `♥` if taken."""
        return t(self.STRAINS[strain]) if level == actions.TAKEN else super().contract_text(level, strain, t)

    # the board

    MARKS: Mapping[str, base.MarkKind] = {
        **TeamContractView.MARKS,
        "announce": base.MarkKind(
            N_("announcement"),
            "M5 0L6.5 3.5L10 3.8L7.3 6.2L8.2 10L5 7.9L1.8 10L2.7 6.2L0 3.8L3.5 3.5Z",
            "primary",
        ),
    }

    def pile_parts(self, t: Translate) -> list[dict[str, Any]]:
        undealt = {"needs": "retourne", "until": ["bidding", "contract"]}
        size = kernel.State["stock"].shape[0]
        return [
            {"label": t("Retourne"), "left": [1], "card": ["retourne"], **undealt},
            {"label": t("Talon"), "left": [size], **undealt},
        ]

    def ply_state(self, deal: base.DealView, index: int) -> dict[str, Any]:
        t, now = deal.t, deal.replay[index]
        state, sides, piles = now.state, list[dict[str, Any]](), list[dict[str, Any]]()
        for side in range(2):
            lines = [t("Tricks: {n}", n=int(state["taken"][side]) + int(state["taken"][side + 2]))]
            if belotes := base.certain_number(deal, now, kernel.belote_points, side):
                lines.append(t("Belote: {n}", n=belotes))
            if announced := base.certain_number(deal, now, kernel.announcement_points, side):
                lines.append(t("Announcements: {n}", n=announced))
            if now.is_over:  # first: a narrow table cuts the line
                lines.insert(0, self.score_line(deal, now, side))
            sides.append({"points": base.certain_number(deal, now, kernel.points, side), "lines": lines})
        undealt = int(state["retourne"]) >= 0 and (state["bidding"] or int(state["contract"]) < 0)
        if undealt and now.is_known("retourne"):
            card = PIQUET.names[int(state["retourne"])]
            piles.append({"label": t("Retourne"), "card": card, "count": None, "note": ""})
            piles.append({"label": t("Talon"), "card": None, "count": len(state["stock"]), "note": ""})
        due = t("to speak") if state["bidding"] else ""
        return super().ply_state(deal, index) | {"due": due, "sides": sides, "piles": piles}

    def event_text(self, deal: base.DealView, now: Ply, before: Ply) -> str:
        assert now.action is not None
        (seat, act), t = now.action, deal.t
        if actions.ANNOUNCE <= act < actions.BELOTE:
            what = describe_word(t, act_notation("belote", act), "belote")
            return t(N_("{who} announces {what}"), who=deal.names[seat], what=what)
        return super().event_text(deal, now, before)

    def outcome_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        found = self.contract_event(deal, now, before)
        found += self.trick_event(deal, now, before, N_("Last trick: 10 points"))
        return found + self.result_texts(deal, now, before)

    def final_texts(self, state: Any, t: Translate) -> list[str]:
        outcome, found = int(state["outcome"]), list[str]()
        if outcome == kernel.PASSED:
            return [t("All passed: neither team scores, the next player deals")]
        if outcome == kernel.RENOUNCED:
            side = side_text(int(state["offender"]) & 1, t)
            found.append(t("A revoke: the deal fails for {side}", side=side))
        if (sweeper := int(state["sweeper"])) >= 0:
            points, side = int(kernel.points(state, sweeper)), side_text(sweeper, t)
            found.append(t("Every trick: {points} points for {side}", points=points, side=side))
        if outcome == kernel.LITIGE:
            waiting = int(state["waiting"])
            found.append(t("Litige: {n} points go to the winner of the next contract", n=waiting))
        elif int(state["made"]) >= 0:
            found.append(t("Contract made") if state["made"] else t(N_("The declarers are down")))
        if int(state["carried"]) > 0:
            found.append(t("With {n} points of the litige before", n=int(state["carried"])))
        return [*found, self.scores_text(state, t)]

    def seat_notes(self, deal: base.DealView, now: Ply, seat: int) -> list[dict[str, Any]]:
        """Return also belote and announcements; what may count in some possible deal does."""
        t, notes = deal.t, super().seat_notes(deal, now, seat)
        states = base.possible_states(deal, now)
        if any(state["belotes"][seat] or state["pairs_begun"][seat] for state in states):
            counts = any(state["belotes"][seat] for state in states)
            notes.append({"text": t(N_("belote")), "counts": counts})
        made = dict[int, bool]()
        for state in states:
            for announcement in state["announcements"][seat].tolist():
                if announcement >= 0:
                    counts = int(state["best_side"]) == seat & 1
                    made[announcement] = counts or made.get(announcement, False)
        for announcement, counts in made.items():
            word = describe_word(t, announcement_word(announcement), "belote")
            notes.append({"text": word, "counts": counts})
        return notes

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """Return the cards of announcements that were shown, and the card turned up once it is taken."""
        state = now.state
        if int(state["retourne"]) >= 0 and int(state["declarer"]) == seat:
            known |= 1 << int(state["retourne"])
        shown = now.is_known("best_side") and now.is_known("announcements")
        if now.trick and shown and int(state["best_side"]) == seat & 1:
            for announcement in state["announcements"][seat]:
                if int(announcement) >= 0:
                    known |= int(ANNOUNCED_CARDS[int(announcement)])
        return known & int(state["hand"][seat])

    def timeline_marks(self, deal: base.DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        assert now.action is not None
        yield from super().timeline_marks(deal, now, before)
        if actions.ANNOUNCE <= now.action.act < actions.RENONCE:
            yield "announce", ""

    # typing a deal

    HELP_WORDS = (
        *("9h", "Th", "Js", "take h", "bid 90h", "bid 90sa", "bid capot-h", "pass", "contre"),
        *("2 contre", "surcontre", "tierce-Qh", "cent-Ah", "carre-J", "belote", "rebelote", "renonce"),
    )

    def key_bindings(self, table: MatchSetup, t: Translate) -> dict[str, str]:
        """Return the keys of cards, takings, bids, announcements and words."""
        cards = base.card_key_bindings(table, t)
        found = dict(cards)
        strains = {typed: suit for suit in SUITS for typed in base.SUIT_KEYS[suit]} | {"sa": "sa", "ta": "ta"}
        for typed, strain in strains.items():
            found["pr" + typed] = f"take {strain}"
            found["cap" + typed] = f"bid capot-{strain}"
            for number in map(str, actions.NUMBERS):
                found[number + typed] = f"bid {number}{strain}"
        for kind, start in zip(actions.SEQUENCE_KINDS, ("ti", "ci", "ce"), strict=True):
            for typed, card in cards.items():
                if f"{kind}-{card}" in _WORDS:
                    found[start + typed] = f"{kind}-{card}"
        for rank in actions.CARRE_RANKS:
            for typed in base.RANK_KEYS.get(rank, (rank.lower(),)):
                found["ca" + typed] = f"carre-{rank}"
        for start, word in (("c", "contre"), ("s", "surcontre")):
            found[start * 2] = word
            found |= {f"{start}{seat}": f"{seat} {word}" for seat in range(1, table.players + 1)}
        return {**found, "p": "pass", **{typed: word for word, typed in WORD_KEYS.items()}}

    def button_text(self, word: str, t: Translate) -> str:
        level, strain = self.bid_of(_WORDS.get(word, actions.PASS))
        if strain < 0 or level == actions.TAKEN:
            return describe_word(t, word, "belote")
        return self.contract_text(level, strain, t)

    def next_question(
        self, table: MatchSetup, opening: Mapping[str, Any], t: Translate
    ) -> base.Question | None:
        """Ask for the card turned up where its suit is taken or not: without it any suit may be (BE-5)."""
        if "deck" in opening or not is_dealt_after_taking(table):
            return None
        return base.Question(("retourne",), t("Which card is turned up?"))

    def with_answer(
        self, table: MatchSetup, opening: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """Return the deal's keys with a pack of which the card turned up is known."""
        if tuple(about) != ("retourne",) or answer not in (*PIQUET.names, HIDDEN_WORD):
            raise ValueError(answer)
        deck = [HIDDEN_WORD] * len(PIQUET)
        deck[TURNED_UP] = answer
        return {**opening, "deck": " ".join(deck)}

    def with_hand(
        self, table: MatchSetup, deal: Mapping[str, Any], seat: int, cards: Sequence[str]
    ) -> dict[str, Any] | None:
        """Return the pack with the cards of a hand in their places; the card turned up stays in its own."""
        if not is_dealt_after_taking(table):
            return super().with_hand(table, deal, seat, cards)
        if "deck" not in deal:
            return None
        deck, places = deal["deck"].split(" "), _hand_places(table, deal)[seat]
        settled = {place for place in places if deck[place] in cards or place == TURNED_UP}
        free = [place for place in places if place not in settled or deck[place] == HIDDEN_WORD]
        new = [card for card in cards if card not in {deck[place] for place in settled}]
        if len(new) > len(free):
            raise ValueError(cards)
        for place, card in zip_longest(free, new, fillvalue=HIDDEN_WORD):
            deck[place] = card
        return {"deck": " ".join(deck)}

    def recorded_hands(self, table: MatchSetup, deal: Mapping[str, Any]) -> Sequence[str]:
        if "deck" not in deal or not is_dealt_after_taking(table):
            return super().recorded_hands(table, deal)
        deck = deal["deck"].split(" ")
        return [" ".join(deck[place] for place in places) for places in _hand_places(table, deal)]

    def hand_size(self, table: MatchSetup, deal: Mapping[str, Any]) -> int:
        if not is_dealt_after_taking(table):
            return super().hand_size(table, deal)
        return max(map(len, _hand_places(table, deal)))

    def is_rare(self, word: str, in_turn: bool) -> bool:
        kind = word.partition("-")[0]  # hands that are not recorded may announce anything
        rare = word == "renonce" or kind in (*actions.SEQUENCE_KINDS, *self.SUITLESS)
        return rare or super().is_rare(word, in_turn)

    # statistics

    HEIGHTS = tuple(
        base.BidHeight({"take": N_("taken"), "capot": N_("capot")}.get(level, level), int(worth))
        for level, worth in zip(actions.LEVELS, LEVEL_POINTS, strict=True)
    )
    STATISTICS = base.Statistics(
        averages=("points", "card_points", "bonus", "tricks"),
        width=50,
        worth=tuple(map(int, PLAIN_POINTS)) * len(SUITS),
        tricks=kernel.TRICKS,
    )

    # pages

    TITLE = games.game_title("belote")
    FIND_WORDS = (
        FindWord(
            ("litige",),
            N_("deals of Belote whose points wait for the next deal"),
            ("litige",),
            flag(f"m.game = 'belote' AND d.outcome = {kernel.LITIGE}"),
        ),
    )
    COUNTED_DEALS = N_("Deals")
    SECTIONS = (
        *("announcements", "contracts", "defence", "capots", "partners"),
        *("luck", "luck-and-play", "endgames"),
    )
    EXAMPLE_NOTES: Mapping[str, str] = {"fr": "belote-soiree", "en": "belote-evening"}
    LINKED_EXAMPLES = ("belote/must-beat",)
    SUITLESS = ("carre",)
    RULES: Mapping[str, str] = {
        "classique": N_("Classique"),
        "contree": N_("Contrée"),
        "coinchee": N_("Coinchée"),
    }
    DEFINITIONS = terms("dashboard.games", "belote.toml")
    DEFINITION_ADDITIONS: Mapping[str, str] = {
        "end-lost": N_("in Belote the last five tricks with open cards, for the player’s team"),
        "luck": N_("in Belote of five cards where a suit is taken, as the others depend on who takes"),
        "won": N_("in Belote by the player’s team"),
        "points": N_("in Belote the score of the team"),
    }


_WORDS = action_words()


def _hand_places(table: MatchSetup, deal: Mapping[str, Any]) -> list[list[int]]:
    """Return where in the pack each hand of a deal is so far; five cards before the taking."""
    return places_of_hands(table, deal.get("dealer", 1) - 1, deal.get("actions", ()))


GAME = Belote()
