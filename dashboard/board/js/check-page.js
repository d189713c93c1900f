// The offline check page: it contains games, texts and pictures, and sends and fetches nothing.

const MOST_BYTES = 64 * 2 ** 20, MOST_MATCHES = 500;
const page = JSON.parse(document.getElementById("page").textContent);
const part = (selector) => document.querySelector(selector);
const languages = Object.keys(page.texts);

class CheckPage {
  constructor() {
    this.matches = []; // of what was read: `text`, and once checked `log`, `report`, `states`
    this.shown = 0;
    this.games = new Map();
    this.language = languages.find((one) => navigator.language.startsWith(one)) ?? languages.at(-1);
    part(".language").addEventListener("click", () => this.speak(languages.find((one) => one !== this.language)));
    part(".put").addEventListener("submit", (event) => {
      event.preventDefault();
      this.read(part("[name=log]").value);
    });
    part("[type=file]").addEventListener("change", ({ target }) => this.take(target.files[0]));
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      part(".put").classList.add("over");
    });
    document.addEventListener("dragleave", () => part(".put").classList.remove("over"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      part(".put").classList.remove("over");
      const { files } = event.dataTransfer;
      if (files.length) this.take(files[0]);
      else this.read(event.dataTransfer.getData("text"));
    });
    part(".several ol").addEventListener("click", ({ target }) => {
      const chosen = target.closest("button");
      if (chosen) this.show(Number(chosen.dataset.match));
    });
    part(".errors").addEventListener("click", ({ target }) => {
      const { deal, ply } = target.closest("button")?.dataset ?? {};
      if (deal) this.board.toDeal(Number(deal), Number(ply), false);
      if (deal) part(".replayed").scrollIntoView();
    });
    this.speak(this.language);
  }

  get texts() {
    return page.texts[this.language];
  }

  text(key, values = {}) {
    return filled(this.texts.page[key], values);
  }

  speak(language) {
    this.language = language;
    document.documentElement.lang = language;
    document.title = `${this.text("title")} · Retourne`;
    part(".about-page").textContent = this.text("about");
    part(".file span").textContent = this.text("choose");
    part(".paste span").textContent = this.text("paste");
    part(".put button").textContent = this.text("check");
    const other = languages.find((one) => one !== language);
    part(".language").textContent = new Intl.DisplayNames([other], { type: "language" }).of(other);
    part(".language").lang = other;
    if (this.matches.length) this.show(this.shown);
  }

  // a file, whose text stays in the page
  async take(file) {
    if (!file) return;
    part(".notice").textContent = file.size > MOST_BYTES ? this.text("too-large", { n: MOST_BYTES / 2 ** 20 }) : "";
    if (file.size <= MOST_BYTES) await this.read(new Uint8Array(await file.arrayBuffer()));
  }

  async read(text) {
    const parts = matchesIn(text);
    this.matches = parts.slice(0, MOST_MATCHES).map((one) => ({ text: one }));
    if (parts.length > MOST_MATCHES) part(".notice").textContent = this.text("more", { n: MOST_MATCHES });
    for (const match of this.matches) await this.check(match);
    this.show(0);
  }

  async check(match) {
    match.log = parsed(match.text);
    const name = Object.hasOwn(page.games, match.log?.game ?? "") ? match.log.game : Object.keys(page.games)[0];
    const game = await this.game(name);
    Object.assign(match, { name, game, report: game.check(match.text), states: game.states(match.text).deals });
  }

  game(name) {
    if (!this.games.has(name)) {
      this.games.set(name, gameInPage(page.games[name]));
    }
    return this.games.get(name);
  }

  // What is shown of a match, in the reader's language; null where nothing of it can be read.
  view({ name, log, report, states }) {
    if (report.status === "unreadable" || report.status === null) return null;
    return this.look(name, log, report, states);
  }

  look(name, log, report, states) {
    return new LogStates(name, log, report, states, page.games[name], this.texts.games[name], this.texts);
  }

  // Makes lines that go on from a ply of a deal; null where a deal has no states.
  linesOf({ name, log, states, game }) {
    const look = (one) => this.look(name, one, { findings: [], deals: [] }, game.states(one).deals);
    return (number, ply) => {
      const played = this.board.loaded.get(number), last = (states[number - 1] ?? []).length - 1;
      return last < 0 ? null : new LocalLine(look, log, number - 1, played, Math.min(ply, last), page.pictures);
    };
  }

  status({ report }) {
    return report.status === null ? "–" : this.texts.statuses[report.status];
  }

  show(number) {
    this.shown = number;
    const match = this.matches[number], view = this.view(match);
    part(".several").hidden = this.matches.length < 2;
    part(".several p").textContent = this.text("count", { n: this.matches.length });
    const items = this.matches.map((one, at) => {
      const item = make("li"), label = `${this.text("match", { n: at + 1 })} · ${this.status(one)}`;
      item.append(button("", label, { match: at }));
      item.firstChild.setAttribute("aria-current", String(at === number));
      return item;
    });
    part(".several ol").replaceChildren(...items);
    this.list(match, view);
    this.play(match, view);
  }

  list({ name, report }, view) {
    part(".report").hidden = false;
    const title = [this.texts.games[name].title, view?.names.join(" – ")];
    part(".report h2").textContent = view ? title.filter(Boolean).join(" · ") : "";
    const reason = this.texts.reasons[report.reason] ?? "";
    const verdict = `${this.text("verdict")}\u00a0: `.replace("\u00a0:", this.language === "fr" ? "\u00a0:" : ":");
    const clean = report.findings.length ? "" : ` – ${this.text("clean")}`;
    part(".verdict").textContent = report.status === null ? this.text("server", { reason }) : `${verdict}${this.status({ report })}${clean}`;
    part(".errors").replaceChildren(...report.findings.map((one) => this.item(one, view ?? this.plain(name, report))));
  }

  // shows findings if there is no board
  plain(name, report) {
    return this.look(name, { players: [], deals: [] }, report, []);
  }

  item(finding, view) {
    const { code, rule, severity, deal_index: deal, action_index: action, path, follows } = finding;
    const item = make("li", `of-${severity}`), about = view.about(finding), first = make("p");
    const sentence = view.sentence(finding), place = make("span", "place", ` ${path}`);
    first.append(make("code", "", code), make("b", "badge", `${this.texts.board[severity]} ${rule}`), ` ${sentence}`);
    if (deal !== null && view.states[deal]?.length) {
      const words = [this.text("deal", { n: deal + 1 }), ...(action === null ? [] : [this.text("action", { n: action + 1 })])];
      const last = view.states[deal].length - 1;
      place.replaceChildren(" ", button("", words.join(", "), { deal: deal + 1, ply: action === null ? last : action + 1 }));
    }
    first.append(place);
    item.append(first);
    const values = { found: finding.found, legal: finding.legal, hand: finding.hand };
    for (const [key, value] of Object.entries(values)) {
      if (value === null || about?.sentence.includes(`{${key}}`)) continue;
      const what = view.value(value, key === "hand" ? "ACTS" : (about?.kind ?? "TEXT"), path);
      item.append(make("p", "", this.text(key, { what })));
    }
    if (follows !== null) item.append(make("p", "place", this.text("follows", { n: follows + 1 })));
    if (about?.advice) item.append(make("p", "advice", about.advice));
    return item;
  }

  // The board of a match, where one of its deals can be replayed.
  play({ report, log, name }, view) {
    const spot = this.board?.shownMatch === this.matches[this.shown] ? this.board.playedSpot : null;
    const data = view ? log.deals.map((_, deal) => view.deal(deal)).filter(Boolean) : [];
    part(".replayed").hidden = !data.length;
    if (!data.length) return;
    this.board ??= new FileBoard(part(".board"));
    const { board } = this;
    board.shownMatch = this.matches[this.shown];
    board.endOwnLine();
    board.lineFrom = this.linesOf(board.shownMatch);
    board.lineLabels = this.texts.line;
    board.loaded.clear();
    board.reached.clear();
    const state = report.status === "legal" ? "" : this.status({ report });
    const preset = typeof log.rules === "string" ? log.rules : log.rules?.preset;
    const { title, presets } = this.texts.games[name];
    const deals = data.map(({ deal }) => ({ number: deal, name: this.text("deal", { n: deal }), label: this.text("deal", { n: deal }) }));
    const players = log.players.map(({ id }, seat) => ({ id, name: view.names[seat], href: null }));
    const head = { players, about: [title, presets[preset] ?? preset].filter(Boolean), state, deals, sheet: null };
    for (const deal of data) board.loaded.set(deal.deal, { ...pictured(deal, page.pictures), head, texts: this.texts.board });
    board.data = null; // another match, or the same in other words
    board.take(board.loaded.get(spot?.deal ?? data[0].deal));
    if (spot) board.go(spot.ply);
  }
}

// The texts of the matches of a file: one match, a list of them, or one a line.
function matchesIn(text) {
  const plain = typeof text === "string" ? text : new TextDecoder().decode(text);
  const whole = parsed(plain);
  if (Array.isArray(whole)) return whole.map((one) => JSON.stringify(one));
  const lines = plain.split("\n").filter((line) => line.trim());
  return whole !== null || lines.length < 2 || !lines.some((line) => parsed(line)) ? [text] : lines;
}

function parsed(text) {
  try {
    return JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text));
  } catch {
    return null;
  }
}

new CheckPage();
