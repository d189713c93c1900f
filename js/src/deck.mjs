// From the cards of a log to the row of bytes that a kernel deals from, and back to hands.
// A pack is the same in every match; an own deck is part of the match, as are its bid cards.

import { pointer } from "./json.mjs";
import { SHARED } from "./shared.mjs";

const problem = (code, path, found, allowed = []) => ({ code, path, found, allowed });

export function deckOf(log, table, kernel) {
  return table.ownDeck ? new OwnDeck(log, table, kernel) : new Pack(log, table, kernel);
}

class Pack {
  constructor(log, table, kernel) {
    Object.assign(this, { table, kernel, players: log.players.length, faces: [], problems: [] });
    this.codes = new Map(table.pack.map((name, code) => [name, code]));
    this.size = kernel.call.hand_size(this.players);
    this.rest = table.pack.length - this.size * this.players;
  }

  // Return the row, with a hidden card where none is recorded; null if there are problems.
  row(deal, problems) {
    const { table, players } = this;
    const cards = (text, count) => (text === SHARED.hiddenWord ? Array(count).fill(text) : text.split(" "));
    const fields = table.shape.keys.deals[0][0].keys;
    const known = (key) => (key in fields ? (deal[key] ?? null) : null);
    let order;
    if (known("deck") !== null) {
      const instead = this.rest ? ["hands", "talon"] : ["hands"];
      const present = ["deck", ...instead].filter((key) => known(key) !== null);
      if (present.length > 1) {
        problems.push(problem("deal-missing", "", present, ["deck", instead.join(" + ")]));
        return null;
      }
      order = cards(deal.deck, table.pack.length);
      problems.push(...this.cardProblems(new Map([["/deck", [order, table.pack.length]]])));
    } else {
      const hands = known("hands") ?? Array(players).fill(SHARED.hiddenWord);
      if (hands.length !== players) {
        problems.push(problem("deck-size", "/hands", hands.length, [String(players)]));
        return null;
      }
      const talon = cards(known("talon") ?? SHARED.hiddenWord, this.rest);
      const dealer = deal[table.opens] - 1, lie = this.places(dealer);
      const size = lie ? this.size : this.sizeBeforePlay(hands, dealer);
      const held = hands.map((hand) => cards(hand, size));
      const places = new Map(held.map((hand, seat) => [`/hands/${seat}`, [hand, size]]));
      problems.push(...this.cardProblems(places.set("/talon", [talon, this.rest])));
      if (problems.length) return null;
      const dealt = [...held.flat(), ...talon];
      order = lie ? Array(table.pack.length) : this.orderByPlay(held, dealer, deal.actions ?? []);
      lie?.forEach((place, i) => (order[place] = dealt[i]));
    }
    return problems.length ? null : order.map((card) => this.codes.get(card) ?? SHARED.hiddenCard);
  }

  // Return where in dealing order the cards of each hand lie, then those of the talon as drawn; null if
  // who gets a card is decided by play.
  places(dealer) {
    const { kernel, players, size, rest } = this;
    const held = Array.from({ length: players }, () => []);
    for (let place = 0; place < size * players; place++) {
      const seat = kernel.call.receiver(kernel.rules, players, dealer, place);
      if (seat < 0) return null;
      held[seat].push(place);
    }
    const turn = (_, i) => size * players + kernel.call.talon_place(kernel.rules, rest, i);
    return [...held.flat(), ...Array.from({ length: rest }, turn)];
  }

  // Return the size of hands where play decides who gets the last cards: smaller if all are those dealt before.
  sizeBeforePlay(hands, dealer) {
    const { kernel, players, size } = this;
    let first = 0;
    while (kernel.call.receiver(kernel.rules, players, dealer, first) >= 0) first++;
    const written = hands.filter((hand) => hand !== SHARED.hiddenWord);
    const isFirst = written.length && written.every((hand) => hand.split(" ").length === first / players);
    return isFirst ? first / players : size;
  }

  // Return the pack in dealing order where a taking decides who gets the last cards; what no hand shows is hidden.
  orderByPlay(held, dealer, actions) {
    const { kernel, players, size, table, codes } = this;
    const order = Array(table.pack.length).fill(SHARED.hiddenWord), places = held.map(() => []);
    let next = 0;
    for (let seat; (seat = kernel.call.receiver(kernel.rules, players, dealer, next)) >= 0; next++) places[seat].push(next);
    const shown = next, isFirst = held[0].length < size;
    const at = actions.findIndex((word) => word[1] === " " && word[0] > "0" && word[0] <= players && word.slice(2) in table.takings);
    if (at < 0 && !isFirst) return order;
    const hands = isFirst ? held : held.map((hand) => [...hand].sort((one, other) => codes.get(one) - codes.get(other)));
    if (!isFirst) {
      const declarer = actions[at][0] - 1, strain = table.takings[actions[at].slice(2)], hand = hands[declarer];
      // in the first round the suit taken is that of the card turned up, in the second it is not
      const mayBeShown = (card) => (Math.floor(codes.get(card) / table.ranks.length) === strain) === (at < players);
      hand.splice(shown / players, 0, ...hand.splice(Math.max(hand.findIndex(mayBeShown), 0), 1));
      places[declarer].push(next++);
      for (let step = 1; step <= players; step++) {
        const own = places[(dealer + step) % players];
        while (own.length < size) own.push(next++);
      }
    }
    places.forEach((own, seat) => own.forEach((place, i) => (order[place] = hands[seat][i])));
    return order;
  }

  cardProblems(places) {
    const found = [], counts = new Map();
    for (const [path, [cards]] of places) {
      for (const card of cards) {
        if (!this.codes.has(card) && card !== SHARED.hiddenWord) found.push(problem("deck-card", path, card));
        counts.set(card, (counts.get(card) ?? 0) + 1);
      }
    }
    for (const [path, [cards, size]] of places) {
      if (cards.length !== size) found.push(problem("deck-size", path, cards.length, [String(size)]));
    }
    const missing = this.table.pack.filter((card) => !counts.has(card));
    for (const [path, [cards]] of places) {
      for (const card of new Set(cards)) {
        if (counts.get(card) > 1 && this.codes.has(card)) {
          found.push(problem("duplicate-card", path, card, missing));
          counts.set(card, 1); // one problem per card
        }
      }
    }
    return found;
  }

  isUnrecorded(deal) {
    return !deal.hands?.length && !deal.deck;
  }

  // Return the cards in a mask as players sort a hand: by suit, strongest first, trumps in their own order.
  names(mask, state) {
    const { pack, ranks, trumpOrder } = this.table, found = [];
    const byRank = [...Array(ranks.length).keys()].reverse();
    const asTrumps = trumpOrder && [...byRank].sort((one, other) => trumpOrder.strength[other] - trumpOrder.strength[one]);
    const trump = trumpOrder && !state.field("bidding") ? state.field(trumpOrder.field) : -1;
    for (let suit = 0; suit * ranks.length < pack.length; suit++) {
      for (const rank of trump === suit || trump === trumpOrder?.allTrumps ? asTrumps : byRank) {
        const card = suit * ranks.length + rank;
        if ((mask >> BigInt(card)) & 1n) found.push(pack[card]);
      }
    }
    return found;
  }

  card(code) {
    return code < 0 ? null : this.table.pack[code];
  }

  seatFindings() {
    return [];
  }
}

class OwnDeck {
  constructor(log, table, kernel) {
    Object.assign(this, { table, kernel, own: table.ownDeck, players: log.players.length, faces: [], problems: [] });
    const cards = this.cardsOf(log.deck ?? null);
    const bids = log.bid_cards ?? this.own.bids;
    this.problems.push(...this.bidProblems(bids));
    if (!this.problems.length) this.equip(cards, bids);
  }

  cardsOf(deck) {
    if (Array.isArray(deck)) {
      this.problems.push(...this.deckProblems(deck));
      return deck;
    }
    if (typeof deck === "string" && Object.hasOwn(this.own.decks, deck)) return this.own.decks[deck];
    this.problems.push(problem("deck-unknown", "/deck", deck, Object.keys(this.own.decks)));
    return [];
  }

  face(text) {
    const found = new RegExp(`^([${this.own.colours}])(0|[1-9][0-9]{0,2})$`).exec(text);
    return found && !text.endsWith("\n") ? [this.own.colours.indexOf(found[1]), Number(found[2])] : null;
  }

  deckProblems(cards) {
    const { cardCount } = this.own, found = [], seen = new Map();
    if (cards.length !== cardCount) found.push(problem("deck-size", "/deck", cards.length, [String(cardCount)]));
    for (const [at, card] of cards.entries()) {
      const names = card.split("/");
      if (names.length !== 2 || !names.every((name) => this.face(name))) {
        found.push(problem("card-syntax", `/deck/${at}`, card, ["b3/y30"]));
        continue;
      }
      for (const name of names) {
        if (seen.has(name)) found.push(problem("duplicate-face", `/deck/${at}`, name, [String(seen.get(name) + 1)]));
        else seen.set(name, at);
      }
    }
    return found;
  }

  bidProblems(bids) {
    const { bidCount } = this.own, found = [], wrong = (path, what) => found.push(problem("bid-cards", path, what));
    const cards = Object.entries(bids);
    if (cards.length !== bidCount) found.push(problem("bid-cards", "/bid_cards", cards.length, [String(bidCount)]));
    for (const [name, bid] of cards) {
      const where = "/bid_cards" + pointer(name), met = new Set();
      if (!Object.keys(bid).length) wrong(where, {});
      for (const [tricks, points] of Object.entries(bid)) {
        const covered = this.tricksCovered(tricks);
        const again = covered.some((one) => met.has(one));
        if (!covered.length || again || !(points >= 0 && points <= 1000)) wrong(`${where}/${tricks}`, points);
        covered.forEach((one) => met.add(one));
      }
    }
    return found;
  }

  tricksCovered(text) {
    const found = /^([0-8])(\+?)$/.exec(text);
    if (!found || text.endsWith("\n")) return [];
    const low = Number(found[1]);
    return Array.from({ length: found[2] ? this.own.maxTricks - low + 1 : 1 }, (_, i) => low + i);
  }

  // Number the faces and the bid cards, and write them into the kernel's record of the rules.
  equip(cards, bids) {
    const { own, kernel } = this, less = (one, other) => (one < other ? -1 : Number(one > other));
    const order = (one, other) => one.face[0] - other.face[0] || one.face[1] - other.face[1] || less(one.name, other.name);
    const both = cards.map((card) => card.split("/").map((name) => ({ name, face: this.face(name) })).sort(order));
    const faces = both.sort(([one, back], [other, under]) => order(one, other) || order(back, under)).flat();
    this.faces = faces.map(({ name }) => name);
    this.codes = new Map(this.faces.map((name, code) => [name, code]));
    this.colour = faces.map(({ face }) => face[0]);
    this.value = faces.map(({ face }) => face[1]);
    this.bidNames = Object.keys(bids).sort(byCodePoint);
    const points = this.bidNames.map((name) => {
      const row = Array(own.maxTricks + 1).fill(own.notMet);
      for (const [tricks, scored] of Object.entries(bids[name])) this.tricksCovered(tricks).forEach((one) => (row[one] = scored));
      return row;
    });
    const masks = [0, 1].map((side) =>
      [...own.colours].map((_, colour) =>
        cards.reduce((mask, _, card) => (this.colour[2 * card + side] === colour ? mask | (1n << BigInt(card)) : mask), 0n),
      ),
    );
    kernel.set("rules", "colour", this.colour);
    kernel.set("rules", "value", this.value);
    kernel.set("rules", "bid_points", points);
    kernel.set("rules", "cards", masks);
  }

  faceUp(card) {
    const [active, back = ""] = card.split(/\/(.*)/s);
    const code = this.codes.get(active);
    return code !== undefined && this.codes.get(back) === (code ^ 1) ? code : null;
  }

  row(deal, problems) {
    const { own, players } = this, found = [], held = new Set(), hidden = SHARED.hiddenWord;
    const tricks = this.kernel.get("rules", "tricks");
    const hands = deal.hands?.length ? deal.hands : Array(players).fill(hidden);
    const bids = deal.bids ?? [];
    if (hands.length !== players) found.push(problem("hand-size", "/hands", hands.length, [String(players)]));
    if (bids.length !== players) found.push(problem("bid-count", "/bids", bids.length, [String(players)]));
    const row = new Array(own.rowLength).fill(own.noFace);
    for (const [seat, hand] of hands.entries()) {
      const path = `/hands/${seat}`, written = hand === hidden ? Array(tricks).fill(hidden) : hand.split(" ");
      if (written.length !== tricks) found.push(problem("hand-size", path, written.length, [String(tricks)]));
      for (const [at, card] of written.entries()) {
        const up = card === hidden ? SHARED.hiddenCard : this.faceUp(card);
        if (up === null) {
          found.push(problem("hand-card", path, card));
          continue;
        }
        if (card !== hidden) {
          if (held.has(up >> 1)) found.push(problem("duplicate-hand-card", path, card));
          held.add(up >> 1);
        }
        if (seat < players && at < own.handSize) row[seat * own.handSize + at] = up;
      }
    }
    for (const [seat, bid] of bids.entries()) {
      const code = this.bidNames.indexOf(bid);
      if (code < 0) found.push(problem("bid-unknown", `/bids/${seat}`, bid, this.bidNames));
      else if (seat < players) row[own.bidsOffset + seat] = code;
    }
    if (found.some(({ code }) => code === "duplicate-hand-card")) this.suggest(deal, found);
    problems.push(...found);
    return found.length ? null : row;
  }

  // For a card dealt twice, name those that were played and are in no hand.
  suggest(deal, found) {
    const sides = (deal.hands ?? []).flatMap((hand) => hand.replaceAll("/", " ").split(" "));
    const there = new Set(sides.filter((side) => this.codes.has(side)).map((side) => this.codes.get(side) >> 1));
    const words = (deal.actions ?? []).map((action) => action.split(/ (.*)/s)[1] ?? "");
    const played = new Set(words.filter((word) => this.codes.has(word)).map((word) => this.codes.get(word)));
    const missing = [...played].filter((face) => !there.has(face >> 1)).map((face) => this.card(face));
    for (const one of found) if (one.code === "duplicate-hand-card") one.allowed = missing;
  }

  isUnrecorded(deal) {
    return !deal.hands?.length;
  }

  card(face) {
    return face < 0 ? null : `${this.faces[face]}/${this.faces[face ^ 1]}`;
  }

  names(mask, state) {
    const up = [], side = state.field("side");
    for (let card = 0; card < this.faces.length / 2; card++) {
      if ((mask >> BigInt(card)) & 1n) up.push(2 * card + Number((side >> BigInt(card)) & 1n));
    }
    const place = (face) => (this.colour[face] + 1) % this.own.colours.length;
    return up.sort((one, other) => place(one) - place(other) || this.value[other] - this.value[one]).map((face) => this.card(face));
  }

  // Return each seat that bids a card no longer in the game.
  seatFindings(code, deal) {
    if (code !== "bid-already-used") return [];
    const bid = this.kernel.get("state", "bid"), spent = this.kernel.get("match", "spent"), found = [];
    for (let seat = 0; seat < this.players; seat++) {
      if (bid[seat] < 0 || !((spent[seat] >> bid[seat]) & 1)) continue;
      const legal = this.bidNames.filter((_, one) => !((spent[seat] >> one) & 1));
      found.push({ path: `/bids/${seat}`, seat: seat + 1, found: deal.bids[seat], legal });
    }
    return found;
  }
}

function byCodePoint(one, other) {
  const [own, others] = [[...one], [...other]].map((signs) => signs.map((sign) => sign.codePointAt(0)));
  const at = own.findIndex((sign, i) => sign !== others[i]);
  return at < 0 ? own.length - others.length : at < others.length ? own[at] - others[at] : 1;
}
