// Prints the deal of a log after each action, the refused ones too, as a recorder knows it: for tests/js/.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]));
const { deals, later, ...head } = JSON.parse(readFileSync(0, "utf8"));
const [{ actions, ...cards }] = deals, found = [];
const recorder = (await load(head.game)).record(head);
const note = ({ ok, findings }) => {
  const { hands = null, turn = null } = recorder.state ?? {};
  found.push([ok, findings.map(({ code, path }) => `${code} ${path}`), hands, turn, [...recorder.legal].sort()]);
};
note(recorder.deal(cards));
for (const action of actions) note(recorder.act(action));
note(recorder.update(later));
console.log(JSON.stringify(found));
