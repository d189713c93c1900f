// The timeline of a deal: score curves, marks for events, and the list of events.

const ROWS = [26, 36, 16]; // px from the top, for what happens in one ply
const LOW_ROWS = [18, 26, 9]; // in a low window
const LOW = 40; // px

class Timeline {
  constructor(board) {
    this.board = board;
  }

  take() {
    this.drawn = null;
    const { plies } = this.board.data;
    const items = plies.map((_, ply) => {
      const item = make("li");
      item.append(button("event-at", null, { ply }));
      const label = make("span", "", this.board.describe(ply, true));
      for (const { who, text } of this.board.comments(ply)) {
        label.append(make("span", "aside", `${who} ${text}`));
      }
      item.firstChild.append(make("span", "number", ply), label, ...this.board.value.marks(ply));
      if (ply > (this.board.line?.from ?? Infinity)) item.className = "unplayed";
      return item;
    });
    this.items = items;
    this.listed = -1;
  }

  // the number of plies of the full width; fixed while the end of the deal is hidden
  get span() {
    const { last, end } = this.board;
    return last === end ? Math.max(1, end) : Math.ceil((last + 2) / 20) * 20;
  }

  draw() {
    const { board } = this;
    const { horizon, ply } = board;
    const key = `${horizon} ${this.span} ${board.part(".chart").clientHeight < LOW}`;
    if (key !== this.drawn) this.chart(horizon);
    this.drawn = key;
    const cursor = board.part(".cursor");
    cursor.setAttribute("x1", this.across(ply));
    cursor.setAttribute("x2", this.across(ply));
    if (board.part(".course").open) this.list();
  }

  across(ply) {
    return `${(100 * ply) / this.span}%`;
  }

  chart(horizon) {
    const { data } = this.board;
    const svg = this.board.part(".chart");
    const series = this.series(horizon);
    const top = Math.max(1, ...series.flat());
    const curves = draw("svg", {
      viewBox: `0 0 ${this.span} 100`,
      preserveAspectRatio: "none",
      width: "100%",
      height: "58%",
      overflow: "visible",
    });
    series.forEach((points, i) => {
      const path = points.map((point, at) => `${at} ${96 - (92 * point) / top}`).join("L");
      curves.append(draw("path", { d: "M" + path, class: `curve line-${i}` }));
    });
    const findings = this.board
      .findings()
      .filter((finding) => finding.ply !== null)
      .map(({ ply, severity, rule }) => ({ ply, kind: "finding", text: rule, severity }));
    const rows = svg.clientHeight < LOW ? LOW_ROWS : ROWS;
    const seen = new Map();
    const marks = [...data.marks.filter((mark) => mark.ply <= horizon), ...findings].map((mark) => {
      const row = seen.get(mark.ply) ?? 0;
      seen.set(mark.ply, row + 1);
      const y = rows[row % rows.length];
      const place = draw("svg", { x: this.across(mark.ply), y, overflow: "visible" });
      const { text, shape, colour } = data.texts.kinds[mark.kind];
      const label = [text, mark.text].filter(Boolean).join(": ");
      const look = `mark ${mark.kind} in-${colour} of-${mark.severity}`;
      place.append(draw("path", { d: shape, class: look, transform: "translate(-5 0)" }, label));
      place.dataset.ply = mark.ply;
      return place;
    });
    const line = draw("line", { class: "cursor", y1: 0, y2: "100%" });
    svg.replaceChildren(line, curves, ...marks);
  }

  // running points of each side, or of each seat
  series(horizon) {
    const { sides, seats, plies } = this.board.data;
    const which = sides.length ? "sides" : "seats";
    return (sides.length ? sides : seats).map((_, i) => {
      let known = 0; // unknown points are words: the curve stays where it was
      return plies.slice(0, horizon + 1).map((state) => {
        const { points } = state[which][i];
        if (Number.isFinite(points)) known = points;
        return known;
      });
    });
  }

  // the style of a side's or seat's line
  sample(line) {
    const svg = draw("svg", { class: "sample", width: 18, height: 4, viewBox: "0 0 18 4", "aria-hidden": "true" });
    svg.append(draw("path", { d: "M0 2H18", class: `curve line-${line}` }));
    return svg;
  }

  // the ply at a point of the chart, or of the mark near it
  at(event) {
    const mark = event.target.closest("[data-ply]");
    if (mark) return +mark.dataset.ply;
    const box = this.board.part(".chart").getBoundingClientRect();
    return Math.round(((event.clientX - box.left) / box.width) * this.span);
  }

  list() {
    const { horizon, ply } = this.board;
    const list = this.board.part(".course ol");
    if (horizon !== this.listed) list.replaceChildren(...this.items.slice(0, horizon + 1));
    this.listed = horizon;
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const here = this.items[ply];
    here.firstChild.setAttribute("aria-current", "true");
    cancelAnimationFrame(this.scrolling);
    this.scrolling = requestAnimationFrame(() => this.scroll(list, here)); // once all is laid out
  }

  // scroll only the list, not the page
  scroll(list, here) {
    const above = here.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + here.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }
}
