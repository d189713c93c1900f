// Prints what the module exports, with the members and parameters of each class, and values of each
// declared type, made from the logs of standard input: for tests/js/.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const all = await import(pathToFileURL(process.argv[2]));
const values = { Report: [], States: [], Step: [], Game: [], Recorder: [] };

// All a caller can reach in an object: its own keys and those of its class; of a method, its parameters.
function membersOf(object) {
  const found = {}, levels = [];
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) levels.unshift(at);
  for (const [name, { value, get }] of levels.flatMap((one) => Object.entries(Object.getOwnPropertyDescriptors(one)))) {
    if (name !== "constructor") found[name] = !get && typeof value === "function" ? value.length : null;
  }
  return found;
}

// The values of an object's declared parts, methods left out.
function plain(object) {
  const names = Object.entries(membersOf(object)).filter(([, parameters]) => parameters === null);
  const { outcome, ...parts } = Object.fromEntries(names.map(([name]) => [name, object[name]]));
  return parts; // `outcome` is the package's own
}

const members = {};
for await (const line of createInterface({ input: process.stdin })) {
  const log = JSON.parse(line), game = await all.load(log.game);
  const report = game.check(log), states = game.states(log);
  values.Report.push(report);
  values.States.push({ ...states, deals: states.deals.map((deal) => deal.map(plain)) });
  values.Game.push({ name: game.name, players: game.players, presets: game.presets });
  if (report.status === null || report.status === "unreadable") continue;
  const recorder = game.record({ ...log, result: undefined });
  values.Step.push(recorder.deal(), recorder.act("9 7h"), recorder.act("1 Ah"), game.record({ ...log, deals: [] }).act(""));
  const { state, legal, findings, result } = recorder;
  values.Recorder.push({ state: state && plain(state), legal, findings, result });
  const [first] = states.deals.flat();
  if (!first) continue;
  members.State = membersOf(first);
  members.Game = membersOf(game);
  members.Recorder = membersOf(recorder);
}
const exported = Object.fromEntries(Object.entries(all).map(([name, one]) => [name, typeof one === "function" ? one.length : null]));
console.log(JSON.stringify({ exported, members, values }));
