// The document of a log: is it of the format, has it the right types, keys, rules and players.

import { abbreviated, pointer, scanKeys } from "./json.mjs";
import { SHARED } from "./shared.mjs";

export function documentFinding(code, path = "", found = null, legal = null, fields = {}) {
  const severity = fields.severity ?? SHARED.severities[code];
  return finding({ code, rule: "format", severity, path, found, legal, ...fields });
}

export function finding(fields) {
  const places = { manche: null, partie: null, deal_index: null, trick: null, card: null, action_index: null, seat: null };
  const { code, rule, severity, path, ...others } = fields;
  return { code, rule, severity, path, ...places, found: null, legal: null, hand: null, follows: null, ...others };
}

// Return the value of a log, or a finding. An object is read as the JSON that it would be written as.
export function readLog(log) {
  const isText = typeof log === "string", isBytes = log instanceof Uint8Array || log instanceof ArrayBuffer;
  const failed = (code) => ({ value: null, findings: [documentFinding(code)], duplicates: [] });
  let text = log;
  if (!isText && !isBytes) {
    try {
      text = JSON.stringify(log) ?? "";
    } catch {
      return failed("not-json"); // it holds itself, or what JSON has no word for
    }
  } else if (isBytes) {
    if (log.byteLength > SHARED.maxBytes) return failed("too-long");
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(log);
    } catch {
      return failed("not-utf8");
    }
  }
  if (text.length > SHARED.maxBytes) return failed("too-long");
  try {
    const value = JSON.parse(text);
    const { duplicates, bad } = scanKeys(text, SHARED.maxDuplicates);
    return bad || hasLoneSurrogates(text) ? failed("not-json") : { value, findings: [], duplicates, length: text.length };
  } catch {
    return failed("not-json");
  }
}

// Whether a text has half of a character, which JSON.parse lets pass.
function hasLoneSurrogates(text) {
  const lone = /[\ud800-\udfff]/u;
  if (lone.test(text)) return true;
  let found = false;
  if (/\\u[dD][89a-fA-F]/.test(text)) {
    JSON.parse(text, (key, value) => {
      found ||= lone.test(key) || (typeof value === "string" && lone.test(value));
      return value;
    });
  }
  return found;
}

// Return `{findings, fatal}`: a fatal finding leaves nothing to replay.
export function readDocument(value, table) {
  const stop = (...parts) => ({ findings: [documentFinding(...parts)], fatal: true });
  if (!isObject(value)) return stop("schema", "", abbreviated(value));
  if (value.format !== SHARED.format) return stop("format-version", "/format", abbreviated(value.format), [SHARED.format]);
  if (!SHARED.games.includes(value.game)) return stop("unknown-game", "/game", abbreviated(value.game), [...SHARED.games]);
  if (Array.isArray(value.deals) && value.deals.length > SHARED.maxDeals) {
    return stop("too-many-deals", "/deals", value.deals.length, SHARED.maxDeals);
  }
  const others = gamesOfCards(value);
  if (others.length === 1) return stop("other-game", "/game", value.game, others);
  if (others.length > 1) return { findings: [], fatal: false, isOfSeveralGames: true };
  const wrong = shapeProblems(value, table.shape);
  const found = wrong.size ? [...shapeFindings(wrong)] : [...semanticFindings(value, table)];
  const fatal = found.some((one) => SHARED.fatal.includes(one.code));
  for (const [path, key, within, keys] of unknownKeys(value, table.shape)) {
    const deal = path[0] === "deals" && typeof path[1] === "number" ? path[1] : null;
    found.push(documentFinding("unknown-key", pointer(...path, key), abbreviated(key), intendedKey(key, within, keys), { deal_index: deal }));
  }
  return { findings: found, fatal };
}

// Return the other games whose whole pack every deal has; none if a deal may be of the game named.
function gamesOfCards({ game, deals, players }) {
  if (!Array.isArray(deals) || !Array.isArray(players) || !(game in SHARED.packs)) return [];
  const dealt = deals.map(writtenHands).filter((hands) => hands.length);
  const fits = (name) => (hands) => fitsPack(SHARED.packs[name], hands, players.length);
  if (!dealt.length || dealt.some(fits(game))) return [];
  return Object.keys(SHARED.packs).filter((name) => dealt.every(fits(name)));
}

const MAX_HAND_CHARACTERS = 200; // more than any pack takes

// The cards of a deal that is written whole: by hand, a talon last, or a deck as one.
function writtenHands(deal) {
  if (!isObject(deal)) return [];
  const texts = typeof deal.deck === "string" ? [deal.deck] : Array.isArray(deal.hands) ? [...deal.hands] : [];
  if (typeof deal.talon === "string") texts.push(deal.talon);
  const hands = texts.map((text) => String(text).slice(0, MAX_HAND_CHARACTERS).split(" "));
  return hands.some((hand) => hand.includes(SHARED.hiddenWord)) ? [] : hands;
}

function fitsPack({ ranks, handSizes }, hands, players) {
  const pack = [...SHARED.suits].flatMap((suit) => [...ranks].map((rank) => rank + suit));
  if (!(players in handSizes) || String(hands.flat().sort()) !== String(pack.sort())) return false;
  return hands.length === 1 || hands.slice(0, players).every((hand) => hand.length === handSizes[players]);
}

export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const PLAIN = {
  str: (value) => typeof value === "string",
  text: (value) => typeof value === "string" && value.length > 0,
  int: (value) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64, // as Python reads them
  float: (value) => typeof value === "number",
  bool: (value) => typeof value === "boolean",
  null: (value) => value === null,
  any: () => true,
};

// Return pointer → the value found there (undefined: it is missing) of each part of the wrong type.
function shapeProblems(value, shape, path = "", problems = new Map()) {
  const wrong = () => problems.has(path) || problems.set(path, value);
  if (typeof shape === "string") {
    if (!PLAIN[shape](value)) wrong();
  } else if (Array.isArray(shape)) {
    if (!Array.isArray(value)) wrong();
    else value.forEach((one, i) => shapeProblems(one, shape[0], `${path}/${i}`, problems));
  } else if (shape.is) {
    if (!shape.is.includes(value)) wrong();
  } else if (shape.any) {
    if (value === null && shape.any.includes("null")) return problems;
    const found = shape.any.filter((one) => one !== "null").map((one) => shapeProblems(value, one, path));
    if (found.every((one) => one.size)) {
      for (const [at, what] of found.flatMap((one) => [...one])) if (!problems.has(at)) problems.set(at, what);
    }
  } else if (!isObject(value)) {
    wrong();
  } else if (shape.map) {
    for (const [key, one] of Object.entries(value)) shapeProblems(one, shape.map, path + pointer(key), problems);
  } else {
    for (const [key, [inner, required]] of Object.entries(shape.keys)) {
      if (Object.hasOwn(value, key)) shapeProblems(value[key], inner, path + pointer(key), problems);
      else if (required) problems.set(path + pointer(key), undefined);
    }
  }
  return problems;
}

function* shapeFindings(problems) {
  for (const [path, value] of problems) {
    const example = SHARED.examples.find(([part]) => new RegExp(`^(?:${part})$`).test(path));
    const legal = value === undefined ? null : (example?.[1] ?? null);
    const deal = /^\/deals\/(\d+)/.exec(path);
    yield documentFinding("schema", path, abbreviated(value), legal, { deal_index: deal && Number(deal[1]) });
  }
}

export function isResultOnly(log) {
  const { result } = log;
  return !log.deals?.length && !!result && (!!result.score?.length || (result.winner ?? null) !== null);
}

// What types cannot express: rules, players, date, places of comments.
function* semanticFindings(log, table) {
  const players = log.players.length;
  if (!("deals" in log) && !isResultOnly(log)) yield documentFinding("schema", "/deals");
  if (!table.players.includes(players)) {
    yield documentFinding("players-count", "/players", players, table.players.map(String));
  }
  const { unknown } = resolveRules(log.rules, players, table);
  if (unknown) {
    const path = isObject(log.rules) ? pointer(unknown.subject === "option" ? String(unknown.found) : unknown.subject) : "";
    yield documentFinding("unknown-rule", "/rules" + path, abbreviated(unknown.found), unknown.known);
  }
  const seen = new Set();
  for (const [seat, { id }] of log.players.entries()) {
    if (seen.has(id)) yield documentFinding("duplicate-player", pointer("players", seat, "id"), id);
    seen.add(id);
  }
  if ((log.played_at ?? null) !== null && !isMoment(log.played_at)) {
    yield documentFinding("date-format", "/played_at", abbreviated(log.played_at), "2026-03-15T14:00:00+01:00");
  }
  for (const [index, deal] of (log.deals ?? []).entries()) {
    const count = deal.actions?.length ?? 0;
    for (const [place, comment] of (deal.comments ?? []).entries()) {
      if (comment.after >= 0 && comment.after <= count) continue;
      const path = pointer("deals", index, "comments", place, "after");
      yield documentFinding("comment-place", path, comment.after, count, { deal_index: index });
    }
  }
}

const MOMENT =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt](([01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isMoment(text) {
  const found = MOMENT.exec(text);
  if (!found || text.endsWith("\n")) return false;
  const [, year, month, day, time, , , zone] = found;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number(year) < 1 || date.getUTCDate() !== Number(day)) return false;
  const moment = new Date(`${year}-${month}-${day}T${time}${zone.toUpperCase()}`).getUTCFullYear();
  return moment >= 1 && moment <= 9999;
}

// Return `{values}`: option → value of all options; or `{unknown}`: what the game does not have.
export function resolveRules(rules, players, table) {
  const { preset = Object.keys(table.presets)[0], ...chosen } = typeof rules === "string" ? { preset: rules } : (rules ?? {});
  const unknown = (subject, found, known) => ({ unknown: { subject, found, known } });
  if (typeof preset !== "string" || !Object.hasOwn(table.presets, preset)) {
    return unknown("preset", preset, Object.keys(table.presets));
  }
  const values = { ...table.presets[preset] };
  for (const [name, , low, , twoOnly] of table.options) if (twoOnly && players !== 2) values[name] = low;
  for (const [name, value] of Object.entries(chosen)) {
    const option = table.options.find((one) => one[0] === name);
    if (!option) return unknown("option", name, table.options.map((one) => one[0]));
    const [, words, low, high] = option;
    if (words ? !words.includes(value) : !(Number.isInteger(value) && value >= low && value <= high)) {
      return unknown(name, value, words ? words.map(String) : [`${low}–${high}`]);
    }
    values[name] = value;
  }
  return { values };
}

// Yield path, key, its object and the known keys of each unknown key that does not begin with `_`.
function* unknownKeys(value, shape, path = []) {
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape.keys, key) && !key.startsWith("_")) yield [path, key, value, shape.keys];
  }
  for (const [name, [field]] of Object.entries(shape.keys)) {
    const inner = objectIn(field);
    const part = inner && Object.hasOwn(value, name) ? value[name] : null;
    if (Array.isArray(part)) {
      for (const [index, one] of part.entries()) yield* unknownKeys(one, inner, [...path, name, index]);
    } else if (part !== null) {
      yield* unknownKeys(part, inner, [...path, name]);
    }
  }
}

function objectIn(shape) {
  if (typeof shape === "string") return null;
  if (!Array.isArray(shape) && shape.keys) return shape;
  const parts = Array.isArray(shape) ? shape : (shape.any ?? (shape.map ? [shape.map] : []));
  for (const part of parts) {
    const found = objectIn(part);
    if (found) return found;
  }
  return null;
}

// Return the key that an object lacks and that its unknown key is likely to mean.
function intendedKey(key, within, keys) {
  const free = Object.keys(keys).filter((name) => !Object.hasOwn(within, name));
  const word = [...key].slice(0, 40).join("").toLowerCase().trim();
  const alias = Object.hasOwn(SHARED.aliases, word) ? SHARED.aliases[word] : null;
  if (free.includes(alias)) return alias;
  let best = null, most = 0.75;
  for (const name of free) {
    const ratio = (2 * sharedSigns(name, word)) / (name.length + word.length);
    if (ratio > most || (ratio === most && (best === null || name > best))) [best, most] = [name, ratio];
  }
  return best;
}

// How many signs two words share, as difflib counts them: the longest common run, then on both sides.
function sharedSigns(one, other) {
  let size = 0, at = 0, otherAt = 0;
  for (let i = 0; i < one.length; i++) {
    for (let j = 0; j < other.length; j++) {
      let run = 0;
      while (i + run < one.length && j + run < other.length && one[i + run] === other[j + run]) run++;
      if (run > size) [size, at, otherAt] = [run, i, j];
    }
  }
  if (!size) return 0;
  const before = sharedSigns(one.slice(0, at), other.slice(0, otherAt));
  return size + before + sharedSigns(one.slice(at + size), other.slice(otherAt + size));
}
