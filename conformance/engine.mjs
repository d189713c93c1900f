// Answers `retourne conform` by the package of docs/javascript.md, installed beside this file.
import { createInterface } from "node:readline";
import { load } from "retourne";

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, log } = JSON.parse(line);
  const game = await load(log.game);
  if (ask === "legal") {
    console.log(JSON.stringify({ legal: game.states(log).deals[0].at(-1).legal }));
  } else {
    const { findings, deals } = game.check(log);
    console.log(JSON.stringify({ findings, deals }));
  }
}
