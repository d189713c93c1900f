// Starts the board on a replay page (/r/): one deal is in the page, the others are fetched.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, share, root } = pageData;

// The title and canonical address of the page follow the position shown.
class OfPage extends Board {
  write(push) {
    super.write(push);
    const { number, name } = this.deals.find((deal) => deal.number === this.data.deal);
    const title = `${pageData.called} · ${name}`;
    document.title = `${title} · ${pageData.product}`;
    document.querySelector("h1").textContent = title;
    const here = new URL(`${where.path}/${number}/${this.spot.ply}`, location.href).href;
    document.querySelector("link[rel=canonical]").href = here;
    const { text, trick_reason, also } = this.data.plies[this.ply];
    const sentence = [text, trick_reason, ...also].filter(Boolean).join(" · ");
    const about = [pageData.about, sentence].filter(Boolean).join(" · ").slice(0, pageData.longest);
    for (const [name, content] of Object.entries({
      "og:title": title,
      "og:url": here,
      "og:image": `${here}.png?lang=${where.lang}`,
      "og:image:alt": `${title} · ${sentence}`,
      "og:description": about,
      description: about,
    })) document.querySelector(`meta[property="${name}"], meta[name="${name}"]`).content = content;
  }
}

const board = new OfPage(document.querySelector(".board"));

async function other(name, value) {
  const [, deal, again] = value.split(" ");
  try {
    const answer = await fetch(`${where.path}/${deal}.json?lang=${where.lang}`);
    if (answer.ok) {
      board.take({ ...(await answer.json()), where, head, texts, share, root }, other);
      return;
    }
  } catch {
    // the page shows whether the network or the server failed
  }
  if (!again) location.assign(`${where.path}/${deal}/0${location.search}`);
}

const params = new URL(location.href).searchParams;
const line = params.has("line") ? +params.get("line") || 0 : null;
board.take({ ...pageData, line, view: params.get("view") }, other);
addEventListener("popstate", (event) => board.back(event));

// links to the same position in other pages follow the reader
for (const link of document.querySelectorAll("a[data-to]")) {
  const follow = () => {
    link.href = link.dataset.to.replace("{deal}", board.data.deal).replace("{ply}", board.spot.ply);
  };
  for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, follow);
}
