// A game's kernel: the functions of its .wasm, and the records in its memory they work on.
// No rule is here; the layout of the records comes from the game's table.

const READERS = {
  b1: "getUint8", i1: "getInt8", u1: "getUint8", i2: "getInt16", u2: "getUint16",
  i4: "getInt32", u4: "getUint32", i8: "getBigInt64", u8: "getBigUint64",
};
const WRITERS = { i1: "setInt8", u1: "setUint8", i2: "setInt16", i4: "setInt32", i8: "setBigInt64" };
const MAX_LEGAL = 2048;

export class Kernel {
  constructor(exports, table) {
    this.call = exports;
    this.table = table;
    this.end = exports.__heap_base.value;
    this.state = this.room(table.records.state.size);
    this.match = this.room(table.records.match.size);
    this.rules = this.room(table.records.rules.size);
    this.deck = this.room(table.exampleDeck.length);
    this.codes = this.room(2 * MAX_LEGAL);
    this.numbers = this.room(8 * 16);
  }

  // Lay out a record once and for all: the memory of a kernel does not grow with use.
  room(size) {
    const at = (this.end + 15) & ~15;
    this.end = at + size;
    const missing = this.end - this.call.memory.buffer.byteLength;
    if (missing > 0) this.call.memory.grow(Math.ceil(missing / 65536));
    return at;
  }

  bytes(at, size) {
    return new Uint8Array(this.call.memory.buffer, at, size);
  }

  copy(record) {
    return this.bytes(this[record], this.table.records[record].size).slice();
  }

  paste(record, bytes) {
    this.bytes(this[record], bytes.length).set(bytes);
  }

  clear(record) {
    this.bytes(this[record], this.table.records[record].size).fill(0);
  }

  // Return a field of a record: a number, a BigInt for a mask of cards, or an array of either.
  get(record, name) {
    return readField(this.table, record, this.bytes(this[record], this.table.records[record].size), name);
  }

  set(record, name, values) {
    const [offset, kind] = this.table.records[record].fields[name];
    const view = new DataView(this.call.memory.buffer, this[record] + offset);
    const size = Number(kind.slice(1));
    [values].flat(3).forEach((value, i) => view[WRITERS[kind]](i * size, size === 8 ? BigInt(value) : value, true));
  }

  has(record, name) {
    return name in this.table.records[record].fields;
  }

  // Write whole numbers where the kernel reads declared ones.
  declare(values) {
    const cells = new BigInt64Array(this.call.memory.buffer, this.numbers, 16).fill(0n);
    values.slice(0, 16).forEach((value, i) => (cells[i] = BigInt(value)));
    return this.numbers;
  }

  start(players, dealer, row, explicit) {
    this.clear("state");
    this.bytes(this.deck, row.length).set(row);
    this.call.start(this.state, this.rules, players, dealer, this.deck, Number(explicit));
  }

  step(code) {
    return this.call.step(this.state, this.rules, code);
  }

  check(code) {
    return this.call.check(this.state, this.rules, code);
  }

  legal() {
    const count = this.call.legal(this.state, this.rules, this.codes);
    return [...new Uint16Array(this.call.memory.buffer, this.codes, count)];
  }

  points(players) {
    const sides = this.table.partners ? players / 2 : players;
    return Array.from({ length: sides }, (_, side) => this.call.total(this.state, side));
  }

  // The points of the cards of each side; null where a game counts nothing else.
  cardPoints(players) {
    if (!this.call.points) return null;
    return Array.from({ length: players / 2 }, (_, side) => this.call.points(this.state, side));
  }
}

export function readField(table, record, bytes, name) {
  const [offset, kind, shape] = table.records[record].fields[name];
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  const size = Number(kind.slice(1));
  const length = shape.reduce((all, one) => all * one, 1);
  if (!shape.length) return view[READERS[kind]](0, true);
  return Array.from({ length }, (_, i) => view[READERS[kind]](i * size, true));
}

// The faults in a set from the kernel, gravest first; a set may have more bits than `&` reads.
export function faultsIn(rows, set) {
  if (!set) return [];
  const found = rows.filter((_, bit) => Math.floor(set / 2 ** bit) % 2).map(faultOf);
  const gravity = (one) => (one.impossible ? 0 : one.severity === "error" ? 1 : 2);
  return found.sort((one, other) => gravity(one) - gravity(other));
}

export function faultOf([code, rule, severity, impossible, dependsOn, key]) {
  return { code, rule, severity, impossible, dependsOn, key };
}

export function faultByCode(table, code, first = "faults") {
  const tables = first === "faults" ? [table.faults, table.matchFaults] : [table.matchFaults, table.faults];
  return faultOf(tables.flat().find((row) => row[0] === code));
}
