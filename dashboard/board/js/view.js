// What lies on the table in one state: seats, cards, piles, auction, findings.

class View {
  constructor(board) {
    this.board = board;
    this.cards = new Map(); // pictures once made: moving them is faster than loading them again
  }

  part(selector) {
    return this.board.part(selector);
  }

  take() {
    const { data, wishes } = this.board;
    const look = `${data.back} ${wishes.four} ${Object.values(data.faces)[0]?.src}`;
    if (look !== this.lookOfCards) this.cards.clear();
    this.lookOfCards = look;
    this.taken = new Map(); // the same of tricks
    this.kept = {}; // what was drawn last, and from what: most of it stays from step to step
    const felt = this.part(".felt");
    felt.classList.toggle("partners", data.sides.length > 0);
    felt.classList.toggle("four", wishes.four);
  }

  draw() {
    const { board } = this;
    const { data, state } = board;
    const focused = board.root.getRootNode().activeElement?.dataset?.seat;
    this.part(".event").textContent = board.told(board.ply);
    this.part(".found").replaceChildren(
      ...board
        .findings()
        .filter((finding) => finding.ply === board.ply)
        .map((finding) => {
          const item = make("li", `of-${finding.severity}`);
          item.append(this.badge(finding), make("span", "", finding.text));
          return item;
        }),
    );
    this.remark();
    this.listFindings();
    // the first seat sits below, the others across the table
    const places = state.seats.map((_, number) => this.keptSeat(number));
    this.fill(this.part(".own"), places.slice(0, 1));
    this.fill(this.part(".others"), places.slice(1));
    const laid = state.table.some((card) => card !== null);
    this.part(".felt").classList.toggle("speaking", data.auction !== null && !laid);
    this.part(".others").dataset.count = state.seats.length - 1;
    this.part(".sides").replaceChildren(...state.sides.map((side, i) => this.side(side, i)));
    this.keep(".auction", this.callsSaid(), () => this.auction());
    this.part(".piles").replaceChildren(...state.piles.map((pile) => this.pile(pile)));
    this.part(".table").replaceChildren(...this.table());
    this.part(".facts").replaceChildren(...state.facts.map((fact) => this.fact(fact)));
    if (this.part(".won").open) this.tricks();
    if (focused) this.part(`[data-seat="${focused}"]`)?.focus();
  }

  // draw again only what is not as it was: a step has little new, and a phone is slow
  keep(selector, key, drawn) {
    if (this.kept[selector] === key) return;
    this.kept[selector] = key;
    this.part(selector).replaceChildren(...drawn());
  }

  fill(box, children) {
    if (box.children.length !== children.length) box.replaceChildren(...children);
    else children.forEach((one, i) => one === box.children[i] || box.children[i].replaceWith(one));
  }

  keptSeat(number) {
    const { board } = this;
    const { state, wishes } = board;
    const view = state.seats[number];
    const turn = state.turns.includes(number) && [state.due, wishes.legal && [state.legal, state.may]];
    const open = view.hand.map((card) => board.open(number, card));
    const key = JSON.stringify([view, turn, open, board.viewer, board.hidden.has(number)]);
    const kept = this.kept[number];
    if (kept?.key === key) return kept.box;
    this.kept[number] = { key, box: this.seat(number) };
    return this.kept[number].box;
  }

  seat(number) {
    const { board } = this;
    const { texts, seats, plies } = board.data;
    const { state } = board;
    const view = state.seats[number];
    const { name, note, side } = seats[number];
    const hidden = board.hidden.has(number);
    const turn = state.turns.includes(number);
    const box = make("div", `seat place-${number}${turn ? " turn" : ""}`);
    if (side !== null) box.classList.add(`side-${side}`);
    if (plies[0].seats[number].hand.length > 5) box.classList.add("long");
    const head = make("div", "head");
    const who = make("div", "who");
    const label = make("span", "name", name);
    label.title = name;
    who.append(label);
    if (side !== null) who.append(this.sideTag(side));
    if (note) who.append(make("span", "tag", note));
    head.append(who);
    // its place is kept when it is another's turn: a table that moves at each step is hard to read
    const now = make("span", `tag now${turn ? "" : " away"}`, state.due || texts.turn);
    if (view.points === null) {
      head.append(now); // its side has the points
    } else {
      who.append(now);
      head.append(this.points(view.points));
    }
    const allowed = board.wishes.legal && turn && state.legal.length > 0;
    const hand = make("div", "hand");
    // a known card first: its place in a sorted hand would tell of the others
    const known = view.hand.filter((card) => board.open(number, card));
    for (const card of [...known, ...view.hand.filter((card) => !known.includes(card))]) {
      const open = known.includes(card);
      const element = open ? this.face(card, "hand") : this.back();
      if (open && view.fresh.includes(card)) element.classList.add("fresh");
      if (open && allowed) element.classList.add(state.legal.includes(card) ? "legal" : "barred");
      hand.append(element);
    }
    const foot = make("div", "foot");
    const eye = button("eye", hidden ? texts.show : texts.hide, { seat: number });
    eye.setAttribute("aria-pressed", String(hidden));
    eye.setAttribute("aria-label", `${eye.textContent} – ${name}`);
    foot.append(eye, make("span", "lines", view.lines.join(" · ")));
    for (const said of view.notes) {
      foot.append(make("span", said.counts ? "note" : "note void", said.text));
    }
    if (view.bid) foot.append(this.bid(view.bid));
    const mine = board.viewer < 0 || board.viewer === number;
    if (board.wishes.legal && turn && mine && !hidden && state.may.length) {
      foot.append(make("p", "may", `${texts.may} ${state.may.join(", ")}`));
    }
    box.append(head, hand, foot);
    return box;
  }

  points(number) {
    const points = make("span", "points", number);
    points.append(make("small", "", ` ${this.board.data.texts.points}`));
    return points;
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

  sideTag(side) {
    return make("span", `tag camp side-${side}`, this.board.data.sides[side]);
  }

  side(view, number) {
    const { seats } = this.board.data;
    const box = make("div", `side side-${number}`);
    const names = seats.filter((seat) => seat.side === number).map((seat) => seat.name);
    const head = make("div", "head");
    head.append(this.sideTag(number), this.points(view.points));
    const who = make("p", "name", names.join(" + "));
    who.title = names.join(" + ");
    box.append(head, who, make("p", "lines", view.lines.join(" · ")));
    return box;
  }

  callsSaid() {
    const { auction } = this.board.data;
    const { ply, wishes } = this.board;
    const said = auction?.rows.flat().filter((call) => call && call.ply <= ply) ?? [];
    return [said.length, said.some((call) => call.ply === ply), wishes.spoiler].join();
  }

  // The calls said so far; those to come keep their place, unseen, so that nothing jumps.
  auction() {
    const { auction, seats } = this.board.data;
    const { ply } = this.board;
    if (!auction) return [];
    const table = make("table");
    table.append(make("caption", "", auction.title));
    const names = make("tr");
    for (const seat of auction.seats) {
      const head = make("th", `side-${seats[seat].side}`);
      head.scope = "col";
      head.title = seats[seat].name;
      head.append(make("span", "", seats[seat].name));
      names.append(head);
    }
    const head = make("thead");
    head.append(names);
    const body = make("tbody");
    for (const calls of auction.rows) {
      const row = make("tr");
      if (this.board.wishes.spoiler && calls.every((call) => !call || call.ply > ply)) continue;
      for (const call of calls) {
        const said = call && call.ply <= ply;
        const cell = make("td", "", said ? call.text : "\u00a0");
        if (said && call.suit) cell.classList.add("suit", call.suit);
        if (said && !call.counts) cell.classList.add("void");
        if (said && call.ply === ply) cell.classList.add("here");
        row.append(cell);
      }
      body.append(row);
    }
    table.append(head, body);
    return [table];
  }

  pile(pile) {
    const box = make("figure", "pile");
    box.append(pile.card === null ? this.back() : this.face(pile.card, "pile"));
    const label = pile.count === null ? pile.label : `${pile.label} ${pile.count}`;
    box.append(make("figcaption", "", label));
    if (pile.note) box.append(make("figcaption", "", pile.note));
    return box;
  }

  table() {
    const { state, data } = this.board;
    const { texts, seats } = data;
    const last = state.table_of === "last";
    const laid = state.table.some((card) => card !== null);
    const title = make("p", "title", last && laid ? texts["last-trick"] : texts.table);
    const cards = make("div", last ? "cards last" : "cards");
    state.table.forEach((card, seat) => {
      const figure = make("figure", `laid place-${seat}`);
      figure.append(card === null ? make("span", "card empty") : this.face(card, "table"));
      if (card !== null && seat === state.taker) figure.classList.add("best");
      if (card !== null && card === state.card) figure.classList.add("moved");
      figure.append(make("figcaption", "", seats[seat].name));
      cards.append(figure);
    });
    return [title, cards];
  }

  fact(fact) {
    const row = make("div");
    const text = make("dd", fact.suit ? `suit ${fact.suit}` : "", fact.text);
    row.append(make("dt", "", fact.label), text);
    return row;
  }

  // tricks taken: everybody's, or those the player we look as may turn up again

  tricks() {
    const { board } = this;
    const { seats, tricks, recall } = board.data;
    const taken = tricks.filter((trick) => trick.ply <= board.ply);
    const rows = seats.map(({ name }, seat) => {
      let its = taken.filter((trick) => trick.taker === seat);
      const count = its.length;
      if (board.viewer >= 0 && recall === "last") its = its.filter((one) => one === taken.at(-1));
      else if (board.viewer >= 0 && board.viewer !== seat) its = its.slice(-1);
      const row = make("div", "taken");
      row.append(make("p", "name", `${name} · ${count}`));
      for (const trick of its) row.append(this.trick(trick));
      return row;
    });
    this.part(".won .rows").replaceChildren(...rows);
  }

  trick(trick) {
    if (this.taken.has(trick.ply)) return this.taken.get(trick.ply);
    const box = button("trick", null, { ply: trick.ply });
    this.taken.set(trick.ply, box);
    trick.cards.forEach((card, seat) => {
      if (card === null) return;
      const small = this.picture(card);
      if (seat === trick.taker) small.classList.add("best");
      box.append(small);
    });
    return box;
  }

  // comments: many or long ones have a scroll of their own, so that the table stays in sight

  remark() {
    const comments = this.board.comments(this.board.ply);
    const items = () =>
      comments.map(({ who, text }) => {
        const item = make("li", "comment");
        item.append(make("b", "", who), make("p", "", text));
        return item;
      });
    this.keep(".comments", JSON.stringify(comments), items);
    const list = this.part(".comments");
    list.setAttribute("aria-label", this.board.data.texts.comments);
    const long = comments.length > 0 && list.scrollHeight > list.clientHeight;
    if (long) list.tabIndex = 0; // arrows scroll it
    else list.removeAttribute("tabindex");
  }

  // findings

  badge(finding) {
    return make("b", "badge", `${this.board.data.texts[finding.severity]} ${finding.rule}`);
  }

  listFindings() {
    const found = this.board.findings();
    const key = JSON.stringify(found);
    if (key === this.listed) return;
    this.listed = key;
    const section = this.part(".findings");
    section.hidden = found.length === 0;
    const { texts } = this.board.data;
    section.querySelector("h2").textContent = `${texts.findings} (${found.length})`;
    const items = found.map((finding) => {
      const item = make("li", `of-${finding.severity}`);
      const jump = finding.ply !== null;
      const body = jump ? button("finding", null, { ply: finding.ply }) : make("p", "finding");
      body.append(this.badge(finding), make("span", "", finding.text));
      item.append(body);
      return item;
    });
    section.querySelector("ol").replaceChildren(...items);
  }

  // cards

  picture(card) {
    const { faces, back, texts } = this.board.data;
    const face = faces[card] ?? { src: back, label: texts.unknown };
    const image = make("img");
    image.src = (this.board.wishes.four && face.four) || face.src;
    image.alt = image.title = face.label;
    image.draggable = false;
    return image;
  }

  // A card that leads to the turn it was played or drawn; `place` is where it lies.
  face(card, place) {
    const key = `${place} ${card}`;
    let box = this.cards.get(key);
    if (!box) {
      box = button("card", null, { card, place });
      box.tabIndex = -1; // the list of events is the way by keyboard
      box.append(this.picture(card));
      if (!card.startsWith("?")) this.cards.set(key, box); // of unknown cards there may be many
    }
    box.className = "card";
    return box;
  }

  back() {
    const box = make("span", "card");
    const image = make("img");
    image.src = this.board.data.back;
    image.alt = this.board.data.texts.hidden;
    image.draggable = false;
    box.append(image);
    return box;
  }
}
