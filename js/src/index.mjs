// What the package offers: `load` a game, `check` a log, record a match.

import { checkLog } from "./check.mjs";
import { readLog } from "./document.mjs";
import { Kernel } from "./kernel.mjs";
import { Recorder } from "./recorder.mjs";
import { SHARED } from "./shared.mjs";
import { statesOf } from "./states.mjs";

const loading = new Map();

export const games = Object.freeze([...SHARED.games]);
export const rulesVersion = SHARED.rulesVersion;

// Load a game once; `parts` are its `.wasm` and its table where the caller has them already.
export function load(name, parts = null) {
  if (!SHARED.games.includes(name)) {
    return Promise.reject(new RangeError(`no game is called ${name}: ${SHARED.games.join(", ")}`));
  }
  if (parts) return make(parts.wasm, parts.table);
  if (!loading.has(name)) {
    const made = Promise.all([fetchBytes(`${name}.wasm`), fetchBytes(`${name}.json`)]).then(([wasm, table]) =>
      make(wasm, JSON.parse(new TextDecoder().decode(table))),
    );
    made.catch(() => loading.delete(name)); // the next one asks again
    loading.set(name, made);
  }
  return loading.get(name);
}

// Check a log of any game, which is loaded if need be.
export async function check(log) {
  const { value } = readLog(log);
  const name = SHARED.games.includes(value?.game) ? value.game : SHARED.games[0];
  return (await load(name)).check(log);
}

async function make(wasm, table) {
  const { instance } = await WebAssembly.instantiate(wasm, {});
  return new Game(instance.exports, table);
}

async function fetchBytes(file) {
  const url = new URL(file, import.meta.url);
  if (url.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

class Game {
  #words = new Map();

  constructor(exports, table) {
    this.name = table.game;
    this.players = table.players;
    this.presets = Object.keys(table.presets);
    this.table = table;
    this.kernel = new Kernel(exports, table);
    this.kinds = table.kinds.flatMap(([kind, count]) => Array(count).fill(kind));
  }

  // Check a log: an object, or its text.
  check(log) {
    return checkLog(this, log);
  }

  // Return the states of each deal, before its first action and after each.
  states(log) {
    return statesOf(this, log);
  }

  legal(state) {
    return state.legal;
  }

  record(keys) {
    return new Recorder(this, keys);
  }

  kindOf(act) {
    return this.kinds[act];
  }

  wordsOf(faces) {
    const key = faces.join();
    if (!this.#words.has(key)) {
      if (this.#words.size > 16) this.#words.clear();
      this.#words.set(key, new Words(this.table.acts, faces));
    }
    return this.#words.get(key);
  }
}

// Words of acts ↔ numbers; where a match has its own deck, its faces are among them.
class Words {
  constructor(acts, faces) {
    this.acts = new Map();
    for (const [word, act] of Object.entries(acts)) {
      if (!word.includes("{}")) this.acts.set(word, act);
      else faces.forEach((face, i) => this.acts.set(word.replace("{}", face), act + i));
    }
    this.names = new Map([...this.acts].map(([word, act]) => [act, word]));
  }

  code(action) {
    const seat = action.charCodeAt(0) - 49;
    const act = action[1] === " " && seat >= 0 && seat < SHARED.maxSeats ? this.acts.get(action.slice(2)) : undefined;
    return act === undefined ? SHARED.unknownAct : (seat << SHARED.seatShift) | act;
  }

  word(code) {
    return `${(code >> SHARED.seatShift) + 1} ${this.names.get(code & SHARED.actMask)}`;
  }
}

export { Recorder };
