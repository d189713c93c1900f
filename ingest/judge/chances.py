"""What a card was worth to who could not see all: what the engine sampled, and why it did not."""

from dataclasses import dataclass
from typing import Any

from engine.games import Game
from engine.sampled import Chance, Chances, Compared, Unsampled
from engine.sampling import SAMPLES, chances
from ingest.finding.words import NO_CARD
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.solved import NOT_DEALT

REASONS = {
    "game": N_("Deals of this game are not sampled."),
    "partial": N_("Cards of this deal are not written down."),
    "irregular": N_("Something up to there is against the rules."),
    "card": N_("With this action no card is laid."),
    "dealt": NOT_DEALT,
    "line": NO_CARD,
}
"""Why nothing is sampled, by `Unsampled.reason`."""


@dataclass(slots=True, frozen=True)
class SampledCard:
    """A card that was laid, with what came of each that could be; all but seats count from 0."""

    file: str
    line: int
    id: str | None
    deal: int
    action: int
    sampled: Chances | Unsampled
    game: Game

    def reason(self, t: Translate) -> str | None:
        """Why nothing is sampled, in words; None: it is."""
        return t(REASONS[self.sampled.reason]) if isinstance(self.sampled, Unsampled) else None

    def name(self, card: int) -> str:
        """A card as logs write it."""
        return self.game.pack.names[card]

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `solve --chance --format jsonl`: always every key."""
        known = self.sampled if isinstance(self.sampled, Chances) else None
        return {
            "file": self.file,
            "line": self.line,
            "id": self.id,
            "deal": self.deal,
            "action": self.action,
            "seat": known and known.seat + 1,
            "played": known and self.name(known.played),
            "deals": known and known.deals,
            "cards": known and [self._card(card) for card in known.cards],
            "unsampled": self.reason(t),
        }

    def _card(self, card: Chance) -> dict[str, Any]:
        return {
            "card": self.name(card.card),
            "won": _numbers(card.won, 4),
            "points": _numbers(card.margin, 2),
        }


def _numbers(found: Compared, places: int) -> dict[str, Any]:
    """What is told of a number: the mean, what it is less than that of the card laid, and so on."""
    return {
        "mean": round(found.mean, places),
        "less": round(found.less, places),
        "error": round(found.error, places),
        "shown": found.shown,
    }


def sampled_card(
    explained: Explained,
    file: str,
    line: int,
    deal: int,
    action: int,
    samples: int = SAMPLES,
    seed: int = 0,
) -> SampledCard:
    """Sample what an action of a deal was worth. IndexError: the match has no such deal."""
    assert explained.match is not None
    assert explained.table is not None
    replay = explained.replays[deal]
    if deal in explained.lines:
        sampled: Chances | Unsampled = Unsampled("line")
    elif replay is None:
        sampled = Unsampled("dealt")
    else:
        sampled = chances(replay, action, samples, seed)
    own = explained.match.id
    return SampledCard(file, line, own, deal, action, sampled, explained.table.game)
