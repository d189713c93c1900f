// The course of a deal: points as curves, what happened as marks, and every event in a list.

const SHAPES = {
  announce: "M5 0L6.5 3.5L10 3.8L7.3 6.2L8.2 10L5 7.9L1.8 10L2.7 6.2L0 3.8L3.5 3.5Z",
  exchange: "M0 2H7V0L10 3L7 6V4H0ZM10 7H3V5L0 8L3 10V9H10Z",
  brisque: "M5 0L10 5L5 10L0 5Z",
  ruff: "M0 10L5 0L10 10Z",
  call: "M0 1H10V7H5L2 10V7H0Z",
  chouine: "M5 0C8 4 9 5 9 7A4 3 0 0 1 1 7C1 5 2 4 5 0Z",
  comment: "M0 10V5L3 0H4.6L3.2 4.6H4.6V10ZM5.4 10V5L8.4 0H10L8.6 4.6H10V10Z",
  finding: "M3.5 0H6.5L6 6.5H4ZM3.7 8H6.3V10H3.7Z",
  end: "M1 0H2.4V10H1ZM3 .5H10L8 3L10 5.5H3Z",
};

const ROWS = [36, 47, 25]; // px from the top, for what happens in one ply

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
      const told = make("span", "", this.board.told(ply));
      for (const { who, text } of this.board.comments(ply)) {
        told.append(make("span", "aside", `${who} ${text}`));
      }
      item.firstChild.append(make("span", "number", ply), told);
      return item;
    });
    this.items = items;
    this.listed = -1;
  }

  // how many plies the width stands for; its end is no news while it is not to be known
  get span() {
    const { last, end } = this.board;
    return last === end ? Math.max(1, end) : Math.ceil((last + 2) / 20) * 20;
  }

  draw() {
    const { board } = this;
    const { horizon, ply } = board;
    const key = `${horizon} ${this.span}`;
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
    const seen = new Map();
    const marks = [...data.marks.filter((mark) => mark.ply <= horizon), ...findings].map((mark) => {
      const row = seen.get(mark.ply) ?? 0;
      seen.set(mark.ply, row + 1);
      const y = ROWS[row % ROWS.length];
      const place = draw("svg", { x: this.across(mark.ply), y, overflow: "visible" });
      const label = [data.texts.kinds[mark.kind], mark.text].filter(Boolean).join(": ");
      const kind = `mark ${mark.kind} of-${mark.severity}`;
      place.append(draw("path", { d: SHAPES[mark.kind], class: kind, transform: "translate(-5 0)" }, label));
      place.dataset.ply = mark.ply;
      return place;
    });
    const line = draw("line", { class: "cursor", y1: 0, y2: "100%" });
    svg.replaceChildren(line, curves, ...marks);
    this.legend();
  }

  // running points of each side, or of each seat
  series(horizon) {
    const { sides, seats, plies } = this.board.data;
    const which = sides.length ? "sides" : "seats";
    return (sides.length ? sides : seats).map((_, i) => {
      let known = 0; // points that cannot be told are words: the curve stays where it was
      return plies.slice(0, horizon + 1).map((state) => {
        const { points } = state[which][i];
        if (Number.isFinite(points)) known = points;
        return known;
      });
    });
  }

  legend() {
    const { sides, seats } = this.board.data;
    const names = sides.length ? sides : seats.map((seat) => seat.name);
    const items = names.map((name, i) => {
      const item = make("span", "of");
      const svg = draw("svg", { width: 18, height: 8, viewBox: "0 0 18 8" });
      svg.append(draw("path", { d: "M0 4H18", class: `curve line-${i}` }));
      item.append(svg, make("span", "", name));
      return item;
    });
    this.board.part(".legend").replaceChildren(...items);
  }

  // the ply below a point of the chart, that of a mark if it is meant
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
    // within the list alone: the page stays where it is
    const above = here.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + here.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }
}
