// What a check says comes into view, and stays there while what stands above is still being drawn.
{
  let left = 30;
  const act = () => {
    document.querySelector(".st-key-checked")?.scrollIntoView();
    if (--left > 0) setTimeout(act, 50);
  };
  for (const own of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(own, () => (left = 0), { capture: true, once: true });
  }
  act();
}
