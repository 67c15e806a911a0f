import {
  type FailureCode,
  type MessageStatus,
  type Mode,
  messageMachine,
} from "@longwave/contract";

/** Filters of a list in terms of stored columns. */
export interface Filters {
  /** Mode of the caller: no list mixes modes. */
  readonly mode: Mode;
  readonly statuses: readonly MessageStatus[];
  readonly to: string | null;
  readonly from: string | null;
  readonly number: string | null;
  readonly customerId: string | null;
  readonly simulated: boolean | null;
  readonly batchId: string | null;
  readonly failureCode: FailureCode | null;
  readonly carrier: string | null;
  /** Key and value pairs that the message has. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Ids in [fromId, toId). */
  readonly fromId: string;
  readonly toId: string;
}

/** Whether the list is limited to a number or a customer. */
export function hasSubject({ to, from, number, customerId }: Filters): boolean {
  return [to, from, number, customerId].some((one) => one !== null);
}

/** Whether a filter compares what no index of messages holds. */
export function isNarrowed({ batchId, metadata, failureCode, carrier }: Filters): boolean {
  return batchId !== null || metadata.length > 0 || failureCode !== null || carrier !== null;
}

export type Direction = "outbound" | "inbound";

const DIRECTIONS: Readonly<Record<Direction, readonly MessageStatus[]>> = {
  outbound: messageMachine.states.filter((status) => status !== "received"),
  inbound: ["received"],
};

export function directionsOf({ statuses }: Filters): Direction[] {
  return (["outbound", "inbound"] as const).filter((direction) =>
    DIRECTIONS[direction].some((status) => statuses.includes(status)),
  );
}

/** Whether the filter names every status of its directions. */
export function isEveryStatus(filters: Filters): boolean {
  return directionsOf(filters).every((direction) =>
    DIRECTIONS[direction].every((status) => filters.statuses.includes(status)),
  );
}
