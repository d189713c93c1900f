// Starts the editor of a draft on its page without Streamlit, which opens without the server, too.

const pageData = JSON.parse(document.getElementById("replay").textContent);
const board = new Board(document.querySelector(".board"));
const editor = new DraftEditor(document.querySelector("main"), pageData, {
  board: (response) => board.take({ ...response.board, seek: `${response.version}`, texts: pageData.board }),
  finish: () => location.assign(pageData.whole), // the page with Streamlit adds the match
});
document.querySelector(".entry").focus({ preventScroll: true });
storeOffline(pageData.root, [location.href]);
