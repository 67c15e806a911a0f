import type { Message } from "@longwave/sdk";

/** The person at the other end of a message. */
export function personOf({ direction, from, to }: Message): string {
  return direction === "outbound" ? to : from;
}
