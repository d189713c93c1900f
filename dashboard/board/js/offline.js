// Starts the board in an offline file: the page has the match and the pictures.

const page = JSON.parse(document.getElementById("page").textContent);
const { head, texts, rules, pictures } = page;
const board = new FileBoard(document.querySelector(".board"));

function take() {
  for (const deal of page.deals) {
    board.loaded.set(deal.deal, { ...pictured(deal, pictures), where: null, ply: 0, view: "", head, texts });
  }
}

// the rules validate the match in the browser, and allow variations
async function check({ log, parts, texts: words }) {
  const game = await gameInPage(parts), { status } = game.check(log), { deals } = game.states(log);
  if (status === null) return; // only the whole of Retourne can
  const look = (one) => new LogStates(game.name, one, { findings: [], deals: [] }, game.states(one).deals, parts, words.game, words);
  board.lineLabels = words.line;
  board.lineFrom = (number, ply) => {
    const states = deals[number - 1] ?? [];
    const start = Math.min(ply, states.length - 1);
    return states.length ? new LocalLine(look, log, number - 1, board.loaded.get(number), start, pictures) : null;
  };
  head.about.push(filled(words.checked, { status: words.statuses[status] }));
  board.head.take();
  board.controls.take();
}

take();
board.take(board.loaded.get(page.deals[0].deal));
if (rules) check(rules);
