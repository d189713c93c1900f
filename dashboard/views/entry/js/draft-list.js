// The drafts of this browser that are not added yet: matches with cards, each a link, or sheets. They
// outlive a closed browser. The sheet being typed is stored here too.

function storedDrafts({ begins, days, current }) {
  const found = [];
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(begins))) {
    try {
      const draft = JSON.parse(localStorage.getItem(key));
      if (Date.now() - draft.at > days * 86400000) localStorage.removeItem(key);
      else if (draft.title && (draft.steps ?? draft.lines).length && key !== begins + current) found.push({ ...draft, key });
    } catch {
      localStorage.removeItem(key); // not what a page stores
    }
  }
  return found.sort((one, other) => other.at - one.at);
}

function write({ begins, draft, added }) {
  for (const one of added ?? []) localStorage.removeItem(begins + one);
  if (!draft) return;
  const key = begins + draft.id;
  const { at, ...before } = JSON.parse(localStorage.getItem(key) ?? "{}");
  if (!draft.lines.length) localStorage.removeItem(key);
  else if (JSON.stringify(before) !== JSON.stringify(draft)) localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() }));
}

function showDrafts({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ul");
  const button = (label, title, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.setAttribute("aria-label", `${label} (${title})`);
    made.onclick = act;
    return made;
  };
  const link = (key, title) => {
    const made = document.createElement("a");
    made.href = `saisir?draft=${encodeURIComponent(key.slice(data.begins.length))}&lang=${data.lang}`;
    made.textContent = data.texts["go-on"];
    made.setAttribute("aria-label", `${data.texts["go-on"]} (${title})`);
    return made;
  };
  const draw = () => {
    let found = [];
    try {
      write(data);
      found = storedDrafts(data);
    } catch {
      // storage is unavailable
    }
    parentElement.querySelector("p").textContent = found.length ? data.texts.heading : "";
    list.replaceChildren(
      ...found.map(({ key, at, ...draft }) => {
        const item = document.createElement("li");
        const name = document.createElement("bdi");
        name.textContent = draft.title;
        const when = new Date(at).toLocaleString(data.lang, { dateStyle: "short", timeStyle: "short" });
        const more = document.createElement("span");
        const count = data.texts.count.replace("{n}", (draft.steps ?? draft.lines).length);
        more.textContent = [draft.deal || count, when].join(" · ");
        const goOn = draft.steps ? link(key, draft.title) : button(data.texts["go-on"], draft.title, () => setTriggerValue("resume", draft));
        const forget = button(data.texts.forget, draft.title, () => {
          localStorage.removeItem(key);
          draw();
        });
        item.append(name, more, goOn, forget);
        return item;
      }),
    );
  };
  draw();
}
