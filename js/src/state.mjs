// A state of a deal, as a board shows it: what lies where, whose turn it is, what it comes to.

import { readField } from "./kernel.mjs";
import { SHARED } from "./shared.mjs";

export class State {
  #game;
  #deck;
  #players;
  #bytes;
  #rules;

  constructor(game, deck, players, bytes) {
    [this.#game, this.#deck, this.#players, this.#bytes] = [game, deck, players, bytes];
    this.#rules = game.kernel.copy("rules");
  }

  field(name) {
    return readField(this.#game.table, "state", this.#bytes, name);
  }

  has(name) {
    return name in this.#game.table.records.state.fields;
  }

  seats(name) {
    return this.field(name).slice(0, this.#players);
  }

  // The cards of each seat, as players sort a hand.
  get hands() {
    return this.seats("hand").map((mask) => this.#deck.names(mask, this));
  }

  get table() {
    return this.seats("table").map((card) => this.#deck.card(card));
  }

  // The last complete trick, by seat.
  get last() {
    return this.seats("last").map((card) => this.#deck.card(card));
  }

  get dealer() {
    return this.field("dealer") + 1;
  }

  get leader() {
    return this.field("leader") + 1;
  }

  get turn() {
    return this.field("turn") + 1;
  }

  // The number of complete tricks.
  get trick() {
    return this.field("trick");
  }

  get outcome() {
    return this.field("outcome");
  }

  // Whether the deal accepts no further action.
  get over() {
    return this.field("over") === this.#game.table.over;
  }

  // The seat or side that won the deal, from 1; 0 for none, null while that is open.
  get winner() {
    const winner = this.field("winner");
    return winner === this.#game.table.noSeat ? null : Math.max(winner + 1, 0);
  }

  get points() {
    this.#load();
    return this.#game.kernel.points(this.#players);
  }

  // The points of the cards that each side has won; null where `points` are those.
  get cardPoints() {
    this.#load();
    return this.#game.kernel.cardPoints(this.#players);
  }

  // All actions the rules allow now, by any seat, as a log writes them.
  get legal() {
    this.#load();
    const words = this.#game.wordsOf(this.#deck.faces);
    return this.#game.kernel.legal().map((code) => words.word(code));
  }

  toJSON() {
    const { hands, table, last, dealer, leader, turn, trick, over, winner, points } = this;
    return { hands, table, last, dealer, leader, turn, trick, over, winner, points };
  }

  #load() {
    this.#game.kernel.paste("rules", this.#rules);
    this.#game.kernel.paste("state", this.#bytes);
  }
}

// A state before play has dealt all cards: one for each way they may lie, of which `known` are known.
export class OpeningState extends State {
  #states;
  #known;

  constructor(game, deck, players, ways, known) {
    super(game, deck, players, ways[0]);
    this.#states = ways.map((bytes) => new State(game, deck, players, bytes));
    this.#known = known;
  }

  get hands() {
    return super.hands.map((hand) => knownCards(hand, this.#known));
  }

  // All actions that may be legal.
  get legal() {
    return [...new Set(this.#states.flatMap((state) => state.legal))];
  }
}

// Return the cards of a hand that are known, then a hidden one for each other; `known` is missing where all are.
export function knownCards(hand, known) {
  if (!known) return hand;
  const found = hand.filter((card) => known.has(card));
  return [...found, ...Array(hand.length - found.length).fill(SHARED.hiddenWord)];
}
