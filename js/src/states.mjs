// The states of the deals of a log, for a board that steps through them.

import { MatchChecker, checkLog } from "./check.mjs";
import { readLog } from "./document.mjs";
import { faultsIn } from "./kernel.mjs";
import { State } from "./state.mjs";

// Return `{status, reason, path, deals}`; of a deal whose cards cannot be read, no states.
export function statesOf(game, log) {
  const { status, reason, path } = checkLog(game, log);
  if (status === null || status === "unreadable") return { status, reason, path, deals: [] };
  const { value } = readLog(log), { kernel, table } = game;
  const match = new MatchChecker(game, value, { add() {}, items: [] });
  const deals = (value.deals ?? []).map((deal) => {
    const row = match.deck.problems.length ? null : match.rowOf(deal, []);
    if (!row) return [];
    const state = () => new State(game, match.deck, match.players, kernel.copy("state"));
    match.begin(deal, row);
    const states = [state()];
    for (const word of deal.actions ?? []) {
      if (faultsIn(table.faults, kernel.step(match.words.code(word))).some(({ impossible }) => impossible)) break;
      states.push(state());
    }
    return states;
  });
  return { status, reason, path, deals };
}
