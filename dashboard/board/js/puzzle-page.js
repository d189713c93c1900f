// How the board begins on the page of a question: a card that is touched is the answer, which is
// a page of its own; how many were right is known to this browser alone, as long as it is open.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const { where, head, texts, root, labels } = pageData;
const [LOGGED, HELD] = [1, 2];

class QuestionBoard extends Board {
  // the question is the address
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

// the deal as it was played, once it is asked for
async function other() {
  const answer = await fetch(pageData.logged);
  if (!answer.ok) return;
  const data = { ...(await answer.json()), deal: LOGGED, where, head, texts, root, share: null };
  board.take(data);
}

board.turned = pageData.seat; // the reader sits below
board.take({ ...pageData, view: "" }, () => other().catch(() => {}));

// once answered, the line is stepped through from the question on
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

// the first answer to a question counts
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
      // a browser that keeps nothing
    }
  }
  const answers = Object.values(known);
  const right = answers.filter(Boolean).length;
  const text = labels.score.replace("{right}", right).replace("{total}", answers.length);
  document.querySelector(".score").textContent = answers.length ? text : "";
}

count();
// on a small window the answer lies below the board: as much of it as there is room for comes into view
if (pageData.answered) panel.scrollIntoView({ block: "nearest" });
