/** What a move does to the money that its row holds: see `billingMachine`. */
export type MoneyEffect = "settle" | "release";

/** One allowed move of a state machine. */
export interface MachineRow<State extends string = string> {
  readonly from: State;
  /** What happened. All rows of one name lead to the same state, event and effect. */
  readonly on: string;
  readonly to: State;
  /** The event type appended in the same transaction, or null. */
  readonly emits: string | null;
  /** What becomes of the money held for the row; left out where it stays as it is. */
  readonly money?: MoneyEffect;
}

export interface Machine<
  State extends string = string,
  Rows extends readonly MachineRow<State>[] = readonly MachineRow<State>[],
> {
  readonly name: string;
  /** Where the state is kept. */
  readonly table: string;
  readonly column: string;
  readonly states: readonly State[];
  /** The states in which a row may be created, each with the event that tells of it, or null. */
  readonly born: { readonly [S in State]?: string | null };
  /** States that nothing leaves. */
  readonly final: readonly State[];
  readonly rows: Rows;
}

/** Types a state table. The table is the only place where its states are spelled. */
export function defineMachine<
  const State extends string,
  const Rows extends readonly MachineRow<State>[],
>(machine: Machine<State, Rows>): Machine<State, Rows> {
  return machine;
}

export type StateOf<M extends Machine> = M["states"][number];
/** The names of a machine's moves. */
export type MoveOf<M extends Machine> = M["rows"][number]["on"];

/** One move, from wherever it may start: what the update that makes it needs to know. */
export interface Move<
  From extends string = string,
  To extends string = string,
  Emits extends string | null = string | null,
> {
  readonly machine: string;
  readonly on: string;
  readonly from: readonly From[];
  readonly to: To;
  readonly emits: Emits;
  readonly money: MoneyEffect | null;
}

type RowsOf<M extends Machine, On extends string> = Extract<M["rows"][number], { readonly on: On }>;

/** All moves of a machine by name, typed by its rows. */
export type Moves<M extends Machine> = {
  readonly [On in MoveOf<M>]: Move<
    RowsOf<M, On>["from"],
    RowsOf<M, On>["to"],
    RowsOf<M, On>["emits"]
  >;
};

export function movesOf<M extends Machine>(machine: M): Moves<M> {
  const moves: Record<string, Move> = {};
  for (const { from, on, to, emits, money = null } of machine.rows) {
    const known = moves[on];
    if (known && (known.to !== to || known.emits !== emits || known.money !== money)) {
      throw new Error(`The rows of ${machine.name} that are named ${on} differ in what they do.`);
    }
    const sources = known ? [...known.from, from] : [from];
    moves[on] = { machine: machine.name, on, from: sources, to, emits, money };
  }
  return moves as Moves<M>;
}
