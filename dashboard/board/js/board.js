// The replay board: the deal and position shown and the cards visible there, without the server.
// It knows no game; dashboard/board/states.py describes the data it gets.

class Board {
  constructor(root) {
    this.root = root;
    this.ply = 0;
    this.data = null; // the deal shown
    this.loaded = new Map(); // the deals of the match received so far, by number
    this.requested = null; // the deal requested: `deal`, `ply`, `push`
    this.match = null;
    this.line = null; // of best play, where that is looked at instead of what was played
    this.wanted = null; // how far into one, where it has not come yet
    this.seek = null; // the server's last order to go somewhere
    this.reached = new Map(); // the furthest ply of each deal
    this.hidden = new Set(); // seats whose hand is face down
    this.viewer = -1; // the seat whose eyes we look through, -1 for everybody's
    this.turned = null; // the seat the reader wants below
    this.path = location.pathname;
    this.wishes = new Wishes();
    this.head = new Head(this);
    this.view = new View(this);
    this.timeline = new Timeline(this);
    this.value = new EndgameValues(this);
    this.controls = new Controls(this);
    this.exports = new Exports(this);
    this.chance = new Chance(this);
    this.onBack = (event) => this.back(event);
    window.retourneBack = this.onBack; // called before Streamlit hears of it (dashboard/web/first_page.py)
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  // New data: another match, or an order of the server, opens where it says; a requested
  // deal opens; the one shown (a rerun, another language) stays where the reader is; others wait.
  // `say(name, value)` sends a value to the server.
  take(data, emit = () => {}) {
    const match = data.where?.match ?? null;
    const first = this.data === null;
    const other = first || match !== this.match || data.seek !== this.seek;
    if (!first && (other || data.where?.lang !== this.data.where?.lang)) this.loaded.clear();
    this.emit = emit;
    this.match = match;
    this.seek = data.seek;
    this.loaded.set(data.deal, data);
    if (first && data.light) this.wishes.legal = true;
    if (first) this.look(data.view, data);
    const address = !first && other && this.address(data.where);
    if (other) {
      this.controls.waiting = [];
      this.show({ deal: data.deal, ply: data.ply, line: data.line ?? null });
    }
    if (address && address.deal !== data.deal) this.toDeal(address.deal, address.ply, false, address.line);
    else if (other) return;
    else if (data.deal === this.requested?.deal) {
      this.show(this.requested);
      this.controls.catchUp();
    } else if (data.deal === this.data.deal) {
      const { requested } = this; // it is still to come
      this.show({ deal: data.deal, ...this.spot });
      this.requested = requested;
    }
    else this.toDeal(this.data.deal, this.spot.ply, false, this.spot.line); // received in another language, for example
  }

  // `line`: the step of the better line for the card played at this ply
  show({ deal, ply, push = false, line = null }) {
    if (deal !== this.data?.deal) this.controls.pause();
    this.requested = null;
    const data = this.loaded.get(deal);
    const lines = line === null || !this.insight ? [] : (data.value?.lines ?? []);
    this.wanted = data.value?.waiting ? line : null;
    this.line = lines.find(({ from }) => from === ply) ?? null;
    this.data = this.line ? varied(data, this.line) : data;
    this.ply = Math.max(0, Math.min(this.end, this.line ? ply + line : ply));
    this.reach();
    this.head.take();
    this.controls.take();
    this.view.take();
    this.timeline.take();
    this.value.take();
    this.draw();
    this.write(push);
  }

  // show another deal of the match, as a new entry of the browser's history
  toDeal(deal, ply = 0, push = true, line = null) {
    if (!this.deals.some(({ number }) => number === deal)) return;
    this.requested = { deal, ply, push, line };
    if (this.loaded.has(deal)) this.show(this.requested);
    else this.emit("deal", `${this.match} ${deal}`);
  }

  // the deals of the match: `number` and name
  get deals() {
    return this.data.head?.deals ?? [];
  }

  // the number of the deal `by` places further on
  adjacentDeal(by) {
    return this.deals[this.deals.findIndex(({ number }) => number === this.data.deal) + by]?.number;
  }

  leave() {
    this.controls.leave();
    this.view.leave();
    this.exports.leave();
    this.value.leave();
    if (window.retourneBack === this.onBack) delete window.retourneBack;
    clearTimeout(this.timer);
  }

  get state() {
    return this.data.plies[this.ply];
  }

  get end() {
    return this.data.plies.length - 1;
  }

  // the last ply the reader may go to: the end of the deal, or the furthest ply reached
  get last() {
    return this.wishes.spoiler && !this.line ? this.reached.get(this.key) : this.end;
  }

  get key() {
    return `${this.match}/${this.data.deal}`;
  }

  // the last ply whose texts are shown: as one player, only the ply on the board
  get horizon() {
    return this.viewer >= 0 ? this.ply : this.last;
  }

  reach() {
    if (!this.line) this.reached.set(this.key, Math.max(this.ply, this.reached.get(this.key) ?? 0));
  }

  go(ply) {
    ply = Math.max(0, Math.min(this.end, ply));
    if (ply === this.ply) return;
    if (this.line && ply < this.line.from) {
      this.leaveLine(ply);
      return;
    }
    this.ply = ply;
    this.wanted = null;
    this.reach();
    this.draw();
    this.writeSoon();
  }

  // show the better line for the card played at a ply, from its first step
  enterLine(at) {
    const line = this.data.value?.lines.find((one) => one.at === at);
    if (line && this.insight) this.show({ deal: this.data.deal, ply: line.from, line: 1 });
  }

  // leave the line: back to the ply of the card as played
  leaveLine(ply = this.line.at) {
    this.show({ deal: this.data.deal, ply });
  }

  // the position for the address: the ply where a line begins, and the steps into it
  get spot() {
    if (!this.line) return { ply: this.ply, line: this.wanted };
    return { ply: this.line.from, line: this.ply - this.line.from };
  }

  // focus the board, so that it gets the keys
  focus() {
    this.root.focus({ preventScroll: true });
  }

  // show only the board, as large as the window
  alone() {
    this.root.closest(".frame").classList.toggle("alone");
  }

  draw() {
    this.chance.draw();
    this.view.draw();
    this.timeline.draw();
    this.value.draw();
    this.controls.draw();
  }

  // visibility of hands

  get seats() {
    return this.data.seats.length;
  }

  // a view: "2": as the second player; "h13": hands 1 and 3 face down; else everything
  look(word, data = this.data) {
    this.viewer = -1;
    this.hidden.clear();
    const [hide, ...digits] = word || "";
    const seats = (hide === "h" ? digits : [hide]).map((digit) => digit - 1);
    if (!seats.every((seat) => seat >= 0 && seat < data.seats.length)) return;
    if (hide === "h") this.hidden = new Set(seats);
    else if (!digits.length) [this.viewer] = seats;
  }

  get looking() {
    if (this.viewer >= 0) return String(this.viewer + 1);
    return this.hidden.size ? "h" + [...this.hidden].sort().map((seat) => seat + 1).join("") : "";
  }

  lookAs(viewer) {
    this.viewer = viewer;
    this.turned = null;
    this.hidden.clear();
    this.seen();
  }

  hide(seat) {
    if (!this.hidden.delete(seat)) this.hidden.add(seat);
    this.seen();
  }

  hideAll() {
    const all = this.hidden.size === this.seats;
    this.hidden = new Set(all ? [] : this.data.seats.keys());
    this.seen();
  }

  // whether every hand is visible: values of play reveal all hands
  get insight() {
    return this.viewer < 0 && this.hidden.size === 0;
  }

  seen() {
    if (this.line && !this.insight) this.leaveLine();
    this.controls.take();
    this.timeline.take();
    this.value.take();
    this.draw();
    this.writeSoon();
  }

  // the seat at the bottom: the one the reader turned the table to, the viewer's, or the reader's own
  get below() {
    if (this.turned !== null && this.turned < this.seats) return this.turned;
    if (this.viewer >= 0) return this.viewer;
    return Math.max(0, this.data.seats.findIndex((_, seat) => this.player(seat) && this.player(seat) === this.wishes.me));
  }

  // the player id of a seat
  player(seat) {
    return this.data.head?.players[seat]?.id;
  }

  turn(seat) {
    this.turned = seat % this.seats;
    this.seen();
  }

  // the place of a seat at the table: 0 at the bottom, then in the order of play
  place(seat) {
    return (seat - this.below + this.seats) % this.seats;
  }

  // whether a card of a hand is face up
  open(seat, card) {
    if (this.hidden.has(seat)) return false;
    if (this.viewer < 0 || this.viewer === seat) return true;
    return this.state.seats[seat].seen.includes(card);
  }

  // the text of a ply for the current viewer; in a list, the card in log notation without the trick's reason
  describe(ply, listed = false) {
    const state = this.data.plies[ply];
    const veiled = this.viewer >= 0 && this.viewer !== state.actor && state.veiled;
    const { text, also } = veiled || state;
    const { point, points, unplayed } = this.data.texts;
    const event = listed ? [(!veiled && state.short) || text] : [text, state.trick_reason];
    const sentence = sentences([...event, ...also]);
    return together(ply > (this.line?.from ?? Infinity) ? `${unplayed} ${sentence}` : sentence, [points, point]);
  }

  // findings visible at this ply; one player sees the rule, without the cards of hands
  findings() {
    return this.data.findings
      .filter((finding) => (finding.ply ?? this.end) <= this.horizon)
      .map((finding) => (this.viewer < 0 ? finding : { ...finding, text: "" }));
  }

  // comments of a ply; as comments may reveal hands, one player sees only their own
  comments(ply) {
    const { comments, texts } = this.data;
    return comments
      .filter((comment) => comment.ply === ply)
      .map((comment) => {
        const open = this.viewer < 0 || this.viewer === comment.seat;
        return open ? comment : { ...comment, text: texts.withheld };
      });
  }

  // the address of what is shown

  writeSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 150); // browsers refuse a hundred a second
  }

  write(push = false) {
    clearTimeout(this.timer);
    const { where, deal } = this.data;
    if (!where || !this.here(where)) return;
    const url = new URL(location.href);
    const { ply, line } = this.spot;
    if (where.path) url.pathname = `${where.path}/${deal}/${ply}`;
    else for (const [key, value] of Object.entries(where)) url.searchParams.set(key, value);
    if (!where.path) url.searchParams.set("ply", ply);
    if (line === null) url.searchParams.delete("line");
    else url.searchParams.set("line", line);
    if (this.looking) url.searchParams.set("view", this.looking);
    else url.searchParams.delete("view");
    if (url.href === location.href) return;
    history[push ? "pushState" : "replaceState"](history.state, "", url);
  }

  // Going back to another deal of the match changes only the board: Streamlit would run the page again.
  back(event) {
    const address = this.address(this.data?.where);
    if (!address) return;
    event.stopImmediatePropagation();
    this.look(address.view);
    this.toDeal(address.deal, address.ply, false, address.line);
  }

  // whether the address is still of the board's page
  here({ path }) {
    return path ? location.pathname.startsWith(path) : location.pathname === this.path;
  }

  // the public address of what is shown, for sharing
  get link() {
    const { share } = this.data;
    const { ply, line } = this.spot;
    const url = new URL(share ? `${share}/${this.data.deal}/${ply}` : location.href, location.href);
    if (share && line !== null) url.searchParams.set("line", line);
    if (share && this.looking) url.searchParams.set("view", this.looking);
    return url.href;
  }

  // the address to play on from here; only stored matches have one
  get onward() {
    return this.fromHere("suite");
  }

  // whether the cards have suits
  get suited() {
    return Object.values(this.data.faces).some((face) => face.four);
  }

  // the address that searches for deals like this position; another site's frame has none
  get likeThis() {
    return this.suited && this.data.stored !== false ? this.fromHere("chercher") : null;
  }

  fromHere(what) {
    const { share, where, deal } = this.data;
    return share ? `${share}/${deal}/${this.spot.ply}/${what}?lang=${where.lang}` : null;
  }

  playOn() {
    location.assign(this.onward);
  }

  // the position in the address, if it names this match and language
  address(where) {
    if (!where || !this.here(where)) return null;
    const params = new URL(location.href).searchParams;
    const line = params.has("line") ? +params.get("line") || 0 : null;
    if (where.path) {
      const [deal, ply] = location.pathname.slice(where.path.length + 1).split("/");
      return { deal: +deal || this.deals[0].number, ply: +ply || 0, view: params.get("view"), line };
    }
    if (params.get("match") !== where.match) return null;
    if ((params.get("lang") ?? where.lang) !== where.lang) return null;
    return { deal: +params.get("deal"), ply: +params.get("ply"), view: params.get("view"), line };
  }
}

// The data of a deal with best play from a ply on.
function varied(data, line) {
  const { value } = data;
  const before = (found) => found.filter(({ ply }) => (ply ?? 0) <= line.from);
  const plies = [...data.plies.slice(0, line.from + 1), ...line.plies];
  const margins = value.margins.slice(0, line.from - value.from + 1);
  while (value.from + margins.length < plies.length) margins.push(margins.at(-1));
  return {
    ...data,
    plies,
    times: null,
    jumps: [...data.jumps.filter((ply) => ply <= line.from), ...line.jumps],
    tricks: [...before(data.tricks), ...line.tricks],
    marks: [...before(data.marks), ...line.marks],
    comments: before(data.comments),
    findings: before(data.findings),
    value: {
      ...value,
      margins,
      turning: value.turning <= line.from ? value.turning : null,
      plays: Object.fromEntries(Object.entries(value.plays).filter(([ply]) => ply <= line.from)),
    },
  };
}

// Browsers may refuse storage to pages in frames of other sites.
function cookies() {
  try {
    return document.cookie;
  } catch {
    return "";
  }
}

// The reader's preferences, stored by the browser where it allows that.
class Wishes {
  constructor() {
    Object.assign(this, { legal: false, four: false, spoiler: false, speed: "normal" });
    try {
      Object.assign(this, JSON.parse(localStorage.getItem("retourne.board")));
    } catch {
      // storage is unavailable, or has something else
    }
  }

  keep() {
    try {
      localStorage.setItem("retourne.board", JSON.stringify(this));
    } catch {
      // as above: the preference lasts until the page is closed
    }
  }

  // the reader's player id, which pages use too
  get me() {
    const cookie = cookies().split("; ").find((one) => one.startsWith("retourne_me="));
    return cookie ? decodeURIComponent(cookie.slice("retourne_me=".length)) : "";
  }

  set me(id) {
    const age = id ? 31536000 : 0;
    document.cookie = `retourne_me=${encodeURIComponent(id)}; path=/; max-age=${age}; SameSite=Lax`;
  }
}
