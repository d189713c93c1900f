"""Chouine on the board, in statistics and on pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.games import base
from dashboard.games.find_play import Plays, PlayTest, PlayWord
from dashboard.games.find_word import FindTerm, FindWord, chosen, flag, number, require_equal
from dashboard.text.columns import POINTS_COLUMNS, Column, count_column, decimal_column, interval_column
from dashboard.text.definitions import terms
from engine import games
from engine.cards import HIDDEN_WORD, SUITS, SYMBOLS
from engine.chouine import actions, kernel
from engine.chouine import deal_stats as chouine_facts
from engine.chouine.actions import combination_kind, combination_suit
from engine.replay import Ply
from ingest.findings.spoken_notation import announcement_kinds, describe_word
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation
from schemas.player_key import search_key

CARD_NAMES = games.game("chouine").pack
EXCHANGE_TEXTS = {
    "": N_("{who} exchanges the 7 for {card}"),
    "A": N_("{who} exchanges the 7 for {ace}"),
    "Q": N_("{who} exchanges the 7 for {queen}"),
}
END_TEXTS = {
    kernel.BY_CHOUINE: N_("{who} wins the partie by a chouine"),
    kernel.RESIGNED: N_("{who} wins the partie: the other side gave up"),
    kernel.PENALTY: N_("{who} wins the partie: second irregularity"),
    kernel.PLAYED_OUT: N_("{who} wins the partie, {points}"),
}
ANNOUNCEMENT_KEYS = {"mariage": "m", "tierce": "ti", "quarteron": "qu", "chouine": "c"}
"""Keys that type an announcement before its suit: no key of a card begins so."""
SUITLESS_KEYS = {"quinte": "qi", "trente": "tr"}
ACTION_KEYS = {
    **{"x": "sept", "7": "sept", "au": "au-sept", "ok": "accept", "rp": "replay"},
    **{"fd": "fault draw", "fp": "fault peek", "f2": "fault double", "+?": f"draw {HIDDEN_WORD}"},
    **base.RESIGN_KEYS,
}


PHASES = {"open": False, "ouverte": False, "closed": True, "fermee": True}
"""How a search writes a phase → whether nothing is left to draw."""


def _in_phase(term: FindTerm) -> PlayTest:
    require_equal(term, "phase:open")
    wanted = chosen(term._replace(values=tuple(map(search_key, term.values))), PHASES)

    def test(plays: Plays) -> NDArray[np.bool_]:
        # the kernel's own rule, on arrays
        empty = kernel.is_talon_empty.py_func(plays.fields("drawn", "drawable"))
        return np.isin(empty, wanted)

    return test


class Chouine(base.GameView):
    """Announcements, the retourne and its talon, manches."""

    # the board

    RECALLED_TRICK = "own"
    EXAMPLE_NOTES: Mapping[str, str] = {"fr": "memoire", "en": "kitchen-table"}
    MARKS: Mapping[str, base.MarkKind] = {
        "announce": base.MarkKind(
            N_("announcement"),
            "M5 0L6.5 3.5L10 3.8L7.3 6.2L8.2 10L5 7.9L1.8 10L2.7 6.2L0 3.8L3.5 3.5Z",
            "primary",
        ),
        "exchange": base.MarkKind(N_("exchange"), "M0 2H7V0L10 3L7 6V4H0ZM10 7H3V5L0 8L3 10V9H10Z", "blue"),
        "brisque": base.MarkKind(N_("brisque taken"), "M5 0L10 5L5 10L0 5Z"),
        **base.RUFF_MARK,
    }

    def pile_parts(self, t: Translate) -> list[dict[str, Any]]:
        left = ["talon_size", "drawn"]
        turned = {"needs": "retourne", "card": ["talon", "talon_size"], "note": ["sept", t("exchanged")]}
        return [
            {"label": t("Retourne"), "left": left, **turned},
            {"label": t("Talon"), "left": left, "less": "retourne"},
        ]

    def ply_state(self, deal: base.DealView, index: int) -> dict[str, Any]:
        return super().ply_state(deal, index) | {"piles": _talon_piles(deal.replay[index], deal.t)}

    def event_text(self, deal: base.DealView, now: Ply, before: Ply) -> str:
        assert now.action is not None
        (seat, act), t = now.action, deal.t
        who = deal.names[seat]
        if actions.combination_of(act) >= 0:
            result = describe_word(t, act_notation("chouine", act))
            text, worth = N_("{who} announces {what}"), 0
            if now.is_known("bonus") and now.is_known("counted"):
                worth = int(now.state["bonus"][seat]) - int(before.state["bonus"][seat])
                if worth:
                    text = N_("{who} announces {what}: {points} points")
                elif not int(now.state["counted"][seat]) & ~int(before.state["counted"][seat]):
                    text = N_("{who} announces {what}: no effect")
            return t(text, who=who, what=result, points=worth)
        if act == actions.SEPT and now.is_known("retourne"):
            talon, size = before.state["talon"], int(before.state["talon_size"])
            return base.card_sentence(EXCHANGE_TEXTS, who, CARD_NAMES.names[int(talon[size - 1])], t)
        return super().event_text(deal, now, before)

    def outcome_texts(self, deal: base.DealView, now: Ply, before: Ply) -> list[str]:
        names, t, state, found = deal.names, deal.t, now.state, list[str]()
        if int(before.state["trump"]) < 0 <= int(state["trump"]) and now.is_known("trump"):
            found.append(t("Trump is now {suit}", suit=base.suit_text(int(state["trump"]), t)))
        if now.trick > before.trick:
            winner = int(state["leader"])
            won = int(state["cards"][winner]) - int(before.state["cards"][winner])
            found.append(base.takes_text(names[winner], won, t))
            if int(state["der"]) == winner:
                found.append(t("Last trick: 10 points"))
        if now.is_over and not before.is_over and now.is_known("winner") and now.is_known("outcome"):
            winner, outcome = int(state["winner"]), int(state["outcome"])
            score = " – ".join(map(str, now.points))
            if outcome == kernel.REPLAYED:
                found.append(t("The partie is to be replayed"))
            elif winner < 0:
                found.append(t("Drawn partie, {points}: it is to be replayed", points=score))
            else:
                found.append(t(END_TEXTS[outcome], who=names[winner], points=score))
        return found

    def deal_facts(self, deal: base.DealView, now: Ply) -> list[dict[str, str]]:
        t, trump = deal.t, int(now.state["trump"])
        suit = SUITS[trump] if trump >= 0 and now.is_known("trump") else ""
        none = (t("no trump") if now.is_over else t("none yet")) if now.is_known("trump") else "?"
        return [
            base.fact_line(t("Trump"), base.suit_text(trump, t) if suit else none, suit),
            base.fact_line(t("Phase"), t("closed") if kernel.is_talon_empty(now.state) else t("open")),
            base.fact_line(t("Tricks"), f"{now.trick} / {int(now.state['tricks'])}"),
        ]

    def seat_state(self, deal: base.DealView, now: Ply, before: Ply | None, seat: int) -> dict[str, Any]:
        t, state = deal.t, now.state
        fresh = now.known_hand(seat) & ~int(before.state["hand"][seat]) if before is not None else 0
        tricks = sum(int(winner) == seat for winner in state["trick_winners"][: now.trick])
        brisques = sum(1 for _ in CARD_NAMES.codes_in(int(state["pile"][seat]) & int(kernel.BRISQUES)))
        return super().seat_state(deal, now, before, seat) | {
            "fresh": list(CARD_NAMES.names_in(fresh)),
            "notes": _seat_announcements(deal, now, seat),
            "lines": [
                t("Tricks: {n}", n=tricks),
                t("Brisques: {n}", n=brisques),
                t("Cards: {n}", n=int(state["cards"][seat])),
            ],
        }

    def legal_moves(self, deal: base.DealView, now: Ply) -> tuple[list[str], list[str]]:
        cards, words = super().legal_moves(deal, now)
        for _, act in now.legal:
            if actions.ANNOUNCE <= act < actions.UNSHOWN or act in (actions.SEPT, actions.AU_SEPT):
                words.append(describe_word(deal.t, act_notation("chouine", act)))
        return cards, words

    def hidden_event_text(self, deal: base.DealView, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """Describe a recorded draw, unless the card was face up."""
        if now.action is None or now.action.act < actions.FIRST_DRAW:
            return ""
        seat, act = now.action
        if CARD_NAMES.names[act - actions.FIRST_DRAW] in seen[seat]:
            return ""
        return deal.t("{who} draws a card", who=deal.names[seat])

    def publicly_seen(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """Add the cards of a shown announcement, and the face-up card of the talon once drawn."""
        hand = int(now.state["hand"][seat])
        fresh = int(now.state["shown"][seat]) & ~int(before.state["shown"][seat])
        # a card yet to be played is still in hand when the player makes the announcement
        for combination in range(actions.COMBINATION_COUNT):
            if fresh >> combination & 1:
                known |= int(kernel.combination_cards(before.state, seat, combination))
        if int(before.state["retourne"]) >= 0:
            face_up = int(before.state["talon"][int(before.state["talon_size"]) - 1])
            drawn = hand & ~int(before.state["hand"][seat])
            if face_up >= 0 and drawn >> face_up & 1:
                known |= 1 << face_up
        return known

    def timeline_marks(self, deal: base.DealView, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        assert now.action is not None
        act = now.action.act
        if base.is_ruff(deal, act, before):
            yield "ruff", ""
        elif actions.combination_of(act) >= 0:
            yield "announce", ""
        elif act == actions.SEPT:
            yield "exchange", ""
        if now.trick > before.trick:
            played = now.state["last"][: deal.replay.players]
            taken = sum(1 << int(card) for card in played if card >= 0)
            if brisques := (taken & int(kernel.BRISQUES)).bit_count():
                yield "brisque", deal.t("Brisques taken: {n}", n=brisques)

    # typing a deal

    HELP_WORDS = (
        *("9h", "Th", "Js", "mariage-d", "tierce-d", "quarteron-d", "quinte", "trente"),
        *("chouine-d", "mariage-d~", "sept", "au-sept", "resign", "draw 9h", "fault draw"),
        *("accept", "replay"),
    )

    def key_bindings(self, table: MatchSetup, t: Translate) -> dict[str, str]:
        """Return the keys of cards, announcements (`~`: not shown), the 7, draws (`+`), others."""
        cards = base.card_key_bindings(table, t)
        fields = {typed: word for word, typed in SUITLESS_KEYS.items()}
        for word, typed in ANNOUNCEMENT_KEYS.items():
            fields |= base.suit_key_bindings(typed, f"{word}-")
        # only announcements that the game has
        known = {
            key: word for key, word in fields.items() if word.split("-")[0] in table.game.announcement_kinds
        }
        unshown = {f"~{typed}": f"{word}~" for typed, word in known.items()}
        draws = {f"+{typed}": f"draw {card}" for typed, card in cards.items()}
        return {**cards, **known, **unshown, **ACTION_KEYS, **draws}

    def is_rare(self, word: str, in_turn: bool) -> bool:
        """Return True for draws, irregularities, unshown announcements, and the default cases."""
        if word.startswith(("draw ", "fault ")) or word.endswith("~"):
            return True
        # these follow an irregularity, from any player
        return word not in ("accept", "replay") and super().is_rare(word, in_turn)

    def next_question(
        self, table: MatchSetup, opening: Mapping[str, Any], t: Translate
    ) -> base.Question | None:
        """Ask for the retourne if one is turned up: without it the trump is unknown."""
        if not table.settings["turn_up"] or {"deck", "talon"} & opening.keys():
            return None
        return base.Question(("retourne",), t("Which card is turned up?"))

    def with_answer(
        self, table: MatchSetup, opening: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """Return the deal's keys with the retourne, the last card of an unrecorded talon."""
        if tuple(about) != ("retourne",) or answer not in (*CARD_NAMES.names, HIDDEN_WORD):
            raise ValueError(answer)
        rest = len(CARD_NAMES) - self.hand_size(table, opening) * table.players
        return {**opening, "talon": " ".join([HIDDEN_WORD] * (rest - 1) + [answer])}

    # statistics

    STATISTICS = base.Statistics(
        averages=("points", "card_points", "bonus", "brisques", "tricks"),
        worth=tuple(map(int, kernel.CARD_POINTS)),
        manches=True,
        exchange=True,
        winning=(actions.KINDS[actions.CHOUINE],),
    )
    dealt_announcements = staticmethod(chouine_facts.combinations_dealt)
    dealt_worth = staticmethod(chouine_facts.combination_points)

    def would_have_won(
        self, kind: Sequence[str], outcome: base.Ints, points: base.Ints, seat: base.Ints, worth: base.Ints
    ) -> NDArray[np.bool_]:
        """Return whether each announcement would have won its deal, by recounting it."""
        at_once = np.isin(np.asarray(kind, np.str_), self.STATISTICS.winning)
        return chouine_facts.would_have_won(at_once, outcome, points, seat, worth)

    # pages

    TITLE = games.game_title("chouine")
    FIND_WORDS = (
        FindWord(
            ("exchanged", "echange"),
            N_("deals in which the player exchanged the 7 of trump"),
            ("exchanged",),
            flag("s.sept IS NOT NULL"),
            True,
        ),
        FindWord(
            ("brisques",),
            N_("brisques that the player took"),
            ("brisques>=5",),
            number("s.brisques", "brisques>=5"),
            True,
        ),
        PlayWord(
            ("phase",),
            N_("a card played while cards can still be drawn (open), or after (closed)"),
            ("phase:open", "phase:fermee"),
            _in_phase,
            "chouine",
        ),
    )
    FIND_CARDS: Mapping[str, int] = {"brisque": int(kernel.BRISQUES), "brisques": int(kernel.BRISQUES)}
    COUNTED_DEALS = N_("Parties")
    SECTIONS = ("announcements", "luck", "luck-and-play", "endgames")
    SECTION_HEADINGS: Mapping[str, str] = {"events": N_("The last trick and the 7")}
    PLAYER_COLUMNS = (
        *POINTS_COLUMNS,
        decimal_column(N_("of which announcements"), "bonus", "bonus"),
        interval_column("bonus_low", "bonus_high", label=N_("95% interval of announcements")),
        decimal_column(N_("Announcements per partie"), "announced", "announced-per", 2),
        interval_column("announced_low", "announced_high", 2, N_("95% interval per partie")),
    )
    MATCH_COLUMNS = (
        Column(N_("Manches"), lambda row, t: f"{row['manches']} – {row['lost']}"),
        count_column(N_("Sous la table, given"), "given", "under"),
        count_column(N_("Sous la table, taken"), "taken", "under"),
    )
    SUITLESS = tuple(
        {combination_kind(one): None for one in range(actions.COMBINATION_COUNT) if combination_suit(one) < 0}
    )
    RULES: Mapping[str, str] = {
        "lavardin": "Lavardin",
        "mondoubleau": "Mondoubleau",
        "regles-completes": N_("Complete rules"),
    }
    DEFINITIONS = terms("dashboard.games", "chouine.toml")
    DEFINITION_ADDITIONS: Mapping[str, str] = {
        "end-lost": N_("in Chouine at two once nothing is left to draw"),
        "worth": N_("a chouine has no points"),
        "would-have-won": N_("an unannounced chouine would always have won"),
    }


def _talon_piles(now: Ply, t: Translate) -> list[dict[str, Any]]:
    """Return the card turned up, while it is there and known, and the talon."""
    state, piles = now.state, list[dict[str, Any]]()
    left = int(state["talon_size"]) - int(state["drawn"])
    if int(state["retourne"]) >= 0 and left and now.is_known("retourne"):
        bottom = int(state["talon"][int(state["talon_size"]) - 1])
        card = CARD_NAMES.names[bottom] if bottom >= 0 else None
        note = t("exchanged") if int(state["sept"]) >= 0 else ""
        piles.append({"label": t("Retourne"), "card": card, "count": None, "note": note})
        left -= 1
    if left:
        # with three players two cards stay there to the end, so the phase does not matter
        piles.append({"label": t("Talon"), "card": None, "count": left, "note": ""})
    return piles


def _seat_announcements(deal: base.DealView, now: Ply, seat: int) -> list[dict[str, Any]]:
    """Return the announcements of a seat in the order made, with the cards shown.

    `counts` is false for those worth nothing; if that is unknown, it is true.
    """
    replay, state, t = deal.replay, now.state, deal.t
    sure = now.is_known("counted") and now.is_known("worth_double")
    made = [
        (int(state["when"][seat][combination]), combination)
        for combination in range(actions.COMBINATION_COUNT)
        if int(state["announced"][seat]) >> combination & 1
    ]
    found = []
    for trick, combination in sorted(made):
        bit, suit = 1 << combination, combination_suit(combination)
        text = t(announcement_kinds()[combination_kind(combination)]) + (
            f" {SYMBOLS[SUITS[suit]]}" if suit >= 0 else ""
        )
        worth_double = sure and bool(int(state["worth_double"][seat]) & bit)
        at = replay.at_trick(trick).index
        while not int(replay[at].state["announced"][seat]) & bit:
            at += 1
        cards = 0
        if at and int(replay[at].state["shown"][seat]) & bit:
            before = replay[at - 1]
            cards = int(kernel.combination_cards(before.state, seat, combination)) & before.known_hand(seat)
        found.append(
            {
                "text": text + (" ×2" if worth_double else ""),
                "counts": not sure or bool(int(state["counted"][seat]) & bit),
                "cards": list(CARD_NAMES.names_in(cards)),
                "fresh": at == now.index,
            }
        )
    return found


GAME = Chouine()
