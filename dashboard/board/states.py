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

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from dashboard import games
from dashboard.games.base import Deal, Mark, on_table
from dashboard.text.numbers import short
from engine.actions import ACT_MASK
from engine.cards import UNTOLD
from engine.games import names as registered
from engine.replay import Ply, Replay
from ingest.findings.finding import Finding
from ingest.findings.spoken_notation import NO_CARD, speak_action, speak_line
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.validate.slow_path import Explained
from schemas.match_models import Remark
from schemas.match_models import remarks as remarks_of
from schemas.match_setup import Table
from schemas.notation import decode

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


def deal_states(
    log: Explained, deal: int, t: Translate, findings: Iterable[Finding] | None = None
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
    """The board's data for a deal that cannot be replayed: the players, and what was found.

    Of a line of a score sheet also what it tells, with the points by seat or those of sides.
    """
    assert log.match is not None
    names = [plain(player.called) for player in log.match.players]
    points, also = [None] * len(names), list[str]()
    if deal in log.lines:
        told = log.match.deals[deal]
        also = speak_line(t, told, log.match.game, [short(name) for name in names])
        if told.points is not None and len(told.points) == len(names):
            points = list(told.points)
        elif told.points:
            also = [f"{t('Points')} {' – '.join(map(str, told.points))}", *also]
    nothing: dict[str, Any] = {key: [] for key in ("hand", "seen", "fresh", "notes", "lines")}
    ply = {
        "text": t(NO_CARD if deal in log.lines else "This deal cannot be replayed."),
        "also": also,
        **dict.fromkeys(("why", "due"), ""),
        **dict.fromkeys(("veiled", "actor", "card", "lead", "taker")),
        **{key: [] for key in ("turns", "legal", "may", "piles", "facts", "sides")},
        **{"table": [None] * len(names), "table_of": "now"},
        "seats": [nothing | {"bid": None, "points": own} for own in points],
    }
    return {
        "seats": [{"name": name, "note": "", "side": None} for name in names],
        **{key: [] for key in ("sides", "jumps", "tricks", "marks", "comments")},
        **{"back": "", "corner": 0, "auction": None, "faces": {}, "recall": "own", "times": None},
        "plies": [ply],
        "findings": said(log.findings, deal, 1, t),
    }


def states(
    replay: Replay,
    table: Table,
    names: Sequence[str],
    t: Translate,
    findings: Iterable[Finding] = (),
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
        known = act.code & ACT_MASK < replay.game.acts.ACTS
        word = decode(replay.game.name, act.code, table.faces) if known else "?"
        spoken = speak_action(t, word, replay.game.name)
        actor, who = (act.seat, names[act.seat]) if act.seat < len(names) else (None, "?")
        stopped = {
            **{"why": "", "veiled": None, "actor": actor, "card": None},
            "text": t("{who}: {action}", who=who, action=spoken),
            "also": [t("This cannot have happened: the replay stops here")],
        }
        plies.append(plies[-1] | stopped)
    commented = list[dict[str, Any]]()
    for one in comments:
        by = one.by if one.seat is None else full[one.seat]
        who = t("{who} comments:", who=by) if by else t("Comment:")
        at = one.ply(len(plies))
        commented.append({"ply": at, "who": who, "text": one.text, "seat": one.seat})
    commented.sort(key=lambda one: one["ply"])
    # one mark for each ply with comments, however many they are
    noted = [
        {"ply": ply, "kind": "comment", "text": ""}
        for ply in dict.fromkeys(one["ply"] for one in commented)
    ]
    faces = game.faces(shown)
    if any(UNTOLD in seat["hand"] for ply in plies for seat in ply["seats"]):
        faces[UNTOLD] = {"src": frame["back"], "label": t("unknown card")}
    first = int(replay[0].state["dealer"])
    sides = len(frame["sides"])
    return {
        "seats": [
            {"name": name, "note": frame["opener"] if seat == first else ""}
            | {"side": seat % sides if sides else None}
            for seat, name in enumerate(full)
        ],
        **{key: frame[key] for key in ("sides", "back", "corner", "auction")},
        "faces": faces,
        "jumps": sorted(_tricks(replay) | set(frame["jumps"])),
        "tricks": tricks(shown),
        "recall": game.RECALL,
        "sampled": replay.game.sampler is not None,
        "marks": marks(shown, dict(enumerate(plies))) + noted,
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


def _plies(deal: Deal, since: int = 0) -> list[dict[str, Any]]:
    """The states from one on, with what comes of asking the kernel."""
    replay, game = deal.replay, games.of(deal.replay.game.name)
    pack, players, found = replay.game.pack, replay.players, []
    # seat by seat, the cards of a hand that every player has seen
    masks = [0] * players
    for now in replay:
        before = replay[now.index - 1] if now.index else now
        masks = [
            game.shown(now, before, seat, mask) & now.known(seat) for seat, mask in enumerate(masks)
        ]
        if now.index < since:
            continue
        ply, seen = game.ply(deal, now.index), [list(pack.show(mask)) for mask in masks]
        for seat, known in zip(ply["seats"], seen, strict=True):
            seat["seen"] = known
        cards, words = ([], []) if now.over else game.allowed(deal, now)
        # those who may not see the card hear something else
        veiled = game.veiled(deal, now, seen)
        # who led the trick that lies on the table: this one, or between tricks the last
        which, laid = on_table(now.state, players)
        trick = now.trick if which == "now" else now.trick - 1
        led = trick >= 0 and max(laid) >= 0
        ply |= {"legal": list(dict.fromkeys(cards)), "may": list(dict.fromkeys(words))}
        ply |= {"why": _why(deal, now, before)}
        ply |= {"lead": int(now.state["leads"][trick]) if led else None}
        ply |= {"veiled": {"text": veiled, "also": []} if veiled else None}
        found.append(ply)
    return found


def _why(deal: Deal, now: Ply, before: Ply) -> str:
    """By what the trick just completed was won; empty when none was, or its cards are unknown."""
    if now.trick == before.trick:
        return ""
    laid = [int(card) for card in now.state["last"][: deal.replay.players]]
    best = laid[int(now.state["takers"][before.trick])]
    led = laid[int(now.state["leads"][before.trick])]
    this = games.of(deal.replay.game.name)
    return "" if best < 0 or led < 0 else this.why(deal, now, best, laid)


def _tricks(replay: Replay) -> set[int]:
    """The plies at which a trick begins, and the one that ends the last."""
    return {replay.at_trick(number).index for number in range(replay.last.trick + 1)}


def said(findings: Iterable[Finding], deal: int, plies: int, t: Translate) -> list[dict[str, Any]]:
    """The findings of one deal, in the order they are met, and those of the whole match first."""
    told = []
    for finding in findings:
        if finding.deal not in (None, deal):
            continue
        ply = None
        if finding.deal is not None and plies:
            # action k leads from state k to state k + 1; what has no action is seen at the end
            ply = plies - 1 if finding.action is None else min(finding.action + 1, plies - 1)
        own = {"ply": ply, "rule": finding.rule, "severity": finding.severity}
        told.append(own | {"text": finding.message(t)})
    return sorted(told, key=lambda one: -1 if one["ply"] is None else one["ply"])


def tricks(deal: Deal) -> list[dict[str, Any]]:
    """Each complete trick: the `ply` that ended it, its `taker` and its `cards` by seat."""
    names, found = games.of(deal.replay.game.name).card_names(deal), []
    for before, now in pairwise(deal.replay):
        if now.trick > before.trick:
            laid = [int(card) for card in now.state["last"][: deal.replay.players]]
            cards = [names[card] if card >= 0 else None for card in laid]
            taker = int(now.state["takers"][before.trick])
            found.append({"ply": now.index, "taker": taker, "cards": cards})
    return found


def marks(deal: Deal, plies: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the timeline shows of some plies, each its `ply`, `kind` (see `kinds`) and `text`."""
    this, found = games.of(deal.replay.game.name), []
    for before, now in pairwise(deal.replay):
        if now.index not in plies:
            continue
        ply = plies[now.index]
        for kind, text in this.remarkable(deal, now, before):
            found.append({"ply": now.index, "kind": kind, "text": text or ply["text"]})
        if now.over and not before.over:
            text = ply["also"][-1] if ply["also"] else ply["text"]
            found.append({"ply": now.index, "kind": "end", "text": text})
    return found
