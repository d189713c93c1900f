document.documentElement.lang = language;
// Streamlit says in English what its own buttons are, and anew whenever it makes one.
const rename = () => {
  for (const [own, name] of Object.entries(names)) {
    if (own === name) continue;
    for (const one of document.querySelectorAll(`[aria-label="${own}"]`)) {
      one.setAttribute("aria-label", name);
    }
  }
  const skip = document.querySelector('[data-testid="stSkipToContent"]')?.firstChild;
  if (skip && skip.nodeValue in names) skip.nodeValue = names[skip.nodeValue];
  // of a typed text, Streamlit's first option says "Add: …"
  for (const one of document.querySelectorAll('[role="option"]')) {
    const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode();
    if (text?.nodeValue.startsWith("Add: ")) text.nodeValue = typed + text.nodeValue.slice(5);
  }
  // what stands on this button is a style rule's, which nobody hears
  for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"]')) {
    const name = zone.querySelector("input")?.multiple ? choose[0] : choose[1];
    zone.querySelector(":scope > span button")?.setAttribute("aria-label", name);
  }
};
window.retourneNames?.disconnect();
window.retourneNames = new MutationObserver(rename);
window.retourneNames.observe(document.body, { childList: true, subtree: true, characterData: true });
rename();
