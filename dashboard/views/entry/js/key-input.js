// Maps keys to words by the server's table; independent of game and cards.

class KeyInput {
  // `keys`: typed characters → word; one may begin another (b1 and b11)
  constructor(keys) {
    this.keys = new Map(Object.entries(keys));
    this.begun = new Set();
    for (const one of this.keys.keys()) {
      for (let end = 1; end < one.length; end += 1) this.begun.add(one.slice(0, end));
    }
    this.so = ""; // typed, and no word yet
  }

  // Take one more character; returns the words it completes. `lost`: what was typed and means nothing.
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

  // the input is complete: `b1`, not the beginning of `b11`
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
