// Shows the win chance of the card just played, which the server estimates when the reader clicks.
// The estimate uses only what that card's player could see, so it reveals no hand.

const SMALL = 10; // percent below which a decimal is shown: 2 ± 2 would look like nothing

class Chance {
  constructor(board) {
    this.board = board;
    this.known = new Map(); // what was answered, by match, deal and ply
    this.folded = new Set(); // answers the reader has put away
    this.box = board.part(".chance");
    this.ask = board.part("[data-act=odds]");
    this.output = this.box.querySelector("[role=status]");
  }

  // whether the server samples this game, and has the match
  get offered() {
    const { sampled, share } = this.board.data;
    return Boolean(sampled && share);
  }

  // the seat that played a card at the ply shown, if its hand may be shown
  get playedBy() {
    const { ply, data, viewer, hidden, line } = this.board;
    if (!this.offered || line || ply === 0) return null;
    const { actor, card } = data.plies[ply];
    const held = data.plies[ply - 1].seats[actor]?.hand ?? [];
    if (card === null || !held.includes(card) || hidden.has(actor)) return null;
    return viewer < 0 || viewer === actor ? actor : null;
  }

  get address() {
    const { data, ply } = this.board;
    const match = data.share.split("/").at(-1);
    return `${data.root}api/v1/matches/${match}/deals/${data.deal}/sample/${ply}?lang=${data.texts.language}`;
  }

  // requests the chance of the card just played, or shows the response again
  open() {
    if (this.playedBy === null || !this.box.hidden) return;
    this.folded.delete(this.address);
    if (this.known.has(this.address)) this.draw();
    else this.fetch();
  }

  // returns whether something was open
  fold() {
    if (this.box.hidden) return false;
    this.folded.add(this.address);
    this.draw();
    return true;
  }

  draw() {
    const { playedBy } = this;
    const answer = playedBy === null ? undefined : this.known.get(this.address);
    const open = answer !== undefined && !this.folded.has(this.address);
    this.box.hidden = !open;
    this.ask.hidden = playedBy === null || open;
    this.output.replaceChildren();
    const { texts } = this.board.data;
    this.ask.title = texts.chance.ask;
    this.box.querySelector("h2").textContent = open ? texts.chance.ask : "";
    if (!open) return;
    if (answer.waiting) this.output.append(make("p", "", texts.chance.waiting));
    else this.output.append(...this.lines(answer, playedBy));
  }

  async fetch() {
    const { address } = this;
    this.known.set(address, { waiting: true });
    this.draw();
    let answer;
    try {
      const got = await fetch(address);
      answer = await got.json();
      if (!got.ok) answer = { unsampled: answer.detail ?? answer.title };
    } catch {
      answer = null; // no network: it may be asked again
    }
    if (answer) this.known.set(address, answer);
    else this.known.delete(address);
    if (this.board.data) this.draw();
  }

  // a sentence about the card played, then a line for each other card; equal chances share one
  lines(answer, seat) {
    const { data } = this.board;
    const { chance } = data.texts;
    if (answer.unsampled !== null) return [make("p", "", answer.unsampled)];
    const one = answer.deals === 1;
    const number = new Intl.NumberFormat(data.texts.language);
    const deals = number.format(answer.deals);
    const own = answer.cards.find(({ card }) => card === answer.played);
    const share = Math.round(100 * own.won.mean);
    const words = { deals, who: data.seats[seat].name, card: this.name(own.card), share };
    const list = make("ul");
    const others = new Map();
    for (const { card, won, points } of answer.cards) {
      if (card === answer.played) continue;
      const text = one ? this.points(points) : this.less(won, deals);
      const { cards = [] } = others.get(text) ?? {};
      others.set(text, { cards: [...cards, this.name(card)], shown: one ? points.loss !== 0 : won.is_significant });
    }
    for (const [text, { cards, shown }] of others) {
      const item = make("li");
      item.append(make("b", "", cards.join(", ")), make("span", "", text));
      item.classList.toggle("shown", shown);
      list.append(item);
    }
    return [make("p", "", put(one ? chance.one : chance.over, words)), list];
  }

  less({ loss, standard_error, is_significant }, deals) {
    const { chance } = this.board.data.texts;
    if (!is_significant) return put(chance.same, { deals });
    const share = Math.abs(100 * loss);
    const digits = share < SMALL ? 1 : 0;
    const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    const number = new Intl.NumberFormat(this.board.data.texts.language, form);
    const words = { share: number.format(share), error: number.format(196 * standard_error) };
    return put(loss > 0 ? chance.less : chance.more, words);
  }

  points({ loss }) {
    const { chance } = this.board.data.texts;
    const points = Math.round(Math.abs(loss));
    return points ? put(loss > 0 ? chance.fewer : chance.further, { points }) : chance.equal;
  }

  name(card) {
    return this.board.data.faces[card]?.label ?? card;
  }
}

// fills a template
function put(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
