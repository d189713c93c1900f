// How the board begins in a file alone: the match is in the page, and so are the pictures.

const match = JSON.parse(document.getElementById("match").textContent);
const deals = document.getElementById("deals");
const board = new Board(document.querySelector(".board"));

function source(data) {
  const faces = Object.entries(data.faces).map(([card, face]) => {
    const here = (src) => match.pictures[src] ?? src;
    return [card, { ...face, src: here(face.src), four: face.four && here(face.four) }];
  });
  const back = match.pictures[data.back] ?? data.back;
  return { ...data, back, faces: Object.fromEntries(faces) };
}

function open(index) {
  const data = source(match.deals[index]);
  board.take({ ...data, where: null, ply: 0, view: "", texts: match.texts });
}

match.deals.forEach(({ deal }, index) => deals.append(new Option(`${deal}`, index)));
deals.addEventListener("change", () => open(+deals.value));
open(0);
