// Prints the board's data of each deal of one log a line, as the page that checks logs makes it: for tests/js/.
// Arguments: the package's folder, the page's script for it, the page's data.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, script, data] = process.argv.slice(2);
const { load } = await import(pathToFileURL(join(folder, "retourne.mjs")));
const LogStates = new Function(`${readFileSync(script, "utf8")}\nreturn LogStates;`)();
const page = JSON.parse(readFileSync(data, "utf8"));
for await (const line of createInterface({ input: process.stdin })) {
  const log = JSON.parse(line), game = await load(log.game);
  const report = game.check(log), { deals } = game.states(log);
  const [parts, common] = [page.games[log.game], page.texts.en];
  const view = new LogStates(log.game, log, report, deals, parts, common.games[log.game], common);
  process.stdout.write(JSON.stringify(log.deals.map((_, deal) => view.deal(deal))) + "\n");
}
