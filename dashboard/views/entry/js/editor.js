// The editor of a draft: drawing and input by taps, keys and undo. Names and sentences are set as text.

const SIGN = /^[^\s]$/u; // one sign that can be typed
const FIELD = "textarea, select, input, [contenteditable=true], [role=listbox]";
const DIALOG = "[data-testid=stDialog]"; // Streamlit's own: that its server does not answer

class DraftEditor {
  constructor(root, data, { board, finish }) {
    this.root = root;
    this.data = data;
    this.board = board;
    this.finish = finish;
    this.tiles = new Map();
    this.labels = new Map(); // what each is called
    this.hand = null; // the hand being entered: `seat` and `cards`
    this.seat = 0; // the seat that acts next, from 1, if it was entered
    this.note = ""; // message about the last key
    this.draft = new Draft(data.secret, data.address, () => this.draw());
    this.onKey = (event) => this.key(event);
    // before Streamlit and the board, which have keys of their own
    window.addEventListener("keydown", this.onKey, true);
    root.addEventListener("click", (event) => this.click(event));
    this.watch = new ResizeObserver(() => this.look());
    this.watch.observe(this.part(".view"));
    this.dialogs = new MutationObserver(() => this.goOn());
    this.dialogs.observe(document.body, { childList: true });
    this.take(data);
    this.draft.refresh();
  }

  leave() {
    window.removeEventListener("keydown", this.onKey, true);
    this.watch.disconnect();
    this.dialogs.disconnect();
    this.draft.leave();
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  // a rerun of the page's script, possibly in another language
  take(data) {
    const other = data.lang !== this.data.lang;
    this.data = data;
    this.typed = new KeyInput(data.keys);
    this.draft.lang = data.lang;
    this.draft.title = data.title;
    this.grid();
    this.help();
    this.share();
    if (other) this.draft.refresh();
    this.draw();
  }

  // the board is drawn only while it is visible
  look() {
    const seen = this.part(".view").offsetWidth > 0;
    if (seen && !this.draft.board) {
      this.draft.board = true;
      this.draft.refresh();
    }
  }

  // A dialog would lock the page until somebody closes it; the editor reports that the server does not answer.
  goOn() {
    const close = document.querySelector(`${DIALOG} button`);
    if (!close) return;
    close.click();
    this.part(".entry").focus({ preventScroll: true });
  }

  // input

  key(event) {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || (event.altKey && !event.getModifierState("AltGraph"))) return;
    if (target instanceof Element && target.closest(FIELD)) return;
    const own = target instanceof Element && target.closest(".editor button, .editor a, .editor summary");
    const { key } = event;
    if (own && (key === "Enter" || key === " ")) return; // it presses what has the focus
    if (key === "Backspace") this.back();
    else if (key === "Enter" || key === " ") this.enter();
    else if (key === "Escape") this.escape();
    else if (key === "!") this.draft.insist();
    else if (key === "?" && !this.typed.so) this.toggle(".help");
    else if (SIGN.test(key)) this.sign(key);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  sign(key) {
    if (this.numbered(key)) return this.record(key);
    const words = this.typed.take(key);
    this.note = this.typed.lost ? this.data.texts.lost.replace("{typed}", this.typed.lost) : "";
    if (words.length) this.record(...words);
    else this.draw();
  }

  // the number of an answer; unknown until the server has responded
  numbered(key) {
    const { response, waiting } = this.draft;
    if (!/^[1-9]$/.test(key) || this.typed.so) return false;
    const { begun, keys } = this.typed;
    const options = waiting ? 0 : (response?.ask?.options.length ?? 0);
    return options ? +key <= options : !(begun.has(key) || keys.has(key));
  }

  enter() {
    if (this.typed.so) {
      const words = this.typed.end();
      this.note = this.typed.lost ? this.data.texts.lost.replace("{typed}", this.typed.lost) : "";
      return words.length ? this.record(...words) : this.draw();
    }
    if (this.hand) return this.handDone();
    if (this.cards) return this.draft.record("??");
    if (this.draft.response?.next && !this.draft.waiting) this.draft.record(":deal");
  }

  // whether a card is expected next
  get cards() {
    const { response, waiting } = this.draft;
    return !waiting && response?.ask && !response.ask.options.length;
  }

  back() {
    if (this.typed.so) this.typed.back();
    else if (this.hand?.cards.length) this.hand.cards.pop();
    else if (this.draft.refused) return this.draft.leaveOut();
    else return this.draft.undo();
    this.draw();
  }

  escape() {
    this.typed.end();
    this.hand = null;
    this.note = "";
    this.draw();
  }

  // record words, entered by keys or by a tap
  record(...words) {
    this.note = "";
    if (this.hand) {
      for (const word of words) if (this.tiles.has(word)) this.hold(word);
      return this.draw();
    }
    const steps = [];
    for (const word of words) {
      if (word.startsWith("@")) this.seat = +word.slice(1);
      else {
        steps.push(this.seat && !/^[:\d]/.test(word) ? `${this.seat} ${word}` : word);
        this.seat = 0;
      }
    }
    if (steps.length) this.draft.record(...steps);
    else this.draw();
  }

  click(event) {
    const target = event.target.closest("[data-record], [data-do], [data-card], [data-seat]");
    if (!target) return;
    const { record, card, seat } = target.dataset;
    if (record) this.record(record);
    else if (card) this.record(card);
    else if (seat) this.holds(+seat);
    else this.act(target.dataset.do);
    // focus the editor again, so that Enter does not press the same button
    if (event.detail) this.part(".entry")?.focus({ preventScroll: true });
  }

  act(what) {
    const { draft } = this;
    if (what === "undo") this.back();
    else if (what === "insist") draft.insist();
    else if (what === "leave-out") draft.leaveOut();
    else if (what === "theirs") draft.theirs();
    else if (what === "mine") draft.mine();
    else if (what === "unknown") draft.record("??");
    else if (what === "more") this.more();
    else if (what === "hands") this.holds(this.hand ? -1 : draft.response?.turn ?? 0);
    else if (what === "hand-done") this.handDone();
    else if (what === "board") this.part(".view").classList.toggle("shown");
    else if (what === "help") this.toggle(".help");
    else if (what === "share") this.toggle(".share");
    else if (what === "again") draft.send(true);
    else if (what === "finish") this.finish();
  }

  // a hand, entered card by card

  holds(seat) {
    const known = this.draft.response?.hands[seat] ?? [];
    this.hand = seat < 0 ? null : { seat, cards: [...known] };
    this.draw();
  }

  // the number of cards of a hand so far
  get size() {
    return this.draft.response?.size ?? 0;
  }

  hold(word) {
    const { cards } = this.hand;
    if (cards.includes(word)) cards.splice(cards.indexOf(word), 1);
    else if (cards.length < this.size) cards.push(word);
  }

  handDone() {
    const { seat, cards } = this.hand;
    this.hand = null;
    this.draft.record([":hand", seat + 1, ...cards].join(" "));
  }

  toggle(selector) {
    const part = this.part(selector);
    part.hidden = !part.hidden;
    if (!part.hidden) part.scrollIntoView({ block: "nearest" });
  }

  // drawing

  grid() {
    const rows = this.data.grid.map((row) => {
      const box = make("div", "row");
      for (const { word, text, tone, paper, ink, label } of row) {
        const tile = button(`tile suit ${tone}`, text, { card: word });
        if (paper) Object.assign(tile.style, { background: paper, color: ink });
        this.labels.set(word, label);
        this.tiles.set(word, tile);
        box.append(tile);
      }
      return box;
    });
    const grid = this.part(".grid");
    grid.style.setProperty("--most", Math.max(...this.data.grid.map((row) => row.length)));
    grid.classList.toggle("many", this.tiles.size > 60);
    grid.replaceChildren(...rows);
  }

  draw() {
    this.now();
    this.lines();
    this.drawMessages();
    this.ask();
    this.marks();
    this.may();
    this.tools();
    this.found();
    const { response } = this.draft;
    if (response?.board && response !== this.shown) {
      this.shown = response;
      this.board(response);
    }
  }

  now() {
    const { response } = this.draft;
    const { texts } = this.data;
    const waits = this.draft.waiting && !this.draft.refused;
    let who = response?.to ?? texts.opening;
    if (this.hand) who = texts.hand.replace("{who}", this.data.seats[this.hand.seat]);
    this.part(".who").textContent = who;
    this.part(".who").classList.toggle("waits", Boolean(waits));
    const points = (response?.points ?? []).map(({ who, points }) => {
      const one = make("span");
      one.append(make("bdi", "", who), " ", make("b", "", points));
      return one;
    });
    this.part(".score").replaceChildren(make("span", "deal", response?.deal ?? ""), ...points);
  }

  // the recorded steps: as the engine read them, then those it has not read yet
  lines() {
    const { response, steps } = this.draft;
    const lines = (response?.lines ?? []).filter((line) => line.at < steps.length && line.step === steps[line.at]);
    const items = lines.slice(-12).map((line) => {
      const item = make("li", line.faults.length ? "wrong" : "");
      item.append(make("span", "by", line.who), make("span", `suit ${line.tone}`, line.text));
      if (line.faults.length) item.title = line.faults.join(" ");
      return item;
    });
    const waiting = steps.slice(response?.done ?? 0);
    for (const step of waiting.slice(-12)) items.push(make("li", "pending", this.spoken(step)));
    const key = items.map((one) => one.className + one.textContent).join("|");
    if (key === this.drawnKey) return;
    this.drawnKey = key;
    this.part(".talk").replaceChildren(...items);
    this.part(".talk").scrollLeft = 1e6;
  }

  // a step without its seat and without the mark that forces it
  bare(step) {
    return step.replace(/!$/, "").replace(/^\d /, "");
  }

  spoken(step) {
    const word = this.bare(step);
    const tile = this.tiles.get(word);
    return tile?.textContent ?? this.data.words[word] ?? (word.startsWith(":") ? "…" : word);
  }

  drawMessages() {
    const { draft, note } = this;
    const { texts } = this.data;
    const { refused, waiting } = draft;
    const parts = [];
    const line = (className, text, ...acts) => {
      const box = make("div", className);
      box.append(make("span", "", text), ...acts.map((act) => this.press(...act)));
      parts.push(box);
    };
    this.part(".typed").textContent = this.typed.so;
    if (draft.elsewhere) line("of-warning", texts.elsewhere, ["theirs", texts.theirs], ["mine", texts.mine]);
    else if (draft.wrong) line("of-error", texts[`wrong-${draft.wrong}`] ?? texts.wrong, ["again", texts.again]);
    else if (draft.offline) line("of-warning", texts.offline.replace("{n}", waiting));
    if (refused) {
      const behind = draft.steps.length - refused.at - 1;
      const text = behind ? `${refused.reason} ${texts.behind.replace("{n}", behind)}` : refused.reason;
      const acts = refused.can ? [["insist", texts.insist, "!"]] : [];
      line("of-error", text, ...acts, ["leave-out", texts["leave-out"], "⌫"]);
    } else if (note) line("of-note", note);
    const over = draft.response?.over;
    if (over && !waiting) line("of-over", over);
    this.part(".messages").replaceChildren(...parts);
  }

  ask() {
    const { response, waiting } = this.draft;
    const ask = waiting || this.hand ? null : response?.ask;
    const box = this.part(".ask");
    box.replaceChildren();
    if (response?.whose && !waiting && !this.hand) {
      for (const [seat, name] of this.data.seats.entries()) {
        const chip = button("act", name, { record: `@${seat + 1}` });
        chip.setAttribute("aria-pressed", this.seat === seat + 1);
        box.append(chip);
      }
    }
    if (response?.aim && !waiting && !this.hand) box.append(make("span", "", response.aim));
    if (!ask) return;
    box.append(make("span", "", ask.text));
    ask.options.forEach(({ word, text }, at) => {
      const one = button("act", text, { record: `${ask.step} ${word}` });
      one.append(make("kbd", "", at + 1));
      box.append(one);
    });
    if (!ask.options.length) box.append(button("act", this.data.texts.unknown, { do: "unknown" }));
  }

  // marks cards; none is disabled, as an impossible card shows its reason
  marks() {
    const { response, steps, waiting } = this.draft;
    const played = new Set(response?.removed ?? []);
    const not = new Set(response?.not ?? []);
    for (const { at, step } of response?.lines ?? []) if (steps[at] !== step) played.delete(this.bare(step));
    for (const step of steps.slice(response?.done ?? 0)) played.add(this.bare(step));
    const held = this.hand && new Set(this.hand.cards);
    const aims = (!held && !waiting && response?.aims) || {};
    this.part(".grid").inert = Boolean(!held && !waiting && response?.ask?.options.length);
    for (const [word, tile] of this.tiles) {
      const is = held ? (held.has(word) ? "held" : "") : played.has(word) ? "played" : not.has(word) ? "not" : "";
      tile.classList.toggle("played", is === "played");
      tile.classList.toggle("not", is === "not");
      tile.classList.toggle("held", is === "held");
      tile.setAttribute("aria-disabled", is === "played" || is === "not");
      if (aims[word]) tile.dataset.record = aims[word].step;
      else delete tile.dataset.record;
      tile.setAttribute("aria-label", aims[word]?.text ?? this.labels.get(word));
    }
  }

  may() {
    const { response, waiting } = this.draft;
    const box = this.part(".words");
    if (this.hand) {
      const seats = this.data.seats.map((name, seat) => {
        const chip = button("act", name, { seat });
        chip.setAttribute("aria-pressed", seat === this.hand.seat);
        return chip;
      });
      const count = `${this.hand.cards.length} / ${this.size}`;
      box.replaceChildren(...seats, make("span", "count", count), button("act main", this.data.texts["hand-done"], { do: "hand-done" }));
      this.allowedKey = null;
      return;
    }
    const may = response?.may ?? [];
    const key = JSON.stringify(may);
    box.classList.toggle("waits", waiting > 0);
    if (key === this.allowedKey) return;
    this.allowedKey = key;
    this.part(".editor").classList.toggle("speaking", Boolean(response?.speaking));
    const often = may.filter(({ seldom }) => !seldom).map((one) => this.word(one));
    const inSuits = may.filter(({ seldom, tone }) => !seldom && tone).length;
    if (response?.speaking && inSuits > 4) {
      // a column per suit, cards without a suit in a row above
      const suits = make("div", "suits");
      suits.append(...often.splice(-inSuits));
      often.push(suits);
    }
    const seldom = may.filter(({ seldom }) => seldom).map((one) => this.word(one));
    if (seldom.length) often.push(button("act rest", this.data.texts.more, { do: "more" }));
    for (const one of seldom) one.hidden = true;
    box.replaceChildren(...often, ...seldom);
  }

  // a button with its key
  press(act, label, key = "") {
    const one = button("act", label, { do: act });
    if (key) one.append(make("kbd", "", key));
    return one;
  }

  word({ step, text, tone, key, main }) {
    const one = button(`act suit ${tone}${main ? " main" : ""}`, text, { record: step });
    if (key) one.append(make("kbd", "", key));
    return one;
  }

  // rare actions
  more() {
    for (const one of this.part(".words").children) one.hidden = one.classList.contains("rest");
  }

  tools() {
    const { texts } = this.data;
    const { draft } = this;
    const tools = [
      ["undo", texts.undo, draft.steps.length > 0 || this.typed.so],
      ["hands", texts.hands, true],
      ["share", texts.share, true],
      ["board", texts.board, true],
      ["help", texts.help, true],
      ["finish", texts.finish, draft.steps.length > 0 && !draft.waiting && !draft.offline],
    ];
    if (this.part(".acts").childElementCount !== tools.length) {
      this.part(".acts").replaceChildren(...tools.map(([act, label]) => button("act", label, { do: act })));
    }
    tools.forEach(([act, label, can], at) => {
      const one = this.part(".acts").children[at];
      one.textContent = label;
      one.classList.toggle("main", act === "finish" && Boolean(draft.response?.ended));
      one.disabled = !can;
    });
    this.part("[data-do=hands]").setAttribute("aria-pressed", this.hand !== null);
  }

  found() {
    const found = this.draft.response?.found ?? [];
    const items = found.map(({ severity, rule, text }) => {
      const item = make("li", `of-${severity}`);
      item.append(make("b", "badge", rule), make("span", "", text));
      return item;
    });
    this.part(".editor > .noted").replaceChildren(...items);
  }

  help() {
    const rows = this.data.help.flatMap(([typed, text]) => [make("dt", "", typed), make("dd", "", text)]);
    this.part(".help").replaceChildren(...rows);
  }

  share() {
    const { texts, link, code } = this.data;
    const parts = [make("p", "", texts[code ? "share-text" : "only-here"])];
    if (code) {
      const image = make("img");
      image.src = code;
      image.alt = texts.code;
      parts.push(image);
    }
    const at = make("a", "", link);
    at.href = link;
    this.part(".share").replaceChildren(...parts, at);
  }
}
