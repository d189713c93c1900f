// Helpers that build DOM elements. Names and sentences come from logs: they only ever become
// text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

function button(className, text, data) {
  const element = make("button", className, text);
  element.type = "button";
  Object.assign(element.dataset, data);
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.append(draw("title", {}));
  if (text) element.firstChild.textContent = text;
  return element;
}

// joins sentences: "A. B."
function sentences(parts) {
  return parts
    .filter(Boolean)
    .map((part) => (/[.…!?]$/.test(part) ? part : part + "."))
    .join(" ");
}

// No line ends within a score, nor between a number and one of `words`.
function together(text, words) {
  const counted = new RegExp(`(\\d) (${words.join("|")})(?![\\p{L}\\d])`, "gu");
  return text.replace(/(\d) ([–/]) (?=\d)/g, "$1\u00a0$2\u00a0").replace(counted, "$1\u00a0$2");
}

// notes on a place at the table; no part is broken over lines
function joinedParts(parts) {
  const line = make("span", "lines");
  line.append(...parts.flatMap((part, i) => [...(i ? [make("span", "between", " · ")] : []), make("span", "", part)]));
  return line;
}

// a small picture of lines
function sign(path) {
  const svg = draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  svg.append(draw("path", { d: path }));
  return svg;
}
