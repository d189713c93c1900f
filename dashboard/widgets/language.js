document.documentElement.lang = language;
// Streamlit says in English what its own buttons are, and anew whenever it makes one.
const SAID = [
  '[data-testid="stSkipToContent"]',
  '[data-testid="stFileUploaderDropzone"] button p', // a style rule says what it is for
];
const rename = () => {
  for (const [own, name] of Object.entries(names)) {
    if (own === name || !name) continue;
    for (const one of document.querySelectorAll(`[aria-label="${own}"]`)) {
      one.setAttribute("aria-label", name);
    }
  }
  for (const { firstChild: text } of document.querySelectorAll(SAID.join())) {
    const name = names[text?.nodeValue];
    if (name !== undefined && name !== text.nodeValue) text.nodeValue = name;
  }
};
window.retourneNames?.disconnect();
window.retourneNames = new MutationObserver(rename);
window.retourneNames.observe(document.body, { childList: true, subtree: true });
rename();
