// Mounts the board in Streamlit, which calls this again at each rerun and change of theme.

const boards = new WeakMap();

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  let board = boards.get(parentElement);
  if (!board) {
    board = new Board(parentElement.querySelector(".board"));
    boards.set(parentElement, board);
  }
  board.take(data, setStateValue);
  parentElement.querySelector("[data-empty]")?.removeAttribute("data-empty");
  return () => {
    board.leave();
    boards.delete(parentElement);
  };
}
