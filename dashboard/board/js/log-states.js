// The board's data of a deal (dashboard/board/states.py describes it), from the states that the package for
// JavaScript returns, and only from them: actions, tricks, points, trump, findings.

class LogStates {
  // `parts` and `texts` are a game's: without and with a language
  constructor(game, log, report, states, parts, texts, common) {
    Object.assign(this, { game, log, report, states, parts, texts, common });
    this.names = log.players.map((player) => plainLine(player.name || player.id));
    this.drawn = new Map();
  }

  fill(key, values) {
    return filled(this.common.page[key], values);
  }

  // A word of an act, or a card, as players say it.
  spoken(word) {
    const { words, own } = this.texts;
    if (words[word]) return words[word];
    const [, begin, number] = /^(.*[a-z])(\d+)$/.exec(word) ?? [];
    if (number && words[`${begin}#`]) return filled(words[`${begin}#`], { n: number });
    const [face, back] = word.split("/");
    return own && back ? filled(own.label, { face: this.spoken(face), back: this.spoken(back) }) : word;
  }

  spokenAction(action) {
    return action.slice(1, 2) === " " ? this.spoken(action.slice(2)) : this.spoken(action);
  }

  get sides() {
    const { sides } = this.texts;
    return sides.map((_, side) => this.names.filter((_, seat) => seat % sides.length === side).join(" + "));
  }

  // The board's data of a deal, from 0; null if it has no states.
  deal(number) {
    const states = this.states[number] ?? [], deal = this.log.deals[number];
    if (!states.length) return null;
    const { texts, parts } = this;
    const plies = states.map((state, ply) => this.ply(state, states[ply - 1] ?? null, deal.actions?.[ply - 1]));
    const stopped = this.report.deals[number]?.status === "broken" && deal.actions?.[states.length - 1];
    if (stopped) plies.push({ ...plies.at(-1), ...this.event(stopped), card: null, also: [this.common.page.stops] });
    const played = states.findIndex((state) => state.has("bidding") && !state.field("bidding"));
    const boundaries = states.flatMap((state, ply) => (!ply || state.trick > states[ply - 1].trick ? [ply] : []));
    const tricks = boundaries.slice(1).map((ply) => {
      return { ply, winner: Number(states[ply].field("trick_winners")[states[ply - 1].trick]), cards: states[ply].last };
    });
    const ended = states.findIndex((state, ply) => ply && state.over);
    const dealer = states[0].dealer - 1, count = texts.sides.length;
    const seats = this.names.map((name, seat) => {
      return { name, note: seat === dealer ? texts.opener : "", side: count ? seat % count : null };
    });
    const comments = this.comments(deal, plies.length);
    const marks = [...new Set(comments.map(({ ply }) => ply))].map((ply) => ({ ply, kind: "comment", text: "" }));
    if (ended > 0) marks.push({ ply: ended, kind: "end", text: plies[ended].also.at(-1) ?? plies[ended].text });
    return {
      deal: number + 1,
      seats,
      sides: texts.sides,
      back: parts.back,
      corner: parts.corner,
      recall: parts.recall,
      auction: this.auction(states, deal.actions),
      faces: this.faces(plies),
      jumps: [...new Set([...boundaries, ...(played < 0 ? [] : [played])])].sort((one, other) => one - other),
      tricks,
      marks,
      comments,
      times: deal.times ? [0, ...deal.times].slice(0, plies.length) : null,
      plies,
      findings: this.findings(number, plies.length),
      value: null,
      sampled: false,
      share: null,
      where: null,
      ply: 0,
      view: "",
    };
  }

  // The rounds of calls in order; a call out of turn stays in its player's column.
  auction(states, actions) {
    const { auction } = this.texts, count = this.names.length, rows = [];
    if (!auction) return null;
    const seats = this.names.map((_, step) => (states[0].turn - 1 + step) % count);
    let column = count;
    for (let ply = 1; ply < states.length; ply += 1) {
      const action = actions[ply - 1], call = auction.calls[action.slice(2)];
      if (!call) continue;
      const own = seats.indexOf(Number(action[0]) - 1);
      if (own < column || !rows.length) rows.push(seats.map(() => null));
      column = own + 1;
      // a call against the rules that changed nothing does not count
      const counts = auction.fields.some((field) => states[ply].field(field) !== states[ply - 1].field(field));
      rows.at(-1)[own] = { ...call, ply, counts };
    }
    return { title: auction.title, seats, rows };
  }

  event(action) {
    const seat = Number(action[0]) - 1, who = this.names[seat] ?? "?";
    return { text: this.fill("acts", { who, action: this.spokenAction(action) }), actor: who === "?" ? null : seat, why: "" };
  }

  ply(state, before, action) {
    const isNow = Boolean(state.field("on_table"));
    const table = isNow ? state.table : state.last;
    const trick = isNow ? state.trick : state.trick - 1, ended = before && state.trick > before.trick;
    const led = trick >= 0 && table.some((card) => card !== null);
    const winner = !isNow || ended ? state.leader - 1 : Number(state.field("trick_winner"));
    const event = before ? this.event(action) : { text: this.fill("starts", { who: this.names[state.turn - 1] }), actor: null, why: "" };
    const covered = before ? table[event.actor] : null;
    const { points } = state, { sides } = this.texts, cards = state.cardPoints ?? points;
    return {
      ...event,
      also: before ? this.outcome(state, before) : [],
      veiled: null,
      turns: this.turns(state),
      due: "",
      ...this.legal(state),
      card: covered && isCard(covered, action.slice(2)) ? covered : null,
      table,
      table_of: isNow ? "now" : "last",
      lead: led ? Number(state.field("leads")[trick]) : null,
      trick_winner: winner >= 0 ? winner : null,
      piles: this.piles(state),
      facts: this.facts(state),
      sides: sides.map((_, side) => ({ points: cards[side], lines: [] })),
      seats: state.hands.map((hand, seat) => {
        const own = { hand, seen: [], fresh: [], notes: [], lines: [], bid: null };
        return { ...own, points: sides.length ? null : points[seat] };
      }),
    };
  }

  // The piles of the table, as the game describes them: a field is set unless it is -1.
  piles(state) {
    const value = (name) => (typeof name === "number" ? name : Number(state.field(name))), isSet = (name) => value(name) >= 0;
    const found = [];
    for (const { label, left: [whole, ...removed], less, needs, until, card, note, empty } of this.texts.piles) {
      const left = removed.reduce((count, name) => count - value(name), value(whole)) - (less && isSet(less) ? 1 : 0);
      const isOver = until && !value(until[0]) && isSet(until[1]);
      if (isOver || (needs && !isSet(needs)) || (left <= 0 && !empty)) continue;
      if (!card) found.push({ label, card: null, count: left, note: left ? "" : empty });
      else found.push({ label, card: this.cardAt(state, ...card), count: null, note: note && isSet(note[0]) ? note[1] : "" });
    }
    return found;
  }

  // A card of a state: that of a field, or the last of a row.
  cardAt(state, field, length = null) {
    const code = length === null ? state.field(field) : state.field(field)[state.field(length) - 1];
    return this.parts.table.pack[code] ?? null;
  }

  outcome(state, before) {
    const found = [];
    if (state.trick > before.trick) found.push(this.fill("takes", { who: this.names[state.leader - 1] }));
    const called = this.texts.sides.length ? this.sides : this.names;
    if (state.over && !before.over && state.winner) found.push(this.fill("wins", { who: called[state.winner - 1] }));
    return found;
  }

  // The seats to act: those that owe an action first, where the game has such, else the one whose turn it is.
  turns(state) {
    const owed = state.has("owed") ? Number(state.field("owed")) : 0;
    if (state.over) return [];
    return owed ? state.hands.flatMap((_, seat) => ((owed >> seat) & 1 ? [seat] : [])) : [state.turn - 1];
  }

  // The cards of who is to act that may be played or turned, and the other acts in words.
  legal(state) {
    const legal = new Set(), may = [], turns = this.turns(state);
    for (const action of state.over ? [] : state.legal) {
      const seat = Number(action[0]) - 1, word = action.slice(2);
      if (!turns.includes(seat)) continue;
      const card = state.hands[seat].find((one) => isCard(one, word.split(" ").at(-1)));
      if (card) legal.add(card);
      else if (!this.texts.rare.includes(word)) may.push(this.spoken(word));
    }
    return { legal: [...legal], may };
  }

  facts(state) {
    const { page, suits } = this.common, trump = state.has("trump") ? Number(state.field("trump")) : -1;
    const suit = Object.keys(suits)[trump];
    const found = [{ label: page.tricks, text: String(state.trick), suit: "" }];
    return suit ? [...found, { label: page.trump, text: suits[suit], suit }] : found;
  }

  comments(deal, count) {
    const { players } = this.log; // authors are players by id, else by name
    const known = [...players.map(({ id }) => id), ...players.map((player) => player.name ?? null)];
    const found = (deal.comments ?? []).map(({ by = null, after, text }) => {
      const seat = by && known.includes(by) ? known.indexOf(by) % players.length : null;
      const author = seat === null ? plainLine(by ?? "") : this.names[seat];
      const who = author ? this.fill("comments", { who: author }) : this.common.page.comment;
      return { ply: Math.max(0, Math.min(after, count - 1)), who, text, seat };
    });
    return found.sort((one, other) => one.ply - other.ply);
  }

  // The findings of the whole match, then those of a deal.
  findings(number, plies) {
    const own = this.report.findings.filter((one) => one.deal_index === null || one.deal_index === number);
    const found = own.map((one) => {
      const ply = one.deal_index === null ? null : Math.min((one.action_index ?? plies) + 1, plies - 1);
      return { ply, rule: one.rule, severity: one.severity, text: this.sentence(one) };
    });
    return found.sort((one, other) => (one.ply ?? -1) - (other.ply ?? -1));
  }

  about({ code, rule }) {
    const { codes } = this.common;
    return codes[`${rule === "format" ? "" : this.game}:${code}`] ?? Object.entries(codes).find(([key]) => key.endsWith(`:${code}`))?.[1];
  }

  // A finding in words: the sentence of its code, or the title of its rule.
  sentence(finding) {
    const about = this.about(finding);
    if (!about?.sentence) return about?.title ?? finding.code;
    const { seat, hand } = finding, value = (one) => this.value(one, about.kind, finding.path);
    return filled(about.sentence, {
      who: this.names[seat - 1] ?? "–",
      found: value(finding.found),
      legal: value(finding.legal),
      hand: this.value(hand, "ACTS"),
    });
  }

  value(value, kind, path = "") {
    const isWinner = kind === "WINNER" || (kind === "DECLARED" && path.endsWith("/winner"));
    if (Array.isArray(value)) return value.slice(0, 60).map((one) => this.value(one, kind, path)).join(", ") || "–";
    if (value === null || value === undefined) return "–";
    if (typeof value === "object") return JSON.stringify(value).slice(0, 100);
    if (isWinner) return (this.texts.sides.length ? this.sides : this.names)[value - 1] ?? String(value);
    if (kind === "SEATS") return this.names[value - 1] ?? String(value);
    return typeof value === "string" && kind !== "TEXT" ? this.spokenAction(value).slice(0, 100) : String(value).slice(0, 100);
  }

  // Pictures and names of the cards that are seen.
  faces(plies) {
    if (!this.texts.own) return this.texts.faces;
    const cards = new Set(plies.flatMap((ply) => [...ply.table, ...ply.seats.flatMap((seat) => seat.hand)]));
    cards.delete(null);
    return Object.fromEntries([...cards].map((card) => [card, this.face(card)]));
  }

  face(card) {
    if (!this.drawn.has(card)) {
      const { head, colours } = this.texts.own;
      const [upper, lower] = card.split("/").map((face, i) => {
        const number = face.slice(1), [short, long] = colours[face[0]][i ? "lower" : "upper"];
        return filled(number.length > 1 ? long : short, { n: number });
      });
      this.drawn.set(card, { src: `data:image/svg+xml,${encodeURIComponent(`${head}${upper}${lower}</svg>`)}`, label: this.spoken(card) });
    }
    return this.drawn.get(card);
  }
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);
}

const HIDING_SIGNS = /[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// A name in one line, without characters that reverse or hide text.
function plainLine(text) {
  return String(text).replace(HIDING_SIGNS, "\ufffd");
}

function isCard(card, word) {
  return card === word || card.startsWith(`${word}/`);
}
