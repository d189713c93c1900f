// The line above the board: players, game, event, deals, and the list the reader came from.

class Head {
  constructor(board) {
    this.board = board;
    // links lead on without loading the whole page again
    board.part(".top").addEventListener("click", (event) => this.follow(event));
  }

  take() {
    const { board } = this;
    const { head, texts, deal } = board.data;
    const { players, about } = head ?? { players: [], about: [] };
    const names = board.part(".players");
    names.replaceChildren(...this.sides().flatMap((side, i) => [i ? " – " : "", ...side]));
    board.part(".about").textContent = about.join(" · ");
    board.part(".state").textContent = head?.state ?? "";
    board.part(".match").title = [names.textContent, ...about].filter(Boolean).join(" · ");
    board.part(".match").hidden = players.length === 0;
    board.part(".near").hidden = !(head?.before || head?.after);
    for (const one of board.root.querySelectorAll("[data-near]")) {
      const href = head?.[one.dataset.near];
      one.title = texts[one.dataset.near];
      one.setAttribute("aria-label", one.title);
      if (href) one.href = href;
      else one.removeAttribute("href");
    }
    // the value of each is its name
    const deals = board.deals.map(({ name, label }) => new Option(board.wishes.spoiler ? name : label));
    const chosen = board.part("[name=deal]");
    chosen.replaceChildren(...deals);
    chosen.selectedIndex = board.deals.findIndex(({ number }) => number === deal);
    chosen.setAttribute("aria-label", texts.deal);
    // on narrow screens
    board.part(".of").replaceChildren(make("span", "", `${texts.deal} `), `${deal}/${board.deals.at(-1)?.number}`);
    board.part(".deals").hidden = deals.length < 2;
    for (const [act, by] of [["previous-deal", -1], ["next-deal", 1]]) {
      board.part(`[data-act=${act}]`).setAttribute("aria-disabled", String(!board.adjacentDeal(by)));
    }
  }

  // the players, partners together
  sides() {
    const { head, sides } = this.board.data;
    const players = head?.players ?? [];
    const count = sides.length || players.length;
    return players.slice(0, count).map((_, side) => {
      const own = players.filter((_, seat) => seat % count === side);
      return own.flatMap(({ name, href }, i) => [i ? " + " : "", this.link(name, href)]);
    });
  }

  link(text, href) {
    const one = make(href ? "a" : "span", "player", text);
    if (href) one.href = href;
    one.title = text;
    return one;
  }

  // Streamlit opens the page an address names when the reader goes back or forth to it.
  follow(event) {
    const link = event.target.closest("a[href]");
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
    const { where } = this.board.data;
    if (!link || !plain || !where || where.path) return;
    event.preventDefault();
    this.board.write(); // where one comes back to
    history.pushState(null, "", link.href);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  }
}
