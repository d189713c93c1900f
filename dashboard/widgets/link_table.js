// A table of links. Texts of logs are set as text. `follow` is of follow_link.js.

const tables = new WeakMap();
const WIDE = 9; // columns
const WORD = 16; // characters; a longer one, such as an id, is cut before its end
const TAIL = 8; // characters of it that stay
const ACTED_CELLS = 3; // cells that tell a row from the others

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const place = parentElement.querySelector(".linked");
  const key = JSON.stringify(data);
  let table = tables.get(place);
  if (!table) {
    table = { sorted: null, all: false };
    tables.set(place, table);
    place.addEventListener("click", follow);
  }
  table.choose = (row) => setStateValue("row", row);
  table.act = (value) => setTriggerValue("act", value);
  table.data = data;
  if (table.key !== key) {
    table.key = key;
    draw(place, table);
    delete place.dataset.empty;
  }
}

function make(name, content = "", attributes = {}) {
  const made = document.createElement(name);
  if (typeof content === "string") made.textContent = content;
  else made.append(...content);
  for (const [one, value] of Object.entries(attributes)) {
    if (value !== "" && value !== null && value !== false) made.setAttribute(one, value);
  }
  return made;
}

function draw(place, table) {
  const { data } = table;
  data.columns.forEach((column, index) => (column.way = leads(data, index)));
  const root = place.getRootNode();
  const focused = root.activeElement?.dataset.place;
  const shown = make("table", [make("thead", [head(place, table)]), body(table)], {
    "aria-label": data.label,
    class: [table.all ? "all" : "", data.columns.length > WIDE ? "wide" : ""].join(" ").trim(),
  });
  const frame = make("div", [shown], { class: "frame" });
  const more = make("button", data.all, { class: "more", type: "button", "aria-pressed": `${table.all}` });
  more.onclick = () => {
    table.all = shown.classList.toggle("all");
    more.setAttribute("aria-pressed", `${table.all}`);
  };
  place.replaceChildren(frame, more);
  // again when fonts have loaded, or the phone is turned
  new ResizeObserver(() => fit(data.columns, frame, more)).observe(shown);
  if (focused) place.querySelector(`[data-place="${focused}"]`)?.focus();
}

// Only on a phone, which has the button: columns that do not fit move to the later ones.
function fit(columns, frame, more) {
  more.hidden = false;
  const telephone = getComputedStyle(more).display !== "none";
  if (!telephone || frame.querySelector(".all")) return;
  const setLater = (place, later) => {
    columns[place].later = later;
    for (const cell of frame.querySelectorAll(`tr > :nth-child(${place + 1})`)) cell.classList.toggle("later", later);
  };
  columns.forEach((column, place) => setLater(place, (column.secondary ??= column.later))); // it may be wider now
  for (let last = columns.length - 1; last > 1 && frame.scrollWidth > frame.clientWidth; last--) setLater(last, true);
  more.hidden = !columns.some((column) => column.later);
}

function head(place, table) {
  const { data, sorted } = table;
  const cells = data.columns.map((column, index) => {
    const button = make("button", column.label, {
      type: "button",
      title: column.help,
      "data-place": `head-${index}`,
    });
    button.onclick = () => {
      table.sorted = { index, down: sorted?.index === index && !sorted.down };
      draw(place, table);
    };
    const way = sorted?.index === index ? (sorted.down ? "descending" : "ascending") : "";
    const term = column.term ? [termButton(place, column, data.terms)] : [];
    return make("th", [make("div", [button, ...term], { "data-label": column.label })], { scope: "col", class: kind(column), "aria-sort": way });
  });
  if (data.action) cells.push(make("th", [], { class: "act", "aria-label": data.action.label }));
  return make("tr", cells);
}

// the definition of a heading in a popover, with a link to all terms
function termButton(place, column, label) {
  const button = make("button", "?", { type: "button", class: "term", "aria-label": `${column.label} ?` });
  button.onclick = () => {
    const tip = make("div", [make("p", column.help), make("a", label, { href: column.term })], { popover: "auto", class: "tip" });
    place.querySelector(".tip")?.remove();
    place.append(tip);
    tip.showPopover();
    const { left, bottom } = button.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.min(bottom, innerHeight - tip.offsetHeight - 8)}px`;
  };
  return button;
}

// whether a column has only links, with the same word in each row
function leads({ columns, rows }, index) {
  const [first, ...others] = rows.map((row) => row[index].parts ?? []);
  const same = (parts) => parts.length === 1 && parts[0].href && parts[0].text === first[0].text;
  return columns.length > 1 && others.length > 0 && first.length === 1 && others.every(same);
}

function kind(column) {
  return [column.way ? "way" : "", column.number ? "number" : "text", column.later ? "later" : "", column.long ? "long" : ""].join(" ").trim();
}

function body(table) {
  const { data } = table;
  const rows = order(table).map((index) => {
    const cells = data.rows[index].map((cell, place) => {
      const grey = data.grey[index]?.[place] ? " grey" : "";
      const inside = place === data.opens && opens(cell) ? [opener(table, index, cell)] : content(cell);
      const short = !cell.parts && cell.text.length < 17 ? " short" : "";
      return make("td", inside, { class: kind(data.columns[place]) + grey + short });
    });
    if (data.action) cells.push(make("td", [actor(table, index)], { class: "act" }));
    return make("tr", cells, { class: data.chosen === index ? "chosen" : "" });
  });
  return make("tbody", rows);
}

// zero and a dash have no link
function opens({ text, number }) {
  return number !== 0 && text !== "–" && text !== "";
}

function opener({ data, choose }, index, cell) {
  const pressed = data.chosen === index;
  const button = make("button", cell.text, {
    type: "button",
    "aria-pressed": `${pressed}`,
    "data-place": `row-${index}`,
  });
  button.onclick = () => choose(pressed ? null : data.names[index]);
  return button;
}

// labelled with the row's content, which distinguishes it from other rows
function actor({ data, act }, index) {
  const { label, values } = data.action;
  const row = data.rows[index].slice(0, ACTED_CELLS).map(({ parts, text }) => (parts ?? [{ text }]).map((part) => part.text).join(""));
  const button = make("button", "\u00d7", { type: "button", title: label, "aria-label": [label, ...row].join(" ") });
  button.onclick = () => act(values[index]);
  return button;
}

function content(cell) {
  const { text } = cell;
  if (!cell.parts && text.length > WORD && !/\s/.test(text)) {
    return [make("span", [make("span", text.slice(0, -TAIL)), text.slice(-TAIL)], { title: text, class: "cut" })];
  }
  if (!cell.parts) return [make("span", text, { title: text.length > 28 ? text : "" })];
  return cell.parts.map((part) => {
    const text = make(part.href ? "a" : "span", part.text, {
      href: part.href,
      title: part.text.length > 28 ? part.text : "",
    });
    return part.strong ? make("strong", [text]) : text;
  });
}

function order({ data, sorted }) {
  const rows = data.rows.map((_, index) => index);
  if (!sorted) return rows;
  const value = ({ parts, text, number }) => (parts ? parts.map((part) => part.text).join("") : (number ?? text));
  const empty = (one) => one === "" || one === "–";
  return rows.sort((one, other) => {
    const [a, b] = [one, other].map((row) => value(data.rows[row][sorted.index]));
    if (empty(a) || empty(b)) return empty(a) - empty(b);
    const language = document.documentElement.lang || undefined;
    const ahead =
      typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`, language, { numeric: true });
    return sorted.down ? -ahead : ahead;
  });
}
