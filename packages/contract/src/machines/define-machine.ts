/** Effect of a transition on the row's reserved money: see `billingMachine`. */
export type MoneyEffect = "settle" | "release";

/** One allowed transition of a state machine. */
export interface MachineRow<State extends string = string> {
  readonly from: State;
  /** Name of the transition. All rows of one name share target state, event and effect. */
  readonly on: string;
  readonly to: State;
  /** Event type appended in the same transaction, or null. */
  readonly emits: string | null;
  /** Effect on the row's reserved money; undefined for none. */
  readonly money?: MoneyEffect;
}

export interface Machine<
  State extends string = string,
  Rows extends readonly MachineRow<State>[] = readonly MachineRow<State>[],
> {
  readonly name: string;
  /** Table of the state column. */
  readonly table: string;
  readonly column: string;
  readonly states: readonly State[];
  /** Initial states, each with the event of its creation, or null. */
  readonly born: { readonly [S in State]?: string | null };
  /** States without outgoing transitions. */
  readonly final: readonly State[];
  readonly rows: Rows;
}

/** Types a state table, the only place that spells its states. */
export function defineMachine<
  const State extends string,
  const Rows extends readonly MachineRow<State>[],
>(machine: Machine<State, Rows>): Machine<State, Rows> {
  return machine;
}

export type StateOf<M extends Machine> = M["states"][number];
/** Transition names of a machine. */
export type MoveOf<M extends Machine> = M["rows"][number]["on"];

/** One transition with all its start states, as its UPDATE needs it. */
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

/** All transitions of a machine by name, typed by its rows. */
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
