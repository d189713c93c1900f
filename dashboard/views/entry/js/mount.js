// Mounts the page for typing a match in Streamlit: again at each rerun.

const editors = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let editor = editors.get(parentElement);
  if (editor && editor.data.secret !== data.secret) {
    editor.close();
    editor = null;
  }
  if (editor) editor.take(data);
  else {
    const root = parentElement.querySelector(".entry");
    const board = new Board(parentElement.querySelector(".board"));
    editor = new DraftEditor(parentElement, data, {
      board: (response) => board.take({ ...response.board, seek: `${response.version}`, texts: editor.data.board }),
      finish: () => setTriggerValue("finish", true),
    });
    editor.close = () => (editor.leave(), board.leave());
    editors.set(parentElement, editor);
    const focus = () => root.focus({ preventScroll: true });
    if (document.documentElement.classList.contains("opening")) addEventListener("shown", focus, { once: true });
    else focus();
    const draft = new URLSearchParams({ draft: data.secret, lang: data.lang });
    storeOffline("./", [`./entry?${draft}`, `./entry?lang=${data.lang}`]);
  }
  const mine = editor;
  return () => {
    mine.close();
    editors.delete(parentElement);
  };
}
