// The sheets of a file: tabs, a role to choose above each column, and cells to edit. Texts of the file
// are set as text; what is chosen goes to the page, which reads the file again. It goes as the list of
// all changes since the grid opened: of two quick ones the page may see only the later list.

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".sheets");
  root.changes ??= [];
  const send = (what) => {
    root.changes = [...root.changes, { ...what, id: `${Date.now()}-${Math.random()}` }];
    setStateValue("changes", root.changes);
  };
  const [tabs, choices, frame, more] = [".tabs", ".choices", ".frame", ".more"].map((one) => root.querySelector(one));
  const { texts, sheets } = data;
  const make = (tag, text = "", ...classes) => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.classList.add(...classes.filter(Boolean));
    return made;
  };
  const select = (label, options, value, act) => {
    const made = make("select");
    made.setAttribute("aria-label", label);
    for (const [key, text] of options) {
      const option = make("option", text);
      option.value = key;
      option.selected = key === value;
      option.disabled = key === "?";
      made.append(option);
    }
    made.onchange = () => act(made.value);
    return made;
  };
  // the likely roles of a column, then one choice that shows the others
  const selectRole = (label, column, roles, act) => {
    const near = new Set(["?", "", column.role, ...column.near]);
    const made = select(label, [...roles.filter(([key]) => near.has(key)), ["+", texts.others]], column.role, (value) => {
      if (value !== "+") return act(value);
      const whole = select(label, roles, column.role, act);
      made.replaceWith(whole);
      whole.focus();
      whole.showPicker?.();
    });
    return made;
  };
  const labelled = (label, control) => {
    const made = make("label", `${label} `);
    made.append(control);
    return made;
  };
  const edit = (sheet, cell, address, earlier) => {
    if (cell.querySelector("input")) return;
    const before = cell.textContent;
    const input = make("input");
    input.value = earlier?.value ?? before;
    root.open = { sheet: sheet.name, address, input };
    input.setAttribute("aria-label", `${texts.cell} ${address}`);
    const close = (take) => {
      input.onblur = null;
      root.open = undefined;
      const typed = input.value.trim();
      cell.textContent = take ? typed : before;
      if (take && typed !== before) send({ kind: "cell", sheet: sheet.name, cell: address, value: typed });
    };
    input.onblur = () => close(true);
    input.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        close(event.key === "Enter");
        cell.focus();
        event.stopPropagation();
      }
    };
    cell.replaceChildren(input);
    input.focus();
    if (earlier) input.setSelectionRange(earlier.selectionStart, earlier.selectionEnd);
    else input.select();
  };
  // a cell edited since the page read the file shows its edit
  const textOf = (sheet, address, text) =>
    root.changes.findLast((one) => one.kind === "cell" && one.sheet === sheet.name && one.cell === address)?.value ?? text;
  const head = (sheet) => {
    const line = make("tr");
    line.append(make("th"));
    for (const column of sheet.columns) {
      const cell = make("th", column.letter, column.role === "?" && "open", column.certainty === "likely" && "likely");
      if (column.role !== null && sheet.roles.length) {
        const label = `${texts.column} ${column.letter}`;
        const act = (value) => send({ kind: "column", sheet: sheet.name, column: column.letter, value });
        cell.append(selectRole(label, column, sheet.roles, act));
        if (column.certainty === "likely") cell.append(make("small", texts.likely));
      }
      line.append(cell);
    }
    return line;
  };
  const grid = (sheet) => {
    const table = make("table");
    const body = make("tbody");
    const top = make("thead");
    top.append(head(sheet));
    sheet.rows.forEach((cells, at) => {
      const line = make("tr", "", sheet.problems[at + 1] && "wrong");
      const number = make("th", at + 1);
      if (sheet.problems[at + 1]) number.title = sheet.problems[at + 1];
      line.append(number);
      cells.forEach((text, place) => {
        const column = sheet.columns[place];
        const address = column.letter + (at + 1);
        const problem = sheet.problems[address];
        const left = column.role === "" || column.role === null;
        const cell = make("td", textOf(sheet, address, text), left && "left", problem && "wrong", sheet.edited.includes(address) && "edited");
        cell.tabIndex = problem ? 0 : -1;
        if (problem) cell.title = problem;
        cell.onclick = () => edit(sheet, cell, address);
        cell.onkeydown = (event) => {
          if (event.key === "Enter" && event.target === cell) edit(sheet, cell, address);
        };
        line.append(cell);
        if (root.open?.sheet === sheet.name && root.open.address === address) root.open.cell = cell;
      });
      body.append(line);
    });
    table.append(top, body);
    return table;
  };
  const draw = () => {
    const at = Math.min(Number(root.dataset.sheet ?? 0), sheets.length - 1);
    const sheet = sheets[at];
    tabs.hidden = sheets.length < 2;
    tabs.replaceChildren(
      ...sheets.map((one, place) => {
        const wrong = Object.keys(one.problems).length;
        const state = one.skip ? ` (${texts.skipped})` : wrong ? ` (${wrong})` : "";
        const tab = make("button", (one.name || texts.sheet) + state, wrong && !one.skip && "open");
        tab.type = "button";
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", place === at);
        tab.onclick = () => {
          root.dataset.sheet = place;
          draw();
        };
        return tab;
      }),
    );
    const change = (kind) => (value) => send({ kind, sheet: sheet.name, value });
    const skip = make("input");
    skip.type = "checkbox";
    skip.checked = sheet.skip;
    skip.onchange = () => change("skip")(skip.checked);
    const open = [["?", texts.choose]];
    choices.replaceChildren(
      labelled(texts.game, select(texts.game, [...open, ...sheet.games], sheet.game || "?", change("game"))),
      ...(sheet.presets.length ? [labelled(texts.rules, select(texts.rules, [...open, ...sheet.presets], sheet.rules || "?", change("rules")))] : []),
      ...(sheet.roles.length ? [labelled(texts.lines, select(texts.lines, [...open, ...sheet.kinds], sheet.lines || "?", change("lines")))] : []),
      ...(sheets.length > 1 ? [labelled(texts.skip, skip)] : []),
    );
    const { scrollLeft, scrollTop } = frame;
    frame.classList.toggle("skipped", sheet.skip);
    const typing = root.open; // a cell being typed in stays open when the grid is drawn again
    if (typing) typing.input.onblur = null;
    frame.replaceChildren(grid(sheet));
    Object.assign(frame, { scrollLeft, scrollTop });
    if (typing?.cell) edit(sheet, typing.cell, typing.address, typing.input);
    more.textContent = sheet.more;
  };
  draw();
}
