"""The page where a match is typed in: who plays what, then the desk, then into the store."""

import re
from datetime import datetime
from importlib.resources import files
from io import BytesIO
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
import segno
import streamlit as st

from dashboard import games
from dashboard.board import SCRIPTS, style, text_of, words
from dashboard.queries import people
from dashboard.store import steady
from dashboard.text.labels import against
from dashboard.text.language import markdown
from dashboard.views.entry.told import equipment
from dashboard.views.entry.written import Written
from dashboard.views.replay import PAGE
from dashboard.views.upload import known_already, reasons, reasons_table, summary, uploaded
from dashboard.widgets.access import Refused as NoRole
from dashboard.widgets.access import acting
from dashboard.widgets.store import answer, store
from dashboard.widgets.upload import Upload, add_files
from engine.games import game, names
from engine.options import presets
from ingest.entry.recorder import Refused
from ingest.i18n import N_, Translate
from ingest.store import drafts
from ingest.store.drafts import Draft
from ingest.store.tokens import Role
from schemas.games import of as schemas_of

HERE = files("dashboard.views.entry")
KEY = "desk"


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
    st.html(HERE.joinpath("page.css"))
    link = _link(secret)
    code = segno.make(link, error="m").svg_data_uri(scale=4, border=2)
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
    return [player.get("name") or player["id"] for player in draft.head["players"]]


def _link(secret: str) -> str:
    """Where another device takes the draft up: this page, as the reader's browser has it."""
    at = urlsplit(st.context.url or "")
    where = f"{at.scheme}://{at.netloc}" if at.netloc else ""
    return f"{where}/saisir?{urlencode({'draft': secret})}"


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
    texts = {"heading": t("Go on with a draft"), "forget": t("Forget it in this browser")}
    data = {"lang": t.language, "days": drafts.KEPT.days, "texts": texts}
    _kept(key="drafts", data=data)
    chosen = st.selectbox(
        t("Game"), names(), format_func=lambda one: games.of(one).TITLE, key="entry-game"
    )
    counts = game(chosen).players
    with st.container(horizontal=True):
        rules = st.selectbox(
            t("Rules"),
            list(presets(chosen)),
            format_func=lambda one: games.rules_named(one, t),
            key=f"entry-rules-{chosen}",
        )
        count = counts[0]
        if len(counts) > 1:
            asked = st.segmented_control(
                t("How many players"), counts, default=counts[0], required=True, key="entry-count"
            )
            count = asked if asked in counts else counts[0]
    players = _players(chosen, count, t)
    seats = dict(enumerate([one or t("seat {n}", n=n) for n, one in enumerate(players, 1)], 1))
    first = st.segmented_control(
        t("Who begins: deals, or leads where nobody deals"),
        list(seats),
        format_func=lambda seat: markdown(seats[seat]),
        default=1,
        required=True,
        key=f"entry-first-{count}",
    )
    cut = _cut(chosen, t)
    now = st.checkbox(t("It is played now"), value=True, key="entry-now")
    if st.button(t("Begin"), type="primary", icon=":material/edit_note:", key="entry-begin"):
        _begin(head_of(chosen, rules, players, None if cut else first, t), cut, now, t)


def _players(chosen: str, count: int, t: Translate) -> list[str]:
    """A field a seat: the players of the store are offered, others are typed."""
    offered, found = list(known()), []
    with st.container(horizontal=True):
        for seat in range(1, count + 1):
            found.append(
                st.selectbox(
                    t("Seat {n}", n=seat),
                    offered,
                    index=None,
                    accept_new_options=True,
                    placeholder=t("a name"),
                    key=f"entry-player-{seat}",
                    width=240,
                )
                or ""
            )
    return [str(one).strip() for one in found]


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


def _begin(head: dict[str, Any], cut: str, now: bool, t: Translate) -> None:
    """Begin a draft, and go to its desk."""
    if len({one["id"] for one in head["players"]}) < len(head["players"]):
        st.warning(t("Two seats have the same player."), icon=":material/group:")
        return
    if now:
        head["played_at"] = datetime.now().astimezone().isoformat(timespec="seconds")
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
    with st.container(horizontal=True):
        if st.button(t("Add to the store"), type="primary", key="entry-add"):
            _add(secret, log, t)
        st.download_button(
            t("The log (JSON)"),
            log,
            "retourne-saisie.json",
            "application/json",
            on_click="ignore",
            key="entry-log",
        )
        if st.button(t("Back to the desk"), icon=":material/undo:", key="entry-back"):
            del st.session_state["finishing"]
            st.rerun()


def _add(secret: str, log: bytes, t: Translate) -> None:
    """Add the match by the road of every upload."""
    file = BytesIO(log)
    file.name = "saisie.json"
    file.size = len(log)  # type: ignore[attr-defined]
    upload = add_files(store(), [file], t)
    if upload is not None:
        st.session_state[f"added-{secret}"] = upload
        st.rerun()


def added(upload: Upload, t: Translate) -> None:
    """What became of it, as of any upload: counts, reasons, the way to its replay, and back."""
    summary(upload, t)
    if found := reasons(upload.reports):
        st.header(t("Reasons"))
        reasons_table(found, t, "check-typed")
    known_already(upload, t)
    uploaded(upload, t)
