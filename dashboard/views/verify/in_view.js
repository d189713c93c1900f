// What a check says comes into view, again when what stands above it is drawn higher or lower; not
// when the reader has gone elsewhere.
{
  let left = 30;
  let place = null;
  const look = () => {
    const box = document.querySelector(".st-key-checked");
    const page = box?.closest("[data-testid=stMain]");
    const now = page && Math.round(box.getBoundingClientRect().top + page.scrollTop);
    if (now !== place) box?.scrollIntoView();
    place = now;
    if (--left > 0) setTimeout(look, 50);
  };
  for (const own of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(own, () => (left = 0), { capture: true, once: true });
  }
  look();
}
