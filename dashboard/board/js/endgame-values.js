// Values of solved endgames: the line of best play, the points each card lost, the better card.
// They reveal every hand, so they are drawn only if all hands are visible.

const RETRY_MS = [1000, 2000, 3000, 5000, 10_000]; // until the values of an unsolved deal are requested again
const MAX_ATTEMPTS = 20;
const TURNED = "M0 4L5 0L10 4ZM0 6L5 10L10 6Z";

class EndgameValues {
  constructor(board) {
    this.board = board;
    this.attempts = 0;
  }

  leave() {
    clearTimeout(this.timer);
  }

  // the values of the deal, if visible
  get values() {
    const { board } = this;
    return (board.insight && board.data.value) || null;
  }

  take() {
    const { board, values } = this;
    const { texts } = board.data;
    const solved = values?.from != null;
    const box = board.part(".values");
    box.hidden = !values;
    // its space remains when a hand is closed, so that the table does not move
    const room = board.data.value?.from != null;
    board.part(".worth").hidden = !room;
    board.part(".worth").classList.toggle("veiled", !solved);
    board.part(".window").classList.toggle("solved", room);
    board.part(".window").classList.toggle("varied", Boolean(board.line));
    this.await();
    this.drawn = null;
    if (!solved) this.wipe();
    box.querySelector("details p").replaceChildren(...this.about());
    // readers who hide later plies see no values of them, nor of other deals
    const bids = values && !board.wishes.spoiler ? values.bids : "";
    box.querySelector(".reason").textContent = values ? values.waiting || values.reason || bids : "";
    const open = values && !values.waiting && !board.wishes.spoiler;
    const worst = open ? values.worst.filter(({ deal }) => this.leads(deal)) : [];
    const items = worst.map(({ deal, ply, text, lost }) => {
      const item = make("li");
      item.append(button("worst", null, { deal, ply }));
      item.firstChild.append(make("span", "", text), make("span", "lost", lost));
      return item;
    });
    box.querySelector("ol").replaceChildren(...items);
    const heading = box.querySelector(".costly");
    heading.hidden = !open || Boolean(values.bids);
    if (open) heading.textContent = values.worst.length ? texts.worst : texts["none-lost"];
    heading.hidden ||= values.worst.length > 0 && items.length === 0;
  }

  // the definition of the value, with a link to all terms; files have no such page
  about() {
    const { board, values } = this;
    if (!values) return [];
    const { where, texts } = board.data;
    if (!where) return [values.about];
    const link = make("a", "", texts.terms);
    link.href = `${board.data.root}regles?${new URLSearchParams({ def: values.term, lang: where.lang })}`;
    Object.assign(link, { target: "_blank", rel: "noopener" }); // the position stays open
    return [`${values.about} `, link];
  }

  // hidden values are not in the page
  wipe() {
    const [legend, svg] = this.board.part(".worth").children;
    legend.textContent = legend.title = "";
    svg.replaceChildren();
    svg.removeAttribute("aria-label");
  }

  // whether the board can show that deal
  leads(deal) {
    return this.board.deals.some(({ number }) => number === deal);
  }

  // values of an unsolved deal are requested again, at growing intervals
  await() {
    const { board } = this;
    clearTimeout(this.timer);
    if (!board.data.value?.waiting || this.attempts >= MAX_ATTEMPTS) return;
    this.timer = setTimeout(() => {
      this.attempts += 1;
      board.emit("deal", `${board.match} ${board.data.deal} ${this.attempts}`);
    }, RETRY_MS[Math.min(this.attempts, RETRY_MS.length - 1)]);
  }

  // the value of the card played at a ply, if visible
  play(ply) {
    return ply <= this.board.horizon ? this.values?.plays[ply] : undefined;
  }

  draw() {
    const { board, values } = this;
    const { ply, line } = board;
    const { texts } = board.data;
    const play = line ? undefined : this.play(ply);
    const text = line ? fill(texts["best-line"], { n: line.from + 1 }) : (play?.text ?? "");
    const cost = board.part(".cost p");
    const sign = play && !play.lost && text ? "✓ " : "";
    if (cost.textContent !== sign + text) cost.textContent = sign + text;
    cost.title = cost.textContent;
    cost.classList.toggle("lost", Boolean(play?.lost));
    board.part("[data-act=held]").hidden = !play?.lost;
    board.part("[data-act=leave]").hidden = !line;
    const turning = board.part(".turning");
    const turned = this.turning;
    turning.hidden = turned === null;
    turning.title = turned === null ? "" : fill(texts.turning, { n: turned });
    turning.firstChild.textContent = turning.title;
    if (values?.from != null) this.course(values);
  }

  // the turning point, if visible
  get turning() {
    const turning = this.values?.turning ?? null;
    return turning === null || turning > this.board.last ? null : turning;
  }

  toTurning() {
    const { board, turning } = this;
    if (turning === null) return;
    if (board.line) board.leaveLine(turning);
    else board.controls.step(turning);
  }

  // the chart's line: the final lead of side or seat 1 with best play, by ply

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

  // the same as text for screen readers
  spoken(from, margins) {
    const { texts } = this.board.data;
    const changes = margins.flatMap((margin, i) => {
      return i && margin === margins[i - 1] ? [] : [`${from + i}: ${margin ? this.by(margin) : "0"}`];
    });
    const { turning } = this;
    const turned = turning === null ? [] : [fill(texts.turning, { n: turning })];
    return sentences([fill(texts["best-play"], { who: changes.join(" · ") }), ...turned]);
  }

  // the side that is ahead with best play, and its lead
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

  marks(ply) {
    const play = this.values?.plays[ply];
    if (!play?.text) return [];
    const { texts } = this.board.data;
    return [play.lost ? make("span", "lost", fill(texts.lost, { n: play.lost })) : this.fine(play)];
  }

  onCard(card, seat) {
    const { board } = this;
    if (card === null) return [];
    const shown = board.data.plies.slice(0, board.ply + 1);
    const play = this.play(shown.findLastIndex((state) => state.card === card && state.actor === seat));
    if (!play?.text) return [];
    if (!play.lost) return [this.fine(play)];
    const sign = make("span", "lost", `−${play.lost}`);
    sign.title = fill(board.data.texts.lost, { n: play.lost });
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", sign.title);
    return [sign];
  }

  fine(play) {
    const sign = make("span", "fine", "✓");
    sign.title = play.text;
    sign.setAttribute("aria-hidden", "true");
    return sign;
  }
}

// fills a template such as {n}
function fill(text, values) {
  return text.replace(/{(\w+)}/g, (hole, name) => values[name] ?? hole);
}
