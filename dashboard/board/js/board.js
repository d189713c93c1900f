// The replay board: where the reader is and what may be seen from there, without the server.
// It knows no game; dashboard/board/states.py says what it is told.

class Board {
  // `say(name, value)` tells the server of a wish it must know to draw the rest of the page
  constructor(root) {
    this.root = root;
    this.ply = 0;
    this.deal = null; // which deal is shown
    this.seek = null; // the server's last order to go somewhere
    this.reached = new Map(); // the furthest ply of each deal
    this.hidden = new Set(); // seats whose hand is face down
    this.viewer = -1; // the seat whose eyes we look through, -1 for everybody's
    this.path = location.pathname;
    this.wishes = new Wishes();
    this.view = new View(this);
    this.timeline = new Timeline(this);
    this.controls = new Controls(this);
    this.exports = new Exports(this);
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  // New data: another deal opens where it says; the same one (a rerun, another language)
  // stays where the reader is, unless the server leads elsewhere.
  take(data, say = () => {}) {
    const first = this.deal === null;
    this.data = data;
    this.say = say;
    const deal = (data.where ? data.where.match : "") + "/" + data.deal;
    if (deal !== this.deal || data.seek !== this.seek) {
      if (deal !== this.deal) this.controls.pause();
      this.deal = deal;
      this.seek = data.seek;
      this.ply = data.ply;
    }
    this.ply = Math.max(0, Math.min(this.end, this.ply));
    if (first) {
      this.look(data.view);
      if (data.light) this.wishes.legal = true;
    }
    if (data.where && this.wishes.spoiler !== data.spoiler) say("spoiler", this.wishes.spoiler);
    this.reach();
    this.controls.take();
    this.view.take();
    this.timeline.take();
    this.draw();
    this.write();
  }

  leave() {
    this.controls.leave();
    clearTimeout(this.timer);
  }

  get state() {
    return this.data.plies[this.ply];
  }

  get end() {
    return this.data.plies.length - 1;
  }

  // how far one may look back and forth: all of it, or what was reached
  get last() {
    return this.wishes.spoiler ? this.reached.get(this.deal) : this.end;
  }

  // and what may be read of: one player knows no more than the moment shown
  get horizon() {
    return this.viewer >= 0 ? this.ply : this.last;
  }

  reach() {
    this.reached.set(this.deal, Math.max(this.ply, this.reached.get(this.deal) ?? 0));
  }

  go(ply) {
    ply = Math.max(0, Math.min(this.end, ply));
    if (ply === this.ply) return;
    this.ply = ply;
    this.reach();
    this.draw();
    this.writeSoon();
  }

  draw() {
    this.view.draw();
    this.timeline.draw();
    this.controls.draw();
  }

  // who sees what

  get seats() {
    return this.data.seats.length;
  }

  // "2": as the second player sees it; "h13": these hands face down; else everything
  look(word) {
    this.viewer = -1;
    this.hidden.clear();
    const [hide, ...digits] = word || "";
    const seats = (hide === "h" ? digits : [hide]).map((digit) => digit - 1);
    if (!seats.every((seat) => seat >= 0 && seat < this.seats)) return;
    if (hide === "h") this.hidden = new Set(seats);
    else if (!digits.length) [this.viewer] = seats;
  }

  get looking() {
    if (this.viewer >= 0) return String(this.viewer + 1);
    return this.hidden.size ? "h" + [...this.hidden].sort().map((seat) => seat + 1).join("") : "";
  }

  lookAs(viewer) {
    this.viewer = viewer;
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

  seen() {
    this.controls.take();
    this.timeline.take();
    this.draw();
    this.writeSoon();
  }

  // is this card of a hand face up?
  open(seat, card) {
    if (this.hidden.has(seat)) return false;
    if (this.viewer < 0 || this.viewer === seat) return true;
    return this.state.seats[seat].seen.includes(card);
  }

  // what a ply says to whom we look as
  told(ply) {
    const state = this.data.plies[ply];
    const veiled = this.viewer >= 0 && this.viewer !== state.actor && state.veiled;
    const { text, also } = veiled || state;
    return sentences([text, state.why, ...also]);
  }

  // findings that may be read of here; one player is told the rule, not what the hands held
  findings() {
    return this.data.findings
      .filter((finding) => (finding.ply ?? this.end) <= this.horizon)
      .map((finding) => (this.viewer < 0 ? finding : { ...finding, text: "" }));
  }

  // comments of a ply; nobody knows what prose gives away, so one player reads only their own
  comments(ply) {
    const { comments, texts } = this.data;
    return comments
      .filter((comment) => comment.ply === ply)
      .map((comment) => {
        const open = this.viewer < 0 || this.viewer === comment.seat;
        return open ? comment : { ...comment, text: texts.withheld };
      });
  }

  // the address: reload it, keep it, send it

  writeSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 150); // browsers refuse a hundred a second
  }

  write() {
    if (!this.data.where || location.pathname !== this.path) return;
    const url = new URL(location.href);
    for (const [key, value] of Object.entries(this.data.where)) url.searchParams.set(key, value);
    url.searchParams.set("ply", this.ply);
    if (this.looking) url.searchParams.set("view", this.looking);
    else url.searchParams.delete("view");
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }
}

// How the reader likes it, kept by the browser where it lets us.
class Wishes {
  constructor() {
    Object.assign(this, { legal: false, four: false, spoiler: false, speed: "normal" });
    try {
      Object.assign(this, JSON.parse(localStorage.getItem("retourne.board")));
    } catch {
      // a browser that keeps nothing, or kept something else
    }
  }

  keep() {
    try {
      localStorage.setItem("retourne.board", JSON.stringify(this));
      // the server reads it before it names a deal by its score
      document.cookie = `retourne_spoiler=${+this.spoiler}; path=/; max-age=31536000; SameSite=Lax`;
    } catch {
      // as above: it holds until the page is left
    }
  }
}
