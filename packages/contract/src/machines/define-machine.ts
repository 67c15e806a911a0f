/** One allowed move of a state machine. */
export interface MachineRow<State extends string> {
  readonly from: State;
  readonly on: string;
  readonly to: State;
  /** The event type appended in the same transaction, or null. */
  readonly emits: string | null;
}

export interface Machine<State extends string> {
  readonly name: string;
  readonly states: readonly State[];
  /** States in which a row may be created. */
  readonly born: readonly State[];
  /** States that nothing leaves. */
  readonly final: readonly State[];
  readonly rows: readonly MachineRow<State>[];
}

/** Types a state table. The table is the only place where its states are spelled. */
export function defineMachine<const State extends string>(machine: Machine<State>): Machine<State> {
  return machine;
}

/** The states from which `on` leads to `to`: the guard of the update that makes the move. */
export function sourcesOf<State extends string>(
  machine: Machine<State>,
  on: string,
): readonly State[] {
  return machine.rows.filter((row) => row.on === on).map((row) => row.from);
}
