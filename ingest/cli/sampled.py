"""What a card was worth to who could not see all, as `retourne solve --chance` writes it."""

from collections.abc import Iterator, Sequence

from rich.text import Text as Line

from engine.sampled import Chance, Chances
from ingest.cli.losses import OF_ACTION
from ingest.cli.params import Format, write
from ingest.cli.say import acted, head
from ingest.cli.terminal import Stop, console
from ingest.finding.words import speak_word
from ingest.i18n import N_, Translate, count_of, decimal_of
from ingest.judge.chances import SampledCard, sampled_card
from ingest.judge.explain import Explained
from ingest.judge.report import explained_report
from ingest.text.files import Text
from ingest.text.signs import plain

WHICH_DEAL = N_("Say with --deal which deal --chance is about.")
NO_SUCH_ACTION = N_("The deal has no action number {n}; it has {count}.")
DEAL = N_("Deal {n}")
OVER = N_(
    "over {deals} deals drawn from all that fit what {who} could see, played on by a simple "
    "player, {card} won {share}%"
)
ONE = N_("one deal alone fits what {who} could see")
LESS = N_("won {share} ± {error}% less often")
MORE = N_("won {share} ± {error}% more often")
SAME = N_("no difference that {deals} deals could show")
FEWER = N_("points: {points} less")
FURTHER = N_("points: {points} more")
AS_MUCH = N_("as much")
UNSAMPLED = N_("not sampled: {reason}")
SMALL = 10
"""Percent below which a decimal is told: 2 ± 2 would look like nothing."""
WIDE = 1.96
"""Standard errors on each side of what is said: 95 in 100 lie within."""


def say(
    t: Translate,
    explained: Explained,
    file: str,
    text: Text,
    where: tuple[int, int],
    format: Format,
) -> None:
    """Write what one action was worth; `where` is its deal and its own number, both from 1."""
    assert explained.match is not None
    deal, action = where
    actions = explained.match.deals[deal - 1].actions
    if action > len(actions):
        raise Stop(NO_SUCH_ACTION, n=action, count=len(actions))
    one = sampled_card(explained, file, text.line, deal - 1, action - 1)
    if format is Format.JSONL:
        write([one.as_dict(t)])
        return
    names = [player.called for player in explained.match.players]
    report = head(t, explained_report(file, text, explained))
    told = lines(t, one, actions[action - 1], names)
    console().print(Line("\n").join([report, *told]))


def lines(t: Translate, one: SampledCard, action: str, names: Sequence[str]) -> Iterator[Line]:
    """The action, and what came of each other card."""
    title = Line(" ").append(t(DEAL, n=one.deal + 1), style="bold").append(" – ")
    if not isinstance(one.sampled, Chances):
        yield title.append(t(UNSAMPLED, reason=one.reason(t)), style="dim")
        return
    found, game = one.sampled, one.game.name
    own = next(card for card in found.cards if card.card == found.played)
    who = plain(names[found.seat])
    said = speak_word(t, one.name(own.card), game)
    share = f"{100 * own.won.mean:.0f}"
    words = ONE if found.only else OVER
    told = t(words, deals=count_of(found.deals, t), who=who, card=said, share=share)
    acting = t(OF_ACTION, action=acted(t, action, names, game), said=told)
    yield title.append(f"{one.action + 1}  {acting}")
    for card in found.cards:
        if card.card != found.played:
            spoken = speak_word(t, one.name(card.card), game)
            yield Line(f"{spoken:>7}  ").append(_compared(t, found, card))


def _compared(t: Translate, found: Chances, card: Chance) -> str:
    """What came of a card, against the one that was laid."""
    if found.only:
        points = round(card.margin.less)
        return t(AS_MUCH) if not points else t(FEWER if points > 0 else FURTHER, points=abs(points))
    if not card.won.shown:
        return t(SAME, deals=count_of(found.deals, t))
    share, error = abs(100 * card.won.less), 100 * WIDE * card.won.error
    words = LESS if card.won.less > 0 else MORE
    digits = 1 if share < SMALL else 0
    return t(words, share=decimal_of(share, digits, t), error=decimal_of(error, digits, t))
