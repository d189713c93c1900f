// The panel below the board for a reader's variation: the chosen seat, the legal actions, both lines.

const PAUSE = 600; // ms between two answers of the others

class LinePanel {
  // `say` are its texts; `logged` and `number` are how the board calls the deal as played and the line
  constructor(root, { labels, logged, number }) {
    Object.assign(this, { root, labels, logged, number });
    for (const name of ["click", "change"]) {
      root.addEventListener(name, (event) => {
        event.stopPropagation(); // it stands within the board, whose wishes these are not
        this[name](event);
      });
    }
    this.onKey = (event) => this.key(event);
    this.onTouch = (event) => this.touch(event);
    document.addEventListener("keydown", this.onKey);
  }

  place(board) {
    this.board = board;
    board.part(".window").after(this.root);
    // clicking a legal card of the hand plays it
    board.root.addEventListener("click", this.onTouch, true);
  }

  leave() {
    clearTimeout(this.clock);
    document.removeEventListener("keydown", this.onKey);
    this.board.root.removeEventListener("click", this.onTouch, true);
    this.root.remove();
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  // `line` is the line as it stands, `from` the ply to show first: what follows is shown step by step
  show(line, from = line.plies.length - 1) {
    this.board.loaded.set(this.number, line);
    this.board.show({ deal: this.number, ply: from });
    this.run();
  }

  // take a new line; `address` is the one requested
  take({ board: line, own }, push, address = own.address) {
    this.own = own;
    if (line) {
      const end = line.plies.length - 1;
      const done = own.start + (address ? address.split(",").length : 0);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (push) this.remember();
      this.show(this.around(line), still || !push ? end : Math.min(end, done));
    }
    this.whose();
    this.compare();
    this.draw();
  }

  run() {
    clearTimeout(this.clock);
    const { board, number } = this;
    this.running = board.data.deal === number && board.ply < board.end;
    if (!this.running) return;
    this.clock = setTimeout(() => {
      if (board.data.deal === number) board.go(board.ply + 1);
      this.run(); // the board was drawn while it still ran
      this.draw();
    }, PAUSE);
  }

  get here() {
    return this.board.data?.deal === this.number && this.board.ply === this.board.end;
  }

  // actions

  play(word) {
    const { address } = this.own;
    this.ask(address ? `${address},${word}` : word);
  }

  // undo the reader's last action and the replies to it
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
    else if (act === "to-line") this.toLine(this.number);
    else if (line) this.toLine(+line);
    if (event.detail) board.focus();
  }

  // show one of both lines, from where they differ or at its end
  toLine(deal) {
    const { board, number, own } = this;
    if (deal === number) board.show({ deal, ply: Infinity });
    else board.toDeal(deal, own.start, false);
  }

  // digits choose the actions in order
  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target instanceof Element && target.closest(TAKEN)) return;
    if (event.key.toLowerCase() === "u") this.undo();
    else if (/^[1-9]$/.test(event.key)) this.part(`.acts [data-number="${event.key}"]`)?.click();
  }

  // drawing

  notify(text) {
    this.part(".by").textContent = text;
  }

  compare() {
    const heading = make("tr");
    const ends = this.own.lines.some(({ end }) => end); // while nothing is solved there may be none
    for (const key of ["line", "points", ...(ends ? ["end"] : [])]) {
      const cell = make("th", "", this.labels[key]);
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
    const { board, own, labels } = this;
    if (!board?.data || !own) return;
    for (const one of this.root.querySelectorAll("[data-line]")) {
      one.setAttribute("aria-current", String(+one.dataset.line === board.data.deal));
    }
    const by = board.data.deal === this.number && own.by[board.ply - own.start - 1];
    const who = by && by !== "you" ? `${board.data.seats[board.state.actor].name}${labels.colon}${labels.players[by]}` : "";
    if (!this.busy) this.notify([who, this.here && own.over && labels.over].filter(Boolean).join(" "));
    const state = this.running ? "running" : this.here ? "here" : `${board.data.deal} ${board.ply}`;
    const key = `${own.address} ${own.seat} ${state}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.part(".acts").contains(document.activeElement);
    this.part(".acts").replaceChildren(...this.buttons());
    if (focused) this.part(".acts button")?.focus();
  }

  buttons() {
    const { board, own, labels } = this;
    if (this.running) return [];
    const undo = own.by.includes("you") ? [button("chip", labels.undo, { act: "undo" })] : [];
    if (board.data.deal !== this.number) return [button("chip", labels["to-line"], { act: "to-line" })];
    if (!this.here) {
      const inside = board.ply >= own.start;
      return [
        ...(inside ? [button("chip", labels["from-here"], { act: "from-here" })] : []),
        button("chip", labels["to-line"], { act: "to-line" }),
      ];
    }
    const often = own.acts.filter((one) => !one.seldom).map((one, i) => this.act(one, i + 1));
    const seldom = own.acts.filter((one) => one.seldom);
    const go = own.waits ? [button("chip", labels.on, { act: "go" })] : [];
    const more = make("details");
    more.append(make("summary", "", labels.more), ...seldom.map((one) => this.act(one)));
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
