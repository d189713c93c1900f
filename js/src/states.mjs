// The states of the deals of a log, for a board that steps through them.

import { checkLog } from "./check.mjs";

// Return `{status, reason, path, deals}`; of a deal whose cards cannot be read, no states.
export function statesOf(game, log) {
  const states = [];
  const { status, reason, path } = checkLog(game, log, states);
  return { status, reason, path, deals: status === null ? [] : states };
}
