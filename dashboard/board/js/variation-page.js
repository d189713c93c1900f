// Starts the board on the page of a reader's variation: each action is sent with all before it,
// and the response is shown; the address has the whole line.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, root, labels, path, logged } = pageData;
const [LOGGED, OWN] = [1, 2];

class OwnBoard extends Board {
  // the view of the reader's seat, if they play one
  get eyes() {
    return panel.own.seat ? String(panel.own.seat) : "";
  }

  // the address has the line, not the step within it
  write() {
    const { search } = panel.at(panel.own.address, panel.own.seat);
    if (this.data && location.search !== search) history.replaceState(history.state, "", search);
  }

  draw() {
    super.draw();
    panel.draw();
  }
}

class ServedLine extends LinePanel {
  constructor(root) {
    super(root, { labels, logged: LOGGED, number: OWN });
    this.own = pageData.own;
    this.answers = new Map();
    addEventListener("popstate", () => this.back());
  }

  begin(board) {
    this.place(board);
    const params = new URL(location.href).searchParams;
    this.lang = params.get("lang");
    const data = { ...pageData, view: params.get("view") ?? board.eyes };
    board.take(data, (name, value) => this.other(value));
    this.take(pageData, false);
  }

  // load the deal as played when it is requested
  async other() {
    try {
      const answer = await fetch(logged);
      if (!answer.ok) throw new Error(answer.status);
      this.board.take({ ...(await answer.json()), deal: LOGGED, where, head, texts, root, share: null });
    } catch {
      this.notify(labels.failed);
    }
  }

  // the address of a line
  at(address, seat) {
    const words = address.split(",").map(encodeURIComponent).join(",");
    const view = this.board && this.board.looking !== this.board.eyes ? this.board.looking || "all" : "";
    const rest = [`seat=${seat}`, view && `view=${view}`, this.lang && `lang=${this.lang}`];
    return { query: `actions=${words}&${rest[0]}`, search: `?${[`actions=${words}`, ...rest].filter(Boolean).join("&")}` };
  }

  async ask(address, { seat = this.own.seat, go = false, push = true } = {}) {
    if (this.busy) return;
    const { query } = this.at(address, seat);
    const url = `${path}.json?${query}&lang=${where.lang}${go ? "&others_play" : ""}`;
    const before = this.own.seat;
    this.busy = true;
    this.notify(labels.wait);
    let failure = "";
    try {
      if (!this.answers.has(url)) {
        this.answers.set(url, await this.answered(url));
      }
      this.notify("");
      this.take(this.answers.get(url), push, address, before);
    } catch (error) {
      failure = error.message || labels.failed;
    } finally {
      this.busy = false;
      this.draw();
    }
    if (failure) this.notify(failure);
  }

  // requests again after Retry-After, and shows what the page waits for
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

  // the data of the line for the board
  around(line) {
    return { ...line, where, head, texts, root, share: null };
  }

  remember() {
    history.pushState(null, "", this.at(this.own.address, this.own.seat).search);
  }

  take(answer, push, address = answer.own.address, before = this.own.seat) {
    if (answer.own.seat !== before) {
      this.own = answer.own;
      this.board.look(this.board.eyes);
    }
    super.take(answer, push, address);
  }

  // back and forward show another line
  back() {
    const params = new URL(location.href).searchParams;
    this.busy = false;
    this.ask(params.get("actions") ?? "", { seat: +(params.get("seat") ?? pageData.own.seat), push: false });
  }

  change({ target }) {
    if (target.name === "seat") this.ask(this.own.address, { seat: +target.value });
    else if (target.name === "open") this.board.lookAs(target.checked ? -1 : this.own.seat - 1);
    this.board.focus();
  }

  whose() {
    const names = this.board.data.seats.map(({ name }) => name);
    const seat = make("select");
    seat.name = "seat";
    seat.append(...names.map((name, i) => new Option(name, i + 1)), new Option(labels.everybody, 0));
    seat.value = this.own.seat;
    const label = make("label", "", `${labels["you-play"]} `);
    label.append(seat);
    const open = make("label");
    this.open = make("input");
    Object.assign(this.open, { type: "checkbox", name: "open" });
    open.append(this.open, ` ${labels.open}`);
    open.hidden = !this.own.seat;
    this.part(".whose").replaceChildren(label, open);
  }

  draw() {
    if (!this.open) return;
    this.open.checked = this.board.viewer < 0 && !this.board.hidden.size;
    super.draw();
  }
}

const panel = new ServedLine(document.querySelector(".own-line"));
panel.begin(new OwnBoard(document.querySelector(".board")));
