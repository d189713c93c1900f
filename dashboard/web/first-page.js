// Shows a page in one frame: what its first run draws in many is hidden until nothing more comes.

(() => {
  const CALM = 60; // ms without a change
  const LONGEST = 3000; // ms from the heading on: a run that takes long is shown as it goes
  const LAST = 10000; // ms, whatever came
  const { documentElement: root } = document;
  const has = (selector) => Boolean(document.querySelector(selector));
  // what the script of a component has not drawn yet is marked `data-empty`
  const drawn = ({ shadowRoot }) => shadowRoot && !shadowRoot.querySelector("[data-empty]");
  const settled = () =>
    has("h1") &&
    has("[data-testid=stEvent] style") &&
    has("[data-testid=stApp][data-test-script-state=notRunning]") &&
    !has("[data-testid=stSkeleton], [data-stale=true]") &&
    [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(drawn);
  let calm, heading;
  const wait = () => {
    clearTimeout(calm);
    calm = setTimeout(() => (settled() ? show() : wait()), CALM); // a component changes unseen
  };
  const watch = new MutationObserver(() => {
    wait();
    if (!heading && has("h1")) heading = setTimeout(show, LONGEST);
  });
  function show() {
    watch.disconnect();
    for (const one of [calm, heading, last]) clearTimeout(one);
    root.classList.remove("opening");
    dispatchEvent(new Event("shown")); // what is hidden takes no focus
  }
  const last = setTimeout(show, LAST);
  root.classList.add("opening");
  watch.observe(root, { childList: true, subtree: true, attributeFilter: ["data-test-script-state", "data-stale"] });
})();
