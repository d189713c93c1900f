"""Chouine from files to the store: its rows, how its acts are spoken, what its scribes forget."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import PIQUET, SUITS, SYMBOLS, UNTOLD, pretty
from engine.chouine.actions import COMBINATIONS, QUINTE, kind_of
from engine.chouine.deal_stats import announcements, points_dealt
from engine.chouine.kernel import BRISQUES, POINTS, hand_size, totals
from engine.replay import Ply
from ingest.games import base
from ingest.games.finding_code import Mended, Rests, Spoken, counted, of_act, revoke
from ingest.i18n import N_, Translate
from schemas.match_setup import Table

_KIND_OF = [kind_of(combination) for combination in range(COMBINATIONS)]
_KINDS = list(dict.fromkeys(_KIND_OF))
_NUMBER = np.array([_KINDS.index(kind) for kind in _KIND_OF], np.uint8)
ACTS = {
    "sept": N_("exchanges the 7"),
    "au-sept": N_("says “au sept”"),
    "accept": N_("lets play go on"),
    "replay": N_("has the partie replayed"),
    "resign": N_("resigns"),
    "fault draw": N_("draws another’s card"),
    "fault peek": N_("sees another’s card"),
    "fault double": N_("draws two cards"),
}


def _turned(table: Table, cards: Sequence[str]) -> dict[str, Any]:
    """The talon of which the card turned up alone is known (CH-4)."""
    dealt = int(hand_size(table.players)) * table.players
    return {"talon": " ".join([UNTOLD] * (len(PIQUET) - dealt - len(cards)) + [*cards])}


_KIND = N_("Take an announcement this number of players has, or leave it out.")

_of_cut = partial(of_act, rests=Rests.CUT, mended=Mended.CUT)

_CODES = {
    # a line of a score sheet
    "announcements-impossible": of_act(
        N_("{found} cannot be made at this table beside the announcements before it."),
        N_("Correct the seat, the suit or the kind: a card is one player’s, a suit told once."),
        rests=Rests.DEAL,
    ),
    # play
    "must-beat": revoke(
        N_("{who} plays {found} but can play a higher trump and must. Legal: {legal}.")
    ),
    "must-ruff": revoke(N_("{who} plays {found} but can ruff and must. Legal: {legal}.")),
    "must-overruff": of_act(
        N_("{who} plays {found} but can overruff and must. Legal: {legal}."),
        N_("If your club does not ask for it, set overruff to false; otherwise as for a revoke."),
    ),
    # the 7 of trump
    "sept-not-held": of_act(
        N_("{who} exchanges the 7 of trump without holding it."),
        N_("Leave the exchange out, or look for a slip in the deal."),
    ),
    "sept-again": of_act(
        N_("{who} exchanges the 7 of trump a second time."), N_("Leave the second exchange out.")
    ),
    "sept-gone": of_act(
        N_("{who} exchanges the 7 of trump when the retourne has left the talon."),
        N_("Leave the exchange out, or move it before the retourne was drawn."),
    ),
    "sept-is-retourne": of_act(
        N_("{who} exchanges the 7 of trump, but the retourne is that 7."),
        N_("Leave the exchange out: there is nothing to exchange."),
    ),
    "sept-no-retourne": of_act(
        N_("{who} exchanges the 7, but this game has no retourne."),
        N_("Leave the exchange out, or name rules that turn a card up."),
    ),
    "sept-turn": of_act(
        N_("{who} exchanges the 7 of trump out of turn."),
        N_("Move the exchange to its player’s own turn, before the card played."),
    ),
    "au-sept-missing": of_act(
        N_("{who} leads with two cards left in the talon and does not say “au sept”."),
        N_("Nothing has to be fixed; add the word if it was said, or set au_sept to ignore."),
    ),
    "au-sept-misplaced": of_act(
        N_("{who} says “au sept” when it is not the time."),
        N_("Leave the word out: it belongs to the leader with two cards left in the talon."),
    ),
    # announcements
    "announce-turn": of_act(
        N_("{who} announces {found} out of turn: it counts nothing."),
        N_("Move the announcement to the turn of its player, together with the card played."),
    ),
    "announce-not-held": of_act(
        N_("{who} announces {found} without all its cards. In hand: {hand}. It counts nothing."),
        N_("Correct the suit or the kind of the announcement, or leave it out."),
    ),
    "announce-card": of_act(
        N_("{who}: {found}. A card of the announcement must be played with it."),
        N_("Correct the card played; or allow any card with announce_with set to any."),
    ),
    "announce-kind": of_act(
        N_("{who} announces {found}: two players have no such announcement."), _KIND
    ),
    "announce-kind-3-4": of_act(
        N_("{who} announces {found}: three or four players have no such announcement."), _KIND
    ),
    "announce-again": of_act(
        N_("{who} announces {found} after another one of that suit or kind: it counts nothing."),
        N_("Leave the second one out; or allow it with one_per_suit set to false."),
    ),
    "announce-one-per-play": of_act(
        N_("{who} announces {found}: only one announcement goes with a card here."),
        N_("Keep one of them with this card; or set one_per_play to false."),
    ),
    # draws
    "draw-card": of_act(
        N_("{who}: {found}, but the talon gives {legal}."),
        N_("Correct the card drawn, or look for a slip in the order of the talon."),
        legal=Spoken.CARDS,
    ),
    "draw-turn": of_act(
        N_("{who}: {found} before their turn to draw."),
        N_("Put the draws in order: the winner of the trick first, then the others in seat order."),
    ),
    "draw-missing": of_act(
        N_("{who}: {found} before every player has drawn."),
        N_("Add the draws that are missing; or leave all draws out, for the talon tells them."),
    ),
    "draw-unexpected": of_act(
        N_("{who}: {found} when there is nothing to draw."),
        N_("Leave the draw out, or move it to the end of its trick."),
    ),
    # irregularities told in the log
    "irregularity-misplaced": of_act(
        N_("{who}: {found} when nobody has just drawn."),
        N_("Move the irregularity to just after the draw it is about."),
    ),
    "decision-missing": of_act(
        N_("{who}: {found} before the wronged player has decided."),
        N_("Add what the wronged player decided: accept or replay."),
    ),
    "decision-misplaced": of_act(
        N_("{who}: {found} where there is nothing for them to decide."),
        N_("Leave the decision out, or add the irregularity it answers."),
    ),
    # across deals
    "manche-differs": counted(
        N_("The sheet says manche {found}; it is manche {legal}."),
        N_("Correct the number of the manche, or look for a partie that is missing."),
        rests=Rests.DEALS,
        declares="manche",
    ),
    # the cut
    "cut-undecided": _of_cut(
        N_("The cut {found} leaves the deal undecided: the lowest card is shared."),
        N_("Add the next attempt of the cut."),
    ),
    "cut-repeated": _of_cut(
        N_("The cut {found} had already decided the deal."),
        N_("Leave the attempts out that come after the one that decided."),
    ),
    "cut-cards": _of_cut(
        N_("The cut {found} is not one different card for each seat."),
        N_("Write one card for each seat, all different."),
    ),
}


class Chouine(base.Game):
    """Chouine from files to the store."""

    SCORE: str = "won"
    TOTALS = staticmethod(totals)

    def deal(self, states: base.States) -> base.Columns:
        return {
            "trump": base.small(states["trump"]),
            "first_lead": base.small(states["first_lead"]),
        }

    def seat(self, states: base.States, deal: base.Places, seat: base.Places) -> base.Columns:
        at = deal, seat
        winner, trick = states["winner"][deal], (states["sept_trick"][deal] + 1).astype(np.uint8)
        return {
            "points": self.points(states, deal, seat),
            "cards": states["cards"][at].astype(np.int16),
            "bonus": states["bonus"][at].astype(np.int16),
            "tricks": base.taken(states["takers"])[at],
            "brisques": np.bitwise_count(states["pile"][at] & BRISQUES).astype(np.uint8),
            "der": states["der"][deal] == seat,
            "sept": base.unless(states["sept"][deal] != seat, trick),
            "won": base.unless(winner < 0, winner == seat),
        }

    def card_points(self, states: base.States) -> NDArray[np.int32]:
        """What each of 32 cards counted for whoever was dealt it or drew it, a row a deal."""
        points = np.zeros((len(states), len(POINTS)), np.int32)
        points_dealt(states, points)
        return points

    def announced(
        self, states: base.States, rules: NDArray[np.void], rule_of: base.Places, part: base.Flags
    ) -> base.Announced:
        """Every combination held or announced."""
        found = announcements(states, rules, rule_of, part)
        combination, never = found["combination"], found["trick"] < 0
        flags = ("trump", "held", "announced", "shown", "counted", "missed")
        return base.Announced(
            found["deal"],
            found["seat"].astype(np.int64),
            {
                "kind": base.Words(_NUMBER[combination], _KINDS),
                "suit": base.unless(combination >= QUINTE, (combination & 3).astype(np.uint8)),
                **{name: found[name] for name in flags},
                "trick": base.small(found["trick"], 1),
                "lead": base.unless(never, found["lead"]),
                "closed": base.unless(never, found["closed"]),
                "points": (found["worth"] * found["counted"]).astype(np.int16),
                "worth": found["worth"].astype(np.int16),
            },
        )

    # speech

    KINDS: Mapping[str, str] = {
        "mariage": N_("mariage"),
        "tierce": N_("tierce"),
        "quarteron": N_("quarteron"),
        "chouine": N_("chouine"),
        "quinte": N_("quinte"),
        "trente": N_("trente"),
    }

    def speak(self, t: Translate, word: str) -> str | None:
        if word in PIQUET.codes:
            return pretty(word, t.language)
        if word in ACTS:
            return t(ACTS[word])
        if word.startswith("draw "):
            card = word[5:]
            written = card == UNTOLD or (len(card) == 2 and card[1] in SYMBOLS)
            return t("draws {card}", card=pretty(card, t.language)) if written else None
        kind, _, suit = word.removesuffix("~").partition("-")
        if kind not in self.KINDS or (suit and suit not in SYMBOLS):
            return None
        said = t(self.KINDS[kind]) + (f" {SYMBOLS[suit]}" if suit else "")
        return t("{announcement}, not shown", announcement=said) if word.endswith("~") else said

    def say_told(self, t: Translate, line: Any, names: Sequence[str]) -> list[str]:
        each: dict[str, list[str]] = {}
        for action in line.announcements or ():
            seat, _, word = action.partition(" ")
            each.setdefault(seat, []).append(self.speak(t, word) or word)
        return [f"{base.named(seat, names)} {', '.join(words)}" for seat, words in each.items()]

    # the board of the terminal

    def beside(self, t: Translate, ply: Ply, table: Table, names: Sequence[str]) -> list[str]:
        """Trump, the retourne as long as it lies there, and how much is left to draw."""
        state = ply.state
        trump, left = int(state["trump"]), int(state["talon_size"]) - int(state["drawn"])
        suit = SYMBOLS[SUITS[trump]] if trump >= 0 else t("none yet")
        suit = suit if ply.sure("trump") else "?"
        told = [t("trump {suit}", suit=suit)]
        if int(state["retourne"]) >= 0 and left and ply.sure("retourne"):
            card = int(state["talon"][int(state["talon_size"]) - 1])
            told.append(t("retourne {card}", card=pretty(PIQUET.names[card], t.language)))
        return [*told, t("talon {n}", n=left)]

    def settled(self, before: np.void, now: np.void) -> bool:
        """Whether an announcement made trump, where no card was turned up (CH-28)."""
        return bool(before["trump"] != now["trump"])

    # slips of a scribe

    OFTEN: Mapping[str, float] = {"announce": 0.6, "sept": 0.5, "fault": 0.01, "resign": 0.01}

    # notes

    SAID: Mapping[str, str] = {
        "marriage": "mariage",
        **dict.fromkeys(("echange le sept", "echange le 7", "echange"), "sept"),
        **dict.fromkeys(("exchanges", "exchange"), "sept"),
        **dict.fromkeys(("pioche", "tire", "draws"), "draw"),
        **dict.fromkeys(("laisse jouer", "accepte", "accepts"), "accept"),
        **dict.fromkeys(("fait rejouer", "replays"), "replay"),
        **dict.fromkeys(("abandonne", "abandon", "resigns"), "resign"),
    }
    CARD_LINES: Mapping[str, Callable[[Table, Sequence[str]], dict[str, Any]]] = {
        "talon": lambda table, cards: {"talon": " ".join(cards)},
        **dict.fromkeys(("retourne", "turned up"), _turned),
    }

    # score sheets

    COLUMNS: Sequence[base.Column] = (
        base.Column(
            "announcements",
            N_("Announcements"),
            N_("mariage ♥, tierce ♠; – for none"),
            each=True,
            said=("annonce", "announcement"),
        ),
    )

    def told(self, line: base.Line) -> dict[str, Any]:
        """The announcements of all players, where one of the cells says something."""
        said = [line.acts("announcements", "announce", seat) for seat in range(line.players)]
        acts = [f"{seat} {word}" for seat, words in enumerate(said, 1) for word in words or ()]
        return {} if all(words is None for words in said) else {"announcements": acts}

    # what is said of the game

    RULES: str = "CH"
    MEANINGS: Sequence[str] = (
        N_("parties to win for a manche"),
        N_("manches to win for the match"),
        N_("a card is turned up and makes trump"),
        N_("points of a quinte"),
        N_("the card an announcement goes with"),
        N_("one announcement per player and suit"),
        N_("one announcement per card played"),
        N_("a ruff must beat an earlier ruff"),
        N_("worth of the announcement making trump"),
        N_("what leaving out au sept brings"),
    )
    CODES = _CODES


GAME = Chouine()
