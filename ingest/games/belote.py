"""Belote in ingest: rows, spoken words, common recording errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.belote.actions import ANNOUNCEMENT_KINDS, FIRST_CARRE, LEVELS, SEQUENCES, STRAINS, TAKEN
from engine.belote.kernel import BELOTE_POINTS, points
from engine.belote.tables import ANNOUNCED_POINTS, ANNOUNCED_SUIT, PLAIN_POINTS, RANK_OF
from engine.cards import ENGLISH_RANKS, FRENCH_RANKS, HIDDEN_WORD, PIQUET, SYMBOLS, card_label
from engine.replay import Ply
from ingest.games.base import (
    SUIT_COLUMN,
    AnnouncementRows,
    BoolArray,
    Categories,
    ColumnValues,
    IntArray,
    NumberReader,
    ScoreLineReader,
    SheetColumn,
    StateArray,
    masked_where,
    to_small_ints,
)
from ingest.games.finding_code import DependsOn, action_code, revoke_code
from ingest.games.team_contracts import DECLARER_COLUMN, MADE_COLUMN, TeamContractSupport
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup

ACT_TEXTS = {
    "pass": N_("passes"),
    "contre": N_("says contre"),
    "surcontre": N_("says surcontre"),
    "belote": N_("says belote"),
    "rebelote": N_("says rebelote"),
    "renonce": N_("is caught revoking"),
}
TAKE_TEXT = N_("takes in {strain}")
STRAIN_TEXTS: Mapping[str, str] = {"sa": N_("sans atout"), "ta": N_("tout atout")}
_CONTRE_ALIASES: Mapping[str, int] = {
    **dict.fromkeys(("0", "non", "no", "-", "–"), 0),
    **dict.fromkeys(("1", "oui", "yes", "x", "contre", "contree", "coinche", "coinchee", "doubled"), 1),
    **dict.fromkeys(("2", "xx", "surcontre", "surcontree", "surcoinche", "surcoinchee", "redoubled"), 2),
}
_KIND_INDEX = np.array(
    [*(length - 3 for length, _, _ in SEQUENCES), *[3] * (len(ANNOUNCED_POINTS) - FIRST_CARRE)], np.uint8
)


_SPOKEN_STRAINS: Mapping[str, Sequence[str]] = {
    "s": ("pique", "piques", "spades"),
    "h": ("coeur", "coeurs", "hearts", "❤"),
    "d": ("carreau", "carreaux", "diamonds"),
    "c": ("trefle", "trefles", "clubs"),
    "sa": ("sa", "s.a.", "sans atout", "sans", "no trump"),
    "ta": ("ta", "t.a.", "tout atout", "tout", "all trump"),
}


_STRAINS_BY_NAME = {
    name: strain
    for strain, names in _SPOKEN_STRAINS.items()
    for name in (*names, {"h": "cœur", "c": "trèfle"}.get(strain, strain), SYMBOLS.get(strain, strain))
}


_TAKING = (
    *("prend", "prend a", "prends", "je prends", "je prends a", "pris", "pris a"),
    *("takes", "takes in", "took", "took in"),
)


def _spoken_bids() -> dict[str, str]:
    """Return takings as players speak, and bids in sans atout and tout atout: `90 sa` → `bid 90sa`."""
    found = {}
    for strain, names in _SPOKEN_STRAINS.items():
        for name in (*names, SYMBOLS.get(strain, strain)):
            for verb in _TAKING:
                found[f"{verb} {name}"] = f"take {strain}"
            for level in LEVELS[1:] if strain in STRAIN_TEXTS else ():
                found[f"{level} {name}"] = f"bid {level}{'' if level.isdigit() else '-'}{strain}"
    return found


# `a♠`, `♦`: notes take the last letter of `as`, and `d`, for a suit
_SPOKEN_RANKS = {
    "Q": "d ♦ q dame dames queens",
    "K": "r k roi rois kings",
    "T": "t 10 dix tens",
    "A": "a as a♠ ace aces",
    "9": "9 neuf nines",
    "J": "v j valet valets jacks",
}


def _spoken_announcements() -> dict[str, str]:
    """Return how players name announcements: `tierce a la` dame de pique, `carre de valets`."""
    kinds = {"tierce": "tierce", "cinquante": "cinquante", "cent": "cent"}
    kinds |= {"quarte": "cinquante", "quatrieme": "cinquante", "quinte": "cent"}
    found = {
        spoken + of: kind for spoken, kind in kinds.items() for of in ("", " au", " a", " a la", " to the")
    }
    for rank, names in _SPOKEN_RANKS.items():
        for name in names.split():
            found |= {f"carre{of}{name}": f"carre-{rank}" for of in (" ", " de ", " d'", " of ")}
    return found


CARDS_BEFORE_TURNED_UP = 20
"""Five to each player."""


def _deck_with_turned_card(table: MatchSetup, cards: Sequence[str]) -> dict[str, Any]:
    """Return a pack in which only the card turned up is known; empty where none is (BE-5)."""
    if table.settings["auction"] != "take" or len(cards) != 1:
        return {}
    deck = [HIDDEN_WORD] * len(PIQUET)
    deck[CARDS_BEFORE_TURNED_UP] = cards[0]
    return {"deck": " ".join(deck)}


_COUNTS_NOTHING = N_("Leave the word out, or correct its seat.")

_CODES = {
    # a line of a score sheet
    "no-such-contract": action_code(
        N_("These rules have no such contract: {found}."),
        N_("Write what was taken or bid last, and 0, 1 or 2 for contre and surcontre."),
        depends_on=DependsOn.DEAL,
    ),
    # play
    "card-in-auction": action_code(
        N_("{who} plays {found} before the auction has ended."),
        N_("Complete the auction: somebody takes, or three passes follow the last bid or contre."),
    ),
    "must-ruff-higher": revoke_code(N_("{who} plays {found} but must ruff higher, and can. Legal: {legal}.")),
    "must-undertrump": revoke_code(
        N_("{who} plays {found} but must play a trump, even one too low. Legal: {legal}.")
    ),
    # the auction
    "wrong-auction": action_code(
        N_("{who}: {found}. Under these rules there is no such bid."),
        N_("Name the rules that were played: classique takes the suit turned up, the others bid points."),
    ),
    "take-suit": action_code(
        N_("{who} {found}, which this round does not allow. Possible: {legal}."),
        N_("In the first round the suit of the card turned up is taken, in the second another one."),
    ),
    "bid-strain": action_code(
        N_("{who}: {found}. These rules have no sans atout and no tout atout."),
        N_("Set sans_tout to true if they were played."),
    ),
    "bid-too-high": action_code(
        N_("{who}: {found}, above the highest number of these rules."),
        N_("Correct the number, or set highest."),
    ),
    "bid-after-contre": action_code(
        N_("{who}: {found} after a contre, which ends the bids. No effect."),
        N_("Leave the bid out, or the contre before it."),
    ),
    "contre-no-bid": action_code(
        N_("{who} says contre when there is no bid. No effect."),
        N_("Leave the contre out, or add the bid that is missing."),
    ),
    "contre-side": action_code(
        N_("{who} says contre to a bid of their own team. No effect."),
        N_("Correct the seat: an opponent of the last bidder says contre."),
    ),
    "contre-again": action_code(
        N_("{who}: {found} when it was said already. No effect."), N_("Leave the second one out.")
    ),
    "contre-turn": action_code(
        N_("{who}: {found} out of turn. No effect."),
        N_("Move it to its player’s turn; or set contre_any_time to true if the table allows it."),
    ),
    "surcontre-no-contre": action_code(
        N_("{who} says surcontre without a contre. No effect."),
        N_("Add the contre that is missing, or leave the surcontre out."),
    ),
    "surcontre-side": action_code(
        N_("{who} answers their own team’s contre with a surcontre. No effect."),
        N_("Correct the seat: one of the bidding team says surcontre."),
    ),
    # announcements
    "announce-rules": action_code(
        N_("{who} announces {found}, but these rules have no announcements. No effect."),
        N_("Leave it out, or set announcements to true."),
    ),
    "announce-time": action_code(
        N_("{who} announces {found} when it is not the time. No effect."),
        N_("Move the announcement before its player’s first card."),
    ),
    "announcement-not-held": action_code(
        N_("{who} announces {found} without all its cards. In hand: {hand}. Its points go to the others."),
        N_("Correct the suit or the cards of the announcement, or leave it out."),
    ),
    "announce-cards-again": action_code(
        N_("{who} announces {found} with a card that counts in another announcement. No effect."),
        N_("Leave one of the two out."),
    ),
    # belote and rebelote
    "belote-turn": action_code(
        N_("{who} {found} out of turn. No effect."),
        N_("Write it before the king or queen of trump that its player plays."),
    ),
    "belote-not-held": action_code(
        N_("{who} {found} without king and queen of trump. In hand: {hand}. No effect."), _COUNTS_NOTHING
    ),
    "belote-again": action_code(N_("{who} {found} again. No effect."), _COUNTS_NOTHING),
    "belote-card": action_code(
        N_("{who} announces belote or rebelote with {found}, not the king or queen of trump. No effect."),
        N_("Write it before the king or queen of trump."),
    ),
    "rebelote-first": action_code(
        N_("{who} {found} before belote. No effect."),
        N_("Write belote before the first of king and queen, or leave rebelote out."),
    ),
    "renonce-misplaced": action_code(
        N_("{who} {found}, but no card was played. No effect."),
        N_("Move it behind the card that was wrong, or leave it out."),
    ),
    "renonce-unfounded": action_code(
        N_("{who} {found}, but each card they played was legal. The deal counts as failed all the same."),
        N_("Correct its seat, or the card that was wrong."),
    ),
}


class Belote(TeamContractSupport):
    """Ingest support for Belote."""

    DOUBLED_TEXTS = (N_("contré"), N_("surcontré"))
    DOUBLE_WORD = "contre"
    TIMES_FIELD = "coinche"
    LEVEL_TEXTS: Mapping[str, str] = {"capot": N_("capot")}
    STRAIN_TEXTS = STRAIN_TEXTS

    # rows of the store

    def deal_columns(self, states: StateArray) -> ColumnValues:
        return super().deal_columns(states) | {"trump": to_small_ints(states["strain"])}

    def seat_columns(self, states: StateArray, deal: IntArray, seat: IntArray) -> ColumnValues:
        side = seat & 1
        belotes = np.bitwise_count(states["belotes"].astype(np.uint8)).astype(np.int64)
        own = belotes[deal, side] + belotes[deal, side + 2]
        announced = np.where(states["best_side"][deal] == side, states["announced"][deal, side], 0)
        bonus = BELOTE_POINTS * own + announced + states["forfeited"][deal, 1 - side]
        return super().seat_columns(states, deal, seat) | {"bonus": bonus.astype(np.int16)}

    def dealt_card_points(self, states: StateArray) -> NDArray[np.int64]:
        """Return the points of each card to the player dealt it, (deals, 32), without trump.

        The taking decides who gets the card turned up and those after it (BE-4): they do not count.
        """
        points = np.tile(PLAIN_POINTS[RANK_OF], (len(states), 1))
        taking = np.flatnonzero(states["retourne"] >= 0)
        points[taking, states["retourne"][taking]] = -1
        points[taking[:, None], states["stock"][taking]] = -1
        return points

    def announcement_rows(
        self, states: StateArray, rules: NDArray[np.void], rule_of: IntArray, partly_hidden: BoolArray
    ) -> AnnouncementRows:
        """Return the belotes held, and the sequences and carrés announced (BE-15, BE-16)."""
        counted_pairs = states["belotes"]
        held = np.where(partly_hidden[:, None], counted_pairs, states["pairs_held"] | counted_pairs)
        deal, seat, suit = np.nonzero(held[:, :, None] >> np.arange(4) & 1)
        counted = states["belotes"][deal, seat] >> suit & 1 > 0
        found_deal, found_seat, place = np.nonzero(states["announcements"] >= 0)
        which = states["announcements"][found_deal, found_seat, place]
        best = states["best_side"][found_deal] == found_seat & 1
        count, more = len(deal), len(which)
        kind = np.concatenate([np.full(count, ANNOUNCEMENT_KINDS.index("belote")), _KIND_INDEX[which]])
        suits = np.concatenate([suit, ANNOUNCED_SUIT[which]])
        yes, no = np.ones(more, np.bool_), np.zeros(count + more, np.bool_)
        scored = np.concatenate([counted, best])
        worth = np.concatenate([np.full(count, BELOTE_POINTS), ANNOUNCED_POINTS[which]]).astype(np.int16)
        announced = np.concatenate([counted, yes])
        return AnnouncementRows(
            np.concatenate([deal, found_deal]),
            np.concatenate([seat, found_seat]),
            {
                "kind": Categories(kind.astype(np.uint8), list(ANNOUNCEMENT_KINDS)),
                "suit": to_small_ints(suits),
                "trump": (suits >= 0) & (suits == states["trump"][np.concatenate([deal, found_deal])]),
                "held": ~no,
                "announced": announced,
                "shown": scored,
                "counted": scored,
                "missed": np.concatenate([~counted, ~yes]),
                "trick": masked_where(np.concatenate([~no[:count], ~yes]), np.ones(count + more, np.uint8)),
                "lead": masked_where(~no, no),
                "closed": masked_where(~announced, announced),
                "points": worth * scored,
                "worth": worth,
            },
        )

    # descriptions

    ANNOUNCEMENT_NAMES: Mapping[str, str] = {
        "tierce": N_("tierce"),
        "cinquante": N_("cinquante"),
        "cent": N_("cent"),
        "carre": N_("carré"),
        "belote": N_("belote"),
    }

    def describe_word(self, t: Translate, word: str) -> str | None:
        if word in PIQUET.code_entries:
            return card_label(word, t.language)
        if word in ACT_TEXTS:
            return t(ACT_TEXTS[word])
        kind, _, top = word.partition("-")
        if kind == "carre" and top in tuple(PIQUET.ranks):
            ranks = FRENCH_RANKS if t.language == "fr" else ENGLISH_RANKS
            return f"{t(self.ANNOUNCEMENT_NAMES[kind])} {ranks.get(top, top)}"
        if kind in self.ANNOUNCEMENT_NAMES and top in PIQUET.code_entries:
            return f"{t(self.ANNOUNCEMENT_NAMES[kind])} {card_label(top, t.language)}"
        if word.startswith("take ") and word[5:] in STRAINS:
            return t(TAKE_TEXT, strain=self.strain_text(t, word[5:]))
        return self.describe_bid(t, word)

    # the terminal's view

    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        state = ply.state
        items = []
        if int(state["retourne"]) >= 0 and state["bidding"] and ply.is_known("retourne"):
            card = card_label(PIQUET.names[int(state["retourne"])], t.language)
            items.append(t(N_("turned up: {card}"), card=card))
        level = int(state["contract"])
        if level < 0:
            return [*items, t("no bid")] if ply.index else items
        strain, who = self.strain_text(t, STRAINS[int(state["strain"])]), names[int(state["declarer"])]
        if level == TAKEN:
            message = t(N_("{strain} taken by {who}"), strain=strain, who=who)
        else:
            bid = self.level_text(t, LEVELS[level])
            message = t(N_("{bid} {strain} by {who}"), bid=bid, strain=strain, who=who)
        doubled = ("", *map(t, self.DOUBLED_TEXTS))[int(state["coinched"])]
        return [*items, message, doubled] if doubled else [*items, message]

    # recording errors

    ACT_FREQUENCIES: Mapping[str, float] = {
        "bid capot": 0.01,
        "bid": 0.4,
        "pass": 0.6,
        "contre": 0.05,
        "surcontre": 0.02,
        "announce": 0.2,
        "renonce": 0.005,
    }

    # notes

    NOTE_FILLERS: Sequence[str] = (
        *("chute", "chutent", "dedans", "reussi", "reussit", "fait", "annonce", "down", "je"),
        *("arrete", "ends", "capot", "slam"),
    )
    NOTE_EXAMPLES = (N_("{who} bids 90 ♥, {other} passes"), N_("{who} wins 120 to 42"))
    NOTE_ALIASES: Mapping[str, str] = {
        **dict.fromkeys(("passe", "je passe", "passent", "passes", "passed"), "pass"),
        **dict.fromkeys(("je contre", "contree", "double", "doubles"), "contre"),
        **dict.fromkeys(("coinche", "coinchee", "je coinche"), "contre"),
        **dict.fromkeys(
            ("je surcontre", "surcontree", "surcoinche", "surcoinchee", "redouble", "redoubles"), "surcontre"
        ),
        **_spoken_bids(),
        **dict.fromkeys(("dit belote", "says belote"), "belote"),
        **dict.fromkeys(("dit rebelote", "says rebelote"), "rebelote"),
        **dict.fromkeys(("fait une renonce", "revokes", "revoked", "is caught revoking"), "renonce"),
        **_spoken_announcements(),
        **dict.fromkeys(("bids",), "bid"),
        **dict.fromkeys(("slam",), "capot"),
    }

    CARD_LINE_READERS: Mapping[str, Callable[[MatchSetup, Sequence[str]], dict[str, Any]]] = dict.fromkeys(
        ("retourne", "carte retournee", "turned up", "turn-up", "upcard"), _deck_with_turned_card
    )

    def taken_suit(self, deal: Mapping[str, Any]) -> str | None:
        """Return the suit of the card turned up (BE-5)."""
        known = [card for card in deal.get("deck", "").split() if card != HIDDEN_WORD]
        return known[0][-1] if len(known) == 1 else None

    def trump_of(self, setup: MatchSetup, deal: Mapping[str, Any], acts: Sequence[str]) -> str | None:
        named = [act for act in acts if re.search(r"\b(take|bid) ", act)]
        suit = named[-1][-1] if named and not named[-1].endswith(tuple(STRAIN_TEXTS)) else ""
        return suit if suit in SYMBOLS else None

    # score sheets

    SHEET_COLUMNS: Sequence[SheetColumn] = (
        DECLARER_COLUMN,
        SheetColumn(
            "contract",
            N_("Contract"),
            N_("90 ♥, capot ♠ or only ♥; – where all passed"),
            aliases=("contrat", "enchere", "bid"),
        ),
        SUIT_COLUMN,
        SheetColumn(
            "contre", N_("Contre"), N_("1 contré, 2 surcontré"), aliases=("contree", "coinche", "coinchee")
        ),
        MADE_COLUMN,
        SheetColumn("belote", N_("Belote"), N_("who has belote and rebelote"), in_template=False),
        SheetColumn(
            "litige",
            N_("Litige"),
            N_("points of earlier litiges that the score includes"),
            in_template=False,
            is_number=True,
        ),
    )
    SHOWN_OPTIONS: Mapping[str, Sequence[str]] = {
        "sans_tout": (*_SPOKEN_STRAINS["sa"], *_SPOKEN_STRAINS["ta"], "sans-atout", "tout-atout")
    }

    CARD_TOTALS: Sequence[int] = (162, 252)

    OTHER_NAMES: Mapping[str, str] = {
        r"coinche\W+(?:(?:a|avec|en|jeu|de|with)\s+)*32\s*(?:cartes|cards)\b\)?": "coinchee",
        r"32[\s-]cards?\s+coinche": "coinchee",
        r"belote\W+coinche": "coinchee",
    }

    def is_end_of_row(self, reader: NumberReader, state: np.void) -> bool:
        """Return whether the declarer's team has the card points of the sheet."""
        made = reader.read_number("made")
        if made is None or int(state["contract"]) < 0:
            return True
        own = int(points(state, int(state["declarer"]) & 1))
        return own == made or (made % 10 == 0 and (own + 5) // 10 * 10 == made)

    def read_score_line(self, reader: ScoreLineReader) -> dict[str, Any]:
        """Return the contract with its declarer, asking for a missing one, and belote and litige."""
        taken = _STRAINS_BY_NAME.get(reader.read_text("contract").strip().casefold())
        bids = [f"take {taken}"] if taken else reader.read_acts("contract", "bid", "contre", "surcontre")
        declarer = reader.read_seat("declarer")
        times = reader.read_choice("contre", _CONTRE_ALIASES)
        if times is None and bids:  # « 110 ♥ contré »
            times = max(_CONTRE_ALIASES.get(word, 0) for word in bids) or None
        belote, litige = reader.read_seat("belote"), reader.read_number("litige")
        bids = [word for word in bids or () if word.startswith(("bid ", "take "))]
        found: dict[str, Any] = {}
        if bids:
            if declarer is None:
                reader.ask_for_missing("declarer")
                return {}
            bid = {"bid": f"{declarer} {bids[-1]}"}
            found["contract"] = bid if times is None else bid | {"coinche": times}
        if belote is not None:
            found["belote"] = [1 - (belote - 1) % 2, (belote - 1) % 2]
        return found if litige is None else found | {"litige": litige}

    # rules

    RULE_PREFIX: str = "BE"

    FINDING_CODES = _CODES


GAME = Belote()
