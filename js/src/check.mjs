// Checks a match as `retourne check` does: its document, each deal step by step, the match across deals.

import { deckOf } from "./deck.mjs";
import { documentFinding, finding, isResultOnly, readDocument, readLog, resolveRules } from "./document.mjs";
import { pointer } from "./json.mjs";
import { faultByCode, faultsIn } from "./kernel.mjs";
import { SHARED } from "./shared.mjs";
import { knownCards, OpeningState, State } from "./state.mjs";

const MORE = "more-findings", DECLARED = ["points-differ", "winner-differs"];

// Return `{status, findings, deals, result}`; where only the server can say, `status` is null and
// `reason` and `path` say why and where. `states` is filled with the states of each deal.
export function checkLog(game, log, states = null) {
  const { report } = beginCheck(game, log, states);
  return report.status === null ? unanswered(report.reason, report.path) : report;
}

// Return the report on a log, the `state` of its last deal, and `withAct`: the same of the log with one
// more action, without checking what comes before it again; null where the whole log has to be. Without a
// status the report has the findings of what comes before the first unknown card that counts.
export function beginCheck(game, log, states = null) {
  const only = (report) => ({ report, state: null, withAct: () => null });
  const { value, findings, duplicates, length } = readLog(log);
  const collected = new Findings();
  if (findings.length) return only(unreadable(collected, findings));
  if (SHARED.games.includes(value?.game) && value.game !== game.name) return only(unanswered("not-loaded", "/game"));
  const document = readDocument(value, game.table);
  if (document.isOfSeveralGames) return only(unanswered("not-loaded", "/game")); // their words would tell
  const repeated = duplicates.map((path) => {
    const key = path.slice(path.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~");
    return documentFinding("duplicate-key", path, key);
  });
  if (document.fatal) return only(unreadable(collected, [...document.findings, ...repeated]));
  const open = partsLeftOut(value, game.table);
  if (open) return only(unanswered(...open));
  document.findings.concat(repeated).forEach((one) => collected.add(one));
  const checker = new MatchChecker(game, value, length, collected, states);
  const deals = value.deals ?? [];
  for (const [index, deal] of deals.entries()) {
    checker.beginDeal(index, deal);
    if (!checker.open) for (const word of deal.actions ?? []) checker.play(word);
    if (checker.open && index === deals.length - 1) return { ...only(null), ...checker.opening() };
    if (checker.open) return only(unanswered(...checker.open));
    if (index < deals.length - 1) checker.endDeal();
  }
  return checker.finish(deals.length > 0);
}

function unreadable(collected, findings) {
  findings.forEach((one) => collected.add(one));
  return { status: "unreadable", findings: collected.all(), deals: [], result: null, reason: null, path: null };
}

function unanswered(reason, path) {
  return { status: null, findings: [], deals: [], result: null, reason, path };
}

// Return why and where a log is not written out whole, as far as that shows before its deals are read.
function partsLeftOut(log, table) {
  if (isResultOnly(log)) return ["result-only", "/result"];
  if ("start" in table.shape.keys && (log.start ?? null) !== null) return ["start", "/start"];
  const at = (log.deals ?? []).findIndex((deal) => isScoreLine(deal, table));
  return at < 0 ? null : ["score-sheet", pointer("deals", at)];
}

function isScoreLine(deal, table) {
  const fields = table.shape.keys.deals[0][0].keys;
  const written = (key) => key in fields && (deal[key]?.length ?? 0) > 0;
  const played = deal.void || deal.actions?.length || ["deck", "hands", "talon", "bids"].some(written);
  const given = (key) => (deal[key] ?? null) !== null;
  return !played && ["score_line", "points", "winner"].some(given);
}

// The findings of a match: those beyond the limit are only counted.
class Findings {
  items = [];
  more = new Map();
  hasErrors = false;

  add(one) {
    this.hasErrors ||= one.severity === "error";
    if (!this.isFull) this.items.push(one);
    else this.more.set(one.severity, (this.more.get(one.severity) ?? 0) + 1);
  }

  copy() {
    const one = new Findings();
    return Object.assign(one, this, { items: [...this.items], more: new Map(this.more) });
  }

  get isFull() {
    return this.items.length >= SHARED.maxFindings;
  }

  all() {
    const count = [...this.more.values()].reduce((all, one) => all + one, 0);
    const severity = this.more.has("error") ? "error" : "warning";
    return count ? [...this.items, documentFinding(MORE, "", count, SHARED.maxFindings, { severity })] : this.items;
  }
}

class MatchChecker {
  constructor(game, log, length, findings, states) {
    const { table, kernel } = game;
    Object.assign(this, { game, table, kernel, log, length, findings, states });
    this.players = log.players.length;
    this.settings = equip(game, log);
    this.deck = deckOf(log, table, kernel);
    this.words = game.wordsOf(this.deck.faces);
    this.deals = []; // what is known of each deal
    this.harmless = new Set(); // findings whose act changed nobody's legal acts
    this.settled = new Set(); // deals that are void or have the right sheet
    this.notes = new WeakMap(); // finding → facts about it that are not part of it
    this.open = null; // why and where only the server can say
    this.current = null; // the deal that is being played
    for (const one of this.deck.problems) this.addProblem(one, "");
    this.kernel.clear("match");
    this.kernel.call.open_match(this.kernel.match, this.kernel.rules, this.players, ...this.dealersByCut());
  }

  add(fault, path, fields = {}, notes = {}) {
    const one = finding({ code: fault.code, rule: fault.rule, severity: fault.severity, path, ...fields });
    this.findings.add(one);
    this.notes.set(one, { dependsOn: fault.dependsOn, ...notes });
    this.dealFaults?.push(fault);
    return one;
  }

  addProblem({ code, path, found, allowed }, where, fields = {}) {
    const fault = faultByCode(this.table, code, "matchFaults");
    this.add(fault, where + path, { found, legal: allowed.length ? allowed : null, ...fields });
  }

  // Return the seats that the cuts name: first dealer, highest cut, dealer of the belle; -1 for none.
  dealersByCut() {
    const { table, kernel, players } = this, named = [-1, -1], highest = [-1, -1];
    const cuts = "cuts" in table.shape.keys && table.hasCut ? (this.log.cuts ?? []) : [];
    const sole = (cards, sign) => kernel.call[`cut_${players}`](kernel.declare(cards), table.ranks.length, sign);
    for (const [i, attempts] of cuts.entries()) {
      const wrong = (code, k) => this.addProblem({ code, path: pointer("cuts", i, k), found: attempts[k], allowed: [] }, "");
      if (i > 1 && attempts.length) {
        wrong("cut-repeated", 0); // only the match and its belle have a cut
        continue;
      }
      let last = null;
      for (const [k, attempt] of attempts.entries()) {
        const cards = attempt.split(" ").map((card) => table.pack.indexOf(card));
        if (cards.length !== players || new Set(cards).size !== players || cards.includes(-1)) {
          wrong("cut-cards", k);
          last = null;
          break;
        }
        last = cards;
        const decided = sole(cards, 1) >= 0;
        if (decided !== (k === attempts.length - 1)) wrong(decided ? "cut-repeated" : "cut-undecided", k);
      }
      if (last && sole(last, 1) >= 0) [named[i], highest[i]] = [sole(last, 1), sole(last, -1)];
    }
    return [named[0], highest[0], named[1]];
  }

  // The manche and the partie of the next deal, from 1; null if the game has none or they are unknown.
  position() {
    const { kernel } = this;
    if (kernel.get("match", "unknown") || kernel.get("match", "over")) return { manche: null, partie: null };
    const number = (option, field) => (option in this.settings ? kernel.get("match", field) + 1 : null);
    return { manche: number("manches", "manche"), partie: number("parties", "partie") };
  }

  // Begin a deal: read and deal its cards, where they can be.
  beginDeal(index, deal) {
    const { table } = this, path = pointer("deals", index), problems = [], actions = deal.actions ?? [];
    const first = this.findings.items.length, position = this.position();
    this.dealFaults = [];
    this.states?.push([]);
    if ((deal.score_line ?? null) !== null) {
      this.add(faultByCode(table, "score-line-ignored", "matchFaults"), path + "/score_line", { deal_index: index });
    }
    const row = this.rowOf(deal, problems);
    this.current = { index, deal, path, row, position, first, problems: problems.length, played: 0, stopped: false };
    for (const one of problems) this.addProblem(one, path, { deal_index: index });
    if (row && (row.includes(SHARED.hiddenCard) || actions.some((word) => this.drawsHidden(word)))) {
      this.open = ["hidden-cards", path];
    } else if (row) {
      this.begin(deal, row);
    }
  }

  drawsHidden(word) {
    const draw = `draw ${SHARED.hiddenWord}`;
    return word.slice(2) === draw && draw in this.table.acts;
  }

  // End the deal that was begun: compare it with its sheet and count it in the match.
  endDeal() {
    const { position, first } = this.current;
    const ended = this.countPlayed();
    for (const one of this.findings.items.slice(first)) Object.assign(one, position);
    const wrong = this.dealFaults.filter(({ severity }) => severity === "error");
    const impossible = wrong.some((one) => one.impossible);
    let status = wrong.length ? "irregular" : "legal";
    if (wrong.some(({ code }) => code === "incomplete")) status = "incomplete";
    if (!ended.state || impossible) status = "broken";
    if (this.current.deal.void && !ended.state && !this.current.problems) status = "legal";
    const { points = null, winner = null } = ended;
    const score = this.kernel.get("match", "score").slice(0, this.players);
    this.deals.push({ status, ...position, points, winner, score });
    this.dealFaults = null;
    return ended.state;
  }

  countPlayed() {
    const { kernel, table } = this, { index, deal, row, path, stopped } = this.current;
    const dealer = deal[table.opens] - 1;
    this.checkTimes(index, deal, deal.actions?.length ?? 0, path);
    if (!row) {
      if (!deal.void || !(dealer >= 0 && dealer < this.players)) {
        kernel.call.skip_unknown_deal(kernel.match);
        return { state: null };
      }
      kernel.start(this.players, dealer, table.exampleDeck, false);
    }
    this.countDeal(index, deal, stopped);
    const state = row && new State(this.game, this.deck, this.players, kernel.copy("state"));
    if (state) this.states?.at(-1).splice(-1, 1, state); // counting a deal may settle its end
    const played = state && !deal.void && state.outcome !== table.running;
    return { state, ...(played ? { points: state.points, winner: state.winner } : {}) };
  }

  // Return the row the kernel deals from; null if the cards are not recorded, or cannot be read.
  rowOf(deal, problems) {
    const { opens } = this.table;
    if (!(deal[opens] >= 1 && deal[opens] <= this.players)) {
      const allowed = Array.from({ length: this.players }, (_, seat) => String(seat + 1));
      problems.push({ code: "deal-seat", path: "/" + opens, found: deal[opens] ?? null, allowed });
    }
    const unrecorded = deal.void && !deal.actions?.length && this.deck.isUnrecorded(deal);
    const row = unrecorded || this.deck.problems.length ? null : this.deck.row(deal, problems);
    return problems.length ? null : row;
  }

  // Deal the cards of a row; the log draws by itself where it records any draw.
  begin(deal, row) {
    const { draws, opens } = this.table;
    const explicit = draws && (deal.actions ?? []).some(isDraw);
    this.current.draws = !draws || explicit; // whether another draw changes nothing about it
    this.kernel.start(this.players, deal[opens] - 1, row, explicit);
    this.keepState();
  }

  // Return the report and the state of a deal some of whose cards are unknown, as long as play has still to deal the
  // last ones. No act then hangs on a hand, only on the card at one place: each place gets each of the unknown cards
  // in turn, and what is so in all these packs is certain.
  opening() {
    const { kernel, table } = this, { deal, row } = this.current, report = unanswered(...this.open);
    if (!Object.keys(table.takings).length || this.deck.places(deal[table.opens] - 1)) return { report };
    const unknown = table.exampleDeck.filter((card) => !row.includes(card)), actions = deal.actions ?? [];
    const packs = unknown.map((_, first) => {
      let next = first;
      return row.map((card) => (card === SHARED.hiddenCard ? unknown[next++ % unknown.length] : card));
    });
    const states = [], hands = () => String(kernel.get("state", "hand"));
    const faults = packs.map((pack) => {
      kernel.start(this.players, deal[table.opens] - 1, pack, false);
      const dealt = hands();
      const found = actions.map((word) => faultsIn(table.faults, kernel.step(this.words.code(word))));
      states.push(kernel.copy("state"));
      return hands() === dealt && found.map((some) => some.map(({ code }) => code));
    });
    if (faults.includes(false)) return { report };
    const known = new Set(row.filter((card) => card !== SHARED.hiddenCard).map((card) => table.pack[card]));
    const isCertain = (at, { code }) => faults.every((found) => found[at].includes(code));
    Object.assign(this.current, { row: packs[0], known, isCertain });
    this.begin(deal, packs[0]);
    actions.forEach((word) => this.play(word));
    const { findings, result } = this.report();
    const state = new OpeningState(this.game, this.deck, this.players, states, known);
    return { report: { ...report, findings, result: { ...result, openers: [] } }, state };
  }

  keepState() {
    this.states?.at(-1).push(new State(this.game, this.deck, this.players, this.kernel.copy("state")));
  }

  // Play an action of the deal that was begun, unless it stopped at what cannot have happened.
  play(word) {
    const { kernel, table, current } = this, at = current.played++;
    if (!current.row || current.stopped) return;
    const code = this.words.code(word);
    const before = this.findings.isFull ? null : kernel.copy("state");
    const faults = faultsIn(table.faults, kernel.step(code)).filter((one) => current.isCertain?.(at, one) ?? true);
    current.stopped = faults.some(({ impossible }) => impossible);
    if (faults.length) this.addFaults(current.index, at, word, code, faults, before, current.stopped);
    if (!current.stopped) this.keepState();
  }

  addFaults(index, at, word, code, faults, before, stops) {
    const { kernel, table, game } = this;
    if (!before) {
      for (const fault of faults) this.add(fault, "");
      return;
    }
    const after = kernel.copy("state");
    kernel.paste("state", before);
    const state = new State(game, this.deck, this.players, before);
    const legal = kernel.legal();
    kernel.paste("state", after);
    const harmless = !stops && String(kernel.legal()) === String(legal);
    const act = code & SHARED.actMask, known = act < table.actCount;
    const written = /^[1-9](?= |$)/.exec(word)?.[0] ?? 0;
    const seat = known ? (code >> SHARED.seatShift) + 1 : Number(written) <= this.players ? Number(written) : 0;
    const auction = state.has("bidding") && Boolean(state.field("bidding"));
    const playing = !auction && !state.over, tried = game.kindOf(act);
    const card = playing && tried === "play" ? state.field("on_table") + 1 : null;
    for (const fault of faults) {
      if (this.findings.isFull) {
        this.add(fault, "");
        continue;
      }
      const turned = fault.code === "wrong-turn";
      const shown = turned ? state.turn : seat;
      const hand = shown > 0 && shown <= this.players ? knownCards(state.hands[shown - 1], this.current.known) : null;
      if (harmless) this.harmless.add(this.findings.items.length);
      const kind = table.requiredKinds[fault.code] ?? tried;
      const may = legal.filter((one) => game.kindOf(one & SHARED.actMask) === kind).map((one) => this.words.word(one));
      const place = { deal_index: index, trick: playing ? state.trick + 1 : null, card, action_index: at };
      this.add(fault, pointer("deals", index, "actions", at), { ...place, seat: seat || null, found: word, legal: may, hand });
    }
  }

  checkTimes(index, deal, count, path) {
    const { times } = deal;
    if ((times ?? null) === null) return;
    const fault = (code) => faultByCode(this.table, code, "matchFaults");
    if (times.length !== count) {
      this.add(fault("times-count"), path + "/times", { deal_index: index, found: times.length, legal: count });
    }
    let last = 0;
    for (const [at, time] of times.entries()) {
      if (time < last) {
        const fields = { deal_index: index, action_index: at, found: time, legal: last };
        this.add(fault("times-order"), path + pointer("times", at), fields);
        return;
      }
      last = time;
    }
  }

  // Check a deal against the match so far and its sheet, then count it in the match.
  countDeal(index, deal, stopped) {
    const { kernel, table } = this, path = pointer("deals", index), isVoid = Boolean(deal.void);
    const state = new State(this.game, this.deck, this.players, kernel.copy("state"));
    const openers = this.openers();
    const opening = kernel.call.open_deal(kernel.match, state.dealer - 1);
    for (const fault of faultsIn(table.matchFaults, opening)) {
      if (fault.code === "deal-after-match") this.add(fault, path, { deal_index: index });
      else this.add(fault, `${path}/${table.opens}`, { deal_index: index, found: deal[table.opens], legal: openers });
    }
    const known = (key) => (key in table.shape.keys.deals[0][0].keys ? (deal[key] ?? null) : null);
    const points = known("points") ?? [], winner = known("winner");
    const number = (value) => (value === null ? SHARED.notDeclared : clip(value));
    const found = kernel.call.check_declared(
      ...[kernel.match, kernel.state, Number(isVoid), kernel.declare(points.slice(0, 8).map(clip)), points.length],
      ...[number(winner), number(known("manche"))],
    );
    const faults = faultsIn(table.matchFaults, found);
    const end = new State(this.game, this.deck, this.players, kernel.copy("state"));
    const right = { points: end.points, winner: end.winner, manche: kernel.get("match", "manche") + 1 };
    for (const fault of faults) this.addDeclared(index, deal, fault, right, known);
    const running = end.outcome === table.running;
    const wrong = faults.some(({ code }) => DECLARED.includes(code));
    if (isVoid || (points.length && winner !== null && !running && !wrong)) this.settled.add(index);
    if (running && !stopped && !isVoid) {
      const incomplete = faultByCode(table, "incomplete", "matchFaults");
      this.add(incomplete, path + "/actions", { deal_index: index, action_index: deal.actions?.length ?? 0 });
    }
    kernel.call.close_deal(kernel.match, kernel.rules, kernel.state, Number(isVoid));
  }

  addDeclared(index, deal, fault, right, known) {
    const path = pointer("deals", index), seated = this.deck.seatFindings(fault.code, deal);
    for (const one of seated) this.add(fault, path + one.path, { deal_index: index, seat: one.seat, found: one.found, legal: one.legal });
    if (seated.length) return;
    const where = path + pointer(fault.key), value = known(fault.key), legal = right[fault.key] ?? null;
    if (fault.key === "winner" && (deal.void || legal === null)) {
      this.add(fault, where, { deal_index: index, found: value }, { open: true });
    } else {
      this.add(fault, where, { deal_index: index, found: value, legal });
    }
  }

  // The seat that must open the next deal, from 1, or a list of those that may.
  openers() {
    const dealer = this.kernel.get("match", "dealer");
    if (dealer >= 0) return dealer + 1;
    if (!this.kernel.has("match", "leaders")) return [];
    const leaders = this.kernel.get("match", "leaders");
    return Array.from({ length: this.players }, (_, seat) => seat + 1).filter((seat) => (leaders >> (seat - 1)) & 1);
  }

  checkResult() {
    const { result } = this.log, { kernel, table } = this;
    if ((result ?? null) === null) return;
    const score = result.score ?? [], own = result.winner ?? null;
    const found = kernel.call.check_result(
      ...[kernel.match, kernel.declare(score.slice(0, 8).map(clip)), score.length],
      ...[clip(own ?? 0), Number(Object.hasOwn(result, "winner"))],
    );
    const over = kernel.get("match", "over");
    const right = {
      score: kernel.get("match", "score").slice(0, this.players),
      winner: kernel.get("match", "winner") + 1 || null,
    };
    for (const fault of faultsIn(table.matchFaults, found)) {
      const { key } = fault, value = result[key] ?? null;
      if (!key) this.add(fault, "/result/winner", { found: own });
      else if (key === "winner" && !over) this.add(fault, pointer("result", key), { found: value }, { open: true });
      else this.add(fault, pointer("result", key), { found: value, legal: right[key] });
    }
  }

  // End the last deal and the match; return what `beginCheck` does.
  finish(hasDeal) {
    const before = hasDeal && !this.states ? this.snapshot() : null;
    const state = hasDeal ? this.endDeal() : null;
    const report = this.report();
    return { report, state, withAct: (word) => (before ? this.withAct(before, word) : null) };
  }

  // Return what `beginCheck` would of the log with one more action; null where more than that action changes.
  withAct(before, word) {
    const { deal, row, draws } = before.current;
    const sheet = (deal.comments ?? null) !== null || (deal.times ?? null) !== null || !deal.actions;
    const plain = typeof word === "string" && /^[ -~]{0,100}$/.test(word) && before.length < SHARED.maxBytes - 300;
    if (!row || sheet || !plain || this.drawsHidden(word) || (isDraw(word) && !draws)) return null;
    this.restore(before);
    this.length += JSON.stringify(word).length + 1;
    this.current.deal = { ...deal, actions: [...deal.actions, word] };
    this.play(word);
    return this.finish(true);
  }

  // All that a deal changes, from before its end.
  snapshot() {
    const { kernel, findings } = this;
    return {
      length: this.length,
      current: { ...this.current },
      records: ["rules", "match", "state"].map((name) => [name, kernel.copy(name)]),
      findings: findings.copy(),
      dealFaults: [...this.dealFaults],
      deals: [...this.deals],
      harmless: new Set(this.harmless),
      settled: new Set(this.settled),
    };
  }

  // Go back to a snapshot; it stays as it is, for others to go back to.
  restore({ length, current, records, findings, dealFaults, deals, harmless, settled }) {
    for (const [name, bytes] of records) this.kernel.paste(name, bytes);
    this.length = length;
    this.current = { ...current };
    this.findings = findings.copy();
    this.dealFaults = [...dealFaults];
    this.deals = [...deals];
    this.harmless = new Set(harmless);
    this.settled = new Set(settled);
  }

  report() {
    this.checkResult();
    this.markRootCauses();
    const own = this.findings.hasErrors ? "irregular" : "legal";
    const worst = [own, ...this.deals.map(({ status }) => status)].map((one) => SHARED.statuses.indexOf(one));
    const { kernel } = this, over = Boolean(kernel.get("match", "over"));
    const winner = over ? kernel.get("match", "winner") + 1 : null;
    const score = kernel.get("match", "unknown") ? null : kernel.get("match", "score").slice(0, this.players);
    const seats = over ? [] : [this.openers()].flat();
    const result = { score, over, winner, openers: seats };
    const status = SHARED.statuses[Math.max(...worst)];
    const findings = this.findings.all().map((one) => ({ ...one })); // an action more may change what one follows
    return { status, findings, deals: this.deals, result, reason: null, path: null };
  }

  // Let each error name the earlier one that may have caused it, as `follows`.
  markRootCauses() {
    const played = new Map(), moved = new Map(), outcome = new Map();
    let cut = null, over = null;
    const first = (map, deal, place) => map.has(deal) || map.set(deal, place);
    const ofDeals = (other) => [...outcome.values(), ...(other === null ? [] : [other])].reduce(least, null);
    for (const [place, one] of this.findings.items.entries()) {
      const { dependsOn, open } = this.notes.get(one) ?? {};
      const document = one.rule === "format" && one.code !== "unknown-action";
      if (one.severity !== "error" || document || open) continue;
      let cause = null;
      if (dependsOn === "CUT") {
        cut ??= place;
      } else if (dependsOn === "DEALS" || dependsOn === "END") {
        cause = ofDeals(over);
        if (dependsOn === "END") over ??= place;
      } else if (one.deal_index === null) {
        // concerns the document as a whole
      } else if (dependsOn === "DEAL") {
        first(outcome, one.deal_index, place);
        cause = played.get(one.deal_index) ?? null;
      } else if (dependsOn === "DEAL_BEFORE") {
        cause = outcome.get(one.deal_index - 1) ?? (one.partie === 1 ? ofDeals(cut) : null);
      } else if (one.action_index !== null) {
        cause = moved.get(one.deal_index) ?? null;
        if (cause !== null && this.findings.items[cause].action_index === one.action_index) cause = null;
        first(played, one.deal_index, place);
        if (!this.harmless.has(place)) first(moved, one.deal_index, place);
        if (!this.settled.has(one.deal_index)) first(outcome, one.deal_index, place);
      }
      one.follows = cause;
    }
  }
}

function isDraw(word) {
  return word.slice(1, 6) === " draw";
}

function least(one, other) {
  return one === null || other < one ? other : one;
}

// The kernel's range; a number beyond it is wrong anyway.
function clip(value) {
  return Math.max(-(10 ** 9), Math.min(10 ** 9, value));
}

// Write the options of a match into the kernel's record of the rules, and return them.
function equip({ table, kernel }, log) {
  const { values } = resolveRules(log.rules ?? null, log.players.length, table);
  kernel.clear("rules");
  for (const [name, words] of table.options) {
    kernel.set("rules", name, words ? words.indexOf(values[name]) : values[name]);
  }
  return values;
}
