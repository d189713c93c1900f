// Prints the states of the deals of one log a line: for tests/js/.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const log = JSON.parse(line);
  const { deals } = (await load(log.game)).states(log);
  const plain = deals.map((states) => states.map((state) => ({ ...state.toJSON(), legal: state.legal })));
  process.stdout.write(JSON.stringify(plain) + "\n");
}
