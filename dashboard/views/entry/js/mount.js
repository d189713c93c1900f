// How Streamlit mounts the page where a match is typed in: again at each run of the script.

const desks = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let desk = desks.get(parentElement);
  if (desk && desk.data.secret !== data.secret) {
    desk.close();
    desk = null;
  }
  if (desk) desk.take(data);
  else {
    const root = parentElement.querySelector(".entry");
    const board = new Board(parentElement.querySelector(".board"));
    desk = new Desk(parentElement, data, {
      board: (told) => board.take({ ...told.board, seek: `${told.version}`, texts: desk.data.board }),
      finish: () => setTriggerValue("finish", true),
    });
    desk.close = () => (desk.leave(), board.leave());
    desks.set(parentElement, desk);
    root.focus({ preventScroll: true });
  }
  const mine = desk;
  return () => {
    mine.close();
    desks.delete(parentElement);
  };
}
