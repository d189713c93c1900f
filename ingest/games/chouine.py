"""Chouine in ingest: rows, spoken words, common recording errors."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN_WORD, PIQUET, SUITS, SYMBOLS, card_label
from engine.chouine.actions import COMBINATION_COUNT, QUINTE, combination_kind
from engine.chouine.deal_stats import announcements, card_points_dealt
from engine.chouine.kernel import BRISQUES, CARD_POINTS, hand_size, totals
from engine.replay import Ply
from ingest.games import base
from ingest.games.finding_code import DependsOn, EditSearch, ValueKind, action_code, total_code
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup

_KIND_OF_COMBINATION = [combination_kind(combination) for combination in range(COMBINATION_COUNT)]
_KIND_NAMES = list(dict.fromkeys(_KIND_OF_COMBINATION))
_KIND_INDEX = np.array([_KIND_NAMES.index(kind) for kind in _KIND_OF_COMBINATION], np.uint8)
ACT_TEXTS = {
    "sept": N_("exchanges the 7"),
    "au-sept": N_("announces “au sept”"),
    "accept": N_("lets play go on"),
    "replay": N_("has the partie replayed"),
    "resign": N_("resigns"),
    "fault draw": N_("draws another’s card"),
    "fault peek": N_("sees another’s card"),
    "fault double": N_("draws two cards"),
}


def _talon_with_turned_card(table: MatchSetup, cards: Sequence[str]) -> dict[str, Any]:
    """Return a talon in which only the turned-up card is known (CH-4)."""
    dealt = int(hand_size(table.players)) * table.players
    return {"talon": " ".join([HIDDEN_WORD] * (len(PIQUET) - dealt - len(cards)) + [*cards])}


_KIND_ADVICE = N_("Take an announcement this number of players has, or leave it out.")

_cut_code = partial(action_code, depends_on=DependsOn.CUT, edit_search=EditSearch.CUT)

_CODES = {
    # a line of a score sheet
    "announcements-impossible": action_code(
        N_("{found}: impossible at this table, with the announcements before it."),
        N_("Correct the seat, the suit or the type: a card belongs to one player, a suit is announced once."),
        depends_on=DependsOn.DEAL,
    ),
    # play
    "must-overruff": action_code(
        N_("{who} plays {found} but must overruff. Legal: {legal}."),
        N_("If your club does not ask for it, set overruff to false; otherwise as for a revoke."),
    ),
    # the 7 of trump
    "sept-not-held": action_code(
        N_("{who} exchanges the 7 of trump without holding it."),
        N_("Leave the exchange out, or look for a slip in the deal."),
    ),
    "sept-again": action_code(
        N_("{who} exchanges the 7 of trump a second time."), N_("Leave the second exchange out.")
    ),
    "sept-late": action_code(
        N_("{who} exchanges the 7 of trump when the retourne has left the talon."),
        N_("Leave the exchange out, or move it before the retourne was drawn."),
    ),
    "sept-is-retourne": action_code(
        N_("{who} exchanges the 7 of trump, but the retourne is that 7."),
        N_("Remove the exchange: there is nothing to exchange."),
    ),
    "sept-no-retourne": action_code(
        N_("{who} exchanges the 7, but this game has no retourne."),
        N_("Leave the exchange out, or name rules that turn a card up."),
    ),
    "sept-turn": action_code(
        N_("{who} exchanges the 7 of trump out of turn."),
        N_("Move the exchange to its player’s own turn, before the card played."),
    ),
    "au-sept-missing": action_code(
        N_("{who} leads with two cards left in the talon and does not announce “au sept”."),
        N_("No fix needed; add “au sept” if it was announced, or set au_sept to ignore."),
    ),
    "au-sept-misplaced": action_code(
        N_("{who} announces “au sept” at the wrong time."),
        N_("Leave the word out: it belongs to the leader with two cards left in the talon."),
    ),
    # announcements
    "announce-turn": action_code(
        N_("{who} announces {found} out of turn. No effect."),
        N_("Move the announcement to the turn of its player, together with the card played."),
    ),
    "announce-not-held": action_code(
        N_("{who} announces {found} without all its cards. In hand: {hand}. No effect."),
        N_("Correct the suit or the kind of the announcement, or leave it out."),
    ),
    "announce-card": action_code(
        N_("{who}: {found}. A card of the announcement must be played with it."),
        N_("Correct the card played; or allow any card with announce_with set to any."),
    ),
    "announce-kind": action_code(
        N_("{who} announces {found}, which does not exist in the two-player game."), _KIND_ADVICE
    ),
    "announce-kind-3-4": action_code(
        N_("{who} announces {found}, which does not exist with three or four players."), _KIND_ADVICE
    ),
    "announce-again": action_code(
        N_("{who} announces {found} after another one of that suit or type. No effect."),
        N_("Leave the second one out; or allow it with one_per_suit set to false."),
    ),
    "announce-one-per-play": action_code(
        N_("{who} announces {found}, but these rules allow one announcement per card."),
        N_("Keep one of them with this card; or set one_per_play to false."),
    ),
    # draws
    "draw-card": action_code(
        N_("{who}: {found}, but the talon gives {legal}."),
        N_("Correct the card drawn, or look for a slip in the order of the talon."),
        legal_kind=ValueKind.CARDS,
    ),
    "draw-turn": action_code(
        N_("{who}: {found} before their turn to draw."),
        N_("Put the draws in order: the winner of the trick first, then the others in seat order."),
    ),
    "draw-missing": action_code(
        N_("{who}: {found} before every player has drawn."),
        N_("Add the missing draws; or remove all draws: Retourne takes them from the talon."),
    ),
    "draw-unexpected": action_code(
        N_("{who}: {found}, but the talon is empty."),
        N_("Leave the draw out, or move it to the end of its trick."),
    ),
    # recorded irregularities
    "irregularity-misplaced": action_code(
        N_("{who}: {found}, but the last action was not a draw."),
        N_("Move the irregularity to just after the draw it is about."),
    ),
    "decision-missing": action_code(
        N_("{who}: {found}, but the wronged player must decide first: accept or replay."),
        N_("Add what the wronged player decided: accept or replay."),
    ),
    "decision-misplaced": action_code(
        N_("{who}: {found}, but there is no irregularity to decide about."),
        N_("Leave the decision out, or add the irregularity it answers."),
    ),
    # across deals
    "manche-differs": total_code(
        N_("Recorded manche: {found}. This is manche {legal}."),
        N_("Correct the number of the manche, or look for a partie that is missing."),
        depends_on=DependsOn.DEALS,
        declared_key="manche",
    ),
    # the cut
    "cut-undecided": _cut_code(
        N_("The cut {found} leaves the deal undecided: the lowest card is shared."),
        N_("Add the next attempt of the cut."),
    ),
    "cut-repeated": _cut_code(
        N_("The cut {found} had already decided the deal."),
        N_("Leave the attempts out that come after the one that decided."),
    ),
    "cut-cards": _cut_code(
        N_("The cut {found} needs one card per seat, all of them different."),
        N_("Write one card for each seat, all different."),
    ),
}


class Chouine(base.GameSupport):
    """Ingest support for Chouine."""

    TOTALS_LOOP = staticmethod(totals)

    def deal_columns(self, states: base.StateArray) -> base.ColumnValues:
        return {
            "trump": base.to_small_ints(states["trump"]),
            "first_lead": base.to_small_ints(states["first_lead"]),
        }

    def seat_columns(
        self, states: base.StateArray, deal: base.IntArray, seat: base.IntArray
    ) -> base.ColumnValues:
        at = deal, seat
        winner, trick = states["winner"][deal], (states["sept_trick"][deal] + 1).astype(np.uint8)
        return {
            "points": self.seat_points(states, deal, seat),
            "card_points": states["cards"][at].astype(np.int16),
            "bonus": states["bonus"][at].astype(np.int16),
            "tricks": base.tricks_by_seat(states["trick_winners"])[at],
            "brisques": np.bitwise_count(states["pile"][at] & BRISQUES).astype(np.uint8),
            "der": states["der"][deal] == seat,
            "sept": base.masked_where(states["sept"][deal] != seat, trick),
            "won": base.masked_where(winner < 0, winner == seat),
        }

    def dealt_card_points(self, states: base.StateArray) -> NDArray[np.int32]:
        points = np.zeros((len(states), len(CARD_POINTS)), np.int32)
        card_points_dealt(states, points)
        return points

    def announcement_rows(
        self,
        states: base.StateArray,
        rules: NDArray[np.void],
        rule_of: base.IntArray,
        partly_hidden: base.BoolArray,
    ) -> base.AnnouncementRows:
        found = announcements(states, rules, rule_of, partly_hidden)
        combination, never = found["combination"], found["trick"] < 0
        flags = ("trump", "held", "announced", "shown", "counted", "missed")
        return base.AnnouncementRows(
            found["deal"],
            found["seat"].astype(np.int64),
            {
                "kind": base.Categories(_KIND_INDEX[combination], _KIND_NAMES),
                "suit": base.masked_where(combination >= QUINTE, (combination & 3).astype(np.uint8)),
                **{name: found[name] for name in flags},
                "trick": base.to_small_ints(found["trick"], 1),
                "lead": base.masked_where(never, found["lead"]),
                "closed": base.masked_where(never, found["closed"]),
                "points": (found["worth"] * found["counted"]).astype(np.int16),
                "worth": found["worth"].astype(np.int16),
            },
        )

    # descriptions

    ANNOUNCEMENT_NAMES: Mapping[str, str] = {
        "mariage": N_("mariage"),
        "tierce": N_("tierce"),
        "quarteron": N_("quarteron"),
        "chouine": N_("chouine"),
        "quinte": N_("quinte"),
        "trente": N_("trente"),
    }

    def describe_word(self, t: Translate, word: str) -> str | None:
        if word in PIQUET.code_entries:
            return card_label(word, t.language)
        if word in ACT_TEXTS:
            return t(ACT_TEXTS[word])
        if word.startswith("draw "):
            card = word[5:]
            written = card == HIDDEN_WORD or (len(card) == 2 and card[1] in SYMBOLS)
            return t("draws {card}", card=card_label(card, t.language)) if written else None
        kind, _, suit = word.removesuffix("~").partition("-")
        if kind not in self.ANNOUNCEMENT_NAMES or (suit and suit not in SYMBOLS):
            return None
        message = t(self.ANNOUNCEMENT_NAMES[kind]) + (f" {SYMBOLS[suit]}" if suit else "")
        return t("{announcement}, not shown", announcement=message) if word.endswith("~") else message

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        each: dict[str, list[str]] = {}
        for action in score_line.announcements or ():
            seat, _, word = action.partition(" ")
            each.setdefault(seat, []).append(self.describe_word(t, word) or word)
        return [f"{base.player_at_seat(seat, names)} {', '.join(words)}" for seat, words in each.items()]

    # the terminal's view

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        state = ply.state
        trump, left = int(state["trump"]), int(state["talon_size"]) - int(state["drawn"])
        suit = SYMBOLS[SUITS[trump]] if trump >= 0 else t("none yet")
        suit = suit if ply.is_known("trump") else "?"
        items = [t("trump {suit}", suit=suit)]
        if int(state["retourne"]) >= 0 and left and ply.is_known("retourne"):
            card = int(state["talon"][int(state["talon_size"]) - 1])
            items.append(t("retourne {card}", card=card_label(PIQUET.names[card], t.language)))
        return [*items, t("talon {n}", n=left)]

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        """Whether an announcement made trump, where no card was turned up (CH-28)."""
        return bool(before["trump"] != now["trump"])

    # recording errors

    ACT_FREQUENCIES: Mapping[str, float] = {"announce": 0.6, "sept": 0.5, "fault": 0.01, "resign": 0.01}

    # notes

    NOTE_EXAMPLES = (
        N_("{who} plays the ace of clubs, {other} ruffs with the 9 of spades"),
        N_("{who} wins 87 to 63"),
    )
    NOTE_ALIASES: Mapping[str, str] = {
        "marriage": "mariage",
        **dict.fromkeys(("echange sept", "echange 7", "echange"), "sept"),
        **dict.fromkeys(("exchanges seven", "exchanges 7", "exchanges", "exchange"), "sept"),
        **dict.fromkeys(("pioche carte d'un autre", "draws another's card"), "fault draw"),
        **dict.fromkeys(("voit carte d'un autre", "sees another's card"), "fault peek"),
        **dict.fromkeys(("pioche deux cartes", "draws two cards"), "fault double"),
        **dict.fromkeys(("pioche", "tire", "draws"), "draw"),
        **dict.fromkeys(("laisse jouer", "accepte", "accepts", "lets play go on"), "accept"),
        **dict.fromkeys(("fait rejouer partie", "fait rejouer"), "replay"),
        **dict.fromkeys(("has partie replayed", "replays"), "replay"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
    }

    def trump_of(self, setup: MatchSetup, deal: Mapping[str, Any], acts: Sequence[str]) -> str | None:
        """Return the suit of the card turned up (CH-4)."""
        turned = deal.get("talon", HIDDEN_WORD).split(" ")[-1] if setup.settings["turn_up"] else HIDDEN_WORD
        return None if turned == HIDDEN_WORD else turned[-1]

    CARD_LINE_READERS: Mapping[str, Callable[[MatchSetup, Sequence[str]], dict[str, Any]]] = {
        "talon": lambda table, cards: {"talon": " ".join(cards)},
        **dict.fromkeys(("retourne", "turned up"), _talon_with_turned_card),
    }

    # score sheets

    SHEET_COLUMNS: Sequence[base.SheetColumn] = (
        base.SheetColumn(
            "announcements",
            N_("Announcements"),
            N_("mariage ♥, tierce ♠; – for none"),
            per_player=True,
            aliases=("annonce", "announcement"),
        ),
    )

    def read_score_line(self, reader: base.ScoreLineReader) -> dict[str, Any]:
        items = [reader.read_acts("announcements", "announce", seat=seat) for seat in range(reader.players)]
        acts = [f"{seat} {word}" for seat, words in enumerate(items, 1) for word in words or ()]
        return {} if all(words is None for words in items) else {"announcements": acts}

    # rules

    RULE_PREFIX: str = "CH"
    FINDING_CODES = _CODES


GAME = Chouine()
