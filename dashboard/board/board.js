// The replay board: draws one state of a deal and steps through them, without the server.
// It knows no game; dashboard/board/states.py says what it is told. Names and sentences come
// from logs: they only ever become text nodes.

const boards = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  let board = boards.get(parentElement);
  if (!board) {
    board = new Board(parentElement.querySelector(".board"));
    boards.set(parentElement, board);
  }
  board.take(data);
  return () => {
    board.leave();
    boards.delete(parentElement);
  };
}

const KEYS = {
  ArrowRight: "next",
  ArrowLeft: "previous",
  Home: "first",
  End: "last",
  "[": "previous-trick",
  "]": "next-trick",
};

// Where keys mean something else: text to type, and widgets that move by arrows themselves.
const TAKEN =
  "textarea, select, input:not([type=range]), [contenteditable=true], [role=slider]," +
  "[role=radiogroup], [role=tablist], [role=listbox], [role=menu], [data-testid=stDataFrame]";

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

// "A. B." whatever each part ends with
function sentences(parts) {
  return parts.map((part) => (/[.…!?]$/.test(part) ? part : part + ".")).join(" ");
}

class Board {
  constructor(root) {
    this.root = root;
    this.ply = 0;
    this.deal = null; // which deal is shown
    this.seek = null; // the server's last order to go somewhere
    this.hidden = new Set(); // seats whose hand is face down
    this.path = location.pathname;
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    root.addEventListener("click", (event) => this.click(event));
    this.part("input").addEventListener("input", (event) => this.go(+event.target.value));
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  // New data: another deal opens where it says; the same one (a rerun, another language)
  // stays where the reader is.
  take(data) {
    this.data = data;
    const deal = (data.where ? data.where.match : "") + "/" + data.deal;
    if (deal !== this.deal || data.seek !== this.seek) {
      this.deal = deal;
      this.seek = data.seek;
      this.ply = data.ply;
    }
    this.ply = Math.max(0, Math.min(this.end, this.ply));
    this.words();
    this.part(".felt").className = "felt" + (data.sides.length ? " partners" : "");
    this.listFindings();
    this.draw();
    this.write();
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.timer);
  }

  get end() {
    return this.data.plies.length - 1;
  }

  // stepping

  go(ply) {
    ply = Math.max(0, Math.min(this.end, ply));
    if (ply === this.ply) return;
    this.ply = ply;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 150); // browsers refuse a hundred a second
  }

  act(what) {
    const tricks = this.data.tricks;
    if (what === "first") this.go(0);
    else if (what === "last") this.go(this.end);
    else if (what === "next") this.go(this.ply + 1);
    else if (what === "previous") this.go(this.ply - 1);
    else if (what === "next-trick") this.go(tricks.find((at) => at > this.ply) ?? this.end);
    else if (what === "previous-trick") this.go(tricks.findLast((at) => at < this.ply) ?? 0);
  }

  key(event) {
    // [ and ] are typed with AltGr on many keyboards, French ones among them
    const alone = !(event.ctrlKey || event.metaKey || event.altKey);
    if (!alone && !event.getModifierState("AltGraph")) return;
    const what = KEYS[event.key];
    const target = event.composedPath()[0];
    if (!what || event.defaultPrevented) return;
    if (target instanceof Element && target.closest(TAKEN)) return;
    event.preventDefault();
    this.act(what);
  }

  click(event) {
    const target = event.target.closest("[data-go], [data-ply], [data-seat]");
    if (!target) return;
    const { go, ply, seat } = target.dataset;
    if (go) this.act(go);
    else if (ply) this.go(+ply);
    else {
      if (!this.hidden.delete(+seat)) this.hidden.add(+seat);
      this.draw();
      this.part(`[data-seat="${seat}"]`).focus();
    }
  }

  // The address always leads back here: reload it, keep it, send it.
  write() {
    if (!this.data.where || location.pathname !== this.path) return;
    const url = new URL(location.href);
    for (const [key, value] of Object.entries(this.data.where)) url.searchParams.set(key, value);
    url.searchParams.set("ply", this.ply);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  // drawing

  words() {
    const texts = this.data.texts;
    this.root.setAttribute("aria-label", texts.board);
    for (const button of this.root.querySelectorAll("[data-go]")) {
      button.title = texts[button.dataset.go];
      button.setAttribute("aria-label", texts[button.dataset.go]);
    }
    const slider = this.part("input");
    slider.max = this.end;
    slider.setAttribute("aria-label", texts.slider);
  }

  listFindings() {
    const { findings, texts } = this.data;
    const section = this.part(".findings");
    section.hidden = findings.length === 0;
    section.querySelector("h3").textContent = `${texts.findings} (${findings.length})`;
    const items = findings.map((finding) => {
      const item = make("li", finding.severity);
      const jump = finding.ply !== null;
      const body = make(jump ? "button" : "p", "finding");
      if (jump) {
        body.type = "button";
        body.dataset.ply = finding.ply;
      }
      body.append(this.badge(finding), make("span", "", finding.text));
      item.append(body);
      return item;
    });
    section.querySelector("ol").replaceChildren(...items);
    const marks = findings
      .filter((finding) => finding.ply !== null)
      .map((finding) => {
        const mark = make("i", finding.severity);
        mark.style.left = `${this.end ? (100 * finding.ply) / this.end : 0}%`;
        return mark;
      });
    this.part(".marks").replaceChildren(...marks);
  }

  badge(finding) {
    return make("b", "badge", `${this.data.texts[finding.severity]} ${finding.rule}`);
  }

  draw() {
    const { plies, findings } = this.data;
    const state = plies[this.ply];
    this.part(".event").textContent = sentences([state.text, ...state.also]);
    const here = findings.filter((finding) => finding.ply === this.ply);
    this.part(".found").replaceChildren(
      ...here.map((finding) => {
        const item = make("li", finding.severity);
        item.append(this.badge(finding), make("span", "", finding.text));
        return item;
      }),
    );
    // the first seat sits below, the others across the table
    this.part(".own").replaceChildren(this.seat(state, 0));
    this.part(".others").replaceChildren(
      ...state.seats.slice(1).map((_, i) => this.seat(state, i + 1)),
    );
    const laid = state.table.some((card) => card !== null);
    this.part(".felt").classList.toggle("speaking", this.data.auction !== null && !laid);
    this.part(".others").dataset.count = state.seats.length - 1;
    this.part(".sides").replaceChildren(...state.sides.map((side, i) => this.side(side, i)));
    this.part(".auction").replaceChildren(...this.auction());
    this.part(".piles").replaceChildren(...state.piles.map((pile) => this.pile(pile)));
    this.part(".table").replaceChildren(...this.table(state));
    this.part(".facts").replaceChildren(...state.facts.map((fact) => this.fact(fact)));
    const slider = this.part("input");
    slider.value = this.ply;
    slider.setAttribute("aria-valuetext", `${this.ply} / ${this.end}`);
    this.part(".place").textContent = `${this.ply} / ${this.end}`;
    const edges = { first: 0, previous: 0, "previous-trick": 0 };
    for (const button of this.root.querySelectorAll("[data-go]")) {
      const edge = button.dataset.go in edges ? 0 : this.end;
      button.setAttribute("aria-disabled", String(this.ply === edge));
    }
  }

  seat(state, number) {
    const { texts, seats } = this.data;
    const view = state.seats[number];
    const { name, note, side } = seats[number];
    const hidden = this.hidden.has(number);
    const turn = state.turns.includes(number);
    const box = make("div", `seat place-${number}${turn ? " turn" : ""}`);
    if (side !== null) box.classList.add(`side-${side}`);
    if (this.data.plies[0].seats[number].hand.length > 5) box.classList.add("long");
    const head = make("div", "head");
    const who = make("div", "who");
    const label = make("span", "name", name);
    label.title = name;
    who.append(label);
    if (side !== null) who.append(this.sideTag(side));
    if (note) who.append(make("span", "tag", note));
    head.append(who);
    const now = turn ? make("span", "tag now", state.due || texts.turn) : "";
    if (view.points === null) {
      head.append(now); // its side has the points
    } else {
      who.append(now);
      const points = make("span", "points", view.points);
      points.append(make("small", "", ` ${texts.points}`));
      head.append(points);
    }
    const hand = make("div", "hand");
    for (const card of view.hand) {
      const element = hidden ? this.back() : this.face(card);
      if (!hidden && view.fresh.includes(card)) element.classList.add("fresh");
      hand.append(element);
    }
    const foot = make("div", "foot");
    const eye = make("button", "eye", hidden ? texts.show : texts.hide);
    eye.type = "button";
    eye.dataset.seat = number;
    eye.setAttribute("aria-pressed", String(hidden));
    foot.append(eye, make("span", "lines", view.lines.join(" · ")));
    for (const said of view.notes) {
      foot.append(make("span", said.counts ? "note" : "note void", said.text));
    }
    if (view.bid) foot.append(this.bid(view.bid));
    box.append(head, hand, foot);
    return box;
  }

  // A bid card: tricks above, points below, the step reached marked.
  bid(bid) {
    const { texts } = this.data;
    const table = make("table", "bid");
    table.append(make("caption", "", bid.label));
    for (const key of ["tricks", "points"]) {
      const row = make("tr");
      const head = make("th", "", texts[key]);
      head.scope = "row";
      row.append(head);
      bid.steps.forEach((step, i) => {
        const cell = make("td", i === bid.here ? "here" : "", step[key]);
        if (i === bid.here) cell.setAttribute("aria-current", "true");
        row.append(cell);
      });
      table.append(row);
    }
    return table;
  }

  sideTag(side) {
    return make("span", `tag camp side-${side}`, this.data.sides[side]);
  }

  side(view, number) {
    const { texts, seats } = this.data;
    const box = make("div", `side side-${number}`);
    const names = seats.filter((seat) => seat.side === number).map((seat) => seat.name);
    const points = make("span", "points", view.points);
    points.append(make("small", "", ` ${texts.points}`));
    const head = make("div", "head");
    head.append(this.sideTag(number), points);
    const who = make("p", "name", names.join(" + "));
    who.title = names.join(" + ");
    box.append(head, who, make("p", "lines", view.lines.join(" · ")));
    return box;
  }

  // The calls said so far; those to come keep their place, unseen, so that nothing jumps.
  auction() {
    const { auction, seats } = this.data;
    if (!auction) return [];
    const table = make("table");
    table.append(make("caption", "", auction.title));
    const names = make("tr");
    for (const seat of auction.seats) {
      const head = make("th", `side-${seats[seat].side}`);
      head.scope = "col";
      head.title = seats[seat].name;
      head.append(make("span", "", seats[seat].name));
      names.append(head);
    }
    const head = make("thead");
    head.append(names);
    const body = make("tbody");
    for (const calls of auction.rows) {
      const row = make("tr");
      for (const call of calls) {
        const said = call && call.ply <= this.ply;
        const cell = make("td", "", said ? call.text : "\u00a0");
        if (said && call.suit) cell.classList.add("suit", call.suit);
        if (said && !call.counts) cell.classList.add("void");
        if (said && call.ply === this.ply) cell.classList.add("here");
        row.append(cell);
      }
      body.append(row);
    }
    table.append(head, body);
    return [table];
  }

  pile(pile) {
    const box = make("figure", "pile");
    box.append(pile.card === null ? this.back() : this.face(pile.card));
    const label = pile.count === null ? pile.label : `${pile.label} ${pile.count}`;
    box.append(make("figcaption", "", label));
    if (pile.note) box.append(make("figcaption", "", pile.note));
    return box;
  }

  table(state) {
    const { texts, seats } = this.data;
    const last = state.table_of === "last";
    const laid = state.table.some((card) => card !== null);
    const title = make("p", "title", last && laid ? texts["last-trick"] : texts.table);
    const cards = make("div", last ? "cards last" : "cards");
    state.table.forEach((card, seat) => {
      const figure = make("figure", `laid place-${seat}`);
      figure.append(card === null ? make("span", "card empty") : this.face(card));
      if (card !== null && seat === state.taker) figure.classList.add("best");
      if (card !== null && card === state.card) figure.classList.add("moved");
      figure.append(make("figcaption", "", seats[seat].name));
      cards.append(figure);
    });
    return [title, cards];
  }

  fact(fact) {
    const row = make("div");
    row.append(make("dt", "", fact.label), make("dd", fact.suit ? `suit ${fact.suit}` : "", fact.text));
    return row;
  }

  face(card) {
    const { src, label } = this.data.faces[card];
    const box = make("span", "card");
    const image = make("img");
    image.src = src;
    image.alt = label;
    image.title = label;
    image.draggable = false;
    box.append(image);
    return box;
  }

  back() {
    const box = make("span", "card");
    const image = make("img");
    image.src = this.data.back;
    image.alt = this.data.texts.hidden;
    image.draggable = false;
    box.append(image);
    return box;
  }
}
