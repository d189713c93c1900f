// What play was worth where it is solved: the line of best play, what each card lost, what held it.
// All of it tells of every hand: it is drawn for those alone who see them.

const PATIENCE = [1000, 2000, 3000, 5000, 10_000]; // ms between asking for what is not solved yet
const MOST_ASKED = 20;
const TURNED = "M0 4L5 0L10 4ZM0 6L5 10L10 6Z";

class Value {
  constructor(board) {
    this.board = board;
    this.asked = 0;
  }

  leave() {
    clearTimeout(this.timer);
  }

  // what may be said of the deal shown
  get told() {
    const { board } = this;
    return (board.insight && board.data.value) || null;
  }

  take() {
    const { board, told } = this;
    const { texts } = board.data;
    const solved = told?.from != null;
    const box = board.part(".values");
    box.hidden = !told;
    board.part(".worth").hidden = !solved;
    board.part(".window").classList.toggle("solved", solved);
    board.part(".window").classList.toggle("varied", Boolean(board.line));
    this.await();
    this.drawn = null;
    if (!solved) this.wipe();
    box.querySelector("details p").textContent = told?.about ?? "";
    // nothing is said of what comes next, or of other deals, to who hides that
    const bids = told && !board.wishes.spoiler ? told.bids : "";
    box.querySelector(".reason").textContent = told ? told.waiting || told.reason || bids : "";
    const open = told && !told.waiting && !board.wishes.spoiler;
    const dearest = open ? told.dearest.filter(({ deal }) => this.leads(deal)) : [];
    const items = dearest.map(({ deal, ply, text, lost }) => {
      const item = make("li");
      item.append(button("dearest", null, { deal, ply }));
      item.firstChild.append(make("span", "", text), make("span", "lost", lost));
      return item;
    });
    box.querySelector("ol").replaceChildren(...items);
    const heading = box.querySelector(".dear");
    heading.hidden = !open || Boolean(told.bids);
    if (open) heading.textContent = told.dearest.length ? texts.dearest : texts["none-lost"];
    heading.hidden ||= told.dearest.length > 0 && items.length === 0;
  }

  // what may not be known is not in the page
  wipe() {
    const [legend, svg] = this.board.part(".worth").children;
    legend.textContent = legend.title = "";
    svg.replaceChildren();
    svg.removeAttribute("aria-label");
  }

  // whether the board can go there: one that shows a single deal goes to no other
  leads(deal) {
    return this.board.deals.some(({ number }) => number === deal);
  }

  // what is not solved yet is asked for again, less and less often
  await() {
    const { board } = this;
    clearTimeout(this.timer);
    if (!board.data.value?.waiting || this.asked >= MOST_ASKED) return;
    this.timer = setTimeout(() => {
      this.asked += 1;
      board.say("deal", `${board.match} ${board.data.deal} ${this.asked}`);
    }, PATIENCE[Math.min(this.asked, PATIENCE.length - 1)]);
  }

  // what is known of the card laid at a ply, as far as one may read
  play(ply) {
    return ply <= this.board.horizon ? this.told?.plays[ply] : undefined;
  }

  draw() {
    const { board, told } = this;
    const { ply, line } = board;
    const { texts } = board.data;
    const play = line ? undefined : this.play(ply);
    const said = line ? fill(texts["best-line"], { n: line.from + 1 }) : (play?.said ?? "");
    const cost = board.part(".cost p");
    const sign = play && !play.lost && said ? "✓ " : "";
    if (cost.textContent !== sign + said) cost.textContent = sign + said;
    cost.title = cost.textContent;
    cost.classList.toggle("lost", Boolean(play?.lost));
    board.part("[data-act=held]").hidden = !play?.lost;
    board.part("[data-act=leave]").hidden = !line;
    const turning = board.part(".turning");
    const turned = this.turning;
    turning.hidden = turned === null;
    turning.title = turned === null ? "" : fill(texts.turning, { n: turned });
    turning.firstChild.textContent = turning.title;
    if (told?.from != null) this.course(told);
  }

  // the ply after which the winner was another, as far as one may look
  get turning() {
    const turning = this.told?.turning ?? null;
    return turning === null || turning > this.board.last ? null : turning;
  }

  toTurning() {
    const { board, turning } = this;
    if (turning === null) return;
    if (board.line) board.leaveLine(turning);
    else board.controls.step(turning);
  }

  // the line: how far side or seat 1 comes out above the other with best play, ply by ply

  course({ from, margins }) {
    const { board } = this;
    const { ply, horizon } = board;
    const { span } = board.timeline;
    const { texts } = board.data;
    const legend = board.part(".worth p");
    const known = horizon >= from;
    const here = ply < from ? fill(texts["solved-from"], { n: from + 1 }) : this.ahead(margins[ply - from]);
    legend.textContent = known ? here : "";
    legend.title = legend.textContent;
    legend.style.width = board.timeline.across(from);
    const key = `${horizon} ${span}`;
    if (key !== this.drawn) this.line(from, margins.slice(0, Math.max(0, horizon - from + 1)));
    this.drawn = key;
    const cursor = board.part(".worth .cursor");
    cursor.setAttribute("x1", board.timeline.across(ply));
    cursor.setAttribute("x2", board.timeline.across(ply));
    cursor.style.display = ply < from ? "none" : ""; // before the line begins it would strike its words
  }

  line(from, margins) {
    const { board } = this;
    const { span } = board.timeline;
    const svg = board.part(".worth svg");
    const box = { viewBox: `0 0 ${span} 100`, preserveAspectRatio: "none", width: "100%", height: "100%" };
    const drawing = draw("svg", box);
    const [most, least] = [Math.max(0, ...margins), Math.min(0, ...margins)];
    const height = (margin) => (most === least ? 50 : 4 + (92 * (most - margin)) / (most - least));
    const middle = height(0);
    let path = "";
    margins.forEach((margin, i) => {
      const at = from + i;
      if (i && margin === margins[i - 1]) return;
      const next = margins.findIndex((other, later) => later > i && other !== margin);
      const end = from + (next < 0 ? margins.length - 1 : next);
      const [y, other] = [height(margin), middle].sort((one, two) => one - two);
      const look = `area area-${margin > 0 ? 0 : 1}`;
      if (margin) drawing.append(draw("rect", { x: at, y, width: end - at, height: other - y, class: look }));
      path += `${path ? "V" : `M${at} `}${height(margin)}H${end}`;
    });
    if (margins.length) drawing.append(draw("path", { d: path, class: "curve" }));
    const zero = { x1: board.timeline.across(from), x2: "100%", y1: `${middle}%`, y2: `${middle}%`, class: "zero" };
    const parts = margins.length ? [draw("line", zero), drawing] : [];
    const { turning } = this;
    if (turning !== null && turning <= board.horizon) {
      const mark = draw("svg", { x: board.timeline.across(turning), y: `${middle}%`, overflow: "visible" });
      const text = fill(board.data.texts.turning, { n: turning });
      mark.append(draw("path", { d: TURNED, class: "mark turned", transform: "translate(-5 -5)" }, text));
      mark.dataset.ply = turning;
      parts.push(mark);
    }
    svg.replaceChildren(draw("line", { class: "cursor", y1: 0, y2: "100%" }), ...parts);
    svg.setAttribute("aria-label", this.spoken(from, margins));
  }

  // the same for who hears the page
  spoken(from, margins) {
    const { texts } = this.board.data;
    const changes = margins.flatMap((margin, i) => {
      return i && margin === margins[i - 1] ? [] : [`${from + i}: ${margin ? this.by(margin) : "0"}`];
    });
    const { turning } = this;
    const turned = turning === null ? [] : [fill(texts.turning, { n: turning })];
    return sentences([fill(texts["best-play"], { who: changes.join(" · ") }), ...turned]);
  }

  // who is ahead with best play, and how far
  ahead(margin) {
    const { texts } = this.board.data;
    return margin ? fill(texts["best-play"], { who: this.by(margin) }) : texts["best-even"];
  }

  by(margin) {
    const { sides, seats } = this.board.data;
    const names = sides.length ? sides : seats.map((seat) => seat.name);
    return `${names[margin > 0 ? 0 : 1]} +${Math.abs(margin)}`;
  }

  // in the list of moves, and on a card of the trick

  beside(ply) {
    const play = this.told?.plays[ply];
    if (!play?.said) return [];
    const { texts } = this.board.data;
    return [play.lost ? make("span", "lost", fill(texts.lost, { n: play.lost })) : this.fine(play)];
  }

  onCard(card, seat) {
    const { board } = this;
    if (card === null) return [];
    const laid = board.data.plies.slice(0, board.ply + 1);
    const play = this.play(laid.findLastIndex((state) => state.card === card && state.actor === seat));
    if (!play?.said) return [];
    if (!play.lost) return [this.fine(play)];
    const sign = make("span", "lost", `−${play.lost}`);
    sign.title = fill(board.data.texts.lost, { n: play.lost });
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", sign.title);
    return [sign];
  }

  fine(play) {
    const sign = make("span", "fine", "✓");
    sign.title = play.said;
    sign.setAttribute("aria-hidden", "true");
    return sign;
  }
}

// a text with holes such as {n}
function fill(text, values) {
  return text.replace(/{(\w+)}/g, (hole, name) => values[name] ?? hole);
}
