// JSON as text: repeated keys, values shortened, JSON pointers.

export function pointer(...parts) {
  return parts.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

const KEYS_SHOWN = 80;

// Shorten a value of a log for display, written as Python writes it.
export function abbreviated(value) {
  if (value === undefined) return null;
  const plain = value === null || typeof value !== "object";
  const text = plain ? (typeof value === "boolean" ? (value ? "True" : "False") : String(value)) : spaced(value);
  const signs = text.length <= KEYS_SHOWN ? [] : [...text];
  if (signs.length <= KEYS_SHOWN) return plain ? value : text;
  return signs.slice(0, KEYS_SHOWN).join("") + "…";
}

function spaced(value, room = 4 * KEYS_SHOWN) {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const parts = [];
  let length = 0;
  for (const [key, one] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (length > room) break; // what is cut off need not be written, however deep it is
    const text = spaced(one, room - length - 1);
    parts.push(Array.isArray(value) ? text : `${JSON.stringify(key)}: ${text}`);
    length += text.length + 2;
    if (room - length <= 0) break;
  }
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return open + parts.join(", ") + close;
}

const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
const MAX_DEPTH = 1024, MOST_DIGITS = 300;

// Return the pointers of repeated keys of a text that JSON.parse reads, and whether it has what
// other parsers refuse: parts nested too deep, numbers larger than any machine counts.
export function scanKeys(text, most) {
  const path = [""], index = [null], seen = new Set(), duplicates = new Set();
  let child = "", key = null, bad = false;
  for (const [mark] of text.matchAll(TOKEN)) {
    if (mark === ":") {
      child = path.at(-1) + pointer(JSON.parse(key ?? '""'));
    } else if (mark === ",") {
      if (index.at(-1) !== null) child = `${path.at(-1)}/${++index[index.length - 1]}`;
      key = null;
    } else if (mark === "]" || mark === "}") {
      if (path.length > 1) path.pop(), index.pop();
    } else if (index.at(-1) === null && path.length > 1 && key === null) {
      key = mark;
    } else {
      if (seen.has(child) && !child.includes("/_") && !within(child, duplicates)) {
        if (duplicates.has(child) || duplicates.size < most) duplicates.add(child);
      }
      seen.add(child);
      if (mark === "[" || mark === "{") {
        path.push(child);
        index.push(mark === "[" ? 0 : null);
        bad ||= path.length > MAX_DEPTH + 1;
        if (bad) break;
        [child, key] = [`${child}/0`, null];
      } else if (mark.length > MOST_DIGITS || /[eE]/.test(mark)) {
        bad ||= mark[0] !== '"' && Math.abs(Number(mark)) === Infinity;
      }
    }
  }
  return { duplicates: [...duplicates], bad };
}

function within(child, duplicates) {
  if (!duplicates.size) return false;
  for (let end = child.lastIndexOf("/"); end >= 0; end = child.lastIndexOf("/", end - 1)) {
    if (duplicates.has(child.slice(0, end))) return true;
    if (end === 0) break;
  }
  return false;
}
