// Records the match of one log a line and prints what each step brings: for tests/js/.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]));
const SHEET = ["points", "winner", "void", "manche"];
for await (const line of createInterface({ input: process.stdin })) {
  const { deals, result, ...head } = JSON.parse(line);
  const recorder = (await load(head.game)).record(head);
  const steps = [];
  const note = ({ ok, findings }) => steps.push([ok, findings.map(({ code, path }) => `${code} ${path}`)]) && ok;
  for (const { actions = [], ...deal } of deals) {
    const entries = Object.entries(deal), sheet = entries.filter(([key]) => SHEET.includes(key));
    if (!note(recorder.deal(Object.fromEntries(entries.filter((one) => !sheet.includes(one)))))) break;
    for (const action of actions) note(recorder.act(action));
    note(recorder.end(Object.fromEntries(sheet)));
  }
  process.stdout.write(JSON.stringify(steps) + "\n");
}
