// Starts the board on a replay page (/r/): one deal is in the page, the others are fetched.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, share, root, rules } = pageData;

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
  let found = null;
  try {
    const answer = await fetch(`${where.path}/${deal}.json?lang=${where.lang}`);
    if (answer.ok) found = await answer.json();
  } catch {
    // without the server the rules in this page make the deal, except for what it is worth
    found = (await replayed)?.deal(deal - 1);
  }
  if (found) board.take({ ...found, where, head, texts, share, root }, other);
  // the page shows whether the network or the server failed
  else if (!again) location.assign(`${where.path}/${deal}/0${location.search}`);
}

async function loaded(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.status);
  return answer;
}

// Check the match by the rules in the browser; null if only the server can.
async function replay({ module, kernel, game: about, log }) {
  const files = [loaded(kernel).then((one) => one.arrayBuffer()), loaded(about).then((one) => one.json())];
  const [{ load }, wasm, { parts, texts: words }] = await Promise.all([import(module), ...files]);
  const game = await load(parts.table.game, { wasm, table: parts.table });
  const report = game.check(log), { deals } = game.states(log);
  if (report.status === null) return null;
  head.about.unshift(filled(words.checked, { status: words.statuses[report.status] })); // first: the line is cut at its end
  board.head.take();
  board.controls.take();
  // pictures have paths of the server, which a proxy may serve below another
  const here = (path) => (path.startsWith("/r/") ? root + path.slice(1) : path), faces = Object.entries(words.game.faces);
  parts.back = here(parts.back);
  for (const [, face] of faces) Object.assign(face, { src: here(face.src) }, face.four && { four: here(face.four) });
  storeOffline(root, [module, kernel, about, parts.back, ...faces.map(([, face]) => face.src)]);
  return new LogStates(game.name, log, report, deals, parts, words.game, words);
}

const [deal, ply = 0] = location.pathname.startsWith(`${where.path}/`) ? location.pathname.slice(where.path.length + 1).split("/").map(Number) : [];
const params = new URL(location.href).searchParams;
const line = params.has("line") ? +params.get("line") || 0 : null;
board.take({ ...pageData, line, view: params.get("view") }, other);
if (pageData.stored) storeOffline(root, navigator.serviceWorker?.controller ? [] : [location.href]); // else it is stored
const replayed = rules ? replay(rules).catch(() => null) : null; // what does not load, the server answers
// a page that the browser stored has the position of then
if (deal && (deal !== pageData.deal || ply !== pageData.ply)) board.toDeal(deal, ply, false);
addEventListener("popstate", (event) => board.back(event));

// links to the same position in other pages follow the reader
for (const link of document.querySelectorAll("a[data-to]")) {
  const follow = () => {
    link.href = link.dataset.to.replace("{deal}", board.data.deal).replace("{ply}", board.spot.ply);
  };
  for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, follow);
}
