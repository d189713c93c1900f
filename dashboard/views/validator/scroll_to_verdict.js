// Scrolls to the verdict once a check is done, again when the page has grown, unless the reader has
// scrolled elsewhere.
{
  let left = 30;
  let place = null;
  const look = () => {
    const box = document.querySelector(".st-key-checked");
    const page = box?.closest("[data-testid=stMain]");
    const top = page && Math.round(box.getBoundingClientRect().top + page.scrollTop);
    const now = `${top} ${page?.scrollHeight}`;
    if (now !== place) box?.scrollIntoView();
    place = now;
    if (--left > 0) setTimeout(look, 50);
  };
  for (const own of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(own, () => (left = 0), { capture: true, once: true });
  }
  look();
}
