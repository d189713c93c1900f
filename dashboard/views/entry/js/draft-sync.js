// Synchronizes a draft's steps: stored in the browser at once, and on the server when it is reachable.

const WAITS = [500, 1000, 2000, 4000, 8000]; // ms between two tries, the last one again and again

class Draft {
  // `changed()` is called when the view changes
  constructor(secret, address, changed) {
    this.secret = secret;
    this.address = address;
    this.changed = changed;
    this.place = `retourne.draft.${secret}`;
    this.steps = []; // what counts while the server is out of reach
    this.from = 0; // steps from here on are not the server's yet
    this.version = 0; // of the server's steps
    this.response = null; // its last answer
    this.elsewhere = null; // what another device has made of it
    this.wrong = 0; // the status of an answer that is none
    this.offline = false;
    this.flying = null; // what is on its way: from which step on, and whether steps are taken back
    this.tries = 0;
    this.board = false; // whether the board is looked at
    this.device = this.ours();
    this.load();
    this.onLine = () => this.send(true);
    window.addEventListener("online", this.onLine);
  }

  leave() {
    window.removeEventListener("online", this.onLine);
    clearTimeout(this.timer);
  }

  // identifies this page: another page of the same browser is another device
  ours() {
    const made = [...crypto.getRandomValues(new Uint8Array(8))].map((one) => one.toString(16)).join("");
    try {
      const known = sessionStorage.getItem("retourne.device") ?? made;
      sessionStorage.setItem("retourne.device", known);
      return known;
    } catch {
      return made; // a browser that keeps nothing
    }
  }

  load() {
    try {
      const saved = JSON.parse(localStorage.getItem(this.place));
      if (!Array.isArray(saved?.steps)) return;
      this.steps = saved.steps.filter((one) => typeof one === "string");
      this.from = Math.min(+saved.from || 0, this.steps.length);
      this.version = +saved.version || 0;
      this.taken = Boolean(saved.taken);
    } catch {
      // as above: the server has the steps it received
    }
  }

  save() {
    // unanswered steps are stored, so that they are sent again
    const { steps, version, flying } = this;
    const from = Math.min(this.from, flying?.from ?? this.from);
    const taken = Boolean(this.taken || flying?.taken);
    try {
      localStorage.setItem(this.place, JSON.stringify({ steps, from, version, taken, title: this.title, deal: this.response?.deal, at: Date.now() }));
    } catch {
      // as above
    }
  }

  // the number of steps the server has not confirmed yet
  get waiting() {
    return Math.max(0, this.steps.length - (this.response?.done ?? 0));
  }

  // the rejected step, while it is in the draft
  get refused() {
    const one = this.response?.refused;
    return one && this.steps[one.at] === one.step ? one : null;
  }

  record(...steps) {
    const { refused } = this;
    // replace the rejected step
    if (refused && refused.at === this.steps.length - 1) this.cut(refused.at);
    this.steps.push(...steps);
    this.after();
  }

  // force the rejected step; later steps follow
  insist() {
    const { refused } = this;
    if (!refused?.can) return;
    this.put(refused.at, `${refused.step}!`);
  }

  // remove the rejected step
  leaveOut() {
    const { refused } = this;
    if (refused) this.put(refused.at);
  }

  put(at, ...steps) {
    const rest = this.steps.slice(at + 1);
    this.cut(at);
    this.steps.push(...steps, ...rest);
    this.after();
  }

  undo(many = 1) {
    if (!this.steps.length) return;
    this.cut(Math.max(0, this.steps.length - many));
    this.after();
  }

  cut(at) {
    this.steps.length = at;
    if (at < this.from) this.taken = true; // the server has more than we want
    this.from = Math.min(this.from, at);
  }

  after() {
    this.save();
    this.changed();
    this.send();
  }

  // Send new steps, one request at a time: steps added meanwhile go with the next.
  async send(now = false) {
    if (this.flying || this.elsewhere || (this.offline && !now)) return;
    if (this.response && this.from >= this.steps.length && !this.taken && !this.wants) return;
    clearTimeout(this.timer);
    const { from, taken, version } = this;
    const more = this.steps.slice(from);
    this.flying = { from, taken };
    this.wants = false;
    this.taken = false;
    this.from = this.steps.length;
    try {
      // without a base the request changes nothing
      const base = more.length || taken ? from : null;
      const answer = await this.ask({ base, more, version });
      this.offline = false;
      this.tries = 0;
      this.flying = null;
      if (answer.status === 200) this.take(answer.body);
      else if (answer.status === 409) this.stop(answer, from, taken);
      else this.fail(answer.status, from, taken);
    } catch {
      this.flying = null;
      this.offline = true;
      this.fail(0, from, taken);
    }
  }

  async ask(what) {
    const found = await fetch(this.address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...what, draft: this.secret, device: this.device, board: this.board, lang: this.lang }),
      signal: AbortSignal.timeout(30000),
    });
    const json = found.headers.get("content-type")?.startsWith("application/json");
    return { status: found.status, body: json ? await found.json() : null };
  }

  take(body) {
    this.wrong = 0;
    this.response = body;
    this.version = body.version;
    // a request without changes takes the server's steps
    if (body.steps && this.from === this.steps.length && !this.taken) {
      this.steps = body.steps;
      this.from = this.steps.length;
    }
    this.save();
    this.changed();
    this.send();
  }

  fail(status, from, taken) {
    this.wrong = status;
    this.from = Math.min(this.from, from);
    this.taken ||= taken;
    this.save();
    this.changed();
    if (status && status < 500 && status !== 429) return;
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)];
    this.tries += 1;
    this.timer = setTimeout(() => this.send(true), wait);
  }

  // another device added steps: the writer chooses which to keep
  stop({ body }, from, taken) {
    this.from = Math.min(this.from, from);
    this.taken ||= taken;
    this.elsewhere = body;
    this.save();
    this.changed();
  }

  theirs() {
    const { steps, version } = this.elsewhere;
    Object.assign(this, { steps, version, from: steps.length, taken: false, elsewhere: null });
    this.wants = true;
    this.after();
  }

  mine() {
    const { version } = this.elsewhere;
    Object.assign(this, { version, from: 0, taken: true, elsewhere: null });
    this.after();
  }

  // request the view again, for example in another language or with the board
  refresh() {
    this.wants = true;
    this.send();
  }
}
