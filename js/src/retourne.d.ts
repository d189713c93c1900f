/** A verdict of `retourne check`, from best to worst. */
export type Status = "legal" | "unverified" | "result-only" | "irregular" | "incomplete" | "broken" | "unreadable";

/** Why only a server with the whole of Retourne can check a log. */
export type Reason = "hidden-cards" | "score-sheet" | "start" | "result-only" | "not-loaded";

/** One error, warning or note. `deal_index` and `action_index` count from 0, all other places from 1. */
export interface Finding {
  code: string;
  rule: string;
  severity: "error" | "warning" | "note";
  /** A JSON pointer into the log. */
  path: string;
  manche: number | null;
  partie: number | null;
  deal_index: number | null;
  trick: number | null;
  card: number | null;
  action_index: number | null;
  seat: number | null;
  /** The value in the log. */
  found: unknown;
  /** What was legal there, or the right value. */
  legal: unknown;
  hand: string[] | null;
  /** The index of the earlier finding that may have caused this one. */
  follows: number | null;
}

export interface CheckedDeal {
  status: Status;
  manche: number | null;
  partie: number | null;
  /** By seat, or by side where partners play; null if the deal is void or not over. */
  points: number[] | null;
  /** A seat or side from 1, 0 for none; null if the deal is void or not over. */
  winner: number | null;
  /** The score of the match after the deal. */
  score: number[];
}

export interface MatchResult {
  /** null if a deal could not be counted. */
  score: number[] | null;
  over: boolean;
  /** A seat or side from 1, 0 if the match was drawn; null while it goes on. */
  winner: number | null;
  /** The seats that may open the next deal. */
  openers: number[];
}

export interface Report {
  /** null where only the server can say; then `reason` and `path` say why and where. */
  status: Status | null;
  findings: Finding[];
  deals: CheckedDeal[];
  result: MatchResult | null;
  reason: Reason | null;
  path: string | null;
}

/** A log as an object, or as text. */
export type Log = object | string | Uint8Array | ArrayBuffer;

/** A state of a deal. Seats count from 1; a card is written as in the log. */
export interface State {
  readonly hands: string[][];
  readonly table: (string | null)[];
  /** The last complete trick, by seat. */
  readonly last: (string | null)[];
  readonly dealer: number;
  readonly leader: number;
  readonly turn: number;
  /** The number of complete tricks. */
  readonly trick: number;
  readonly over: boolean;
  readonly winner: number | null;
  readonly points: number[];
  /** The points of the cards of each side; null where `points` are those. */
  readonly cardPoints: number[] | null;
  /** All actions the rules allow now, by any seat. */
  readonly legal: string[];
  /** A field of the kernel's own record of the deal. */
  field(name: string): number | bigint | number[] | bigint[];
  has(name: string): boolean;
}

export interface States {
  status: Status | null;
  reason: Reason | null;
  path: string | null;
  /** For each deal, the state before its first action and after each; none if it cannot be dealt. */
  deals: State[][];
}

export interface Game {
  readonly name: string;
  readonly players: number[];
  readonly presets: string[];
  check(log: Log): Report;
  states(log: Log): States;
  legal(state: State): string[];
  /** Begin a match, by keys of a log such as `players` and `rules`; with `deals`, go on with one. */
  record(keys: object): Recorder;
}

/** `ok` unless the step cannot have happened: then it was not recorded, and the findings say why. */
export interface Step {
  ok: boolean;
  /** What this step adds. */
  findings: Finding[];
  /** Why only the server can check the match; `no-deal`: no deal was begun. */
  reason: Reason | "no-deal" | null;
}

export class Recorder {
  constructor(game: Game, keys: object);
  /** Begin a deal; the seat that opens by the rules does where the keys name none. */
  deal(keys?: object): Step;
  /** Record an action such as `2 9h`, even one against the rules. */
  act(action: string): Step;
  /** Return the findings an action would have now, without recording it. */
  check(action: string): Finding[];
  /** End the deal, with keys of its sheet such as `points`, `winner` or `void`. */
  end(keys?: object): Step;
  /** Record keys of the deal, such as `hands`, or of the match, such as `result`. */
  update(keys: object): Step;
  /** Undo the last steps, across deals too; false if fewer were recorded. */
  undo(steps?: number): boolean;
  readonly state: State | null;
  readonly legal: string[];
  readonly findings: Finding[];
  readonly result: MatchResult | null;
  log(): Record<string, unknown>;
}

/** The names of the games. */
export const games: readonly string[];

/** The version of the rules, as of `retourne --version`. */
export const rulesVersion: number;

/** Load a game's kernel and table, once; `parts` are the two where the caller has them already. */
export function load(name: string, parts?: { wasm: BufferSource; table: object } | null): Promise<Game>;

/** Check a log of any game, which is loaded if need be. */
export function check(log: Log): Promise<Report>;
