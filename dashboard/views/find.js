// The deals that a search finds: each is a link with a picture of the board and a few lines.
// Texts of logs are set as text. `follow` is of follow_link.js.

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".found");
  place.setAttribute("aria-label", data.label);
  place.replaceChildren(...data.deals.map(card));
  place.onclick = follow;
  delete place.dataset.empty;
}

function card(deal) {
  const link = document.createElement("a");
  link.href = deal.href;
  const picture = document.createElement("img");
  picture.alt = "";
  picture.loading = "lazy";
  picture.onerror = () => picture.remove(); // a deal without a board
  picture.src = deal.picture;
  const names = document.createElement("span");
  names.className = "names";
  for (const { text, found } of deal.names) {
    const one = document.createElement(found ? "b" : "span");
    one.style.padding = "0";
    one.textContent = text;
    names.append(one);
  }
  const about = document.createElement("span");
  about.className = "about";
  about.textContent = deal.about;
  link.append(picture, names, about);
  return link;
}
