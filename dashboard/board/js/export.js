// Exports of the board: a link to the position, a picture, the match printed on paper.

const UNROLLED = 2000; // px

class Exports {
  constructor(board) {
    this.board = board;
    this.onPrint = () => this.sheet();
    addEventListener("beforeprint", this.onPrint);
  }

  leave() {
    removeEventListener("beforeprint", this.onPrint);
  }

  paper() {
    print();
  }

  // the print version of the match, made when it is printed
  sheet() {
    const { head, texts } = this.board.data;
    if (!head?.sheet) return;
    const { columns, rows, findings } = head.sheet;
    const table = make("table");
    const line = (tag, cells) => {
      const row = make("tr");
      for (let i = 0; i < columns.length; i++) row.append(make(tag, "", cells[i] ?? ""));
      return row;
    };
    table.append(line("th", columns), ...rows.map((cells) => line("td", cells)));
    const found = findings.map(({ rule, severity, place, text }) => {
      return make("p", "", [`${texts[severity]} ${rule}`, place, text].filter(Boolean).join(" · "));
    });
    const title = make("h2", "", this.board.part(".players").textContent);
    const about = make("p", "", head.about.join(" · "));
    const heading = findings.length ? [make("h2", "", `${texts.findings} (${findings.length})`)] : [];
    this.board.part(".sheet").replaceChildren(title, about, table, ...heading, ...found);
  }

  notify(text) {
    this.board.part(".done").textContent = text;
  }

  async copy() {
    const { texts } = this.board.data;
    this.board.write();
    try {
      await navigator.clipboard.writeText(this.board.link);
      this.notify(texts.copied);
    } catch {
      this.notify(this.board.link); // no clipboard here: it can be copied by hand
    }
  }

  async image() {
    const { texts } = this.board.data;
    try {
      const blob = await this.picture();
      const link = make("a");
      link.href = URL.createObjectURL(blob);
      link.download = `retourne-${this.board.data.deal}-${this.board.ply}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      this.notify(texts.saved);
    } catch {
      this.notify(texts["not-saved"]);
    }
  }

  // The browser renders it: the table with its styles and cards in one SVG image,
  // which may load nothing from outside.
  async picture() {
    const { root } = this.board;
    const caption = this.board.part(".caption").getBoundingClientRect();
    const felt = this.board.part(".felt").getBoundingClientRect();
    const [margin, scale] = [16, 2];
    const width = Math.ceil(felt.width + 2 * margin);
    const copy = root.closest(".frame").cloneNode(true);
    const rest = this.unroll(copy);
    const height = Math.ceil(felt.bottom - caption.top + rest + 2 * margin);
    for (const one of copy.querySelectorAll(".top, .side-panel, .steps, .more, .findings, .sheet, dialog, .eye")) {
      one.remove();
    }
    // the same size as on the screen, regardless of the image's size
    const rows = `"caption" ${caption.height + rest}px "felt" ${felt.height}px`;
    copy.querySelector(".window").style.cssText = `height:auto;grid-template:${rows}/${felt.width}px`;
    for (const one of copy.querySelectorAll(".moved")) one.classList.remove("moved"); // at rest
    await Promise.all([...copy.querySelectorAll("img")].map((image) => this.embed(image)));
    const styles = await this.styles();
    const style = make("style", "", styles);
    const page = make("div");
    const box = `box-sizing:border-box;padding:${margin}px;width:${width}px;height:${height}px`;
    page.style.cssText = `${this.theme(styles)};${box}`;
    page.append(style, copy);
    const svg = draw("svg", { width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}` });
    const inside = draw("foreignObject", { width, height });
    inside.append(page);
    svg.append(inside);
    const text = new XMLSerializer().serializeToString(svg);
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    await image.decode();
    const canvas = make("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return new Promise((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png");
    });
  }

  // shows comments in full in an image, up to a limit; returns the added height
  unroll(copy) {
    const { scrollHeight, clientHeight } = this.board.part(".comments");
    const rest = scrollHeight - clientHeight;
    if (rest > UNROLLED) return 0;
    copy.querySelector(".caption").style.maxHeight = "none";
    return rest;
  }

  async embed(image) {
    if (!image.src.startsWith("data:")) {
      const svg = await (await fetch(image.src)).text();
      image.src = "data:image/svg+xml," + encodeURIComponent(svg);
    }
  }

  // the style rules as they were written
  async styles() {
    const sheets = [...this.board.root.getRootNode().querySelectorAll("style, link[rel=stylesheet]")];
    const text = async (sheet) => (sheet.href ? (await fetch(sheet.href)).text() : sheet.textContent);
    return (await Promise.all(sheets.map(text))).join("\n");
  }

  // the page's current colours and fonts
  theme(styles) {
    const style = getComputedStyle(this.board.root);
    const names = new Set(styles.match(/--st-[\w-]+/g));
    const set = [...names].map((name) => `${name}:${style.getPropertyValue(name)}`);
    set.push(`color-scheme:${style.colorScheme}`);
    return [...set, `background:${style.getPropertyValue("--st-background-color")}`].join(";");
  }
}
