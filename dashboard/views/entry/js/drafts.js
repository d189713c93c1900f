// The drafts this browser has typed at, each a link; a closed browser finds them again.

const BEGINS = "retourne.draft.";

function storedDrafts(days) {
  const found = [];
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(BEGINS))) {
    try {
      const draft = JSON.parse(localStorage.getItem(key));
      if (Date.now() - draft.at > days * 86400000) localStorage.removeItem(key);
      else if (draft.title && draft.steps.length) found.push({ ...draft, key });
    } catch {
      localStorage.removeItem(key); // not what an editor stores
    }
  }
  return found.sort((one, other) => other.at - one.at);
}

export default function ({ data, parentElement }) {
  const list = parentElement.querySelector("ul");
  const draw = () => {
    let found = [];
    try {
      found = storedDrafts(data.days);
    } catch {
      // a browser that stores nothing
    }
    parentElement.querySelector("p").textContent = found.length ? data.texts.heading : "";
    list.replaceChildren(
      ...found.map(({ key, title, steps, deal, at }) => {
        const item = document.createElement("li");
        const name = document.createElement("bdi");
        name.textContent = title;
        const when = new Date(at).toLocaleString(data.lang, { dateStyle: "short", timeStyle: "short" });
        const more = document.createElement("span");
        more.textContent = [deal || data.texts.count.replace("{n}", steps.length), when].join(" · ");
        const link = document.createElement("a");
        link.href = `saisir?draft=${encodeURIComponent(key.slice(BEGINS.length))}&lang=${data.lang}`;
        link.textContent = data.texts["go-on"];
        link.setAttribute("aria-label", `${data.texts["go-on"]} (${title})`);
        const forget = document.createElement("button");
        forget.type = "button";
        forget.textContent = data.texts.forget;
        forget.setAttribute("aria-label", `${data.texts.forget} (${title})`);
        forget.onclick = () => {
          localStorage.removeItem(key);
          draw();
        };
        item.append(name, more, link, forget);
        return item;
      }),
    );
  };
  draw();
}
