import { type MessageStatus, messageMachine } from "@longwave/contract";

/** The filters as the rows know them. */
export interface Filters {
  readonly statuses: readonly MessageStatus[];
  readonly to: string | null;
  readonly from: string | null;
  readonly number: string | null;
  readonly customerId: string | null;
  readonly simulated: boolean | null;
  /** From this id on, and up to but without the other. */
  readonly fromId: string;
  readonly toId: string;
}

/** Whether a list is of some number's or customer's texts, and not of the account's. */
export function hasSubject({ to, from, number, customerId }: Filters): boolean {
  return [to, from, number, customerId].some((one) => one !== null);
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

/** Whether the directions alone say which statuses are asked for. */
export function isEveryStatus(filters: Filters): boolean {
  return directionsOf(filters).every((direction) =>
    DIRECTIONS[direction].every((status) => filters.statuses.includes(status)),
  );
}
