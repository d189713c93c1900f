// How the board begins on a page of the reader's own line: what is done is sent, with all that was
// done before, and what comes back is shown; the address has the whole line.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, root, say, path, logged } = pageData;
const [LOGGED, OWN] = [1, 2];
const PAUSE = 600; // ms between two answers of the others

class OwnBoard extends Board {
  // the reader's own eyes, where they play one seat
  get eyes() {
    return panel.own.seat ? String(panel.own.seat) : "";
  }

  // the line is the address; a step within it is not
  write() {
    const { search } = panel.at(panel.own.address, panel.own.seat);
    if (this.data && location.search !== search) history.replaceState(history.state, "", search);
  }

  draw() {
    super.draw();
    panel.draw();
  }
}

// What is below the board: whose seat, what may be done, both lines.
class Panel {
  constructor(root) {
    this.root = root;
    this.own = pageData.own;
    this.answers = new Map();
    for (const name of ["click", "change"]) {
      root.addEventListener(name, (event) => {
        event.stopPropagation(); // it stands within the board, whose wishes these are not
        this[name](event);
      });
    }
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("popstate", () => this.back());
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  begin(board) {
    this.board = board;
    board.part(".window").after(this.root);
    const params = new URL(location.href).searchParams;
    this.lang = params.get("lang");
    const data = { ...pageData, view: params.get("view") ?? board.eyes };
    board.take(data, (name, value) => this.other(value));
    this.take(pageData, false);
    // a card of the hand is played by a touch, where it may be
    board.root.addEventListener("click", (event) => this.touch(event), true);
  }

  // the deal as it was played, once it is asked for
  async other() {
    try {
      const answer = await fetch(logged);
      if (!answer.ok) throw new Error(answer.status);
      this.board.take({ ...(await answer.json()), deal: LOGGED, where, head, texts, root, share: null });
    } catch {
      this.notify(say.failed);
    }
  }

  // where a line is read
  at(address, seat) {
    const words = address.split(",").map(encodeURIComponent).join(",");
    const view = this.board && this.board.looking !== this.board.eyes ? this.board.looking || "all" : "";
    const rest = [`seat=${seat}`, view && `view=${view}`, this.lang && `lang=${this.lang}`];
    return { query: `a=${words}&${rest[0]}`, search: `?${[`a=${words}`, ...rest].filter(Boolean).join("&")}` };
  }

  async ask(address, { seat = this.own.seat, go = false, push = true } = {}) {
    if (this.busy) return;
    const { query } = this.at(address, seat);
    const url = `${path}.json?${query}&lang=${where.lang}${go ? "&go" : ""}`;
    const before = this.own.seat;
    this.busy = true;
    this.notify(say.wait);
    let failure = "";
    try {
      if (!this.answers.has(url)) {
        this.answers.set(url, await this.answered(url));
      }
      this.notify("");
      this.take(this.answers.get(url), push, address, before);
    } catch (error) {
      failure = error.message || say.failed;
    } finally {
      this.busy = false;
      this.draw();
    }
    if (failure) this.notify(failure);
  }

  // what is not ready yet is requested again when the server says so, and the page shows what it waits for
  async answered(address) {
    for (let left = MAX_ATTEMPTS; ; left -= 1) {
      const answer = await fetch(address);
      const body = await answer.json();
      if (answer.ok) return body;
      const wait = +answer.headers.get("Retry-After");
      if (!wait || !left) throw new Error(body.detail);
      this.notify(body.detail);
      await new Promise((done) => setTimeout(done, 1000 * wait));
    }
  }

  // `address` is what was asked for: what the others answered after it is shown one by one
  take({ board: data, own }, push, address = own.address, before = own.seat) {
    this.own = own;
    const { board } = this;
    if (data) {
      board.loaded.set(OWN, { ...data, where, head, texts, root, share: null });
      if (own.seat !== before) board.look(board.eyes);
      const end = data.plies.length - 1;
      const done = own.start + (address ? address.split(",").length : 0);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const from = still || !push ? end : Math.min(end, done);
      if (push) history.pushState(null, "", this.at(own.address, own.seat).search);
      board.show({ deal: OWN, ply: from });
      this.run();
    }
    this.whose();
    this.compare();
    this.draw();
  }

  run() {
    clearTimeout(this.clock);
    const { board } = this;
    this.running = board.data.deal === OWN && board.ply < board.end;
    if (!this.running) return;
    this.clock = setTimeout(() => {
      if (board.data.deal === OWN) board.go(board.ply + 1);
      this.run(); // the board was drawn while it still ran
      this.draw();
    }, PAUSE);
  }

  // the way back and forth: another line
  back() {
    const params = new URL(location.href).searchParams;
    this.busy = false;
    this.ask(params.get("a") ?? "", { seat: +(params.get("seat") ?? pageData.own.seat), push: false });
  }

  get here() {
    return this.board.data?.deal === OWN && this.board.ply === this.board.end;
  }

  // what is done

  play(word) {
    const { address } = this.own;
    this.ask(address ? `${address},${word}` : word);
  }

  // without the reader's last act, and what was answered
  undo() {
    const last = this.own.by.lastIndexOf("you");
    if (last >= 0) this.cut(last);
  }

  cut(count) {
    this.ask(this.own.address.split(",").slice(0, count).join(","));
  }

  touch(event) {
    const card = event.target.closest(".hand [data-card]")?.dataset.card;
    const act = card && this.here && this.own.acts.find((one) => one.card === card);
    if (!act) return;
    event.stopImmediatePropagation();
    this.play(act.word);
  }

  click(event) {
    const { word, act, line } = event.target.closest("button")?.dataset ?? {};
    const { board } = this;
    if (word) this.play(word);
    else if (act === "go") this.ask(this.own.address, { go: true });
    else if (act === "undo") this.undo();
    else if (act === "from-here") this.cut(board.ply - this.own.start);
    else if (act === "to-line") board.toDeal(OWN, Infinity, false);
    else if (line) board.toDeal(+line, +line === OWN ? Infinity : this.own.start, false);
    if (event.detail) board.focus();
  }

  change({ target }) {
    if (target.name === "seat") this.ask(this.own.address, { seat: +target.value });
    else if (target.name === "open") this.board.lookAs(target.checked ? -1 : this.own.seat - 1);
    this.board.focus();
  }

  // digits do what stands there, in order
  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target instanceof Element && target.closest(TAKEN)) return;
    if (event.key.toLowerCase() === "u") this.undo();
    else if (/^[1-9]$/.test(event.key)) this.part(`.acts [data-number="${event.key}"]`)?.click();
  }

  // what is seen

  notify(text) {
    this.part(".by").textContent = text;
  }

  whose() {
    const names = this.board.data.seats.map(({ name }) => name);
    const seat = make("select");
    seat.name = "seat";
    seat.append(...names.map((name, i) => new Option(name, i + 1)), new Option(say.everybody, 0));
    seat.value = this.own.seat;
    const label = make("label", "", `${say["you-play"]} `);
    label.append(seat);
    const open = make("label");
    this.open = make("input");
    Object.assign(this.open, { type: "checkbox", name: "open" });
    open.append(this.open, ` ${say.open}`);
    open.hidden = !this.own.seat;
    this.part(".whose").replaceChildren(label, open);
  }

  compare() {
    const heading = make("tr");
    const ends = this.own.lines.some(({ end }) => end); // while nothing is solved there may be none
    for (const key of ["line", "points", ...(ends ? ["end"] : [])]) {
      const cell = make("th", "", say[key]);
      cell.scope = "col";
      heading.append(cell);
    }
    const rows = this.own.lines.map(({ number, name, points, end }) => {
      const row = make("tr");
      const cell = make("th");
      cell.scope = "row";
      cell.append(number ? button("", name, { line: number }) : make("span", "", name));
      row.append(cell, make("td", "", points), ...(ends ? [make("td", "", end)] : []));
      return row;
    });
    this.part(".both").replaceChildren(heading, ...rows);
  }

  draw() {
    const { board, own } = this;
    if (!board?.data || !this.open) return;
    this.open.checked = board.viewer < 0 && !board.hidden.size;
    for (const one of this.root.querySelectorAll("[data-line]")) {
      one.setAttribute("aria-current", String(+one.dataset.line === board.data.deal));
    }
    const by = board.data.deal === OWN && own.by[board.ply - own.start - 1];
    const who = by && by !== "you" ? `${board.data.seats[board.state.actor].name}${say.colon}${say.players[by]}` : "";
    if (!this.busy) this.notify([who, this.here && own.over && say.over].filter(Boolean).join(" "));
    const state = this.running ? "running" : this.here ? "here" : `${board.data.deal} ${board.ply}`;
    const key = `${own.address} ${own.seat} ${state}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.part(".acts").contains(document.activeElement);
    this.part(".acts").replaceChildren(...this.buttons());
    if (focused) this.part(".acts button")?.focus();
  }

  buttons() {
    const { board, own } = this;
    if (this.running) return [];
    const undo = own.by.includes("you") ? [button("chip", say.undo, { act: "undo" })] : [];
    if (board.data.deal === LOGGED) return [button("chip", say["to-line"], { act: "to-line" })];
    if (!this.here) {
      const inside = board.ply >= own.start;
      return [
        ...(inside ? [button("chip", say["from-here"], { act: "from-here" })] : []),
        button("chip", say["to-line"], { act: "to-line" }),
      ];
    }
    const often = own.acts.filter((one) => !one.seldom).map((one, i) => this.act(one, i + 1));
    const seldom = own.acts.filter((one) => one.seldom);
    const go = own.waits ? [button("chip", say.on, { act: "go" })] : [];
    const more = make("details");
    more.append(make("summary", "", say.more), ...seldom.map((one) => this.act(one)));
    return [...often, ...go, ...undo, ...(seldom.length ? [more] : [])];
  }

  act({ word, text }, number = 0) {
    const one = button("chip", "", { word });
    if (number && number < 10) {
      one.dataset.number = number;
      one.append(make("kbd", "", number));
    }
    one.append(text);
    return one;
  }
}

const panel = new Panel(document.querySelector(".own-line"));
panel.begin(new OwnBoard(document.querySelector(".board")));
