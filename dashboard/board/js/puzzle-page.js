// Starts the board of a puzzle: the card the reader chooses is the answer, which has
// a page of its own. Only this browser counts right answers, until it is closed.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, root, labels } = pageData;
const [LOGGED, HELD] = [1, 2];

class QuestionBoard extends Board {
  // the address has the puzzle
  write() {}

  draw() {
    super.draw();
    for (const one of panel.querySelectorAll("[data-line]")) {
      one.setAttribute("aria-pressed", String(+one.dataset.line === this.data.deal));
    }
  }
}

const panel = document.querySelector(".own-line");
const board = new QuestionBoard(document.querySelector(".board"));
board.part(".window").after(panel);

// load the deal as played when it is requested
async function other() {
  const answer = await fetch(pageData.logged);
  if (!answer.ok) return;
  const data = { ...(await answer.json()), deal: LOGGED, where, head, texts, root, share: null };
  board.take(data);
}

board.turned = pageData.seat; // the reader sits below
board.take({ ...pageData, view: "" }, () => other().catch(() => {}));

// after the answer, the line starts at the puzzle's position
const link = (card) => panel.querySelector(`[data-card-of="${CSS.escape(card)}"]`);
board.root.addEventListener(
  "click",
  (event) => {
    const card = event.target.closest(".hand [data-card]")?.dataset.card;
    const chosen = card && board.ply === pageData.at && link(card);
    if (!chosen) return;
    event.stopImmediatePropagation();
    location.assign(chosen.href);
  },
  true,
);
panel.addEventListener("click", (event) => {
  event.stopPropagation(); // it stands within the board
  const line = +event.target.closest("[data-line]")?.dataset.line;
  if (line) board.toDeal(line, pageData.at, false);
  if (line && event.detail) board.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target instanceof Element && event.target.closest(TAKEN)) return;
  if (/^[1-9]$/.test(event.key)) panel.querySelector(`[data-number="${event.key}"]`)?.click();
});

// only the first answer to a puzzle counts
const KEY = "retourne.found";
function found() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function count() {
  const known = found();
  if (pageData.answered && !(pageData.key in known)) {
    known[pageData.key] = pageData.right;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(known));
    } catch {
      // storage is unavailable
    }
  }
  const answers = Object.values(known);
  const right = answers.filter(Boolean).length;
  const text = labels.score.replace("{right}", right).replace("{total}", answers.length);
  document.querySelector(".score").textContent = answers.length ? text : "";
}

count();
// in a small window the answer is below the board: scroll as much of it into view as fits
if (pageData.answered) panel.scrollIntoView({ block: "nearest" });
