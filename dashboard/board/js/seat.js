// A player's seat at the table: the plate with the name and notes, and the hand.

class Seat {
  constructor(view, number) {
    this.view = view;
    this.board = view.board;
    this.number = number;
    this.own = this.board.state.seats[number];
    this.info = this.board.data.seats[number];
    this.turn = this.board.state.turns.includes(number);
  }

  // all a seat is drawn from: if it is unchanged, the seat is not drawn again
  get key() {
    const { board, number, own, turn } = this;
    const { state, wishes } = board;
    const due = turn && [state.due, wishes.legal && [state.legal, state.may]];
    const open = own.hand.map((card) => board.open(number, card));
    const led = state.lead === number;
    return JSON.stringify([own, due, open, led, this.tried, board.place(number), board.viewer, board.hidden.has(number)]);
  }

  // the card played next against the rules, if visible
  get tried() {
    const { board, number } = this;
    const next = board.horizon > board.ply ? board.data.plies[board.ply + 1] : null;
    return next?.actor === number && !board.state.legal.includes(next.card) ? next.card : null;
  }

  box() {
    const { board, number, turn, info } = this;
    const box = make("div", `seat place-${board.place(number)}${turn ? " turn" : ""}`);
    if (info.side !== null) box.classList.add(`side-${info.side}`);
    box.append(this.plate(), this.hand(), this.foot());
    return box;
  }

  plate() {
    const { board, number, own, turn, info } = this;
    const { texts } = board.data;
    const { state } = board;
    const plate = make("div", "plate");
    const hidden = board.hidden.has(number);
    const eye = button("eye", null, { seat: number });
    eye.append(sign(hidden ? "M2 8Q12 18 22 8M4 16L7 13M12 18V14M20 16L17 13" : "M2 12C7 4 17 4 22 12C17 20 7 20 2 12ZM12 9A3 3 0 1 0 12 15A3 3 0 1 0 12 9Z"));
    eye.setAttribute("aria-pressed", String(hidden));
    eye.title = `${hidden ? texts.show : texts.hide} – ${info.name}`;
    eye.setAttribute("aria-label", eye.title);
    const name = make("span", "name", info.name);
    name.title = info.name;
    plate.append(eye, name);
    if (info.side !== null) plate.append(this.view.sideTag(info.side));
    if (info.note) {
      const note = make("span", "tag opener", info.note);
      note.dataset.short = info.note[0].toUpperCase();
      note.title = info.note;
      plate.append(note);
    }
    const led = state.lead === number;
    const tag = make("span", `tag lead${led ? "" : " away"}`, texts.led);
    if (led) tag.title = texts.led;
    plate.append(tag);
    // it keeps its space when it is another's turn, so that the table does not move
    plate.append(make("span", `tag now${turn ? "" : " away"}`, state.due || texts.turn));
    if (own.points !== null) plate.append(this.view.points(own.points, number));
    return plate;
  }

  hand() {
    const { board, number, own, turn } = this;
    const { state } = board;
    const allowed = board.wishes.legal && turn && state.legal.length > 0;
    const hand = make("div", "hand");
    // a known card first: its place in a sorted hand would reveal others
    const known = own.hand.filter((card) => board.open(number, card));
    const shown = own.notes.filter((note) => note.fresh).flatMap((note) => note.cards);
    for (const card of [...known, ...own.hand.filter((card) => !known.includes(card))]) {
      const open = known.includes(card);
      const element = open ? this.view.face(card, "hand") : this.view.back("hand");
      if (open && own.fresh.includes(card)) element.classList.add("fresh");
      if (open && allowed) element.classList.add(state.legal.includes(card) ? "legal" : card === this.tried ? "tried" : "barred");
      if (open && shown.includes(card)) element.classList.add("shown");
      hand.append(element);
    }
    return hand;
  }

  // announcements on the table, the bid card, and points so far
  foot() {
    const { board, number, own, turn } = this;
    const foot = make("div", "foot");
    for (const note of own.notes) foot.append(this.note(note));
    if (own.bid) foot.append(this.bid(own.bid));
    if (own.lines.length) foot.append(joinedParts(own.lines));
    const mine = board.viewer < 0 || board.viewer === number;
    const { may } = board.state;
    if (board.wishes.legal && turn && mine && !board.hidden.has(number) && may.length) {
      foot.append(make("span", "may", `${board.data.texts.may} ${may.join(", ")}`));
    }
    return foot;
  }

  note(note) {
    const box = make("span", note.counts ? "note" : "note void");
    for (const card of note.cards ?? []) box.append(this.view.picture(card));
    box.append(make("span", "", note.text));
    return box;
  }

  // A bid card: tricks above, points below, the step reached marked.
  bid(bid) {
    const { texts } = this.board.data;
    const table = make("table", "bid");
    table.append(make("caption", "", bid.label));
    for (const key of ["tricks", "points"]) {
      const row = make("tr");
      const head = make("th", "", texts[key]);
      head.scope = "row";
      row.append(head);
      bid.steps.forEach((step, i) => {
        const cell = make("td", i === bid.here ? "here" : "", step[key]);
        if (i === bid.here) cell.setAttribute("aria-current", "true");
        row.append(cell);
      });
      table.append(row);
    }
    return table;
  }
}
