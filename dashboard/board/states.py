"""What the board is told of a deal: every state at once, in words and card names, for any game.

The board itself (`board.js`) knows no game. It draws

    seats    per deal: `name`, `note` (who deals or leads), `side` where partners play, or null
    sides    the names of the sides, empty where each plays alone
    faces    per card name: `src` of its picture, `four` the same in four colours where it differs,
             `label` for a screen reader; a card without one is face down and `unknown`
    back     `src` of a card face down
    corner   what of a card's width a hand held close still shows
    auction  null, or `title`, `seats` (the order of the columns) and `rows` of calls, one a column:
             null or `ply` (when it was said), `text`, `suit`, `counts`
    jumps    the plies at which a new trick may begin, for `[` and `]`
    tricks   each complete trick: the `ply` that ended it, its `taker`, its `cards` by seat
    recall   which tricks a player may look at again: `own` and the others' last, or the `last`
    marks    what the timeline shows: `ply`, `kind` (`story.kinds`), `text`
    comments what somebody says, in order: the `ply` it belongs to, `who` says it in words, `text`,
             and the `seat` of a player who says it, else null
    times    null, or the seconds since the deal began, one a ply
    plies    one per state: `text` (what just happened), `why` (by what the trick was won, or empty)
             and `also` (what came of it), `veiled` (null, or `text` and `also` for those who may
             not see that card), `actor`, `turns` (who may act) and `due` (what they owe if it is
             not a card), `legal` (the cards that may be played, or turned) and `may` (what else may
             be done, in words), `card` (the one that moved), `table` (a card or null per seat),
             `table_of` (`now` or `last`), that trick's `lead` and `taker`, `piles` (`label`, `card`
             or null, `count`, `note`), `facts` (`label`, `text`, `suit`), `sides` (`points` and
             `lines` each), and per seat `hand`, `seen` (its cards that every player knows), `fresh`
             (cards just drawn or turned), `points` (null where sides have them), `notes` (`text`,
             `counts` and, where cards were shown for it, `cards` and `fresh`: just now), `lines`
             and `bid` (null, or `label`, `steps` of `tricks` and `points`, and `here`, a step)
    findings `text`, `rule`, `severity` and the `ply` it belongs to, null for the whole match

Seats count from 0 here; every text is in one language and is never markup.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from dashboard import games
from dashboard.games.base import Deal, Mark, on_table
from dashboard.text.numbers import short
from engine.acts import ACT_MASK
from engine.cards import UNTOLD
from engine.games import names as registered
from engine.replay import Ply, Replay
from ingest.finding.words import NO_CARD, speak_action, speak_line
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained
from ingest.text.signs import plain
from schemas.remarks import Remark
from schemas.remarks import remarks as remarks_of
from schemas.table import Table
from schemas.words import decode


class Shown(Protocol):
    """What the board needs of a finding; `ingest.finding.finding.Finding` is one."""

    rule: str
    severity: str
    deal: int | None
    action: int | None

    def message(self, t: Translate) -> str: ...


def deal_states(
    log: Explained, deal: int, t: Translate, findings: Iterable[Shown] | None = None
) -> dict[str, Any] | None:
    """The board's data for a deal of a match, from 0: its findings (or those given), its times,
    its comments. None: it cannot be replayed.
    """
    replay = log.replays[deal] if deal < len(log.replays) else None
    if replay is None or log.match is None or log.table is None:
        return None
    names = [plain(player.called) for player in log.match.players]
    found = log.findings if findings is None else findings
    times = log.match.deals[deal].times
    return states(replay, log.table, names, t, found, deal, times, remarks_of(log.match, deal))


def hollow(log: Explained, deal: int, t: Translate) -> dict[str, Any]:
    """The board's data for a deal that cannot be replayed: the players, and what was found."""
    assert log.match is not None
    names = [plain(player.called) for player in log.match.players]
    nothing: dict[str, Any] = {key: [] for key in ("hand", "seen", "fresh", "notes", "lines")}
    nothing |= {"bid": None}
    points, also = _line(log, deal, names, t)
    ply = {
        "text": t(NO_CARD if deal in log.lines else "This deal cannot be replayed."),
        "also": also,
        **dict.fromkeys(("why", "due"), ""),
        **dict.fromkeys(("veiled", "actor", "card", "lead", "taker")),
        **{key: [] for key in ("turns", "legal", "may", "piles", "facts", "sides")},
        **{"table": [None] * len(names), "table_of": "now"},
        "seats": [nothing | {"points": own} for own in points],
    }
    return {
        "seats": [{"name": name, "note": "", "side": None} for name in names],
        **{key: [] for key in ("sides", "jumps", "tricks", "marks", "comments")},
        **{"back": "", "corner": 0, "auction": None, "faces": {}, "recall": "own", "times": None},
        "plies": [ply],
        "findings": said(log.findings, deal, 1, t),
    }


def _line(
    log: Explained, deal: int, names: Sequence[str], t: Translate
) -> tuple[list[int | None], list[str]]:
    """Points by seat, and what else is told, of a line of a score sheet; else nothing."""
    nothing: list[int | None] = [None] * len(names)
    if deal not in log.lines or log.match is None:
        return nothing, []
    told = log.match.deals[deal]
    said = speak_line(t, told, log.match.game, [short(name) for name in names])
    if told.points is not None and len(told.points) == len(names):
        return list(told.points), said
    marks = " – ".join(map(str, told.points or ()))  # those of sides
    return nothing, [f"{t('Points')} {marks}", *said] if marks else said


def states(
    replay: Replay,
    table: Table,
    names: Sequence[str],
    t: Translate,
    findings: Iterable[Shown] = (),
    deal: int = 0,
    times: Sequence[float] | None = None,
    comments: Iterable[Remark] = (),
) -> dict[str, Any]:
    """The board's data for one deal; `findings` are the match's, `deal` counts from 0.

    `times` are the log's: seconds since the deal began, one an action.
    """
    game = games.of(replay.game.name)
    full, names = names, [short(name) for name in names]
    shown = Deal(replay, table, names, t)
    frame = game.frame(shown)
    plies = _plies(shown)
    if replay.stop:
        act = replay.stop.action
        known = _known(replay, act.code)
        word = decode(replay.game.name, act.code, table.faces) if known else "?"
        spoken = speak_action(t, word, replay.game.name)
        who = names[act.seat] if act.seat < len(names) else "?"
        plies.append(
            plies[-1]
            | {
                "text": t("{who}: {action}", who=who, action=spoken),
                "why": "",
                "also": [t("This cannot have happened: the replay stops here")],
                "veiled": None,
                "actor": act.seat if act.seat < len(names) else None,
                "card": None,
            }
        )
    commented = comments_of(comments, len(plies), full, t)
    first = int(replay[0].state["dealer"])
    sides = len(frame["sides"])
    return {
        "seats": [
            {
                "name": name,
                "note": frame["opener"] if seat == first else "",
                "side": seat % sides if sides else None,
            }
            for seat, name in enumerate(full)
        ],
        "sides": frame["sides"],
        "back": frame["back"],
        "corner": frame["corner"],
        "auction": frame["auction"],
        "faces": game.faces(shown) | _untold(plies, frame["back"], t),
        "jumps": sorted(_tricks(replay) | set(frame["jumps"])),
        "tricks": tricks(shown),
        "recall": game.RECALL,
        "sampled": replay.game.sampler is not None,
        "marks": marks(shown, dict(enumerate(plies))) + comment_marks(commented),
        "comments": commented,
        "times": None if times is None else [0.0, *times][: len(plies)],
        "plies": plies,
        "findings": said(findings, deal, len(plies), t),
    }


def continued(
    replay: Replay, table: Table, names: Sequence[str], t: Translate, since: int
) -> dict[str, Any]:
    """What follows a ply of a deal: `plies`, `tricks`, `marks` and `jumps` of its `states`."""
    shown = Deal(replay, table, [short(name) for name in names], t)
    plies = _plies(shown, since + 1)
    after = {since + 1 + at: ply for at, ply in enumerate(plies)}
    return {
        "plies": plies,
        "tricks": [trick for trick in tricks(shown) if trick["ply"] > since],
        "marks": marks(shown, after),
        "jumps": sorted(ply for ply in _tricks(replay) if ply > since),
    }


def _plies(shown: Deal, since: int = 0) -> list[dict[str, Any]]:
    """The states from one on, with what comes of asking the kernel."""
    game, found = games.of(shown.replay.game.name), []
    added = additions(shown, since)
    for index, more in zip(range(since, len(shown.replay)), added, strict=True):
        ply = game.ply(shown, index)
        for seat, seen in zip(ply["seats"], more.pop("seen"), strict=True):
            seat["seen"] = seen
        found.append(ply | more)
    return found


def _tricks(replay: Replay) -> set[int]:
    """The plies at which a trick begins, and the one that ends the last."""
    return {replay.at_trick(number).index for number in range(replay.last.trick + 1)}


def _untold(plies: list[dict[str, Any]], back: str, t: Translate) -> dict[str, dict[str, str]]:
    """The face of a card nobody wrote down, where a hand has one."""
    if any(UNTOLD in seat["hand"] for ply in plies for seat in ply["seats"]):
        return {UNTOLD: {"src": back, "label": t("unknown card")}}
    return {}


def said(findings: Iterable[Shown], deal: int, plies: int, t: Translate) -> list[dict[str, Any]]:
    """The findings of one deal, in the order they are met, and those of the whole match first."""
    told = []
    for finding in findings:
        if finding.deal not in (None, deal):
            continue
        ply = None
        if finding.deal is not None and plies:
            # action k leads from state k to state k + 1; what has no action is seen at the end
            ply = plies - 1 if finding.action is None else min(finding.action + 1, plies - 1)
        told.append(
            {
                "ply": ply,
                "rule": finding.rule,
                "severity": finding.severity,
                "text": finding.message(t),
            }
        )
    return sorted(told, key=lambda one: -1 if one["ply"] is None else one["ply"])


def _known(replay: Replay, code: int) -> bool:
    return bool(code & ACT_MASK < replay.game.acts.ACTS)


Additions = dict[str, Any]

SHARED = {
    "comment": Mark(
        N_("comment"), "M0 10V5L3 0H4.6L3.2 4.6H4.6V10ZM5.4 10V5L8.4 0H10L8.6 4.6H10V10Z", "text"
    ),
    "finding": Mark(N_("finding"), "M3.5 0H6.5L6 6.5H4ZM3.7 8H6.3V10H3.7Z"),
    "end": Mark(N_("end"), "M1 0H2.4V10H1ZM3 .5H10L8 3L10 5.5H3Z", "text"),
}
"""Marks of every game; `states` adds those of comments, the board itself those of findings."""


def kinds() -> dict[str, Mark]:
    """The marks of a timeline: those that some game has, then those of all."""
    own = {kind: mark for name in registered() for kind, mark in games.of(name).MARKS.items()}
    return own | SHARED


def _game(deal: Deal) -> games.Game:
    return games.of(deal.replay.game.name)


def additions(deal: Deal, since: int = 0) -> list[Additions]:
    """By state, from one on: `legal`, `may`, `why`, `lead`, `veiled`, by seat `seen` (`states`)."""
    known = _seen(deal)
    told = []
    for now in deal.replay[since:]:
        before = deal.replay[now.index - 1] if now.index else None
        cards, words = _allowed(deal, now)
        told.append(
            {
                "legal": cards,
                "may": words,
                "why": _why(deal, now, before) if before is not None else "",
                "lead": _lead(deal, now),
                "veiled": _veiled(deal, now, known[now.index]),
                "seen": known[now.index],
            }
        )
    return told


def _allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The cards that may be played (or turned) now, and in words what else may be done."""
    if now.over:
        return [], []
    cards, words = _game(deal).allowed(deal, now)
    return list(dict.fromkeys(cards)), list(dict.fromkeys(words))


def _why(deal: Deal, now: Ply, before: Ply) -> str:
    """By what the trick just completed was won; empty when none was, or its cards are unknown."""
    if now.trick == before.trick:
        return ""
    taker = int(now.state["takers"][before.trick])
    laid = [int(card) for card in now.state["last"][: deal.replay.players]]
    best, led = laid[taker], laid[int(now.state["leads"][before.trick])]
    return "" if best < 0 or led < 0 else _game(deal).why(deal, now, best, laid)


def _lead(deal: Deal, now: Ply) -> int | None:
    """Who led the trick that lies on the table: this one, or between tricks the last."""
    which, laid = on_table(now.state, deal.replay.players)
    trick = now.trick if which == "now" else now.trick - 1
    return int(now.state["leads"][trick]) if trick >= 0 and max(laid) >= 0 else None


def _veiled(deal: Deal, now: Ply, seen: list[list[str]]) -> Additions | None:
    """What those hear who may not see the card: None where everybody sees what happens."""
    text = _game(deal).veiled(deal, now, seen)
    return {"text": text, "also": []} if text else None


def _seen(deal: Deal) -> list[list[list[str]]]:
    """State by state and seat by seat, the cards of a hand that every player has seen."""
    this, pack = _game(deal), deal.replay.game.pack
    shown, known = [0] * deal.replay.players, []
    for now in deal.replay:
        before = deal.replay[now.index - 1] if now.index else now
        shown = [
            this.shown(now, before, seat, mask) & now.known(seat) for seat, mask in enumerate(shown)
        ]
        known.append([list(pack.show(mask)) for mask in shown])
    return known


# where to look


def tricks(deal: Deal) -> list[dict[str, Any]]:
    """Each complete trick: the `ply` that ended it, its `taker` and its `cards` by seat."""
    names, found = _game(deal).card_names(deal), []
    for now, before in _steps(deal):
        if now.trick > before.trick:
            laid = [int(card) for card in now.state["last"][: deal.replay.players]]
            cards = [names[card] if card >= 0 else None for card in laid]
            taker = int(now.state["takers"][before.trick])
            found.append({"ply": now.index, "taker": taker, "cards": cards})
    return found


def marks(deal: Deal, plies: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the timeline shows of some plies, each its `ply`, `kind` (see `kinds`) and `text`."""
    this, found = _game(deal), []
    for now, before in _steps(deal):
        if now.index not in plies:
            continue
        ply = plies[now.index]
        for kind, text in this.remarkable(deal, now, before):
            found.append({"ply": now.index, "kind": kind, "text": text or ply["text"]})
        if now.over and not before.over:
            text = ply["also"][-1] if ply["also"] else ply["text"]
            found.append({"ply": now.index, "kind": "end", "text": text})
    return found


def _steps(deal: Deal) -> Iterator[tuple[Ply, Ply]]:
    """Each state with the one before."""
    for index in range(1, len(deal.replay)):
        yield deal.replay[index], deal.replay[index - 1]


def comments_of(
    remarks: Iterable[Remark], plies: int, names: Sequence[str], t: Translate
) -> list[dict[str, Any]]:
    """`comments` of `states`, in the order they are met."""
    found = []
    for one in remarks:
        by = one.by if one.seat is None else names[one.seat]
        who = t("{who} comments:", who=by) if by else t("Comment:")
        found.append({"ply": one.ply(plies), "who": who, "text": one.text, "seat": one.seat})
    return sorted(found, key=lambda one: one["ply"])


def comment_marks(comments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A mark for each ply with comments, however many they are."""
    plies = dict.fromkeys(one["ply"] for one in comments)
    return [{"ply": ply, "kind": "comment", "text": ""} for ply in plies]
