"""What play was worth, in the words of the terminal: `solve` and `replay` say the same."""

import threading
from collections.abc import Iterator

from rich.text import Text as Line

from engine.solved import Chosen, Play, Solved
from ingest.cli.say import acted
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.judge.solved import SolvedDeal, prepare, solved_deals
from ingest.text.signs import plain

MORE = N_("from action {at} on {who} makes {points} more with best play")
AS_MUCH = N_("from action {at} on both make as much with best play")
OF_ACTION = N_("{action}: {said}")
LOST = N_("{points} lost; nothing with {cards}")
SAID_NOTHING = N_("{points} lost by what was announced with it or not")
NOTHING = N_("Nothing was lost.")
NO_CARD = N_("No card was laid from there on.")
TURNED = N_("The winner turned with action {at}: {action}.")
UNSOLVED = N_("not solved: {reason}")
BIDS = N_("bid cards, for the tricks won")


class Told:
    """A deal in words, solved or not; actions count from 1, as `replay` numbers them."""

    def __init__(self, t: Translate, explained: Explained, one: SolvedDeal) -> None:
        assert explained.match is not None
        self.t, self.one, self.game = t, one, one.game
        self.names = [player.called for player in explained.match.players]
        self.actions = explained.match.deals[one.deal].actions

    def margin(self, solved: Solved) -> str:
        """Who makes more from there on, and how much."""
        at, side = solved.start + 1, 0 if solved.margin > 0 else 1
        if not solved.margin:
            return self.t(AS_MUCH, at=at)
        seats = range(len(self.names)) if not self.game.partners else (side, side + 2)
        who = [self.names[seat] for seat in seats if self.game.partners or seat == side]
        return plain(self.t(MORE, at=at, who=" – ".join(who), points=abs(solved.margin)))

    def lines(self, solved: Solved) -> Iterator[Line]:
        """Each card that lost points, and where the winner turned."""
        costly = [play for play in solved.plays if play.lost]
        if not costly:
            yield Line(self.t(NOTHING if solved.plays else NO_CARD), style="dim")
        for play in costly:
            said = self.t(OF_ACTION, action=self._acted(play.action), said=self._lost(play))
            yield Line(f"{play.action + 1:4}  {said}")
        if solved.turning is not None:
            yield Line(self._turned(solved.turning))

    def after(self, at: int) -> Iterator[str]:
        """What an action cost, and whether the winner turned with it."""
        if not isinstance(solved := self.one.solved, Solved):
            return
        yield from (self._lost(play) for play in solved.plays if play.action == at and play.lost)
        if solved.turning == at:
            yield self._turned(at)

    def bids(self) -> Iterator[str]:
        """What each player bid, and the best card that was left."""
        return map(plain, self.one.bids(self.t, self.names))

    def at_the_end(self) -> Iterator[str]:
        """What is said of the deal as a whole: why nothing is, or what was bid."""
        if isinstance(self.one.solved, Chosen):
            yield from self.bids()
        elif (reason := self.one.reason(self.t)) is not None:
            yield self.t(UNSOLVED, reason=reason)

    def _lost(self, play: Play) -> str:
        card = self.actions[play.action].partition(" ")[2]
        best = self.one.names(play.best)
        if card in best:
            return self.t(SAID_NOTHING, points=play.lost)
        said = ", ".join(speak_word(self.t, one, self.game.name) for one in best)
        return self.t(LOST, points=play.lost, cards=said)

    def _turned(self, at: int) -> str:
        return self.t(TURNED, at=at + 1, action=self._acted(at))

    def _acted(self, at: int) -> str:
        return acted(self.t, self.actions[at], self.names, self.game.name)


class Values:
    """What play of a match was worth; its solver is loaded, or compiled, beside what is shown."""

    def __init__(self, t: Translate, explained: Explained) -> None:
        assert explained.table is not None
        self._t, self._explained = t, explained
        self._known: dict[int, Told] = {}
        own = explained.table.game
        self._loading = threading.Thread(target=prepare, args=(own,), daemon=True)
        self._loading.start()

    def wait(self) -> None:
        """Until it is there."""
        self._loading.join()

    def of(self, deal: int) -> Told | None:
        """A deal, from 0; None: the solver is not there yet."""
        if self._loading.is_alive():
            return None
        if deal not in self._known:
            (one,) = solved_deals(self._explained, "", 1, deal)
            self._known[deal] = Told(self._t, self._explained, one)
        return self._known[deal]
