"""The page where a match is typed in: who plays what, then the desk, then into the store."""

import re
from datetime import date, datetime
from functools import partial
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
import segno
import streamlit as st

from dashboard import games
from dashboard.board import SCRIPTS, style, text_of, words
from dashboard.draft import Written, deal_of, equipment
from dashboard.queries.matches import Filter
from dashboard.store import steady
from dashboard.text.labels import against
from dashboard.text.numbers import markdown
from dashboard.views.data import change_store
from dashboard.views.entry import score_sheet
from dashboard.views.entry.score_sheet import FIRST, game_box, known, rules_box, seat_boxes
from dashboard.views.replay import BOARD_PAGE
from dashboard.views.upload import Made, add_files, came_to, take_back, visitor_zone
from dashboard.widgets.current_store import Refused as NoRole
from dashboard.widgets.current_store import acting, allowed, cursor, store
from dashboard.widgets.filters import side_by_side, written_as
from dashboard.widgets.link_table import download, page_link
from engine.games import game
from ingest.i18n import N_, Translate
from ingest.importers.tokenizer import moment
from ingest.reader.escaping import plain
from ingest.recorder import Refused
from ingest.store import drafts, trash
from ingest.store.drafts import Added, Draft
from ingest.store.tokens import Role
from schemas.games import of as schemas_of

HERE = files("dashboard.views.entry")
ADDED_BEFORE = N_(
    "This draft was added to the store before and has changed since. The match added then goes to "
    "the trash when this one is added."
)


def _file(name: str) -> str:
    return HERE.joinpath(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "retourne.entry",
    html=_file("entry.html").replace("<!-- board -->", text_of("board.html")),
    css=style() + _file("entry.css"),
    js="\n".join(  # the board's scripts and the desk's, as one module
        [text_of(f"js/{name}.js") for name in SCRIPTS]
        + [_file(f"js/{name}.js") for name in ("typed", "draft", "desk", "mount")]
    ),
)

_kept = st.components.v2.component(
    "retourne.drafts", html="<p></p><ul></ul>", css=_file("kept.css"), js=_file("js/kept.js")
)

NO_DRAFT = N_("There is no such draft: it was added, or nobody went on with it for {days} days.")
WAYS = {"cards": N_("Card by card"), "sheet": N_("Score sheet")}


def page(t: Translate) -> None:
    """Type a match in, card by card, or as the lines of a score sheet."""
    store()
    if not allowed(Role.CONTRIBUTOR, t):
        return
    if secret := st.query_params.get("draft"):
        _desk(secret, t)
    elif side_by_side(t("How it is typed in"), WAYS, "cards", "way", t) == "sheet":
        score_sheet.show(t)
    else:
        _beginning(t)


def _desk(secret: str, t: Translate) -> None:
    """The draft of a secret, to go on with; or that there is none."""
    opened = store()
    draft = steady(lambda: drafts.read(opened, secret))
    if draft is None:
        st.info(t(NO_DRAFT, days=drafts.KEPT.days), icon=":material/edit_off:")
        page_link("saisir", t("Type another match in"))
        return
    if st.session_state.get("finishing") == secret:
        _finish(secret, draft, t)
        return
    st.html(BOARD_PAGE)
    st.html(Path(__file__).parent / "page.css")
    # where another device takes the draft up: this page, as the reader's browser has it
    at = urlsplit(st.context.url or "")
    where = f"{at.scheme}://{at.netloc}" if at.netloc else ""
    link = f"{where}/saisir?{urlencode({'draft': secret})}"
    try:
        only_here = ip_address(at.hostname or "").is_loopback
    except ValueError:
        only_here = at.hostname == "localhost" or (at.hostname or "").endswith(".localhost")
    code = "" if only_here else segno.make(link, error="m").svg_data_uri(scale=4, border=2)
    who = [plain(player.get("name") or player["id"]) for player in draft.head["players"]]
    data = equipment(Written(draft.head), t) | {
        "secret": secret,
        "title": against(who, draft.head["game"]),
        "address": "./entry",
        "lang": t.language,
        "link": link,
        "code": code,
        "texts": _texts(t),
        "board": words(t),
    }
    done = _mount(key="desk", data=data, on_finish_change=lambda: None)
    if done.get("finish"):
        st.session_state["finishing"] = secret
        st.rerun()


def _texts(t: Translate) -> dict[str, str]:
    """What the desk says by itself; the server's answers bring the rest."""
    return {
        "opening": t("…"),
        "undo": t("Undo"),
        "hands": t("Hands"),
        "hand": t("The hand of {who}"),
        "hand-told": t("The hand is told"),
        "share": t("Another device"),
        "share-text": t("Whoever has this link goes on with the draft; it is kept for 90 days."),
        "only-here": t(
            "This link opens on this computer alone. Another device reaches the dashboard once it "
            "is started with --address 0.0.0.0 and --host and the name of this computer."
        ),
        "code": t("The link as a QR code"),
        "board": t("Board"),
        "help": t("Keys"),
        "more": t("More"),
        "finish": t("Finish"),
        "unknown": t("Nobody knows"),
        "insist": t("Note it all the same"),
        "leave-out": t("Leave it out"),
        "behind": t("Typed after it, and waiting: {n}."),
        "offline": t("No connection. Actions that wait for it: {n}."),
        "lost": t("Nothing is typed so: {typed}"),
        "elsewhere": t("Another device has gone on with this draft meanwhile."),
        "theirs": t("Go on from there"),
        "mine": t("Keep what is here"),
        "again": t("Try again"),
        "wrong": t("The server did not understand that."),
        "wrong-401": t("Adding games needs a token. Ask the admin of this store for one."),
        "wrong-403": t("Adding games needs a token. Ask the admin of this store for one."),
        "wrong-404": t("There is no such draft any more."),
        "wrong-503": t("The store cannot be opened."),
    }


def _beginning(t: Translate) -> None:
    """The first screen: drafts to go on with; game, rules, players, who begins, then another."""
    texts = {"heading": t("Go on with a draft"), "go-on": t("Go on")}
    texts |= {"forget": t("Forget"), "count": t("entries {n}")}
    _kept(key="drafts", data={"lang": t.language, "days": drafts.KEPT.days, "texts": texts})
    chosen = game_box("entry", t)
    count, *more = counts = game(chosen).players
    with st.container(horizontal=True):
        rules = rules_box(chosen, "entry", t)
        if more:
            label, key = t("How many players"), "entry-count"
            asked = st.segmented_control(label, counts, default=count, required=True, key=key)
            count = asked if asked in counts else count
    players = seat_boxes(count, "entry", t)
    seats = dict(enumerate([one or t("seat {n}", n=n) for n, one in enumerate(players, 1)], 1))
    first = st.segmented_control(
        t(FIRST[deal_of(chosen).OPENS]),
        list(seats),
        format_func=lambda seat: markdown(seats[seat]),
        default=1,
        required=True,
        key=f"entry-first-{count}",
    )
    cut = ""  # in a game that has one it decides who deals: attempts with commas between
    if "cuts" in schemas_of(chosen).MATCH.model_fields:
        cut = st.text_input(
            t("Or the cut for deal"),
            placeholder="Kd 7h, 9s 8h",
            help=t("A card a seat; after a comma the next attempt, where two were the same."),
            key=f"entry-cut-{chosen}",
        ).strip()
    st.session_state.setdefault("entry-day", datetime.now().astimezone(visitor_zone()).date())
    how: Any = {"format": written_as(t), "help": t("Leave it empty if the day is not known.")}
    played = st.date_input(t("Played on"), None, key="entry-day", width=240, **how)
    if st.button(t("Begin"), type="primary", icon=":material/edit_note:", key="entry-begin"):
        head = _head_of(chosen, rules, players, None if cut else first, t)
        _begin(head, cut, played, t)


def _begin(head: dict[str, Any], cut: str, played: date | None, t: Translate) -> None:
    if len({one["id"] for one in head["players"]}) < len(head["players"]):
        st.warning(t("Two seats have the same player."), icon=":material/group:")
        return
    if played is not None:
        now, day = datetime.now().astimezone(visitor_zone()), played.isoformat()
        today = now.isoformat(timespec="seconds") if played == now.date() else None
        head["played_at"] = today or moment(day, visitor_zone())
    try:
        if cut:
            keys = games.of(head["game"]).keys(Written(head).table, t)  # as people type cards
            tries = [one.split() for one in cut.lower().split(",")]
            head["cuts"] = [[" ".join(keys[card] for card in cards) for cards in tries]]
        Written(head)
        with acting(Role.CONTRIBUTOR):
            secret = drafts.begin(store(), head)
    except Refused as refused:
        st.error(markdown(" ".join(one.message(t) for one in refused.findings)))
    except KeyError as unknown:
        st.error(markdown(t("Nothing is typed so: {typed}", typed=unknown.args[0])))
    except NoRole as refused:
        st.error(refused.say(t), icon=":material/lock:")
    else:
        st.query_params["draft"] = secret
        st.rerun()


def _head_of(
    chosen: str, rules: str, players: list[str], first: int | None, t: Translate
) -> dict[str, Any]:
    """The keys of a match that begins; a seat nobody was named for goes by its number."""
    players = [one or t("Seat {n}", n=seat) for seat, one in enumerate(players, 1)]
    stored = known()
    # who is not in the store goes by the name itself, without spaces around
    ids = {one: re.sub(r"\s+", "-", one.strip().casefold()) for one in players}
    seated = [stored.get(one) or {"id": ids[one], "name": one} for one in players]
    told = {"game": chosen, "rules": rules, **schemas_of(chosen).SHEET}
    return {**told, "players": seated, "opener": first}


def _finish(secret: str, draft: Draft, t: Translate) -> None:
    """The match as it was typed: into the store, away as a file, or back to the desk."""
    written = Written(draft.head)
    written.take(draft.steps)
    log = orjson.dumps(written.recorder.log())
    st.subheader(markdown(against(written.names, draft.head["game"])))
    if written.refusal is not None:
        said = t("Left out, since it could not be: {why}", why=written.refusal.say(t))
        st.warning(markdown(said))
    if upload := st.session_state.get(f"added-{secret}"):
        came_to(upload, t, "check-typed")
    before = draft.added if draft.added and store().find(draft.added.match) is not None else None
    same = before is not None and before.version == draft.version
    if before is not None and not same:
        st.info(t(ADDED_BEFORE), icon=":material/published_with_changes:")
    label = t("Add to the store")
    if before is not None:
        label = t("Added to the store") if same else t("Replace the match added before")
    with st.container(horizontal=True):
        if st.button(label, type="primary", disabled=same, key="entry-add"):
            _add(secret, draft, before, log, t)
        download(t("The log (JSON)"), log, "retourne-saisie.json", "entry-log", None)
        if st.button(t("Back to the desk"), icon=":material/undo:", key="entry-back"):
            del st.session_state["finishing"]
            st.session_state.pop(f"added-{secret}", None)
            st.rerun()


def _add(secret: str, draft: Draft, before: Added | None, log: bytes, t: Translate) -> None:
    """Add the match by the road of every upload, in the place of what was added of it before."""
    deletion = None
    if before is not None:
        back = partial(take_back, Filter(ids=(before.match,)))
        deletion = change_store(back, t, Role.CONTRIBUTOR)
        if deletion is None:
            return  # why stands on the page; nothing is counted twice
    upload = add_files(store(), [Made("saisie.json", log)], t)
    came = "SELECT match_id FROM matches WHERE file_no IN (SELECT unnest(?::BIGINT[]))"
    if match := cursor().execute(came, [list(upload.files) if upload else []]).fetchone():
        now = Added(match[0], draft.version)
        change_store(partial(drafts.became, store(), secret, now), t, Role.CONTRIBUTOR)
    elif deletion is not None:
        change_store(partial(trash.undelete, store(), deletion), t, Role.CONTRIBUTOR)
    if upload is not None:
        st.session_state[f"added-{secret}"] = upload
        st.rerun()
