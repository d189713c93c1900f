// Records a match act by act. Its record is a log at all times, and each step checks it as `check` does.

import { checkLog } from "./check.mjs";
import { SHARED } from "./shared.mjs";
import { statesOf } from "./states.mjs";

export class Recorder {
  #game;
  #log;
  #past = [];
  #ended = []; // of each deal, whether `end` was called
  #checked;

  // `keys` are those of a match, such as `players` and `rules`; `deals` too, to go on with a log.
  constructor(game, keys) {
    this.#game = game;
    this.#log = structuredClone({ format: SHARED.format, game: game.name, ...keys, deals: keys.deals ?? [] });
    this.#ended = this.#log.deals.map(() => true);
    this.#checked = checkLog(game, this.#log);
  }

  // Begin a deal; the seat that opens by the rules does where the keys name none.
  deal(keys = {}) {
    const { opens } = this.#game.table, seats = this.#checked.result?.openers ?? [];
    const opener = opens in keys || seats.length !== 1 ? {} : { [opens]: seats[0] };
    return this.#take({ ...this.#log, deals: [...this.#log.deals, { ...opener, ...keys, actions: keys.actions ?? [] }] }, false);
  }

  // Record an action as a log writes it, such as `2 9h`, even one against the rules.
  act(action) {
    return this.#change((deal) => ({ ...deal, actions: [...deal.actions, action] }), false);
  }

  // Return the findings an action would have now, without recording it.
  why(action) {
    const { findings } = this.#step((deal) => ({ ...deal, actions: [...deal.actions, action] }));
    return findings;
  }

  // End the deal, with keys of its sheet such as `points`, `winner` or `void`.
  end(keys = {}) {
    return this.#change((deal) => ({ ...deal, ...keys }), true);
  }

  // Record keys of the match, such as `result`.
  update(keys) {
    return this.#take({ ...this.#log, ...keys, deals: this.#log.deals }, this.#ended.at(-1) ?? false, this.#ended.length);
  }

  // Undo the last steps, across deals too; false if fewer were recorded.
  undo(steps = 1) {
    if (!(Number.isInteger(steps) && steps >= 0 && steps <= this.#past.length)) return false;
    if (!steps) return true;
    [this.#log, this.#ended] = this.#past[this.#past.length - steps];
    this.#past.length -= steps;
    this.#checked = checkLog(this.#game, this.#log);
    return true;
  }

  // The state of the last deal; null where there is none.
  get state() {
    return statesOf(this.#game, this.#log).deals.at(-1)?.at(-1) ?? null;
  }

  get legal() {
    return this.state?.legal ?? [];
  }

  // All findings so far, but that the last deal is not at its end.
  get findings() {
    return this.#visible(this.#checked, this.#log, this.#ended);
  }

  // The score of the match and whether it is over.
  get result() {
    return this.#checked.result;
  }

  // The log so far, complete or not; the caller may change it.
  log() {
    return structuredClone(this.#log);
  }

  #change(make, ended) {
    if (!this.#log.deals.length) return { ok: false, findings: [], reason: "no-deal" };
    return this.#take(this.#with(make), ended, this.#ended.length);
  }

  #with(make) {
    const deals = this.#log.deals;
    return { ...this.#log, deals: [...deals.slice(0, -1), make(deals.at(-1))] };
  }

  #step(make) {
    if (!this.#log.deals.length) return { ok: false, findings: [], reason: "no-deal" };
    return this.#judge(structuredClone(this.#with(make)), this.#ended);
  }

  // Check a step: `ok` unless it cannot have happened, and then its findings are those that refuse it; else
  // they are those the log did not have.
  #judge(log, ended) {
    const checked = checkLog(this.#game, log);
    const key = (one) => JSON.stringify([one.code, one.rule, one.path, one.seat, one.found]);
    const known = new Set(this.findings.map(key));
    const findings = this.#visible(checked, log, ended).filter((one) => !known.has(key(one)));
    const { faults, matchFaults } = this.#game.table;
    const stops = new Set([...faults, ...matchFaults].filter((row) => row[3]).map(([code]) => code));
    const unreadable = checked.status === "unreadable";
    const refused = findings.filter(({ code, severity }) => (unreadable ? severity === "error" : stops.has(code)));
    const ok = !unreadable && !refused.length;
    return { ok, findings: ok ? findings : refused, reason: checked.reason, checked };
  }

  #take(log, isEnd, count = this.#ended.length + 1) {
    const plain = structuredClone(log);
    const ended = [...this.#ended.slice(0, count - 1), ...(count ? [isEnd] : [])];
    const { checked, ...step } = this.#judge(plain, ended);
    if (!step.ok) return step;
    this.#past.push([this.#log, this.#ended]);
    [this.#log, this.#ended, this.#checked] = [plain, ended, checked];
    return step;
  }

  #visible({ findings }, log, ended) {
    const last = log.deals.length - 1;
    if (last < 0 || ended[last]) return findings;
    return findings.filter((one) => !(one.code === "incomplete" && one.deal === last));
  }
}
