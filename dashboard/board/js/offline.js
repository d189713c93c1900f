// How the board begins in a file alone: the match is in the page, and so are the pictures.

const match = JSON.parse(document.getElementById("page").textContent);
const board = new Board(document.querySelector(".board"));

function source(data) {
  const faces = Object.entries(data.faces).map(([card, face]) => {
    const here = (src) => match.pictures[src] ?? src;
    return [card, { ...face, src: here(face.src), four: face.four && here(face.four) }];
  });
  const back = match.pictures[data.back] ?? data.back;
  return { ...data, back, faces: Object.fromEntries(faces) };
}

for (const deal of match.deals) {
  const { head, texts } = match;
  board.loaded.set(deal.deal, { ...source(deal), where: null, ply: 0, view: "", head, texts });
}
board.take([...board.loaded.values()][0]);
