"""A reader's own continuation of a stored deal from a position.

The address contains all of it: `?actions=1.8s,2.Jd` are actions in log notation, a dot for each blank;
`seat` is the seat the reader plays (`0`: all). The server adds the other players' actions.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.datastructures import QueryParams

from dashboard import games
from dashboard.api.json_encoding import without_infinities
from dashboard.api.params import NO_DEAL
from dashboard.api.problems import Problem
from dashboard.base_path import browser_path
from dashboard.board import read_file
from dashboard.board.states import board_states, deal_states, unreplayable_state
from dashboard.board.variation_texts import AS_PLAYED_LABEL, VARIATION_TEXTS, YOUR_LINE_LABEL, variation_texts
from dashboard.games.base import DealView
from dashboard.text.labels import opponents_text
from dashboard.text.numbers import NO_VALUE, short_name
from dashboard.web.replay import replay_page, replay_urls
from engine.actions import UNKNOWN_ACT, Action, decode_action
from engine.continuation import EXACT, HABIT, SAMPLED, can_continue, choose_turn
from engine.replay import Replay
from engine.sampling import BOT_SAMPLES
from engine.solver import solve_final_state
from ingest.escaping import escape_line, to_escaped_json
from ingest.i18n import LANGUAGES, N_, Translate, translator
from ingest.validate.slow_path import ValidationResult
from schemas.match_setup import MatchSetup
from schemas.notation import act_notation, action_notation, encode_action

UNKNOWN_ACTION = N_("Retourne cannot read this line: {found} is not an action of this game.")
ILLEGAL_ACTION = N_("This line is not within the rules: {found} may not be done there.")
UNKNOWN_SEAT = N_("No such seat: seats are 1 to {count}, or 0 for all hands open.")
MAX_ACTIONS_CHARS = 4000
"""Characters of a line in an address."""
CHOSEN_IN_VARIATION = "line"
"""Chooser of an action that no simulated player would have chosen: it came with the line."""
BOT_TEXTS = {
    EXACT: N_("played exactly, by a player who knows all hands."),
    SAMPLED: N_(
        "played by sampling: of {n} possible deals from this seat, played to the end by a "
        "simple player, this card won most often."
    ),
    HABIT: N_("played by the simulated player “careful”, who sees only one hand."),
    CHOSEN_IN_VARIATION: N_("chosen in this line."),
}
"""Chooser of another player's action → its explanation."""
LOGGED_LINE, OWN_LINE = 1, 2
"""The two lines, as the board numbers them."""


class VariationRequest(NamedTuple):
    """The variation an address asks for, not yet parsed."""

    actions: str = ""
    seat: str = ""
    others_play: bool = False
    """Whether the others go on even where the reader could act out of turn."""

    @classmethod
    def from_query(cls, query: QueryParams) -> "VariationRequest":
        return cls(query.get("actions", ""), query.get("seat", ""), "others_play" in query)


class Variation(NamedTuple):
    """A deal played as in the log up to a position, and differently from there."""

    log: ValidationResult
    table: MatchSetup
    deal: int
    """Index from 0."""
    start_ply: int
    """The state of the deal where the variation begins."""
    seat: int | None
    """Seat the reader plays, from 0; None: all."""
    played: Replay
    """The deal as in the log."""
    current: Replay
    others_wait: bool
    """Whether another seat is to act, and the reader could act before it."""

    @property
    def actions_text(self) -> str:
        """Return the variation's actions as in an address: log notation, a dot for each blank."""
        game, faces = self.table.game.name, self.table.faces
        done = (
            action_notation(game, int(code), faces) for code in self.current.applied_codes[self.start_ply :]
        )
        return ",".join(one.replace(" ", ".") for one in done)

    @property
    def names(self) -> list[str]:
        return [escape_line(one.display_name) for one in self.log.known_match.players]


def replayable_deal(match: replay_urls.StoredMatch, number: int) -> tuple[ValidationResult, Replay]:
    """Return a deal, from 1, to play on. Problem: there is none, or its cards are not known."""
    log = replay_urls.validated_match(match)
    if not 1 <= number <= len(log.replays):
        raise Problem(404, NO_DEAL, count=len(log.replays))
    replay = log.replays[number - 1]
    if replay is None or not can_continue(replay):
        raise Problem(404, N_("Cards of this deal are not written down: it cannot be played on."))
    return log, replay


def play_variation(
    match: replay_urls.StoredMatch, number: int, ply: int, request: VariationRequest
) -> Variation:
    """Play a requested line, then the others' actions. Problem: it cannot be played.

    The others act until the reader is to act, or could act out of turn.
    """
    log, played = replayable_deal(match, number)
    last = len(played) - (played.stop is None)
    if ply > last:
        raise Problem(404, replay_urls.NO_POSITION, count=last)
    table, start = log.known_setup, min(ply, len(played) - 1)  # the last state may be impossible
    now = _apply_actions(played.branch(start, ()), table, request.actions)
    seat: int | None = max(played[start].turn, 0)
    if request.seat:
        if request.seat not in map(str, range(table.players + 1)):
            raise Problem(404, UNKNOWN_SEAT, count=table.players)
        seat = int(request.seat) - 1 if request.seat != "0" else None
    result, on = (Variation(log, table, number - 1, start, seat, played, now, False), request.others_play)
    game = games.game_view(table.game.name)
    while seat is not None and not now.last.is_over:
        due = seat in seats_to_act(result, now)
        if due and not any(_action_kind(now, one) == "draw" for one in now.last.legal):
            break
        out_of_turn = [_action_word(result, one) for one in now.last.legal if one.seat == seat]
        if not on and not due and not all(game.is_rare(one, False) for one in out_of_turn):
            return result._replace(current=now, others_wait=True)
        on = False
        now = now.branch(len(now) - 1, choose_turn(now).codes)
    return result._replace(current=now)


def _apply_actions(replay: Replay, table: MatchSetup, actions: str) -> Replay:
    """Apply the actions of an address. Problem: one of them is not possible."""
    words = actions.split(",") if actions else []
    if len(actions) > MAX_ACTIONS_CHARS or len(words) > table.game.bots.MAX_ACTIONS:
        raise Problem(404, N_("This line is longer than a deal can be."))
    for word in words:
        message = word.replace(".", " ")
        if not message.strip():
            raise Problem(404, N_("Retourne cannot read this line: an action is missing next to a comma."))
        code = encode_action(table.game.name, message, table.faces)
        if not any(one.code == code for one in replay.last.legal):
            text = UNKNOWN_ACTION if code == UNKNOWN_ACT else ILLEGAL_ACTION
            raise Problem(404, text, found=short_name(escape_line(message)))
        replay = replay.branch(len(replay) - 1, (code,))
    return replay


def seats_to_act(variation: Variation, replay: Replay) -> list[int]:
    """Return the seats that may act now."""
    if replay.last.is_over:
        return []
    deal = DealView(replay, variation.table, variation.names, translator(LANGUAGES[0], "dashboard"))
    found: list[int] = games.game_view(variation.table.game.name).ply_state(deal, len(replay) - 1)["turns"]
    return found


def _action_word(variation: Variation, one: Action) -> str:
    return act_notation(variation.table.game.name, one.act, variation.table.faces)


def _action_kind(replay: Replay, one: Action) -> str:
    return replay.game.acts.kind_of_act(one.act)


def action_text(table: MatchSetup, code: int, t: Translate) -> str:
    """Return the text of an action, without its seat."""
    word = act_notation(table.game.name, decode_action(code).act, table.faces)
    return games.game_view(table.game.name).button_text(word, t)


def possible_actions(variation: Variation, board: dict[str, Any], t: Translate) -> list[dict[str, Any]]:
    """Return a button per action: `word` as in an address, `text`, `card` of the hand, `seldom`.

    Cards come in the order of the hand.
    """
    game, due = (games.game_view(variation.table.game.name), seats_to_act(variation, variation.current))
    seats = board["plies"][-1]["seats"]
    found = []
    for one in variation.current.last.legal:  # every legal action of the seats the reader plays
        if variation.seat not in (None, one.seat):
            continue
        word = _action_word(variation, one)
        token = word.rpartition(" ")[2]  # the card it plays or turns, if any
        hand = seats[one.seat]["hand"]
        card = next((own for own in hand if token in (own, own.partition("/")[0])), None)
        another = variation.seat is None and one.seat not in due
        whose = f"{short_name(variation.names[one.seat])} " if another else ""
        found.append(
            {"word": f"{one.seat + 1} {word}".replace(" ", "."), "text": whose + game.button_text(word, t)}
            | {"card": card, "seldom": game.is_rare(word, one.seat in due)}
        )
    lies = {card: place for seat in seats for place, card in enumerate(seat["hand"])}
    of_cards = (one for one in found if one["card"])
    cards = iter(sorted(of_cards, key=lambda one: lies[one["card"]]))
    return [next(cards) if one["card"] else one for one in found]


def choosers(variation: Variation) -> list[str]:
    """Return who chose each action of the variation.

    `you` if the reader's seat acts, else the chooser that `play_variation` would use, or
    CHOSEN_IN_VARIATION; empty for draws from the talon.
    """
    done = variation.current.applied_codes[variation.start_ply :].tolist()
    found: list[str] = []
    while len(found) < len(done):
        at = len(found)
        one = decode_action(done[at])
        if _action_kind(variation.current, one) == "draw":
            found.append("")
        elif variation.seat in (None, one.seat):
            found.append("you")
        else:
            codes, who = choose_turn(variation.current.branch(variation.start_ply + at, ()))
            played = done[at : at + len(codes)] == list(codes)
            found += [who] * len(codes) if played else [CHOSEN_IN_VARIATION]
    return found


def variation_states(variation: Variation, t: Translate) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variation as the board's data, and the page's further data about it."""
    found = board_states(variation.current, variation.table, variation.names, t)
    board = replay_urls.with_card_images(found) | {"deal": OWN_LINE, "ply": len(variation.current) - 1}
    own = {
        "address": variation.actions_text,
        "seat": 0 if variation.seat is None else variation.seat + 1,
        "start": variation.start_ply,
        "acts": possible_actions(variation, board, t),
        "waits": variation.others_wait,
        "over": variation.current.last.is_over,
        "by": choosers(variation),
        "lines": _compare_lines(variation, board, t),
    }
    return board, own


def variation_json(variation: Variation, t: Translate) -> bytes:
    """Return both parts of `variation_states` as JSON."""
    board, own = variation_states(variation, t)
    return to_escaped_json(without_infinities({"board": board, "own": own})).encode()


def variation_page(match: replay_urls.StoredMatch, variation: Variation, t: Translate) -> str:
    """Return the page as HTML."""
    board, own = variation_states(variation, t)
    number = variation.deal + 1
    called = opponents_text([short_name(name) for name in variation.names], variation.table.game.name)
    title = f"{called} · {t('Deal {n}', n=number)} · {t(YOUR_LINE_LABEL)}"
    about = replay_urls.board_context(match, t, with_player_links=True)
    about["head"] |= {"deals": line_names(YOUR_LINE_LABEL, t), "sheet": None}
    replay = browser_path(f"/r/{match.id}/{number}")
    at = f"{replay}/{variation.start_ply}"
    players = {key: t(text, n=BOT_SAMPLES) for key, text in BOT_TEXTS.items()}
    texts: dict[str, Any] = variation_texts(t) | {"players": players}
    data = board | about | {
        "share": None,
        "light": True,
        "path": f"{at}/suite",
        "logged": f"{replay}.json?lang={t.language}",
        "own": own,
        "labels": texts | {"colon": replay_page.colon_text(t)},
    }  # fmt: skip
    body = f"""<main class="with-own"><h1>{escape(title)}</h1>{read_file("board.html")}
<section class="own-line" aria-label="{escape(t(YOUR_LINE_LABEL))}">
<div class="doing"><div class="whose"></div><p class="by" role="status"></p>
<div class="acts" role="group" aria-label="{escape(t(VARIATION_TEXTS["acts"]))}"></div></div>
<table class="both"></table></section>
<noscript>{_plain_list(variation, at, board, own, t)}</noscript></main>
<nav class="onward">{replay_page.product_link()}
<a href="{at}?lang={t.language}">{escape(t("Back to the replay"))}</a>
{replay_page.language_link(f"{at}/suite", _variation_query(variation), t)}</nav>"""
    return replay_page.board_document(title, "variation-page.js", replay_page.NOINDEX_META, body, data, t)


def line_names(other: str, t: Translate) -> list[dict[str, Any]]:
    """Return the deal as played and another line, for the board's header."""
    both = ((LOGGED_LINE, t(AS_PLAYED_LABEL)), (OWN_LINE, t(other)))
    return [{"number": number, "name": name, "label": name} for number, name in both]


def _variation_query(variation: Variation) -> str:
    seat = 0 if variation.seat is None else variation.seat + 1
    return f"actions={quote(variation.actions_text, safe=',~')}&seat={seat}"


def _compare_lines(variation: Variation, board: dict[str, Any], t: Translate) -> list[dict[str, Any]]:
    """Compare the lines: as played, the reader's, and if the deal is solved, the best.

    Each has its points so far, and the result of the deal, or its result with best play. If no line
    has a known result, `end` is empty.
    """
    logged = deal_states(variation.log, variation.deal, t) or unreplayable_state(
        variation.log, variation.deal, t
    )
    found = list[dict[str, Any]]()
    both = (
        (LOGGED_LINE, t(AS_PLAYED_LABEL), variation.played, logged),
        (OWN_LINE, t(YOUR_LINE_LABEL), variation.current, board),
    )
    for number, name, replay, shown in both:
        last = shown["plies"][-1]
        points = " – ".join(str(one["points"]) for one in last["sides"] or last["seats"])
        if replay.last.is_over:
            also: list[str] = shown["plies"][len(replay) - 1]["also"]
            end = also[-1] if also else NO_VALUE
        elif (end := _best_play_text(variation, replay, t)) != NO_VALUE:
            end = t("{ahead}, with best play of all", ahead=end)
        found.append({"number": number, "name": name, "points": points, "end": end})
    best = _best_play_text(variation, variation.played.branch(variation.start_ply, ()), t)
    if best != NO_VALUE:
        name = t("Best play of all from position {n}", n=variation.start_ply)
        found.append({"number": None, "name": name, "points": "", "end": best})
    known = any(one["end"] != NO_VALUE for one in found)
    return found if known else [one | {"end": ""} for one in found]


def _best_play_text(variation: Variation, replay: Replay, t: Translate) -> str:
    """Return the final lead with best play on all sides; a dash if it is not solved."""
    found = solve_final_state(replay)
    if found is None:
        return NO_VALUE
    names = side_names(variation.names, variation.table)
    return lead_text(names, int(found.final_margins[0]), int(found.winners[0]), t)


def lead_text(names: Sequence[str], margin: int, winner: int, t: Translate) -> str:
    """Return which side ends ahead and by how much, and the winner if it is the other side."""
    if not margin and not winner:
        return t("as many points each")
    message = t("{who} ahead by {n}", who=names[margin < 0], n=abs(margin))
    if margin * winner > 0:
        return message
    if not winner:
        return t("{ahead}; no winner", ahead=message)
    return t("{ahead}; {who} wins", ahead=message, who=names[winner < 0])


def side_names(names: Sequence[str], table: MatchSetup) -> list[str]:
    """Return the names of seats, or of the partners of each side."""
    called, count = [short_name(name) for name in names], table.game.side_count(len(names))
    return [" + ".join(called[side::count]) for side in range(count)]


def _plain_list(
    variation: Variation, at: str, board: dict[str, Any], own: dict[str, Any], t: Translate
) -> str:
    """Return the variation for readers without scripts: the table, and the actions as links."""
    state, query = board["plies"][-1], _variation_query(variation)
    rows = [escape(state["text"])]
    for seat in range(len(variation.names)) if variation.seat is None else [variation.seat]:
        cards = " · ".join(replay_page.spoken_cards(state["seats"][seat]["hand"], board))
        rows.append(escape(variation.names[seat] + replay_page.colon_text(t) + cards))
    rows += map(escape, replay_page.table_cards_text(state, board, t))
    sep = "," if variation.actions_text else ""
    link = f"{at}/suite?{{}}&amp;lang={t.language}"
    for one in own["acts"]:
        added = quote(variation.actions_text + sep + one["word"], safe=",~")
        href = link.format(f"actions={added}&amp;seat={own['seat']}")
        rows.append(f'<a href="{href}">{escape(one["text"])}</a>')
    if own["waits"]:
        href = link.format(f"{query.replace('&', '&amp;')}&amp;others_play")
        rows.append(f'<a href="{href}">{escape(t(VARIATION_TEXTS["on"]))}</a>')
    lines = ((one["name"], one["points"], one["end"]) for one in own["lines"])
    return replay_page.html_list([*rows, *(escape(" · ".join(filter(None, one))) for one in lines)])
