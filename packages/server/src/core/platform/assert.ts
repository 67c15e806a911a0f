/** A broken invariant: a bug of ours. Answers 500 and is logged in full. */
export class BrokenInvariant extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokenInvariant";
  }
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BrokenInvariant(message);
}

/** The value, or a broken invariant when there is none. */
export function expect<T>(value: T | null | undefined, message: string): T {
  if (value === null || value === undefined) throw new BrokenInvariant(message);
  return value;
}

/** Failure that keeps the server from starting, in one line that a person can act on. */
export class StartFailure extends Error {
  override readonly name: string = "StartFailure";
}

/** The command line is malformed: unknown command, missing or contradictory options. */
export class UsageFailure extends StartFailure {
  override readonly name = "UsageFailure";
}

/** The command is valid, but its result is not available. */
export class Refusal extends StartFailure {
  override readonly name = "Refusal";
}
