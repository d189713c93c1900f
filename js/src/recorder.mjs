// Records a match act by act. Its record is a log at all times, and each step reports what `check` does;
// an act is checked from the state before it, other steps with the whole log.

import { beginCheck } from "./check.mjs";
import { SHARED } from "./shared.mjs";

export class Recorder {
  #game;
  #now; // the log, `ended`: of each deal whether `end` was called, and what `beginCheck` returns of the log
  #past = [];

  // `keys` are those of a match, such as `players` and `rules`; `deals` too, to go on with a log.
  constructor(game, keys) {
    this.#game = game;
    const log = structuredClone({ format: SHARED.format, game: game.name, ...keys, deals: keys.deals ?? [] });
    this.#now = { log, ended: log.deals.map(() => true), ...beginCheck(game, log) };
  }

  // Begin a deal; the seat that opens by the rules does where the keys name none.
  deal(keys = {}) {
    const { log, ended, report } = this.#now;
    const { opens } = this.#game.table, seats = report.result?.openers ?? [];
    const opener = opens in keys || seats.length !== 1 ? {} : { [opens]: seats[0] };
    const deal = structuredClone({ ...opener, ...keys, actions: keys.actions ?? [] });
    return this.#take({ log: { ...log, deals: [...log.deals, deal] }, ended: [...ended, false] });
  }

  // Record an action as a log writes it, such as `2 9h`, even one against the rules.
  act(action) {
    return this.#take(this.#withAct(action));
  }

  // Return the findings an action would have now, without recording it.
  check(action) {
    return this.#evaluate(this.#withAct(action)).findings;
  }

  // End the deal, with keys of its sheet such as `points`, `winner` or `void`.
  end(keys = {}) {
    return this.#take(this.#changed((deal) => ({ ...deal, ...structuredClone(keys) }), true));
  }

  // Record facts learned later: keys of the deal, such as `hands`, or of the match, such as `result`.
  update(keys) {
    const ofMatch = this.#game.table.shape.keys, [[{ keys: ofDeal }]] = ofMatch.deals;
    const entries = Object.entries(structuredClone(keys)), heads = entries.filter(([key]) => key in ofMatch && !(key in ofDeal));
    const own = Object.fromEntries(entries.filter((one) => !heads.includes(one))), { ended } = this.#now;
    const step = Object.keys(own).length ? this.#changed((deal) => ({ ...deal, ...own }), ended.at(-1)) : this.#now;
    return this.#take(step && { log: { ...step.log, ...Object.fromEntries(heads), deals: step.log.deals }, ended });
  }

  // Undo the last steps, across deals too; false if fewer were recorded.
  undo(steps = 1) {
    if (!(Number.isInteger(steps) && steps >= 0 && steps <= this.#past.length)) return false;
    if (steps) [this.#now] = this.#past.splice(-steps);
    return true;
  }

  // The state of the last deal; null where there is none.
  get state() {
    return this.#now.state;
  }

  get legal() {
    return this.state?.legal ?? [];
  }

  // All findings so far, but that the last deal is not at its end.
  get findings() {
    return visible(this.#now);
  }

  // The score of the match and whether it is over.
  get result() {
    return this.#now.report.result;
  }

  // The log so far, complete or not; the caller may change it.
  log() {
    return structuredClone(this.#now.log);
  }

  #withAct(action) {
    const one = structuredClone(action);
    const next = this.#changed((deal) => ({ ...deal, actions: [...(deal.actions ?? []), one] }), false);
    return next && { ...next, ...this.#now.withAct(one) };
  }

  // Return the log with another last deal; null where there is none.
  #changed(make, isEnd) {
    const { log, ended } = this.#now;
    if (!log.deals.length) return null;
    const deals = [...log.deals.slice(0, -1), make(log.deals.at(-1))];
    return { log: { ...log, deals }, ended: [...ended.slice(0, -1), isEnd] };
  }

  // Check a step: `ok` unless it cannot have happened, and then its findings are those that refuse it; else
  // they are those the log did not have.
  #evaluate(step) {
    if (!step) return { ok: false, findings: [], reason: "no-deal" };
    const next = step.report ? step : { ...step, ...beginCheck(this.#game, step.log) };
    const { status, reason } = next.report;
    const key = (one) => JSON.stringify([one.code, one.rule, one.path, one.seat, one.found]);
    const known = new Set(this.findings.map(key));
    const findings = visible(next).filter((one) => !known.has(key(one)));
    const { faults, matchFaults } = this.#game.table;
    const stops = new Set([...faults, ...matchFaults].filter((row) => row[3]).map(([code]) => code));
    const unreadable = status === "unreadable";
    const refused = findings.filter(({ code, severity }) => (unreadable ? severity === "error" : stops.has(code)));
    const ok = !unreadable && !refused.length;
    return { ok, findings: ok ? findings : refused, reason, next };
  }

  #take(step) {
    const { next, ...answer } = this.#evaluate(step);
    if (!answer.ok) return answer;
    this.#past.push(this.#now);
    this.#now = next;
    return answer;
  }
}

function visible({ report: { findings }, log, ended }) {
  const last = log.deals.length - 1;
  if (last < 0 || ended[last]) return findings;
  return findings.filter((one) => !(one.code === "incomplete" && one.deal_index === last));
}
