// The controls by which one steps through a replay: keyboard, buttons, the slider, touch and autoplay.

const KEYS = {
  ArrowRight: "next",
  ArrowLeft: "previous",
  Home: "first",
  End: "last",
  "[": "previous-trick",
  "]": "next-trick",
  " ": "play",
  h: "hands",
  v: "viewer",
  l: "legal",
  "<": "previous-deal",
  ">": "next-deal",
  t: "turn",
  w: "turning",
  b: "held",
  c: "odds",
  z: "alone",
  e: "suite",
  "?": "help",
};

// Elements that use keys themselves: text fields, and widgets with arrow keys.
const TAKEN =
  "textarea, select, input:not([type=range], [type=checkbox]), [contenteditable=true]," +
  "[role=slider], [role=radiogroup], [role=tablist], [role=listbox], [role=menu]," +
  "[role=dialog], [data-testid=stDataFrame]";
const PRESSED = "button, a, summary, input, [role=button]"; // what Space means to these
const PACE = { slow: 2400, normal: 1200, fast: 450 }; // ms a ply
const PLAYED = { least: 250, most: 4000 }; // as played, but nobody waits for a minute
const SWIPE = 40; // px
const MOST_WAITING = 100; // of what is pressed before a deal is there

class Controls {
  constructor(board) {
    this.board = board;
    const { root } = board;
    this.waiting = [];
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("change", (event) => this.change(event));
    board.part("[type=range]").addEventListener("input", (event) => this.step(+event.target.value));
    for (const chart of [".chart", ".worth"]) {
      board.part(chart).addEventListener("click", (event) => this.step(board.timeline.at(event)));
    }
    board.part(".course").addEventListener("toggle", () => board.data && board.timeline.list()); // a draft may have no board yet
    board.part(".won").addEventListener("toggle", () => board.data && board.view.tricks());
    const felt = board.part(".felt");
    felt.addEventListener("touchstart", (event) => this.touch(event), { passive: true });
    felt.addEventListener("touchend", (event) => this.lift(event), { passive: true });
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    this.pause();
  }

  // A step of the reader stops autoplay.
  step(ply) {
    this.pause();
    this.board.go(Math.min(ply, Math.max(this.board.last, this.board.ply + 1)));
  }

  // Keys pressed while another deal loads are applied in order once it has loaded.
  press(what) {
    if (!this.board.requested) this.act(what);
    else if (this.waiting.length < MOST_WAITING) this.waiting.push(what);
  }

  catchUp() {
    while (this.waiting.length && !this.board.requested) this.act(this.waiting.shift());
  }

  act(what) {
    const { board } = this;
    const { jumps } = board.data;
    if (what === "first") this.step(0);
    else if (what === "last") this.step(board.last);
    else if (what === "next") board.ply < board.end ? this.step(board.ply + 1) : board.line || this.deal(1);
    else if (what === "next-deal") this.deal(1);
    else if (what === "previous-deal") this.deal(-1);
    else if (what === "previous") board.ply > 0 ? this.step(board.ply - 1) : this.dealBefore();
    else if (what === "next-trick") this.trick(jumps.find((at) => at > board.ply) ?? board.end);
    else if (what === "previous-trick") this.trick(jumps.findLast((at) => at < board.ply) ?? 0);
    else if (what === "play") this.playing ? this.pause() : this.play();
    else if (what === "hands") board.hideAll();
    else if (what === "viewer") board.lookAs(board.viewer + 1 < board.seats ? board.viewer + 1 : -1);
    else if (what === "legal") this.wish("legal", !board.wishes.legal);
    else if (what === "turning") board.value.toTurning();
    else if (what === "held") board.line ? board.leaveLine() : board.enterLine(board.ply);
    else if (what === "leave" && board.line) board.leaveLine();
    else if (what === "odds") board.chance.box.hidden ? board.chance.open() : board.chance.fold();
    else if (what === "fold") board.chance.fold();
    else if (what === "options") this.toggleOptions();
    else if (what === "help") this.help();
    else if (what === "turn") board.turn(board.below + 1);
    else if (what === "alone") board.alone();
    else if (what === "suite" && board.onward) board.playOn();
    else if (what === "search" && board.likeThis) location.assign(board.likeThis);
    else if (what === "print") board.exports.paper();
    else if (what === "copy") board.exports.copy();
    else if (what === "image") board.exports.image();
    else if (what === "share") this.share();
  }

  deal(by) {
    this.board.toDeal(this.board.adjacentDeal(by));
  }

  // back from the beginning: to the last visible ply of the previous deal
  dealBefore() {
    const { board } = this;
    const deal = board.adjacentDeal(-1);
    board.toDeal(deal, board.wishes.spoiler ? (board.reached.get(`${board.match}/${deal}`) ?? 0) : Infinity);
  }

  trick(ply) {
    this.pause();
    this.board.go(ply); // the next trick is a step too, even into what was not seen yet
  }

  key(event) {
    // [ ] and ? are typed with AltGr on many keyboards, French ones among them
    const alone = !(event.ctrlKey || event.metaKey || event.altKey);
    if (!alone && !event.getModifierState("AltGraph")) return;
    const what = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    const target = event.composedPath()[0];
    if (event.key === "Escape" && this.escape(target)) return;
    if (!what || event.defaultPrevented) return;
    if (this.board.part("dialog").open && what !== "help") return;
    if (target instanceof Element && target.closest(TAKEN)) return;
    if (what === "play" && target instanceof Element && target.closest(PRESSED)) return;
    event.preventDefault();
    this.press(what);
  }

  click(event) {
    const target = event.target.closest("[data-act], [data-ply], [data-seat], [data-card]");
    if (!target || target.closest(".chart, .worth")) return;
    const { act, deal, ply, seat, card, zone } = target.dataset;
    if (act) this.press(act);
    else if (deal) this.board.toDeal(+deal, +ply);
    else if (ply) this.step(+ply);
    else if (card) this.follow(card, zone);
    else this.board.hide(+seat);
    if (event.detail && act !== "help" && act !== "share") this.board.focus(); // clicked: the keys are the board's again
    else if (act === "held" || act === "leave") this.board.part(".cost button:not([hidden])")?.focus();
    else if (act === "odds") this.board.part("[data-act=fold]").focus();
    else if (act === "fold") this.board.part("[data-act=odds]").focus();
  }

  // A card of a hand leads to its play, one on the table to its play and then to where it came
  // from; either to the other where there is none.
  follow(card, zone) {
    const { board } = this;
    const { plies } = board.data;
    const played = plies.findIndex((state) => state.card === card);
    const has = (state, seat) => state.seats[seat].hand.includes(card);
    const from = played > 0 ? played - 1 : board.ply;
    const seat = plies[from].seats.findIndex((_, one) => has(plies[from], one));
    let drawn = from;
    while (seat >= 0 && drawn > 0 && has(plies[drawn - 1], seat)) drawn -= 1;
    const known = played >= 0 && played <= (board.viewer >= 0 ? board.end : board.last);
    if (known && (zone === "hand" || board.ply !== played)) this.step(played);
    else if (seat >= 0) this.step(drawn);
  }

  change(event) {
    const { board } = this;
    const { name, value, checked } = event.target;
    if (name === "viewer") board.lookAs(+value);
    else if (name === "deal") board.toDeal(board.deals[event.target.selectedIndex].number);
    else if (name === "below") board.turn(+value);
    else if (name === "me") this.me(checked);
    else if (name === "hands") board.hideAll();
    else if (name === "speed") {
      this.wish("speed", value);
      if (this.playing) this.play();
    } else if (name) this.wish(name, checked);
    if (event.target.localName === "select") board.focus(); // arrows step again
  }

  // the reader is the player at the bottom, from now on in every match
  me(yes) {
    const { board } = this;
    board.turned = board.below;
    board.wishes.me = yes ? board.player(board.below) : "";
    board.seen();
  }

  wish(name, value) {
    const { board } = this;
    board.wishes[name] = value;
    board.wishes.keep();
    board.head.take();
    board.view.take();
    board.timeline.take();
    board.value.take();
    board.draw();
  }

  // touch: a horizontal swipe over the table is a step

  touch(event) {
    const [finger] = event.touches;
    this.stroke = event.touches.length === 1 ? [finger.clientX, finger.clientY] : null;
  }

  lift(event) {
    if (!this.stroke) return;
    const [finger] = event.changedTouches;
    const across = finger.clientX - this.stroke[0];
    const down = Math.abs(finger.clientY - this.stroke[1]);
    this.stroke = null;
    if (Math.abs(across) >= SWIPE && Math.abs(across) > 2 * down) this.press(across < 0 ? "next" : "previous");
  }

  // autoplay

  play() {
    clearTimeout(this.clock);
    const { board } = this;
    if (board.ply === board.end) board.go(board.line?.from ?? 0);
    this.playing = true;
    this.clock = setTimeout(() => {
      board.go(board.ply + 1);
      if (board.ply < board.end) this.play();
      else this.pause();
    }, this.pace());
    this.draw();
  }

  pause() {
    clearTimeout(this.clock);
    if (!this.playing) return;
    this.playing = false;
    this.draw();
  }

  pace() {
    const { speed } = this.board.wishes;
    const { times } = this.board.data;
    const { ply } = this.board;
    if (speed !== "played") return PACE[speed] ?? PACE.normal;
    const took = 1000 * (times?.[ply + 1] - times?.[ply]);
    return Math.max(PLAYED.least, Math.min(PLAYED.most, took || PLAYED.least));
  }

  // labels and states of buttons

  take() {
    const { board } = this;
    const { texts, seats, times } = board.data;
    board.root.setAttribute("aria-label", texts.board);
    for (const one of board.root.querySelectorAll("[data-act]")) {
      const text = texts[one.dataset.act];
      if (text?.includes("{n}")) continue; // written where the number is known
      const label = one.querySelector("span");
      if (label) label.textContent = text;
      else one.setAttribute("aria-label", text);
      one.title = text;
    }
    for (const one of board.root.querySelectorAll("[data-text]")) {
      one.textContent = texts[one.dataset.text];
    }
    board.part("[type=range]").setAttribute("aria-label", texts.slider);
    const names = seats.map((seat) => seat.name);
    const viewers = [texts.all, ...names].map((name, i) => new Option(name, i - 1, false, i - 1 === board.viewer));
    board.part("[name=viewer]").replaceChildren(...viewers);
    board.part("[name=viewer]").setAttribute("aria-label", texts.viewer);
    board.part("[name=viewer]").title = texts.viewer;
    const places = names.map((name, i) => new Option(name, i, false, i === board.below));
    board.part("[name=below]").replaceChildren(...places);
    const id = board.player(board.below);
    board.part("[name=me]").closest("label").hidden = !id;
    board.part("[name=me]").checked = Boolean(id) && id === board.wishes.me;
    const speeds = ["slow", "normal", "fast", ...(times ? ["played"] : [])];
    const speed = speeds.includes(board.wishes.speed) ? board.wishes.speed : "normal";
    const paces = speeds.map((one) => new Option(texts[one], one, false, one === speed));
    board.part("[name=speed]").replaceChildren(...paces);
    board.part("[name=speed]").setAttribute("aria-label", texts.speed);
    const { where } = board.data;
    board.part("[data-act=copy]").hidden = !where;
    board.part("[data-act=share]").hidden = !where || Boolean(where.path);
    board.part("[data-act=suite]").hidden = !board.onward;
    board.part("[data-act=search]").hidden = !board.likeThis;
    board.part("[name=four]").closest("label").hidden = !board.suited;
    board.part("dialog").setAttribute("aria-label", texts.help);
    const value = board.data.value ?? null;
    const needs = { E: board.onward, W: value, B: value, C: board.chance.offered || null };
    const done = texts.keys.filter(([keys]) => needs[keys.split(" ")[0]] !== null);
    const keys = done.map(([keys, text]) => {
      const row = make("div");
      const names = make("dt");
      for (const key of keys.split(" ")) names.append(make("kbd", "", key));
      row.append(names, make("dd", "", text));
      return row;
    });
    const signs = Object.entries(texts.kinds).map(([kind, { text, shape, colour }]) => {
      const sign = make("span", "sign");
      const svg = draw("svg", { width: 12, height: 12, viewBox: "-1 -1 12 12" });
      svg.append(draw("path", { d: shape, class: `mark ${kind} in-${colour} of-error` }));
      sign.append(svg, make("span", "", text));
      return sign;
    });
    board.part("dialog .keys").replaceChildren(...keys);
    board.part("dialog .signs").replaceChildren(...signs);
  }

  draw() {
    const { board } = this;
    const { texts } = board.data;
    const { ply, end, last, wishes } = board;
    const slider = board.part("[type=range]");
    slider.max = board.timeline.span;
    slider.value = ply;
    const place = last === end ? `${ply} / ${end}` : `${ply} / …`;
    slider.setAttribute("aria-valuetext", place);
    board.part(".place").textContent = place;
    const [fewer, more] = [board.adjacentDeal(-1), board.adjacentDeal(1)];
    const edges = { first: 0, previous: fewer ? -1 : 0, "previous-trick": 0, last, next: more ? -1 : end };
    for (const one of board.root.querySelectorAll(".bar [data-act]:not([data-act=play])")) {
      one.setAttribute("aria-disabled", String(ply === (edges[one.dataset.act] ?? end)));
    }
    const play = board.part("[data-act=play]");
    play.classList.toggle("playing", Boolean(this.playing));
    play.title = this.playing ? texts.pause : texts.play;
    play.setAttribute("aria-label", play.title);
    for (const name of ["legal", "four", "spoiler"]) board.part(`[name=${name}]`).checked = wishes[name];
    board.part("[name=hands]").checked = board.hidden.size === board.seats;
    board.part("[name=viewer]").value = board.viewer;
  }

  toggleOptions() {
    const panel = this.board.part(".options");
    panel.hidden = !panel.hidden;
    this.board.part("[data-act=options]").setAttribute("aria-expanded", String(!panel.hidden));
  }

  // whether the board handles Escape
  escapes(target) {
    const { board } = this;
    const ours = !(target instanceof Element && target.closest(TAKEN)) || board.root.contains(target);
    return ours && !board.part("dialog").open;
  }

  // close what is open over the board first
  escape(target) {
    if (this.closeOptions(target) || (this.escapes(target) && this.board.chance.fold())) return true;
    return this.leaveLine(target);
  }

  leaveLine(target) {
    if (!this.board.line || !this.escapes(target)) return false;
    this.press("leave");
    this.board.focus();
    return true;
  }

  // returns whether something was open
  closeOptions(target) {
    const { board } = this;
    if (!this.escapes(target) || board.part(".options").hidden) return false;
    this.toggleOptions();
    board.part("[data-act=options]").focus();
    return true;
  }

  // sharing below the board: link, QR code, image
  share() {
    const opener = document.querySelector(".st-key-share-match button");
    opener?.scrollIntoView({ block: "end" });
    opener?.focus();
    setTimeout(() => opener?.click()); // once this click is over, which would close it again
  }

  help() {
    const dialog = this.board.part("dialog");
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }
}
