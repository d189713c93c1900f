// Prints the board's data of each deal of one log a line, as the page that checks logs makes it, and the acts that
// a line from the middle of each deal offers: for tests/js/.
// Arguments: the package's folder, the page's data, the page's scripts for them.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, data, ...scripts] = process.argv.slice(2);
const { load } = await import(pathToFileURL(join(folder, "retourne.mjs")));
const text = scripts.map((script) => readFileSync(script, "utf8")).join("\n");
// what draws stands for itself: only the data is printed
const [LogStates, LocalLine] = new Function(`class Board {}\nclass LinePanel {}\n${text}\nreturn [LogStates, LocalLine];`)();
const page = JSON.parse(readFileSync(data, "utf8"));
for await (const line of createInterface({ input: process.stdin })) {
  const log = JSON.parse(line), game = await load(log.game);
  const [parts, common] = [page.games[log.game], page.texts.en];
  const view = (one, report, states) => new LogStates(log.game, one, report, states, parts, common.games[log.game], common);
  const whole = view(log, game.check(log), game.states(log).deals);
  const deals = log.deals.map((_, deal) => whole.deal(deal));
  const look = (one) => view(one, { findings: [], deals: [] }, game.states(one).deals);
  const offered = deals.map((deal, number) => {
    if (!deal) return null;
    const start = Math.floor((whole.states[number].length - 1) / 2);
    const { board, own } = new LocalLine(look, log, number, deal, start, {}).at("", common.line);
    return { start, plies: board.plies.length, acts: own.acts.map(({ word }) => word).sort() };
  });
  process.stdout.write(JSON.stringify({ deals, offered }) + "\n");
}
