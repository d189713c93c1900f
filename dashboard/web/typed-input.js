// Keeps what is typed on the page Type a match in when a field or the page is left at once.

(() => {
  const FIELDS = ".st-key-sheet-players input, .st-key-entry-players input";
  const APP = "[data-testid=stApp]";
  const SENT = 300; // ms until Streamlit has sent a cell
  const LONGEST = 3000; // ms that a link waits
  const STEP = 50; // ms

  // Tab or a click takes a typed name as Enter does: Streamlit's field would go back to what it was
  let before = ""; // what a field held, for which Enter would take the first player of the list
  let written = null;
  const isName = (field) => field instanceof HTMLInputElement && field.matches(FIELDS);
  const keep = ({ target: field, isTrusted }) => {
    // the field itself sends events as if an option of its list had the focus
    if (!isTrusted || !isName(field) || field !== written?.field || field.value !== written.text) return;
    written = null;
    if (!field.value || field.value === before) return;
    for (const kind of ["keydown", "keyup"]) {
      field.dispatchEvent(new KeyboardEvent(kind, { key: "Enter", bubbles: true, cancelable: true }));
    }
    // Tab goes to the next field, not to the button that now clears this one; Escape clears it too
    queueMicrotask(() => {
      for (const button of field.closest("[data-testid=stSelectbox]")?.querySelectorAll("button") ?? []) {
        button.tabIndex = -1;
      }
    });
  };

  // a link of the menu waits for what was typed: Streamlit drops what the server has not taken
  let typed = -SENT;
  let leaves = false;
  const isSent = () =>
    performance.now() - typed > SENT && document.querySelector(APP)?.dataset.testScriptState === "notRunning";
  const wait = (event) => {
    const link = event.target.closest?.("[data-testid=stSidebar] a");
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey);
    if (leaves || !link || !isPlain || !document.querySelector(FIELDS) || isSent()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const latest = performance.now() + LONGEST;
    const timer = setInterval(() => {
      if (!isSent() && performance.now() < latest) return;
      clearInterval(timer);
      leaves = true;
      link.click();
      leaves = false;
    }, STEP);
  };

  addEventListener("keydown", (event) => {
    typed = performance.now();
    if (event.key === "Tab") keep(event);
    if (event.key !== "Enter" || !event.isTrusted || !isName(event.target)) return;
    before = event.target.value;
    written = null;
  }, true);
  addEventListener("focusin", ({ target, isTrusted }) => {
    if (isTrusted && isName(target)) before = target.value;
  }, true);
  addEventListener("input", ({ target }) => {
    if (isName(target)) written = { field: target, text: target.value };
  }, true);
  addEventListener("focusout", (event) => {
    typed = performance.now(); // a cell, too, ends as it loses the focus
    keep(event);
  }, true);
  addEventListener("click", wait, true);
})();
