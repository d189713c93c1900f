// Draws the board in one state: seats, cards, piles, auction, findings.

class View {
  constructor(board) {
    this.board = board;
    this.cards = new Map(); // pictures once made: moving them is faster than loading them again
    // the list of moves stands beside the board where there is room, else below it
    this.sizes = new ResizeObserver(() => {
      this.settle();
      if (this.room && board.data) board.timeline.list(); // the move shown comes into sight
    });
    this.sizes.observe(this.part(".window"));
    this.part(".course summary").addEventListener("click", (event) => {
      if (this.room) event.preventDefault(); // beside the board it stays
    });
  }

  part(selector) {
    return this.board.part(selector);
  }

  leave() {
    this.sizes.disconnect();
  }

  settle() {
    const aside = this.part(".side-panel");
    const room = getComputedStyle(aside).display !== "contents";
    const list = this.part(".course");
    const home = room ? aside : this.part(".more");
    const values = this.part(".values");
    if (this.room !== room) {
      this.room = room;
      home.append(list, values);
      list.open = room;
    }
  }

  take() {
    const { data, wishes } = this.board;
    const look = `${data.back} ${wishes.four} ${Object.values(data.faces)[0]?.src}`;
    if (look !== this.lookOfCards) this.cards.clear();
    this.lookOfCards = look;
    this.taken = new Map(); // the same of tricks
    this.drawn = {}; // what was drawn last, and from what: most of it stays from step to step
    const ground = this.part(".ground");
    ground.classList.toggle("partners", data.sides.length > 0);
    ground.classList.toggle("four", wishes.four);
    ground.classList.toggle("bidding", data.plies[0].seats.some((seat) => seat.bid));
    ground.dataset.seats = data.seats.length;
    // the longest hand there ever is: sizes do not change from step to step
    const most = Math.max(1, ...data.plies.flatMap((ply) => ply.seats.map((seat) => seat.hand.length)));
    ground.style.setProperty("--most", most);
    ground.style.setProperty("--corner", data.corner);
    // every step has room for the longest text of any step
    const noted = data.findings.length + data.comments.length > 0;
    this.part(".window").classList.toggle("noted", noted);
    ground.style.setProperty("--seats", data.seats.length);
    this.settle();
  }

  draw() {
    const { board } = this;
    const { data, state } = board;
    const focused = board.root.getRootNode().activeElement?.dataset?.seat;
    this.part(".event").textContent = board.describe(board.ply);
    this.part(".event").title = this.part(".event").textContent;
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
    // one player sits at the bottom, the others across the table, in the order of play
    const seats = [...state.seats.keys()].sort((one, other) => board.place(one) - board.place(other));
    const boxes = seats.map((seat) => this.seatBox(seat));
    this.fill(this.part(".own"), boxes.slice(0, 1));
    this.fill(this.part(".others"), boxes.slice(1));
    const onTable = state.table.some((card) => card !== null);
    this.part(".ground").classList.toggle("speaking", data.auction !== null && !onTable);
    this.part(".sides").replaceChildren(...state.sides.map((side, i) => this.side(side, i)));
    this.keep(".auction", this.callsText(), () => this.auction());
    const call = this.part(".auction .here"); // on a low table the last calls are scrolled to
    if (call) this.part(".auction").scrollTop = call.offsetTop;
    this.part(".piles").replaceChildren(...state.piles.map((pile) => this.pile(pile)));
    this.part(".table").replaceChildren(this.table());
    this.part(".facts").replaceChildren(...state.facts.map((fact) => this.fact(fact)));
    if (this.part(".won").open) this.tricks();
    if (focused) this.part(`[data-seat="${focused}"]`)?.focus();
  }

  // redraw only what changed: phones are slow
  keep(selector, key, drawn) {
    if (this.drawn[selector] === key) return;
    this.drawn[selector] = key;
    this.part(selector).replaceChildren(...drawn());
  }

  fill(box, children) {
    if (box.children.length !== children.length) box.replaceChildren(...children);
    else children.forEach((one, i) => one === box.children[i] || box.children[i].replaceWith(one));
  }

  seatBox(number) {
    const seat = new Seat(this, number);
    const { key } = seat;
    const last = this.drawn[number];
    if (last?.key === key) return last.box;
    this.drawn[number] = { key, box: seat.box() };
    return this.drawn[number].box;
  }

  // points, with their line in the chart
  points(number, line) {
    const points = make("span", "points", number);
    const { texts } = this.board.data;
    const one = new Intl.PluralRules(texts.language).select(number) === "one";
    points.append(make("small", "", `\u00a0${one ? texts.point : texts.points}`), this.board.timeline.sample(line));
    return points;
  }

  sideTag(side) {
    return make("span", `tag camp side-${side}`, this.board.data.sides[side]);
  }

  side(view, number) {
    const { seats } = this.board.data;
    const box = make("div", `side side-${number}`);
    const names = seats.filter((seat) => seat.side === number).map((seat) => seat.name);
    const head = make("div", "head");
    head.append(this.sideTag(number), this.points(view.points, number));
    const who = make("p", "name", names.join(" + "));
    who.title = names.join(" + ");
    box.append(head, who, joinedParts(view.lines));
    return box;
  }

  callsText() {
    const { auction } = this.board.data;
    const { ply, wishes } = this.board;
    const calls = auction?.rows.flat().filter((call) => call && call.ply <= ply) ?? [];
    return [calls.length, calls.some((call) => call.ply === ply), wishes.spoiler].join();
  }

  // The calls so far; later ones take their place invisibly, so that nothing moves.
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
        const isMade = call && call.ply <= ply;
        const cell = make("td", "", isMade ? call.text : "\u00a0");
        if (isMade && call.suit) cell.classList.add("suit", call.suit);
        if (isMade && !call.counts) cell.classList.add("void");
        if (isMade && call.ply === ply) cell.classList.add("here");
        row.append(cell);
      }
      body.append(row);
    }
    table.append(head, body);
    return [table];
  }

  pile(pile) {
    const box = make("figure", pile.card === null ? "pile" : "pile turned");
    box.append(pile.card === null ? this.back("talon") : this.face(pile.card, "talon"));
    const label = pile.count === null ? pile.label : `${pile.label} ${pile.count}`;
    const caption = make("figcaption", "", label);
    if (pile.note) caption.append(make("small", "", ` ${pile.note}`));
    caption.title = caption.textContent;
    box.append(caption);
    return box;
  }

  // The trick: each card in front of its player, moved towards the winner.
  table() {
    const { board } = this;
    const { state, data } = board;
    const { texts, seats } = data;
    const last = state.table_of === "last";
    const cards = make("div", last ? "cards last" : "cards");
    if (last && state.trick_winner !== null) cards.classList.add(`to-${board.place(state.trick_winner)}`);
    cards.dataset.seats = seats.length;
    cards.setAttribute("role", "group");
    const onTable = state.table.some((card) => card !== null);
    cards.setAttribute("aria-label", last && onTable ? texts["last-trick"] : texts.table);
    state.table.forEach((card, seat) => {
      const figure = make("figure", `trick-card place-${board.place(seat)}`);
      figure.append(card === null ? make("span", "card empty") : this.face(card, "trick"));
      if (card !== null && seat === state.trick_winner) figure.classList.add("best");
      if (card !== null && card === state.card) figure.classList.add("moved");
      figure.append(...board.value.onCard(card, seat), make("figcaption", "", seats[seat].name));
      cards.append(figure);
    });
    return cards;
  }

  fact(fact) {
    const row = make("div");
    const text = make("dd", fact.suit ? `suit ${fact.suit}` : "", fact.text);
    row.append(make("dt", "", fact.label), text);
    return row;
  }

  // tricks taken: all, or those that the viewer may look at again

  tricks() {
    const { board } = this;
    const { seats, tricks, recall } = board.data;
    const taken = tricks.filter((trick) => trick.ply <= board.ply);
    const rows = seats.map(({ name }, seat) => {
      let its = taken.filter((trick) => trick.winner === seat);
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
      if (seat === trick.winner) small.classList.add("best");
      box.append(small);
    });
    return box;
  }

  // comments: long ones scroll, so that the table stays visible

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

  // A card that links to the ply at which it was played or drawn; `zone` is its place.
  face(card, zone) {
    const key = `${zone} ${card}`;
    let box = this.cards.get(key);
    if (!box) {
      box = button("card", null, { card, zone });
      box.tabIndex = -1; // the list of events is the way by keyboard
      box.append(this.picture(card));
      if (!card.startsWith("?")) this.cards.set(key, box); // of unknown cards there may be many
    }
    box.className = "card";
    return box;
  }

  back(zone) {
    const box = make("span", "card");
    box.dataset.zone = zone;
    const image = make("img");
    image.src = this.board.data.back;
    image.alt = this.board.data.texts.hidden;
    image.draggable = false;
    box.append(image);
    return box;
  }
}
