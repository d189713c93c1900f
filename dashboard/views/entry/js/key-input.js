// Keys → words, by the table the server sent: it knows no game and no card.

class KeyInput {
  // `keys`: what is typed → the word it stands for; one may begin another (b1 and b11)
  constructor(keys) {
    this.keys = new Map(Object.entries(keys));
    this.begun = new Set();
    for (const one of this.keys.keys()) {
      for (let end = 1; end < one.length; end += 1) this.begun.add(one.slice(0, end));
    }
    this.so = ""; // typed, and no word yet
  }

  // One more sign; the words that are said by it. `lost` is what was typed and is nothing.
  take(sign) {
    this.lost = "";
    const more = this.so + sign.toLowerCase();
    if (this.keys.has(more) && !this.begun.has(more)) {
      this.so = "";
      return [this.keys.get(more)];
    }
    if (this.keys.has(more) || this.begun.has(more)) {
      this.so = more;
      return [];
    }
    const before = this.so;
    this.so = "";
    if (!before) {
      this.lost = more;
      return [];
    }
    if (this.keys.has(before)) return [this.keys.get(before), ...this.take(sign)];
    const words = this.take(sign); // what was begun is nothing: this sign begins anew
    this.lost = before + this.lost;
    return words;
  }

  // what was typed is all: `b1` and not the beginning of `b11`
  end() {
    const { so } = this;
    this.so = "";
    this.lost = so && !this.keys.has(so) ? so : "";
    return this.keys.has(so) ? [this.keys.get(so)] : [];
  }

  back() {
    this.so = this.so.slice(0, -1);
  }
}
