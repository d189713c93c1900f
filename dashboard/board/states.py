"""The states of a deal as the board needs them, in words and card names.

The board itself (`board.js`) knows no game. It draws

    seats    per deal: `name`, `note` (who deals or leads), `side` where partners play, or null
    sides    the names of the sides, empty where each plays for themselves
    faces    per card name: `src` of its picture, `four` the same in four colours if it differs,
             `label` for a screen reader; a card without a face is face down and `unknown`
    back     `src` of a card face down
    corner   fraction of a card's width that stays visible when a hand overlaps
    auction  null, or `title`, `seats` (the order of the columns) and `rows` of calls, one a column:
             null or `ply` (when it was made), `text`, `suit`, `counts`
    jumps    the plies at which a new trick may begin, for `[` and `]`
    tricks   each complete trick: the `ply` that ended it, its `winner`, its `cards` by seat
    recall   which tricks a player may look at again: `own` and the others' last, or the `last`
    marks    what the timeline shows: `ply`, `kind` (see `mark_kinds`), `text`
    comments in order: the `ply` each belongs to, `who` (the author, in words), `text`, and the
             `seat` of an author who plays, else null
    times    null, or the seconds since the deal began, one a ply
    plies    one per state: `text` (what just happened), `short` (the same for a list if it was a
             card played, or empty), `trick_reason` (why the trick was won, or empty) and `also` (what it
             led to), `veiled` (null, or `text` and `also` for viewers who may not see that card),
             `actor`, `turns` (who may act) and `due` (what they owe if it is not a card), `legal`
             (the cards that may be played, or turned) and `may` (the other legal actions, in
             words), `card` (the one that moved), `table` (a card or null per seat), `table_of`
             (`now` or `last`), that trick's `lead` and `trick_winner`, `piles` (`label`, `card` or null,
             `count`, `note`), `facts` (`label`, `text`, `suit`), `sides` (`points` and `lines`
             each), and per seat `hand`, `seen` (its cards that every player knows), `fresh` (cards
             just drawn or turned), `points` (null where sides have them), `notes` (`text`,
             `counts` and, if cards were shown for it, `cards` and `fresh`: just now), `lines` and
             `bid` (null, or `label`, `steps` of `tricks` and `points`, and `here`, a step)
    findings `text`, `rule`, `severity` and the `ply` it belongs to, null for the whole match

Seats count from 0 here; every text is in one language and is never markup.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from dashboard import games
from dashboard.games.base import DealView, MarkKind, cards_on_table
from dashboard.text.numbers import short_name
from engine.actions import ACT_MASK
from engine.cards import HIDDEN_WORD
from engine.games import game_names as registered
from engine.replay import Ply, Replay
from ingest.escaping import escape_line
from ingest.findings.finding import Finding
from ingest.findings.spoken_notation import (
    SCORE_LINE_TEXT,
    describe_action,
    describe_score_line,
    describe_word,
)
from ingest.i18n import N_, Translate
from ingest.validate.slow_path import ValidationResult
from schemas.match_models import DealComment
from schemas.match_models import deal_comments as remarks_of
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation, action_notation

SHARED_MARKS = {
    "comment": MarkKind(
        N_("comment"), "M0 10V5L3 0H4.6L3.2 4.6H4.6V10ZM5.4 10V5L8.4 0H10L8.6 4.6H10V10Z", "text"
    ),
    "finding": MarkKind(N_("finding"), "M3.5 0H6.5L6 6.5H4ZM3.7 8H6.3V10H3.7Z"),
    "end": MarkKind(N_("end"), "M1 0H2.4V10H1ZM3 .5H10L8 3L10 5.5H3Z", "text"),
}
"""Marks that all games have; `board_states` adds those of comments, the board those of findings."""


def mark_kinds() -> dict[str, MarkKind]:
    """Return all marks of a timeline: those of each game, then the shared ones."""
    own = {kind: mark for name in registered() for kind, mark in games.game_view(name).MARKS.items()}
    return own | SHARED_MARKS


def deal_states(
    log: ValidationResult, deal: int, t: Translate, findings: Iterable[Finding] | None = None
) -> dict[str, Any] | None:
    """Return the board's data for a deal, from 0; None if it cannot be replayed.

    `findings` are those of the log by default; times and comments are included.
    """
    replay = log.replays[deal] if deal < len(log.replays) else None
    if replay is None or log.match is None or log.setup is None:
        return None
    names = [escape_line(player.display_name) for player in log.match.players]
    found = log.findings if findings is None else findings
    times = log.match.deals[deal].times
    return board_states(replay, log.setup, names, t, found, deal, times, remarks_of(log.match, deal))


def unreplayable_state(log: ValidationResult, deal: int, t: Translate) -> dict[str, Any]:
    """Return the board's data for a deal that cannot be replayed: players and findings.

    For a line of a score sheet also its contents, with points by seat or by side.
    """
    names = [escape_line(player.display_name) for player in log.known_match.players]
    points, also = [None] * len(names), list[str]()
    if deal in log.score_line_ends:
        result = log.known_match.deals[deal]
        also = describe_score_line(t, result, log.known_match.game, [short_name(name) for name in names])
        if result.points is not None and len(result.points) == len(names):
            points = list(result.points)
        elif result.points:
            also = [f"{t('Points')} {' – '.join(map(str, result.points))}", *also]
    nothing: dict[str, Any] = {key: [] for key in ("hand", "seen", "fresh", "notes", "lines")}
    ply = {
        "text": t(SCORE_LINE_TEXT if deal in log.score_line_ends else "This deal cannot be replayed."),
        "also": also,
        **dict.fromkeys(("trick_reason", "due"), ""),
        **dict.fromkeys(("veiled", "actor", "card", "lead", "trick_winner")),
        **{key: [] for key in ("turns", "legal", "may", "piles", "facts", "sides")},
        **{"table": [None] * len(names), "table_of": "now"},
        "seats": [nothing | {"bid": None, "points": own} for own in points],
    }
    return {
        "seats": [{"name": name, "note": "", "side": None} for name in names],
        **{key: [] for key in ("sides", "jumps", "tricks", "marks", "comments")},
        **{"back": "", "corner": 0, "auction": None, "faces": {}, "recall": "own", "times": None},
        "plies": [ply],
        "findings": deal_findings(log.findings, deal, 1, t),
    }


def board_states(
    replay: Replay,
    table: MatchSetup,
    names: Sequence[str],
    t: Translate,
    findings: Iterable[Finding] = (),
    deal: int = 0,
    times: Sequence[float] | None = None,
    comments: Iterable[DealComment] = (),
) -> dict[str, Any]:
    """Return the board's data for one deal; `findings` are the match's, `deal` counts from 0.

    `times` are the log's: seconds since the deal began, one per action.
    """
    game = games.game_view(replay.game.name)
    full, names = names, [short_name(name) for name in names]
    shown = DealView(replay, table, names, t)
    frame = game.deal_frame(shown)
    plies = _ply_states(shown)
    if replay.stop:
        act = replay.stop.action
        known = act.code & ACT_MASK < replay.game.acts.ACT_COUNT
        word = action_notation(replay.game.name, act.code, table.faces) if known else "?"
        spoken = describe_action(t, word, replay.game.name)
        actor, who = (act.seat, names[act.seat]) if act.seat < len(names) else (None, "?")
        stopped = {
            **{"trick_reason": "", "short": "", "veiled": None, "actor": actor, "card": None},
            "text": t("{who}: {action}", who=who, action=spoken),
            "also": [t("Impossible: the replay stops here")],
        }
        plies.append(plies[-1] | stopped)
    commented = list[dict[str, Any]]()
    for one in comments:
        by = one.by if one.seat is None else full[one.seat]
        who = t("{who} comments:", who=by) if by else t("Comment:")
        at = one.state_index(len(plies))
        commented.append({"ply": at, "who": who, "text": one.text, "seat": one.seat})
    commented.sort(key=lambda one: one["ply"])
    # one mark per ply, even for several comments
    noted = [
        {"ply": ply, "kind": "comment", "text": ""} for ply in dict.fromkeys(one["ply"] for one in commented)
    ]
    faces = game.card_faces(shown)
    if any(HIDDEN_WORD in seat["hand"] for ply in plies for seat in ply["seats"]):
        faces[HIDDEN_WORD] = {"src": frame["back"], "label": t("unknown card")}
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
        "jumps": sorted(_trick_boundaries(replay) | set(frame["jumps"])),
        "tricks": complete_tricks(shown),
        "recall": game.RECALLED_TRICK,
        "sampled": replay.game.sampler is not None,
        "marks": timeline_marks(shown, dict(enumerate(plies))) + noted,
        "comments": commented,
        "times": None if times is None else [0.0, *times][: len(plies)],
        "plies": plies,
        "findings": deal_findings(findings, deal, len(plies), t),
    }


def states_since(
    replay: Replay, table: MatchSetup, names: Sequence[str], t: Translate, since: int
) -> dict[str, Any]:
    """Return what follows a ply: `plies`, `tricks`, `marks` and `jumps` as in `board_states`."""
    shown = DealView(replay, table, [short_name(name) for name in names], t)
    plies = _ply_states(shown, since + 1)
    after = {since + 1 + at: ply for at, ply in enumerate(plies)}
    return {
        "plies": plies,
        "tricks": [trick for trick in complete_tricks(shown) if trick["ply"] > since],
        "marks": timeline_marks(shown, after),
        "jumps": sorted(ply for ply in _trick_boundaries(replay) if ply > since),
    }


def _ply_states(deal: DealView, since: int = 0) -> list[dict[str, Any]]:
    """Return the states from `since` on, with legal moves and trick reasons."""
    replay, game = deal.replay, games.game_view(deal.replay.game.name)
    pack, players, found = replay.game.pack, replay.players, []
    # by seat, the cards of its hand that every player has seen
    masks = [0] * players
    for now in replay:
        before = replay[now.index - 1] if now.index else now
        masks = [
            game.publicly_seen(now, before, seat, mask) & now.known_hand(seat)
            for seat, mask in enumerate(masks)
        ]
        if now.index < since:
            continue
        ply, seen = game.ply_state(deal, now.index), [list(pack.names_in(mask)) for mask in masks]
        for seat, known in zip(ply["seats"], seen, strict=True):
            seat["seen"] = known
        cards, words = ([], []) if now.is_over else game.legal_moves(deal, now)
        # other text for viewers who may not see the card
        veiled = game.hidden_event_text(deal, now, seen)
        # between tricks, the table still shows the last one
        which, played = cards_on_table(now.state, players)
        trick = now.trick if which == "now" else now.trick - 1
        led = trick >= 0 and max(played) >= 0
        ply |= {"legal": list(dict.fromkeys(cards)), "may": list(dict.fromkeys(words))}
        ply |= {"trick_reason": _trick_reason(deal, now, before), "short": _short_play(deal, now)}
        ply |= {"lead": int(now.state["leads"][trick]) if led else None}
        ply |= {"veiled": {"text": veiled, "also": []} if veiled else None}
        found.append(ply)
    return found


def _short_play(deal: DealView, now: Ply) -> str:
    """Return the card just played after its player's name, `Jean: 9♠`; empty if none was."""
    act = now.action.act if now.action is not None else -1
    name = deal.replay.game.name
    if now.seat is None or not 0 <= act < len(games.game_view(name).card_names(deal)):
        return ""
    word = describe_word(deal.t, act_notation(name, act, deal.table.faces), name)
    return deal.t("{who}: {action}", who=deal.names[now.seat], action=word)


def _trick_reason(deal: DealView, now: Ply, before: Ply) -> str:
    """Return why the completed trick was won; empty if none was completed or cards are unknown."""
    if now.trick == before.trick:
        return ""
    played = [int(card) for card in now.state["last"][: deal.replay.players]]
    best = played[int(now.state["trick_winners"][before.trick])]
    led = played[int(now.state["leads"][before.trick])]
    this = games.game_view(deal.replay.game.name)
    return "" if best < 0 or led < 0 else this.trick_reason(deal, now, best, played)


def _trick_boundaries(replay: Replay) -> set[int]:
    """Return the plies at which a trick begins, and the one that ends the last trick."""
    return {replay.at_trick(number).index for number in range(replay.last.trick + 1)}


def deal_findings(findings: Iterable[Finding], deal: int, plies: int, t: Translate) -> list[dict[str, Any]]:
    """Return the findings of the whole match, then those of one deal in order."""
    items = []
    for finding in findings:
        if finding.deal_index not in (None, deal):
            continue
        ply = None
        if finding.deal_index is not None and plies:
            # action k leads from state k to k + 1; others show at the end
            ply = plies - 1 if finding.action_index is None else min(finding.action_index + 1, plies - 1)
        own = {"ply": ply, "rule": finding.rule, "severity": finding.severity}
        items.append(own | {"text": finding.message(t)})
    return sorted(items, key=lambda one: -1 if one["ply"] is None else one["ply"])


def complete_tricks(deal: DealView) -> list[dict[str, Any]]:
    """Return each complete trick: the `ply` that ended it, its `winner` and its `cards` by seat."""
    names, found = games.game_view(deal.replay.game.name).card_names(deal), []
    for before, now in pairwise(deal.replay):
        if now.trick > before.trick:
            played = [int(card) for card in now.state["last"][: deal.replay.players]]
            cards = [names[card] if card >= 0 else None for card in played]
            found.append(
                {"ply": now.index, "winner": int(now.state["trick_winners"][before.trick]), "cards": cards}
            )
    return found


def timeline_marks(deal: DealView, plies: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the marks of some plies: `ply`, `kind` (see `mark_kinds`) and `text`."""
    this, found = games.game_view(deal.replay.game.name), []
    for before, now in pairwise(deal.replay):
        if now.index not in plies:
            continue
        ply = plies[now.index]
        for kind, text in this.timeline_marks(deal, now, before):
            found.append({"ply": now.index, "kind": kind, "text": text or ply["text"]})
        if now.is_over and not before.is_over:
            text = ply["also"][-1] if ply["also"] else ply["text"]
            found.append({"ply": now.index, "kind": "end", "text": text})
    return found
