// A reader's variation in an offline file: the page itself has the rules, without a server.

const OWN_LINE = -1; // how the board calls it: deals are numbered from 1
const OUTCOME_KEYS = ["points", "winner", "void", "score_line", "comments", "times"]; // of the deal as it was played

// A deal played as in its log up to a ply, and differently from there.
class LocalLine {
  // `look(log)` makes LogStates of a log, `number` counts its deals from 0, `played` is the board's data of the deal
  constructor(look, log, number, played, start, pictures) {
    Object.assign(this, { look, log, number, played, start, pictures });
  }

  // The log up to where the line begins, with these actions.
  logWith(actions) {
    const { number, start } = this, { result, ...match } = this.log;
    const deal = Object.fromEntries(Object.entries(match.deals[number]).filter(([key]) => !OUTCOME_KEYS.includes(key)));
    const played = [...(deal.actions ?? []).slice(0, start), ...actions];
    return { ...match, deals: [...match.deals.slice(0, number), { ...deal, actions: played }] };
  }

  // The line after actions of an address, such as `1.9h,2.Jd`: the board's data, and what the panel shows.
  at(address, labels) {
    const actions = address ? address.split(",").map((one) => one.replaceAll(".", " ")) : [];
    const view = this.look(this.logWith(actions)), state = view.states[this.number].at(-1);
    const board = this.onBoard(pictured(view.deal(this.number), this.pictures));
    const lines = [[this.played, labels["as-played"]], [board, labels["your-line"]]];
    const own = {
      ...{ address, seat: 0, start: this.start, waits: false, over: state.over, by: actions.map(() => "you") },
      acts: possibleActs(view, state),
      lines: lines.map(([line, name]) => ({ number: line.deal, name, ...reached(line) })),
    };
    return { board, own };
  }

  // Plies before the line are the board's, the others computed by the page's rules.
  onBoard(line) {
    const { played, start } = this;
    const both = (key, place) => [...played[key].filter((one) => place(one) <= start), ...line[key].filter((one) => place(one) > start)];
    return {
      ...played,
      deal: OWN_LINE,
      faces: { ...line.faces, ...played.faces },
      plies: [...played.plies.slice(0, start + 1), ...line.plies.slice(start + 1)],
      jumps: both("jumps", (ply) => ply),
      tricks: both("tricks", ({ ply }) => ply),
      marks: both("marks", ({ ply }) => ply),
      auction: line.auction,
      comments: played.comments.filter(({ ply }) => ply <= start),
      findings: [],
      times: null,
      value: null,
    };
  }
}

// The actions the rules allow, by any seat; cards in the order of the hand.
function possibleActs(view, state) {
  const turns = view.turns(state), { rare, rareOut } = view.texts;
  const found = (state.over ? [] : state.legal).map((action) => {
    const seat = Number(action[0]) - 1, word = action.slice(2), due = turns.includes(seat);
    const place = state.hands[seat].findIndex((one) => isCard(one, word.split(" ").at(-1)));
    const text = `${due ? "" : `${view.names[seat]} `}${view.texts.buttons[word] ?? view.spoken(word)}`;
    return { word: action.replaceAll(" ", "."), text, card: state.hands[seat][place] ?? null, place, seldom: (due ? rare : rareOut).includes(word) };
  });
  const cards = found.filter(({ card }) => card).sort((one, other) => one.place - other.place);
  return found.map((one) => (one.card ? cards.shift() : one));
}

// The result of a line: its points, and how the deal ended if it did.
function reached({ plies, marks }) {
  const last = plies.at(-1), isOver = marks.some(({ kind }) => kind === "end");
  const points = (last.sides.length ? last.sides : last.seats).map((one) => one.points).join(" – ");
  return { points, end: isOver ? (last.also.at(-1) ?? "") : "" };
}

// A line below the board of a file.
class LocalPanel extends LinePanel {
  constructor(board, line, labels) {
    super(lineSection(labels), { labels, logged: line.played.deal, number: OWN_LINE });
    this.line = line;
    this.place(board);
    const names = [[this.logged, labels["as-played"]], [OWN_LINE, labels["your-line"]]];
    this.head = { ...line.played.head, deals: names.map(([number, name]) => ({ number, name, label: name })), sheet: null };
    board.wishes.legal = true;
    this.ask("");
  }

  ask(address) {
    this.take(this.line.at(address, this.labels), false);
    this.board.focus();
  }

  around(line) {
    return { ...line, head: this.head };
  }

  // without an address to change or a seat to choose
  remember() {}
  change() {}
  whose() {}
}

function lineSection(labels) {
  const root = make("section", "own-line"), doing = make("div", "doing");
  const by = make("p", "by"), acts = make("div", "acts");
  root.setAttribute("aria-label", labels["your-line"]);
  by.setAttribute("role", "status");
  acts.setAttribute("role", "group");
  acts.setAttribute("aria-label", labels.acts);
  doing.append(by, acts);
  root.append(doing, make("table", "both"));
  return root;
}

// A board in a file: where the page has the rules, it is played on from what is shown.
class FileBoard extends Board {
  panel = null;
  lineFrom = null; // makes a LocalLine of a deal, from 1, and a ply; null where its cards are not known

  get onward() {
    return this.data.deal !== OWN_LINE && this.lineFrom?.(this.data.deal, this.spot.ply) ? "here" : null;
  }

  // the ply of the match as played: on a line, where it begins
  get playedSpot() {
    const { deal } = this.data;
    if (deal !== OWN_LINE) return { deal, ply: this.ply };
    return { deal: this.panel.logged, ply: Math.min(this.ply, this.panel.line.start) };
  }

  playOn() {
    const line = this.lineFrom(this.data.deal, this.spot.ply);
    this.endOwnLine();
    this.panel = new LocalPanel(this, line, this.lineLabels);
  }

  endOwnLine() {
    this.panel?.leave();
    this.panel = null;
    this.loaded.delete(OWN_LINE);
  }

  draw() {
    super.draw();
    this.root.closest(".frame").classList.toggle("with-own", this.data.deal === OWN_LINE);
    this.panel?.draw();
  }
}

// A deal with its placeholders replaced by pictures.
function pictured(deal, pictures) {
  const here = (src) => pictures[src] ?? src;
  const faces = Object.entries(deal.faces).map(([card, face]) => {
    return [card, { ...face, src: here(face.src), ...(face.four ? { four: here(face.four) } : {}) }];
  });
  return { ...deal, back: here(deal.back), faces: Object.fromEntries(faces) };
}

// A game of the page: its kernel and its table are in it.
function gameInPage({ wasm, table }) {
  return load(table.game, { wasm: Uint8Array.from(atob(wasm), (sign) => sign.charCodeAt(0)), table });
}
