// Records the match of one log a line and prints where the recorder is not what a check of its log says.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]));
const SHEET = ["points", "winner", "void", "manche"];

for await (const line of createInterface({ input: process.stdin })) {
  const { deals, result, ...head } = JSON.parse(line);
  const game = await load(head.game);
  const step = game.kernel.step, other = game.record({ ...head, deals: deals.slice(0, 1) });
  const recorder = game.record(head), differences = [], played = [];
  let isOpen = false, seen = [];
  const now = () => JSON.stringify([recorder.log(), recorder.findings, recorder.result, recorder.state, recorder.legal]);
  const compare = (place) => {
    const log = recorder.log(), report = game.check(log), states = game.states(log).deals.at(-1) ?? [];
    const last = log.deals.length - 1;
    const findings = report.findings.filter((one) => !(isOpen && one.code === "incomplete" && one.deal_index === last));
    const state = states.at(-1) ?? null;
    const checked = JSON.stringify([log, findings, report.result, state, state?.legal ?? []]);
    if (now() !== checked) differences.push([place, now(), checked]);
    seen.push(now());
  };
  compare("head");
  for (const [number, { actions = [], ...deal }] of deals.entries()) {
    const entries = Object.entries(deal), sheet = entries.filter(([key]) => SHEET.includes(key));
    if (!recorder.deal(Object.fromEntries(entries.filter((one) => !sheet.includes(one)))).ok) break;
    isOpen = true;
    compare(`deal ${number}`);
    for (const [at, action] of actions.entries()) {
      let steps = 0;
      game.kernel.step = (code) => (steps++, step.call(game.kernel, code));
      const { ok } = recorder.act(action);
      game.kernel.step = step;
      played.push(steps);
      other.act(action); // of the same kernel, which has one memory for all
      if (ok) compare(`deal ${number} action ${at}`);
    }
    if (recorder.end(Object.fromEntries(sheet)).ok) (isOpen = false), compare(`deal ${number} end`);
  }
  for (let back = 1; seen.length > back; back = back === 1 ? 3 : 1) {
    recorder.undo(back);
    seen = seen.slice(0, -back);
    if (now() !== seen.at(-1)) differences.push([`undo to ${seen.length}`, now(), seen.at(-1)]);
  }
  process.stdout.write(JSON.stringify({ differences: differences.slice(0, 3), played }) + "\n");
}
