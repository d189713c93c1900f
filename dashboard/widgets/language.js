document.documentElement.lang = language;
// Streamlit's own texts are in English, and come anew whenever it makes a part of the page.
const NAMES = ["aria-label", "placeholder", "title"];
// where a text is Streamlit's own, and none of a log
const PLACES = [
  ...["stSkipToContent", "stWidgetLabelRequired", "stStatusWidget", "stConnectionStatus", "stTooltipContent"],
  ...["stFileUploader", "stDataFrameColumnMenu", "stDataFrameColumnFormattingMenu", "stElementToolbar"],
  ...["stDataFrameStatisticsContent", "stDataFrameStatisticsMetrics", "stSelectboxVirtualDropdown"],
  ...["stMultiSelectDropdown", "stDateInputCalendar", "InputInstructions"],
].map((name) => `[data-testid="${name}"]`);
const places = [...PLACES, '[role="option"]'].join();
const translated = (text) => {
  const own = text.trim();
  if (!own) return text;
  if (Object.hasOwn(exact, own)) return text.replace(own, () => exact[own]);
  for (const [from, to] of patterns) {
    const [start, end] = from.split("{x}");
    const inserted = own.slice(start.length, own.length - end.length);
    if (inserted && own.startsWith(start) && own.endsWith(end)) return to.replace("{x}", () => inserted);
  }
  const size = /^(\d+)[.,]?(\d*)\s?([KkMG]?)[Bo]$/.exec(own); // of an uploaded file
  if (size) {
    const [, whole, part, unit] = size;
    const [point, end] = language === "fr" ? [",", `\u00a0${unit.replace("K", "k")}o`] : [".", `${unit.toUpperCase()}B`];
    return whole + (part && point + part) + end;
  }
  const [head, ...of] = own.split(": "); // a button of a table's toolbar, and the table
  const name = head.trim();
  const colon = language === "fr" ? "\u00a0: " : ": ";
  return of.length && Object.hasOwn(exact, name) ? exact[name] + colon + of.join(": ") : text;
};
const renameText = (node) => {
  // an option is a log's text, but for the first one of a typed text, of which Streamlit says "Add: …"
  if (node.parentElement?.closest('[role="option"]')) {
    if (node.nodeValue.startsWith("Add: ")) node.nodeValue = typed + node.nodeValue.slice(5);
    return;
  }
  const text = node.nodeValue.trim() === "" ? node.nodeValue : translated(node.nodeValue);
  if (text !== node.nodeValue) node.nodeValue = text;
};
const renameAttributes = (element) => {
  for (const name of NAMES) {
    const text = element.getAttribute(name);
    if (text && translated(text) !== text) element.setAttribute(name, translated(text));
  }
};
const renameAll = (root) => {
  if (root.nodeType === Node.TEXT_NODE) {
    if (root.parentElement?.closest(places)) renameText(root);
    return;
  }
  if (root.nodeType !== Node.ELEMENT_NODE) return;
  renameAttributes(root);
  root.querySelectorAll(NAMES.map((name) => `[${name}]`).join()).forEach(renameAttributes);
  const within = root.closest(places) ? [root] : root.querySelectorAll(places);
  for (const place of within) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) renameText(texts.currentNode);
  }
  // this button's text comes from a style rule, which screen readers do not read
  for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"]')) {
    const name = zone.querySelector("input")?.multiple ? choose[0] : choose[1];
    const button = zone.querySelector(":scope > span button");
    if (button && button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
  }
};
window.retourneNames?.disconnect();
window.retourneNames = new MutationObserver((changes) => {
  for (const { type, target, addedNodes } of changes) {
    if (type === "childList") addedNodes.forEach(renameAll);
    else if (type === "attributes") renameAttributes(target);
    else renameAll(target);
  }
});
window.retourneNames.observe(document.body, {
  attributeFilter: NAMES,
  characterData: true,
  childList: true,
  subtree: true,
});
renameAll(document.body);
