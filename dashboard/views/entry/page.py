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
from dashboard.entry.draft_session import Written, deal_of
from dashboard.entry.draft_state import equipment
from dashboard.queries import people
from dashboard.queries.matches import Filter
from dashboard.store import steady
from dashboard.text.labels import against
from dashboard.text.numbers import markdown
from dashboard.views.data import change_store
from dashboard.views.replay import PAGE
from dashboard.views.upload import (
    known_already,
    reasons,
    reasons_table,
    summary,
    take_back,
    uploaded,
    visitor_zone,
)
from dashboard.widgets.access import Refused as NoRole
from dashboard.widgets.access import acting
from dashboard.widgets.filters import written_as
from dashboard.widgets.linked import download
from dashboard.widgets.store import answer, cursor, store
from dashboard.widgets.upload import Made, Upload, add_files
from engine.games import game, names
from engine.options import presets
from ingest.entry.recorder import Refused
from ingest.entry.tokenizer import moment
from ingest.i18n import N_, Translate
from ingest.store import drafts, trash
from ingest.store.drafts import Added, Draft
from ingest.store.tokens import Role
from ingest.text.signs import plain
from schemas.games import of as schemas_of

HERE = files("dashboard.views.entry")
KEY = "desk"
ADDED_BEFORE = N_(
    "This draft was added to the store before and has changed since. The match added then goes to "
    "the trash when this one is added."
)


def _file(name: str) -> str:
    return HERE.joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    """The board's scripts and the desk's, as one module."""
    own = (_file(f"js/{name}.js") for name in ("typed", "draft", "desk", "mount"))
    return "\n".join([*(text_of(f"js/{name}.js") for name in SCRIPTS), *own])


_mount = st.components.v2.component(
    "retourne.entry",
    html=_file("entry.html").replace("<!-- board -->", text_of("board.html")),
    css=style() + _file("entry.css"),
    js=_script(),
)

_kept = st.components.v2.component(
    "retourne.drafts", html="<p></p><ul></ul>", css=_file("kept.css"), js=_file("js/kept.js")
)

FIRST = {"dealer": N_("Who deals first?"), "leader": N_("Who leads first?")}
"""What is asked of who begins, by the key of a deal that says it."""
NO_DRAFT = N_("There is no such draft: it was added, or nobody went on with it for {days} days.")


def desk(secret: str, t: Translate) -> None:
    """The draft of a secret, to go on with; or that there is none."""
    opened = store()
    draft = steady(lambda: drafts.read(opened, secret))
    if draft is None:
        st.info(t(NO_DRAFT, days=drafts.KEPT.days), icon=":material/edit_off:")
        st.page_link("app_pages/saisir.py", label=t("Type another match in"))
        return
    if st.session_state.get("finishing") == secret:
        _finish(secret, draft, t)
        return
    st.html(PAGE)
    st.html(Path(__file__).parent / "page.css")
    link = _link(secret)
    code = "" if _only_here(link) else segno.make(link, error="m").svg_data_uri(scale=4, border=2)
    data = equipment(Written(draft.head), t) | {
        "secret": secret,
        "title": against(_names(draft), draft.head["game"]),
        "address": "./entry",
        "lang": t.language,
        "link": link,
        "code": code,
        "texts": _texts(t),
        "board": words(t),
    }
    done = _mount(key=KEY, data=data, on_finish_change=lambda: None)
    if done.get("finish"):
        st.session_state["finishing"] = secret
        st.rerun()


def _names(draft: Draft) -> list[str]:
    """Who plays, in seat order."""
    return [plain(player.get("name") or player["id"]) for player in draft.head["players"]]


def _link(secret: str) -> str:
    """Where another device takes the draft up: this page, as the reader's browser has it."""
    at = urlsplit(st.context.url or "")
    where = f"{at.scheme}://{at.netloc}" if at.netloc else ""
    return f"{where}/saisir?{urlencode({'draft': secret})}"


def _only_here(link: str) -> bool:
    """Whether no other device can open a link: it leads to whatever computer opens it."""
    host = urlsplit(link).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
        "wrong-401": t("Adding games needs a token. Ask the steward of this store for one."),
        "wrong-403": t("Adding games needs a token. Ask the steward of this store for one."),
        "wrong-404": t("There is no such draft any more."),
        "wrong-503": t("The store cannot be opened."),
    }


# who plays what


def beginning(t: Translate) -> None:
    """The first screen: drafts to go on with; game, rules, players, who begins, then another."""
    texts = {
        "heading": t("Go on with a draft"),
        "go-on": t("Go on"),
        "forget": t("Forget"),
        "count": t("entries {n}"),
    }
    data = {"lang": t.language, "days": drafts.KEPT.days, "texts": texts}
    _kept(key="drafts", data=data)
    chosen = st.selectbox(
        t("Game"), names(), format_func=lambda one: games.of(one).TITLE, key="entry-game"
    )
    counts = game(chosen).players
    with st.container(horizontal=True):
        rules = rules_box(chosen, "entry", t)
        count = counts[0]
        if len(counts) > 1:
            asked = st.segmented_control(
                t("How many players"), counts, default=counts[0], required=True, key="entry-count"
            )
            count = asked if asked in counts else counts[0]
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
    cut = _cut(chosen, t)
    st.session_state.setdefault("entry-day", datetime.now().astimezone(visitor_zone()).date())
    played = st.date_input(
        t("Played on"),
        None,
        format=written_as(t),
        key="entry-day",
        width=240,
        help=t("Leave it empty if the day is not known."),
    )
    if st.button(t("Begin"), type="primary", icon=":material/edit_note:", key="entry-begin"):
        _begin(head_of(chosen, rules, players, None if cut else first, t), cut, played, t)


def seat_boxes(count: int, key: str, t: Translate) -> list[str]:
    """A field a seat: the players of the store are offered, others are typed; empty for nobody."""
    with st.container(horizontal=True):
        typed = [
            st.selectbox(
                t("Seat {n}", n=seat),
                list(known()),
                index=None,
                accept_new_options=True,
                placeholder=t("a name"),
                key=f"{key}-player-{seat}",
                width=240,
            )
            for seat in range(1, count + 1)
        ]
    return [str(one or "").strip() for one in typed]


def rules_box(chosen: str, key: str, t: Translate) -> str:
    """The presets of a game, by their names."""
    preset: str = st.selectbox(
        t("Rules"),
        list(presets(chosen)),
        format_func=lambda one: games.rules_named(one, t),
        key=f"{key}-rules-{chosen}",
    )
    return preset


def known() -> dict[str, dict[str, str]]:
    """The players of the store by what they are called, but for those nobody is led to."""
    frame = answer(people.offered)
    numbers = frame["player_no"].to_list()
    ids = answer(people.led_to, *numbers)
    names = dict(answer(people.named, *numbers))
    return {
        label: {"id": ids[number], "name": names[ids[number]]}
        for number, label in frame.select("player_no", "label").rows()
        if number in ids
    }


def _cut(chosen: str, t: Translate) -> str:
    """The cut that decides who deals, in a game that has one: attempts with commas between."""
    if "cuts" not in schemas_of(chosen).MATCH.model_fields:
        return ""
    return str(
        st.text_input(
            t("Or the cut for deal"),
            placeholder="Kd 7h, 9s 8h",
            help=t("A card a seat; after a comma the next attempt, where two were the same."),
            key=f"entry-cut-{chosen}",
        )
    ).strip()


def _attempts(head: dict[str, Any], cut: str, t: Translate) -> list[str]:
    """The attempts of a cut, as people type cards. KeyError: what is no card."""
    keys = games.of(head["game"]).keys(Written(head).table, t)
    tries = [one.split() for one in cut.lower().split(",")]
    return [" ".join(keys[card] for card in cards) for cards in tries]


def _begin(head: dict[str, Any], cut: str, played: date | None, t: Translate) -> None:
    """Begin a draft, and go to its desk."""
    if len({one["id"] for one in head["players"]}) < len(head["players"]):
        st.warning(t("Two seats have the same player."), icon=":material/group:")
        return
    if played is not None:
        now = datetime.now().astimezone(visitor_zone())
        head["played_at"] = (
            now.isoformat(timespec="seconds")
            if played == now.date()
            else moment(played.isoformat(), visitor_zone())
        )
    try:
        if cut:
            head["cuts"] = [_attempts(head, cut, t)]
        Written(head)
        with acting(Role.CONTRIBUTOR):
            secret = drafts.begin(store(), head)
    except Refused as refused:
        st.error(markdown(" ".join(one.message(t) for one in refused.findings)))
        return
    except KeyError as unknown:
        st.error(markdown(t("Nothing is typed so: {typed}", typed=unknown.args[0])))
        return
    except NoRole as refused:
        st.error(refused.say(t), icon=":material/lock:")
        return
    st.query_params["draft"] = secret
    st.rerun()


def head_of(
    chosen: str, rules: str, players: list[str], first: int | None, t: Translate
) -> dict[str, Any]:
    """The keys of a match that begins; a seat nobody was named for goes by its number."""
    players = [one or t("Seat {n}", n=seat) for seat, one in enumerate(players, 1)]
    stored, sheet = known(), schemas_of(chosen).SHEET
    return {
        "game": chosen,
        "rules": rules,
        **sheet,
        "players": [stored.get(one) or {"id": _slug(one), "name": one} for one in players],
        "opener": first,
    }


def _slug(name: str) -> str:
    """An id for somebody the store does not know: the name itself, without spaces around."""
    return re.sub(r"\s+", "-", name.strip().casefold())


# the end


def _finish(secret: str, draft: Draft, t: Translate) -> None:
    """The match as it was typed: into the store, away as a file, or back to the desk."""
    written = Written(draft.head)
    written.take(draft.steps)
    log = orjson.dumps(written.recorder.log())
    st.subheader(markdown(against(written.names, draft.head["game"])))
    if written.refusal is not None:
        st.warning(
            markdown(t("Left out, since it could not be: {why}", why=written.refusal.say(t)))
        )
    if upload := st.session_state.get(f"added-{secret}"):
        added(upload, t)
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
        deletion = change_store(
            partial(take_back, Filter(ids=(before.match,))), t, Role.CONTRIBUTOR
        )
        if deletion is None:
            return  # why stands on the page; nothing is counted twice
    upload = add_files(store(), [Made("saisie.json", log)], t)
    if came := _came(upload):
        now = Added(came[0], draft.version)
        change_store(partial(drafts.became, store(), secret, now), t, Role.CONTRIBUTOR)
    elif deletion is not None:
        change_store(partial(trash.undelete, store(), deletion), t, Role.CONTRIBUTOR)
    if upload is not None:
        st.session_state[f"added-{secret}"] = upload
        st.rerun()


def _came(upload: Upload | None) -> list[str]:
    """The ids of the matches an upload added."""
    files = list(upload.files) if upload is not None else []
    ask = "SELECT match_id FROM matches WHERE file_no IN (SELECT unnest(?::BIGINT[]))"
    return [one for (one,) in cursor().execute(ask, [files]).fetchall()]


def added(upload: Upload, t: Translate) -> None:
    """What became of it, as of any upload: counts, reasons, the way to its replay, and back."""
    summary(upload, t)
    if found := reasons(upload.reports):
        st.header(t("Reasons"))
        reasons_table(found, t, "check-typed")
    known_already(upload, t)
    uploaded(upload, t)
