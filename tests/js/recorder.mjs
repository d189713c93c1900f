// Records a match of a log act by act and prints what the recorder answers: for tests/js/.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(process.argv[2]));
const { deals, result, ...head } = JSON.parse(readFileSync(0, "utf8"));
const game = await load(head.game);
const recorder = game.record(head);
const illegal = [], refused = [];
for (const { actions, points, winner, ...cards } of deals) {
  recorder.deal(cards);
  for (const action of actions) {
    if (!recorder.legal.includes(action)) illegal.push(action);
    if (!recorder.act(action).ok) refused.push(action);
  }
  recorder.end({ points, winner });
}
recorder.update({ result });
const whole = recorder.log();
const first = deals[0], [opening] = first.actions;
const again = game.record({ ...head, deals: [{ ...first, actions: [] }] });
const steps = { impossible: again.act("9 7h"), undone: again.undo(), tooMany: again.undo(2), checked: again.check("0") };
const turn = again.state.turn, before = JSON.stringify(again.log());
const played = again.act(opening);
steps.backAgain = again.undo() && JSON.stringify(again.log()) === before;
console.log(JSON.stringify({ illegal, refused, whole, findings: recorder.findings, steps, turn, played, empty: game.record(head).act("1 7h") }));
